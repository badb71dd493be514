/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A report as metrics (metrics.h): a table of families for each kind of object.
 */
#include "output/metrics.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "facts/key.h"
#include "output/prometheus.h"
#include "probe/cell.h"
#include "transport/transport.h"

/* ---- hosts ---- */

static void host_info(struct prometheus *p, const void *object)
{
    const struct host *h = object;

    prometheus_sample(p,
                      PROMETHEUS_LABELS({ "host", h->id }, { "kernel_name", h->kernel_name },
                                        { "transport", h->transport }, { "driver", h->driver },
                                        { "driver_version", h->driver_version },
                                        { "model", h->model }, { "firmware", h->firmware },
                                        { "pci_id", h->pci_id }, { "pci_address", h->pci_address }),
                      1, 0);
}

static void host_running(struct prometheus *p, const void *object)
{
    const struct host *h = object;

    if (h->state)
        prometheus_sample(p, PROMETHEUS_LABELS({ "host", h->id }), strcmp(h->state, "running") == 0,
                          0);
}

static void host_resets(struct prometheus *p, const void *object)
{
    const struct host *h = object;
    uint64_t resets;

    if (fact_number(h->own, &KEY_RESET_COUNT, &resets))
        prometheus_sample(p, PROMETHEUS_LABELS({ "host", h->id }), resets, 0);
}

/* ---- links ---- */

static const char *host_of(const struct link *l)
{
    return l->host ? l->host->id : NULL;
}

#define OF_LINK(l)          \
    { "host", host_of(l) }, \
    {                       \
        "link", (l)->id     \
    }

static void link_info(struct prometheus *p, const void *object)
{
    const struct link *l = object;

    prometheus_sample(p,
                      PROMETHEUS_LABELS(OF_LINK(l), { "transport", l->transport },
                                        { "kernel_name", l->kernel_name }, { "near", l->near },
                                        { "far", l->far },
                                        { "bundle", l->bundle ? l->bundle->id : NULL }),
                      1, 0);
}

static void link_states(struct prometheus *p, const void *object)
{
    const struct link *l = object;

    for (int s = 0; s < _LINK_STATE_MAX; s++)
        prometheus_sample(
            p, PROMETHEUS_LABELS(OF_LINK(l), { "state", link_state_to_string((enum link_state)s) }),
            (int)l->state == s, 0);
}

static void link_verdicts(struct prometheus *p, const void *object)
{
    const struct link *l = object;

    for (int v = 0; v < _VERDICT_MAX; v++)
        prometheus_sample(
            p, PROMETHEUS_LABELS(OF_LINK(l), { "verdict", verdict_to_string((enum verdict)v) }),
            (int)l->verdict == v, 0);
}

static void bytes_per_second(struct prometheus *p, const struct link *l, uint64_t kb_per_s)
{
    if (kb_per_s)
        prometheus_sample(p, PROMETHEUS_LABELS(OF_LINK(l)), kb_per_s * 1000, 0);
}

static void link_rate(struct prometheus *p, const void *object)
{
    bytes_per_second(p, object, link_payload_kb_per_s(object));
}

static void link_expected_rate(struct prometheus *p, const void *object)
{
    const struct link *l = object;

    bytes_per_second(p, l, l->expected.known ? rate_kb_per_s(l->expected.rate) : 0);
}

/* Of a lane there is one; what belongs together says how many it has. */
static void lanes(struct prometheus *p, const struct link *l, const struct mode *m)
{
    if (m->known && m->rate.lanes && !l->bundle)
        prometheus_sample(p, PROMETHEUS_LABELS(OF_LINK(l)), m->rate.lanes, 0);
}

static void link_lanes(struct prometheus *p, const void *object)
{
    const struct link *l = object;

    if (l->state == LINK_UP)
        lanes(p, l, &l->actual);
}

static void link_expected_lanes(struct prometheus *p, const void *object)
{
    const struct link *l = object;

    lanes(p, l, &l->expected);
}

/* ---- devices ---- */

