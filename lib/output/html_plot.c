/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pictures of how a link was (html_plot.h).
 */
#include "output/html_plot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "output/plot.h"

enum {
    LEFT = 104,    /* pixels, of what is written beside the axes */
    COLUMN = 2,    /* of a column */
    COLUMNS = 380, /* of time */
    WIDTH = LEFT + COLUMN * COLUMNS + 8,
    PANEL = 64, /* height of a panel */
    GAP = 30,   /* above it, for its name */
    FOOT = 22,  /* below the last, for times */
    COUNTERS_MAX = 4,
    MARKS = 6,
};

struct drawing {
    const struct page *page;
    const struct html_trend *trend;
    struct plot_time time;
    int y; /* the top of the panel under way */
};

struct columns {
    struct plot_column v[COLUMNS];
};

static int x_of(const struct drawing *d, uint64_t at_us)
{
    return LEFT + COLUMN * (int)plot_column_of(&d->time, at_us);
}

static int y_of(const struct drawing *d, uint64_t value, uint64_t axis)
{
    double part = axis ? (double)value / (double)axis : 0;

    return d->y + PANEL - (int)((part < 1 ? part : 1) * PANEL + 0.5);
}

/* ---- what was worse ---- */

/* The best that it ran at, or should. */
static uint64_t best_of(const struct html_trend *t)
{
    uint64_t best = t->link->expected.known ? rate_kb_per_s(t->link->expected.rate) : 0;

    for (size_t i = 0; i < t->answer->changes.n; i++) {
        const struct history_change *c = &t->answer->changes.v[i];

        if (c->known && c->is_up && c->kb_per_s > best)
            best = c->kb_per_s;
    }
    return best;
}

static uint64_t end_of(const struct html_trend *t, const struct history_change *c)
{
    return c->until_us ? c->until_us : t->to_us;
}

static void shade_time(const struct drawing *d, const char *how, uint64_t from_us, uint64_t to_us)
{
    int from = x_of(d, from_us), to = x_of(d, to_us) + COLUMN;

    if (to_us >= d->time.from_us)
        markup(d->page->out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
               how, from, d->y, to - from, PANEL);
}

/* Shades the times in which it was not up, ran at less than its best, or something was found; and those in which it is not known
 * how it ran. */
static void shade(const struct drawing *d)
{
    const struct history_answer *a = d->trend->answer;
    uint64_t best = best_of(d->trend);

    for (size_t i = 0; i < a->findings.n; i++)
        if (a->findings.v[i].severity > SEVERITY_INFO)
            shade_time(d, "worse", a->findings.v[i].since_us,
                       a->findings.v[i].until_us ? a->findings.v[i].until_us : d->trend->to_us);
    for (size_t i = 0; i < a->changes.n; i++) {
        const struct history_change *c = &a->changes.v[i];
        bool is_unknown = c->is_up ? !c->known : c->state == LINK_UNKNOWN;

        if (is_unknown || !c->is_up || c->kb_per_s < best)
            shade_time(d, is_unknown ? "dark" : "worse", c->since_us, end_of(d->trend, c));
    }
}

/* ---- panels ---- */

static void begin_panel(struct drawing *d, const char *name, const char *top)
{
    d->y += GAP;
    markup(d->page->out, "\n<text class=\"t\" x=\"%d\" y=\"%d\">%s</text>\n", LEFT, d->y - 8, name);
    markup(
        d->page->out,
        "<text class=\"m e\" x=\"%d\" y=\"%d\">%s</text> <text class=\"m e\" x=\"%d\" y=\"%d\">0</text>\n",
        LEFT - 8, d->y + 9, top, LEFT - 8, d->y + PANEL);
    markup(d->page->out, "<path class=\"axis\" d=\"M%d %dH%dM%d %dH%d\"/>\n", LEFT, d->y,
           LEFT + COLUMN * COLUMNS, LEFT, d->y + PANEL, LEFT + COLUMN * COLUMNS);
}

static void end_panel(struct drawing *d)
{
    d->y += PANEL;
}

