/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbactl: what its files share.
 */
#pragma once

#include "config/config.h"
#include "diagnose/diagnose.h"
#include "diagnose/disks.h"
#include "diagnose/resolve.h"
#include "output/output.h"
#include "source/store.h"

/* Exit status (DESIGN: the monitoring plugins' codes for status and check; 64 for usage, but of check, which plugins'
 * rules give no other one than EXIT_UNSEEN). */
enum { EXIT_WELL = 0, EXIT_WARNING = 1, EXIT_CRITICAL = 2, EXIT_UNSEEN = 3, EXIT_USAGE = 64 };
enum { EXIT_DIFFERENT = 1, EXIT_TROUBLE = 2 }; /* of compare, as of diff(1) */

enum json_mode { JSON_OFF, JSON_SHORT, JSON_PRETTY };

/* While reads are timed, unless --patience says otherwise: hbad-collect itself gives a device up after 45 s, and goes on with the
 * others. */
enum { PATIENCE_OF_READS_S = 60 };

/* For an answer of the daemon, unless --patience says otherwise: it has all in memory, so this is a hundred times what it
 * needs on a machine that does nothing else. */
enum { PATIENCE_OF_DAEMON_S = 5 };

/* What is asked of a bench, as it was typed; NULL: the default. */
struct bench_words {
    const char *methods, *blocks, *depths, *bytes, *seconds, *memory;
    const char *save; /* the file that gets a capture with it */
    bool sweep, random, seeks, csv, chart;
};

/* What is asked of history and ack, as it was typed; NULL: nothing. */
struct past_words {
    const char *since;                 /* of history and report --html */
    const char *code, *reason, *until; /* of ack */
    bool withdraw;
};

/* What is asked of check, as it was typed; NULL: nothing. */
struct check_words {
    const char *warning, *critical, *number, *format, *max_age, *timeout;
    bool verbose;
};

/* What the command line asks for. */
struct request {
    uint64_t given;              /* which options, as options.c counts them */
    const char *const *captures; /* --capture, in order; the last is judged */
    size_t n_captures;
    const char *sysfs_root;
    const char *config; /* --config; NULL: none was given */
    enum json_mode json;
    const char *socket; /* --socket: where the daemon listens */
    const char *
        html; /* --html, of report: the file that gets it, "-" for standard output; NULL: no page */
    bool direct, daemon; /* --direct: it is not asked; --daemon: nothing else is */
    bool service;        /* --service, of status */
    bool strict, no_scrub, force;
    struct bench_words bench;
    struct past_words past;
    struct check_words check;
    unsigned patience_s;           /* how long to wait for a device without a word */
    unsigned patience_of_reads_s;  /* the same while reads are timed */
    unsigned patience_of_daemon_s; /* for each answer of the daemon */
    struct text_style style;
    const char *const *words; /* behind the verb */
    int n_words;
    FILE *out; /* where verbs print: standard output, or text until it is looked over */
    char *text;
    size_t text_size;
};

/* ---- screen.c: what is said and printed ---- */

/* One line on standard error, "hbactl: " before it. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Opens request->out. Returns 0 or a negative errno. */
int screen_open(struct request *request);

/* Prints what was written to request->out. Returns the exit status; `failed` where it could not be printed. */
int screen_close(struct request *request, int status, int failed);

/* Where the program was started without one of the three standard files, so that no other file takes its
 * number: one that gives and takes nothing. */
void open_standard_files(void);

/* ---- config.c: what the administrator says ---- */

/* What counts for the request: the file it names; else this machine's files where it looks at this machine;
 * else nothing. What is wrong with files is said on standard error, and what could not be read stays as
 * it is without it. Returns 0 or -ENOMEM; config_done() releases it in either case. */
int load_config(const struct request *request, struct config *ret);

/* ---- load.c: where reports come from ---- */

/* The store behind a report, for `capture`; or the report itself. Both say on standard error what was
 * wrong, and return 0 or a negative errno; load_store() 1 where not all could be read. `named` may be
 * NULL. */
