// SPDX-License-Identifier: GPL-2.0-only
/*
 * SAS: nodes (the host and its expanders) with phys, ports made of phys, and
 * what is behind each port. Objects of the transport class come and go with
 * plug and unplug; the description stays.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <scsi/sas.h>
#include <scsi/scsi_transport.h>

#include "hbasim.h"

static const struct sim_choice rates[] = {
	{ "unknown", SAS_LINK_RATE_UNKNOWN },
	{ "disabled", SAS_PHY_DISABLED },
	{ "reset-problem", SAS_PHY_RESET_PROBLEM },
	{ "spinup", SAS_SATA_SPINUP_HOLD },
	{ "failed", SAS_LINK_RATE_FAILED },
	{ "1.5", SAS_LINK_RATE_1_5_GBPS },
	{ "3.0", SAS_LINK_RATE_3_0_GBPS },
	{ "6.0", SAS_LINK_RATE_6_0_GBPS },
	{ "12.0", SAS_LINK_RATE_12_0_GBPS },
	{ "22.5", SAS_LINK_RATE_22_5_GBPS },
	{},
};

#define RATE_LIMIT SAS_LINK_RATE_FAILED
#define PHY_KEY(member, limit, choices) SIM_KEY(struct sim_phy, member, SIM_U32, limit, choices)
#define PORT_KEY(member, type, limit, choices) \
	SIM_FIELD(#member, struct sim_end, sas.member, type, limit, choices)

static const struct sim_key host_keys[] = {
	SIM_KEY(struct sim_host, phys, SIM_U32, SIM_PHYS, NULL),
	SIM_KEY(struct sim_host, rate, SIM_U32, RATE_LIMIT, rates),
	SIM_KEY(struct sim_host, address, SIM_U64, U64_MAX, NULL),
	{},
};

static const struct sim_key node_keys[] = {
	SIM_KEY(struct sim_node, phys, SIM_U32, SIM_PHYS, NULL),
	SIM_KEY(struct sim_node, rate, SIM_U32, RATE_LIMIT, rates),
	SIM_KEY(struct sim_node, address, SIM_U64, U64_MAX, NULL),
	SIM_KEY(struct sim_node, vendor, SIM_TEXT, 9, NULL),
	SIM_KEY(struct sim_node, product, SIM_TEXT, 17, NULL),
	SIM_KEY(struct sim_node, revision, SIM_TEXT, 5, NULL),
	SIM_FIELD("up", struct sim_node, up_phys, SIM_TEXT, SIM_NAME, NULL),
	{},
};

const struct sim_key sim_sas_phy_keys[] = {
	PHY_KEY(rate, RATE_LIMIT, rates),
	PHY_KEY(min, RATE_LIMIT, rates),
	PHY_KEY(max, RATE_LIMIT, rates),
	PHY_KEY(min_hw, RATE_LIMIT, rates),
	PHY_KEY(max_hw, RATE_LIMIT, rates),
	PHY_KEY(enabled, 1, NULL),
	PHY_KEY(virtual, 1, NULL),
	PHY_KEY(invalid_dwords, U32_MAX, NULL),
	PHY_KEY(disparity, U32_MAX, NULL),
	PHY_KEY(sync_losses, U32_MAX, NULL),
	PHY_KEY(reset_problems, U32_MAX, NULL),
	PHY_KEY(carries, SIM_CARRIES, NULL),
	{},
};

static const struct sim_key port_keys[] = {
	PORT_KEY(address, SIM_U64, U64_MAX, NULL),   PORT_KEY(rate, SIM_U32, RATE_LIMIT, rates),
	PORT_KEY(able, SIM_U32, RATE_LIMIT, rates),  PORT_KEY(stp, SIM_FLAG, 1, NULL),
	PORT_KEY(virtual, SIM_FLAG, 1, NULL),	     PORT_KEY(bay, SIM_U32, 65535, NULL),
	PORT_KEY(enclosure, SIM_U64, U64_MAX, NULL), {},
};

/* Description. */

