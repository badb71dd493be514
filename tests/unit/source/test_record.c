/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a recorder keeps, beyond the contract: commands, properties, measures, clocks; what it must not
 * keep; parts of a capture; and recording through paths that are not canonical.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/capture.h"
#include "source/record.h"
#include "source/replay.h"

/* A source that is full of one answer, whatever it is asked. */
struct fake {
    struct source source;
    struct answer answer;
    struct value value, link, prop;
    struct names names; /* given out as copies */
    unsigned asked;     /* commands */
};

static struct fake *fake_of(struct source *s)
{
    return (struct fake *)s;
}

static int fake_list(struct source *s, const char *dir, const char *prefix, struct names *ret)
{
    const struct names *from = &fake_of(s)->names;
    struct names n = { .error = from->error };

    (void)dir;
    (void)prefix;
    for (size_t i = 0; i < from->n; i++)
        assert_int_equal(names_add(&n, (struct bytes){ (uint8_t *)from->v[i], strlen(from->v[i]) },
                                   from->kinds[i]),
                         0);
    *ret = n;
    return 0;
}

static int fake_read(struct source *s, const char *path, size_t limit, struct value *ret)
{
    (void)path;
    (void)limit;
    *ret = fake_of(s)->value;
    return 0;
}

static int fake_link(struct source *s, const char *path, struct value *ret)
{
    (void)path;
    *ret = fake_of(s)->link;
    return 0;
}

static int fake_prop(struct source *s, const char *path, const char *name, struct value *ret)
{
    (void)path;
    (void)name;
    *ret = fake_of(s)->prop;
    return 0;
}

static int fake_command(struct source *s, const struct command_target *target,
                        const struct command *command, struct answer *ret)
{
    (void)target;
    (void)command;
    fake_of(s)->asked++;
    *ret = fake_of(s)->answer;
    return 0;
}

static int fake_measure(struct source *s, const struct measure_request *request,
                        struct measurement *ret)
{
    (void)s;
    *ret = (struct measurement){
        0,  request->hctl, request->method, request->block_bytes, request->total_bytes, 1000,
        10, request->depth
    };
    return 0;
}

static int fake_next_event(struct source *s, struct source_event *ret)
{
    (void)s;
    *ret = (struct source_event){ "add", "/sys/devices/x" };
    return 1;
}

static int fake_now(struct source *s, struct taken *ret)
{
    (void)s;
    *ret = (struct taken){ 17, 4, "6.1", "x86_64", "host-1", false };
    return 0;
}

static void fake_close(struct source *s)
{
    (void)s;
}

static const struct source_ops FAKE = {
    fake_list,    fake_read,       fake_link, fake_prop,  fake_command,
    fake_measure, fake_next_event, fake_now,  fake_close,
};

struct rig {
    struct fake fake;
    struct store *store;
    struct source *s;
};

static int set_up(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));

    rig->fake.source.ops = &FAKE;
    rig->fake.link.error = EINVAL;
    rig->fake.prop.error = ENOENT;
    rig->store = store_new();
    rig->s = record_new(&rig->fake.source, rig->store);
    *state = rig;
    return 0;
}

static int tear_down(void **state)
{
    struct rig *rig = *state;

    source_close(rig->s);
    store_free(rig->store);
    free(rig);
    return 0;
}

static struct bytes text(const char *t)
{
    return (struct bytes){ (const uint8_t *)t, strlen(t) };
}

static const struct command_target DISK = {
    .hctl = "0:0:2:0", .type = 0, .scsi_level = 6, .inquiry_bytes = 96
};

static void commands_are_kept_with_all_of_their_answer(void **state)
{
    struct rig *rig = *state;
    struct command c = command_inquiry(96);
    struct store_command kept;
    struct answer a;

    rig->fake.answer = (struct answer){
        .status = 2,
        .host_status = 8,
        .driver_status = 4,
        .data = text("abc"),
        .sense = text("xyz"),
        .residual = 93,
        .duration_us = 1234,
    };
    assert_int_equal(source_command(rig->s, &DISK, &c, &a), 0);
    assert_int_equal(a.residual, 93);
    assert_int_equal(store_commands(rig->store), 1);
    kept = store_command_at(rig->store, 0);
    assert_string_equal(kept.hctl, "0:0:2:0");
    assert_true(bytes_equal(kept.cdb, (struct bytes){ c.cdb, 6 }));
    assert_int_equal(kept.status, 2);
    assert_int_equal(kept.host_status, 8);
    assert_int_equal(kept.driver_status, 4);
    assert_int_equal(kept.duration_us, 1234);
    assert_true(bytes_equal(kept.data, text("abc")));
    assert_true(bytes_equal(kept.sense, text("xyz")));
}

