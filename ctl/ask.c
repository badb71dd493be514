/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answers by the daemon, or made here (ask.h).
 *
 * For people, the daemon makes the text (GetText): it has the report, and what comes is some kilobytes. What scripts read
 * of the whole machine is in the report's JSON (GetReport), which the daemon has ready for everybody, so that many that ask cost
 * it nothing.
 */
#include "ctl/ask.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "answer/answer.h"
#include "base/json_write.h"
#include "base/text.h"
#include "output/words.h"

void outcome_done(struct outcome *o)
{
    notes_done(&o->notes);
}

/* ---- what replies say ---- */

static int take_note(void *userdata, struct bytes element)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    const char *text;
    int r = arena ? varlink_string(element, arena, &text) : -ENOMEM;

    return r < 0 ? r : note(userdata, "%s", text);
}

static enum severity severity_of(const char *word)
{
    int s = SEVERITY_NONE;

    while (s < _SEVERITY_MAX && !text_same(severity_to_string((enum severity)s), word))
        s++;
    return (enum severity)s;
}

/* The summary and the notes of a report. */
static int take_summary(struct bytes summary, struct bytes notes, struct outcome *o)
{
    enum { HOSTS, UNEXAMINED, WORST, VERDICTS, MEMBERS = VERDICTS + _VERDICT_MAX };
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    const char *names[MEMBERS] = { "hosts", "unexamined", "worst" }, *worst = NULL;
    struct bytes found[MEMBERS] = { 0 };
    uint64_t numbers[MEMBERS] = { 0 };
    int r;

    for (int v = 0; v < _VERDICT_MAX; v++)
        names[VERDICTS + v] = verdict_to_string((enum verdict)v);
    r = arena ? varlink_members(summary, names, MEMBERS, found) : -ENOMEM;
    if (r == 0)
        r = varlink_string(found[WORST], arena, &worst);
    for (int i = 0; r == 0 && i < MEMBERS; i++)
        if (i != WORST)
            r = varlink_count(found[i], &numbers[i]);
    if (r < 0)
        return r;
    o->summary.hosts = (size_t)numbers[HOSTS];
    o->notes.unexamined = (size_t)numbers[UNEXAMINED];
    for (int v = 0; v < _VERDICT_MAX; v++)
        o->summary.verdicts[v] = (size_t)numbers[VERDICTS + v];
    o->summary.worst = severity_of(worst);
    if (o->summary.worst == _SEVERITY_MAX)
        return -EBADMSG;
    return varlink_elements(notes, take_note, &o->notes);
}

/* ---- for scripts ---- */

/* Prints a report, or one of its lists, out of the reply to GetReport. */
static int print_report(const struct request *request, struct bytes parameters, const char *list,
                        struct outcome *o)
{
    static const char *const OUTER[] = { "report" };
    enum { SUMMARY, NOTES, LIST, MEMBERS };
    const char *const names[MEMBERS] = { "summary", "notes", list ? list : "hosts" };
    struct bytes report = { 0 }, found[MEMBERS] = { 0 };
    int r = varlink_members(parameters, OUTER, 1, &report);

    if (r == 0)
        r = varlink_members(report, names, MEMBERS, found);
    if (r == 0 && (!found[SUMMARY].len || !found[LIST].len))
        r = -EBADMSG;
    if (r == 0)
        r = take_summary(found[SUMMARY], found[NOTES], o);
    if (r < 0)
        return r;
    ask_print_json(request, list ? found[LIST] : report);
    o->objects = 1;
    return 0;
}

/* ---- for people ---- */

/* The arguments of GetText; NULL without memory. */
static char *text_arguments(const struct request *request, const char *verb, const char *word)
{
    struct arguments a;

    if (arguments_begin(&a) < 0)
        return NULL;
    arguments_put(&a, "verb", verb);
    arguments_put(&a, "word", word);
    if (request->json)
        arguments_put(&a, "json", request->json == JSON_PRETTY ? "pretty" : "short");
    arguments_put_style(&a, &request->style);
    arguments_put(&a, "command", request->style.command);
    return arguments_end(&a);
}

/* How old an answer is. */
static void print_age(uint64_t taken, FILE *out)
{
    enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR };
    uint64_t now = (uint64_t)time(NULL), age = now - taken;
    char text[32];

    if (taken > now || age >= DAY)
        fprintf(out, "As hbad saw it on %s.\n", words_time(taken * 1000000, text, sizeof(text)));
    else if (age < 2 * MINUTE)
        fprintf(out, "As hbad saw it %llu s ago.\n", (unsigned long long)age);
    else if (age < 2 * HOUR)
        fprintf(out, "As hbad saw it %llu min ago.\n", (unsigned long long)age / MINUTE);
    else
        fprintf(out, "As hbad saw it %llu h ago.\n", (unsigned long long)age / HOUR);
}

