/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parameters from the kernel command line and /etc/modprobe.d.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "source/replay.h"
#include "transport/words.h"

struct machine {
    struct store *store;
    struct source *source;
    struct fact_set *facts;
};

static struct bytes text_of(const char *text)
{
    return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

static void put(struct store *s, const char *dir, const char *name, const char *content)
{
    store_node at;

    assert_int_equal(store_dir(s, text_of(dir), &at), 0);
    assert_int_equal(store_put(s, at, text_of(name), STORE_FILE, text_of(content), 0, NULL), 0);
}

static struct machine machine_with(const char *cmdline, const char *modprobe)
{
    struct machine m = { store_new(), NULL, fact_set_new() };
    struct gathering g = { .facts = m.facts, .level = LEVEL_MODES };

    if (cmdline)
        put(m.store, "/proc", "cmdline", cmdline);
    if (modprobe) {
        put(m.store, "/etc/modprobe.d", "storage.conf", modprobe);
        put(m.store, "/etc/modprobe.d", "storage.conf.bak", "options libata force=bad\n");
    }
    m.source = g.source = replay_new(m.store);
    assert_int_equal(gather_words(&g), 0);
    return m;
}

static void machine_done(struct machine *m)
{
    fact_set_free(m->facts);
    source_close(m->source);
    store_free(m->store);
}

static void test_cmdline(void **state)
{
    struct machine m = machine_with("root=/dev/sda1 password=x libata.force=1.5 "
                                    "scsi-mod.max_luns=\"8 9\" libata.force=3:3.0Gbps\n",
                                    NULL);
    const char *origin = NULL;

    (void)state;
    assert_true(words_were_seen(m.facts));
    assert_string_equal(word_value(m.facts, "libata", "force", &origin), "3:3.0Gbps");
    assert_string_equal(origin, "/proc/cmdline");
    assert_string_equal(word_value(m.facts, "scsi_mod", "max_luns", NULL), "8 9");
    assert_null(word_value(m.facts, "libata", "dma", NULL));
    assert_int_equal(fact_set_find(m.facts, "kernel", "parameters")->n_facts, 4);
    machine_done(&m);
}

static void test_modprobe(void **state)
{
    struct machine m = machine_with("quiet\n", "# options libata force=0\n"
                                               "options libata force=3.0 \\\n dma=1\n"
                                               "options sctp cookie=secret\n"
                                               "blacklist pata_acpi\n");
    const char *origin = NULL;

    (void)state;
    assert_string_equal(word_value(m.facts, "libata", "force", &origin), "3.0");
    assert_string_equal(origin, "/etc/modprobe.d/storage.conf");
    assert_string_equal(word_value(m.facts, "libata", "dma", NULL), "1");
    assert_int_equal(fact_set_find(m.facts, "kernel", "parameters")->n_facts, 3);
    machine_done(&m);
}

static void test_cmdline_counts_more(void **state)
{
    struct machine m = machine_with("libata.force=1.5", "options libata force=3.0\n");

    (void)state;
    assert_string_equal(word_value(m.facts, "libata", "force", NULL), "1.5");
    machine_done(&m);
}

static void test_nothing_there(void **state)
{
    struct machine m = machine_with(NULL, NULL);

    (void)state;
    assert_false(words_were_seen(m.facts));
    assert_null(word_value(m.facts, "libata", "force", NULL));
    machine_done(&m);
    /* a command line that says nothing of storage is recorded empty */
    m = machine_with("", "");
    assert_true(words_were_seen(m.facts));
    assert_null(word_value(m.facts, "libata", "force", NULL));
    machine_done(&m);
}

/* A file that may hold words, and cannot be read. */
static void test_refused(void **state)
{
    static const int ERRORS[] = { EACCES, EIO, ENOENT };

    (void)state;
    for (size_t i = 0; i < sizeof(ERRORS) / sizeof(ERRORS[0]); i++) {
        struct machine m = { store_new(), NULL, fact_set_new() };
        struct gathering g = { .facts = m.facts, .level = LEVEL_MODES };
        store_node at;

        put(m.store, "/proc", "cmdline", "libata.force=3.0\n");
        assert_int_equal(store_dir(m.store, text_of("/etc/modprobe.d"), &at), 0);
        assert_int_equal(store_put(m.store, at, text_of("storage.conf"), STORE_ERRNO, text_of(""),
                                   ERRORS[i], NULL),
                         0);
        m.source = g.source = replay_new(m.store);
        assert_int_equal(gather_words(&g), 0);
        assert_int_equal(words_were_seen(m.facts), ERRORS[i] == ENOENT);
        assert_string_equal(word_value(m.facts, "libata", "force", NULL), "3.0");
        machine_done(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmdline),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_modprobe),      cmocka_unit_test(test_cmdline_counts_more),
        cmocka_unit_test(test_nothing_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
