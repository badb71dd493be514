/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Links by name: many, twice the same, and by another name.
 */
#include "../cmocka_all.h"

#include "link/model.h"

static void first_of_a_name_is_found(void **state)
{
    struct model *m = model_new();
    static const struct subject NOBODY;
    struct link *a, *b;

    (void)state;
    assert_null(model_link_named(m, "phy-0:0"));
    a = model_add_link(m, NULL, &NOBODY, "phy-0:0");
    b = model_add_link(m, NULL, &NOBODY, "phy-0:0");
    assert_non_null(b);
    assert_ptr_equal(model_link_named(m, "phy-0:0"), a);
    assert_int_equal(model_name_link(m, "port-0:0", b), 0);
    assert_ptr_equal(model_link_named(m, "port-0:0"), b);
    assert_int_equal(model_name_link(m, "port-0:0", a), 0);
    assert_ptr_equal(model_link_named(m, "port-0:0"), b);
    assert_null(model_link_named(m, "port-0:1"));
    assert_int_equal(m->links.n, 2);
    model_free(m);
}

static void many_names(void **state)
{
    enum { N = 5000 };
    struct model *m = model_new();
    static const struct subject NOBODY;

    (void)state;
    for (int i = 0; i < N; i++) {
        const char *name = arena_printf(m->arena, "phy-0:%d", i);

        assert_non_null(model_add_link(m, NULL, &NOBODY, name));
    }
    for (size_t i = 0; i < N; i++)
        assert_ptr_equal(model_link_named(m, m->links.v[i]->kernel_name), m->links.v[i]);
    model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_of_a_name_is_found),
        cmocka_unit_test(many_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
