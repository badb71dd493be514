/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What libata drives: SATA, where a link is a port's wire (linkN, behind a port multiplier linkN.M), and
 * parallel ATA, where each device of a channel has a mode of its own (ata_parallel.c).
 *
 * A host is a port: …/ata3/host2. Serial or parallel is told by what the device says of itself, else by the
 * port: AHCI, a speed in the link class, the PCI class. ATA ports of a SAS host are that host's.
 *
 * ids: host "pci-0000:00:1f.2-ata-1" (the port's number on its controller: N of ataN changes with the
 * order of probing); link "…-sata", behind a multiplier "…-sata.M"; parallel devices "…-pata.0", "…-pata.1".
 *
 * What a SATA link can do: the device by IDENTIFY word 76; the controller by its row in the table, for
 * certain, else by AHCI's CAP.ISS, at most: single ports may be wired for less. But a limit that libata set
 * itself proves that the link ran faster: it only ever steps down from a trained speed
 * (drivers/ata/libata-core.c, sata_down_spd_limit()). Limits somebody set: libata.force.
 * Sources: drivers/ata/libata-transport.c, libata-core.c, libahci.c; AHCI 1.3.1, 3.1.1; ACS-3 7.12.
 */
#include "transport/ata.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "transport/gathering.h"

const struct fact_key ATA_XFER_MODE = { "xfer_mode", FACT_NUMBER, FACT_GAUGE };
const struct fact_key ATA_SPDN_COUNT = { "speed_down_count", FACT_NUMBER, FACT_GAUGE };
const struct fact_key ATA_IDENTIFY = { "identify", FACT_BYTES, FACT_IDENTITY };
const struct fact_key ATA_CLASS = { "ata_class", FACT_TEXT, FACT_GAUGE };
static const struct fact_key ERROR = { "ata_error", FACT_TEXT, FACT_GAUGE };
static const struct fact_key PORT_NO = { "port_no", FACT_NUMBER, FACT_IDENTITY };
static const struct fact_key PMP_LINKS = { "pmp_links", FACT_NUMBER, FACT_GAUGE };
const struct fact_key ATA_SPEED = { "sata_spd_mbit", FACT_NUMBER, FACT_GAUGE };
const struct fact_key ATA_LIMIT = { "sata_spd_limit_mbit", FACT_NUMBER, FACT_GAUGE };
const struct fact_key ATA_HW_LIMIT = { "hw_sata_spd_limit_mbit", FACT_NUMBER, FACT_GAUGE };
const struct fact_key ATA_AHCI_CAPS = { "ahci_host_caps", FACT_NUMBER, FACT_IDENTITY };
static const struct fact_key LPM_POLICY = { "link_power_management", FACT_TEXT, FACT_GAUGE };

/* "6.0 Gbps", or "<unknown>": no link, no limit, no registers to ask. */
static int parse_speed(struct fact_set *set, const struct fact_key *key, const char *origin,
                       struct bytes raw)
{
    const char *text = (const char *)raw.data, *rest;
    uint64_t mbit;

    if (text_starts_with(text, "<unknown>"))
        return -ENODATA;
    if (number_decimal(text, 3, &mbit, &rest) < 0 || !text_starts_with(rest, " Gbps"))
        return -EBADMSG;
    return fact_put_number(set, key, origin, mbit);
}

/* The words in text are kept as bytes, in the order in which a device sends them. */
static int parse_identify(struct fact_set *set, const struct fact_key *key, const char *origin,
                          struct bytes raw)
{
    uint8_t data[IDENTIFY_SIZE];
    struct identify id;
    int r = identify_decode_text(raw, &id);

    if (r < 0)
        return r;
    for (size_t i = 0; i < IDENTIFY_WORDS; i++) {
        data[2 * i] = (uint8_t)id.word[i];
        data[2 * i + 1] = (uint8_t)(id.word[i] >> 8);
    }
    return fact_put_bytes(set, key, origin, (struct bytes){ data, sizeof(data) });
}

/* The names of ata_class_names; "none" and "unknown" are nothing attached. */
static int parse_class(struct fact_set *set, const struct fact_key *key, const char *origin,
                       struct bytes raw)
{
    static const char *const NAMES[] = { "ata", "atapi", "pmp", "semb", "zac", "none", "unknown" };
    const char *text = (const char *)raw.data;
    size_t len = strcspn(text, "\n");

    for (size_t i = 0; i < ELEMENTS(NAMES); i++)
        if (len == strlen(NAMES[i]) && text_starts_with(text, NAMES[i]))
            return parse_known_text(set, key, origin, raw);
    return -EBADMSG;
}

static int parse_xfer_mode(struct fact_set *set, const struct fact_key *key, const char *origin,
                           struct bytes raw)
{
    unsigned code;
    int r = raw.len ? ata_parse_xfer_mode((const char *)raw.data, &code) : -ENODATA;

