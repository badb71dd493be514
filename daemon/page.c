/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The method GetPage: the report as a page (output/html.h), with what the memory has of those links of which there may be something to
 * see. They are asked for one after the other, so that no page keeps the memory from anything else, and
 * when one is not answered in time, the page is made of what there is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "daemon/manager.h"
#include "output/html.h"

#define INTERFACE "io.hbad.monitor"

enum {
    OBJECTS_MAX = 96, /* of which the past is asked for */
    MOST = 400,       /* rows of a kind for each: more than a picture has columns */
};

/* One call. */
struct paging {
    struct manager *manager;
    uint64_t since_us;
    size_t n, at; /* objects, and the one that is being asked for */
    struct html_answer answers[OBJECTS_MAX];
    int error; /* why not all of them are there */
};

static void paging_free(struct paging *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free((char *)(uintptr_t)p->answers[i].id);
        history_answer_done(&p->answers[i].answer);
    }
    free(p);
}

/* ---- whose pages are being made ---- */

static const struct client **place_of(struct manager *m, const struct client *client)
{
    for (size_t i = 0; i < ELEMENTS(m->paged); i++)
        if (m->paged[i] == client)
            return &m->paged[i];
    return NULL;
}

void page_client_gone(struct manager *m, const struct client *client)
{
    const struct client **place = client ? place_of(m, client) : NULL;

    if (place)
        *place = NULL;
}

/* ---- the page ---- */

/* Writes the reply. Returns 0 or -ENOMEM. */
static int write_page(const struct paging *p, FILE *out)
{
    const struct manager *m = p->manager;
    struct json_writer writer = json_writer(out, false), *w = &writer;
    _cleanup_(bench_freep) struct bench *bench = NULL;
    _cleanup_free_ char *text = NULL;
    struct html_page page = {
        .report = m->report,
        .answers = p->answers,
        .n_answers = p->n,
        .past = p->error == -ENOENT ? m->past.history : NULL,
        .since_us = p->since_us,
        .failed = p->error && p->error != -ENOENT ? memory_why(p->error) : NULL,
    };
    size_t size;
    FILE *printed;
    int r = bench_new(m->report->model, NULL, 0, &bench);

    page.bench = bench;
    printed = r == 0 ? open_memstream(&text, &size) : NULL;
    r = printed ? output_html(&page, printed) : -ENOMEM;
    if (printed && fclose(printed) != 0)
        r = -ENOMEM;
    if (r < 0)
        return r;
    varlink_begin(out);
    json_write_begin_object(w);
    json_write_key(w, "page");
    text_pieces(w, text, size);
    json_write_end_object(w);
    varlink_end(out, NULL, false);
    return 0;
}

static void send_page(struct paging *p, struct client *client)
{
    struct buffer_writer w;
    struct buffer *message = NULL;

    page_client_gone(p->manager, client);

    if (client && buffer_open(&w) == 0) {
        if (write_page(p, w.out) < 0)
            varlink_error(w.out, INTERFACE ".NoHistory", "reason", strerror(ENOMEM));
        message = buffer_close(&w);
    }
    if (message)
        client_send(client, message, true);
    buffer_unref(message);
    paging_free(p);
}

/* ---- what was ---- */

/* A copy that is its own. */
static int keep(const struct history_answer *answer, struct history_answer *ret)
{
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct json_writer w = json_writer(out, false);

    if (!out)
        return -ENOMEM;
    fields_write(HISTORY_ANSWER_FIELDS, answer, &w);
    if (fclose(out) != 0)
        return -ENOMEM;
    ret->arena = arena_new();
    return ret->arena
               ? fields_read_text(HISTORY_ANSWER_FIELDS,
                                  (struct bytes){ (const uint8_t *)text, size }, ret->arena, ret)
               : -ENOMEM;
}

static int ask_next(struct paging *p, struct client *client);

static void take(void *userdata, struct client *client, const struct history_answer *answer,
                 int error)
{
    struct paging *p = userdata;

    p->error = answer ? keep(answer, &p->answers[p->at].answer) : error;
    p->at++;
    if (!client || ask_next(p, client) < 0)
        send_page(p, client);
}

/* Asks for the next object. Returns a negative errno where there is none to be asked for. */
static int ask_next(struct paging *p, struct client *client)
{
    struct query_record query = { .since_us = p->since_us, .most = MOST };

    if (p->error || p->at == p->n)
        return p->error ? p->error : -ENODATA;
    query.id = p->answers[p->at].id;
    p->error = memory_ask(p->manager, client, &query, take, p);
    return p->error;
}

/* ---- the method ---- */

const struct varlink_argument GET_PAGE_ARGUMENTS[] = {
    VARLINK_OPTIONAL(get_page_arguments, since, VARLINK_INT),
    { 0 },
};

static struct paging *prepare(struct manager *m, const struct get_page_arguments *a)
{
    const char *ids[OBJECTS_MAX];
    size_t n = html_wanted(m->report, ids, OBJECTS_MAX);
    struct paging *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    p->manager = m;
    p->since_us = (uint64_t)a->since * 1000000;
    for (; p->n < n; p->n++) {
        p->answers[p->n].id = strdup(ids[p->n]);
        if (!p->answers[p->n].id) {
            paging_free(p);
            return NULL;
        }
    }
    return p;
}

int get_page(void *client, const struct varlink_call *call, const void *arguments, FILE *out)
{
    const struct get_page_arguments *a = arguments;
    struct manager *m = client_userdata(client);
    const struct client **place;
    struct paging *p;
    int r;

    (void)call;
    if (method_is_refused(m, a->since < 0 || a->since > INT64_MAX / 1000000 ? "since" : NULL, out))
        return VARLINK_REPLIED;
    place = place_of(m, NULL);
    if (!place) {
        varlink_error(out, INTERFACE ".Busy", NULL, NULL);
        return VARLINK_REPLIED;
    }
    p = prepare(m, a);
    if (!p)
        return -ENOMEM;
    if (ask_next(p, client) == 0) {
        *place = client;
        return VARLINK_DEFERRED;
    }
    r = write_page(p, out);
    paging_free(p);
    return r < 0 ? r : VARLINK_REPLIED;
}