static void refusals_of_the_system_are_kept_and_ours_not(void **state)
{
    struct rig *rig = *state;
    struct command c = command_inquiry(36), write = { { 0x2a, [8] = 1 }, 10, 512 };
    struct command_target tape = { .hctl = "0:0:3:0", .type = 1 };
    struct answer a;

    rig->fake.answer.error = EACCES;
    assert_int_equal(source_command(rig->s, &DISK, &c, &a), 0);
    assert_int_equal(a.error, EACCES);
    assert_int_equal(store_commands(rig->store), 1);
    assert_int_equal(store_command_at(rig->store, 0).error, EACCES);

    assert_int_equal(source_command(rig->s, &DISK, &write, &a), 0);
    assert_int_equal(a.error, EPERM);
    rig->fake.source.asking_costs = true;
    assert_int_equal(source_command(rig->s, &tape, &c, &a), 0);
    assert_int_equal(a.error, EPERM);
    assert_int_equal(rig->fake.asked, 1); /* neither reached it */
    rig->fake.source.asking_costs = false;
    rig->fake.answer.error = ENODATA;
    assert_int_equal(source_command(rig->s, &DISK, &c, &a), 0);
    assert_int_equal(store_commands(rig->store), 1);
    /* The system's own EPERM is a refusal like another. */
    rig->fake.answer.error = EPERM;
    assert_int_equal(source_command(rig->s, &DISK, &c, &a), 0);
    assert_int_equal(store_commands(rig->store), 2);
}

/* Rule 7: measured, never stored. */
static void data_of_reads_is_not_kept(void **state)
{
    static const struct command READS[] = {
        { { 0x28, [8] = 1 }, 10, 512 },
        { { 0x88, [13] = 1 }, 16, 512 },
        { { 0x3c, 0x02, [7] = 2 }, 10, 512 },
    };
    struct command descriptor = command_read_buffer_descriptor();
    struct command_target disk = DISK;
    struct answer a;

    struct rig *rig = *state;
    disk.flags = TARGET_READS;
    rig->fake.answer = (struct answer){ .data = text("secret"), .residual = 506, .duration_us = 9 };
    for (size_t i = 0; i < ELEMENTS(READS); i++) {
        assert_int_equal(source_command(rig->s, &disk, &READS[i], &a), 0);
        assert_true(bytes_equal(a.data, text("secret"))); /* the caller measures it */
        assert_int_equal(store_command_at(rig->store, i).data.len, 0);
        assert_int_equal(store_command_at(rig->store, i).duration_us, 9);
    }
    assert_int_equal(source_command(rig->s, &disk, &descriptor, &a), 0);
    assert_true(bytes_equal(store_command_at(rig->store, 3).data, text("secret")));
}

static void properties_measures_events_clock(void **state)
{
    struct rig *rig = *state;
    struct measure_request request = { "0:0:2:0", "read-buffer", 65536, 1 << 20, 2 };
    struct measurement m;
    struct source_event e;
    struct taken t;
    struct value v;

    assert_int_equal(source_prop(rig->s, "/sys/devices/x", "A", &v), 0);
    assert_int_equal(v.error, ENOENT);
    rig->fake.prop = (struct value){ 0, text("value") };
    assert_int_equal(source_prop(rig->s, "/sys/devices/x", "B", &v), 0);
    assert_int_equal(store_find_prop(rig->store, "/sys/devices/x", "A"), STORE_NO_NODE);
    assert_int_not_equal(store_find_prop(rig->store, "/sys/devices/x", "B"), STORE_NO_NODE);
    rig->fake.prop = (struct value){ 0, text("\xff") };
    assert_int_equal(source_prop(rig->s, "/sys/devices/x", "C", &v), 0);
    assert_int_equal(v.error, ENOENT); /* no capture can hold it */
    assert_int_equal(store_find_prop(rig->store, "/sys/devices/x", "C"), STORE_NO_NODE);

    assert_int_equal(source_measure(rig->s, &request, &m), 0);
    assert_int_equal(store_measures(rig->store), 1);
    assert_int_equal(store_measure_at(rig->store, 0).bytes, 1 << 20);
    assert_int_equal(store_measure_at(rig->store, 0).depth, 2);
    assert_int_equal(source_next_event(rig->s, &e), 1);
    assert_string_equal(e.action, "add");
    assert_int_equal(store_taken(rig->store)->wall_us, 0);
    assert_int_equal(source_now(rig->s, &t), 0);
    assert_int_equal(store_taken(rig->store)->wall_us, 17);
    assert_string_equal(store_taken(rig->store)->hostname, "host-1");
}

