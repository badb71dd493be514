// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a healthy device answers: SPC-4 and SBC-3 as far as programs that ask
 * go. Whatever would write is accepted and forgotten, or refused.
 */
#include <asm/unaligned.h>
#include <linux/string.h>

#include "hbasim.h"

#define INVALID_COMMAND 0x2000	  /* INVALID COMMAND OPERATION CODE */
#define INVALID_FIELD 0x2400	  /* INVALID FIELD IN CDB */
#define OUT_OF_RANGE 0x2100	  /* LOGICAL BLOCK ADDRESS OUT OF RANGE */
#define SAVING 0x3900		  /* SAVING PARAMETERS NOT SUPPORTED */
#define NOT_STARTED 0x0402	  /* INITIALIZING COMMAND REQUIRED */
#define STANDBY_PORT 0x040b	  /* TARGET PORT IN STANDBY STATE */
#define UNAVAILABLE_PORT 0x040c	  /* TARGET PORT IN UNAVAILABLE STATE */
#define STANDBY_BY_COMMAND 0x5e04 /* STANDBY CONDITION ACTIVATED BY COMMAND */
#define IDLE_BY_COMMAND 0x5e03	  /* IDLE CONDITION ACTIVATED BY COMMAND */

void sim_sense(struct sim_answer *answer, u8 key, u16 asc)
{
	answer->status = SAM_STAT_CHECK_CONDITION;
	answer->key = key;
	answer->asc = asc >> 8;
	answer->ascq = asc;
	answer->length = 0;
	answer->zeroes = 0;
	answer->payload = 0;
}

static void refuse(struct sim_answer *answer, u16 asc)
{
	sim_sense(answer, ILLEGAL_REQUEST, asc);
}

/* What fits into what was asked for; parameter data takes no notable time. */
static void send(struct sim_answer *answer, unsigned int length, unsigned int asked)
{
	answer->length = min(length, asked);
	answer->payload = answer->length;
}

/* A page given in hex, the first bytes of which may be the answer itself. */
static bool given(struct sim_device *device, struct sim_answer *answer, enum sim_page_kind kind,
		  u8 code, u8 subcode, unsigned int asked)
{
	const struct sim_page *page = sim_page(device, kind, code, subcode);

	if (!page)
		return false;
	if (page->length) {
		answer->data = page->data;
		send(answer, page->length, asked);
	} else {
		refuse(answer, INVALID_FIELD);
	}
	return true;
}

static void inquiry(struct sim_device *device, const u8 *cdb, struct sim_answer *answer)
{
	unsigned int asked = get_unaligned_be16(cdb + 3), length;
	bool vpd = cdb[1] & 1;

	if (vpd ? given(device, answer, SIM_VPD, cdb[2], 0, asked) :
		  given(device, answer, SIM_INQUIRY, 0, 0, asked))
		return;
	if (!vpd && cdb[2])
		length = 0;
	else if (vpd)
		length = sim_vpd(device, cdb[2], answer->scratch);
	else
		length = sim_inquiry(device, answer->scratch);
	if (length)
		send(answer, length, asked);
	else
		refuse(answer, INVALID_FIELD);
}

/* One page; by page code 3Fh or subpage code FFh, all that match. */
static unsigned int mode_pages(struct sim_device *device, u8 code, u8 subcode, u8 *data)
{
	unsigned int page, sub, length, all = 0;

	for (page = 0; page < 0x3f; page++) {
		if (code != 0x3f && code != page)
			continue;
		for (sub = 0; sub < 0xff; sub++) {
			if (subcode != 0xff && subcode != sub)
				continue;
			length = sim_mode(device, page, sub, data + all);
			all += length;
			if (all > SIM_SCRATCH - 64 - SIM_MODE_PAGE)
				return all;
		}
	}
	return all;
}

/* The changeable values of a page are none: zero after its header. */
static void nothing_changeable(u8 *data, unsigned int length)
{
	while (length) {
		unsigned int header = *data & 0x40 ? 4 : 2;
		unsigned int size = header +
				    (*data & 0x40 ? get_unaligned_be16(data + 2) : data[1]);

		if (size > length)
			return;
		memset(data + header, 0, size - header);
		data += size;
		length -= size;
	}
}

