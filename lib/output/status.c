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

    FOLD_FROM_LINKS = 24, /* machines up to this size are shown whole */
    FOLD_FROM_ALIKE = 3,
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

/* A link and the one above it: sorted, so that children are found as a run. */
struct child {
    const struct link *up; /* NULL: directly below its host */
    const struct link *link;
    size_t order;
};

struct tree {
    const struct report *report;
    const struct text_style *style;
    struct table *table;
    struct child *children;
    size_t n_children;
    bool fold;
    char prefix[256]; /* of the row under way, without its own branch */
};

static int compare_children(const void *a, const void *b)
{
    const struct child *x = a, *y = b;

    if (x->up != y->up)
        return (uintptr_t)x->up < (uintptr_t)y->up ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* A link's place in the tree: lanes hang below their bundle, what hangs at a slot below its host. */
static const struct link *place_of(const struct link *l)
{
    if (l->bundle)
        return l->bundle;
    return l->host && l->up == l->host->slot ? NULL : l->up;
}

static int index_children(struct tree *t)
{
    const struct model *m = t->report->model;

    t->children = calloc(m->links.n + 1, sizeof(*t->children));
    if (!t->children)
        return -1;
    for (size_t i = 0; i < m->links.n; i++) {
        const struct link *l = m->links.v[i];

        if (l->host && l == l->host->slot)
            continue;
        t->children[t->n_children++] = (struct child){ place_of(l), l, i };
    }
    qsort(t->children, t->n_children, sizeof(*t->children), compare_children);
    return 0;
}

/* The run of children below a link. */
static struct child *children_of(const struct tree *t, const struct link *up, size_t *ret_n)
{
    size_t low = 0, high = t->n_children, end;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if ((uintptr_t)t->children[mid].up < (uintptr_t)up)
            low = mid + 1;
        else
            high = mid;
    }
    for (end = low; end < t->n_children && t->children[end].up == up; end++)
        ;
    *ret_n = end - low;
    return t->children + low;
}

static bool is_empty(const struct link *l)
{
    return l->state == LINK_EMPTY;
}

/* Lanes that are like their bundle have nothing to say. */
static bool is_quiet_lane(const struct link *l)
{
    return l->bundle && l->state == LINK_UP && l->verdict != VERDICT_BELOW &&
           (!l->actual.known || !l->bundle->actual.known ||
            l->actual.rate.lane_kb_per_s == l->bundle->actual.rate.lane_kb_per_s);
}

/* The first critical finding that names it; NULL where none does. */
static const struct finding *alarm_about(const struct report *r, const char *id)
{
    for (size_t i = 0; i < r->findings.n && r->findings.v[i]->severity == SEVERITY_CRITICAL; i++)
        if (words_name_one_of(&r->findings.v[i]->subjects, &id, 1))
            return r->findings.v[i];
    return NULL;
}

/* The one that names the link or a device on it. */
static const struct finding *alarm_of(const struct tree *t, const struct link *l)
{
    const struct model *m = t->report->model;
    const struct finding *alarm = NULL;

    if (t->report->summary.worst < SEVERITY_CRITICAL)
        return NULL;
    alarm = alarm_about(t->report, l->id);
    for (size_t i = 0; !alarm && i < m->devices.n; i++)
        if (m->devices.v[i]->link == l)
            alarm = alarm_about(t->report, m->devices.v[i]->id);
    return alarm;
}

/* Can the two stand in one row? */
static bool alike(const struct tree *t, const struct link *a, const struct link *b)
{
    size_t below;

    if (a->host != b->host || a->state != b->state)
        return false;
    if (is_empty(a))
        return true;
    if (!t->fold || a->verdict != b->verdict || !text_same(a->far, b->far) ||
        !text_same(a->actual.label, b->actual.label) ||
        rate_compare(a->actual.rate, b->actual.rate) != 0)
        return false;
    children_of(t, b, &below);
    return below == 0 && alarm_of(t, a) == alarm_of(t, b);
}

/* What a link leads to: its far end, and how many logical units where there are several. */
static int put_far(struct tree *t, const struct link *l, size_t devices, size_t folded)
{
    const char *times = t->style->utf8 ? "×" : "x",
               *far = l->far ? words_end(t->report, l->far) : "";

    if (folded > 1 && *far)
        return table_cellf(t->table, COL_FAR, COLOUR_NONE, "%zu %s %s", folded, times, far);
    if (devices > 1)
        return table_cellf(t->table, COL_FAR, COLOUR_NONE, "%s%s%zu LUNs", far, *far ? ", " : "",
                           devices);
    return table_cell(t->table, COL_FAR, COLOUR_NONE, far);
}

