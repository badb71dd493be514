/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Expectations and verdicts (expect.h).
 */
#include "expect/expect.h"

#include <string.h>

#include "base/text.h"

/* The common mode of all claims of a list; false where the list is empty. */
static bool common_of(const struct claim *claims, size_t n, struct rate *ret)
{
    for (size_t i = 0; i < n; i++)
        *ret = i ? rate_common(*ret, claims[i].mode.rate) : claims[i].mode.rate;
    return n > 0;
}

bool expect_ability(const struct link *l, struct rate *ret)
{
    return common_of(l->able.v, l->able.n, ret);
}

bool expect_is_limited(const struct link *l)
{
    struct rate allowed;

    return common_of(l->allowed.v, l->allowed.n, &allowed) && rate_same(allowed, l->actual.rate);
}

/* Has that end said what it can do, not only what it can do at most? */
static bool has_proof(const struct link *l, enum who who)
{
    for (size_t i = 0; i < l->able.n; i++)
        if (l->able.v[i].who == who && !l->able.v[i].at_most)
            return true;
    return false;
}

/* Has that end said anything of what it can do? */
static bool has_word(const struct link *l, enum who who)
{
    for (size_t i = 0; i < l->able.n; i++)
        if (l->able.v[i].who == who)
            return true;
    return false;
}

bool expect_disagreement(const struct link *l, const struct claim **ret_initiator,
                         const struct claim **ret_target)
{
    const struct claim *own = NULL;

    for (size_t i = 0; i < l->witnesses.n && !own; i++)
        if (l->witnesses.v[i].who == WHO_INITIATOR)
            own = &l->witnesses.v[i];
    for (size_t i = 0; own && i < l->witnesses.n; i++) {
        const struct claim *c = &l->witnesses.v[i];

        if (c->who != WHO_TARGET || rate_same(own->mode.rate, c->mode.rate))
            continue;
        *ret_initiator = own;
        *ret_target = c;
        return true;
    }
    return false;
}

/* Names the claims of a list that set the rate: none can do more than they, of lanes (where claims differ in
 * these) or of a lane. */
static int name_bounds(struct link *l, const struct claim *claims, size_t n, struct rate rate)
{
    bool more_lanes = false;
    int r = 0;

    for (size_t i = 0; i < n; i++)
        more_lanes |= claims[i].mode.rate.lanes > rate.lanes;
    for (size_t i = 0; r == 0 && i < n; i++) {
        const struct rate *own = &claims[i].mode.rate;

        if (own->lane_kb_per_s <= rate.lane_kb_per_s || (more_lanes && own->lanes <= rate.lanes))
            r = vec_push(&l->expected_from, claims[i]);
    }
    return r;
}

static int describe(struct model *m, const struct link *l, struct rate rate, struct mode *ret)
{
    *ret = (struct mode){ .known = true, .rate = rate };
    return l->describe ? l->describe(m->arena, rate, ret) : 0;
}

static int set_expected(struct model *m, struct link *l, struct rate rate)
{
    int r = describe(m, l, rate, &l->expected);

    return r < 0 ? r : name_bounds(l, l->able.v, l->able.n, rate);
}

/* ---- siblings and the past ---- */

/* What siblings that do better have in common: the slowest of them, and how many they are. */
struct better {
    const struct link *link;
    bool lanes; /* compares lanes, not payload */
    const struct rate *best_possible;
    struct mode mode;
    size_t n;
    bool one_is_best;
};

static int compare_by(const struct better *b, struct rate x, struct rate y)
{
    return b->lanes ? (x.lanes > y.lanes) - (x.lanes < y.lanes) : rate_compare(x, y);
}

static bool count_better(void *userdata, const struct link *sibling)
{
    struct better *b = userdata;
    struct rate rate = sibling->actual.rate;

    if (compare_by(b, rate, b->link->actual.rate) <= 0)
        return true;
    if (!b->n || compare_by(b, rate, b->mode.rate) < 0)
        b->mode = sibling->actual;
    b->n++;
    b->one_is_best |= b->best_possible && rate_same(rate, *b->best_possible);
    return true;
}

/* What at least two siblings do, or one that runs at the best possible here; a mode not known where there are
 * no such. */
static struct claim siblings_word(const struct link *l, bool lanes,
                                  const struct rate *best_possible)
{
    struct better b = { .link = l, .lanes = lanes, .best_possible = best_possible };

    expect_better_siblings(l, count_better, &b);
    if (b.n < 2 && !b.one_is_best)
        b.mode = (struct mode){ 0 };
    return (struct claim){ WHO_SIBLING, "links of the same kind and model", b.mode, false };
}

/* A mode not known where there is no sample, nor memory to name it: the model may outlive the history. */
static struct claim past_word(struct model *m, const struct link *l, const struct sample *s,
                              const char *via)
{
    struct claim c = { .who = WHO_HISTORY, .via = via };

    if (s && describe(m, l, s->rate, &c.mode) < 0)
        c.mode = (struct mode){ 0 };
    return c;
}

/* Judges the link by the first of the claims that makes it slow: never more is expected than `bound` (may be
 * NULL). The others that say so too are named after it. */