static unsigned int block_descriptor(struct sim_device *device, u8 *data)
{
	if (device->type != TYPE_DISK && device->type != TYPE_ROM && device->type != TYPE_TAPE)
		return 0;
	put_unaligned_be32(device->type == TYPE_TAPE ? 0 : min_t(u64, device->blocks, U32_MAX),
			   data);
	put_unaligned_be32(device->type == TYPE_TAPE ? 0 : device->block, data + 4);
	return 8;
}

static void mode_sense(struct sim_device *device, const u8 *cdb, struct sim_answer *answer)
{
	bool ten = cdb[0] == MODE_SENSE_10;
	unsigned int asked = ten ? get_unaligned_be16(cdb + 7) : cdb[4];
	unsigned int header = ten ? 8 : 4, descriptor = 0, pages;
	u8 *data = answer->scratch;

	if (cdb[2] >> 6 == 3) {
		refuse(answer, SAVING);
		return;
	}
	memset(data, 0, 16);
	if (!(cdb[1] & 8))
		descriptor = block_descriptor(device, data + header);
	pages = mode_pages(device, cdb[2] & 0x3f, cdb[3], data + header + descriptor);
	if (!pages) {
		refuse(answer, INVALID_FIELD);
		return;
	}
	if (cdb[2] >> 6 == 1)
		nothing_changeable(data + header + descriptor, pages);
	pages += header + descriptor;
	if (ten) {
		put_unaligned_be16(pages - 2, data);
		data[7] = descriptor;
	} else {
		data[0] = min(pages - 1, 255U);
		data[3] = descriptor;
	}
	send(answer, pages, asked);
}

static void log_sense(struct sim_device *device, const u8 *cdb, struct sim_answer *answer)
{
	unsigned int asked = get_unaligned_be16(cdb + 7), length;
	u8 code = cdb[2] & 0x3f;

	if (given(device, answer, SIM_LOG, code, cdb[3], asked))
		return;
	length = sim_log(device, code, cdb[3], answer->scratch);
	if (length)
		send(answer, length, asked);
	else
		refuse(answer, INVALID_FIELD);
}

static void read_capacity(struct sim_device *device, const u8 *cdb, struct sim_answer *answer)
{
	u64 last = device->blocks - 1;

	memset(answer->scratch, 0, 32);
	if (cdb[0] == READ_CAPACITY) {
		put_unaligned_be32(min_t(u64, last, U32_MAX), answer->scratch);
		put_unaligned_be32(device->block, answer->scratch + 4);
		send(answer, 8, 8);
	} else if ((cdb[1] & 0x1f) == SAI_READ_CAPACITY_16 && device->ansi >= 4) {
		put_unaligned_be64(last, answer->scratch);
		put_unaligned_be32(device->block, answer->scratch + 8);
		send(answer, 32, get_unaligned_be32(cdb + 10));
	} else {
		refuse(answer, INVALID_FIELD);
	}
}

static void report_luns(struct sim_device *device, const u8 *cdb, struct sim_answer *answer)
{
	struct sim_device *other;
	unsigned int length = 8;

	if (device->ansi < 3) {
		refuse(answer, INVALID_COMMAND);
		return;
	}
	memset(answer->scratch, 0, 8 + 256 * 8);
	list_for_each_entry(other, &device->host->devices, list) {
		if (other->end != device->end || other->gone)
			continue;
		answer->scratch[length + 1] = other->lun;
		length += 8;
	}
	put_unaligned_be32(length - 8, answer->scratch);
	send(answer, length, get_unaligned_be32(cdb + 6));
}

