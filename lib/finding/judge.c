/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of rules, and what they share (judge.h).
 */
#include "finding/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "facts/key.h"

/* In this order: a rule may look at what the ones before it have said. */
static const struct {
    const char *codes; /* that it can raise */
    int (*apply)(struct judging *j);
} RULES[] = {
    { "link-lost", judge_lost },
    { "path-lost", judge_paths },
    { "device-stuck", judge_stuck },
    { "ends-disagree", judge_disagreement },
    { "bus-single-ended async host-wide-limit width-below-expected rate-below-expected "
      "slower-than-before slower-than-sibling",
      judge_modes },
    { "capped-by-configuration", judge_caps },
    { "slower-than-sibling", judge_siblings },
    { "host-resetting", judge_resets },
    { "errors-growing", judge_errors },
    { "link-flapping", judge_flapping },
    { "read-below-link", judge_reads },
    { "slower-than-sibling", judge_slow_reads },
    { "slot-limit", judge_slots },
    { "oversubscribed", judge_loads },
    { "no-link-facts", judge_hidden },
};

void finding_done(struct finding *f)
{
    free(f->subjects.v);
    free(f->names.v);
    free(f->evidence.v);
    free(f->users.v);
}

struct finding *judge_add(struct judging *j, const char *code)
{
    struct finding *f = arena_alloc(j->arena, sizeof(*f));

    if (!f || vec_push(&j->report->findings, f) < 0)
        return NULL;
    f->arena = j->arena;
    f->entry = catalog_find(code);
    f->severity = f->entry->severity;
    f->summary = f->entry->title;
    f->since_us = j->report->wall_us;
    return f;
}

static int push_copy(struct finding *f, struct texts *texts, const char *text)
{
    char *copy = arena_strdup(f->arena, text);

    return copy ? vec_push(texts, copy) : -ENOMEM;
}

int judge_situation(struct judging *j, struct finding *f, enum situation situation)
{
    const struct catalog_variant *v = catalog_variant(f->entry->code, situation);
    struct catalog_entry *entry;

    if (!v)
        return 0;
    entry = arena_alloc(j->arena, sizeof(*entry));
    if (!entry)
        return -ENOMEM;
    *entry = *catalog_find(f->entry->code);
    entry->causes = v->causes;
    entry->remedies = v->remedies;
    f->entry = entry;
    return 0;
}

enum situation judge_situation_of(const struct link *l)
{
    if (judge_is_slot(l))
        return SITUATION_SLOT;
    if (l->host && l->host->is_bus)
        return SITUATION_BUS;
    return l->far_is_network ? SITUATION_NETWORK : SITUATION_ANY;
}

int judge_subject_device_and_link(struct judging *j, struct finding *f, const struct device *d)
{
    int r = judge_subject_device(j, f, d);

    return r < 0 || !d->link ? r : judge_subject(f, d->link->id, d->link->kernel_name);
}

int judge_subject(struct finding *f, const char *id, const char *name)
{
    int r = push_copy(f, &f->subjects, id);

    return r < 0 || !name ? r : push_copy(f, &f->names, name);
}

int judge_subject_host(struct judging *j, struct finding *f, const struct host *h)
{
    (void)j;
    return judge_subject(f, h->id, h->kernel_name);
}

/* The first node of a device, "sda". */
static const char *node_of(const struct device *d)
{
    return d ? fact_text(d->subject, &KEY_NODE) : NULL;
}

int judge_subject_link(struct judging *j, struct finding *f, const struct link *l)
{
    const char *node = node_of(judge_device_on(j, l));
    int r = judge_subject(f, l->id, l->kernel_name);

    return r < 0 || !node ? r : push_copy(f, &f->names, node);
}

int judge_subject_device(struct judging *j, struct finding *f, const struct device *d)
{
    const char *node = node_of(d);
    int r = judge_subject(f, d->id, d->hctl);

    (void)j;
    f->is_of_devices = true;
    return r < 0 || !node ? r : push_copy(f, &f->names, node);
}

int judge_evidence(struct finding *f, const char *what, const char *value, const char *from)
{
    struct evidence e = { arena_strdup(f->arena, what), arena_strdup(f->arena, value),
                          from ? arena_strdup(f->arena, from) : NULL };

    if (!value)
        return 0;
    return e.what && e.value && (e.from || !from) ? vec_push(&f->evidence, e) : -ENOMEM;
}

int judge_say(struct judging *j, struct finding *f, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = arena_vprintf(j->arena, format, args);
    va_end(args);
    if (!text)
        return -ENOMEM;
    f->summary = text;
    return 0;
}

