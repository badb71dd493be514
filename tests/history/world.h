/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A machine that lives: links that fall, come back, train low, get other ends, and count, all from one seed. Its whole
 * past is kept as snapshots, to compare with what a database makes of it.
 */
#pragma once

#include "../unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/history.h"
#include "daemon/look.h"

static const uint64_t SECOND_US = 1000000, MINUTE_US = 60 * SECOND_US, HOUR_US = 60 * MINUTE_US,
                      DAY_US = 24 * HOUR_US;

static const struct fact_key WORLD_ERRORS = { "errors", FACT_NUMBER, FACT_ERRORS };
static const struct fact_key WORLD_MOVED = { "moved", FACT_NUMBER, FACT_MEGABYTES };

enum { WORLD_LINKS = 12 };

struct world {
    struct history *truth;
    uint64_t random, wall_us, mono_us;
    unsigned kernel_number; /* another one after each boot */
    struct world_link {
        bool is_there;
        enum link_state state;
        unsigned lanes, speed, far;
        uint64_t errors, moved;
    } links[WORLD_LINKS];
};

static inline uint64_t world_random(struct world *w, uint64_t below)
{
    /* xorshift64*: Marsaglia 2003, Vigna 2016 */
    w->random ^= w->random >> 12;
    w->random ^= w->random << 25;
    w->random ^= w->random >> 27;
    return (w->random * UINT64_C(2685821657736338717) >> 33) % below;
}

static inline struct world world_new(uint64_t seed)
{
    struct world w = { .truth = history_new(),
                       .random = seed * 2 + 1,
                       .wall_us = 1000 * DAY_US,
                       .mono_us = MINUTE_US };

    assert_non_null(w.truth);
    for (unsigned i = 0; i < WORLD_LINKS; i++)
        w.links[i] = (struct world_link){ true, LINK_UP, 1, 3, i, 0, 0 };
    return w;
}

static inline void world_done(struct world *w)
{
    history_free(w->truth);
}

/* Numbered text. */
#define world_text(w, ...)                                                \
    ({                                                                    \
        const char *_text = arena_printf((w)->truth->arena, __VA_ARGS__); \
        assert_non_null(_text);                                           \
        _text;                                                            \
    })

static inline struct sample world_sample(struct world *w, unsigned i)
{
    const struct world_link *l = &w->links[i];
    struct sample s = { .id = world_text(w, "pci-0000:01:00.0-phy-%02u", i),
                        .kernel_name = world_text(w, "phy-%u:%u", w->kernel_number, i),
                        .host_id = "pci-0000:01:00.0",
                        .state = l->state,
                        .path = world_text(w, "/sys/devices/host%u/phy-%u", w->kernel_number, i),
                        .class_name = "sas_phy" };

    if (l->state != LINK_EMPTY) {
        s.far = "DISK";
        s.far_id = world_text(w, "wwn-%u", l->far);
    }
    if (l->state == LINK_UP) {
        s.known = true;
        s.rate = (struct rate){ l->lanes, 0, 75000ull << l->speed };
        s.label = world_text(w, "%u x %u", l->lanes, 75u << l->speed);
    }
    s.counters = arena_new_array(w->truth->arena, struct counter_sample, 2);
    assert_non_null(s.counters);
    s.counters[0] = (struct counter_sample){ &WORLD_ERRORS, l->errors };
    s.counters[1] = (struct counter_sample){ &WORLD_MOVED, l->moved };
    s.n_counters = 2;
    return s;
}

/* Looks at it: the newest snapshot of the truth. */
static inline const struct snapshot *world_look(struct world *w)
{
    struct arena *a = w->truth->arena;
    struct snapshot s = { .hostname = "world", .wall_us = w->wall_us, .mono_us = w->mono_us };

    struct sample *links = arena_new_array(a, struct sample, WORLD_LINKS);
    struct past *pasts = arena_new_array(a, struct past, WORLD_LINKS + 1);

    s.links = arena_new_array(a, const struct sample *, WORLD_LINKS);
    s.hosts = arena_new_array(a, const struct past *, 1);
    s.devices = arena_new_array(a, const struct past *, WORLD_LINKS);
    assert_true(links && pasts && s.links && s.hosts && s.devices);
    pasts[WORLD_LINKS] =
        (struct past){ .id = "pci-0000:01:00.0", .pci_id = "1000:0097", .has_count = true };
    s.hosts[s.n_hosts++] = &pasts[WORLD_LINKS];
    for (unsigned i = 0; i < WORLD_LINKS; i++) {
        const struct world_link *l = &w->links[i];

        if (!l->is_there)
            continue;
        links[i] = world_sample(w, i);
        s.links[s.n_links++] = &links[i];
        if (l->state != LINK_UP)
            continue;
        pasts[i] = (struct past){ .id = world_text(w, "pci-0000:01:00.0-phy-%02u-lun-0", i),
                                  .kernel_name = world_text(w, "%u:0:%u:0", w->kernel_number, i),
                                  .link_id = links[i].id };
        s.devices[s.n_devices++] = &pasts[i];
    }
    assert_int_equal(vec_push(&w->truth->snapshots, s), 0);
    return &w->truth->snapshots.v[w->truth->snapshots.n - 1];
}