/* REPORT TARGET PORT GROUPS: of this port only, and without the extended header (SPC-4 6.37). */
static void report_port_group(struct sim_device *device, const u8 *cdb, struct sim_answer *answer)
{
	u8 *data = answer->scratch;

	if (!device->access) {
		refuse(answer, INVALID_COMMAND);
		return;
	}
	if (cdb[1] != MI_REPORT_TARGET_PGS) {
		refuse(answer, INVALID_FIELD);
		return;
	}
	memset(data, 0, 16);
	put_unaligned_be32(12, data);
	data[4] = device->access - 1;
	data[5] = 0x0f; /* the four states of enum sim_access */
	put_unaligned_be16(sim_port_group(device), data + 6);
	data[11] = 1;
	put_unaligned_be16(sim_port_group(device), data + 14);
	send(answer, 16, get_unaligned_be32(cdb + 6));
}

/* Whoever needs the medium of a disk that rests wakes it up. */
static void wake(struct sim_device *device, struct sim_answer *answer)
{
	if (device->power == SIM_ACTIVE)
		return;
	if (device->power != SIM_IDLE)
		answer->delay_us += device->spinup * 1000;
	device->power = SIM_ACTIVE;
	device->wakeups++;
}

static bool has_medium(const struct sim_device *device)
{
	return device->type == TYPE_DISK || device->type == TYPE_ROM;
}

static void medium(struct sim_device *device, u64 block, u32 count, struct sim_answer *answer,
		   bool write)
{
	if (!has_medium(device)) {
		refuse(answer, INVALID_COMMAND);
		return;
	}
	if (block >= device->blocks || count > device->blocks - block) {
		refuse(answer, OUT_OF_RANGE);
		return;
	}
	if (device->power == SIM_STOPPED && !device->as_awake) {
		sim_sense(answer, NOT_READY, NOT_STARTED);
		return;
	}
	if (device->access >= SIM_STANDBY_PATH) {
		sim_sense(answer, NOT_READY,
			  device->access == SIM_UNAVAILABLE ? UNAVAILABLE_PORT : STANDBY_PORT);
		return;
	}
	wake(device, answer);
	answer->payload = count * device->block;
	answer->media = count;
	if (!write)
		answer->zeroes = answer->payload;
}

static void read_write(struct sim_device *device, const u8 *cdb, struct sim_answer *answer)
{
	switch (cdb[0]) {
	case READ_6:
	case WRITE_6:
		medium(device, get_unaligned_be24(cdb + 1) & 0x1fffff, cdb[4] ?: 256, answer,
		       cdb[0] == WRITE_6);
		break;
	case READ_10:
	case WRITE_10:
		medium(device, get_unaligned_be32(cdb + 2), get_unaligned_be16(cdb + 7), answer,
		       cdb[0] == WRITE_10);
		break;
	case READ_12:
	case WRITE_12:
		medium(device, get_unaligned_be32(cdb + 2), get_unaligned_be32(cdb + 6), answer,
		       cdb[0] == WRITE_12);
		break;
	default:
		medium(device, get_unaligned_be64(cdb + 2), get_unaligned_be32(cdb + 10), answer,
		       cdb[0] == WRITE_16);
	}
}

/* Modes 02h data, 03h descriptor, 0Bh echo descriptor (SPC-4 6.19). There is no echo buffer. */
static void read_buffer(struct sim_device *device, const u8 *cdb, struct sim_answer *answer)
{
	u32 offset = get_unaligned_be24(cdb + 3), asked = get_unaligned_be24(cdb + 6);
	u32 size = device->buffer * 1024;

	memset(answer->scratch, 0, 4);
	switch (size ? cdb[1] & 0x1f : 0x1f) {
	case 0x02:
		if (cdb[2] || offset >= size) {
			refuse(answer, INVALID_FIELD);
			return;
		}
		answer->zeroes = min(asked, size - offset);
		answer->payload = answer->zeroes;
		break;
	case 0x03:
		if (!cdb[2])
			put_unaligned_be24(size, answer->scratch + 1);
		send(answer, 4, asked);
		break;
	case 0x0b:
		send(answer, 4, asked);
		break;
	default:
		refuse(answer, size ? INVALID_FIELD : INVALID_COMMAND);
	}
}

static void test_unit_ready(struct sim_device *device, struct sim_answer *answer)
{
	if (device->power == SIM_STOPPED && !device->as_awake)
		sim_sense(answer, NOT_READY, NOT_STARTED);
}

