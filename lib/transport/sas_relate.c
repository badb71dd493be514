/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SAS: from the tree of a host to links (sas.h; what ids look like: sas.c).
 */
#include "transport/sas.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct fact_key *const COUNTERS[] = {
    &SAS_KEY_INVALID_DWORD,
    &SAS_KEY_DISPARITY,
    &SAS_KEY_LOSS_OF_SYNC,
    &SAS_KEY_RESET_PROBLEM,
};

/* ---- ids and names ---- */

static const char *owner_id(const struct sas_tree *t, const struct sas_expander *e)
{
    return e ? e->id : arena_printf(t->arena, "%s-sas", t->host->id);
}

/* One expander can be reached by two ports of a host, and is then two objects of one address. */
static int name_expander(struct sas_tree *t, size_t i)
{
    struct sas_expander *e = &t->expanders[i];
    char twin[16] = "";

    for (size_t j = 0; j < i; j++)
        if (t->expanders[j].address == e->address)
            snprintf(twin, sizeof(twin), "+%u",
                     e->above && e->above->lanes ? e->above->lanes->number : (unsigned)i);
    e->id = arena_printf(t->arena, "%s-sas-%016" PRIx64 "%s", t->host->id, e->address, twin);
    return e->id ? 0 : -ENOMEM;
}

static uint64_t far_address(const struct sas_port *port)
{
    return port->below ? port->below->address
                       : fact_number_or(port->end_device, &SAS_KEY_ADDRESS, 0);
}

static const char *port_id(const struct sas_tree *t, const struct sas_port *port)
{
    uint64_t address = far_address(port);
    char twin[16] = "";

    for (const struct sas_port *p = t->ports; p < port; p++)
        if (p->expander == port->expander && p->link && far_address(p) == address)
            snprintf(twin, sizeof(twin), "+%u", port->lanes->number);
    return arena_printf(t->relation->model->arena, "%s-port-%016" PRIx64 "%s",
                        owner_id(t, port->expander), address, twin);
}

/* Whose ports and phys these are, for people. */
static const char *near_name(const struct sas_tree *t, const struct sas_expander *e)
{
    return e ? e->name : t->host->id;
}

/* What is at the far end of a port, for people. */
static const char *far_name(const struct sas_tree *t, const struct sas_port *port)
{
    const char *vendor = fact_text(port->device, &KEY_VENDOR),
               *model = fact_text(port->device, &KEY_MODEL);

    if (port->below)
        return port->below->name;
    if (vendor && model)
        return arena_printf(t->relation->model->arena, "%s %s", vendor, model);
    if (vendor || model || !port->end_device)
        return vendor ? vendor : model;
    return arena_printf(t->relation->model->arena, "SAS address %016" PRIx64, far_address(port));
}

/* Was its SCSI device deleted, as is done before a disk is pulled? A dead one takes its end device along. */
static bool is_emptied(const struct sas_port *port)
{
    return port->end_device && !port->device && !port->below;
}

/* ---- width ---- */

/* How many lanes a port should have. */
struct width {
    unsigned n;
    bool
        is_unclear; /* it may be more: a phy that may be one of them is not seen, or tells too little */
};

/* Adds the phys of the group that are not in the port: none unless all of them are enabled and free. */
static void add_missing(const struct sas_tree *t, const struct sas_port *port, unsigned group,
                        struct width *width)
{
    unsigned n_seen = 0, n_spare = 0;
    bool is_unclear = false;

    for (size_t i = 0; i < t->n_lanes; i++) {
        const struct sas_lane *lane = &t->lanes[i];
        const char *text = fact_text(lane->subject, &SAS_KEY_STATE);

        if (lane->expander || lane->number / SAS_GROUP != group)
            continue;
        n_seen++;
        if (lane->port == port)
            continue;
        if (lane->port || !lane->enabled || lane->is_virtual)
            return;
        is_unclear |= !lane->is_spare && !(text && strcmp(text, "Phy disabled") == 0);
        n_spare++;
    }
    if (is_unclear || n_seen < SAS_GROUP)
        width->is_unclear = true;
    else
        width->n += n_spare;
}

/* Phys of the port's groups that an administrator has switched off; of an expander's ports nothing tells the
 * groups. */
static unsigned off_of_groups(const struct sas_tree *t, const struct sas_port *port)
{
    unsigned n = 0;

    for (size_t i = 0; !port->expander && i < t->n_lanes; i++) {
        const struct sas_lane *lane = &t->lanes[i];

        if (lane->expander || lane->enabled)
            continue;
        for (const struct sas_lane *own = port->lanes; own; own = own->next_of_port)
            if (own->number / SAS_GROUP == lane->number / SAS_GROUP) {
                n++;
                break;
            }
    }
    return n;
}

