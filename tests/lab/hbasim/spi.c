// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parallel SCSI: targets with agreements, on a bus that all share.
 *
 * Each target has four: the wish (what is agreed on when nothing is in the
 * way), what is in force now, what the target can do, and, if it lies, what
 * it says. A reset of the bus ends all agreements; the next command to a
 * target negotiates.
 */
#include <asm/unaligned.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <scsi/scsi_transport.h>
#include <scsi/scsi_transport_spi.h>

#include "hbasim.h"

#define ASYNC_PERIOD 0xff /* as mptspi has it: MPI_SCSIDEVPAGE0 of async */
#define SE_PERIOD 0x0c	  /* Fast-20: the fastest on a single-ended bus */
#define ASYNC_KB 3300	  /* a byte of width; what aic7xxx prints */

/* What the drivers of the kernel show (FACTS: drivers/scsi/<name>, 4.18 to 6.1). */
static const struct known_driver {
	const char *name;
	bool signalling, width, dt, iu_qas, rest;
} known_drivers[] = {
	{ "", true, true, true, true, true }, /* any other */
	{ "mptspi", false, true, true, true, true },
	{ "aic79xx", true, true, true, true, true },
	{ "aic7xxx", true, true, true, false, false },
	{ "sym53c8xx", true, true, true, false, false },
	{ "ncr53c8xx", true, true, false, false, false },
	{ "esp_scsi", true, true, false, false, false },
	{ "53c700", false, false, false, false, false },
};

static struct spi_function_template functions[ARRAY_SIZE(known_drivers)];
static struct scsi_transport_template *templates[ARRAY_SIZE(known_drivers)];