/* A collector sends the host first and then a part a device. */
static void parts_go_into_stores_of_their_own(void **state)
{
    struct rig *rig = *state;
    struct store *second = store_new();
    struct value v;

    rig->fake.value = (struct value){ 0, text("1\n") };
    assert_int_equal(source_read(rig->s, "/sys/a/x", 10, &v), 0);
    record_set_store(rig->s, second);
    assert_int_equal(source_read(rig->s, "/sys/a/y", 10, &v), 0);
    assert_int_not_equal(store_resolve(rig->store, "/sys/a/x", true), STORE_NO_NODE);
    assert_int_equal(store_resolve(rig->store, "/sys/a/y", true), STORE_NO_NODE);
    assert_int_equal(store_resolve(second, "/sys/a/x", true), STORE_NO_NODE);
    assert_int_not_equal(store_resolve(second, "/sys/a/y", true), STORE_NO_NODE);
    record_set_store(rig->s, rig->store);
    store_free(second);
}

/* Rule 7: of boot parameters only what bears on storage; of all else everything. */
static void of_boot_parameters_only_storage_is_kept(void **state)
{
    static const struct {
        const char *path, *content, *kept;
    } ROWS[] = {
        { "/proc/cmdline", "root=/dev/x libata.force=3.0G password=x\n", "libata.force=3.0G\n" },
        { "/proc/version", "password=x", "password=x" },
        { "/etc/modprobe.d/a.conf",
          "# a comment\noptions mptspi mpt_dv=1\noptions wifi key=secret\n",
          "options mptspi mpt_dv=1\n" },
        { "/etc/modprobe.d/b.conf", "options wifi key=secret\n", "" },
        { "/etc/modprobe.d/c.conf", "", "" },
    };
    struct rig *rig = *state;
    struct source *replay = replay_new(rig->store);
    struct value v;

    for (size_t i = 0; i < ELEMENTS(ROWS); i++) {
        rig->fake.value = (struct value){ 0, text(ROWS[i].content) };
        assert_int_equal(source_read(rig->s, ROWS[i].path, 100, &v), 0);
        assert_string_equal((const char *)v.bytes.data, ROWS[i].kept);
        assert_int_equal(source_read(replay, ROWS[i].path, 100, &v), 0);
        assert_string_equal((const char *)v.bytes.data, ROWS[i].kept);
    }
    /* Less of it, because the limit was reached: what is known stays. */
    rig->fake.value = (struct value){ 0, text("root") };
    assert_int_equal(source_read(rig->s, "/proc/cmdline", 4, &v), 0);
    assert_int_equal(source_read(replay, "/proc/cmdline", 100, &v), 0);
    assert_string_equal((const char *)v.bytes.data, "libata.force=3.0G\n");
    source_close(replay);
}

/* Content, names and links that no capture can hold are refused to the caller too. */
static void what_no_capture_can_hold(void **state)
{
    struct rig *rig = *state;
    struct source *replay = replay_new(rig->store);
    uint8_t *large = calloc(1, CAPTURE_VALUE_MAX + 2);
    char *names[] = { (char[]){ "bad\xff" }, (char[]){ "good" } };
    uint8_t kinds[] = { NAME_DIR, NAME_DIR };
    struct names n;
    struct value v;

    rig->fake.value = (struct value){ 0, { large, CAPTURE_VALUE_MAX + 1 } };
    assert_int_equal(source_read(rig->s, "/sys/large", SIZE_MAX, &v), 0);
    assert_int_equal(v.error, EFBIG);
    assert_int_equal(source_read(replay, "/sys/large", SIZE_MAX, &v), 0);
    assert_int_equal(v.error, EFBIG);
    rig->fake.value.bytes.len = CAPTURE_VALUE_MAX;
    assert_int_equal(source_read(rig->s, "/sys/large", SIZE_MAX, &v), 0);
    assert_int_equal(v.error, 0);
    assert_int_equal(source_read(replay, "/sys/large", SIZE_MAX, &v), 0);
    assert_int_equal(v.bytes.len, CAPTURE_VALUE_MAX);

    rig->fake.names = (struct names){ 0, names, kinds, 2, 2 };
    assert_int_equal(source_list(rig->s, "/sys/dir", "", &n), 0);
    assert_int_equal(n.n, 1);
    assert_string_equal(n.v[0], "good");
    names_done(&n);
    rig->fake.link = (struct value){ 0, text("to\xff") };
    assert_int_equal(source_link(rig->s, "/sys/dir/link", &v), 0);
    assert_int_equal(v.error, ENOENT);
    source_close(replay);
    free(large);
}

