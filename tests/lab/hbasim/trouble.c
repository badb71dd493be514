// SPDX-License-Identifier: GPL-2.0-only
/*
 * What devices do wrong. A trouble is a line "trouble KIND key=value..."; the
 * README lists the kinds. Some act instead of an answer, some on it.
 */
#include <asm/unaligned.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "hbasim.h"

#define ANY 256

static const char *const kinds[] = {
	[SIM_HANG] = "hang",		     /* never completes */
	[SIM_DEAF] = "deaf",		     /* nor hears aborts, short of a host reset */
	[SIM_LONG_INQUIRY] = "long-inquiry", /* hangs on more than 36 bytes */
	[SIM_BUSY] = "busy",
	[SIM_FULL] = "full",	     /* TASK SET FULL */
	[SIM_CHECK] = "check",	     /* CHECK CONDITION */
	[SIM_VANISH] = "vanish",     /* is removed */
	[SIM_SLOW] = "slow",	     /* takes ms= longer */
	[SIM_SHORT] = "short",	     /* sends bytes= only */
	[SIM_LONG] = "long",	     /* sends all that was asked for, and more of nothing */
	[SIM_GARBAGE] = "garbage",   /* sends noise */
	[SIM_TRUNCATE] = "truncate", /* half of what the header announces */
	[SIM_HUGE] = "huge",	     /* the header announces more than there is */
};

#define KEY(member, type, limit) SIM_KEY(struct sim_trouble, member, type, limit, NULL)

static const struct sim_key keys[] = {
	KEY(op, SIM_U32, 255),	      KEY(page, SIM_U32, 255),
	KEY(times, SIM_U32, U32_MAX), KEY(after, SIM_U32, U32_MAX),
	KEY(ms, SIM_U32, 3600000),    KEY(bytes, SIM_U32, SIM_SCRATCH),
	KEY(sense, SIM_TEXT, 12),     {},
};

void sim_trouble_clear(struct sim_device *device)
{
	struct sim_trouble *trouble, *next;
	LIST_HEAD(old);

	spin_lock_irq(&device->host->lock);
	list_splice_init(&device->troubles, &old);
	spin_unlock_irq(&device->host->lock);
	list_for_each_entry_safe(trouble, next, &old, list)
		kfree(trouble);
}

static int parse(struct sim_trouble *trouble, const char *kind, struct sim_line *line)
{
	int err, found = match_string(kinds, ARRAY_SIZE(kinds), kind);

	if (found < 0)
		return sim_refuse("there is no trouble %s", kind);
	trouble->kind = found;
	trouble->op = ANY;
	trouble->page = ANY;
	strscpy(trouble->sense, "b/00/00", sizeof(trouble->sense));
	err = sim_set(trouble, keys, line);
	if (err)
		return err;
	if (sscanf(trouble->sense, "%hhx/%hhx/%hhx", &trouble->key, &trouble->asc,
		   &trouble->ascq) != 3)
		return sim_refuse("sense is KEY/ASC/ASCQ");
	return 0;
}

/* "KIND key=value...", or "none" for the end of all troubles. */
int sim_trouble_add(struct sim_device *device, struct sim_line *line)
{
	const char *kind = sim_next(line);
	struct sim_trouble *trouble;
	int err;

	if (!kind)
		return sim_refuse("which trouble?");
	if (!strcmp(kind, "none")) {
		sim_trouble_clear(device);
		return 0;
	}
	trouble = kzalloc(sizeof(*trouble), GFP_KERNEL);
	if (!trouble)
		return -ENOMEM;
	err = parse(trouble, kind, line);
	if (err) {
		kfree(trouble);
		return err;
	}
	spin_lock_irq(&device->host->lock);
	list_add_tail(&trouble->list, &device->troubles);
	spin_unlock_irq(&device->host->lock);
	return 0;
}

/* The page that a command asks for, or ANY + 1. */
static u32 page_of(const u8 *cdb)
{
	switch (cdb[0]) {
	case INQUIRY:
		return cdb[1] & 1 ? cdb[2] : ANY + 1;
	case MODE_SENSE:
	case MODE_SENSE_10:
	case LOG_SENSE:
		return cdb[2] & 0x3f;
	}
	return ANY + 1;
}

