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

bool sas_port_name(const char *path, char name[static 64])
{
    const char *found = NULL;
    size_t len;

    for (const char *at = strstr(path, "/port-"); at; at = strstr(at + 1, "/port-"))
        found = at + 1;
    len = found ? strcspn(found, "/") : 0;
    if (!len || len >= 64)
        return false;
    memcpy(name, found, len);
    name[len] = '\0';
    return true;
}

/* ---- what the kernel does not list, and others name ---- */

/* Adds a node for that object, which has no facts, to a sorted array, to which `nodes` points, of nodes of
 * that size. `by` is an object that names it. */
static int add_unseen(struct sas_tree *t, const struct subject *by, struct subject object,
                      size_t size, void *nodes, size_t *n)
{
    struct arena *arena = t->relation->model->arena;
    struct subject *s = arena_alloc(arena, sizeof(*s));
    char *old, *new = arena_alloc(t->arena, size * (*n + 1));

    if (!s || !new || !object.path)
        return -ENOMEM;
    *s = object;
    s->host = by->host;
    s->name = arena_strdup(arena, object.name);
    if (!s->name)
        return -ENOMEM;
    memcpy(&old, nodes, sizeof(old));
    memset(new, 0, size * (*n + 1));
    memcpy(new, old, size * *n);
    memcpy(new + size **n, &s, sizeof(s));
    *n += 1;
    qsort(new, *n, size, compare_nodes);
    memcpy(nodes, &new, sizeof(new));
    return 0;
}

/* The expander that an object lies below, where it has no node yet. */
static int add_expander_of(struct sas_tree *t, const struct subject *s)
{
    struct subject e = { .class_name = "sas_device" };
    char name[64];

    e.name = parent_name(s, name, sizeof(name));
    if (!e.name || !text_starts_with(name, "expander-") || find_expander(t, name))
        return 0;
    e.path = arena_strndup(t->relation->model->arena, s->path,
                           (size_t)(strrchr(s->path, '/') - s->path));
    return add_unseen(t, s, e, sizeof(*t->expanders), &t->expanders, &t->n_expanders);
}

/* The port that a phy says it is a member of, likewise: it lies beside the phy. */
static int add_port_of(struct sas_tree *t, const struct subject *phy)
{
    struct subject port = { .class_name = "sas_port", .name = fact_text(phy, &SAS_KEY_PORT) };

    if (!port.name || find_port(t, port.name))
        return 0;
    port.path = arena_printf(t->relation->model->arena, "%.*s/%s",
                             (int)(strrchr(phy->path, '/') - phy->path), phy->path, port.name);
    return add_unseen(t, phy, port, sizeof(*t->ports), &t->ports, &t->n_ports);
}

static int add_all_unseen(struct sas_tree *t)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < t->n_lanes; i++) {
        r = add_expander_of(t, t->lanes[i].subject);
        if (r == 0)
            r = add_port_of(t, t->lanes[i].subject);
    }
    for (size_t i = 0; r == 0 && i < t->n_ports; i++)
        r = add_expander_of(t, t->ports[i].subject);
    return r;
}

/* ---- what hangs where ---- */

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

/* Says the driver what it runs at, or that there is no rate? Facts of its state stand in the same file. */
static bool is_told(const struct subject *phy)
{
    const struct fact *f = fact_find(phy, &SAS_KEY_NEGOTIATED);

    return fact_text(phy, &SAS_KEY_STATE) ||
           (f && (f->quality == QUALITY_OK || f->quality == QUALITY_SILENT));
}

uint64_t sas_lane_able(const struct sas_lane *lane)
{
    if (lane->hardware)
        return lane->hardware;
    return lane->maximum > lane->negotiated ? lane->maximum : 0;
}

uint64_t sas_lane_limit(const struct sas_lane *lane)
{
    return !lane->hardware || lane->maximum < lane->hardware ? lane->maximum : 0;
}

bool sas_lane_limit_unknown(const struct sas_lane *lane)
{
    return lane->hardware && !lane->maximum;
}

