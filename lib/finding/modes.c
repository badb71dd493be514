/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings about the modes of links (judge.h): which code says it, and at which place.
 *
 * Of the codes that could name the cause of one slow link, one wins; the order is that of code_of().
 * Links that are slow in the same way for the same reason share a finding at what they share.
 */
#include "finding/judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "expect/expect.h"
#include "facts/key.h"

enum { TOGETHER_MIN = 3 }; /* so many links alike, and no other, point at what they share */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* What set the expectation first. */
static enum who setter_of(const struct link *l)
{
    return l->expected_from.n ? l->expected_from.v[0].who : _WHO_MAX;
}

/* The code for a link that is below; NULL for any other. */
static const char *code_of(const struct link *l)
{
    if (l->verdict != VERDICT_BELOW)
        return NULL;
    if (l->impaired.code)
        return l->impaired.code;
    if (!l->actual.rate.lane_kb_per_s)
        return "async";
    if (l->actual.rate.lanes < l->expected.rate.lanes)
        return "width-below-expected";
    if (setter_of(l) == WHO_HISTORY)
        return "slower-than-before";
    return setter_of(l) == WHO_SIBLING ? "slower-than-sibling" : "rate-below-expected";
}

static bool is_slot(const struct link *l)
{
    return l->host && l == l->host->slot;
}

static bool same_mode(const struct link *a, const struct link *b)
{
    return a->actual.rate.lanes == b->actual.rate.lanes &&
           a->actual.rate.lane_kb_per_s == b->actual.rate.lane_kb_per_s;
}

/* Could the link go faster than that one does, by what its ends say? */
static bool could_beat(const struct link *l, const struct link *slow)
{
    return l->state == LINK_UP && l->expected.known &&
           rate_compare(l->expected.rate, slow->actual.rate) > 0;
}

/* ---- evidence ---- */

static int add_claims(struct judging *j, struct finding *f, const char *what, const struct claim *c,
                      size_t n)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < n; i++)
        r = judge_evidence(f, what, judge_mode(j, &c[i].mode), c[i].via);
    return r;
}

/* Earlier modes of the link: how it came down. */
static int add_history(struct judging *j, struct finding *f, const struct link *l)
{
    const struct rate *last = &l->actual.rate;
    int r = 0;

    for (size_t i = j->history->snapshots.n; r == 0 && i; i--) {
        const struct sample *s = snapshot_link(&j->history->snapshots.v[i - 1], l->id);
        struct mode mode = { .known = true };

        if (!s || s->state != LINK_UP || !s->known || rate_compare(s->rate, *last) == 0)
            continue;
        mode.rate = s->rate;
        mode.label = s->label;
        r = judge_evidence(f, "earlier", judge_mode(j, &mode), "an earlier capture");
        last = &s->rate;
    }
    return r;
}

static int add_evidence(struct judging *j, struct finding *f, const struct link *l)
{
    int r = 0;

    if (l->impaired.code)
        r = judge_evidence(f, l->impaired.what, l->impaired.value, l->impaired.from);
    if (r == 0)
        r = add_claims(j, f, "runs at", l->witnesses.v, l->witnesses.n);
    if (r == 0)
        r = add_claims(j, f, "could do", l->expected_from.v, l->expected_from.n);
    return r < 0 ? r : add_history(j, f, l);
}

/* ---- findings about several links ---- */

/* A set of links of one cause: those that `belongs` says so of. */
struct group {
    const struct link *first; /* of them all */
    const char *code;
    bool *done; /* one a link of the model */
};

static bool in_group(const struct group *g, const struct link *l)
{
    return same_text(code_of(l), g->code) && same_mode(l, g->first) && l->host == g->first->host;
}

/* All links of the group that hang below `up` (NULL: anywhere), as subjects. */
static int add_members(struct judging *j, struct finding *f, struct group *g, const struct link *up)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];

        if (g->done[i] || is_slot(l) || !in_group(g, l) || (up && l->up != up))
            continue;
        g->done[i] = true;
        r = judge_subject_link(j, f, l);
    }
    return r;
}

/* Is every link of the host (below `up`, where given) that could go faster one of the group? Their number,
 * or 0 where one is not. */
