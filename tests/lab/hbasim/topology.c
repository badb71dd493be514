// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines that describe: "host" begins one, "end" starts it. In between,
 * devices with their pages, and what the transport's own lines add.
 */
#include <linux/debugfs.h>
#include <linux/slab.h>

#include "hbasim.h"

/* What the lines are about. Under sim_lock. */
static struct sim_host *building;
static struct sim_end *building_end;
static struct sim_device *building_device;

#define DEVICE_KEY(member, type, limit, choices) \
	SIM_KEY(struct sim_device, member, type, limit, choices)

static const struct sim_choice powers[] = {
	{ "active", SIM_ACTIVE },
	{ "idle", SIM_IDLE },
	{ "standby", SIM_STANDBY },
	{ "stopped", SIM_STOPPED },
	{},
};

static const struct sim_choice accesses[] = {
	{ "optimized", SIM_OPTIMIZED },
	{ "non-optimized", SIM_NON_OPTIMIZED },
	{ "standby", SIM_STANDBY_PATH },
	{ "unavailable", SIM_UNAVAILABLE },
	{},
};

const struct sim_key sim_device_keys[] = {
	DEVICE_KEY(name, SIM_TEXT, SIM_NAME, NULL),
	DEVICE_KEY(lun, SIM_U32, 255, NULL),
	DEVICE_KEY(vendor, SIM_TEXT, 9, NULL),
	DEVICE_KEY(product, SIM_TEXT, 17, NULL),
	DEVICE_KEY(revision, SIM_TEXT, 5, NULL),
	DEVICE_KEY(serial, SIM_TEXT, 33, NULL),
	DEVICE_KEY(wwn, SIM_U64, U64_MAX, NULL),
	DEVICE_KEY(ansi, SIM_U32, 7, NULL),
	DEVICE_KEY(inquiry, SIM_U32, 255, NULL),
	DEVICE_KEY(blocks, SIM_U64, U64_MAX, NULL),
	DEVICE_KEY(block, SIM_U32, 4096, NULL),
	DEVICE_KEY(rpm, SIM_U32, 65535, NULL),
	DEVICE_KEY(queue, SIM_U32, 1024, NULL),
	DEVICE_KEY(sata, SIM_FLAG, 1, NULL),
	DEVICE_KEY(sata_speed, SIM_U32, 3, NULL),
	DEVICE_KEY(buffer, SIM_U32, 16383, NULL),
	DEVICE_KEY(media, SIM_U32, 100000, NULL),
	DEVICE_KEY(overhead, SIM_U32, 10000000, NULL),
	DEVICE_KEY(power, SIM_U32, SIM_STOPPED, powers),
	DEVICE_KEY(spinup, SIM_U32, 60000, NULL),
	DEVICE_KEY(as_awake, SIM_FLAG, 1, NULL),
	DEVICE_KEY(access, SIM_U32, SIM_UNAVAILABLE, accesses),
	{},
};

struct sim_host *sim_building(const struct sim_transport *transport)
{
	if (!building || (transport && building->transport != transport)) {
		sim_refuse("this belongs below \"host %s\"", transport ? transport->name : "...");
		return NULL;
	}
	return building;
}

struct sim_end *sim_building_end(const struct sim_transport *transport)
{
	if (!sim_building(transport))
		return NULL;
	if (!building_end)
		sim_refuse("there is nothing yet that this could be about");
	return building_end;
}

void sim_building_is(struct sim_end *end)
{
	building_end = end;
}

void sim_building_ends(struct sim_host *host)
{
	if (building == host)
		building = NULL;
}

struct sim_end *sim_end_new(struct sim_host *host, u32 id)
{
	struct sim_end *end = kzalloc(sizeof(*end), GFP_KERNEL);

	if (!end)
		return NULL;
	end->host = host;
	end->id = id;
	end->plugged = true;
	list_add_tail(&end->list, &host->ends);
	return end;
}

struct sim_end *sim_end_find(struct sim_host *host, u32 id)
{
	struct sim_end *end;

	list_for_each_entry(end, &host->ends, list)
		if (end->id == id)
			return end;
	return NULL;
}

struct sim_host *sim_host_find(const char *name)
{
	struct sim_host *host;

	list_for_each_entry(host, &sim_hosts, list)
		if (!strcmp(host->name, name))
			return host;
	return NULL;
}

struct sim_node *sim_node_find(const char *name)
{
	struct sim_host *host;
	struct sim_node *node;

	list_for_each_entry(host, &sim_hosts, list)
		list_for_each_entry(node, &host->nodes, list)
			if (!strcmp(node->name, name))
				return node;
	return NULL;
}

struct sim_device *sim_device_find(const char *name)
{
	struct sim_host *host;
	struct sim_device *device;

