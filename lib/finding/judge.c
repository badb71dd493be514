/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of rules, and what they share (judge.h).
 */
#include "finding/judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "facts/key.h"

/* In this order: a rule may look at what the ones before it have said. */
static const struct {
    const char *codes; /* that it can raise */
    int (*apply)(struct judging *j);
} RULES[] = {
    { "link-lost", judge_lost },
    { "device-stuck", judge_stuck },
    { "ends-disagree", judge_disagreement },
    { "bus-single-ended async host-wide-limit width-below-expected rate-below-expected "
      "slower-than-before slower-than-sibling",
      judge_modes },
    { "capped-by-configuration", judge_caps },
    { "slower-than-sibling", judge_siblings },
    { "path-lost", judge_paths },
    { "host-resetting", judge_resets },
    { "errors-growing", judge_errors },
    { "link-flapping", judge_flapping },
    { "read-below-link", judge_reads },
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
    for (size_t i = 0; i < j->model->devices.n; i++)
        if (j->model->devices.v[i]->link == l)
            return j->model->devices.v[i];
    return NULL;
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

/* The links of the model by id. */
struct links_by_id {
    struct link **v;
    size_t n;
};

static int sort_links(const struct model *m, struct links_by_id *ret)
{
    ret->n = m->links.n;
    ret->v = calloc(ret->n + 1, sizeof(struct link *));
    if (!ret->v)
        return -ENOMEM;
    if (ret->n)
        memcpy(ret->v, m->links.v, ret->n * sizeof(struct link *));
    qsort(ret->v, ret->n, sizeof(struct link *), by_id);
    return 0;
}

static struct link *link_of(const struct links_by_id *links, const char *id)
{
    struct link **l = bsearch(id, links->v, links->n, sizeof(struct link *), to_id);

    return l ? *l : NULL;
}

/* What the administrator knows of is no alarm: where all links that it names are ignored. */
static int acknowledge(struct finding *f, const struct links_by_id *links)
{
    const struct link *known = NULL;

    for (size_t i = 0; i < f->subjects.n; i++) {
        const struct link *l = link_of(links, f->subjects.v[i]);

        if (l && !l->wish.ignore)
            return 0;
        known = known ? known : l;
    }
    if (!known || f->severity <= SEVERITY_INFO)
        return 0;
    f->severity = SEVERITY_INFO;
    return judge_evidence(f, "acknowledged",
                          known->wish.reason ? known->wish.reason : "no reason is given",
                          known->wish.from);
}

/* Tells each host and link which findings name it. */
static int tell(const struct model *m, struct finding *f, const struct links_by_id *links)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < f->subjects.n; i++) {
        struct link *l = link_of(links, f->subjects.v[i]);

        if (l && (!l->findings.n || l->findings.v[l->findings.n - 1] != f))
            r = vec_push(&l->findings, f);
    }
    for (size_t i = 0; r == 0 && i < m->hosts.n; i++)
        for (size_t k = 0; r == 0 && k < f->subjects.n; k++)
            if (strcmp(f->subjects.v[k], m->hosts.v[i]->id) == 0) {
                r = vec_push(&m->hosts.v[i]->findings, f);
                break;
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
    memcpy(report->findings.v, sorted.v, sorted.n * sizeof(*sorted.v));
    free(sorted.v);
    return 0;
}

int judge_report(struct report *report, const struct history *history,
                 const struct thresholds *thresholds)
{
    _cleanup_(history_freep) struct history *none = history_new();
    struct judging j = {
        .report = report,
        .model = report->model,
        .arena = report->model->arena,
        .history = history ? history : none,
        .thresholds = *thresholds,
    };
    struct links_by_id links = { 0 };
    int r = none ? 0 : -ENOMEM;

    for (size_t i = 0; r == 0 && i < ELEMENTS(RULES); i++)
        r = RULES[i].apply(&j);
    if (r == 0)
        r = sort_links(report->model, &links);
    for (size_t i = 0; r == 0 && i < report->findings.n; i++)
        r = acknowledge(report->findings.v[i], &links);
    if (r == 0)
        r = sort_findings(report);
    for (size_t i = 0; r == 0 && i < report->findings.n; i++)
        r = tell(report->model, report->findings.v[i], &links);
    free(links.v);
    return r;
}
