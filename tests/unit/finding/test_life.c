/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings that somebody knows of.
 */
#include "machine.h"

/* A link at half its rate, of which somebody knows by that key, and of when it was lost, if `is_gone`. */
static const struct finding *found(struct machine *k, const char *code, bool is_gone,
                                   struct acknowledgement known)
{
    struct acknowledgements all = { 0 };
    struct link *l = lane(k, host(k, "host0", "0000:01:00.0"), "a", 300, 600);

    if (is_gone) {
        remember(k, 0);
        l->state = LINK_EMPTY;
    }
    assert_int_equal(vec_push(&all.list, known), 0);
    judged_knowing(k, 10, &all);
    free(all.list.v); /* the report has its own */
    return only(k->report, code);
}

#define RATE "rate-below-expected"

static void test_mode_is_quiet(void **state)
{
    const struct acknowledgement known = { RATE " pci-0000:01:00.0-a", "cable is ordered", "ann", 7,
                                           0 };
    struct machine k = machine_new();
    const struct finding *f = found(&k, RATE, false, known);

    (void)state;
    assert_string_equal(f->subjects.v[0], "pci-0000:01:00.0-a");
    assert_severity(f, SEVERITY_INFO);
    assert_string_equal(f->known->reason, "cable is ordered");
    assert_string_equal(f->known->by, "ann");
    assert_int_equal(f->known->at_us, 7);
    assert_string_equal(f->evidence.v[f->evidence.n - 1].what, "acknowledged");
    assert_string_equal(f->evidence.v[f->evidence.n - 1].value, "cable is ordered");
    assert_string_equal(f->evidence.v[f->evidence.n - 1].from, "ann");
    judged_done(&k);
}

/* A disk that was taken out on purpose. The configuration cannot say that: it would hold for the next loss, too. */
static void test_loss_is_quiet(void **state)
{
    const struct acknowledgement known = { "link-lost pci-0000:01:00.0-a", "disk is ordered", NULL,
                                           7, 0 };
    struct machine k = machine_new();
    const struct finding *f = found(&k, "link-lost", true, known);

    (void)state;
    assert_severity(f, SEVERITY_INFO);
    assert_string_equal(f->known->reason, "disk is ordered");
    judged_done(&k);
}

/* Until: it counts before, and no more from then on. */
static void test_time(void **state)
{
    (void)state;
    for (unsigned is_over = 0; is_over < 2; is_over++) {
        struct machine k = machine_new();
        const struct acknowledgement known = { RATE " pci-0000:01:00.0-a", "a week", "ann", 7,
                                               k.boot_us + 10 * MINUTE_US + !is_over };
        const struct finding *f = found(&k, RATE, false, known);

        assert_severity(f, is_over ? SEVERITY_WARNING : SEVERITY_INFO);
        assert_int_equal(!f->known, is_over);
        judged_done(&k);
    }
}

static void test_others_are_not_meant(void **state)
{
    static const char *const KEYS[] = {
        RATE " pci-0000:01:00.0-b",      "async pci-0000:01:00.0-a", RATE " pci-0000:01:00.0", RATE,
        "rate-below pci-0000:01:00.0-a", RATE " pci-0000:01:00.0-a "
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(KEYS); i++) {
        struct machine k = machine_new();
        const struct acknowledgement known = { KEYS[i], "another one", "ann", 7, 0 };

        assert_severity(found(&k, RATE, false, known), SEVERITY_WARNING);
        judged_done(&k);
    }
}

static void test_key(void **state)
{
    char *key = finding_key("async", "pci-0000:01:00.0-a");

    (void)state;
    assert_string_equal(key, "async pci-0000:01:00.0-a");
    free(key);
}

static void test_reason(void **state)
{
    static const struct {
        const char *text;
        bool is_good;
    } TEXTS[] = {
        { "cable is ordered", true },
        { "Kabel für Bucht 3 – Dienstag", true },
        { "", false },
        { "two\nlines", false },
        { "red \033[31m", false },
        { "\x7f", false },
        { "\xc2\x9b"
          "31m",
          false }, /* CSI */
        { "\xc2\xa0", true },
        { "no UTF-8 \xff", false },
        { "\xc2", false },
    };
    char text[ACKNOWLEDGEMENT_REASON_MAX + 2];

    (void)state;
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++)
        assert_int_equal(acknowledgement_is_reason(TEXTS[i].text), TEXTS[i].is_good);
    memset(text, 'x', sizeof(text));
    text[ACKNOWLEDGEMENT_REASON_MAX + 1] = '\0';
    assert_false(acknowledgement_is_reason(text));
    text[ACKNOWLEDGEMENT_REASON_MAX] = '\0';
    assert_true(acknowledgement_is_reason(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mode_is_quiet), cmocka_unit_test(test_loss_is_quiet),
        cmocka_unit_test(test_time),          cmocka_unit_test(test_others_are_not_meant),
        cmocka_unit_test(test_key),           cmocka_unit_test(test_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
