/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What it costs to read a file again: every row that any golden machine has, whatever table it is in.
 */
#include "../cmocka_all.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "diagnose/gather.h"
#include "source/capture.h"
#include "source/replay.h"

static int64_t refill(void *userdata, uint8_t *buffer, size_t size)
{
    return read(*(int *)userdata, buffer, size);
}

struct rows {
    VEC(struct attribute) all; /* copies: some rows are made as they are needed */
    size_t files, read;
};

static int see(void *userdata, const struct attribute *a, const char *path, const char *device_dir,
               const struct value *v)
{
    struct rows *rows = userdata;
    struct attribute copy = *a;

    assert_true(strlen(path) > strlen(a->file) && strstr(path, a->file));
    assert_int_equal(device_dir[0], '/');
    rows->files++;
    rows->read += v != NULL;
    if (v && (attribute_is_costly(a) || a->reread == REREAD_PAUSES || a->flags & ATTR_WAKES))
        fail_msg("%s was read", path);
    for (size_t i = 0; i < rows->all.n; i++)
        if (rows->all.v[i].key == a->key && strcmp(rows->all.v[i].file, a->file) == 0)
            return 0;
    copy.file = strdup(a->file);
    return vec_push(&rows->all, copy);
}

static void see_machine(const char *file, struct rows *rows)
{
    const struct gather_options options = {
        .level = LEVEL_ALL, .unasked = true, .file = see, .userdata = rows
    };
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    _cleanup_(store_freep) struct store *store = store_new();
    _cleanup_(source_closep) struct source *replay = replay_new(store);
    _cleanup_close_ int fd = open(file, O_RDONLY | O_CLOEXEC);
    struct json_reader *json = json_reader_new(refill, &fd);
    struct capture_reading how;
    struct fact_set *facts = NULL;

    assert_int_equal(capture_read(json, store, arena, &how), 0);
    json_reader_free(json);
    assert_int_equal(gather(replay, &options, &facts), 0);
    fact_set_free(facts);
}

/* The rows of all golden machines; of a case its first capture. */
static struct rows see_all(void)
{
    struct rows rows = { 0 };
    glob_t g;

    assert_int_equal(glob(TESTS_DIR "/golden/*/1.json", 0, NULL, &g), 0);
    for (size_t i = 0; i < g.gl_pathc; i++)
        see_machine(g.gl_pathv[i], &rows);
    globfree(&g);
    assert_true(rows.all.n > 150);
    assert_true(rows.read > 1000 && rows.files > rows.read);
    return rows;
}

static void forget(struct rows *rows)
{
    for (size_t i = 0; i < rows->all.n; i++)
        free((char *)(uintptr_t)rows->all.v[i].file);
    free(rows->all.v);
}

/* That a counter is read again without anybody having thought of what it costs is what this is for. */
static void every_counter_has_a_cost(void **state)
{
    struct rows rows = see_all();

    (void)state;
    for (size_t i = 0; i < rows.all.n; i++)
        if (fact_kind_counts(rows.all.v[i].key->kind) && rows.all.v[i].reread == REREAD_NOT)
            fail_msg("%s counts, and what it costs to read is not said", rows.all.v[i].file);
    forget(&rows);
}

static void what_is_watched_is_small_and_wakes_nobody(void **state)
{
    struct rows rows = see_all();

    (void)state;
    for (size_t i = 0; i < rows.all.n; i++) {
        const struct attribute *a = &rows.all.v[i];

        if (!attribute_is_watched(a))
            continue;
        assert_false(a->flags & ATTR_BINARY);
        if (a->key->kind == FACT_IDENTITY)
            fail_msg("%s does not change", a->file);
        /* What wakes is read where the power file is looked at first: with the costly ones. */
        if (a->flags & ATTR_WAKES)
            assert_int_equal(a->reread, REREAD_CONFIG);
    }
    forget(&rows);
}

/* As the drivers have it: the cost list of the kernel's sources. A file of that name may be in several tables. */
static void costs_are_those_of_the_drivers(void **state)
{
    static const struct {
        const char *file;
        enum reread reread;
    } WANT[] = {
        { "negotiated_linkrate", REREAD_FREE },
        { "enable", REREAD_FREE },
        { "invalid_dword_count", REREAD_ASKS },
        { "phy_reset_problem_count", REREAD_ASKS },
        { "sata_spd", REREAD_FREE },
        { "statistics/invalid_crc_count", REREAD_ASKS },
        { "statistics/lip_count", REREAD_ASKS },
        { "statistics/tx_words", REREAD_RARELY },
        { "statistics/fcp_input_megabytes", REREAD_RARELY },
        { "supported_speeds", REREAD_NOT },
        { "period", REREAD_ASKS },
        { "offset", REREAD_ASKS },
        { "signalling", REREAD_PAUSES },
        { "current_link_speed", REREAD_CONFIG },
        { "current_link_width", REREAD_CONFIG },
        { "max_link_speed", REREAD_NOT },
        { "num_phys", REREAD_FREE },
        { "counters/symbol_error", REREAD_ASKS },
        { "carrier_changes", REREAD_FREE },
        { "iotmo_cnt", REREAD_FREE },
        { "iodone_cnt", REREAD_RARELY },
        { "inquiry", REREAD_NOT },
    };
    struct rows rows = see_all();

    (void)state;
    for (size_t k = 0; k < ELEMENTS(WANT); k++) {
        bool found = false;

        for (size_t i = 0; i < rows.all.n; i++) {
            if (strcmp(rows.all.v[i].file, WANT[k].file) != 0)
                continue;
            found = true;
            if (rows.all.v[i].reread != WANT[k].reread)
                fail_msg("%s", WANT[k].file);
        }
        if (!found)
            fail_msg("no machine has %s", WANT[k].file);
    }
    forget(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_counter_has_a_cost),
        cmocka_unit_test(what_is_watched_is_small_and_wakes_nobody),
        cmocka_unit_test(costs_are_those_of_the_drivers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
