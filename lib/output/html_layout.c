/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where everything is in a map (html_map.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/html_map.h"

enum {
    BOX_LEAST = 3 * MAP_ROW, /* height of a box: there is room for what is written at its bar */
    GAP_LEAST = 56,          /* between boxes */
    GAP_ROWS = 88,           /* before the texts of rows */
    GAP_COLUMN = 14,
    GAP_SIGN = 6,
    GAP_BOXES = 6,  /* between boxes above each other */
    REMOTES_UP = 4, /* rows of far ports of a link that are up */
    INSIDE = 9,     /* from the edge of a box to its text */
};

static int width_of(size_t characters)
{
    return (int)(characters * MAP_CHAR + 1) / 2;
}

/* Cuts a text to `most` characters, the last a sign that there was more. */
static const char *cut(char buffer[MAP_BYTES], const char *text, size_t most)
{
    size_t n = 0, i = 0, keep = 0;

    for (; text[i] && n <= most; i++) {
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (n < most)
            keep = i + 1;
    }
    if (n <= most && strlen(text) < MAP_BYTES)
        snprintf(buffer, MAP_BYTES, "%s", text);
    else
        snprintf(buffer, MAP_BYTES, "%.*s…", (int)(keep < MAP_BYTES - 4 ? keep : MAP_BYTES - 4),
                 text);
    return buffer;
}

/* ---- texts ---- */

static void verdict_text(const struct link *l, char *buffer, size_t size)
{
    enum colour colour;
    char lack[80];

    tree_lack(l, lack, sizeof(lack));
    snprintf(buffer, size, "%s%s%s", words_verdict(l, &colour), *lack ? " " : "", lack);
}

/* What is found of the link, or of a device on it, and is not its verdict. */
static void found_text(const struct map *m, const struct link *l, char *buffer, size_t size)
{
    const struct finding *worst = html_alarm(m->page, l);

    if (worst)
        snprintf(buffer, size, HTML_ALARM " %s", worst->entry->code);
}

/* Devices behind a far port: "sda", "5 LUNs". */
static void behind_text(const struct report *r, const struct remote *remote, char *buffer,
                        size_t size)
{
    const struct device *first = NULL;
    size_t n = 0;

    for (size_t i = 0; i < r->model->devices.n; i++)
        if (text_same_known(r->model->devices.v[i]->remote, remote->id))
            first = n++ ? first : r->model->devices.v[i];
    if (n == 1)
        words_nodes(first, false, buffer, size);
    else if (n)
        snprintf(buffer, size, "%zu LUNs", n);
}

static void remote_text(const struct map *m, const struct map_node *n, int column, char *buffer,
                        size_t size)
{
    const struct remote *x = n->remote;

    if (column == MAP_SIGN)
        snprintf(buffer, size, "%s", x->is_unclear ? "?" : x->is_up ? "•" : "✕");
    else if (column == MAP_NAME && n->more)
        snprintf(buffer, size, "and %zu more", n->more);
    else if (column == MAP_NAME)
        snprintf(buffer, size, "%s", x->kernel_name);
    else if (column == MAP_FAR && !n->more)
        snprintf(buffer, size, "%s%s", x->node ? "port of " : "", x->node ? x->node : "");
    else if (column == MAP_DEVICES && !n->more)
        behind_text(m->page->report, x, buffer, size);
    else if (column == MAP_VERDICT)
        snprintf(buffer, size, "%s", x->state ? x->state : x->is_up ? "up" : "not known");
}

const char *map_remote_class(const struct remote *x)
{
    return x->is_unclear ? "unknown" : x->is_up ? "f" : "down";
}

const char *map_text(const struct map *m, const struct map_node *n, int column,
                     char buffer[MAP_BYTES])
{
    static const size_t MOST[MAP_COLUMNS] = { 1, 24, 34, 18, 20, 14, 36, 30 };
    const struct link *l = n->v->link;
    char text[512] = "";

    if (n->remote) {
        remote_text(m, n, column, text, sizeof(text));
        return cut(buffer, text, MOST[column]);
    }
    switch (column) {
    case MAP_SIGN:
        snprintf(text, sizeof(text), "%s", html_sign(l));
        break;
    case MAP_NAME:
        tree_name(n->v, n->run, true, text, sizeof(text));
        break;
    case MAP_FAR:
        tree_far(&m->page->tree, n->v, n->run, true, text, sizeof(text));
        break;
    case MAP_DEVICES:
        tree_devices(&m->page->tree, n->v, n->run, true, text, sizeof(text));
        break;
    case MAP_MODE:
        if (l->actual.label)
            snprintf(text, sizeof(text), "%s", l->actual.label);
        break;
    case MAP_RATE:
        words_payload(link_payload_kb_per_s(l), text, sizeof(text));
        break;
    case MAP_VERDICT:
        verdict_text(l, text, sizeof(text));
        break;
    default:
        found_text(m, l, text, sizeof(text));
        break;
    }
    return cut(buffer, text, MOST[column]);
}

const char *map_label(const struct link *l, int line, char buffer[MAP_BYTES])
{
    char text[512], mode[64];
    enum colour colour;
    bool is_well = l->verdict == VERDICT_OK && l->state == LINK_UP;

    if (line == 0)
        snprintf(text, sizeof(text), "%s%s%s%s%s",
                 l->host && l == l->host->slot ? "slot" : l->kernel_name, is_well ? "" : " ",
                 is_well ? "" : html_sign(l), is_well ? "" : " ",
                 is_well ? "" : words_verdict(l, &colour));
    else if (l->state == LINK_UP && l->actual.known)
        snprintf(text, sizeof(text), "%s", words_mode(&l->actual, mode, sizeof(mode)));
    else
        snprintf(text, sizeof(text), "%s",
                 l->state == LINK_UP ? "mode not known" : link_state_to_string(l->state));
    return cut(buffer, text, 24);
}

const char *map_far(const struct map *m, const struct link *l, int line, char buffer[MAP_BYTES])
{
    const char *far = l->far ? words_end(m->page->report, l->far) : l->kernel_name;
    const char *blank = strchr(far, ' ');
    size_t first = blank ? (size_t)(blank - far) : strlen(far);
    _cleanup_free_ char *text = line == 0 ? strndup(far, first) : strdup(blank ? blank + 1 : "");

    return cut(buffer, text ? text : "", 22);
}

__attribute__((format(printf, 2, 3))) static void add_line(struct map *m, const char *format, ...)
{
    _cleanup_free_ char *text = NULL;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    if (text && *text && m->n_lines < MAP_LINES)
        cut(m->lines[m->n_lines++], text, 24);
}

static void name_adapter(struct map *m)
{
    const struct report *r = m->page->report;
    const struct host *first = r->model->hosts.v[m->first], *last = r->model->hosts.v[m->end - 1],
                      *port = words_physical_port(r, first);

    add_line(m, "%s%s%s", first->kernel_name, first == last ? "" : " … ",
             first == last ? "" : last->kernel_name);
    if (port) {
        add_line(m, "virtual port (NPIV)");
        add_line(m, "of %s", port->kernel_name);
        return;
    }
    add_line(m, "%s", first->model ? first->model : "");
    add_line(m, "%s%s%s", first->driver ? first->driver : "driver not known",
             first->driver_version ? " " : "", first->driver_version ? first->driver_version : "");
    add_line(m, "%s%s", first->firmware ? "fw " : "", first->firmware ? first->firmware : "");
    add_line(m, "%s%s", first->pci_address ? "PCI " : "",
             first->pci_address ? first->pci_address : "");
}

/* ---- places ---- */

/* Places the ports at the far side of a link: all that are not up, and a few that are. */
static int place_remotes(struct map *m, int link, int *y)
{
    const struct model *model = m->page->report->model;
    const struct link *l = m->nodes.v[link].v->link;
    struct map_node row = m->nodes.v[link];
    size_t up = 0;
    int r = 0;

    row.parent = link;
    for (size_t i = 0; r == 0 && i < model->remotes.n; i++) {
        const struct remote *x = &model->remotes.v[i];
        bool is_well = x->is_up && !x->is_unclear;

        if (x->link != l || (is_well && up++ >= REMOTES_UP))
            continue;
        row.remote = x;
        row.y = *y;
        *y += MAP_ROW;
        r = vec_push(&m->nodes, row);
    }
    for (size_t i = 0; r == 0 && up > REMOTES_UP && i < model->remotes.n; i++) {
        if (model->remotes.v[i].link != l || !model->remotes.v[i].is_up)
            continue;
        row.remote = &model->remotes.v[i];
        row.more = up - REMOTES_UP;
        row.y = *y;
        *y += MAP_ROW;
        return vec_push(&m->nodes, row);
    }
    return r;
}

/* Places links below each other from `y` on; `*ret_end` is below the last. */
static int place(struct map *m, const struct tree_node *v, size_t n, size_t depth, int parent,
                 int y, int *ret_end)
{
    int r = 0;

    for (size_t i = 0, run; r == 0 && i < n; i += run) {
        size_t below;
        const struct tree_node *children = tree_below(&m->page->tree, v[i].link, &below);
        int self = (int)m->nodes.n, end;

        run = tree_run(&m->page->tree, v + i, n - i);
        r = vec_push(&m->nodes, (struct map_node){ v + i, run, depth, below == 0, y, MAP_ROW,
                                                   parent, NULL, 0 });
        end = y + MAP_ROW;
        if (r == 0 && below) {
            r = place(m, children, below, depth + 1 < MAP_DEPTH ? depth + 1 : depth, self, y, &end);
            end = end < y + BOX_LEAST ? y + BOX_LEAST : end;
            m->nodes.v[self].height = end - y;
            end += GAP_BOXES;
        } else if (r == 0 && run == 1) {
            r = place_remotes(m, self, &end);
        }
        y = end;
    }
    *ret_end = y;
    return r;
}

/* How wide the texts are, by which the boxes get their places. */
static void measure(struct map *m, int gaps[MAP_DEPTH], size_t widths[MAP_COLUMNS])
{
    char text[MAP_BYTES];

    for (size_t i = 0; i < m->nodes.n; i++) {
        const struct map_node *n = &m->nodes.v[i];

        for (int c = 0; n->is_leaf && c < MAP_COLUMNS; c++) {
            size_t own = text_width(map_text(m, n, c, text));

            widths[c] = own > widths[c] ? own : widths[c];
        }
        for (int line = 0; !n->is_leaf && line < 2; line++) {
            int label = width_of(text_width(map_label(n->v->link, line, text))) + 2 * INSIDE,
                far = width_of(text_width(map_far(m, n->v->link, line, text))) + 2 * INSIDE;

            gaps[n->depth] = label > gaps[n->depth] ? label : gaps[n->depth];
            m->width[n->depth] = far > m->width[n->depth] ? far : m->width[n->depth];
        }
    }
}

static void set_widths(struct map *m)
{
    const struct host *host = m->page->report->model->hosts.v[m->first];
    size_t widths[MAP_COLUMNS] = { 0 };
    int gaps[MAP_DEPTH] = { 0 }, x;
    char text[MAP_BYTES];

    measure(m, gaps, widths);
    m->box_x = host->pci_address && !words_physical_port(m->page->report, host) ? GAP_LEAST : 0;
    for (int line = 0; host->slot && line < 2; line++) {
        int label = width_of(text_width(map_label(host->slot, line, text))) + 2 * INSIDE;

        m->box_x = label > m->box_x ? label : m->box_x;
    }
    for (size_t i = 0; i < m->n_lines; i++) {
        int own = width_of(text_width(m->lines[i])) + 2 * INSIDE;

        m->box_width = own > m->box_width ? own : m->box_width;
    }
    x = m->box_x + m->box_width;
    for (size_t d = 0; d < MAP_DEPTH && m->width[d]; d++) {
        m->x[d] = x + (gaps[d] > GAP_LEAST ? gaps[d] : GAP_LEAST);
        x = m->x[d] + m->width[d];
    }
    x += GAP_ROWS;
    for (int c = 0; c < MAP_COLUMNS; c++) {
        m->columns[c] = x;
        x += widths[c] ? width_of(widths[c]) + (c == MAP_SIGN ? GAP_SIGN : GAP_COLUMN) : 0;
    }
    m->total_width = x;
}

int map_layout(struct page *p, size_t first, size_t end, struct map *ret)
{
    struct tree_nodes below = { 0 };
    int r, least, shift;

    *ret = (struct map){ .page = p, .first = first, .end = end };
    name_adapter(ret);
    r = tree_below_hosts(&p->tree, first, end, &below);
    if (r == 0)
        r = vec_reserve(&ret->nodes, below.list.n);
    ret->roots = below.list.v;
    if (r == 0)
        r = place(ret, below.list.v, below.list.n, 0, -1, 0, &ret->height);
    if (r < 0)
        return r;
    least = (int)ret->n_lines * MAP_LINE + 2 * INSIDE;
    shift = least > ret->height ? (least - ret->height) / 2 : 0;
    for (size_t i = 0; i < ret->nodes.n; i++)
        ret->nodes.v[i].y += shift;
    ret->height = least > ret->height ? least : ret->height;
    set_widths(ret);
    return 0;
}

void map_done(struct map *m)
{
    free(m->nodes.v);
    free(m->roots);
}
