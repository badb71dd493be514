/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * USB: usb-storage, uas and the ums-* drivers. The link is the device (2-1), whatever interfaces and LUNs it
 * has. Nothing is ever asked of such a device beyond sysfs: some bridges crash on commands.
 *
 * ids name the connector, so that a disk keeps its history whether it comes up at 5 Gb/s or falls back to
 * 480 Mb/s: host "pci-0000:00:14.0-usb-0:1.4:1.0" (port path and interface, as udev counts them), link
 * without the interface. A SuperSpeed port and its USB 2.0 peer are one connector, named by the latter; one
 * without a peer is "usbv3-0:4".
 *
 * What the link can do: the device by its object store (BOS), else by the version it reports (a device with
 * a SuperSpeed side says 2.10 at 480 Mb/s: a hint, for devices without one may say so too); the port by its
 * peer; hubs in between as devices; the controller by its root hubs.
 * Sources: drivers/usb/core/sysfs.c, port.c (peers), hcd.c; Documentation/ABI/testing/sysfs-bus-usb;
 * USB 3.2 8.5.6 and 9.6.2.
 */
#include "transport/usb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/usbbos.h"
#include "transport/relation.h"

static bool claims(const struct fact_set *set, const struct subject *host)
{
    (void)set;
    return usb_device_length(host) > 0;
}

static int gather(struct gathering *g)
{
    int r = 0;

    for (struct subject *h = fact_set_first(g->facts, "scsi_host"); r == 0 && h;
         h = h->next_of_class)
        if (claims(g->facts, h))
            r = usb_gather(g, h);
    return r;
}

/* ---- rates ---- */

/* Payload of a lane in kB/s. USB 2.0 has no line code to take off; Gen 1 is 8b10b, Gen 2 128b132b (USB 3.2
 * 6.3.1): 10 Gb/s are 1212 MB/s. */
enum { LOW_KB = 187, FULL_KB = 1500, HIGH_KB = 60000, GEN1_KB = 500000, GEN2_KB = 1212000 };

static const struct rate GEN1 = { 1, 0, GEN1_KB }, GEN2 = { 1, 0, GEN2_KB };
static const struct rate GEN2X2 = { 2, 0, GEN2_KB };

static const struct {
    uint32_t lanes;
    uint64_t lane_kb_per_s;
    const char *label;
} LABELS[] = {
    { 1, LOW_KB, "1.5 Mb/s" }, { 1, FULL_KB, "12 Mb/s" }, { 1, HIGH_KB, "480 Mb/s" },
    { 1, GEN1_KB, "5 Gb/s" },  { 2, GEN1_KB, "10 Gb/s" }, { 1, GEN2_KB, "10 Gb/s" },
    { 2, GEN2_KB, "20 Gb/s" },
};

static int describe(struct arena *arena, struct rate rate, struct mode *ret)
{
    uint64_t kb = rate_kb_per_s(rate);
    const char *lanes = rate.lanes > 1 ? ", 2 lanes" : "";

    *ret = (struct mode){ .known = true, .rate = rate };
    for (size_t i = 0; i < ELEMENTS(LABELS); i++)
        if (LABELS[i].lanes == rate.lanes && LABELS[i].lane_kb_per_s == rate.lane_kb_per_s)
            ret->label = LABELS[i].label;
    ret->detail = arena_printf(arena, "%" PRIu64 ".%" PRIu64 " MB/s%s", kb / 1000, kb % 1000 / 100,
                               lanes);
    return ret->detail ? 0 : -ENOMEM;
}

/* Is there such a file, of which nothing could be read? */
static bool is_refused(const struct subject *s, const struct fact_key *key)
{
    const struct fact *f = fact_find(s, key);

    return f && f->quality != QUALITY_OK;
}

/* What a device or hub runs at; rate 0 where it does not say. 10000 is one lane of Gen 2, or two of
 * Gen 1: the lanes tell. 20000 is two of Gen 2. */
