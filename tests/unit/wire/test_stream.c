/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A collector's stream as it comes: cut anywhere, broken off, wrong, hanging at a device.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "wire/stream.h"

static const char HOSTS[] = "{\"hbad-capture\":1,\"dirs\":{\"/sys/a\":{\"b\":\"1\\n\"}}}";
static const char ASKING[] =
    "{\"hbad-capture\":1,\"at\":{\"device\":\"0:0:2:0\",\"cdb\":\"12 00 00 00 24 00\"}}";
static const char END[] = "{\"hbad-capture\":1,\"end\":true}";

/* Puts bytes in, in pieces. Returns the last thing that capture_stream_take() or …_room() said. */
static int feed(struct capture_stream *s, const char *text, size_t len, size_t piece)
{
    int r = 0;

    while (len) {
        uint8_t *at;
        int64_t room = capture_stream_room(s, &at);
        size_t n = piece < len ? piece : len;

        if (room < 0)
            return (int)room;
        n = n < (size_t)room ? n : (size_t)room;
        memcpy(at, text, n);
        r = capture_stream_take(s, n);
        if (r < 0)
            return r;
        text += n;
        len -= n;
    }
    return r;
}

static void test_whole(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 200; piece += 7) {
        _cleanup_(store_freep) struct store *store = store_new();
        struct capture_stream s = capture_stream(store);

        assert_int_equal(feed(&s, HOSTS, sizeof(HOSTS), piece), 1);
        assert_true(s.has_sent);
        assert_int_equal(feed(&s, ASKING, sizeof(ASKING), piece), 1);
        assert_string_equal(s.at, "0:0:2:0");
        assert_int_equal(s.cdb_len, 6);
        assert_false(s.complete);
        assert_int_equal(feed(&s, END, sizeof(END), piece), 1);
        assert_true(s.complete);
        assert_null(s.at);
        assert_int_equal(capture_stream_unanswered(&s), 0);
        assert_int_equal(store_commands(store), 0);
        assert_int_not_equal(store_resolve(store, "/sys/a/b", true), STORE_NO_NODE);
        capture_stream_done(&s);
    }
}

/* The device that it hangs at gets the answer that there was none. */
static void test_unanswered(void **state)
{
    _cleanup_(store_freep) struct store *store = store_new();
    struct capture_stream s = capture_stream(store);

    (void)state;
    feed(&s, HOSTS, sizeof(HOSTS), 64);
    feed(&s, ASKING, sizeof(ASKING), 64);
    assert_int_equal(capture_stream_unanswered(&s), 0);
    assert_int_equal(store_commands(store), 1);
    assert_int_equal(store_command_at(store, 0).error, ETIMEDOUT);
    assert_string_equal(store_command_at(store, 0).hctl, "0:0:2:0");
    capture_stream_done(&s);
}

/* White space is no sign of life. */
static void test_says_nothing(void **state)
{
    _cleanup_(store_freep) struct store *store = store_new();
    struct capture_stream s = capture_stream(store);

    (void)state;
    assert_int_equal(feed(&s, " \n\t ", 4, 4), 0);
    assert_int_equal(feed(&s, "{", 1, 1), 1);
    capture_stream_done(&s);
}

static void test_wrong(void **state)
{
    static const struct {
        const char *text, *wrong;
    } TEXTS[] = {
        { "", "top level" },
        { "{}", "hbad-capture" },
        { "{\"hbad-capture\":2}", "hbad-capture" },
        { "{\"hbad-capture\":1,\"dirs\":{", "the text breaks off" },
        { "{\"hbad-capture\":1,\"dirs\":{\"sys\":{\"a\":\"b\"}}}", "dirs.sys" },
        { "{\"hbad-capture\":1,\"at\":{\"device\":\"0:0:):0\",\"cdb\":\"12 00\"}}",
          "at.device: no H:C:T:L" },
        { "HTTP/1.1 400 Bad Request", "" },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++) {
        _cleanup_(store_freep) struct store *store = store_new();
        struct capture_stream s = capture_stream(store);

        assert_int_equal(feed(&s, HOSTS, sizeof(HOSTS), 64), 1);
        assert_int_equal(feed(&s, TEXTS[i].text, strlen(TEXTS[i].text) + 1, 64), -EBADMSG);
        assert_non_null(strstr(s.wrong, TEXTS[i].wrong));
        /* What came before it is in the store. */
        assert_int_not_equal(store_resolve(store, "/sys/a/b", true), STORE_NO_NODE);
        capture_stream_done(&s);
    }
}

/* A stream without end is left at the bound, in one message or in many. */
static void test_bounded(void **state)
{
    enum { PIECE = 1024 * 1024 };
    _cleanup_free_ char *blanks = malloc(PIECE);

    (void)state;
    memset(blanks, ' ', PIECE);
    for (unsigned with_ends = 0; with_ends < 2; with_ends++) {
        _cleanup_(store_freep) struct store *store = store_new();
        struct capture_stream s = capture_stream(store);
        int r = 1;

        s.frames.limit = 8 * PIECE; /* of one message; so that it does not take long */
        s.bytes = CAPTURE_STREAM_MAX - 16 * (uint64_t)PIECE;
        if (with_ends)
            memcpy(blanks + PIECE - sizeof(HOSTS), HOSTS, sizeof(HOSTS));
        for (unsigned i = 0; i < 20 && r >= 0; i++)
            r = feed(&s, blanks, PIECE, PIECE);
        assert_int_equal(r, -EMSGSIZE);
        assert_true(s.bytes <= CAPTURE_STREAM_MAX + (uint64_t)PIECE);
        capture_stream_done(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),        cmocka_unit_test(test_unanswered),
        cmocka_unit_test(test_says_nothing), cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