const char *judge_mode(struct judging *j, const struct mode *m)
{
    uint64_t kb = rate_kb_per_s(m->rate);

    if (!m->known)
        return "nothing";
    if (m->label)
        return m->label;
    return arena_printf(j->arena, "%" PRIu64 ".%" PRIu64 " MB/s", kb / 1000, kb % 1000 / 100);
}

const char *judge_device_name(struct judging *j, const struct device *d)
{
    const char *node = node_of(d);

    if (!node && !d->model)
        return d->hctl;
    return arena_printf(j->arena, "%s (%s%s%s%s%s)", d->hctl, node ? node : "",
                        node && d->model ? ", " : "", d->model && d->vendor ? d->vendor : "",
                        d->model && d->vendor ? " " : "", d->model ? d->model : "");
}

const char *judge_time(struct judging *j, uint64_t wall_us)
{
    time_t seconds = (time_t)(wall_us / 1000000);
    char text[32];
    struct tm tm;

    if (!wall_us || !gmtime_r(&seconds, &tm) ||
        !strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &tm))
        return NULL;
    return arena_strdup(j->arena, text);
}

const char *judge_more(struct judging *j, size_t n)
{
    return n ? arena_printf(j->arena, " and %zu more", n) : "";
}

const char *judge_link_name(struct judging *j, const struct link *l)
{
    if (judge_is_slot(l))
        return arena_printf(j->arena, "the slot of %s (%s)", l->host->kernel_name, l->kernel_name);
    return l->far ? arena_printf(j->arena, "%s (%s)", l->kernel_name, l->far) : l->kernel_name;
}

bool judge_same_wire(const struct link *a, const struct link *b)
{
    return a == b ||
           (a->far_is_network && b->far_is_network && strcmp(a->transport, b->transport) == 0 &&
            a->near && b->near && strcmp(a->near, b->near) == 0);
}

bool judge_is_named(const struct judging *j, const char *id, const char *const *codes)
{
    for (size_t i = 0; i < j->report->findings.n; i++) {
        const struct finding *f = j->report->findings.v[i];
        bool of_code = !codes;

        for (size_t c = 0; codes && codes[c]; c++)
            of_code |= strcmp(codes[c], f->entry->code) == 0;
        for (size_t s = 0; of_code && s < f->subjects.n; s++)
            if (strcmp(f->subjects.v[s], id) == 0)
                return true;
    }
    return false;
}

const struct device *judge_device_on(const struct judging *j, const struct link *l)
{
    return j->first_devices[l->index];
}

bool judge_is_slot(const struct link *l)
{
    return l->host && l == l->host->slot;
}

uint64_t judge_ago(const struct judging *j, const struct snapshot *s)
{
    return j->report->wall_us > s->wall_us ? j->report->wall_us - s->wall_us : 0;
}

struct snapshot judge_now(const struct judging *j)
{
    return (struct snapshot){ .wall_us = j->report->wall_us, .mono_us = j->report->mono_us };
}

static int by_id(const void *a, const void *b)
{
    const struct link *const *x = a, *const *y = b;

    return strcmp((*x)->id, (*y)->id);
}

static int to_id(const void *id, const void *element)
{
    const struct link *const *l = element;

    return strcmp(id, (*l)->id);
}

struct link *judge_link(const struct judging *j, const char *id)
{
    size_t n = j->model->links.n;
    struct link **l = n ? bsearch(id, j->by_id, n, sizeof(struct link *), to_id) : NULL;

    return l ? *l : NULL;
}

/* What the administrator knows of is no alarm: where all links that it names are ignored, and it is about how they
 * run. What is lost or hangs is news all the same. */
static int acknowledge_by_rule(const struct judging *j, struct finding *f)
{
    const struct link *known = NULL;

    for (size_t i = 0; i < f->subjects.n; i++) {
        const struct link *l = judge_link(j, f->subjects.v[i]);

        if (l && !l->wish.ignore_from)
            return 0;
        known = known ? known : l;
    }
    if (!known || !(f->entry->flags & CATALOG_OF_MODE) || f->severity <= SEVERITY_INFO)
        return 0;
    f->severity = SEVERITY_INFO;
    return judge_evidence(f, "acknowledged",
                          known->wish.reason ? known->wish.reason : "no reason is given",
                          known->wish.ignore_from);
}

/* "root, until 2026-12-24 00:00 UTC" */
static const char *by_whom(struct judging *j, const struct acknowledgement *a)
{
    const char *until = judge_time(j, a->until_us);

    return arena_printf(j->arena, "%s%s%s", a->by ? a->by : "somebody", until ? ", until " : "",
                        until ? until : "");
}

