/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The maps of the page, drawn: one picture an adapter. How wide a bar is says what it carries, its colour and the sign beside
 * it how it is judged; a pale bar behind it what it should carry.
 */
#include "output/html_map.h"

#include <stdlib.h>
#include <string.h>

#include "output/argument.h"

enum {
    ADAPTERS_OPEN = 8, /* where there are more, some are folded */
    TABLES_OPEN = 2,   /* where there are more, their tables are: the maps have what matters */
    WIDTH_LEAST = 560, /* of a picture, in pixels */
    BAR_LEAST = 20,    /* tenths of a pixel: the thinnest bar */
    BAR_MORE = 140,    /* and how much more the widest has */
};

/* The whole root of n. */
static uint64_t root_of(uint64_t n)
{
    uint64_t root = 0;

    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((root + bit) * (root + bit) <= n)
            root += bit;
    return root;
}

/* So wide, in tenths of a pixel: by the root, for a disk is seen beside a slot that carries a hundred times as much. */
static unsigned bar_of(const struct page *p, uint64_t kb_per_s)
{
    double part = (double)kb_per_s / (double)p->most_kb_per_s;

    part = part < 1 ? part : 1;
    return BAR_LEAST + (unsigned)(root_of((uint64_t)(part * 1e6)) * BAR_MORE / 1000);
}

static void bar(const struct page *p, const char *name, int from, int to, int y, unsigned tenths)
{
    markup(p->out, "<path class=\"%s\" d=\"M%d %dH%d\" stroke-width=\"%u.%u\"/>", name, from, y, to,
           tenths / 10, tenths % 10);
}

/* The bar of a link; behind it, where it carries less than it should, the one that it should be. */
static void draw_link(const struct page *p, const struct link *l, int from, int to, int y)
{
    uint64_t kb_per_s = link_payload_kb_per_s(l);
    char name[32];

    if (l->verdict == VERDICT_BELOW && l->expected.known)
        bar(p, "lack", from, to, y, bar_of(p, rate_kb_per_s(l->expected.rate)));
    snprintf(name, sizeof(name), "bar %s", html_class(l));
    bar(p, name, from, to, y, kb_per_s ? bar_of(p, kb_per_s) : BAR_LEAST);
}

/* The bar of a link that others hang on, and two lines of text above and below it. */
static void draw_trunk(const struct map *m, const struct link *l, int from, int to, int y)
{
    const struct page *p = m->page;
    char text[2][MAP_BYTES];

    markup(p->out, "<a href=\"#l%zu\">", l->index);
    draw_link(p, l, from, to, y);
    markup(
        p->out,
        "<text class=\"m %s\" x=\"%d\" y=\"%d\">%s</text> <text class=\"m\" x=\"%d\" y=\"%d\">%s</text></a>\n",
        html_class(l), from + 8, y - 12, map_label(l, 0, text[0]), from + 8, y + 20,
        map_label(l, 1, text[1]));
}

static void draw_box(const struct page *p, int x, int y, int width, int height)
{
    markup(p->out, "<rect class=\"box\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>\n",
           x, y, width, height);
}

/* Something that others hang on: its bar from the left, itself, what it is. */
static void draw_inner(const struct map *m, const struct map_node *n, int from)
{
    const struct page *p = m->page;
    const struct link *l = n->v->link;
    int x = m->x[n->depth], middle = n->y + n->height / 2;
    char text[MAP_BYTES];

    draw_trunk(m, l, from, x, middle);
    draw_box(p, x, n->y + 1, m->width[n->depth], n->height - 2);
    markup(p->out, "<text class=\"t\" x=\"%d\" y=\"%d\">%s</text> ", x + 9, middle - 3,
           map_far(m, l, 0, text));
    markup(p->out, "<text class=\"m\" x=\"%d\" y=\"%d\">%s</text>\n", x + 9, middle + 13,
           map_far(m, l, 1, text));
}

