/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The arena: alignment, zeroes, pieces that do not move or touch, strings.
 */
#include "../cmocka_all.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static void pieces_are_aligned_zeroed_and_apart(void **state)
{
    enum { N = 3000 };
    struct arena *a = arena_new();
    uint8_t *pieces[N];
    size_t sizes[N], total = 0;

    (void)state;
    assert_non_null(a);
    assert_int_equal(arena_used(a), 0);
    for (size_t i = 0; i < N; i++) {
        /* Small ones, some of them odd, and now and then one larger than a block. */
        sizes[i] = i % 500 == 499 ? 100000 + i : i * 7 % 257 + 1;
        assert_non_null(arena_strndup(a, "xyz", i % 4));
        total += i % 4 + 1;
        pieces[i] = arena_alloc(a, sizes[i]);
        assert_non_null(pieces[i]);
        total += sizes[i];
        assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(pieces[i][j], 0);
        memset(pieces[i], (int)(i % 251 + 1), sizes[i]);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < sizes[i]; j++)
            if (pieces[i][j] != i % 251 + 1)
                fail_msg("piece %zu was overwritten", i);
    assert_int_equal(arena_used(a), total);
    arena_free(a);
}

static void nothing_is_a_piece_too(void **state)
{
    struct arena *a = arena_new();
    char *first = arena_alloc(a, 0), *second = arena_alloc(a, 0);

    (void)state;
    assert_non_null(first);
    assert_non_null(second);
    assert_ptr_not_equal(first, second);
    arena_free(a);
    assert_null(arena_free(NULL));
}

static void more_than_there_is_fails(void **state)
{
    struct arena *a = arena_new();
    char *text;

    (void)state;
    assert_null(arena_alloc(a, SIZE_MAX));
    assert_null(arena_alloc(a, SIZE_MAX - 15));
    assert_null(arena_alloc(a, SIZE_MAX / 2));
    text = arena_strdup(a, "still there");
    assert_string_equal(text, "still there");
    arena_free(a);
}

static void clearing_starts_again(void **state)
{
    struct arena *a = arena_new();

    (void)state;
    arena_clear(a); /* nothing to clear */
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 100; i++) {
            uint8_t *p = arena_alloc(a, 10000);

            assert_non_null(p);
            for (size_t j = 0; j < 10000; j++)
                assert_int_equal(p[j], 0);
            memset(p, 0xff, 10000);
        }
        assert_int_equal(arena_used(a), 1000000);
        arena_clear(a);
        assert_int_equal(arena_used(a), 0);
    }
    arena_free(a);
}

static void strings(void **state)
{
    struct arena *a = arena_new();
    const uint8_t data[] = { 1, 0, 2 };
    struct bytes b = arena_bytes(a, (struct bytes){ data, 3 }),
                 none = arena_bytes(a, (struct bytes){ 0 });
    char long_text[1000];

    (void)state;
    assert_null(arena_strdup(a, NULL));
    assert_string_equal(arena_strdup(a, ""), "");
    assert_string_equal(arena_strndup(a, "abcdef", 3), "abc");
    assert_int_equal(b.len, 3);
    assert_memory_equal(b.data, data, 3);
    assert_int_equal(b.data[3], 0);
    assert_int_equal(none.len, 0);
    assert_non_null(none.data);
    assert_string_equal(arena_printf(a, "%s-%d", "x", 7), "x-7");
    assert_string_equal(arena_printf(a, "%s", ""), "");
    /* About as long as the room in which short ones are made. */
    for (size_t len = 250; len < 260; len++) {
        memset(long_text, 'y', len);
        long_text[len] = '\0';
        assert_string_equal(arena_printf(a, "%s", long_text), long_text);
    }
    memset(long_text, 'z', 999);
    long_text[999] = '\0';
    assert_string_equal(arena_printf(a, "%s", long_text), long_text);
    arena_free(a);
}

static void arrays(void **state)
{
    struct arena *a = arena_new();
    uint64_t *v = arena_new_array(a, uint64_t, 10);

    (void)state;
    for (int i = 0; i < 10; i++)
        assert_int_equal(v[i], 0);
    assert_int_equal(arena_used(a), 10 * sizeof(uint64_t));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_zeroed_and_apart),
        cmocka_unit_test(nothing_is_a_piece_too),
        cmocka_unit_test(more_than_there_is_fails),
        cmocka_unit_test(clearing_starts_again),
        cmocka_unit_test(strings),
        cmocka_unit_test(arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