#define AGREEMENT_KEY(member, type, limit) SIM_KEY(struct sim_agreement, member, type, limit, NULL)
#define TARGET_KEY(member, type, limit) \
	SIM_FIELD(#member, struct sim_end, spi.member, type, limit, NULL)

static const struct sim_key agreement_keys[] = {
	AGREEMENT_KEY(period, SIM_PERIOD, 255), AGREEMENT_KEY(offset, SIM_U32, 255),
	AGREEMENT_KEY(width, SIM_U32, 1),	AGREEMENT_KEY(iu, SIM_FLAG, 1),
	AGREEMENT_KEY(dt, SIM_FLAG, 1),		AGREEMENT_KEY(qas, SIM_FLAG, 1),
	AGREEMENT_KEY(wr_flow, SIM_FLAG, 1),	AGREEMENT_KEY(rd_strm, SIM_FLAG, 1),
	AGREEMENT_KEY(rti, SIM_FLAG, 1),	AGREEMENT_KEY(pcomp_en, SIM_FLAG, 1),
	AGREEMENT_KEY(hold_mcs, SIM_FLAG, 1),	{},
};

static const struct sim_key target_keys[] = {
	TARGET_KEY(min_period, SIM_PERIOD, 255),
	TARGET_KEY(max_offset, SIM_U32, 255),
	TARGET_KEY(max_width, SIM_U32, 1),
	TARGET_KEY(max_iu, SIM_U32, 1),
	TARGET_KEY(max_qas, SIM_U32, 1),
	TARGET_KEY(carries, SIM_U32, SIM_CARRIES),
	{},
};

static const struct sim_choice signals[] = {
	{ "unknown", SPI_SIGNAL_UNKNOWN },
	{ "se", SPI_SIGNAL_SE },
	{ "lvd", SPI_SIGNAL_LVD },
	{ "hvd", SPI_SIGNAL_HVD },
	{},
};

static const struct sim_choice widths[] = {
	{ "narrow", 0 },
	{ "wide", 1 },
	{},
};

static const struct sim_key host_keys[] = {
	SIM_KEY(struct sim_host, this_id, SIM_U32, 15, NULL),
	SIM_KEY(struct sim_host, width, SIM_U32, 1, widths),
	SIM_KEY(struct sim_host, signalling, SIM_U32, SPI_SIGNAL_HVD, signals),
	{},
};

/* What the bus lets through of a wish (SPI-4 4.3: DT, IU, QAS and fast periods are LVD's). */
static void negotiate(struct sim_end *end)
{
	struct sim_agreement *now = &end->spi.now;

	*now = end->spi.wish;
	end->spi.stale = false;
	if (end->host->signalling == SPI_SIGNAL_SE || end->host->signalling == SPI_SIGNAL_HVD) {
		now->period = max_t(u32, now->period, SE_PERIOD);
		now->dt = now->iu = now->qas = 0;
		now->wr_flow = now->rd_strm = now->rti = now->pcomp_en = 0;
	}
	now->width = min(now->width, end->host->width);
}

static void spi_reset(struct sim_host *host)
{
	static const struct sim_agreement asynchronous = { .period = ASYNC_PERIOD };
	struct sim_end *end;

	list_for_each_entry(end, &host->ends, list) {
		end->spi.now = asynchronous;
		end->spi.stale = true;
	}
}

/* Transport functions: the class's copy of a field, and what somebody writes into it. */

static struct sim_end *spi_find(struct scsi_target *target)
{
	struct sim_host *host = shost_priv(dev_to_shost(&target->dev));

	return target->channel ? NULL : sim_end_find(host, target->id);
}

static const struct sim_agreement *agreement(struct scsi_target *target)
{
	static const struct sim_agreement none = { .period = ASYNC_PERIOD };
	struct sim_end *end = spi_find(target);

	if (!end)
		return &none;
	sim_wait(end->host);
	return &end->spi.now;
}

/* What is asked for comes true as far as the wish goes: a cable stays bad. */
static void asked(struct scsi_target *target, size_t field, u32 value, bool lower)
{
	struct sim_end *end = spi_find(target);
	u32 *now, *wish;

	if (!end)
		return;
	now = (void *)&end->spi.now + field;
	wish = (void *)&end->spi.wish + field;
	*now = lower ? max(value, *wish) : min(value, *wish);
}

#define FUNCTIONS(member, lower)                                                     \
	static void get_##member(struct scsi_target *target)                         \
	{                                                                            \
		spi_##member(target) = agreement(target)->member;                    \
	}                                                                            \
	static void set_##member(struct scsi_target *target, int value)              \
	{                                                                            \
		asked(target, offsetof(struct sim_agreement, member), value, lower); \
	}

FUNCTIONS(period, true)
FUNCTIONS(offset, false)
FUNCTIONS(width, false)
FUNCTIONS(iu, false)
FUNCTIONS(dt, false)
FUNCTIONS(qas, false)
FUNCTIONS(wr_flow, false)
FUNCTIONS(rd_strm, false)
FUNCTIONS(rti, false)
FUNCTIONS(pcomp_en, false)
FUNCTIONS(hold_mcs, false)

static void get_signalling(struct Scsi_Host *shost)
{
	struct sim_host *host = shost_priv(shost);

	sim_wait(host);
	spi_signalling(shost) = host->signalling;
}

#define SHOW(functions, member, shown)                    \
	do {                                              \
		(functions)->get_##member = get_##member; \
		(functions)->set_##member = set_##member; \
		(functions)->show_##member = shown;       \
	} while (0)

static void describe(struct spi_function_template *functions, const struct known_driver *driver)
{
	SHOW(functions, period, 1);
	SHOW(functions, offset, 1);
	SHOW(functions, width, driver->width);
	SHOW(functions, dt, driver->dt);
	SHOW(functions, iu, driver->iu_qas);
	SHOW(functions, qas, driver->iu_qas);
	SHOW(functions, wr_flow, driver->rest);
	SHOW(functions, rd_strm, driver->rest);
	SHOW(functions, rti, driver->rest);
	SHOW(functions, pcomp_en, driver->rest);
	SHOW(functions, hold_mcs, driver->rest);
	if (driver->signalling)
		functions->get_signalling = get_signalling;
}

static void spi_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(templates); i++)
		if (templates[i])
			spi_release_transport(templates[i]);
}

