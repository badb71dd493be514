/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A report as a monitoring plugin judges it (check.h): what is meant → its numbers → the state → the words.
 */
#include "answer/check.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "answer/answer.h"
#include "answer/named.h"
#include "base/text.h"
#include "diagnose/resolve.h"
#include "output/words.h"

/* Of so many links are lines given, where they were named, and numbers as far as there is room: all must fit into what a
 * monitoring system takes (output/plugin.h). */
enum { LINKS_MAX = 12, NUMBERS_MAX = 48 };

enum number {
    LINKS,
    UP,
    DOWN,
    BELOW,
    CAPPED,
    UNKNOWN,
    CRITICAL,
    WARNING,
    INFO,
    UNEXAMINED,
    AGE,
    NUMBERS
};

static const char *const NAMES[NUMBERS] = { "links",  "up",         "down",     "below",
                                            "capped", "unknown",    "critical", "warning",
                                            "info",   "unexamined", "age" };

struct checking {
    const struct report *report;
    const struct check_options *options;
    struct arena *arena;
    VEC(const struct link *) links; /* those that are meant, then the hops on their way */
    size_t n_meant;
    VEC(const struct device *) devices; /* that were named */
    VEC(const char *) ids;              /* of what was named; of what is gone, what it was called */
    VEC(const struct finding *) findings; /* worst first */
    struct summary summary;               /* of these */
    const char *missing;                  /* a name that nothing goes by; NULL: none is */
    uint64_t numbers[NUMBERS];
    enum number judged;
    struct plugin plugin;
};

/* ---- what is meant ---- */

static int add_link(struct checking *c, const struct link *l)
{
    for (size_t i = 0; i < c->links.n; i++)
        if (c->links.v[i] == l)
            return 0;
    if (vec_push(&c->ids, l->id) < 0)
        return -ENOMEM;
    return vec_push(&c->links, l);
}

static int add_host(struct checking *c, const struct host *h)
{
    const struct model *m = c->report->model;
    int r = vec_push(&c->ids, h->id);

    for (size_t i = 0; r == 0 && i < m->links.n; i++)
        if (m->links.v[i]->host == h && words_counts(m->links.v[i]))
            r = add_link(c, m->links.v[i]);
    for (size_t i = 0; r == 0 && i < m->devices.n; i++)
        if (m->devices.v[i]->host == h)
            r = vec_push(&c->ids, m->devices.v[i]->id);
    return r;
}

static int add_object(struct checking *c, const struct object *o)
{
    int r = o->host ? add_host(c, o->host) : o->link ? add_link(c, o->link) : 0;

    if (r == 0 && o->device)
        r = vec_push(&c->ids, o->device->id);
    if (r == 0 && o->device)
        r = vec_push(&c->devices, o->device);
    if (r == 0 && o->device && o->device->link)
        r = add_link(c, o->device->link);
    return r;
}

/* Whoever names a disk means all of the way to it: the ports of expanders, and the adapter's slot. */
static int add_hops(struct checking *c)
{
    int r = 0;

    c->n_meant = c->links.n;
    for (size_t i = 0; r == 0 && i < c->devices.n; i++)
        for (const struct link *l = c->devices.v[i]->link; r == 0 && l; l = l->up)
            r = add_link(c, l);
    return r;
}

/* What is gone is called so by findings yet: then these are all there is of it. */
static int add_gone(struct checking *c, const char *name)
{
    if (named_findings(c->report, name, NULL, NULL, 0))
        return vec_push(&c->ids, name);
    c->missing = c->missing ? c->missing : name;
    return 0;
}

static int add_named(struct checking *c, const char *name)
{
    struct object objects[ANSWER_OBJECTS_MAX];
    size_t n = resolve_name(c->report, name, objects, ANSWER_OBJECTS_MAX);
    int r = n ? 0 : add_gone(c, name);

    c->summary.hosts += n;
    for (size_t i = 0; r == 0 && i < n && i < ANSWER_OBJECTS_MAX; i++)
        r = add_object(c, &objects[i]);
    return r;
}

static bool is_about(const struct checking *c, const struct finding *f)
{
    return !c->options->n_names || words_name_one_of(&f->subjects, c->ids.v, c->ids.n) ||
           words_name_one_of(&f->names, c->ids.v, c->ids.n);
}

