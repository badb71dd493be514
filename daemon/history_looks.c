/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The looks that the judge needs, out of the history (history_db_looks() of history.h).
 *
 * Of the time just before now it is every look with a change. Of the time before that, each thing to be shown is a span of
 * looks in which it was so (the best mode of a pair, a link that is gone as it was last). Spans are stabbed: taken by
 * their ends, earliest first, and for one in which no chosen look is, its last look is chosen. That is the fewest looks
 * that show all, and each of them is shown as it was in all of its objects.
 */
#include "daemon/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/history_sql.h"

struct point {
    uint64_t seq, wall_us, mono_us;
    const char *hostname;
    bool is_recent;
};

struct span {
    uint64_t begin, last, last_us;
};

struct choosing {
    struct history_db *db;
    const struct load_record *load;
    VEC(struct point) points; /* by seq */
    VEC(struct span) spans;   /* by their last look */
};

/* ---- recent ones ---- */

static const char RECENT[] =
    "SELECT seq, wall_us, mono_us, hostname,"
    " EXISTS (SELECT 1 FROM state WHERE begin = seq) OR EXISTS (SELECT 1 FROM state WHERE end = seq)"
    " FROM look WHERE wall_us BETWEEN ? AND ? ORDER BY seq";

/* Adds the look, unless it is the last one already. */
static int add_point(struct choosing *c, const struct point *p)
{
    if (!p->seq || (c->points.n && c->points.v[c->points.n - 1].seq >= p->seq))
        return 0;
    return vec_push(&c->points, *p);
}

/* Each look with a change and the one before it, one in each step, and the newest. */
static int choose_recent(struct choosing *c)
{
    uint64_t step = c->load->step_us ? c->load->step_us : 1, now = c->load->now_us;
    uint64_t start = now > c->load->span_us ? now - c->load->span_us : 0;
    sqlite3_stmt *s = sql_bind(c->db, RECENT, "ii", start, now);
    struct point before = { 0 };
    int r, e = 0;

    while ((r = sql_step(c->db, s)) > 0) {
        struct point p = { sql_u64(s, 0), sql_u64(s, 1), sql_u64(s, 2), NULL, true };

        p.hostname = sql_text(s, 3, c->db->scratch, &e);
        r = e;
        if (r == 0 && sqlite3_column_int(s, 4))
            r = add_point(c, &before);
        if (r == 0 && (sqlite3_column_int(s, 4) || p.wall_us / step != before.wall_us / step))
            r = add_point(c, &p);
        if (r < 0)
            return r;
        before = p;
    }
    if (r == 0)
        r = add_point(c, &before);
    if (c->points.n > HISTORY_RECENT_LOOKS) {
        size_t too_many = c->points.n - HISTORY_RECENT_LOOKS;

        memmove(c->points.v, c->points.v + too_many, HISTORY_RECENT_LOOKS * sizeof(struct point));
        c->points.n = HISTORY_RECENT_LOOKS;
    }
    return r;
}

/* ---- spans ---- */

/* A row that is open holds in the newest look. */
#define SPAN "begin, coalesce(end - 1, (SELECT max(seq) FROM look)), coalesce(last_us, 0)"

/* Of several that are as good the newest one. */
#define BEST_BY(column)                                                                \
    "SELECT " SPAN                                                                     \
    " FROM (SELECT *, row_number() OVER (PARTITION BY object, far_id ORDER BY " column \
    " DESC, begin DESC) AS place FROM state WHERE is_up AND known) WHERE place = 1"

static const char BEST_MODES[] = BEST_BY("kb_per_s");
static const char MOST_LANES[] = BEST_BY("lanes");
/* Bare columns beside one max() are those of its row (sqlite.org/lang_select.html, 2.5).
 * Links (0) and remote ports (2) as they were up last; devices (3) of those that are gone come with them. */
static const char LAST_UP[] =
    "SELECT " SPAN ", max(begin) FROM state"
    " WHERE is_up AND object IN (SELECT id FROM object WHERE kind IN (0, 2)) GROUP BY object";
static const char PROBED[] =
    "SELECT p.seq, p.seq, coalesce((SELECT wall_us FROM look WHERE seq = p.seq), p.at_us) FROM probe p"
    " GROUP BY p.seq ORDER BY p.seq DESC LIMIT 8";

static int add_spans(struct choosing *c, const char *text)
{
    sqlite3_stmt *s = sql_statement(c->db, text);
    int r;

    while ((r = sql_step(c->db, s)) > 0) {
        r = vec_push(&c->spans, (struct span){ sql_u64(s, 0), sql_u64(s, 1), sql_u64(s, 2) });
        if (r < 0)
            return r;
    }
    return r;
}

