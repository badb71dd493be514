/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measuring without hardware: hbad-collect's files with a machine that only counts, and an engine that only notes what it
 * is asked for. What runs on real nodes is in test_measure.py.
 */
#include "../unit/cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/collect.h"
#include "daemon/collect_others.h"
#include "facts/key.h"

/* ---- a machine with one device, of which these files are there ---- */

struct machine {
    struct source source;
    const char *requested, *done, *stat; /* NULL: not there */
};

static int list(struct source *s, const char *dir, const char *prefix, struct names *ret)
{
    const struct machine *m = (const struct machine *)s;

    (void)prefix;
    *ret = (struct names){ .error = ENOENT };
    if (!m->stat || strcmp(dir, "/sys/bus/scsi/devices/0:0:0:0/block") != 0)
        return 0;
    ret->error = 0;
    return names_add(ret, (struct bytes){ (const uint8_t *)"sda", 3 }, NAME_DIR);
}

static int read_file(struct source *s, const char *path, size_t limit, struct value *ret)
{
    const struct machine *m = (const struct machine *)s;
    const char *text = NULL;

    if (strcmp(path, "/sys/bus/scsi/devices/0:0:0:0/iorequest_cnt") == 0)
        text = m->requested;
    else if (strcmp(path, "/sys/bus/scsi/devices/0:0:0:0/iodone_cnt") == 0)
        text = m->done;
    else if (strcmp(path, "/sys/bus/scsi/devices/0:0:0:0/block/sda/stat") == 0)
        text = m->stat;
    *ret = (struct value){ .error = ENOENT };
    if (text && strlen(text) < limit)
        *ret = (struct value){ 0, { (const uint8_t *)text, strlen(text) } };
    return 0;
}

static int no_link(struct source *s, const char *path, struct value *ret)
{
    (void)s, (void)path;
    *ret = (struct value){ .error = ENOENT };
    return 0;
}

static int no_prop(struct source *s, const char *path, const char *name, struct value *ret)
{
    (void)name;
    return no_link(s, path, ret);
}

static int no_time(struct source *s, struct taken *ret)
{
    (void)s;
    *ret = (struct taken){ .kernel = "", .machine = "", .hostname = "" };
    return 0;
}

static const struct source_ops OPS = {
    .list = list, .read = read_file, .link = no_link, .prop = no_prop, .now = no_time
};

/* ---- an engine that cuts blocks to buffers of these sizes ---- */

struct measure_engine {
    uint64_t buffers[2];
    uint64_t asked[64]; /* blocks */
    size_t n_asked;
};

static struct measure_engine engine;

struct measure_engine *measure_engine_new(const struct measure_options *options,
                                          const struct measure_device *devices, size_t n)
{
    (void)options, (void)devices, (void)n;
    engine.n_asked = 0;
    return &engine;
}

struct measure_engine *measure_engine_free(struct measure_engine *e)
{
    (void)e;
    return NULL;
}

int measure_engine_run(struct measure_engine *e, const struct measure_request *request,
                       size_t first, size_t n, struct measurement *ret)
{
    assert_true(e->n_asked < ELEMENTS(e->asked));
    e->asked[e->n_asked++] = request->block_bytes;
    for (size_t i = 0; i < n; i++) {
        uint64_t buffer = e->buffers[first + i];

        ret[i] = (struct measurement){ .error = buffer ? 0 : EPERM,
                                       .hctl = first + i ? "0:0:1:0" : "0:0:0:0",
                                       .method = request->method,
                                       .block_bytes = buffer && buffer < request->block_bytes
                                                          ? buffer
                                                          : request->block_bytes,
                                       .depth = request->depth };
    }
    return 0;
}

/* ---- others ---- */

static const char *disturbed(struct machine *before, struct machine *after, struct measurement *m)
{
    static struct others o;
    struct fact node = { .key = &KEY_NODE, .origin = "block", .text = "sda" };
    struct subject host = { .name = "host0", .path = "/sys/devices/host0", .host = &host };
    struct subject device = { .name = "0:0:0:0",
                              .path = "/sys/bus/scsi/devices/0:0:0:0",
                              .host = &host,
                              .facts = &node,
                              .n_facts = 1 };

    before->source.ops = after->source.ops = &OPS;
    m->hctl = "0:0:0:0";
    assert_int_equal(others_begin(&before->source, &device, &o), 0);
    assert_int_equal(others_end(&after->source, &o, m), 0);
    return m->disturbed;
}

static const char *by_commands(const char *from, const char *to, uint64_t own)
{
    struct machine a = { .requested = from, .done = from }, b = { .requested = to, .done = to };
    struct measurement m = { .method = "read-cached/sg", .commands = own, .asked = 1 };

    return disturbed(&a, &b, &m);
}

