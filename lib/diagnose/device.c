/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One SCSI device: what sysfs says of it, then what it answers itself.
 */
#include "diagnose/device.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "decode/inquiry.h"
#include "decode/rotation.h"
#include "decode/sense.h"
#include "decode/vpd.h"
#include "probe/policy.h"
#include "transport/gathering.h"

/* INQUIRY data, and what they say in text; sysfs shows the same texts, in more files. */
static int parse_inquiry(struct fact_set *set, const struct fact_key *key, const char *origin,
                         struct bytes raw)
{
    struct arena *arena = fact_set_arena(set);
    struct inquiry q;
    const struct {
        const struct fact_key *key;
        struct bytes *field;
    } TEXTS[] = { { &KEY_VENDOR, &q.vendor },
                  { &KEY_MODEL, &q.product },
                  { &KEY_REVISION, &q.revision } };
    int r = inquiry_decode(raw, &q);

    if (r < 0)
        return r;
    r = fact_put_bytes(set, key, origin, raw);
    if (r == 0)
        r = fact_put_number(set, &KEY_DEVICE_TYPE, origin, q.type);
    for (size_t i = 0; r == 0 && i < ELEMENTS(TEXTS); i++) {
        char *text = text_clean(arena, *TEXTS[i].field);

        r = !text ? -ENOMEM : *text ? fact_put_text(set, TEXTS[i].key, origin, text) : 0;
    }
    return r;
}

/* VPD page 80h, and the serial number in it. */
static int parse_serial(struct fact_set *set, const struct fact_key *key, const char *origin,
                        struct bytes raw)
{
    struct bytes serial;
    int r = vpd_serial_number(raw, &serial);
    char *text;

    if (r < 0)
        return r;
    text = text_clean(fact_set_arena(set), serial);
    if (!text)
        return -ENOMEM;
    r = fact_put_text(set, &KEY_SERIAL, origin, text);
    return r < 0 ? r : fact_put_bytes(set, key, origin, raw);
}

static int parse_vpd_pages(struct fact_set *set, const struct fact_key *key, const char *origin,
                           struct bytes raw)
{
    struct vpd page;
    int r = vpd_decode(raw, VPD_SUPPORTED_PAGES, &page);

    return r < 0 ? r : fact_put_bytes(set, key, origin, page.body);
}

static int parse_rotation(struct fact_set *set, const struct fact_key *key, const char *origin,
                          struct bytes raw)
{
    uint16_t rpm;
    int r = vpd_rotation(raw, &rpm);

    if (r < 0)
        return r;
    r = fact_put_number(set, &KEY_ROTATIONAL, origin, rpm != ROTATION_NONE);
    return r < 0 ? r : fact_put_bytes(set, key, origin, raw);
}

static const struct attribute INQUIRY[] = {
    { "inquiry", &KEY_INQUIRY, parse_inquiry, LEVEL_IDENTITY, ATTR_BINARY },
    { 0 },
};

/* Where the kernel shows no INQUIRY data. */
static const struct attribute WITHOUT_INQUIRY[] = {
    { "type", &KEY_DEVICE_TYPE, parse_decimal, LEVEL_IDENTITY },
    { "vendor", &KEY_VENDOR, NULL, LEVEL_IDENTITY },
    { "model", &KEY_MODEL, NULL, LEVEL_IDENTITY },
    { "rev", &KEY_REVISION, NULL, LEVEL_IDENTITY },
    { 0 },
};

static const struct attribute COMMON[] = {
    { "wwid", &KEY_WWID, NULL, LEVEL_IDENTITY },
    { "vpd_pg80", &KEY_VPD_80, parse_serial, LEVEL_IDENTITY, ATTR_BINARY },
    { "state", &KEY_STATE, NULL, LEVEL_MODES, .reread = REREAD_FREE },
    { "scsi_level", &KEY_SCSI_LEVEL, parse_decimal, LEVEL_MODES },
    { "vpd_pg0", &KEY_VPD_PAGES, parse_vpd_pages, LEVEL_MODES, ATTR_BINARY },
    { "vpd_pg83", &KEY_VPD_83, parse_bytes, LEVEL_MODES, ATTR_BINARY },
    { "vpd_pg89", &KEY_VPD_89, parse_bytes, LEVEL_MODES, ATTR_BINARY },
    { "vpd_pgb1", &KEY_VPD_B1, parse_rotation, LEVEL_MODES, ATTR_BINARY },
    { "access_state", &KEY_ACCESS_STATE, NULL, LEVEL_MODES, .reread = REREAD_FREE },
    { "timeout", &KEY_TIMEOUT_S, parse_decimal, LEVEL_MODES },
    { "queue_depth", &KEY_QUEUE_DEPTH, parse_decimal, LEVEL_ALL },
    { "ioerr_cnt", &KEY_IOERR, parse_hex, LEVEL_ALL, .reread = REREAD_RARELY },
    { "iotmo_cnt", &KEY_IOTMO, parse_hex, LEVEL_ALL, .reread = REREAD_FREE },
    { "iodone_cnt", &KEY_IODONE, parse_hex, LEVEL_ALL, .reread = REREAD_RARELY },
    { "power/runtime_status", &KEY_RUNTIME_STATUS, NULL, LEVEL_ALL },
    { 0 },
};

