/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables of hosts, links, devices and findings (output.h).
 */
#include <string.h>

#include "facts/key.h"
#include "output/closing.h"
#include "output/table.h"
#include "output/words.h"

static void print_or_fail(const struct table *t, int r, const char *what, size_t n,
                          const struct text_style *style, FILE *out)
{
    if (r < 0) {
        fputs("out of memory\n", out);
        return;
    }
    table_print(t, style, out);
    if (!style->no_legend)
        fprintf(out, "%s%zu %s%s.\n", n ? "\n" : "", n, what, n == 1 ? "" : "s");
}

void output_hosts(const struct report *report, const struct text_style *style, FILE *out)
{
    static const struct column COLUMNS[] = {
        { "HOST" },
        { "TRANSPORT" },
        { "DRIVER", .least = 8 },
        { "VERSION", .drop = 3 },
        { "MODEL", .least = 8 },
        { "FIRMWARE", .drop = 4 },
        { "PCI", .drop = 2 },
        { "SLOT", .drop = 1 },
        { "STATE", .drop = 5 },
    };
    _cleanup_(table_freep) struct table *t = table_new(COLUMNS, ELEMENTS(COLUMNS));
    int r = t ? 0 : -1;

    for (size_t i = 0; r == 0 && i < report->model->hosts.n; i++) {
        const struct host *h = report->model->hosts.v[i];
        const char *const CELLS[] = {
            h->kernel_name, h->transport, h->driver,      h->driver_version,
            h->model,       h->firmware,  h->pci_address,
        };
        char mode[64];

        r = table_row(t);
        for (size_t c = 0; r == 0 && c < ELEMENTS(CELLS); c++)
            r = table_cell(t, c, COLOUR_NONE, CELLS[c]);
        if (r == 0 && h->slot)
            r = table_cell(t, 7, COLOUR_NONE, words_mode(&h->slot->actual, mode, sizeof(mode)));
        if (r == 0)
            r = table_cell(t, 8, COLOUR_NONE, h->state);
    }
    print_or_fail(t, r, "host", report->model->hosts.n, style, out);
}

/* A row is a link, or part of one: the number of links is that of the sentences below the tree. */
static void print_links_or_fail(const struct report *report, const struct table *t, int r,
                                const struct text_style *style, FILE *out)
{
    size_t rows = report->model->links.n, links = 0;

    for (size_t i = 0; i < rows; i++)
        links += words_counts(report->model->links.v[i]);
    print_or_fail(t, r, "link", links, style, out);
    if (r == 0 && !style->no_legend && links < rows)
        fprintf(out, "The other %zu rows are lanes of wide links, or far ends of cables.\n",
                rows - links);
}

void output_links(const struct report *report, const struct text_style *style, FILE *out)
{
    static const struct column COLUMNS[] = {
        { "LINK", .least = 12 },
        { "TRANSPORT", .drop = 6 },
        { "HOST", .drop = 5 },
        { "FAR", .least = 12, .drop = 3 },
        { "STATE", .drop = 1 },
        { "MODE", .least = 8 },
        { "MB/S", .right = true, .drop = 4 },
        { "EXPECTED", .least = 8, .drop = 2 },
        { "VERDICT" },
        { "REASON", .drop = 7, .least = 12 },
    };
    _cleanup_(table_freep) struct table *t = table_new(COLUMNS, ELEMENTS(COLUMNS));
    int r = t ? 0 : -1;

    for (size_t i = 0; r == 0 && i < report->model->links.n; i++) {
        const struct link *l = report->model->links.v[i];
        char actual[64], expected[64], payload[32];
        enum colour colour;
        const char *verdict = words_verdict(l, &colour);
        char *unit;

        words_payload(l->actual.known ? rate_kb_per_s(l->actual.rate) : 0, strcpy(payload, ""),
                      sizeof(payload));
        unit = strchr(payload, ' ');
        if (unit)
            *unit = '\0';
        const char *const CELLS[] = {
            l->kernel_name,
            l->transport,
            l->host ? l->host->kernel_name : NULL,
            words_end(report, l->far),
            link_state_to_string(l->state),
            words_mode(&l->actual, actual, sizeof(actual)),
            payload,
            words_mode(&l->expected, expected, sizeof(expected)),
        };

        r = table_row(t);
        for (size_t c = 0; r == 0 && c < ELEMENTS(CELLS); c++)
            r = table_cell(t, c, COLOUR_NONE, CELLS[c]);
        if (r == 0)
            r = table_cell(t, 8, colour,
                           l->state == LINK_UP || l->state == LINK_DOWN
                               ? verdict
                               : verdict_to_string(l->verdict));
        if (r == 0)
            r = table_cell(t, 9, COLOUR_DIM, l->reason);
    }
    print_links_or_fail(report, t, r, style, out);
}

