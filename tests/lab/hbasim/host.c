// SPDX-License-Identifier: GPL-2.0-only
/*
 * A host's life: made at "host", started at "end", removed by "remove" or
 * with the module.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "hbasim.h"

/* A file of the scsi_host that only some drivers have, such as version_fw. */
struct attr {
	struct list_head list;
	struct device_attribute attribute;
	char name[SIM_NAME];
	char value[128];
};

#define HOST_KEY(member, type, limit, choices) \
	SIM_KEY(struct sim_host, member, type, limit, choices)

static const struct sim_key host_keys[] = {
	HOST_KEY(name, SIM_TEXT, SIM_NAME, NULL),
	HOST_KEY(driver, SIM_TEXT, SIM_NAME, NULL),
	HOST_KEY(pci, SIM_TEXT, 24, NULL),
	HOST_KEY(pci_id, SIM_TEXT, 24, NULL),
	HOST_KEY(pci_class, SIM_U32, 0xffffff, NULL),
	HOST_KEY(platform, SIM_TEXT, SIM_NAME, NULL),
	HOST_KEY(can_queue, SIM_U32, 4096, NULL),
	HOST_KEY(pci_speed, SIM_U32, 6, NULL),
	HOST_KEY(pci_width, SIM_U32, 32, NULL),
	HOST_KEY(pci_max_speed, SIM_U32, 6, NULL),
	HOST_KEY(pci_max_width, SIM_U32, 32, NULL),
	HOST_KEY(slot_speed, SIM_U32, 6, NULL),
	HOST_KEY(slot_width, SIM_U32, 32, NULL),
	{},
};

/* Those of the PCI Express link, which are the last. */
const struct sim_key *sim_host_live_keys(void)
{
	const struct sim_key *key = host_keys;

	while (strcmp(key->name, "pci_speed"))
		key++;
	return key;
}

static ssize_t attr_show(struct device *dev, struct device_attribute *attribute, char *text)
{
	struct attr *attr = container_of(attribute, struct attr, attribute);
	struct sim_host *host = shost_priv(class_to_shost(dev));
	ssize_t length;

	spin_lock_irq(&host->lock);
	length = sysfs_emit(text, "%s\n", attr->value);
	spin_unlock_irq(&host->lock);
	return length;
}

static struct attr *attr_named(struct sim_host *host, const char *name)
{
	struct attr *attr;

	list_for_each_entry(attr, &host->attrs, list)
		if (!strcmp(attr->name, name))
			return attr;
	return NULL;
}

/* "attr of HOST NAME=VALUE...": other values of files that are there. */
static int change_attrs(struct sim_line *line)
{
	const char *name = sim_next(line);
	struct sim_host *host = name ? sim_host_find(name) : NULL;

	if (!host)
		return sim_refuse("there is no host %s", name ?: "without a name");
	for (; line->next < line->count; line->next++) {
		const struct sim_word *word = &line->word[line->next];
		struct attr *attr = attr_named(host, word->key);

		if (!attr || !word->value || strlen(word->value) >= sizeof(attr->value))
			return sim_refuse("attr %s: one that is there, and a value", word->key);
		spin_lock_irq(&host->lock);
		strscpy(attr->value, word->value, sizeof(attr->value));
		spin_unlock_irq(&host->lock);
	}
	return 0;
}

/* "attr NAME=VALUE..." */
static int run_attr(struct sim_line *line)
{
	struct sim_host *host;

	if (line->next < line->count && !line->word[line->next].value &&
	    !strcmp(line->word[line->next].key, "of")) {
		line->next++;
		return change_attrs(line);
	}
	host = sim_building(NULL);
	if (!host)
		return -EINVAL;
	for (; line->next < line->count; line->next++) {
		const struct sim_word *word = &line->word[line->next];
		struct attr *attr = kzalloc(sizeof(*attr), GFP_KERNEL);

		if (!attr)
			return -ENOMEM;
		if (!word->value || !*word->key ||
		    strscpy(attr->name, word->key, sizeof(attr->name)) < 0 ||
		    strscpy(attr->value, word->value, sizeof(attr->value)) < 0) {
			kfree(attr);
			return sim_refuse("attr %s: a name and a value", word->key);
		}
		sysfs_attr_init(&attr->attribute.attr);
		attr->attribute.attr.name = attr->name;
		attr->attribute.attr.mode = 0444;
		attr->attribute.show = attr_show;
		list_add_tail(&attr->list, &host->attrs);
	}
	return 0;
}

const struct sim_verb sim_host_verbs[] = {
	{ "attr", run_attr },
	{},
};

void sim_wait(struct sim_host *host)
{
	wait_event_idle(host->unblocked, !READ_ONCE(host->blocked));
}

static const struct sim_transport *transport_named(const char *name)
{
	const struct sim_transport *const *transport;

	for (transport = sim_transports; name && *transport; transport++)
		if (!strcmp((*transport)->name, name))
			return *transport;
	return NULL;
}