static const struct attribute BLOCK[] = {
    { "removable", &KEY_REMOVABLE, parse_decimal, LEVEL_MODES },
    { "queue/rotational", &KEY_ROTATIONAL, parse_decimal, LEVEL_MODES },
    { 0 },
};

/* Folders below a device whose entries are its nodes. */
static const char *const NODES[] = { "block", "scsi_tape", "scsi_changer" };

/* How far udev says to go with the device; the word of the SCSI device itself comes before that of its block device. */
static int put_tier(struct device_walk *w, const char *path)
{
    struct value v;
    int r = source_prop(w->g->source, path, POLICY_PROPERTY, &v);
    char *word;

    if (r < 0 || v.error)
        return r;
    word = text_clean(fact_set_arena(w->g->facts), v.bytes);
    return word ? fact_put_text(w->g->facts, &KEY_TIER, "udev", word) : -ENOMEM;
}

static int put_links(struct device_walk *w, const char *block_dir)
{
    struct value v;
    char *list, *word, *rest = NULL;
    int r = source_prop(w->g->source, block_dir, "DEVLINKS", &v);

    if (r < 0 || v.error)
        return r;
    list = arena_strndup(fact_set_arena(w->g->facts), (const char *)v.bytes.data, v.bytes.len);
    if (!list)
        return -ENOMEM;
    for (word = strtok_r(list, " ", &rest); r == 0 && word; word = strtok_r(NULL, " ", &rest))
        if (text_starts_with(word, "/dev/disk/by-id/"))
            r = fact_put_text(w->g->facts, &KEY_BY_ID, "udev", word + strlen("/dev/disk/by-id/"));
    return r;
}

static int gather_block(struct device_walk *w, const char *dir, const char *name)
{
    char path[4096];
    int r;

    if ((size_t)snprintf(path, sizeof(path), "%s/block/%s", dir, name) >= sizeof(path))
        return 0;
    r = gather_attributes(w->g, BLOCK, path, path, "block", false);
    if (r == 0 && w->g->level >= LEVEL_MODES)
        r = put_tier(w, path);
    return r < 0 || w->g->level < LEVEL_ALL ? r : put_links(w, path);
}

static int gather_nodes(struct device_walk *w, const char *dir)
{
    static const struct attribute SG[] = {
        { "generic", &KEY_NODE, NULL, LEVEL_IDENTITY, ATTR_IS_LINK },
        { 0 },
    };
    int r = 0;

    for (size_t i = 0; r == 0 && i < ELEMENTS(NODES); i++) {
        struct names names;
        char path[4096];

        /* Disks and CD drives have a block node, tapes and changers one of their own. */
        if ((w->type == 0x01 || w->type == 0x08) == (i == 0))
            continue;
        if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, NODES[i]) >= sizeof(path))
            continue;
        r = source_list(w->g->source, path, "", &names);
        for (size_t j = 0; r == 0 && !names.error && j < names.n; j++) {
            r = fact_put_text(w->g->facts, &KEY_NODE, NODES[i], names.v[j]);
            if (r == 0 && i == 0)
                r = gather_block(w, dir, names.v[j]);
        }
        if (r == 0)
            names_done(&names);
    }
    return r < 0 ? r : gather_attributes(w->g, SG, dir, dir, "scsi_generic", false);
}

/* ---- asking the device itself ---- */

static const char *sense_text(struct device_walk *w, struct bytes data)
{
    struct sense s;

    if (sense_decode(data, &s) < 0)
        return "CHECK CONDITION";
    return arena_printf(fact_set_arena(w->g->facts), "sense %Xh/%02Xh/%02Xh", s.key, s.asc, s.ascq);
}

