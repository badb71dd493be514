/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ledger of what was sent: each command that went out once, and none that did not.
 */
#include "captures.h"

#include <stdlib.h>

#include "diagnose/ledger.h"

struct ledger {
    struct counting machine;
    struct report *report;
};

static void put(struct ledger *l, const char *hctl, uint8_t opcode, int error, size_t bytes)
{
    static const uint8_t DATA[64];
    struct store_command c = { .hctl = hctl,
                               .cdb = { (const uint8_t[]){ opcode, 0, 0, 0, 0, 0 }, 6 },
                               .error = error,
                               .data = { DATA, bytes } };

    assert_int_equal(store_put_command(l->machine.store, &c), 0);
}

static void put_measure(struct ledger *l, const char *method, uint64_t commands, uint64_t bytes,
                        int error)
{
    struct measurement m = { .hctl = "0:0:9:0",
                             .method = method,
                             .error = error,
                             .block_bytes = 1000,
                             .bytes = bytes,
                             .us = 1000,
                             .depth = 1,
                             .commands = commands };

    assert_int_equal(store_put_measure(l->machine.store, &m), 0);
}

static const struct sent *sent(const struct ledger *l, const char *hctl, const char *operation)
{
    const struct sent *found = NULL;

    for (size_t i = 0; i < l->report->sent.n; i++)
        if (strcmp(l->report->sent.v[i].hctl, hctl) == 0 &&
            strcmp(l->report->sent.v[i].operation, operation) == 0) {
            assert_null(found); /* each once */
            found = &l->report->sent.v[i];
        }
    return found;
}

static void begin(struct ledger *l)
{
    counting_open(&l->machine, "spi-initiator-320-target-160", false);
    assert_int_equal(
        diagnose(&l->machine.source, &(struct diagnose_options){ .level = LEVEL_ALL }, &l->report),
        0);
}

static void end(struct ledger *l)
{
    report_free(l->report);
    counting_done(&l->machine);
}

static void counts_what_went_out(void **state)
{
    struct ledger l;

    (void)state;
    begin(&l);
    put(&l, "0:0:9:0", OP_INQUIRY, 0, 36);
    put(&l, "0:0:10:0", OP_LOG_SENSE, 0, 10);
    put(&l, "0:0:9:0", OP_INQUIRY, EACCES, 0);
    put(&l, "0:0:9:0", OP_INQUIRY, ETIMEDOUT, 0);
    put(&l, "0:0:9:0", 0xff, 0, 4);
    put_measure(&l, "read-buffer", 0, 2500, 0);
    put_measure(&l, "read-buffer/sg-mmap", 10, 10000, 0);
    put_measure(&l, "read-cached/sg", 7, 3000, EIO);
    put_measure(&l, "read-media/sg", 0, 0, EPERM);
    assert_int_equal(
        store_put_measure(l.machine.store, &(struct measurement){ .hctl = "0:0:8:0",
                                                                  .method = "read-cached/sg",
                                                                  .block_bytes = 1000,
                                                                  .bytes = 5000,
                                                                  .us = 1,
                                                                  .commands = 5,
                                                                  .retries = 1,
                                                                  .asked = 2,
                                                                  .beside = 1 }),
        0);
    put_measure(&l, "read-media/bsg", UINT64_MAX, UINT64_MAX, 0); /* more than there can be */
    assert_int_equal(ledger_take(l.machine.store, l.report), 0);
    assert_true(sent(&l, "0:0:9:0", "READ")->count == UINT64_MAX);
    assert_int_equal(sent(&l, "0:0:8:0", "READ")->count, 6);
    assert_int_equal(sent(&l, "0:0:8:0", "READ CAPACITY")->count, 2);
    assert_int_equal(sent(&l, "0:0:9:0", "INQUIRY")->count, 2);
    assert_int_equal(sent(&l, "0:0:9:0", "INQUIRY")->bytes, 36);
    assert_int_equal(sent(&l, "0:0:10:0", "LOG SENSE")->count, 1);
    assert_int_equal(sent(&l, "0:0:9:0", "READ BUFFER(10)")->count, 13);
    assert_int_equal(sent(&l, "0:0:9:0", "READ BUFFER(10)")->bytes, 12500);
    assert_null(sent(&l, "0:0:9:0", "READ")->device); /* the report has none */
    assert_non_null(sent(&l, "0:0:0:0", "INQUIRY")->device);
    end(&l);
}

static void in_order(void **state)
{
    struct ledger l;

    (void)state;
    begin(&l);
    put(&l, "0:0:10:0", OP_INQUIRY, 0, 36);
    put(&l, "0:0:9:0", OP_REQUEST_SENSE, 0, 18);
    put(&l, "0:0:9:0", OP_INQUIRY, 0, 36);
    assert_int_equal(ledger_take(l.machine.store, l.report), 0);
    assert_true(l.report->sent.n > 4);
    for (size_t i = 1; i < l.report->sent.n; i++) {
        const struct sent *a = &l.report->sent.v[i - 1], *b = a + 1;
        int order = strverscmp(a->hctl, b->hctl);

        assert_true(order < 0 || (order == 0 && strcmp(a->operation, b->operation) < 0));
    }
    assert_string_equal(l.report->sent.v[l.report->sent.n - 1].hctl, "0:0:10:0");
    end(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_what_went_out),
        cmocka_unit_test(in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
