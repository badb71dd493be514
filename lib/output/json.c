/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report as JSON (output.h). Names are the contract of report.schema.json. A member whose value is
 * not known is null where readers count on it, and left out where it is an extra.
 */
#include "output/output.h"

#include <inttypes.h>
#include <string.h>

#include "base/json_write.h"
#include "base/text.h"
#include "facts/key.h"
#include "finding/life.h"
#include "output/timed.h"
#include "output/words.h"

static void member_if(struct json_writer *w, const char *key, const char *text)
{
    if (text)
        json_write_text_member(w, key, text);
}

static void time_member(struct json_writer *w, const char *key, uint64_t wall_us)
{
    char text[WORDS_UTC_BYTES];

    json_write_text_member(w, key, words_utc(wall_us, text));
}

/* "mb_per_s": kB/s as decimal MB/s; null where there is no rate. */
static void payload(struct json_writer *w, const char *key, uint64_t kb_per_s)
{
    json_write_key(w, key);
    if (kb_per_s)
        json_write_decimal(w, kb_per_s, 3);
    else
        json_write_null(w);
}

static void list(struct json_writer *w, const char *key, const char *const *v, size_t n)
{
    json_write_key(w, key);
    json_write_begin_array(w);
    for (size_t i = 0; i < n; i++)
        json_write_string(w, v[i]);
    json_write_end_array(w);
}

static void words(struct json_writer *w, const char *key, const char *const *v)
{
    json_write_key(w, key);
    json_write_begin_array(w);
    for (; *v; v++)
        json_write_string(w, *v);
    json_write_end_array(w);
}

static void mode_members(struct json_writer *w, const struct mode *m)
{
    json_write_text_member(w, "label", m->label);
    payload(w, "mb_per_s", rate_kb_per_s(m->rate));
    member_if(w, "detail", m->detail);
}

static void mode_member(struct json_writer *w, const char *key, const struct mode *m)
{
    json_write_key(w, key);
    if (!m->known) {
        json_write_null(w);
        return;
    }
    json_write_begin_object_on_one_line(w);
    mode_members(w, m);
    json_write_end_object(w);
}

