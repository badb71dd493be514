/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fibre Channel, also over Ethernet (FCoE): the link is the host's port. Remote ports have a state and no
 * speed; what the port is wired to (a switch) is not in sight, so what the far end can do is not known.
 *
 * Witness: the driver (fc_host speed), where port_state, port_id and speed agree that the port is up: a
 * port that is down may show its old speed. Ability: supported_speeds, an upper bound, for it holds speeds
 * the optics cannot do. Limit: lpfc_link_speed. An NPIV port has no link of its own where the port it is
 * on is in view: its directory is HOST/vport-H:C-N/hostM.
 *
 * Ids: the link is HOST-fc-WWPN; the host of an NPIV port is told from its physical one by "vport-WWPN";
 * devices by the WWPN of their remote port (behind an NPIV port its own before it).
 * Sources: drivers/scsi/scsi_transport_fc.c; lpfc_attr.c, qla_attr.c, zfcp_scsi.c, libfc/fc_lport.c.
 */
#include "transport/fc.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "transport/driver.h"
#include "transport/ethernet.h"
#include "transport/pci.h"
#include "transport/relation.h"

static const struct fact_key PORT_NAME = { "port_name", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key NODE_NAME = { "node_name", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key PERMANENT_NAME = { "permanent_port_name", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key PORT_TYPE = { "port_type", FACT_TEXT, FACT_GAUGE };
static const struct fact_key PORT_STATE = { "port_state", FACT_TEXT, FACT_GAUGE };
static const struct fact_key PORT_ID = { "port_id", FACT_NUMBER, FACT_GAUGE };
static const struct fact_key SPEED = { "speed_gbit", FACT_NUMBER, FACT_GAUGE };
static const struct fact_key BEST_SPEED = { "best_speed_gbit", FACT_NUMBER, FACT_IDENTITY };
static const struct fact_key FABRIC_NAME = { "fabric_name", FACT_TEXT, FACT_GAUGE };
static const struct fact_key SYMBOLIC_NAME = { "symbolic_name", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key VPORTS_IN_USE = { "npiv_vports_inuse", FACT_NUMBER, FACT_GAUGE };
static const struct fact_key DEV_LOSS_TMO = { "dev_loss_tmo_s", FACT_NUMBER, FACT_GAUGE };
static const struct fact_key FAST_IO_FAIL = { "fast_io_fail_tmo", FACT_TEXT, FACT_GAUGE };
static const struct fact_key ROLES = { "roles", FACT_TEXT, FACT_GAUGE };
static const struct fact_key TARGET_ID = { "scsi_target_id", FACT_TEXT, FACT_GAUGE };
static const struct fact_key SINCE_RESET = { "seconds_since_last_reset", FACT_NUMBER, FACT_GAUGE };

#define DEFINE_KEY(name, kind) \
    static const struct fact_key name = { #name, FACT_NUMBER, FACT_##kind };

/* What says how well a link does is read again; what it moved, and what nobody is told of, is not. The adapter is asked for
 * statistics, but for those of notifications of the fabric (fpin), which the kernel counts itself. */
#define REREAD_ERRORS    REREAD_ASKS
#define REREAD_EVENTS    REREAD_ASKS
#define REREAD_COUNTER   REREAD_RARELY
#define REREAD_MEGABYTES REREAD_RARELY
#define FILE_OF(name, cost) \
    { "statistics/" #name, &name, fc_parse_statistic, LEVEL_ALL, .reread = cost },
#define ROW(name, kind)      FILE_OF(name, REREAD_##kind)
#define FPIN_ROW(name, kind) FILE_OF(name, REREAD_FREE)

FC_HOST_STATISTICS(DEFINE_KEY)
FC_FPIN_STATISTICS(DEFINE_KEY)

static const struct attribute HOST_ATTRIBUTES[] = {
    { "port_name", &PORT_NAME, NULL, LEVEL_IDENTITY },
    { "port_type", &PORT_TYPE, parse_known_text, LEVEL_MODES, .reread = REREAD_FREE },
    { "port_state", &PORT_STATE, parse_known_text, LEVEL_MODES, .reread = REREAD_FREE },
    { "port_id", &PORT_ID, parse_hex, LEVEL_MODES, .reread = REREAD_FREE },
    { "speed", &SPEED, fc_parse_speed, LEVEL_MODES, .reread = REREAD_FREE },
    { "supported_speeds", &BEST_SPEED, fc_parse_speeds, LEVEL_MODES },
    { "fabric_name", &FABRIC_NAME, NULL, LEVEL_MODES, .reread = REREAD_FREE },
    { "symbolic_name", &SYMBOLIC_NAME, NULL, LEVEL_MODES },
    { "node_name", &NODE_NAME, NULL, LEVEL_ALL },
    { "permanent_port_name", &PERMANENT_NAME, NULL, LEVEL_ALL },
    { "npiv_vports_inuse", &VPORTS_IN_USE, parse_decimal, LEVEL_ALL },
    { "dev_loss_tmo", &DEV_LOSS_TMO, parse_decimal, LEVEL_ALL },
    /* libfc's drivers and zfcp say here what others say in their scsi_host. */
    { "model", &KEY_MODEL, parse_known_text, LEVEL_ALL },
    { "model_description", &KEY_BOARD, parse_known_text, LEVEL_ALL },
    { "firmware_version", &KEY_FIRMWARE, parse_known_text, LEVEL_ALL },
    { "optionrom_version", &KEY_BIOS, parse_known_text, LEVEL_ALL },
    { "driver_version", &KEY_DRIVER_VERSION, parse_known_text, LEVEL_ALL },
    { "serial_number", &KEY_SERIAL, parse_known_text, LEVEL_ALL },
    { "statistics/seconds_since_last_reset", &SINCE_RESET, fc_parse_statistic, LEVEL_ALL },
    FC_HOST_STATISTICS(ROW) FC_FPIN_STATISTICS(FPIN_ROW){ 0 },
};

static const struct attribute RPORT_ATTRIBUTES[] = {
    { "port_name", &PORT_NAME, NULL, LEVEL_IDENTITY },
    { "roles", &ROLES, parse_known_text, LEVEL_MODES, .reread = REREAD_FREE },
    { "port_state", &PORT_STATE, parse_known_text, LEVEL_MODES, .reread = REREAD_FREE },
    { "port_id", &PORT_ID, parse_hex, LEVEL_ALL, .reread = REREAD_FREE },
    { "scsi_target_id", &TARGET_ID, NULL, LEVEL_ALL },
    { "node_name", &NODE_NAME, NULL, LEVEL_MODES },
    { "dev_loss_tmo", &DEV_LOSS_TMO, parse_decimal, LEVEL_ALL },
    { "fast_io_fail_tmo", &FAST_IO_FAIL, NULL, LEVEL_ALL },
    FC_FPIN_STATISTICS(FPIN_ROW){ 0 },
};

static const struct object_class CLASSES[] = {
    { "fc_host", "/sys/class/fc_host", .attributes = HOST_ATTRIBUTES },
    { "fc_remote_ports", "/sys/class/fc_remote_ports", .attributes = RPORT_ATTRIBUTES },
    { 0 },
};

/* Adapters for FC over Ethernet whose drivers serve Fibre Channel as well. Sources: qla_def.h (ISP8001,
 * ISP8021, ISP8031, ISP8044), lpfc_hw.h (TIGERSHARK, TOMCAT, LANCER_FCOE, SKYHAWK), bfa_defs.h (CT). */
static const struct {
    uint16_t vendor, device;
} CONVERGED[] = {
    { 0x1077, 0x8001 }, { 0x1077, 0x8021 }, { 0x1077, 0x8031 },
    { 0x1077, 0x8044 }, { 0x10df, 0x0720 }, { 0x10df, 0xe260 },
    { 0x1657, 0x0014 }, { 0x19a2, 0x0704 }, { 0x19a2, 0x0714 },
};

static bool claims(const struct fact_set *set, const struct subject *host)
{
    return fact_set_find(set, "fc_host", host->name);
}

enum wire { WIRE_FC, WIRE_ETHERNET, WIRE_UNKNOWN };

/* Does the port speak Fibre Channel over Ethernet? Its driver or name says so, else the chip. */
static enum wire wire_of(const struct fact_set *set, const struct subject *host,
                         const struct subject *fc)
{
    const struct driver *driver = driver_of(set, host);
    const char *symbolic = fact_text(fc, &SYMBOLIC_NAME);
    const char *protocol = fact_text(fact_set_find(set, "driver_host", host->name),
                                     &DRIVER_PROTOCOL);
    const struct subject *pci = pci_of(set, host);
    uint64_t vendor, device;

    if ((driver && driver->over_ethernet) || (symbolic && strstr(symbolic, " over ")))
        return WIRE_ETHERNET;
    if (protocol && strcmp(protocol, "fcoe") == 0)
        return WIRE_ETHERNET;
    if (protocol && strcmp(protocol, "fc") == 0)
        return WIRE_FC;
    if (!fact_number(pci, &KEY_PCI_VENDOR, &vendor) || !fact_number(pci, &KEY_PCI_DEVICE, &device))
        return pci_path_length(host->path) ? WIRE_UNKNOWN : WIRE_FC;
    for (size_t i = 0; i < ELEMENTS(CONVERGED); i++)
        if (CONVERGED[i].vendor == vendor && CONVERGED[i].device == device)
            return WIRE_ETHERNET;
    return WIRE_FC;
}

/* 100 MB/s a GFC by name; 10GFC alone keeps 64b/66b at 10.5 GBd and carries 1200 (FC-PI-2, FC-10GFC). */
static struct rate fc_rate(uint64_t gbit)
{
    return (struct rate){ .lanes = 1, .lane_kb_per_s = gbit == 10 ? 1200000 : gbit * 100000 };
}

static int describe(struct arena *arena, struct rate rate, struct mode *ret)
{
    uint64_t kb = rate_kb_per_s(rate);

    *ret = (struct mode){ .known = true, .rate = rate };
    ret->detail = arena_printf(arena, "%" PRIu64 ".%" PRIu64 " MB/s", kb / 1000, kb % 1000 / 100);
    if (kb % 100000)
        return ret->detail ? 0 : -ENOMEM; /* a number without a name */
    ret->label = arena_printf(arena, "%" PRIu64 "GFC", kb == 1200000 ? 10 : kb / 100000);
    return ret->label && ret->detail ? 0 : -ENOMEM;
}

/* 10 Gbit/s alone is a speed of both kinds of wire: no mode where the kind is not known. */
static struct mode mode_of(struct relation *r, const struct link *l, enum wire wire, uint64_t gbit)
{
    if (wire == WIRE_UNKNOWN && gbit == 10)
        return (struct mode){ 0 };
    return relate_mode(r, l->describe,
                       wire == WIRE_ETHERNET ? ethernet_rate(gbit * 1000) : fc_rate(gbit));
}

/* The physical port's host that an NPIV port's is below: …/host3/vport-3:0-0/host7. NULL where the host
 * is no such port, or that one is not in view. */
static struct host *physical_of(struct relation *r, const struct subject *host)
{
    const char *vport = strstr(host->path, "/vport-"), *name = vport;
    char text[32];

    while (name && name > host->path && name[-1] != '/')
        name--;
    if (!name || (size_t)(vport - name) >= sizeof(text))
        return NULL;
    memcpy(text, name, (size_t)(vport - name));
    text[vport - name] = '\0';
    return model_host_named(r->model, text);
}

static bool is_target(const struct subject *rport)
{
    const char *roles = fact_text(rport, &ROLES);

    return roles && (strstr(roles, "FCP Target") || strstr(roles, "NVMe Target"));
}

/* Is a SCSI device left behind the host? There are none but those of targets. */
static bool has_device(struct relation *r, const struct subject *host)
{
    for (const struct subject *d = fact_set_first(r->facts, "scsi_device"); d; d = d->next_of_class)
        if (d->host == host)
            return true;
    return false;
}

/* The first target behind the host; NULL where none is known, lost ones included. */
static const struct subject *first_target(struct relation *r, const struct subject *host)
{
    for (const struct subject *p = fact_set_first(r->facts, "fc_remote_ports"); p;
         p = p->next_of_class)
        if (p->host == host && is_target(p))
            return p;
    return NULL;
}

/* What each port_state means for the link, where it is not up. "Offline" is an administrator's word, but
 * libfc's, under FCoE, for a port without a fabric. */
static const struct {
    const char *text;
    enum link_state state;
    const char *reason;
} STATES[] = {
    { "Linkdown", LINK_EMPTY, NULL },
    { "Not Present", LINK_EMPTY, NULL },
    { "Bypassed", LINK_EMPTY, NULL },
    { "Deleted", LINK_EMPTY, NULL },
    { "Offline", LINK_DISABLED, NULL },
    { "Error", LINK_DOWN, NULL },
    { "Blocked", LINK_UNKNOWN, "the port is blocked" },
    { "Diagnostics", LINK_UNKNOWN, "the port runs diagnostics, or its link is coming up" },
    { "Loopback", LINK_UNKNOWN, "the port is in loopback" },
};

/* The kernel's words for no address: all ones of 32 bits, or 0. */
static bool has_address(const struct subject *fc)
{
    uint64_t id = fact_number_or(fc, &PORT_ID, 0);

    return id && id < 0xffffff;
}

static void relate_state(struct relation *r, struct link *l, const struct subject *fc)
{
    const char *state = fact_text(fc, &PORT_STATE);
    const char *driver = fact_text(fact_set_find(r->facts, "driver_host", fc->name),
                                   &DRIVER_LINK_STATE);
    uint64_t gbit;
    bool has_speed = fact_number(fc, &SPEED, &gbit);

    l->state = LINK_UNKNOWN;
    l->reason = "its driver does not say whether the port is up";
    if (!state)
        return;
    if (strcmp(state, "Online") == 0) {
        l->reason = "the port is online, with neither an address nor a speed";
        if (has_speed || has_address(fc)) {
            l->state = LINK_UP;
            l->reason = NULL;
        }
        return;
    }
    for (size_t i = 0; i < ELEMENTS(STATES); i++)
        if (strcmp(state, STATES[i].text) == 0) {
            l->state = STATES[i].state;
            l->reason = STATES[i].reason;
        }
    if (l->state == LINK_DISABLED && l->describe != describe)
        l->state = LINK_EMPTY;
    if (l->state == LINK_EMPTY && driver && strstr(driver, "User disabled"))
        l->state = LINK_DISABLED;
    /* The kernel still waits for a target, or remembers one: something was there. */
    if (l->state == LINK_EMPTY && (first_target(r, fc->host) || has_device(r, fc->host)))
        l->state = LINK_DOWN;
}

/* A switch by its fabric, else what is wired to the port directly. */
static const char *far_of(struct relation *r, const struct link *l, const struct subject *fc)
{
    const char *type = fact_text(fc, &PORT_TYPE), *fabric = fact_text(fc, &FABRIC_NAME);

    if (l->state == LINK_UP && type && fabric && strstr(type, "fabric") &&
        !text_starts_with(fabric, "0xffffffff") && strcmp(fabric, "0x0") != 0)
        return arena_printf(r->model->arena, "fabric %s", fabric);
    return fact_text(first_target(r, fc->host), &PORT_NAME);
}

/* What the driver's own attributes did not say of the adapter. */
static void complete_host(struct host *host, const struct subject *fc)
{
    const struct {
        const char **text;
        const struct fact_key *key;
    } TEXTS[] = {
        { &host->model, &KEY_MODEL },
        { &host->board, &KEY_BOARD },
        { &host->firmware, &KEY_FIRMWARE },
        { &host->bios, &KEY_BIOS },
        { &host->driver_version, &KEY_DRIVER_VERSION },
    };

    for (size_t i = 0; i < ELEMENTS(TEXTS); i++)
        if (!*TEXTS[i].text)
            *TEXTS[i].text = fact_text(fc, TEXTS[i].key);
}

static int relate_modes(struct relation *r, struct link *l, const struct subject *fc,
                        enum wire wire)
{
    const struct subject *own = fact_set_find(r->facts, "driver_host", fc->name);
    uint64_t gbit;
    int e = 0;

    if (l->state == LINK_UP && fact_number(fc, &SPEED, &gbit)) {
        l->actual = mode_of(r, l, wire, gbit);
        if (!l->actual.known)
            l->reason = "whether it is Fibre Channel or Ethernet cannot be told";
        e = link_add_witness(l, WHO_INITIATOR, "fc_host speed", l->actual);
    }
    if (e == 0 && fact_number(fc, &BEST_SPEED, &gbit))
        e = link_add_able(l, WHO_INITIATOR, "fc_host supported_speeds", mode_of(r, l, wire, gbit),
                          true);
    l->limit_unknown = driver_tells(driver_of(r->facts, fc->host), &DRIVER_FORCED_GBIT) &&
                       !fact_number(own, &DRIVER_FORCED_GBIT, &gbit);
    if (e == 0 && fact_number(own, &DRIVER_FORCED_GBIT, &gbit) && gbit)
        e = link_add_allowed(l, WHO_INITIATOR, DRIVER_FORCED_GBIT.name, mode_of(r, l, wire, gbit));
    for (const struct attribute *a = HOST_ATTRIBUTES; e == 0 && a->file; a++)
        if (fact_kind_counts(a->key->kind))
            e = link_add_counter(l, fc, a->key);
    return e;
}

/* What the state of a remote port says of it: nothing where it is not read, or none of the kernel's words
 * (fc_port_state_names). */
static void relate_remote_state(struct remote *remote, const struct subject *port)
{
    const char *state = fact_text(port, &PORT_STATE);

    remote->state = state ? state : "unknown";
    remote->is_up = state && (strcmp(state, "Online") == 0 || strcmp(state, "Marginal") == 0);
    remote->is_unclear = !remote->is_up;
    for (size_t i = 0; state && i < ELEMENTS(STATES); i++)
        if (strcmp(state, STATES[i].text) == 0)
            remote->is_unclear = false;
}

/* The targets that the port sees, or saw. */
static int relate_remotes(struct relation *r, struct link *l, const struct subject *host)
{
    int e = 0;

    for (const struct subject *p = fact_set_first(r->facts, "fc_remote_ports"); e == 0 && p;
         p = p->next_of_class) {
        const char *roles = fact_text(p, &ROLES), *name = fact_text(p, &PORT_NAME);
        struct remote remote = { .kernel_name = p->name, .link = l, .subject = p };

        if (p->host != host || !roles || !strstr(roles, "FCP Target") || !name)
            continue;
        remote.id = arena_printf(r->model->arena, "%s-%s", l->id, name);
        remote.node = fact_text(p, &NODE_NAME);
        relate_remote_state(&remote, p);
        e = remote.id ? vec_push(&r->model->remotes, remote) : -ENOMEM;
    }
    return e;
}

static int relate(struct relation *r, struct host *host)
{
    const struct subject *fc = fact_set_find(r->facts, "fc_host", host->kernel_name);
    const char *wwpn = fact_text(fc, &PORT_NAME);
    enum wire wire;
    struct link *l;

    complete_host(host, fc);
    if (physical_of(r, host->subject))
        return 0;
    l = relate_host_link(r, host, "fc");
    if (!l)
        return -ENOMEM;
    if (wwpn)
        l->id = arena_printf(r->model->arena, "%s-fc-%s", host->id, wwpn);
    l->near = wwpn ? wwpn : host->id;
    l->describe = describe;
    wire = wire_of(r->facts, host->subject, fc);
    if (wire == WIRE_ETHERNET) {
        l->describe = ethernet_describe;
        l->transport = "fcoe";
    }
    relate_state(r, l, fc);
    l->far = far_of(r, l, fc);
    l->far_id = l->state == LINK_UP ? l->far
                                    : NULL; /* of a port that is down only a target is known */
    l->far_is_network = true;
    if (!l->id || relate_remotes(r, l, host->subject) < 0)
        return -ENOMEM;
    return relate_modes(r, l, fc, wire);
}

static struct link *link_of(struct relation *r, struct host *host, const struct subject *device)
{
    const struct host *physical = physical_of(r, host->subject);

    (void)device;
    return model_link_named(r->model, physical ? physical->kernel_name : host->kernel_name);
}

/* A channel device keeps its number; that of the subchannel before it may change: "ccw-0.0.1900". */
static const char *host_id(struct relation *r, const struct subject *host)
{
    const char *wwpn = fact_text(fact_set_find(r->facts, "fc_host", host->name), &PORT_NAME);
    const char *mark = NULL;

    if (text_starts_with(host->path, "/sys/devices/css")) {
        const char *end = host->path + strlen(host->path) - strlen(host->name) - 1, *start = end;

        while (start[-1] != '/')
            start--;
        return arena_printf(r->model->arena, "ccw-%.*s", (int)(end - start), start);
    }
    if (wwpn && strstr(host->path, "/vport-")) {
        mark = arena_printf(r->model->arena, "vport-%s", wwpn);
        if (!mark)
            return NULL;
    }
    return relate_host_id(r, host, mark);
}

static const char *device_mark(struct relation *r, const struct host *host,
                               const struct subject *device)
{
    const char *target = fact_text(
        fact_set_above(r->facts, "fc_remote_ports", device->path, "rport-"), &PORT_NAME);
    const char *own = fact_text(fact_set_find(r->facts, "fc_host", host->kernel_name), &PORT_NAME);

    if (!target || !own || !physical_of(r, host->subject))
        return target;
    return arena_printf(r->model->arena, "%s-%s", own, target);
}

/* The remote port that a device is behind: ids as in relate_remotes(), which has none of this name where
 * that of the port cannot be read. */
static int complete(struct relation *r, struct device *d)
{
    const char *target = fact_text(
        fact_set_above(r->facts, "fc_remote_ports", d->subject->path, "rport-"), &PORT_NAME);

    if (!d->link || physical_of(r, d->host->subject))
        return 0;
    if (!target)
        target = strstr(d->subject->path, "/rport-") ? "rport" : NULL;
    if (!target)
        return 0;
    d->remote = arena_printf(r->model->arena, "%s-%s", d->link->id, target);
    return d->remote ? 0 : -ENOMEM;
}

const struct transport TRANSPORT_FC = {
    .name = "fc",
    .counted = "port",
    .classes = CLASSES,
    .arrays = true,
    .claims = claims,
    .host_id = host_id,
    .relate = relate,
    .link_of = link_of,
    .complete = complete,
    .device_mark = device_mark,
};
