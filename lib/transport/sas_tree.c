/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SAS: from the kernel's objects to the tree of a host (sas.h).
 *
 * What hangs where, the paths of the objects tell:
 * HOST/port-H:P/expander-H:E/port-H:E:Q/end_device-…, a phy lies in the directory of what it is a
 * phy of. Which phys are a port's, their `port` links tell.
 */
#include "transport/sas.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* "phy-0:1:12" before "phy-0:1:100": all nodes begin with their subject. */
static int compare_nodes(const void *a, const void *b)
{
    const struct subject *const *x = a, *const *y = b;

    return strverscmp((*x)->name, (*y)->name);
}

/* The node of that name; NULL where there is none. */
static void *find_node(const void *nodes, size_t n, size_t size, const char *name)
{
    const struct subject wanted = { .name = name }, *key = &wanted;

    return name && n ? bsearch(&key, nodes, n, size, compare_nodes) : NULL;
}

static struct sas_port *find_port(const struct sas_tree *t, const char *name)
{
    return find_node(t->ports, t->n_ports, sizeof(*t->ports), name);
}

static struct sas_expander *find_expander(const struct sas_tree *t, const char *name)
{
    return find_node(t->expanders, t->n_expanders, sizeof(*t->expanders), name);
}

/* The subjects of a class and host whose names begin with the prefix, as nodes of that size that
 * begin with a pointer to their subject; sorted by name. */
static int collect(const struct sas_tree *t, const char *class_name, const char *prefix,
                   size_t size, void *ret_nodes, size_t *ret_n)
{
    const struct subject *first = fact_set_first(t->relation->facts, class_name), *s;
    size_t n = 0;
    char *nodes;

    for (s = first; s; s = s->next_of_class)
        n += s->host == t->host->subject && text_starts_with(s->name, prefix);
    nodes = arena_alloc(t->arena, size * (n ? n : 1));
    if (!nodes)
        return -ENOMEM;
    n = 0;
    for (s = first; s; s = s->next_of_class)
        if (s->host == t->host->subject && text_starts_with(s->name, prefix))
            memcpy(nodes + size * n++, &s, sizeof(s));
    qsort(nodes, n, size, compare_nodes);
    memcpy(ret_nodes, &nodes, sizeof(nodes));
    *ret_n = n;
    return 0;
}

/* Name of the directory that an object lies in, in the buffer; NULL where it does not fit. */
static const char *parent_name(const struct subject *s, char *buffer, size_t size)
{
    const char *end = strrchr(s->path, '/'), *start = end;
    size_t len;

    while (start && start > s->path && start[-1] != '/')
        start--;
    len = start ? (size_t)(end - start) : 0;
    if (!len || len >= size)
        return NULL;
    memcpy(buffer, start, len);
    buffer[len] = '\0';
    return buffer;
}

static int hang_expanders(struct sas_tree *t)
{
    char buffer[64];

    for (size_t i = 0; i < t->n_expanders; i++) {
        struct sas_expander *e = &t->expanders[i];
        const struct subject *class = fact_set_find(t->relation->facts, "sas_expander",
                                                    e->subject->name);
        const char *vendor = fact_text(class, &KEY_VENDOR), *model = fact_text(class, &KEY_MODEL);

        e->address = fact_number_or(e->subject, &SAS_KEY_ADDRESS, 0);
        e->name = arena_printf(t->relation->model->arena, "%s%s%s%s%s", e->subject->name,
                               vendor ? " " : "", vendor ? vendor : "", model ? " " : "",
                               model ? model : "");
        if (!e->name)
            return -ENOMEM;
        e->model = vendor || model ? e->name + strlen(e->subject->name) + 1 : NULL;
        e->above = find_port(t, parent_name(e->subject, buffer, sizeof(buffer)));
        if (e->above)
            e->above->below = e;
    }
    return 0;
}

