/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parallel SCSI: one link a target, on a bus that is its host.
 *
 * Witnesses: the driver (spi_transport, /proc/scsi) and the target (mode page 19h/03h). Abilities: the
 * chip (table of controllers, head of the procfs text), the target (19h/04h, INQUIRY bytes 7 and 56), the
 * bus (signalling). Limits somebody set: the driver's min_period, max_width, max_offset, which hold
 * what NVRAM or SEEPROM says. Sources: drivers/scsi/scsi_transport_spi.c; SPI-4; SPC-2 for INQUIRY.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "decode/inquiry.h"
#include "decode/spipage.h"
#include "transport/controllers.h"
#include "transport/spi.h"

struct rate spi_rate(uint64_t period_ps, unsigned width_bytes, uint32_t options)
{
    return (struct rate){
        .lanes = width_bytes,
        .options = period_ps ? options : 0,
        .lane_kb_per_s = period_ps ? (1000000000 + period_ps / 2) / period_ps : 0,
    };
}

/* Labels by payload of a byte of width; 16-bit only where narrow is NULL. */
static const struct {
    uint64_t lane_kb_per_s;
    const char *narrow, *wide;
} LABELS[] = {
    { 5000, "Fast-5", "Fast-5 Wide" }, { 10000, "Fast", "Fast Wide" },
    { 20000, "Ultra", "Ultra Wide" },  { 40000, "Ultra2", "Ultra2 Wide" },
    { 80000, NULL, "Ultra160" },       { 160000, NULL, "Ultra320" },
    { 320000, NULL, "Ultra640" },
};

static const char *label_of(struct rate rate)
{
    if (!rate.lane_kb_per_s)
        return "async";
    for (size_t i = 0; i < ELEMENTS(LABELS); i++)
        if (LABELS[i].lane_kb_per_s == rate.lane_kb_per_s)
            return rate.lanes == 1 ? LABELS[i].narrow : rate.lanes == 2 ? LABELS[i].wide : NULL;
    return NULL;
}

/* " DT|IU|QAS", or nothing. */
static void options_text(uint32_t options, char *text, size_t size)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } NAMES[] = { { SPI_DT, "DT" }, { SPI_IU, "IU" }, { SPI_QAS, "QAS" } };
    size_t n = 0;

    text[0] = '\0';
    for (size_t i = 0; i < ELEMENTS(NAMES); i++)
        if (options & NAMES[i].bit)
            n += (size_t)snprintf(text + n, size - n, "%c%s", n ? '|' : ' ', NAMES[i].name);
}

/* In the form that the aic79xx driver made familiar; `offset` 0 is left out. */
static int describe_with_offset(struct arena *arena, struct rate rate, uint64_t offset,
                                struct mode *ret)
{
    uint64_t kilohertz = rate.lane_kb_per_s, kb = rate_kb_per_s(rate);
    char options[32], offset_text[32] = "";

    options_text(rate.options, options, sizeof(options));
    if (offset)
        snprintf(offset_text, sizeof(offset_text), ", offset %" PRIu64, offset);
    *ret = (struct mode){ .known = true, .rate = rate, .label = label_of(rate) };
    if (!rate.lane_kb_per_s)
        ret->detail = arena_printf(arena, "asynchronous (%u bit)", rate.lanes * 8);
    else
        ret->detail = arena_printf(
            arena, "%" PRIu64 ".%" PRIu64 " MB/s (%" PRIu64 ".%03" PRIu64 " MHz%s, %u bit%s)",
            kb / 1000, kb % 1000 / 100, kilohertz / 1000, kilohertz % 1000, options, rate.lanes * 8,
            offset_text);
    return ret->detail ? 0 : -ENOMEM;
}

static int describe(struct arena *arena, struct rate rate, struct mode *ret)
{
    return describe_with_offset(arena, rate, 0, ret);
}

static struct mode mode_of(struct relation *r, struct rate rate, uint64_t offset)
{
    struct mode mode = { 0 };

    return describe_with_offset(r->model->arena, rate, offset, &mode) == 0 ? mode
                                                                           : (struct mode){ 0 };
}

/* What the driver's transport class says is in force. Without an offset file the target does not claim
 * synchronous transfers at all, and the agreement is asynchronous. */
static struct mode driver_mode(struct relation *r, const struct subject *target)
{
    uint64_t offset, period_ps = 0;
    unsigned width = fact_number_or(target, &SPI_KEY_WIDTH, 0) ? 2 : 1;
    uint32_t options = 0;

