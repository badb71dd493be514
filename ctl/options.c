/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbactl's options (options.h).
 */
#include "ctl/options.h"

#include <getopt.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"
#include "ctl/client.h"

static int take_json(struct request *request, const char *word)
{
    if (!word || strcmp(word, "pretty") == 0)
        request->json = JSON_PRETTY;
    else if (strcmp(word, "short") == 0)
        request->json = JSON_SHORT;
    else if (strcmp(word, "off") == 0)
        request->json = JSON_OFF;
    else {
        say("--json=%s: pretty, short or off", word);
        return EXIT_USAGE;
    }
    return -1;
}

static int take_j(struct request *request, const char *word)
{
    (void)word;
    request->json = isatty(STDOUT_FILENO) ? JSON_PRETTY : JSON_SHORT;
    return -1;
}

static int take_patience(struct request *request, const char *word)
{
    uint64_t seconds;

    if (number_u64(word, 10, &seconds) < 0 || !seconds || seconds > 86400) {
        say("--patience %s: not a number of seconds from 1 to 86400", word);
        return EXIT_USAGE;
    }
    request->patience_s = request->patience_of_reads_s = request->patience_of_daemon_s =
        (unsigned)seconds;
    return -1;
}

static int take_version(struct request *request, const char *word)
{
    (void)request;
    (void)word;
    puts("hbactl " HBAD_VERSION);
    return EXIT_WELL;
}

#define FLAG_OF(name, member, ...)                                                         \
    {                                                                                      \
        name, .kind = OPTION_FLAG, .offset = offsetof(struct request, member), __VA_ARGS__ \
    }
#define WORD_OF(name, what, member, ...)                                                         \
    {                                                                                            \
        name, .argument = what, .kind = OPTION_WORD, .offset = offsetof(struct request, member), \
              __VA_ARGS__                                                                        \
    }
#define HEADING(text)                        \
    {                                        \
        .kind = OPTION_HEADING, .help = text \
    }