/* Time goes on, and something may happen. */
static inline void world_live(struct world *w, uint64_t us)
{
    struct world_link *l = &w->links[world_random(w, WORLD_LINKS)];

    w->wall_us += us;
    w->mono_us += us;
    switch (world_random(w, 12)) {
    case 0:
        l->state = l->state == LINK_UP ? LINK_EMPTY : LINK_UP;
        break;
    case 1:
        l->speed = (unsigned)world_random(w, 4);
        break;
    case 2:
        l->far = 100 + (unsigned)world_random(w, 3);
        break;
    case 3:
        l->is_there = !l->is_there;
        break;
    case 4:
    case 5:
        l->errors += world_random(w, 1000);
        break;
    case 6:
        l->lanes = 1 + (unsigned)world_random(w, 4);
        break;
    default:
        break;
    }
    w->links[world_random(w, 3)].moved += 100;
}

static inline void world_reboot(struct world *w)
{
    w->mono_us = MINUTE_US;
    w->kernel_number++;
    for (unsigned i = 0; i < WORLD_LINKS; i++)
        w->links[i].errors = w->links[i].moved = 0;
}

/* What the newest snapshot is after the one before it. */
static inline void world_newest(struct world *w, bool whole, struct look *ret)
{
    size_t n = w->truth->snapshots.n;

    assert_true(n > 0);
    assert_int_equal(look_between(whole || n < 2 ? NULL : &w->truth->snapshots.v[n - 2],
                                  &w->truth->snapshots.v[n - 1], ret),
                     0);
}

static inline int world_put(struct world *w, struct history_db *db, bool whole)
{
    struct record record = { .kind = RECORD_LOOK, .n = 1 };
    int r;

    world_newest(w, whole, &record.look);
    r = history_db_append(db, &record, 1);
    look_done(&record.look);
    return r;
}

/* ---- databases of tests ---- */

struct place {
    char dir[64], path[96];
};

static inline struct place place_new(void)
{
    struct place p;

    snprintf(p.dir, sizeof(p.dir), "%s/hbad-history-XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    assert_non_null(mkdtemp(p.dir));
    snprintf(p.path, sizeof(p.path), "%s/history.sqlite", p.dir);
    return p;
}

static inline void place_done(const struct place *p)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", p->dir);
    assert_int_equal(system(command), 0);
}

static inline struct history_db *place_open_noted(const struct place *p, uint64_t now_us,
                                                  char **ret_note)
{
    struct history_db *db = NULL;

    assert_int_equal(history_db_open(p->path, &HISTORY_LIMITS, now_us, &db, ret_note), 0);
    return db;
}

static inline struct history_db *place_open(const struct place *p, uint64_t now_us)
{
    char *note = NULL;
    struct history_db *db = place_open_noted(p, now_us, &note);

    assert_null(note);
    return db;
}

static inline int take_look(void *userdata, const struct look *look)
{
    return look_apply(userdata, look);
}

/* The past as a database gives it. */
static inline struct history *past_of(struct history_db *db, uint64_t now_us)
{
    struct load_record load = { now_us, 12 * HOUR_US, 15 * MINUTE_US };
    struct history *h = history_new();

    assert_non_null(h);
    assert_int_equal(history_db_looks(db, &load, take_look, h), 0);
    return h;
}

/* Is what is rebuilt as it was: every object, and, where `counts`, every counter? */
static inline void assert_same(const struct snapshot *truth, const struct snapshot *rebuilt,
                               bool counts)
{
    struct look look;

    assert_non_null(truth);
    if (!truth) /* the compiler does not know that it does not come here */
        return;
    assert_int_equal(look_between(rebuilt, truth, &look), 0);
    assert_int_equal(look.objects.n, 0);
    if (counts)
        assert_int_equal(look.counts.n, 0);
    look_done(&look);
    if (rebuilt->wall_us == truth->wall_us && rebuilt->mono_us)
        assert_int_equal(rebuilt->mono_us, truth->mono_us);
}

static inline const struct snapshot *truth_at(const struct world *w, uint64_t wall_us)
{
    for (size_t i = w->truth->snapshots.n; i; i--)
        if (w->truth->snapshots.v[i - 1].wall_us == wall_us)
            return &w->truth->snapshots.v[i - 1];
    return NULL;
}