static struct rate rate_of(const struct subject *device)
{
    uint64_t rx = fact_number_or(device, &USB_RX_LANES, 1),
             tx = fact_number_or(device, &USB_TX_LANES, rx);
    bool two = rx >= 2 && tx >= 2;

    if (is_refused(device, &USB_RX_LANES) || is_refused(device, &USB_TX_LANES))
        return (struct rate){ 0 };
    switch (fact_number_or(device, &USB_SPEED_KBIT, 0)) {
    case 1500:
        return (struct rate){ 1, 0, LOW_KB };
    case 12000:
        return (struct rate){ 1, 0, FULL_KB };
    case 480000:
        return (struct rate){ 1, 0, HIGH_KB };
    case 5000000:
        return GEN1;
    case 10000000:
        return two ? (struct rate){ 2, 0, GEN1_KB } : GEN2;
    case 20000000:
        return GEN2X2;
    default:
        return (struct rate){ 0 };
    }
}

static bool is_superspeed(struct rate rate)
{
    return rate.lane_kb_per_s >= GEN1_KB;
}

/* ---- abilities ---- */

/* What somebody can do for certain, and what at most. */
struct range {
    struct rate least, most;
};

/* Of a device (or hub) by its object store, else by its version and what it runs at. */
static struct range range_of(const struct subject *device)
{
    struct rate now = rate_of(device);
    uint64_t version = fact_number_or(device, &USB_VERSION, 0);
    struct range range = { now, now };
    struct usbbos bos;

    if (usbbos_decode(fact_bytes(device, &USB_BOS), &bos) == 0) {
        if (bos.has_plus && bos.lane_bps > 5000000000)
            range = (struct range){ { bos.min_lanes, 0, GEN2_KB }, GEN2X2 };
        else if (bos.has_plus)
            range = (struct range){ GEN1, { 2, 0, GEN1_KB } };
        else if (bos.speeds & USBBOS_SUPER)
            range = (struct range){ GEN1, GEN1 };
        if (bos.is_cut)
            range.most = GEN2X2;
    } else if (is_superspeed(now) ? version > 300 : version >= 210 || version == 0) {
        range.most = GEN2X2;
    }
    /* At full speed a USB 2.0 device may be one of high speed on a slow hub. */
    if (now.lane_kb_per_s < HIGH_KB && version >= 200 && range.most.lane_kb_per_s < HIGH_KB)
        range.most.lane_kb_per_s = HIGH_KB;
    /* What it runs at it can do. */
    if (rate_compare(now, range.least) > 0)
        range.least = now;
    if (rate_compare(range.least, range.most) > 0)
        range.most = range.least;
    return range;
}

/* What a hub's port on the SuperSpeed side can do: Gen 1 for certain, and what the hub can at most; root
 * hubs speak for their fastest port. */
static struct range superspeed_port(const struct subject *hub)
{
    struct rate most = usb_is_root(hub->name, strlen(hub->name)) ? rate_of(hub)
                                                                 : range_of(hub).most;

    return (struct range){ GEN1, is_superspeed(most) ? most : GEN2X2 };
}

/* Claims the certain part where that alone is more than what the link runs at, else the upper bound. */
static int add_range(struct relation *r, struct link *l, enum who who, const char *via,
                     struct range range)
{
    bool certain = rate_compare(range.least, range.most) == 0 ||
                   rate_compare(range.least, l->actual.rate) > 0;

    if (!range.most.lane_kb_per_s)
        return 0;
    return link_add_able(l, who, via, relate_mode(r, describe, certain ? range.least : range.most),
                         !certain);
}

/* The SuperSpeed root hub of the controller that a USB 2.0 root hub belongs to; NULL where it has none. */
static const struct subject *superspeed_root(const struct fact_set *set, const struct subject *root)
{
    size_t len = usb_parent_length(root->path, strlen(root->path));

    for (const struct subject *s = fact_set_first(set, "usb_device"); s; s = s->next_of_class)
        if (usb_is_root(s->name, strlen(s->name)) && strncmp(s->path, root->path, len + 1) == 0 &&
            is_superspeed(rate_of(s)))
            return s;
    return NULL;
}

