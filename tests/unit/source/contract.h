/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The contract of source.h as checks that any source must pass which holds the tree TREE: a copied tree
 * asked live, a replay of the equal store, a recorder over either, a replay of what that recorded.
 */
#pragma once

#include "../cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/source.h"
#include "source/store.h"

enum { MANY_NAMES = 3000, LONG_NAME = 255 };

/* One entry of the tree. Directories above it are implied. */
struct tree_entry {
    const char *path;
    enum store_kind kind;
    const char *value; /* content or target; NULL: made by tree_value() */
    size_t len;        /* of a content with NULs in it; else 0 */
    int error;         /* of STORE_ERRNO */
};

#define DEVICE "/sys/devices/pci0000:00/0000:00:05.0/host0"

static const struct tree_entry TREE[] = {
    { DEVICE "/target0:0:2/spi_transport/target0:0:2/period", STORE_FILE, "12.5\0\n", 6 },
    { DEVICE "/target0:0:2/spi_transport/target0:0:2/offset", STORE_FILE, "127\n" },
    { DEVICE "/target0:0:2/spi_transport/target0:0:2/empty", STORE_FILE, "" },
    { DEVICE "/target0:0:2/0:0:2:0/vpd_pg80", STORE_FILE, "\0\x80\0\x04\xff\xfe\x80\n", 8 },
    { DEVICE "/target0:0:2/0:0:2:0/large", STORE_FILE, NULL },
    { DEVICE "/target0:0:2/0:0:2:0/denied", STORE_ERRNO, "", 0, EACCES },
    { DEVICE "/scsi_host/host0/state", STORE_FILE, "running\n" },
    { DEVICE "/empty_dir", STORE_DIR, "" },
    { DEVICE "/device", STORE_LINK, "../../0000:00:05.0/host0" },
    { "/sys/class/spi_transport/target0:0:2", STORE_LINK,
      "../../devices/pci0000:00/0000:00:05.0/host0/target0:0:2/spi_transport/target0:0:2" },
    { "/sys/class/spi_transport/by_name", STORE_LINK, "target0:0:2" },
    { "/sys/class/scsi_host/host0", STORE_LINK,
      "/sys/devices/pci0000:00/0000:00:05.0/host0/scsi_host/host0" },
    { "/sys/class/scsi_host/state", STORE_LINK, "host0/state" },
    { "/sys/class/scsi_host/dangling", STORE_LINK, "host9" },
    { "/sys/class/scsi_host/escape", STORE_LINK, "../../../../../../../../etc/passwd" },
    { "/sys/class/scsi_host/escape_abs", STORE_LINK, "/etc/passwd" },
    { "/sys/class/scsi_host/up", STORE_LINK,
      "../../../../../../../../sys/class/scsi_host/host0/state" },
    { "/sys/class/scsi_host/root", STORE_LINK, "/" },
    { "/sys/class/loop/a", STORE_LINK, "b" },
    { "/sys/class/loop/b", STORE_LINK, "a" },
    { "/sys/class/loop/self", STORE_LINK, "self/x" },
    { "/sys/class/sort/B", STORE_FILE, "" },
    { "/sys/class/sort/a", STORE_FILE, "" },
    { "/sys/class/sort/a-1", STORE_FILE, "" },
    { "/sys/class/sort/a1", STORE_FILE, "" },
    { "/sys/class/sort/aa", STORE_FILE, "" },
    { "/sys/class/sort/\xc3\xa4", STORE_FILE, "" },
    { "/sys/class/sort/.hidden", STORE_FILE, "" },
    { "/proc/cmdline", STORE_FILE, "libata.force=3.0G\n" },
};

/* What is not in the table because it is long: a file of 20,000 bytes, a name of 255, and a directory with
 * 3,000 directories. */
static inline char *large_content(void)
{
    char *text = malloc(20001);

    for (int i = 0; i < 20000; i++)
        text[i] = (char)('a' + i % 23);
    text[20000] = '\0';
    return text;
}

static inline void long_name(char ret[LONG_NAME + 1])
{
    memset(ret, 'n', LONG_NAME);
    ret[LONG_NAME] = '\0';
}

static inline struct bytes tree_value(const struct tree_entry *e, char *large)
{
    const char *text = e->value ? e->value : large;

    return (struct bytes){ (const uint8_t *)text, e->len ? e->len : strlen(text) };
}