	list_for_each_entry(host, &sim_hosts, list)
		list_for_each_entry(device, &host->devices, list)
			if (!strcmp(device->name, name))
				return device;
	return NULL;
}

static int run_host(struct sim_line *line)
{
	if (building)
		return sim_refuse("\"end\" of host %s is missing", building->name);
	building_end = NULL;
	building_device = NULL;
	return sim_host_create(line, &building);
}

static int run_end(struct sim_line *line)
{
	struct sim_host *host = building;

	if (!host)
		return sim_refuse("\"end\" without \"host\"");
	building = NULL;
	return sim_host_start(host);
}

static const char *const types[] = {
	[TYPE_DISK] = "disk",
	[TYPE_TAPE] = "tape",
	[TYPE_PROCESSOR] = "processor",
	[TYPE_ROM] = "cdrom",
	[TYPE_MEDIUM_CHANGER] = "changer",
	[TYPE_ENCLOSURE] = "ses",
};

/* No match_string(), for types[] has holes. */
static int type_named(const char *name)
{
	int type;

	for (type = 0; type < ARRAY_SIZE(types); type++)
		if (types[type] && !strcmp(types[type], name))
			return type;
	return -1;
}

/* What is so where the line does not say otherwise. */
static void defaults(struct sim_device *device, u32 type)
{
	static const char *const products[] = {
		[TYPE_DISK] = "DISK",
		[TYPE_TAPE] = "TAPE",
		[TYPE_PROCESSOR] = "PROCESSOR",
		[TYPE_ROM] = "CD-ROM",
		[TYPE_MEDIUM_CHANGER] = "CHANGER",
		[TYPE_ENCLOSURE] = "ENCLOSURE",
	};

	device->type = type;
	strscpy(device->vendor, "HBASIM", sizeof(device->vendor));
	strscpy(device->product, products[type], sizeof(device->product));
	strscpy(device->revision, "0001", sizeof(device->revision));
	device->ansi = 5;
	device->inquiry = 96;
	device->blocks = 1 << 21;
	device->block = type == TYPE_ROM ? 2048 : 512;
	device->rpm = 10000;
	device->queue = 16;
	device->sata_speed = 3;
	device->buffer = 256;
	device->overhead = 50;
	device->spinup = 500;
}

static void vanish(struct work_struct *work)
{
	struct sim_device *device = container_of(work, struct sim_device, vanish);

	struct scsi_device *sdev;

	spin_lock_irq(&device->host->lock);
	sdev = device->sdev;
	if (sdev)
		get_device(&sdev->sdev_gendev);
	spin_unlock_irq(&device->host->lock);
	if (sdev) {
		scsi_remove_device(sdev);
		put_device(&sdev->sdev_gendev);
	}
}

/* Names and numbers that follow from where the device is. */
static void name_device(struct sim_device *device, const char *where)
{
	char *colon;

	if (!device->name[0]) {
		if (strchr(where, ':'))
			snprintf(device->name, SIM_NAME, "%s-%u", where, device->lun);
		else
			snprintf(device->name, SIM_NAME, "%s-%u-%u", device->host->name,
				 device->end->id, device->lun);
		colon = strchr(device->name, ':');
		if (colon)
			*colon = '-';
	}
	if (!device->serial[0])
		snprintf(device->serial, sizeof(device->serial), "SIM%05u%03u%02u",
			 device->host->shost->host_no, device->end->id, device->lun);
	if (!device->wwn)
		device->wwn = 0x5000c50000000000ULL | (u64)device->host->shost->host_no << 24 |
			      device->end->id << 12 | device->lun << 8;
}

static int describe(struct sim_device *device, char *where, struct sim_line *line)
{
	struct sim_host *host = building;
	int err;

	err = sim_set_both(device, sim_device_keys, device->end, host->transport->device_keys,
			   line);
	if (err)
		return err;
	name_device(device, where);
	if (sim_device_find(device->name))
		return sim_refuse("there is a device %s", device->name);
	if (device->block < 512 || !is_power_of_2(device->block))
		return sim_refuse("no disk has blocks of %u", device->block);
	if (!strchr("235", "0123456789abcdef"[device->wwn >> 60]))
		return sim_refuse("an NAA name of 8 bytes begins with 2, 3 or 5");
	err = sim_ledger_create(device);
	if (err)
		return err;
	list_add_tail(&device->list, &host->devices);
	building_end = device->end;
	building_device = device;
	return 0;
}

