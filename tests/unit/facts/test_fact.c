/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Facts: a text without a character is no value.
 */
#include "../cmocka_all.h"

#include "facts/fact.h"

static const struct fact_key NAME = { "name", FACT_TEXT, FACT_IDENTITY };

static void empty_text(void **state)
{
    struct fact_set *set = fact_set_new();
    const struct subject *s;
    bool is_new;

    (void)state;
    assert_non_null(set);
    s = fact_set_add(set, "thing", "a", "/a", NULL, &is_new);
    assert_non_null(s);
    assert_int_equal(fact_put_text(set, &NAME, "here", ""), 0);
    assert_int_equal(fact_set_seal(set), 0);
    assert_non_null(fact_find(s, &NAME));
    assert_int_equal(fact_find(s, &NAME)->quality, QUALITY_SILENT);
    assert_null(fact_text(s, &NAME));
    fact_set_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(empty_text) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
