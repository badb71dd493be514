/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tree of `hbactl status` (output.h): adapters, links, devices. Equal neighbours are folded into one
 * row on large machines, and the odd one is shown.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/closing.h"
#include "output/table.h"
#include "output/tree.h"
#include "output/words.h"

enum {
    COL_NAME,
    COL_FAR,
    COL_NODES,
    COL_LABEL,
    COL_DETAIL,
    COL_VERDICT,
    COL_NOTE,   /* what it should be, or the alarm about it */
    COL_REASON, /* why that is not known */
    COLS,
};

static const struct column COLUMNS[COLS] = {
    [COL_NAME] = { .least = 12 },
    [COL_FAR] = { .least = 12, .drop = 3 },
    [COL_NODES] = { .least = 4 },
    [COL_LABEL] = { .drop = 1 },
    [COL_DETAIL] = { .drop = 5 },
    [COL_VERDICT] = { 0 },
    [COL_NOTE] = { .least = 17, .drop = 2 },
    [COL_REASON] = { .least = 16, .drop = 4 },
};

struct printing {
    struct tree tree;
    const struct report *report;
    const struct text_style *style;
    struct table *table;
    char prefix[256]; /* of the row under way, without its own branch */
};

/* What is wrong with the link or a device on it, and why it has no verdict. */
static int put_note(struct printing *p, const struct link *l)
{
    const struct finding *alarm = tree_alarm(&p->tree, l);
    char text[80];
    int r = 0;

    if (*tree_lack(l, text, sizeof(text)))
        return table_cell(p->table, COL_NOTE, COLOUR_NONE, text);
    if (alarm && l->state == LINK_UP)
        r = table_cell(p->table, COL_NOTE, COLOUR_BAD, alarm->entry->code);
    return r < 0 ? r
                 : table_cell(p->table, COL_REASON, COLOUR_DIM,
                              l->state == LINK_UP || l->state == LINK_UNKNOWN ? l->reason : NULL);
}

/* One row for `n` links that are alike, n >= 1. */
static int put_row(struct printing *p, const struct tree_node *v, size_t n, const char *branch)
{
    const struct link *first = v->link;
    bool utf8 = p->style->utf8;
    enum colour colour;
    const char *verdict = words_verdict(first, &colour);
    char text[512];
    int r = table_row(p->table);

    if (r == 0)
        r = table_cellf(p->table, COL_NAME, COLOUR_NONE, "%s%s%s", p->prefix, branch,
                        tree_name(v, n, utf8, text, sizeof(text)));
    if (r == 0)
        r = table_cell(p->table, COL_FAR, COLOUR_NONE,
                       tree_far(&p->tree, v, n, utf8, text, sizeof(text)));
    if (r == 0)
        r = table_cell(p->table, COL_NODES, COLOUR_NONE,
                       tree_devices(&p->tree, v, n, utf8, text, sizeof(text)));
    if (r == 0)
        r = table_cell(p->table, COL_LABEL, COLOUR_NONE,
                       words_mode(&first->actual, text, sizeof(text)));
    if (r == 0)
        r = table_cell(p->table, COL_DETAIL, COLOUR_NONE,
                       first->actual.known ? first->actual.detail : NULL);
    if (r == 0)
        r = table_cell(p->table, COL_VERDICT, colour, verdict);
    return r < 0 ? r : put_note(p, first);
}

static int put_children(struct printing *p, const struct tree_node *v, size_t n);

/* A row and what hangs below it. */
static int put_subtree(struct printing *p, const struct tree_node *v, size_t n, bool is_last)
{
    const char *branch = p->style->utf8 ? (is_last ? "└─ " : "├─ ") : (is_last ? "`- " : "|- ");
    const char *stem = is_last ? "   " : p->style->utf8 ? "│  " : "|  ";
    size_t length = strlen(p->prefix), below;
    const struct tree_node *children = tree_below(&p->tree, v->link, &below);
    int r = put_row(p, v, n, branch);

    if (r < 0 || below == 0 || length + strlen(stem) >= sizeof(p->prefix))
        return r;
    strcat(p->prefix, stem);
    r = put_children(p, children, below);
    p->prefix[length] = '\0';
    return r;
}

static int put_children(struct printing *p, const struct tree_node *v, size_t n)
{
    int r = 0;

    for (size_t i = 0, run; r == 0 && i < n; i += run) {
        run = tree_run(&p->tree, v + i, n - i);
        r = put_subtree(p, v + i, run, i + run == n);
    }
    return r;
}

