/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What came of a request to probe, as the table that hbactl prints, and as an object (probes.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/probes.h"
#include "diagnose/measures.h"
#include "output/bench.h"

static struct device *device_of(const struct model *m, const char *id)
{
    for (size_t i = 0; i < m->devices.n; i++)
        if (strcmp(m->devices.v[i]->id, id) == 0)
            return m->devices.v[i];
    return NULL;
}

/* All results as a table. */
static int make_bench(const struct manager *m, const struct probe_request *q, struct bench **ret)
{
    const struct model *model = m->report->model;
    struct timed *reads = arena_new_array(q->arena, struct timed, q->wanted.n + 1);
    struct device **devices = arena_new_array(q->arena, struct device *, q->wanted.n + 1);
    size_t n = 0, n_reads = 0;
    int r = reads && devices ? 0 : -ENOMEM;

    for (size_t i = 0; r == 0 && i < q->wanted.n; i++) {
        const struct wanted *x = &q->wanted.v[i];
        struct device *d = device_of(model, x->id);

        if (!d)
            continue; /* it is gone, and has no name any more */
        devices[n++] = d;
        if (x->result)
            r = measures_timed(q->arena, d, x->result,
                               (unsigned)m->config.thresholds.clock_margin_percent,
                               &reads[n_reads++]);
    }
    return r < 0 ? r : bench_of(model, reads, n_reads, devices, q->is_of_all ? 0 : n, ret);
}

static size_t devices_read(const struct bench *b)
{
    size_t n = 0;

    for (size_t i = 0; i < b->devices.n; i++)
        n += b->devices.v[i].sweep.best != NULL;
    return n;
}

static int write_text(struct json_writer *w, const struct bench *b, const struct text_style *style)
{
    _cleanup_free_ char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    if (!out)
        return -ENOMEM;
    output_probes(b, style, out);
    if (fclose(out) != 0)
        return -ENOMEM;
    json_write_key(w, "text");
    text_pieces(w, text, len);
    return 0;
}

int probe_answer_write(const struct manager *m, const struct probe_request *q, FILE *out)
{
    _cleanup_(bench_freep) struct bench *bench = NULL;
    struct json_writer writer = json_writer(out, false), *w = &writer;
    int r = make_bench(m, q, &bench);

    if (r < 0)
        return r;
    varlink_begin(out);
    json_write_begin_object(w);
    r = write_text(w, bench, &q->style);
    json_write_u64_member(w, "read", devices_read(bench));
    json_write_key(w, "notes");
    json_write_begin_array(w);
    for (size_t i = 0; i < q->notes.n; i++)
        json_write_string(w, q->notes.v[i]);
    json_write_end_array(w);
    fputs(",\"result\":", out);
    output_json_bench(bench, false, out);
    json_write_end_object(w);
    varlink_end(out, NULL, false);
    return r;
}