static int spi_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(templates); i++) {
		describe(&functions[i], &known_drivers[i]);
		templates[i] = spi_attach_transport(&functions[i]);
		if (!templates[i]) {
			spi_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

static int spi_create(struct sim_host *host)
{
	host->this_id = 7;
	host->width = 1;
	host->signalling = SPI_SIGNAL_LVD;
	return 0;
}

/* All LUNs of a target, now. */
static int spi_plug(struct sim_end *end)
{
	end->plugged = true;
	scsi_scan_target(&end->host->shost->shost_gendev, 0, end->id, SCAN_WILD_CARD,
			 SCSI_SCAN_RESCAN);
	return 0;
}

static void spi_unplug(struct sim_end *end)
{
	struct scsi_target *target = NULL;
	struct sim_device *device;

	end->plugged = false;
	sim_flush(end->host, NULL, end, DID_NO_CONNECT << 16);
	spin_lock_irq(&end->host->lock);
	list_for_each_entry(device, &end->host->devices, list)
		if (device->end == end && device->sdev)
			target = scsi_target(device->sdev);
	if (target)
		get_device(&target->dev);
	spin_unlock_irq(&end->host->lock);
	if (target) {
		scsi_remove_target(&target->dev);
		put_device(&target->dev);
	}
}

static int spi_start(struct sim_host *host)
{
	struct sim_end *end;

	host->shown = host->signalling;
	list_for_each_entry(end, &host->ends, list) {
		if (end->id == host->this_id || end->id >= host->shost->max_id)
			return sim_refuse("no target can have the ID %u", end->id);
		negotiate(end);
		spi_plug(end);
	}
	return 0;
}

static void spi_stop(struct sim_host *host)
{
	scsi_remove_host(host->shost);
}

static void spi_prepare(struct sim_host *host)
{
	unsigned int i;

	host->shost->this_id = host->this_id;
	host->shost->max_id = host->width ? 16 : 8;
	host->shost->max_lun = 256;
	host->shost->max_channel = 0;
	host->shost->transportt = templates[0];
	for (i = 1; i < ARRAY_SIZE(known_drivers); i++)
		if (!strcmp(known_drivers[i].name, host->driver))
			host->shost->transportt = templates[i];
}

static struct sim_end *target_of(struct sim_host *host, u32 id)
{
	struct sim_end *end = sim_end_find(host, id);

	if (end)
		return end;
	end = sim_end_new(host, id);
	if (!end)
		return NULL;
	end->spi.wish.period = ASYNC_PERIOD;
	end->spi.able.period = ASYNC_PERIOD;
	end->spi.max_offset = 255;
	end->spi.max_width = 1;
	end->spi.max_iu = 1;
	end->spi.max_qas = 1;
	return end;
}

static struct sim_end *spi_end(struct sim_host *host, char *where)
{
	u32 id;

	if (kstrtou32(where, 10, &id) || id > 15) {
		sim_refuse("%s is no SCSI ID", where);
		return NULL;
	}
	return target_of(host, id);
}

/* "target ID key=value...": the host's side, and what is agreed on. */
static int run_target(struct sim_line *line)
{
	struct sim_host *host = sim_building(&sim_spi);
	char *id = sim_next(line);
	struct sim_end *end;
	int err;

	if (!host)
		return -EINVAL;
	end = id ? spi_end(host, id) : NULL;
	if (!end)
		return sim_refuse("which target?");
	sim_building_is(end);
	err = sim_set_both(&end->spi.wish, agreement_keys, end, target_keys, line);
	end->spi.able = end->spi.wish;
	return err;
}

/* "able key=value...": what the target could do. */
static int run_able(struct sim_line *line)
{
	struct sim_end *end = sim_building_end(&sim_spi);

	return end ? sim_set(&end->spi.able, agreement_keys, line) : -EINVAL;
}

/* "says key=value...": what the target reports, whatever is in force. */
static int run_says(struct sim_line *line)
{
	struct sim_end *end = sim_building_end(&sim_spi);

	if (!end)
		return -EINVAL;
	if (!end->spi.lies)
		end->spi.says = end->spi.wish;
	end->spi.lies = true;
	return sim_set(&end->spi.says, agreement_keys, line);
}

static const struct sim_verb verbs[] = {
	{ "target", run_target },
	{ "able", run_able },
	{ "says", run_says },
	{},
};

/* "set HOST:ID key=value...": changes the wish, and what is in force at once. */
static int spi_set(struct sim_host *host, const char *name, int id, struct sim_line *line)
{
	struct sim_end *end = sim_end_find(host, id);
	int err;

	if (!end)
		return sim_refuse("%s has no target %d", name, id);
	spin_lock_irq(&host->lock);
	err = sim_set_both(&end->spi.wish, agreement_keys, end, target_keys, line);
	negotiate(end);
	spin_unlock_irq(&host->lock);
	return err;
}

/* The bus has become single-ended or LVD: SPC-4 29h/05h, 29h/06h. */
static int spi_changed(struct sim_host *host)
{
	struct sim_end *end;

	spin_lock_irq(&host->lock);
	if (host->shown != host->signalling) {
		host->shown = host->signalling;
		list_for_each_entry(end, &host->ends, list)
			negotiate(end);
		sim_attention_all(host, host->signalling == SPI_SIGNAL_SE ? 0x2905 : 0x2906);
	}
	spin_unlock_irq(&host->lock);
	return 0;
}

/* Payload in KB/s of one agreement. Periods below 0Dh: SPI-4 table 47; the rest is factor * 4 ns. */
static u32 kilobytes(const struct sim_agreement *now)
{
	static const u32 picoseconds[] = {
		[0x07] = 3125,	[0x08] = 6250,	[0x09] = 12500,
		[0x0a] = 25000, [0x0b] = 30300, [0x0c] = 50000,
	};
	u32 period = now->period * 4000;

	if (!now->offset || now->period < 0x07)
		return ASYNC_KB << now->width;
	if (now->period < ARRAY_SIZE(picoseconds))
		period = picoseconds[now->period];
	return (1000000000 / period) << now->width;
}

static void spi_begin(struct sim_device *device)
{
	if (device->end->spi.stale)
		negotiate(device->end);
}

/* One transfer at a time on the bus, each at its own target's rate. */
static u64 spi_carry(struct sim_device *device, u32 bytes, u64 now)
{
	const struct sim_spi_target *target = &device->end->spi;
	struct sim_host *host = device->host;
	u32 rate = target->carries ? target->carries * 1000 : kilobytes(&target->now);

	host->bus_free_at = max(host->bus_free_at, now) + sim_nanoseconds(bytes, rate);
	return host->bus_free_at;
}

static u8 options(const struct sim_agreement *a)
{
	return a->pcomp_en << 7 | a->rti << 6 | a->rd_strm << 5 | a->wr_flow << 4 |
	       a->hold_mcs << 3 | a->qas << 2 | a->dt << 1 | a->iu;
}

static void put_agreement(const struct sim_agreement *a, u8 *page)
{
	page[6] = a->period;
	page[8] = a->offset;
	page[9] = a->width;
	page[10] = options(a);
}

static unsigned int subpage(u8 *page, u8 code, unsigned int length)
{
	memset(page, 0, 4 + length);
	page[0] = 0x59;
	page[1] = code;
	put_unaligned_be16(length, page + 2);
	page[5] = 1;
	return 4 + length;
}

/* SPI-4 table 130 and on: 00h short, 03h negotiated settings, 04h transfer capabilities. */
static unsigned int spi_mode(struct sim_device *device, u8 code, u8 *page)
{
	static const u8 transceiver[] = {
		[SPI_SIGNAL_SE] = 1,
		[SPI_SIGNAL_LVD] = 2,
		[SPI_SIGNAL_HVD] = 3,
	};
	struct sim_spi_target *target = &device->end->spi;
	unsigned int length = 0;

	if (device->ansi < 3)
		return 0;
	if (!code) {
		memset(page, 0, 8);
		page[0] = 0x19;
		page[1] = 6;
		page[2] = 1;
		length = 8;
	} else if (code == 0x03) {
		length = subpage(page, code, 10);
		put_agreement(target->lies ? &target->says : &target->now, page);
		page[11] = transceiver[device->host->signalling] << 2 | (page[10] & 0x80) >> 6;
		page[10] &= 0x7f;
	} else if (code == 0x04) {
		length = subpage(page, code, 10);
		put_agreement(&target->able, page);
	}
	return length;
}

/* Byte 7: WBUS16 and SYNC; byte 56 of SPI-3 and later: CLOCKING, QAS, IUS (SPC-4 6.4.2). */
static void spi_inquiry(struct sim_device *device, u8 *data)
{
	const struct sim_agreement *able = &device->end->spi.able;

	data[7] |= able->width << 5 | (able->offset ? 0x10 : 0);
	if (device->ansi >= 3)
		data[56] = (able->dt ? 0x0c : 0) | able->qas << 1 | able->iu;
}

/* The class starts with its own limits; ours are a driver's, from NVRAM or chip. */
static void spi_configured(struct scsi_device *sdev)
{
	struct scsi_target *target = scsi_target(sdev);
	struct sim_end *end = spi_find(target);
	const struct sim_agreement *now = agreement(target);

	if (!end || sdev->lun)
		return;
	spi_min_period(target) = end->spi.min_period;
	spi_max_offset(target) = end->spi.max_offset;
	spi_max_width(target) = end->spi.max_width;
	spi_max_iu(target) = end->spi.max_iu;
	spi_max_qas(target) = end->spi.max_qas;
	spi_period(target) = now->period;
	spi_offset(target) = now->offset;
	spi_width(target) = now->width;
	spi_dt(target) = now->dt;
	spi_iu(target) = now->iu;
	spi_qas(target) = now->qas;
	spi_display_xfer_agreement(target);
}

const struct sim_transport sim_spi = {
	.name = "spi",
	.protocol = 1,
	.host_keys = host_keys,
	.verbs = verbs,
	.init = spi_init,
	.exit = spi_exit,
	.create = spi_create,
	.prepare = spi_prepare,
	.start = spi_start,
	.stop = spi_stop,
	.end = spi_end,
	.find = spi_find,
	.configured = spi_configured,
	.plug = spi_plug,
	.unplug = spi_unplug,
	.reset = spi_reset,
	.set = spi_set,
	.changed = spi_changed,
	.begin = spi_begin,
	.carry = spi_carry,
	.mode = spi_mode,
	.inquiry = spi_inquiry,
};
