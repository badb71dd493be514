// SPDX-License-Identifier: GPL-2.0-only
/*
 * SAS, running: objects of the transport class made from the description,
 * lanes that come and go, and who may send when.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <scsi/sas.h>
#include <scsi/scsi_transport.h>

#include "hbasim.h"

/* Drivers on libsas show in an expander's phys what is attached; all others, whose the phy is. */
static const char *const libsas_drivers[] = {
	"aic94xx", "isci", "mvsas", "pm80xx", "hisi_sas_v1_hw", "hisi_sas_v2_hw", "hisi_sas_v3_hw",
};

static struct scsi_transport_template *template;

bool sim_sas_is_up(const struct sim_phy *phy)
{
	return phy->rate >= SAS_LINK_RATE_1_5_GBPS && phy->rate <= SAS_LINK_RATE_22_5_GBPS;
}

/* The n-th phy of a port is connected to the n-th of the expander's upward phys. */
static struct sim_phy *nth(struct sim_node *node, const unsigned long *bits, unsigned int n)
{
	unsigned int i;

	for_each_set_bit(i, bits, node->phys)
		if (!n--)
			return &node->phy[i];
	return NULL;
}

static unsigned int rank(const unsigned long *bits, unsigned int id)
{
	return bitmap_weight(bits, id);
}

struct sim_phy *sim_sas_partner(const struct sim_phy *phy)
{
	struct sim_node *node = phy->node;

	if (phy->end && phy->end->sas.node)
		return nth(phy->end->sas.node, phy->end->sas.node->up_bits,
			   rank(phy->end->sas.phys, phy->id));
	if (test_bit(phy->id, node->up_bits))
		return nth(node->up->sas.parent, node->up->sas.phys, rank(node->up_bits, phy->id));
	return NULL;
}

struct sim_peer sim_sas_peer(const struct sim_phy *phy)
{
	const struct sim_phy *partner = sim_sas_partner(phy);
	const struct sim_end *end = phy->end;
	struct sim_peer peer = {};

	if (!sim_sas_is_up(phy))
		return peer;
	if (partner) {
		peer.type = partner->node->up ? 2 : 1;
		peer.initiator = partner->node->up ? 0x02 : 0x0e;
		peer.target = partner->node->up ? 0x02 : 0;
		peer.address = partner->node->address;
		peer.phy = partner->id;
	} else if (end && end->plugged) {
		peer.type = 1;
		peer.target = end->sas.stp ? 0x01 : 0x08;
		peer.address = end->sas.address;
		peer.phy = rank(end->sas.phys, phy->id);
	}
	return peer;
}

static bool is_libsas(const struct sim_host *host)
{
	return match_string(libsas_drivers, ARRAY_SIZE(libsas_drivers), host->driver) >= 0;
}

static void identify(struct sim_phy *phy, struct sas_identify *identify)
{
	const struct sim_peer peer = sim_sas_peer(phy);

	identify->phy_identifier = phy->id;
	if (phy->node->up && is_libsas(phy->node->host)) {
		identify->device_type = peer.type;
		identify->initiator_port_protocols = peer.initiator;
		identify->target_port_protocols = peer.target;
		identify->sas_address = peer.address;
		return;
	}
	identify->sas_address = phy->node->address;
	if (phy->node->up) {
		identify->device_type = SAS_EDGE_EXPANDER_DEVICE;
		identify->initiator_port_protocols = SAS_PROTOCOL_SMP;
		identify->target_port_protocols = SAS_PROTOCOL_SMP;
	} else {
		identify->device_type = is_libsas(phy->node->host) ? SAS_PHY_UNUSED :
								     SAS_END_DEVICE;
		identify->initiator_port_protocols = SAS_PROTOCOL_ALL;
	}
}