static void device_info(struct prometheus *p, const void *object)
{
    const struct device *d = object;

    prometheus_sample(
        p,
        PROMETHEUS_LABELS({ "host", d->host ? d->host->id : NULL },
                          { "link", d->link ? d->link->id : NULL }, { "device", d->id },
                          { "hctl", d->hctl }, { "node", fact_text(d->subject, &KEY_NODE) },
                          { "type", d->type }, { "vendor", d->vendor }, { "model", d->model },
                          { "revision", d->revision }, { "serial", d->serial }, { "wwid", d->wwid },
                          { "enclosure", d->enclosure }, { "bay", d->bay }),
        1, 0);
}

#define OF_DEVICE(d)                              \
    { "host", (d)->host ? (d)->host->id : NULL }, \
    {                                             \
        "device", (d)->id                         \
    }

static void device_running(struct prometheus *p, const void *object)
{
    const struct device *d = object;
    const char *state = fact_text(d->subject, &KEY_STATE);

    if (state)
        prometheus_sample(p, PROMETHEUS_LABELS(OF_DEVICE(d)), strcmp(state, "running") == 0, 0);
}

static void device_path_rate(struct prometheus *p, const void *object)
{
    const struct device *d = object;
    uint64_t kb_per_s = device_path_kb_per_s(d, NULL);

    if (kb_per_s)
        prometheus_sample(p, PROMETHEUS_LABELS(OF_DEVICE(d)), kb_per_s * 1000, 0);
}

static void device_counter(struct prometheus *p, const struct device *d, const struct fact_key *key)
{
    uint64_t value;

    if (fact_number(d->subject, key, &value))
        prometheus_sample(p, PROMETHEUS_LABELS(OF_DEVICE(d)), value, 0);
}

static void device_errors(struct prometheus *p, const void *object)
{
    device_counter(p, object, &KEY_IOERR);
}

static void device_timeouts(struct prometheus *p, const void *object)
{
    device_counter(p, object, &KEY_IOTMO);
}

/* ---- the families of objects ---- */

struct family {
    const char *name, *help;
    enum prometheus_type type;
    void (*sample)(struct prometheus *p, const void *object);
};

static const struct family HOSTS[] = {
    { "hba_host_info", "What a host bus adapter is called and runs; always 1.", PROMETHEUS_GAUGE,
      host_info },
    { "hba_host_running", "Is the adapter in its normal state: neither offline nor in recovery?",
      PROMETHEUS_GAUGE, host_running },
    { "hba_host_resets_total", "Resets of the adapter, as its driver counts them.",
      PROMETHEUS_COUNTER, host_resets },
};

static const struct family LINKS[] = {
    { "hba_link_info", "What a link and its ends are called today; always 1.", PROMETHEUS_GAUGE,
      link_info },
    { "hba_link_state", "State of a link: 1 for the one it is in, 0 for the others.",
      PROMETHEUS_GAUGE, link_states },
    { "hba_link_verdict",
      "How the mode of a link is, against what it should be: 1 for what holds, 0 for the others.",
      PROMETHEUS_GAUGE, link_verdicts },
    { "hba_link_rate_bytes_per_second",
      "Payload that a link carries in its mode, of all its lanes; only of links that are up.",
      PROMETHEUS_GAUGE, link_rate },
    { "hba_link_expected_rate_bytes_per_second", "Payload that a link should carry.",
      PROMETHEUS_GAUGE, link_expected_rate },
    { "hba_link_lanes", "Lanes of a link that is up; on a parallel bus its width in bytes.",
      PROMETHEUS_GAUGE, link_lanes },
    { "hba_link_expected_lanes", "Lanes that a link should have.", PROMETHEUS_GAUGE,
      link_expected_lanes },
};

static const struct family DEVICES[] = {
    { "hba_device_info", "What a device is, and the link that leads to it; always 1.",
      PROMETHEUS_GAUGE, device_info },
    { "hba_device_running", "Is the device in its normal state: neither offline nor blocked?",
      PROMETHEUS_GAUGE, device_running },
    { "hba_device_path_rate_bytes_per_second",
      "Payload of the narrowest hop between the slot of the adapter and the device.",
      PROMETHEUS_GAUGE, device_path_rate },
    { "hba_device_io_errors_total", "Commands that ended with an error, as the kernel counts them.",
      PROMETHEUS_COUNTER, device_errors },
    { "hba_device_timeouts_total", "Commands that timed out, as the kernel counts them.",
      PROMETHEUS_COUNTER, device_timeouts },
};