static int by_last(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    return (x->last > y->last) - (x->last < y->last);
}

static int by_seq(const void *a, const void *b)
{
    const struct point *x = a, *y = b;

    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* Is a recent look in the span? They are sorted. */
static bool is_shown(const struct point *v, size_t n, const struct span *span)
{
    size_t from = 0, to = n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (v[middle].seq < span->begin)
            from = middle + 1;
        else
            to = middle;
    }
    return from < n && v[from].seq <= span->last;
}

static const char LOOK_OF[] = "SELECT wall_us, mono_us, hostname FROM look WHERE seq = ?";

/* When that look was; of one whose row is thinned away, as its span has it. */
static int time_of(struct choosing *c, const struct span *span, struct point *ret)
{
    sqlite3_stmt *s = sql_bind(c->db, LOOK_OF, "i", span->last);
    int r = sql_step(c->db, s), e = 0;

    *ret = (struct point){ .seq = span->last, .wall_us = span->last_us };
    if (r <= 0)
        return r;
    ret->wall_us = sql_u64(s, 0);
    ret->mono_us = sql_u64(s, 1);
    ret->hostname = sql_text(s, 2, c->db->scratch, &e);
    sqlite3_reset(s);
    return e;
}

static int choose_old(struct choosing *c)
{
    size_t recent = c->points.n, first = recent;
    uint64_t newest = 0; /* the last look that was chosen for a span */
    int r = 0;

    if (c->spans.n)
        qsort(c->spans.v, c->spans.n, sizeof(*c->spans.v), by_last);
    for (size_t i = 0; r == 0 && i < c->spans.n; i++) {
        const struct span *span = &c->spans.v[i];
        struct point p;

        if (span->begin <= newest || span->last < span->begin ||
            is_shown(c->points.v, recent, span))
            continue;
        r = time_of(c, span, &p);
        if (r == 0 && p.wall_us <= c->load->now_us) {
            newest = p.seq;
            r = vec_push(&c->points, p);
        }
    }
    if (c->points.n - recent > HISTORY_OLD_LOOKS)
        first = c->points.n - HISTORY_OLD_LOOKS;
    if (first > recent)
        memmove(c->points.v + recent, c->points.v + first,
                (c->points.n - first) * sizeof(*c->points.v));
    c->points.n -= first - recent;
    if (c->points.n)
        qsort(c->points.v, c->points.n, sizeof(*c->points.v), by_seq);
    return r;
}

/* ---- what they show ---- */

static const char ALIVE[] =
    "SELECT o.kind, o.name, s.content FROM state s JOIN object o ON o.id = s.object"
    " WHERE s.begin > ?1 AND s.begin <= ?2 AND (s.end IS NULL OR s.end > ?2)";
static const char GONE[] =
    "SELECT o.kind, o.name FROM state s JOIN object o ON o.id = s.object"
    " WHERE s.end > ?1 AND s.end <= ?2 AND s.begin <= ?1 AND NOT EXISTS (SELECT 1 FROM state t"
    " WHERE t.object = s.object AND t.begin > ?1 AND t.begin <= ?2 AND (t.end IS NULL OR t.end > ?2))";
static const char VALUES_AT[] =
    "SELECT o.name, e.name, e.kind, c.value FROM series e JOIN object o ON o.id = e.object"
    " JOIN count c ON c.series = e.id"
    " WHERE c.seq = (SELECT max(seq) FROM count WHERE series = e.id AND seq <= ?)";
/* Of an object that is named anew all values are. */
static const char VALUES_SINCE[] =
    "SELECT o.name, e.name, e.kind, c.value, max(c.seq) FROM count c JOIN series e ON e.id = c.series"
    " JOIN object o ON o.id = e.object WHERE c.seq > ?1 AND c.seq <= ?2 GROUP BY c.series"
    " UNION ALL SELECT o.name, e.name, e.kind, c.value, c.seq FROM series e JOIN object o ON o.id = e.object"
    " JOIN count c ON c.series = e.id WHERE e.object IN (SELECT object FROM state WHERE begin > ?1 AND begin <= ?2)"
    " AND c.seq = (SELECT max(seq) FROM count WHERE series = e.id AND seq <= ?2)";
static const char BEST_PROBES[] =
    "SELECT o.name, p.method, p.block_bytes, max(p.most), min(p.least_median_us) FROM probe p JOIN object o ON o.id = p.object"
    " WHERE p.seq > ? AND p.seq <= ? GROUP BY p.object, p.method, p.block_bytes";

