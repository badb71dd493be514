/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The main path (diagnose.h): gather → relate → expect → judge → report.
 */
#include "diagnose/diagnose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "decode/designator.h"
#include "diagnose/gaps.h"
#include "diagnose/measures.h"
#include "diagnose/past.h"
#include "diagnose/unasked.h"
#include "diagnose/users.h"
#include "diagnose/wishes.h"
#include "expect/expect.h"
#include "finding/judge.h"
#include "transport/controllers.h"
#include "transport/driver.h"
#include "transport/emulation.h"
#include "transport/pci.h"
#include "transport/relation.h"

/* Peripheral device types (SPC-4 table 142) as people call them. */
static const char *type_name(uint64_t type)
{
    static const char *const NAMES[] = {
        [0x00] = "disk",    [0x01] = "tape", [0x02] = "printer",   [0x03] = "processor",
        [0x04] = "worm",    [0x05] = "cd",   [0x06] = "scanner",   [0x07] = "optical",
        [0x08] = "changer", [0x0c] = "raid", [0x0d] = "enclosure", [0x0e] = "rbc",
        [0x11] = "osd",     [0x14] = "zbc",  [0x1e] = "wlun",
    };

    return type < ELEMENTS(NAMES) && NAMES[type] ? NAMES[type] : "other";
}

/* The transport's own; else "pci-0000:01:01.0", or the path of what the host is on: "platform". */
static const char *host_id(struct relation *r, const struct subject *host)
{
    const struct transport *t = transport_of(r->facts, host);

    if (t->host_id)
        return t->host_id(r, host);
    return relate_path_id(r, host->path, strlen(host->path) - strlen(host->name) - 1);
}

/* The first of the two subjects that has the text. */
static const char *text_of(const struct subject *a, const struct subject *b,
                           const struct fact_key *key)
{
    const char *text = fact_text(a, key);

    return text ? text : fact_text(b, key);
}

/* A text parameter that nobody set is "(null)" to the kernel's %s (param_get_charp(), kernel/params.c). */
static void forget_unset(struct host *h)
{
    size_t n = 0;

    for (size_t i = 0; i < h->parameters.n; i++)
        if (strcmp(h->parameters.v[i].value, "(null)") != 0)
            h->parameters.v[n++] = h->parameters.v[i];
    h->parameters.n = n;
}

static int add_host(struct relation *r, const struct subject *s)
{
    const struct subject *own = fact_set_find(r->facts, "driver_host", s->name),
                         *pci = pci_of(r->facts, s);
    const struct driver *d = driver_of(r->facts, s);
    struct host *h = model_add_host(r->model, s);
    const struct controller *chip;
    uint64_t vendor, device;
    const char *module;

    if (!h)
        return -ENOMEM;
    h->id = host_id(r, s);
    h->transport = transport_of(r->facts, s)->name;
    h->driver = driver_name(r->facts, s);
    module = d ? d->name : h->driver;
    h->module = module ? driver_module(r->facts, module) : NULL;
    h->own = own;
    h->driver_version = text_of(own, h->module, &KEY_DRIVER_VERSION);
    if (!h->driver_version)
        h->driver_version = fact_text(h->module, &KEY_MODULE_VERSION);
    h->model = text_of(own, NULL, &KEY_MODEL);
    h->board = text_of(own, NULL, &KEY_BOARD);
    h->firmware = text_of(own, NULL, &KEY_FIRMWARE);
    h->bios = text_of(own, NULL, &KEY_BIOS);
    h->state = fact_text(s, &KEY_STATE);
    if (!h->id || driver_parameters(r->facts, r->model->arena, h) < 0)
        return -ENOMEM;
    forget_unset(h);
    if (!pci)
        return 0;
    h->pci_address = pci->name;
    if (fact_number(pci, &KEY_PCI_VENDOR, &vendor) && fact_number(pci, &KEY_PCI_DEVICE, &device))
        h->pci_id = arena_printf(r->model->arena, "%04x:%04x", (unsigned)vendor, (unsigned)device);
    chip = h->model ? NULL : controller_of(r->facts, h, h->transport);
    if (chip)
        h->model = chip->name;
    return 0;
}