static void claims(struct json_writer *w, const char *key, const struct claim *v, size_t n)
{
    json_write_key(w, key);
    json_write_begin_array(w);
    for (size_t i = 0; i < n; i++) {
        json_write_begin_object_on_one_line(w);
        json_write_text_member(w, "who", who_to_string(v[i].who));
        json_write_text_member(w, "via", v[i].via);
        mode_members(w, &v[i].mode);
        if (v[i].at_most) {
            json_write_key(w, "at_most");
            json_write_bool(w, true);
        }
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

/* What the driver was told, and where. */
static void parameters(struct json_writer *w, const struct host *h)
{
    json_write_key(w, "parameters");
    json_write_begin_object_on_one_line(w);
    for (size_t i = 0; i < h->parameters.n; i++)
        json_write_text_member(w, h->parameters.v[i].name, h->parameters.v[i].value);
    json_write_end_object(w);
    if (!h->parameters.n)
        return;
    json_write_key(w, "parameters_from");
    json_write_begin_object_on_one_line(w);
    for (size_t i = 0; i < h->parameters.n; i++)
        json_write_text_member(w, h->parameters.v[i].name, h->parameters.v[i].from);
    json_write_end_object(w);
}

static void number_if(struct json_writer *w, const char *key, const struct subject *s,
                      const struct fact_key *fact)
{
    uint64_t value;

    if (!fact_number(s, fact, &value))
        return;
    json_write_key(w, key);
    json_write_u64(w, value);
}

static void host_object(struct json_writer *w, const struct host *h)
{
    uint64_t built_in;

    json_write_begin_object(w);
    json_write_text_member(w, "id", h->id);
    json_write_text_member(w, "kernel_name", h->kernel_name);
    json_write_text_member(w, "transport", h->transport);
    json_write_text_member(w, "driver", h->driver);
    json_write_text_member(w, "driver_version", h->driver_version);
    if (fact_number(h->module, &KEY_BUILT_IN, &built_in)) {
        json_write_key(w, "driver_built_in");
        json_write_bool(w, built_in);
    }
    json_write_text_member(w, "model", h->model);
    member_if(w, "board", h->board);
    json_write_text_member(w, "firmware", h->firmware);
    member_if(w, "bios", h->bios);
    json_write_text_member(w, "pci_id", h->pci_id);
    member_if(w, "pci_address", h->pci_address);
    member_if(w, "state", h->state);
    number_if(w, "can_queue", h->subject, &KEY_CAN_QUEUE);
    number_if(w, "cmd_per_lun", h->subject, &KEY_CMD_PER_LUN);
    number_if(w, "sg_tablesize", h->subject, &KEY_SG_TABLESIZE);
    number_if(w, "nr_hw_queues", h->subject, &KEY_HW_QUEUES);
    number_if(w, "resets", h->own, &KEY_RESET_COUNT);
    parameters(w, h);
    member_if(w, "emulated", h->emulated);
    member_if(w, "reason", h->reason);
    json_write_end_object(w);
}

static void counters(struct json_writer *w, const struct link *l)
{
    json_write_key(w, "counters");
    json_write_begin_object_on_one_line(w);
    for (size_t i = 0; i < l->counters.n; i++)
        json_write_u64_member(w, l->counters.v[i]->key->name, l->counters.v[i]->number);
    json_write_end_object(w);
}

/* The codes of what names it, and how bad that is. */
static void found(struct json_writer *w, const struct link *l)
{
    enum severity worst = SEVERITY_NONE;

    json_write_key(w, "findings");
    json_write_begin_array_on_one_line(w);
    for (size_t i = 0; i < l->findings.n; i++) {
        const struct finding *f = l->findings.v[i];
        bool is_new = true;

        worst = f->severity > worst ? f->severity : worst;
        for (size_t k = 0; k < i; k++)
            is_new &= l->findings.v[k]->entry != f->entry;
        if (is_new)
            json_write_string(w, f->entry->code);
    }
    json_write_end_array(w);
    json_write_text_member(w, "worst", severity_to_string(worst));
}

static void link_object(struct json_writer *w, const struct link *l)
{
    json_write_begin_object(w);
    json_write_text_member(w, "id", l->id);
    json_write_text_member(w, "kernel_name", l->kernel_name);
    json_write_text_member(w, "transport", l->transport);
    json_write_text_member(w, "host", l->host ? l->host->id : NULL);
    json_write_text_member(w, "near", l->near);
    json_write_text_member(w, "far", l->far);
    member_if(w, "up", l->up ? l->up->id : NULL);
    member_if(w, "bundle", l->bundle ? l->bundle->id : NULL);
    json_write_text_member(w, "state", link_state_to_string(l->state));
    mode_member(w, "actual", &l->actual);
    mode_member(w, "expected", &l->expected);
    claims(w, "expected_from", l->expected_from.v, l->expected_from.n);
    claims(w, "witnesses", l->witnesses.v, l->witnesses.n);
    claims(w, "able", l->able.v, l->able.n);
    if (l->allowed.n)
        claims(w, "allowed", l->allowed.v, l->allowed.n);
    json_write_text_member(w, "verdict", verdict_to_string(l->verdict));
    member_if(w, "reason", l->reason);
    counters(w, l);
    found(w, l);
    json_write_end_object(w);
}

/* Ids from the slot to the device. */
static void path_ids(struct json_writer *w, const struct device *d, const struct link *l)
{
    if (!l)
        return;
    path_ids(w, d, l->up);
    /* A host that is a bus is a hop of its own, between its slot and its targets. */
    if (d->host && d->host->is_bus && l->host == d->host && l != d->host->slot)
        json_write_string(w, d->host->id);
    json_write_string(w, l->id);
}

static void texts(struct json_writer *w, const char *key, const char *before,
                  const struct subject *s, const struct fact_key *fact)
{
    json_write_key(w, key);
    json_write_begin_array_on_one_line(w);
    for (uint32_t i = 0; i < s->n_facts; i++) {
        char text[256];

        if (s->facts[i].key != fact || s->facts[i].quality != QUALITY_OK)
            continue;
        snprintf(text, sizeof(text), "%s%s", before, s->facts[i].text);
        json_write_string(w, text);
    }
    json_write_end_array(w);
}

static void device_object(struct json_writer *w, const struct device *d)
{
    struct link *hop;
    uint64_t kb_per_s = device_path_kb_per_s(d, &hop);

    json_write_begin_object(w);
    json_write_text_member(w, "id", d->id);
    json_write_text_member(w, "hctl", d->hctl);
    texts(w, "nodes", "/dev/", d->subject, &KEY_NODE);
    json_write_text_member(w, "vendor", d->vendor);
    json_write_text_member(w, "model", d->model);
    json_write_text_member(w, "revision", d->revision);
    json_write_text_member(w, "serial", d->serial);
    json_write_text_member(w, "wwid", d->wwid);
    json_write_text_member(w, "type", d->type);
    member_if(w, "enclosure", d->enclosure);
    member_if(w, "bay", d->bay);
    json_write_text_member(w, "host", d->host ? d->host->id : NULL);
    json_write_text_member(w, "link", d->link ? d->link->id : NULL);
    json_write_key(w, "path");
    json_write_begin_array_on_one_line(w);
    path_ids(w, d, d->link);
    json_write_end_array(w);
    json_write_text_member(w, "bottleneck", hop ? hop->id : NULL);
    payload(w, "path_mb_per_s", kb_per_s);
    member_if(w, "state", fact_text(d->subject, &KEY_STATE));
    member_if(w, "access_state", fact_text(d->subject, &KEY_ACCESS_STATE));
    member_if(w, "runtime_status", fact_text(d->subject, &KEY_RUNTIME_STATUS));
    number_if(w, "queue_depth", d->subject, &KEY_QUEUE_DEPTH);
    number_if(w, "ioerr", d->subject, &KEY_IOERR);
    number_if(w, "iotmo", d->subject, &KEY_IOTMO);
    if (d->users.n)
        list(w, "used_by", d->users.v, d->users.n);
    if (fact_find(d->subject, &KEY_BY_ID))
        texts(w, "by_id", "", d->subject, &KEY_BY_ID);
    json_write_end_object(w);
}

static void acknowledgement_member(struct json_writer *w, const struct acknowledgement *a)
{
    json_write_key(w, "acknowledged");
    json_write_begin_object(w);
    json_write_text_member(w, "reason", a->reason);
    json_write_text_member(w, "by", a->by);
    time_member(w, "since", a->at_us);
    time_member(w, "until", a->until_us);
    json_write_end_object(w);
}

void output_json_finding(const struct finding *f, struct json_writer *w)
{
    json_write_begin_object(w);
    json_write_text_member(w, "code", f->entry->code);
    json_write_text_member(w, "severity", severity_to_string(f->severity));
    list(w, "subjects", f->subjects.v, f->subjects.n);
    list(w, "names", f->names.v, f->names.n);
    json_write_text_member(w, "summary", f->summary);
    json_write_key(w, "evidence");
    json_write_begin_array(w);
    for (size_t i = 0; i < f->evidence.n; i++) {
        json_write_begin_object_on_one_line(w);
        json_write_text_member(w, "what", f->evidence.v[i].what);
        json_write_text_member(w, "value", f->evidence.v[i].value);
        member_if(w, "from", f->evidence.v[i].from);
        json_write_end_object(w);
    }
    json_write_end_array(w);
    words(w, "causes", f->entry->causes);
    words(w, "remedies", f->entry->remedies);
    if (f->users.n)
        list(w, "used_by", f->users.v, f->users.n);
    time_member(w, "since", f->since_us);
    if (f->known)
        acknowledgement_member(w, f->known);
    json_write_end_object(w);
}

static void findings(struct json_writer *w, const struct report *report)
{
    json_write_begin_array(w);
    for (size_t i = 0; i < report->findings.n; i++)
        output_json_finding(report->findings.v[i], w);
    json_write_end_array(w);
}

static void summary_object(struct json_writer *w, const struct report *r)
{
    const struct summary *s = &r->summary;

    json_write_begin_object_on_one_line(w);
    json_write_u64_member(w, "hosts", s->hosts);
    json_write_u64_member(w, "links", s->links);
    json_write_u64_member(w, "devices", s->devices);
    for (int v = 0; v < _VERDICT_MAX; v++)
        json_write_u64_member(w, verdict_to_string((enum verdict)v), s->verdicts[v]);
    json_write_text_member(w, "worst", severity_to_string(s->worst));
    if (r->unexamined)
        json_write_u64_member(w, "unexamined", r->unexamined);
    json_write_end_object(w);
}

static void summary(struct json_writer *w, const struct report *r)
{
    json_write_key(w, "summary");
    summary_object(w, r);
}

void output_json_summary(const struct report *report, FILE *out)
{
    struct json_writer w = json_writer(out, false);

    summary_object(&w, report);
}

static void commands(struct json_writer *w, const struct report *r)
{
    json_write_key(w, "commands");
    json_write_begin_array(w);
    for (size_t i = 0; i < r->sent.n; i++) {
        const struct sent *s = &r->sent.v[i];

        json_write_begin_object_on_one_line(w);
        json_write_text_member(w, "device", s->device ? s->device->id : NULL);
        json_write_text_member(w, "hctl", s->hctl);
        json_write_text_member(w, "operation", s->operation);
        json_write_u64_member(w, "count", s->count);
        json_write_u64_member(w, "bytes", s->bytes);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

static void gaps(struct json_writer *w, const struct report *r)
{
    json_write_key(w, "gaps");
    json_write_begin_array(w);
    for (size_t i = 0; i < r->gaps.n; i++) {
        const struct gap *g = &r->gaps.v[i];

        json_write_begin_object_on_one_line(w);
        json_write_text_member(w, "what", g->what);
        json_write_text_member(w, "quality", quality_to_string(g->quality));
        member_if(w, "why", g->why);
        member_if(w, "remedy", g->remedy);
        json_write_text_member(w, "example", g->example);
        json_write_u64_member(w, "count", g->count);
        json_write_end_object(w);
    }
    json_write_end_array(w);
    json_write_key(w, "notes");
    json_write_begin_array(w);
    for (size_t i = 0; i < r->notes.n; i++)
        json_write_string(w, r->notes.v[i]);
    json_write_end_array(w);
}

static void measures(struct json_writer *w, const struct report *r)
{
    json_write_key(w, "measures");
    json_write_begin_array(w);
    for (size_t i = 0; i < r->model->timed.n; i++)
        output_json_timed(w, &r->model->timed.v[i]);
    json_write_end_array(w);
}

static void hosts(struct json_writer *w, const struct report *report)
{
    json_write_begin_array(w);
    for (size_t i = 0; i < report->model->hosts.n; i++)
        host_object(w, report->model->hosts.v[i]);
    json_write_end_array(w);
}

static void links(struct json_writer *w, const struct report *report)
{
    json_write_begin_array(w);
    for (size_t i = 0; i < report->model->links.n; i++)
        link_object(w, report->model->links.v[i]);
    json_write_end_array(w);
}

static void devices(struct json_writer *w, const struct report *report)
{
    json_write_begin_array(w);
    for (size_t i = 0; i < report->model->devices.n; i++)
        device_object(w, report->model->devices.v[i]);
    json_write_end_array(w);
}

void output_json(const struct report *report, bool pretty, FILE *out)
{
    struct json_writer writer = json_writer(out, pretty), *w = &writer;

    json_write_begin_object(w);
    json_write_text_member(w, "schema", "hbad.report/1");
    time_member(w, "taken", report->wall_us);
    json_write_key(w, "system");
    json_write_begin_object_on_one_line(w);
    json_write_text_member(w, "hostname", report->hostname);
    json_write_text_member(w, "kernel", report->kernel);
    json_write_text_member(w, "machine", report->machine);
    json_write_end_object(w);
    summary(w, report);
    json_write_key(w, "hosts");
    hosts(w, report);
    json_write_key(w, "links");
    links(w, report);
    json_write_key(w, "devices");
    devices(w, report);
    json_write_key(w, "findings");
    findings(w, report);
    measures(w, report);
    commands(w, report);
    gaps(w, report);
    json_write_end_object(w);
    putc('\n', out);
}

void output_json_host_part(const struct report *report, const struct host *h, FILE *out)
{
    struct json_writer writer = json_writer(out, false), *w = &writer;
    const struct model *m = report->model;

    json_write_begin_object(w);
    json_write_key(w, "host");
    host_object(w, h);
    json_write_key(w, "links");
    json_write_begin_array(w);
    for (size_t i = 0; i < m->links.n; i++)
        if (m->links.v[i]->host == h)
            link_object(w, m->links.v[i]);
    json_write_end_array(w);
    json_write_key(w, "devices");
    json_write_begin_array(w);
    for (size_t i = 0; i < m->devices.n; i++)
        if (m->devices.v[i]->host == h)
            device_object(w, m->devices.v[i]);
    json_write_end_array(w);
    json_write_end_object(w);
}

void output_json_machine_part(const struct report *report, FILE *out)
{
    struct json_writer writer = json_writer(out, false), *w = &writer;

    json_write_begin_object(w);
    summary(w, report);
    json_write_key(w, "links");
    json_write_begin_array(w);
    for (size_t i = 0; i < report->model->links.n; i++)
        if (!report->model->links.v[i]->host)
            link_object(w, report->model->links.v[i]);
    json_write_end_array(w);
    json_write_key(w, "findings");
    findings(w, report);
    gaps(w, report);
    json_write_end_object(w);
}

void output_json_code(const struct catalog_entry *e, bool pretty, FILE *out)
{
    struct json_writer writer = json_writer(out, pretty), *w = &writer;

    json_write_begin_object(w);
    json_write_text_member(w, "code", e->code);
    json_write_text_member(w, "severity", severity_to_string(e->severity));
    json_write_text_member(w, "message_id", e->message_id);
    json_write_text_member(w, "title", e->title);
    words(w, "causes", e->causes);
    words(w, "remedies", e->remedies);
    member_if(w, "not_this", e->not_this);
    json_write_end_object(w);
    putc('\n', out);
}

static void print_part(const struct report *report, bool pretty, FILE *out,
                       void (*part)(struct json_writer *, const struct report *))
{
    struct json_writer w = json_writer(out, pretty);

    part(&w, report);
    putc('\n', out);
}

void output_json_hosts(const struct report *report, bool pretty, FILE *out)
{
    print_part(report, pretty, out, hosts);
}

void output_json_links(const struct report *report, bool pretty, FILE *out)
{
    print_part(report, pretty, out, links);
}

void output_json_devices(const struct report *report, bool pretty, FILE *out)
{
    print_part(report, pretty, out, devices);
}

void output_json_findings(const struct report *report, bool pretty, FILE *out)
{
    print_part(report, pretty, out, findings);
}

static void object(struct json_writer *w, const struct host *h, const struct link *l,
                   const struct device *d)
{
    if (h)
        host_object(w, h);
    else if (l)
        link_object(w, l);
    else if (d)
        device_object(w, d);
}

void output_json_object(const struct host *h, const struct link *l, const struct device *d,
                        bool pretty, FILE *out)
{
    struct json_writer w = json_writer(out, pretty);

    object(&w, h, l, d);
    putc('\n', out);
}

void output_json_explanation(const struct report *report, const struct host *h,
                             const struct link *l, const struct device *d, bool pretty, FILE *out)
{
    struct json_writer writer = json_writer(out, pretty), *w = &writer;
    const char *const ids[] = { h ? h->id : NULL, d ? d->id : NULL, l ? l->id : NULL };

    json_write_begin_object(w);
    json_write_key(w, d ? "device" : h ? "host" : "link");
    object(w, h, d ? NULL : l, d);
    if (d && l) {
        json_write_key(w, "link");
        link_object(w, l);
    }
    json_write_key(w, "findings");
    json_write_begin_array(w);
    for (size_t i = 0; i < report->findings.n; i++)
        if (words_name_one_of(&report->findings.v[i]->subjects, ids, ELEMENTS(ids)))
            output_json_finding(report->findings.v[i], w);
    json_write_end_array(w);
    json_write_end_object(w);
    putc('\n', out);
}
