/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replay of commands, measures and properties: the rules of CAPTURE.md, "Replay".
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "source/capture.h"
#include "source/replay.h"

#define ATTENTION               "70 00 06 00 00 00 00 0a 00 00 00 00 29 00 00 00 00 00"
#define ATTENTION_BY_DESCRIPTOR "72 06 29 00 00 00 00 00"
#define ILLEGAL                 "70 00 05 00 00 00 00 0a 00 00 00 00 24 00 00 00 00 00"

/* Bytes from hex, in one of some buffers, so that several live in one expression. */
static struct bytes hex(const char *text)
{
    static uint8_t buffers[16][256];
    static size_t turn;
    uint8_t *to = buffers[turn++ % ELEMENTS(buffers)];
    int64_t n = hex_decode(text, strlen(text), to, sizeof(buffers[0]));

    assert_true(n >= 0);
    return (struct bytes){ to, (size_t)n };
}

static void put(struct store *s, const char *hctl, const char *cdb, uint8_t status,
                const char *data, const char *sense)
{
    struct store_command c = { .hctl = hctl, .cdb = hex(cdb), .status = status };

    c.data = hex(data);
    c.sense = hex(sense);
    assert_int_equal(store_put_command(s, &c), 0);
}

/* A command as asked, its room as it says itself. */
static struct answer ask_of(struct source *s, const char *hctl, const char *cdb)
{
    struct bytes b = hex(cdb);
    struct command c = { .cdb_len = b.len, .transfer_bytes = command_transfer_bytes(b) };
    struct command_target target = { .hctl = hctl, .type = 0, .scsi_level = 6 };
    struct answer a = { 0 };

    memcpy(c.cdb, b.data, b.len);
    assert_int_equal(source_command(s, &target, &c, &a), 0);
    if (!a.error)
        assert_int_equal(a.residual + a.data.len, c.transfer_bytes);
    return a;
}

static struct answer ask(struct source *s, const char *cdb)
{
    return ask_of(s, "0:0:2:0", cdb);
}

static void expect_data(struct answer a, const char *data)
{
    struct bytes want = hex(data);

    assert_int_equal(a.error, 0);
    assert_int_equal(a.status, 0);
    assert_int_equal(a.data.len, want.len);
    assert_memory_equal(a.data.data, want.data, want.len);
}

struct rig {
    struct store *store;
    struct source *s;
};

