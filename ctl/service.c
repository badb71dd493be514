/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The daemon itself: how it is doing (status --service), and that it read its configuration again (reload).
 */
#include "ctl/service.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "ctl/ask.h"
#include "output/words.h"

/* ---- status --service ---- */

enum { COL_NAME, COL_STATE, COL_LAST, COL_NEXT, COL_TOOK, COL_STUCK, COL_NOTES, COLS };

static const struct column COLUMNS[COLS] = {
    [COL_NAME] = { .title = "ADAPTER", .least = 12 },
    [COL_STATE] = { .title = "STATE" },
    [COL_LAST] = { .title = "LAST READ", .drop = 2 },
    [COL_NEXT] = { .title = "NEXT", .drop = 3 },
    [COL_TOOK] = { .title = "TOOK", .right = true, .drop = 1 },
    [COL_STUCK] = { .title = "STUCK", .right = true },
    [COL_NOTES] = { .title = "NOTES", .wraps = true },
};

struct printing {
    struct table *table;
    struct arena *arena;
    const char *notes; /* of the adapter under way */
};

static int add_note(void *userdata, struct bytes element)
{
    struct printing *p = userdata;
    const char *text = NULL;
    int r = varlink_string(element, p->arena, &text);

    if (r == 0)
        p->notes = p->notes ? arena_printf(p->arena, "%s; %s", p->notes, text) : text;
    return r == 0 && !p->notes ? -ENOMEM : r;
}

static int put_time(struct printing *p, size_t column, struct bytes value)
{
    uint64_t seconds = 0;
    char text[32];
    int r = varlink_count(value, &seconds);

    if (r < 0)
        return r;
    if (seconds > UINT32_MAX)
        return -EBADMSG;
    return table_cell(p->table, column, COLOUR_NONE,
                      value.len ? words_time(seconds * 1000000, text, sizeof(text)) : "never");
}

/* "3 ms"; a state that is not one of well-being is coloured. */
static int put_cells(struct printing *p, const char *name, const char *state, struct bytes took,
                     uint64_t took_ms, uint64_t stuck)
{
    bool is_well = text_same(state, "waiting") || text_same(state, "running");
    int r = table_cell(p->table, COL_NAME, COLOUR_NONE, name);

    if (r == 0)
        r = table_cell(p->table, COL_STATE, is_well ? COLOUR_NONE : COLOUR_BAD, state);
    if (r == 0 && took.len)
        r = table_cellf(p->table, COL_TOOK, COLOUR_NONE, "%llu ms", (unsigned long long)took_ms);
    if (r == 0)
        r = table_cellf(p->table, COL_STUCK, stuck ? COLOUR_BAD : COLOUR_NONE, "%llu",
                        (unsigned long long)stuck);
    return r < 0 ? r : table_cell(p->table, COL_NOTES, COLOUR_NONE, p->notes);
}