/* "disk on WHERE key=value..." */
static int run_device(struct sim_line *line)
{
	int type = type_named(line->word[0].key);
	char *on = sim_next(line), *where = sim_next(line), *place;
	struct sim_device *device;
	int err;

	if (!building)
		return sim_refuse("a device belongs below a host");
	if (!on || strcmp(on, "on") || !where)
		return sim_refuse("on what is it?");
	device = kzalloc(sizeof(*device), GFP_KERNEL);
	place = kstrdup(where, GFP_KERNEL);
	if (!device || !place) {
		kfree(device);
		kfree(place);
		return -ENOMEM;
	}
	INIT_LIST_HEAD(&device->pages);
	INIT_LIST_HEAD(&device->troubles);
	INIT_WORK(&device->vanish, vanish);
	device->host = building;
	defaults(device, type);
	device->end = building->transport->end(building, where);
	err = device->end ? describe(device, place, line) : -EINVAL;
	if (err)
		kfree(device);
	kfree(place);
	return err;
}

void sim_device_free(struct sim_device *device)
{
	struct sim_page *page, *next;

	list_for_each_entry_safe(page, next, &device->pages, list) {
		kfree(page->data);
		kfree(page);
	}
	sim_trouble_clear(device);
	sim_ledger_free(device);
	list_del(&device->list);
	kfree(device);
}

static int page_kind(const char *name, enum sim_page_kind *kind)
{
	static const char *const kinds[] = { "inquiry", "vpd", "mode", "log" };
	int found = name ? match_string(kinds, ARRAY_SIZE(kinds), name) : -1;

	if (found < 0)
		return sim_refuse("a page is one of inquiry, vpd, mode, log");
	*kind = found;
	return 0;
}

static int page_code(struct sim_line *line, u8 *code)
{
	char *text = sim_next(line);

	if (!text || kstrtou8(text, 16, code))
		return sim_refuse("%s is no page code", text ?: "nothing");
	return 0;
}

/* "inquiry HEX", "vpd PP HEX", "mode PP SS HEX", "log PP SS HEX"; "none" for HEX: refused. */
static int page_parse(struct sim_page *page, struct sim_line *line)
{
	int err = page_kind(sim_next(line), &page->kind);

	if (!err && page->kind != SIM_INQUIRY)
		err = page_code(line, &page->code);
	if (!err && (page->kind == SIM_MODE || page->kind == SIM_LOG))
		err = page_code(line, &page->subcode);
	if (err)
		return err;
	if (line->next < line->count && !strcmp(line->word[line->next].key, "none"))
		return 0;
	return sim_hex(line, &page->data, &page->length);
}

static int page_add(struct sim_device *device, struct sim_line *line)
{
	struct sim_page *page = kzalloc(sizeof(*page), GFP_KERNEL);
	int err;

	if (!page)
		return -ENOMEM;
	err = page_parse(page, line);
	if (err) {
		kfree(page);
		return err;
	}
	spin_lock_irq(&device->host->lock);
	list_add(&page->list, &device->pages);
	spin_unlock_irq(&device->host->lock);
	return 0;
}

/* The device that a line is about: the one just described, or "of NAME". */
static struct sim_device *about(struct sim_line *line)
{
	struct sim_device *device = building ? building_device : NULL;

	if (line->next + 1 < line->count && !strcmp(line->word[line->next].key, "of")) {
		device = sim_device_find(line->word[line->next + 1].key);
		line->next += 2;
	}
	if (!device)
		sim_refuse("of which device?");
	return device;
}

static int run_page(struct sim_line *line)
{
	struct sim_device *device = about(line);

	return device ? page_add(device, line) : -EINVAL;
}

static int run_trouble(struct sim_line *line)
{
	struct sim_device *device = about(line);

	return device ? sim_trouble_add(device, line) : -EINVAL;
}

void sim_attention(struct sim_device *device, u16 asc)
{
	if (device->attentions < ARRAY_SIZE(device->attention))
		device->attention[device->attentions++] = asc;
}

void sim_attention_all(struct sim_host *host, u16 asc)
{
	struct sim_device *device;

	list_for_each_entry(device, &host->devices, list)
		sim_attention(device, asc);
}

/* "attention [of NAME] ASC/ASCQ" */
static int run_attention(struct sim_line *line)
{
	struct sim_device *device = about(line);
	char *text = sim_next(line);
	u8 asc, ascq;

	if (!device)
		return -EINVAL;
	if (!text || sscanf(text, "%hhx/%hhx", &asc, &ascq) != 2)
		return sim_refuse("an attention is ASC/ASCQ, such as 29/00");
	spin_lock_irq(&device->host->lock);
	sim_attention(device, asc << 8 | ascq);
	spin_unlock_irq(&device->host->lock);
	return 0;
}

const struct sim_verb sim_topology_verbs[] = {
	{ "host", run_host },		{ "end", run_end },
	{ "disk", run_device },		{ "tape", run_device },
	{ "processor", run_device },	{ "cdrom", run_device },
	{ "changer", run_device },	{ "ses", run_device },
	{ "page", run_page },		{ "trouble", run_trouble },
	{ "attention", run_attention }, {},
};