/* Does the object say neither by its store nor by its version what it can do? */
static bool is_silent(const struct subject *device)
{
    return !fact_bytes(device, &USB_BOS).len && !fact_number_or(device, &USB_VERSION, 0);
}

/* A root hub's port of USB 2.0. With a peer it is a SuperSpeed one too; without, that is all it can do, unless
 * the kernel knows no peers of this controller at all, or the root hubs of it are not all seen. */
static struct range lone_root_port(const struct fact_set *set, const struct subject *root,
                                   const struct subject *port)
{
    const struct subject *other = superspeed_root(set, root), *controller;
    struct range range = { rate_of(root), rate_of(root) };
    bool is_unclear;
    char path[4096];

    snprintf(path, sizeof(path), "%.*s", (int)usb_parent_length(root->path, strlen(root->path)),
             root->path);
    controller = fact_set_find(set, "usb_controller", path);
    if (usb_is_peered(controller, port, &is_unclear))
        return other ? superspeed_port(other) : (struct range){ GEN1, GEN2X2 };
    if (is_unclear || (other && !fact_text(controller, &USB_PEERED)))
        range.most = other ? superspeed_port(other).most : GEN2X2;
    return range;
}

/* What lies between the device and the controller: each hub, and the root hub's port at last. Of a port of
 * a slow hub without a peer only what the hub runs at is certain: the hub may have a SuperSpeed side and
 * this port none. */
static int relate_way(struct relation *r, struct link *l, const struct subject *device)
{
    int e = 0;

    for (const struct subject *at = device, *hub; e == 0 && at; at = hub) {
        const struct subject *port = usb_port_of(r->facts, at), *peer = usb_peer_of(r->facts, port);
        const struct subject *beside = peer ? usb_hub_of(r->facts, peer) : NULL;
        bool is_last;
        struct range range;

        hub = usb_hub_of(r->facts, at);
        if (!hub)
            return 0;
        is_last = usb_is_root(hub->name, strlen(hub->name));
        if (is_superspeed(rate_of(hub)))
            range = superspeed_port(hub);
        else if (beside && (is_superspeed(rate_of(beside)) || !rate_of(beside).lane_kb_per_s))
            range = superspeed_port(beside); /* the peer of a USB 2.0 port is a SuperSpeed one */
        else
            range = is_last ? lone_root_port(r->facts, hub, port)
                            : (struct range){ rate_of(hub), range_of(hub).most };
        if (!is_last && is_silent(hub) && !is_superspeed(range.least)) {
            l->limit_unknown = true;
            l->reason = arena_printf(r->model->arena, "what hub %s can do cannot be read",
                                     hub->name);
        }
        e = add_range(r, l, is_last ? WHO_INITIATOR : WHO_HOP,
                      arena_printf(r->model->arena, is_last ? "root hub %s" : "hub %s", hub->name),
                      range);
        if (is_last)
            return e;
    }
    return e;
}

/* ---- ids and links ---- */

/* "usb1-port3" gives "3", "1-2-port4" gives "2.4": where the port is, without the number of the bus. */
static void port_path(const char *name, char *ret, size_t size)
{
    const char *port = strstr(name, "-port"), *hub = strchr(name, '-');

    if (!port)
        snprintf(ret, size, "%s", name);
    else if (hub == port)
        snprintf(ret, size, "%s", port + strlen("-port"));
    else
        snprintf(ret, size, "%.*s.%s", (int)(port - hub - 1), hub + 1, port + strlen("-port"));
}

/* Length of the host's path up to the controller. */
static size_t controller_length(const struct subject *host)
{
    size_t len = usb_device_length(host), parent = usb_parent_length(host->path, len);

    while (len && !usb_is_root(host->path + parent + 1, len - parent - 1)) {
        len = parent;
        parent = usb_parent_length(host->path, len);
    }
    return parent;
}

