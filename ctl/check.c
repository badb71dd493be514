/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbactl check: a monitoring plugin (answer/check.h). Its one line goes to standard output whatever happens, and
 * what is wrong with the checking is "unknown", as a wrong command line is: monitoring systems know no other exit status.
 *
 * Where hbad is to be asked and cannot be, that is unknown: looking without it would forget what only it remembers, and
 * a link that is lost would be well again because hbad is down.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "answer/check.h"
#include "base/number.h"
#include "base/text.h"
#include "ctl/ask.h"
#include "wire/reply.h"

enum { TIMEOUT_S = 10 }; /* as plugins have it; Nagios itself ends them after 60 */

int check_usage(void)
{
    puts("HBAD UNKNOWN - the command line is wrong: hbactl --help");
    return EXIT_UNSEEN;
}

/* ---- the time limit ---- */

/* What is said when the time is over, and nothing more is. */
struct limit {
    timer_t timer;
    char *text;
    size_t n;
};

static void on_timeout(int signal, siginfo_t *info, void *context)
{
    const struct limit *l = info->si_value.sival_ptr;
    ssize_t written = write(STDOUT_FILENO, l->text, l->n);

    (void)signal;
    (void)context;
    (void)written; /* where nobody listens, there is nothing else to say */
    _exit(EXIT_UNSEEN);
}

/* Returns 0 or a negative errno. */
static int limit_begin(struct limit *l, uint64_t seconds)
{
    struct sigaction action = { .sa_sigaction = on_timeout, .sa_flags = SA_SIGINFO };
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
                              .sigev_signo = SIGALRM,
                              .sigev_value.sival_ptr = l };
    struct itimerspec when = { .it_value.tv_sec = (time_t)seconds };

    if (sigaction(SIGALRM, &action, NULL) < 0 ||
        timer_create(CLOCK_MONOTONIC, &event, &l->timer) < 0)
        return -errno;
    return timer_settime(l->timer, 0, &when, NULL) < 0 ? -errno : 0;
}

static void limit_end(struct limit *l)
{
    timer_delete(l->timer);
    free(l->text);
}

/* ---- what was typed ---- */

static int take_seconds(const char *option, const char *word, uint64_t *ret)
{
    enum { YEAR_S = 366 * 86400 };

    if (!word || (number_u64(word, 10, ret) == 0 && *ret && *ret <= YEAR_S))
        return 0;
    say("%s %s: not a number of seconds from 1 to %d", option, word, YEAR_S);
    return -EINVAL;
}

static int say_wrong(const struct check_options *o, const char *what)
{
    if (strcmp(what, "number") == 0)
        say("--number %s: there is none of that name; hbactl --help lists them", o->number);
    else
        say("--%s %s: no range, which is like 10, 10:, ~:10, 10:20 or @10:20", what,
            strcmp(what, "warning") == 0 ? o->warning : o->critical);
    return -EINVAL;
}

/* Says what is wrong. Returns 0 or -EINVAL. */
static int take_options(const struct request *request, struct check_options *o, uint64_t *timeout_s)
{
    const struct check_words *words = &request->check;
    uint64_t max_age_s = 0;
    const char *wrong;

    *o = (struct check_options){
        .number = words->number,
        .warning = words->warning,
        .critical = words->critical,
        .is_checkmk = text_same(words->format, "checkmk"),
        .is_verbose = words->verbose,
        .is_strict = request->strict,
    };
    wrong = check_wrong_option(o);
    if (wrong)
        return say_wrong(o, wrong);
    if (words->format && !o->is_checkmk && strcmp(words->format, "nagios") != 0) {
        say("--format %s: nagios or checkmk", words->format);
        return -EINVAL;
    }
    if (request->json) {
        say("check has a form of its own, and no JSON: report --json has all there is");
        return -EINVAL;
    }
    if (take_seconds("-t", words->timeout, timeout_s) < 0 ||
        take_seconds("--max-age", words->max_age, &max_age_s) < 0)
        return -EINVAL;
    o->max_age_us = max_age_s * 1000000;
    return 0;
}

/* What a path leads to. A volume of LVM is known by its path, and what that leads to has no name in a report. */
static const char *name_of(const char *word, bool is_live, char **ret_buffer)
{
    const char *name = is_live ? resolve_live_name(word, ret_buffer) : word;

    return text_starts_with(path_last(name), "dm-") ? word : name;
}

/* ---- hbad's answer ---- */