/* How many lanes the port should have: one from an HBA to an expander takes whole groups of
 * phys, as connectors and cables do. Nothing says so of other ports. */
static struct width width_of(const struct sas_tree *t, const struct sas_port *port)
{
    struct width width = { .n = port->n_phys, .is_unclear = port->n_phys != port->n_lanes };
    unsigned last = UINT32_MAX;

    if (port->expander || !port->below || width.is_unclear)
        return width;
    for (const struct sas_lane *lane = port->lanes; lane; lane = lane->next_of_port) {
        if (lane->number / SAS_GROUP != last)
            add_missing(t, port, lane->number / SAS_GROUP, &width);
        last = lane->number / SAS_GROUP;
    }
    return width;
}

/* ---- links ---- */

static struct link *add_link(const struct sas_tree *t, const struct subject *s, const char *id)
{
    struct link *l = id ? model_add_link(t->relation->model, t->host, s, s->name) : NULL;

    if (!l)
        return NULL;
    l->id = id;
    l->transport = "sas";
    l->describe = sas_describe;
    return l;
}

static int add_lane_links(struct sas_tree *t)
{
    const char *host = owner_id(t, NULL);

    for (size_t i = 0; host && i < t->n_lanes; i++) {
        struct sas_lane *lane = &t->lanes[i];

        lane->link = add_link(t, lane->subject,
                              arena_printf(t->relation->model->arena, "%s-phy-%u",
                                           lane->expander ? lane->expander->id : host,
                                           lane->number));
        if (!lane->link)
            return -ENOMEM;
    }
    return host ? 0 : -ENOMEM;
}

/* A port of one phy is that phy, unless it should have more. The port that an expander has
 * towards its host is the far end of the link above it, and no link again. */
static int add_port_links(struct sas_tree *t)
{
    for (size_t i = 0; i < t->n_ports; i++) {
        struct sas_port *port = &t->ports[i];

        if (!port->n_lanes || port->lanes->faces_up)
            continue;
        if (width_of(t, port).n == 1) {
            port->link = port->lanes->link;
            if (model_name_link(t->relation->model, port->subject->name, port->link) < 0)
                return -ENOMEM;
            continue;
        }
        port->link = add_link(t, port->subject, port_id(t, port));
        if (!port->link)
            return -ENOMEM;
    }
    return 0;
}

/* Volumes of RAID firmware hang below the host itself: their disks' links are not theirs. */
static int add_volumes_link(struct sas_tree *t)
{
    struct link *l;

    if (!t->has_loose_devices)
        return 0;
    l = relate_host_link(t->relation, t->host, "sas");
    if (!l)
        return -ENOMEM;
    l->reason = "volumes of the RAID firmware have no link of their own, and it hides their disks'";
    return 0;
}

/* The link that leads towards the host from what has these ports and phys; NULL: the host's slot
 * does. */
static struct link *link_above(const struct sas_expander *e)
{
    return e && e->above ? e->above->link : NULL;
}

static void relate_state(struct sas_lane *lane)
{
    const char *text = fact_text(lane->subject, &SAS_KEY_STATE);
    struct link *l = lane->link;

    if (!lane->enabled)
        l->state = LINK_DISABLED;
    else if (lane->port || lane->faces_up)
        l->state = LINK_UP;
    else if (text && strcmp(text, "Phy disabled") == 0)
        l->state = LINK_DISABLED;
    else if (lane->is_doubtful || !lane->is_told)
        l->state = LINK_UNKNOWN;
    else
        l->state = LINK_EMPTY;
    if (l->state == LINK_UNKNOWN && !lane->is_told)
        l->reason = "what it runs at cannot be read, and it is in no port that is seen";
    else if (lane->is_doubtful)
        l->reason = "it shows a rate and is in no port: it may face another host, or nothing";
    else if (l->state == LINK_EMPTY && text)
        l->reason = strcmp(text, "Spin-up hold") == 0 ? "what is attached waits to spin up"
                                                      : "the last speed negotiation failed";
}

static int add_word(struct sas_tree *t, struct link *l, unsigned lanes, enum who who,
                    const struct sas_word *w)
{
    return link_add_able(l, who, w->via, sas_mode(t->relation, lanes, w->mbps), w->at_most);
}