/* As the kernel and its log write them: enum scsi_host_status, include/scsi/scsi_status.h. */
static const char *const HOST_STATUS[] = {
    [0x01] = "DID_NO_CONNECT",
    [0x02] = "DID_BUS_BUSY",
    [0x03] = "DID_TIME_OUT",
    [0x04] = "DID_BAD_TARGET",
    [0x05] = "DID_ABORT",
    [0x06] = "DID_PARITY",
    [0x07] = "DID_ERROR",
    [0x08] = "DID_RESET",
    [0x09] = "DID_BAD_INTR",
    [0x0a] = "DID_PASSTHROUGH",
    [0x0b] = "DID_SOFT_ERROR",
    [0x0c] = "DID_IMM_RETRY",
    [0x0d] = "DID_REQUEUE",
    [0x0e] = "DID_TRANSPORT_DISRUPTED",
    [0x0f] = "DID_TRANSPORT_FAILFAST",
    [0x14] = "DID_TRANSPORT_MARGINAL",
};

/* The quality of an answer that holds no data, and in a few words why. */
static enum quality quality_of(struct device_walk *w, const struct answer *a, const char **ret_why)
{
    *ret_why = a->refused;
    if (a->error == EPERM && a->refused)
        return QUALITY_UNASKED;
    if (a->error) {
        *ret_why = strerrorname_np(a->error);
        return a->error == EACCES || a->error == EPERM ? QUALITY_DENIED
               : a->error == ETIMEDOUT                 ? QUALITY_TIMED_OUT
                                                       : QUALITY_FAILED;
    }
    if (a->host_status) {
        *ret_why = a->host_status < ELEMENTS(HOST_STATUS) && HOST_STATUS[a->host_status]
                       ? HOST_STATUS[a->host_status]
                       : arena_printf(fact_set_arena(w->g->facts), "host status %Xh",
                                      a->host_status);
        return a->host_status == 0x03 /* DID_TIME_OUT */ ? QUALITY_TIMED_OUT : QUALITY_FAILED;
    }
    if (a->status == 0x02)
        *ret_why = sense_text(w, a->sense);
    else
        *ret_why = arena_printf(fact_set_arena(w->g->facts), "status %02Xh", a->status);
    return QUALITY_REFUSED;
}

static bool answered(const struct answer *a)
{
    return !a->error && !a->host_status && a->status == 0;
}

static bool is_unit_attention(const struct answer *a)
{
    struct sense s;

    return !a->error && a->status == 0x02 && sense_decode(a->sense, &s) == 0 &&
           sense_is_unit_attention(&s);
}

/* Sends a command, and again after a unit attention, which only says that something happened before. */
static int ask(struct device_walk *w, const struct command *c, struct answer *ret)
{
    int r = 0;

    for (int i = 0; i < 3; i++) {
        r = source_command(w->g->source, &w->target, c, ret);
        if (r < 0 || !is_unit_attention(ret))
            break;
    }
    return r;
}

/* Old devices are not asked a second time what one of their model and revision has refused. */
static bool was_refused(const struct device_walk *w, const struct query *q)
{
    for (size_t i = 0;
         w->g->source->asking_costs && w->target.scsi_level <= 4 && i < w->refusals->n; i++) {
        const struct refusal *known = &w->refusals->v[i];

        if (known->query == q && strcmp(known->model, w->model) == 0)
            return true;
    }
    return false;
}

static int remember_refusal(struct device_walk *w, const struct query *q, const struct answer *a)
{
    struct sense s;

    if (!w->g->source->asking_costs || a->error || a->status != 0x02 ||
        sense_decode(a->sense, &s) < 0 || !sense_is_invalid_field(&s))
        return 0;
    return vec_push(w->refusals, (struct refusal){ q, w->model });
}

/* A rotating disk may sleep by itself: REQUEST SENSE tells, and wakes nothing. Asked once, before the
 * first command that is not INQUIRY. */
static int ask_whether_awake(struct device_walk *w)
{
    struct command c = command_request_sense();
    struct answer a;
    struct sense s;
    int r;

    if (w->asked_whether_awake || !w->g->source->asking_costs || !device_type_is_disk(w->type) ||
        !fact_number_or(w->device, &KEY_ROTATIONAL, 1))
        return 0;
    w->asked_whether_awake = true;
    r = ask(w, &c, &a);
    if (r < 0 || !answered(&a) || sense_decode(a.data, &s) < 0 || !sense_is_low_power(&s))
        return r;
    w->target.flags |= TARGET_ASLEEP;
    return fact_put_number(w->g->facts, &KEY_STANDBY, "REQUEST SENSE", 1);
}