/* A machine that changes under way: the first state stays, and nothing fails. */
static void contradictions_are_left_out(void **state)
{
    struct rig *rig = *state;
    struct value v;

    rig->fake.value = (struct value){ 0, text("1\n") };
    assert_int_equal(source_read(rig->s, "/sys/a", 10, &v), 0);
    assert_int_equal(source_read(rig->s, "/sys/a/b", 10, &v), 0); /* below what was a file */
    assert_int_equal(v.error, 0);
    assert_int_equal(source_read(rig->s, "/sys/d/e", 10, &v), 0);
    assert_int_equal(source_read(rig->s, "/sys/d", 10, &v), 0); /* what was a directory */
    assert_int_equal(store_kind_of(rig->store, store_resolve(rig->store, "/sys/a", true)),
                     STORE_FILE);
    assert_int_equal(store_kind_of(rig->store, store_resolve(rig->store, "/sys/d", true)),
                     STORE_DIR);
}

/* What was recorded as parts of a stream goes together again, whichever way it was asked. */
static void parts_written_and_read_are_one_capture(void **state)
{
    static const char TEXT[] =
        "{\"hbad-capture\":1,\"dirs\":{\"/sys/class/h\":{\"host0\":{\"link\":\"../../devices/host0\"}},"
        "\"/sys/devices/host0\":{\"state\":\"running\\n\",\"period\":{\"hex\":\"31322e35000a\"}},"
        "\"/sys/devices/host0/target0\":{}}}";
    struct store *whole = store_new(), *part = store_new(), *again = store_new();
    struct arena *arena = arena_new();
    struct capture_reading reading;
    struct json_reader *json = json_reader_over(text(TEXT));
    struct source *inner, *record, *replay;
    struct names n;
    struct value v;
    char *stream;
    size_t size;
    FILE *out = open_memstream(&stream, &size);

    (void)state;
    assert_int_equal(capture_read(json, whole, arena, &reading), 0);
    json_reader_free(json);
    inner = replay_new(whole);
    record = record_new(inner, part);
    assert_int_equal(source_list(record, "/sys/class/h", "host", &n), 0);
    names_done(&n);
    assert_int_equal(source_list(record, "/sys/class/h/host0", "target", &n), 0);
    names_done(&n);
    assert_int_equal(capture_write_chunk(part, out), 0);
    store_free(part);
    part = store_new();
    record_set_store(record, part);
    assert_int_equal(source_read(record, "/sys/class/h/host0/state", 10, &v), 0);
    assert_int_equal(source_read(record, "/sys/devices/host0/period", 10, &v), 0);
    assert_int_equal(capture_write_chunk(part, out), 0);
    assert_int_equal(capture_write_end(out), 0);
    fclose(out);

    json = json_reader_over((struct bytes){ (uint8_t *)stream, size });
    assert_int_equal(capture_read(json, again, arena, &reading), 0);
    assert_true(reading.complete);
    json_reader_free(json);
    replay = replay_new(again);
    assert_int_equal(source_read(replay, "/sys/devices/host0/state", 10, &v), 0);
    assert_string_equal((const char *)v.bytes.data, "running\n");
    assert_int_equal(source_read(replay, "/sys/class/h/host0/period", 10, &v), 0);
    assert_int_equal(v.bytes.len, 6);
    assert_int_equal(source_list(replay, "/sys/devices/host0", "", &n), 0);
    assert_int_equal(n.n, 3);
    names_done(&n);
    source_close(replay);
    source_close(record);
    source_close(inner);
    store_free(whole);
    store_free(part);
    store_free(again);
    arena_free(arena);
    free(stream);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(commands_are_kept_with_all_of_their_answer),
        TEST(refusals_of_the_system_are_kept_and_ours_not),
        TEST(data_of_reads_is_not_kept),
        TEST(properties_measures_events_clock),
        TEST(parts_go_into_stores_of_their_own),
        TEST(of_boot_parameters_only_storage_is_kept),
        TEST(what_no_capture_can_hold),
        TEST(contradictions_are_left_out),
        cmocka_unit_test(parts_written_and_read_are_one_capture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
