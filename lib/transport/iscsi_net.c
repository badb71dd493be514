/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Network interfaces under iSCSI sessions (iscsi.h).
 *
 * Sources: net/core/net-sysfs.c (speed is in Mb/s, -1 or EINVAL where not known); lower_* links lead to
 * members of bonds and bridges and to the device under a VLAN; drivers/net/bonding/bond_sysfs.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "transport/iscsi.h"

/* VLAN on a bond on its members, and one more. */
enum { DEPTH_MAX = 4 };

static const struct fact_key SPEED = { "speed_mbit", FACT_NUMBER, FACT_GAUGE };
static const struct fact_key OPERSTATE = { "operstate", FACT_TEXT, FACT_GAUGE };
static const struct fact_key TYPE = { "arphrd_type", FACT_NUMBER, FACT_IDENTITY };
static const struct fact_key DUPLEX = { "duplex", FACT_TEXT, FACT_GAUGE };
static const struct fact_key MTU = { "mtu", FACT_NUMBER, FACT_GAUGE };
static const struct fact_key BOND_MODE = { "bond_mode", FACT_TEXT, FACT_GAUGE };
static const struct fact_key ACTIVE_SLAVE = { "active_slave", FACT_TEXT, FACT_GAUGE };
static const struct fact_key LOWER = { "lower", FACT_TEXT, FACT_GAUGE };
static const struct fact_key CARRIER_CHANGES = { "carrier_changes", FACT_NUMBER, FACT_COUNTER };
static const struct fact_key RX_ERRORS = { "rx_errors", FACT_NUMBER, FACT_COUNTER };
static const struct fact_key RX_CRC_ERRORS = { "rx_crc_errors", FACT_NUMBER, FACT_ERRORS };
static const struct fact_key TX_ERRORS = { "tx_errors", FACT_NUMBER, FACT_COUNTER };

/* "1000"; -1, 4294967295 (the same, printed unsigned) and 0 say nothing. */
static int parse_speed(struct fact_set *set, const struct fact_key *key, const char *origin,
                       struct bytes raw)
{
    const char *text = (const char *)raw.data;

    if (text_starts_with(text, "-1") || text_starts_with(text, "4294967295") ||
        strcmp(text, "0\n") == 0)
        return -ENODATA;
    return parse_decimal(set, key, origin, raw);
}

static const struct attribute ATTRIBUTES[] = {
    { "speed", &SPEED, parse_speed, LEVEL_MODES, .reread = REREAD_ASKS },
    { "operstate", &OPERSTATE, NULL, LEVEL_MODES, .reread = REREAD_FREE },
    { "type", &TYPE, parse_decimal, LEVEL_MODES },
    { "bonding/mode", &BOND_MODE, NULL, LEVEL_MODES },
    { "bonding/active_slave", &ACTIVE_SLAVE, NULL, LEVEL_MODES, .reread = REREAD_FREE },
    { "duplex", &DUPLEX, parse_known_text, LEVEL_ALL },
    { "mtu", &MTU, parse_decimal, LEVEL_ALL },
    { "carrier_changes", &CARRIER_CHANGES, parse_decimal, LEVEL_ALL, .reread = REREAD_FREE },
    { "statistics/rx_errors", &RX_ERRORS, parse_decimal, LEVEL_ALL, .reread = REREAD_FREE },
    { "statistics/rx_crc_errors", &RX_CRC_ERRORS, parse_decimal, LEVEL_ALL, .reread = REREAD_FREE },
    { "statistics/tx_errors", &TX_ERRORS, parse_decimal, LEVEL_ALL, .reread = REREAD_FREE },
    { 0 },
};

static int gather_below(struct gathering *g, const char *name, int depth)
{
    struct names lower;
    char *path;
    bool is_new;
    int r = gather_canonical(g, "/sys/class/net", name, &path);

    if (r <= 0)
        return r;
    if (!fact_set_add(g->facts, "net", name, path, NULL, &is_new))
        return -ENOMEM;
    if (!is_new)
        return 0;
    r = gather_attributes(g, ATTRIBUTES, path, path, "net", false);
    if (r == 0)
        r = source_list(g->source, path, "lower_", &lower);
    if (r < 0)
        return r;
    for (size_t i = 0; r == 0 && i < lower.n; i++)
        r = fact_put_text(g->facts, &LOWER, "net", lower.v[i] + strlen("lower_"));
    for (size_t i = 0; r == 0 && i < lower.n && depth < DEPTH_MAX; i++)
        r = gather_below(g, lower.v[i] + strlen("lower_"), depth + 1);
    names_done(&lower);
    return r < 0 ? r : fact_set_seal(g->facts);
}

int iscsi_gather_interface(struct gathering *g, const char *name)
{
    return gather_below(g, name, 1);
}

static int has_address(struct gathering *g, const char *name, const char *hwaddress)
{
    char path[4096];
    struct value v;
    char *dir;
    int r = gather_canonical(g, "/sys/class/net", name, &dir);

    if (r <= 0 || (size_t)snprintf(path, sizeof(path), "%s/address", dir) >= sizeof(path))
        return r < 0 ? r : 0;
    r = source_read(g->source, path, ATTRIBUTE_BYTES, &v);
    if (r < 0 || v.error)
        return r;
    return strncasecmp((const char *)v.bytes.data, hwaddress, strlen(hwaddress)) == 0;
}

