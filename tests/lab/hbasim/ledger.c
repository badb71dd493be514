// SPDX-License-Identifier: GPL-2.0-only
/*
 * What devices received: a ring of the last commands, aborts and resets with
 * their times, and a count of each operation code that never forgets.
 * Writing anything to the file "ledger" empties it.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <scsi/scsi_common.h>

#include "hbasim.h"

static unsigned int ledger = 1024;
module_param(ledger, uint, 0444);
MODULE_PARM_DESC(ledger, "commands that each device remembers");

int sim_ledger_create(struct sim_device *device)
{
	ledger = max(ledger, 1U);
	device->ledger.entry = vzalloc(array_size(ledger, sizeof(struct sim_entry)));
	return device->ledger.entry ? 0 : -ENOMEM;
}

void sim_ledger_free(struct sim_device *device)
{
	vfree(device->ledger.entry);
}

static struct sim_entry *entry_at(struct sim_device *device, u64 number)
{
	u32 place;

	div_u64_rem(number, ledger, &place);
	return &device->ledger.entry[place];
}

static struct sim_entry *entry_new(struct sim_device *device)
{
	struct sim_entry *entry = entry_at(device, device->ledger.count++);

	memset(entry, 0, sizeof(*entry));
	entry->start = ktime_get_boottime_ns();
	return entry;
}

u64 sim_ledger_begin(struct sim_device *device, struct scsi_cmnd *command)
{
	struct sim_entry *entry = entry_new(device);

	entry->length = min_t(u8, command->cmd_len, sizeof(entry->cdb));
	memcpy(entry->cdb, command->cmnd, entry->length);
	device->ledger.op[command->cmnd[0]]++;
	return device->ledger.count - 1;
}

void sim_ledger_end(struct sim_device *device, u64 number, struct scsi_cmnd *command)
{
	struct sim_entry *entry = entry_at(device, number);
	struct scsi_sense_hdr sense;

	if (number + ledger < device->ledger.count)
		return;
	entry->end = ktime_get_boottime_ns();
	entry->result = command->result;
	entry->bytes = scsi_bufflen(command) - scsi_get_resid(command);
	if ((command->result & 0xff) == SAM_STAT_CHECK_CONDITION &&
	    scsi_normalize_sense(command->sense_buffer, SCSI_SENSE_BUFFERSIZE, &sense)) {
		entry->key = sense.sense_key;
		entry->asc = sense.asc;
		entry->ascq = sense.ascq;
	}
}

void sim_ledger_event(struct sim_device *device, const char *event)
{
	struct sim_entry *entry = entry_new(device);

	entry->event = event;
	entry->end = entry->start;
}

static void show_time(struct seq_file *file, u64 ns)
{
	u32 rest;
	u64 seconds = div_u64_rem(ns, NSEC_PER_SEC, &rest);

	seq_printf(file, " %llu.%06u", seconds, rest / 1000);
}

static void show_result(struct seq_file *file, const struct sim_entry *entry)
{
	u8 status = entry->result & 0xff;

	if (!entry->end)
		seq_puts(file, " under-way");
	else if (entry->result >> 16)
		seq_printf(file, " host-%02x", entry->result >> 16);
	else if (status == SAM_STAT_CHECK_CONDITION)
		seq_printf(file, " check-%x/%02x/%02x", entry->key, entry->asc, entry->ascq);
	else if (status == SAM_STAT_GOOD)
		seq_puts(file, " good");
	else
		seq_printf(file, " status-%02x", status);
}

static void show_entry(struct seq_file *file, u64 number, const struct sim_entry *entry)
{
	seq_printf(file, "%llu", number);
	show_time(file, entry->start);
	if (entry->event) {
		seq_printf(file, " %s\n", entry->event);
		return;
	}
	if (entry->end)
		show_time(file, entry->end - entry->start);
	else
		seq_puts(file, " -");
	show_result(file, entry);
	seq_printf(file, " %u %*ph\n", entry->bytes, entry->length, entry->cdb);
}

static int ledger_show(struct seq_file *file, void *unused)
{
	struct sim_device *device = file->private;
	u64 number, count;

	/* Entries are copied one by one: commands do not wait for a reader. */
	spin_lock_irq(&device->host->lock);
	count = device->ledger.count;
	spin_unlock_irq(&device->host->lock);
	number = max(device->ledger.emptied, count > ledger ? count - ledger : 0);
	for (; number < count; number++) {
		struct sim_entry entry;

		spin_lock_irq(&device->host->lock);
		entry = *entry_at(device, number);
		spin_unlock_irq(&device->host->lock);
		show_entry(file, number, &entry);
	}
	return 0;
}

static int ledger_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, ledger_show, inode->i_private, ledger * 96);
}

static ssize_t ledger_write(struct file *file, const char __user *text, size_t size, loff_t *pos)
{
	struct seq_file *seq = file->private_data;
	struct sim_device *device = seq->private;

	spin_lock_irq(&device->host->lock);
	device->ledger.emptied = device->ledger.count;
	memset(device->ledger.op, 0, sizeof(device->ledger.op));
	spin_unlock_irq(&device->host->lock);
	return size;
}

static const struct file_operations ledger_operations = {
	.owner = THIS_MODULE,
	.open = ledger_open,
	.read = seq_read,
	.write = ledger_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* Lines of "OP COUNT", in hex and decimal. */
static int counts_show(struct seq_file *file, void *unused)
{
	struct sim_device *device = file->private;
	unsigned int op;

	for (op = 0; op < ARRAY_SIZE(device->ledger.op); op++)
		if (device->ledger.op[op])
			seq_printf(file, "%02x %u\n", op, device->ledger.op[op]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counts);

static int state_show(struct seq_file *file, void *unused)
{
	static const char *const powers[] = {
		[SIM_ACTIVE] = "active",
		[SIM_IDLE] = "idle",
		[SIM_STANDBY] = "standby",
		[SIM_STOPPED] = "stopped",
	};
	struct sim_device *device = file->private;
	struct scsi_device *sdev;

	spin_lock_irq(&device->host->lock);
	sdev = device->sdev;
	if (sdev)
		seq_printf(file, "address %u:%u:%u:%llu\n", sdev->host->host_no, sdev->channel,
			   sdev->id, sdev->lun);
	seq_printf(file, "power %s\nwakeups %u\n", powers[device->power], device->wakeups);
	seq_printf(file, "attentions_pending %u\nattentions_told %u\n", device->attentions,
		   device->told);
	spin_unlock_irq(&device->host->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

void sim_ledger_files(struct sim_device *device)
{
	device->dir = debugfs_create_dir(device->name, device->host->dir);
	debugfs_create_file("ledger", 0600, device->dir, device, &ledger_operations);
	debugfs_create_file("counts", 0400, device->dir, device, &counts_fops);
	debugfs_create_file("state", 0400, device->dir, device, &state_fops);
}
