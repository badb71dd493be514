/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of the daemon that the user has asked for, and what goes wrong with them (ask.h).
 */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "ctl/ask.h"

uint64_t ask_patience_us(const struct request *request)
{
    return request->patience_of_daemon_s * UINT64_C(1000000);
}

void ask_say_failure(const struct request *request, int error)
{
    const char *why = client_failure(error);

    if (why)
        say("hbad %s (%s)", why, request->socket);
    else
        say("%s: %s", request->socket, strerror(-error));
}

/* Sentences for the errors that say all with their name. */
static const struct {
    const char *error, *sentence;
} SENTENCES[] = {
    { "io.hbad.monitor.NotReady", "hbad has just been started, and has read nothing yet" },
    { "io.hbad.monitor.Overrun", "hbad told more than could be taken in time, and gave up" },
    { "org.varlink.service.PermissionDenied",
      "only root and members of the group hbad may have hbad do that" },
    { "org.varlink.service.MethodNotFound",
      "the hbad that runs is another version, and cannot do that" },
    { "org.varlink.service.InterfaceNotFound", "what listens there is not hbad" },
    { "org.varlink.service.InvalidParameter",
      "the hbad that runs is another version, and does not understand that" },
};

void ask_say_error(const struct varlink_reply *reply)
{
    for (size_t i = 0; i < ELEMENTS(SENTENCES); i++)
        if (text_same(SENTENCES[i].error, reply->error)) {
            say("%s", SENTENCES[i].sentence);
            return;
        }
    say("hbad answers with an error: %s", reply->error);
}

struct client *ask_connect(const struct request *request)
{
    struct client *client;
    int r = client_open(request->socket, request->patience_of_daemon_s, &client);

    if (r == 0)
        return client;
    ask_say_failure(request, r);
    return NULL;
}

int ask_call(const struct request *request, struct client *client, const char *method,
             const char *parameters, struct arena *arena, struct varlink_reply *ret)
{
    int r = client_call(client, method, parameters, false);

    if (r == 0)
        r = client_reply(client, ask_patience_us(request), arena, ret);
    if (r < 0)
        ask_say_failure(request, r);
    return r;
}

/* ---- JSON ---- */

/* The end of a string that begins there, behind its quotes. */
static size_t end_of_string(struct bytes json, size_t i)
{
    for (i++; i < json.len && json.data[i] != '"'; i++)
        i += json.data[i] == '\\';
    return i + 1;
}

/* Has an object nothing in it that has something in it? Then it stays on one line. */
static bool is_flat(struct bytes json, size_t i)
{
    if (json.data[i] != '{')
        return false;
    for (i++; i < json.len; i++) {
        if (json.data[i] == '"')
            i = end_of_string(json, i) - 1;
        else if (strchr("{[", json.data[i]))
            return false;
        else if (json.data[i] == '}')
            return true;
    }
    return false;
}

struct layout {
    FILE *out;
    unsigned depth;
    bool is_flat; /* within an object that stays on one line */
};

static void new_line(const struct layout *l)
{
    if (!l->is_flat)
        fprintf(l->out, "\n%*s", (int)l->depth * 2, "");
}

/* One sign outside of strings. `next` is the one behind it. */
static void put_sign(struct layout *l, struct bytes json, size_t i)
{
    const uint8_t c = json.data[i], next = bytes_at(json, i + 1);
    bool closes = c == '}' || c == ']', opens = c == '{' || c == '[';

    if (closes)
        l->depth--;
    if (closes && json.data[i - 1] != '{' && json.data[i - 1] != '[')
        new_line(l);
    putc_unlocked(c, l->out);
    if (opens) {
        l->depth++;
        l->is_flat = is_flat(json, i);
    }
    if ((opens && next != '}' && next != ']') || c == ',')
        new_line(l);
    if (c == ':' || (c == ',' && l->is_flat))
        putc_unlocked(' ', l->out);
    if (closes)
        l->is_flat = false;
}

void ask_print_json(const struct request *request, struct bytes json)
{
    struct layout l = { .out = request->out };

    if (request->json != JSON_PRETTY) {
        fwrite_unlocked(json.data, 1, json.len, request->out);
        putc_unlocked('\n', request->out);
        return;
    }
    for (size_t i = 0, end; i < json.len; i = end) {
        end = json.data[i] == '"' ? end_of_string(json, i) : i + 1;
        if (json.data[i] == '"')
            fwrite_unlocked(json.data + i, 1, end - i, request->out);
        else if (!strchr(" \t\r\n", json.data[i]))
            put_sign(&l, json, i);
    }
    putc_unlocked('\n', request->out);
}