int iscsi_interface_by_address(struct gathering *g, const char *hwaddress, char name[static 32])
{
    struct names names;
    size_t found = 0;
    int r = source_list(g->source, "/sys/class/net", "", &names);

    name[0] = '\0';
    if (r < 0 || names.error)
        return r;
    for (size_t i = 0; r >= 0 && i < names.n; i++) {
        r = has_address(g, names.v[i], hwaddress);
        if (r > 0 && ++found == 1)
            snprintf(name, 32, "%s", names.v[i]);
    }
    names_done(&names);
    if (found != 1)
        name[0] = '\0';
    return r < 0 ? r : 0;
}

static struct interface_speed unknown(struct relation *r, const char *name, const char *what)
{
    const char *why = arena_printf(r->model->arena, "%s %s", name, what);

    return (struct interface_speed){ .why = why ? why : what };
}

/* Is there hardware under the interface? Ports of virtual machines and containers have none. */
static bool is_physical(const struct subject *net)
{
    return net && !text_starts_with(net->path, "/sys/devices/virtual/");
}

/* The interfaces below one that traffic may leave by. */
struct members {
    const struct subject *last;
    const char *unseen; /* one of which nothing is known; NULL: none */
    size_t n;
    uint64_t sum, least, most; /* Mb/s of those whose speed is known */
};

static struct members members_of(struct relation *r, const struct subject *net)
{
    struct members m = { .least = UINT64_MAX };

    for (uint32_t i = 0; i < net->n_facts; i++) {
        const struct subject *below;
        uint64_t mbit = 0;

        if (net->facts[i].key != &LOWER)
            continue;
        below = fact_set_find(r->facts, "net", net->facts[i].text);
        if (!below)
            m.unseen = net->facts[i].text;
        if (!below || (!is_physical(below) && !fact_find(below, &LOWER)))
            continue;
        fact_number(below, &SPEED, &mbit);
        m.last = below;
        m.n++;
        m.sum += mbit;
        m.least = mbit < m.least ? mbit : m.least;
        m.most = mbit > m.most ? mbit : m.most;
    }
    return m;
}

/* One connection of a bond that keeps to a member runs at that member's speed, whichever it is, where
 * all have the same. What spreads a connection over members, or forwards by address, tells no speed. */
static struct interface_speed bundle_speed(struct relation *r, const struct subject *net,
                                           const struct members *m)
{
    static const char *const KEEPING[] = { "active-backup", "balance-xor", "802.3ad", "balance-tlb",
                                           "balance-alb" };
    const char *mode = fact_text(net, &BOND_MODE);
    bool keeps = false;

    for (size_t i = 0; mode && i < ELEMENTS(KEEPING); i++)
        keeps |= text_starts_with(mode, KEEPING[i]);
    if (keeps && m->least && m->least == m->most)
        return (struct interface_speed){ .mbit_per_s = m->least, .physical = m->last };
    return unknown(r, net->name,
                   arena_printf(r->model->arena,
                                "spreads traffic over %zu ports: at most %" PRIu64 " Mb/s", m->n,
                                m->sum));
}

/* A bond says how fast its members are together: more than the one that is seen? */
static bool has_more(const struct subject *net, const struct members *m)
{
    uint64_t mbit;

    return fact_find(net, &BOND_MODE) && fact_number(net, &SPEED, &mbit) && mbit != m->sum;
}

/* Why an interface cannot be asked, nor what is below it; NULL where it can. */
static const char *why_not(const struct subject *net, const struct members *m)
{
    uint64_t type = 0;

    if (!fact_number(net, &TYPE, &type))
        return "does not tell whether it is Ethernet";
    if (type == 772) /* ARPHRD_LOOPBACK */
        return "leads back to this machine";
    if (type != 1) /* ARPHRD_ETHER */
        return "is no Ethernet interface";
    if (fact_text(net, &ACTIVE_SLAVE))
        return NULL;
    if (m->unseen || (m->n == 1 && has_more(net, m)))
        return "leads to an interface that is not seen";
    return !m->n && !is_physical(net) ? "leads to no hardware that is seen" : NULL;
}

struct interface_speed iscsi_interface_speed(struct relation *r, const char *name)
{
    const struct subject *net = fact_set_find(r->facts, "net", name);
    uint64_t mbit;

    for (int depth = 0; net && depth < DEPTH_MAX; depth++) {
        struct members m = members_of(r, net);
        const char *active = fact_text(net, &ACTIVE_SLAVE), *why = why_not(net, &m);

        if (why)
            return unknown(r, net->name, why);
        if (active) {
            net = fact_set_find(r->facts, "net", active);
        } else if (m.n > 1) {
            return bundle_speed(r, net, &m);
        } else if (m.n == 1) {
            net = m.last;
        } else if (fact_number(net, &SPEED, &mbit)) {
            return (struct interface_speed){ .mbit_per_s = mbit, .physical = net };
        } else {
            return unknown(r, net->name, "does not tell its speed");
        }
    }
    return unknown(r, name, "leads to no interface that tells its speed");
}

int iscsi_interface_counters(struct link *l, const struct subject *interface)
{
    int e = 0;

    for (const struct attribute *a = ATTRIBUTES; e == 0 && interface && a->file; a++)
        if (fact_kind_counts(a->key->kind))
            e = link_add_counter(l, interface, a->key);
    return e;
}
