// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module, and its files in debugfs: "control" takes text, a line at a
 * time, and "error" says why the last one was refused.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "hbasim.h"

#define LINE 32768 /* room for a line; a page of 4 KiB in hex is 8 KiB */

DEFINE_MUTEX(sim_lock);
LIST_HEAD(sim_hosts);
struct dentry *sim_dir;

/* One writer of "control": the beginning of a line whose end is to come. */
struct writer {
	struct mutex lock;
	unsigned int number;
	unsigned int used;
	struct sim_line line;
	char text[LINE];
};

static struct dentry *control;
static char last_error[256];
static unsigned int line_number;

int sim_refuse(const char *format, ...)
{
	struct va_format text;
	va_list args;

	va_start(args, format);
	text.fmt = format;
	text.va = &args;
	snprintf(last_error, sizeof(last_error), "line %u: %pV\n", line_number, &text);
	va_end(args);
	pr_warn("hbasim: %s", last_error);
	return -EINVAL;
}

static int run(const struct sim_verb *verb, const char *name, struct sim_line *line)
{
	for (; verb->name; verb++)
		if (!strcmp(verb->name, name))
			return verb->run(line);
	return -ENOENT;
}

static int run_line(struct sim_line *line)
{
	const struct sim_transport *const *transport;
	const char *name = sim_next(line);
	int err;

	if (!name)
		return sim_refuse("a line begins with what it is about");
	err = run(sim_topology_verbs, name, line);
	if (err == -ENOENT)
		err = run(sim_host_verbs, name, line);
	if (err == -ENOENT)
		err = run(sim_event_verbs, name, line);
	for (transport = sim_transports; *transport && err == -ENOENT; transport++)
		if ((*transport)->verbs)
			err = run((*transport)->verbs, name, line);
	if (err == -ENOENT)
		return sim_refuse("unknown word %s", name);
	if (err && err != -EINVAL)
		sim_refuse("%s: error %d", name, err);
	return err;
}

static int take_line(struct writer *writer)
{
	int err;

	mutex_lock(&sim_lock);
	line_number = ++writer->number;
	writer->text[writer->used] = 0;
	writer->used = 0;
	err = sim_split(writer->text, &writer->line);
	if (!err && writer->line.count)
		err = run_line(&writer->line);
	mutex_unlock(&sim_lock);
	return err;
}

static int control_open(struct inode *inode, struct file *file)
{
	struct writer *writer = kvzalloc(sizeof(*writer), GFP_KERNEL);

	if (!writer)
		return -ENOMEM;
	mutex_init(&writer->lock);
	file->private_data = writer;
	return nonseekable_open(inode, file);
}

static int take(struct writer *writer, const char __user *text, size_t size)
{
	size_t i;
	char c;

	for (i = 0; i < size; i++) {
		int err;

		if (get_user(c, text + i))
			return -EFAULT;
		if (c != '\n') {
			if (writer->used == LINE - 1)
				return -E2BIG;
			writer->text[writer->used++] = c;
			continue;
		}
		err = take_line(writer);
		if (err)
			return err;
	}
	return 0;
}

static ssize_t control_write(struct file *file, const char __user *text, size_t size, loff_t *pos)
{
	struct writer *writer = file->private_data;
	int err;

	mutex_lock(&writer->lock);
	err = take(writer, text, size);
	mutex_unlock(&writer->lock);
	return err ?: size;
}

static int control_release(struct inode *inode, struct file *file)
{
	struct writer *writer = file->private_data;

	if (writer->used)
		take_line(writer);
	kvfree(writer);
	return 0;
}

static const struct file_operations control_operations = {
	.owner = THIS_MODULE,
	.open = control_open,
	.write = control_write,
	.release = control_release,
	.llseek = no_llseek,
};

static ssize_t error_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	ssize_t got;

	mutex_lock(&sim_lock);
	got = simple_read_from_buffer(to, size, pos, last_error, strlen(last_error));
	mutex_unlock(&sim_lock);
	return got;
}

static const struct file_operations error_operations = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = error_read,
	.llseek = default_llseek,
};

const struct sim_transport *const sim_transports[] = { &sim_spi, &sim_sas, &sim_fc, NULL };

static void transports_exit(const struct sim_transport *const *end)
{
	const struct sim_transport *const *transport;

	for (transport = sim_transports; transport != end; transport++)
		(*transport)->exit();
}

static int __init hbasim_init(void)
{
	const struct sim_transport *const *transport;

	for (transport = sim_transports; *transport; transport++) {
		int err = (*transport)->init();

		if (err) {
			transports_exit(transport);
			return err;
		}
	}
	sim_dir = debugfs_create_dir("hbasim", NULL);
	control = debugfs_create_file("control", 0200, sim_dir, NULL, &control_operations);
	debugfs_create_file("error", 0400, sim_dir, NULL, &error_operations);
	return 0;
}

static void __exit hbasim_exit(void)
{
	const struct sim_transport *const *transport = sim_transports;

	debugfs_remove(control);
	sim_events_stop();
	mutex_lock(&sim_lock);
	while (!list_empty(&sim_hosts))
		sim_host_remove(list_first_entry(&sim_hosts, struct sim_host, list));
	mutex_unlock(&sim_lock);
	debugfs_remove_recursive(sim_dir);
	while (*transport)
		transport++;
	transports_exit(transport);
}

module_init(hbasim_init);
module_exit(hbasim_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Simulator of SCSI hosts and their links");
