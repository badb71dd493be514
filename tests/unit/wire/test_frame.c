/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages out of a byte stream, however it is cut.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "wire/frame.h"

/* Puts the bytes in, in pieces of at most `piece`; returns what frames_room() said at the end. */
static int64_t feed(struct frames *f, const char *text, size_t len, size_t piece)
{
    uint8_t *at;

    while (len) {
        int64_t room = frames_room(f, &at);
        size_t n = piece < len ? piece : len;

        if (room < 0)
            return room;
        if (n > (size_t)room)
            n = (size_t)room;
        memcpy(at, text, n);
        frames_added(f, n);
        text += n;
        len -= n;
    }
    return 0;
}

static void assert_next(struct frames *f, const char *text)
{
    struct bytes message;

    assert_int_equal(frames_next(f, &message), 1);
    assert_int_equal(message.len, strlen(text));
    assert_memory_equal(message.data, text, message.len);
}

static void test_several_at_once(void **state)
{
    static const char TEXT[] = "one\0\0three\0fo";
    struct frames f = frames(16);
    struct bytes message;

    (void)state;
    assert_int_equal(feed(&f, TEXT, sizeof(TEXT) - 1, 64), 0);
    assert_next(&f, "one");
    assert_next(&f, "");
    assert_next(&f, "three");
    assert_int_equal(frames_next(&f, &message), 0);
    assert_true(frames_is_partial(&f));
    assert_int_equal(feed(&f, "ur", 3, 64), 0);
    assert_next(&f, "four");
    assert_int_equal(frames_next(&f, &message), 0);
    assert_false(frames_is_partial(&f));
    assert_null(f.buffer); /* one that says nothing costs nothing */
    frames_done(&f);
}

static void test_byte_by_byte(void **state)
{
    static const char TEXT[] = "{\"method\":\"a.B\"}";
    struct frames f = frames(sizeof(TEXT));
    struct bytes message;

    (void)state;
    for (size_t i = 0; i < sizeof(TEXT); i++) {
        assert_int_equal(frames_next(&f, &message), 0);
        assert_int_equal(feed(&f, TEXT + i, 1, 1), 0);
    }
    assert_next(&f, TEXT);
    frames_done(&f);
}

/* A message of just the limit passes, one byte more does not; nor does one that never ends, or that comes with others. */
static void test_limit(void **state)
{
    char text[5000];
    struct bytes message;

    (void)state;
    memset(text, 'x', sizeof(text));
    for (size_t limit = 4990; limit < 5005; limit++) {
        struct frames f = frames(limit);
        int64_t r = feed(&f, text, sizeof(text), 777);

        if (r == 0)
            r = frames_next(&f, &message);
        if (r == 0)
            r = feed(&f, "", 1, 1); /* the NUL */
        if (r == 0)
            r = frames_next(&f, &message);
        assert_int_equal(r, limit < sizeof(text) ? -EMSGSIZE : 1);
        if (r == 1)
            assert_int_equal(message.len, sizeof(text));
        else
            assert_int_equal(frames_next(&f, &message), -EMSGSIZE); /* and stays so */
        frames_done(&f);
    }
}

static void test_too_long_behind_others(void **state)
{
    struct frames f = frames(4);
    struct bytes message;

    (void)state;
    assert_int_equal(feed(&f, "a", 2, 8), 0);
    assert_next(&f, "a");
    assert_int_equal(frames_next(&f, &message), 0);
    assert_int_equal(feed(&f, "12345", 5, 8), 0);
    assert_int_equal(frames_next(&f, &message), -EMSGSIZE);
    frames_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_several_at_once),
        cmocka_unit_test(test_byte_by_byte),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_too_long_behind_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