static void write_families(struct prometheus *p, const struct family *families, size_t n_families,
                           void *const *objects, size_t n)
{
    for (size_t i = 0; i < n_families; i++) {
        prometheus_begin(p, families[i].name, families[i].type, families[i].help);
        for (size_t k = 0; k < n; k++)
            families[i].sample(p, objects[k]);
        prometheus_end(p);
    }
}

#define FAMILIES(p, table, vec) \
    write_families(p, table, ELEMENTS(table), (void *const *)(vec).v, (vec).n)

/* ---- counters of links ---- */

struct counted {
    const char *name; /* of its family */
    const struct link *link;
    const struct fact *fact;
};

/* "hba_TRANSPORT_WHAT_NAME_total" without what only counters of the kernel are called: invalid_dword_count is
 * invalid_dwords. Where the name begins with what has it, that is not said twice. */
static const char *name_of_counter(struct arena *arena, const char *transport,
                                   const struct fact_key *key)
{
    static const char *const SINGULAR[] = { "_dword", "_word", "_error", "_failure", "_problem" };
    const struct transport *row = transport_named(transport);
    const char *what = row && row->counted ? row->counted : "link", *name = key->name, *plural = "",
               *unit = "";
    size_t n = strlen(what), len;

    if (strncmp(name, what, n) == 0 && name[n] == '_')
        name += n + 1;
    len = strlen(name);
    if (text_ends_with(name, "_count"))
        len -= strlen("_count");
    if (key->kind == FACT_MEGABYTES && text_ends_with(name, "megabytes")) {
        len -= strlen("megabytes");
        unit = "bytes";
    }
    for (size_t i = 0; i < ELEMENTS(SINGULAR); i++) {
        size_t end = strlen(SINGULAR[i]);

        if (len >= end && strncmp(name + len - end, SINGULAR[i], end) == 0)
            plural = "s";
    }
    return arena_printf(arena, "hba_%s_%s_%.*s%s%s_total", transport, what, (int)len, name, plural,
                        unit);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct counted *)a)->name, ((const struct counted *)b)->name);
}

static void write_counters_of(struct prometheus *p, struct arena *arena,
                              const struct counted *counters, size_t n)
{
    const struct fact_key *key = counters[0].fact->key;
    uint64_t scale = key->kind == FACT_MEGABYTES ? 1000000 : 1;
    const char *help = arena_printf(arena,
                                    "%s, as the hardware or its driver counts: it may start "
                                    "over.",
                                    key->name);

    prometheus_begin(p, counters[0].name, PROMETHEUS_COUNTER, help ? help : "");
    for (size_t i = 0; i < n; i++) {
        const struct link *l = counters[i].link;

        prometheus_sample(p, PROMETHEUS_LABELS({ "host", host_of(l) }, { "link", l->id }),
                          counters[i].fact->number * scale, 0);
    }
    prometheus_end(p);
}

static int write_counters(struct prometheus *p, const struct model *m)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    VEC(struct counted) all = { 0 };
    int r = arena ? 0 : -ENOMEM;

    for (size_t i = 0; i < m->links.n; i++)
        for (size_t k = 0; r == 0 && k < m->links.v[i]->counters.n; k++) {
            const struct link *l = m->links.v[i];
            const struct fact *f = l->counters.v[k];
            const char *name = name_of_counter(arena, l->transport, f->key);

            r = name ? vec_push(&all, (struct counted){ name, l, f }) : -ENOMEM;
        }
    if (r == 0 && all.n)
        qsort(all.v, all.n, sizeof(*all.v), by_name);
    for (size_t i = 0, n; r == 0 && i < all.n; i += n) {
        for (n = 1; i + n < all.n && strcmp(all.v[i].name, all.v[i + n].name) == 0;)
            n++;
        write_counters_of(p, arena, all.v + i, n);
    }
    free(all.v);
    return r;
}

/* ---- reads that were timed ---- */

/* One that says something of the link: of several at a time, and at random places, the rate does not. */
static bool is_probe(const struct measurement *x)
{
    return measurement_counts(x) && x->together < 2 && !x->random && cell_kb_per_s(x);
}

static uint64_t probe_rate(const struct report *report, const struct measurement *x)
{
    (void)report;
    return cell_kb_per_s(x) * 1000;
}

static uint64_t probe_latency_us(const struct report *report, const struct measurement *x)
{
    (void)report;
    return x->median_us;
}

