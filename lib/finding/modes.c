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

/* Could the link go faster than that one does: by what its ends say, or because it goes? */
static bool could_beat(const struct link *l, const struct link *slow)
{
    if (l->state != LINK_UP || !l->actual.known)
        return false;
    return rate_compare(l->actual.rate, slow->actual.rate) > 0 ||
           (l->verdict == VERDICT_BELOW && rate_compare(l->expected.rate, slow->actual.rate) > 0);
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

        if (!s || s->state != LINK_UP || !s->known || !sample_is_of(s, l) ||
            rate_same(s->rate, *last))
            continue;
        mode.rate = s->rate;
        mode.label = s->label;
        r = judge_evidence(f, "earlier", judge_mode(j, &mode), "an earlier look");
        last = &s->rate;
    }
    return r;
}

struct faster {
    const struct link *link, *best;
};

static bool find_faster(void *userdata, const struct link *sibling)
{
    struct faster *f = userdata;
    const struct link *best = f->best ? f->best : f->link;

    if (rate_compare(sibling->actual.rate, best->actual.rate) > 0)
        f->best = sibling;
    return true;
}

/* What weaker codes would have said of the link. */
static int add_weaker(struct judging *j, struct finding *f, const struct link *l)
{
    const struct sample *before = history_best(j->history, l);
    struct faster siblings = { .link = l };
    int r = 0;

    if (strcmp(f->entry->code, "width-below-expected") == 0 &&
        l->actual.rate.lane_kb_per_s < l->expected.rate.lane_kb_per_s)
        r = judge_evidence(f, "also rate-below-expected", judge_mode(j, &l->expected), NULL);
    if (r == 0 && before && setter_of(l) != WHO_HISTORY &&
        rate_compare(before->rate, l->actual.rate) > 0)
        r = judge_evidence(f, "also slower-than-before", before->label ? before->label : "faster",
                           "an earlier look");
    expect_better_siblings(l, find_faster, &siblings);
    if (r == 0 && siblings.best && setter_of(l) != WHO_SIBLING)
        r = judge_evidence(f, "also slower-than-sibling", judge_mode(j, &siblings.best->actual),
                           siblings.best->kernel_name);
    return r;
}

static int add_evidence(struct judging *j, struct finding *f, const struct link *l)
{
    int r = 0;

    if (l->impaired.code)
        r = judge_evidence(f, l->impaired.what, l->impaired.value, l->impaired.from);
    if (r == 0)
        r = add_claims(j, f, "runs at", l->witnesses.v, l->witnesses.n);
    if (r == 0 && (setter_of(l) == WHO_HISTORY || setter_of(l) == WHO_SIBLING))
        r = add_claims(j, f, "could do", l->expected_from.v, 1);
    if (r == 0)
        r = add_claims(j, f, "could do", l->able.v, l->able.n);
    if (r == 0 && l->actual.rate.lanes < l->expected.rate.lanes)
        r = judge_lanes(j, f, l);
    if (r == 0)
        r = add_history(j, f, l);
    return r < 0 ? r : add_weaker(j, f, l);
}

/* ---- findings about several links ---- */

/* A set of links of one cause: of one host, at one mode. */
struct group {
    const struct link *first; /* of them all */
    const char *code;
    bool *done; /* one a link of the model */
};

/* Below, at the same mode, on the same host, for whatever reason. */
static bool is_alike(const struct group *g, const struct link *l)
{
    return code_of(l) && !l->impaired.code && rate_same(l->actual.rate, g->first->actual.rate) &&
           l->host == g->first->host;
}

static bool in_group(const struct group *g, const struct link *l)
{
    return is_alike(g, l) && text_same(code_of(l), g->code);
}

