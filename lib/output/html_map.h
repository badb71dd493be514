/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The map of one adapter, laid out: from left to right its slot, itself, expanders (any link with others below it), and a row for
 * each link that leads to a device, or for several that are alike; below it, those of the ports at its far side. What carries others is as high as all their rows, so that every link
 * is a straight bar.
 *
 * All lengths are pixels.
 */
#pragma once

#include "output/html_parts.h"

enum {
    MAP_ROW = 22, /* height of a row */
    MAP_CHAR =
        15, /* half pixels that a character takes: 12 px of a font of equal widths, 0.6 em and a little */
    MAP_DEPTH = 12, /* levels of expanders; what is deeper is drawn at this one */
    MAP_LINES = 6,  /* of text in the box of an adapter */
    MAP_LINE = 16,  /* height of one */
    MAP_TEXT = 40,  /* characters of a text at most */
};

/* A link, or several that are alike; or, below a link that leads to several, one of the ports at its far side. */
struct map_node {
    const struct tree_node *v;
    size_t run;                  /* so many */
    size_t depth;                /* 0: directly at the adapter */
    bool is_leaf;                /* a row; else a box */
    int y, height;               /* of the row or box */
    int parent;                  /* its index; -1: the adapter. Of a far port: the link */
    const struct remote *remote; /* NULL: it is a link */
    size_t more;                 /* so many more that are up have no row of their own */
};

enum {
    MAP_SIGN,
    MAP_NAME,
    MAP_FAR,
    MAP_DEVICES,
    MAP_MODE,
    MAP_RATE,
    MAP_VERDICT,
    MAP_FOUND,
    MAP_COLUMNS
};

struct map {
    struct page *page;
    size_t first, end;       /* hosts */
    struct tree_node *roots; /* what hangs directly below them */
    VEC(struct map_node) nodes;
    char lines[MAP_LINES][4 * MAP_TEXT]; /* in the box of the adapter */
    size_t n_lines;
    int box_x, box_width;               /* of the adapter */
    int x[MAP_DEPTH], width[MAP_DEPTH]; /* of boxes, by depth */
    int columns[MAP_COLUMNS];           /* where the texts of rows begin */
    int total_width, height;
};

/* Lays out the map of the hosts from the first to before the end. Returns 0 or -ENOMEM; map_done() in either case. */
int map_layout(struct page *p, size_t first, size_t end, struct map *ret);
void map_done(struct map *m);

/* The text of a column of a row, into a buffer of MAP_TEXT characters that is returned. */
enum { MAP_BYTES = 4 * MAP_TEXT };
const char *map_text(const struct map *m, const struct map_node *n, int column,
                     char buffer[MAP_BYTES]);

/* The class of a port at the far side, for the style: how it is. */
const char *map_remote_class(const struct remote *x);

/* The two lines at the bar that leads to a box. */
const char *map_label(const struct link *l, int line, char buffer[MAP_BYTES]);

/* The two lines in a box: what is at the far end. */
const char *map_far(const struct map *m, const struct link *l, int line, char buffer[MAP_BYTES]);
