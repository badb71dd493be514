/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measuring: every method with every block and every depth, one cell after the other.
 *
 * Before a cell its devices are told to the reader, while it runs what has come of each, after it the results.
 * Who may be measured is decided from sysfs before any node is opened; rotating disks are asked whether they
 * sleep first. Two things this program decides for people who name a device: it counts as named, and reads
 * are switched on for it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/collect.h"
#include "daemon/collect_others.h"
#include "decode/sense.h"
#include "facts/key.h"
#include "live/measure_node.h"
#include "source/capture.h"

struct session {
    const struct measuring *asked;
    const struct tiers *tiers;
    struct source *live;
    struct fact_set *facts; /* the targets' texts live in it */
    struct measure_device devices[ELEMENTS(((struct measuring *)NULL)->devices)];
    struct measurement results[ELEMENTS(((struct measuring *)NULL)->devices)];
    struct others others[ELEMENTS(((struct measuring *)NULL)->devices)]; /* beside the results */
    struct measure_engine *engine;
    struct capture_progress at; /* the cell under way */
    bool some_cut, some_whole;  /* with it: blocks were smaller than asked for; were not */
};

static int flush(int r)
{
    if (r == 0 && fflush(stdout) != 0)
        r = -errno;
    return r;
}

/* ---- who may be measured ---- */

static size_t number_of(const struct session *s, const char *hctl)
{
    size_t i = 0;

    while (i < s->asked->n_devices && strcmp(s->asked->devices[i], hctl) != 0)
        i++;
    return i;
}

/* For gather(): what is known of each device. */
static int take_target(void *userdata, const struct subject *device,
                       const struct command_target *target)
{
    struct session *s = userdata;
    size_t i = number_of(s, device->name);

    if (i == s->asked->n_devices)
        return 0;
    s->devices[i] = (struct measure_device){ .target = *target };
    s->devices[i].target.flags |= TARGET_NAMED | TARGET_READS;
    if (s->asked->forced) {
        s->devices[i].target.flags |= TARGET_FORCED;
        s->devices[i].target.flags &= ~(unsigned)TARGET_ASLEEP;
    }
    return 0;
}

/* Of the same host, channel and target? */
static bool same_target(const char *a, const char *b)
{
    const char *end = strrchr(a, ':');
    size_t n = end ? (size_t)(end - a) + 1 : 0;

    return strncmp(a, b, n) == 0;
}

/* Is the same medium behind another target too? Then it is an array's, or has two ports, and a read by the
 * wrong one may move it. */
static bool has_another_path(const struct session *s, const struct subject *device)
{
    const char *wwid = fact_text(device, &KEY_WWID), *other;

    for (const struct subject *d = fact_set_first(s->facts, "scsi_device"); wwid && d;
         d = d->next_of_class) {
        other = same_target(device->name, d->name) ? NULL : fact_text(d, &KEY_WWID);
        if (other && strcmp(other, wwid) == 0)
            return true;
    }
    return false;
}

static bool says_that_it_sleeps(const struct answer *a)
{
    struct sense sense = { 0 };

    return !a->error && !a->host_status && !a->status && sense_decode(a->data, &sense) == 0 &&
           sense_is_low_power(&sense);
}

static int ask_whether_awake(struct session *s, struct measure_device *d)
{
    struct command c = command_request_sense();
    struct capture_progress at = { d->target.hctl, { c.cdb, c.cdb_len } };
    struct answer a;
    int r = flush(capture_write_progress(&at, stdout));

    if (r == 0)
        r = source_command(s->live, &d->target, &c, &a);
    if (r == 0)
        r = collect_sent(d->target.hctl, &c, &a);
    /* What could not be sent will not be read either, for a reason that the engine gives. */
    if (r == 0 && (a.error == ETIMEDOUT || a.error == EIO || a.host_status)) {
        d->error = a.error ? a.error : EIO;
        d->why = "it did not say whether it sleeps";
    } else if (r == 0 && says_that_it_sleeps(&a)) {
        d->target.flags |= TARGET_ASLEEP;
    }
    return r;
}

/* Of a device that is there: what was not known before all others were seen. */
static int examine(struct session *s, struct measure_device *d, const struct subject *subject)
{
    enum config_tier tier = tiers_of(s->tiers, d->target.hctl, fact_text(subject, &KEY_TIER));

    if (has_another_path(s, subject))
        d->target.flags |= TARGET_ARRAY;
    if (!s->live->asking_costs) {
        d->error = EOPNOTSUPP;
        d->why = "a copied tree cannot be measured";
    } else if (tier < CONFIG_TIER_READ) {
        d->error = EPERM;
        d->why = tier == CONFIG_TIER_IDENTIFY
                     ? "the configuration or udev allows no reads of it: its tier is identify"
                     : "the configuration or udev allows no commands to it: its tier is sysfs";
    } else if (!s->asked->forced && device_type_is_disk(d->target.type) &&
               fact_number_or(subject, &KEY_ROTATIONAL, 1)) {
        return ask_whether_awake(s, d);
    }
    return 0;
}

static int find_devices(struct session *s)
{
    struct gather_options options = {
        .level = LEVEL_ALL, .unasked = true, .tiers = s->tiers, .target = take_target, .userdata = s
    };
    int r;

    for (size_t i = 0; i < s->asked->n_devices; i++)
        s->devices[i] = (struct measure_device){ .target = { .hctl = s->asked->devices[i],
                                                             .type = -1 },
                                                 .error = ENODEV,
                                                 .why = "there is no such device" };
    r = gather(s->live, &options, &s->facts);
    for (size_t i = 0; r == 0 && i < s->asked->n_devices; i++) {
        const struct subject *d = fact_set_find(s->facts, "scsi_device", s->devices[i].target.hctl);

        if (d && !s->devices[i].error)
            r = examine(s, &s->devices[i], d);
    }
    return r;
}