/* All links alike that hang below `up` (NULL: anywhere), as subjects. */
static int add_members(struct judging *j, struct finding *f, struct group *g, const struct link *up)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];

        if (g->done[i] || judge_is_slot(l) || !is_alike(g, l) || (up && l->up != up))
            continue;
        g->done[i] = true;
        r = judge_subject_link(j, f, l);
    }
    return r;
}

/* Does it run at the group's mode as well, and nobody tells what it could do? */
static bool may_be_alike(const struct group *g, const struct link *l)
{
    return l->state == LINK_UP && l->verdict == VERDICT_UNKNOWN && l->actual.known &&
           rate_same(l->actual.rate, g->first->actual.rate);
}

/* Is every link of the host (below `up`, where given) that could go faster held at the group's mode? Their
 * number, or 0 where one is not, or they are too few to point at what they share. To two, those count as well that
 * run at this mode and may be held at it. */
static size_t all_alike(const struct judging *j, const struct group *g, const struct link *up)
{
    size_t n = 0, maybe = 0;

    for (size_t i = 0; i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];

        if (l->host != g->first->host || judge_is_slot(l) || l->bundle || l->judged_above ||
            l->has_no_link || (up && l->up != up))
            continue;
        if (is_alike(g, l) && !g->done[i])
            n++;
        else if (could_beat(l, g->first))
            return 0;
        else
            maybe += may_be_alike(g, l);
    }
    return n >= 2 && n + maybe >= TOGETHER_MIN ? n : 0;
}

/* ---- a limit of a whole host ---- */

static bool same_parameters(const struct host *a, const struct host *b)
{
    if (a->parameters.n != b->parameters.n)
        return false;
    for (size_t i = 0; i < a->parameters.n; i++)
        if (!text_same(a->parameters.v[i].name, b->parameters.v[i].name) ||
            !text_same(a->parameters.v[i].value, b->parameters.v[i].value))
            return false;
    return true;
}

/* Another channel with the same chip, driver and parameters: one that is free of the limit, else one that is not;
 * NULL where there is none with a link that could tell. */
static const struct link *other_channel(const struct judging *j, const struct link *slow)
{
    const struct link *limited = NULL;

    for (size_t i = 0; i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];

        if (!l->host || l->host == slow->host || judge_is_slot(l) || l->state != LINK_UP ||
            !l->actual.known || !text_same(l->host->driver, slow->host->driver) ||
            !text_same(l->host->pci_id, slow->host->pci_id) ||
            !same_parameters(l->host, slow->host))
            continue;
        if (rate_compare(l->actual.rate, slow->actual.rate) > 0)
            return l;
        limited = code_of(l) ? l : limited;
    }
    return limited;
}

/* What the links of a limited host share besides their cable. */
static int add_shared(struct judging *j, struct finding *f, const struct link *l)
{
    const struct link *other = other_channel(j, l);
    bool is_free = other && rate_compare(other->actual.rate, l->actual.rate) > 0;
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
    if (r == 0 && other)
        r = judge_evidence(f, "another channel of the same chip, driver and parameters",
                           is_free ? "is not limited" : "is limited too", other->host->kernel_name);
    if (r == 0 && l->host->is_bus)
        r = judge_situation(j, f, is_free ? SITUATION_ONE_BUS : SITUATION_BUS);
    return r;
}

/* Asynchronous transfers are named for what they are, and that all links have none is said with it. */
static int host_wide(struct judging *j, struct group *g)
{
    const struct link *l = g->first;
    bool is_async = strcmp(g->code, "async") == 0;
    size_t n = all_alike(j, g, NULL);
    struct finding *f;
    int r;

    if (!n)
        return 0;
    f = judge_add(j, is_async ? "async" : "host-wide-limit");
    if (!f)
        return -ENOMEM;
    r = judge_subject_host(j, f, l->host);
    if (r == 0)
        r = add_members(j, f, g, NULL);
    if (r == 0)
        r = is_async ? judge_evidence(f, "also host-wide-limit", "all links that could go faster",
                                      l->host->kernel_name)
                     : judge_evidence(f, "each alone would be", g->code, NULL);
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

        if (g->done[i] || other->host != l->host || !text_same(code_of(other), g->code))
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

    return up && !judge_is_slot(up) && all_alike(j, g, up) ? up : NULL;
}

