/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The administrator's word in a diagnosis.
 */
#include "../cmocka_all.h"

#include "config/config.h"
#include "finding/thresholds.h"

/* Two layers hold defaults, neither of which sees the other: they are the same. */
static void thresholds_agree(void **state)
{
    const struct thresholds d = THRESHOLDS_DEFAULT;
    struct config c;

    (void)state;
    assert_int_equal(config_init(&c), 0);
    assert_int_equal(c.thresholds.errors_growing_per_hour, d.errors_per_hour);
    assert_int_equal(c.thresholds.errors_growing_slow_per_hour, d.slow_errors_per_hour);
    assert_int_equal(c.thresholds.errors_growing_slow_us, d.slow_errors_us);
    assert_int_equal(c.thresholds.aer_info_per_hour, d.soft_errors_per_hour);
    assert_int_equal(c.thresholds.flapping_changes, d.flapping_changes);
    assert_int_equal(c.thresholds.flapping_within_us, d.flapping_us);
    assert_int_equal(c.thresholds.device_stuck_timeouts, d.stuck_timeouts);
    assert_int_equal(c.thresholds.read_below_percent, d.read_below_percent);
    assert_int_equal(c.thresholds.read_below_apart_us, d.read_below_apart_us);
    assert_int_equal(c.thresholds.clock_margin_percent, d.clock_percent);
    config_done(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thresholds_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
