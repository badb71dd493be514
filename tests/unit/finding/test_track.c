/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is told of findings that come, stay, blink and go.
 */
#include "../cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "finding/track.h"

#define MIN   UINT64_C(60000000)
#define CLEAR (5 * MIN)

/* Findings of one look: "rate-below-expected a!", '!' for critical, ',' between them. */
struct look {
    struct report report;
    struct finding findings[4];
    struct catalog_entry entries[4]; /* of the report: gone with it */
    char text[256];
    const char *subjects[4][1];
};

static void look_at(struct look *l, const char *text)
{
    char *save = NULL;

    memset(l, 0, sizeof(*l));
    snprintf(l->text, sizeof(l->text), "%s", text);
    for (char *word = strtok_r(l->text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        size_t i = l->report.findings.n;
        struct finding *f = &l->findings[i];
        char *subject = strchr(word, ' ');
        bool is_critical = word[strlen(word) - 1] == '!';

        *subject++ = '\0';
        subject[strlen(subject) - is_critical] = '\0';
        l->subjects[i][0] = subject;
        assert_non_null(catalog_find(word));
        l->entries[i] = *catalog_find(word);
        l->entries[i].code = word;
        *f = (struct finding){
            .entry = &l->entries[i],
            .severity = is_critical ? SEVERITY_CRITICAL : SEVERITY_WARNING,
            .summary = word,
            .subjects = { l->subjects[i], 1, 1 },
            .names = { l->subjects[i], 1, 1 },
        };
        assert_int_equal(vec_push(&l->report.findings, f), 0);
    }
}

/* Of the ids, those in capital letters are of an adapter that was examined in any case. */
static bool was_examined(void *userdata, const char *id)
{
    (void)userdata;
    return *id >= 'A' && *id <= 'Z';
}

static const struct track_sight SIGHT = { was_examined, NULL };

/* What is told of a look, as "raised a, cleared b". */
static void assert_told(struct tracker *t, const char *found, uint64_t now_us, size_t unexamined,
                        const char *want)
{
    struct track_events events;
    struct look look;
    char told[256] = "";

    look_at(&look, found);
    look.report.unexamined = unexamined;
    assert_int_equal(track_take(t, &look.report, now_us, CLEAR, &SIGHT, &events), 0);
    for (size_t i = 0; i < events.list.n; i++) {
        const struct track_event *e = &events.list.v[i];

        snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s%s %s", i ? ", " : "",
                 track_change_to_string(e->change), e->tracked->subject);
        assert_true(*e->tracked->summary && e->tracked->names.n);
        assert_int_not_equal(e->tracked->state, TRACK_NEW);
    }
    assert_string_equal(told, want);
    track_events_done(&events);
    free(look.report.findings.v);
}

#define RATE(x) "rate-below-expected " x

static void test_life(void **state)
{
    struct tracker t = { 0 };

    (void)state;
    assert_told(&t, RATE("a"), MIN, 0, "raised a"); /* found by the first look: at once */
    assert_told(&t, RATE("a"), 2 * MIN, 0, "");
    assert_told(&t, RATE("a") "," RATE("b"), 3 * MIN, 0, "");
    assert_true(track_wants_look(&t));
    assert_told(&t, RATE("a") "," RATE("b"), 4 * MIN, 0, "raised b");
    assert_false(track_wants_look(&t));
    assert_int_equal(track_next_end(&t, CLEAR), UINT64_MAX);
    assert_told(&t, RATE("a"), 5 * MIN, 0, "");
    assert_int_equal(track_next_end(&t, CLEAR), 10 * MIN);
    assert_told(&t, RATE("a"), 10 * MIN - 1, 0, "");
    assert_told(&t, RATE("a"), 10 * MIN, 0, "cleared b");
    assert_told(&t, "", 11 * MIN, 0, "");
    assert_told(&t, "", 20 * MIN, 0, "cleared a");
    assert_int_equal(t.all.n, 0);
    tracker_done(&t);
}

static void test_blip(void **state)
{
    struct tracker t = { 0 };

    (void)state;
    assert_told(&t, "", 0, 0, "");
    assert_told(&t, RATE("a!"), MIN, 0, "");
    assert_told(&t, "", 2 * MIN, 0, "");
    assert_told(&t, RATE("a!"), 3 * MIN, 0, ""); /* new again */
    assert_told(&t, RATE("a"), 4 * MIN, 0, "raised a");
    tracker_done(&t);
}

/* Twenty times up and down is one word, not forty; and over when it has been quiet. */
static void test_flaps(void **state)
{
    struct tracker t = { 0 };
    uint64_t now = 0;

    (void)state;
    assert_told(&t, RATE("a"), now, 0, "raised a");
    for (unsigned i = 0; i < 20; i++) {
        assert_told(&t, "", now += MIN, 0, "");
        assert_told(&t, RATE("a"), now += MIN, 0, "");
    }
    assert_int_equal(t.all.v[0]->returns, 20);
    /* Slower than that, but the link is known to flap. */
    assert_told(&t, RATE("a") ",link-flapping a", now += MIN, 0, "");
    assert_told(&t, "link-flapping a", now += MIN, 0, "raised a");
    assert_told(&t, "link-flapping a", now += 2 * CLEAR, 0, "");
    assert_told(&t, "", now += MIN, 0, "cleared a");
    assert_told(&t, "", now += CLEAR, 0, "cleared a");
    tracker_done(&t);
}

