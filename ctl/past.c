/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Verbs about what the daemon remembers: history and ack.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json_write.h"
#include "base/text.h"
#include "base/when.h"
#include "ctl/ask.h"
#include "finding/catalog.h"

int parse_when(const char *option, const char *text, bool is_ahead, uint64_t *ret_seconds)
{
    uint64_t now_us = (uint64_t)time(NULL) * 1000000, at_us;

    if (when_parse(text, now_us, is_ahead, &at_us) < 0) {
        say("%s %s: no time; such as 2h, 3d, %s, 2026-11-30 or \"2026-11-30 12:00\" (UTC)", option,
            text, is_ahead ? "tomorrow" : "yesterday");
        return -EINVAL;
    }
    if (is_ahead ? at_us <= now_us : at_us > now_us) {
        say("%s %s: that is %s", option, text, is_ahead ? "over" : "yet to come");
        return -EINVAL;
    }
    *ret_seconds = at_us / 1000000;
    return 0;
}

/* ---- asking ---- */

/* Prints what a reply has. Returns 0 or a negative errno. */
typedef int (*printer)(const struct request *request, struct bytes parameters);

/* What is to be called about a name; adds arguments. */
struct question {
    const char *method;
    void (*put)(const struct request *request, uint64_t seconds, struct arguments *a);
    printer print;
    const char *none;            /* the error that says that the name is not the one */
    const char *sentence, *hint; /* for that: the name is between them */
};

/* NULL without memory. */
static char *arguments_about(const struct request *request, const struct question *q,
                             const char *name, uint64_t seconds)
{
    struct arguments a;

    if (arguments_begin(&a) < 0)
        return NULL;
    arguments_put(&a, "name", name);
    q->put(request, seconds, &a);
    return arguments_end(&a);
}

/* Returns 1 where the name is not the one, 0 where it was answered, a negative errno where something is wrong, which was said. */
static int ask_about(const struct request *request, struct client *client, const struct question *q,
                     const char *name, uint64_t seconds)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct varlink_reply reply = { 0 };
    _cleanup_free_ char *arguments = arena ? arguments_about(request, q, name, seconds) : NULL;
    int r;

    if (!arguments) {
        say("out of memory");
        return -ENOMEM;
    }
    r = ask_call(request, client, q->method, arguments, arena, &reply);
    if (r < 0)
        return r;
    if (text_same(reply.error, q->none))
        return 1;
    if (reply.error) {
        ask_say_error(&reply);
        return -EREMOTEIO;
    }
    r = q->print(request, reply.parameters);
    if (r < 0)
        ask_say_failure(request, r);
    return r;
}

/* Asks about the name as it is called here, and then as it was typed. */
static int ask_named(const struct request *request, const struct question *q, uint64_t seconds)
{
    _cleanup_(client_freep) struct client *client = ask_connect(request);
    _cleanup_free_ char *buffer = NULL;
    const char *word = request->words[0], *name = resolve_live_name(word, &buffer);
    int r = client ? ask_about(request, client, q, name, seconds) : -ENOTCONN;

    if (r == 1 && strcmp(name, word) != 0)
        r = ask_about(request, client, q, word, seconds);
    if (r == 1)
        say("%s %s%s", q->sentence, word, q->hint);
    return r == 0 ? EXIT_WELL : EXIT_FAILURE;
}

/* ---- history ---- */

static int print_history(const struct request *request, struct bytes parameters)
{
    enum { OBJECTS, TEXT, MEMBERS };
    static const char *const NAMES[MEMBERS] = { "objects", "text" };
    struct bytes found[MEMBERS] = { 0 };
    int r = varlink_members(parameters, NAMES, MEMBERS, found);

    if (r < 0 || !found[request->json ? OBJECTS : TEXT].len)
        return r < 0 ? r : -EBADMSG;
    if (!request->json)
        return varlink_print_text(found[TEXT], request->out);
    ask_print_json(request, found[OBJECTS]);
    return 0;
}

static void put_history(const struct request *request, uint64_t seconds, struct arguments *a)
{
    json_write_u64_member(&a->w, "since", seconds);
    if (request->json)
        return;
    json_write_bool_member(&a->w, "text", true);
    arguments_put_style(a, &request->style);
}

