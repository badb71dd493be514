/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * org.varlink.certification, the interface by which implementations of Varlink are tried against each other:
 *
 *   certification server SOCKET   serves it by lib/wire, as hbad serves its own, until End was called; says what was wrong
 *   certification client SOCKET   calls it as hbactl calls hbad
 *
 * What each reply gives is what the next call is to bring back. Exit status 0 where all did.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "ctl/client.h"
#include "wire/frame.h"
#include "wire/service.h"

#define INTERFACE "org.varlink.certification"
#define PI        "3.141592653589793"

enum { TEST10_REPLIES = 10 };

/* The interface as varlink.org has it; methods by their names only, since who is tried has it, too. */
static const char DESCRIPTION[] = "interface " INTERFACE "\n";
static const struct varlink_interface INTERFACES[] = {
    { INTERFACE, DESCRIPTION, (const struct varlink_method[]){ { 0 } } },
    { 0 },
};
static const struct varlink_service SERVICE = { "hbad", "certification", "1", "", INTERFACES };

/* What a method takes besides client_id, and what it gives. */
static const struct {
    const char *method, *takes, *gives;
    bool is_oneway;
} TESTS[] = {
    { "Start", NULL, "{\"client_id\": \"a client\"}", false },
    { "Test01", "{}", "{\"bool\": true}", false },
    { "Test02", "{\"bool\": true}", "{\"int\": 1}", false },
    { "Test03", "{\"int\": 1}", "{\"float\": 1.0}", false },
    { "Test04", "{\"float\": 1.0}", "{\"string\": \"ping\"}", false },
    { "Test05", "{\"string\": \"ping\"}",
      "{\"bool\": false, \"int\": 2, \"float\": " PI ", \"string\": \"a lot of string\"}", false },
    { "Test06", "{\"bool\": false, \"int\": 2, \"float\": " PI ", \"string\": \"a lot of string\"}",
      "{\"struct\": {\"bool\": false, \"int\": 2, \"float\": " PI
      ", \"string\": \"a lot of string\"}}",
      false },
    { "Test07",
      "{\"struct\": {\"bool\": false, \"int\": 2, \"float\": " PI
      ", \"string\": \"a lot of string\"}}",
      "{\"map\": {\"bar\": \"Bar\", \"foo\": \"Foo\"}}", false },
    { "Test08", "{\"map\": {\"bar\": \"Bar\", \"foo\": \"Foo\"}}",
      "{\"set\": {\"one\": {}, \"two\": {}, \"three\": {}}}", false },
#define MYTYPE                                                                                  \
    "{\"mytype\": {\"object\": {\"method\": \"" INTERFACE                                       \
    ".Test09\", \"parameters\": {\"map\": {\"foo\": \"Foo\", \"bar\": \"Bar\"}}},"              \
    "\"enum\": \"two\", \"struct\": {\"first\": 1, \"second\": \"2\"}, \"array\": [\"one\","    \
    "\"two\", \"three\"], \"dictionary\": {\"foo\": \"Foo\", \"bar\": \"Bar\"}, \"stringset\":" \
    "{\"one\": {}, \"two\": {}, \"three\": {}}, \"nullable\": null, \"nullable_array_struct\":" \
    "null, \"interface\": {\"foo\": [null, {\"foo\": \"foo\", \"bar\": \"bar\"}, null,"         \
    "{\"one\": \"foo\", \"two\": \"bar\"}], \"anon\": {\"foo\": true, \"bar\": false}}}}"
    { "Test09", "{\"set\": {\"one\": {}, \"two\": {}, \"three\": {}}}", MYTYPE, false },
    { "Test10", MYTYPE, NULL, false },
    { "Test11", NULL, "{}", true },
    { "End", "{}", "{\"all_ok\": true}", false },
};

static void fail(const char *what, const char *about)
{
    fprintf(stderr, "certification: %s: %s\n", what, about);
    exit(1);
}

/* ---- the server ---- */

/* Does every member of `a` that is not null have the same value in `b`, and the other way round? One that is null is as good as
 * one that is not there. */
static bool has_same_members(json_t *a, json_t *b, bool (*is_same)(json_t *a, json_t *b))
{
    for (void *i = json_object_iter(a); i; i = json_object_iter_next(a, i))
        if (!json_is_null(json_object_iter_value(i)) &&
            !is_same(json_object_iter_value(i), json_object_get(b, json_object_iter_key(i))))
            return false;
    for (void *i = json_object_iter(b); i; i = json_object_iter_next(b, i))
        if (!json_is_null(json_object_iter_value(i)) &&
            !json_object_get(a, json_object_iter_key(i)))
            return false;
    return true;
}

