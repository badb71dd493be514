/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What differs between two reports (compare.h).
 */
#include "finding/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "facts/key.h"
#include "finding/kept.h"

static const char *const KINDS[] = {
    [CHANGE_MACHINE] = "machine",     [CHANGE_MODE] = "mode",         [CHANGE_DRIVER] = "driver",
    [CHANGE_PARAMETER] = "parameter", [CHANGE_FIRMWARE] = "firmware", [CHANGE_KERNEL] = "kernel",
    [CHANGE_QUEUE] = "queue",         [CHANGE_DEVICE] = "device",     [CHANGE_FINDING] = "finding",
    [CHANGE_COUNTER] = "counter",
};
DEFINE_NAMES(enum change_kind, change_kind, KINDS)

struct comparison *comparison_free(struct comparison *c)
{
    if (!c)
        return NULL;
    free(c->changes.v);
    arena_free(c->arena);
    free(c);
    return NULL;
}

/* What a change is about. */
struct about {
    struct comparison *c;
    const char *id, *name;
};

static int differ(const struct about *s, enum change_kind kind, const char *what, const char *a,
                  const char *b)
{
    if (text_same(a, b))
        return 0;
    return vec_push(&s->c->changes, (struct change){ kind, s->id, s->name, what, a, b });
}

/* What is compared of an id. NULL without memory. */
static const char *comparable(const struct comparison *c, const char *id)
{
    return c->made_up ? kept_of_id(c->arena, id) : id;
}

/* A name that may hold an address. */
static int differ_in_name(const struct about *s, enum change_kind kind, const char *what,
                          const char *a, const char *b)
{
    const char *x = a ? comparable(s->c, a) : NULL, *y = b ? comparable(s->c, b) : NULL;

    if ((a && !x) || (b && !y))
        return -ENOMEM;
    return text_same(x, y) ? 0 : differ(s, kind, what, a, b);
}

static const char *number_text(struct comparison *c, uint64_t n)
{
    return arena_printf(c->arena, "%" PRIu64, n);
}

/* A number that either subject has. */
static int differ_in_number(const struct about *s, enum change_kind kind,
                            const struct fact_key *key, const struct subject *a,
                            const struct subject *b)
{
    uint64_t x = 0, y = 0;
    bool has_x = fact_number(a, key, &x), has_y = fact_number(b, key, &y);
    const char *before, *after;

    if (has_x == has_y && x == y)
        return 0;
    before = has_x ? number_text(s->c, x) : NULL;
    after = has_y ? number_text(s->c, y) : NULL;
    if ((has_x && !before) || (has_y && !after))
        return -ENOMEM;
    return differ(s, kind, key->name, before, after);
}

/* ---- pairs ---- objects of two reports with the same id; either may be missing */

/* Anything with an id, where it stands in its model, and the object. */
struct object {
    const char *id;
    size_t order;
    const void *a, *b;
};

struct objects {
    VEC(struct object) v;
};

static int by_id(const void *x, const void *y)
{
    const struct object *a = x, *b = y;
    int r = strcmp(a->id, b->id);

    if (r == 0)
        r = (a->b != NULL) - (b->b != NULL);
    return r ? r : (a->order > b->order) - (a->order < b->order);
}

static int by_order(const void *x, const void *y)
{
    const struct object *a = x, *b = y;

    return (a->order > b->order) - (a->order < b->order);
}

static int push_object(struct objects *o, const char *id, const void *object, bool second)
{
    if (!id)
        return -ENOMEM;
    return vec_push(&o->v,
                    (struct object){ id, o->v.n, second ? NULL : object, second ? object : NULL });
}

/* Folds those with the same id, sorted, each of the first report with one of the second. Returns how many are left, at the
 * start. */
static size_t fold(struct object *v, size_t n)
{
    size_t first = 0, second, left;

    while (first < n && v[first].a)
        first++;
    second = n - first;
    left = first > second ? first : second;
    for (size_t i = 0; i < left; i++) {
        const void *b = i < second ? v[first + i].b : NULL;

        if (i >= first)
            v[i] = v[first + i];
        v[i].b = b;
    }
    return left;
}