int verb_history(const struct request *request)
{
    static const struct question HISTORY = {
        .method = "io.hbad.monitor.History",
        .put = put_history,
        .print = print_history,
        .none = "io.hbad.monitor.NoSuchObject",
        .sentence = "nothing is remembered by the name of",
        .hint = "; hbactl list hosts, links and devices show the names",
    };
    uint64_t since = 0;

    if (request->past.since && parse_when("--since", request->past.since, false, &since) < 0)
        return EXIT_USAGE;
    return ask_named(request, &HISTORY, since);
}

/* ---- ack ---- */

struct acknowledged {
    const struct request *request;
    struct arena *arena;
    const char *head;
};

/* "known from now on: rate-below-expected: …" */
static int print_finding(void *userdata, struct bytes element)
{
    enum { CODE, SUMMARY, IS_QUIET, MEMBERS };
    static const char *const NAMES[MEMBERS] = { "code", "summary", "is_quiet" };
    struct acknowledged *a = userdata;
    struct bytes found[MEMBERS] = { 0 };
    const char *code = NULL, *summary = NULL;
    bool is_loud;
    int r = varlink_members(element, NAMES, MEMBERS, found);

    if (r == 0)
        r = varlink_string(found[CODE], a->arena, &code);
    if (r == 0)
        r = varlink_string(found[SUMMARY], a->arena, &summary);
    if (r < 0)
        return r;
    if (!code || !summary)
        return -EBADMSG;
    is_loud = found[IS_QUIET].len && *found[IS_QUIET].data == 'f';
    fprintf(a->request->out, "%s: %s: %s%s\n", a->head, code, summary,
            is_loud && !a->request->past.withdraw ? " (it stays what it is: something hangs)" : "");
    return 0;
}

static int print_acknowledged(const struct request *request, struct bytes parameters)
{
    enum { FINDINGS, IS_KEPT, MEMBERS };
    static const char *const NAMES[MEMBERS] = { "findings", "is_kept" };
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct acknowledged a = { request, arena,
                              request->past.withdraw ? "taken back" : "acknowledged" };
    struct bytes found[MEMBERS] = { 0 };
    int r = arena ? varlink_members(parameters, NAMES, MEMBERS, found) : -ENOMEM;

    if (r == 0 && (!found[FINDINGS].len || !found[IS_KEPT].len))
        r = -EBADMSG; /* who does not say what is acknowledged has done nothing */
    if (r == 0 && request->json)
        ask_print_json(request, parameters);
    else if (r == 0)
        r = varlink_elements(found[FINDINGS], print_finding, &a);
    if (r == 0 && found[IS_KEPT].len && *found[IS_KEPT].data == 'f')
        say("hbad could not write that down: it holds until hbad ends (hbactl status --service)");
    return r;
}

static void put_acknowledgement(const struct request *request, uint64_t seconds,
                                struct arguments *a)
{
    json_write_text_member(&a->w, "code", request->past.code);
    json_write_text_member(&a->w, "reason", request->past.reason);
    if (seconds)
        json_write_u64_member(&a->w, "until", seconds);
}

int verb_ack(const struct request *request)
{
    const struct past_words *words = &request->past;
    const struct question acknowledge = {
        .method = "io.hbad.monitor.Acknowledge",
        .put = put_acknowledgement,
        .print = print_acknowledged,
        .none = "io.hbad.monitor.NoSuchFinding",
        .sentence = words->withdraw ? "nothing is acknowledged of"
                    : words->code   ? "nothing of that code is found of"
                                    : "no alarm is there of",
        .hint = words->withdraw ? "" : "; hbactl list findings shows what is found",
    };
    uint64_t until = 0;

    if (!words->reason == !words->withdraw || (words->withdraw && words->until)) {
        say("ack needs either --reason TEXT, and may have --until TIME, or --withdraw");
        return EXIT_USAGE;
    }
    if (words->reason && !acknowledgement_is_reason(words->reason)) {
        say("--reason: not a line of text of at most %d bytes", ACKNOWLEDGEMENT_REASON_MAX);
        return EXIT_USAGE;
    }
    if (words->code && !catalog_find(words->code)) {
        say("--code %s: there is no such code; hbactl explain codes lists them", words->code);
        return EXIT_USAGE;
    }
    if (words->until && parse_when("--until", words->until, true, &until) < 0)
        return EXIT_USAGE;
    return ask_named(request, &acknowledge, until);
}
