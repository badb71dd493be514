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
#include "transport/quirks.h"
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

/* Where a target's words are. */
struct target {
    const struct subject *class;  /* of spi_transport; NULL where the kernel shows none */
    const struct subject *device; /* that speaks for it; NULL where none is seen */
    const struct inquiry *q;      /* its INQUIRY data; NULL where none can be read */
};

/* What the driver's transport class says is in force. */
static struct mode driver_mode(struct relation *r, const struct subject *class,
                               const struct inquiry *q)
{
    struct rate rate;
    uint64_t offset;

    return spi_class_rate(class, q, &rate, &offset) ? mode_of(r, rate, offset) : (struct mode){ 0 };
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

/* The INQUIRY data of the target; false where there are none, or none of a parallel device: less than what all
 * standards ask for, or of a form that none knows (RESPONSE DATA FORMAT: 1 before SCSI-2, then 2). */
static bool read_inquiry(const struct subject *device, struct inquiry *ret)
{
    enum { QUALIFIER_NO_SUCH_UNIT = 3, REVISION_BYTES = 4 /* the last of the 36 bytes */ };

    return inquiry_decode(fact_bytes(device, &KEY_INQUIRY), ret) == 0 &&
           ret->qualifier != QUALIFIER_NO_SUCH_UNIT && ret->revision.len == REVISION_BYTES &&
           (ret->response_format == 1 || ret->response_format == 2);
}

/* What INQUIRY data promise at most. */
static struct mode inquiry_mode(struct relation *r, const struct inquiry *q)
{
    uint64_t period_ps = SPI_PS_FAST_160;
    uint32_t options = SPI_DT | SPI_IU | SPI_QAS;

    if (!q->sync)
        return mode_of(r, spi_rate(0, q->wbus16 ? 2 : 1, 0), 0);
    if (q->ansi <= 2 || (q->has_byte56 && q->clocking == INQUIRY_CLOCKING_ST)) {
        period_ps = SPI_PS_FAST_40;
        options = 0;
    } else if (q->has_byte56) {
        period_ps = q->ius ? SPI_PS_FAST_160 : SPI_PS_FAST_80;
        options = SPI_DT | (q->ius ? SPI_IU : 0u) | (q->qas ? SPI_QAS : 0u);
    }
    if (!q->wbus16) { /* narrow: never faster than Fast-40, SPI-4 4.9 */
        period_ps = SPI_PS_FAST_40;
        options = 0;
    }
    return mode_of(r, spi_rate(period_ps, q->wbus16 ? 2 : 1, options), 0);
}

/* That a target which claims synchronous transfers can do better than asynchronous ones is certain, and no more than
 * that: it is taken for the slowest timing that has a name, Fast-5 (SPI-2 table 28). */
static int relate_claimed_sync(struct relation *r, struct link *l, const char *via)
{
    return link_add_able(l, WHO_TARGET, via,
                         mode_of(r, spi_rate(SPI_PS_FAST_5, l->actual.rate.lanes, 0), 0), false);
}

/* What the target says that it can do: by its page, else, as an upper bound, by its INQUIRY data. Where nobody shows
 * these the kernel has seen them. */
static int relate_target(struct relation *r, struct link *l, const struct target *t)
{
    bool is_async = l->actual.known && !l->actual.rate.lane_kb_per_s;
    struct spi_capabilities c;
    struct mode promised;

    if (spipage_capabilities(fact_bytes(t->device, &SPI_KEY_PAGE_CAPABLE), &c) == 0)
        return link_add_able(
            l, WHO_TARGET, "MODE SENSE 19h/04h",
            mode_of_page(r, c.min_period_factor, c.max_offset, c.max_width_exponent, c.options),
            false);
    if (is_async && t->q && t->q->sync)
        return relate_claimed_sync(r, l, "INQUIRY SYNC");
    if (is_async && !t->q && t->device && t->class && spi_class_claims_sync(t->class))
        return relate_claimed_sync(r, l, "spi_transport offset");
    promised = t->q ? inquiry_mode(r, t->q) : (struct mode){ 0 };
    return link_add_able(l, WHO_TARGET, "INQUIRY", promised,
                         promised.rate.lane_kb_per_s > 0 /* that SYNC is not set is certain */);
}

/* What carries all links of the host, as far as somebody tells. */
struct bus {
    const char *signalling; /* "SE", "LVD", "HVD"; NULL: not known */
    const char *via;
    unsigned bytes; /* 1 or 2; 0: there should be a word, and it cannot be read */
};

/* Kernels that show no host_width show no hba_id either: then the chip's word is the bus's. */
static unsigned width_of_bus(const struct subject *bus)
{
    const char *width = fact_text(bus, &SPI_KEY_HOST_WIDTH);

    if (width)
        return strcmp(width, "narrow") == 0 ? 1 : strcmp(width, "wide") == 0 ? 2 : 0;
    return fact_find(bus, &SPI_KEY_HOST_WIDTH) || fact_find(bus, &SPI_KEY_HBA_ID) ? 0 : 2;
}

/* The driver's word comes first; several drivers have none, and then the target's counts. */
static struct bus bus_of(const struct relation *r, const struct link *l,
                         enum spi_transceiver transceiver)
{
    const struct subject *host = fact_set_find(r->facts, "spi_host", l->host->kernel_name);
    struct bus bus = { fact_text(host, &SPI_KEY_SIGNALLING), "spi_host signalling",
                       width_of_bus(host) };

    if (bus.signalling)
        return bus;
    bus.via = "MODE SENSE 19h/03h transceiver mode";
    switch (transceiver) {
    case SPI_TRANSCEIVER_SE:
        bus.signalling = "SE";
        break;
    case SPI_TRANSCEIVER_LVD:
        bus.signalling = "LVD";
        break;
    case SPI_TRANSCEIVER_HVD:
        bus.signalling = "HVD";
        break;
    case SPI_TRANSCEIVER_UNKNOWN:
        break;
    }
    return bus;
}

/* The chip's ability: from the table, else from the head of the procfs text. A wide one may be on a narrow
 * bus. */
static int relate_chip(struct relation *r, struct link *l, const struct bus *bus)
{
    bool at_most = !bus->bytes && l->actual.known && l->actual.rate.lanes == 1;
    const struct controller *chip = controller_of(r->facts, l->host, "spi");
    const struct subject *proc = fact_set_find(r->facts, "scsi_proc", l->host->kernel_name);
    struct bytes text = fact_bytes(proc, &SPI_KEY_PROC_TEXT);
    struct rate rate;

    if (chip)
        return link_add_able(l, WHO_INITIATOR,
                             arena_printf(r->model->arena, "known controller %s", l->host->pci_id),
                             mode_of(r, chip->best, 0), at_most);
    if (text.len && spi_proc_chip((const char *)text.data, &rate) == 0)
        return link_add_able(l, WHO_INITIATOR, "/proc/scsi", mode_of(r, rate, 0), at_most);
    return 0;
}

/* Devices that the kernel does not let run as they claim. */
static int relate_quirk(struct relation *r, struct link *l, const struct target *t)
{
    const char *vendor = fact_text(t->device, &KEY_VENDOR);
    const char *model = fact_text(t->device, &KEY_MODEL);
    const struct quirk *q = quirk_of("spi", vendor, model);

    if (!vendor || !model)
        l->limit_unknown = true; /* it may be one of these */
    return q ? link_add_able(l, WHO_INITIATOR, q->via, mode_of(r, q->best, 0), false) : 0;
}

/* Is that end certain to do better than a single-ended or high-voltage differential bus carries? */
static bool can_lvd(const struct link *l, enum who who)
{
    uint64_t fast_20 = spi_rate(SPI_PS_FAST_20, 1, 0).lane_kb_per_s;

    for (size_t i = 0; i < l->able.n; i++)
        if (l->able.v[i].who == who && !l->able.v[i].at_most &&
            l->able.v[i].mode.rate.lane_kb_per_s > fast_20)
            return true;
    return false;
}

/* One that has not told what it can do: nothing of it can be read, or its INQUIRY data claim double transition
 * clocking, which needs LVD (SPI-3). */
static bool may_lvd(const struct target *t)
{
    return !t->q || (t->q->has_byte56 && t->q->clocking != INQUIRY_CLOCKING_ST);
}

/* A single-ended or HVD bus carries Fast-20 without DT. Where both ends can do LVD, single-ended is
 * not what the bus can do but what is wrong with it. */
static int relate_bus(struct relation *r, struct link *l, const struct target *t,
                      const struct bus *bus)
{
    unsigned bytes = bus->bytes == 1 ? 1 : 2;
    bool is_se = bus->signalling && strcmp(bus->signalling, "SE") == 0;
    bool is_hvd = bus->signalling && strcmp(bus->signalling, "HVD") == 0;

    if (is_se && can_lvd(l, WHO_INITIATOR)) {
        if (can_lvd(l, WHO_TARGET))
            l->impaired = (struct impairment){ "bus-single-ended", "signalling", "SE", bus->via };
        else if (may_lvd(t))
            l->reason = "the bus is single-ended, and what its target could do without that is "
                        "not known";
    }
    if ((is_se && !l->impaired.code && !l->reason) || is_hvd)
        return link_add_able(l, WHO_HOP, bus->via,
                             mode_of(r, spi_rate(SPI_PS_FAST_20, bytes, 0), 0), true);
    if (bytes == 2)
        return 0;
    return link_add_able(l, WHO_INITIATOR, "spi_host host_width",
                         mode_of(r, spi_rate(SPI_PS_FAST_40, 1, 0), 0), true);
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

/* Does the link do more than that? Then it is no limit, whatever it calls itself. Within 1 %: some texts
 * round. */
static bool exceeds(const struct link *l, struct rate limit)
{
    struct rate actual = l->actual.rate;

    return l->actual.known && actual.lane_kb_per_s &&
           (actual.lanes > limit.lanes || actual.lane_kb_per_s * 99 > limit.lane_kb_per_s * 100);
}

static int add_limit(struct link *l, const char *via, struct mode limit)
{
    return exceeds(l, limit.rate) ? 0 : link_add_allowed(l, WHO_INITIATOR, via, limit);
}

/* The limits the driver keeps to: what NVRAM or SEEPROM say, where the driver reads it. */
static int relate_limits(struct relation *r, struct link *l, const struct subject *class)
{
    uint64_t min_period_ps, max_offset, max_width;
    bool is_narrow = fact_number(class, &SPI_KEY_MAX_WIDTH, &max_width) && !max_width &&
                     !(l->actual.known && l->actual.rate.lanes > 1);
    unsigned bytes = is_narrow ? 1 : 2;
    uint32_t options = SPI_DT | (fact_number_or(class, &SPI_KEY_MAX_IU, 1) ? SPI_IU : 0u) |
                       (fact_number_or(class, &SPI_KEY_MAX_QAS, 1) ? SPI_QAS : 0u);

    if (fact_number(class, &SPI_KEY_MAX_OFFSET, &max_offset) && max_offset == 0)
        return add_limit(l, "spi_transport max_offset", mode_of(r, spi_rate(0, bytes, 0), 0));
    /* A driver that knows its bus is single-ended asks for no more (mptspi.c, of Port Page 0): that is what is
     * wrong, and nobody's setting. */
    if (l->impaired.code && fact_number_or(class, &SPI_KEY_MIN_PERIOD_PS, 0) == SPI_PS_FAST_20)
        return 0;
    if (fact_number(class, &SPI_KEY_MIN_PERIOD_PS, &min_period_ps))
        return add_limit(l, "spi_transport min_period",
                         limit_mode(r, spi_rate(min_period_ps, bytes, options)));
    if (bytes == 1)
        return add_limit(l, "spi_transport max_width",
                         mode_of(r, spi_rate(SPI_PS_FAST_40, 1, 0), 0));
    return 0;
}

/* What the driver's procfs text says of the target: a second word of the initiator. False where it says
 * nothing. */
static bool read_proc(const struct relation *r, const struct link *l, unsigned channel, unsigned id,
                      struct spi_proc_target *ret)
{
    const struct subject *proc = fact_set_find(r->facts, "scsi_proc", l->host->kernel_name);
    struct bytes text = fact_bytes(proc, &SPI_KEY_PROC_TEXT);

    return text.len && spi_proc_find((const char *)text.data, channel, id, ret) == 0;
}

/* What it runs at: by the driver's word; without one the target's is all there is. */
static int relate_witnesses(struct relation *r, struct link *l, const struct target *t,
                            const struct spi_proc_target *proc, enum spi_transceiver *ret)
{
    struct spi_negotiated n = { 0 };
    int e = t->class ? link_add_witness(l, WHO_INITIATOR, "spi_transport",
                                        driver_mode(r, t->class, t->q))
                     : 0;

    if (e == 0 && proc->has_curr)
        e = link_add_witness(l, WHO_INITIATOR, "/proc/scsi",
                             mode_of(r, proc->curr, proc->curr_offset));
    if (e == 0 && spipage_negotiated(fact_bytes(t->device, &SPI_KEY_PAGE_NEGOTIATED), &n) == 0)
        e = link_add_witness(
            l, WHO_TARGET, "MODE SENSE 19h/03h",
            mode_of_page(r, n.period_factor, n.offset, n.width_exponent, n.options));
    if (l->witnesses.n)
        l->actual = l->witnesses.v[0].mode;
    *ret = n.transceiver;
    return e;
}

/* What it could run at, and what keeps it from that. */
static int relate_bounds(struct relation *r, struct link *l, const struct target *t,
                         const struct spi_proc_target *proc, const struct bus *bus)
{
    int e = relate_target(r, l, t);

    /* Where the driver has the class, it has it for all targets. */
    l->limit_unknown = t->class ? !spi_class_limits_told(t->class, t->q)
                                : fact_set_find(r->facts, "spi_host", l->host->kernel_name) != NULL;
    if (e == 0)
        e = relate_chip(r, l, bus);
    if (e == 0)
        e = relate_quirk(r, l, t);
    if (e == 0)
        e = relate_bus(r, l, t, bus);
    if (e == 0 && proc->has_user)
        e = add_limit(l, "/proc/scsi User", limit_mode(r, proc->user));
    return e < 0 || !t->class ? e : relate_limits(r, l, t->class);
}

int spi_relate_target(struct relation *r, struct host *host, const struct subject *target,
                      unsigned channel, unsigned id)
{
    struct target t = { .class = fact_set_find(r->facts, "spi_transport", target->name),
                        .device = first_device(r, target) };
    struct link *l = model_add_link(r->model, host, target, target->name);
    struct spi_proc_target proc = { 0 };
    enum spi_transceiver transceiver;
    struct inquiry q;
    struct bus bus;
    int e;

    if (!l)
        return -ENOMEM;
    l->describe = describe;
    l->transport = "spi";
    l->id = arena_printf(r->model->arena, "%s-spi-%u:%u", host->id, channel, id);
    l->near = host->id;
    l->far = relate_far_name(r, target->path);
    l->peers_prove = true;
    l->state = LINK_UP;
    t.q = read_inquiry(t.device, &q) ? &q : NULL;
    if (!read_proc(r, l, channel, id, &proc))
        proc = (struct spi_proc_target){ 0 };
    e = relate_witnesses(r, l, &t, &proc, &transceiver);
    bus = bus_of(r, l, transceiver);
    return e < 0 ? e : relate_bounds(r, l, &t, &proc, &bus);
}