/* Sense data as parameter data: an attention, or the power condition (SBC-3 table D.1). */
static void request_sense(struct sim_device *device, const u8 *cdb, struct sim_answer *answer)
{
	static const u16 conditions[] = {
		[SIM_ACTIVE] = 0,
		[SIM_IDLE] = IDLE_BY_COMMAND,
		[SIM_STANDBY] = STANDBY_BY_COMMAND,
		[SIM_STOPPED] = NOT_STARTED,
	};
	u16 asc = device->as_awake ? 0 : conditions[device->power];
	u8 key = asc == NOT_STARTED ? NOT_READY : NO_SENSE;

	if (device->attentions) {
		asc = device->attention[0];
		key = UNIT_ATTENTION;
		memmove(device->attention, device->attention + 1,
			--device->attentions * sizeof(*device->attention));
		device->told++;
	}
	scsi_build_sense_buffer(0, answer->scratch, key, asc >> 8, asc & 0xff);
	send(answer, 18, cdb[4]);
}

static void start_stop(struct sim_device *device, const u8 *cdb, struct sim_answer *answer)
{
	switch (cdb[4] >> 4) { /* POWER CONDITION (SBC-3 table 105) */
	case 0:
		if (!(cdb[4] & 1))
			device->power = SIM_STOPPED;
		else
			wake(device, answer);
		break;
	case 1:
		wake(device, answer);
		break;
	case 2:
		device->power = SIM_IDLE;
		break;
	case 3:
		device->power = SIM_STANDBY;
		break;
	default:
		refuse(answer, INVALID_FIELD);
	}
}

/* Some attention waits, and the command is not one that lets it wait (SAM-5 5.14). */
static bool attention(struct sim_device *device, u8 op, struct sim_answer *answer)
{
	u16 asc;

	if (!device->attentions || op == INQUIRY || op == REPORT_LUNS || op == REQUEST_SENSE)
		return false;
	asc = device->attention[0];
	memmove(device->attention, device->attention + 1,
		--device->attentions * sizeof(*device->attention));
	device->told++;
	sim_sense(answer, UNIT_ATTENTION, asc);
	return true;
}

/* Those whose answers are pages. */
static bool pages(struct sim_device *device, const u8 *cdb, struct sim_answer *answer)
{
	switch (cdb[0]) {
	case INQUIRY:
		inquiry(device, cdb, answer);
		return true;
	case MODE_SENSE:
	case MODE_SENSE_10:
		mode_sense(device, cdb, answer);
		return true;
	case LOG_SENSE:
		log_sense(device, cdb, answer);
		return true;
	case READ_CAPACITY:
	case SERVICE_ACTION_IN_16:
		if (!has_medium(device))
			refuse(answer, INVALID_COMMAND);
		else
			read_capacity(device, cdb, answer);
		return true;
	case REPORT_LUNS:
		report_luns(device, cdb, answer);
		return true;
	case MAINTENANCE_IN:
		report_port_group(device, cdb, answer);
		return true;
	case REQUEST_SENSE:
		request_sense(device, cdb, answer);
		return true;
	}
	return false;
}

void sim_answer(struct sim_device *device, struct scsi_cmnd *command, struct sim_answer *answer)
{
	const u8 *cdb = command->cmnd;

	answer->data = answer->scratch;
	if (attention(device, cdb[0], answer) || pages(device, cdb, answer))
		return;
	switch (cdb[0]) {
	case TEST_UNIT_READY:
		test_unit_ready(device, answer);
		break;
	case READ_6:
	case READ_10:
	case READ_12:
	case READ_16:
	case WRITE_6:
	case WRITE_10:
	case WRITE_12:
	case WRITE_16:
		read_write(device, cdb, answer);
		break;
	case READ_BUFFER:
		read_buffer(device, cdb, answer);
		break;
	case START_STOP:
		start_stop(device, cdb, answer);
		break;
	case SYNCHRONIZE_CACHE:
	case ALLOW_MEDIUM_REMOVAL:
		break;
	default:
		refuse(answer, INVALID_COMMAND);
	}
}
