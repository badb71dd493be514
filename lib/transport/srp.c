/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SCSI RDMA Protocol: the link is the host, and its rate that of the InfiniBand port it is bound to
 * (Ethernet under RoCE). What the port could do at best is in no file.
 *
 * Ids: the link is HOST-srp; hosts of one HCA are told apart by its port and the target's id_ext and ioc_guid.
 * Sources: drivers/infiniband/ulp/srp/ib_srp.c (host attributes), drivers/infiniband/core/sysfs.c
 * (rate_show, state_show, phys_state_show, link_layer_show); InfiniBand Architecture 1.6, 17 for speeds.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "transport/ethernet.h"
#include "transport/gathering.h"
#include "transport/infiniband.h"
#include "transport/relation.h"

static const struct fact_key IB_DEVICE = { "local_ib_device", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key IB_PORT = { "local_ib_port", FACT_NUMBER, FACT_IDENTITY };
static const struct fact_key ID_EXT = { "id_ext", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key IOC_GUID = { "ioc_guid", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key DGID = { "dgid", FACT_TEXT, FACT_GAUGE };
static const struct fact_key ZERO_REQ_LIM = { "zero_req_lim", FACT_NUMBER, FACT_COUNTER };
static const struct fact_key ROLES = { "roles", FACT_TEXT, FACT_GAUGE };
static const struct fact_key RPORT_STATE = { "state", FACT_TEXT, FACT_GAUGE };
static const struct fact_key FAILED_RECONNECTS = { "failed_reconnects", FACT_NUMBER, FACT_COUNTER };
static const struct fact_key RATE = { "rate", FACT_TEXT, FACT_GAUGE };
static const struct fact_key LINK_LAYER = { "link_layer", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key PORT_STATE = { "port_state", FACT_TEXT, FACT_GAUGE };
static const struct fact_key PHYS_STATE = { "phys_state", FACT_TEXT, FACT_GAUGE };
static const struct fact_key SYMBOL_ERROR = { "symbol_error", FACT_NUMBER, FACT_ERRORS };
static const struct fact_key LINK_DOWNED = { "link_downed", FACT_NUMBER, FACT_COUNTER };
static const struct fact_key RECOVERY = { "link_error_recovery", FACT_NUMBER, FACT_COUNTER };
static const struct fact_key RCV_ERRORS = { "port_rcv_errors", FACT_NUMBER, FACT_COUNTER };
static const struct fact_key INTEGRITY = { "local_link_integrity_errors", FACT_NUMBER,
                                           FACT_COUNTER };

static const struct attribute RPORT_ATTRIBUTES[] = {
    { "roles", &ROLES, NULL, LEVEL_MODES, .reread = REREAD_FREE },
    { "state", &RPORT_STATE, NULL, LEVEL_MODES, .reread = REREAD_FREE },
    { "failed_reconnects", &FAILED_RECONNECTS, parse_decimal, LEVEL_ALL, .reread = REREAD_FREE },
    { 0 },
};

static const struct object_class CLASSES[] = {
    { "srp_host", "/sys/class/srp_host" },
    { "srp_remote_ports", "/sys/class/srp_remote_ports", .attributes = RPORT_ATTRIBUTES },
    { 0 },
};

/* In the host's scsi_host directory. */
static const struct attribute HOST_ATTRIBUTES[] = {
    { "local_ib_device", &IB_DEVICE, parse_known_text, LEVEL_IDENTITY },
    { "local_ib_port", &IB_PORT, parse_decimal, LEVEL_IDENTITY },
    { "id_ext", &ID_EXT, NULL, LEVEL_IDENTITY },
    { "ioc_guid", &IOC_GUID, NULL, LEVEL_IDENTITY },
    { "dgid", &DGID, NULL, LEVEL_MODES },
    { "zero_req_lim", &ZERO_REQ_LIM, parse_decimal, LEVEL_ALL, .reread = REREAD_RARELY },
    { 0 },
};

static const struct attribute PORT_ATTRIBUTES[] = {
    { "rate", &RATE, NULL, LEVEL_MODES, .reread = REREAD_ASKS },
    { "link_layer", &LINK_LAYER, NULL, LEVEL_MODES },
    { "state", &PORT_STATE, NULL, LEVEL_MODES, .reread = REREAD_ASKS },
    { "phys_state", &PHYS_STATE, NULL, LEVEL_MODES, .reread = REREAD_ASKS },
    { "counters/symbol_error", &SYMBOL_ERROR, parse_decimal, LEVEL_ALL, .reread = REREAD_ASKS },
    { "counters/link_downed", &LINK_DOWNED, parse_decimal, LEVEL_ALL, .reread = REREAD_ASKS },
    { "counters/link_error_recovery", &RECOVERY, parse_decimal, LEVEL_ALL, .reread = REREAD_ASKS },
    { "counters/port_rcv_errors", &RCV_ERRORS, parse_decimal, LEVEL_ALL, .reread = REREAD_ASKS },
    { "counters/local_link_integrity_errors", &INTEGRITY, parse_decimal, LEVEL_ALL,
      .reread = REREAD_ASKS },
    { 0 },
};

static bool port_name(const struct subject *own, char name[static 64])
{
    const char *device = fact_text(own, &IB_DEVICE);
    uint64_t port;

    return device && fact_number(own, &IB_PORT, &port) &&
           (size_t)snprintf(name, 64, "%s/%" PRIu64, device, port) < 64;
}

static int gather_port(struct gathering *g, const struct subject *own)
{
    char name[64], dir[4096];
    char *device;
    int r;

    if (g->level < LEVEL_MODES || !port_name(own, name))
        return 0;
    r = gather_canonical(g, "/sys/class/infiniband", fact_text(own, &IB_DEVICE), &device);
    if (r <= 0 ||
        (size_t)snprintf(dir, sizeof(dir), "%s/ports%s", device, strchr(name, '/')) >= sizeof(dir))
        return r < 0 ? r : 0;
    return gather_subject(g, "ib_port", name, dir, NULL, PORT_ATTRIBUTES, NULL);
}

static int gather(struct gathering *g)
{
    int r = 0;

    for (struct subject *s = fact_set_first(g->facts, "srp_host"); r == 0 && s;
         s = s->next_of_class) {
        struct subject *own;
        char dir[4096];

        if ((size_t)snprintf(dir, sizeof(dir), "%s/scsi_host/%s", s->path, s->name) >= sizeof(dir))
            continue;
        r = gather_subject(g, "srp_local", s->name, dir, s->host, HOST_ATTRIBUTES, &own);
        if (r == 0)
            r = gather_port(g, own);
    }
    return r;
}

static bool claims(const struct fact_set *set, const struct subject *host)
{
    return fact_text(fact_set_find(set, "srp_local", host->name), &IB_DEVICE);
}

static enum link_state state_of(const struct subject *port, const char **ret_reason)
{
    const char *state = fact_text(port, &PORT_STATE), *phys = fact_text(port, &PHYS_STATE);

    if (state && strstr(state, "ACTIVE"))
        return LINK_UP;
    if (phys && strstr(phys, "Disabled"))
        return LINK_DISABLED;
    if (state && strstr(state, "DOWN"))
        return LINK_EMPTY;
    *ret_reason = state ? "the port is not active yet" : "the port does not tell its state";
    return LINK_UNKNOWN;
}

static int relate_port(struct relation *r, struct link *l, const struct subject *port)
{
    const char *text = fact_text(port, &RATE), *layer = fact_text(port, &LINK_LAYER);
    struct rate rate;
    uint64_t mbit;
    bool is_ethernet = layer && strcmp(layer, "Ethernet") == 0;
    bool is_known = is_ethernet || (layer && strcmp(layer, "InfiniBand") == 0);
    int e;

    l->describe = is_ethernet ? ethernet_describe : infiniband_describe;
    if (l->state == LINK_UP && !is_known)
        l->reason = "whether its port is InfiniBand or Ethernet cannot be read";
    else if (l->state == LINK_UP && text && infiniband_parse(text, &rate, &mbit)) {
        l->actual = relate_mode(r, l->describe, is_ethernet ? ethernet_rate(mbit) : rate);
        if (!is_ethernet)
            l->actual.label = text; /* as this kernel words it */
    }
    e = link_add_witness(l, WHO_INITIATOR, arena_printf(r->model->arena, "rate of %s", port->name),
                         l->actual);
    for (const struct attribute *a = PORT_ATTRIBUTES; e == 0 && a->file; a++)
        if (fact_kind_counts(a->key->kind))
            e = link_add_counter(l, port, a->key);
    return e;
}

/* The words for a connection that does not work (scsi_transport_srp.c); `state` may be NULL. */
static bool is_lost(const char *state)
{
    static const char *const LOST[] = { "blocked", "fail-fast", "lost" };

    for (size_t i = 0; state && i < ELEMENTS(LOST); i++)
        if (strcmp(state, LOST[i]) == 0)
            return true;
    return false;
}

/* The target's end of the connection; "running" where it works. */
static int relate_target_port(struct relation *r, struct link *l, const struct subject *own)
{
    int e = 0;

    for (const struct subject *p = fact_set_first(r->facts, "srp_remote_ports"); e == 0 && p;
         p = p->next_of_class) {
        const char *state = fact_text(p, &RPORT_STATE);
        bool is_up = state && strcmp(state, "running") == 0;

        if (p->host != l->host->subject)
            continue;
        e = vec_push(&r->model->remotes,
                     (struct remote){
                         .id = arena_printf(r->model->arena, "%s-target", l->id),
                         .kernel_name = p->name,
                         .node = fact_text(own, &IOC_GUID),
                         .state = state ? state : "unknown",
                         .is_up = is_up,
                         .is_unclear = !is_up && !is_lost(state),
                         .link = l,
                         .subject = p,
                     });
    }
    return e;
}

static int relate(struct relation *r, struct host *host)
{
    const struct subject *own = fact_set_find(r->facts, "srp_local", host->kernel_name);
    struct link *l = relate_host_link(r, host, "srp");
    const struct subject *port;
    char name[64];

    if (!l || relate_target_port(r, l, own) < 0)
        return -ENOMEM;
    port = port_name(own, name) ? fact_set_find(r->facts, "ib_port", name) : NULL;
    l->far = fact_text(own, &DGID);
    l->far_is_network = true;
    if (!port) {
        l->reason = "its InfiniBand port is not in sight";
        return 0;
    }
    l->near = port->name;
    l->state = state_of(port, &l->reason);
    return relate_port(r, l, port);
}

static const char *host_id(struct relation *r, const struct subject *host)
{
    const struct subject *own = fact_set_find(r->facts, "srp_local", host->name);
    const char *id_ext = fact_text(own, &ID_EXT), *ioc = fact_text(own, &IOC_GUID);
    const char *mark = arena_printf(r->model->arena, "port-%" PRIu64 "-%s-%s",
                                    fact_number_or(own, &IB_PORT, 0), id_ext ? id_ext : "",
                                    ioc ? ioc : "");

    return mark ? relate_host_id(r, host, mark) : NULL;
}

/* What a device is behind: as in relate_target_port(). */
static int complete(struct relation *r, struct device *d)
{
    if (!d->link)
        return 0;
    d->remote = arena_printf(r->model->arena, "%s-target", d->link->id);
    return d->remote ? 0 : -ENOMEM;
}

const struct transport TRANSPORT_SRP = {
    .name = "srp",
    .classes = CLASSES,
    .arrays = true,
    .gather = gather,
    .claims = claims,
    .host_id = host_id,
    .relate = relate,
    .link_of = relate_link_of_host,
    .complete = complete,
};
