/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Growable arrays.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/vec.h"

struct thing {
    uint64_t number;
    uint8_t byte;
};

static void elements_stay(void **state)
{
    VEC(struct thing) v = { 0 };
    size_t grown = 0, cap = 0;

    (void)state;
    for (uint64_t i = 0; i < 100000; i++) {
        assert_int_equal(vec_push(&v, (struct thing){ i * 3, (uint8_t)i }), 0);
        assert_true(v.n <= v.cap);
        grown += v.cap != cap;
        cap = v.cap;
    }
    assert_int_equal(v.n, 100000);
    assert_true(grown < 30); /* by half: few copies */
    for (uint64_t i = 0; i < v.n; i++) {
        assert_int_equal(v.v[i].number, i * 3);
        assert_int_equal(v.v[i].byte, (uint8_t)i);
    }
    free(v.v);
}

static void an_element_is_evaluated_once(void **state)
{
    VEC(int) v = { 0 };
    int i = 0;

    (void)state;
    assert_int_equal(vec_push(&v, i++), 0);
    assert_int_equal(vec_push(&v, i++), 0);
    assert_int_equal(i, 2);
    assert_non_null(v.v);
    assert_int_equal(v.v[0], 0);
    assert_int_equal(v.v[1], 1);
    free(v.v);
}

static void room_is_made_ahead(void **state)
{
    VEC(uint32_t) v = { 0 };
    uint32_t *at;

    (void)state;
    assert_int_equal(vec_reserve(&v, 0), 0);
    assert_int_equal(vec_reserve(&v, 1000), 0);
    assert_true(v.cap >= 1000);
    assert_int_equal(v.n, 0);
    at = v.v;
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(vec_push(&v, i), 0);
    assert_ptr_equal(at, v.v);
    free(v.v);
}

static void too_much_leaves_it_as_it_was(void **state)
{
    VEC(struct thing) v = { 0 };
    struct thing *at;
    size_t cap;

    (void)state;
    assert_int_equal(vec_push(&v, (struct thing){ 1, 2 }), 0);
    at = v.v;
    cap = v.cap;
    assert_int_equal(vec_reserve(&v, SIZE_MAX), -ENOMEM);
    assert_int_equal(vec_reserve(&v, SIZE_MAX - 1), -ENOMEM);
    assert_int_equal(vec_reserve(&v, SIZE_MAX / sizeof(struct thing)), -ENOMEM);
    assert_int_equal(vec_reserve(&v, SIZE_MAX / sizeof(struct thing) - 1), -ENOMEM);
    assert_ptr_equal(at, v.v);
    assert_int_equal(cap, v.cap);
    assert_int_equal(v.n, 1);
    assert_non_null(v.v);
    for (size_t i = 0; i < v.n; i++)
        assert_int_equal(v.v[i].number, 1);
    free(v.v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_stay),
        cmocka_unit_test(an_element_is_evaluated_once),
        cmocka_unit_test(room_is_made_ahead),
        cmocka_unit_test(too_much_leaves_it_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