static const struct device *last_device_on(const struct tree *t, const struct link *l)
{
    const struct device *last = NULL;

    for (size_t i = 0; i < t->report->model->devices.n; i++)
        if (t->report->model->devices.v[i]->link == l)
            last = t->report->model->devices.v[i];
    return last;
}

/* Nodes of the devices from the first to the last link of a row: "sda", "sda … sdx". */
static int put_nodes(struct tree *t, const struct link *first, const struct link *last)
{
    const struct device *from, *to = last_device_on(t, last);
    char a[64], b[64];

    words_devices_on(t->report, first, &from);
    if (!from || !to)
        return 0;
    words_nodes(from, false, a, sizeof(a));
    words_nodes(to, false, b, sizeof(b));
    if (from == to || !*b)
        return table_cell(t->table, COL_NODES, COLOUR_NONE, a);
    return table_cellf(t->table, COL_NODES, COLOUR_NONE, "%s %s %s", a, t->style->utf8 ? "…" : "..",
                       b);
}

/* What is wrong with the link or a device on it, and why it has no verdict. */
static int put_note(struct tree *t, const struct link *l)
{
    const struct finding *alarm = alarm_of(t, l);
    char text[64];
    int r = 0;

    if (l->verdict == VERDICT_BELOW || l->verdict == VERDICT_CAPPED)
        return table_cellf(t->table, COL_NOTE, COLOUR_NONE, "%s %s",
                           l->verdict == VERDICT_BELOW ? "expected" : "could do",
                           words_mode(&l->expected, text, sizeof(text)));
    if (alarm && l->state == LINK_UP)
        r = table_cell(t->table, COL_NOTE, COLOUR_BAD, alarm->entry->code);
    return r < 0 ? r
                 : table_cell(t->table, COL_REASON, COLOUR_DIM,
                              l->state == LINK_UP || l->state == LINK_UNKNOWN ? l->reason : NULL);
}

/* "phy-0:4 … 7": what both names begin with is not said twice, up to where their last number begins. */
static int put_names(struct tree *t, const char *branch, const char *first, const char *last)
{
    const char *colon = strrchr(last, ':'), *dot = strrchr(last, '.'),
               *mark = colon && (!dot || dot < colon) ? colon : dot;

    if (mark && strncmp(first, last, (size_t)(mark + 1 - last)) == 0)
        last = mark + 1;
    return table_cellf(t->table, COL_NAME, COLOUR_NONE, "%s%s%s %s %s", t->prefix, branch, first,
                       t->style->utf8 ? "…" : "..", last);
}

/* One row for `n` links that are alike, n >= 1. */
static int put_row(struct tree *t, const struct child *c, size_t n, const char *branch)
{
    const struct link *first = c[0].link, *last = c[n - 1].link;
    const struct device *device;
    size_t devices = words_devices_on(t->report, first, &device);
    enum colour colour;
    const char *verdict = words_verdict(first, &colour);
    char text[64];
    int r = table_row(t->table);

    if (r == 0 && n == 1)
        r = table_cellf(t->table, COL_NAME, COLOUR_NONE, "%s%s%s", t->prefix, branch,
                        first->kernel_name);
    else if (r == 0)
        r = put_names(t, branch, first->kernel_name, last->kernel_name);
    if (r == 0)
        r = put_far(t, first, devices, n);
    if (r == 0)
        r = put_nodes(t, first, last);
    if (r == 0)
        r = table_cell(t->table, COL_LABEL, COLOUR_NONE,
                       words_mode(&first->actual, text, sizeof(text)));
    if (r == 0)
        r = table_cell(t->table, COL_DETAIL, COLOUR_NONE,
                       first->actual.known ? first->actual.detail : NULL);
    if (r == 0)
        r = table_cell(t->table, COL_VERDICT, colour, verdict);
    return r < 0 ? r : put_note(t, first);
}

/* Is a lane of a wide link at the same end counted between the two? It is not shown here, and must not be called
 * what they are. */
static bool lane_between(const struct tree *t, const struct child *a, const struct child *b)
{
    for (size_t i = a->order + 1; i < b->order; i++) {
        const struct link *l = t->report->model->links.v[i];

        if (l->bundle && text_same(l->near, a->link->near))
            return true;
    }
    return false;
}

/* How many of the children from `c` on stand in one row. */
static size_t run_length(const struct tree *t, const struct child *c, size_t n)
{
    size_t run = 1, below;

    children_of(t, c->link, &below);
    while (below == 0 && run < n && alike(t, c->link, c[run].link) &&
           !lane_between(t, &c[run - 1], &c[run]))
        run++;
    return run >= (is_empty(c->link) ? 2 : FOLD_FROM_ALIKE) ? run : 1;
}

