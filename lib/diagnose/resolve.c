/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names as people type them (resolve.h).
 */
#include "diagnose/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/text.h"
#include "facts/key.h"
#include "source/command.h"

/* What was found so far. */
struct search {
    const struct report *report;
    struct object *found; /* the first `max` of them */
    size_t n, max;
};

static void add(struct search *s, struct object o)
{
    for (size_t i = 0; i < s->n && i < s->max; i++)
        if (s->found[i].host == o.host && s->found[i].link == o.link &&
            s->found[i].device == o.device)
            return;
    if (s->n++ < s->max)
        s->found[s->n - 1] = o;
}

/* Length without the blanks that fixed fields of devices end with. */
static size_t trimmed(const char *text)
{
    size_t len = strlen(text);

    while (len && text[len - 1] == ' ')
        len--;
    return len;
}

static bool same(const char *a, const char *b)
{
    return a && b && trimmed(a) == trimmed(b) && strncasecmp(a, b, trimmed(a)) == 0;
}

/* A WWN without its notation: "naa.5000…", "0x5000…", "scsi-35000…" and "5000…" are one. */
static const char *bare_wwn(const char *text)
{
    static const char *const BEFORE[] = { "naa.", "eui.", "0x", "wwn-0x", "scsi-3" };

    for (size_t i = 0; text && i < ELEMENTS(BEFORE); i++)
        if (strncasecmp(text, BEFORE[i], strlen(BEFORE[i])) == 0)
            return text + strlen(BEFORE[i]);
    return text;
}

static bool same_wwn(const char *a, const char *b)
{
    return same(bare_wwn(a), bare_wwn(b));
}

/* Has the device a fact of that key with that text? */
static bool has_text(const struct device *d, const struct fact_key *key, const char *text)
{
    for (uint32_t i = 0; i < d->subject->n_facts; i++) {
        const struct fact *f = &d->subject->facts[i];

        if (f->key == key && f->quality == QUALITY_OK && same(f->text, text))
            return true;
    }
    return false;
}

static bool device_is(const struct device *d, const char *name)
{
    const char *by_id = text_starts_with(name, "disk/by-id/") ? name + strlen("disk/by-id/") : name;

    return same(d->hctl, name) || same(d->id, name) || has_text(d, &KEY_NODE, name) ||
           has_text(d, &KEY_BY_ID, by_id) || same(d->serial, name) || same_wwn(d->wwid, by_id);
}

/* "0000:02:04.0" is called 02:04.0 as well. */
static bool host_is(const struct host *h, const char *name)
{
    const char *short_address = h->pci_address ? strchr(h->pci_address, ':') + 1 : NULL;

    return same(h->kernel_name, name) || same(h->id, name) || same(h->pci_address, name) ||
           same(short_address, name);
}

/* ---- the names that reports use, and others that kernel and tools have for the same things ---- */

static void find_named(struct search *s, const char *name)
{
    const struct model *m = s->report->model;
    struct link *alias = model_link_named(m, name);

    for (size_t i = 0; i < m->hosts.n; i++)
        if (host_is(m->hosts.v[i], name))
            add(s, (struct object){ .host = m->hosts.v[i] });
    for (size_t i = 0; i < m->links.n; i++)
        if (same(m->links.v[i]->kernel_name, name) || same(m->links.v[i]->id, name))
            add(s, (struct object){ .link = m->links.v[i] });
    if (alias)
        add(s, (struct object){ .link = alias });
    for (size_t i = 0; i < m->devices.n; i++)
        if (device_is(m->devices.v[i], name))
            add(s, (struct object){ .device = m->devices.v[i] });
}

/* "sdc1" is on sdc, "wwn-0x5000…-part1" on what is called so without its end. */
static void find_whole_disk(struct search *s, const char *name)
{
    _cleanup_free_ char *whole = strdup(name);
    char *end = whole ? whole + strlen(whole) : NULL;

    while (end && end > whole && end[-1] >= '0' && end[-1] <= '9')
        end--;
    if (!end || !*end)
        return;
    *end = '\0';
    if (text_ends_with(whole, "-part"))
        whole[strlen(whole) - strlen("-part")] = '\0';
    else if (strncasecmp(whole, "sd", 2) != 0 || !whole[2])
        return;
    find_named(s, whole);
}

