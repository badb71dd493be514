/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a repair gives: one device, several behind one link, and hops above that carry no more.
 */
#include "machine.h"

static const char *gives(const struct finding *f)
{
    for (size_t i = 0; i < f->evidence.n; i++)
        if (strcmp(f->evidence.v[i].what, "a repair gives") == 0)
            return f->evidence.v[i].value;
    return NULL;
}

/* A slow link below a slot that runs at so many MB/s, with a disk on it. */
static void expect_one(unsigned slot_mb, const char *expected)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *l;

    h->slot = wire(&k, h, "slot", 1, MB(slot_mb));
    proven(&k, h->slot, 1, MB(slot_mb));
    l = lane(&k, h, "a", 300, 600);
    disk(&k, h, l, "0:0:0:0");
    assert_string_equal(gives(only(judged(&k, 0), "rate-below-expected")), expected);
    judged_done(&k);
}

static void one_device(void **state)
{
    (void)state;
    expect_one(2000, "600.0 instead of 300.0 MB/s for 0:0:0:0 (DISK)");
    expect_one(500, "500.0 instead of 300.0 MB/s for 0:0:0:0 (DISK)");
    expect_one(200, "no more yet: the slot of host0 (slot) carries no more");
}

static void nothing_behind(void **state)
{
    struct machine k = machine_new();

    (void)state;
    lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 300, 600);
    assert_null(gives(only(judged(&k, 0), "rate-below-expected")));
    judged_done(&k);
}

/* Two disks behind a link of which half runs: each has enough of it, both together have not. */
static void shared(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *uplink = proven(&k, wire(&k, h, "up", 2, MB(600)), 4, MB(600));

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct link *l = lane(&k, h, i ? "b" : "a", 600, 600);

        l->up = uplink;
        disk(&k, h, l, i ? "0:0:1:0" : "0:0:0:0");
    }
    assert_string_equal(gives(only(judged(&k, 0), "width-below-expected")),
                        "2400.0 instead of 1200.0 MB/s for the 2 devices behind it together");
    judged_done(&k);
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(one_device),
        cmocka_unit_test(nothing_behind),
        cmocka_unit_test(shared),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