static int choose(struct checking *c)
{
    const struct report *report = c->report;
    int r = 0;

    if (!c->options->n_names)
        c->summary.hosts = report->model->hosts.n;
    for (size_t i = 0; r == 0 && i < c->options->n_names; i++)
        r = add_named(c, c->options->names[i]);
    for (size_t i = 0; r == 0 && !c->options->n_names && i < report->model->links.n; i++)
        if (words_counts(report->model->links.v[i]))
            r = vec_push(&c->links, report->model->links.v[i]);
    if (r == 0)
        r = add_hops(c);
    for (size_t i = 0; r == 0 && i < report->findings.n; i++)
        if (is_about(c, report->findings.v[i]))
            r = vec_push(&c->findings, report->findings.v[i]);
    return r;
}

/* ---- its numbers ---- */

/* Of one that is down, and of which that is found, it is known how it is. */
static bool is_in_doubt(const struct link *l)
{
    return l->verdict == VERDICT_UNKNOWN && !(l->state == LINK_DOWN && l->findings.n);
}

static void count(struct checking *c)
{
    static const enum number OF_SEVERITY[_SEVERITY_MAX] = {
        [SEVERITY_INFO] = INFO,
        [SEVERITY_WARNING] = WARNING,
        [SEVERITY_CRITICAL] = CRITICAL,
    };
    uint64_t now_us = c->options->now_us, *n = c->numbers;

    for (size_t i = 0; i < c->links.n; i++) {
        const struct link *l = c->links.v[i];

        n[LINKS]++;
        n[UP] += l->state == LINK_UP;
        n[DOWN] += l->state == LINK_DOWN;
        n[BELOW] += words_has_verdict(l, VERDICT_BELOW);
        n[CAPPED] += words_has_verdict(l, VERDICT_CAPPED);
        n[UNKNOWN] += words_has_verdict(l, VERDICT_UNKNOWN);
        /* A hop that is well does not make up for what cannot be judged. */
        if (i < c->n_meant && (l->verdict != VERDICT_UNKNOWN || is_in_doubt(l)))
            c->summary.verdicts[l->verdict]++;
    }
    for (size_t i = 0; i < c->findings.n; i++) {
        enum severity s = c->findings.v[i]->severity;

        n[OF_SEVERITY[s]]++;
        c->summary.worst = s > c->summary.worst ? s : c->summary.worst;
    }
    n[UNEXAMINED] = c->report->unexamined;
    n[AGE] = now_us > c->report->wall_us ? (now_us - c->report->wall_us) / 1000000 : 0;
}

/* ---- the state ---- */

static int find_number(const char *name, enum number *ret)
{
    for (int i = 0; i < NUMBERS; i++)
        if (text_same(NAMES[i], name ? name : NAMES[BELOW])) {
            *ret = (enum number)i;
            return 0;
        }
    return -ENOENT;
}

const char *check_number(size_t n)
{
    return n < NUMBERS ? NAMES[n] : NULL;
}

const char *check_wrong_option(const struct check_options *options)
{
    enum number number;
    struct range range;

    if (find_number(options->number, &number) < 0)
        return "number";
    if (options->warning && range_parse(options->warning, &range) < 0)
        return "warning";
    return options->critical && range_parse(options->critical, &range) < 0 ? "critical" : NULL;
}

static bool is_judged_by_number(const struct checking *c)
{
    return c->options->warning || c->options->critical;
}

static bool alerts(const struct checking *c, const char *text)
{
    struct range range;

    return text && range_parse(text, &range) == 0 &&
           range_alerts(&range, (double)c->numbers[c->judged]);
}

static bool is_too_old(const struct checking *c)
{
    return c->options->now_us && c->numbers[AGE] * 1000000 > c->options->max_age_us;
}

/* What is wrong with the number, as an exit status. */
static enum plugin_status status_of_number(const struct checking *c)
{
    return alerts(c, c->options->critical)  ? PLUGIN_CRITICAL
           : alerts(c, c->options->warning) ? PLUGIN_WARNING
                                            : PLUGIN_OK;
}

static enum plugin_status status_of(const struct checking *c)
{
    struct summary s = c->summary;
    enum plugin_status number = status_of_number(c), found;

    if (is_judged_by_number(c) && s.worst < SEVERITY_CRITICAL)
        s.worst = SEVERITY_NONE;
    found = plugin_status_of(&s, c->report->unexamined, c->options->is_strict);
    if (is_too_old(c))
        return PLUGIN_UNKNOWN;
    if (number == PLUGIN_CRITICAL || found == PLUGIN_CRITICAL)
        return PLUGIN_CRITICAL;
    if (number == PLUGIN_WARNING)
        return number;
    return found == PLUGIN_OK && (c->missing || c->report->lacks_past) ? PLUGIN_UNKNOWN : found;
}