/* What both ends can do; `runs` is the driver's word of what runs, 0 where it has none. */
static int relate_abilities(struct sas_tree *t, struct link *l, unsigned lanes, uint64_t runs,
                            const struct sas_word *near, const struct sas_far *far)
{
    int e;

    /* A device's word alone does not make a link well of which its driver tells nothing. */
    if (!near->mbps && !far->near.mbps && !runs)
        return 0;
    if (near->mbps)
        e = add_word(t, l, lanes, WHO_INITIATOR, near);
    else
        e = add_word(t, l, lanes, WHO_INITIATOR, &far->near);
    if (e == 0)
        e = add_word(t, l, lanes, WHO_TARGET, &far->able);
    return e < 0 ? e : add_word(t, l, lanes, WHO_HOP, &far->pathway);
}

/* `programmed` is the near end's limit where it is below what its silicon does, else 0. */
static int relate_limits(struct sas_tree *t, struct link *l, unsigned lanes, uint64_t programmed,
                         const struct sas_far *far)
{
    int e = link_add_allowed(l, WHO_INITIATOR, "maximum_linkrate",
                             sas_mode(t->relation, lanes, programmed));

    return e < 0 ? e
                 : link_add_allowed(l, WHO_TARGET, far->allowed.via,
                                    sas_mode(t->relation, lanes, far->allowed.mbps));
}

static struct sas_word word_of(const struct sas_lane *lane)
{
    return (struct sas_word){ lane->hardware ? "maximum_linkrate_hw" : "maximum_linkrate",
                              sas_lane_able(lane), false };
}

/* What a lane that is up runs at. The driver's word counts; where it has none, the far end's is
 * shown. */
static int relate_rate(struct sas_tree *t, struct sas_lane *lane, const struct sas_far *far)
{
    struct relation *r = t->relation;
    struct link *l = lane->link;
    int e = link_add_witness(l, WHO_INITIATOR, "sas_phy", sas_mode(r, 1, lane->negotiated));

    for (size_t i = 0; e == 0 && i < ELEMENTS(far->runs); i++)
        e = link_add_witness(l, WHO_TARGET, far->runs[i].via, sas_mode(r, 1, far->runs[i].mbps));
    if (e == 0 && l->witnesses.n)
        l->actual = l->witnesses.v[0].mode;
    if (!lane->negotiated)
        l->reason = "the driver does not tell what the phy runs at";
    return e;
}

/* Which expander is at the far end, and of what model. Ports of an expander that is known by no address, and of
 * disks, are told by their devices; by their address, where these were deleted. */
static int name_far_end(const struct sas_tree *t, struct link *l, const struct sas_port *port)
{
    struct arena *arena = t->relation->model->arena;

    l->lanes_vary = !l->bundle;
    if (!port->below && !port->device && far_address(port)) {
        l->far_id = arena_printf(arena, "%016" PRIx64, far_address(port));
        return l->far_id ? 0 : -ENOMEM;
    }
    if (!port->below)
        return 0;
    l->far_model = port->below->model;
    if (port->below->address)
        l->far_id = arena_printf(arena, "%016" PRIx64, port->below->address);
    return !port->below->address || l->far_id ? 0 : -ENOMEM;
}

static int relate_lane(struct sas_tree *t, struct sas_lane *lane)
{
    struct link *l = lane->link;
    struct sas_word near = word_of(lane);
    struct sas_far far = { 0 };
    int e = 0;

    l->near = near_name(t, lane->expander);
    l->up = link_above(lane->expander);
    l->peers_prove = true;
    l->judged_above = lane->faces_up;
    relate_state(lane);
    for (size_t i = 0; e == 0 && i < ELEMENTS(COUNTERS); i++)
        e = link_add_counter(l, lane->subject, COUNTERS[i]);
    if (e < 0 || l->state != LINK_UP)
        return e;
    if (lane->faces_up) {
        /* The far end of a lane of the port above. */
        l->far = near_name(t, lane->expander->above->expander);
        l->bundle = lane->expander->above->n_lanes > 1 ? link_above(lane->expander) : NULL;
    } else {
        l->far = far_name(t, lane->port);
        l->may_go = is_emptied(lane->port);
        l->bundle = lane->port->link == l ? NULL : lane->port->link;
        if (name_far_end(t, l, lane->port) < 0)
            return -ENOMEM;
    }
    e = sas_far_of(t, lane, &far);
    if (e == 0)
        e = relate_rate(t, lane, &far);
    if (lane->is_virtual) {
        l->has_no_link = true;
        l->reason = "the phy is inside the chip, and has no cable";
        return e;
    }
    /* One cable is judged once, from the port above. */
    if (lane->faces_up)
        far.able.at_most = near.at_most = true;
    l->limit_unknown = sas_lane_limit_unknown(lane) || far.limit_unknown;
    if (far.unread)
        l->reason = far.unread;
    if (e == 0 && (!far.unread || lane->negotiated >= near.mbps))
        e = relate_abilities(t, l, 1, lane->negotiated, &near, &far);
    return e < 0 || lane->faces_up ? e : relate_limits(t, l, 1, sas_lane_limit(lane), &far);
}

