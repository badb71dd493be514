/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SAS: rates and their names, and what the far end of a link says (sas.h).
 */
#include "transport/sas.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "decode/identify.h"
#include "decode/saslog.h"
#include "decode/saspage.h"
#include "decode/vpd.h"
#include "transport/driver.h"

/* Physical rates, and the payload of a lane in kB/s: 8b/10b up to 12 Gb/s, 128b/150b at 22.5 (SPL-4
 * 5.3; DESIGN: 150, 300, 600, 1200, 2400 MB/s). */
static const struct {
    uint64_t mbps, lane_kb_per_s;
    const char *label, *payload;
} RATES[] = {
    { 1500, 150000, "1.5 Gb/s", "150.0 MB/s" },     { 3000, 300000, "3.0 Gb/s", "300.0 MB/s" },
    { 6000, 600000, "6.0 Gb/s", "600.0 MB/s" },     { 12000, 1200000, "12.0 Gb/s", "1200.0 MB/s" },
    { 22500, 2400000, "22.5 Gb/s", "2400.0 MB/s" },
};

enum { SATA_MBPS = 6000 }; /* the fastest that SATA has */

struct rate sas_rate(unsigned lanes, uint64_t mbps)
{
    struct rate rate = { .lanes = lanes };

    for (size_t i = 0; i < ELEMENTS(RATES); i++)
        if (RATES[i].mbps == mbps)
            rate.lane_kb_per_s = RATES[i].lane_kb_per_s;
    return rate;
}

int sas_describe(struct arena *arena, struct rate rate, struct mode *ret)
{
    uint64_t kb = rate_kb_per_s(rate);

    *ret = (struct mode){ .known = true, .rate = rate };
    for (size_t i = 0; i < ELEMENTS(RATES); i++) {
        if (RATES[i].lane_kb_per_s != rate.lane_kb_per_s)
            continue;
        ret->label = RATES[i].label;
        ret->detail = RATES[i].payload;
        if (rate.lanes == 1)
            return 0;
        ret->label = arena_printf(arena, "%u x %s", rate.lanes, RATES[i].label);
        ret->detail = arena_printf(arena, "%" PRIu64 ".%" PRIu64 " MB/s", kb / 1000,
                                   kb % 1000 / 100);
        return ret->label && ret->detail ? 0 : -ENOMEM;
    }
    return 0;
}

struct mode sas_mode(struct relation *r, unsigned lanes, uint64_t mbps)
{
    struct rate rate = sas_rate(lanes, mbps);

    return rate.lane_kb_per_s ? relate_mode(r, sas_describe, rate) : (struct mode){ 0 };
}

/* ---- a SAS device at the far end ---- */

/* A device with several phys in one port has a descriptor for each. Ours has the address of the
 * end device, and, where more than one has, the number of the lane at its other end. */
static bool is_ours(const struct sas_lane *lane, const struct sas_phy *phy, uint64_t address,
                    const struct sas_word *before)
{
    return phy->address == address &&
           (phy->attached_phy == lane->number || (lane->port->n_lanes == 1 && !before->mbps));
}

static void ask_page_phys(const struct sas_lane *lane, uint64_t address, struct sas_far *far)
{
    struct saspage_phys phys;
    struct saspage_phy phy;

    if (saspage_phys(fact_bytes(lane->port->witness, &SAS_KEY_PAGE_PHYS), &phys) < 0)
        return;
    while (saspage_phys_next(&phys, &phy)) {
        uint64_t hardware = sas_rate_mbps(phy.hardware_max);
        uint64_t programmed = sas_rate_mbps(phy.programmed_max);

        if (!is_ours(lane, &phy.phy, address, &far->runs[0]))
            continue;
        far->runs[0] = (struct sas_word){ "MODE SENSE 19h/01h", sas_rate_mbps(phy.phy.logical_rate),
                                          false };
        far->able = (struct sas_word){ "MODE SENSE 19h/01h", hardware, false };
        if (programmed && programmed < hardware)
            far->allowed = (struct sas_word){ "MODE SENSE 19h/01h programmed maximum", programmed,
                                              false };
    }
}