/* ---- the words ---- */

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* "1 critical, 2 warnings: the worst one" */
static const char *what_is_found(const struct checking *c)
{
    uint64_t critical = c->numbers[CRITICAL], warning = c->numbers[WARNING];
    const char *worst = c->findings.v[0]->summary;

    if (critical && warning)
        return arena_printf(c->arena, "%" PRIu64 " critical, %" PRIu64 " warning%s: %s", critical,
                            warning, plural(warning), worst);
    if (critical)
        return arena_printf(c->arena, "%" PRIu64 " critical: %s", critical, worst);
    return arena_printf(c->arena, "%" PRIu64 " warning%s: %s", warning, plural(warning), worst);
}

/* "10 links, none below its expected mode, 2 capped" */
static const char *how_it_is(const struct checking *c)
{
    const uint64_t *n = c->numbers;
    const size_t *verdicts = c->summary.verdicts;
    const char *text = arena_printf(c->arena, "%" PRIu64 " link%s, ", n[LINKS], plural(n[LINKS]));

    if (text && c->n_meant == c->links.n && n[UNKNOWN] && !verdicts[VERDICT_OK] && !n[BELOW] &&
        !n[CAPPED])
        return arena_printf(c->arena, "%snone of which can be judged", text);
    if (text && n[BELOW])
        text = arena_printf(c->arena, "%s%" PRIu64 " below %s expected mode", text, n[BELOW],
                            n[BELOW] == 1 ? "its" : "their");
    else if (text)
        text = arena_printf(c->arena, "%snone below its expected mode", text);
    if (text && n[DOWN])
        text = arena_printf(c->arena, "%s, %" PRIu64 " down", text, n[DOWN]);
    if (text && n[CAPPED])
        text = arena_printf(c->arena, "%s, %" PRIu64 " capped", text, n[CAPPED]);
    if (text && n[UNKNOWN])
        text = arena_printf(c->arena, "%s, %" PRIu64 " cannot be judged", text, n[UNKNOWN]);
    return text;
}

static const char *why_not_examined(const struct checking *c)
{
    const struct report *r = c->report;

    return arena_printf(c->arena, "%zu adapter%s could not be examined%s%s", r->unexamined,
                        plural(r->unexamined), r->notes.n ? ": " : "",
                        r->notes.n ? r->notes.v[0] : "");
}

/* What is wrong, worst first; else how it is. */
static const char *sentence(const struct checking *c)
{
    if (c->numbers[CRITICAL] || (c->numbers[WARNING] && !is_judged_by_number(c)))
        return what_is_found(c);
    if (c->missing)
        return arena_printf(c->arena, "nothing here is called %s", c->missing);
    if (c->report->unexamined)
        return why_not_examined(c);
    if (c->report->lacks_past)
        return c->report->lacks_past;
    if (!c->report->model->hosts.n)
        return "no SCSI host was found";
    return how_it_is(c);
}

/* The same with what is said of the number, and of the age. */
static const char *first_line(const struct checking *c)
{
    const char *text = sentence(c), *name = NAMES[c->judged];
    enum plugin_status number = status_of_number(c);
    char taken[32];

    if (text && number != PLUGIN_OK)
        text = arena_printf(c->arena, "%s is %" PRIu64 " (%s %s): %s", name, c->numbers[c->judged],
                            number == PLUGIN_CRITICAL ? "critical" : "warning",
                            number == PLUGIN_CRITICAL ? c->options->critical : c->options->warning,
                            text);
    if (text && is_too_old(c))
        text = arena_printf(c->arena, "the report is %" PRIu64 " s old, of %s; then: %s",
                            c->numbers[AGE], words_time(c->report->wall_us, taken, sizeof(taken)),
                            text);
    return text;
}

static int add_line(struct checking *c, const char *line)
{
    return line ? vec_push(&c->plugin.lines, line) : -ENOMEM;
}

static int add_findings(struct checking *c)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < c->findings.n; i++) {
        const struct finding *f = c->findings.v[i];
        char buffer[WORDS_ACKNOWLEDGED];
        const char *known = words_acknowledged(f, buffer, sizeof(buffer));

        if (f->severity > SEVERITY_INFO || c->options->is_verbose)
            r = add_line(c,
                         arena_printf(c->arena, "%s %s: %s%s%s%s", severity_to_string(f->severity),
                                      f->entry->code, f->summary, known ? " (" : "",
                                      known ? known : "", known ? ")" : ""));
    }
    return r;
}