/* By either end: an expander, a target's name, a WWN or the port it is on. Lanes say no more than their wide link. */
static void find_ends(struct search *s, const char *name)
{
    const struct model *m = s->report->model;
    size_t len = strlen(name);

    for (size_t i = 0; i < m->links.n; i++) {
        const struct link *l = m->links.v[i];
        const char *far = l->far && text_starts_with(l->far, "fabric ") ? l->far + strlen("fabric ")
                                                                        : l->far;

        if (l->bundle || l->judged_above)
            continue;
        if (same_wwn(far, name) || same_wwn(l->far_id, name) || same_wwn(l->near, name) ||
            (far && strncasecmp(far, name, len) == 0 && (far[len] == ' ' || far[len] == ',')))
            add(s, (struct object){ .link = l });
    }
}

static void find_enclosures(struct search *s, const char *name)
{
    const struct model *m = s->report->model;

    for (size_t i = 0; i < m->devices.n; i++)
        if (same_wwn(m->devices.v[i]->enclosure, name))
            add(s, (struct object){ .device = m->devices.v[i] });
}

/* Ports of targets: what is behind them; the link to them where that is nothing. */
static void find_remotes(struct search *s, const char *name)
{
    const struct model *m = s->report->model;

    for (size_t i = 0; i < m->remotes.n; i++) {
        const struct remote *p = &m->remotes.v[i];
        size_t before = s->n;

        if (!same(p->kernel_name, name) && !same_wwn(p->node, name) && !same(p->id, name))
            continue;
        for (size_t k = 0; k < m->devices.n; k++)
            if (same(m->devices.v[k]->remote, p->id))
                add(s, (struct object){ .device = m->devices.v[k] });
        if (s->n == before)
            add(s, (struct object){ .link = p->link });
    }
}

/* ---- anything else that the kernel has a folder for, or that says who it is ---- */

static bool is_below(const char *path, const char *above)
{
    return text_starts_with(path, above) &&
           (path[strlen(above)] == '/' || path[strlen(above)] == '\0');
}

/* The host whose folder it is; else the devices below it, the links, the host that it is below. */
static void find_at(struct search *s, const char *path)
{
    const struct model *m = s->report->model;
    size_t before = s->n;

    for (size_t i = 0; i < m->hosts.n; i++)
        if (strcmp(m->hosts.v[i]->subject->path, path) == 0)
            add(s, (struct object){ .host = m->hosts.v[i] });
    for (size_t i = 0; s->n == before && i < m->devices.n; i++)
        if (is_below(m->devices.v[i]->subject->path, path))
            add(s, (struct object){ .device = m->devices.v[i] });
    for (size_t i = 0; s->n == before && i < m->links.n; i++)
        if (m->links.v[i]->subject && is_below(m->links.v[i]->subject->path, path))
            add(s, (struct object){ .link = m->links.v[i] });
    for (size_t i = 0; s->n == before && i < m->hosts.n; i++)
        if (is_below(path, m->hosts.v[i]->subject->path))
            add(s, (struct object){ .host = m->hosts.v[i] });
}

/* Is it called so, or says it so of itself? */
static bool subject_is(const struct subject *subject, const char *name)
{
    uint64_t number, address = 0;
    bool is_number = number_u64(bare_wwn(name), 16, &number) == 0 && number > UINT32_MAX;

    if (same(subject->name, name))
        return true;
    for (uint32_t i = 0; i < subject->n_facts; i++) {
        const struct fact *f = &subject->facts[i];

        if (f->key->kind != FACT_IDENTITY || f->quality != QUALITY_OK)
            continue;
        if (f->key->type == FACT_TEXT && same_wwn(f->text, name))
            return true;
        address = f->key->type == FACT_NUMBER ? f->number : 0;
        if (is_number && address == number)
            return true;
    }
    return false;
}

static void find_subjects(struct search *s, const char *name)
{
    const struct fact_set *facts = s->report->facts;

    for (size_t i = 0; i < fact_set_classes(facts); i++)
        for (const struct subject *x = fact_set_first(facts, fact_set_class(facts, i)); x;
             x = x->next_of_class)
            if (subject_is(x, name))
                find_at(s, x->path);
}

/* Is the folder on the way to it? */
static bool is_in(const struct subject *s, const char *folder)
{
    return s && strcasestr(s->path, folder);
}

/* Links in a port's folder, by the port and the number of the device: the kernel log writes PORT.02 of what is behind
 * a multiplier, or second at one cable, and otherwise PORT.00, and PORT.15 for the multiplier itself
 * (SATA_PMP_CTRL_PORT, include/linux/libata.h). */
