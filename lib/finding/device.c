/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings about devices that do not answer (judge.h). Those that read slowly are in reads.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "facts/key.h"
#include "finding/judge.h"

/* ---- device-stuck ---- */

/* Commands of ours that were not answered in time, and the first of them. */
static unsigned count_unanswered(const struct device *d, const struct fact **ret_first)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < d->subject->n_facts; i++) {
        const struct fact *f = &d->subject->facts[i];

        if (f->quality != QUALITY_TIMED_OUT)
            continue;
        *ret_first = n++ ? *ret_first : f;
    }
    return n;
}

/* Commands of anybody that timed out since the first look within the threshold's time, or the last look
 * where that is longer ago: a total says nothing. */
static uint64_t count_timed_out(const struct judging *j, const struct device *d)
{
    struct snapshot now = judge_now(j);
    uint64_t count, before = 0;
    bool is_known = false;

    if (!fact_number(d->subject, &KEY_IOTMO, &count))
        return 0;
    for (size_t i = j->history->snapshots.n; i; i--) {
        const struct snapshot *s = &j->history->snapshots.v[i - 1];
        const struct past *p = snapshot_device(s, d->id);

        if (!p || !p->has_count || snapshot_unread(s, d->host->id))
            continue;
        if (!snapshot_same_boot(s, &now) || (is_known && judge_ago(j, s) > j->thresholds.stuck_us))
            break;
        before = p->count;
        is_known = true;
    }
    return is_known && count > before ? count - before : 0;
}

/* Is it not known whether the way through a network is up: the link into it, or the remote port? */
static bool is_way_unclear(const struct judging *j, const struct device *d)
{
    if (d->link && d->link->far_is_network && d->link->state == LINK_UNKNOWN)
        return true;
    for (size_t i = 0; d->remote && i < j->model->remotes.n; i++)
        if (strcmp(j->model->remotes.v[i].id, d->remote) == 0)
            return j->model->remotes.v[i].is_unclear;
    return d->remote != NULL;
}

/* Is it explained: its link is down or switched off, or its path is lost? Where the way is not known, that may
 * be what its transport has to say of the device. */
static bool is_explained(const struct judging *j, const struct device *d, const char *state)
{
    if (strcmp(state, "offline") != 0 && is_way_unclear(j, d))
        return true;
    for (const struct link *l = d->link; l; l = l->up)
        if (l->state == LINK_DOWN || l->state == LINK_DISABLED)
            return true;
    return d->remote && judge_is_named(j, d->remote, (const char *const[]){ "path-lost", NULL });
}

/* Has the kernel given the device up: states that recovery ends in, drivers/scsi/scsi_error.c; blocked, while
 * the host is in no recovery, means that nothing goes to it any more. */
static bool is_given_up(const struct judging *j, const struct device *d, const char *state)
{
    bool recovers = d->host && d->host->state && strstr(d->host->state, "recovery");

    if (!state || is_explained(j, d, state))
        return false;
    return strcmp(state, "offline") == 0 || strcmp(state, "transport-offline") == 0 ||
           (strcmp(state, "blocked") == 0 && !recovers);
}

static int add_stuck(struct judging *j, const struct device *d, const char *given_up,
                     const struct fact *first, uint64_t n)
{
    const char *state = fact_text(d->subject, &KEY_STATE), *name = judge_device_name(j, d);
    struct finding *f = judge_add(j, "device-stuck");
    int r = f ? judge_subject_device_and_link(j, f, d) : -ENOMEM;

    if (r == 0)
        r = judge_evidence(f, "state", state, "scsi_device");
    if (r == 0 && first)
        r = judge_evidence(f, "not answered", first->why ? first->why : "timed out", first->origin);
    if (r == 0 && n)
        r = judge_evidence(f, "commands timed out", arena_printf(j->arena, "%" PRIu64, n), NULL);
    if (r < 0)
        return r;
    return given_up ? judge_say(j, f, "%s is %s: the kernel has given it up", name, state)
                    : judge_say(j, f, "%s has not answered %" PRIu64 " commands", name, n);
}

int judge_stuck(struct judging *j)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->devices.n; i++) {
        const struct device *d = j->model->devices.v[i];
        const char *state = fact_text(d->subject, &KEY_STATE);
        const char *given_up = is_given_up(j, d, state) ? state : NULL;
        const struct fact *first = NULL;
        uint64_t unanswered = count_unanswered(d, &first), n = count_timed_out(j, d);

        n = n > unanswered ? n : unanswered;
        if (given_up || n >= j->thresholds.stuck_timeouts)
            r = add_stuck(j, d, given_up, first, n);
    }
    return r;
}
