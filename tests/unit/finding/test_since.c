/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Since when a finding is known to hold: back to the first capture without a gap in which its links were alike.
 */
#include "machine.h"

/* A look: a minute, and what the link runs at; 0: it is not up. */
struct looked {
    unsigned minute, mb;
};

static void look(struct machine *k, struct link *l, unsigned mb)
{
    l->state = mb ? LINK_UP : LINK_DOWN;
    if (mb)
        runs(k, l, 1, MB(mb));
}

/* The minute since which the finding holds, of a link that can do 600 MB/s. */
static unsigned since(const char *code, const struct looked *looks, size_t n)
{
    struct machine k = machine_new();
    struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 600, 600);
    uint64_t since_us;

    for (size_t i = 0; i + 1 < n; i++) {
        look(&k, l, looks[i].mb);
        remember(&k, looks[i].minute);
    }
    look(&k, l, looks[n - 1].mb);
    since_us = only(judged(&k, looks[n - 1].minute), code)->since_us - k.boot_us;
    judged_done(&k);
    return (unsigned)(since_us / MINUTE_US);
}

#define SINCE(code, ...)                                \
    since(code, (const struct looked[]){ __VA_ARGS__ }, \
          sizeof((const struct looked[]){ __VA_ARGS__ }) / sizeof(struct looked))

static void slow_links(void **state)
{
    (void)state;
    assert_int_equal(SINCE("rate-below-expected", { 90, 300 }), 90);
    assert_int_equal(SINCE("rate-below-expected", { 10, 600 }, { 90, 300 }), 90);
    assert_int_equal(SINCE("rate-below-expected", { 10, 300 }, { 50, 300 }, { 90, 300 }), 10);
    assert_int_equal(
        SINCE("rate-below-expected", { 10, 300 }, { 20, 600 }, { 500, 300 }, { 900, 300 }), 500);
    /* Another low rate is another state. */
    assert_int_equal(SINCE("rate-below-expected", { 10, 150 }, { 50, 300 }, { 900, 300 }), 50);
}

/* What was one lane of several is not since then the whole link. */
static void a_lane_that_stayed(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *wide = wire(&k, h, "wide", 2, MB(300)), *l = wire(&k, h, "a", 1, MB(300));
    const struct finding *f;

    (void)state;
    l->bundle = wide;
    remember(&k, 10);
    wide->state = LINK_UNKNOWN;
    l->bundle = NULL;
    proven(&k, l, 2, MB(300));
    f = only(judged(&k, 90), "width-below-expected");
    assert_int_equal((f->since_us - k.boot_us) / MINUTE_US, 90);
    judged_done(&k);
}

static void lost_links(void **state)
{
    (void)state;
    assert_int_equal(SINCE("link-lost", { 10, 600 }, { 90, 0 }), 90);
    assert_int_equal(SINCE("link-lost", { 10, 600 }, { 50, 0 }, { 60, 0 }, { 90, 0 }), 50);
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(slow_links),
        cmocka_unit_test(a_lane_that_stayed),
        cmocka_unit_test(lost_links),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