static int read_alive(struct history_db *db, uint64_t after, uint64_t at, struct look *look)
{
    sqlite3_stmt *s = sql_bind(db, ALIVE, "ii", after, at);
    int r, e = 0;

    while ((r = sql_step(db, s)) > 0) {
        struct look_object o = { .kind = (enum object_kind)sql_u64(s, 0),
                                 .id = sql_text(s, 1, db->scratch, &e) };

        if (e == 0 && o.kind >= _OBJECT_KIND_MAX)
            e = -EBADMSG;
        if (e == 0)
            e = sql_fields(s, 2, object_fields(o.kind), db->scratch, object_of(&o));
        if (e == 0)
            e = vec_push(&look->objects, o);
        if (e < 0)
            return e;
    }
    return r;
}

static int read_gone(struct history_db *db, uint64_t after, uint64_t at, struct look *look)
{
    sqlite3_stmt *s = sql_bind(db, GONE, "ii", after, at);
    int r, e = 0;

    while ((r = sql_step(db, s)) > 0) {
        struct look_object o = { .kind = (enum object_kind)sql_u64(s, 0),
                                 .id = sql_text(s, 1, db->scratch, &e),
                                 .is_gone = true };

        r = e < 0 ? e : vec_push(&look->objects, o);
        if (r < 0)
            return r;
    }
    return r;
}

static int read_counts(struct history_db *db, sqlite3_stmt *s, struct look *look)
{
    int r, e = 0;

    while ((r = sql_step(db, s)) > 0) {
        const char *kind = (const char *)sqlite3_column_text(s, 2);
        int of = kind ? counter_kind_from_string(kind) : -EINVAL;
        struct look_count c = { .link_id = sql_text(s, 0, db->scratch, &e),
                                .name = sql_text(s, 1, db->scratch, &e),
                                .value = sql_u64(s, 3) };

        if (of < 0)
            return -EBADMSG;
        c.kind = (enum fact_kind)of;
        r = e < 0 ? e : vec_push(&look->counts, c);
        if (r < 0)
            return r;
    }
    return r;
}

static int read_probes(struct history_db *db, sqlite3_stmt *s, struct look *look)
{
    int r, e = 0;

    while ((r = sql_step(db, s)) > 0) {
        struct past_measure m = { .device_id = sql_text(s, 0, db->scratch, &e),
                                  .method = sql_text(s, 1, db->scratch, &e),
                                  .block_bytes = sql_u64(s, 2),
                                  .kb_per_s = sql_u64(s, 3),
                                  .median_us = sql_u64(s, 4) };

        r = e < 0 ? e : vec_push(&look->measures, m);
        if (r < 0)
            return r;
    }
    return r;
}

/* What is different at that look from the chosen one before it, or, without one, everything. */
static int show(struct choosing *c, const struct point *before, const struct point *at,
                struct look *look)
{
    struct history_db *db = c->db;
    uint64_t after = before ? before->seq : 0;
    int r = read_alive(db, after, at->seq, look);

    if (r == 0 && before)
        r = read_gone(db, after, at->seq, look);
    if (r == 0 && at->is_recent)
        r = read_counts(db,
                        before && before->is_recent
                            ? sql_bind(db, VALUES_SINCE, "ii", after, at->seq)
                            : sql_bind(db, VALUES_AT, "i", at->seq),
                        look);
    if (r == 0)
        r = read_probes(db, sql_bind(db, BEST_PROBES, "ii", after, at->seq), look);
    look->wall_us = at->wall_us;
    look->mono_us = at->mono_us;
    look->hostname = at->hostname;
    look->is_whole = !before;
    return r;
}

int history_db_looks(struct history_db *db, const struct load_record *load,
                     int (*take)(void *userdata, const struct look *look), void *userdata)
{
    static const char *const SPANS[] = { BEST_MODES, MOST_LANES, LAST_UP, PROBED };
    struct choosing c = { .db = db, .load = load };
    int r = choose_recent(&c);

    for (size_t i = 0; r == 0 && i < ELEMENTS(SPANS); i++)
        r = add_spans(&c, SPANS[i]);
    if (r == 0)
        r = choose_old(&c);
    for (size_t i = 0; r == 0 && i < c.points.n; i++) {
        struct look look = { 0 };

        r = show(&c, i ? &c.points.v[i - 1] : NULL, &c.points.v[i], &look);
        if (r == 0)
            r = take(userdata, &look);
        look_done(&look);
    }
    free(c.points.v);
    free(c.spans.v);
    arena_clear(db->scratch);
    return r;
}