static void host_init(struct sim_host *host, struct Scsi_Host *shost,
		      const struct sim_transport *transport)
{
	host->shost = shost;
	host->transport = transport;
	INIT_LIST_HEAD(&host->list);
	INIT_LIST_HEAD(&host->ends);
	INIT_LIST_HEAD(&host->nodes);
	INIT_LIST_HEAD(&host->devices);
	INIT_LIST_HEAD(&host->attrs);
	INIT_LIST_HEAD(&host->commands);
	spin_lock_init(&host->lock);
	init_waitqueue_head(&host->unblocked);
	snprintf(host->name, SIM_NAME, "h%u", shost->host_no);
	strscpy(host->driver, "hbasim", SIM_NAME);
	host->can_queue = 64;
	host->pci_class = 0x010000;
	host->template = sim_template;
	host->template.proc_name = host->driver;
	host->template.name = host->driver;
	shost->hostt = &host->template;
	shost->max_cmd_len = sizeof_field(struct sim_entry, cdb);
}

static void host_free(struct sim_host *host)
{
	struct sim_device *device, *next_device;
	struct sim_end *end, *next_end;
	struct sim_node *node, *next_node;
	struct attr *attr, *next_attr;

	list_for_each_entry_safe(device, next_device, &host->devices, list)
		sim_device_free(device);
	list_for_each_entry_safe(end, next_end, &host->ends, list)
		kfree(end);
	list_for_each_entry_safe(node, next_node, &host->nodes, list)
		kfree(node);
	list_for_each_entry_safe(attr, next_attr, &host->attrs, list)
		kfree(attr);
	INIT_LIST_HEAD(&host->devices);
	INIT_LIST_HEAD(&host->ends);
	INIT_LIST_HEAD(&host->nodes);
	list_del_init(&host->list);
	scsi_host_put(host->shost);
}

int sim_host_create(struct sim_line *line, struct sim_host **made)
{
	const struct sim_transport *transport = transport_named(sim_next(line));
	struct Scsi_Host *shost;
	struct sim_host *host;
	int err;

	if (!transport)
		return sim_refuse("a host is one of spi, sas, fc");
	shost = scsi_host_alloc(&sim_template, sizeof(*host));
	if (!shost)
		return -ENOMEM;
	host = shost_priv(shost);
	host_init(host, shost, transport);
	err = transport->create(host);
	if (!err)
		err = sim_set_both(host, host_keys, host, transport->host_keys, line);
	if (!err && sim_host_find(host->name))
		err = sim_refuse("there is a host %s", host->name);
	if (err) {
		host_free(host);
		return err;
	}
	list_add_tail(&host->list, &sim_hosts);
	*made = host;
	return 0;
}

static int state_show(struct seq_file *file, void *unused)
{
	struct sim_host *host = file->private;

	seq_printf(file, "host %u\naborts %u\nlun_resets %u\ntarget_resets %u\n",
		   host->shost->host_no, host->aborts, host->lun_resets, host->target_resets);
	seq_printf(file, "bus_resets %u\nhost_resets %u\n", host->bus_resets, host->host_resets);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static void host_files(struct sim_host *host)
{
	struct sim_device *device;

	host->dir = debugfs_create_dir(host->name, sim_dir);
	debugfs_create_file("state", 0400, host->dir, host, &state_fops);
	list_for_each_entry(device, &host->devices, list)
		sim_ledger_files(device);
}

static int attrs_add(struct sim_host *host)
{
	struct attr *attr;

	list_for_each_entry(attr, &host->attrs, list)
		if (device_create_file(&host->shost->shost_dev, &attr->attribute))
			return sim_refuse("attr %s is there", attr->name);
	return 0;
}

int sim_host_start(struct sim_host *host)
{
	struct Scsi_Host *shost = host->shost;
	struct device *parent;
	int err;

	host->pci_max_speed = host->pci_max_speed ?: host->pci_speed;
	host->pci_max_width = host->pci_max_width ?: host->pci_width;
	host->slot_width = host->slot_width ?: host->pci_max_width;
	host->parent = sim_parent_create(host);
	if (IS_ERR(host->parent)) {
		err = PTR_ERR(host->parent);
		host_free(host);
		return err;
	}
	parent = sim_parent_device(host->parent);
	shost->can_queue = max(host->can_queue, 1U);
	host->transport->prepare(host);
	err = scsi_add_host(shost, parent);
	if (err) {
		sim_parent_remove(host->parent);
		host_free(host);
		return err;
	}
	host->started = true;
	host_files(host);
	err = attrs_add(host);
	if (!err)
		err = host->transport->start(host);
	if (err)
		sim_host_remove(host);
	return err;
}

/* Nothing is under way any more, and nothing new begins. */
static void host_quiet(struct sim_host *host)
{
	spin_lock_irq(&host->lock);
	host->going = true;
	WRITE_ONCE(host->blocked, false);
	spin_unlock_irq(&host->lock);
	wake_up_all(&host->unblocked);
	sim_flush(host, NULL, NULL, DID_NO_CONNECT << 16);
}

void sim_host_remove(struct sim_host *host)
{
	struct sim_device *device;
	struct attr *attr;

	sim_building_ends(host);
	if (host->started) {
		host_quiet(host);
		list_for_each_entry(attr, &host->attrs, list)
			device_remove_file(&host->shost->shost_dev, &attr->attribute);
		list_for_each_entry(device, &host->devices, list)
			cancel_work_sync(&device->vanish);
		host->transport->stop(host);
		debugfs_remove_recursive(host->dir);
		sim_parent_remove(host->parent);
	}
	host_free(host);
}
