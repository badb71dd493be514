/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbactl monitor: what the daemon tells, as long as anybody listens. Where it goes away, it is waited for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "ctl/ask.h"
#include "answer/changes.h"

enum { AGAIN_AFTER_S = 1 }; /* from one try to find the daemon to the next */

/* Lines, each with the time before it. Returns 0, or a negative errno where nobody takes them. */
static int print_lines(char *text)
{
    time_t now = time(NULL);
    char stamp[32] = "";
    struct tm tm;

    if (gmtime_r(&now, &tm))
        strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S UTC", &tm);
    text_for_terminal(text, false);
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
        printf("%s  %.*s\n", stamp, (int)(end - line), line);
    return fflush(stdout) == 0 ? 0 : -EPIPE;
}

static int print_changes(struct changes *changes, struct bytes parameters)
{
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int r = out ? changes_take(changes, parameters, out) : -ENOMEM;

    if (out && fclose(out) != 0)
        r = -ENOMEM;
    return r < 0 ? r : print_lines(text);
}

static int print_reply(const struct request *request, struct changes *changes,
                       const struct varlink_reply *reply)
{
    if (!reply->parameters.len || !reply->continues)
        return -EBADMSG;
    if (!request->json)
        return print_changes(changes, reply->parameters);
    ask_print_json(request, reply->parameters);
    return fflush(request->out) == 0 ? 0 : -EPIPE;
}

/* An error by the daemon. Returns -EAGAIN where it will have something to tell, which is said once (`was_away`: it was), else
 * -EREMOTEIO. */
static int take_error(const struct varlink_reply *reply, bool was_away)
{
    bool is_young = text_same(reply->error, "io.hbad.monitor.NotReady");

    if (!is_young || !was_away)
        ask_say_error(reply);
    return is_young || text_same(reply->error, "io.hbad.monitor.Overrun") ? -EAGAIN : -EREMOTEIO;
}

/* Listens until that ends: returns why. An error by the daemon was said. */
static int listen_to(const struct request *request, struct client *client, struct changes *changes,
                     bool was_away, bool *ret_has_told)
{
    uint64_t patience = ask_patience_us(request);
    int r = client_call(client, "io.hbad.monitor.Monitor", NULL, true);

    changes_begin(changes);
    while (r == 0) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct varlink_reply reply = { 0 };

        r = arena ? client_reply(client, patience, arena, &reply) : -ENOMEM;
        if (r == 0 && reply.error)
            return take_error(&reply, was_away);
        if (r == 0)
            r = print_reply(request, changes, &reply);
        *ret_has_told |= r == 0;
        patience = CLIENT_FOR_EVER; /* from now on it speaks when there is something to say */
    }
    return r;
}

/* Waits for a daemon that has gone. */
static struct client *wait_for_daemon(const struct request *request)
{
    struct client *client = NULL;

    while (!client) {
        sleep(AGAIN_AFTER_S);
        if (client_open(request->socket, request->patience_of_daemon_s, &client) < 0)
            client = NULL;
    }
    return client;
}

/* Is it worth waiting for another one? One that is being started may be long in answering: systemd has its socket. */
static bool may_come_back(int r)
{
    return r == -ECONNRESET || r == -EAGAIN || r == -ETIMEDOUT;
}

int verb_monitor(const struct request *request)
{
    _cleanup_(changes_freep) struct changes *changes = changes_new();
    struct client *client = changes ? ask_connect(request) : NULL;
    bool has_told = false, was_away = false;
    int r = 0;

    while (client) {
        bool tells = false;

        r = listen_to(request, client, changes, was_away, &tells);
        client_free(client);
        has_told |= tells;
        if (!may_come_back(r) || (!has_told && r != -EAGAIN))
            break;
        if (r != -EAGAIN && (tells || !was_away))
            say("hbad %s: waiting for it", varlink_failure(r));
        was_away = true;
        client = wait_for_daemon(request);
    }
    if (r < 0 && r != -EREMOTEIO && r != -EPIPE)
        ask_say_failure(request, r);
    return EXIT_FAILURE;
}
