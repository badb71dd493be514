/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The method History: what is remembered of what goes by a name (manager.h). Answered when the memory has, or when it was waited
 * for long enough.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "answer/named.h"
#include "base/json_write.h"
#include "base/text.h"
#include "daemon/manager.h"
#include "output/output.h"

#define INTERFACE "io.hbad.monitor"

enum {
    OBJECTS_MAX = 8, /* asked for by one name */
    MOST = 1000,     /* rows of a kind, where nothing is said */
    MOST_MAX = 10000,
    COLUMNS_MAX = 10000, /* as of GetText */
};

/* One call. */
struct remembering {
    struct remembered_part {
        struct remembering *all;
        char *id, *name;
    } parts[OBJECTS_MAX];
    size_t n, waiting; /* parts, and those that were not answered yet */
    size_t known;      /* of which anything is remembered */
    int error;
    bool is_text;
    struct text_style style;
    char *name; /* that was asked for */
    char *body;
    size_t body_size;
    FILE *out; /* what is in `body`: a text, or objects with commas between them */
};

static void remembering_free(struct remembering *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->parts[i].id);
        free(r->parts[i].name);
    }
    if (r->out)
        fclose(r->out);
    free(r->body);
    free(r->name);
    free(r);
}

/* ---- the answer ---- */

const char *memory_why(int error)
{
    switch (error) {
    case -ENOENT:
        return "hbad keeps no history: it was started without a state directory";
    case -ETIMEDOUT:
        return "the disk with the history does not answer";
    case -ENOBUFS:
        return "the disk with the history does not keep up";
    default:
        return strerror(-error);
    }
}

static void write_answer(const struct remembering *r, FILE *out)
{
    struct json_writer writer = json_writer(out, false), *w = &writer;

    if (r->error) {
        varlink_error(out, INTERFACE ".NoHistory", "reason", memory_why(r->error));
        return;
    }
    if (!r->known) {
        varlink_error(out, INTERFACE ".NoSuchObject", "name", r->name);
        return;
    }
    varlink_begin(out);
    json_write_begin_object(w);
    json_write_key(w, r->is_text ? "text" : "objects");
    if (r->is_text)
        text_pieces(w, r->body, r->body_size);
    else
        fprintf(out, "[%s]", r->body);
    json_write_end_object(w);
    varlink_end(out, NULL, false);
}

static void answer_all(struct remembering *r, struct client *client)
{
    struct buffer_writer w;
    struct buffer *message = NULL;

    if (fclose(r->out) != 0)
        r->error = -ENOMEM;
    r->out = NULL;
    if (client && buffer_open(&w) == 0) {
        write_answer(r, w.out);
        message = buffer_close(&w);
    }
    if (message)
        client_send(client, message, true);
    buffer_unref(message);
    remembering_free(r);
}

static bool is_empty(const struct history_answer *a)
{
    return !a->changes.n && !a->growths.n && !a->probes.n && !a->findings.n;
}

static void take_part(void *userdata, struct client *client, const struct history_answer *answer,
                      int error)
{
    const struct remembered_part *part = userdata;
    struct remembering *r = part->all;
    const struct history_of h = { part->id, part->name, answer };

    if (!answer)
        r->error = r->error ? r->error : error;
    else if (!is_empty(answer) || !text_same(part->id, r->name)) {
        if (r->known++)
            fputs(r->is_text ? "\n" : ",", r->out);
        if (r->is_text)
            output_history(&h, &r->style, r->out);
        else
            output_json_history(&h, r->out);
    }
    if (--r->waiting == 0)
        answer_all(r, client);
}

/* ---- the method ---- */

const struct varlink_argument HISTORY_ARGUMENTS[] = {
    VARLINK_NEEDED(history_arguments, name, VARLINK_STRING),
    VARLINK_OPTIONAL(history_arguments, since, VARLINK_INT),
    VARLINK_OPTIONAL(history_arguments, most, VARLINK_INT),
    VARLINK_OPTIONAL(history_arguments, text, VARLINK_BOOL),
    VARLINK_OPTIONAL(history_arguments, columns, VARLINK_INT),
    VARLINK_OPTIONAL(history_arguments, utf8, VARLINK_BOOL),
    VARLINK_OPTIONAL(history_arguments, colour, VARLINK_BOOL),
    VARLINK_OPTIONAL(history_arguments, no_legend, VARLINK_BOOL),
    { 0 },
};

static const char *wrong_argument(const struct history_arguments *a)
{
    if (a->since < 0 || a->since > INT64_MAX / 1000000)
        return "since";
    if (a->most < 0 || a->most > MOST_MAX)
        return "most";
    return a->columns < 0 || a->columns > COLUMNS_MAX ? "columns" : NULL;
}

/* What is gone goes by the name that it had. `*n` objects were found: where that is the word itself, nothing goes by it now. */
static void find_gone(const struct manager *m, const char *word, struct named *objects, size_t *n)
{
    struct past_ids gone;

    if (*n != 1 || strcmp(objects[0].id, word) != 0)
        return;
    gone = past_named(&m->past, word);
    if (gone.id)
        objects[0].id = gone.id;
    if (gone.link_id)
        objects[(*n)++] = (struct named){ gone.link_id, gone.link_id };
}

/* What is to be asked for. */
static int prepare(const struct manager *m, const struct history_arguments *a,
                   struct remembering *r)
{
    struct named objects[OBJECTS_MAX];
    size_t n = named_objects(m->report, a->name, objects, OBJECTS_MAX);

    find_gone(m, a->name, objects, &n);
    r->is_text = a->text;
    r->style = (struct text_style){ .columns = (unsigned)a->columns,
                                    .utf8 = a->utf8,
                                    .colour = a->colour,
                                    .no_legend = a->no_legend };
    r->name = strdup(a->name);
    r->out = open_memstream(&r->body, &r->body_size);
    if (!r->name || !r->out)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        struct remembered_part *part = &r->parts[r->n++];

        part->all = r;
        part->id = strdup(objects[i].id);
        part->name = strdup(objects[i].name);
        if (!part->id || !part->name)
            return -ENOMEM;
    }
    return 0;
}

/* Asks for all parts, in order: so they are answered. */
static int ask(struct manager *m, struct client *client, const struct history_arguments *a,
               struct remembering *r)
{
    int e = memory_is_busy(m) ? -ENOBUFS : 0;

    for (size_t i = 0; e == 0 && i < r->n; i++) {
        const struct query_record query = { .id = r->parts[i].id,
                                            .since_us = (uint64_t)a->since * 1000000,
                                            .most = a->most ? (uint64_t)a->most : MOST };

        e = memory_ask(m, client, &query, take_part, &r->parts[i]);
        r->waiting += e == 0;
    }
    if (e < 0)
        r->error = e;
    return r->waiting ? VARLINK_DEFERRED : e;
}

int remembered(void *client, const struct varlink_call *call, const void *arguments, FILE *out)
{
    const struct history_arguments *a = arguments;
    struct manager *m = client_userdata(client);
    const char *wrong = wrong_argument(a);
    struct remembering *r;
    int e;

    (void)call;
    if (method_is_refused(m, wrong, out))
        return VARLINK_REPLIED;
    r = calloc(1, sizeof(*r));
    e = r ? prepare(m, a, r) : -ENOMEM;
    if (e == 0)
        e = ask(m, client, a, r);
    if (e == VARLINK_DEFERRED)
        return e;
    if (e < 0 && e != -ENOMEM) {
        write_answer(r, out);
        e = VARLINK_REPLIED;
    }
    if (r)
        remembering_free(r);
    return e;
}
