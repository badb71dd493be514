/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Judging the machines of model_machine.h.
 */
#pragma once

#include "../model_machine.h"

#include "expect/expect.h"
#include "finding/judge.h"

/* Judges the model as it is at that minute, with all that is remembered, and acknowledged. */
static inline const struct report *judged_knowing(struct machine *k, unsigned minute,
                                                  const struct acknowledgements *acknowledged)
{
    k->report = calloc(1, sizeof(*k->report));
    assert_non_null(k->report);
    k->report->model = k->model;
    k->report->wall_us = k->boot_us + minute * MINUTE_US;
    k->report->mono_us = minute * MINUTE_US;
    history_apply(k->past, k->model);
    assert_int_equal(expect_model(k->model, k->past), 0);
    assert_int_equal(judge_report(k->report, k->past, acknowledged, &THRESHOLDS_DEFAULT), 0);
    return k->report;
}

static inline const struct report *judged(struct machine *k, unsigned minute)
{
    return judged_knowing(k, minute, NULL);
}

/* Ends a machine that was judged. */
static inline void judged_done(struct machine *k)
{
    report_free(k->report);
    k->model = NULL;
    machine_done(k);
}

static inline size_t count_of(const struct report *r, const char *code)
{
    size_t n = 0;

    for (size_t i = 0; i < r->findings.n; i++)
        n += strcmp(r->findings.v[i]->entry->code, code) == 0;
    return n;
}

/* The only finding of that code. */
static inline const struct finding *only(const struct report *r, const char *code)
{
    const struct finding *found = NULL;

    for (size_t i = 0; i < r->findings.n; i++)
        if (strcmp(r->findings.v[i]->entry->code, code) == 0) {
            if (found)
                fail_msg("%s twice: %s; %s", code, found->summary, r->findings.v[i]->summary);
            found = r->findings.v[i];
        }
    if (!found) {
        fail_msg("no %s", code);
        abort(); /* is not reached: fail_msg() does not say that it never returns */
    }
    return found;
}

static inline bool has_evidence(const struct finding *f, const char *what)
{
    for (size_t i = 0; i < f->evidence.n; i++)
        if (strcmp(f->evidence.v[i].what, what) == 0)
            return true;
    return false;
}

#define assert_severity(f, s)  assert_int_equal((f)->severity, s)
#define assert_subjects(f, n_) assert_int_equal((f)->subjects.n, n_)
#define assert_first(f, id)    assert_string_equal((f)->subjects.v[0], id)
#define assert_verdict(l, v)   assert_int_equal((l)->verdict, v)
#define assert_nothing(r)      assert_int_equal((r)->findings.n, 0)
#define assert_expected(l, n, m) \
    assert_true(rate_same((l)->expected.rate, (struct rate){ n, 0, MB(m) }))
