// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the SCSI midlayer calls: devices come and go, commands are answered
 * when their time has come, aborts and resets end what never would.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <scsi/scsi_eh.h>

#include "hbasim.h"

static struct scsi_cmnd *command_of(struct sim_command *own)
{
	return (struct scsi_cmnd *)own - 1;
}

/* Ends a command that was taken off the list. Any context. */
static void finish(struct sim_command *own)
{
	struct scsi_cmnd *command = command_of(own);
	struct sim_host *host = shost_priv(command->device->host);
	unsigned long flags;

	spin_lock_irqsave(&host->lock, flags);
	if (command->device->hostdata)
		sim_ledger_end(command->device->hostdata, own->entry, command);
	spin_unlock_irqrestore(&host->lock, flags);
	scsi_done(command);
}

/*
 * Whoever takes a command off the list ends it. SG_SCSI_RESET comes with a
 * command that nobody initialised.
 */
static bool take(struct sim_host *host, struct sim_command *own)
{
	unsigned long flags;
	bool mine;

	if (!own->list.next)
		return false;
	spin_lock_irqsave(&host->lock, flags);
	mine = !list_empty(&own->list);
	list_del_init(&own->list);
	spin_unlock_irqrestore(&host->lock, flags);
	return mine;
}

static enum hrtimer_restart due(struct hrtimer *timer)
{
	struct sim_command *own = container_of(timer, struct sim_command, timer);

	if (take(shost_priv(command_of(own)->device->host), own))
		finish(own);
	return HRTIMER_NORESTART;
}