static int run_query(struct device_walk *w, const struct query *q)
{
    struct fact_set *set = w->g->facts;
    struct command c = q->build(q);
    struct answer a = { 0 };
    const char *why;
    enum quality quality;
    int r;

    if (was_refused(w, q))
        return fact_put_refusal(set, q->key, q->via, QUALITY_REFUSED,
                                "another device of this model and revision refused it");
    r = c.cdb[0] == OP_INQUIRY ? 0 : ask_whether_awake(w);
    if (r == 0)
        r = ask(w, &c, &a);
    if (r < 0 || a.error == ENODATA || a.error == EOPNOTSUPP)
        return r;
    if (answered(&a)) {
        r = q->decode(set, q->key, q->via, a.data);
        if (r == -ENODATA || r == -EBADMSG)
            r = fact_put_refusal(set, q->key, q->via,
                                 r == -ENODATA ? QUALITY_SILENT : QUALITY_MALFORMED, NULL);
        return r;
    }
    quality = quality_of(w, &a, &why);
    r = fact_put_refusal(set, q->key, q->via, quality, why);
    return r < 0 ? r : remember_refusal(w, q, &a);
}

/* Pages of vital product data, for kernels that do not show them all: those before 4.18. */
static const struct query VPD_QUERIES[] = {
    { "INQUIRY 00h", &KEY_VPD_PAGES, query_vpd, VPD_SUPPORTED_PAGES, 0, 252, LEVEL_MODES, NULL,
      parse_vpd_pages },
    { "INQUIRY 80h", &KEY_VPD_80, query_vpd, VPD_SERIAL_NUMBER, 0, 252, LEVEL_MODES, NULL,
      parse_serial },
    { "INQUIRY 83h", &KEY_VPD_83, query_vpd, VPD_DEVICE_IDENTIFICATION, 0, 1024, LEVEL_MODES, NULL,
      parse_bytes },
    { "INQUIRY 89h", &KEY_VPD_89, query_vpd, VPD_ATA_INFORMATION, 0, 572, LEVEL_MODES, NULL,
      parse_bytes },
    { 0 },
};

/* Is it worth asking for this page? Where the kernel shows its list of pages, it has asked for the others
 * itself, and a page that it does not show is one that the device did not give. */
static bool vpd_is_wanted(const struct device_walk *w, const struct query *q, bool kernel_asked)
{
    const struct fact *known = fact_find(w->device, q->key);

    if (known && known->quality == QUALITY_OK)
        return false;
    if (!w->g->source->asking_costs)
        return true;
    if (kernel_asked || q->page == VPD_SUPPORTED_PAGES)
        return !kernel_asked;
    return w->target.vpd_pages.len &&
           memchr(w->target.vpd_pages.data, q->page, w->target.vpd_pages.len);
}

static int ask_vpd(struct device_walk *w)
{
    bool kernel_asked = fact_find(w->device, &KEY_VPD_PAGES) != NULL;
    int r = 0;

    for (const struct query *q = VPD_QUERIES; r == 0 && q->via; q++) {
        if (!vpd_is_wanted(w, q, kernel_asked))
            continue;
        r = run_query(w, q);
        w->target.vpd_pages = fact_bytes(w->device, &KEY_VPD_PAGES);
    }
    return r;
}

static int ask_device(struct device_walk *w)
{
    const struct transport *t = w->transport;
    int r;

    if (t->sysfs_only && w->g->source->asking_costs)
        return 0;
    w->asked_whether_awake = false;
    r = ask_vpd(w);
    for (const struct query *q = t->queries; r == 0 && q && q->via; q++)
        if (q->level <= w->g->level && (!q->wanted || q->wanted(w->g->facts, w->device)))
            r = run_query(w, q);
    return r;
}

/* Is the device, and everything between it and its PCI function, awake? What is above the device is
 * asked once for neighbours.
 *
 * A host whose targets hang on ports (SAS, Fibre Channel) is always suspended: the ports have no part in power
 * management, and what a parent of that kind has below it keeps nothing above it awake, nor does it wake that
 * (drivers/base/power/runtime.c, rpm_resume(): a parent with disable_depth is not resumed). There the host's
 * state means nothing, and that of the function it is on does. */
