/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whose turn it is (schedule.h).
 */
#include "probe/schedule.h"

#include <string.h>

#define DAY_US (UINT64_C(86400) * 1000000)

enum {
    JITTER_PART = 4, /* of the interval: most that a probe is moved by chance */
    BUSY_PART = 24,  /* of the interval: the first wait after a busy end; an hour of a day */
    DOUBLINGS = 10,  /* of a wait, beyond which it is longer than what it is held to */
};

/* Sebastiano Vigna's SplitMix64: one step. */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t mix_text(uint64_t x, const char *text)
{
    for (; text && *text; text++)
        x = mix(x ^ (unsigned char)*text);
    return mix(x);
}

uint64_t schedule_seed(const char *machine_id, const char *device_id)
{
    return mix_text(mix_text(0, machine_id), device_id);
}

/* a + b, or the most that there is. */
static uint64_t add(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* `wait` doubled n times, at most `most`. */
static uint64_t doubled(uint64_t wait, unsigned n, uint64_t most)
{
    for (; n && wait < most && n <= DOUBLINGS; n--)
        wait *= 2;
    return wait < most && n <= DOUBLINGS ? wait : most;
}

static uint64_t interval_of(const struct schedule_state *s, const struct config_probe *config)
{
    return s->may_sleep && config->interval_us < SCHEDULE_SLEEPERS_US ? SCHEDULE_SLEEPERS_US
                                                                      : config->interval_us;
}

/* How long after the last one the next may begin. */
static uint64_t pause_of(const struct schedule_state *s, const struct config_probe *config)
{
    uint64_t interval = interval_of(s, config);

    if (s->failures)
        return doubled(interval, s->failures, interval * SCHEDULE_BACKOFF_MOST);
    if (s->busy)
        return doubled(interval / BUSY_PART, s->busy - 1, interval);
    return interval;
}

/* Where the bytes of that day are spent: the day after it; else the time itself. */
static uint64_t within_budget(const struct schedule_state *s, const struct config_probe *config,
                              uint64_t us)
{
    uint64_t day = us / DAY_US;

    if (day > s->day || s->bytes + config->bytes <= config->per_day)
        return us;
    return (s->day + 1) * DAY_US;
}

static uint64_t due_after(const struct schedule_state *s, const struct config_probe *config,
                          uint64_t wait, uint64_t now_us)
{
    uint64_t last = s->last_us ? s->last_us : s->known_us;

    if (config->per_day < config->bytes)
        return UINT64_MAX;
    return within_budget(s, config, add(last < now_us ? last : now_us, wait));
}

uint64_t schedule_earliest(const struct schedule_state *s, const struct config_probe *config,
                           uint64_t now_us)
{
    return due_after(s, config, s->last_us ? pause_of(s, config) : 0, now_us);
}

uint64_t schedule_due(const struct schedule_state *s, const struct config_probe *config,
                      uint64_t seed, uint64_t now_us)
{
    uint64_t wait = s->last_us ? pause_of(s, config) : 0;
    uint64_t most = (s->busy ? wait : interval_of(s, config)) / JITTER_PART;

    return due_after(s, config, add(wait, most ? mix(seed ^ s->last_us) % most : 0), now_us);
}

void schedule_begin(struct schedule_state *s, uint64_t bytes, uint64_t now_us)
{
    uint64_t day = now_us / DAY_US;

    if (day > s->day) { /* a clock that was set back does not give back what was read */
        s->day = day;
        s->bytes = 0;
    }
    s->bytes = add(s->bytes, bytes);
    s->last_us = now_us;
}

void schedule_finish(struct schedule_state *s, enum schedule_end end, uint64_t reserved,
                     uint64_t bytes)
{
    s->bytes -= reserved < s->bytes ? reserved : s->bytes;
    s->bytes = add(s->bytes, bytes);
    s->busy = end == SCHEDULE_BUSY ? s->busy + 1 : 0;
    s->failures = end == SCHEDULE_FAILED ? s->failures + 1 : 0;
}

static bool same_group(const struct schedule_entry *a, const struct schedule_entry *b)
{
    return strcmp(a->group, b->group) == 0;
}

/* May it begin: due, not running, and neither is anybody of its group, of those that were picked neither? */
static bool may_begin(const struct schedule_entry *entries, size_t n, size_t i, uint64_t now_us,
                      const size_t *picked, size_t n_picked)
{
    if (entries[i].is_running || entries[i].due_us > now_us)
        return false;
    for (size_t k = 0; k < n; k++)
        if (entries[k].is_running && same_group(&entries[k], &entries[i]))
            return false;
    for (size_t k = 0; k < n_picked; k++)
        if (same_group(&entries[picked[k]], &entries[i]))
            return false;
    return true;
}

size_t schedule_pick(const struct schedule_entry *entries, size_t n, uint64_t now_us, size_t *ret,
                     size_t max)
{
    size_t n_picked = 0;

    while (n_picked < max) {
        size_t best = n;

        for (size_t i = 0; i < n; i++)
            if ((best == n || entries[i].due_us < entries[best].due_us) &&
                may_begin(entries, n, i, now_us, ret, n_picked))
                best = i;
        if (best == n)
            break;
        ret[n_picked++] = best;
    }
    return n_picked;
}