/* How much of an adapter is said, from all to the least. */
enum detail {
    ALL,
    NO_PAYLOAD,
    NO_FIRMWARE,
    NO_VERSION,
    NO_DRIVER,
    NO_MODEL,
    NO_ADDRESS,
    NO_EXPECTED,
    _DETAIL_MAX
};

static void print_driver(const struct host *h, enum detail detail, FILE *out)
{
    bool model = h->model && detail < NO_MODEL;

    if (model)
        fprintf(out, "  %s", h->model);
    if (detail >= NO_DRIVER)
        return;
    fprintf(out, "%s%s", model ? " (" : "  ", h->driver ? h->driver : "driver not known");
    if (h->driver_version && detail < NO_VERSION)
        fprintf(out, " %s", h->driver_version);
    if (h->firmware && detail < NO_FIRMWARE)
        fprintf(out, ", fw %s", h->firmware);
    if (model)
        putc(')', out);
}

static void print_slot(const struct link *slot, enum detail detail, FILE *out)
{
    char payload[32], mode[64];
    enum colour colour;

    if (slot && slot->actual.known) {
        fprintf(out, "%s %s", detail < NO_ADDRESS ? "," : "",
                words_mode(&slot->actual, mode, sizeof(mode)));
        if (detail < NO_PAYLOAD)
            fprintf(out, ", %s",
                    words_payload(rate_kb_per_s(slot->actual.rate), payload, sizeof(payload)));
    }
    if (slot && slot->verdict == VERDICT_BELOW)
        fprintf(out, "  %s", words_verdict(slot, &colour));
    if (slot && slot->verdict == VERDICT_BELOW && detail < NO_EXPECTED)
        fprintf(out, "  expected %s", words_mode(&slot->expected, mode, sizeof(mode)));
}

static bool has_links(const struct report *r, const struct host *h)
{
    for (size_t i = 0; i < r->model->links.n; i++)
        if (r->model->links.v[i]->host == h && r->model->links.v[i] != h->slot)
            return true;
    return false;
}

/* "host0 … host3  LSI53C1030 (mptspi 3.04.20, fw 1.03.23.16)  PCI 0000:01:01.0" and the slot's mode. */
static char *adapter_line(const struct printing *p, const struct host *first,
                          const struct host *last, enum detail detail)
{
    const struct host *port = words_physical_port(p->report, first);
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);

    if (!out)
        return NULL;
    fputs(first->kernel_name, out);
    if (first != last)
        fprintf(out, " %s %s", p->style->utf8 ? "…" : "..", last->kernel_name);
    if (port)
        fprintf(out, "  virtual port (NPIV) of %s", port->kernel_name);
    print_driver(first, port && detail < NO_DRIVER ? NO_DRIVER : detail, out);
    if (first->pci_address)
        fprintf(out, "  PCI%s%s", detail < NO_ADDRESS ? " " : "",
                detail < NO_ADDRESS ? first->pci_address : "");
    if (!port)
        print_slot(first->slot, detail, out);
    if (!port && first == last && !has_links(p->report, first))
        fputs("  nothing is attached", out);
    if (fclose(out) == 0)
        return line;
    free(line);
    return NULL;
}

/* In one line, with as much of it as there is room for. */
static int put_adapter(struct printing *p, const struct host *first, const struct host *last)
{
    char *line = adapter_line(p, first, last, ALL);
    int r;

    for (int detail = ALL + 1;
         line && p->style->columns && text_width(line) > p->style->columns && detail < _DETAIL_MAX;
         detail++) {
        free(line);
        line = adapter_line(p, first, last, (enum detail)detail);
    }
    r = line ? table_line(p->table, COLOUR_BOLD, line) : -1;
    free(line);
    return r;
}

static int put_adapters(struct printing *p)
{
    const struct model *m = p->report->model;
    int r = 0;

    for (size_t i = 0, end; r == 0 && i < m->hosts.n; i = end) {
        struct tree_nodes below = { 0 };

        end = tree_adapter_end(p->report, i);
        r = put_adapter(p, m->hosts.v[i], m->hosts.v[end - 1]);
        if (r == 0)
            r = tree_below_hosts(&p->tree, i, end, &below);
        if (r == 0)
            r = put_children(p, below.list.v, below.list.n);
        free(below.list.v);
    }
    return r;
}

void output_status(const struct report *report, const struct text_style *style, FILE *out)
{
    _cleanup_(table_freep) struct table *table = table_new(COLUMNS, COLS);
    struct printing p = { .report = report, .style = style, .table = table };

    if (table && tree_init(report, &p.tree) == 0 && put_adapters(&p) == 0)
        table_print(table, style, out);
    else
        fputs("out of memory\n", out);
    tree_done(&p.tree);
    if (!style->no_legend)
        output_closing(report, style, out);
}