static int say_of_one(struct judging *j, struct finding *f, const struct link *l, size_t n)
{
    const char *actual = judge_mode(j, &l->actual), *expected = judge_mode(j, &l->expected),
               *name = judge_link_name(j, l);

    if (n > 1)
        return judge_say(j, f, "%zu links, the first %s, run at %s; expected %s", n, l->kernel_name,
                         actual, expected);
    if (setter_of(l) == WHO_HISTORY)
        return judge_say(j, f, "%s runs at %s; it ran at %s before", name, actual, expected);
    if (setter_of(l) == WHO_ADMINISTRATOR)
        return judge_say(j, f, "%s runs at %s; the configuration wants %s", name, actual, expected);
    if (setter_of(l) == WHO_SIBLING)
        return judge_say(j, f, "%s runs at %s; others of its kind run at %s", name, actual,
                         expected);
    return judge_say(j, f, "%s runs at %s; both ends can do %s", name, actual, expected);
}

/* A wide link whose lanes are slow is slow by them: one finding. */
static int add_bundle(struct judging *j, struct finding *f, struct group *g)
{
    const struct link *l = g->first;
    int r = judge_subject_link(j, f, l->bundle);

    if (text_same(code_of(l->bundle), g->code))
        g->done[l->bundle->index] = true;
    for (size_t i = 0; r == 0 && i < j->model->links.n; i++) {
        const struct link *lane = j->model->links.v[i];

        if (g->done[i] || lane->bundle != l->bundle || !in_group(g, lane))
            continue;
        g->done[i] = true;
        r = judge_subject_link(j, f, lane);
    }
    return r;
}

/* Hosts that share a network port fell back with it. */
static int add_same_wire(struct judging *j, struct finding *f, struct group *g)
{
    int r = 0;

    for (size_t i = 0; r == 0 && g->first->far_is_network && i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];

        if (g->done[i] || !judge_same_wire(l, g->first) || !text_same(code_of(l), g->code) ||
            !rate_same(l->actual.rate, g->first->actual.rate))
            continue;
        g->done[i] = true;
        r = judge_subject_link(j, f, l);
    }
    return r;
}

/* One finding for a link, or for all that share its hop or its wire, or for a wide link's lanes. */
static int of_links(struct judging *j, struct group *g)
{
    const struct link *l = g->first, *hop = judge_is_slot(l) ? NULL : shared_hop(j, g);
    struct finding *f = judge_add(j, g->code);
    size_t n;
    int r = f ? judge_situation(j, f, judge_situation_of(l)) : -ENOMEM;

    if (r == 0 && l->bundle)
        r = add_bundle(j, f, g);
    else if (r == 0 && hop)
        r = judge_subject_link(j, f, hop);
    if (r == 0 && hop && !l->bundle)
        r = add_members(j, f, g, hop);
    if (r == 0 && !g->done[l->index])
        r = judge_subject_link(j, f, l);
    g->done[l->index] = true;
    if (r == 0)
        r = add_same_wire(j, f, g);
    if (r < 0)
        return r;
    n = f->subjects.n - (l->bundle || hop ? 1 : 0);
    /* A verdict that siblings gave says that nothing else explains it. */
    if (setter_of(l) == WHO_SIBLING)
        f->severity = SEVERITY_WARNING;
    r = add_evidence(j, f, l);
    return r < 0 ? r : say_of_one(j, f, l, n);
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
        if (!judge_is_slot(g.first) && !g.first->bundle)
            r = host_wide(j, &g);
        if (r == 0 && !g.done[i])
            r = of_links(j, &g);
    }
    free(g.done);
    return r;
}