static bool is_awake(struct device_walk *w)
{
    bool counts = true;
    char dir[4096];
    char *slash;

    snprintf(dir, sizeof(dir), "%s", w->device->path);
    while (strlen(dir) >= w->stop_at && strcmp(dir, w->awake_dir) != 0) {
        bool is_host = strcmp(dir, w->device->host->path) == 0;
        enum power power = gather_power(w->g, dir);

        if (power == POWER_ASLEEP && (counts || !is_host))
            return false;
        counts = counts && power == POWER_ACTIVE;
        slash = strrchr(dir, '/');
        if (!slash || slash == dir)
            break;
        *slash = '\0';
    }
    snprintf(w->awake_dir, sizeof(w->awake_dir), "%s", w->device->path);
    slash = strrchr(w->awake_dir, '/');
    if (slash)
        *slash = '\0';
    return true;
}

static void fill_target(struct device_walk *w)
{
    const struct subject *d = w->device;
    const char *access = fact_text(d, &KEY_ACCESS_STATE);
    uint64_t level;

    w->target = (struct command_target){
        .hctl = d->name,
        .type = w->type,
        .scsi_level = fact_number(d, &KEY_SCSI_LEVEL, &level) ? (int)level : -1,
        .timeout_s = (unsigned)fact_number_or(d, &KEY_TIMEOUT_S, 0),
        .inquiry_bytes = fact_bytes(d, &KEY_INQUIRY).len,
        .vpd_pages = fact_bytes(d, &KEY_VPD_PAGES),
        .kernel_shows_vpd = fact_find(d, &KEY_VPD_PAGES) || fact_find(d, &KEY_VPD_83),
        .flags = w->flags,
    };
    if (w->transport->sysfs_only)
        w->target.flags |= TARGET_SYSFS_ONLY;
    if (w->transport->arrays)
        w->target.flags |= TARGET_ARRAY;
    if (access && text_starts_with(access, "active/optimized"))
        w->target.flags |= TARGET_ACTIVE_PATH;
    if (w->g->source->asking_costs && !is_awake(w))
        w->target.flags |= TARGET_ASLEEP;
}

/* What a capture holds is always used; a live device is left alone where somebody says so. */
static bool may_be_asked(const struct device_walk *w)
{
    static const struct tiers NOTHING_SAID = { .other = CONFIG_TIER_READ };

    if (!w->g->source->asking_costs)
        return !w->unasked;
    return !w->unasked && tiers_of(w->tiers ? w->tiers : &NOTHING_SAID, w->device->name,
                                   fact_text(w->device, &KEY_TIER)) > CONFIG_TIER_SYSFS;
}

/* Beyond what sysfs says of it. */
static int go_on(struct device_walk *w)
{
    bool may = may_be_asked(w);
    int r = 0;

    if (may || w->told)
        fill_target(w);
    if (w->told)
        r = w->told(w->userdata, w->device, &w->target);
    return r == 0 && may ? ask_device(w) : r;
}

int gather_device(struct device_walk *w, const char *name, const char *path, struct subject *host)
{
    struct fact_set *set = w->g->facts;
    const char *model;
    uint64_t type;
    bool is_new;
    int r;

    w->device = fact_set_add(set, "scsi_device", name, path, host, &is_new);
    if (!w->device)
        return -ENOMEM;
    if (!is_new)
        return 0;
    r = gather_attributes(w->g, INQUIRY, path, path, "inquiry", false);
    if (r == 0 && !fact_find(w->device, &KEY_DEVICE_TYPE))
        r = gather_attributes(w->g, WITHOUT_INQUIRY, path, path, "scsi_device", false);
    w->type = fact_number(w->device, &KEY_DEVICE_TYPE, &type) ? (int)type : -1;
    if (r == 0)
        r = gather_attributes(w->g, COMMON, path, path, "scsi_device", false);
    if (r == 0)
        r = gather_attributes(w->g, w->transport->device_attributes, path, path, "scsi_device",
                              false);
    if (r == 0 && w->g->level >= LEVEL_MODES)
        r = put_tier(w, path);
    if (r == 0)
        r = gather_nodes(w, path);
    model = fact_text(w->device, &KEY_MODEL);
    w->model = arena_printf(
        fact_set_arena(set), "%s %s", model ? model : "",
        fact_text(w->device, &KEY_REVISION) ? fact_text(w->device, &KEY_REVISION) : "");
    if (!w->model)
        return -ENOMEM;
    if (r == 0 && w->g->level >= LEVEL_MODES)
        r = go_on(w);
    return r < 0 ? r : fact_set_seal(set);
}