void output_devices(const struct report *report, const struct text_style *style, FILE *out)
{
    static const struct column COLUMNS[] = {
        { "DEVICE" },
        { "NODES", .least = 6 },
        { "TYPE", .drop = 1 },
        { "VENDOR", .drop = 3 },
        { "MODEL", .least = 8, .drop = 2 },
        { "REV", .drop = 4 },
        { "SERIAL", .drop = 5 },
        { "LINK", .least = 10 },
        { "WWID", .drop = 6 },
    };
    _cleanup_(table_freep) struct table *t = table_new(COLUMNS, ELEMENTS(COLUMNS));
    int r = t ? 0 : -1;

    for (size_t i = 0; r == 0 && i < report->model->devices.n; i++) {
        const struct device *d = report->model->devices.v[i];
        char nodes[64];
        const char *const CELLS[] = {
            d->hctl,   words_nodes(d, true, nodes, sizeof(nodes)),
            d->type,   d->vendor,
            d->model,  d->revision,
            d->serial, d->link ? d->link->kernel_name : NULL,
            d->wwid,
        };

        r = table_row(t);
        for (size_t c = 0; r == 0 && c < ELEMENTS(CELLS); c++)
            r = table_cell(t, c, COLOUR_NONE, CELLS[c]);
    }
    print_or_fail(t, r, "device", report->model->devices.n, style, out);
}

/* "target0:0:2 sdc", and how many more. */
static int name_cell(struct table *t, size_t column, const struct finding *f)
{
    const char *first = f->names.n ? f->names.v[0] : f->subjects.v[0];

    if (f->subjects.n == 1)
        return table_cell(t, column, COLOUR_NONE, first);
    return table_cellf(t, column, COLOUR_NONE, "%s and %zu more", first, f->subjects.n - 1);
}

void output_findings(const struct report *report, const struct text_style *style, FILE *out)
{
    static const struct column COLUMNS[] = {
        { "SEVERITY" },
        { "CODE", .drop = 1 },
        { "ABOUT", .drop = 2 },
        { "SUMMARY", .least = 24, .wraps = true },
    };
    _cleanup_(table_freep) struct table *t = table_new(COLUMNS, ELEMENTS(COLUMNS));
    int r = t ? 0 : -1;

    for (size_t i = 0; r == 0 && i < report->findings.n; i++) {
        const struct finding *f = report->findings.v[i];
        char buffer[WORDS_ACKNOWLEDGED];
        const char *acknowledged = words_acknowledged(f, buffer, sizeof(buffer));

        r = table_row(t);
        if (r == 0)
            r = table_cell(t, 0, f->severity > SEVERITY_INFO ? COLOUR_BAD : COLOUR_NONE,
                           severity_to_string(f->severity));
        if (r == 0)
            r = table_cell(t, 1, COLOUR_NONE, f->entry->code);
        if (r == 0)
            r = name_cell(t, 2, f);
        if (r == 0)
            r = acknowledged ? table_cellf(t, 3, COLOUR_NONE, "%s (%s)", f->summary, acknowledged)
                             : table_cell(t, 3, COLOUR_NONE, f->summary);
    }
    print_or_fail(t, r, "finding", report->findings.n, style, out);
    if (!style->no_legend)
        closing_unsure(report, style, out);
}

void output_codes(const struct text_style *style, FILE *out)
{
    static const struct column COLUMNS[] = {
        { "CODE" },
        { "SEVERITY", .drop = 1 },
        { "IT SAYS", .least = 24, .wraps = true },
    };
    _cleanup_(table_freep) struct table *t = table_new(COLUMNS, ELEMENTS(COLUMNS));
    size_t n = 0;
    int r = t ? 0 : -1;

    for (; r == 0 && CATALOG[n].code; n++) {
        const char *const CELLS[] = { CATALOG[n].code, severity_to_string(CATALOG[n].severity),
                                      CATALOG[n].title };

        r = table_row(t);
        for (size_t c = 0; r == 0 && c < ELEMENTS(CELLS); c++)
            r = table_cell(t, c, COLOUR_NONE, CELLS[c]);
    }
    print_or_fail(t, r, "code", n, style, out);
}