static void phys_init(struct sim_node *node, u32 rate)
{
	u32 i;

	for (i = 0; i < SIM_PHYS; i++) {
		struct sim_phy *phy = &node->phy[i];

		phy->node = node;
		phy->id = i;
		phy->enabled = 1;
		phy->up_rate = rate;
		phy->min = SAS_LINK_RATE_1_5_GBPS;
		phy->min_hw = SAS_LINK_RATE_1_5_GBPS;
		phy->max = rate;
		phy->max_hw = rate;
	}
}

static struct sim_node *node_new(struct sim_host *host, const char *name)
{
	struct sim_node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	if (!node)
		return NULL;
	node->host = host;
	strscpy(node->name, name, SIM_NAME);
	strscpy(node->vendor, "HBASIM", sizeof(node->vendor));
	strscpy(node->product, "EXPANDER", sizeof(node->product));
	strscpy(node->revision, "0001", sizeof(node->revision));
	list_add_tail(&node->list, &host->nodes);
	return node;
}

static int sas_create(struct sim_host *host)
{
	host->phys = 8;
	host->rate = SAS_LINK_RATE_12_0_GBPS;
	host->address = 0x500605b000000000ULL | host->shost->host_no << 8;
	return 0;
}

/* The host's own node is made when its first line after "host" is there: its name is known then. */
static struct sim_node *own_node(struct sim_host *host)
{
	struct sim_node *node = host->node;

	if (node)
		return node;
	node = node_new(host, host->name);
	if (!node)
		return NULL;
	node->phys = host->phys;
	node->address = host->address;
	phys_init(node, host->rate);
	host->node = node;
	return node;
}

/* NODE:PHYS of a host that is being described or running; refuses what is not there. */
static struct sim_node *phys_at(struct sim_host *host, char *where, unsigned long *phys)
{
	char *colon = where ? strchr(where, ':') : NULL;
	struct sim_node *node;

	if (!own_node(host))
		return NULL;
	if (!colon) {
		sim_refuse("%s is not of the form NAME:PHYS", where ?: "nothing");
		return NULL;
	}
	*colon = 0;
	node = sim_node_find(where);
	if (!node || node->host != host) {
		sim_refuse("%s has no node %s", host->name, where);
		return NULL;
	}
	return sim_list(colon + 1, phys, node->phys) ? NULL : node;
}

static struct sim_end *port_new(struct sim_node *node, const unsigned long *phys)
{
	struct sim_end *end, *last;
	u32 id = 0, i;

	for_each_set_bit(i, phys, node->phys) {
		if (node->phy[i].end || test_bit(i, node->up_bits)) {
			sim_refuse("phy %u of %s is taken", i, node->name);
			return NULL;
		}
	}
	if (!list_empty(&node->host->ends)) {
		last = list_last_entry(&node->host->ends, struct sim_end, list);
		id = last->id + 1;
	}
	end = sim_end_new(node->host, id);
	if (!end)
		return NULL;
	end->sas.parent = node;
	end->sas.address = 0x5000c50000000001ULL | node->host->shost->host_no << 24 | id << 12;
	end->sas.able = SAS_LINK_RATE_12_0_GBPS;
	bitmap_copy(end->sas.phys, phys, SIM_PHYS);
	for_each_set_bit(i, phys, node->phys)
		node->phy[i].end = end;
	return end;
}

/* Another LUN has the same phys; a new device has free ones. */
static struct sim_end *sas_end(struct sim_host *host, char *where)
{
	DECLARE_BITMAP(phys, SIM_PHYS);
	struct sim_node *node = phys_at(host, where, phys);
	struct sim_end *end;

	if (!node)
		return NULL;
	end = node->phy[find_first_bit(phys, SIM_PHYS)].end;
	if (end && !end->sas.node && bitmap_equal(phys, end->sas.phys, SIM_PHYS))
		return end;
	return port_new(node, phys);
}