int load_report(const struct request *request, enum level level, const char *named,
                struct report **ret);
int load_store(const struct request *request, enum level level, struct store **ret);

/* As load_report(), of all that can be asked; and what the earlier captures say, NULL where there are none. */
int load_report_and_past(const struct request *request, struct report **ret,
                         struct history **ret_past);

/* The report of a store. Says on standard error what was wrong. Returns 0 or a negative errno. */
int judge_store(const struct request *request, const struct store *store, struct report **ret);

/* ---- collect.c: this machine, through hbad-collect ---- */

/* Notes of what went wrong on the way, as texts that the caller frees. */
struct notes {
    char **v;
    size_t n;
    size_t unexamined; /* adapters of which not all could be read */
};
int note(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void notes_done(struct notes *notes);

/* Collects all adapters into the store, several at a time. `config`: the file that --config names, NULL for the machine's. A collector that says nothing for
 * `patience_s` is given up: what it sent is kept, and the device it was at gets an answer that says so.
 * Returns 0 or a negative errno. */
int collect_machine(struct store *store, enum level level, const char *config, const char *named,
                    bool forced, unsigned patience_s, struct notes *notes);

/* ---- capture.c ---- */

/* Writes the store into a file, scrubbed unless the request says otherwise (then it is another store), and says what is
 * in it now. Returns 0 or a negative errno, which it has said. */
int save_store(const struct request *request, struct store **store, const char *path);

/* ---- file.c: files that are written whole or not at all ---- */

/* Writes what `write` (0 or a negative errno) gives into a file, which takes the place of an old one when it is complete. Returns
 * 0 or a negative errno, which it has said. */
int write_file(const char *path, int (*write)(const void *userdata, FILE *out),
               const void *userdata);

/* Can write_file() write there, as far as can be told before? For what takes long until there is something to write.
 * Returns 0 or a negative errno, which it has said. */
int check_file(const char *path);

/* ---- resolve.c: what a person types, as this machine has it (diagnose/resolve.h has the rest) ---- */

/* The name, or on this machine what a path leads to: /dev/disk/by-id/… is a link. *ret_buffer is to be freed. */
const char *resolve_live_name(const char *name, char **ret_buffer);

/* The devices that the request's words name, none twice: devices themselves, and the disks of hosts and behind links. Those
 * that a word names as such are in `ret_named`, too (may be NULL). Says what is wrong. Returns 0, -ENODEV where a word names
 * none, or -ENOMEM; each v is to be freed in either case. */
int resolve_words(const struct request *request, const struct report *report, struct devices *ret,
                  struct devices *ret_named);

/* H:C:T:L of a name on this machine, by sysfs links only, into a buffer; NULL where it is not found. */
const char *resolve_live_hctl(const char *name, char *buffer, size_t size);

/* ---- verbs ---- each returns an exit status */

int verb_status(const struct request *request);
int verb_list(const struct request *request);
int verb_findings(const struct request *request);
int verb_show(const struct request *request);
int verb_explain(const struct request *request);
int verb_compare(const struct request *request);
int verb_report(const struct request *request);
int verb_capture(const struct request *request);
int verb_bench(const struct request *request);
int verb_probe(const struct request *request);
int verb_metrics(const struct request *request);
int verb_monitor(const struct request *request);
int verb_reload(const struct request *request);
int verb_history(const struct request *request);
int verb_ack(const struct request *request);
int verb_check(const struct request *request);
int verb_cat_config(const struct request *request);
int verb_complete(const struct request *request);

/* The exit status of check where its command line is wrong, which was said: and says so as plugins do, too. */
int check_usage(void);

/* A time on the command line, as base/when.h has it. Says what is wrong. Returns 0 or -EINVAL. (past.c) */
int parse_when(const char *option, const char *text, bool is_ahead, uint64_t *ret_seconds);

/* report --html (page.c) */
int page_report(const struct request *request);

/* status --service */
int verb_service(const struct request *request);
