/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a person means by a name (named.h).
 */
#include "answer/named.h"

#include <string.h>
#include <strings.h>

#include "answer/answer.h"
#include "base/text.h"
#include "diagnose/resolve.h"

static size_t add(struct named *list, size_t n, size_t max, const char *id, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].id, id) == 0)
            return n;
    if (n < max)
        list[n++] = (struct named){ id, name };
    return n;
}

/* What there is of that name now. */
static size_t present(const struct report *report, const char *name, struct named *ret, size_t max)
{
    struct object objects[ANSWER_OBJECTS_MAX];
    size_t found = resolve_name(report, name, objects, ANSWER_OBJECTS_MAX), n = 0;

    for (size_t i = 0; i < found && i < ANSWER_OBJECTS_MAX; i++) {
        const struct object *o = &objects[i];
        const struct link *l = o->device ? o->device->link : o->link;

        if (o->host)
            n = add(ret, n, max, o->host->id, o->host->kernel_name);
        if (o->device && o->device->id)
            n = add(ret, n, max, o->device->id, o->device->hctl);
        if (l)
            n = add(ret, n, max, l->id, l->kernel_name);
    }
    return n;
}

static bool names(const struct finding *f, const struct named *objects, size_t n)
{
    for (size_t i = 0; i < f->subjects.n; i++)
        for (size_t k = 0; k < n; k++)
            if (strcmp(f->subjects.v[i], objects[k].id) == 0)
                return true;
    return false;
}

static bool calls(const struct finding *f, const char *name)
{
    for (size_t i = 0; i < f->subjects.n; i++)
        if (strcasecmp(f->subjects.v[i], name) == 0)
            return true;
    for (size_t i = 0; i < f->names.n; i++)
        if (strcasecmp(f->names.v[i], name) == 0)
            return true;
    return false;
}

size_t named_findings(const struct report *report, const char *name, const char *code,
                      struct finding **ret, size_t max)
{
    struct named objects[3 * ANSWER_OBJECTS_MAX];
    size_t n_objects = present(report, name, objects, ELEMENTS(objects)), n = 0;

    for (size_t i = 0; i < report->findings.n; i++) {
        struct finding *f = report->findings.v[i];

        if ((code && strcmp(code, f->entry->code) != 0) ||
            !(n_objects ? names(f, objects, n_objects) : calls(f, name)))
            continue;
        if (n < max)
            ret[n] = f;
        n++;
    }
    return n;
}

/* What is gone is called so by findings: then its id is known. */
static const char *id_of_gone(const struct report *report, const char *name)
{
    for (size_t i = 0; i < report->findings.n; i++) {
        const struct finding *f = report->findings.v[i];

        for (size_t k = 0; f->subjects.n == 1 && k < f->names.n; k++)
            if (strcasecmp(f->names.v[k], name) == 0)
                return f->subjects.v[0];
    }
    return name;
}

size_t named_objects(const struct report *report, const char *name, struct named *ret, size_t max)
{
    size_t n = present(report, name, ret, max);

    return n ? n : add(ret, 0, max, id_of_gone(report, name), name);
}