/* "target0:0:2: Ultra160, expected Ultra320, BELOW" */
static int add_mode(struct checking *c, const struct link *l)
{
    char actual[64], expected[64];
    enum colour colour;
    const char *is = words_mode(&l->actual, actual, sizeof(actual)),
               *should = words_mode(&l->expected, expected, sizeof(expected));

    return add_line(c, arena_printf(c->arena, "%s: %s%s%s%s%s%s", l->kernel_name, is,
                                    *is ? ", " : "", *should ? "expected " : "", should,
                                    *should ? ", " : "", words_verdict(l, &colour)));
}

static int add_lines(struct checking *c)
{
    const struct report *report = c->report;
    int r = add_findings(c);

    for (size_t i = 0; r == 0 && c->options->n_names && i < c->links.n && i < LINKS_MAX; i++)
        r = add_mode(c, c->links.v[i]);
    for (size_t i = 0; r == 0 && i < report->notes.n; i++)
        r = add_line(c, arena_printf(c->arena, "note: %s", report->notes.v[i]));
    return r;
}

/* ---- perfdata ---- */

static int add_number(struct checking *c, struct plugin_number number)
{
    if (c->plugin.numbers.n == NUMBERS_MAX)
        return 0;
    return number.label ? vec_push(&c->plugin.numbers, number) : -ENOMEM;
}

static int add_numbers_of_link(struct checking *c, const struct link *l)
{
    uint64_t rate = link_payload_kb_per_s(l) * 1000;
    int r = 0;

    if (rate)
        r = add_number(c,
                       (struct plugin_number){
                           .label = arena_printf(c->arena, "%s bytes_per_second", l->kernel_name),
                           .unit = "",
                           .value = rate,
                           .most = l->expected.known ? rate_kb_per_s(l->expected.rate) * 1000 : 0,
                       });
    for (size_t i = 0; r == 0 && i < l->counters.n; i++)
        r = add_number(c, (struct plugin_number){
                              .label = arena_printf(c->arena, "%s %s", l->kernel_name,
                                                    l->counters.v[i]->key->name),
                              .unit = "c",
                              .value = l->counters.v[i]->number,
                          });
    return r;
}

static int add_numbers(struct checking *c)
{
    int r = 0;

    for (int i = 0; r == 0 && i < NUMBERS; i++) {
        bool is_judged = c->judged == (enum number)i;

        if (i == AGE && !c->options->now_us)
            continue;
        r = add_number(c, (struct plugin_number){
                              .label = NAMES[i],
                              .unit = i == AGE ? "s" : "",
                              .value = c->numbers[i],
                              .warning = is_judged ? c->options->warning : NULL,
                              .critical = is_judged ? c->options->critical : NULL,
                              .most = i > LINKS && i < CRITICAL ? c->numbers[LINKS] : 0,
                          });
    }
    for (size_t i = 0; r == 0 && c->options->n_names && i < c->links.n && i < LINKS_MAX; i++)
        r = add_numbers_of_link(c, c->links.v[i]);
    return r;
}

/* ---- all of it ---- */

/* "sdc sdd" */
static const char *about(const struct check_options *options, struct arena *arena)
{
    const char *text = NULL;

    for (size_t i = 0; i < options->n_names; i++)
        text = text ? arena_printf(arena, "%s %s", text, options->names[i]) : options->names[i];
    return text;
}

static int judge(struct checking *c)
{
    int r = find_number(c->options->number, &c->judged);

    if (r == 0)
        r = choose(c);
    if (r < 0)
        return r;
    count(c);
    c->plugin.status = status_of(c);
    c->plugin.about = about(c->options, c->arena);
    c->plugin.text = first_line(c);
    r = c->plugin.text ? add_lines(c) : -ENOMEM;
    return r < 0 ? r : add_numbers(c);
}

int check(const struct report *report, const struct check_options *options, FILE *out)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct checking c = { .report = report, .options = options, .arena = arena };
    int r = arena ? judge(&c) : -ENOMEM;

    if (r == 0)
        plugin_print(&c.plugin, options->is_checkmk, out);
    free(c.links.v);
    free(c.devices.v);
    free(c.ids.v);
    free(c.findings.v);
    free(c.plugin.numbers.v);
    free(c.plugin.lines.v);
    return r < 0 ? r : (int)c.plugin.status;
}

void check_without_report(const struct check_options *options, const char *why, FILE *out)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    const struct plugin p = { .status = PLUGIN_UNKNOWN,
                              .about = arena ? about(options, arena) : NULL,
                              .text = why };

    plugin_print(&p, options->is_checkmk, out);
}
