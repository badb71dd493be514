/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who asks for probes, and what is answered (probes.h). A request waits for a result of each of its devices, whichever run brings
 * it; those that none has brought yet get runs of their own, one adapter after the other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/probes.h"
#include "diagnose/disks.h"
#include "diagnose/resolve.h"

#define INTERFACE "io.hbad.monitor"

enum {
    REQUESTS_MAX = 16, /* at a time: each may keep adapters busy for a while */
    NAMES_MAX = 256,   /* of one request: each is looked for in the whole report */
    COLUMNS_MAX = 10000,
};

const struct varlink_argument PROBE_METHOD_ARGUMENTS[] = {
    VARLINK_NEEDED(probe_arguments, names, VARLINK_STRINGS),
    VARLINK_OPTIONAL(probe_arguments, force, VARLINK_BOOL),
    VARLINK_OPTIONAL(probe_arguments, columns, VARLINK_INT),
    VARLINK_OPTIONAL(probe_arguments, utf8, VARLINK_BOOL),
    VARLINK_OPTIONAL(probe_arguments, colour, VARLINK_BOOL),
    VARLINK_OPTIONAL(probe_arguments, no_legend, VARLINK_BOOL),
    { 0 },
};

static void request_free(struct probe_request *q)
{
    if (!q)
        return;
    free(q->wanted.v);
    free(q->notes.v);
    arena_free(q->arena);
    free(q);
}

static void ask_for_answer(struct probes *p)
{
    sd_event_source_set_enabled(p->answer, SD_EVENT_ONESHOT);
}

/* ---- results ---- */

/* Tells who wants to know of each device that one is done. */
static void tell(struct probe_request *q, const char *hctl)
{
    struct buffer_writer w;
    struct json_writer json;
    struct buffer *message;

    if (!q->is_streamed || !q->client || buffer_open(&w) < 0)
        return;
    json = json_writer(w.out, false);
    varlink_begin(w.out);
    json_write_begin_object(&json);
    json_write_key(&json, "device");
    json_write_string(&json, hctl);
    json_write_key(&json, "done");
    json_write_u64(&json, q->n_done);
    json_write_key(&json, "of");
    json_write_u64(&json, q->wanted.n);
    json_write_end_object(&json);
    varlink_end(w.out, NULL, true);
    message = buffer_close(&w);
    if (message && !client_send(q->client, message, false))
        q->client = NULL;
    buffer_unref(message);
}

static const struct measurement *copy(struct arena *a, const struct measurement *m)
{
    struct measurement *c = arena_alloc(a, sizeof(*c));

    if (!c)
        return NULL;
    *c = *m;
    c->hctl = arena_strdup(a, m->hctl);
    c->method = arena_strdup(a, m->method);
    c->disturbed = arena_strdup(a, m->disturbed);
    c->sense = arena_bytes(a, m->sense);
    return c->hctl && c->method && (c->disturbed || !m->disturbed) ? c : NULL;
}

static void finish(struct probes *p, struct probe_request *q, struct wanted *x, const char *hctl,
                   const struct measurement *m)
{
    x->is_done = true;
    x->result = m ? copy(q->arena, m) : NULL;
    q->n_done++;
    tell(q, hctl);
    if (q->n_done == q->wanted.n || !q->client)
        ask_for_answer(p);
}

/* A device that is not even tried, in the form of a result. */
static void refuse(struct probes *p, struct probe_request *q, struct wanted *x, const char *hctl,
                   int error, const char *why)
{
    const struct measurement m = { .error = error,
                                   .hctl = hctl,
                                   .method = "read-cached/sg",
                                   .block_bytes = PLAN_BLOCK_BYTES,
                                   .depth = 1,
                                   .disturbed = why };

    finish(p, q, x, hctl, &m);
}

/* Does the run do what the request wants of it? */
static bool is_as_wanted(const struct probe_request *q, const struct wanted *x,
                         const struct probe_run *run, const struct probed *d)
{
    return strcmp(x->id, d->turn->id) == 0 && (run->forced || !q->forced) &&
           (d->is_named || !x->is_named);
}

void probe_requests_take(struct probes *p, const struct probe_run *run, const struct probed *d,
                         const struct measurement *m)
{
    for (size_t i = 0; i < p->requests.n; i++) {
        struct probe_request *q = p->requests.v[i];

        for (size_t k = 0; k < q->wanted.n; k++)
            if (!q->wanted.v[k].is_done && is_as_wanted(q, &q->wanted.v[k], run, d))
                finish(p, q, &q->wanted.v[k], d->hctl, m);
    }
}

