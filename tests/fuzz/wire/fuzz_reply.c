/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as what a service answers.
 *
 * What must hold: a reply's parameters are an object within its text, and so is every value in it; what was taken as an
 * array or an object once is read the same way again.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "wire/reply.h"

#define MUST(condition)                 \
    do {                                \
        if (!(condition))               \
            fail(#condition, __LINE__); \
    } while (0)

_Noreturn static void fail(const char *what, int line)
{
    fprintf(stderr, "line %d: not so: %s\n", line, what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(struct bytes value, struct bytes within, unsigned depth);

struct walk {
    struct bytes within;
    unsigned depth;
};

static int on_element(void *userdata, struct bytes element)
{
    const struct walk *w = userdata;

    MUST(element.len > 0);
    check_value(element, w->within, w->depth + 1);
    return 0;
}

static int on_member(void *userdata, struct bytes name, struct bytes value)
{
    const struct walk *w = userdata;

    (void)name;
    if (value.len)
        check_value(value, w->within, w->depth + 1);
    return 0;
}

static void check_value(struct bytes value, struct bytes within, unsigned depth)
{
    enum { DEEP_ENOUGH = 3 }; /* each level reads all of it again */
    struct walk w = { value, depth };
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    const char *text = NULL;
    uint64_t n;

    MUST(value.data >= within.data && value.data + value.len <= within.data + within.len);
    if (depth > DEEP_ENOUGH)
        return;
    MUST((varlink_elements(value, on_element, &w) == 0) == (value.data[0] == '['));
    MUST((varlink_each_member(value, on_member, &w) == 0) == (value.data[0] == '{'));
    if (varlink_string(value, arena, &text) == 0)
        MUST(value.data[0] == '"' && text && strlen(text) <= value.len);
    if (varlink_count(value, &n) == 0)
        MUST(n <= INT64_MAX && (n == 0 || (value.data[0] >= '1' && value.data[0] <= '9')));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes text = { data, size };
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct varlink_reply reply;
    int r = varlink_parse_reply(text, arena, &reply);

    MUST(r == 0 || r == -EBADMSG);
    if (r == 0 && reply.parameters.len) {
        MUST(reply.parameters.data[0] == '{');
        check_value(reply.parameters, text, 0);
    }
    return 0;
}