/* The names of modes at their lines, where there is room. */
static void name_modes(const struct drawing *d, uint64_t axis)
{
    enum { CHARACTER = 7 };

    for (size_t i = 0; i < d->trend->answer->changes.n; i++) {
        const struct history_change *c = &d->trend->answer->changes.v[i];
        int from = x_of(d, c->since_us), to = x_of(d, end_of(d->trend, c)), y;
        char rate[32] = "";
        const char *name = !c->is_up   ? link_state_to_string(c->state)
                           : !c->known ? "?"
                           : c->label  ? c->label
                                       : words_payload(c->kb_per_s, rate, sizeof(rate));

        y = y_of(d, c->is_up && c->known ? c->kb_per_s : 0, axis);
        if (to - from > (int)text_width(name) * CHARACTER + 8)
            markup(d->page->out, "<text class=\"m\" x=\"%d\" y=\"%d\">%s</text>\n", from + 5,
                   y < d->y + 16 ? y + 14 : y - 5, name);
    }
}

/* A line through all columns that are known, from the least to the most of each. */
static void draw_line(const struct drawing *d, const struct columns *c, uint64_t axis)
{
    bool is_open = false;
    int last = 0;

    fputs("<path class=\"line\" d=\"", d->page->out);
    for (size_t i = 0; i < COLUMNS; i++) {
        const struct plot_column *v = &c->v[i];
        int x = LEFT + COLUMN * (int)i;

        if (v->is_known && !is_open)
            markup(d->page->out, "M%d %d", x, y_of(d, v->first, axis));
        else if (is_open && (!v->is_known || v->least != v->most || y_of(d, v->last, axis) != last))
            markup(d->page->out, "H%d", x);
        if (v->is_known && (v->least != v->most || y_of(d, v->last, axis) != last))
            markup(d->page->out, "V%dV%dV%d", y_of(d, v->least, axis), y_of(d, v->most, axis),
                   y_of(d, v->last, axis));
        is_open = v->is_known;
        last = y_of(d, v->last, axis);
    }
    if (is_open)
        markup(d->page->out, "H%d", LEFT + COLUMN * COLUMNS);
    fputs("\"/>\n", d->page->out);
}

/* A bar for each column with more than nothing, on a foot for those that are known: none is not the same as not known. */
static void draw_bars(const struct drawing *d, const struct columns *c, uint64_t axis)
{
    fputs("<path class=\"foot\" d=\"", d->page->out);
    for (size_t i = 0, run; i < COLUMNS; i += run) {
        for (run = 1; i + run < COLUMNS && c->v[i + run].is_known == c->v[i].is_known; run++)
            ;
        if (c->v[i].is_known)
            markup(d->page->out, "M%d %dh%d", LEFT + COLUMN * (int)i, d->y + PANEL,
                   COLUMN * (int)run);
    }
    fputs("\"/>\n", d->page->out);
    fputs("<path class=\"bars\" d=\"", d->page->out);
    for (size_t i = 0; i < COLUMNS; i++) {
        int y = y_of(d, c->v[i].most, axis), foot = d->y + PANEL;

        if (c->v[i].is_known && c->v[i].most)
            markup(d->page->out, "M%d %dV%d", LEFT + COLUMN * (int)i + COLUMN / 2, foot,
                   y < foot ? y : foot - 1);
    }
    fputs("\"/>\n", d->page->out);
}

/* A mark for each column, from the least to the most, and a thread through all of them. */
static void draw_marks(const struct drawing *d, const struct columns *c, uint64_t axis)
{
    const char *step = "M";

    fputs("<path class=\"thread\" d=\"", d->page->out);
    for (size_t i = 0; i < COLUMNS; i++)
        if (c->v[i].is_known) {
            markup(d->page->out, "%s%d %d", step, LEFT + COLUMN * (int)i + COLUMN / 2,
                   y_of(d, c->v[i].last, axis));
            step = "L";
        }
    fputs("\"/>", d->page->out);
    fputs("<path class=\"marks\" d=\"", d->page->out);
    for (size_t i = 0; i < COLUMNS; i++)
        if (c->v[i].is_known)
            markup(d->page->out, "M%d %dV%d", LEFT + COLUMN * (int)i + COLUMN / 2,
                   y_of(d, c->v[i].least, axis) + 2, y_of(d, c->v[i].most, axis) - 2);
    fputs("\"/>\n", d->page->out);
}

