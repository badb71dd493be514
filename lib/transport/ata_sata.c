/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One SATA link: what it runs at, what both ends can do, and what a limit on it means (ata.c, top).
 *
 * Sources: drivers/ata/libata-core.c (sata_link_init_spd(), sata_down_spd_limit(),
 * ata_do_link_spd_quirk()), libata-eh.c; AHCI 1.3.1, 3.1.1; ACS-3 7.12.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "transport/ata.h"
#include "transport/quirks.h"
#include "transport/words.h"

static struct rate sata_rate(uint64_t mbit_per_s)
{
    return (struct rate){ 1, 0, mbit_per_s * 100 /* 8b10b: ten bits a byte */ };
}

static int describe(struct arena *arena, struct rate rate, struct mode *ret)
{
    uint64_t tenths = rate.lane_kb_per_s / 10000, kb = rate_kb_per_s(rate);

    *ret = (struct mode){ .known = true, .rate = rate };
    ret->label = arena_printf(arena, "%" PRIu64 ".%" PRIu64 " Gb/s", tenths / 10, tenths % 10);
    ret->detail = arena_printf(arena, "%" PRIu64 ".%" PRIu64 " MB/s", kb / 1000, kb % 1000 / 100);
    return ret->label && ret->detail ? 0 : -ENOMEM;
}

/* The mode of so many Mb/s; not known for 0. */
static struct mode sata_mode(struct relation *r, uint64_t mbit_per_s)
{
    return mbit_per_s ? relate_mode(r, describe, sata_rate(mbit_per_s)) : (struct mode){ 0 };
}

static uint64_t generation_mbit(unsigned generation)
{
    return generation ? 750u << generation : 0;
}

/* The speed limit of libata.force that the wire has, 0 for none: a word that never took effect (the module
 * was loaded before) set no limit. Links of a port answer to 15, those behind a multiplier to their number
 * (drivers/ata/libata-core.c, ata_force_link_limits()). */
static uint64_t forced_mbit(const struct relation *r, const struct sata_wire *w,
                            const char **ret_origin)
{
    const char *force = word_value(r->facts, "libata", "force", ret_origin);
    uint64_t mbit = 0;

    if (force)
        mbit = ata_force_find(force, w->port, w->pmp < 0 ? 15 : w->pmp, -1).sata_mbit_per_s;
    return mbit == w->hw_limit ? mbit : 0;
}

static bool is_told(const struct subject *link, const struct fact_key *key)
{
    const struct fact *f = fact_find(link, key);

    return f && (f->quality == QUALITY_OK || ata_says_none(f));
}

/* How many ports of the controller start with a limit, and how many there are. False where one does not
 * tell. */
static bool count_limited(const struct relation *r, const struct sata_wire *w,
                          unsigned *ret_limited, unsigned *ret_all)
{
    size_t at;
    unsigned port;
    uint64_t limit;

    *ret_limited = *ret_all = 0;
    if (!ata_port_of(w->link->host->subject, &port, &at))
        return false;
    for (const struct subject *s = fact_set_first(r->facts, "ata_link"); s; s = s->next_of_class) {
        if (strncmp(s->path, w->subject->path, at) != 0 || strchr(s->name, '.'))
            continue;
        if (!is_told(s, &ATA_HW_LIMIT))
            return false;
        ++*ret_all;
        *ret_limited += fact_number(s, &ATA_HW_LIMIT, &limit) && limit <= w->hw_limit;
    }
    return true;
}

/* Where a limit comes from decides what it proves. */
enum limit_origin {
    LIMIT_NONE,
    LIMIT_FORCED,   /* somebody said so */
    LIMIT_STEPPED,  /* libata came down from a faster speed, in this life of the kernel or before */
    LIMIT_FIRMWARE, /* all ports have it from the start: it is what they are */
    LIMIT_UNTOLD,
    LIMIT_UNREADABLE, /* what would tell cannot be read */
};

/* libata takes the first limit from SControl as firmware, or the kernel before, left it: on all ports it
 * is the machine's; on one of several it is the scar of a fall-back that survived a warm start. */
static enum limit_origin limit_origin(const struct relation *r, const struct sata_wire *w,
                                      uint64_t forced)
{
    unsigned limited, all;

    if (!w->limits_told)
        return LIMIT_UNREADABLE;
    if (!w->limit)
        return LIMIT_NONE;
    if (!w->hw_limit || w->limit < w->hw_limit)
        return LIMIT_STEPPED;
    if (forced)
        return LIMIT_FORCED;
    if (!words_were_seen(r->facts) || !count_limited(r, w, &limited, &all))
        return LIMIT_UNREADABLE;
    return all > 1 && limited == all               ? LIMIT_FIRMWARE
           : all > 1 && limited == 1 && w->pmp < 0 ? LIMIT_STEPPED
                                                   : LIMIT_UNTOLD;
}