static int put_children(struct tree *t, struct child *c, size_t n);

/* A link's row and what hangs below it. */
static int put_subtree(struct tree *t, struct child *c, size_t n, bool is_last)
{
    const char *branch = t->style->utf8 ? (is_last ? "└─ " : "├─ ") : (is_last ? "`- " : "|- ");
    const char *stem = is_last ? "   " : t->style->utf8 ? "│  " : "|  ";
    size_t length = strlen(t->prefix), below;
    struct child *children = children_of(t, c->link, &below);
    int r = put_row(t, c, n, branch);

    if (r < 0 || below == 0 || length + strlen(stem) >= sizeof(t->prefix))
        return r;
    strcat(t->prefix, stem);
    r = put_children(t, children, below);
    t->prefix[length] = '\0';
    return r;
}

static int put_children(struct tree *t, struct child *c, size_t n)
{
    size_t shown = 0, left, run;
    int r = 0;

    for (size_t i = 0; i < n; i++)
        if (!is_quiet_lane(c[i].link))
            c[shown++] = c[i];
    for (size_t i = 0; r == 0 && i < shown; i += run) {
        left = shown - i;
        run = run_length(t, c + i, left);
        r = put_subtree(t, c + i, run, run == left);
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
static char *adapter_line(const struct tree *t, const struct host *first, const struct host *last,
                          enum detail detail)
{
    const struct host *port = words_physical_port(t->report, first);
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);

    if (!out)
        return NULL;
    fputs(first->kernel_name, out);
    if (first != last)
        fprintf(out, " %s %s", t->style->utf8 ? "…" : "..", last->kernel_name);
    if (port)
        fprintf(out, "  virtual port (NPIV) of %s", port->kernel_name);
    print_driver(first, port && detail < NO_DRIVER ? NO_DRIVER : detail, out);
    if (first->pci_address)
        fprintf(out, "  PCI%s%s", detail < NO_ADDRESS ? " " : "",
                detail < NO_ADDRESS ? first->pci_address : "");
    if (!port)
        print_slot(first->slot, detail, out);
    if (!port && first == last && !has_links(t->report, first))
        fputs("  nothing is attached", out);
    if (fclose(out) == 0)
        return line;
    free(line);
    return NULL;
}

/* In one line, with as much of it as there is room for. */
static int put_adapter(struct tree *t, const struct host *first, const struct host *last)
{
    char *line = adapter_line(t, first, last, ALL);
    int r;

    for (int detail = ALL + 1;
         line && t->style->columns && text_width(line) > t->style->columns && detail < _DETAIL_MAX;
         detail++) {
        free(line);
        line = adapter_line(t, first, last, (enum detail)detail);
    }
    r = line ? table_line(t->table, COLOUR_BOLD, line) : -1;
    free(line);
    return r;
}

/* Hosts that are ports of one function stand under one head. */
static bool same_adapter(const struct report *r, const struct host *a, const struct host *b)
{
    return !words_physical_port(r, b) && a->pci_address &&
           text_same(a->pci_address, b->pci_address) && text_same(a->driver, b->driver) &&
           !a->is_bus;
}

static int put_adapters(struct tree *t)
{
    const struct model *m = t->report->model;
    size_t n_top, next;
    struct child *top = children_of(t, NULL, &n_top);
    int r = 0;

    for (size_t i = 0; r >= 0 && i < m->hosts.n; i = next) {
        VEC(struct child) own = { 0 };

        for (next = i + 1;
             next < m->hosts.n && same_adapter(t->report, m->hosts.v[i], m->hosts.v[next]); next++)
            ;
        r = put_adapter(t, m->hosts.v[i], m->hosts.v[next - 1]);
        for (size_t h = i; r == 0 && h < next; h++)
            for (size_t k = 0; r == 0 && k < n_top; k++)
                if (top[k].link->host == m->hosts.v[h])
                    r = vec_push(&own, top[k]);
        if (r == 0)
            r = put_children(t, own.v, own.n);
        free(own.v);
    }
    return r;
}

void output_status(const struct report *report, const struct text_style *style, FILE *out)
{
    _cleanup_(table_freep) struct table *table = table_new(COLUMNS, COLS);
    struct tree t = {
        .report = report,
        .style = style,
        .table = table,
        .fold = report->model->links.n > FOLD_FROM_LINKS,
    };

    if (table && index_children(&t) == 0 && put_adapters(&t) == 0)
        table_print(table, style, out);
    else
        fputs("out of memory\n", out);
    free(t.children);
    if (!style->no_legend)
        output_closing(report, style, out);
}
