/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is remembered of an object, for machines (output.h). Members are called as those of a report are.
 */

#include "base/json_write.h"
#include "base/text.h"
#include "output/output.h"
#include "output/words.h"

static void time_member(struct json_writer *w, const char *key, uint64_t wall_us)
{
    char text[WORDS_UTC_BYTES];

    json_write_text_member(w, key, words_utc(wall_us, text));
}

static void rate(struct json_writer *w, const char *key, uint64_t kb_per_s)
{
    json_write_key(w, key);
    json_write_decimal(w, kb_per_s, 3);
}

static void texts(struct json_writer *w, const char *key, const char *const *v, size_t n)
{
    json_write_key(w, key);
    json_write_begin_array(w);
    for (size_t i = 0; i < n; i++)
        json_write_string(w, v[i]);
    json_write_end_array(w);
}

static void write_change(struct json_writer *w, const struct history_change *c)
{
    bool is_link = text_same(c->kind, "link");

    json_write_begin_object(w);
    json_write_text_member(w, "kind", c->kind);
    json_write_text_member(w, "kernel_name", c->kernel_name);
    time_member(w, "since", c->since_us);
    time_member(w, "until", c->until_us);
    if (is_link) {
        json_write_text_member(w, "state", link_state_to_string(c->state));
        json_write_text_member(w, "far", c->far);
        json_write_text_member(w, "far_id", c->far_id);
        json_write_key(w, "actual");
        if (c->known && c->is_up) {
            json_write_begin_object(w);
            json_write_text_member(w, "label", c->label);
            rate(w, "mb_per_s", c->kb_per_s);
            json_write_end_object(w);
        } else {
            json_write_null(w);
        }
    }
    if (text_same(c->kind, "remote"))
        json_write_text_member(w, "state", c->is_up ? "up" : "down");
    if (c->left_out)
        json_write_u64_member(w, "left_out", c->left_out);
    json_write_end_object(w);
}

static void write_growth(struct json_writer *w, const struct history_growth *g)
{
    json_write_begin_object(w);
    json_write_text_member(w, "counter", g->name);
    time_member(w, "since", g->from_us);
    time_member(w, "until", g->at_us);
    json_write_key(w, "grown");
    if (g->is_unknown)
        json_write_null(w);
    else
        json_write_u64(w, g->grown);
    json_write_u64_member(w, "value", g->value);
    json_write_end_object(w);
}

static void write_probe(struct json_writer *w, const struct history_probe *p)
{
    json_write_begin_object(w);
    time_member(w, "at", p->at_us);
    json_write_text_member(w, "method", p->method);
    json_write_u64_member(w, "block_bytes", p->block_bytes);
    json_write_u64_member(w, "times", p->n);
    rate(w, "mb_per_s", p->kb_per_s);
    rate(w, "least_mb_per_s", p->least_kb_per_s);
    rate(w, "most_mb_per_s", p->most_kb_per_s);
    if (p->median_us) {
        json_write_u64_member(w, "median_us", p->median_us);
        json_write_u64_member(w, "least_median_us", p->least_median_us);
        json_write_u64_member(w, "most_median_us", p->most_median_us);
    }
    json_write_end_object(w);
}

static void write_finding(struct json_writer *w, const struct finding_record *f)
{
    json_write_begin_object(w);
    json_write_text_member(w, "code", f->code);
    json_write_text_member(w, "severity", severity_to_string(f->severity));
    texts(w, "subjects", f->subjects.v, f->subjects.n);
    texts(w, "names", f->names.v, f->names.n);
    json_write_text_member(w, "summary", f->summary);
    time_member(w, "since", f->since_us);
    time_member(w, "until", f->until_us);
    json_write_end_object(w);
}

static void write_acknowledgement(struct json_writer *w, const struct acknowledgement *a)
{
    json_write_begin_object(w);
    json_write_text_member(w, "finding", a->key);
    json_write_text_member(w, "reason", a->reason);
    json_write_text_member(w, "by", a->by);
    time_member(w, "since", a->at_us);
    time_member(w, "until", a->until_us);
    json_write_end_object(w);
}

#define WRITE_LIST(w, key, list, write)          \
    do {                                         \
        json_write_key(w, key);                  \
        json_write_begin_array(w);               \
        for (size_t _i = 0; _i < (list).n; _i++) \
            write(w, &(list).v[_i]);             \
        json_write_end_array(w);                 \
    } while (0)

void output_json_history(const struct history_of *h, FILE *out)
{
    struct json_writer writer = json_writer(out, false), *w = &writer;
    const struct history_answer *a = h->answer;

    json_write_begin_object(w);
    json_write_text_member(w, "id", h->id);
    json_write_text_member(w, "name", h->name);
    WRITE_LIST(w, "changes", a->changes, write_change);
    WRITE_LIST(w, "counters", a->growths, write_growth);
    WRITE_LIST(w, "probes", a->probes, write_probe);
    WRITE_LIST(w, "findings", a->findings, write_finding);
    WRITE_LIST(w, "acknowledgements", a->acknowledgements, write_acknowledgement);
    json_write_bool_member(w, "is_cut", a->is_cut);
    json_write_end_object(w);
}