static bool is_about(const struct probe_request *q, const struct probe_run *run)
{
    for (size_t i = 0; i < q->wanted.n; i++)
        for (size_t k = 0; k < run->n; k++)
            if (is_as_wanted(q, &q->wanted.v[i], run, &run->devices[k]))
                return true;
    return false;
}

void probe_requests_note(struct probes *p, const struct probe_run *run, const char *text)
{
    for (size_t i = 0; i < p->requests.n; i++) {
        struct probe_request *q = p->requests.v[i];
        const char *note = is_about(q, run) ? arena_strdup(q->arena, text) : NULL;

        if (note)
            (void)vec_push(&q->notes, note);
    }
}

/* ---- runs ---- */

/* Why hbad does not even try; NULL: it may. */
static const char *why_not(const struct probes *p, const struct turn *t)
{
    const struct manager *m = p->manager;
    const struct adapter_state *a = t ? t->owner : NULL;

    if (!a || !t->entry)
        return "it is gone";
    if (!schedule_may_ask(&a->slot, manager_now(m)))
        return "it is left alone, because a device of its adapter has not answered";
    return turn_has_bytes(t, &m->config.probe, manager_wall(m))
               ? NULL
               : "all that may be read of it in a day (per_day) was read";
}

/* Those of an adapter that nothing has come of yet, into `ret`. */
static size_t collect(struct probes *p, struct probe_request *q, const struct adapter_state *a,
                      struct probed *ret, bool *ret_waits)
{
    size_t n = 0;

    *ret_waits = false;
    for (size_t i = 0; i < q->wanted.n && n < PROBE_RUN_MAX; i++) {
        struct turn *t = q->wanted.v[i].is_done ? NULL : turns_of(&p->turns, q->wanted.v[i].id);

        if (!t || t->owner != a)
            continue;
        ret[n] = (struct probed){ .turn = t, .is_named = q->wanted.v[i].is_named };
        snprintf(ret[n].hctl, sizeof(ret[n].hctl), "%s", t->entry->device->hctl);
        *ret_waits |= t->entry->needs_use && !(ret[n].is_named && q->forced);
        n++;
    }
    return n;
}

/* Begins a run for the request. Returns true where one has begun, or its adapter is to be waited for. */
static bool go_on(struct probes *p, struct probe_request *q)
{
    for (size_t i = 0; i < q->wanted.n; i++) {
        struct wanted *x = &q->wanted.v[i];
        const struct turn *t = turns_of(&p->turns, x->id);
        struct probed devices[PROBE_RUN_MAX];
        const char *why;
        bool waits;
        size_t n;

        if (x->is_done)
            continue;
        why = why_not(p, t);
        if (why) {
            refuse(p, q, x, t && t->entry ? t->entry->device->hctl : x->id, EBUSY, why);
            continue;
        }
        if (!probes_may_run(t->owner))
            return true;
        n = collect(p, q, t->owner, devices, &waits);
        if (probes_begin(p, t->owner, devices, n, q->forced, waits ? PROBE_AWAITED_S : 0) == 0)
            return true;
    }
    return false;
}

bool probe_requests_go_on(struct probes *p)
{
    for (size_t i = 0; i < p->requests.n; i++)
        if (p->requests.v[i]->client && go_on(p, p->requests.v[i]))
            return true;
    return false;
}

/* ---- answers ---- */

static void answer(struct manager *m, struct probe_request *q)
{
    struct buffer_writer w;
    struct buffer *message = NULL;
    int r = buffer_open(&w);

    if (r == 0) {
        r = probe_answer_write(m, q, w.out);
        message = buffer_close(&w);
    }
    if (r < 0 && buffer_open(&w) == 0) { /* out of memory: later, perhaps */
        buffer_unref(message);
        varlink_error(w.out, INTERFACE ".Busy", NULL, NULL);
        message = buffer_close(&w);
    }
    if (message)
        client_send(q->client, message, true);
    buffer_unref(message);
}

void probe_requests_answer(struct probes *p)
{
    VEC(struct probe_request *) done = { 0 };
    size_t n = 0;

    if (vec_reserve(&done, p->requests.n) < 0)
        return ask_for_answer(p);
    for (size_t i = 0; i < p->requests.n; i++) {
        struct probe_request *q = p->requests.v[i];

        if (!q->client || q->n_done == q->wanted.n)
            done.v[done.n++] = q;
        else
            p->requests.v[n++] = q;
    }
    p->requests.n = n; /* who is answered may ask again at once */
    for (size_t i = 0; i < done.n; i++) {
        if (done.v[i]->client)
            answer(p->manager, done.v[i]);
        request_free(done.v[i]);
    }
    free(done.v);
}

