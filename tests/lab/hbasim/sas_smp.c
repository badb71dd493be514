// SPDX-License-Identifier: GPL-2.0-only
/*
 * SMP requests, as expanders (and the host itself) answer them: those that
 * only look. SPL-4 9.4.3.
 */
#include <asm/unaligned.h>
#include <linux/bsg-lib.h>
#include <linux/scatterlist.h>
#include <linux/string.h>
#include <scsi/sas.h>

#include "hbasim.h"

#define REPORT_GENERAL 0x00
#define REPORT_MANUFACTURER 0x01
#define DISCOVER 0x10
#define REPORT_PHY_ERRORS 0x11
#define REPORT_PHY_SATA 0x12

/* FUNCTION RESULT (SPL-4 table 267). */
#define ACCEPTED 0x00
#define UNKNOWN_FUNCTION 0x01
#define NO_SUCH_PHY 0x10
#define NOT_SATA 0x12

static void put_text(u8 *data, const char *text, unsigned int size)
{
	size_t length = strnlen(text, size);

	memcpy(data, text, length);
	memset(data + length, ' ', size - length);
}

static unsigned int report_general(const struct sim_node *node, u8 *frame)
{
	frame[8] = 0x80; /* LONG RESPONSE */
	frame[9] = node->phys;
	frame[10] = node->up ? 0x80 : 0; /* TABLE TO TABLE SUPPORTED */
	put_unaligned_be64(node->address, frame + 12);
	return 32;
}

static unsigned int report_manufacturer(const struct sim_node *node, u8 *frame)
{
	put_text(frame + 12, node->vendor, 8);
	put_text(frame + 20, node->product, 16);
	put_text(frame + 36, node->revision, 4);
	put_text(frame + 40, node->vendor, 8);
	return 64;
}

static unsigned int discover(const struct sim_phy *phy, u8 *frame)
{
	const struct sim_peer peer = sim_sas_peer(phy);

	frame[9] = phy->id;
	frame[12] = peer.type << 4;
	frame[13] = phy->rate == SAS_LINK_RATE_FAILED ? SAS_PHY_RESET_PROBLEM : phy->rate;
	frame[14] = peer.initiator;
	frame[15] = peer.target;
	put_unaligned_be64(phy->node->address, frame + 16);
	put_unaligned_be64(peer.address, frame + 24);
	frame[32] = peer.phy;
	frame[40] = phy->min << 4 | phy->min_hw;
	frame[41] = phy->max << 4 | phy->max_hw;
	frame[42] = phy->changes;
	frame[43] = phy->virtual ? 0x80 : 0;
	frame[44] = test_bit(phy->id, phy->node->up_bits) ? 1 : 0;
	frame[94] = frame[13];
	return 120;
}

static unsigned int report_errors(const struct sim_phy *phy, u8 *frame)
{
	frame[9] = phy->id;
	put_unaligned_be32(phy->invalid_dwords, frame + 12);
	put_unaligned_be32(phy->disparity, frame + 16);
	put_unaligned_be32(phy->sync_losses, frame + 20);
	put_unaligned_be32(phy->reset_problems, frame + 24);
	return 32;
}

static unsigned int report_sata(const struct sim_phy *phy, u8 *frame)
{
	frame[9] = phy->id;
	if (!phy->end || !phy->end->sas.stp || !sim_sas_is_up(phy)) {
		frame[2] = NOT_SATA;
		return 4;
	}
	put_unaligned_be64(phy->end->sas.address, frame + 16);
	frame[24] = 0x34;
	return 60;
}

/* Fills the response frame; returns its length without the CRC. */
static unsigned int answer(struct sim_node *node, const u8 *request, u8 *frame)
{
	frame[0] = 0x41;
	frame[1] = request[1];
	switch (request[1]) {
	case REPORT_GENERAL:
		return report_general(node, frame);
	case REPORT_MANUFACTURER:
		return report_manufacturer(node, frame);
	case DISCOVER:
	case REPORT_PHY_ERRORS:
	case REPORT_PHY_SATA:
		break;
	default:
		frame[2] = UNKNOWN_FUNCTION;
		return 4;
	}
	if (request[9] >= node->phys) {
		frame[2] = NO_SUCH_PHY;
		return 4;
	}
	if (request[1] == DISCOVER)
		return discover(&node->phy[request[9]], frame);
	if (request[1] == REPORT_PHY_ERRORS)
		return report_errors(&node->phy[request[9]], frame);
	return report_sata(&node->phy[request[9]], frame);
}

static struct sim_node *node_of(struct Scsi_Host *shost, struct sas_rphy *rphy)
{
	struct sim_host *host = shost_priv(shost);
	struct sim_node *node;

	if (!rphy)
		return host->node;
	list_for_each_entry(node, &host->nodes, list)
		if (node->up && node->up->sas.rphy == rphy)
			return node;
	return NULL;
}

void sim_sas_smp(struct bsg_job *job, struct Scsi_Host *shost, struct sas_rphy *rphy)
{
	struct sim_host *host = shost_priv(shost);
	struct sim_node *node = node_of(shost, rphy);
	u8 request[16] = {}, frame[128] = {};
	unsigned int length;

	if (!node) {
		bsg_job_done(job, -ENXIO, 0);
		return;
	}
	sg_copy_to_buffer(job->request_payload.sg_list, job->request_payload.sg_cnt, request,
			  sizeof(request));
	spin_lock_irq(&host->lock);
	length = answer(node, request, frame);
	spin_unlock_irq(&host->lock);
	/* RESPONSE LENGTH counts words after the first, of the form that was asked for. */
	if (request[2])
		frame[3] = min_t(unsigned int, (length - 4) / 4, request[2]);
	length = min(length + 4, job->reply_payload.payload_len);
	sg_copy_from_buffer(job->reply_payload.sg_list, job->reply_payload.sg_cnt, frame, length);
	bsg_job_done(job, 0, length);
}
