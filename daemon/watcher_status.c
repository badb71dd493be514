/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the watcher is doing (manager.h).
 */
#include "base/json_write.h"
#include "daemon/watcher.h"

static const char *state_of(const struct watcher *w)
{
    if (!w->process)
        return w->why ? "failed" : "waiting";
    return w->at && w->at_what != WATCH_AT_COUNTERS ? "reading" : "watching";
}

static void time_or_null(struct json_writer *w, const char *key, uint64_t wall_us)
{
    json_write_key(w, key);
    if (wall_us)
        json_write_u64(w, wall_us / SECOND_US);
    else
        json_write_null(w);
}

/* Of adapters that are not watched. */
static uint64_t unwatched(const struct manager *m)
{
    uint64_t n = 0;

    for (size_t i = 0; i < m->adapters.n; i++)
        n += !m->adapters.v[i]->is_watched;
    return n;
}

void watcher_status(const struct manager *m, struct json_writer *json)
{
    const struct watcher *w = m->watcher;

    if (!w) {
        json_write_null(json);
        return;
    }
    json_write_begin_object(json);
    json_write_text_member(json, "state", state_of(w));
    json_write_text_member(json, "why", w->process ? NULL : w->why);
    time_or_null(json, "last", w->round_wall_us);
    time_or_null(json, "next",
                 w->process && w->round_wall_us ? w->round_wall_us + m->config.daemon.watch_us : 0);
    json_write_u64_member(json, "rounds", w->rounds);
    json_write_u64_member(json, "files", (uint64_t)w->last.files);
    json_write_u64_member(json, "reads", w->before_reads + (uint64_t)w->last.reads);
    json_write_u64_member(json, "costly", w->before_costly + (uint64_t)w->last.costly);
    json_write_u64_member(json, "asleep", (uint64_t)w->last.asleep);
    json_write_u64_member(json, "cpu_us", w->before_cpu_us + (uint64_t)w->last.cpu_us);
    json_write_u64_member(json, "behind_ms", (uint64_t)w->last.behind_us / 1000);
    json_write_u64_member(json, "stuck", w->stuck);
    json_write_u64_member(json, "unwatched", unwatched(m));
    json_write_end_object(json);
}