static char *arguments_of(const struct check_options *o)
{
    struct arguments a;

    if (arguments_begin(&a) < 0)
        return NULL;
    arguments_put_names(&a, o->names, o->n_names);
    arguments_put(&a, "number", o->number);
    arguments_put(&a, "warning", o->warning);
    arguments_put(&a, "critical", o->critical);
    arguments_put(&a, "format", o->is_checkmk ? "checkmk" : NULL);
    json_write_bool_member(&a.w, "verbose", o->is_verbose);
    json_write_bool_member(&a.w, "strict", o->is_strict);
    if (o->max_age_us)
        json_write_u64_member(&a.w, "max_age", o->max_age_us / 1000000);
    return arguments_end(&a);
}

/* Prints the reply. Returns the exit status, or -EBADMSG. */
static int print_reply(const struct request *request, struct bytes parameters)
{
    enum { STATUS, TEXT, MEMBERS };
    static const char *const NAMES[MEMBERS] = { "status", "text" };
    struct bytes found[MEMBERS] = { 0 };
    uint64_t status = 0;
    int r = varlink_members(parameters, NAMES, MEMBERS, found);

    if (r == 0)
        r = varlink_count(found[STATUS], &status);
    if (r == 0 && (!found[STATUS].len || !found[TEXT].len || status > PLUGIN_UNKNOWN))
        r = -EBADMSG;
    if (r == 0)
        r = varlink_print_text(found[TEXT], request->out);
    return r < 0 ? r : (int)status;
}

static int unknown(const struct request *request, const struct check_options *o, char *why)
{
    check_without_report(o, why ? why : "out of memory", request->out);
    free(why);
    return EXIT_UNSEEN;
}

static int check_by_daemon(const struct request *request, const struct check_options *o)
{
    _cleanup_(client_freep) struct client *client = NULL;
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    _cleanup_free_ char *arguments = arguments_of(o);
    struct varlink_reply reply = { 0 };
    int r = arena && arguments ? 0 : -ENOMEM;

    if (r == 0)
        r = client_open(request->socket, request->patience_of_daemon_s, &client);
    if (r == 0)
        r = client_call(client, "io.hbad.monitor.Check", arguments, false);
    if (r == 0)
        r = client_reply(client, ask_patience_us(request), arena, &reply);
    if (r == 0 && reply.error)
        return unknown(request, o, ask_error(&reply));
    if (r == 0)
        r = print_reply(request, reply.parameters);
    return r < 0 ? unknown(request, o, ask_failure(request, r)) : r;
}

/* ---- an answer made here ---- */

static int check_here(const struct request *request, const struct check_options *o)
{
    _cleanup_(report_freep) struct report *report = NULL;
    int r = load_report(request, LEVEL_ALL, NULL, &report);

    if (r == 0)
        r = check(report, o, request->out);
    return r < 0 ? unknown(request, o, strdup("nothing could be looked at")) : r;
}

static int check_in_time(const struct request *request, const struct check_options *o,
                         uint64_t timeout_s)
{
    struct limit limit = { 0 };
    char why[64];
    FILE *out = open_memstream(&limit.text, &limit.n);
    int r = out ? 0 : -ENOMEM;

    if (r < 0)
        return unknown(request, o, NULL);
    snprintf(why, sizeof(why), "no answer within %llu s", (unsigned long long)timeout_s);
    check_without_report(o, why, out);
    r = fclose(out) == 0 ? limit_begin(&limit, timeout_s) : -ENOMEM;
    if (r < 0) {
        free(limit.text);
        return unknown(request, o, ask_failure(request, r));
    }
    r = !ask_obstacle(request) ? check_by_daemon(request, o) : check_here(request, o);
    limit_end(&limit);
    return r;
}

int verb_check(const struct request *request)
{
    bool is_live = !request->n_captures && !request->sysfs_root;
    size_t n = (size_t)request->n_words;
    _cleanup_free_ const char **names = calloc(n + 1, sizeof(*names));
    _cleanup_free_ char **buffers = calloc(n + 1, sizeof(*buffers));
    struct check_options o;
    uint64_t timeout_s = TIMEOUT_S;
    int status;

    if (take_options(request, &o, &timeout_s) < 0)
        return EXIT_USAGE;
    for (size_t i = 0; names && buffers && i < n; i++)
        names[i] = name_of(request->words[i], is_live, &buffers[i]);
    o.names = names;
    o.n_names = names && buffers ? n : 0;
    status = names && buffers ? check_in_time(request, &o, timeout_s) : unknown(request, &o, NULL);
    for (size_t i = 0; buffers && i < n; i++)
        free(buffers[i]);
    return status;
}
