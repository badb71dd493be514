/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * /proc/mpt/iocN/summary, as mptbase prints it.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "transport/fusion.h"

static void a_whole_line(void **state)
{
    struct fusion_summary s;

    (void)state;
    assert_int_equal(fusion_parse_summary(
                         "ioc0: LSI53C1030 B2, FwRev=01032300h, Ports=1, MaxQ=222, IRQ=24\n", &s),
                     0);
    assert_memory_equal(s.product.data, "LSI53C1030 B2", s.product.len);
    assert_int_equal(s.product.len, strlen("LSI53C1030 B2"));
    assert_int_equal(s.firmware, 0x01032300);
    assert_int_equal(s.ports, 1);
    assert_int_equal(s.max_q, 222);
}

static void what_is_left_out_is_nothing(void **state)
{
    struct fusion_summary s;

    (void)state;
    assert_int_equal(fusion_parse_summary("ioc12: LSISAS1068 A0, FwRev=01329200h", &s), 0);
    assert_int_equal(s.ports, 0);
    assert_int_equal(s.max_q, 0);
}

static void other_texts_are_refused(void **state)
{
    static const char *const TEXTS[] = { "",         "ioc0",
                                         "ioc0: ",   "ioc0: LSI53C1030 B2",
                                         "FwRev=1h", "ioc0: LSI53C1030 B2, FwRev=zz" };
    struct fusion_summary s;

    (void)state;
    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        assert_int_equal(fusion_parse_summary(TEXTS[i], &s), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_line),
        cmocka_unit_test(what_is_left_out_is_nothing),
        cmocka_unit_test(other_texts_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
