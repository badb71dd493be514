/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include "base/bytes.h"

static const uint8_t DATA[] = { 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09 };

static struct cursor over(size_t len)
{
    return cursor_over((struct bytes){ DATA, len });
}

static void reads_in_both_orders(void **state)
{
    struct cursor c = over(9);

    (void)state;
    assert_int_equal(cursor_be16(&c), 0x0102);
    assert_int_equal(cursor_le16(&c), 0x0403);
    assert_int_equal(cursor_be24(&c), 0x050607);
    assert_int_equal(cursor_left(&c), 2);
    c = over(9);
    assert_true(cursor_be64(&c) == 0x0102030405060708);
    assert_int_equal(cursor_u8(&c), 9);
    assert_false(c.failed);
}

static void failure_sticks(void **state)
{
    struct cursor c = over(3);

    (void)state;
    assert_int_equal(cursor_be32(&c), 0);
    assert_true(c.failed);
    assert_int_equal(cursor_u8(&c), 0);
    assert_int_equal(cursor_left(&c), 0);
    assert_int_equal(cursor_take(&c, 1).len, 0);
    assert_int_equal(cursor_take_up_to(&c, 1, NULL).len, 0);
}

static void lengths_in_the_data_are_not_trusted(void **state)
{
    struct cursor c = over(5);
    bool cut;
    struct bytes run;

    (void)state;
    run = cursor_take_up_to(&c, 3, &cut);
    assert_int_equal(run.len, 3);
    assert_false(cut);
    run = cursor_take_up_to(&c, SIZE_MAX, &cut);
    assert_int_equal(run.len, 2);
    assert_ptr_equal(run.data, DATA + 3);
    assert_true(cut);
    assert_false(c.failed);
    cursor_skip(&c, SIZE_MAX);
    assert_true(c.failed);
}

static void slices_stay_inside(void **state)
{
    struct bytes b = { DATA, 9 };

    (void)state;
    assert_int_equal(bytes_slice(b, 4, 100).len, 5);
    assert_int_equal(bytes_slice(b, 9, 1).len, 0);
    assert_int_equal(bytes_slice(b, SIZE_MAX, SIZE_MAX).len, 0);
    assert_int_equal(bytes_at(b, 8), 9);
    assert_int_equal(bytes_at(b, 9), 0);
    assert_true(bytes_equal(bytes_slice(b, 0, 0), (struct bytes){ 0 }));
    assert_false(bytes_equal(bytes_slice(b, 0, 2), bytes_slice(b, 1, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_in_both_orders),
        cmocka_unit_test(failure_sticks),
        cmocka_unit_test(lengths_in_the_data_are_not_trusted),
        cmocka_unit_test(slices_stay_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