/* The port says how many phys it has. */
static void count_phys(struct sas_tree *t)
{
    for (size_t i = 0; i < t->n_ports; i++)
        t->ports[i].n_phys = (unsigned)fact_number_or(t->ports[i].subject, &SAS_KEY_N_PHYS,
                                                      t->ports[i].n_lanes);
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
        lane->is_told = is_told(s);
        lane->enabled = fact_number_or(s, &SAS_KEY_ENABLE, 1) != 0;
        lane->expander = find_expander(t, parent_name(s, buffer, sizeof(buffer)));
        lane->port = find_port(t, fact_text(s, &SAS_KEY_PORT));
        lane->is_spare = !lane->port && lane->is_told && fact_number_or(s, &SAS_KEY_ENABLE, 0);
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
        struct sas_port *port;
        bool is_enclosure;
        char name[64];

        if (d->host != t->host->subject)
            continue;
        if (!sas_port_name(d->path, name)) {
            t->has_loose_devices = true;
            continue;
        }
        port = find_port(t, name);
        if (!port)
            continue;
        is_enclosure = fact_number_or(d, &KEY_DEVICE_TYPE, 0) == ENCLOSURE;
        port->only_enclosure = is_enclosure && (!port->device || port->only_enclosure);
        if (!port->device)
            port->device = d;
        if (!port->witness && tells_of_phys(d))
            port->witness = d;
    }
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
           (text_same_known(vendor, fact_text(class, &KEY_VENDOR)) &&
            text_same_known(model, fact_text(class, &KEY_MODEL)));
}

static void find_virtual(struct sas_tree *t)
{
    for (size_t i = 0; i < t->n_ports; i++)
        if (ends_in_own_chip(t, &t->ports[i]))
            t->ports[i].lanes->is_virtual = true;
}

/* A lane that is in no port and shows a rate all the same, or may show one. */
static bool is_stray(const struct sas_lane *lane)
{
    return !lane->port && lane->enabled && (lane->negotiated || !lane->is_told);
}

/* Marks what an expander of libsas has: a port of those of its phys that face up, as many as the port
 * above has, with nothing below it. Returns whether there is one. */
static bool mark_port_up(struct sas_expander *e)
{
    bool any = false;

    for (struct sas_lane *lane = e->lanes; lane; lane = lane->next_of_expander)
        if (lane->port && !lane->port->end_device && !lane->port->below && !lane->port->device &&
            lane->port->n_phys == e->above->n_phys)
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
    if (n_found != 1)
        found = NULL;
    for (struct sas_lane *lane = found; lane && n; lane = lane->next_of_expander, n--) {
        lane->is_doubtful = false;
        lane->faces_up = true;
    }
}

/* Are the strays, as many as the port above has lanes or fewer, where cables of four lanes would have
 * them? All within as many phys as such cables have lanes, or runs that are equally long. */
static bool is_one_cable(const struct sas_expander *e, unsigned n_strays)
{
    const struct sas_lane *first = NULL, *last = NULL;
    unsigned length = 0;
    bool are_equal = true;

    for (struct sas_lane *lane = e->lanes; lane; lane = lane->next_of_expander) {
        if (!is_stray(lane))
            continue;
        first = first ? first : lane;
        last = end_of_run(lane);
        are_equal &= !length || last->number - lane->number + 1 == length;
        length = last->number - lane->number + 1;
        while (lane != last)
            lane = lane->next_of_expander;
    }
    return are_equal ||
           last->number - first->number + 1 <= (n_strays + SAS_GROUP - 1) / SAS_GROUP * SAS_GROUP;
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
        if (n_strays > e->above->n_phys || !is_one_cable(e, n_strays)) {
            mark_run_up(e, e->above->n_phys);
            continue;
        }
        for (struct sas_lane *lane = e->lanes; lane; lane = lane->next_of_expander)
            lane->faces_up = is_stray(lane);
    }
}

/* Of a port of which more phys are counted than seen, each stray of the same owner may be one. */
static void find_partial(struct sas_tree *t)
{
    for (size_t i = 0; i < t->n_ports; i++)
        for (size_t k = 0; t->ports[i].n_lanes < t->ports[i].n_phys && k < t->n_lanes; k++) {
            struct sas_lane *lane = &t->lanes[k];

            lane->is_doubtful |= lane->expander == t->ports[i].expander && is_stray(lane) &&
                                 !lane->faces_up;
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
        r = add_all_unseen(t);
    if (r == 0)
        r = hang_expanders(t);
    if (r < 0)
        return r;
    hang_ports(t);
    hang_lanes(t);
    count_phys(t);
    hang_devices(t);
    find_virtual(t);
    find_facing_up(t);
    find_partial(t);
    return 0;
}