static size_t all_alike(const struct judging *j, const struct group *g, const struct link *up)
{
    size_t n = 0;

    for (size_t i = 0; i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];

        if (l->host != g->first->host || is_slot(l) || l->bundle || (up && l->up != up))
            continue;
        if (in_group(g, l) && !g->done[i])
            n++;
        else if (could_beat(l, g->first))
            return 0;
    }
    return n;
}

/* Is another channel with the same chip and driver free of the limit? Then it is not the driver. */
static bool other_channel_is_fine(const struct judging *j, const struct link *slow)
{
    for (size_t i = 0; i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];

        if (l->host && l->host != slow->host && same_text(l->host->driver, slow->host->driver) &&
            same_text(l->host->pci_id, slow->host->pci_id) && !is_slot(l) && l->state == LINK_UP &&
            rate_compare(l->actual.rate, slow->actual.rate) > 0)
            return true;
    }
    return false;
}

/* What the links of a limited host share besides their cable. */
static int add_shared(struct judging *j, struct finding *f, const struct link *l)
{
    uint64_t built_in;
    int r = judge_evidence(f, "driver", l->host->driver, "host");

    if (r == 0 && l->host->module && fact_number(l->host->module, &KEY_BUILT_IN, &built_in))
        r = judge_evidence(f, "driver is", built_in ? "built into the kernel" : "a module",
                           l->host->module->path);
    if (r == 0 && l->host->firmware)
        r = judge_evidence(f, "firmware", l->host->firmware, "host");
    for (size_t i = 0; r == 0 && i < l->host->parameters.n; i++)
        r = judge_evidence(f, l->host->parameters.v[i].name, l->host->parameters.v[i].value,
                           l->host->parameters.v[i].from);
    if (r == 0)
        r = judge_evidence(
            f, "another channel of the same chip and driver",
            other_channel_is_fine(j, l)
                ? "is not limited: cable, connector or terminator first"
                : "is not there, or limited too: driver, parameters or firmware first",
            NULL);
    return r;
}

static int host_wide(struct judging *j, struct group *g)
{
    const struct link *l = g->first;
    size_t n = all_alike(j, g, NULL);
    struct finding *f;
    int r;

    if (n < TOGETHER_MIN)
        return 0;
    f = judge_add(j, "host-wide-limit");
    if (!f)
        return -ENOMEM;
    r = judge_subject_host(j, f, l->host);
    if (r == 0)
        r = add_members(j, f, g, NULL);
    if (r == 0)
        r = judge_evidence(f, "each alone would be", g->code, NULL);
    if (r == 0)
        r = add_shared(j, f, l);
    if (r == 0)
        r = add_evidence(j, f, l);
    return r < 0 ? r
                 : judge_say(j, f,
                             "all %zu links of %s that could go faster run at %s; they can do %s",
                             n, l->host->kernel_name, judge_mode(j, &l->actual),
                             judge_mode(j, &l->expected));
}

static int single_ended(struct judging *j, struct group *g)
{
    const struct link *l = g->first;
    struct finding *f = judge_add(j, g->code);
    int r = f ? judge_subject_host(j, f, l->host) : -ENOMEM;

    for (size_t i = 0; r == 0 && i < j->model->links.n; i++) {
        const struct link *other = j->model->links.v[i];

        if (g->done[i] || other->host != l->host || !same_text(code_of(other), g->code))
            continue;
        g->done[i] = true;
        r = judge_subject_link(j, f, other);
    }
    if (r == 0)
        r = add_evidence(j, f, l);
    return r < 0
               ? r
               : judge_say(j, f, "the bus of %s is single-ended, at most %s; its devices can do %s",
                           l->host->kernel_name, judge_mode(j, &l->actual),
                           judge_mode(j, &l->expected));
}

/* The hop that all of at least TOGETHER_MIN links alike hang below; NULL where there is none. */
static const struct link *shared_hop(const struct judging *j, const struct group *g)
{
    const struct link *up = g->first->up;

    return up && !is_slot(up) && all_alike(j, g, up) >= TOGETHER_MIN ? up : NULL;
}

