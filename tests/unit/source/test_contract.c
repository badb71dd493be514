/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The contract of sources over those that need no machine: replay, record over it, replay of the record.
 */
#include "contract.h"

#include "source/record.h"
#include "source/replay.h"

static void replay_keeps_the_contract(void **state)
{
    struct store *store = tree_store();
    struct source *s = replay_new(store);

    (void)state;
    contract_holds(s);
    source_close(s);
    store_free(store);
}

/* All checks through one recorder; then the same on what it recorded. */
static void record_and_its_replay_keep_the_contract(void **state)
{
    struct store *store = tree_store(), *copy = store_new();
    struct source *inner = replay_new(store), *s = record_new(inner, copy);

    (void)state;
    contract_holds(s);
    source_close(s);
    s = replay_new(copy);
    contract_holds(s);
    source_close(s);
    source_close(inner);
    store_free(copy);
    store_free(store);
}

/* Each check through a recorder of its own: what is asked and recorded does not depend on what was asked
 * before. */
static void each_check_is_recorded_by_itself(void **state)
{
    struct store *store = tree_store();
    struct source *inner = replay_new(store);

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CONTRACT); i++) {
        struct store *copy = store_new();
        struct source *s = record_new(inner, copy);

        CONTRACT[i].check(s);
        source_close(s);
        s = replay_new(copy);
        CONTRACT[i].check(s);
        source_close(s);
        store_free(copy);
    }
    source_close(inner);
    store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replay_keeps_the_contract),
        cmocka_unit_test(record_and_its_replay_keep_the_contract),
        cmocka_unit_test(each_check_is_recorded_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
