/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Everything known of one object (output.h): names, witnesses, abilities, limits, path, every fact.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "facts/key.h"
#include "output/table.h"
#include "output/timed.h"
#include "output/words.h"

static void line(FILE *out, const char *name, const char *value)
{
    if (value && *value)
        fprintf(out, "%16s: %s\n", name, value);
}

static void print_claims(const char *name, const struct claim *claims, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        const struct claim *c = &claims[i];
        char text[64];

        fprintf(out, "%16s: %s%s, by %s (%s)\n", i ? "" : name, c->at_most ? "at most " : "",
                c->mode.detail && !c->mode.label ? c->mode.detail
                                                 : words_mode(&c->mode, text, sizeof(text)),
                who_to_string(c->who), c->via);
    }
}

static void print_fact(const struct fact *f, FILE *out)
{
    fprintf(out, "%16s  %-20s ", "", f->key->name);
    if (f->quality != QUALITY_OK)
        fprintf(out, "(%s%s%s)", quality_to_string(f->quality), f->why ? ": " : "",
                f->why ? f->why : "");
    else if (f->key->type == FACT_NUMBER)
        fprintf(out, "%" PRIu64, f->number);
    else if (f->key == &KEY_PARAMETER && text_ends_with(f->text, "=(null)"))
        fprintf(out, "%.*s is not set", (int)strcspn(f->text, "="), f->text);
    else if (f->key->type == FACT_TEXT)
        fputs(f->text, out);
    else
        fprintf(out, "(%u bytes)", f->len);
    fprintf(out, "  [%s]\n", f->origin);
}

static void print_facts(const struct subject *s, FILE *out)
{
    if (!s || !s->n_facts)
        return;
    fprintf(out, "%16s: %s\n", "facts", s->path);
    for (uint32_t i = 0; i < s->n_facts; i++)
        print_fact(&s->facts[i], out);
}

void output_host(const struct report *report, const struct host *h, const struct text_style *style,
                 FILE *out)
{
    const struct host *port = words_physical_port(report, h);
    size_t links = 0, devices = 0;
    char mode[64];

    (void)style;
    for (size_t i = 0; i < report->model->links.n; i++)
        links += report->model->links.v[i]->host == h;
    for (size_t i = 0; i < report->model->devices.n; i++)
        devices += report->model->devices.v[i]->host == h;
    fprintf(out, "%s\n", h->kernel_name);
    line(out, "id", h->id);
    line(out, "transport", h->transport);
    line(out, "virtual port of", port ? port->kernel_name : NULL);
    line(out, "model", h->model);
    line(out, "board", h->board);
    line(out, "driver", h->driver);
    line(out, "driver version", h->driver_version);
    line(out, "firmware", h->firmware);
    line(out, "BIOS", h->bios);
    line(out, "PCI function", h->pci_address);
    line(out, "PCI ids", h->pci_id);
    line(out, "slot", h->slot ? words_mode(&h->slot->actual, mode, sizeof(mode)) : NULL);
    line(out, "state", h->state);
    line(out, "links hidden", h->reason);
    fprintf(out, "%16s: %zu link%s, %zu device%s\n", "has", links, links == 1 ? "" : "s", devices,
            devices == 1 ? "" : "s");
    print_facts(h->subject, out);
    print_facts(h->module, out);
}

static void print_mode(const char *name, const struct mode *m, FILE *out)
{
    char text[64];

    if (!m->known)
        return;
    fprintf(out, "%16s: %s", name, words_mode(m, text, sizeof(text)));
    if (m->label && m->detail)
        fprintf(out, ", %s", m->detail);
    putc('\n', out);
}

static void print_devices(const struct report *report, const struct link *l, FILE *out)
{
    size_t n = 0;

    for (size_t i = 0; i < report->model->devices.n; i++) {
        const struct device *d = report->model->devices.v[i];
        char nodes[64];

        if (d->link != l)
            continue;
        fprintf(out, "%16s: %s %s  %s %s\n", n++ ? "" : "devices", d->hctl,
                words_nodes(d, true, nodes, sizeof(nodes)), d->vendor ? d->vendor : "",
                d->model ? d->model : "");
    }
}