static uint64_t probe_time_us(const struct report *report, const struct measurement *x)
{
    return x->wall_us ? x->wall_us : report->wall_us;
}

static const struct {
    const char *name, *help;
    uint64_t (*value)(const struct report *report, const struct measurement *x);
    unsigned digits; /* of a value that is millionths */
} PROBES[] = {
    { "hba_probe_rate_bytes_per_second", "What the last timed read of a device gave.", probe_rate,
      0 },
    { "hba_probe_latency_seconds", "Median time of one read in it.", probe_latency_us, 6 },
    { "hba_probe_timestamp_seconds", "When it was, in seconds since 1970.", probe_time_us, 6 },
};

static void write_probes(struct prometheus *p, const struct report *report)
{
    for (size_t i = 0; i < ELEMENTS(PROBES); i++) {
        prometheus_begin(p, PROBES[i].name, PROMETHEUS_GAUGE, PROBES[i].help);
        for (size_t k = 0; k < report->model->timed.n; k++) {
            const struct timed *t = &report->model->timed.v[k];
            uint64_t value = is_probe(t->read) ? PROBES[i].value(report, t->read) : 0;
            char block[24];

            snprintf(block, sizeof(block), "%" PRIu64, t->read->block_bytes);
            if (value)
                prometheus_sample(p,
                                  PROMETHEUS_LABELS(OF_DEVICE(t->device),
                                                    { "method", t->read->method },
                                                    { "block", block }),
                                  value, PROBES[i].digits);
        }
        prometheus_end(p);
    }
}

/* ---- findings ---- */

static uint64_t count(const struct report *report, const char *code, enum severity severity)
{
    uint64_t n = 0;

    for (size_t i = 0; i < report->findings.n; i++)
        n += report->findings.v[i]->severity == severity &&
             strcmp(report->findings.v[i]->entry->code, code) == 0;
    return n;
}

/* A sample for each code as bad as it is as a rule, so that one that is found first can be seen to rise from 0, and for
 * each that is of another severity. */
static void write_counts(struct prometheus *p, const struct report *report)
{
    prometheus_begin(p, "hba_findings", PROMETHEUS_GAUGE, "How many findings there are.");
    for (const struct catalog_entry *e = CATALOG; e->code; e++)
        for (int s = SEVERITY_INFO; s < _SEVERITY_MAX; s++) {
            uint64_t n = count(report, e->code, (enum severity)s);

            if (n || (int)e->severity == s)
                prometheus_sample(
                    p,
                    PROMETHEUS_LABELS({ "code", e->code },
                                      { "severity", severity_to_string((enum severity)s) }),
                    n, 0);
        }
    prometheus_end(p);
}

static void write_findings(struct prometheus *p, const struct report *report)
{
    write_counts(p, report);
    prometheus_begin(p, "hba_finding_info", PROMETHEUS_GAUGE,
                     "A finding, and the highest thing that it is about; always 1.");
    for (size_t i = 0; i < report->findings.n; i++) {
        const struct finding *f = report->findings.v[i];

        prometheus_sample(p,
                          PROMETHEUS_LABELS({ "code", f->entry->code },
                                            { "severity", severity_to_string(f->severity) },
                                            { "subject", f->subjects.n ? f->subjects.v[0] : NULL },
                                            { "name", f->names.n ? f->names.v[0] : NULL },
                                            { "acknowledged", f->known ? "yes" : NULL }),
                          1, 0);
    }
    prometheus_end(p);
}

int output_metrics(const struct report *report, FILE *out)
{
    const struct model *m = report->model;
    struct prometheus writer = prometheus(out), *p = &writer;
    int r, e;

    prometheus_single(p, "hba_report_timestamp_seconds", PROMETHEUS_GAUGE,
                      "Of when all of this is, in seconds since 1970.", report->wall_us, 6);
    prometheus_single(p, "hba_unexamined_adapters", PROMETHEUS_GAUGE,
                      "Adapters of which not all could be read.", report->unexamined, 0);
    write_findings(p, report);
    FAMILIES(p, HOSTS, m->hosts);
    FAMILIES(p, LINKS, m->links);
    r = write_counters(p, m);
    FAMILIES(p, DEVICES, m->devices);
    write_probes(p, report);
    e = prometheus_done(p);
    return r < 0 ? r : e;
}