/* The same value; 1 is 1.0. */
static bool is_same(json_t *a, json_t *b)
{
    if (json_is_number(a) && json_is_number(b))
        return json_number_value(a) == json_number_value(b);
    if (json_is_array(a) && json_is_array(b) && json_array_size(a) == json_array_size(b)) {
        for (size_t i = 0; i < json_array_size(a); i++)
            if (!is_same(json_array_get(a, i), json_array_get(b, i)))
                return false;
        return true;
    }
    if (!json_is_object(a) || !json_is_object(b))
        return json_equal(a, b);
    return has_same_members(a, b, is_same);
}

static json_t *load(struct bytes text)
{
    return text.len ? json_loadb((const char *)text.data, text.len, 0, NULL) : json_object();
}

static json_t *replies_of_test10(void)
{
    json_t *replies = json_array();

    for (int i = 1; i <= TEST10_REPLIES; i++) {
        char text[32];

        snprintf(text, sizeof(text), "Reply number %d", i);
        json_array_append_new(replies, json_string(text));
    }
    return json_pack("{so}", "last_more_replies", replies);
}

static bool is_right(size_t test, const struct varlink_call *call)
{
    const char *takes = TESTS[test].takes;
    json_t *is = load(call->parameters), *want = takes ? json_loads(takes, 0, NULL) : json_object();
    bool is_right;

    if (strcmp(TESTS[test].method, "Test11") == 0) {
        json_decref(want);
        want = replies_of_test10();
    }
    if (test != 0)
        json_object_set_new(want, "client_id", json_string("a client"));
    is_right = is && is_same(want, is) && call->oneway == TESTS[test].is_oneway &&
               call->more == (strcmp(TESTS[test].method, "Test10") == 0);
    json_decref(is);
    json_decref(want);
    return is_right;
}

static void put_reply(FILE *out, const char *parameters, bool continues)
{
    varlink_begin(out);
    fputs(parameters, out);
    varlink_end(out, NULL, continues);
}

/* Answers a call of the interface. Returns which it was. */
static size_t answer_test(const struct varlink_call *call, FILE *out)
{
    const char *method = call->method + strlen(INTERFACE ".");
    size_t i = 0;

    while (i < ELEMENTS(TESTS) && strcmp(TESTS[i].method, method) != 0)
        i++;
    if (i == ELEMENTS(TESTS))
        fail("no such method", call->method);
    if (!is_right(i, call))
        fail("not what it should bring", call->method);
    for (int k = 1; !TESTS[i].gives && k <= TEST10_REPLIES; k++) {
        char text[64];

        snprintf(text, sizeof(text), "{\"string\":\"Reply number %d\"}", k);
        put_reply(out, text, k < TEST10_REPLIES);
    }
    if (TESTS[i].gives)
        put_reply(out, TESTS[i].gives, false);
    return i;
}

/* Answers one message. Returns whether it was the last one. */
static bool answer(int fd, struct bytes message)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    _cleanup_free_ char *text = NULL;
    size_t len, test = 0;
    FILE *out = open_memstream(&text, &len);
    struct varlink_call call;
    const char *why = NULL;

    if (!arena || !out || varlink_parse(message, arena, &call, &why) < 0)
        fail("no call", why ? why : "out of memory");
    if (strncmp(call.method, INTERFACE ".", strlen(INTERFACE ".")) == 0)
        test = answer_test(&call, out);
    else if (varlink_serve(&SERVICE, &call, arena, NULL, out) < 0)
        fail("not served", call.method);
    fclose(out);
    for (size_t n = 0; !call.oneway && n < len;) {
        ssize_t sent = send(fd, text + n, len - n, MSG_NOSIGNAL);

        if (sent < 0)
            fail("send", strerror(errno));
        n += (size_t)sent;
    }
    return test == ELEMENTS(TESTS) - 1;
}

static int socket_at(const char *path, struct sockaddr_un *ret)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    *ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
    if (fd < 0 || strlen(path) >= sizeof(ret->sun_path))
        fail("socket", path);
    strcpy(ret->sun_path, path);
    return fd;
}

