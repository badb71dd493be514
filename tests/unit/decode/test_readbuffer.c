/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include <errno.h>

#include "decode/readbuffer.h"
#include "exact.h"

static void reads_the_descriptor(void **state)
{
    uint8_t data[] = { 0x09, 0x01, 0x02, 0x03 };
    struct readbuffer b;

    (void)state;
    assert_int_equal(readbuffer_decode(BYTES(data), &b), 0);
    assert_false(b.only_offset_0);
    assert_int_equal(b.boundary, 9);
    assert_int_equal(b.capacity, 0x010203);
    data[0] = 0xff;
    assert_int_equal(readbuffer_decode(BYTES(data), &b), 0);
    assert_true(b.only_offset_0);
    assert_int_equal(b.boundary, 0);
    data[1] = data[2] = data[3] = 0;
    assert_int_equal(readbuffer_decode(BYTES(data), &b), -ENODATA);
    assert_int_equal(readbuffer_decode((struct bytes){ data, 3 }, &b), -EBADMSG);
}

static void the_echo_buffer_has_13_bits(void **state)
{
    uint8_t data[] = { 0xff, 0xff, 0xff, 0xfc };
    uint16_t capacity;

    (void)state;
    assert_int_equal(readbuffer_echo_capacity(BYTES(data), &capacity), 0);
    assert_int_equal(capacity, 0x1ffc);
    data[2] = 0xe0;
    data[3] = 0;
    assert_int_equal(readbuffer_echo_capacity(BYTES(data), &capacity), -ENODATA);
    for (size_t len = 0; len < 4; len++) {
        _cleanup_exact_ struct bytes b = exact(data, len);

        assert_int_equal(readbuffer_echo_capacity(b, &capacity), -EBADMSG);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_descriptor),
        cmocka_unit_test(the_echo_buffer_has_13_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