static int judge_by(struct model *m, struct link *l, struct claim *claims, size_t n,
                    const struct rate *bound)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < n; i++) {
        struct rate rate = claims[i].mode.rate;

        if (!claims[i].mode.known)
            continue;
        rate = bound ? rate_common(rate, *bound) : rate;
        if (rate_compare(rate, l->actual.rate) <= 0)
            continue;
        if (l->verdict != VERDICT_BELOW)
            r = describe(m, l, rate, &l->expected);
        l->verdict = VERDICT_BELOW;
        l->reason = NULL;
        if (r == 0)
            r = vec_push(&l->expected_from, claims[i]);
    }
    return r;
}

/* Where the ends say too little: has the link itself been faster, or are others like it? */
static int judge_by_others(struct model *m, struct link *l, const struct history *history,
                           const struct rate *able, const struct rate *bound)
{
    struct claim claims[] = {
        past_word(m, l, history ? history_best(history, l) : NULL, "an earlier look"),
        l->peers_prove ? siblings_word(l, false, able) : (struct claim){ 0 },
    };

    return judge_by(m, l, claims, sizeof(claims) / sizeof(claims[0]), bound);
}

/* The near end may say only what it can do at most. What it did with another far end proves it. */
static int judge_by_near_end(struct model *m, struct link *l, const struct history *history,
                             const struct rate *bound)
{
    const struct sample *s = history && has_proof(l, WHO_TARGET) ? history_best_near(history, l)
                                                                 : NULL;
    struct rate rate;
    int r;

    if (!s)
        return 0;
    rate = rate_common(s->rate, *bound);
    if (rate_compare(rate, l->actual.rate) <= 0)
        return 0;
    l->verdict = VERDICT_BELOW;
    l->reason = NULL;
    r = set_expected(m, l, rate);
    return r < 0 ? r
                 : vec_push(&l->expected_from,
                            past_word(m, l, s, "this end with another device, in an earlier look"));
}

/* Lanes that the link has lost because somebody switched them off: as its transport sees it, or by what was a
 * lane of it then. */
static uint32_t lanes_off(const struct model *m, const struct link *l,
                          const struct history *history)
{
    uint32_t most = l->lanes_off;

    for (size_t i = 0; history && i < history->snapshots.n; i++) {
        uint32_t n = 0;

        for (size_t k = 0; k < m->links.n; k++) {
            const struct link *lane = m->links.v[k];
            const struct sample *s = lane->host == l->host && lane->state == LINK_DISABLED
                                         ? snapshot_link(&history->snapshots.v[i], lane->id)
                                         : NULL;

            n += s && s->bundle_id && strcmp(s->bundle_id, l->id) == 0;
        }
        most = n > most ? n : most;
    }
    return most;
}

/* How many lanes a link has is known to siblings, where its ends expect no more than it has, and to its
 * past. `*ret` is their word, a mode not known where it has as many as they say. */
static uint32_t lanes_expected(struct model *m, const struct link *l, const struct history *history,
                               uint32_t able, struct claim *ret)
{
    const struct sample *s = history ? history_widest(history, l) : NULL;

    *ret = (struct claim){ 0 };
    if (able <= l->actual.rate.lanes)
        *ret = siblings_word(l, true, NULL);
    if (!ret->mode.known && s && s->rate.lanes > able)
        *ret = past_word(m, l, s, "an earlier look");
    if (ret->mode.known && ret->mode.rate.lanes <= l->actual.rate.lanes + lanes_off(m, l, history))
        *ret = (struct claim){ 0 };
    return ret->mode.known ? ret->mode.rate.lanes : able;
}

/* ---- verdicts ---- */

/* What its ends, limits and lanes say of a link. */
struct bounds {
    struct rate able, cap; /* cap: able, held down by what is configured */
    bool is_known, is_capped;
    struct claim lanes; /* who knows of more lanes than its ends */
};

static struct bounds bounds_of(struct model *m, const struct link *l, const struct history *history)
{
    struct bounds b = { 0 };
    struct rate allowed;

    b.is_known = expect_ability(l, &b.able);
    if (!b.is_known)
        return b;
    if (l->lanes_vary)
        b.able.lanes = lanes_expected(m, l, history, b.able.lanes, &b.lanes);
    b.cap = b.able;
    if (!common_of(l->allowed.v, l->allowed.n, &allowed))
        return b;
    if (b.lanes.mode.known)
        allowed.lanes = b.able.lanes; /* limits of rate know of the lanes that are there */
    allowed = rate_common(b.able, allowed);
    /* A limit that the link exceeds, or that allows as much in another way, is not what holds it. */
    if (rate_compare(allowed, b.able) >= 0 ||
        (rate_compare(allowed, l->actual.rate) <= 0 && !rate_same(allowed, l->actual.rate)))
        return b;
    b.cap = allowed;
    b.is_capped = true;
    return b;
}