/* Hosts of one function that nothing tells apart are counted, in the order of their numbers. */
static int tell_apart(struct model *m)
{
    for (size_t i = 0; i < m->hosts.n; i++) {
        const char *id = m->hosts.v[i]->id;
        unsigned n = 1;

        for (size_t j = i + 1; j < m->hosts.n; j++) {
            struct host *h = m->hosts.v[j];

            if (strcmp(h->id, id) != 0)
                continue;
            h->id = arena_printf(m->arena, "%s-%u", id, ++n);
            if (!h->id)
                return -ENOMEM;
        }
    }
    return 0;
}

/* The world-wide name where the kernel shows none: from VPD page 83h. */
static const char *wwid_of(struct relation *r, const struct subject *device)
{
    const char *wwid = fact_text(device, &KEY_WWID);
    struct bytes page = fact_bytes(device, &KEY_VPD_83);
    char name[DESIGNATOR_NAME_MAX];

    if (wwid || !page.len || designator_unit_name(page, name, sizeof(name)) < 0)
        return wwid;
    return arena_strdup(r->model->arena, name);
}

static int add_device(struct relation *r, const struct subject *s)
{
    struct host *host = s->host ? model_host_named(r->model, s->host->name) : NULL;
    struct device *d = model_add_device(r->model, host, s);
    const struct transport *t;
    const char *mark;
    uint64_t type;

    if (!d || !host)
        return d ? 0 : -ENOMEM;
    t = transport_of(r->facts, host->subject);
    d->link = t->link_of ? t->link_of(r, host, s) : NULL;
    if (!d->link && host->reason) /* add_unseen() */
        d->link = model_link_named(r->model, host->kernel_name);
    mark = t->device_mark             ? t->device_mark(r, host, s)
           : d->link && !host->reason ? NULL
                                      : relate_target_mark(r, host, s);
    d->id = arena_printf(r->model->arena, "%s%s%s-lun-%s", d->link ? d->link->id : host->id,
                         mark ? "-" : "", mark ? mark : "", strrchr(s->name, ':') + 1);
    d->type = fact_number(s, &KEY_DEVICE_TYPE, &type) ? type_name(type) : NULL;
    d->vendor = fact_text(s, &KEY_VENDOR);
    d->model = fact_text(s, &KEY_MODEL);
    d->revision = fact_text(s, &KEY_REVISION);
    d->serial = fact_text(s, &KEY_SERIAL);
    d->wwid = wwid_of(r, s);
    if (!d->id)
        return -ENOMEM;
    return t->complete ? t->complete(r, d) : 0;
}

enum { LEVEL_SPC_2 = 5 }; /* scsi_level: before it a device has no page that names it for sure */

/* A far end that its transport tells by nothing else is told by the first device's name or serial; by its
 * model, where it is too old to have either. */
static void name_far_ends(struct model *m)
{
    for (size_t i = 0; i < m->devices.n; i++) {
        const struct device *d = m->devices.v[i];

        if (d->link && !d->link->far_id && !d->link->far_is_network)
            d->link->far_id = d->wwid     ? d->wwid
                              : d->serial ? d->serial
                              : fact_number_or(d->subject, &KEY_SCSI_LEVEL, LEVEL_SPC_2) <
                                      LEVEL_SPC_2
                                  ? d->model
                                  : NULL;
    }
}

/* Nobody needs to give notice before he pulls out a removable disk; one on an external port of libata's says that it
 * is removable too (drivers/ata/libata-scsi.c, ata_scsiop_inq_std()). Tapes and CD drives mean their medium. */
static void mark_removable(struct model *m)
{
    for (size_t i = 0; i < m->devices.n; i++) {
        const struct device *d = m->devices.v[i];

        if (d->link && d->type && strcmp(d->type, "disk") == 0 &&
            fact_number_or(d->subject, &KEY_REMOVABLE, 0))
            d->link->may_go = true;
    }
}