void probe_requests_client_gone(struct manager *m, const struct client *c)
{
    struct probes *p = m->probes;

    for (size_t i = 0; p && i < p->requests.n; i++)
        if (p->requests.v[i]->client == c) {
            p->requests.v[i]->client = NULL;
            ask_for_answer(p);
        }
}

void probe_requests_forget(struct probes *p)
{
    for (size_t i = 0; i < p->requests.n; i++)
        request_free(p->requests.v[i]);
    free(p->requests.v);
    p->requests.v = NULL;
    p->requests.n = 0;
}

/* ---- the method ---- */

static bool is_among(const struct devices *v, const struct device *d)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->v[i] == d)
            return true;
    return false;
}

/* Takes down the devices of the names; without names, all. Returns 0, -ENOENT with the name that stands for none, or
 * -ENOMEM. */
static int take_names(const struct report *report, const struct varlink_strings *names,
                      struct probe_request *q, const char **ret_name)
{
    struct devices found = { 0 }, named = { 0 };
    int r = 0;

    for (size_t i = 0; r >= 0 && i < names->n; i++) {
        size_t before = found.n;

        *ret_name = names->v[i];
        r = disks_named(report, names->v[i], &found, &named);
        if (r == 0 && found.n == before && !resolve_name(report, names->v[i], NULL, 0))
            r = -ENOENT;
    }
    q->is_of_all = !names->n;
    for (size_t i = 0; r >= 0 && q->is_of_all && i < report->model->devices.n; i++)
        r = vec_push(&found, report->model->devices.v[i]);
    for (size_t i = 0; r >= 0 && i < found.n; i++) {
        struct wanted x = { .id = arena_strdup(q->arena, found.v[i]->id),
                            .is_named = is_among(&named, found.v[i]) };

        r = x.id ? vec_push(&q->wanted, x) : -ENOMEM;
    }
    free(found.v);
    free(named.v);
    return r < 0 ? r : 0;
}

/* Is it no request that can be served now? Then that is answered. */
static bool is_refused(const struct manager *m, struct client *c, const struct probe_arguments *a,
                       FILE *out)
{
    const char *key = NULL, *value = NULL, *error = NULL;

    if (!client_may_change(c, m->group)) {
        error = "org.varlink.service.PermissionDenied";
    } else if (a->columns < 0 || a->columns > COLUMNS_MAX || a->names.n > NAMES_MAX) {
        error = "org.varlink.service.InvalidParameter";
        key = "parameter";
        value = a->names.n > NAMES_MAX ? "names" : "columns";
    } else if (!m->report) {
        error = INTERFACE ".NotReady";
    } else if (!m->probes) {
        error = INTERFACE ".NothingToProbe";
        key = "why";
        value = "hbad runs on captures, and not on a machine";
    } else if (m->probes->requests.n >= REQUESTS_MAX) {
        error = INTERFACE ".Busy";
    }
    if (error)
        varlink_error(out, error, key, value);
    return error;
}

/* A request, ready to be served. Returns 0, or as take_names(). */
static int request_new(const struct report *report, const struct varlink_call *call,
                       const struct probe_arguments *a, struct probe_request **ret,
                       const char **ret_name)
{
    struct probe_request *q = calloc(1, sizeof(*q));
    int r = q && (q->arena = arena_new()) ? 0 : -ENOMEM;

    if (r == 0) {
        q->is_streamed = call->more;
        q->forced = a->force;
        q->style = (struct text_style){ .columns = (unsigned)a->columns,
                                        .utf8 = a->utf8,
                                        .colour = a->colour,
                                        .no_legend = a->no_legend };
        r = take_names(report, &a->names, q, ret_name);
    }
    if (r == 0)
        *ret = q;
    else
        request_free(q);
    return r;
}

int probe_method(void *client, const struct varlink_call *call, const void *arguments, FILE *out)
{
    const struct probe_arguments *a = arguments;
    struct manager *m = client_userdata(client);
    struct probe_request *q = NULL;
    const char *name = NULL;
    int r;

    if (is_refused(m, client, a, out))
        return VARLINK_REPLIED;
    r = request_new(m->report, call, a, &q, &name);
    if (r == -ENOENT) {
        varlink_error(out, INTERFACE ".NoSuchObject", "name", name);
        return VARLINK_REPLIED;
    }
    if (r)
        return r;
    if (!q->wanted.n) {
        varlink_error(out, INTERFACE ".NothingToProbe", "why",
                      a->names.n ? "there is no disk behind that" : "no SCSI device was found");
        request_free(q);
        return VARLINK_REPLIED;
    }
    q->client = client;
    r = vec_push(&m->probes->requests, q);
    if (r < 0)
        request_free(q);
    else
        probes_wake(m->probes); /* not here: it is not an answer yet that is waited for */
    return r < 0 ? r : VARLINK_DEFERRED;
}