static int put_adapter(void *userdata, struct bytes adapter)
{
    enum { NAME, STATE, LAST, NEXT, TOOK, STUCK, NOTES, MEMBERS };
    static const char *const NAMES[MEMBERS] = { "name",    "state", "last_read", "next_read",
                                                "took_ms", "stuck", "notes" };
    struct printing *p = userdata;
    struct bytes found[MEMBERS] = { 0 };
    const char *name = NULL, *state = NULL;
    uint64_t took_ms = 0, stuck = 0;
    int r = varlink_members(adapter, NAMES, MEMBERS, found);

    p->notes = NULL;
    if (r == 0)
        r = varlink_string(found[NAME], p->arena, &name);
    if (r == 0)
        r = varlink_string(found[STATE], p->arena, &state);
    if (r == 0)
        r = varlink_count(found[TOOK], &took_ms);
    if (r == 0)
        r = varlink_count(found[STUCK], &stuck);
    if (r == 0)
        r = varlink_elements(found[NOTES], add_note, p);
    if (r == 0)
        r = table_row(p->table);
    if (r == 0)
        r = put_time(p, COL_LAST, found[LAST]);
    if (r == 0)
        r = put_time(p, COL_NEXT, found[NEXT]);
    return r < 0 ? r : put_cells(p, name, state, found[TOOK], took_ms, stuck);
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* "The history: failing (Read-only file system), 12 records written, 3 waiting, 7 left out." */
static int print_history(const struct request *request, struct bytes history)
{
    enum { STATE, WHY, WAITING, WRITTEN, LOST, MEMBERS };
    static const char *const NAMES[MEMBERS] = { "state", "why", "waiting", "written", "lost" };
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct bytes found[MEMBERS] = { 0 };
    const char *state = NULL, *why = NULL;
    uint64_t n[MEMBERS] = { 0 };
    int r = arena ? 0 : -ENOMEM;

    if (!history.len) {
        fputs("No history is kept.\n", request->out);
        return r;
    }
    if (r == 0)
        r = varlink_members(history, NAMES, MEMBERS, found);
    for (int i = WAITING; r == 0 && i < MEMBERS; i++)
        r = varlink_count(found[i], &n[i]);
    if (r == 0)
        r = varlink_string(found[STATE], arena, &state);
    if (r == 0)
        r = varlink_string(found[WHY], arena, &why);
    if (r < 0)
        return r;
    fprintf(request->out, "The history: %s%s%s%s, %llu record%s written, ", state ? state : "",
            why ? " (" : "", why ? why : "", why ? ")" : "", (unsigned long long)n[WRITTEN],
            plural(n[WRITTEN]));
    fprintf(request->out, "%llu waiting, %llu left out.\n", (unsigned long long)n[WAITING],
            (unsigned long long)n[LOST]);
    return 0;
}

/* "The watcher reads 590 files: 12 rounds, 2508 reads (540 of them costly), 0.03 s of processor time." */
static int print_watcher(const struct request *request, struct bytes watcher, struct arena *arena)
{
    enum {
        ROUNDS,
        FILES,
        READS,
        COSTLY,
        ASLEEP,
        CPU,
        STUCK,
        UNWATCHED,
        NUMBERS,
        STATE = NUMBERS,
        WHY,
        MEMBERS
    };
    static const char *const NAMES[MEMBERS] = { "rounds", "files", "reads",     "costly", "asleep",
                                                "cpu_us", "stuck", "unwatched", "state",  "why" };
    struct bytes found[MEMBERS] = { 0 };
    const char *state = NULL, *why = NULL;
    unsigned long long n[NUMBERS] = { 0 };
    int r = varlink_members(watcher, NAMES, MEMBERS, found);

    for (int i = 0; r == 0 && i < NUMBERS; i++) {
        uint64_t value = 0;

        r = varlink_count(found[i], &value);
        n[i] = value;
    }
    if (r == 0)
        r = varlink_string(found[STATE], arena, &state);
    if (r == 0 && found[WHY].len)
        r = varlink_string(found[WHY], arena, &why);
    if (r < 0 || !state)
        return r < 0 ? r : -EBADMSG;
    fprintf(request->out,
            "Its watcher is %s%s%s: %llu file%s, %llu round%s, %llu read%s (%llu costly), ", state,
            why ? ": it " : "", why ? why : "", n[FILES], plural(n[FILES]), n[ROUNDS],
            plural(n[ROUNDS]), n[READS], plural(n[READS]), n[COSTLY]);
    fprintf(
        request->out, "%llu.%02llu s of processor time; %llu stuck, %llu adapter%s not watched.\n",
        n[CPU] / 1000000, n[CPU] % 1000000 / 10000, n[STUCK], n[UNWATCHED], plural(n[UNWATCHED]));
    if (n[ASLEEP])
        fprintf(request->out, "%llu read%s left out: it would have woken what sleeps.\n", n[ASLEEP],
                n[ASLEEP] == 1 ? " was" : "s were");
    return 0;
}

static int print_service(const struct request *request, struct bytes parameters)
{
    enum {
        SINCE,
        TAKEN,
        ROUNDS,
        CLIENTS,
        SUBSCRIBERS,
        MEMORY,
        NUMBERS,
        ADAPTERS = NUMBERS,
        HISTORY,
        WATCHER,
        PROBES,
        MEMBERS
    };
    static const char *const NAMES[MEMBERS] = { "since",       "taken",  "rounds",   "clients",
                                                "subscribers", "memory", "adapters", "history",
                                                "watcher",     "probes" };
    _cleanup_(table_freep) struct table *table = table_new(COLUMNS, COLS);
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct printing p = { table, arena, NULL };
    struct bytes found[MEMBERS] = { 0 };
    uint64_t n[NUMBERS] = { 0 };
    char since[32], taken[32];
    int r = table && arena ? varlink_members(parameters, NAMES, MEMBERS, found) : -ENOMEM;

    for (int i = 0; r == 0 && i < NUMBERS; i++)
        r = varlink_count(found[i], &n[i]);
    if (r == 0 && (n[SINCE] > UINT32_MAX || n[TAKEN] > UINT32_MAX))
        r = -EBADMSG;
    if (r == 0)
        r = varlink_elements(found[ADAPTERS], put_adapter, &p);
    if (r < 0)
        return r;
    fprintf(request->out, "hbad runs since %s, with %llu.%llu MiB: %llu round%s, %llu client%s, ",
            words_time(n[SINCE] * 1000000, since, sizeof(since)),
            (unsigned long long)(n[MEMORY] >> 20),
            (unsigned long long)((n[MEMORY] & 0xfffff) * 10 >> 20), (unsigned long long)n[ROUNDS],
            plural(n[ROUNDS]), (unsigned long long)n[CLIENTS], plural(n[CLIENTS]));
    fprintf(request->out, "%llu subscriber%s.\n%s%s.\n", (unsigned long long)n[SUBSCRIBERS],
            plural(n[SUBSCRIBERS]), found[TAKEN].len ? "Its report is of " : "It has no report yet",
            found[TAKEN].len ? words_time(n[TAKEN] * 1000000, taken, sizeof(taken)) : "");
    r = print_history(request, found[HISTORY]);
    if (r == 0 && found[WATCHER].len)
        r = print_watcher(request, found[WATCHER], arena);
    if (r < 0)
        return r;
    putc('\n', request->out);
    table_print(table, &request->style, request->out);
    return print_probes(found[PROBES], request->out);
}

int verb_service(const struct request *request)
{
    _cleanup_(client_freep) struct client *client = ask_connect(request);
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct varlink_reply reply = { 0 };
    int r;

    if (!client || !arena ||
        ask_call(request, client, "io.hbad.monitor.GetStatus", NULL, arena, &reply) < 0)
        return EXIT_UNSEEN;
    if (reply.error) {
        ask_say_error(&reply);
        return EXIT_UNSEEN;
    }
    if (request->json && reply.parameters.len) {
        ask_print_json(request, reply.parameters);
        return EXIT_WELL;
    }
    r = print_service(request, reply.parameters);
    if (r < 0)
        ask_say_failure(request, r);
    return r < 0 ? EXIT_UNSEEN : EXIT_WELL;
}

/* ---- reload ---- */

/* "/etc/hbad/hbad.conf:12: unknown key" */
static int say_message(void *userdata, struct bytes message)
{
    enum { FILE_, LINE, TEXT, MEMBERS };
    static const char *const NAMES[MEMBERS] = { "file", "line", "text" };
    struct bytes found[MEMBERS] = { 0 };
    const char *file = NULL, *text = NULL;
    uint64_t line = 0;
    int r = varlink_members(message, NAMES, MEMBERS, found);

    if (r == 0)
        r = varlink_string(found[FILE_], userdata, &file);
    if (r == 0)
        r = varlink_string(found[TEXT], userdata, &text);
    if (r == 0)
        r = varlink_count(found[LINE], &line);
    if (r < 0)
        return r;
    if (!file || !text)
        return -EBADMSG;
    if (line)
        say("%s:%llu: %s", file, (unsigned long long)line, text);
    else
        say("%s: %s", file, text);
    return 0;
}

int verb_reload(const struct request *request)
{
    static const char *const NAMES[] = { "warnings", "messages" };
    _cleanup_(client_freep) struct client *client = ask_connect(request);
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct varlink_reply reply = { 0 };
    struct bytes messages[ELEMENTS(NAMES)] = { 0 };
    bool is_invalid;
    int r = 0;

    if (!client || !arena ||
        ask_call(request, client, "io.hbad.monitor.Reload", NULL, arena, &reply) < 0)
        return EXIT_FAILURE;
    is_invalid = text_same(reply.error, "io.hbad.monitor.InvalidConfiguration");
    if (reply.error && !is_invalid) {
        ask_say_error(&reply);
        return EXIT_FAILURE;
    }
    r = varlink_members(reply.parameters, NAMES, ELEMENTS(NAMES), messages);
    if (r == 0)
        r = messages[is_invalid].len ? varlink_elements(messages[is_invalid], say_message, arena)
                                     : -EBADMSG;
    if (r < 0)
        ask_say_failure(request, r);
    if (is_invalid)
        say("the configuration is wrong: the old one stays in force");
    return r < 0 || is_invalid ? EXIT_FAILURE : EXIT_WELL;
}