static int check_node(struct sim_node *node)
{
	DECLARE_BITMAP(near, SIM_PHYS);
	struct sim_node *above;
	unsigned int depth = 1;
	int err;

	if (!node->phys)
		return sim_refuse("expander %s: phys=N", node->name);
	err = sim_list(node->up_phys, node->up_bits, node->phys);
	if (err)
		return err;
	bitmap_copy(near, node->up->sas.phys, SIM_PHYS);
	if (bitmap_weight(near, SIM_PHYS) != bitmap_weight(node->up_bits, SIM_PHYS))
		return sim_refuse("expander %s: up= must be as many phys as it is on", node->name);
	for (above = node->up->sas.parent; above->up; above = above->up->sas.parent)
		depth++;
	return depth < SIM_DEPTH ? 0 : sim_refuse("expander %s is too deep", node->name);
}

/* "expander NAME on PARENT:PHYS phys=N up=PHYS key=value..." */
static int run_expander(struct sim_line *line)
{
	struct sim_host *host = sim_building(&sim_sas);
	char *name = sim_next(line), *on = sim_next(line), *where = sim_next(line);
	struct sim_node *node;
	struct sim_end *end;
	int err;

	if (!host)
		return -EINVAL;
	if (!where || strcmp(on, "on"))
		return sim_refuse("expander NAME on PARENT:PHYS");
	if (sim_node_find(name) || sim_device_find(name))
		return sim_refuse("there is a %s", name);
	end = sas_end(host, where);
	if (!end)
		return -EINVAL;
	node = node_new(host, name);
	if (!node)
		return -ENOMEM;
	node->rate = host->rate;
	node->address = 0x500605b100000000ULL | host->shost->host_no << 24 | end->id << 8;
	node->up = end;
	err = sim_set(node, node_keys, line);
	if (err)
		return err;
	phys_init(node, node->rate);
	end->sas.node = node;
	end->sas.address = node->address;
	end->sas.rate = node->rate;
	return check_node(node);
}

/* "phy NODE:PHYS key=value...": limits, and the state of phys that nothing is on. */
static int run_phy(struct sim_line *line)
{
	struct sim_host *host = sim_building(&sim_sas);
	DECLARE_BITMAP(phys, SIM_PHYS);
	struct sim_node *node;
	unsigned int first = 2, i;
	int err = 0;

	if (!host)
		return -EINVAL;
	node = phys_at(host, sim_next(line), phys);
	if (!node)
		return -EINVAL;
	for_each_set_bit(i, phys, node->phys) {
		line->next = first;
		err = err ?: sim_set(&node->phy[i], sim_sas_phy_keys, line);
	}
	return err;
}

/* "far N key=value...": a device's own phy, as its pages tell. */
static int run_far(struct sim_line *line)
{
	struct sim_end *end = sim_building_end(&sim_sas);
	char *number = sim_next(line);
	u32 n;

	if (!end)
		return -EINVAL;
	if (!number || kstrtou32(number, 10, &n) || n >= ARRAY_SIZE(end->sas.far))
		return sim_refuse("which phy of the device?");
	return sim_set(&end->sas.far[n], sim_sas_phy_keys, line);
}

static const struct sim_verb verbs[] = {
	{ "expander", run_expander },
	{ "phy", run_phy },
	{ "far", run_far },
	{},
};

const struct sim_transport sim_sas = {
	.name = "sas",
	.protocol = 6,
	.host_keys = host_keys,
	.device_keys = port_keys,
	.verbs = verbs,
	.init = sim_sas_init,
	.exit = sim_sas_exit,
	.create = sas_create,
	.prepare = sim_sas_prepare,
	.start = sim_sas_start,
	.stop = sim_sas_stop,
	.end = sas_end,
	.find = sim_sas_find,
	.plug = sim_sas_plug,
	.unplug = sim_sas_unplug,
	.set = sim_sas_set,
	.count = sim_sas_count,
	.lane = sim_sas_lane,
	.carry = sim_sas_carry,
	.mode = sim_sas_mode,
	.log = sim_sas_log,
	.inquiry = sim_sas_inquiry,
	.designators = sim_sas_designators,
};
