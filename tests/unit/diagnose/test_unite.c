/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every golden machine, each adapter recorded by itself as a collector would, and put together again: the report must be
 * that of the whole.
 */
#include "../cmocka_all.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/diagnose.h"
#include "finding/compare.h"
#include "source/capture.h"
#include "source/record.h"
#include "source/replay.h"
#include "source/unite.h"

enum { PARTS_MAX = 64 };

static int64_t refill(void *userdata, uint8_t *buffer, size_t size)
{
    return read(*(int *)userdata, buffer, size);
}

/* The store of a capture, or NULL where there is no such file. */
static struct store *load(const char *name)
{
    struct store *store = store_new();
    struct arena *arena = arena_new();
    struct capture_reading reading = { 0 };
    struct json_reader *json;
    char path[4096];
    int fd;

    snprintf(path, sizeof(path), TESTS_DIR "/golden/%s/1.json", name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        json = json_reader_new(refill, &fd);
        assert_int_equal(capture_read(json, store, arena, &reading), 0);
        json_reader_free(json);
        close(fd);
    } else {
        store = store_free(store);
    }
    arena_free(arena);
    return store;
}

/* What a collector of that adapter would send. */
static struct store *part_of(struct source *whole, const char *below)
{
    struct store *store = store_new();
    struct source *record = record_new(whole, store);
    struct gather_options options = { .level = LEVEL_ALL, .only_below = below };
    struct fact_set *facts;

    assert_int_equal(gather(record, &options, &facts), 0);
    fact_set_free(facts);
    source_close(record);
    return store;
}

static struct report *report_of(struct source *s)
{
    struct diagnose_options options = { .level = LEVEL_ALL };
    struct report *report;

    assert_int_equal(diagnose(s, &options, &report), 0);
    return report;
}

/* Measures are asked for by nobody's collector yet: copied, so that both reports know them. */
static void copy_measures(const struct store *from, struct store *to)
{
    for (size_t i = 0; i < store_measures(from); i++) {
        struct measurement m = store_measure_at(from, i);

        assert_int_equal(store_put_measure(to, &m), 0);
    }
}

static void assert_same(const char *name, struct report *a, struct report *b)
{
    struct comparison *c;

    assert_int_equal(compare_reports(a, b, &c), 0);
    for (size_t i = 0; i < c->changes.n; i++)
        print_error("%s: %s: %s, not %s\n", name, c->changes.v[i].what, c->changes.v[i].after,
                    c->changes.v[i].before);
    assert_int_equal(c->changes.n, 0);
    assert_int_equal(a->model->hosts.n, b->model->hosts.n);
    assert_int_equal(a->model->links.n, b->model->links.n);
    assert_int_equal(a->model->devices.n, b->model->devices.n);
    assert_int_equal(a->findings.n, b->findings.n);
    for (size_t i = 0; i < a->findings.n; i++)
        assert_string_equal(a->findings.v[i]->summary, b->findings.v[i]->summary);
    comparison_free(c);
}

/* Returns of how many adapters the case's machine is. */
static size_t check(const char *name)
{
    struct store *store = load(name), *parts[PARTS_MAX];
    struct source *whole = store ? replay_new(store) : NULL, *united;
    struct unite_part of[PARTS_MAX];
    struct adapters adapters;
    struct report *a, *b;
    size_t n;

    if (!whole)
        return 0;
    assert_int_equal(gather_adapters(whole, &adapters), 0);
    assert_true(adapters.n <= PARTS_MAX);
    for (size_t i = 0; i < adapters.n; i++) {
        parts[i] = part_of(whole, adapters.v[i].below);
        of[i] = (struct unite_part){ parts[i], adapters.v[i].below };
    }
    if (adapters.n)
        copy_measures(store, parts[0]);
    united = unite_new(of, adapters.n, store_taken(store));
    source_close(whole);
    whole = replay_new(store); /* unit attentions answer once */
    a = report_of(whole);
    b = report_of(united);
    assert_same(name, a, b);
    report_free(a);
    report_free(b);
    source_close(united);
    source_close(whole);
    for (size_t i = 0; i < adapters.n; i++)
        store_free(parts[i]);
    store_free(store);
    n = adapters.n;
    adapters_done(&adapters);
    return n;
}

static void test_golden(void **state)
{
    DIR *dir = opendir(TESTS_DIR "/golden");
    size_t with_several = 0;
    struct dirent *e;

    (void)state;
    assert_non_null(dir);
    while ((e = readdir(dir)))
        if (e->d_name[0] != '.')
            with_several += check(e->d_name) > 1;
    closedir(dir);
    assert_true(with_several > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_golden) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
