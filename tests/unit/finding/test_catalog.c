/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The whole catalog: each row is complete, and told from the others.
 */
#include "../cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "finding/catalog.h"

static void check_texts(const char *code, const char *const *texts)
{
    if (!texts || !texts[0])
        fail_msg("%s: a list without a text", code);
    for (size_t i = 0; texts && texts[i]; i++) {
        size_t n = strlen(texts[i]);

        if (n < 8 || texts[i][n - 1] == '.' || texts[i][n - 1] == ' ')
            fail_msg("%s: \"%s\" is no phrase", code, texts[i]);
        for (size_t k = 0; k < i; k++)
            if (strcmp(texts[i], texts[k]) == 0)
                fail_msg("%s: twice: %s", code, texts[i]);
    }
}

static void rows(void **state)
{
    size_t n = 0;

    (void)state;
    for (const struct catalog_entry *e = CATALOG; e->code; e++, n++) {
        assert_int_equal(strlen(e->message_id), 32);
        assert_int_equal(strspn(e->message_id, "0123456789abcdef"), 32);
        assert_in_range(e->severity, SEVERITY_INFO, SEVERITY_CRITICAL);
        assert_true(strlen(e->title) > 8 && strlen(e->not_this) > 8);
        check_texts(e->code, e->causes);
        check_texts(e->code, e->remedies);
        assert_ptr_equal(catalog_find(e->code), e);
        for (const struct catalog_entry *other = CATALOG; other < e; other++) {
            assert_string_not_equal(other->code, e->code);
            assert_string_not_equal(other->message_id, e->message_id);
            assert_string_not_equal(other->title, e->title);
        }
    }
    assert_int_equal(n, 19);
    assert_null(catalog_find("nothing"));
}

static void variants(void **state)
{
    (void)state;
    for (const struct catalog_variant *v = CATALOG_VARIANTS; v->code; v++) {
        assert_non_null(catalog_find(v->code));
        assert_int_not_equal(v->situation, SITUATION_ANY);
        check_texts(v->code, v->causes);
        check_texts(v->code, v->remedies);
        assert_ptr_equal(catalog_variant(v->code, v->situation), v);
    }
    assert_null(catalog_variant("no-link-facts", SITUATION_SLOT));
    /* One bus of several has what buses have, unless it has its own. */
    assert_non_null(catalog_variant("width-below-expected", SITUATION_ONE_BUS));
    assert_ptr_not_equal(catalog_variant("host-wide-limit", SITUATION_ONE_BUS),
                         catalog_variant("host-wide-limit", SITUATION_BUS));
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(rows),
        cmocka_unit_test(variants),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