/* Copies what may change into the class's object. */
static void show(struct sim_phy *phy)
{
	if (!phy->phy)
		return;
	identify(phy, &phy->phy->identify);
	phy->phy->negotiated_linkrate = phy->rate;
	phy->phy->minimum_linkrate = phy->min;
	phy->phy->maximum_linkrate = phy->max;
	phy->phy->minimum_linkrate_hw = phy->min_hw;
	phy->phy->maximum_linkrate_hw = phy->max_hw;
	phy->phy->enabled = phy->enabled;
}

/* A phy's rate, and that of the other end of its link. */
static void set_rate(struct sim_phy *phy, u32 rate)
{
	struct sim_phy *partner = sim_sas_partner(phy);

	phy->rate = rate;
	phy->changes++;
	show(phy);
	if (partner && partner->rate != rate) {
		partner->rate = rate == SAS_PHY_DISABLED ? SAS_LINK_RATE_UNKNOWN : rate;
		partner->changes++;
		show(partner);
	}
}

static int phys_add(struct sim_node *node)
{
	u32 i;

	for (i = 0; i < node->phys; i++) {
		struct sim_phy *phy = &node->phy[i];
		struct sas_phy *made = sas_phy_alloc(node->dev, i);
		int err;

		if (!made)
			return -ENOMEM;
		made->hostdata = phy;
		phy->phy = made;
		show(phy);
		err = sas_phy_add(made);
		if (err) {
			phy->phy = NULL;
			sas_phy_free(made);
			return err;
		}
	}
	return 0;
}

/* The class's objects below a port are gone. */
static void forget(struct sim_end *end)
{
	struct sim_node *node = end->sas.node;
	struct sim_end *below;
	u32 i;

	end->sas.port = NULL;
	end->sas.rphy = NULL;
	if (!node)
		return;
	for (i = 0; i < node->phys; i++)
		node->phy[i].phy = NULL;
	node->dev = NULL;
	list_for_each_entry(below, &end->host->ends, list)
		if (below->sas.parent == node)
			forget(below);
}

static void describe_expander(struct sim_node *node, struct sas_rphy *rphy)
{
	struct sas_expander_device *expander = rphy_to_expander_device(rphy);
	struct sim_node *above = node;

	for (expander->level = 0; above->up; above = above->up->sas.parent)
		expander->level++;
	strscpy(expander->vendor_id, node->vendor, sizeof(expander->vendor_id));
	strscpy(expander->product_id, node->product, sizeof(expander->product_id));
	strscpy(expander->product_rev, node->revision, sizeof(expander->product_rev));
	strscpy(expander->component_vendor_id, node->vendor, sizeof(expander->component_vendor_id));
}

static int rphy_add(struct sim_end *end)
{
	struct sim_node *node = end->sas.node;
	struct sas_rphy *rphy = node ? sas_expander_alloc(end->sas.port, SAS_EDGE_EXPANDER_DEVICE) :
				       sas_end_device_alloc(end->sas.port);
	int err;

	if (!rphy)
		return -ENOMEM;
	rphy->identify.sas_address = end->sas.address;
	if (node) {
		rphy->identify.target_port_protocols = SAS_PROTOCOL_SMP;
		rphy->identify.initiator_port_protocols = SAS_PROTOCOL_SMP;
		rphy->identify.phy_identifier = find_first_bit(node->up_bits, SIM_PHYS);
		describe_expander(node, rphy);
		node->dev = &rphy->dev;
	} else {
		rphy->identify.device_type = SAS_END_DEVICE;
		rphy->identify.target_port_protocols = end->sas.stp ? SAS_PROTOCOL_STP |
									      SAS_PROTOCOL_SATA :
								      SAS_PROTOCOL_SSP;
	}
	end->sas.rphy = rphy;
	err = sas_rphy_add(rphy);
	if (err) {
		end->sas.rphy = NULL;
		sas_rphy_free(rphy);
	}
	return err;
}

