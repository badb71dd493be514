/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who knows of which finding, and the method Acknowledge (manager.h).
 *
 * An acknowledgement is of one finding, by its key. It ends at its time, when it is taken back, or with its finding: one that comes
 * back later is news again. What is acknowledged is judged so at once; that it is on the disk is answered
 * when it is, or that it is not.
 */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "answer/named.h"
#include "base/json_write.h"
#include "base/text.h"
#include "daemon/client.h"
#include "daemon/manager.h"

#define INTERFACE "io.hbad.monitor"

enum {
    FINDINGS_MAX = 256, /* acknowledged by one call */
};

/* ---- the list ---- */

static int copy(struct acknowledgements *to, struct arena *arena, const struct acknowledgement *a)
{
    struct acknowledgement c = *a;

    c.key = arena_strdup(arena, a->key);
    c.reason = arena_strdup(arena, a->reason);
    c.by = arena_strdup(arena, a->by ? a->by : "somebody");
    return c.key && c.reason && c.by ? vec_push(&to->list, c) : -ENOMEM;
}

/* Without what is not wanted any more, and so without its texts. */
int acknowledge_add(struct manager *m, const struct acknowledgement *a)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct acknowledgements all = { 0 };
    int r = arena ? 0 : -ENOMEM;

    for (size_t i = 0; r == 0 && i < m->acknowledged.list.n; i++)
        if (strcmp(m->acknowledged.list.v[i].key, a->key) != 0)
            r = copy(&all, arena, &m->acknowledged.list.v[i]);
    if (r == 0 && a->reason)
        r = copy(&all, arena, a);
    if (r < 0) {
        free(all.list.v);
        return r;
    }
    acknowledge_forget(m);
    m->acknowledged = all;
    m->acknowledged_texts = TAKE_PTR(arena);
    return 0;
}

void acknowledge_forget(struct manager *m)
{
    free(m->acknowledged.list.v);
    m->acknowledged = (struct acknowledgements){ 0 };
    m->acknowledged_texts = arena_free(m->acknowledged_texts);
}

/* Into the list and the memory. */
static int put(struct manager *m, const struct acknowledgement *a)
{
    int r = acknowledge_add(m, a);

    if (r == 0)
        memory_acknowledge(m, a);
    return r;
}

void acknowledge_cleared(struct manager *m, const struct tracked *t)
{
    _cleanup_free_ char *key = finding_key(t->entry->code, t->subject);

    for (size_t i = 0; key && i < m->acknowledged.list.n; i++)
        if (strcmp(m->acknowledged.list.v[i].key, key) == 0) {
            put(m, &(struct acknowledgement){ .key = key });
            return;
        }
}

uint64_t acknowledge_next_end(const struct manager *m, uint64_t wall_us)
{
    uint64_t soonest = UINT64_MAX;

    for (size_t i = 0; i < m->acknowledged.list.n; i++) {
        uint64_t until_us = m->acknowledged.list.v[i].until_us;

        if (until_us > wall_us && until_us < soonest)
            soonest = until_us;
    }
    return soonest;
}

/* ---- who ---- */

/* The name of the user. Of the file alone: other ways to ask (nss(5)) may wait for a network, and so would the loop. */
static void name_user(uid_t uid, char *name, size_t size)
{
    FILE *users = fopen("/etc/passwd", "re");
    const struct passwd *u;

    snprintf(name, size, "uid %u", uid);
    while (users && (u = fgetpwent(users)))
        if (u->pw_uid == uid) {
            snprintf(name, size, "%s", u->pw_name);
            break;
        }
    if (users)
        fclose(users);
}

/* ---- the answer ---- */

/* A call that waits for its last record to be on the disk. */
struct acknowledging {
    char *text;         /* of the findings, JSON */
    char *key, *reason; /* of the last record */
};

static void acknowledging_free(struct acknowledging *a)
{
    free(a->text);
    free(a->key);
    free(a->reason);
    free(a);
}

static void write_finding(struct json_writer *w, const struct finding *f, bool is_quiet)
{
    json_write_begin_object(w);
    json_write_text_member(w, "code", f->entry->code);
    json_write_text_member(w, "summary", f->summary);
    json_write_bool_member(w, "is_quiet", is_quiet);
    json_write_end_object(w);
}

/* Which findings, as an array; NULL without memory. */
static char *findings_text(struct finding *const *findings, size_t n)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct json_writer w;

    if (!out)
        return NULL;
    w = json_writer(out, false);
    json_write_begin_array(&w);
    for (size_t i = 0; i < n; i++)
        write_finding(&w, findings[i], findings[i]->entry->flags & CATALOG_CAN_BE_KNOWN);
    json_write_end_array(&w);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static void write_answer(FILE *out, const char *findings, bool is_kept)
{
    varlink_begin(out);
    fprintf(out, "{\"findings\":%s,\"is_kept\":%s}", findings, is_kept ? "true" : "false");
    varlink_end(out, NULL, false);
}