/* Prints the reply to GetText. Nothing is printed of one that is not whole. */
static int print_text(const struct request *request, struct bytes parameters, bool tells_age,
                      struct outcome *o)
{
    enum { TEXT, OBJECTS, TAKEN, SUMMARY, NOTES, MEMBERS };
    static const char *const NAMES[MEMBERS] = { "text", "objects", "taken", "summary", "notes" };
    _cleanup_free_ char *text = NULL;
    struct bytes found[MEMBERS] = { 0 };
    uint64_t objects = 0, taken = 0;
    size_t size;
    FILE *out;
    int r = varlink_members(parameters, NAMES, MEMBERS, found);

    if (r == 0)
        r = varlink_count(found[OBJECTS], &objects);
    if (r == 0)
        r = varlink_count(found[TAKEN], &taken);
    if (r == 0)
        r = take_summary(found[SUMMARY], found[NOTES], o);
    if (r < 0)
        return r;
    out = open_memstream(&text, &size);
    if (!out)
        return -ENOMEM;
    r = varlink_print_text(found[TEXT], out);
    if (fclose(out) != 0)
        r = -ENOMEM;
    if (r < 0)
        return r;
    fputs(text, request->out);
    if (tells_age && !request->json && !request->style.no_legend)
        print_age(taken, request->out);
    o->objects = objects < INT32_MAX ? (int)objects : INT32_MAX;
    return 0;
}

/* ---- asking ---- */

/* An error by the daemon. Returns 1 where it is that nothing goes by the name, else 0 or, where it was said, a negative
 * errno. */
static int take_error(const struct request *request, const struct varlink_reply *reply)
{
    if (text_same(reply->error, "io.hbad.monitor.NoSuchObject"))
        return 1;
    if (!request->daemon)
        return 0;
    ask_say_error(reply);
    return -EREMOTEIO;
}

/* Asks for one name. Returns 1 where that was answered, 0 where the daemon cannot, or a negative errno. */
static int ask_for(const struct request *request, struct client *client, const char *verb,
                   const char *word, struct outcome *o)
{
    bool is_report = request->json && (strcmp(verb, "status") == 0 || strcmp(verb, "list") == 0);
    _cleanup_free_ char *arguments = is_report ? NULL : text_arguments(request, verb, word);
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct varlink_reply reply = { 0 };
    int r;

    if (!arena || (!arguments && !is_report))
        return -ENOMEM;
    r = client_call(client, is_report ? "io.hbad.monitor.GetReport" : "io.hbad.monitor.GetText",
                    arguments, false);
    if (r == 0)
        r = client_reply(client, ask_patience_us(request), arena, &reply);
    if (r < 0)
        return r;
    if (reply.error)
        return take_error(request, &reply);
    r = is_report ? print_report(request, reply.parameters, word, o)
                  : print_text(request, reply.parameters,
                               strcmp(verb, "status") == 0 || strcmp(verb, "list") == 0, o);
    return r < 0 ? r : 1;
}

const char *ask_obstacle(const struct request *request)
{
    return request->direct       ? "--direct"
           : request->n_captures ? "--capture"
           : request->sysfs_root ? "--sysfs-root"
           : request->config     ? "--config"
           : request->force      ? "--force"
                                 : NULL;
}

/* Returns 1 where the daemon has answered, 0 where it cannot, and that is no matter; else a negative errno, which was
 * said. */
static int ask_daemon(const struct request *request, const char *verb, const char *word,
                      const char *name, struct outcome *o)
{
    _cleanup_(client_freep) struct client *client = NULL;
    int r = ask_try_connect(request, &client);

    if (r <= 0)
        return r;
    r = ask_for(request, client, verb, name ? name : word, o);
    if (r == 1 && !o->objects && name && strcmp(name, word) != 0)
        r = ask_for(request, client, verb, word, o);
    if (r >= 0 || r == -EREMOTEIO)
        return r;
    notes_done(&o->notes);
    *o = (struct outcome){ 0 };
    return ask_gave_up(request, r);
}

/* ---- made here ---- */

static int make_answer(const struct request *request, const char *verb, const char *word,
                       const char *name, enum level level, const char *named, struct outcome *o)
{
    const struct answer_style style = {
        .json = request->json != JSON_OFF,
        .pretty = request->json == JSON_PRETTY,
        .text = request->style,
    };
    _cleanup_(report_freep) struct report *report = NULL;
    int r = load_report(request, level, named, &report);

    if (r < 0)
        return r;
    o->objects = answer(report, verb, name ? name : word, &style, request->out);
    if (!o->objects && name && strcmp(name, word) != 0)
        o->objects = answer(report, verb, word, &style, request->out);
    o->summary = report->summary;
    for (size_t i = 0; r == 0 && i < report->notes.n; i++)
        r = note(&o->notes, "%s", report->notes.v[i]);
    o->notes.unexamined = report->unexamined;
    if (r < 0)
        say("out of memory");
    return r;
}

int ask(const struct request *request, const char *verb, const char *word, const char *name,
        enum level level, const char *named, struct outcome *ret)
{
    int r = ask_daemon(request, verb, word, name, ret);

    return r == 0 ? make_answer(request, verb, word, name, level, named, ret) : r < 0 ? r : 0;
}
