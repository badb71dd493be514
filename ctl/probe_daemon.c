/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbactl probe by the daemon (probe_daemon.h).
 */
#include "ctl/probe_daemon.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "ctl/ask.h"

/* A probe that was asked for may have to wait for one that hbad makes by itself, and for the adapter to be read: for so long
 * nothing need be heard. */
enum { QUEUE_S = 180 };

/* What is asked for, as its texts. */
struct wanted {
    const struct request *request;
    struct arena *arena;
    const char **names; /* what paths lead to; else as they were typed */
};

static int take_words(struct wanted *w)
{
    const struct request *request = w->request;

    w->names = arena_new_array(w->arena, const char *, request->n_words + 1);
    for (int i = 0; w->names && i < request->n_words; i++) {
        _cleanup_free_ char *buffer = NULL;

        w->names[i] = arena_strdup(w->arena, resolve_live_name(request->words[i], &buffer));
        if (!w->names[i])
            return -ENOMEM;
    }
    return w->names ? 0 : -ENOMEM;
}

/* The daemon knows nothing by that name: what was typed may be known, where a path leads to something without a name here.
 * False where that was tried. */
static bool take_other_name(struct wanted *w, const char *name)
{
    for (int i = 0; i < w->request->n_words; i++)
        if (strcmp(w->names[i], name) == 0 && strcmp(w->request->words[i], name) != 0) {
            w->names[i] = w->request->words[i];
            return true;
        }
    return false;
}

/* The arguments of Probe; NULL without memory. */
static char *arguments_of(const struct wanted *wanted)
{
    struct arguments a;

    if (arguments_begin(&a) < 0)
        return NULL;
    arguments_put_names(&a, wanted->names, (size_t)wanted->request->n_words);
    json_write_bool_member(&a.w, "force", wanted->request->force);
    arguments_put_style(&a, &wanted->request->style);
    return arguments_end(&a);
}

/* ---- replies ---- */

static int show_progress(struct bytes parameters)
{
    static const char *const NAMES[] = { "done", "of" };
    struct bytes found[ELEMENTS(NAMES)] = { 0 };
    uint64_t done = 0, of = 0;
    int r = varlink_members(parameters, NAMES, ELEMENTS(NAMES), found);

    if (r == 0)
        r = varlink_count(found[0], &done);
    if (r == 0)
        r = varlink_count(found[1], &of);
    if (r == 0 && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 "\033[K", done, of);
    return r;
}

/* Asks, and waits for the last reply. Returns 0 or a negative errno. */
static int call(const struct wanted *w, struct client *client, struct varlink_reply *ret)
{
    const struct request *request = w->request;
    _cleanup_free_ char *arguments = arguments_of(w);
    uint64_t patience_us = (request->patience_of_reads_s + QUEUE_S) * UINT64_C(1000000);
    int r = arguments ? client_call(client, "io.hbad.monitor.Probe", arguments, true) : -ENOMEM;

    while (r == 0) {
        r = client_reply(client, patience_us, w->arena, ret);
        if (r < 0 || !ret->continues)
            break;
        r = show_progress(ret->parameters);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return r;
}

static int say_note(void *userdata, struct bytes element)
{
    const char *text = NULL;
    int r = varlink_string(element, userdata, &text);

    if (r == 0 && text)
        say("%s", text);
    return r;
}

/* Prints what came of it. Returns how many devices gave a result, or a negative errno. */
static int print(const struct wanted *w, struct bytes parameters)
{
    enum { TEXT, RESULT, READ, NOTES, MEMBERS };
    static const char *const NAMES[MEMBERS] = { "text", "result", "read", "notes" };
    struct bytes found[MEMBERS] = { 0 };
    uint64_t n = 0;
    int r = varlink_members(parameters, NAMES, MEMBERS, found);

    if (r == 0 && !found[RESULT].len)
        r = -EBADMSG;
    if (r == 0)
        r = varlink_count(found[READ], &n);
    if (r == 0)
        r = varlink_elements(found[NOTES], say_note, w->arena);
    if (r == 0 && w->request->json)
        ask_print_json(w->request, found[RESULT]);
    else if (r == 0)
        r = varlink_print_text(found[TEXT], w->request->out);
    return r < 0 ? r : n < INT32_MAX ? (int)n : INT32_MAX;
}

/* Says what an error means. */
static int say_error(const struct wanted *w, const struct varlink_reply *reply)
{
    static const char *const NAMES[] = { "why", "name" };
    struct bytes found[ELEMENTS(NAMES)] = { 0 };
    const char *why = NULL, *name = NULL;
    int r = varlink_members(reply->parameters, NAMES, ELEMENTS(NAMES), found);

    if (r == 0)
        r = varlink_string(found[0], w->arena, &why);
    if (r == 0)
        r = varlink_string(found[1], w->arena, &name);
    if (r < 0)
        return r;
    if (name)
        say("nothing here is called %s; hbactl list devices shows the names", name);
    else if (why)
        say("%s", why);
    else
        ask_say_error(reply);
    return 0;
}

/* Returns an exit status, or a negative errno. */
static int probe(struct wanted *w, struct client *client)
{
    static const char *const NAME[] = { "name" };
    struct varlink_reply reply = { 0 };
    const char *name = NULL;
    struct bytes found = { 0 };
    int r;

    do {
        r = call(w, client, &reply);
        if (r == 0 && text_same(reply.error, "io.hbad.monitor.NoSuchObject"))
            r = varlink_members(reply.parameters, NAME, 1, &found);
        if (r == 0 && found.len)
            r = varlink_string(found, w->arena, &name);
    } while (r == 0 && found.len && name && take_other_name(w, name) && (found.len = 0, true));
    if (r < 0)
        return r;
    if (reply.error) {
        r = say_error(w, &reply);
        return r < 0 ? r : EXIT_FAILURE;
    }
    r = print(w, reply.parameters);
    if (r == 0)
        say("nothing could be probed");
    return r < 0 ? r : r ? EXIT_WELL : EXIT_FAILURE;
}

int probe_by_daemon(const struct request *request, int *ret_status)
{
    _cleanup_(client_freep) struct client *client = NULL;
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct wanted w = { request, arena, NULL };
    int r;

    if (request->direct || request->config)
        return 0;
    r = client_open(request->socket, request->patience_of_daemon_s, &client);
    if (r < 0 && !request->daemon)
        return 0;
    if (r == 0)
        r = arena ? take_words(&w) : -ENOMEM;
    if (r == 0)
        r = probe(&w, client);
    if (r < 0)
        ask_say_failure(request, r);
    *ret_status = r < 0 ? EXIT_FAILURE : r;
    return 1;
}