static int set_below(struct model *m, struct link *l, const struct bounds *b)
{
    int r = b->lanes.mode.known ? vec_push(&l->expected_from, b->lanes) : 0;

    l->verdict = VERDICT_BELOW;
    l->reason = NULL;
    if (r == 0)
        r = set_expected(m, l, b->cap);
    return r < 0 || !b->is_capped ? r : name_bounds(l, l->allowed.v, l->allowed.n, b->cap);
}

static const char LIMITED[] = "it is limited, and what it could do without that is not known";

/* What a limit takes away is known only where the end that is limited tells what it could do: it may be no
 * more. */
static bool takes_away(const struct link *l, const struct bounds *b)
{
    for (size_t i = 0; i < l->allowed.n; i++) {
        const struct rate *limit = &l->allowed.v[i].mode.rate;

        if ((limit->lane_kb_per_s <= b->cap.lane_kb_per_s || limit->lanes < b->able.lanes) &&
            has_word(l, l->allowed.v[i].who))
            return true;
    }
    return false;
}

static int set_capped(struct model *m, struct link *l, const struct bounds *b)
{
    int r;

    if (!takes_away(l, b)) {
        l->reason = LIMITED;
        return 0;
    }
    l->verdict = VERDICT_CAPPED;
    l->reason = NULL;
    r = set_expected(m, l, b->able);
    return r < 0 ? r : name_bounds(l, l->allowed.v, l->allowed.n, b->cap);
}

static int judge_up(struct model *m, struct link *l, const struct history *history)
{
    struct bounds b = bounds_of(m, l, history);
    struct rate actual = l->actual.rate;
    int r;

    if (!b.is_known) {
        bool is_limited = expect_is_limited(l);

        if (!l->reason)
            l->reason = is_limited ? LIMITED : "nothing says what it could do";
        return is_limited || l->limit_unknown ? 0 : judge_by_others(m, l, history, NULL, NULL);
    }
    if (b.lanes.mode.known)
        return set_below(m, l, &b);
    if (rate_compare(actual, b.able) >= 0) {
        l->verdict = VERDICT_OK;
        l->reason = NULL;
        return set_expected(m, l, rate_compare(actual, b.able) > 0 ? actual : b.able);
    }
    if (b.is_capped && rate_same(actual, b.cap))
        return set_capped(m, l, &b);
    if (l->limit_unknown && actual.lane_kb_per_s < b.able.lane_kb_per_s) {
        l->reason = "it is slower than its ends may be able to, and whether it is told to cannot "
                    "be read";
        return 0;
    }
    if (has_proof(l, WHO_INITIATOR) && has_proof(l, WHO_TARGET))
        return set_below(m, l, &b);
    l->reason =
        l->reason ? l->reason
                  : "it is slower than the upper bound known for its ends; what they really can do "
                    "is not known";
    if (l->judged_above)
        return 0;
    r = judge_by_others(m, l, history, &b.able, &b.cap);
    return r < 0 || l->verdict == VERDICT_BELOW ? r : judge_by_near_end(m, l, history, &b.cap);
}

/* The administrator's word overrides what the ends can do. */
static int judge_by_wish(struct link *l)
{
    struct claim claim = { WHO_ADMINISTRATOR, l->wish.expect_from, l->wish.expect, false };

    l->expected = l->wish.expect;
    l->verdict = rate_compare(l->actual.rate, l->expected.rate) < 0 ? VERDICT_BELOW : VERDICT_OK;
    l->reason = l->wish.reason;
    return vec_push(&l->expected_from, claim);
}

static int judge(struct model *m, struct link *l, const struct history *history)
{
    const struct claim *a, *b;

    /* What an attribute still shows of a link that is not up is left over. */
    if (l->state != LINK_UP)
        l->actual = (struct mode){ 0 };
    if (l->has_no_link) {
        l->verdict = VERDICT_NONE;
        return 0;
    }
    if (l->state == LINK_EMPTY || l->state == LINK_DISABLED) {
        l->verdict = VERDICT_NONE;
        if (!l->reason)
            l->reason = l->state == LINK_EMPTY ? "nothing is attached" : "it is switched off";
        return 0;
    }
    l->verdict = VERDICT_UNKNOWN;
    if (l->state == LINK_DOWN) {
        l->reason = "the link is down";
        return 0;
    }
    if (!l->actual.known) {
        l->reason = l->reason ? l->reason : "nothing says what it runs at";
        return 0;
    }
    if (expect_disagreement(l, &a, &b)) {
        l->reason = "initiator and target name different modes";
        return 0;
    }
    return l->wish.expect.known ? judge_by_wish(l) : judge_up(m, l, history);
}

int expect_model(struct model *m, const struct history *history)
{
    int r = expect_find_siblings(m);

    for (size_t i = 0; r == 0 && i < m->links.n; i++)
        r = judge(m, m->links.v[i], history);
    return r;
}

bool expect_clock_contradicts(const struct link *l, const char *method, uint64_t kb_per_s,
                              unsigned percent)
{
    uint64_t payload = l->actual.known ? rate_kb_per_s(l->actual.rate) : 0;

    return payload && !text_ends_with(method, "/block-buffered") &&
           kb_per_s * 100 > payload * percent;
}
