/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Several stores as one machine: who is asked, what is a name, and what an adapter that was read long ago does not bring
 * back. That a whole machine in parts is the machine is shown over all golden cases in unit/diagnose.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/capture.h"
#include "source/unite.h"

#define A "/sys/devices/pci0/0000:01:00.0/"
#define B "/sys/devices/pci0/0000:02:00.0/"

/* Each sees both hosts' names and reads its own; both see a driver and a volume over disks of both. */
static const char FIRST[] =
    "{\"hbad-capture\":1,\"dirs\":{"
    "\"/sys/class/scsi_host\":{\"host0\":{\"link\":\"../../devices/pci0/0000:01:00.0/host0\"},"
    "\"host1\":{\"link\":\"../../devices/pci0/0000:02:00.0/host1\"},"
    "\"host9\":{\"link\":\"../../devices/pci0/0000:09:00.0/host9\"}},"
    "\"" A "host0\":{\"state\":\"running\\n\"},"
    "\"/sys/module/m\":{\"version\":\"old\\n\",\"only\":\"first\\n\",\"no\":{\"errno\":\"EACCES\"}},"
    "\"/sys/denied\":{\"x\":{\"errno\":\"EACCES\"}},"
    "\"/sys/devices/virtual/block/md0/slaves\":{"
    "\"nvme0n1\":{\"link\":\"../../../../pci0/0000:05:00.0/nvme0n1\"},"
    "\"sda\":{\"link\":\"../../../../pci0/0000:01:00.0/host0/sda\"}}},"
    "\"commands\":[{\"device\":\"0:0:0:0\",\"cdb\":\"12 00 00 00 24 00\",\"status\":0,\"data\":\"00\"}],"
    "\"measures\":[{\"device\":\"0:0:0:0\",\"method\":\"read-buffer\",\"block\":512,\"bytes\":1,\"us\":1}]}";
static const char SECOND[] =
    "{\"hbad-capture\":1,\"dirs\":{"
    "\"/sys/class/scsi_host\":{\"host0\":{\"link\":\"../../devices/pci0/0000:01:00.0/host0\"},"
    "\"host1\":{\"link\":\"../../devices/pci0/0000:02:00.0/host1\"}},"
    "\"" B "host1\":{\"state\":\"offline\\n\"},\"" A "host0\":{},"
    "\"/sys/module/m\":{\"version\":\"new\\n\",\"no\":\"said\\n\"},"
    "\"/sys/devices/virtual/block/md0/slaves\":{"
    "\"sdb\":{\"link\":\"../../../../pci0/0000:02:00.0/host1/sdb\"}}},"
    "\"commands\":[{\"device\":\"1:0:0:0\",\"cdb\":\"12 00 00 00 24 00\",\"status\":0,\"data\":\"05\"}],"
    "\"measures\":[{\"device\":\"1:0:0:0\",\"method\":\"read-buffer\",\"block\":512,\"bytes\":2,\"us\":1}]}";

struct rig {
    struct store *first, *second;
    struct source *s;
};

static struct store *read_store(const char *text)
{
    struct store *store = store_new();
    struct arena *arena = arena_new();
    struct json_reader *json = json_reader_over(
        (struct bytes){ (const uint8_t *)text, strlen(text) });
    struct capture_reading reading = { 0 };

    assert_int_equal(capture_read(json, store, arena, &reading), 0);
    json_reader_free(json);
    arena_free(arena);
    return store;
}

static int set_up(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));

    rig->first = read_store(FIRST);
    rig->second = read_store(SECOND);
    rig->s = unite_new((struct unite_part[]){ { rig->second, B }, { rig->first, A } }, 2,
                       &(struct taken){ .wall_us = 7, .hostname = "h" });
    assert_non_null(rig->s);
    *state = rig;
    return 0;
}

static int tear_down(void **state)
{
    struct rig *rig = *state;

    source_close(rig->s);
    store_free(rig->first);
    store_free(rig->second);
    free(rig);
    return 0;
}

static void assert_names(struct source *s, const char *dir, const char *prefix, const char *want)
{
    struct names names;
    char got[256] = "";

    assert_int_equal(source_list(s, dir, prefix, &names), 0);
    assert_int_equal(names.error, 0);
    for (size_t i = 0; i < names.n; i++) {
        strcat(got, names.v[i]);
        strcat(got, " ");
    }
    assert_string_equal(got, want);
    names_done(&names);
}