/* Makes a port with what is behind it. Its parent is there. */
static int port_add(struct sim_end *end)
{
	struct sim_node *parent = end->sas.parent;
	struct sas_port *port = sas_port_alloc_num(parent->dev);
	unsigned int i;
	int err;

	if (!port)
		return -ENOMEM;
	err = sas_port_add(port);
	if (err) {
		sas_port_free(port);
		return err;
	}
	end->sas.port = port;
	for_each_set_bit(i, end->sas.phys, parent->phys)
		if (sim_sas_is_up(&parent->phy[i]))
			sas_port_add_phy(port, parent->phy[i].phy);
	return rphy_add(end);
}

/* All ports of a node, and of the expanders behind them. */
static int ports_add(struct sim_node *node)
{
	struct sim_end *end;
	int err;

	list_for_each_entry(end, &node->host->ends, list) {
		if (end->sas.parent != node || !end->plugged)
			continue;
		err = port_add(end);
		if (!err && end->sas.node)
			err = phys_add(end->sas.node) ?: ports_add(end->sas.node);
		if (err)
			return err;
	}
	return 0;
}

int sim_sas_plug(struct sim_end *end)
{
	struct sim_node *parent = end->sas.parent;
	unsigned int i;
	int err;

	end->plugged = true;
	for_each_set_bit(i, end->sas.phys, parent->phys)
		set_rate(&parent->phy[i], parent->phy[i].up_rate);
	if (!parent->dev)
		return 0;
	err = port_add(end);
	if (!err && end->sas.node)
		err = phys_add(end->sas.node) ?: ports_add(end->sas.node);
	return err;
}

void sim_sas_unplug(struct sim_end *end)
{
	struct sim_node *parent = end->sas.parent;
	struct sas_port *port = end->sas.port;
	unsigned int i;

	end->plugged = false;
	sim_flush(end->host, NULL, end, DID_NO_CONNECT << 16);
	if (port) {
		forget(end);
		sas_port_delete(port);
	}
	for_each_set_bit(i, end->sas.phys, parent->phys)
		set_rate(&parent->phy[i], SAS_LINK_RATE_UNKNOWN);
}

/* Rates that follow from the description: a port's phys have the link's. */
static void rates_init(struct sim_host *host)
{
	struct sim_end *end;
	unsigned int i;

	list_for_each_entry(end, &host->ends, list) {
		struct sim_node *parent = end->sas.parent;

		for_each_set_bit(i, end->sas.phys, parent->phys) {
			struct sim_phy *phy = &parent->phy[i];

			if (phy->rate != SAS_LINK_RATE_UNKNOWN)
				end->sas.rate = phy->rate;
			phy->virtual |= end->sas.virtual;
			phy->up_rate = min(end->sas.rate ?: phy->up_rate, phy->max);
			set_rate(phy, phy->up_rate);
		}
	}
}

void sim_sas_prepare(struct sim_host *host)
{
	host->shost->transportt = template;
	host->shost->max_id = 4096;
	host->shost->max_lun = 256;
	host->shost->max_channel = 0;
}

int sim_sas_start(struct sim_host *host)
{
	if (!host->node)
		return sim_refuse("host %s has nothing on it", host->name);
	rates_init(host);
	host->node->dev = &host->shost->shost_gendev;
	return phys_add(host->node) ?: ports_add(host->node);
}

void sim_sas_stop(struct sim_host *host)
{
	sas_remove_host(host->shost);
}

struct sim_end *sim_sas_find(struct scsi_target *target)
{
	struct sim_host *host = shost_priv(dev_to_shost(&target->dev));
	struct sim_end *end;

	if (!scsi_is_sas_rphy(target->dev.parent))
		return NULL;
	list_for_each_entry(end, &host->ends, list)
		if (end->sas.rphy && &end->sas.rphy->dev == target->dev.parent)
			return end;
	return NULL;
}

/* Events. */

static struct sim_phy *phy_named(const char *name, int id)
{
	struct sim_node *node = sim_node_find(name);

	if (node && id >= 0 && id < node->phys)
		return &node->phy[id];
	sim_refuse("there is no phy %s:%d", name, id);
	return NULL;
}

