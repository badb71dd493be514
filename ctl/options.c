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

/* Of an option that is more than a word or a yes: takes it. Returns -1 to go on, else an exit status. */
typedef int (*taker)(struct request *request, const char *word);

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

enum kind {
    FLAG, /* a bool of the request */
    WORD, /* a const char * of it */
    OWN,  /* `take` */
    CAPTURE,
    HELP,
};

/* An option without a long name has NULL for it, one without a short one 0. */
struct row {
    const char *name;
    char letter;
    enum kind kind;
    size_t offset; /* FLAG, WORD */
    taker take;
    int argument;      /* OWN: as getopt_long(3) has it */
    const char *verb;  /* that understands it; NULL: more than two do */
    const char *other; /* and this one; NULL: no other does */
};

#define FLAG_OF(name, member, ...)                                                  \
    {                                                                               \
        name, .kind = FLAG, .offset = offsetof(struct request, member), __VA_ARGS__ \
    }
#define WORD_OF(name, member, ...)                                      \
    {                                                                   \
        name, .kind = WORD, .offset = offsetof(struct request, member), \
              .argument = required_argument, __VA_ARGS__                \
    }

static const struct row ROWS[] = {
    { "json", .kind = OWN, .take = take_json, .argument = optional_argument },
    { NULL, 'j', .kind = OWN, .take = take_j },
    { "capture", .kind = CAPTURE, .argument = required_argument },
    WORD_OF("sysfs-root", sysfs_root),
    WORD_OF("config", config),
    FLAG_OF("direct", direct),
    FLAG_OF("daemon", daemon),
    WORD_OF("socket", socket),
    FLAG_OF("service", service, .verb = "status"),
    { "patience", .kind = OWN, .take = take_patience, .argument = required_argument },
    FLAG_OF("force", force),
    FLAG_OF("no-scrub", no_scrub),
    FLAG_OF("strict", strict),
    FLAG_OF("no-legend", style.no_legend),
    { "help", 'h', .kind = HELP },
    { "version", 'V', .kind = OWN, .take = take_version },
    WORD_OF("html", html, .verb = "report"),
    WORD_OF("since", past.since, .verb = "history", .other = "report"),
    WORD_OF("reason", past.reason, .verb = "ack"),
    WORD_OF("code", past.code, .verb = "ack"),
    WORD_OF("until", past.until, .verb = "ack"),
    FLAG_OF("withdraw", past.withdraw, .verb = "ack"),
    WORD_OF("warning", check.warning, .letter = 'w', .verb = "check"),
    WORD_OF("critical", check.critical, .letter = 'c', .verb = "check"),
    WORD_OF("number", check.number, .verb = "check"),
    WORD_OF("max-age", check.max_age, .verb = "check"),
    WORD_OF("format", check.format, .verb = "check"),
    WORD_OF("timeout", check.timeout, .letter = 't', .verb = "check"),
    FLAG_OF("verbose", check.verbose, .letter = 'v', .verb = "check"),
    FLAG_OF("sweep", bench.sweep, .verb = "bench"),
    WORD_OF("method", bench.methods, .verb = "bench"),
    WORD_OF("block", bench.blocks, .verb = "bench"),
    WORD_OF("depth", bench.depths, .verb = "bench"),
    FLAG_OF("random", bench.random, .verb = "bench"),
    FLAG_OF("seeks", bench.seeks, .verb = "bench"),
    WORD_OF("memory", bench.memory, .verb = "bench"),
    WORD_OF("bytes", bench.bytes, .verb = "bench"),
    WORD_OF("seconds", bench.seconds, .verb = "bench"),
    FLAG_OF("csv", bench.csv, .verb = "bench"),
    FLAG_OF("chart", bench.chart, .verb = "bench"),
    WORD_OF("save", bench.save, .verb = "bench"),
};

_Static_assert(ELEMENTS(ROWS) <= 64, "request.given has a bit for each");

/* ---- for getopt_long() ---- its value of an option is FIRST and the number of its row, or its letter */

enum { FIRST = 256 };

struct forms {
    struct option longs[ELEMENTS(ROWS) + 1];
    char shorts[2 * ELEMENTS(ROWS) + 1];
};

static struct forms forms_of_rows(void)
{
    struct forms f = { 0 };
    size_t n_longs = 0, n_shorts = 0;

    for (size_t i = 0; i < ELEMENTS(ROWS); i++) {
        if (ROWS[i].name)
            f.longs[n_longs++] = (struct option){ ROWS[i].name, ROWS[i].argument, NULL,
                                                  FIRST + (int)i };
        if (ROWS[i].letter)
            f.shorts[n_shorts++] = ROWS[i].letter;
        if (ROWS[i].letter && ROWS[i].argument)
            f.shorts[n_shorts++] = ':';
    }
    return f;
}

/* The number of the row; ELEMENTS(ROWS): there is none. */
static size_t row_of(int value)
{
    size_t i = 0;

    if (value >= FIRST)
        return (size_t)(value - FIRST);
    while (i < ELEMENTS(ROWS) && ROWS[i].letter != value)
        i++;
    return i;
}

/* ---- taking them ---- */

/* Returns -1 to go on, else an exit status. */
static int take(struct request *request, const struct row *row, const char *word,
                const char **captures, int (*usage)(FILE *out))
{
    char *member = (char *)request + row->offset;

    switch (row->kind) {
    case FLAG:
        *(bool *)member = true;
        break;
    case WORD:
        *(const char **)(void *)member = word;
        break;
    case CAPTURE:
        captures[request->n_captures++] = word;
        break;
    case OWN:
        return row->take(request, word);
    case HELP:
        return usage(stdout);
    }
    return -1;
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
        if (i == ELEMENTS(ROWS)) { /* getopt_long() has said what is wrong */
            say("see hbactl --help");
            status = EXIT_USAGE;
        } else {
            request->given |= UINT64_C(1) << i;
            status = take(request, &ROWS[i], optarg, captures, usage);
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

int options_check(const struct request *request, const char *verb)
{
    for (size_t i = 0; i < ELEMENTS(ROWS); i++) {
        const struct row *row = &ROWS[i];

        if (!(request->given & UINT64_C(1) << i) || !row->verb || text_same(row->verb, verb) ||
            text_same(row->other, verb))
            continue;
        say("--%s is for %s%s%s only", row->name, row->verb, row->other ? " and " : "",
            row->other ? row->other : "");
        return EXIT_USAGE;
    }
    return 0;
}