static int set_up(void **state)
{
    struct rig *rig = malloc(sizeof(*rig));

    rig->store = store_new();
    rig->s = replay_new(rig->store);
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

static void what_is_not_recorded_is_enodata(void **state)
{
    struct rig *rig = *state;

    assert_int_equal(ask(rig->s, "12 00 00 00 24 00").error, ENODATA);
    put(rig->store, "0:0:3:0", "12 00 00 00 24 00", 0, "01 02", "");
    assert_int_equal(ask(rig->s, "12 00 00 00 24 00").error, ENODATA);
    expect_data(ask_of(rig->s, "0:0:3:0", "12 00 00 00 24 00"), "01 02");
    assert_int_equal(ask_of(rig->s, "0:0:3:0", "12 01 00 00 24 00").error, ENODATA);
}

static void inquiry_is_matched_by_evpd_and_page(void **state)
{
    struct rig *rig = *state;

    put(rig->store, "0:0:2:0", "12 00 00 00 60 00", 0, "00 11 22 33 44", "");
    put(rig->store, "0:0:2:0", "12 01 80 00 ff 00", 0, "80 80 80", "");
    put(rig->store, "0:0:2:0", "12 01 83 00 ff 00", 0, "83 83", "");
    expect_data(ask(rig->s, "12 00 00 00 24 00"), "00 11 22 33 44");
    expect_data(ask(rig->s, "12 00 00 00 03 00"), "00 11 22");
    expect_data(ask(rig->s, "12 01 80 01 00 00"), "80 80 80");
    expect_data(ask(rig->s, "12 01 83 00 01 00"), "83");
    assert_int_equal(ask(rig->s, "12 01 00 00 ff 00").error, ENODATA);
}

static void allocation_cuts_and_leaves_a_residual(void **state)
{
    struct rig *rig = *state;
    struct answer a;

    put(rig->store, "0:0:2:0", "12 00 00 00 60 00", 0, "00 11 22 33 44", "");
    a = ask(rig->s, "12 00 00 00 02 00");
    expect_data(a, "00 11");
    assert_int_equal(a.residual, 0);
    a = ask(rig->s, "12 00 00 00 60 00");
    assert_int_equal(a.residual, 0x60 - 5);
    a = ask(rig->s, "12 00 00 00 00 00");
    assert_int_equal(a.data.len, 0);
    assert_int_equal(a.residual, 0);
}

/* Either form of MODE SENSE answers for the other. */
static void mode_sense_is_converted(void **state)
{
    struct rig *rig = *state;

    /* Mode data length, medium type, device-specific, block descriptor length; here none. */
    put(rig->store, "0:0:2:0", "5a 00 19 03 00 00 00 00 ff 00", 0,
        "00 10 05 90 00 00 00 00 59 03 00 06 00 0a 00 00 7f 01", "");
    expect_data(ask(rig->s, "1a 00 19 03 ff 00"), "0d 05 90 00 59 03 00 06 00 0a 00 00 7f 01");
    expect_data(ask(rig->s, "1a 08 19 03 06 00"), "0d 05 90 00 59 03");
    expect_data(ask(rig->s, "5a 18 19 03 00 00 00 00 0a 00"), "00 10 05 90 00 00 00 00 59 03");

    /* With a block descriptor, from 6 to 10. */
    put(rig->store, "0:0:2:0", "1a 00 19 00 ff 00", 0,
        "0f 01 02 08 00 00 00 00 00 00 02 00 19 02 01 00", "");
    expect_data(ask(rig->s, "5a 00 19 00 00 00 00 00 ff 00"),
                "00 12 01 02 00 00 00 08 00 00 00 00 00 00 02 00 19 02 01 00");
    expect_data(ask(rig->s, "1a 00 19 00 04 00"), "0f 01 02 08");
    assert_int_equal(ask(rig->s, "1a 00 19 04 ff 00").error, ENODATA);
}

/* Lengths that the other form cannot hold, and answers without a whole header: no data, no harm. */
static void odd_mode_data_is_converted_without_harm(void **state)
{
    struct rig *rig = *state;

    put(rig->store, "0:0:2:0", "5a 00 19 01 00 00 00 00 ff 00", 0, "ff ff 00 00 00 00 00 00", "");
    expect_data(ask(rig->s, "1a 00 19 01 ff 00"), "");
    put(rig->store, "0:0:2:0", "5a 00 19 02 00 00 00 00 ff 00", 0, "00 00 00 00 00 00 00 00", "");
    expect_data(ask(rig->s, "1a 00 19 02 ff 00"), "");
    put(rig->store, "0:0:2:0", "5a 00 19 03 00 00 00 00 ff 00", 0, "00 10 05", "");
    expect_data(ask(rig->s, "1a 00 19 03 ff 00"), "");
    put(rig->store, "0:0:2:0", "1a 00 19 04 ff 00", 2, "", ILLEGAL);
    assert_int_equal(ask(rig->s, "5a 00 19 04 00 00 00 00 ff 00").status, 2);
}

static void log_sense_is_matched_by_control_and_page(void **state)
{
    struct rig *rig = *state;

    put(rig->store, "0:0:2:0", "4d 00 18 00 00 00 00 00 ff 00", 0, "01", "");
    assert_int_equal(ask(rig->s, "4d 00 58 00 00 00 00 00 ff 00").error, ENODATA);
    put(rig->store, "0:0:2:0", "4d 02 58 00 00 00 01 00 ff 00", 0, "18 00 00 00", "");
    put(rig->store, "0:0:2:0", "4d 00 58 01 00 00 00 00 ff 00", 0, "58 01 00 00", "");
    put(rig->store, "0:0:2:0", "4d 00 40 00 00 00 00 00 04 00", 0, "00 00 00 01", "");
    expect_data(ask(rig->s, "4d 00 58 00 00 00 00 10 00 00"), "18 00 00 00");
    expect_data(ask(rig->s, "4d 00 40 00 00 00 00 00 ff 00"), "00 00 00 01");
}

static void read_buffer_is_matched_by_mode_id_and_offset(void **state)
{
    struct rig *rig = *state;

    put(rig->store, "0:0:2:0", "3c 03 00 00 00 00 00 00 04 00", 0, "00 00 40 00", "");
    put(rig->store, "0:0:2:0", "3c 0b 00 00 00 00 00 00 04 00", 0, "00 00 10 00", "");
    put(rig->store, "0:0:2:0", "3c 03 01 00 00 00 00 00 04 00", 0, "01", "");
    put(rig->store, "0:0:2:0", "3c 02 00 00 02 00 00 00 04 00", 0, "02", "");
    expect_data(ask(rig->s, "3c 03 00 00 00 00 00 00 08 00"), "00 00 40 00");
    expect_data(ask(rig->s, "3c 0b 00 00 00 00 00 00 02 00"), "00 00");
    expect_data(ask(rig->s, "3c 03 01 00 00 00 00 00 04 00"), "01");
    expect_data(ask(rig->s, "3c 02 00 00 02 00 00 00 20 00"), "02");
    assert_int_equal(ask(rig->s, "3c 02 00 00 00 00 00 00 20 00").error, ENODATA);
}

/* Commands whose allocation length is not part of what they ask, and those where all is. */
static void other_commands(void **state)
{
    struct rig *rig = *state;

    put(rig->store, "0:0:2:0", "a0 00 00 00 00 00 00 00 10 00 00 00", 0, "00 00 00 08", "");
    expect_data(ask(rig->s, "a0 00 00 00 00 00 00 01 00 00 00 00"), "00 00 00 08");
    assert_int_equal(ask(rig->s, "a0 00 02 00 00 00 00 00 10 00 00 00").error, ENODATA);
    put(rig->store, "0:0:2:0", "9e 10 00 00 00 00 00 00 00 00 00 00 00 20 00 00", 0, "0a 0b", "");
    expect_data(ask(rig->s, "9e 10 00 00 00 00 00 00 00 00 00 00 00 0c 00 00"), "0a 0b");
    put(rig->store, "0:0:2:0", "03 00 00 00 12 00", 0, "70 00 00", "");
    expect_data(ask(rig->s, "03 00 00 00 fc 00"), "70 00 00");
    assert_int_equal(ask(rig->s, "03 01 00 00 fc 00").error, ENODATA);
    put(rig->store, "0:0:2:0", "1c 01 02 00 ff 00", 0, "02 00", "");
    expect_data(ask(rig->s, "1c 01 02 10 00 00"), "02 00");
    assert_int_equal(ask(rig->s, "1c 01 0a 10 00 00").error, ENODATA);
    /* The control byte is not asked, the address is. */
    put(rig->store, "0:0:2:0", "25 00 00 00 00 00 00 00 00 c0", 0, "00 00 00 01 00 00 02 00", "");
    expect_data(ask(rig->s, "25 00 00 00 00 00 00 00 00 00"), "00 00 00 01 00 00 02 00");
    put(rig->store, "0:0:2:0", "00 00 00 00 00 00", 2, "", ILLEGAL);
    assert_int_equal(ask(rig->s, "00 00 00 00 00 00").status, 2);
}

/* The first that is as long as asked, else the longest. */
static void the_longest_of_several_answers(void **state)
{
    struct rig *rig = *state;

    put(rig->store, "0:0:2:0", "12 00 00 00 04 00", 0, "01 01 01 01", "");
    put(rig->store, "0:0:2:0", "12 00 00 00 08 00", 0, "02 02 02 02 02 02 02 02", "");
    put(rig->store, "0:0:2:0", "12 00 00 00 06 00", 0, "03 03 03 03 03 03", "");
    expect_data(ask(rig->s, "12 00 00 00 04 00"), "01 01 01 01");
    expect_data(ask(rig->s, "12 00 00 00 05 00"), "02 02 02 02 02");
    expect_data(ask(rig->s, "12 00 00 00 60 00"), "02 02 02 02 02 02 02 02");
    /* As long as asked in the form that is asked: 12 bytes of MODE SENSE(6) are 16 of (10). */
    put(rig->store, "0:0:2:0", "1a 00 19 00 ff 00", 0, "0b 00 00 00 19 06 01 00 00 00 00 00", "");
    put(rig->store, "0:0:2:0", "5a 00 19 00 00 00 00 00 ff 00", 0,
        "00 12 00 00 00 00 00 00 19 0a 02 00 00 00 00 00 00 00 00 00", "");
    expect_data(ask(rig->s, "5a 00 19 00 00 00 00 00 10 00"),
                "00 0e 00 00 00 00 00 00 19 06 01 00 00 00 00 00");
    assert_int_equal(ask(rig->s, "5a 00 19 00 00 00 00 00 11 00").data.data[9], 0x0a);
}

/* A refusal is shorter than any data, and an errno likewise. */
static void data_wins_over_refusals(void **state)
{
    struct rig *rig = *state;
    struct store_command denied = { .hctl = "0:0:2:0",
                                    .cdb = hex("12 00 00 00 24 00"),
                                    .error = EACCES };

    assert_int_equal(store_put_command(rig->store, &denied), 0);
    assert_int_equal(ask(rig->s, "12 00 00 00 24 00").error, EACCES);
    put(rig->store, "0:0:2:0", "12 00 00 00 24 00", 2, "", ILLEGAL);
    put(rig->store, "0:0:2:0", "12 00 00 00 24 00", 0, "aa", "");
    expect_data(ask(rig->s, "12 00 00 00 24 00"), "aa");
}

/* What is below a directory that was refused is refused, too, and not absent. */
static void refused_above(void **state)
{
    static const struct bytes CLASS = { (const uint8_t *)"/sys/class", 10 },
                              NAME = { (const uint8_t *)"spi_host", 8 };
    struct rig *rig = *state;
    struct names names;
    struct value v;
    store_node class;

    assert_int_equal(store_dir(rig->store, CLASS, &class), 0);
    assert_int_equal(
        store_put(rig->store, class, NAME, STORE_ERRNO, (struct bytes){ 0 }, EACCES, NULL), 0);
    assert_int_equal(source_list(rig->s, "/sys/class/spi_host/host0/x", "", &names), 0);
    assert_int_equal(names.error, EACCES);
    assert_int_equal(source_read(rig->s, "/sys/class/spi_host/host0", 10, &v), 0);
    assert_int_equal(v.error, EACCES);
    assert_int_equal(source_read(rig->s, "/sys/class/spi_transport/host0", 10, &v), 0);
    assert_int_equal(v.error, ENOENT);
}

/* It answers once, and then what came after it does. */
static void unit_attentions_are_used_up(void **state)
{
    struct rig *rig = *state;
    struct answer a;

    put(rig->store, "0:0:2:0", "12 00 00 00 24 00", 2, "", ATTENTION);
    put(rig->store, "0:0:2:0", "12 00 00 00 24 00", 2, "", ATTENTION_BY_DESCRIPTOR);
    put(rig->store, "0:0:2:0", "12 00 00 00 24 00", 0, "00 01", "");
    a = ask(rig->s, "12 00 00 00 24 00");
    assert_int_equal(a.status, 2);
    assert_int_equal(a.sense.data[2], 6);
    assert_int_equal(a.residual, 0x24);
    a = ask(rig->s, "12 00 00 00 24 00");
    assert_int_equal(a.status, 2);
    assert_int_equal(a.sense.data[1], 6);
    expect_data(ask(rig->s, "12 00 00 00 24 00"), "00 01");
    expect_data(ask(rig->s, "12 00 00 00 24 00"), "00 01");

    /* Nothing but an attention: then nothing. Another device's is its own. */
    put(rig->store, "0:0:3:0", "00 00 00 00 00 00", 2, "", ATTENTION);
    assert_int_equal(ask(rig->s, "00 00 00 00 00 00").error, ENODATA);
    assert_int_equal(ask_of(rig->s, "0:0:3:0", "00 00 00 00 00 00").status, 2);
    assert_int_equal(ask_of(rig->s, "0:0:3:0", "00 00 00 00 00 00").error, ENODATA);

    /* Other CHECK CONDITIONs answer for good; so does sense of an unknown form. */
    put(rig->store, "0:0:4:0", "00 00 00 00 00 00", 2, "", ILLEGAL);
    put(rig->store, "0:0:5:0", "00 00 00 00 00 00", 2, "", "7f 06 06 00");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ask_of(rig->s, "0:0:4:0", "00 00 00 00 00 00").status, 2);
        assert_int_equal(ask_of(rig->s, "0:0:5:0", "00 00 00 00 00 00").status, 2);
    }
}