/* Whether the trouble is about this command; if so, one of its times is used up. */
static bool strikes(struct sim_trouble *trouble, struct scsi_cmnd *command)
{
	const u8 *cdb = command->cmnd;

	if (trouble->op != ANY && trouble->op != cdb[0])
		return false;
	if (trouble->page != ANY && trouble->page != page_of(cdb))
		return false;
	if (trouble->kind == SIM_LONG_INQUIRY &&
	    (cdb[0] != INQUIRY || get_unaligned_be16(cdb + 3) <= 36))
		return false;
	if (trouble->after) {
		trouble->after--;
		return false;
	}
	if (trouble->times == U32_MAX)
		return false;
	if (trouble->times && !--trouble->times)
		trouble->times = U32_MAX; /* spent */
	return true;
}

static enum sim_fate instead(struct sim_device *device, const struct sim_trouble *trouble,
			     struct sim_answer *answer)
{
	switch (trouble->kind) {
	case SIM_HANG:
	case SIM_LONG_INQUIRY:
		return SIM_NEVER;
	case SIM_DEAF:
		return SIM_NEVER_DEAF;
	case SIM_BUSY:
		answer->status = SAM_STAT_BUSY;
		return SIM_ANSWERED;
	case SIM_FULL:
		answer->status = SAM_STAT_TASK_SET_FULL;
		return SIM_ANSWERED;
	case SIM_CHECK:
		sim_sense(answer, trouble->key, trouble->asc << 8 | trouble->ascq);
		return SIM_ANSWERED;
	default:
		device->gone = true;
		schedule_work(&device->vanish);
		return SIM_LOST;
	}
}

enum sim_fate sim_trouble_before(struct sim_device *device, struct scsi_cmnd *command,
				 struct sim_answer *answer)
{
	struct sim_trouble *trouble;

	answer->data = answer->scratch;
	list_for_each_entry(trouble, &device->troubles, list)
		if (trouble->kind < SIM_SLOW && strikes(trouble, command))
			return instead(device, trouble, answer);
	return SIM_GOES_ON;
}

/* Noise that is the same every time. */
static void noise(u8 *data, unsigned int length)
{
	u32 state = 2463534242U;
	unsigned int i;

	for (i = 0; i < length; i++) {
		state ^= state << 13;
		state ^= state >> 17;
		state ^= state << 5;
		data[i] = state;
	}
}

/* Where the header of an answer says its length: 1 or 2 bytes at a place. */
static void announce(const u8 *cdb, u8 *data)
{
	switch (cdb[0]) {
	case INQUIRY:
		if (cdb[1] & 1)
			put_unaligned_be16(0xffff, data + 2);
		else
			data[4] = 0xff;
		break;
	case MODE_SENSE:
		data[0] = 0xff;
		break;
	case MODE_SENSE_10:
		put_unaligned_be16(0xffff, data);
		break;
	case LOG_SENSE:
		put_unaligned_be16(0xffff, data + 2);
		break;
	case REPORT_LUNS:
		put_unaligned_be32(0xffffffff, data);
		break;
	}
}

/* A copy of the answer that may be spoilt. */
static void own(struct sim_answer *answer)
{
	unsigned int length = min_t(unsigned int, answer->length, SIM_SCRATCH);

	if (answer->data != answer->scratch)
		memcpy(answer->scratch, answer->data, length);
	answer->data = answer->scratch;
	answer->length = length;
}

static void spoil(const struct sim_trouble *trouble, struct scsi_cmnd *command,
		  struct sim_answer *answer)
{
	unsigned int room = min_t(unsigned int, scsi_bufflen(command), SIM_SCRATCH);

	own(answer);
	switch (trouble->kind) {
	case SIM_SHORT:
		answer->length = min(answer->length, trouble->bytes);
		answer->zeroes = 0;
		break;
	case SIM_LONG:
		memset(answer->data + answer->length, 0xa5,
		       max(room, answer->length) - answer->length);
		answer->length = max(room, answer->length);
		break;
	case SIM_GARBAGE:
		answer->length = room;
		noise(answer->data, room);
		break;
	case SIM_TRUNCATE:
		answer->length /= 2;
		answer->zeroes /= 2;
		break;
	case SIM_HUGE:
		announce(command->cmnd, answer->data);
		break;
	}
}

void sim_trouble_after(struct sim_device *device, struct scsi_cmnd *command,
		       struct sim_answer *answer)
{
	struct sim_trouble *trouble;

	list_for_each_entry(trouble, &device->troubles, list) {
		if (trouble->kind < SIM_SLOW || !strikes(trouble, command))
			continue;
		if (trouble->kind == SIM_SLOW)
			answer->delay_us += trouble->ms * 1000;
		else if (answer->status == SAM_STAT_GOOD &&
			 command->sc_data_direction == DMA_FROM_DEVICE)
			spoil(trouble, command, answer);
	}
}
