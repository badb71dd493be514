/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What has become of findings → an alert: one object, on one line (manager.h). lib/output/alert.schema.json says what is in it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "finding/coalesce.h"
#include "output/output.h"
#include "output/words.h"

enum {
    FINDINGS_MAX = 8, /* of many at once, of so many there is all that is known */
    NAMES_MAX = 64,   /* as in an entry of the journal */
};

/* The finding as it is in the report; NULL where it is over. */
static const struct finding *finding_of(const struct report *report, const struct tracked *t)
{
    for (size_t i = 0; i < report->findings.n; i++) {
        const struct finding *f = report->findings.v[i];

        if (strcmp(f->entry->code, t->entry->code) == 0 && f->subjects.n &&
            strcmp(f->subjects.v[0], t->subject) == 0)
            return f;
    }
    return NULL;
}

static void put_texts(struct json_writer *w, const struct coalesced *c, const char *key,
                      const struct texts *(*texts_of)(const struct tracked *t))
{
    size_t n = 0;

    json_write_key(w, key);
    json_write_begin_array(w);
    for (size_t i = 0; i < c->n; i++) {
        const struct texts *texts = texts_of(c->events[i]->tracked);

        for (size_t k = 0; k < texts->n && n < NAMES_MAX; k++, n++)
            json_write_string(w, texts->v[k]);
    }
    json_write_end_array(w);
}

static const struct texts *subjects_of(const struct tracked *t)
{
    return &t->subjects;
}

static const struct texts *names_of(const struct tracked *t)
{
    return &t->names;
}

static void put_findings(struct json_writer *w, const struct report *report,
                         const struct coalesced *c)
{
    size_t n = 0;

    json_write_key(w, "findings");
    json_write_begin_array(w);
    for (size_t i = 0; i < c->n && n < FINDINGS_MAX; i++) {
        const struct finding *f = finding_of(report, c->events[i]->tracked);

        if (f && c->events[i]->change != TRACK_CLEARED) {
            output_json_finding(f, w);
            n++;
        }
    }
    json_write_end_array(w);
}

/* With all findings, or with none. NULL without memory. */
static struct buffer *alert_of(const struct report *report, const struct coalesced *c,
                               const char *message, bool with_findings)
{
    const struct catalog_entry *code = c->events[0]->tracked->entry;
    char at[WORDS_UTC_BYTES];
    struct buffer_writer out;
    struct json_writer writer, *w = &writer;

    if (buffer_open(&out) < 0)
        return NULL;
    writer = json_writer(out.out, false);
    json_write_begin_object(w);
    json_write_text_member(w, "schema", "hbad.alert/1");
    json_write_text_member(w, "at", words_utc(report->wall_us, at));
    json_write_text_member(w, "hostname", report->hostname);
    json_write_text_member(w, "change", track_change_to_string(c->events[0]->change));
    json_write_text_member(w, "severity", severity_to_string(c->severity));
    json_write_text_member(w, "code", code->code);
    json_write_text_member(w, "title", code->title);
    json_write_text_member(w, "message", message);
    json_write_u64_member(w, "count", c->n);
    put_texts(w, c, "subjects", subjects_of);
    put_texts(w, c, "names", names_of);
    if (with_findings)
        put_findings(w, report, c);
    json_write_end_object(w);
    putc('\n', out.out);
    return buffer_close(&out);
}

/* What was told as bad and is no alarm any more, since somebody knows of it, is told as well: nothing else would ever end it. */
static bool is_wanted(const struct coalesced *c)
{
    enum severity worst = c->severity;

    for (size_t i = 0; i < c->n; i++)
        if (c->events[i]->before > worst)
            worst = c->events[i]->before;
    return worst >= SEVERITY_WARNING;
}

void alert(struct manager *m, const struct coalesced *c, const char *message)
{
    struct buffer *text;

    if (!m->alerts || !is_wanted(c))
        return;
    text = alert_of(m->report, c, message, true);
    if (text && text->len > ALERT_BYTES_MAX) {
        buffer_unref(text);
        text = alert_of(m->report, c, message, false);
    }
    if (text)
        alerts_put(m, text);
    else
        log_line(LOG_ERROR, "an alert is lost: %s", strerror(ENOMEM));
    buffer_unref(text);
}