static void commands_of_others(void **state)
{
    (void)state;
    assert_null(by_commands("0x10\n", "0x1b\n", 10));
    assert_null(by_commands("0x10\n", "0x1f\n", 10)); /* four */
    assert_string_equal(by_commands("0x10\n", "0x20\n", 10), "5 commands of others came between");
    assert_null(by_commands("0x0\n", "0x3fc\n", 999)); /* 20 of 1000 */
    assert_string_equal(by_commands("0x0\n", "0x3fd\n", 999), "21 commands of others came between");
    assert_string_equal(by_commands("0xfffffff0\n", "0x10\n", 10),
                        "21 commands of others came between");
    assert_null(by_commands(NULL, NULL, 10));
    assert_null(by_commands("0x10\n", "many\n", 10));
}

static const char *by_sectors(const char *method, const char *from, const char *to)
{
    struct machine a = { .stat = from }, b = { .stat = to };
    struct measurement m = { .method = method, .bytes = 1000 * 512 };

    return disturbed(&a, &b, &m);
}

static void sectors_of_others(void **state)
{
    static const char QUIET[] = "1 0 100 0 0 0 0 0 0 0 0\n", OURS[] = "1 0 1100 0 0 0 0 0 0 0 0\n",
                      LITTLE[] = "1 0 1248 0 0 0 0 0 0 0 0\n", /* 128 sectors and 20 */
        READ[] = "1 0 1249 0 0 0 0 0 0 0 0\n", WRITTEN[] = "1 0 1100 0 1 0 200 0 0 0 0\n";

    (void)state;
    assert_null(by_sectors("read-media/block-direct", QUIET, OURS));
    assert_null(by_sectors("read-media/block-direct", QUIET, LITTLE));
    assert_string_equal(by_sectors("read-media/block-direct", QUIET, READ),
                        "others read or wrote 74 KiB meanwhile");
    assert_string_equal(by_sectors("read-media/block-direct", QUIET, WRITTEN),
                        "others read or wrote 100 KiB meanwhile");
    assert_null(by_sectors("read-media/block-buffered", QUIET, READ)); /* the kernel reads ahead */
    assert_null(by_sectors("read-media/block-direct", NULL, READ));
    assert_null(by_sectors("read-media/block-direct", OURS, QUIET)); /* counted anew */
}

static void what_is_said_already(void **state)
{
    struct machine a = { .requested = "0x0", .done = "0x0" },
                   b = { .requested = "0xff", .done = "0xff" };
    struct measurement m = { .method = "read-cached/sg", .error = EIO, .disturbed = "it failed" };

    (void)state;
    assert_string_equal(disturbed(&a, &b, &m), "it failed");
}

/* ---- blocks ---- */

static void expect_blocks(uint64_t first, uint64_t second, bool alone, const uint64_t *blocks)
{
    struct machine machine = { .source.ops = &OPS };
    struct tiers tiers = { 0 };
    struct measuring m = { .methods = { measure_method_named("read-buffer/sg") },
                           .blocks = { 4096, 8192, 16384, 32768 },
                           .depths = { 1 },
                           .devices = { "0:0:0:0", "0:0:1:0" },
                           .n_methods = 1,
                           .n_blocks = 4,
                           .n_depths = 1,
                           .n_devices = 2,
                           .bytes = 1,
                           .alone = alone };

    engine = (struct measure_engine){ .buffers = { first, second } };
    assert_int_equal(collect_measures(&machine.source, &m, &tiers), 0);
    for (size_t i = 0; i < engine.n_asked; i++)
        assert_int_equal(engine.asked[i], blocks[alone ? i / 2 : i]);
    assert_int_equal(blocks[engine.n_asked / (alone ? 2 : 1)], 0);
}

static void blocks_that_no_buffer_holds(void **state)
{
    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        expect_blocks(6000, 5000, alone, (const uint64_t[]){ 4096, 8192, 0 });
        expect_blocks(6000, 9000, alone, (const uint64_t[]){ 4096, 8192, 16384, 0 });
        expect_blocks(6000, 0, alone, (const uint64_t[]){ 4096, 8192, 0 }); /* one is refused */
        expect_blocks(6000, 65536, alone, (const uint64_t[]){ 4096, 8192, 16384, 32768, 0 });
        expect_blocks(0, 0, alone, (const uint64_t[]){ 4096, 8192, 16384, 32768, 0 });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_of_others),
        cmocka_unit_test(sectors_of_others),
        cmocka_unit_test(what_is_said_already),
        cmocka_unit_test(blocks_that_no_buffer_holds),
    };

    /* What is measured goes to the standard output. */
    assert_non_null(freopen("/dev/null", "w", stdout));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