/* ---- cells ---- */

static int tell(const struct session *s, size_t device, uint64_t bytes)
{
    struct capture_progress at = s->at;

    at.hctl = s->devices[device].target.hctl;
    at.bytes = bytes;
    return flush(capture_write_progress(&at, stdout));
}

static int tell_progress(void *userdata, size_t device, uint64_t bytes)
{
    return tell(userdata, device, bytes);
}

/* READ BUFFER reads no more than the buffer has: were the blocks cut to it? */
static void take_blocks(struct session *s, uint64_t asked, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct measurement *m = &s->results[i];

        s->some_cut |= !m->error && m->block_bytes < asked;
        s->some_whole |= !m->error && m->block_bytes >= asked;
    }
}

/* The devices first … first + n - 1. */
static int measure_cell(struct session *s, const struct measure_request *request, size_t first,
                        size_t n)
{
    int r = 0;

    s->at.cell++;
    for (size_t i = 0; r == 0 && i < n; i++)
        r = tell(s, first + i, 0);
    for (size_t i = 0; r == 0 && i < n; i++)
        r = others_begin(s->live,
                         fact_set_find(s->facts, "scsi_device", s->devices[first + i].target.hctl),
                         &s->others[i]);
    if (r == 0)
        r = measure_engine_run(s->engine, request, first, n, s->results);
    for (size_t i = 0; r == 0 && i < n; i++)
        r = others_end(s->live, &s->others[i], &s->results[i]);
    take_blocks(s, request->block_bytes, n);
    if (r == 0)
        r = flush(capture_write_measures(s->results, n, stdout));
    return r;
}

static int measure_all(struct session *s, const struct measure_request *request)
{
    int r = 0;

    if (!s->asked->alone)
        return measure_cell(s, request, 0, s->asked->n_devices);
    for (size_t i = 0; r == 0 && i < s->asked->n_devices; i++)
        r = measure_cell(s, request, i, 1);
    return r;
}

/* What the cell is called in progress. The command without its place: that is asked for only then. */
static void begin_cells(struct session *s, const struct measure_method *method, uint64_t block,
                        uint64_t depth)
{
    static const uint8_t READ[10] = { OP_READ_10 }, BUFFER[10] = { OP_READ_BUFFER_10, 0x02 };

    s->some_cut = s->some_whole = false;
    s->at.method = method->name;
    s->at.block_bytes = block;
    s->at.depth = depth;
    s->at.cdb = (struct bytes){ 0 };
    if (!way_of(method->way)->is_block)
        s->at.cdb = (struct bytes){ method->what == MEASURE_READ_BUFFER ? BUFFER : READ, 10 };
}

/* Every block and depth of a method. Where all devices have cut a block to their buffers, a larger one would come out as the
 * same again: it is left out. */
static int measure_by(struct session *s, const struct measure_method *method)
{
    const struct measuring *m = s->asked;
    uint64_t enough = UINT64_MAX;
    int r = 0;

    for (size_t i = 0; r == 0 && i < m->n_blocks * m->n_depths; i++) {
        struct measure_request request = {
            .method = method->name,
            .block_bytes = m->blocks[i / m->n_depths],
            .depth = (unsigned)m->depths[i % m->n_depths],
            .total_bytes = m->bytes,
            .longest_us = m->longest_us,
            .cold = m->cold,
            .random = m->random,
            .seed = m->seed,
        };

        if (request.block_bytes > enough) {
            s->at.cell += m->alone ? m->n_devices : 1;
            continue;
        }
        begin_cells(s, method, request.block_bytes, request.depth);
        r = measure_all(s, &request);
        if (s->some_cut && !s->some_whole)
            enough = request.block_bytes;
    }
    return r;
}

static int measure_cells(struct session *s)
{
    const struct measuring *m = s->asked;
    size_t n = m->n_methods * m->n_blocks * m->n_depths;
    int r = 0;

    s->at = (struct capture_progress){ .cells = n * (m->alone ? m->n_devices : 1) };
    for (size_t i = 0; r == 0 && i < m->n_methods; i++)
        r = measure_by(s, m->methods[i]);
    return r;
}

int collect_measures(struct source *live, const struct measuring *m, const struct tiers *tiers)
{
    _cleanup_free_ struct session *s = calloc(1, sizeof(*s));
    struct measure_options options = { .system = &MEASURE_SYSTEM,
                                       .user = live,
                                       .source = live,
                                       .patience_us = m->patience_s * 1000000,
                                       .progress = tell_progress,
                                       .userdata = s };
    int r;

    if (!s)
        return -ENOMEM;
    s->asked = m;
    s->live = live;
    s->tiers = tiers;
    r = find_devices(s);
    if (m->cold)
        options.cache_bytes = measure_cache_bytes(live);
    s->engine = r == 0 ? measure_engine_new(&options, s->devices, m->n_devices) : NULL;
    if (r == 0)
        r = s->engine ? measure_cells(s) : -ENOMEM;
    if (r == 0)
        r = flush(capture_write_end(stdout));
    measure_engine_free(s->engine);
    fact_set_free(s->facts);
    return r;
}
