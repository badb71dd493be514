/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The method Check: what hbactl check prints, made here (manager.h), for it is the report that is judged, and a line or two that
 * go over the socket each minute of each monitoring system.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "answer/check.h"
#include "base/json_write.h"
#include "daemon/manager.h"

#define INTERFACE "io.hbad.monitor"
#define HOUR_US   (UINT64_C(3600) * 1000000)

enum {
    NAMES_MAX = 64,
    ROUNDS_LATE =
        3, /* so many rounds of the watcher may be missing, where those take longer than an hour */
    MAX_AGE_MOST = 366 * 86400,
};

const struct varlink_argument CHECK_ARGUMENTS[] = {
    VARLINK_NEEDED(check_arguments, names, VARLINK_STRINGS),
    VARLINK_OPTIONAL(check_arguments, number, VARLINK_STRING),
    VARLINK_OPTIONAL(check_arguments, warning, VARLINK_STRING),
    VARLINK_OPTIONAL(check_arguments, critical, VARLINK_STRING),
    VARLINK_OPTIONAL(check_arguments, format, VARLINK_STRING),
    VARLINK_OPTIONAL(check_arguments, verbose, VARLINK_BOOL),
    VARLINK_OPTIONAL(check_arguments, strict, VARLINK_BOOL),
    VARLINK_OPTIONAL(check_arguments, max_age, VARLINK_INT),
    { 0 },
};

/* Older than that, a report is not what it says it is. */
static uint64_t max_age(const struct manager *m, const struct check_arguments *a)
{
    uint64_t late_us = ROUNDS_LATE * m->config.daemon.watch_us;

    if (a->max_age)
        return (uint64_t)a->max_age * 1000000;
    return late_us > HOUR_US ? late_us : HOUR_US;
}

static const char *wrong_argument(const struct check_arguments *a,
                                  const struct check_options *options)
{
    if (a->names.n > NAMES_MAX)
        return "names";
    if (a->max_age < 0 || a->max_age > MAX_AGE_MOST)
        return "max_age";
    if (a->format && strcmp(a->format, "nagios") != 0 && strcmp(a->format, "checkmk") != 0)
        return "format";
    return check_wrong_option(options);
}

static void write_reply(int status, const char *text, size_t len, FILE *out)
{
    struct json_writer writer = json_writer(out, false), *w = &writer;

    varlink_begin(out);
    json_write_begin_object(w);
    json_write_u64_member(w, "status", (uint64_t)status);
    json_write_key(w, "text");
    text_pieces(w, text, len);
    json_write_end_object(w);
    varlink_end(out, NULL, false);
}

int check_method(void *client, const struct varlink_call *call, const void *arguments, FILE *out)
{
    const struct check_arguments *a = arguments;
    const struct manager *m = client_userdata(client);
    const struct check_options options = {
        .names = a->names.v,
        .n_names = a->names.n,
        .number = a->number,
        .warning = a->warning,
        .critical = a->critical,
        .is_checkmk = a->format && strcmp(a->format, "checkmk") == 0,
        .is_verbose = a->verbose,
        .is_strict = a->strict,
        .now_us = m->captures ? judge_wall(m) : manager_wall(m),
        .max_age_us = max_age(m, a),
    };
    const char *wrong = wrong_argument(a, &options);
    _cleanup_free_ char *text = NULL;
    size_t len;
    FILE *printed;
    int status;

    (void)call;
    if (method_is_refused(m, wrong, out))
        return VARLINK_REPLIED;
    printed = open_memstream(&text, &len);
    if (!printed)
        return -ENOMEM;
    status = check(m->report, &options, printed);
    if (fclose(printed) != 0 || status < 0)
        return -ENOMEM;
    write_reply(status, text, len, out);
    return VARLINK_REPLIED;
}