static int init_cmd_priv(struct Scsi_Host *shost, struct scsi_cmnd *command)
{
	struct sim_command *own = scsi_cmd_priv(command);

	INIT_LIST_HEAD(&own->list);
	hrtimer_init(&own->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	own->timer.function = due;
	return 0;
}

static int exit_cmd_priv(struct Scsi_Host *shost, struct scsi_cmnd *command)
{
	struct sim_command *own = scsi_cmd_priv(command);

	hrtimer_cancel(&own->timer);
	return 0;
}

void sim_flush(struct sim_host *host, struct sim_device *device, struct sim_end *end, int result)
{
	struct sim_command *own, *next;
	unsigned long flags;
	LIST_HEAD(ended);

	spin_lock_irqsave(&host->lock, flags);
	list_for_each_entry_safe(own, next, &host->commands, list) {
		struct sim_device *its = command_of(own)->device->hostdata;

		if (device && its != device)
			continue;
		if (end && its && its->end != end)
			continue;
		list_move(&own->list, &ended);
	}
	spin_unlock_irqrestore(&host->lock, flags);
	while ((own = list_first_entry_or_null(&ended, struct sim_command, list))) {
		list_del_init(&own->list);
		hrtimer_cancel(&own->timer);
		command_of(own)->result = result;
		finish(own);
	}
}

/* Puts the answer into the command. Under the host's lock. */
static void fill(struct scsi_cmnd *command, const struct sim_answer *answer)
{
	unsigned int sent = 0, room = scsi_bufflen(command);

	command->result = answer->status;
	if (answer->status == SAM_STAT_CHECK_CONDITION)
		scsi_build_sense(command, 0, answer->key, answer->asc, answer->ascq);
	else if (command->sc_data_direction == DMA_FROM_DEVICE)
		sent = scsi_sg_copy_from_buffer(command, answer->data, min(answer->length, room));
	else if (answer->status == SAM_STAT_GOOD)
		sent = room;
	sent += min(answer->zeroes, room - sent);
	scsi_set_resid(command, room - sent);
}

/* Zeroes are what media and buffers hold. Not under the lock: it may take a while. */
static void clear(struct scsi_cmnd *command)
{
	switch (command->cmnd[0]) {
	case READ_6:
	case READ_10:
	case READ_12:
	case READ_16:
	case READ_BUFFER:
		sg_zero_buffer(scsi_sglist(command), scsi_sg_count(command), scsi_bufflen(command),
			       0);
	}
}

/*
 * Decides what becomes of a command: 0 done already, else when it is due,
 * KTIME_MAX for never. Under the host's lock.
 */
static u64 decide(struct sim_host *host, struct sim_device *device, struct scsi_cmnd *command)
{
	struct sim_command *own = scsi_cmd_priv(command);
	struct sim_answer answer = { .scratch = host->scratch };
	enum sim_fate fate;

	own->entry = sim_ledger_begin(device, command);
	own->deaf = false;
	command->result = DID_NO_CONNECT << 16;
	if (host->going || device->gone || !device->end->plugged)
		return 0;
	if (host->transport->begin)
		host->transport->begin(device);
	fate = sim_trouble_before(device, command, &answer);
	switch (fate) {
	case SIM_LOST:
		return 0;
	case SIM_NEVER:
	case SIM_NEVER_DEAF:
		own->deaf = fate == SIM_NEVER_DEAF;
		command->result = DID_TIME_OUT << 16;
		return KTIME_MAX;
	case SIM_GOES_ON:
		sim_answer(device, command, &answer);
		break;
	case SIM_ANSWERED:
		break;
	}
	sim_trouble_after(device, command, &answer);
	fill(command, &answer);
	return sim_finish(device, &answer, ktime_get_ns());
}

static int queuecommand(struct Scsi_Host *shost, struct scsi_cmnd *command)
{
	struct sim_host *host = shost_priv(shost);
	struct sim_device *device = command->device->hostdata;
	struct sim_command *own = scsi_cmd_priv(command);
	unsigned long flags;
	int result = 0;
	u64 when;

	if (host->transport->ready)
		result = host->transport->ready(command->device);
	if (result || !device) {
		command->result = result ?: DID_NO_CONNECT << 16;
		scsi_done(command);
		return 0;
	}
	clear(command);
	spin_lock_irqsave(&host->lock, flags);
	when = decide(host, device, command);
	if (when) {
		list_add_tail(&own->list, &host->commands);
		if (when != KTIME_MAX)
			hrtimer_start(&own->timer, ns_to_ktime(when), HRTIMER_MODE_ABS);
	}
	spin_unlock_irqrestore(&host->lock, flags);
	if (!when)
		finish(own);
	return 0;
}

/* An abort or a reset in the ledger of the device; is it heard? */
static bool heard(struct scsi_cmnd *command, const char *event, u32 *count)
{
	struct sim_host *host = shost_priv(command->device->host);
	struct sim_command *own = scsi_cmd_priv(command);
	unsigned long flags;
	bool deaf;

	spin_lock_irqsave(&host->lock, flags);
	if (command->device->hostdata)
		sim_ledger_event(command->device->hostdata, event);
	++*count;
	deaf = own->deaf && !host->going;
	spin_unlock_irqrestore(&host->lock, flags);
	return !deaf;
}

/*
 * The midlayer has given up on the command and will end it itself: it is only
 * forgotten here. The commands that go with it in a reset are not among those
 * that time out; they are ended as the adapters' drivers do.
 */
static void forget(struct sim_host *host, struct scsi_cmnd *command)
{
	struct sim_command *own = scsi_cmd_priv(command);
	struct sim_device *device = command->device->hostdata;
	unsigned long flags;

	if (!take(host, own))
		return;
	hrtimer_cancel(&own->timer);
	spin_lock_irqsave(&host->lock, flags);
	command->result = DID_ABORT << 16;
	if (device)
		sim_ledger_end(device, own->entry, command);
	spin_unlock_irqrestore(&host->lock, flags);
}

static int eh_abort(struct scsi_cmnd *command)
{
	struct sim_host *host = shost_priv(command->device->host);

	if (!heard(command, "abort", &host->aborts))
		return FAILED;
	forget(host, command);
	return SUCCESS;
}

static int eh_lun_reset(struct scsi_cmnd *command)
{
	struct sim_host *host = shost_priv(command->device->host);
	struct sim_device *device = command->device->hostdata;

	if (!heard(command, "lun-reset", &host->lun_resets))
		return FAILED;
	forget(host, command);
	if (device) {
		sim_flush(host, device, NULL, DID_RESET << 16);
		spin_lock_irq(&host->lock);
		sim_attention(device, 0x2903);
		spin_unlock_irq(&host->lock);
	}
	return SUCCESS;
}

static int eh_target_reset(struct scsi_cmnd *command)
{
	struct sim_host *host = shost_priv(command->device->host);
	struct sim_device *device = command->device->hostdata;

	if (!heard(command, "target-reset", &host->target_resets))
		return FAILED;
	forget(host, command);
	if (device)
		sim_flush(host, NULL, device->end, DID_RESET << 16);
	return SUCCESS;
}

/* Everything is ended, and every device says so (SAM-5 6.3.2, SPC-4 29h/02h). */
static int reset_all(struct sim_host *host, struct scsi_cmnd *command, u16 asc)
{
	forget(host, command);
	sim_flush(host, NULL, NULL, DID_RESET << 16);
	spin_lock_irq(&host->lock);
	sim_attention_all(host, asc);
	if (host->transport->reset)
		host->transport->reset(host);
	spin_unlock_irq(&host->lock);
	return SUCCESS;
}

static int eh_bus_reset(struct scsi_cmnd *command)
{
	struct sim_host *host = shost_priv(command->device->host);

	if (!heard(command, "bus-reset", &host->bus_resets))
		return FAILED;
	return reset_all(host, command, 0x2902);
}

/* Nothing survives this: it ends what ignores all others. */
static int eh_host_reset(struct scsi_cmnd *command)
{
	struct sim_host *host = shost_priv(command->device->host);

	heard(command, "host-reset", &host->host_resets);
	return reset_all(host, command, 0x2901);
}

/* The device that the midlayer looks for, -ENXIO where there is none. */
static int slave_alloc(struct scsi_device *sdev)
{
	struct sim_host *host = shost_priv(sdev->host);
	struct sim_end *end = host->transport->find(scsi_target(sdev));
	struct sim_device *device;

	if (!end || !end->plugged)
		return -ENXIO;
	list_for_each_entry(device, &host->devices, list) {
		if (device->end != end || device->lun != sdev->lun || device->gone)
			continue;
		spin_lock_irq(&host->lock);
		device->sdev = sdev;
		spin_unlock_irq(&host->lock);
		sdev->hostdata = device;
		return 0;
	}
	return -ENXIO;
}

static int slave_configure(struct scsi_device *sdev)
{
	struct sim_host *host = shost_priv(sdev->host);
	struct sim_device *device = sdev->hostdata;

	scsi_change_queue_depth(sdev, clamp(device->queue, 1U, host->can_queue));
	if (host->transport->configured)
		host->transport->configured(sdev);
	return 0;
}

static void slave_destroy(struct scsi_device *sdev)
{
	struct sim_host *host = shost_priv(sdev->host);
	struct sim_device *device = sdev->hostdata;

	if (!device)
		return;
	spin_lock_irq(&host->lock);
	if (device->sdev == sdev)
		device->sdev = NULL;
	sdev->hostdata = NULL;
	spin_unlock_irq(&host->lock);
}

struct scsi_host_template sim_template = {
	.module = THIS_MODULE,
	.name = "hbasim",
	.proc_name = "hbasim",
	.cmd_size = sizeof(struct sim_command),
	.init_cmd_priv = init_cmd_priv,
	.exit_cmd_priv = exit_cmd_priv,
	.queuecommand = queuecommand,
	.eh_abort_handler = eh_abort,
	.eh_device_reset_handler = eh_lun_reset,
	.eh_target_reset_handler = eh_target_reset,
	.eh_bus_reset_handler = eh_bus_reset,
	.eh_host_reset_handler = eh_host_reset,
	.slave_alloc = slave_alloc,
	.slave_configure = slave_configure,
	.slave_destroy = slave_destroy,
	.change_queue_depth = scsi_change_queue_depth,
	.can_queue = 64,
	.this_id = -1,
	.cmd_per_lun = 16,
	.sg_tablesize = SG_MAX_SEGMENTS,
	.max_sectors = 8192,
	.max_segment_size = 65536,
	.skip_settle_delay = 1,
};
