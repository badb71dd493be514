/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The string table: once each, found again, never moved.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"

static struct bytes text(const char *t)
{
    return (struct bytes){ (const uint8_t *)t, strlen(t) };
}

static void each_string_once(void **state)
{
    struct strtab *t = strtab_new();
    uint32_t a, b, again, empty;

    (void)state;
    assert_int_equal(strtab_find(t, text("x")), STRTAB_NONE);
    assert_int_equal(strtab_put(t, text("running\n"), &a), 0);
    assert_int_equal(strtab_put(t, text("running"), &b), 0);
    assert_int_equal(strtab_put(t, (struct bytes){ 0 }, &empty), 0);
    assert_int_equal(strtab_put(t, text("running\n"), &again), 0);
    assert_int_equal(a, again);
    assert_int_not_equal(a, b);
    assert_int_not_equal(a, empty);
    assert_int_equal(strtab_find(t, text("running\n")), a);
    assert_int_equal(strtab_find(t, text("running")), b);
    assert_int_equal(strtab_find(t, text("")), empty);
    assert_int_equal(strtab_find(t, text("runnin")), STRTAB_NONE);
    assert_string_equal(strtab_text(t, a), "running\n");
    assert_int_equal(strtab_get(t, empty).len, 0);
    assert_int_equal(*strtab_get(t, empty).data, 0);
    strtab_free(t);
    assert_null(strtab_free(NULL));
}

static void bytes_with_nul(void **state)
{
    struct strtab *t = strtab_new();
    uint32_t a, b;

    (void)state;
    assert_int_equal(strtab_put(t, (struct bytes){ (const uint8_t *)"6.25\0\n", 6 }, &a), 0);
    assert_int_equal(strtab_put(t, (struct bytes){ (const uint8_t *)"6.25\0x", 6 }, &b), 0);
    assert_int_not_equal(a, b);
    assert_int_equal(strtab_get(t, a).len, 6);
    assert_memory_equal(strtab_get(t, a).data, "6.25\0\n", 7);
    assert_string_equal(strtab_text(t, a), "6.25");
    strtab_free(t);
}

static void many_strings_stay_where_they_are(void **state)
{
    enum { N = 100000 };
    struct strtab *t = strtab_new();
    uint32_t *ids = malloc(N * sizeof(*ids)), id;
    const char *first;
    char line[64];

    (void)state;
    assert_non_null(ids);
    assert_int_equal(strtab_put(t, text("first"), &id), 0);
    first = strtab_text(t, id);
    for (uint32_t i = 0; i < N; i++) {
        snprintf(line, sizeof(line), "string number %u", i);
        assert_int_equal(strtab_put(t, text(line), &ids[i]), 0);
    }
    assert_ptr_equal(first, strtab_text(t, id));
    for (uint32_t i = 0; i < N; i++) {
        snprintf(line, sizeof(line), "string number %u", i);
        assert_int_equal(strtab_find(t, text(line)), ids[i]);
        assert_string_equal(strtab_text(t, ids[i]), line);
    }
    free(ids);
    strtab_free(t);
}

/* The longest that is kept fills a block of its own, whatever was there before it. */
static void long_strings(void **state)
{
    uint8_t *data = malloc(STRTAB_STRING_MAX + 1);
    struct strtab *t = strtab_new();
    uint32_t small, large, after;

    (void)state;
    assert_non_null(data);
    memset(data, 'x', STRTAB_STRING_MAX + 1);
    assert_int_equal(strtab_put(t, text("a"), &small), 0);
    assert_int_equal(strtab_put(t, (struct bytes){ data, STRTAB_STRING_MAX + 1 }, &large), -E2BIG);
    assert_int_equal(strtab_put(t, (struct bytes){ data, STRTAB_STRING_MAX }, &large), 0);
    assert_int_equal(strtab_put(t, text("b"), &after), 0);
    assert_int_equal(strtab_get(t, large).len, STRTAB_STRING_MAX);
    assert_memory_equal(strtab_get(t, large).data, data, STRTAB_STRING_MAX);
    assert_int_equal(strtab_get(t, large).data[STRTAB_STRING_MAX], 0);
    assert_string_equal(strtab_text(t, small), "a");
    assert_string_equal(strtab_text(t, after), "b");
    assert_int_equal(strtab_find(t, (struct bytes){ data, STRTAB_STRING_MAX }), large);
    strtab_free(t);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_string_once),
        cmocka_unit_test(bytes_with_nul),
        cmocka_unit_test(many_strings_stay_where_they_are),
        cmocka_unit_test(long_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