    if (!fact_number(target, &SPI_KEY_OFFSET, &offset))
        return fact_find(target, &SPI_KEY_OFFSET) ? (struct mode){ 0 }
                                                  : mode_of(r, spi_rate(0, width, 0), 0);
    if (offset && !fact_number(target, &SPI_KEY_PERIOD_PS, &period_ps))
        return (struct mode){ 0 };
    options |= fact_number_or(target, &SPI_KEY_DT, 0) ? SPI_DT : 0;
    options |= fact_number_or(target, &SPI_KEY_IU, 0) ? SPI_IU : 0;
    options |= fact_number_or(target, &SPI_KEY_QAS, 0) ? SPI_QAS : 0;
    return mode_of(r, spi_rate(offset ? period_ps : 0, width, options), offset);
}

static uint32_t options_of_page(uint8_t options)
{
    return (options & SPI_OPTION_DT_REQ ? SPI_DT : 0u) |
           (options & SPI_OPTION_IU_REQ ? SPI_IU : 0u) |
           (options & SPI_OPTION_QAS_REQ ? SPI_QAS : 0u);
}

static struct mode mode_of_page(struct relation *r, uint8_t factor, uint8_t offset,
                                uint8_t width_exponent, uint8_t options)
{
    uint32_t period_ps = offset ? spi_period_ps(factor) : 0;
    unsigned bits = spi_width_bits(width_exponent);

    if (!bits || (offset && !period_ps))
        return (struct mode){ 0 };
    return mode_of(r, spi_rate(period_ps, bits / 8, options_of_page(options)), offset);
}

/* The device at LUN 0, or the lowest there is: it speaks for the target. */
static const struct subject *first_device(struct relation *r, const struct subject *target)
{
    for (const struct subject *d = fact_set_first(r->facts, "scsi_device"); d; d = d->next_of_class)
        if (text_starts_with(d->path, target->path) && d->path[strlen(target->path)] == '/')
            return d;
    return NULL;
}

/* What INQUIRY data promise at most; `*ret_sync`: they claim synchronous transfers. */
static struct mode inquiry_mode(struct relation *r, const struct subject *device, bool *ret_sync)
{
    struct inquiry q;
    uint64_t period_ps = SPI_PS_FAST_160;
    uint32_t options = SPI_DT | SPI_IU | SPI_QAS;

    *ret_sync = false;
    if (inquiry_decode(fact_bytes(device, &KEY_INQUIRY), &q) < 0 || q.response_format < 1)
        return (struct mode){ 0 };
    *ret_sync = q.sync;
    if (!q.sync)
        return mode_of(r, spi_rate(0, q.wbus16 ? 2 : 1, 0), 0);
    if (q.ansi <= 2 || (q.has_byte56 && q.clocking == INQUIRY_CLOCKING_ST)) {
        period_ps = SPI_PS_FAST_40;
        options = 0;
    } else if (q.has_byte56) {
        period_ps = q.ius ? SPI_PS_FAST_160 : SPI_PS_FAST_80;
        options = SPI_DT | (q.ius ? SPI_IU : 0u) | (q.qas ? SPI_QAS : 0u);
    }
    if (!q.wbus16) { /* narrow: never faster than Fast-40, SPI-4 4.9 */
        period_ps = SPI_PS_FAST_40;
        options = 0;
    }
    return mode_of(r, spi_rate(period_ps, q.wbus16 ? 2 : 1, options), 0);
}

/* What the target says of itself: what runs, and what it can do. `*ret_transceiver`: what it sees of the
 * bus. */
static int relate_target(struct relation *r, struct link *l, const struct subject *device,
                         enum spi_transceiver *ret_transceiver)
{
    struct spi_negotiated n = { 0 };
    struct spi_capabilities c;
    struct mode promised;
    bool claims_sync;
    int e = 0;

    if (spipage_negotiated(fact_bytes(device, &SPI_KEY_PAGE_NEGOTIATED), &n) == 0)
        e = link_add_witness(
            l, WHO_TARGET, "MODE SENSE 19h/03h",
            mode_of_page(r, n.period_factor, n.offset, n.width_exponent, n.options));
    *ret_transceiver = n.transceiver;
    if (e < 0)
        return e;
    if (spipage_capabilities(fact_bytes(device, &SPI_KEY_PAGE_CAPABLE), &c) == 0)
        return link_add_able(
            l, WHO_TARGET, "MODE SENSE 19h/04h",
            mode_of_page(r, c.min_period_factor, c.max_offset, c.max_width_exponent, c.options),
            false);
    promised = inquiry_mode(r, device, &claims_sync);
    /* An upper bound only; but that it can do better than asynchronous, SYNC says for certain. */
    return link_add_able(l, WHO_TARGET, "INQUIRY", promised,
                         promised.rate.lane_kb_per_s &&
                             !(l->actual.known && !l->actual.rate.lane_kb_per_s && claims_sync));
}