const struct option_row OPTIONS[] = {
    { "json", .argument = "pretty|short|off", .may_lack_argument = true, .kind = OPTION_OWN,
      .take = take_json, .help = "JSON" },
    { NULL, 'j', .kind = OPTION_OWN, .take = take_j,
      .help = "JSON, pretty on a terminal, else short" },
    WORD_OF("html", "FILE", html, .verb = "report",
            .help = "of report: a page to look at (- is standard output)"),
    { "capture", .argument = "FILE", .kind = OPTION_CAPTURE,
      .help = "look at a capture instead of this machine; given several\n"
              "times, the earlier ones are history (- is standard input)" },
    WORD_OF("sysfs-root", "DIR", sysfs_root, .help = "look at a copied tree: DIR/sys, DIR/proc"),
    WORD_OF("config", "FILE", config,
            .help = "judge by FILE instead of /etc/hbad/hbad.conf and its drop-ins,\n"
                    "which hold for this machine and not for a capture or a copy"),
    FLAG_OF("direct", direct, .help = "do not ask the daemon, which is asked where one runs"),
    FLAG_OF("daemon", daemon, .help = "ask the daemon and nothing else"),
    WORD_OF("socket", "PATH", socket, .help = "where it listens (" CLIENT_SOCKET ")"),
    FLAG_OF("service", service, .verb = "status", .help = "of status: of the daemon itself"),
    { "patience", .argument = "SECONDS", .kind = OPTION_OWN, .take = take_patience,
      .help = "how long to wait for a device that says nothing (20; 60\n"
              "while it is measured), and for the daemon (5)" },
    FLAG_OF("force", force,
            .help = "ask tapes and changers that are named for more than INQUIRY;\n"
                    "bench and probe: read named disks that sleep, and busy ones"),
    FLAG_OF("no-scrub", no_scrub, .help = "leave serial numbers, WWNs and names in a capture"),
    FLAG_OF("strict", strict, .help = "exit status 3 for what could not be judged, and for infos"),
    FLAG_OF("no-legend", style.no_legend, .help = "no head and no closing sentences"),
    { "help", 'h', .kind = OPTION_HELP, .help = "this text" },
    { "version", 'V', .kind = OPTION_OWN, .take = take_version, .help = "which version this is" },

    HEADING("Of history and ack:"),
    WORD_OF("since", "TIME", past.since, .verb = "history", .other = "report",
            .help = "2h, 3d, yesterday, 2026-11-30, \"2026-11-30 12:00\" (UTC);\n"
                    "of report --html, too (30d)"),
    WORD_OF("reason", "TEXT", past.reason, .verb = "ack", .help = "why it is no alarm"),
    FLAG_OF("withdraw", past.withdraw, .verb = "ack", .help = "take it back"),
    WORD_OF("code", "CODE", past.code, .verb = "ack",
            .help = "this finding only, else all of that name that are alarms"),
    WORD_OF("until", "TIME", past.until, .verb = "ack",
            .help = "until then, 7d from now or to the end of a day"),

    HEADING("Of check, a monitoring plugin, which asks the daemon unless --direct is given:"),
    WORD_OF("warning", "RANGE", check.warning, .letter = 'w', .verb = "check",
            .help = "judge a number by a range (10, 10:, ~:10, 10:20, @10:20)\n"
                    "instead of warnings"),
    WORD_OF("critical", "RANGE", check.critical, .letter = 'c', .verb = "check",
            .help = "the same; what is critical stays it"),
    WORD_OF("number", "NUMBER", check.number, .verb = "check",
            .help = "which one: links, up, down, below (default), capped, unknown,\n"
                    "critical, warning, info, unexamined, age"),
    WORD_OF("max-age", "SECONDS", check.max_age, .verb = "check",
            .help = "with an older report it is unknown (3600, or three rounds)"),
    WORD_OF("format", "nagios|checkmk", check.format, .verb = "check", .help = "for which system"),
    WORD_OF("timeout", "SECONDS", check.timeout, .letter = 't', .verb = "check",
            .help = "how long it may take (10)"),
    FLAG_OF("verbose", check.verbose, .letter = 'v', .verb = "check", .help = "infos, too"),

    HEADING("Of bench, which only reads:"),
    FLAG_OF("sweep", bench.sweep, .verb = "bench",
            .help = "blocks of 512 to 4M by all ways; without it, blocks of 1M"),
    WORD_OF("method", "METHOD,...", bench.methods, .verb = "bench",
            .help = "read-buffer, read-cached, read-media; each /sg, /sg-direct,\n"
                    "/sg-mmap, /bsg, /block-direct or /block-buffered"),
    WORD_OF("block", "SIZE,...", bench.blocks, .verb = "bench",
            .help = "bytes of one read; K, M, G are 1024"),
    WORD_OF("depth", "N,...", bench.depths, .verb = "bench",
            .help = "reads under way at a time (1)"),
    FLAG_OF("random", bench.random, .verb = "bench",
            .help = "at random places of the medium, blocks of 4K"),
    FLAG_OF("seeks", bench.seeks, .verb = "bench", .help = "that as well"),
    WORD_OF("memory", "hot|cold", bench.memory, .verb = "bench",
            .help = "one buffer again and again, or more than the cache holds"),
    WORD_OF("bytes", "SIZE", bench.bytes, .verb = "bench",
            .help = "how much for each line of the table"),
    WORD_OF("seconds", "S", bench.seconds, .verb = "bench",
            .help = "how long for each (2; 1 with --sweep)"),
    FLAG_OF("csv", bench.csv, .verb = "bench", .help = "as CSV"),
    FLAG_OF("chart", bench.chart, .verb = "bench", .help = "with bars"),
    WORD_OF("save", "FILE", bench.save, .verb = "bench",
            .help = "a capture with what was measured, for bench and compare"),
    { 0 },
};