static void find_in_port(struct search *s, const char *name)
{
    enum { MULTIPLIER = 15 };
    const struct model *m = s->report->model;
    const char *dot = strchr(name, '.');
    char folder[128], end[16];
    uint64_t device = 0;

    if ((dot && number_u64(dot + 1, 10, &device) < 0) || device > MULTIPLIER ||
        (size_t)snprintf(folder, sizeof(folder), "/%.*s/", (int)strcspn(name, "."), name) >=
            sizeof(folder))
        return;
    snprintf(end, sizeof(end), ".%u", (unsigned)device);
    for (size_t i = 0; dot && i < m->links.n; i++)
        if (is_in(m->links.v[i]->subject, folder) &&
            text_ends_with(m->links.v[i]->kernel_name, end))
            add(s, (struct object){ .link = m->links.v[i] });
    if (s->n || (device && device != MULTIPLIER))
        return;
    for (size_t i = 0; i < m->links.n; i++) {
        const struct link *l = m->links.v[i];

        if (is_in(l->subject, folder) && !(l->up && is_in(l->up->subject, folder)))
            add(s, (struct object){ .link = l });
    }
}

/* "end_device-0:0:1", "target0:0:2", "session1": folders on the way to a device. H:C:T stands for its target's. */
static void find_folders(struct search *s, const char *name)
{
    const struct model *m = s->report->model;
    unsigned h, c, t;
    int end = 0;
    char folder[128];

    if (sscanf(name, "%9u:%9u:%9u%n", &h, &c, &t, &end) == 3 && !name[end])
        snprintf(folder, sizeof(folder), "/target%u:%u:%u/", h, c, t);
    else if ((size_t)snprintf(folder, sizeof(folder), "/%s/", name) >= sizeof(folder))
        return;
    for (size_t i = 0; i < m->devices.n; i++)
        if (is_in(m->devices.v[i]->subject, folder))
            add(s, (struct object){ .device = m->devices.v[i] });
}

/* Is it a part of what rides on a device ("sda > sda1 > md0 (raid1), mounted on /srv"), or where it is mounted? */
static bool rides_on(const char *user, const char *name)
{
    static const char MOUNTED[] = ", mounted on ";
    const char *mount = strstr(user, MOUNTED), *next;
    size_t len = strlen(name);

    if (mount && strcmp(mount + strlen(MOUNTED), name) == 0)
        return true;
    for (const char *part = user; part; part = next ? next + strlen(" > ") : NULL) {
        next = strstr(part, " > ");
        if (strncmp(part, name, len) == 0 && (!part[len] || strchr(" ,", part[len])))
            return true;
    }
    return false;
}

/* "md0", "vg-root", "/srv": devices that carry it. */
static void find_users(struct search *s, const char *name)
{
    const struct model *m = s->report->model;
    const char *volume = text_starts_with(name, "mapper/") ? name + strlen("mapper/") : name;

    for (size_t i = 0; i < m->devices.n; i++)
        for (size_t k = 0; k < m->devices.v[i]->users.n; k++)
            if (rides_on(m->devices.v[i]->users.v[k], volume))
                add(s, (struct object){ .device = m->devices.v[i] });
}

/* The name without what surrounds it: "[0:0:2:0]" as of lsscsi, "scsi_host1", "/dev/sdc". */
static char *bare_name(const char *name)
{
    static const char *const BEFORE[] = { "[", "/dev/", "scsi_host" };
    char *bare;

    for (size_t i = 0; i < ELEMENTS(BEFORE); i++)
        if (text_starts_with(name, BEFORE[i]))
            name += strlen(BEFORE[i]) - (i == 2 ? strlen("host") : 0);
    bare = strdup(name);
    if (bare && text_ends_with(bare, "]"))
        bare[strlen(bare) - 1] = '\0';
    return bare;
}

size_t resolve_name(const struct report *report, const char *name, struct object *ret, size_t max)
{
    static void (*const WAYS[])(struct search *, const char *) = {
        find_named,   find_whole_disk, find_ends,    find_enclosures, find_remotes,
        find_in_port, find_subjects,   find_folders, find_users,
    };
    struct search s = { .report = report, .found = ret, .max = max };
    _cleanup_free_ char *bare = bare_name(name);

    for (size_t i = 0; bare && *bare && s.n == 0 && i < ELEMENTS(WAYS); i++)
        WAYS[i](&s, bare);
    return s.n;
}