    return r < 0 ? r : fact_put_number(set, key, origin, code);
}

/* "[  123.004000]Timeout", a line an error, the newest first: a fact for each of the last ones. */
static int parse_errors(struct fact_set *set, const struct fact_key *key, const char *origin,
                        struct bytes raw)
{
    enum { KEPT = 8 };
    const char *line = (const char *)raw.data;
    int r = 0;

    if (!raw.len)
        return -ENODATA;
    for (size_t i = 0; r == 0 && i < KEPT && *line; i++) {
        size_t len = strcspn(line, "\n");
        char *text;

        if (*line != '[')
            return -EBADMSG;
        text = arena_strndup(fact_set_arena(set), line, len);
        r = text ? fact_put_text(set, key, origin, text) : -ENOMEM;
        line += len + (line[len] == '\n');
    }
    return r;
}

static const struct attribute PORT_ATTRIBUTES[] = {
    { "port_no", &PORT_NO, parse_decimal, LEVEL_IDENTITY },
    { "nr_pmp_links", &PMP_LINKS, parse_decimal, LEVEL_ALL },
    { 0 },
};

static const struct attribute LINK_ATTRIBUTES[] = {
    { "sata_spd", &ATA_SPEED, parse_speed, LEVEL_MODES, .reread = REREAD_FREE },
    { "sata_spd_limit", &ATA_LIMIT, parse_speed, LEVEL_MODES, .reread = REREAD_FREE },
    { "hw_sata_spd_limit", &ATA_HW_LIMIT, parse_speed, LEVEL_MODES },
    { 0 },
};

static const struct attribute DEVICE_ATTRIBUTES[] = {
    { "id", &ATA_IDENTIFY, parse_identify, LEVEL_IDENTITY },
    { "class", &ATA_CLASS, parse_class, LEVEL_MODES, .reread = REREAD_FREE },
    { "xfer_mode", &ATA_XFER_MODE, parse_xfer_mode, LEVEL_MODES, .reread = REREAD_FREE },
    { "spdn_cnt", &ATA_SPDN_COUNT, parse_decimal, LEVEL_MODES, .reread = REREAD_FREE },
    { "ering", &ERROR, parse_errors, LEVEL_ALL, .reread = REREAD_FREE },
    { 0 },
};

static const struct object_class CLASSES[] = {
    { "ata_port", "/sys/class/ata_port", .above_host = true, .attributes = PORT_ATTRIBUTES },
    { "ata_link", "/sys/class/ata_link", .above_host = true, .attributes = LINK_ATTRIBUTES },
    { "ata_device", "/sys/class/ata_device", .above_host = true, .attributes = DEVICE_ATTRIBUTES },
    { 0 },
};

/* Of the scsi_host, where the driver is one of AHCI's. */
static const struct attribute AHCI_ATTRIBUTES[] = {
    { "ahci_host_caps", &ATA_AHCI_CAPS, parse_hex, LEVEL_MODES },
    { "link_power_management_policy", &LPM_POLICY, NULL, LEVEL_ALL },
    { 0 },
};

bool ata_port_of(const struct subject *host, unsigned *ret_port, size_t *ret_at)
{
    const char *end = host->path + strlen(host->path) - strlen(host->name) - 1, *at = end;
    int n = 0;

    while (at > host->path && at[-1] != '/')
        at--;
    if (sscanf(at, "ata%u%n", ret_port, &n) != 1 || at + n != end)
        return false;
    *ret_at = (size_t)(at - host->path);
    return true;
}

static bool claims(const struct fact_set *set, const struct subject *host)
{
    unsigned port;
    size_t at;

    (void)set;
    return ata_port_of(host, &port, &at);
}

static int gather_ahci(struct gathering *g, struct subject *host)
{
    char dir[4096];
    bool is_new;
    int r;

    if ((size_t)snprintf(dir, sizeof(dir), "%s/scsi_host/%s", host->path, host->name) >=
        sizeof(dir))
        return 0;
    if (!fact_set_add(g->facts, "ahci_host", host->name, host->path, host, &is_new))
        return -ENOMEM;
    r = gather_attributes(g, AHCI_ATTRIBUTES, dir, host->path, "scsi_host", false);
    return r < 0 ? r : fact_set_seal(g->facts);
}

static int gather(struct gathering *g)
{
    int r = 0;

    for (struct subject *h = fact_set_first(g->facts, "scsi_host");
         r == 0 && h && g->level >= LEVEL_MODES; h = h->next_of_class)
        if (claims(g->facts, h))
            r = gather_ahci(g, h);
    return r;
}

static const struct subject *port_subject(const struct fact_set *set, unsigned port)
{
    char name[32];

    snprintf(name, sizeof(name), "ata%u", port);
    return fact_set_find(set, "ata_port", name);
}

