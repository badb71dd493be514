/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * USB devices, hubs and ports in sysfs: how their paths and names hang together, and reading them (usb.h).
 *
 * Sources: drivers/usb/core/sysfs.c, port.c; Documentation/ABI/testing/sysfs-bus-usb.
 */
#include "transport/usb.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "decode/usbbos.h"

const struct fact_key USB_SPEED_KBIT = { "speed_kbit", FACT_NUMBER, FACT_GAUGE };
const struct fact_key USB_RX_LANES = { "rx_lanes", FACT_NUMBER, FACT_GAUGE };
const struct fact_key USB_TX_LANES = { "tx_lanes", FACT_NUMBER, FACT_GAUGE };
const struct fact_key USB_VERSION = { "usb_version", FACT_NUMBER, FACT_GAUGE };
const struct fact_key USB_BOS = { "bos", FACT_BYTES, FACT_IDENTITY };
static const struct fact_key PORT = { "port", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key PEER = { "peer", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key CONNECT_TYPE = { "connect_type", FACT_TEXT, FACT_IDENTITY };
const struct fact_key USB_OVER_CURRENT = { "over_current", FACT_NUMBER, FACT_COUNTER };
const struct fact_key USB_PEERED = { "peered", FACT_TEXT, FACT_IDENTITY };

/* "480", "1.5", in Mb/s, or "unknown". */
static int parse_speed(struct fact_set *set, const struct fact_key *key, const char *origin,
                       struct bytes raw)
{
    const char *text = (const char *)raw.data, *rest;
    uint64_t kbit;

    if (!raw.len || text_starts_with(text, "unknown"))
        return -ENODATA;
    if (number_decimal(text, 3, &kbit, &rest) < 0 || (*rest && *rest != '\n'))
        return -EBADMSG;
    return fact_put_number(set, key, origin, kbit);
}

/* " 3.20" as 320. */
static int parse_version(struct fact_set *set, const struct fact_key *key, const char *origin,
                         struct bytes raw)
{
    const char *text = (const char *)raw.data, *rest;
    uint64_t hundredths;

    if (!raw.len)
        return -ENODATA;
    text += strspn(text, " ");
    if (number_decimal(text, 2, &hundredths, &rest) < 0 || (*rest && *rest != '\n'))
        return -EBADMSG;
    return fact_put_number(set, key, origin, hundredths);
}

static int parse_bos(struct fact_set *set, const struct fact_key *key, const char *origin,
                     struct bytes raw)
{
    struct usbbos bos;
    int r = raw.len ? usbbos_decode(raw, &bos) : -ENODATA;

    return r < 0 ? r : fact_put_bytes(set, key, origin, raw);
}

static const struct attribute DEVICE_ATTRIBUTES[] = {
    { "speed", &USB_SPEED_KBIT, parse_speed, LEVEL_IDENTITY, .reread = REREAD_FREE },
    { "port", &PORT, NULL, LEVEL_IDENTITY, ATTR_IS_LINK },
    { "rx_lanes", &USB_RX_LANES, parse_decimal, LEVEL_MODES, .reread = REREAD_FREE },
    { "tx_lanes", &USB_TX_LANES, parse_decimal, LEVEL_MODES, .reread = REREAD_FREE },
    { "version", &USB_VERSION, parse_version, LEVEL_MODES },
    { "bos_descriptors", &USB_BOS, parse_bos, LEVEL_MODES, ATTR_BINARY },
    { 0 },
};

static const struct attribute PORT_ATTRIBUTES[] = {
    { "peer", &PEER, NULL, LEVEL_IDENTITY, ATTR_IS_LINK },
    { "connect_type", &CONNECT_TYPE, parse_known_text, LEVEL_ALL },
    { "over_current_count", &USB_OVER_CURRENT, parse_decimal, LEVEL_ALL, .reread = REREAD_FREE },
    { 0 },
};

/* ---- names in paths ---- */

bool usb_is_root(const char *name, size_t len)
{
    size_t n = 3;

    if (len < 4 || strncmp(name, "usb", 3) != 0)
        return false;
    while (n < len && name[n] >= '0' && name[n] <= '9')
        n++;
    return n == len;
}

size_t usb_parent_length(const char *path, size_t len)
{
    while (len && path[len - 1] != '/')
        len--;
    return len ? len - 1 : 0;
}

size_t usb_device_length(const struct subject *host)
{
    size_t interface = usb_parent_length(host->path, strlen(host->path));
    size_t device = usb_parent_length(host->path, interface);
    const char *name = host->path + device + 1;
    size_t colon = strcspn(name, ":/"), start = usb_parent_length(host->path, device) + 1;

    if (!device || name[colon] != ':' || device - start != colon ||
        strncmp(host->path + start, name, colon) != 0)
        return 0;
    return device;
}

void usb_name_at(const char *path, size_t len, char *ret, size_t size)
{
    size_t start = usb_parent_length(path, len) + 1;

    snprintf(ret, size, "%.*s", (int)(len - start), path + start);
}

bool usb_port_path(const char *device, char *ret, size_t size)
{
    size_t hub = usb_parent_length(device, strlen(device));
    const char *name = device + hub + 1, *number = strrchr(name, '.');
    char parent[64];
    int n;

    number = number ? number : strrchr(name, '-');
    if (!hub || !number)
        return false;
    usb_name_at(device, hub, parent, sizeof(parent));
    n = usb_is_root(parent, strlen(parent))
            ? snprintf(ret, size, "%.*s/%s-0:1.0/%s-port%s", (int)hub, device, parent + 3, parent,
                       number + 1)
            : snprintf(ret, size, "%.*s/%s:1.0/%s-port%s", (int)hub, device, parent, parent,
                       number + 1);
    return (size_t)n < size;
}

const struct subject *usb_port_of(const struct fact_set *set, const struct subject *device)
{
    const char *name = fact_text(device, &PORT);
    char path[4096];

    if (device && usb_port_path(device->path, path, sizeof(path)))
        name = path_last(path);
    return name ? fact_set_find(set, "usb_port", name) : NULL;
}

bool usb_is_peered(const struct subject *controller, const struct subject *port, bool *ret_unclear)
{
    const struct fact *own = fact_find(port, &PEER);

    *ret_unclear = own && own->quality != QUALITY_OK;
    if (fact_text(port, &PEER))
        return true;
    for (uint32_t i = 0; controller && port && i < controller->n_facts; i++)
        if (controller->facts[i].key == &USB_PEERED && controller->facts[i].quality == QUALITY_OK &&
            strcmp(controller->facts[i].text, port->name) == 0)
            return true;
    return false;
}

const struct subject *usb_peer_of(const struct fact_set *set, const struct subject *port)
{
    const char *name = fact_text(port, &PEER);

    return name ? fact_set_find(set, "usb_port", name) : NULL;
}

const struct subject *usb_hub_of(const struct fact_set *set, const struct subject *s)
{
    size_t len = usb_parent_length(s->path, strlen(s->path));
    const struct subject *hub;
    char name[64];

    if (strcmp(s->class_name, "usb_port") == 0)
        len = usb_parent_length(s->path, len);
    usb_name_at(s->path, len, name, sizeof(name));
    hub = fact_set_find(set, "usb_device", name);
    /* By its place, not by its name alone: a chain of hubs must come to an end. */
    return hub && strlen(hub->path) == len && strncmp(hub->path, s->path, len) == 0 ? hub : NULL;
}

/* ---- gathering ---- */

static int gather_usb_device(struct gathering *g, const char *path, size_t len,
                             struct subject **ret)
{
    char *dir = arena_strndup(fact_set_arena(g->facts), path, len);

    if (!dir)
        return -ENOMEM;
    return gather_subject(g, "usb_device", path_last(dir), dir, NULL, DEVICE_ATTRIBUTES, ret);
}

/* A port and the hub it belongs to, by the canonical path of the port. */
static int gather_port(struct gathering *g, const char *path)
{
    size_t hub = usb_parent_length(path, usb_parent_length(path, strlen(path)));
    int r = gather_subject(g, "usb_port", path_last(path), path, NULL, PORT_ATTRIBUTES, NULL);

    return r < 0 || !hub ? r : gather_usb_device(g, path, hub, NULL);
}

/* The port of a device, and that port's peer. */
static int gather_connector(struct gathering *g, const struct subject *device)
{
    char by_name[4096], *port = by_name, *peer = NULL;
    int r = 0;

    /* The link may be unreadable, or lead nowhere. */
    if (!usb_port_path(device->path, by_name, sizeof(by_name))) {
        port = NULL;
        r = gather_canonical(g, device->path, "port", &port);
    }
    if (r < 0 || !port)
        return r;
    r = gather_port(g, port);
    if (r == 0)
        r = gather_canonical(g, port, "peer", &peer);
    return r <= 0 || !peer ? r : gather_port(g, peer);
}

/* Which ports do those of the root hub say are their peers? Peers name each other. Links cost nothing to
 * read. */
static int gather_peers(struct gathering *g, const char *controller, const char *root)
{
    struct names names = { 0 };
    char dir[4096], *peer;
    int r;

    if ((size_t)snprintf(dir, sizeof(dir), "%s/%s/%s-0:1.0", controller, root,
                         root + strlen("usb")) >= sizeof(dir))
        return 0;
    r = source_list(g->source, dir, "usb", &names);
    if (r < 0 || names.error)
        return r;
    for (size_t i = 0; r == 0 && i < names.n; i++) {
        char port[4128];

        snprintf(port, sizeof(port), "%s/%s", dir, names.v[i]);
        r = gather_canonical(g, port, "peer", &peer);
        if (r > 0)
            r = fact_put_text(g->facts, &USB_PEERED, "usb_port", path_last(peer));
    }
    names_done(&names);
    return r;
}

/* The controller: its root hubs. The subject's name is its path. */
static int gather_controller(struct gathering *g, const char *path, size_t root)
{
    size_t len = usb_parent_length(path, root);
    char *dir = arena_strndup(fact_set_arena(g->facts), path, len);
    struct names names = { 0 };
    bool is_new;
    int r;

    if (!dir || !fact_set_add(g->facts, "usb_controller", dir, dir, NULL, &is_new))
        return -ENOMEM;
    r = is_new ? source_list(g->source, dir, "usb", &names) : 0;
    if (r < 0 || !is_new || names.error)
        return r;
    for (size_t i = 0; r == 0 && i < names.n; i++)
        if (usb_is_root(names.v[i], strlen(names.v[i])))
            r = gather_peers(g, dir, names.v[i]);
    if (r == 0)
        r = fact_set_seal(g->facts);
    for (size_t i = 0; r == 0 && i < names.n; i++) {
        char *hub = arena_printf(fact_set_arena(g->facts), "%s/%s", dir, names.v[i]);

        if (usb_is_root(names.v[i], strlen(names.v[i])))
            r = hub ? gather_usb_device(g, hub, strlen(hub), NULL) : -ENOMEM;
    }
    names_done(&names);
    return r;
}

int usb_gather(struct gathering *g, const struct subject *host)
{
    size_t len = usb_device_length(host);
    struct subject *device;
    int r = 0;

    while (r == 0 && len) {
        size_t start = usb_parent_length(host->path, len) + 1;

        r = gather_usb_device(g, host->path, len, &device);
        if (r < 0)
            return r;
        if (usb_is_root(host->path + start, len - start))
            return gather_controller(g, host->path, len);
        r = gather_connector(g, device);
        if (g->level < LEVEL_MODES)
            return r;
        len = usb_parent_length(host->path, len);
    }
    return r;
}