static void assert_text(struct source *s, const char *path, const char *want)
{
    struct value v;

    assert_int_equal(source_read(s, path, 100, &v), 0);
    assert_int_equal(v.error, 0);
    assert_string_equal((const char *)v.bytes.data, want);
}

static int refusal(struct source *s, const char *path)
{
    struct value v;

    assert_int_equal(source_read(s, path, 100, &v), 0);
    return v.error;
}

/* host9 was seen by the first in passing, and nobody has read it: it is gone. What is no host's is as it was seen. */
static void test_names(void **state)
{
    struct source *s = ((struct rig *)*state)->s;
    struct names names;

    assert_names(s, "/sys/class/scsi_host", "", "host0 host1 ");
    assert_names(s, "/sys/class/scsi_host", "host1", "host1 ");
    assert_names(s, "/sys/devices/virtual/block/md0/slaves", "", "nvme0n1 sda sdb ");
    assert_names(s, A "host0", "", "state ");
    assert_int_equal(source_list(s, "/sys/none", "", &names), 0);
    assert_int_equal(names.error, ENOENT);
    names_done(&names);
    assert_int_equal(source_list(s, "/sys/denied/x", "", &names), 0);
    assert_int_equal(names.error, EACCES);
    names_done(&names);
}

/* Its own store answers for an adapter; the newest one that knows it for all else. */
static void test_files(void **state)
{
    struct source *s = ((struct rig *)*state)->s;
    struct value v;

    assert_text(s, A "host0/state", "running\n");
    assert_text(s, B "host1/state", "offline\n");
    assert_text(s, "/sys/class/scsi_host/host1/state", "offline\n");
    assert_text(s, "/sys/class/scsi_host/host0/state", "running\n");
    assert_text(s, "/sys/module/m/version", "new\n");
    assert_text(s, "/sys/module/m/only", "first\n");
    assert_text(s, "/sys/module/m/no", "said\n");
    assert_int_equal(refusal(s, A "host1/state"), ENOENT);
    assert_int_equal(refusal(s, "/sys/class/scsi_host/host9/state"), ENOENT);
    assert_int_equal(source_link(s, "/sys/class/scsi_host/host0", &v), 0);
    assert_string_equal((const char *)v.bytes.data, "../../devices/pci0/0000:01:00.0/host0");
}

static void test_commands_and_measures(void **state)
{
    struct source *s = ((struct rig *)*state)->s;
    static const struct {
        const char *hctl;
        int error;
        uint8_t first;
    } DEVICES[] = { { "0:0:0:0", 0, 0 }, { "1:0:0:0", 0, 5 }, { "2:0:0:0", ENODATA, 0 } };
    struct command c = { .cdb = { 0x12, 0, 0, 0, 0x24, 0 }, .cdb_len = 6, .transfer_bytes = 0x24 };
    struct measurement m;

    for (size_t i = 0; i < ELEMENTS(DEVICES); i++) {
        struct command_target target = { .hctl = DEVICES[i].hctl, .scsi_level = 6 };
        struct answer a;

        assert_int_equal(source_command(s, &target, &c, &a), 0);
        assert_int_equal(a.error, DEVICES[i].error);
        if (!a.error)
            assert_int_equal(a.data.data[0], DEVICES[i].first);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(source_measure(s, &(struct measure_request){ .nth = i }, &m), 0);
        assert_int_equal(m.error, i < 2 ? 0 : ENODATA);
        if (!m.error)
            assert_int_equal(m.bytes, i == 0 ? 2 : 1);
    }
}

static void test_clock_and_nothing(void **state)
{
    struct taken taken;
    struct names names;
    struct source *none = unite_new(NULL, 0, &(struct taken){ .wall_us = 1 });

    assert_int_equal(source_now(((struct rig *)*state)->s, &taken), 0);
    assert_int_equal(taken.wall_us, 7);
    assert_int_equal(source_list(none, "/sys/class/scsi_host", "", &names), 0);
    assert_int_equal(names.error, ENOENT);
    names_done(&names);
    source_close(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_commands_and_measures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_clock_and_nothing, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