/* An adapter is looked at for its hosts only: where all of them may go, so may its slot. */
static void mark_slots(struct model *m)
{
    for (size_t i = 0; i < m->hosts.n; i++)
        if (m->hosts.v[i]->slot)
            m->hosts.v[i]->slot->may_go = true;
    for (size_t i = 0; i < m->links.n; i++) {
        const struct link *l = m->links.v[i];

        if (l->host && l->host->slot && l != l->host->slot && !l->may_go)
            l->host->slot->may_go = false;
    }
}

/* Are there devices, and is nothing shown of the way to any of them? */
static bool lacks_links(struct relation *r, struct host *h)
{
    const struct transport *t = transport_of(r->facts, h->subject);
    bool has_devices = false;

    for (const struct subject *s = fact_set_first(r->facts, "scsi_device"); s; s = s->next_of_class)
        if (s->host == h->subject) {
            has_devices = true;
            if (t->link_of && t->link_of(r, h, s))
                return false;
        }
    return has_devices;
}

/* Devices do not hang in the air: where a transport that claims the host shows no link (a kernel from before its class, a list
 * that is not there), that is as unknown as with a driver that has none, which is what the last transport takes. */
static int add_unseen(struct relation *r)
{
    const struct transport *const *last = TRANSPORTS;
    int e = 0;

    while (last[1])
        last++;
    for (size_t i = 0; e == 0 && i < r->model->hosts.n; i++)
        if (lacks_links(r, r->model->hosts.v[i]))
            e = (*last)->relate(r, r->model->hosts.v[i]);
    return e;
}

/* Links that are no slot's own hang below their host's slot. */
static void hang_up(struct model *m)
{
    for (size_t i = 0; i < m->links.n; i++) {
        struct link *l = m->links.v[i];

        if (!l->up && l->host && l != l->host->slot)
            l->up = l->host->slot;
    }
}

static int relate(struct relation *r, const struct config *config)
{
    int e = 0;

    for (const struct subject *s = fact_set_first(r->facts, "scsi_host"); e == 0 && s;
         s = s->next_of_class)
        e = add_host(r, s);
    if (e == 0)
        e = tell_apart(r->model);
    if (e == 0 && config)
        e = wishes_take_hosts(config, r->model);
    for (size_t i = 0; e == 0 && TRANSPORTS[i]; i++)
        if (TRANSPORTS[i]->relate_machine)
            e = TRANSPORTS[i]->relate_machine(r);
    for (size_t i = 0; e == 0 && i < r->model->hosts.n; i++) {
        struct host *h = r->model->hosts.v[i];
        const struct transport *t = transport_of(r->facts, h->subject);

        e = t->relate ? t->relate(r, h) : 0;
    }
    if (e == 0)
        e = add_unseen(r);
    emulation_mark(r);
    hang_up(r->model);
    for (const struct subject *s = fact_set_first(r->facts, "scsi_device"); e == 0 && s;
         s = s->next_of_class)
        e = add_device(r, s);
    name_far_ends(r->model);
    mark_removable(r->model);
    mark_slots(r->model);
    return e;
}

static void sum_up(struct report *report)
{
    const struct model *m = report->model;
    struct summary *s = &report->summary;

    s->hosts = m->hosts.n;
    s->links = m->links.n;
    s->devices = m->devices.n;
    for (size_t i = 0; i < m->links.n; i++)
        s->verdicts[m->links.v[i]->verdict]++;
    for (size_t i = 0; i < report->findings.n; i++) {
        enum severity severity = report->findings.v[i]->severity;

        s->findings[severity]++;
        s->worst = severity > s->worst ? severity : s->worst;
    }
}