/* Where nobody shows INQUIRY data: the kernel has an offset file for targets alone whose SYNC bit is set
 * (scsi_transport_spi.c, target_attribute_is_visible()). Of one that runs asynchronously all the same it proves
 * that it can do better. */
static int relate_claimed_sync(struct relation *r, struct link *l, const struct subject *class)
{
    uint64_t ignored;

    for (size_t i = 0; i < l->able.n; i++)
        if (l->able.v[i].who == WHO_TARGET)
            return 0;
    if (!l->actual.known || l->actual.rate.lane_kb_per_s ||
        !fact_number(class, &SPI_KEY_OFFSET, &ignored))
        return 0;
    return link_add_able(l, WHO_TARGET, "spi_transport offset",
                         mode_of(r, spi_rate(SPI_PS_FAST_40, l->actual.rate.lanes, 0), 0), false);
}

/* The chip's ability: from the table, else from the head of the procfs text. */
static int relate_chip(struct relation *r, struct link *l)
{
    const struct controller *chip = controller_of(r->facts, l->host, "spi");
    const struct subject *proc = fact_set_find(r->facts, "scsi_proc", l->host->kernel_name);
    struct bytes text = fact_bytes(proc, &SPI_KEY_PROC_TEXT);
    struct rate rate;

    if (chip)
        return link_add_able(l, WHO_INITIATOR,
                             arena_printf(r->model->arena, "known controller %s", l->host->pci_id),
                             mode_of(r, chip->best, 0), false);
    if (text.len && spi_proc_chip((const char *)text.data, &rate) == 0)
        return link_add_able(l, WHO_INITIATOR, "/proc/scsi", mode_of(r, rate, 0), false);
    return 0;
}

/* Devices that the kernel does not let use information units, whatever they claim: they run at Fast-80 at
 * most. scsi_transport_spi.c, spi_static_device_list. */
static int relate_kernel_list(struct relation *r, struct link *l)
{
    static const char *const NAMES[] = { "HP Ultrium 3-SCSI", "IBM ULTRIUM-TD3" };

    for (size_t i = 0; l->far && i < ELEMENTS(NAMES); i++)
        if (strcmp(l->far, NAMES[i]) == 0)
            return link_add_able(
                l, WHO_INITIATOR, "the kernel's list of devices without information units",
                mode_of(r, spi_rate(SPI_PS_FAST_80, 2, SPI_DT | SPI_QAS), 0), false);
    return 0;
}

/* Can both ends do better than a single-ended or high-voltage differential bus carries? */
static bool both_can_lvd(const struct link *l)
{
    bool initiator = false, target = false;

    for (size_t i = 0; i < l->able.n; i++) {
        const struct claim *c = &l->able.v[i];
        bool fast = c->mode.rate.lane_kb_per_s > 20000 && !c->at_most;

        initiator |= fast && c->who == WHO_INITIATOR;
        target |= fast && c->who == WHO_TARGET;
    }
    return initiator && target;
}

/* A single-ended or HVD bus carries Fast-20 without DT. Where both ends can do LVD, single-ended is
 * not what the bus can do but what is wrong with it. The driver's word comes first; several drivers have
 * none, and then the target's counts. */
static int relate_bus(struct relation *r, struct link *l, enum spi_transceiver transceiver)
{
    const struct subject *bus = fact_set_find(r->facts, "spi_host", l->host->kernel_name);
    const char *signalling = fact_text(bus, &SPI_KEY_SIGNALLING),
               *width = fact_text(bus, &SPI_KEY_HOST_WIDTH);
    unsigned bytes = width && strcmp(width, "narrow") == 0 ? 1 : 2;
    const char *via = signalling ? "spi_host signalling" : "MODE SENSE 19h/03h transceiver mode";

    if (!signalling)
        signalling = transceiver == SPI_TRANSCEIVER_SE    ? "SE"
                     : transceiver == SPI_TRANSCEIVER_HVD ? "HVD"
                                                          : "LVD";
    if (strcmp(signalling, "SE") == 0 && both_can_lvd(l))
        l->impaired = (struct impairment){ "bus-single-ended", "signalling", "SE", via };
    if (strcmp(signalling, "LVD") == 0 || l->impaired.code)
        return bytes == 2 ? 0
                          : link_add_able(l, WHO_INITIATOR, "spi_host host_width",
                                          mode_of(r, spi_rate(SPI_PS_FAST_40, 1, 0), 0), true);
    return link_add_able(l, WHO_HOP, via, mode_of(r, spi_rate(SPI_PS_FAST_20, bytes, 0), 0), true);
}