/* Folds those with the same id, in their order, and restores the order of the reports. */
static void pair(struct objects *o)
{
    size_t n = 0, run;

    if (!o->v.n)
        return;
    qsort(o->v.v, o->v.n, sizeof(*o->v.v), by_id);
    for (size_t i = 0; i < o->v.n; i += run) {
        size_t left;

        for (run = 1; i + run < o->v.n && strcmp(o->v.v[i].id, o->v.v[i + run].id) == 0;)
            run++;
        left = fold(&o->v.v[i], run);
        memmove(&o->v.v[n], &o->v.v[i], left * sizeof(*o->v.v));
        n += left;
    }
    o->v.n = n;
    qsort(o->v.v, n, sizeof(*o->v.v), by_order);
}

/* ---- what is compared of each ---- */

static const char *parameter_of(const struct host *h, const char *name)
{
    for (size_t i = 0; i < h->parameters.n; i++)
        if (strcmp(h->parameters.v[i].name, name) == 0)
            return h->parameters.v[i].value;
    return NULL;
}

static int compare_parameters(const struct about *s, const struct host *a, const struct host *b)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < a->parameters.n; i++)
        r = differ(s, CHANGE_PARAMETER, a->parameters.v[i].name, a->parameters.v[i].value,
                   parameter_of(b, a->parameters.v[i].name));
    for (size_t i = 0; r == 0 && i < b->parameters.n; i++)
        if (!parameter_of(a, b->parameters.v[i].name))
            r = differ(s, CHANGE_PARAMETER, b->parameters.v[i].name, NULL,
                       b->parameters.v[i].value);
    return r;
}

static const char *how_built(const struct host *h)
{
    uint64_t built_in;

    if (!h->module || !fact_number(h->module, &KEY_BUILT_IN, &built_in))
        return NULL;
    return built_in ? "built into the kernel" : "a module";
}

static int compare_hosts(struct comparison *c, const struct object *o)
{
    static const struct fact_key *const QUEUES[] = { &KEY_CAN_QUEUE, &KEY_CMD_PER_LUN,
                                                     &KEY_SG_TABLESIZE, &KEY_HW_QUEUES };
    const struct host *a = o->a, *b = o->b;
    struct about s = { c, (b ? b : a)->id, (b ? b : a)->kernel_name };
    int r;

    if (!a || !b)
        return differ(&s, CHANGE_DEVICE, "adapter", a ? a->driver : NULL, b ? b->driver : NULL);
    r = differ(&s, CHANGE_DRIVER, "driver", a->driver, b->driver);
    if (r == 0)
        r = differ(&s, CHANGE_DRIVER, "driver version", a->driver_version, b->driver_version);
    if (r == 0)
        r = differ(&s, CHANGE_DRIVER, "driver is", how_built(a), how_built(b));
    if (r == 0)
        r = compare_parameters(&s, a, b);
    if (r == 0)
        r = differ(&s, CHANGE_FIRMWARE, "firmware", a->firmware, b->firmware);
    if (r == 0)
        r = differ(&s, CHANGE_FIRMWARE, "BIOS", a->bios, b->bios);
    if (r == 0)
        r = differ(&s, CHANGE_DEVICE, "model", a->model, b->model);
    for (size_t i = 0; r == 0 && i < ELEMENTS(QUEUES); i++)
        r = differ_in_number(&s, CHANGE_QUEUE, QUEUES[i], a->subject, b->subject);
    return r < 0 ? r : differ_in_number(&s, CHANGE_COUNTER, &KEY_RESET_COUNT, a->own, b->own);
}

/* A link's mode, or its state where it is not up. */
static const char *mode_text(struct comparison *c, const struct link *l)
{
    uint64_t kb;

    if (!l)
        return NULL;
    if (l->state != LINK_UP)
        return link_state_to_string(l->state);
    if (!l->actual.known)
        return "not known";
    if (l->actual.label)
        return l->actual.label;
    kb = rate_kb_per_s(l->actual.rate);
    return arena_printf(c->arena, "%" PRIu64 ".%" PRIu64 " MB/s", kb / 1000, kb % 1000 / 100);
}

static const struct fact *counter_of(const struct link *l, const struct fact_key *key)
{
    for (size_t i = 0; i < l->counters.n; i++)
        if (l->counters.v[i]->key == key)
            return l->counters.v[i];
    return NULL;
}