static void hang_ports(struct sas_tree *t)
{
    const struct subject *s = fact_set_first(t->relation->facts, "sas_device");
    char buffer[64];

    for (size_t i = 0; i < t->n_ports; i++)
        t->ports[i].expander = find_expander(
            t, parent_name(t->ports[i].subject, buffer, sizeof(buffer)));
    for (; s; s = s->next_of_class) {
        struct sas_port *port;

        if (s->host != t->host->subject || !text_starts_with(s->name, "end_device-"))
            continue;
        port = find_port(t, parent_name(s, buffer, sizeof(buffer)));
        if (port)
            port->end_device = s;
    }
}

/* What is behind the last ':' of a name; 0 where that is no number. */
static unsigned number_of(const char *name)
{
    const char *colon = strrchr(name, ':');
    uint64_t number;

    return colon && number_u64(colon + 1, 10, &number) == 0 ? (unsigned)number : 0;
}

static void hang_lanes(struct sas_tree *t)
{
    char buffer[64];

    /* From the last on, each put before those that are there: lists by number. */
    for (size_t i = t->n_lanes; i > 0; i--) {
        struct sas_lane *lane = &t->lanes[i - 1];
        const struct subject *s = lane->subject;

        lane->number = number_of(s->name);
        lane->negotiated = fact_number_or(s, &SAS_KEY_NEGOTIATED, 0);
        lane->maximum = fact_number_or(s, &SAS_KEY_MAXIMUM, 0);
        lane->hardware = fact_number_or(s, &SAS_KEY_HARDWARE, 0);
        lane->enabled = fact_number_or(s, &SAS_KEY_ENABLE, 1) != 0;
        lane->expander = find_expander(t, parent_name(s, buffer, sizeof(buffer)));
        lane->port = find_port(t, fact_text(s, &SAS_KEY_PORT));
        if (lane->expander) {
            lane->next_of_expander = lane->expander->lanes;
            lane->expander->lanes = lane;
        }
        if (lane->port) {
            lane->next_of_port = lane->port->lanes;
            lane->port->lanes = lane;
            lane->port->n_lanes++;
        }
    }
}

static bool tells_of_phys(const struct subject *device)
{
    return fact_bytes(device, &SAS_KEY_PAGE_PHYS).len ||
           fact_bytes(device, &SAS_KEY_PAGE_LOG).len || fact_bytes(device, &KEY_VPD_89).len;
}

static void hang_devices(struct sas_tree *t)
{
    enum { ENCLOSURE = 0x0d }; /* SPC-4 table 142 */

    for (const struct subject *d = fact_set_first(t->relation->facts, "scsi_device"); d;
         d = d->next_of_class) {
        const struct subject *s;
        struct sas_port *port;
        bool is_enclosure;

        if (d->host != t->host->subject)
            continue;
        s = fact_set_above(t->relation->facts, "sas_port", d->path, "port-");
        port = s ? find_port(t, s->name) : NULL;
        if (!port) {
            t->has_loose_devices = true;
            continue;
        }
        is_enclosure = fact_number_or(d, &KEY_DEVICE_TYPE, 0) == ENCLOSURE;
        port->only_enclosure = is_enclosure && (!port->device || port->only_enclosure);
        if (!port->device)
            port->device = d;
        if (!port->witness && tells_of_phys(d))
            port->witness = d;
    }
}

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* Is the enclosure at the end of this port a part of the chip whose port it is? An expander's
 * has the expander's names, or an address that differs from its in the last byte only; the
 * adapter's has a name of its own. (SMP DISCOVER would tell, byte 43 bit 7.) */