static int say_of_one(struct judging *j, struct finding *f, const struct link *l, size_t n)
{
    const char *far = l->far ? l->far : "the device";

    if (n > 1)
        return judge_say(j, f, "%zu links, the first %s, run at %s; expected %s", n, l->kernel_name,
                         judge_mode(j, &l->actual), judge_mode(j, &l->expected));
    if (setter_of(l) == WHO_HISTORY)
        return judge_say(j, f, "%s (%s) runs at %s; it ran at %s before", l->kernel_name, far,
                         judge_mode(j, &l->actual), judge_mode(j, &l->expected));
    if (setter_of(l) == WHO_ADMINISTRATOR)
        return judge_say(j, f, "%s (%s) runs at %s; the configuration wants %s", l->kernel_name,
                         far, judge_mode(j, &l->actual), judge_mode(j, &l->expected));
    if (setter_of(l) == WHO_SIBLING)
        return judge_say(j, f, "%s (%s) runs at %s; others of its kind run at %s", l->kernel_name,
                         far, judge_mode(j, &l->actual), judge_mode(j, &l->expected));
    return judge_say(j, f, "%s (%s) runs at %s; both ends can do %s", l->kernel_name, far,
                     judge_mode(j, &l->actual), judge_mode(j, &l->expected));
}

/* One finding for a link, or for all that share its hop, or for a wide link's lanes. */
static int of_links(struct judging *j, struct group *g, size_t index)
{
    const struct link *l = g->first, *hop = is_slot(l) ? NULL : shared_hop(j, g);
    struct finding *f = judge_add(j, g->code);
    size_t before;
    int r = f ? 0 : -ENOMEM;

    if (r == 0 && l->bundle)
        r = judge_subject_link(j, f, l->bundle);
    if (r == 0 && hop)
        r = judge_subject_link(j, f, hop);
    before = r == 0 ? f->subjects.n : 0;
    g->done[index] = true;
    if (r == 0)
        r = judge_subject_link(j, f, l);
    if (r == 0 && hop)
        r = add_members(j, f, g, hop);
    for (size_t i = 0; r == 0 && l->bundle && i < j->model->links.n; i++) {
        if (g->done[i] || j->model->links.v[i]->bundle != l->bundle ||
            !in_group(g, j->model->links.v[i]))
            continue;
        g->done[i] = true;
        r = judge_subject_link(j, f, j->model->links.v[i]);
    }
    if (r == 0)
        r = add_evidence(j, f, l);
    return r < 0 ? r : say_of_one(j, f, l, f->subjects.n - before);
}

int judge_modes(struct judging *j)
{
    struct group g = { .done = calloc(j->model->links.n + 1, sizeof(bool)) };
    int r = g.done ? 0 : -ENOMEM;

    for (size_t i = 0; r == 0 && i < j->model->links.n; i++) {
        g.first = j->model->links.v[i];
        g.code = code_of(g.first);
        if (!g.code || g.done[i])
            continue;
        if (g.first->impaired.code) {
            r = single_ended(j, &g);
            continue;
        }
        if (!is_slot(g.first) && !g.first->bundle)
            r = host_wide(j, &g);
        if (r == 0 && !g.done[i])
            r = of_links(j, &g, i);
    }
    free(g.done);
    return r;
}

/* ---- limits somebody set ---- */

/* The limit that holds the link: the tightest of `allowed`; NULL where none is below its ability. */
static const struct claim *cap_of(const struct link *l)
{
    const struct claim *cap = NULL;

    for (size_t i = 0; i < l->allowed.n; i++)
        if (!cap || rate_compare(l->allowed.v[i].mode.rate, cap->mode.rate) < 0)
            cap = &l->allowed.v[i];
    for (size_t i = 0; cap && i < l->able.n; i++)
        if (rate_compare(cap->mode.rate, l->able.v[i].mode.rate) >= 0)
            return NULL;
    return cap && l->able.n && (l->verdict == VERDICT_CAPPED || l->verdict == VERDICT_BELOW) ? cap
                                                                                             : NULL;
}

int judge_caps(struct judging *j)
{
    bool *done = calloc(j->model->links.n + 1, sizeof(bool));
    int r = done ? 0 : -ENOMEM;

    for (size_t i = 0; r == 0 && i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];
        const struct claim *cap = cap_of(l);
        struct finding *f;

        if (done[i] || !cap)
            continue;
        f = judge_add(j, "capped-by-configuration");
        r = f ? 0 : -ENOMEM;
        for (size_t k = i; r == 0 && k < j->model->links.n; k++) {
            const struct link *other = j->model->links.v[k];
            const struct claim *its = cap_of(other);

            if (done[k] || !its || other->host != l->host || !same_text(its->via, cap->via) ||
                rate_compare(its->mode.rate, cap->mode.rate) != 0)
                continue;
            done[k] = true;
            r = judge_subject_link(j, f, other);
        }
        if (r == 0)
            r = judge_evidence(f, "limit", judge_mode(j, &cap->mode), cap->via);
        if (r == 0)
            r = judge_say(j, f, "%s%s held at %s by %s", l->kernel_name,
                          f->subjects.n > 1 ? " and others are" : " is", judge_mode(j, &cap->mode),
                          cap->via);
    }
    free(done);
    return r;
}