static int compare_counters(const struct about *s, const struct link *a, const struct link *b)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < b->counters.n; i++) {
        const struct fact *after = b->counters.v[i], *before = counter_of(a, after->key);
        const char *x, *y;

        if (!before || before->number == after->number)
            continue;
        x = number_text(s->c, before->number);
        y = number_text(s->c, after->number);
        r = x && y ? differ(s, CHANGE_COUNTER, after->key->name, x, y) : -ENOMEM;
    }
    return r;
}

static int compare_links(struct comparison *c, const struct object *o)
{
    const struct link *a = o->a, *b = o->b;
    struct about s = { c, (b ? b : a)->id, (b ? b : a)->kernel_name };
    const char *x = mode_text(c, a), *y = mode_text(c, b);
    int r;

    if ((a && !x) || (b && !y))
        return -ENOMEM;
    r = differ(&s, CHANGE_MODE, "runs at", x, y);
    if (!a || !b)
        return r;
    if (r == 0)
        r = differ_in_name(&s, CHANGE_DEVICE, "far end", a->far, b->far);
    if (r == 0 && a->actual.known && b->actual.known && text_same(x, y))
        r = differ(&s, CHANGE_MODE, "in detail", a->actual.detail, b->actual.detail);
    return r < 0 ? r : compare_counters(&s, a, b);
}

static int compare_devices(struct comparison *c, const struct object *o)
{
    const struct device *a = o->a, *b = o->b;
    struct about s = { c, (b ? b : a)->id, (b ? b : a)->hctl };
    int r;

    if (!a || !b)
        return differ(&s, CHANGE_DEVICE, "device", a ? a->model : NULL, b ? b->model : NULL);
    r = differ(&s, CHANGE_DEVICE, "model", a->model, b->model);
    if (r == 0 && !c->made_up)
        r = differ(&s, CHANGE_DEVICE, "serial number", a->serial, b->serial);
    if (r == 0)
        r = differ(&s, CHANGE_DEVICE, "firmware", a->revision, b->revision);
    if (r == 0)
        r = differ(&s, CHANGE_DEVICE, "state", fact_text(a->subject, &KEY_STATE),
                   fact_text(b->subject, &KEY_STATE));
    return r < 0 ? r : differ_in_number(&s, CHANGE_QUEUE, &KEY_QUEUE_DEPTH, a->subject, b->subject);
}

static int compare_findings(struct comparison *c, const struct object *o)
{
    const struct finding *a = o->a, *b = o->b, *f = b ? b : a;
    struct about s = { c, f->subjects.v[0], f->names.n ? f->names.v[0] : f->subjects.v[0] };

    return a && b ? 0
                  : differ(&s, CHANGE_FINDING, f->entry->code, a ? a->summary : NULL,
                           b ? b->summary : NULL);
}

/* ---- is it one machine? ---- */

/* Do they have an adapter in common, or has one of them none at all? Returns 1, 0 or -ENOMEM. */
static int share_hosts(const struct comparison *c, const struct model *a, const struct model *b)
{
    for (size_t i = 0; i < a->hosts.n; i++)
        for (size_t k = 0; k < b->hosts.n; k++) {
            const char *x = comparable(c, a->hosts.v[i]->id), *y = comparable(c, b->hosts.v[k]->id);

            if (!x || !y)
                return -ENOMEM;
            if (strcmp(x, y) == 0)
                return 1;
        }
    return !a->hosts.n || !b->hosts.n;
}

static size_t count_serials(const struct model *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->devices.n; i++)
        n += m->devices.v[i]->serial != NULL;
    return n;
}

/* One that was replaced is no sign; several at once are. */
static bool share_serials(const struct model *a, const struct model *b)
{
    enum { SEVERAL = 3 };

    for (size_t i = 0; i < a->devices.n; i++)
        for (size_t k = 0; a->devices.v[i]->serial && k < b->devices.n; k++)
            if (text_same(a->devices.v[i]->serial, b->devices.v[k]->serial))
                return true;
    return count_serials(a) < SEVERAL || count_serials(b) < SEVERAL;
}