static void all_of_an_answer_is_given(void **state)
{
    struct rig *rig = *state;
    struct store_command c = {
        .hctl = "0:0:2:0",
        .cdb = hex("12 00 00 00 24 00"),
        .host_status = 3,
        .driver_status = 6,
        .status = 0x18,
        .duration_us = 61000000,
    };
    struct answer a;

    assert_int_equal(store_put_command(rig->store, &c), 0);
    a = ask(rig->s, "12 00 00 00 24 00");
    assert_int_equal(a.host_status, 3);
    assert_int_equal(a.driver_status, 6);
    assert_int_equal(a.status, 0x18);
    assert_int_equal(a.duration_us, 61000000);
    assert_null(a.refused);
}

/* A capture may hold what today's rules do not ask: it is not given out. */
static void what_writes_is_refused_though_recorded(void **state)
{
    struct rig *rig = *state;
    struct answer a;

    put(rig->store, "0:0:2:0", "2a 00 00 00 00 00 00 00 01 00", 0, "", "");
    a = ask(rig->s, "2a 00 00 00 00 00 00 00 01 00");
    assert_int_equal(a.error, EPERM);
    assert_non_null(a.refused);
}

static void measures_by_device_method_and_block(void **state)
{
    struct rig *rig = *state;
    struct measurement kept = { 0, "0:0:2:0", "read-buffer", 65536, 16777216, 58000, 900, 2 };
    struct measure_request asked = { "0:0:2:0", "read-buffer", 65536, 1, 1, 0 };
    struct measurement m;

    assert_int_equal(store_put_measure(rig->store, &kept), 0);
    assert_int_equal(source_measure(rig->s, &asked, &m), 0);
    assert_int_equal(m.error, 0);
    assert_int_equal(m.bytes, 16777216);
    assert_int_equal(m.us, 58000);
    assert_int_equal(m.cpu_us, 900);
    assert_int_equal(m.depth, 2);
    asked.block_bytes = 4096;
    assert_int_equal(source_measure(rig->s, &asked, &m), 0);
    assert_int_equal(m.error, ENODATA);
    asked = (struct measure_request){ "0:0:2:0", "read-media", 65536, 1, 1, 0 };
    assert_int_equal(source_measure(rig->s, &asked, &m), 0);
    assert_int_equal(m.error, ENODATA);
    asked = (struct measure_request){ "0:0:3:0", "read-buffer", 65536, 1, 1, 0 };
    assert_int_equal(source_measure(rig->s, &asked, &m), 0);
    assert_int_equal(m.error, ENODATA);
}