static void ask_page_log(const struct sas_lane *lane, uint64_t address, struct sas_far *far)
{
    struct saslog log;
    struct saslog_port port;
    struct saslog_phy phy;

    if (saslog_decode(fact_bytes(lane->port->witness, &SAS_KEY_PAGE_LOG), &log) < 0)
        return;
    while (saslog_next_port(&log, &port))
        while (saslog_next_phy(&port, &phy))
            if (is_ours(lane, &phy.phy, address, &far->runs[1]))
                far->runs[1] = (struct sas_word){ "LOG SENSE 18h",
                                                  sas_rate_mbps(phy.phy.logical_rate), false };
}

/* Descriptors of this page have no address: only where the device has one phy is it ours for
 * certain. */
static void ask_page_enhanced(const struct sas_lane *lane, struct sas_far *far)
{
    struct saspage_enhanced enhanced;
    struct saspage_enhanced_phy phy;

    if (saspage_enhanced(fact_bytes(lane->port->witness, &SAS_KEY_PAGE_ENHANCED), &enhanced) < 0 ||
        enhanced.n_phys != 1 || !saspage_enhanced_next(&enhanced, &phy))
        return;
    far->near = (struct sas_word){ "MODE SENSE 19h/03h attached capabilities",
                                   sas_capabilities_max_mbps(phy.attached_capabilities), false };
}

/* ---- a SATA device at the far end ---- */

static uint64_t sata_mbps(unsigned generation)
{
    static const uint64_t MBPS[] = { 0, 1500, 3000, 6000 };

    return generation < ELEMENTS(MBPS) ? MBPS[generation] : 0;
}

/* mpt3sas keeps 1.5 Gb/s for an attached HBA phy whose rate its firmware does not tell at that
 * moment (mpt3sas_scsih.c, _scsih_sas_host_refresh). */
static bool may_be_a_guess(const struct sas_tree *t, const struct sas_lane *lane)
{
    const struct driver *d = driver_of(t->relation->facts, t->host->subject);

    return !lane->expander && lane->negotiated == 1500 && d && strcmp(d->name, "mpt3sas") == 0;
}

/* Word 77, the rate in force, is as old as the page, which the kernel or the translator may have
 * read long ago. It can confirm a rate; that it names another proves nothing, unless the driver
 * guesses. */
static void ask_identify(const struct sas_tree *t, const struct sas_lane *lane, struct sas_far *far)
{
    struct vpd_ata page;
    struct identify id;
    uint64_t runs;

    far->able = (struct sas_word){ "fastest of SATA", SATA_MBPS, true };
    if (vpd_ata_information(fact_bytes(lane->port->witness, &KEY_VPD_89), &page) < 0 ||
        identify_decode(page.identify, &id) < 0)
        return;
    if (sata_mbps(id.sata_highest))
        far->able = (struct sas_word){ "IDENTIFY word 76", sata_mbps(id.sata_highest), false };
    runs = sata_mbps(id.sata_current);
    if (runs && (runs == lane->negotiated || may_be_a_guess(t, lane)))
        far->runs[0] = (struct sas_word){ "IDENTIFY word 77", runs, false };
}

/* A connection to a SATA device has one rate on its whole way (drivers/scsi/libsas/sas_ata.c and
 * sas_expander.c program the phy to the pathway's); to a SAS device expanders match rates. */
static void find_pathway(const struct sas_lane *lane, struct sas_far *far)
{
    uint64_t slowest = 0;

    for (const struct sas_expander *e = lane->expander; e; e = e->above->expander) {
        if (!e->above || e->above->n_lanes != e->above->n_phys) {
            far->unread = "not all of the way to it through expanders is seen";
            return;
        }
        for (const struct sas_lane *l = e->above->lanes; l; l = l->next_of_port) {
            if (!l->negotiated)
                far->unread = "what the way to it through expanders runs at is not known";
            else if (!slowest || l->negotiated < slowest)
                slowest = l->negotiated;
        }
    }
    if (slowest && slowest < SATA_MBPS)
        far->pathway = (struct sas_word){ "SATA pathway through expanders", slowest, false };
}

