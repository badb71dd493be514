/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What probes gave (bench.h): of each device the fastest read that counts, else why there is none.
 */
#include <errno.h>
#include <inttypes.h>

#include "output/bench.h"
#include "output/timed.h"
#include "output/words.h"
#include "probe/cell.h"

enum { DEVICE, NODE, RATE, OF, METHOD, SAYS, COLUMNS };

static const struct timed *read_of(const struct bench_device *d)
{
    for (size_t i = 0; i < d->cells.n; i++)
        if (d->cells.v[i]->read == d->sweep.best)
            return d->cells.v[i];
    return d->cells.n ? d->cells.v[d->cells.n - 1] : NULL;
}

static int put_rate(struct table *t, const struct bench_device *d, const struct timed *x)
{
    const struct measurement *m = x->read;
    char text[512], block[24];
    int r = 0;

    if (timed_trouble(m)) {
        r = table_cell(t, RATE, COLOUR_BAD, timed_trouble(m));
        return r < 0 ? r : table_cell(t, SAYS, COLOUR_NONE, timed_reason(m, text, sizeof(text)));
    }
    r = table_cellf(t, RATE, COLOUR_NONE, TENTHS, TENTHS_OF(cell_kb_per_s(m)));
    if (r == 0 && d->path.kb_per_s)
        r = table_cellf(t, OF, COLOUR_NONE, TENTHS, TENTHS_OF(d->path.kb_per_s));
    if (r == 0)
        r = table_cellf(t, METHOD, COLOUR_NONE, "%s, %s", timed_method(m, text, sizeof(text)),
                        timed_block(m->block_bytes, block));
    if (r == 0 && x->proves)
        r = table_cellf(t, SAYS, COLOUR_NONE, "%s%s%s", x->proves, x->why ? ": " : "",
                        x->why ? x->why : "");
    return r;
}

/* A row a device; NULL without memory. */
static struct table *probes_table(const struct bench *b)
{
    static const struct column TABLE[] = {
        [DEVICE] = { "DEVICE" },
        [NODE] = { "NODE" },
        [RATE] = { "MB/s", .right = true },
        [OF] = { "OF", .right = true },
        [METHOD] = { "BY", .drop = 1 },
        [SAYS] = { "SAYS", .wraps = true, .least = 20 },
    };
    struct table *t = table_new(TABLE, COLUMNS);
    int r = t ? 0 : -1;
    char nodes[128];

    for (size_t i = 0; r == 0 && i < b->devices.n; i++) {
        const struct bench_device *d = &b->devices.v[i];
        const struct timed *x = read_of(d);

        r = table_row(t);
        if (r == 0)
            r = table_cell(t, DEVICE, COLOUR_NONE, d->device->hctl);
        if (r == 0)
            r = table_cell(t, NODE, COLOUR_NONE,
                           words_nodes(d->device, false, nodes, sizeof(nodes)));
        if (r == 0)
            r = x ? put_rate(t, d, x)
                  : table_cell(t, SAYS, COLOUR_NONE, "not probed: nothing was said of it");
    }
    return r == 0 ? t : table_free(t);
}

void output_probes(const struct bench *b, const struct text_style *style, FILE *out)
{
    _cleanup_(table_freep) struct table *t = probes_table(b);

    if (t)
        table_print(t, style, out);
    else
        fputs("out of memory\n", out);
}

int output_html_probes(const struct bench *b, FILE *out)
{
    _cleanup_(table_freep) struct table *t = probes_table(b);

    if (t)
        table_html(t, out);
    return t ? 0 : -ENOMEM;
}