static int draw_rate(struct drawing *d)
{
    const struct history_answer *a = d->trend->answer;
    struct columns *c = calloc(1, sizeof(*c));
    uint64_t best = best_of(d->trend), axis = plot_axis(best);
    char top[32] = "";

    if (!c)
        return -ENOMEM;
    begin_panel(d, "Mode", words_payload(axis, top, sizeof(top)));
    shade(d);
    for (size_t i = 0; i < a->changes.n; i++) {
        const struct history_change *x = &a->changes.v[i];

        if (!x->is_up || x->known)
            plot_hold(&d->time, x->is_up ? x->kb_per_s : 0, x->since_us, end_of(d->trend, x), c->v);
    }
    draw_line(d, c, axis);
    name_modes(d, axis);
    end_panel(d);
    free(c);
    return 0;
}

/* Growth of the counter as a rate an hour. */
static uint64_t an_hour(const struct history_growth *g)
{
    double hours = g->at_us > g->from_us ? (double)(g->at_us - g->from_us) / 3.6e9 : 0;
    double rate = hours > 0 ? (double)g->grown / hours : 0;

    return rate < 1e18 ? (uint64_t)(rate + 0.999) : UINT64_C(1000000000000000000);
}

static int draw_counter(struct drawing *d, const char *name)
{
    const struct history_answer *a = d->trend->answer;
    struct columns *c = calloc(1, sizeof(*c));
    uint64_t most = 0, axis;
    char top[48];

    if (!c)
        return -ENOMEM;
    for (size_t i = 0; i < a->growths.n; i++) {
        const struct history_growth *g = &a->growths.v[i];

        if (!text_same(g->name, name) || g->is_unknown)
            continue;
        most = an_hour(g) > most ? an_hour(g) : most;
        plot_hold(&d->time, an_hour(g), g->from_us, g->at_us, c->v);
    }
    axis = plot_axis(most);
    snprintf(top, sizeof(top), "%" PRIu64 " an hour", axis);
    begin_panel(d, name, top);
    shade(d);
    for (size_t i = 0; i < a->growths.n; i++) {
        const struct history_growth *g = &a->growths.v[i];

        if (text_same(g->name, name) && g->is_unknown && g->at_us > g->from_us)
            shade_time(d, "dark", g->from_us, g->at_us);
    }
    draw_bars(d, c, axis);
    end_panel(d);
    free(c);
    return 0;
}

/* Counters that grew, each once, the first few. */
static size_t counters_of(const struct history_answer *a, const char *names[COUNTERS_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < a->growths.n && n < COUNTERS_MAX; i++) {
        bool is_new = a->growths.v[i].grown > 0;

        for (size_t k = 0; k < n; k++)
            is_new &= !text_same(names[k], a->growths.v[i].name);
        if (is_new)
            names[n++] = a->growths.v[i].name;
    }
    return n;
}

static bool is_alike(const struct history_probe *a, const struct history_probe *b)
{
    return text_same(a->method, b->method) && a->block_bytes == b->block_bytes;
}

/* The way of reading that was used most. */
static const struct history_probe *usual_probe(const struct history_answer *a)
{
    const struct history_probe *usual = NULL;
    size_t most = 0;

    for (size_t i = 0; i < a->probes.n; i++) {
        size_t n = 0;

        for (size_t k = i; k < a->probes.n; k++)
            n += is_alike(&a->probes.v[k], &a->probes.v[i]);
        if (n > most)
            usual = &a->probes.v[i];
        most = n > most ? n : most;
    }
    return usual;
}

/* What probes of one way gave: rates, or how long a read took. */
static int draw_probes(struct drawing *d, const struct history_probe *usual, bool of_latency)
{
    const struct history_answer *a = d->trend->answer;
    struct columns *c = calloc(1, sizeof(*c));
    uint64_t most = 0, axis;
    char top[48] = "", name[160];

    if (!c)
        return -ENOMEM;
    for (size_t i = 0; i < a->probes.n; i++) {
        const struct history_probe *x = &a->probes.v[i];
        uint64_t high = of_latency ? x->most_median_us : x->most_kb_per_s;

        if (!is_alike(x, usual) || !high)
            continue;
        most = high > most ? high : most;
        plot_hold(&d->time, of_latency ? x->least_median_us : x->least_kb_per_s, x->at_us, x->at_us,
                  c->v);
        plot_hold(&d->time, high, x->at_us, x->at_us, c->v);
    }
    axis = plot_axis(most);
    if (of_latency)
        snprintf(top, sizeof(top), "%" PRIu64 ".%03" PRIu64 " ms", axis / 1000, axis % 1000);
    else
        words_payload(axis, top, sizeof(top));
    snprintf(name, sizeof(name), "%s, blocks of %" PRIu64 " KiB%s", usual->method,
             usual->block_bytes / 1024, of_latency ? ": one read takes" : "");
    begin_panel(d, name, top);
    shade(d);
    draw_marks(d, c, axis);
    end_panel(d);
    free(c);
    return 0;
}