static inline struct bytes text_of(const char *text)
{
    return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

static inline void put_in_store(struct store *s, const char *path, enum store_kind kind,
                                struct bytes value, int error)
{
    const char *slash = strrchr(path, '/');
    store_node dir;

    assert_int_equal(
        store_dir(s, (struct bytes){ (const uint8_t *)path, (size_t)(slash - path) }, &dir), 0);
    assert_int_equal(store_put(s, dir, text_of(slash + 1), kind, value, error, NULL), 0);
}

/* The tree as a store. */
static inline struct store *tree_store(void)
{
    struct store *s = store_new();
    char *large = large_content(), path[512], name[LONG_NAME + 1];

    assert_non_null(s);
    for (size_t i = 0; i < ELEMENTS(TREE); i++) {
        struct bytes value = tree_value(&TREE[i], large);

        if (TREE[i].kind == STORE_DIR || TREE[i].kind == STORE_ERRNO)
            value = (struct bytes){ 0 };
        put_in_store(s, TREE[i].path, TREE[i].kind, value, TREE[i].error);
    }
    for (int i = 0; i < MANY_NAMES; i++) {
        snprintf(path, sizeof(path), "/sys/class/many/phy-%d", i);
        put_in_store(s, path, STORE_DIR, (struct bytes){ 0 }, 0);
    }
    long_name(name);
    snprintf(path, sizeof(path), "/sys/class/long/%s", name);
    put_in_store(s, path, STORE_FILE, text_of("long\n"), 0);
    free(large);
    return s;
}

/* ---- the checks ---- */

static inline void expect_read(struct source *s, const char *path, size_t limit, int error,
                               struct bytes content)
{
    struct value v = { .error = -1 };

    assert_int_equal(source_read(s, path, limit, &v), 0);
    if (v.error != error)
        print_error("read %s: error %d, not %d\n", path, v.error, error);
    assert_int_equal(v.error, error);
    if (error) {
        assert_int_equal(v.bytes.len, 0);
        return;
    }
    if (v.bytes.len != content.len)
        print_error("read %s: %zu bytes, not %zu\n", path, v.bytes.len, content.len);
    assert_int_equal(v.bytes.len, content.len);
    assert_memory_equal(v.bytes.data, content.data, content.len);
    assert_int_equal(v.bytes.data[v.bytes.len], 0);
}

static inline void expect_link(struct source *s, const char *path, int error, const char *target)
{
    struct value v = { .error = -1 };

    assert_int_equal(source_link(s, path, &v), 0);
    if (v.error != error)
        print_error("link %s: error %d, not %d\n", path, v.error, error);
    assert_int_equal(v.error, error);
    if (!error)
        assert_string_equal((const char *)v.bytes.data, target);
}

/* `names`: separated by blanks. */
static inline void expect_list(struct source *s, const char *dir, const char *prefix, int error,
                               const char *names)
{
    struct names n = { .error = -1 };
    char all[2048] = "";

    assert_int_equal(source_list(s, dir, prefix, &n), 0);
    if (n.error != error)
        print_error("list %s: error %d, not %d\n", dir, n.error, error);
    assert_int_equal(n.error, error);
    for (size_t i = 0; i < n.n; i++)
        snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? " " : "", n.v[i]);
    assert_string_equal(all, names);
    names_done(&n);
}

#define TARGET DEVICE "/target0:0:2/spi_transport/target0:0:2"
#define UNIT   DEVICE "/target0:0:2/0:0:2:0"

static inline void check_content(struct source *s)
{
    char *large = large_content();

    expect_read(s, TARGET "/period", 100, 0, (struct bytes){ (const uint8_t *)"12.5\0\n", 6 });
    expect_read(s, TARGET "/offset", 100, 0, text_of("127\n"));
    expect_read(s, TARGET "/empty", 100, 0, text_of(""));
    expect_read(s, UNIT "/vpd_pg80", 100, 0, tree_value(&TREE[3], NULL));
    expect_read(s, UNIT "/large", 65536, 0, text_of(large));
    expect_read(s, "/proc/cmdline", 4096, 0, text_of("libata.force=3.0G\n"));
    free(large);
}

/* The longest is read first, and again at the end: what was cut does not spoil it. */
static inline void check_limit(struct source *s)
{
    char *large = large_content();
    static const size_t LIMITS[] = { 65536, 20001, 20000, 19999, 16384, 4097,
                                     4096,  4095,  1,     0,     20000 };

    for (size_t i = 0; i < ELEMENTS(LIMITS); i++)
        expect_read(s, UNIT "/large", LIMITS[i], 0, bytes_slice(text_of(large), 0, LIMITS[i]));
    free(large);
}

