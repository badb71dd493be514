/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings from witnesses (judge.h): those that contradict each other, and siblings of links that nothing
 * else judges.
 */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "expect/expect.h"
#include "finding/judge.h"

/* ---- ends-disagree ---- */

/* A measurement past the page cache that is faster than the mode can carry. Nothing is said of what lies
 * behind firmware that makes volumes: their link has no mode to contradict. */
static const struct claim *clock_against(const struct judging *j, const struct link *l)
{
    for (size_t i = 0; i < l->witnesses.n; i++) {
        const struct claim *c = &l->witnesses.v[i];

        if (c->who == WHO_CLOCK && expect_clock_contradicts(l, c->via, rate_kb_per_s(c->mode.rate),
                                                            j->thresholds.clock_percent))
            return c;
    }
    return NULL;
}

/* The two that contradict each other on a link; false where none do. */
static bool find_contradiction(const struct judging *j, const struct link *l,
                               const struct claim **ret_a, const struct claim **ret_b)
{
    if (l->state != LINK_UP || l->has_no_link || !l->actual.known)
        return false;
    if (expect_disagreement(l, ret_a, ret_b))
        return true;
    *ret_b = clock_against(j, l);
    for (size_t i = 0; *ret_b && i < l->witnesses.n; i++) {
        *ret_a = &l->witnesses.v[i];
        if ((*ret_a)->who != WHO_CLOCK)
            return true;
    }
    return false;
}

int judge_disagreement(struct judging *j)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->links.n; i++) {
        struct link *l = j->model->links.v[i];
        const struct claim *a, *b;
        struct finding *f;

        if (!find_contradiction(j, l, &a, &b))
            continue;
        if (b->who == WHO_CLOCK)
            l->reason = "a measurement is faster than the mode can carry";
        l->verdict = VERDICT_UNKNOWN;
        f = judge_add(j, "ends-disagree");
        r = f ? judge_subject_link(j, f, l) : -ENOMEM;
        for (size_t k = 0; r == 0 && k < l->witnesses.n; k++)
            r = judge_evidence(f, "says", judge_mode(j, &l->witnesses.v[k].mode),
                               l->witnesses.v[k].via);
        if (r == 0)
            r = judge_say(j, f, "%s: %s (%s) against %s (%s)", l->kernel_name,
                          judge_mode(j, &a->mode), a->via, judge_mode(j, &b->mode), b->via);
    }
    return r;
}

/* ---- slower-than-sibling, where nothing else judges ---- */

struct comparison {
    const struct judging *j;
    const struct link *link, *best;
    const struct rate *expected; /* the best that is possible here; NULL where not known */
    size_t faster;
    bool is_right; /* one of them runs at that */
    bool same_far; /* one of the faster leads to the same network or target */
};

/* Do both links lead to ports of one target? */
static bool share_target(const struct model *m, const struct link *a, const struct link *b)
{
    for (size_t i = 0; i < m->remotes.n; i++)
        for (size_t k = 0; m->remotes.v[i].link == a && k < m->remotes.n; k++)
            if (m->remotes.v[k].link == b &&
                text_same_known(m->remotes.v[i].node, m->remotes.v[k].node))
                return true;
    return false;
}

static bool compare_sibling(void *userdata, const struct link *sibling)
{
    struct comparison *c = userdata;

    if (rate_compare(sibling->actual.rate, c->link->actual.rate) <= 0)
        return true;
    c->faster++;
    c->is_right |= c->expected && rate_same(sibling->actual.rate, *c->expected);
    c->same_far |= sibling->far_is_network && (text_same_known(sibling->far_id, c->link->far_id) ||
                                               share_target(c->j->model, sibling, c->link));
    if (!c->best || rate_compare(sibling->actual.rate, c->best->actual.rate) > 0)
        c->best = sibling;
    return true;
}

/* A warning only within one network, and where it is known that the link could do better and is not told to run
 * slower. */
static int add_slower(struct judging *j, const struct comparison *c)
{
    const struct link *l = c->link;
    struct finding *f = judge_add(j, "slower-than-sibling");
    int r = f ? judge_subject_link(j, f, l) : -ENOMEM;

    if (r < 0)
        return r;
    f->severity = c->same_far && c->expected && !l->limit_unknown ? SEVERITY_WARNING
                                                                  : SEVERITY_INFO;
    r = judge_situation(j, f, judge_situation_of(l));
    if (r == 0)
        r = judge_evidence(f, c->best->kernel_name, judge_mode(j, &c->best->actual), c->best->far);
    return r < 0 ? r
                 : judge_say(j, f, "%s runs at %s, its sibling %s at %s", l->kernel_name,
                             judge_mode(j, &l->actual), c->best->kernel_name,
                             judge_mode(j, &c->best->actual));
}

/* Where the ends do not prove that the link could do better, siblings that do are worth a word: at least two,
 * or one that runs at the best that is possible here. */
int judge_siblings(struct judging *j)
{
    static const char *const SAID[] = { "ends-disagree", NULL };
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];
        struct rate able;
        struct comparison c = { .j = j, .link = l };

        if (l->state != LINK_UP || l->verdict != VERDICT_UNKNOWN || !l->actual.known ||
            judge_is_slot(l) || l->judged_above || expect_is_limited(l) ||
            judge_is_named(j, l->id, SAID))
            continue;
        c.expected = expect_ability(l, &able) ? &able : NULL;
        expect_better_siblings(l, compare_sibling, &c);
        if (c.faster >= 2 || c.is_right)
            r = add_slower(j, &c);
    }
    return r;
}