/* What an adapter that was not examined says nothing of may be there still. */
static void test_unexamined(void **state)
{
    struct tracker t = { 0 };

    (void)state;
    assert_told(&t, RATE("a"), 0, 0, "raised a");
    assert_told(&t, "", MIN, 1, "");
    assert_told(&t, "", 60 * MIN, 1, "");
    assert_int_equal(t.all.v[0]->state, TRACK_CONFIRMED);
    assert_told(&t, "", 61 * MIN, 0, "");
    assert_told(&t, "", 66 * MIN, 0, "cleared a");
    tracker_done(&t);
}

/* One adapter that hangs keeps nothing of the others from being over. */
static void test_examined_beside(void **state)
{
    struct tracker t = { 0 };

    (void)state;
    assert_told(&t, RATE("A") "," RATE("b"), 0, 1, "raised A, raised b");
    assert_told(&t, "", MIN, 1, "");
    assert_told(&t, "", 60 * MIN, 1, "cleared A");
    assert_int_equal(t.all.n, 1);
    assert_int_equal(t.all.v[0]->state, TRACK_CONFIRMED);
    tracker_done(&t);
}

static void test_severity(void **state)
{
    struct tracker t = { 0 };

    (void)state;
    assert_told(&t, RATE("a"), 0, 0, "raised a");
    assert_told(&t, RATE("a!"), MIN, 0, "changed a");
    assert_told(&t, RATE("a!") "," RATE("a"), 2 * MIN, 0, ""); /* the same name twice: one word */
    assert_told(&t, RATE("a") ",width-below-expected a", 3 * MIN, 0, "changed a");
    assert_told(&t, RATE("a") ",width-below-expected a", 4 * MIN, 0, "raised a");
    tracker_done(&t);
}

/* ---- after a restart ---- */

static void restore(struct tracker *t, const char *subject, uint64_t since_us)
{
    const char *name = "sda sdb"; /* one name, whatever is in it */
    const struct track_before before = { .code = "rate-below-expected",
                                         .subject = subject,
                                         .severity = SEVERITY_WARNING,
                                         .since_us = since_us,
                                         .summary = "slow",
                                         .subjects = { &subject, 1, 1 },
                                         .names = { &name, 1, 1 } };

    assert_int_equal(track_restore(t, &before), 0);
}

static void test_restored(void **state)
{
    struct tracker t = { 0 };

    (void)state;
    restore(&t, "a", MIN);
    restore(&t, "b", MIN);
    assert_int_equal(t.all.v[1]->names.n, 1);
    assert_string_equal(t.all.v[1]->names.v[0], "sda sdb");
    assert_false(track_wants_look(&t));
    /* What holds still is no news, what is new is; and what is gone meanwhile is told when it has been gone for long. */
    assert_told(&t, RATE("a") "," RATE("c"), 0, 0, "raised c");
    assert_told(&t, RATE("a") "," RATE("c"), CLEAR - 1, 0, "");
    assert_told(&t, RATE("a") "," RATE("c"), CLEAR, 0, "cleared b");
    assert_told(&t, RATE("a!") "," RATE("c"), CLEAR + 1, 0, "changed a");
    tracker_done(&t);
}

static void test_restored_late(void **state)
{
    struct tracker t = { 0 };
    struct look look;

    (void)state;
    assert_told(&t, RATE("a"), 0, 0, "raised a");
    t.all.v[0]->since_us = 9 * MIN;
    restore(&t, "a", 3 * MIN);
    assert_int_equal(t.all.n, 1);
    look_at(&look, RATE("a") "," RATE("b"));
    look.findings[0].since_us = look.findings[1].since_us = 8 * MIN;
    track_since(&t, &look.report);
    assert_int_equal(look.findings[0].since_us, 3 * MIN);
    assert_int_equal(look.findings[1].since_us, 8 * MIN);
    look.findings[0].since_us = 2 * MIN; /* what is known to be earlier stays */
    track_since(&t, &look.report);
    assert_int_equal(look.findings[0].since_us, 2 * MIN);
    free(look.report.findings.v);
    tracker_done(&t);
}

static void test_restored_of_another_version(void **state)
{
    const struct track_before before = { .code = "no-such-code", .subject = "a" };
    struct tracker t = { 0 };

    (void)state;
    assert_int_equal(track_restore(&t, &before), 0);
    assert_int_equal(t.all.n, 0);
    tracker_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life),
        cmocka_unit_test(test_blip),
        cmocka_unit_test(test_flaps),
        cmocka_unit_test(test_unexamined),
        cmocka_unit_test(test_examined_beside),
        cmocka_unit_test(test_severity),
        cmocka_unit_test(test_restored),
        cmocka_unit_test(test_restored_late),
        cmocka_unit_test(test_restored_of_another_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
