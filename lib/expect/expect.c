/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Expectations and verdicts (expect.h).
 */
#include "expect/expect.h"

#include <string.h>

/* The common mode of all claims of a list; false where the list is empty. */
static bool common_of(const struct claim *claims, size_t n, struct rate *ret)
{
    for (size_t i = 0; i < n; i++)
        *ret = i ? rate_common(*ret, claims[i].mode.rate) : claims[i].mode.rate;
    return n > 0;
}

/* Has that end said what it can do, not only what it can do at most? */
static bool has_proof(const struct link *l, enum who who)
{
    for (size_t i = 0; i < l->able.n; i++)
        if (l->able.v[i].who == who && !l->able.v[i].at_most)
            return true;
    return false;
}

/* Do initiator and target name different modes for the same link? */
static bool ends_disagree(const struct link *l)
{
    const struct claim *first[_WHO_MAX] = { 0 };

    for (size_t i = 0; i < l->witnesses.n; i++)
        if (!first[l->witnesses.v[i].who])
            first[l->witnesses.v[i].who] = &l->witnesses.v[i];
    return first[WHO_INITIATOR] && first[WHO_TARGET] &&
           rate_compare(first[WHO_INITIATOR]->mode.rate, first[WHO_TARGET]->mode.rate) != 0;
}

/* Names the claims of a list that are no better than the rate: they set it. */
static int name_bounds(struct link *l, const struct claim *claims, size_t n, struct rate rate)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < n; i++) {
        struct rate common = rate_common(claims[i].mode.rate, rate);

        if (claims[i].mode.rate.lanes == common.lanes ||
            claims[i].mode.rate.lane_kb_per_s == common.lane_kb_per_s)
            r = vec_push(&l->expected_from, claims[i]);
    }
    return r;
}

static int set_expected(struct model *m, struct link *l, struct rate rate)
{
    int r = l->describe ? l->describe(m->arena, rate, &l->expected) : 0;

    return r < 0 ? r : name_bounds(l, l->able.v, l->able.n, rate);
}

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* The same model at the far end; where that is a network, the adapters' own. */
static bool same_far(const struct link *a, const struct link *b)
{
    return a->far_is_network ? same_text(a->host->model, b->host->model)
                             : same_text(a->far, b->far);
}

/* Functions of one PCI device differ in the digit behind the dot. */
static bool same_card(const struct host *a, const struct host *b)
{
    const char *dot = a->pci_address ? strchr(a->pci_address, '.') : NULL;

    return a == b || (dot && b->pci_address &&
                      strncmp(a->pci_address, b->pci_address, (size_t)(dot - a->pci_address)) == 0);
}

void expect_siblings(const struct model *m, const struct link *l,
                     bool (*each)(void *userdata, const struct link *sibling), void *userdata)
{
    for (size_t i = 0; i < m->links.n; i++) {
        const struct link *s = m->links.v[i];

        if (s == l || s->state != LINK_UP || !s->actual.known || s->verdict == VERDICT_CAPPED ||
            s->up != l->up || !s->bundle != !l->bundle || !s->host || !l->host)
            continue;
        if (same_text(s->transport, l->transport) && same_far(s, l) &&
            same_card(s->host, l->host) && !each(userdata, s))
            return;
    }
}

/* The slowest mode among the siblings that are faster, and how many these are. */
struct faster {
    const struct link *link;
    struct mode mode;
    size_t n;
};

static bool count_faster(void *userdata, const struct link *sibling)
{
    struct faster *f = userdata;

    if (rate_compare(sibling->actual.rate, f->link->actual.rate) <= 0)
        return true;
    if (!f->n || rate_compare(sibling->actual.rate, f->mode.rate) < 0)
        f->mode = sibling->actual;
    f->n++;
    return true;
}

/* Where the ends say too little: has the link itself been faster, or are others like it? */
static int judge_by_others(struct model *m, struct link *l, const struct history *history)
{
    const struct sample *before = history ? history_best(history, l) : NULL;
    struct faster f = { .link = l };
    struct claim claim = { .who = WHO_HISTORY, .via = "an earlier capture" };
    int r = 0;

    if (before && rate_compare(before->rate, l->actual.rate) > 0) {
        r = l->describe ? l->describe(m->arena, before->rate, &claim.mode) : 0;
    } else {
        if (l->peers_prove)
            expect_siblings(m, l, count_faster, &f);
        if (f.n < 2)
            return 0;
        claim = (struct claim){ WHO_SIBLING, "links of the same kind and model", f.mode, false };
    }
    if (r < 0 || !claim.mode.known)
        return r;
    l->verdict = VERDICT_BELOW;
    l->reason = NULL;
    l->expected = claim.mode;
    return vec_push(&l->expected_from, claim);
}

static int judge_up(struct model *m, struct link *l, const struct history *history)
{
    bool proven = has_proof(l, WHO_INITIATOR) && has_proof(l, WHO_TARGET);
    struct rate able, cap, actual = l->actual.rate;
    bool is_capped;
    int r;

    if (!common_of(l->able.v, l->able.n, &able)) {
        l->reason = l->reason ? l->reason : "nothing says what it could do";
        return judge_by_others(m, l, history);
    }
    is_capped = common_of(l->allowed.v, l->allowed.n, &cap);
    cap = is_capped ? rate_common(able, cap) : able;
    is_capped = is_capped && rate_compare(cap, able) < 0;
    if (rate_compare(actual, able) >= 0) {
        l->verdict = VERDICT_OK;
        return set_expected(m, l, rate_compare(actual, able) > 0 ? actual : able);
    }
    if (is_capped && rate_compare(actual, cap) == 0) {
        l->verdict = VERDICT_CAPPED;
        r = set_expected(m, l, able);
        return r < 0 ? r : name_bounds(l, l->allowed.v, l->allowed.n, cap);
    }
    if (!proven) {
        l->reason = l->reason
                        ? l->reason
                        : "it is slower than its ends may be able to, and no proof that they are";
        return judge_by_others(m, l, history);
    }
    l->verdict = VERDICT_BELOW;
    return set_expected(m, l, cap);
}

/* The administrator's word overrides what the ends can do. */
static int judge_by_wish(struct link *l)
{
    struct claim claim = { WHO_ADMINISTRATOR, l->wish.from, l->wish.expect, false };

    l->expected = l->wish.expect;
    l->verdict = rate_compare(l->actual.rate, l->expected.rate) < 0 ? VERDICT_BELOW : VERDICT_OK;
    l->reason = l->wish.reason;
    return vec_push(&l->expected_from, claim);
}

static int judge(struct model *m, struct link *l, const struct history *history)
{
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
    if (ends_disagree(l)) {
        l->reason = "initiator and target name different modes";
        return 0;
    }
    return l->wish.expect.known ? judge_by_wish(l) : judge_up(m, l, history);
}

int expect_model(struct model *m, const struct history *history)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < m->links.n; i++)
        r = judge(m, m->links.v[i], history);
    return r;
}
