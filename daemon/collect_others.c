/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Others at work beside a measurement (collect_others.h).
 *
 * A little is let pass: the kernel counts a command anew that the host had no room for (drivers/scsi/scsi_lib.c), and
 * whoever polls SMART or a door sends one now and then. Neither moves a rate that is known to a few per cent.
 */
#include "daemon/collect_others.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "live/measure_way.h"
#include "probe/session.h"

enum {
    SECTOR = 512, /* of `stat`, whatever the disk's is (Documentation/block/stat.rst) */
    KIB = 1024,
    LET_PASS_COMMANDS = 4,
    LET_PASS_BYTES = 64 * KIB,
    LET_PASS_PARTS = 50, /* one part of so many of our own: 2 % */
};

int others_begin(struct source *s, const struct subject *device, struct others *o)
{
    o->words[0] = '\0';
    o->device = device && device->host ? device : NULL;
    o->before = (struct watch_sample){ 0 };
    return o->device ? session_look(s, o->device, &o->before) : 0;
}

static void compare_commands(struct others *o, const struct measurement *m)
{
    /* Repeated reads are among `commands`. The counters wrap. */
    uint64_t own = m->commands + m->asked + m->beside,
             all = (uint32_t)(o->after.requested - o->before.requested),
             others = all > own ? all - own : 0;

    if (others > LET_PASS_COMMANDS && others > own / LET_PASS_PARTS)
        snprintf(o->words, sizeof(o->words), "%" PRIu64 " commands of others came between", others);
}

static void compare_sectors(struct others *o, const struct measurement *m)
{
    uint64_t all = o->after.moved > o->before.moved ? (o->after.moved - o->before.moved) * SECTOR
                                                    : 0,
             others = all > m->bytes ? all - m->bytes : 0;

    if (others > m->bytes / LET_PASS_PARTS + LET_PASS_BYTES)
        snprintf(o->words, sizeof(o->words), "others read or wrote %" PRIu64 " KiB meanwhile",
                 others / KIB);
}

int others_end(struct source *s, struct others *o, struct measurement *m)
{
    const struct way *way = way_of(measure_method_named(m->method)->way);
    int r;

    if (m->error || m->disturbed || !o->device)
        return 0;
    r = session_look(s, o->device, &o->after);
    if (r < 0)
        return r;
    if (!way->is_block && o->before.has_counts && o->after.has_counts)
        compare_commands(o, m);
    else if (way->is_block && !way->is_buffered && o->before.has_stat && o->after.has_stat)
        compare_sectors(o, m);
    if (o->words[0])
        m->disturbed = o->words;
    return 0;
}