static inline void check_absent(struct source *s)
{
    static const char *const PATHS[] = {
        DEVICE "/nothing",
        "/sys/nothing/at/all",
        TARGET "/period/x", /* below a file */
        TARGET "/period/x/y",
        "/sys/class/scsi_host/dangling",
        "/sys/class/scsi_host/dangling/state",
        "/sys/class/scsi_host/escape",
        "/sys/class/scsi_host/escape_abs",
        "/sys/class/loop/a",
        "/sys/class/loop/a/x",
        "/sys/class/loop/self",
        "relative",
        "",
    };

    for (size_t i = 0; i < ELEMENTS(PATHS); i++) {
        expect_read(s, PATHS[i], 100, ENOENT, (struct bytes){ 0 });
        expect_list(s, PATHS[i], "", ENOENT, "");
    }
    expect_link(s, DEVICE "/nothing", ENOENT, NULL);
    expect_link(s, TARGET "/period/x", ENOENT, NULL);
    expect_link(s, "/sys/class/loop/a/x", ENOENT, NULL);
    expect_link(s, "relative", ENOENT, NULL);
}

static inline void check_wrong_kind(struct source *s)
{
    expect_read(s, DEVICE, 100, EISDIR, (struct bytes){ 0 });
    expect_read(s, "/sys/class/spi_transport/target0:0:2", 100, EISDIR, (struct bytes){ 0 });
    expect_list(s, TARGET "/offset", "", ENOTDIR, "");
    expect_list(s, "/sys/class/scsi_host/state", "", ENOTDIR, "");
    expect_read(s, TARGET "/offset", 100, 0, text_of("127\n"));
    expect_link(s, TARGET "/offset", EINVAL, NULL);
}

static inline void check_links(struct source *s)
{
    expect_link(s, DEVICE "/device", 0, "../../0000:00:05.0/host0");
    expect_link(s, "/sys/class/spi_transport/by_name", 0, "target0:0:2");
    expect_link(s, "/sys/class/scsi_host/host0", 0, DEVICE "/scsi_host/host0");
    expect_link(s, "/sys/class/scsi_host/dangling", 0, "host9");
    expect_link(s, "/sys/class/loop/a", 0, "b");
    /* Also where links are on the way. */
    expect_link(s, "/sys/class/scsi_host/root/sys/class/loop/b", 0, "a");
}

static inline void check_reading_through_links(struct source *s)
{
    expect_read(s, "/sys/class/scsi_host/state", 100, 0, text_of("running\n"));
    expect_read(s, "/sys/class/scsi_host/host0/state", 100, 0, text_of("running\n"));
    expect_read(s, "/sys/class/scsi_host/up", 100, 0, text_of("running\n"));
    expect_read(s, "/sys/class/scsi_host/root/proc/cmdline", 100, 0,
                text_of("libata.force=3.0G\n"));
    expect_read(s, "/sys/class/spi_transport/by_name/offset", 100, 0, text_of("127\n"));
    expect_read(s, DEVICE "/device/device/device/scsi_host/host0/state", 100, 0,
                text_of("running\n"));
    expect_link(s, "/sys/class/scsi_host/state", 0, "host0/state");
    expect_link(s, "/sys/class/scsi_host/up", 0,
                "../../../../../../../../sys/class/scsi_host/host0/state");
    expect_read(s, "/sys/class/scsi_host/state", 100, 0, text_of("running\n"));
    expect_list(s, "/sys/class/scsi_host/root/sys/class", "scsi", 0, "scsi_host");
}

static inline void check_lists(struct source *s)
{
    expect_list(s, "/sys/class", "s", 0, "scsi_host sort spi_transport");
    expect_list(s, "/sys/class/scsi_host", "", 0, "dangling escape escape_abs host0 root state up");
    expect_list(s, "/sys/class/scsi_host", "host", 0, "host0");
    expect_list(s, "/sys/class/scsi_host", "host0x", 0, "");
    expect_list(s, DEVICE "/empty_dir", "", 0, "");
    expect_list(s, "/", "", 0, "proc sys");
}