/* A limit set on a target, as a mode that there is: narrow transfers are never faster than Fast-40 (SPI-4
 * 4.9), whatever period a driver may ask for. */
static struct mode limit_mode(struct relation *r, struct rate limit)
{
    uint64_t fast_40 = spi_rate(SPI_PS_FAST_40, 1, 0).lane_kb_per_s;

    if (limit.lanes == 1 && limit.lane_kb_per_s > fast_40)
        limit = (struct rate){ 1, 0, fast_40 };
    return mode_of(r, limit, 0);
}

/* The limits the driver keeps to: what NVRAM or SEEPROM say, where the driver reads it. */
static int relate_limits(struct relation *r, struct link *l, const struct subject *target)
{
    uint64_t min_period_ps, max_offset, max_width;
    bool has_width = fact_number(target, &SPI_KEY_MAX_WIDTH, &max_width);
    unsigned bytes = has_width && !max_width ? 1 : 2;
    uint32_t options = SPI_DT | (fact_number_or(target, &SPI_KEY_MAX_IU, 1) ? SPI_IU : 0u) |
                       (fact_number_or(target, &SPI_KEY_MAX_QAS, 1) ? SPI_QAS : 0u);

    if (fact_number(target, &SPI_KEY_MAX_OFFSET, &max_offset) && max_offset == 0)
        return link_add_allowed(l, WHO_INITIATOR, "spi_transport max_offset",
                                mode_of(r, spi_rate(0, bytes, 0), 0));
    /* A driver that knows its bus is single-ended asks for no more (mptspi.c, of Port Page 0): that is what is
     * wrong, and nobody's setting. */
    if (l->impaired.code && fact_number_or(target, &SPI_KEY_MIN_PERIOD_PS, 0) == SPI_PS_FAST_20)
        return 0;
    if (fact_number(target, &SPI_KEY_MIN_PERIOD_PS, &min_period_ps))
        return link_add_allowed(l, WHO_INITIATOR, "spi_transport min_period",
                                limit_mode(r, spi_rate(min_period_ps, bytes, options)));
    if (bytes == 1)
        return link_add_allowed(l, WHO_INITIATOR, "spi_transport max_width",
                                mode_of(r, spi_rate(SPI_PS_FAST_40, 1, 0), 0));
    return 0;
}

/* What the driver's procfs text says of the target: a second word of the initiator. */
static int relate_proc(struct relation *r, struct link *l, unsigned channel, unsigned id)
{
    const struct subject *proc = fact_set_find(r->facts, "scsi_proc", l->host->kernel_name);
    struct bytes text = fact_bytes(proc, &SPI_KEY_PROC_TEXT);
    struct spi_proc_target t;
    int e = 0;

    if (!text.len || spi_proc_find((const char *)text.data, channel, id, &t) < 0)
        return 0;
    if (t.has_curr)
        e = link_add_witness(l, WHO_INITIATOR, "/proc/scsi", mode_of(r, t.curr, t.curr_offset));
    if (e == 0 && t.has_user)
        e = link_add_allowed(l, WHO_INITIATOR, "/proc/scsi User", limit_mode(r, t.user));
    return e;
}

int spi_relate_target(struct relation *r, struct host *host, const struct subject *target,
                      unsigned channel, unsigned id)
{
    const struct subject *class = fact_set_find(r->facts, "spi_transport", target->name);
    struct link *l = model_add_link(r->model, host, target, target->name);
    enum spi_transceiver transceiver;
    int e = 0;

    if (!l)
        return -ENOMEM;
    l->describe = describe;
    l->transport = "spi";
    l->id = arena_printf(r->model->arena, "%s-spi-%u:%u", host->id, channel, id);
    l->near = host->id;
    l->far = relate_far_name(r, target->path);
    l->peers_prove = true;
    l->state = LINK_UP;
    if (class)
        e = link_add_witness(l, WHO_INITIATOR, "spi_transport", driver_mode(r, class));
    if (e == 0)
        e = relate_proc(r, l, channel, id);
    if (e == 0 && l->witnesses.n)
        l->actual = l->witnesses.v[0].mode;
    if (e == 0)
        e = relate_target(r, l, first_device(r, target), &transceiver);
    if (e == 0)
        e = relate_claimed_sync(r, l, class);
    /* Without the driver's word the target's is all there is. */
    if (e == 0 && !l->actual.known && l->witnesses.n)
        l->actual = l->witnesses.v[0].mode;
    if (e == 0)
        e = relate_chip(r, l);
    if (e == 0)
        e = relate_kernel_list(r, l);
    if (e == 0)
        e = relate_bus(r, l, transceiver);
    return e < 0 || !class ? e : relate_limits(r, l, class);
}
