/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of the daemon that the user has asked for, and what goes wrong with them (ask.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ctl/ask.h"
#include "output/json_layout.h"

uint64_t ask_patience_us(const struct request *request)
{
    return request->patience_of_daemon_s * UINT64_C(1000000);
}

char *ask_failure(const struct request *request, int error)
{
    const char *why = varlink_failure(error);
    char *text;
    int r = why ? asprintf(&text, "hbad %s (%s)", why, request->socket)
                : asprintf(&text, "%s: %s", request->socket, strerror(-error));

    return r < 0 ? NULL : text;
}

void ask_say_failure(const struct request *request, int error)
{
    _cleanup_free_ char *text = ask_failure(request, error);

    say("%s", text ? text : "out of memory");
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

char *ask_error(const struct varlink_reply *reply)
{
    static const char *const NAMES[] = { "reason" };
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct bytes found = { 0 };
    const char *reason = NULL;
    char *text;

    if (text_same(reply->error, "io.hbad.monitor.NoHistory") && arena &&
        varlink_members(reply->parameters, NAMES, 1, &found) == 0 &&
        varlink_string(found, arena, &reason) == 0 && reason)
        return strdup(reason);
    for (size_t i = 0; i < ELEMENTS(SENTENCES); i++)
        if (text_same(SENTENCES[i].error, reply->error))
            return strdup(SENTENCES[i].sentence);
    return asprintf(&text, "hbad answers with an error: %s", reply->error) < 0 ? NULL : text;
}

void ask_say_error(const struct varlink_reply *reply)
{
    _cleanup_free_ char *text = ask_error(reply);

    say("%s", text ? text : "out of memory");
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

int ask_gave_up(const struct request *request, int error)
{
    ask_say_failure(request, error);
    return request->daemon ? error : 0;
}

int ask_try_connect(const struct request *request, struct client **ret)
{
    int r;

    if (ask_obstacle(request))
        return 0;
    r = client_open(request->socket, request->patience_of_daemon_s, ret);
    if (r == 0)
        return 1;
    if (!request->daemon && strcmp(request->socket, CLIENT_SOCKET) == 0)
        return 0;
    return ask_gave_up(request, r);
}

/* ---- arguments ---- */

int arguments_begin(struct arguments *a)
{
    *a = (struct arguments){ 0 };
    a->out = open_memstream(&a->text, &a->size);
    if (!a->out)
        return -ENOMEM;
    a->w = json_writer(a->out, false);
    json_write_begin_object(&a->w);
    return 0;
}

char *arguments_end(struct arguments *a)
{
    json_write_end_object(&a->w);
    if (fclose(a->out) == 0)
        return a->text;
    free(a->text);
    return NULL;
}

void arguments_put(struct arguments *a, const char *key, const char *value)
{
    if (value)
        json_write_text_member(&a->w, key, value);
}

void arguments_put_names(struct arguments *a, const char *const *names, size_t n)
{
    json_write_key(&a->w, "names");
    json_write_begin_array(&a->w);
    for (size_t i = 0; i < n; i++)
        json_write_string(&a->w, names[i]);
    json_write_end_array(&a->w);
}

void arguments_put_style(struct arguments *a, const struct text_style *style)
{
    json_write_u64_member(&a->w, "columns", style->columns);
    json_write_bool_member(&a->w, "utf8", style->utf8);
    json_write_bool_member(&a->w, "colour", style->colour);
    json_write_bool_member(&a->w, "no_legend", style->no_legend);
}

/* ---- calls ---- */

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

void ask_print_json(const struct request *request, struct bytes json)
{
    if (request->json == JSON_PRETTY)
        json_layout(json, request->out);
    else
        fwrite_unlocked(json.data, 1, json.len, request->out);
    putc_unlocked('\n', request->out);
}