static void draw_row(const struct map *m, const struct map_node *n, int from)
{
    static const char *const CLASSES[MAP_COLUMNS] = {
        NULL, "t", "f", "f", "f", "f", NULL, "below"
    };
    const struct page *p = m->page;
    const struct link *l = n->v->link;
    int y = n->y + MAP_ROW / 2;
    char text[MAP_BYTES];

    markup(p->out, "<a href=\"#l%zu\">", l->index);
    draw_link(p, l, from, m->columns[MAP_SIGN] - 6, y);
    markup(p->out, "<text y=\"%d\">", y + 4);
    for (int c = 0; c < MAP_COLUMNS; c++) {
        map_text(m, n, c, text);
        if (*text)
            markup(p->out, "<tspan class=\"%s\" x=\"%d\">%s</tspan> ",
                   CLASSES[c] ? CLASSES[c] : html_class(l), m->columns[c], text);
    }
    fputs("</text></a>\n", p->out);
}

/* A port at the far side, below its link. */
static void draw_remote(const struct map *m, const struct map_node *n)
{
    const struct page *p = m->page;
    const char *how = map_remote_class(n->remote);
    int x = m->columns[MAP_SIGN] - 20, y = n->y + MAP_ROW / 2,
        top = m->nodes.v[n->parent].y + MAP_ROW / 2;
    char text[MAP_BYTES];

    markup(p->out, "<path class=\"stem\" d=\"M%d %dV%dH%d\"/><text y=\"%d\">", x, top + 8, y,
           m->columns[MAP_SIGN] - 6, y + 4);
    for (int c = 0; c < MAP_COLUMNS; c++) {
        map_text(m, n, c, text);
        if (*text)
            markup(p->out, "<tspan class=\"%s\" x=\"%d\">%s</tspan> ",
                   c == MAP_SIGN || c == MAP_VERDICT ? how : "f", m->columns[c], text);
    }
    fputs("</text>\n", p->out);
}

static void draw_adapter(const struct map *m)
{
    const struct page *p = m->page;
    const struct host *host = p->report->model->hosts.v[m->first];
    int middle = m->height / 2, y = middle - (int)m->n_lines * MAP_LINE / 2 + 12;

    if (host->slot) {
        draw_trunk(m, host->slot, 0, m->box_x, middle);
    } else if (m->box_x) {
        bar(p, "bar unknown", 0, m->box_x, middle, BAR_LEAST);
        markup(p->out, "<text class=\"m\" x=\"4\" y=\"%d\">slot ?</text>\n", middle - 8);
    }
    draw_box(p, m->box_x, 1, m->box_width, m->height - 2);
    for (size_t i = 0; i < m->n_lines; i++)
        markup(p->out, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", i ? "m" : "t",
               m->box_x + 9, y + (int)i * MAP_LINE, m->lines[i]);
}

static void draw_nodes(const struct map *m)
{
    const struct report *r = m->page->report;
    const struct host *port = words_physical_port(r, r->model->hosts.v[m->first]);

    for (size_t i = 0; i < m->nodes.n; i++) {
        const struct map_node *n = &m->nodes.v[i];
        const struct map_node *parent = n->parent >= 0 ? &m->nodes.v[n->parent] : NULL;
        int from;

        if (n->remote) {
            draw_remote(m, n);
            continue;
        }
        from = parent ? m->x[parent->depth] + m->width[parent->depth] : m->box_x + m->box_width;

        if (n->is_leaf)
            draw_row(m, n, from);
        else
            draw_inner(m, n, from);
    }
    if (!m->nodes.n)
        markup(m->page->out, "<text class=\"m\" x=\"%d\" y=\"%d\">%s%s</text>\n",
               m->box_x + m->box_width + 14, m->height / 2 + 4,
               port ? "its link is that of " : "nothing is attached",
               port ? port->kernel_name : "");
}