static const struct subject *link_subject(const struct fact_set *set, unsigned port, int pmp)
{
    char name[32];

    snprintf(name, sizeof(name), pmp < 0 ? "link%u" : "link%u.%d", port, pmp);
    return fact_set_find(set, "ata_link", name);
}

/* The device `number` of the port's own link, or the one behind a multiplier. */
static const struct subject *device_subject(const struct fact_set *set, unsigned port, int pmp,
                                            unsigned number)
{
    char name[32];

    if (pmp < 0)
        snprintf(name, sizeof(name), "dev%u.%u", port, number);
    else
        snprintf(name, sizeof(name), "dev%u.%d.%u", port, pmp, number);
    return fact_set_find(set, "ata_device", name);
}

/* The port's number on its controller, from 1. Kernels before 3.9 or so do not tell: then counted from the
 * controller's first port. */
static uint64_t port_number(const struct fact_set *set, unsigned port, const char *controller,
                            size_t len)
{
    uint64_t number;
    unsigned first = port, n;

    if (fact_number(port_subject(set, port), &PORT_NO, &number) && number)
        return number;
    for (const struct subject *s = fact_set_first(set, "ata_port"); s; s = s->next_of_class)
        if (strncmp(s->path, controller, len) == 0 && sscanf(s->name, "ata%u", &n) == 1 &&
            n < first)
            first = n;
    return port - first + 1;
}

static const char *host_id(struct relation *r, const struct subject *host)
{
    const char *place;
    unsigned port;
    size_t at;

    if (!ata_port_of(host, &port, &at))
        return relate_host_id(r, host, NULL);
    place = relate_path_id(r, host->path, at);
    return place ? arena_printf(r->model->arena, "%s-ata-%" PRIu64, place,
                                port_number(r->facts, port, host->path, at))
                 : NULL;
}

bool ata_identify(const struct subject *device, struct identify *ret)
{
    return identify_decode(fact_bytes(device, &ATA_IDENTIFY), ret) == 0;
}

const char *ata_model(struct relation *r, const struct identify *id)
{
    const char *model = text_clean(r->model->arena, (struct bytes){ id->model, sizeof(id->model) });

    return model && *model ? model : NULL;
}

bool ata_says_none(const struct fact *f)
{
    return f && f->quality == QUALITY_SILENT && !f->why;
}

enum ata_presence ata_presence(const struct subject *device)
{
    const struct fact *class = fact_find(device, &ATA_CLASS);

    if (class && class->quality == QUALITY_OK)
        return ATA_PRESENT;
    if (ata_says_none(class))
        return ATA_ABSENT;
    /* Every link has a device in the class, with all files; where others were read, this one should be there. */
    if (class || !device || !device->n_facts || fact_find(device, &ATA_SPDN_COUNT) ||
        fact_find(device, &ATA_XFER_MODE))
        return ATA_UNTOLD;
    return fact_bytes(device, &ATA_IDENTIFY).len > 0 ? ATA_PRESENT : ATA_ABSENT;
}

/* Are the port's links serial for certain? Only serial ones have the registers that these files show. */
static bool port_is_serial(const struct relation *r, const struct host *host,
                           const struct subject *link)
{
    const struct subject *ahci = fact_set_find(r->facts, "ahci_host", host->kernel_name);
    uint64_t value;

    return fact_number(ahci, &ATA_AHCI_CAPS, &value) || fact_number(link, &ATA_SPEED, &value) ||
           fact_number(link, &ATA_LIMIT, &value) || fact_number(link, &ATA_HW_LIMIT, &value);
}

const struct controller *ata_controller(const struct relation *r, const struct host *host,
                                        bool is_parallel)
{
    const struct controller *c = controller_of(r->facts, host, "ata");

    /* Only parallel rates speak of families of modes. */
    return c && (c->best.options != 0) == is_parallel ? c : NULL;
}

/* Is the controller one of serial ports? A single one of these may still be a parallel channel (ata_piix,
 * combined mode). */
static bool controller_is_serial(const struct relation *r, const struct host *host)
{
    const struct subject *pci = host->pci_address
                                    ? fact_set_find(r->facts, "pci", host->pci_address)
                                    : NULL;

    return fact_number_or(pci, &KEY_PCI_CLASS, 0) >> 8 == 0x0106 /* SATA; PCI Code and ID 1.11 */ ||
           ata_controller(r, host, false);
}

/* What the device says: the state of its parallel cable (word 93), or its transport (76, 222); else what
 * the controller is. */
