/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The system calls of the block ways, on a regular file; what is read of the processors.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/live.h"
#include "live/measure_engine.h"
#include "live/measure_node.h"
#include "source/replay.h"

enum { BLOCK = 65536, BLOCKS = 64 };

/* A file that stands for a disk; each block begins with its number. */
struct file {
    char path[64];
    int flags; /* of the last open */
    bool direct_works;
    atomic_uint reads, wrong;
};

static int open_file(void *user, const char *hctl, enum node_kind node, bool direct)
{
    struct file *f = user;

    assert_string_equal(hctl, "0:0:0:0");
    assert_int_equal(node, NODE_BLOCK);
    f->flags = O_RDONLY | O_CLOEXEC | (direct && f->direct_works ? O_DIRECT : 0);
    return open(f->path, f->flags);
}

/* The real thing, and is it the right block? */
static ssize_t read_checked(void *user, int fd, void *buffer, size_t size, uint64_t offset)
{
    struct file *f = user;
    ssize_t n = MEASURE_SYSTEM.read_at(user, fd, buffer, size, offset);
    uint64_t number;

    memcpy(&number, buffer, sizeof(number));
    atomic_fetch_add(&f->reads, 1);
    if (n != (ssize_t)size || number != offset / BLOCK)
        atomic_fetch_add(&f->wrong, 1);
    return n;
}

static int set_up(void **state)
{
    struct file *f = calloc(1, sizeof(*f));
    char *block = calloc(1, BLOCK);
    int fd;

    strcpy(f->path, "hbad-measure-XXXXXX");
    fd = mkstemp(f->path);
    assert_true(fd >= 0);
    for (uint64_t i = 0; i < BLOCKS; i++) {
        memcpy(block, &i, sizeof(i));
        assert_int_equal(write(fd, block, BLOCK), BLOCK);
    }
    assert_int_equal(fsync(fd), 0);
    close(fd);
    free(block);
    fd = open(f->path, O_RDONLY | O_DIRECT);
    f->direct_works = fd >= 0; /* not on every file system */
    if (fd >= 0)
        close(fd);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct file *f = *state;

    unlink(f->path);
    free(f);
    return 0;
}

static void measured(struct file *f, const struct measure_request *r)
{
    struct measure_system system = MEASURE_SYSTEM;
    struct measure_device device = {
        .target = { .hctl = "0:0:0:0", .scsi_level = 6, .flags = TARGET_READS }
    };
    struct source *live = live_new(&(struct live_options){ 0 });
    struct measure_options options = {
        .system = &system, .user = f, .source = live, .patience_us = 60000000
    };
    struct measure_engine *e;
    struct measurement m;

    system.open = open_file;
    system.read_at = read_checked;
    options.cache_bytes = measure_cache_bytes(live);
    e = measure_engine_new(&options, &device, 1);
    assert_int_equal(measure_engine_run(e, r, 0, 1, &m), 0);
    assert_null(m.disturbed);
    assert_int_equal(m.error, 0);
    assert_int_equal(m.bytes, r->total_bytes);
    assert_int_equal(m.commands, r->total_bytes / BLOCK);
    assert_int_equal(f->reads, m.commands);
    assert_int_equal(f->wrong, 0);
    assert_int_equal(m.short_bytes, 0);
    measure_engine_free(e);
    source_close(live);
}

static void a_file_by_the_block_layer(void **state)
{
    struct file *f = *state;

    for (const struct measure_method *m = MEASURE_METHODS; m->name; m++)
        for (unsigned depth = 1; way_of(m->way)->is_block && depth <= 8; depth *= 8) {
            struct measure_request r = { .method = m->name,
                                         .block_bytes = BLOCK,
                                         .depth = depth,
                                         .total_bytes = BLOCK * BLOCKS };

            f->reads = 0;
            measured(f, &r);
            r.random = true;
            r.cold = depth == 1;
            f->reads = 0;
            measured(f, &r);
            if (f->direct_works)
                assert_int_equal(!(f->flags & O_DIRECT), m->way == WAY_BLOCK_BUFFERED);
        }
}

/* Nothing but what is named is asked by ioctl, whatever the descriptor. */
static void other_requests_are_refused(void **state)
{
    int x = 0;

    (void)state;
    assert_int_equal(MEASURE_SYSTEM.control(NULL, -1, 0x2284 /* SG_SCSI_RESET */, &x), -EPERM);
    assert_int_equal(MEASURE_SYSTEM.control(NULL, -1, SG_IO, &x), -EBADF);
    assert_int_equal(MEASURE_SYSTEM.read_at(NULL, -1, &x, 1, 0), -EBADF);
    assert_null(MEASURE_SYSTEM.map(NULL, -1, 4096));
}

static void nodes_only_where_sysfs_has_them(void **state)
{
    struct store *store = store_new();
    struct source *s = replay_new(store);

    (void)state;
    for (enum node_kind kind = 0; kind < NODE_MAX; kind++)
        assert_int_equal(MEASURE_SYSTEM.open(s, "0:0:0:0", kind, false), -ENODEV);
    assert_int_equal(MEASURE_SYSTEM.open(s, "../../sda", NODE_SG, false), -EINVAL);
    source_close(s);
    store_free(store);
}

static struct measure_load load_of(const char *text)
{
    struct store *store = store_new();
    struct source *s = replay_new(store);
    struct measure_load load;
    store_node proc;

    assert_int_equal(store_dir(store, (struct bytes){ (const uint8_t *)"/proc", 5 }, &proc), 0);
    if (text)
        assert_int_equal(store_put(store, proc, (struct bytes){ (const uint8_t *)"stat", 4 },
                                   STORE_FILE,
                                   (struct bytes){ (const uint8_t *)text, strlen(text) }, 0, NULL),
                         0);
    load = measure_load_now(s);
    source_close(s);
    store_free(store);
    return load;
}

static void load_of_the_processors(void **state)
{
    struct measure_load from = load_of("cpu  10 20 30 400 50 6 7 8 9 10\ncpu0 1 2\n"),
                        to = load_of("cpu  20 30 40 900 150 16 17 18 0 0\n");

    (void)state;
    assert_int_equal(from.total, 531);
    assert_int_equal(from.idle, 450);
    assert_int_equal(measure_idle_permille(from, to), 600 * 1000 / 660);
    assert_int_equal(measure_idle_permille(to, from), 0);
    assert_int_equal(measure_idle_permille(from, from), 0);
    to.idle = from.idle; /* never: which is not the same as not known */
    assert_int_equal(measure_idle_permille(from, to), 1);
    assert_int_equal(load_of(NULL).total, 0);
    assert_int_equal(load_of("intr 5\n").total, 0);
    assert_int_equal(load_of("cpu  1 x 3\n").total, 0);
    assert_int_equal(load_of("").total, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_by_the_block_layer, set_up, tear_down),
        cmocka_unit_test(other_requests_are_refused),
        cmocka_unit_test(nodes_only_where_sysfs_has_them),
        cmocka_unit_test(load_of_the_processors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