static bool has_latency(const struct history_answer *a, const struct history_probe *usual)
{
    for (size_t i = 0; i < a->probes.n; i++)
        if (is_alike(&a->probes.v[i], usual) && a->probes.v[i].median_us)
            return true;
    return false;
}

static void draw_times(const struct drawing *d)
{
    enum { HALF = 38, RIGHT = LEFT + COLUMN * COLUMNS }; /* of a text's width; where columns end */
    uint64_t tick = plot_tick(&d->time, MARKS), day = UINT64_C(86400) * 1000000;
    uint64_t at = (d->time.from_us + tick - 1) / tick * tick;

    for (; at <= d->time.to_us; at += tick) {
        time_t seconds = (time_t)(at / 1000000);
        int x = x_of(d, at);
        char text[32] = "";
        struct tm tm;

        if (gmtime_r(&seconds, &tm))
            strftime(text, sizeof(text), tick < day ? "%m-%d %H:%M" : "%Y-%m-%d", &tm);
        markup(
            d->page->out,
            "<path class=\"axis\" d=\"M%d %dV%d\"/><text class=\"m c\" x=\"%d\" y=\"%d\">%s</text>\n",
            x, d->y, d->y + 4,
            x < LEFT + HALF    ? LEFT + HALF
            : x > RIGHT - HALF ? RIGHT - HALF
                               : x,
            d->y + 16, text);
    }
}

/* ---- all of it ---- */

static void describe(const struct html_trend *t, FILE *out)
{
    const char *names[COUNTERS_MAX];
    char from[32], to[32];

    markup(out, "From %s to %s: ", words_time(t->from_us, from, sizeof(from)),
           words_time(t->to_us, to, sizeof(to)));
    markup(out, "%zu mode%s or state%s, %zu counter%s that grew, %zu probe%s. ",
           t->answer->changes.n, t->answer->changes.n == 1 ? "" : "s",
           t->answer->changes.n == 1 ? "" : "s", counters_of(t->answer, names),
           counters_of(t->answer, names) == 1 ? "" : "s", t->answer->probes.n,
           t->answer->probes.n == 1 ? "" : "s");
    fputs("The tables below have the numbers.", out);
}

int html_plot(struct page *p, const struct html_trend *t)
{
    struct drawing d = { p, t, { t->from_us, t->to_us, COLUMNS }, 0 };
    const char *names[COUNTERS_MAX];
    size_t counters = counters_of(t->answer, names);
    const struct history_probe *usual = usual_probe(t->answer);
    bool latency = usual && has_latency(t->answer, usual);
    int height = (GAP + PANEL) * (1 + (int)counters + (usual ? 1 : 0) + (latency ? 1 : 0)) + FOOT;
    int r = 0;

    markup(
        p->out,
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Trend of %s\">\n"
        "<svg width=\"%d\" height=\"%d\" style=\"min-width:%dpx\" viewBox=\"0 0 %d %d\" role=\"img\">\n"
        "<title>Trend of %s</title>\n<desc>",
        t->link->kernel_name, WIDTH, height, WIDTH * 4 / 5, WIDTH, height, t->link->kernel_name);
    describe(t, p->out);
    fputs("</desc>\n", p->out);
    r = draw_rate(&d);
    for (size_t i = 0; r == 0 && i < counters; i++)
        r = draw_counter(&d, names[i]);
    if (r == 0 && usual)
        r = draw_probes(&d, usual, false);
    if (r == 0 && latency)
        r = draw_probes(&d, usual, true);
    draw_times(&d);
    fputs("</svg></div>\n", p->out);
    return r;
}
