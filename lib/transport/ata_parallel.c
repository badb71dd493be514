/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One device on a parallel ATA channel: a mode of its own, whatever the other device of the cable does.
 *
 * Witnesses: libata (xfer_mode) and the device (the mode selected, IDENTIFY words 88 and 63). What it can
 * do: words 88, 63 and 64; the cable, by word 93: 40 conductors carry UDMA mode 2 at most; the controller
 * by the table, or by libata having come down from more (spdn_cnt). Limits somebody set: libata.force.
 * Sources: ATA/ATAPI-7; drivers/ata/libata-core.c, libata-eh.c (ata_eh_speed_down()).
 */
#include <errno.h>
#include <stdio.h>

#include "transport/ata.h"
#include "transport/words.h"

enum { UDMA_40_WIRES = 2 };

static struct mode mode_of(struct relation *r, struct rate rate)
{
    return rate.lane_kb_per_s ? relate_mode(r, ata_describe_parallel, rate) : (struct mode){ 0 };
}

static struct rate best_of(const struct identify *id)
{
    if (id->has_udma && id->udma_highest >= 0)
        return ata_mode_rate(ATA_UDMA, id->udma_highest);
    if (id->has_mwdma && id->mwdma_highest >= 0)
        return ata_mode_rate(ATA_MWDMA, id->mwdma_highest);
    return id->has_pio ? ata_mode_rate(ATA_PIO, id->pio_highest) : (struct rate){ 0 };
}

/* The mode the device says is selected; it does not report PIO. */
static struct rate selected_of(const struct identify *id)
{
    if (id->has_udma && id->udma_selected >= 0)
        return ata_mode_rate(ATA_UDMA, id->udma_selected);
    return id->has_mwdma ? ata_mode_rate(ATA_MWDMA, id->mwdma_selected) : (struct rate){ 0 };
}

/* The device, and the cable as it sees it. A cable that nobody speaks of may be one of 40 conductors: then
 * the device's best proves nothing above mode 2. */
static int relate_target(struct relation *r, struct link *l, const struct identify *id)
{
    struct rate best = best_of(id), narrow = ata_mode_rate(ATA_UDMA, UDMA_40_WIRES);
    bool at_most = rate_compare(best, narrow) > 0 && id->cable == IDENTIFY_CABLE_NOT_REPORTED;
    int e = link_add_witness(l, WHO_TARGET, "IDENTIFY words 88 and 63",
                             mode_of(r, selected_of(id)));

    if (at_most)
        l->reason = "its cable may be one of 40 conductors, which carries UDMA/33 at most: nobody "
                    "tells";
    if (e == 0)
        e = link_add_able(l, WHO_TARGET, "IDENTIFY words 88, 63 and 64", mode_of(r, best), at_most);
    if (e == 0 && id->cable == IDENTIFY_CABLE_40)
        e = link_add_able(l, WHO_HOP, "IDENTIFY word 93: a cable of 40 conductors",
                          mode_of(r, narrow), false);
    return e;
}

static int relate_initiator(struct relation *r, struct link *l, const struct subject *device)
{
    const struct controller *chip = ata_controller(r, l->host, true);

    if (chip)
        return link_add_able(l, WHO_INITIATOR,
                             arena_printf(r->model->arena, "known controller %s", l->host->pci_id),
                             mode_of(r, chip->best), false);
    if (!l->actual.known || !fact_number_or(device, &ATA_SPDN_COUNT, 0))
        return 0;
    return link_add_able(l, WHO_INITIATOR, "libata stepped down (spdn_cnt)",
                         mode_of(r, ata_mode_above(l->actual.rate)), false);
}

/* Where the words that set limits cannot be seen, that libata came down itself tells it from one that was set. */
static int relate_limits(struct relation *r, struct link *l, const struct subject *device,
                         unsigned port, unsigned number)
{
    const char *origin, *via, *text = word_value(r->facts, "libata", "force", &origin);
    struct ata_force force;
    int e = 0;

    l->limit_unknown = !words_were_seen(r->facts) && !fact_number_or(device, &ATA_SPDN_COUNT, 0);
    if (!text)
        return 0;
    via = arena_printf(r->model->arena, "libata.force in %s", origin);
    force = ata_force_find(text, port, (int)number, (int)number + 15);
    if (force.has_mode)
        e = link_add_allowed(l, WHO_INITIATOR, via, mode_of(r, force.mode));
    if (e == 0 && force.forty_wires)
        e = link_add_allowed(l, WHO_INITIATOR, via,
                             mode_of(r, ata_mode_rate(ATA_UDMA, UDMA_40_WIRES)));
    return e;
}

int ata_relate_parallel(struct relation *r, struct host *host, const struct subject *device,
                        unsigned port, unsigned number)
{
    struct identify id;
    uint64_t code;
    struct link *l;
    char suffix[16];
    bool is_known;
    int e = 0;

    snprintf(suffix, sizeof(suffix), "pata.%u", number);
    l = ata_add_link(r, host, device, "ata", suffix);
    if (!l)
        return -ENOMEM;
    l->describe = ata_describe_parallel;
    l->state = ata_presence(device) == ATA_PRESENT ? LINK_UP : LINK_UNKNOWN;
    is_known = ata_identify(device, &id);
    l->far = is_known ? ata_model(r, &id) : NULL;
    if (l->state == LINK_UNKNOWN) {
        l->reason = ATA_UNTOLD_REASON;
        return 0;
    }
    if (fact_number(device, &ATA_XFER_MODE, &code))
        e = link_add_witness(l, WHO_INITIATOR, "ata_device xfer_mode",
                             mode_of(r, ata_code_rate(code)));
    if (e == 0 && is_known)
        e = relate_target(r, l, &id);
    if (e == 0 && l->witnesses.n)
        l->actual = l->witnesses.v[0].mode;
    if (e == 0)
        e = relate_initiator(r, l, device);
    return e < 0 ? e : relate_limits(r, l, device, port, number);
}