/* The same by somebody who knows of this very finding. Of what hangs or is reset it is shown, and that is all. */
static int acknowledge_by_key(struct judging *j, struct finding *f)
{
    const struct acknowledgement *a = acknowledgement_of(j->acknowledged, f, j->report->wall_us);
    struct acknowledgement *known = a ? arena_alloc(j->arena, sizeof(*known)) : NULL;

    if (!a)
        return 0;
    if (!known)
        return -ENOMEM;
    *known = (struct acknowledgement){
        .key = arena_strdup(j->arena, a->key),
        .reason = arena_strdup(j->arena, a->reason),
        .by = arena_strdup(j->arena, a->by ? a->by : "somebody"),
        .at_us = a->at_us,
        .until_us = a->until_us,
    };
    if (!known->key || !known->reason || !known->by)
        return -ENOMEM;
    f->known = known;
    if ((f->entry->flags & CATALOG_CAN_BE_KNOWN) && f->severity > SEVERITY_INFO)
        f->severity = SEVERITY_INFO;
    return judge_evidence(f, "acknowledged", known->reason, by_whom(j, a));
}

static int acknowledge(struct judging *j, struct finding *f)
{
    int r = acknowledge_by_key(j, f);

    return r < 0 || f->known ? r : acknowledge_by_rule(j, f);
}

static int tell_device(const struct judging *j, const char *id, struct finding *f)
{
    for (size_t i = 0; i < j->model->devices.n; i++) {
        struct device *d = j->model->devices.v[i];

        if (strcmp(d->id, id) == 0)
            return d->findings.n && d->findings.v[d->findings.n - 1] == f
                       ? 0
                       : vec_push(&d->findings, f);
    }
    return 0;
}

/* Tells each host, link and device which findings name it. */
static int tell(const struct judging *j, struct finding *f)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < f->subjects.n; i++) {
        struct link *l = judge_link(j, f->subjects.v[i]);

        if (!l)
            r = tell_device(j, f->subjects.v[i], f);
        else if (!l->findings.n || l->findings.v[l->findings.n - 1] != f)
            r = vec_push(&l->findings, f);
    }
    for (size_t i = 0; r == 0 && i < j->model->hosts.n; i++) {
        struct host *h = j->model->hosts.v[i];

        for (size_t k = 0; r == 0 && k < f->subjects.n; k++)
            if (strcmp(f->subjects.v[k], h->id) == 0) {
                r = vec_push(&h->findings, f);
                break;
            }
    }
    return r;
}

/* Worst first; among equals as the rules came. */
static int sort_findings(struct report *report)
{
    VEC(struct finding *) sorted = { 0 };
    int r = vec_reserve(&sorted, report->findings.n);

    if (r < 0 || !report->findings.n)
        return r;
    for (int severity = _SEVERITY_MAX - 1; severity >= 0; severity--)
        for (size_t i = 0; i < report->findings.n; i++)
            if ((int)report->findings.v[i]->severity == severity)
                sorted.v[sorted.n++] = report->findings.v[i];
    if (sorted.n)
        memcpy(report->findings.v, sorted.v, sorted.n * sizeof(*sorted.v));
    free(sorted.v);
    return 0;
}

/* What is looked up again and again. */
static int index_model(struct judging *j)
{
    const struct model *m = j->model;

    j->by_id = arena_new_array(j->arena, struct link *, m->links.n);
    j->first_devices = arena_new_array(j->arena, const struct device *, m->links.n);
    if (!j->by_id || !j->first_devices)
        return -ENOMEM;
    if (m->links.n)
        memcpy(j->by_id, m->links.v, m->links.n * sizeof(struct link *));
    qsort(j->by_id, m->links.n, sizeof(struct link *), by_id);
    for (size_t i = m->devices.n; i; i--) {
        const struct device *d = m->devices.v[i - 1];

        if (d->link)
            j->first_devices[d->link->index] = d;
    }
    return 0;
}

int judge_report(struct report *report, const struct history *history,
                 const struct acknowledgements *acknowledged, const struct thresholds *thresholds)
{
    _cleanup_(history_freep) struct history *none = history_new();
    struct judging j = {
        .report = report,
        .model = report->model,
        .arena = report->model->arena,
        .history = history ? history : none,
        .acknowledged = acknowledged,
        .thresholds = *thresholds,
    };
    int r = none ? index_model(&j) : -ENOMEM;

    for (size_t i = 0; r == 0 && i < ELEMENTS(RULES); i++)
        r = RULES[i].apply(&j);
    for (size_t i = 0; r == 0 && i < report->findings.n; i++) {
        judge_since(&j, report->findings.v[i]);
        r = acknowledge(&j, report->findings.v[i]);
    }
    if (r == 0)
        r = sort_findings(report);
    for (size_t i = 0; r == 0 && i < report->findings.n; i++) {
        r = tell(&j, report->findings.v[i]);
        if (r == 0 && report->findings.v[i]->severity > SEVERITY_INFO)
            r = judge_gain(&j, report->findings.v[i]);
    }
    return r;
}