void output_link(const struct report *report, const struct link *l, const struct text_style *style,
                 FILE *out)
{
    enum colour colour;
    const char *verdict = words_verdict(l, &colour);

    fprintf(out, "%s\n", l->kernel_name);
    line(out, "id", l->id);
    line(out, "transport", l->transport);
    line(out, "host", l->host ? l->host->kernel_name : NULL);
    line(out, "near end", words_end(report, l->near));
    line(out, "far end", words_end(report, l->far));
    line(out, "lane of", l->bundle ? l->bundle->kernel_name : NULL);
    line(out, "behind", l->up ? l->up->kernel_name : NULL);
    line(out, "state", link_state_to_string(l->state));
    print_mode("runs at", &l->actual, out);
    print_mode("expected", &l->expected, out);
    fprintf(out, "%16s: ", "verdict");
    text_coloured(style, colour, verdict, out);
    fprintf(out, "%s%s\n", l->reason ? ", " : "", l->reason ? l->reason : "");
    print_claims("says", l->witnesses.v, l->witnesses.n, out);
    print_claims("can do", l->able.v, l->able.n, out);
    print_claims("limited to", l->allowed.v, l->allowed.n, out);
    for (size_t i = 0; i < l->counters.n; i++)
        fprintf(out, "%16s: %s %" PRIu64 "\n", i ? "" : "counters", l->counters.v[i]->key->name,
                l->counters.v[i]->number);
    print_devices(report, l, out);
    print_facts(l->subject, out);
}

/* Hops from the slot to the device, each with its payload. */
static void print_path(const struct device *d, const struct link *l, const struct link *narrowest,
                       FILE *out)
{
    char mode[64], payload[32];

    if (!l)
        return;
    print_path(d, l->up, narrowest, out);
    fprintf(out, "%16s: %s  %s  %s%s\n", l->up ? "" : "path", l->kernel_name,
            words_mode(&l->actual, mode, sizeof(mode)),
            words_payload(l->actual.known ? rate_kb_per_s(l->actual.rate) : 0, strcpy(payload, ""),
                          sizeof(payload)),
            l == narrowest ? "  (narrowest)" : "");
}

/* How to have its bay blink, where it has one. */
static void print_locate(const struct device *d, FILE *out)
{
    char command[80];

    if (words_locate(d, command, sizeof(command)))
        fprintf(out, "%16s: %s\n", "to find it", command);
}

/* Other devices that are the same logical unit. */
static void print_paths(const struct report *report, const struct device *d, FILE *out)
{
    size_t n = 0;

    for (size_t i = 0; d->wwid && i < report->model->devices.n; i++) {
        const struct device *other = report->model->devices.v[i];
        char nodes[64];

        if (other == d || !other->wwid || strcmp(other->wwid, d->wwid) != 0)
            continue;
        fprintf(out, "%16s: %s %s, by %s\n", n++ ? "" : "other paths", other->hctl,
                words_nodes(other, true, nodes, sizeof(nodes)),
                other->link ? other->link->kernel_name : "no link");
    }
}

static void print_timed(const struct report *report, const struct device *d, FILE *out)
{
    char text[1024];
    size_t n = 0;

    for (size_t i = 0; i < report->model->timed.n; i++)
        if (report->model->timed.v[i].device == d)
            line(out, n++ ? "" : "measured",
                 timed_line(&report->model->timed.v[i], text, sizeof(text)));
}

static void print_sent(const struct report *report, const struct device *d, FILE *out)
{
    char text[128];
    size_t n = 0;

    for (size_t i = 0; i < report->sent.n; i++) {
        const struct sent *s = &report->sent.v[i];

        if (s->device != d)
            continue;
        snprintf(text, sizeof(text), "%" PRIu64 " x %s, %" PRIu64 " bytes", s->count, s->operation,
                 s->bytes);
        line(out, n++ ? "" : "sent to it", text);
    }
}

void output_device(const struct report *report, const struct device *d,
                   const struct text_style *style, FILE *out)
{
    struct link *narrowest;
    char nodes[128];

    device_path_kb_per_s(d, &narrowest);
    fprintf(out, "%s\n", d->hctl);
    line(out, "id", d->id);
    line(out, "nodes", words_nodes(d, true, nodes, sizeof(nodes)));
    line(out, "type", d->type);
    line(out, "state", fact_text(d->subject, &KEY_STATE));
    line(out, "vendor", d->vendor);
    line(out, "model", d->model);
    line(out, "revision", d->revision);
    line(out, "serial", d->serial);
    line(out, "WWID", d->wwid);
    line(out, "enclosure", d->enclosure);
    line(out, "bay", d->bay);
    print_locate(d, out);
    print_paths(report, d, out);
    for (size_t i = 0; i < d->users.n; i++)
        line(out, i ? "" : "used by", d->users.v[i]);
    line(out, "host", d->host ? d->host->kernel_name : NULL);
    print_path(d, d->link, narrowest, out);
    print_timed(report, d, out);
    print_facts(d->subject, out);
    print_sent(report, d, out);
    if (!d->link)
        return;
    putc('\n', out);
    output_link(report, d->link, style, out);
}