static int compare_machines(struct comparison *c, const struct report *a, const struct report *b)
{
    const char *what = NULL, *before = a->hostname, *after = b->hostname;
    int shared = share_hosts(c, a->model, b->model);

    if (shared < 0)
        return shared;
    if (!c->made_up && before && after && !text_same(before, after)) {
        what = "host name";
    } else if (!shared) {
        what = "no adapter in both; the first is";
        before = a->model->hosts.v[0]->id;
        after = b->model->hosts.v[0]->id;
    } else if (!c->made_up && !share_serials(a->model, b->model)) {
        what = "devices with a serial number, none in both";
        before = number_text(c, count_serials(a->model));
        after = number_text(c, count_serials(b->model));
    }
    if (!what)
        return 0;
    return before && after
               ? vec_push(&c->changes, (struct change){ CHANGE_MACHINE, b->hostname, b->hostname,
                                                        what, before, after })
               : -ENOMEM;
}

const struct change *comparison_other_machine(const struct comparison *c)
{
    return c->changes.n && c->changes.v[0].kind == CHANGE_MACHINE ? &c->changes.v[0] : NULL;
}

/* ---- all of it ---- */

static int add_hosts(struct comparison *c, struct objects *o, const struct report *r, bool second)
{
    int e = 0;

    for (size_t i = 0; e == 0 && i < r->model->hosts.n; i++)
        e = push_object(o, comparable(c, r->model->hosts.v[i]->id), r->model->hosts.v[i], second);
    return e;
}

static int add_links(struct comparison *c, struct objects *o, const struct report *r, bool second)
{
    int e = 0;

    for (size_t i = 0; e == 0 && i < r->model->links.n; i++)
        e = push_object(o, comparable(c, r->model->links.v[i]->id), r->model->links.v[i], second);
    return e;
}

static int add_devices(struct comparison *c, struct objects *o, const struct report *r, bool second)
{
    int e = 0;

    for (size_t i = 0; e == 0 && i < r->model->devices.n; i++)
        e = push_object(o, comparable(c, r->model->devices.v[i]->id), r->model->devices.v[i],
                        second);
    return e;
}

static int add_findings(struct comparison *c, struct objects *o, const struct report *r,
                        bool second)
{
    int e = 0;

    for (size_t i = 0; e == 0 && i < r->findings.n; i++) {
        const struct finding *f = r->findings.v[i];
        const char *id = arena_printf(c->arena, "%s %s", f->entry->code, f->subjects.v[0]);

        e = id ? push_object(o, comparable(c, id), f, second) : -ENOMEM;
    }
    return e;
}

/* The kinds in their order, each as it was found. */
static int sort_changes(struct comparison *c)
{
    VEC(struct change) sorted = { 0 };
    int r = vec_reserve(&sorted, c->changes.n + 1);

    if (r < 0)
        return r;
    for (int kind = 0; kind < _CHANGE_KIND_MAX; kind++)
        for (size_t i = 0; i < c->changes.n; i++)
            if ((int)c->changes.v[i].kind == kind)
                sorted.v[sorted.n++] = c->changes.v[i];
    free(c->changes.v);
    c->changes.v = sorted.v;
    c->changes.cap = sorted.cap;
    return 0;
}

int compare_reports(const struct report *a, const struct report *b, struct comparison **ret)
{
    static const struct {
        int (*add)(struct comparison *, struct objects *, const struct report *, bool second);
        int (*compare)(struct comparison *, const struct object *);
    } OBJECTS[] = {
        { add_hosts, compare_hosts },
        { add_links, compare_links },
        { add_devices, compare_devices },
        { add_findings, compare_findings },
    };
    _cleanup_(comparison_freep) struct comparison *c = calloc(1, sizeof(*c));
    struct about machine = { c, b->hostname, b->hostname };
    int r;

    if (!c || !(c->arena = arena_new()))
        return -ENOMEM;
    c->made_up = a->model->scrubbed != b->model->scrubbed;
    r = compare_machines(c, a, b);
    if (r == 0)
        r = differ(&machine, CHANGE_KERNEL, "kernel", a->kernel, b->kernel);
    for (size_t k = 0; r == 0 && k < ELEMENTS(OBJECTS); k++) {
        struct objects objects = { 0 };

        r = OBJECTS[k].add(c, &objects, a, false);
        if (r == 0)
            r = OBJECTS[k].add(c, &objects, b, true);
        if (r == 0)
            pair(&objects);
        for (size_t i = 0; r == 0 && i < objects.v.n; i++)
            r = OBJECTS[k].compare(c, &objects.v.v[i]);
        free(objects.v.v);
    }
    if (r == 0)
        r = sort_changes(c);
    if (r == 0)
        *ret = TAKE_PTR(c);
    return r;
}