static bool ends_in_own_chip(const struct sas_tree *t, const struct sas_port *port)
{
    const char *vendor = fact_text(port->device, &KEY_VENDOR),
               *model = fact_text(port->device, &KEY_MODEL);
    uint64_t address = fact_number_or(port->end_device, &SAS_KEY_ADDRESS, 0);
    const struct subject *class;

    if (!port->only_enclosure || port->n_lanes != 1)
        return false;
    if (!port->expander)
        return model && text_starts_with(model, "VirtualSES");
    class = fact_set_find(t->relation->facts, "sas_expander", port->expander->subject->name);
    return (address && address >> 8 == port->expander->address >> 8) ||
           (same_text(vendor, fact_text(class, &KEY_VENDOR)) &&
            same_text(model, fact_text(class, &KEY_MODEL)));
}

static void find_virtual(struct sas_tree *t)
{
    for (size_t i = 0; i < t->n_ports; i++)
        if (ends_in_own_chip(t, &t->ports[i]))
            t->ports[i].lanes->is_virtual = true;
}

/* A lane that is in no port and shows a rate all the same. */
static bool is_stray(const struct sas_lane *lane)
{
    return !lane->port && lane->enabled && lane->negotiated;
}

/* Marks what an expander of libsas has: a port of those of its phys that face up, with nothing
 * below it. Returns whether there is one. */
static bool mark_port_up(struct sas_expander *e)
{
    bool any = false;

    for (struct sas_lane *lane = e->lanes; lane; lane = lane->next_of_expander)
        if (lane->port && !lane->port->end_device && !lane->port->below)
            any = lane->faces_up = true;
    return any;
}

/* The last of a run of stray lanes with consecutive numbers. */
static struct sas_lane *end_of_run(struct sas_lane *lane)
{
    while (lane->next_of_expander && is_stray(lane->next_of_expander) &&
           lane->next_of_expander->number == lane->number + 1)
        lane = lane->next_of_expander;
    return lane;
}

/* More strays than the port above has lanes: those that face up are the one run of that length,
 * if there is just one. The others may face a second host, or show what they once ran at. */
static void mark_run_up(struct sas_expander *e, unsigned n)
{
    struct sas_lane *found = NULL;
    unsigned n_found = 0;

    for (struct sas_lane *lane = e->lanes; lane; lane = lane->next_of_expander) {
        struct sas_lane *end;

        if (!is_stray(lane))
            continue;
        end = end_of_run(lane);
        if (end->number - lane->number + 1 == n) {
            found = lane;
            n_found++;
        }
        lane = end;
    }
    for (struct sas_lane *lane = e->lanes; lane; lane = lane->next_of_expander)
        lane->is_doubtful = is_stray(lane);
    for (struct sas_lane *lane = found; n_found == 1 && n; lane = lane->next_of_expander, n--) {
        lane->is_doubtful = false;
        lane->faces_up = true;
    }
}

static void find_facing_up(struct sas_tree *t)
{
    for (size_t i = 0; i < t->n_expanders; i++) {
        struct sas_expander *e = &t->expanders[i];
        unsigned n_strays = 0;

        if (!e->above || mark_port_up(e))
            continue;
        for (struct sas_lane *lane = e->lanes; lane; lane = lane->next_of_expander)
            n_strays += is_stray(lane);
        if (n_strays > e->above->n_lanes) {
            mark_run_up(e, e->above->n_lanes);
            continue;
        }
        for (struct sas_lane *lane = e->lanes; lane; lane = lane->next_of_expander)
            lane->faces_up = is_stray(lane);
    }
}

int sas_tree_build(struct sas_tree *t)
{
    int r = collect(t, "sas_phy", "phy-", sizeof(*t->lanes), &t->lanes, &t->n_lanes);

    if (r == 0)
        r = collect(t, "sas_port", "port-", sizeof(*t->ports), &t->ports, &t->n_ports);
    if (r == 0)
        r = collect(t, "sas_device", "expander-", sizeof(*t->expanders), &t->expanders,
                    &t->n_expanders);
    if (r == 0)
        r = hang_expanders(t);
    if (r < 0)
        return r;
    hang_ports(t);
    hang_lanes(t);
    hang_devices(t);
    find_virtual(t);
    find_facing_up(t);
    return 0;
}