/* One connection; what comes byte by byte is no other. */
static int serve(const char *path)
{
    struct sockaddr_un address;
    int listener = socket_at(path, &address), fd;
    struct frames in = frames(65536);
    bool is_over = false;

    if (bind(listener, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(listener, 1) < 0)
        fail(path, strerror(errno));
    fd = accept(listener, NULL, NULL);
    while (!is_over) {
        struct bytes message;
        uint8_t *at;
        ssize_t n;

        if (frames_room(&in, &at) < 0)
            fail("frames", "no room");
        n = read(fd, at, 1);
        if (n <= 0)
            fail("the client", "went before End");
        frames_added(&in, (size_t)n);
        while (!is_over && frames_next(&in, &message) > 0)
            is_over = answer(fd, message);
    }
    frames_done(&in);
    close(fd);
    close(listener);
    return 0;
}

/* ---- the client ---- */

struct calling {
    const char *path;
    struct client *client;
    char *id;      /* of the client, as the server has it */
    char *brings;  /* the members of the last reply: the next call's arguments */
    char *replies; /* of Test10, as an array */
};

/* {"client_id": …, members}; to be freed. */
static char *arguments_of(const struct calling *c)
{
    char *text = NULL;

    if (asprintf(&text, "{\"client_id\":\"%s\"%s%s}", c->id, *c->brings ? "," : "", c->brings) < 0)
        fail("arguments", "out of memory");
    return text;
}

/* What is between the braces of an object. */
static char *members_of(struct bytes object)
{
    size_t n = object.len;

    if (n < 2)
        fail("reply", "no parameters");
    return strndup((const char *)object.data + 1, n - 2);
}

static void take_start(struct calling *c, struct bytes parameters, struct arena *arena)
{
    static const char *const NAMES[] = { "client_id" };
    struct bytes found = { 0 };
    const char *id = NULL;

    if (varlink_members(parameters, NAMES, 1, &found) < 0 ||
        varlink_string(found, arena, &id) < 0 || !id)
        fail("Start", "no client_id");
    c->id = strdup(id);
    c->brings = strdup("");
}

static bool take_reply(struct calling *c, const char *method, bool is_first)
{
    static const char *const STRING[] = { "string" }, *const ALL_OK[] = { "all_ok" };
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct varlink_reply reply;
    struct bytes found = { 0 };
    char *joined = NULL;

    if (client_reply(c->client, 10000000, arena, &reply) < 0 || reply.error)
        fail(method, reply.error ? reply.error : "no reply");
    if (strcmp(method, "Start") == 0) {
        take_start(c, reply.parameters, arena);
    } else if (strcmp(method, "Test10") == 0) {
        if (varlink_members(reply.parameters, STRING, 1, &found) < 0 ||
            asprintf(&joined, "%s%s%.*s", is_first ? "" : c->replies, is_first ? "" : ",",
                     (int)found.len, (const char *)found.data) < 0)
            fail(method, "no string");
        free(c->replies);
        c->replies = joined;
    } else if (strcmp(method, "End") == 0) {
        if (varlink_members(reply.parameters, ALL_OK, 1, &found) < 0 || found.len != 4)
            fail(method, "not all is well");
    } else {
        free(c->brings);
        c->brings = members_of(reply.parameters);
    }
    return reply.continues;
}

/* hbactl never calls without wanting an answer: so that is sent by hand, on a connection of its own. */
static void call_oneway(const struct calling *c)
{
    _cleanup_free_ char *text = NULL;
    struct sockaddr_un address;
    int fd = socket_at(c->path, &address),
        n = asprintf(&text,
                     "{\"method\":\"" INTERFACE ".Test11\",\"oneway\":true,\"parameters\":"
                     "{\"client_id\":\"%s\",\"last_more_replies\":[%s]}}",
                     c->id, c->replies);

    if (n < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        send(fd, text, (size_t)n + 1, MSG_NOSIGNAL) != n + 1 || shutdown(fd, SHUT_WR) < 0)
        fail("Test11", strerror(errno));
    if (read(fd, &n, 1) != 0) /* it ends, and no answer comes before */
        fail("Test11", "an answer to what wants none");
    close(fd);
}

static int call_all(const char *path)
{
    struct calling c = { .path = path };
    int n_replies = 0;

    if (client_open(path, 10, &c.client) < 0)
        fail(path, "nobody is there");
    for (size_t i = 0; i < ELEMENTS(TESTS); i++) {
        _cleanup_free_ char *method = NULL, *arguments = i ? arguments_of(&c) : NULL;
        bool more = strcmp(TESTS[i].method, "Test10") == 0, goes_on = true;

        if (TESTS[i].is_oneway) {
            call_oneway(&c);
            free(c.brings);
            c.brings = strdup("");
            continue;
        }
        if (asprintf(&method, INTERFACE ".%s", TESTS[i].method) < 0 ||
            client_call(c.client, method, arguments, more) < 0)
            fail(TESTS[i].method, "cannot be sent");
        for (int k = 0; goes_on; k++) {
            goes_on = take_reply(&c, TESTS[i].method, k == 0);
            n_replies += more;
        }
    }
    client_free(c.client);
    free(c.id);
    free(c.brings);
    free(c.replies);
    return n_replies == TEST10_REPLIES ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "server") == 0)
        return serve(argv[2]);
    if (argc == 3 && strcmp(argv[1], "client") == 0)
        return call_all(argv[2]);
    return 64;
}