/* Of a port's phy; a port that has lost its last lane has lost what is behind it. */
static int lane_lost(struct sim_phy *phy, u32 rate)
{
	struct sim_end *end = phy->end;
	unsigned int i;

	if (!sim_sas_is_up(phy))
		return 0;
	set_rate(phy, rate);
	if (!end || !end->sas.port)
		return 0;
	for_each_set_bit(i, end->sas.phys, phy->node->phys) {
		if (sim_sas_is_up(&phy->node->phy[i])) {
			sas_port_delete_phy(end->sas.port, phy->phy);
			return 0;
		}
	}
	sim_sas_unplug(end);
	set_rate(phy, rate);
	return 0;
}

static int lane_back(struct sim_phy *phy)
{
	struct sim_end *end = phy->end;

	if (sim_sas_is_up(phy) || !end)
		return 0;
	if (!end->plugged)
		return sim_sas_plug(end);
	set_rate(phy, phy->up_rate);
	if (end->sas.port)
		sas_port_add_phy(end->sas.port, phy->phy);
	return 0;
}

int sim_sas_lane(struct sim_host *host, const char *name, int id, bool back)
{
	struct sim_phy *phy = phy_named(name, id);

	if (!phy)
		return -EINVAL;
	/* A lane has a name at both its ends. */
	if (test_bit(id, phy->node->up_bits))
		phy = sim_sas_partner(phy);
	return back ? lane_back(phy) : lane_lost(phy, SAS_LINK_RATE_UNKNOWN);
}

/* "set NODE:PHY key=value..." */
int sim_sas_set(struct sim_host *host, const char *name, int id, struct sim_line *line)
{
	struct sim_phy *phy = phy_named(name, id);
	u32 enabled, rate;
	int err;

	if (!phy)
		return -EINVAL;
	enabled = phy->enabled;
	rate = phy->rate;
	spin_lock_irq(&host->lock);
	err = sim_set(phy, sim_sas_phy_keys, line);
	spin_unlock_irq(&host->lock);
	if (err)
		return err;
	if (phy->enabled < enabled) {
		phy->rate = rate;
		return lane_lost(phy, SAS_PHY_DISABLED);
	}
	if (phy->enabled > enabled)
		return lane_back(phy);
	if (phy->rate != rate && phy->end)
		phy->up_rate = phy->rate;
	set_rate(phy, phy->rate);
	return 0;
}

int sim_sas_count(struct sim_host *host, const char *name, int id, struct sim_line *line)
{
	struct sim_phy *phy = phy_named(name, id), add = {};
	int err;

	if (!phy)
		return -EINVAL;
	err = line ? sim_set(&add, sim_sas_phy_keys, line) : 0;
	if (err)
		return err;
	spin_lock_irq(&host->lock);
	if (!line)
		phy->invalid_dwords = phy->disparity = phy->sync_losses = phy->reset_problems = 0;
	phy->invalid_dwords += add.invalid_dwords;
	phy->disparity += add.disparity;
	phy->sync_losses += add.sync_losses;
	phy->reset_problems += add.reset_problems;
	spin_unlock_irq(&host->lock);
	return 0;
}

/* The lane of a port that is free first, or NULL. */
static struct sim_phy *lane(struct sim_end *end)
{
	struct sim_phy *best = NULL;
	unsigned int i;

	for_each_set_bit(i, end->sas.phys, end->sas.parent->phys) {
		struct sim_phy *phy = &end->sas.parent->phy[i];

		if (sim_sas_is_up(phy) && (!best || phy->free_at < best->free_at))
			best = phy;
	}
	return best;
}