/* ---- an expander at the far end, or the port above one that faces up ---- */

/* The words of lanes that are one end of a link: their common rate where they are at one; the
 * least that all can do; the least that they are programmed to, where that is less than they can
 * do. */
struct common {
    uint64_t runs, hardware, programmed;
    bool limit_unknown;
    unsigned n;
};

static void add_lane(struct common *c, const struct sas_lane *lane)
{
    uint64_t hardware = sas_lane_able(lane), limit = sas_lane_limit(lane);

    c->runs = c->n && c->runs != lane->negotiated ? 0 : lane->negotiated;
    c->hardware = c->n && c->hardware < hardware ? c->hardware : hardware;
    if (limit && (!c->programmed || limit < c->programmed))
        c->programmed = limit;
    c->limit_unknown |= sas_lane_limit_unknown(lane);
    c->n++;
}

static int say(const struct sas_tree *t, const struct common *c, const char *whose, bool is_certain,
               struct sas_far *ret)
{
    struct arena *arena = t->relation->model->arena;

    ret->limit_unknown = c->limit_unknown;
    ret->able.mbps = c->hardware;
    ret->able.at_most = !is_certain;
    ret->able.via = arena_printf(arena, "maximum_linkrate_hw of %s", whose);
    if (is_certain) {
        ret->runs[0].mbps = c->runs;
        ret->runs[0].via = arena_printf(arena, "sas_phy of %s", whose);
        ret->allowed.mbps = c->programmed;
        ret->allowed.via = arena_printf(arena, "maximum_linkrate of %s", whose);
    }
    return ret->able.via && (!is_certain || (ret->runs[0].via && ret->allowed.via)) ? 0 : -ENOMEM;
}

/* Which of its phys face up may not be known: then what the best of all can do is an upper
 * bound, and certain only where all can do the same. */
static int ask_expander(const struct sas_tree *t, const struct sas_expander *e, unsigned n_lanes,
                        struct sas_far *ret)
{
    struct common facing = { 0 };
    uint64_t best = 0, worst = 0;

    for (const struct sas_lane *l = e->lanes; l; l = l->next_of_expander) {
        if (l->faces_up)
            add_lane(&facing, l);
        best = l->hardware > best ? l->hardware : best;
        worst = l == e->lanes || l->hardware < worst ? l->hardware : worst;
    }
    if (facing.n == n_lanes)
        return say(t, &facing, e->name, true, ret);
    facing = (struct common){ .hardware = best };
    if (best != worst)
        return say(t, &facing, e->name, false, ret);
    return say(t, &facing, e->name, true, ret);
}

/* Seen from the expander: the lanes of the port above. */
static int ask_port_above(const struct sas_tree *t, const struct sas_lane *lane,
                          struct sas_far *ret)
{
    struct common above = { 0 };

    for (const struct sas_lane *l = lane->expander->above->lanes; l; l = l->next_of_port)
        add_lane(&above, l);
    return say(t, &above, lane->expander->above->subject->name, true, ret);
}

int sas_far_of(const struct sas_tree *t, const struct sas_lane *lane, struct sas_far *ret)
{
    const struct sas_port *port = lane->port;
    uint64_t address, protocols = 0;
    bool kind_known;

    *ret = (struct sas_far){ 0 };
    if (lane->faces_up)
        return ask_port_above(t, lane, ret);
    if (port->below)
        return ask_expander(t, port->below, port->n_phys, ret);
    kind_known = fact_number(port->end_device, &SAS_KEY_PROTOCOLS, &protocols);
    if (protocols & (SAS_PROTOCOL_SATA | SAS_PROTOCOL_STP) && !(protocols & SAS_PROTOCOL_SSP)) {
        ask_identify(t, lane, ret);
        find_pathway(lane, ret);
    } else if (fact_number(port->end_device, &SAS_KEY_ADDRESS, &address)) {
        ask_page_phys(lane, address, ret);
        ask_page_log(lane, address, ret);
        ask_page_enhanced(lane, ret);
    }
    if (!kind_known && !ret->able.mbps)
        ret->unread = "what kind of device is attached cannot be read";
    return 0;
}
