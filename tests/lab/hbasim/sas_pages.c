// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a SAS device says of its own ports: mode page 19h with its subpage
 * 01h (SPL-4 9.2.7), log page 18h (SPL-4 9.3), designators of VPD page 83h.
 * A device has two phys; those of its port are connected, the other is not.
 */
#include <asm/unaligned.h>
#include <linux/string.h>
#include <scsi/sas.h>

#include "hbasim.h"

/* Reasons and limits are not known of a phy that nothing was said about. */
struct own_phy {
	u8 id;
	u8 rate, min, max, min_hw, max_hw;
	struct sim_peer peer;
	u64 address;
	u32 invalid_dwords, disparity, sync_losses, reset_problems;
};

static struct sim_phy *near_phy(const struct sim_end *end, unsigned int number)
{
	unsigned int i;

	for_each_set_bit(i, end->sas.phys, end->sas.parent->phys)
		if (!number--)
			return &end->sas.parent->phy[i];
	return NULL;
}

static unsigned int phy_count(const struct sim_end *end)
{
	return max(2U, (unsigned int)bitmap_weight(end->sas.phys, SIM_PHYS));
}

static struct own_phy own_phy(const struct sim_end *end, unsigned int number)
{
	const struct sim_phy *far = &end->sas.far[min(number, 1U)];
	const struct sim_phy *near = near_phy(end, number);
	struct own_phy own = {
		.id = number,
		.rate = near && sim_sas_is_up(near) ? near->rate : 0,
		.min = far->min ?: SAS_LINK_RATE_1_5_GBPS,
		.max = far->max ?: end->sas.able,
		.min_hw = far->min_hw ?: SAS_LINK_RATE_1_5_GBPS,
		.max_hw = far->max_hw ?: end->sas.able,
		.address = end->sas.address + number,
		.invalid_dwords = far->invalid_dwords,
		.disparity = far->disparity,
		.sync_losses = far->sync_losses,
		.reset_problems = far->reset_problems,
	};

	if (far->rate)
		own.rate = far->rate;
	if (near && own.rate) {
		own.peer.type = near->node->up ? 2 : 1;
		own.peer.initiator = near->node->up ? 0x02 : 0x0e;
		own.peer.target = near->node->up ? 0x02 : 0;
		own.peer.address = near->node->address;
		own.peer.phy = near->id;
	}
	return own;
}

/* 19h/01h: a descriptor of 48 bytes for each phy. */
static unsigned int phy_control(struct sim_end *end, u8 *page)
{
	unsigned int count = phy_count(end), number, length = 8 + 48 * count;

	memset(page, 0, length);
	page[0] = 0x59;
	page[1] = 0x01;
	put_unaligned_be16(length - 4, page + 2);
	page[5] = 6;
	page[6] = 1;
	page[7] = count;
	for (number = 0; number < count; number++) {
		const struct own_phy own = own_phy(end, number);
		u8 *phy = page + 8 + 48 * number;

		phy[1] = own.id;
		phy[4] = own.peer.type << 4;
		phy[5] = own.rate;
		phy[6] = own.peer.initiator;
		phy[7] = own.peer.target;
		put_unaligned_be64(own.address, phy + 8);
		put_unaligned_be64(own.peer.address, phy + 16);
		phy[24] = own.peer.phy;
		phy[32] = own.min << 4 | own.min_hw;
		phy[33] = own.max << 4 | own.max_hw;
	}
	return length;
}

unsigned int sim_sas_mode(struct sim_device *device, u8 subpage, u8 *page)
{
	if (device->end->sas.stp || device->end->sas.virtual || subpage > 1)
		return 0;
	if (subpage)
		return phy_control(device->end, page);
	memset(page, 0, 16);
	page[0] = 0x19;
	page[1] = 14;
	page[2] = 6;
	put_unaligned_be16(2000, page + 4); /* I_T nexus loss, ms */
	put_unaligned_be16(2000, page + 6); /* initiator response timeout, ms */
	return 16;
}

/* One parameter: a port of some phys. */
static unsigned int log_port(struct sim_end *end, u16 port, unsigned int from, unsigned int count,
			     u8 *data)
{
	unsigned int number;

	memset(data, 0, 8 + 52 * count);
	put_unaligned_be16(port, data);
	data[2] = 0x03;
	data[3] = 4 + 52 * count;
	data[4] = 6;
	data[6] = 1;
	data[7] = count;
	for (number = 0; number < count; number++) {
		const struct own_phy own = own_phy(end, from + number);
		u8 *phy = data + 8 + 52 * number;

		phy[1] = own.id;
		phy[3] = 48;
		phy[4] = own.peer.type << 4;
		phy[5] = own.rate;
		phy[6] = own.peer.initiator;
		phy[7] = own.peer.target;
		put_unaligned_be64(own.address, phy + 8);
		put_unaligned_be64(own.peer.address, phy + 16);
		phy[24] = own.peer.phy;
		put_unaligned_be32(own.invalid_dwords, phy + 32);
		put_unaligned_be32(own.disparity, phy + 36);
		put_unaligned_be32(own.sync_losses, phy + 40);
		put_unaligned_be32(own.reset_problems, phy + 44);
	}
	return 8 + 52 * count;
}

/* A parameter's length is a byte: at most four phys a port. */
unsigned int sim_sas_log(struct sim_device *device, u8 *page)
{
	struct sim_end *end = device->end;
	unsigned int wide = min(4U, (unsigned int)bitmap_weight(end->sas.phys, SIM_PHYS));
	unsigned int length = 4;

	if (end->sas.stp || end->sas.virtual)
		return 0;
	memset(page, 0, 4);
	page[0] = 0x18;
	length += log_port(end, 1, 0, wide, page + length);
	if (wide < 2)
		length += log_port(end, 2, wide, 1, page + length);
	put_unaligned_be16(length - 4, page + 2);
	return length;
}

/* The target port's NAA name and its relative number (SPC-4 7.8.6.5, 7.8.6.7). */
unsigned int sim_sas_designators(struct sim_device *device, u8 *data)
{
	if (device->end->sas.stp)
		return 0;
	data[0] = 6 << 4 | 0x01;
	data[1] = 0x80 | 0x10 | 0x03;
	data[3] = 8;
	put_unaligned_be64(device->end->sas.address, data + 4);
	data[12] = 6 << 4 | 0x01;
	data[13] = 0x80 | 0x10 | 0x04;
	data[15] = 4;
	put_unaligned_be32(1, data + 16);
	return 20;
}

void sim_sas_inquiry(struct sim_device *device, u8 *data)
{
	if (device->type == TYPE_ENCLOSURE)
		data[6] |= 0x40; /* ENCSERV */
}