enum { ROWS = ELEMENTS(OPTIONS) - 1 };

_Static_assert(ROWS <= 64, "request.given has a bit for each");

/* ---- for getopt_long() ---- its value of an option is FIRST and the number of its row, or its letter */

enum { FIRST = 256 };

struct forms {
    struct option longs[ROWS + 1];
    char shorts[2 * ROWS + 1];
};

static int argument_of(const struct option_row *row)
{
    return !row->argument           ? no_argument
           : row->may_lack_argument ? optional_argument
                                    : required_argument;
}

static struct forms forms_of_rows(void)
{
    struct forms f = { 0 };
    size_t n_longs = 0, n_shorts = 0;

    for (size_t i = 0; i < ROWS; i++) {
        if (OPTIONS[i].name)
            f.longs[n_longs++] = (struct option){ OPTIONS[i].name, argument_of(&OPTIONS[i]), NULL,
                                                  FIRST + (int)i };
        if (OPTIONS[i].letter)
            f.shorts[n_shorts++] = OPTIONS[i].letter;
        if (OPTIONS[i].letter && argument_of(&OPTIONS[i]) == required_argument)
            f.shorts[n_shorts++] = ':';
    }
    return f;
}

/* The number of the row; ROWS: there is none. */
static size_t row_of(int value)
{
    size_t i = 0;

    if (value >= FIRST)
        return (size_t)(value - FIRST);
    while (i < ROWS && OPTIONS[i].letter != value)
        i++;
    return i;
}

/* ---- taking them ---- */

bool options_keep(const struct option_row *row, const char *word, struct request *request,
                  const char **captures)
{
    char *member = (char *)request + row->offset;

    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)member = true;
        return true;
    case OPTION_WORD:
        *(const char **)(void *)member = word;
        return true;
    case OPTION_CAPTURE:
        captures[request->n_captures++] = word;
        return true;
    case OPTION_OWN:
    case OPTION_HELP:
    case OPTION_HEADING:
        break;
    }
    return false;
}

/* Returns -1 to go on, else an exit status. */
static int take(struct request *request, const struct option_row *row, const char *word,
                const char **captures, int (*usage)(FILE *out))
{
    if (options_keep(row, word, request, captures))
        return -1;
    return row->take ? row->take(request, word) : usage(stdout);
}

int options_take(int argc, char **argv, struct request *request, const char **captures,
                 int (*usage)(FILE *out))
{
    const struct forms forms = forms_of_rows();
    int value, status = -1;

    while (status != EXIT_WELL &&
           (value = getopt_long(argc, argv, forms.shorts, forms.longs, NULL)) >= 0) {
        size_t i = row_of(value);

        opterr = status < 0;
        if (status >= 0)
            continue;
        if (i == ROWS) { /* getopt_long() has said what is wrong */
            say("see hbactl --help");
            status = EXIT_USAGE;
        } else {
            request->given |= UINT64_C(1) << i;
            status = take(request, &OPTIONS[i], optarg, captures, usage);
        }
        opterr = status < 0;
    }
    if (status < 0 && request->n_captures && request->sysfs_root) {
        say("--capture and --sysfs-root exclude each other");
        status = EXIT_USAGE;
    }
    if (status < 0 && request->html && request->json) {
        say("--html and --json exclude each other");
        status = EXIT_USAGE;
    }
    return status;
}

bool options_is_for(const struct option_row *row, const char *verb)
{
    return !verb || !row->verb || text_same(row->verb, verb) || text_same(row->other, verb);
}

int options_check(const struct request *request, const char *verb)
{
    for (size_t i = 0; i < ROWS; i++) {
        const struct option_row *row = &OPTIONS[i];

        if (!(request->given & UINT64_C(1) << i) || options_is_for(row, verb))
            continue;
        say("--%s is for %s%s%s only", row->name, row->verb, row->other ? " and " : "",
            row->other ? row->other : "");
        return EXIT_USAGE;
    }
    return 0;
}