/* ---- witnesses ---- */

static const struct claim *witness_of(const struct link *l, enum who who)
{
    for (size_t i = 0; i < l->witnesses.n; i++)
        if (l->witnesses.v[i].who == who)
            return &l->witnesses.v[i];
    return NULL;
}

/* A measurement that is faster than the mode can carry. */
static const struct claim *clock_against(const struct judging *j, const struct link *l)
{
    uint64_t payload = rate_kb_per_s(l->actual.rate);

    for (size_t i = 0; payload && i < l->witnesses.n; i++) {
        const struct claim *c = &l->witnesses.v[i];

        if (c->who == WHO_CLOCK && !text_ends_with(c->via, "/block-buffered") &&
            rate_kb_per_s(c->mode.rate) * 100 > payload * j->thresholds.clock_percent)
            return c;
    }
    return NULL;
}

int judge_disagreement(struct judging *j)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->links.n; i++) {
        struct link *l = j->model->links.v[i];
        const struct claim *a = witness_of(l, WHO_INITIATOR), *b = witness_of(l, WHO_TARGET);
        struct finding *f;

        if (l->state != LINK_UP || l->has_no_link || !l->actual.known)
            continue;
        if (!a || !b || rate_compare(a->mode.rate, b->mode.rate) == 0)
            b = clock_against(j, l);
        if (!a || !b)
            continue;
        l->verdict = VERDICT_UNKNOWN;
        f = judge_add(j, "ends-disagree");
        r = f ? judge_subject_link(j, f, l) : -ENOMEM;
        if (r == 0)
            r = add_claims(j, f, "says", l->witnesses.v, l->witnesses.n);
        if (r == 0)
            r = judge_say(j, f, "%s: %s (%s) against %s (%s)", l->kernel_name,
                          judge_mode(j, &a->mode), a->via, judge_mode(j, &b->mode), b->via);
    }
    return r;
}

/* ---- siblings of links that nothing else judges ---- */

struct comparison {
    const struct link *link, *best;
    size_t faster;
    bool is_right; /* one of them runs at what is expected of it */
    bool same_far; /* one of the faster leads to the same network or target */
};

static bool compare_sibling(void *userdata, const struct link *sibling)
{
    struct comparison *c = userdata;

    if (rate_compare(sibling->actual.rate, c->link->actual.rate) <= 0)
        return true;
    c->faster++;
    c->is_right |= sibling->verdict == VERDICT_OK;
    c->same_far |= sibling->far_is_network && same_text(sibling->far_id, c->link->far_id);
    if (!c->best || rate_compare(sibling->actual.rate, c->best->actual.rate) > 0)
        c->best = sibling;
    return true;
}

int judge_siblings(struct judging *j)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];
        struct comparison c = { .link = l };
        struct finding *f;

        if (l->state != LINK_UP || l->verdict != VERDICT_UNKNOWN || !l->actual.known ||
            is_slot(l) || judge_is_named(j, l->id, NULL))
            continue;
        expect_siblings(j->model, l, compare_sibling, &c);
        if (c.faster < 2 && !(c.faster && c.is_right))
            continue;
        f = judge_add(j, "slower-than-sibling");
        r = f ? judge_subject_link(j, f, l) : -ENOMEM;
        if (r < 0)
            break;
        f->severity = c.same_far ? SEVERITY_WARNING : SEVERITY_INFO;
        r = judge_evidence(f, c.best->kernel_name, judge_mode(j, &c.best->actual), c.best->far);
        if (r == 0)
            r = judge_say(j, f, "%s runs at %s, its sibling %s at %s", l->kernel_name,
                          judge_mode(j, &l->actual), c.best->kernel_name,
                          judge_mode(j, &c.best->actual));
    }
    return r;
}