/* The initiator's end. Behind a multiplier that is its port, of which nobody tells anything. */
static int relate_near(struct relation *r, struct sata_wire *w, enum limit_origin origin)
{
    struct link *l = w->link;
    bool stepped = origin == LIMIT_STEPPED, is_own = w->pmp < 0;
    const struct controller *chip = is_own ? ata_controller(r, l->host, false) : NULL;
    const struct subject *ahci = is_own ? fact_set_find(r->facts, "ahci_host", l->host->kernel_name)
                                        : NULL;
    unsigned caps = (unsigned)(fact_number_or(ahci, &ATA_AHCI_CAPS, 0) >> 20 & 0xf);
    int e = 0;

    if (chip)
        e = link_add_able(l, WHO_INITIATOR,
                          arena_printf(r->model->arena, "known controller %s", l->host->pci_id),
                          relate_mode(r, describe, chip->best), false);
    if (e == 0)
        e = link_add_able(l, WHO_INITIATOR,
                          stepped ? "ahci_host_caps, and libata stepped down (sata_spd_limit)"
                                  : "ahci_host_caps",
                          sata_mode(r, generation_mbit(caps)), !stepped);
    if (e == 0 && stepped && !chip && !caps)
        e = link_add_able(l, WHO_INITIATOR, "libata stepped down (sata_spd_limit)",
                          sata_mode(r, w->limit * 2), false);
    if (e == 0 && origin == LIMIT_FIRMWARE)
        e = link_add_able(l, WHO_INITIATOR, "hw_sata_spd_limit of every port",
                          sata_mode(r, w->hw_limit), false);
    return e;
}

static int relate_far(struct relation *r, struct sata_wire *w, const struct identify *id)
{
    const struct quirk *quirk = quirk_of("ata", NULL, w->link->far);
    int e = link_add_witness(w->link, WHO_TARGET, "IDENTIFY word 77",
                             sata_mode(r, generation_mbit(id->sata_current)));

    if (e == 0)
        e = link_add_able(w->link, WHO_TARGET, "IDENTIFY word 76",
                          sata_mode(r, generation_mbit(id->sata_highest)), false);
    if (e == 0 && quirk)
        e = link_add_able(w->link, WHO_INITIATOR, quirk->via, relate_mode(r, describe, quirk->best),
                          false);
    return e;
}

/* The initiator's end, and the limits on it. A first limit that nobody is known to have set is part of what
 * the port can do, as far as is known. */
static int relate_limits(struct relation *r, struct sata_wire *w)
{
    const char *via = NULL;
    uint64_t forced = forced_mbit(r, w, &via);
    enum limit_origin origin = limit_origin(r, w, forced);
    int e = relate_near(r, w, origin);

    w->link->limit_unknown = origin == LIMIT_UNREADABLE;
    if (origin == LIMIT_UNTOLD)
        w->link->reason = "it is limited, and who set that limit is not known";
    if (e == 0 && origin == LIMIT_STEPPED && !forced && w->limit < w->hw_limit)
        e = link_add_able(w->link, WHO_INITIATOR, "hw_sata_spd_limit", sata_mode(r, w->hw_limit),
                          true);
    if (e < 0 || !forced)
        return e;
    return link_add_allowed(w->link, WHO_INITIATOR,
                            arena_printf(r->model->arena, "libata.force in %s", via),
                            sata_mode(r, forced));
}

/* The ends of a link and its state: everything but the modes. Returns the IDENTIFY data where the far
 * end has given them. */
static bool relate_ends(struct relation *r, struct sata_wire *w, const struct subject *device,
                        struct identify *ret)
{
    const char *class = fact_text(device, &ATA_CLASS);
    enum ata_presence presence = ata_presence(device);
    bool is_known = ata_identify(device, ret);

    w->link->describe = describe;
    w->link->far = is_known                             ? ata_model(r, ret)
                   : class && strcmp(class, "pmp") == 0 ? "port multiplier"
                                                        : NULL;
    w->link->state = w->speed || presence == ATA_PRESENT ? LINK_UP
                     : presence == ATA_UNTOLD            ? LINK_UNKNOWN
                                                         : LINK_EMPTY;
    if (w->link->state == LINK_UNKNOWN)
        w->link->reason = ATA_UNTOLD_REASON;
    return is_known;
}

/* One wire and the device at its end. */
int ata_relate_sata(struct relation *r, struct host *host, struct sata_wire *w,
                    const struct subject *device)
{
    bool is_slave = w->subject == device, is_known;
    struct identify id;
    char suffix[32];
    int e;

    fact_number(w->subject, &ATA_SPEED, &w->speed);
    fact_number(w->subject, &ATA_LIMIT, &w->limit);
    fact_number(w->subject, &ATA_HW_LIMIT, &w->hw_limit);
    /* The wire of a second device is in no class: nobody tells, nor could. */
    w->limits_told = is_slave ||
                     (is_told(w->subject, &ATA_LIMIT) && is_told(w->subject, &ATA_HW_LIMIT));
    snprintf(suffix, sizeof(suffix),
             is_slave     ? "sata-slave"
             : w->pmp < 0 ? "sata"
                          : "sata.%d",
             w->pmp);
    w->link = ata_add_link(r, host, w->subject, "sata", suffix);
    if (!w->link)
        return -ENOMEM;
    is_known = relate_ends(r, w, device, &id);
    if (w->link->state != LINK_UP)
        return 0;
    e = link_add_witness(w->link, WHO_INITIATOR, "ata_link sata_spd", sata_mode(r, w->speed));
    if (e == 0 && is_known)
        e = relate_far(r, w, &id);
    if (e == 0 && w->link->witnesses.n)
        w->link->actual = w->link->witnesses.v[0].mode;
    return e < 0 ? e : relate_limits(r, w);
}
