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

enum {
    SECTOR = 512, /* of `stat`, whatever the disk's is (Documentation/block/stat.rst) */
    KIB = 1024,
    LET_PASS_COMMANDS = 4,
    LET_PASS_BYTES = 64 * KIB,
    LET_PASS_PARTS = 50, /* one part of so many of our own: 2 % */
};

/* A small file as text. False where it cannot be read. */
static bool read_text(struct source *s, int *r, const char *hctl, const char *file, char *buffer,
                      size_t size)
{
    struct value v;
    char path[512];

    if (*r < 0 || (size_t)snprintf(path, sizeof(path), "/sys/bus/scsi/devices/%s/%s", hctl, file) >=
                      sizeof(path))
        return false;
    *r = source_read(s, path, size - 1, &v);
    if (*r < 0 || v.error || v.bytes.len >= size)
        return false;
    memcpy(buffer, v.bytes.len ? v.bytes.data : (const uint8_t *)"", v.bytes.len);
    buffer[v.bytes.len] = '\0';
    return true;
}

/* The file `stat` of its disk. False where it has none. */
static bool find_stat(struct source *s, int *r, const char *hctl, char *file, size_t size)
{
    _cleanup_(names_done) struct names disks = { 0 };
    char dir[128];

    if (*r < 0 ||
        (size_t)snprintf(dir, sizeof(dir), "/sys/bus/scsi/devices/%s/block", hctl) >= sizeof(dir))
        return false;
    *r = source_list(s, dir, "", &disks);
    return *r == 0 && !disks.error && disks.n == 1 &&
           (size_t)snprintf(file, size, "block/%s/stat", disks.v[0]) < size;
}

static int look(struct source *s, const char *hctl, struct watch_sample *ret)
{
    char text[512], done[64], file[300];
    int r = 0;

    *ret = (struct watch_sample){ 0 };
    if (read_text(s, &r, hctl, "iorequest_cnt", text, sizeof(text)) &&
        read_text(s, &r, hctl, "iodone_cnt", done, sizeof(done)))
        watch_parse_counts(text, done, ret);
    if (find_stat(s, &r, hctl, file, sizeof(file)) &&
        read_text(s, &r, hctl, file, text, sizeof(text)))
        watch_parse_stat(text, ret);
    return r;
}

int others_begin(struct source *s, const char *hctl, struct others *o)
{
    o->words[0] = '\0';
    return look(s, hctl, &o->before);
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

    if (m->error || m->disturbed)
        return 0;
    r = look(s, m->hctl, &o->after);
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
