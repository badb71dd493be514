/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which node is opened for a device, over sysfs trees made up of captures.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "live/node.h"
#include "source/capture.h"
#include "source/replay.h"

#define D "/sys/devices/pci0000:00/host2/target2:0:1/2:0:1:0"
#define HEAD                                                                          \
    "{\"hbad-capture\":1,\"dirs\":{\"/sys/bus/scsi/devices\":{\"2:0:1:0\":{\"link\":" \
    "\"../../../devices/pci0000:00/host2/target2:0:1/2:0:1:0\"}},"
#define TAIL       "}}"
#define RUNNING    "\"/sys/class/scsi_host/host2\":{\"state\":\"running\\n\"},"
#define RECOVERING "\"/sys/class/scsi_host/host2\":{\"state\":\"recovery\\n\"},"
#define DISK       "\"" D "\":{\"type\":\"0\\n\"},"
#define TAPE       "\"" D "\":{\"type\":\"1\\n\"},"
#define CDROM      "\"" D "\":{\"type\":\"5\\n\"},"
#define SG(name)   "\"" D "/scsi_generic/" name "\":{\"dev\":\"21:3\\n\"}"
#define BSG(name)  "\"" D "/bsg/" name "\":{\"dev\":\"248:7\\n\"}"
#define BLOCK(name, removable) \
    "\"" D "/block/" name "\":{\"dev\":\"8:16\\n\",\"removable\":\"" removable "\\n\"}"

static const struct {
    const char *tree;
    const char *sg, *bsg, *block; /* the node of each kind; NULL: none */
} TREES[] = {
    { HEAD RUNNING DISK SG("sg3") "," BSG("2:0:1:0") "," BLOCK("sdb", "0") TAIL, "/dev/sg3",
      "/dev/bsg/2:0:1:0", "/dev/sdb" },
    { HEAD RUNNING DISK BLOCK("sdaaz", "0") TAIL, NULL, NULL, "/dev/sdaaz" },
    { HEAD RUNNING DISK BLOCK("sdb", "1") TAIL, NULL, NULL, NULL },
    { HEAD RECOVERING DISK SG("sg3") "," BLOCK("sdb", "0") TAIL, "/dev/sg3", NULL, NULL },
    { HEAD DISK BLOCK("sdb", "0") TAIL, NULL, NULL, NULL },    /* the host's state is not known */
    { HEAD RUNNING BLOCK("sdb", "0") TAIL, NULL, NULL, NULL }, /* nor is the type */
    { HEAD RUNNING CDROM SG("sg0") "," BLOCK("sr0", "0") TAIL, "/dev/sg0", NULL, NULL },
    /* Not even where a block node of a disk's name stood below a CD-ROM or a tape. */
    { HEAD RUNNING CDROM BLOCK("sdb", "0") TAIL, NULL, NULL, NULL },
    { HEAD RUNNING TAPE BLOCK("sdb", "0") TAIL, NULL, NULL, NULL },
    { HEAD RUNNING TAPE SG("sg0") ",\"" D "/scsi_tape/st0\":{\"dev\":\"9:0\\n\"},"
                                  "\"" D "/scsi_tape/nst0\":{\"dev\":\"9:128\\n\"}" TAIL,
      "/dev/sg0", NULL, NULL },
    { HEAD RUNNING TAPE "\"" D "/scsi_tape/st0\":{\"dev\":\"9:0\\n\"}" TAIL, NULL, NULL, NULL },
    /* Names that are none of the kernel's. */
    { HEAD RUNNING DISK SG("sg") "," BLOCK("sd", "0") TAIL, NULL, NULL, NULL },
    { HEAD RUNNING DISK SG("sg3a") "," BLOCK("sdb1", "0") TAIL, NULL, NULL, NULL },
    { HEAD RUNNING DISK SG("sg..") "," BLOCK("sd.", "0") TAIL, NULL, NULL, NULL },
    { HEAD RUNNING DISK SG("st0") "," BLOCK("nst0", "0") TAIL, NULL, NULL, NULL },
    { HEAD RUNNING DISK SG("sg33333333333333333") TAIL, NULL, NULL, NULL },
    { HEAD RUNNING DISK BSG("2:0:1:1") TAIL, NULL, NULL, NULL }, /* another device's */
    /* The first that has the form. */
    { HEAD RUNNING DISK SG("sg-x") "," SG("sg4") TAIL, "/dev/sg4", NULL, NULL },
    /* A node without a device number is none. */
    { HEAD RUNNING DISK "\"" D "/scsi_generic/sg3\":{\"uevent\":\"\"}" TAIL, NULL, NULL, NULL },
    /* No bus directory, but the class. */
    { "{\"hbad-capture\":1,\"dirs\":{\"/sys/class/scsi_device/2:0:1:0/device/scsi_generic/sg9\":"
      "{\"dev\":\"21:9\\n\"}}}",
      "/dev/sg9", NULL, NULL },
    { "{\"hbad-capture\":1,\"dirs\":{}}", NULL, NULL, NULL },
};

static struct store *load(const char *tree)
{
    struct json_reader *json = json_reader_over(
        (struct bytes){ (const uint8_t *)tree, strlen(tree) });
    struct store *store = store_new();
    struct arena *arena = arena_new();
    struct capture_reading reading;
    int r = capture_read(json, store, arena, &reading);

    if (r < 0)
        print_error("%s: %s\n%s\n", reading.where, reading.why, tree);
    assert_int_equal(r, 0);
    json_reader_free(json);
    arena_free(arena);
    return store;
}

static void expect_node(struct source *s, enum node_kind kind, const char *want, const char *tree)
{
    struct node node = { .path = "" };
    int r = node_find(s, "2:0:1:0", kind, &node);

    if (r != !!want || (want && strcmp(node.path, want) != 0))
        print_error("kind %d: %d %s\n%s\n", kind, r, node.path, tree);
    assert_int_equal(r, !!want);
    if (!want)
        return;
    assert_string_equal(node.path, want);
    assert_int_equal(node.is_block, kind == NODE_BLOCK);
    assert_int_equal(node_is_unchanged(s, &node), 1);
    strcpy(node.device_number, "1:1\n");
    assert_int_equal(node_is_unchanged(s, &node), 0);
}

static void nodes_by_what_sysfs_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < ELEMENTS(TREES); i++) {
        struct store *store = load(TREES[i].tree);
        struct source *s = replay_new(store);

        expect_node(s, NODE_SG, TREES[i].sg, TREES[i].tree);
        expect_node(s, NODE_BSG, TREES[i].bsg, TREES[i].tree);
        expect_node(s, NODE_BLOCK, TREES[i].block, TREES[i].tree);
        source_close(s);
        store_free(store);
    }
}

static void a_device_is_named_by_numbers(void **state)
{
    static const char *const BAD[] = {
        "",           "..",        "2:0:1",
        "2:0:1:0/..", "2:0:1:0:0", "../../etc",
        "2:0:1:0\n",  "a:b:c:d",   "2:0:1:00000000000000000000000000000000000000000"
    };
    struct store *store = load(TREES[0].tree);
    struct source *s = replay_new(store);
    struct node node;

    (void)state;
    for (size_t i = 0; i < ELEMENTS(BAD); i++)
        for (enum node_kind kind = 0; kind <= NODE_MAX; kind++)
            assert_int_equal(node_find(s, BAD[i], kind, &node), -EINVAL);
    assert_int_equal(node_find(s, "2:0:1:0", NODE_MAX, &node), -EINVAL);
    source_close(s);
    store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_by_what_sysfs_says),
        cmocka_unit_test(a_device_is_named_by_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
