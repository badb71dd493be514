/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timed reads in the page: a row for each device that was read, then the tables of those that were read in more than one way, and
 * of those that were read at the same time.
 */
#include "output/bench.h"
#include "output/html_parts.h"

enum {
    SWEEPS_OPEN = 4, /* where there are more, each is folded */
    SWEEPS_MAX = 64,
};

static bool is_sweep(const struct bench_device *d)
{
    return d->cells.n > 1;
}

static int sweeps(const struct page *p, const struct bench *b)
{
    size_t n = 0, shown = 0;
    int r = 0;

    for (size_t i = 0; i < b->devices.n; i++)
        n += is_sweep(&b->devices.v[i]);
    for (size_t i = 0; r == 0 && i < b->devices.n && shown < SWEEPS_MAX; i++) {
        const struct bench_device *d = &b->devices.v[i];

        if (!is_sweep(d))
            continue;
        shown++;
        html_fold_begin(p, d->cells.n, n <= SWEEPS_OPEN);
        markup(p->out, "%s: %zu reads", d->device->hctl, d->cells.n);
        html_fold_body(p);
        r = output_html_bench(d, p->out);
        html_fold_end(p);
    }
    if (n > SWEEPS_MAX)
        markup(p->out, "<p>And %zu more: hbactl bench shows all.</p>\n", n - SWEEPS_MAX);
    return r;
}

int html_bench(struct page *p)
{
    const struct bench *b = p->asked->bench;
    int r;

    if (!b || !b->devices.n)
        return 0;
    fputs(
        "<section class=\"bench\" aria-labelledby=\"bench\">\n<h2 id=\"bench\">Timed reads</h2>\n",
        p->out);
    html_fold_begin(p, b->devices.n, true);
    fputs("The fastest of each device", p->out);
    html_fold_body(p);
    r = output_html_probes(b, p->out);
    html_fold_end(p);
    if (r == 0)
        r = sweeps(p, b);
    if (r == 0 && b->cells.n) {
        html_fold_begin(p, b->cells.n, true);
        fputs("At the same time", p->out);
        html_fold_body(p);
        r = output_html_together(b, p->out);
        html_fold_end(p);
    }
    fputs("</section>\n", p->out);
    return r;
}