/* The controller, the connector, and the interface of the device in it: see the top of the file. */
static const char *host_id(struct relation *r, const struct subject *host)
{
    const char *place = relate_path_id(r, host->path, controller_length(host));
    size_t len = usb_device_length(host);
    const char *interface = host->path + len + 1;
    size_t colon = strcspn(interface, ":/"), end = strcspn(interface, "/");
    const struct subject *device, *port, *peer;
    char name[64], path[64];
    bool superspeed;

    usb_name_at(host->path, len, name, sizeof(name));
    device = fact_set_find(r->facts, "usb_device", name);
    port = usb_port_of(r->facts, device);
    peer = usb_peer_of(r->facts, port);
    superspeed = is_superspeed(rate_of(device)) ||
                 (device && !rate_of(device).lane_kb_per_s &&
                  is_superspeed(rate_of(usb_hub_of(r->facts, device))));
    if (port)
        port_path(superspeed && peer ? peer->name : port->name, path, sizeof(path));
    else /* "1-2.4", without the number of the bus */
        snprintf(path, sizeof(path), "%s", name + strcspn(name, "-") + (strchr(name, '-') != NULL));
    return place ? arena_printf(r->model->arena, "%s-%s-0:%s%.*s", place,
                                superspeed && !peer ? "usbv3" : "usb", path, (int)(end - colon),
                                interface + colon)
                 : NULL;
}

/* The link of the device that a host is an interface of. */
static struct link *link_of(struct relation *r, struct host *host, const struct subject *device)
{
    char name[64];

    (void)device;
    usb_name_at(host->subject->path, usb_device_length(host->subject), name, sizeof(name));
    return model_link_named(r->model, name);
}

static int relate(struct relation *r, struct host *host)
{
    const struct subject *device;
    char name[64];
    struct link *l;
    int e;

    usb_name_at(host->subject->path, usb_device_length(host->subject), name, sizeof(name));
    device = fact_set_find(r->facts, "usb_device", name);
    if (!device || model_link_named(r->model, name)) /* a second interface of the device */
        return 0;
    l = model_add_link(r->model, host, device, device->name);
    if (!l)
        return -ENOMEM;
    l->transport = "usb";
    l->describe = describe;
    /* the host's without the interface, which ends it: ":1.0" */
    l->id = arena_strndup(r->model->arena, host->id, (size_t)(strrchr(host->id, ':') - host->id));
    l->near = host->id;
    l->far = relate_far_name(r, device->path);
    l->may_go = true;
    l->state = LINK_UP;
    if (!l->id)
        return -ENOMEM;
    if (!rate_of(device).lane_kb_per_s)
        return 0;
    l->actual = relate_mode(r, describe, rate_of(device));
    e = link_add_witness(l, WHO_INITIATOR, "usb speed", l->actual);
    if (e == 0)
        e = add_range(r, l, WHO_TARGET,
                      fact_bytes(device, &USB_BOS).len ? "bos_descriptors" : "bcdUSB",
                      range_of(device));
    if (e == 0)
        e = relate_way(r, l, device);
    return e < 0 ? e : link_add_counter(l, usb_port_of(r->facts, device), &USB_OVER_CURRENT);
}

/* Of the 53 MB/s that high speed has for bulk transfers at most (USB 2.0 5.8.4), disks see that much. */
static const struct fingerprint FINGERPRINTS[] = {
    { 34000, 43000, "a USB 2.0 high-speed link (480 Mb/s)" },
    { 0 },
};

const struct transport TRANSPORT_USB = {
    .name = "usb",
    .fingerprints = FINGERPRINTS,
    .sysfs_only = true,
    .gather = gather,
    .claims = claims,
    .host_id = host_id,
    .relate = relate,
    .link_of = link_of,
};