static void measures_in_turn_where_no_device_is_named(void **state)
{
    struct rig *rig = *state;
    struct measurement first = { 0, "0:0:2:0", "read-buffer", 65536, 16777216, 58000, 900, 2 },
                       second = { 0, "0:0:3:0", "read-media", 4096, 4096, 100, 1, 1 };
    struct measure_request asked = { .nth = 1 };
    struct measurement m;

    assert_int_equal(store_put_measure(rig->store, &first), 0);
    assert_int_equal(store_put_measure(rig->store, &second), 0);
    assert_int_equal(source_measure(rig->s, &asked, &m), 0);
    assert_int_equal(m.error, 0);
    assert_string_equal(m.hctl, "0:0:3:0");
    assert_string_equal(m.method, "read-media");
    assert_int_equal(m.block_bytes, 4096);
    asked.nth = 2;
    assert_int_equal(source_measure(rig->s, &asked, &m), 0);
    assert_int_equal(m.error, ENODATA);
}

static void properties_and_clock(void **state)
{
    struct rig *rig = *state;
    struct bytes path = { (const uint8_t *)"/sys/devices/x/sda", 18 };
    struct taken t = { 17, 4, "6.1", "x86_64", "host-1", true }, got;
    struct value v;

    assert_int_equal(store_put_prop(rig->store, path, hex("41 42"), hex("31 32"), NULL), 0);
    assert_int_equal(source_prop(rig->s, "/sys/devices/x/sda", "AB", &v), 0);
    assert_string_equal((const char *)v.bytes.data, "12");
    assert_int_equal(source_prop(rig->s, "/sys/devices/x/sda", "ABC", &v), 0);
    assert_int_equal(v.error, ENOENT);
    assert_int_equal(source_prop(rig->s, "/sys/devices/x", "sda", &v), 0);
    assert_int_equal(v.error, ENOENT);
    assert_int_equal(source_read(rig->s, "/sys/devices/x/sda/AB", 10, &v), 0);
    assert_int_equal(v.error, ENOENT);
    assert_int_equal(store_set_taken(rig->store, &t), 0);
    assert_int_equal(source_now(rig->s, &got), 0);
    assert_int_equal(got.wall_us, 17);
    assert_int_equal(got.mono_us, 4);
    assert_string_equal(got.kernel, "6.1");
    assert_string_equal(got.machine, "x86_64");
    assert_string_equal(got.hostname, "host-1");
    assert_true(got.scrubbed);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_not_recorded_is_enodata),
        TEST(inquiry_is_matched_by_evpd_and_page),
        TEST(allocation_cuts_and_leaves_a_residual),
        TEST(mode_sense_is_converted),
        TEST(odd_mode_data_is_converted_without_harm),
        TEST(log_sense_is_matched_by_control_and_page),
        TEST(read_buffer_is_matched_by_mode_id_and_offset),
        TEST(other_commands),
        TEST(the_longest_of_several_answers),
        TEST(refused_above),
        TEST(data_wins_over_refusals),
        TEST(unit_attentions_are_used_up),
        TEST(all_of_an_answer_is_given),
        TEST(what_writes_is_refused_though_recorded),
        TEST(measures_by_device_method_and_block),
        TEST(measures_in_turn_where_no_device_is_named),
        TEST(properties_and_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