/* Is the last record there as it was put in? */
static bool is_kept(const struct acknowledging *a, const struct history_answer *answer)
{
    for (size_t i = 0; answer && i < answer->acknowledgements.n; i++)
        if (strcmp(answer->acknowledgements.v[i].key, a->key) == 0)
            return text_same(answer->acknowledgements.v[i].reason, a->reason);
    return answer && !a->reason;
}

static void answered(void *userdata, struct client *client, const struct history_answer *answer,
                     int error)
{
    struct acknowledging *a = userdata;
    struct buffer_writer w;
    struct buffer *message = NULL;

    (void)error;
    if (client && buffer_open(&w) == 0) {
        write_answer(w.out, a->text, is_kept(a, answer));
        message = buffer_close(&w);
    }
    if (message)
        client_send(client, message, true);
    buffer_unref(message);
    acknowledging_free(a);
}

/* ---- the method ---- */

const struct varlink_argument ACKNOWLEDGE_ARGUMENTS[] = {
    VARLINK_NEEDED(acknowledge_arguments, name, VARLINK_STRING),
    VARLINK_OPTIONAL(acknowledge_arguments, code, VARLINK_STRING),
    VARLINK_OPTIONAL(acknowledge_arguments, reason, VARLINK_STRING),
    VARLINK_OPTIONAL(acknowledge_arguments, until, VARLINK_INT),
    { 0 },
};

static const char *wrong_argument(const struct manager *m, const struct acknowledge_arguments *a)
{
    if (a->reason && !acknowledgement_is_reason(a->reason))
        return "reason";
    if (a->until && (a->until < 0 || !a->reason || a->until > INT64_MAX / 1000000 ||
                     (uint64_t)a->until * 1000000 <= judge_wall(m)))
        return "until";
    return NULL;
}

/* Those that are meant: without a code not what is no alarm anyway. To take back: those that are acknowledged. */
static size_t choose(const struct manager *m, const struct acknowledge_arguments *a,
                     struct finding **ret)
{
    size_t n = named_findings(m->report, a->name, a->code, ret, FINDINGS_MAX), kept = 0;

    for (size_t i = 0; i < n && i < FINDINGS_MAX; i++) {
        const struct finding *f = ret[i];

        if (a->reason ? a->code || f->known || f->severity > SEVERITY_INFO : f->known != NULL)
            ret[kept++] = ret[i];
    }
    return kept;
}

static int put_all(struct manager *m, struct finding *const *findings, size_t n,
                   const struct acknowledgement *how, char **ret_key)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < n; i++) {
        const struct finding *f = findings[i];
        struct acknowledgement a = *how;

        free(*ret_key);
        *ret_key = finding_key(f->entry->code, f->subjects.n ? f->subjects.v[0] : "");
        a.key = *ret_key;
        r = a.key ? put(m, &a) : -ENOMEM;
    }
    return r;
}

static int acknowledge_findings(struct client *client, const struct acknowledge_arguments *args,
                                struct finding *const *findings, size_t n, FILE *out)
{
    struct manager *m = client_userdata(client);
    struct acknowledging *a = calloc(1, sizeof(*a));
    char by[64];
    struct acknowledgement how = { .reason = args->reason };
    struct query_record query = { .most = 1 };
    int r = a ? 0 : -ENOMEM;

    if (r < 0)
        return r;
    name_user(client_uid(client), by, sizeof(by));
    if (args->reason) {
        how.by = by;
        how.at_us = judge_wall(m);
        how.until_us = (uint64_t)args->until * 1000000;
    }
    a->text = findings_text(findings, n);
    a->reason = args->reason ? strdup(args->reason) : NULL;
    r = a->text && !a->reason == !args->reason ? put_all(m, findings, n, &how, &a->key) : -ENOMEM;
    if (r == 0) {
        manager_judge_now(m);
        /* What is asked is answered when all that was put in before it is on the disk. */
        query.id = a->key;
        r = memory_ask(m, client, &query, answered, a);
        if (r == 0)
            return VARLINK_DEFERRED;
        write_answer(out, a->text, false);
        r = VARLINK_REPLIED;
    }
    acknowledging_free(a);
    return r;
}

int acknowledge(void *client, const struct varlink_call *call, const void *arguments, FILE *out)
{
    const struct acknowledge_arguments *a = arguments;
    struct manager *m = client_userdata(client);
    struct finding *findings[FINDINGS_MAX];
    size_t n;

    (void)call;
    if (!client_may_change(client, m->group)) {
        varlink_error(out, "org.varlink.service.PermissionDenied", NULL, NULL);
        return VARLINK_REPLIED;
    }
    if (method_is_refused(m, wrong_argument(m, a), out))
        return VARLINK_REPLIED;
    n = choose(m, a, findings);
    if (!n) {
        varlink_error(out, INTERFACE ".NoSuchFinding", "name", a->name);
        return VARLINK_REPLIED;
    }
    return acknowledge_findings(client, a, findings, n, out);
}