/* What a phy carries, in KB/s: after 8b10b; 22.5 Gb/s: 128b150b. */
static u32 kilobytes(const struct sim_phy *phy)
{
	static const u32 by_rate[] = {
		[SAS_LINK_RATE_1_5_GBPS] = 150000,   [SAS_LINK_RATE_3_0_GBPS] = 300000,
		[SAS_LINK_RATE_6_0_GBPS] = 600000,   [SAS_LINK_RATE_12_0_GBPS] = 1200000,
		[SAS_LINK_RATE_22_5_GBPS] = 2400000,
	};

	return phy->carries ? phy->carries * 1000 : by_rate[phy->rate];
}

/* A connection takes one lane of each port on its way, at the rate of the slowest (SPL-4 7.14). */
u64 sim_sas_carry(struct sim_device *device, u32 bytes, u64 now)
{
	struct sim_phy *lanes[SIM_DEPTH];
	struct sim_end *end = device->end;
	unsigned int count = 0;
	u32 rate = U32_MAX;

	for (; end && count < SIM_DEPTH; end = end->sas.parent->up) {
		struct sim_phy *phy = lane(end);

		if (!phy)
			return now;
		rate = min(rate, kilobytes(phy));
		now = max(now, phy->free_at);
		lanes[count++] = phy;
	}
	now += sim_nanoseconds(bytes, rate);
	while (count)
		lanes[--count]->free_at = now;
	return now;
}

/* What the transport class asks. */

static int get_linkerrors(struct sas_phy *made)
{
	struct sim_phy *phy = made->hostdata;
	struct sim_host *host = phy->node->host;

	sim_wait(host);
	spin_lock_irq(&host->lock);
	made->invalid_dword_count = phy->invalid_dwords;
	made->running_disparity_error_count = phy->disparity;
	made->loss_of_dword_sync_count = phy->sync_losses;
	made->phy_reset_problem_count = phy->reset_problems;
	spin_unlock_irq(&host->lock);
	return 0;
}

static struct sim_end *end_of(struct sas_rphy *rphy)
{
	struct sim_host *host = shost_priv(rphy_to_shost(rphy));
	struct sim_end *end;

	list_for_each_entry(end, &host->ends, list)
		if (end->sas.rphy == rphy)
			return end;
	return NULL;
}

static int get_enclosure_identifier(struct sas_rphy *rphy, u64 *identifier)
{
	struct sim_end *end = end_of(rphy);

	if (!end || !end->sas.enclosure)
		return -ENXIO;
	*identifier = end->sas.enclosure;
	return 0;
}

static int get_bay_identifier(struct sas_rphy *rphy)
{
	struct sim_end *end = end_of(rphy);

	return end && end->sas.enclosure ? end->sas.bay : -ENXIO;
}

/* Somebody writes to the phy's attributes: the rate follows, the port does not. */
static int phy_enable(struct sas_phy *made, int enable)
{
	struct sim_phy *phy = made->hostdata;

	phy->enabled = enable;
	set_rate(phy, enable ? phy->up_rate : SAS_PHY_DISABLED);
	return 0;
}

static int phy_reset(struct sas_phy *made, int hard)
{
	((struct sim_phy *)made->hostdata)->changes++;
	return 0;
}

static int set_phy_speed(struct sas_phy *made, struct sas_phy_linkrates *limits)
{
	struct sim_phy *phy = made->hostdata;

	phy->max = limits->maximum_linkrate ?: phy->max;
	phy->min = limits->minimum_linkrate ?: phy->min;
	set_rate(phy, sim_sas_is_up(phy) ? min(phy->up_rate, phy->max) : phy->rate);
	return 0;
}

static struct sas_function_template functions = {
	.get_linkerrors = get_linkerrors,
	.get_enclosure_identifier = get_enclosure_identifier,
	.get_bay_identifier = get_bay_identifier,
	.phy_enable = phy_enable,
	.phy_reset = phy_reset,
	.set_phy_speed = set_phy_speed,
	.smp_handler = sim_sas_smp,
};

int sim_sas_init(void)
{
	template = sas_attach_transport(&functions);
	return template ? 0 : -ENOMEM;
}

void sim_sas_exit(void)
{
	sas_release_transport(template);
}