/* Names of files: a recorder keeps those that were read, so each is. */
static inline void check_sorting(struct source *s)
{
    static const char *const NAMES[] = { ".hidden", "B", "a", "a-1", "a1", "aa", "\xc3\xa4" };
    char path[64];

    for (size_t i = 0; i < ELEMENTS(NAMES); i++) {
        snprintf(path, sizeof(path), "/sys/class/sort/%s", NAMES[i]);
        expect_read(s, path, 10, 0, text_of(""));
    }
    expect_list(s, "/sys/class/sort", "", 0, ".hidden B a a-1 a1 aa \xc3\xa4");
    expect_list(s, "/sys/class/sort", "a", 0, "a a-1 a1 aa");
    /* A directory by a link to it. */
    expect_read(s, TARGET "/period", 100, 0, (struct bytes){ (const uint8_t *)"12.5\0\n", 6 });
    expect_list(s, "/sys/class/spi_transport/target0:0:2", "per", 0, "period");
}

static inline void check_many_names(struct source *s)
{
    struct names n;

    assert_int_equal(source_list(s, "/sys/class/many", "phy-", &n), 0);
    assert_int_equal(n.error, 0);
    assert_int_equal(n.n, MANY_NAMES);
    for (size_t i = 0; i < n.n; i++) {
        assert_true(i == 0 || strcmp(n.v[i - 1], n.v[i]) < 0);
        assert_int_equal(n.kinds[i], NAME_DIR);
    }
    names_done(&n);
}

static inline void check_kinds(struct source *s)
{
    struct names n;

    assert_int_equal(source_list(s, "/sys/class/scsi_host", "", &n), 0);
    for (size_t i = 0; i < n.n; i++)
        assert_int_equal(n.kinds[i], NAME_LINK);
    names_done(&n);
    expect_read(s, TARGET "/offset", 10, 0, text_of("127\n"));
    assert_int_equal(source_list(s, TARGET, "offset", &n), 0);
    assert_int_equal(n.n, 1);
    assert_int_equal(n.kinds[0], NAME_FILE);
    names_done(&n);
}

static inline void check_long_names(struct source *s)
{
    char name[LONG_NAME + 2], path[8192];

    long_name(name);
    snprintf(path, sizeof(path), "/sys/class/long/%s", name);
    expect_read(s, path, 10, 0, text_of("long\n"));
    expect_list(s, "/sys/class/long", "", 0, name);
    /* Longer than a name, and than a path, can be. */
    strcat(path, "n");
    expect_read(s, path, 10, ENOENT, (struct bytes){ 0 });
    expect_link(s, path, ENOENT, NULL);
    memset(path, 'p', sizeof(path) - 1);
    path[0] = '/';
    path[sizeof(path) - 1] = '\0';
    expect_read(s, path, 10, ENOENT, (struct bytes){ 0 });
    expect_list(s, path, "", ENOENT, "");
    expect_link(s, path, ENOENT, NULL);
}

static inline void check_refusals(struct source *s)
{
    expect_read(s, UNIT "/denied", 10, EACCES, (struct bytes){ 0 });
}

/* Neither holds a property, a command, a measure or an event. */
static inline void check_nothing_else(struct source *s)
{
    struct measurement m = { 0 };
    struct source_event e;
    struct value v = { 0 };

    assert_int_equal(source_prop(s, DEVICE, "ID_MODEL", &v), 0);
    assert_int_equal(v.error, ENOENT);
    assert_int_equal(source_next_event(s, &e), 0);
    assert_int_equal(
        source_measure(s, &(struct measure_request){ "0:0:2:0", "read-buffer", 512, 512, 1 }, &m),
        0);
    assert_true(m.error == ENODATA || m.error == EOPNOTSUPP);
    assert_false(s->asking_costs);
}

static const struct {
    const char *name;
    void (*check)(struct source *s);
} CONTRACT[] = {
    { "content", check_content },
    { "limit", check_limit },
    { "absent", check_absent },
    { "wrong kind", check_wrong_kind },
    { "links", check_links },
    { "reading through links", check_reading_through_links },
    { "lists", check_lists },
    { "sorting", check_sorting },
    { "many names", check_many_names },
    { "kinds", check_kinds },
    { "long names", check_long_names },
    { "refusals", check_refusals },
    { "nothing else", check_nothing_else },
};

/* Every check on the source, and what was lent stays as it was. */
static inline void contract_holds(struct source *s)
{
    struct value first = { 0 };

    assert_int_equal(source_read(s, TARGET "/offset", 100, &first), 0);
    for (size_t i = 0; i < ELEMENTS(CONTRACT); i++)
        CONTRACT[i].check(s);
    assert_string_equal((const char *)first.bytes.data, "127\n");
}