int diagnose_observe(struct source *source, const struct gather_options *options,
                     const struct config *config, struct report *report)
{
    struct relation r;
    struct taken taken;
    int e = source_now(source, &taken);

    if (e == 0)
        e = gather(source, options, &report->facts);
    if (e < 0)
        return e;
    report->model = model_new();
    if (!report->model)
        return -ENOMEM;
    report->wall_us = taken.wall_us;
    report->mono_us = taken.mono_us;
    report->kernel = arena_strdup(report->model->arena, taken.kernel);
    report->machine = arena_strdup(report->model->arena, taken.machine);
    report->hostname = arena_strdup(report->model->arena, taken.hostname);
    report->model->hostname = report->hostname && *report->hostname ? report->hostname : NULL;
    report->model->scrubbed = taken.scrubbed;
    r = (struct relation){ report->facts, report->model };
    e = relate(&r, config);
    if (e == 0)
        e = users_relate(report->facts, report->model);
    return e < 0 ? e : measures_take(source, report->model);
}

/* The administrator's thresholds as the rules know them. */
static struct thresholds thresholds_of(const struct config *config)
{
    const struct config_thresholds *said = &config->thresholds;
    struct thresholds t = THRESHOLDS_DEFAULT;

    t.errors_per_hour = said->errors_growing_per_hour;
    t.slow_errors_per_hour = said->errors_growing_slow_per_hour;
    t.slow_errors_us = said->errors_growing_slow_us;
    t.soft_errors_per_hour = said->aer_info_per_hour;
    t.flapping_changes = (unsigned)said->flapping_changes;
    t.flapping_us = said->flapping_within_us;
    t.quiet_us = said->flapping_quiet_us;
    t.stuck_timeouts = (unsigned)said->device_stuck_timeouts;
    t.read_below_percent = (unsigned)said->read_below_percent;
    t.read_below_apart_us = said->read_below_apart_us;
    t.clock_percent = (unsigned)said->clock_margin_percent;
    return t;
}

static void mark_unread(struct model *m, const char *const *below)
{
    for (; below && *below; below++)
        for (size_t i = 0; i < m->hosts.n; i++)
            if (text_starts_with(m->hosts.v[i]->subject->path, *below))
                m->hosts.v[i]->is_unread = true;
}

int diagnose(struct source *source, const struct diagnose_options *options, struct report **ret)
{
    _cleanup_(report_freep) struct report *report = calloc(1, sizeof(*report));
    _cleanup_(history_freep) struct history *past = NULL;
    struct gather_options gather_options = { .level = options->level };
    struct thresholds thresholds = options->config ? thresholds_of(options->config)
                                                   : THRESHOLDS_DEFAULT;
    int r;

    if (!report)
        return -ENOMEM;
    r = diagnose_observe(source, &gather_options, options->config, report);
    if (r < 0)
        return r;
    mark_unread(report->model, options->unread);
    r = options->history ? past_take(source, options->history, report, &past) : 0;
    if (r == 0 && options->config)
        r = wishes_take(options->config, report);
    if (r == 0)
        r = expect_model(report->model, past);
    if (r == 0)
        r = unasked_tell(options->config, report->model);
    if (r == 0)
        r = measures_mean(report->model, thresholds.clock_percent);
    if (r == 0)
        r = judge_report(report, past, options->acknowledged, &thresholds);
    if (r == 0)
        r = users_hit(report);
    if (r == 0)
        r = gaps_find(report);
    if (r < 0)
        return r;
    sum_up(report);
    *ret = TAKE_PTR(report);
    return 0;
}

int diagnose_remember(struct source *source, const char *name, struct history *history)
{
    static const struct gather_options OPTIONS = { .level = LEVEL_ALL };
    _cleanup_(report_freep) struct report *report = calloc(1, sizeof(*report));
    int r;

    if (!report)
        return -ENOMEM;
    r = diagnose_observe(source, &OPTIONS, NULL, report);
    if (r == 0)
        r = history_add(history, report->model, report->wall_us, report->mono_us);
    return r < 0 ? r : history_name(history, name);
}