/* "host0, LSI53C1030 B2: 5 links, 4 ok, 1 below.", of each host. */
static int describe(const struct page *p, size_t first, size_t end)
{
    struct markup_lines lines;
    int r = markup_lines_begin(&lines);

    if (r < 0)
        return r;
    for (size_t i = first; i < end; i++)
        argument_standings(p->report, p->report->model->hosts.v[i], lines.text);
    return markup_lines_end(&lines, NULL, p->out);
}

static int draw(struct page *p, size_t first, size_t end)
{
    struct map m;
    int r = map_layout(p, first, end, &m), width, height;

    if (r == 0) {
        width = m.total_width > WIDTH_LEAST ? m.total_width : WIDTH_LEAST;
        height = m.height + 2;
        markup(p->out,
               "<div class=\"wide map\" tabindex=\"0\" role=\"region\" aria-label=\"Map of %s\">\n"
               "<svg width=\"%d\" height=\"%d\" style=\"min-width:%dpx\" viewBox=\"0 0 %d %d\" "
               "role=\"group\">\n<title>Map of %s</title>\n<desc>",
               m.lines[0], width, height, width * 4 / 5, width, height, m.lines[0]);
        r = describe(p, first, end);
        fputs("</desc>\n", p->out);
        draw_nodes(&m);
        draw_adapter(&m);
        fputs("</svg></div>\n", p->out);
    }
    map_done(&m);
    return r;
}

/* Is there something to be seen about one of the hosts, their links or devices? */
static bool is_odd(const struct page *p, size_t first, size_t end)
{
    const struct model *m = p->report->model;

    for (size_t i = first; i < end; i++)
        for (size_t k = 0; k < m->hosts.v[i]->findings.n; k++)
            if (m->hosts.v[i]->findings.v[k]->severity > SEVERITY_INFO)
                return true;
    for (size_t i = 0; i < m->links.n; i++) {
        const struct link *l = m->links.v[i];

        if (html_is_of(l, m, first, end) && (words_is_odd(l) || tree_worst(&p->tree, l)))
            return true;
    }
    return false;
}

/* An adapter: its name and how its links are, its map, its table. Where there are many, those of which nothing is to be said are
 * folded. */
static int adapter(struct page *p, size_t first, size_t end, bool folds, bool is_open)
{
    int r;

    fputs(folds ? "<details class=\"adapter\"><summary>" : "<div class=\"adapter\">", p->out);
    for (size_t i = first; i < end; i++)
        markup(p->out, "<span id=\"h%zu\"></span>", i);
    fputs("<h3>", p->out);
    r = describe(p, first, end);
    fputs(folds ? "</h3></summary>\n" : "</h3>\n", p->out);
    if (r == 0)
        r = draw(p, first, end);
    if (r == 0)
        r = html_table(p, first, end, is_open);
    fputs(folds ? "</details>\n" : "</div>\n", p->out);
    return r;
}

int html_map(struct page *p)
{
    const struct report *r = p->report;
    size_t adapters = 0;
    int e = html_argue(p);

    for (size_t i = 0; i < r->model->hosts.n; i = tree_adapter_end(r, i))
        adapters++;
    fputs(
        "<section aria-labelledby=\"map\">\n<h2 id=\"map\">Adapters and their links</h2>\n"
        "<p class=\"dim\">The wider a bar, the more its link carries; a pale bar behind it is what it should carry. Dashed: "
        "not known. Dotted: nothing is attached, or there is no link.</p>\n",
        p->out);
    for (size_t i = 0, end; e == 0 && i < r->model->hosts.n; i = end) {
        end = tree_adapter_end(r, i);
        e = adapter(p, i, end, adapters > ADAPTERS_OPEN && !is_odd(p, i, end),
                    adapters <= TABLES_OPEN);
    }
    if (e == 0)
        e = html_table(p, 0, 0, true);
    fputs("</section>\n", p->out);
    return e;
}
