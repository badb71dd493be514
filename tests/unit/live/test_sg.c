/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a command's outcome means: how much of the buffer is data. (Sending one needs a device.)
 */
#include "../cmocka_all.h"

#include <limits.h>
#include <string.h>

#include "live/live_sg.h"

static const uint8_t ROOM[36] = "thirty-five bytes that a device sent";

#define FIXED(key)                                      \
    {                                                   \
        (const uint8_t *)"\x70\0" key "\0\0\0\0\x0a", 8 \
    }
#define DESCRIPTOR(key)                               \
    {                                                 \
        (const uint8_t *)"\x72" key "\0\0\0\0\0\0", 8 \
    }

static const struct {
    struct live_sg_outcome outcome;
    size_t data; /* how many bytes of the room */
} ROWS[] = {
    { { .status = 0 }, 36 },
    { { .status = 0, .residual = 31 }, 5 },
    { { .status = 0, .residual = 36 }, 0 },
    /* Residuals that cannot be. */
    { { .status = 0, .residual = 37 }, 0 },
    { { .status = 0, .residual = INT_MAX }, 0 },
    { { .status = 0, .residual = -1 }, 36 },
    { { .status = 0, .residual = INT_MIN }, 36 },
    /* Data with sense: after success only. */
    { { .status = 2, .sense = FIXED("\x05") }, 0 },
    { { .status = 2, .sense = FIXED("\x06") }, 0 },
    { { .status = 2, .residual = 4, .sense = FIXED("\x01") }, 32 },
    { { .status = 2, .sense = FIXED("\x00") }, 36 },
    { { .status = 2, .sense = DESCRIPTOR("\x01") }, 36 },
    { { .status = 2, .sense = DESCRIPTOR("\x05") }, 0 },
    { { .status = 2 }, 0 },
    { { .status = 0, .sense = FIXED("\x01") }, 36 },
    /* Other statuses, and commands that did not get through. */
    { { .status = 8 }, 0 },
    { { .status = 0x18 }, 0 },
    { { .status = 0, .host_status = 3 }, 0 },
    { { .status = 0, .driver_failed = true }, 0 },
};

static void data_by_outcome(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct bytes room = { ROOM, sizeof(ROOM) };
        struct answer a = live_sg_answer(&ROWS[i].outcome, room);

        if (a.data.len != ROWS[i].data)
            print_error("row %zu: %zu bytes, not %zu\n", i, a.data.len, ROWS[i].data);
        assert_int_equal(a.data.len, ROWS[i].data);
        assert_int_equal(a.residual + a.data.len, room.len);
        assert_int_equal(a.status, ROWS[i].outcome.status);
        assert_int_equal(a.host_status, ROWS[i].outcome.host_status);
        assert_int_equal(a.driver_status != 0, ROWS[i].outcome.driver_failed);
        assert_int_equal(a.error, 0);
        assert_ptr_equal(a.sense.data, ROWS[i].outcome.sense.data);
    }
}

/* Without room there is no data, whatever the residual. */
static void no_room_no_data(void **state)
{
    struct live_sg_outcome outcome = { .residual = 4 };
    struct answer a = live_sg_answer(&outcome, (struct bytes){ 0 });

    (void)state;
    assert_int_equal(a.data.len, 0);
    assert_int_equal(a.residual, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_by_outcome),
        cmocka_unit_test(no_room_no_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