/* The lanes of a port that has a link of its own, in one. */
struct sum {
    struct sas_word near;
    uint64_t slowest, fastest, programmed;
    bool is_silent; /* one of them does not tell its rate */
    bool limit_unknown;
};

static struct sum sum_up(const struct sas_port *port)
{
    struct sum sum = { .slowest = UINT64_MAX };

    for (const struct sas_lane *lane = port->lanes; lane; lane = lane->next_of_port) {
        struct sas_word near = word_of(lane);
        uint64_t limit = sas_lane_limit(lane);

        sum.limit_unknown |= sas_lane_limit_unknown(lane);
        sum.near = sum.near.via && sum.near.mbps <= near.mbps ? sum.near : near;
        sum.is_silent |= !lane->negotiated;
        sum.slowest = lane->negotiated < sum.slowest ? lane->negotiated : sum.slowest;
        sum.fastest = lane->negotiated > sum.fastest ? lane->negotiated : sum.fastest;
        if (limit && (!sum.programmed || limit < sum.programmed))
            sum.programmed = limit;
    }
    return sum;
}

static int relate_port_rate(struct sas_tree *t, struct sas_port *port, const struct sum *sum)
{
    struct relation *r = t->relation;
    struct link *l = port->link;

    if (port->n_phys != port->n_lanes) {
        l->reason = arena_printf(r->model->arena, "it has %u phys, and %u are seen", port->n_phys,
                                 port->n_lanes);
        return l->reason ? 0 : -ENOMEM;
    }
    if (sum->is_silent) {
        l->reason = "the driver does not tell what all of its phys run at";
        return 0;
    }
    l->actual = sas_mode(r, port->n_lanes, sum->slowest);
    if (l->actual.known && sum->slowest != sum->fastest) {
        l->actual.detail = arena_printf(r->model->arena, "%s, by the slowest lane; others reach %s",
                                        l->actual.detail, sas_mode(r, 1, sum->fastest).label);
        if (!l->actual.detail)
            return -ENOMEM;
    }
    return link_add_witness(l, WHO_INITIATOR, "sas_phy", l->actual);
}

static int relate_port(struct sas_tree *t, struct sas_port *port)
{
    struct link *l = port->link;
    struct width width = width_of(t, port);
    struct sum sum = sum_up(port);
    struct sas_far far = { 0 };
    int e;

    l->near = near_name(t, port->expander);
    l->far = port->lanes->link->far;
    l->up = link_above(port->expander);
    l->state = LINK_UP;
    l->lanes_off = off_of_groups(t, port);
    e = name_far_end(t, l, port);
    if (e == 0)
        e = relate_port_rate(t, port, &sum);
    if (e == 0)
        e = sas_far_of(t, port->lanes, &far);
    l->limit_unknown = sum.limit_unknown || far.limit_unknown;
    if (width.is_unclear) {
        l->limit_unknown = true;
        l->reason = l->reason ? l->reason
                              : "a phy beside its own, that may belong to it, is not seen well";
        return e;
    }
    if (e == 0 && width.n > port->n_lanes) {
        sum.near.via = arena_printf(t->relation->model->arena, "%s, whole groups of four phys",
                                    sum.near.via);
        e = sum.near.via ? 0 : -ENOMEM;
    }
    if (e == 0)
        e = relate_abilities(t, l, width.n, sum.slowest, &sum.near, &far);
    return e < 0 ? e : relate_limits(t, l, width.n, sum.programmed, &far);
}

static int relate_tree(struct sas_tree *t)
{
    int e = sas_tree_build(t);

    for (size_t i = 0; e == 0 && i < t->n_expanders; i++)
        e = name_expander(t, i);
    if (e == 0)
        e = add_lane_links(t);
    if (e == 0)
        e = add_port_links(t);
    if (e == 0)
        e = add_volumes_link(t);
    for (size_t i = 0; e == 0 && i < t->n_lanes; i++)
        e = relate_lane(t, &t->lanes[i]);
    for (size_t i = 0; e == 0 && i < t->n_ports; i++)
        if (t->ports[i].link && t->ports[i].link->subject == t->ports[i].subject)
            e = relate_port(t, &t->ports[i]);
    return e;
}

int sas_relate(struct relation *r, struct host *host)
{
    struct sas_tree t = { .relation = r, .host = host, .arena = arena_new() };
    int e = t.arena ? relate_tree(&t) : -ENOMEM;

    arena_free(t.arena);
    return e;
}