static bool device_is_serial(const struct relation *r, const struct host *host,
                             const struct subject *device)
{
    struct identify id;

    if (!ata_identify(device, &id))
        return controller_is_serial(r, host);
    if (id.cable != IDENTIFY_CABLE_NOT_REPORTED ||
        (id.has_transport && id.transport == IDENTIFY_TRANSPORT_PARALLEL))
        return false;
    return id.has_sata || (id.has_transport && id.transport == IDENTIFY_TRANSPORT_SERIAL) ||
           controller_is_serial(r, host);
}

struct link *ata_add_link(struct relation *r, struct host *host, const struct subject *subject,
                          const char *transport, const char *suffix)
{
    struct link *l = model_add_link(r->model, host, subject, subject->name);

    if (!l)
        return NULL;
    l->transport = transport;
    l->near = host->id;
    l->id = arena_printf(r->model->arena, "%s-%s", host->id, suffix);
    return l->id ? l : NULL;
}

/* A channel without any device that is known of. */
static int relate_channel(struct relation *r, struct host *host, const struct subject *subject,
                          bool is_empty)
{
    struct link *l = ata_add_link(r, host, subject, "ata", "pata");

    if (!l)
        return -ENOMEM;
    l->state = is_empty ? LINK_EMPTY : LINK_UNKNOWN;
    if (!is_empty)
        l->reason = ATA_UNTOLD_REASON;
    return 0;
}

/* The devices of a port's own link. A second one on serial wires (ata_piix drives two ports as one
 * channel) has a wire that no class shows: its link is named after the device. */
static int relate_devices(struct relation *r, struct host *host, const struct subject *link,
                          unsigned port)
{
    const struct subject *first = device_subject(r->facts, port, -1, 0);
    bool is_serial = port_is_serial(r, host, link), has_link = false;
    struct sata_wire own = { .subject = link, .port = port, .pmp = -1 };
    int e = 0;

    for (unsigned n = 0; e == 0 && n < 2; n++) {
        const struct subject *d = n ? device_subject(r->facts, port, -1, n) : first;
        struct sata_wire w = { .subject = n ? d : link, .port = port, .pmp = -1 };

        if (!d || ata_presence(d) == ATA_ABSENT)
            continue;
        e = is_serial || device_is_serial(r, host, d) ? ata_relate_sata(r, host, &w, d)
                                                      : ata_relate_parallel(r, host, d, port, n);
        has_link = true;
    }
    if (e < 0 || has_link)
        return e;
    return is_serial || controller_is_serial(r, host)
               ? ata_relate_sata(r, host, &own, first)
               : relate_channel(r, host, link, first != NULL);
}

/* A port behind a multiplier; `up` is the link that leads to that. */
static int relate_behind(struct relation *r, struct host *host, unsigned port, int pmp,
                         struct link *up)
{
    struct sata_wire w = { .subject = link_subject(r->facts, port, pmp), .port = port, .pmp = pmp };
    int e;

    if (!w.subject)
        return 0;
    e = ata_relate_sata(r, host, &w, device_subject(r->facts, port, pmp, 0));
    if (e < 0)
        return e;
    w.link->up = up;
    w.link->near = up ? up->id : host->id;
    return 0;
}

static int relate(struct relation *r, struct host *host)
{
    enum { PMP_PORTS = 15 }; /* SATA 3.0, 16: ports 0 to 14 of a multiplier lead to devices */
    const struct subject *link;
    unsigned port;
    size_t at;
    int e = 0;

    if (!ata_port_of(host->subject, &port, &at))
        return 0;
    link = link_subject(r->facts, port, -1);
    if (link)
        e = relate_devices(r, host, link, port);
    for (int pmp = 0; e == 0 && pmp < PMP_PORTS; pmp++)
        e = relate_behind(r, host, port, pmp, link ? model_link_named(r->model, link->name) : NULL);
    return e;
}

/* Behind a multiplier the channel is the multiplier's port; without one the id is the device's number
 * (drivers/ata/libata-scsi.c, ata_scsi_scan_host()). */
static struct link *link_of(struct relation *r, struct host *host, const struct subject *device)
{
    const struct subject *s;
    unsigned port, channel, id;
    struct link *l;
    char name[32];
    size_t at;

    if (!ata_port_of(host->subject, &port, &at) ||
        sscanf(device->name, "%*u:%u:%u:", &channel, &id) != 2)
        return NULL;
    s = link_subject(r->facts, port, (int)channel);
    if (s)
        return model_link_named(r->model, s->name);
    snprintf(name, sizeof(name), "dev%u.%u", port, id);
    l = model_link_named(r->model, name);
    snprintf(name, sizeof(name), "link%u", port);
    return l ? l : model_link_named(r->model, name);
}

const struct transport TRANSPORT_ATA = {
    .name = "ata",
    .classes = CLASSES,
    .gather = gather,
    .claims = claims,
    .host_id = host_id,
    .relate = relate,
    .link_of = link_of,
};
