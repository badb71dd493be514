/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * iSCSI: the link is the host, and its rate that of the port its session runs over.
 *
 * Adapters that do iSCSI themselves name their port's speed (iscsi_host port_speed). Software iSCSI runs
 * over a network interface: the one iscsi_host names, or has the hardware address of, else the one the
 * routing table sends the target's address to; where the session's own address lies in another
 * interface's network (policy routing), it cannot be told. What a network port could do at best is in no
 * file. Names and passwords in iscsi_session are never read.
 *
 * Ids: the link is HOST-iscsi; a software session's host is told from others by target name, portal and
 * iface; devices of an adapter with several sessions by the target's name.
 * Sources: drivers/scsi/scsi_transport_iscsi.c, libiscsi.c (netdev without one prints "(null)").
 */
#include "transport/iscsi.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "transport/driver.h"
#include "transport/ethernet.h"

static const struct fact_key NETDEV = { "netdev", FACT_TEXT, FACT_GAUGE };
static const struct fact_key HWADDRESS = { "hwaddress", FACT_TEXT, FACT_GAUGE };
static const struct fact_key IPADDRESS = { "ipaddress", FACT_TEXT, FACT_GAUGE };
static const struct fact_key INITIATOR_NAME = { "initiatorname", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key PORT_STATE = { "port_state", FACT_TEXT, FACT_GAUGE };
static const struct fact_key PORT_SPEED = { "port_speed_mbit", FACT_NUMBER, FACT_GAUGE };
static const struct fact_key TARGET_NAME = { "targetname", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key IFACE_NAME = { "ifacename", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key TPGT = { "tpgt", FACT_NUMBER, FACT_IDENTITY };
static const struct fact_key SESSION_STATE = { "state", FACT_TEXT, FACT_GAUGE };
static const struct fact_key RECOVERY_TMO = { "recovery_tmo_s", FACT_NUMBER, FACT_GAUGE };
static const struct fact_key ADDRESS = { "address", FACT_TEXT, FACT_GAUGE };
static const struct fact_key PORTAL = { "persistent_address", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key LOCAL_ADDRESS = { "local_ipaddr", FACT_TEXT, FACT_GAUGE };
/* Of class iscsi_path: the interface, and through what it was found; or why it was not. */
static const struct fact_key INTERFACE = { "interface", FACT_TEXT, FACT_GAUGE };
static const struct fact_key NO_INTERFACE = { "no_interface", FACT_TEXT, FACT_GAUGE };
static const struct fact_key IS_LOCAL = { "is_local", FACT_NUMBER, FACT_GAUGE };

/* "10 Gbps", "100 Mbps"; "Unknown", "Unknown!" say nothing. */
static int parse_port_speed(struct fact_set *set, const struct fact_key *key, const char *origin,
                            struct bytes raw)
{
    const char *text = (const char *)raw.data, *rest;
    uint64_t number;

    if (text_starts_with(text, "Unknown"))
        return -ENODATA;
    if (number_decimal(text, 0, &number, &rest) < 0 || !number)
        return -EBADMSG;
    if (text_starts_with(rest, " Gbps"))
        return fact_put_number(set, key, origin, number * 1000);
    return text_starts_with(rest, " Mbps") ? fact_put_number(set, key, origin, number) : -EBADMSG;
}

/* "(null)" or "<NULL>" stands for none; "default" is what iscsiadm puts where no interface was chosen. What
 * is no such word, and nothing else either, is not known. */
static int parse_binding(struct fact_set *set, const struct fact_key *key, const char *origin,
                         struct bytes raw)
{
    static const char *const NONE[] = { "default", "(null)", "<NULL>", "none" };
    int r;

    for (size_t i = 0; i < ELEMENTS(NONE); i++)
        if (text_starts_with((const char *)raw.data, NONE[i]))
            return -ENODATA;
    r = parse_known_text(set, key, origin, raw);
    return r == -ENODATA ? -EBADMSG : r;
}

static const struct attribute HOST_ATTRIBUTES[] = {
    { "netdev", &NETDEV, parse_binding, LEVEL_MODES, .reread = REREAD_FREE },
    { "hwaddress", &HWADDRESS, parse_binding, LEVEL_MODES },
    { "ipaddress", &IPADDRESS, parse_binding, LEVEL_MODES },
    { "port_state", &PORT_STATE, NULL, LEVEL_MODES, .reread = REREAD_FREE },
    { "port_speed", &PORT_SPEED, parse_port_speed, LEVEL_MODES, .reread = REREAD_ASKS },
    { "initiatorname", &INITIATOR_NAME, parse_known_text, LEVEL_ALL },
    { 0 },
};

static const struct attribute SESSION_ATTRIBUTES[] = {
    { "targetname", &TARGET_NAME, parse_known_text, LEVEL_IDENTITY },
    { "ifacename", &IFACE_NAME, parse_known_text, LEVEL_IDENTITY },
    { "state", &SESSION_STATE, NULL, LEVEL_MODES, .reread = REREAD_FREE },
    { "tpgt", &TPGT, parse_decimal, LEVEL_ALL },
    { "recovery_tmo", &RECOVERY_TMO, parse_decimal, LEVEL_ALL },
    { 0 },
};

static const struct attribute CONNECTION_ATTRIBUTES[] = {
    { "persistent_address", &PORTAL, parse_known_text, LEVEL_IDENTITY },
    { "address", &ADDRESS, parse_known_text, LEVEL_MODES },
    { "local_ipaddr", &LOCAL_ADDRESS, parse_known_text, LEVEL_MODES },
    { "state", &KEY_STATE, NULL, LEVEL_MODES, .reread = REREAD_FREE },
    { 0 },
};

static const struct object_class CLASSES[] = {
    { "iscsi_host", "/sys/class/iscsi_host", .attributes = HOST_ATTRIBUTES },
    { "iscsi_session", "/sys/class/iscsi_session", .attributes = SESSION_ATTRIBUTES },
    { "iscsi_connection", "/sys/class/iscsi_connection", .attributes = CONNECTION_ATTRIBUTES },
    { 0 },
};

/* The first subject of a class below the host. */
static const struct subject *first_of(const struct fact_set *set, const char *class_name,
                                      const struct subject *host)
{
    for (const struct subject *s = fact_set_first(set, class_name); s; s = s->next_of_class)
        if (s->host == host)
            return s;
    return NULL;
}

/* Through which interface the session runs, as far as addresses tell; `own` is NULL for none. */
static int put_route(struct gathering *g, const char *routes, const char *target, const char *own)
{
    char by_target[32], by_own[32];
    int to_target = iscsi_route(routes, target, false, by_target);
    int of_own = own ? iscsi_route(routes, own, true, by_own) : -ENOENT;
    const char *name = to_target == 0 ? by_target : by_own;
    int r;

    if (to_target == 0 && of_own == 0 && strcmp(by_target, by_own) != 0)
        return fact_put_text(
            g->facts, &NO_INTERFACE, "/proc/net/route",
            "its own address and the route to its target name different interfaces");
    if (to_target == -ENOTUNIQ || (to_target != 0 && of_own == -ENOTUNIQ))
        return fact_put_text(g->facts, &NO_INTERFACE, "/proc/net/route",
                             "several interfaces lead to its target");
    if (to_target != 0 && of_own != 0)
        return fact_put_text(g->facts, &NO_INTERFACE, "/proc/net/route",
                             "nothing tells which network interface it runs over");
    r = fact_put_text(g->facts, &INTERFACE, "/proc/net/route", name);
    return r < 0 ? r : iscsi_gather_interface(g, name);
}

/* Does the fact say that there is none, or what? Else it could not be read. */
static bool is_told(const struct subject *s, const struct fact_key *key)
{
    const struct fact *f = fact_find(s, key);

    return f && (f->quality == QUALITY_OK || f->quality == QUALITY_SILENT);
}

/* The session's own address, or NULL. The connection's own word came with Linux 3.17 only. */
static const struct fact *own_address(const struct subject *class, const struct subject *connection)
{
    const struct fact *local = fact_find(connection, &LOCAL_ADDRESS);

    return local && local->quality != QUALITY_SILENT ? local : fact_find(class, &IPADDRESS);
}

/* By the addresses of the session: why they do not tell, where one cannot be read. */
static int gather_by_addresses(struct gathering *g, const struct subject *class,
                               const struct subject *connection, const char *routes)
{
    const struct fact *address = own_address(class, connection);
    const char *target = fact_text(connection, &ADDRESS);
    const char *own = address && address->quality == QUALITY_OK ? address->text : NULL;

    if (!target || !iscsi_is_address(target))
        return fact_put_text(g->facts, &NO_INTERFACE, "iscsi_connection",
                             "the address of its target cannot be read");
    if (!address || (!own && address->quality != QUALITY_SILENT) || (own && !iscsi_is_address(own)))
        return fact_put_text(g->facts, &NO_INTERFACE, address ? address->origin : "iscsi_host",
                             "its own address cannot be read");
    if (iscsi_is_loopback(target) || (own && strcmp(own, target) == 0))
        return fact_put_number(g->facts, &IS_LOCAL, "iscsi_connection", 1);
    return put_route(g, routes, target, own);
}

/* By what the session is bound to, else by its addresses. */
static int gather_path(struct gathering *g, struct subject *host, const char *routes)
{
    const struct subject *class = fact_set_find(g->facts, "iscsi_host", host->name);
    const char *netdev = fact_text(class, &NETDEV), *hw = fact_text(class, &HWADDRESS);
    char name[32] = "";
    bool is_new;
    int r = 0;

    if (fact_find(class, &PORT_STATE))
        return 0;
    if (!netdev && hw)
        r = iscsi_interface_by_address(g, hw, name);
    if (r < 0)
        return r;
    if (!fact_set_add(g->facts, "iscsi_path", host->name, host->path, host, &is_new))
        return -ENOMEM;
    if (netdev || *name) {
        r = fact_put_text(g->facts, &INTERFACE,
                          netdev ? "iscsi_host netdev" : "iscsi_host hwaddress",
                          netdev ? netdev : name);
        return r < 0 ? r : iscsi_gather_interface(g, netdev ? netdev : name);
    }
    if (hw)
        return fact_put_text(g->facts, &NO_INTERFACE, "iscsi_host hwaddress",
                             "not one network interface has the hardware address it is bound to");
    if (!is_told(class, &NETDEV) || !is_told(class, &HWADDRESS))
        return fact_put_text(g->facts, &NO_INTERFACE, "iscsi_host",
                             "which network interface it is bound to cannot be read");
    return gather_by_addresses(g, class, first_of(g->facts, "iscsi_connection", host), routes);
}

static int gather(struct gathering *g)
{
    struct value routes;
    int r;

    if (g->level < LEVEL_MODES || !fact_set_first(g->facts, "iscsi_host"))
        return 0;
    r = source_read(g->source, "/proc/net/route", PAGE_BYTES, &routes);
    for (struct subject *s = fact_set_first(g->facts, "iscsi_host"); r == 0 && s;
         s = s->next_of_class)
        r = gather_path(g, s->host, routes.error ? "" : (const char *)routes.bytes.data);
    return r < 0 ? r : fact_set_seal(g->facts);
}

static bool claims(const struct fact_set *set, const struct subject *host)
{
    return fact_set_find(set, "iscsi_host", host->name);
}

static bool is_word(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

/* What an adapter's port says of itself (iscsi_port_state_names); none does where sessions are all. */
static enum link_state port_state_of(const struct subject *class)
{
    const char *port = fact_text(class, &PORT_STATE);

    if (is_word(port, "LINK UP"))
        return LINK_UP;
    return is_word(port, "LINK DOWN") || !fact_find(class, &PORT_STATE) ? LINK_EMPTY : LINK_UNKNOWN;
}

/* Logged in, or, for an adapter without a session, what its port says. A session that failed is being
 * recovered: something should be there. States are those of iscsi_session_state_names. */
static enum link_state state_of(struct relation *r, const struct subject *host)
{
    const struct subject *class = fact_set_find(r->facts, "iscsi_host", host->name);
    enum link_state state = port_state_of(class);
    bool is_down = is_word(fact_text(class, &PORT_STATE), "LINK DOWN");

    for (const struct subject *s = fact_set_first(r->facts, "iscsi_session"); s;
         s = s->next_of_class) {
        const char *session = fact_text(s, &SESSION_STATE);

        if (s->host != host)
            continue;
        if (is_word(session, "LOGGED_IN"))
            return is_down ? LINK_DOWN : LINK_UP;
        if (is_word(session, "FAILED") && state != LINK_UP)
            state = LINK_DOWN;
        else if (!is_word(session, "FAILED") && !is_word(session, "FREE") && state == LINK_EMPTY)
            state = LINK_UNKNOWN;
    }
    return state;
}

static struct mode mode_of(struct relation *r, uint64_t mbit)
{
    return relate_mode(r, ethernet_describe, ethernet_rate(mbit));
}

static int relate_interface(struct relation *r, struct link *l)
{
    const struct subject *path = fact_set_find(r->facts, "iscsi_path", l->kernel_name);
    const struct fact *interface = fact_find(path, &INTERFACE);
    struct interface_speed speed;
    int e;

    if (!l->reason)
        l->reason = fact_text(path, &NO_INTERFACE);
    if (fact_number_or(path, &IS_LOCAL, 0)) {
        l->has_no_link = true;
        l->reason = "its target is on this machine: there is no physical link";
    }
    if (!interface)
        return 0;
    l->near = interface->text;
    speed = iscsi_interface_speed(r, interface->text);
    if (!speed.mbit_per_s) {
        l->reason = l->reason ? l->reason : speed.why;
        return 0;
    }
    if (l->state == LINK_UP)
        l->actual = mode_of(r, speed.mbit_per_s);
    e = link_add_witness(l, WHO_INITIATOR,
                         arena_printf(r->model->arena, "speed of %s, by %s", speed.physical->name,
                                      interface->origin),
                         l->actual);
    return e < 0 ? e : iscsi_interface_counters(l, speed.physical);
}

static int relate(struct relation *r, struct host *host)
{
    const struct subject *class = fact_set_find(r->facts, "iscsi_host", host->kernel_name);
    struct link *l = relate_host_link(r, host, "iscsi");
    uint64_t mbit;

    if (!l)
        return -ENOMEM;
    l->describe = ethernet_describe;
    l->may_go = true;
    l->far_is_network = true;
    l->far = fact_text(first_of(r->facts, "iscsi_session", host->subject), &TARGET_NAME);
    l->state = state_of(r, host->subject);
    if (l->state == LINK_UNKNOWN)
        l->reason = "the state of its port or session cannot be read";
    if (!fact_number(class, &PORT_SPEED, &mbit))
        return relate_interface(r, l);
    if (l->state == LINK_UP)
        l->actual = mode_of(r, mbit);
    return link_add_witness(l, WHO_INITIATOR, "iscsi_host port_speed", l->actual);
}

/* Has the driver a host for every session? */
static bool is_per_session(const struct fact_set *set, const struct subject *host)
{
    const char *driver = driver_name(set, host);

    return driver && (strcmp(driver, "iscsi_tcp") == 0 || strcmp(driver, "iscsi_iser") == 0);
}

static const char *host_id(struct relation *r, const struct subject *host)
{
    const struct subject *session = first_of(r->facts, "iscsi_session", host);
    const char *target = fact_text(session, &TARGET_NAME);
    const char *iface = fact_text(session, &IFACE_NAME);
    const char *portal = fact_text(first_of(r->facts, "iscsi_connection", host), &PORTAL);

    const char *mark;

    if (!target || !is_per_session(r->facts, host))
        return relate_host_id(r, host, NULL);
    mark = arena_printf(r->model->arena, "%s-%s-%s", target, portal ? portal : "",
                        iface ? iface : "default");
    return mark ? relate_host_id(r, host, mark) : NULL;
}

static const char *device_mark(struct relation *r, const struct host *host,
                               const struct subject *device)
{
    if (is_per_session(r->facts, host->subject))
        return NULL;
    return fact_text(fact_set_above(r->facts, "iscsi_session", device->path, "session"),
                     &TARGET_NAME);
}

const struct transport TRANSPORT_ISCSI = {
    .name = "iscsi",
    .classes = CLASSES,
    .arrays = true,
    .gather = gather,
    .claims = claims,
    .host_id = host_id,
    .relate = relate,
    .link_of = relate_link_of_host,
    .device_mark = device_mark,
};
