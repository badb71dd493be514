/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Putting records into the history (history.h). What the database has already is not written again.
 */
#include "daemon/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/history_sql.h"

/* The JSON of a structure; valid until the next call. NULL without memory. */
static const char *as_json(struct history_db *db, const struct field *fields, const void *structure)
{
    struct json_writer w;
    FILE *f;

    free(db->json);
    db->json = NULL;
    f = open_memstream(&db->json, &db->json_len);
    if (!f)
        return NULL;
    w = json_writer(f, false);
    fields_write(fields, structure, &w);
    if (fclose(f) != 0)
        return NULL;
    return db->json;
}

static const char INSERT_OBJECT[] = "INSERT INTO object (kind, name) VALUES (?1, ?2)";
static const char FIND_OBJECT[] = "SELECT id FROM object WHERE name = ?2 AND kind = ?1";

/* The number of an object, which is put in where it was not there. */
static int object_id(struct history_db *db, enum object_kind kind, const char *name, uint64_t *ret)
{
    sqlite3_stmt *s = sql_bind(db, FIND_OBJECT, "it", (uint64_t)kind, name);
    int r = sql_step(db, s);

    if (r < 0)
        return r;
    if (r) {
        *ret = sql_u64(s, 0);
        sqlite3_reset(s);
        return 0;
    }
    r = sql_run(db, INSERT_OBJECT, "it", (uint64_t)kind, name);
    *ret = (uint64_t)sqlite3_last_insert_rowid(db->sql);
    return r;
}

/* ---- looks ---- */

struct look_row {
    uint64_t seq, wall_us, mono_us;
};

static const char NEWEST_LOOK[] =
    "SELECT seq, wall_us, mono_us FROM look ORDER BY seq DESC LIMIT 1";
static const char INSERT_LOOK[] =
    "INSERT INTO look (seq, wall_us, mono_us, hostname) VALUES (?, ?, ?, ?)";

static int newest_look(struct history_db *db, struct look_row *ret)
{
    sqlite3_stmt *s = sql_statement(db, NEWEST_LOOK);
    int r = sql_step(db, s);

    *ret = (struct look_row){ 0 };
    if (r <= 0)
        return r;
    *ret = (struct look_row){ sql_u64(s, 0), sql_u64(s, 1), sql_u64(s, 2) };
    sqlite3_reset(s);
    return 0;
}

/* What is being put in. */
struct putting {
    struct history_db *db;
    const struct look *look;
    struct look_row before, now;
    VEC(uint64_t) touched; /* objects that the look names */
};

/* The look before this one gets its place, where it has none: what changes here was as it was until there. */
static int begin_look(struct putting *p)
{
    const struct look *look = p->look;
    int r = newest_look(p->db, &p->before);

    if (r == 0 && look->before_us &&
        (p->before.wall_us != look->before_us || p->before.mono_us != look->before_mono_us)) {
        p->before = (struct look_row){ p->before.seq + 1, look->before_us, look->before_mono_us };
        r = sql_run(p->db, INSERT_LOOK, "iiit", p->before.seq, p->before.wall_us, p->before.mono_us,
                    look->hostname);
    }
    p->now = (struct look_row){ p->before.seq + 1, look->wall_us, look->mono_us };
    if (r == 0)
        r = sql_run(p->db, INSERT_LOOK, "iiit", p->now.seq, p->now.wall_us, p->now.mono_us,
                    look->hostname);
    return r;
}

static const char CLOSE_STATE[] =
    "UPDATE state SET end = ?2, until_us = max(since_us, ?3), last_us = max(since_us, ?4)"
    " WHERE object = ?1 AND end IS NULL";
static const char OPEN_CONTENT[] = "SELECT content FROM state WHERE object = ? AND end IS NULL";
static const char INSERT_STATE[] =
    "INSERT INTO state (object, begin, since_us, is_up, known, lanes, kb_per_s, far_id, content)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

static int close_state(struct putting *p, uint64_t object)
{
    return sql_run(p->db, CLOSE_STATE, "iiii", object, p->now.seq, p->now.wall_us,
                   p->before.seq ? p->before.wall_us : p->now.wall_us);
}

static int open_state(struct putting *p, uint64_t object, const struct look_object *o,
                      const char *content)
{
    const struct sample *l = &o->link;
    bool is_link = o->kind == OBJECT_LINK, is_up = is_link ? l->state == LINK_UP : o->other.is_up;

    return sql_run(p->db, INSERT_STATE, "iiiiiiitt", object, p->now.seq, p->now.wall_us,
                   (uint64_t)is_up, (uint64_t)(is_link && l->known),
                   (uint64_t)(is_link ? l->rate.lanes : 0), is_link ? rate_kb_per_s(l->rate) : 0,
                   is_link ? l->far_id : NULL, content);
}

/* Is the object as it is said to be? Returns 1, 0, or a negative errno. */
static int is_known_so(struct putting *p, uint64_t object, const char *content)
{
    sqlite3_stmt *s = sql_bind(p->db, OPEN_CONTENT, "i", object);
    int r = sql_step(p->db, s);

    if (r <= 0)
        return r;
    r = strcmp((const char *)sqlite3_column_text(s, 0), content) == 0;
    sqlite3_reset(s);
    return r;
}

static int put_object(struct putting *p, const struct look_object *o)
{
    const char *content = NULL;
    uint64_t object;
    int r = object_id(p->db, o->kind, o->id, &object);

    if (r == 0)
        r = vec_push(&p->touched, object);
    if (r < 0)
        return r;
    if (!o->is_gone) {
        content = as_json(p->db, object_fields(o->kind), object_of_const(o));
        if (!content)
            return -ENOMEM;
        r = is_known_so(p, object, content);
        if (r)
            return r < 0 ? r : 0;
    }
    r = close_state(p, object);
    return r < 0 || !content ? r : open_state(p, object, o, content);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static const char ALL_OPEN[] = "SELECT object FROM state WHERE end IS NULL";

/* After a whole look: what it does not name is gone. */
static int close_others(struct putting *p)
{
    VEC(uint64_t) gone = { 0 };
    sqlite3_stmt *s = sql_statement(p->db, ALL_OPEN);
    int r;

    if (p->touched.n)
        qsort(p->touched.v, p->touched.n, sizeof(uint64_t), by_number);
    while ((r = sql_step(p->db, s)) > 0) {
        uint64_t object = sql_u64(s, 0);

        if (p->touched.n && bsearch(&object, p->touched.v, p->touched.n, sizeof(object), by_number))
            continue;
        r = vec_push(&gone, object);
        if (r < 0)
            break;
    }
    for (size_t i = 0; r == 0 && i < gone.n; i++)
        r = close_state(p, gone.v[i]);
    free(gone.v);
    return r;
}

/* ---- counters ---- */

struct series {
    uint64_t id, value;
    struct snapshot when; /* its times */
};

static const char FIND_SERIES[] = "SELECT id, value, wall_us, mono_us FROM series"
                                  " WHERE object = ? AND name = ? AND kind = ?";
static const char INSERT_SERIES[] =
    "INSERT INTO series (object, name, kind, value, wall_us, mono_us) VALUES (?, ?, ?, ?, ?, ?)";
static const char UPDATE_SERIES[] =
    "UPDATE series SET value = ?2, wall_us = ?3, mono_us = ?4 WHERE id = ?1";
static const char INSERT_COUNT[] =
    "INSERT INTO count (series, seq, from_us, at_us, value, grown) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

/* Returns 1 where it is known, 0 where it was put in now, or a negative errno. */
static int series_of(struct putting *p, const struct look_count *c, struct series *ret)
{
    const char *kind = counter_kind_to_string(c->kind);
    uint64_t object;
    sqlite3_stmt *s;
    int r = object_id(p->db, OBJECT_LINK, c->link_id, &object);

    if (r < 0)
        return r;
    s = sql_bind(p->db, FIND_SERIES, "itt", object, c->name, kind);
    r = sql_step(p->db, s);
    if (r < 0)
        return r;
    if (r) {
        *ret = (struct series){ sql_u64(s, 0),
                                sql_u64(s, 1),
                                { .wall_us = sql_u64(s, 2), .mono_us = sql_u64(s, 3) } };
        sqlite3_reset(s);
        return 1;
    }
    r = sql_run(p->db, INSERT_SERIES, "ittiii", object, c->name, kind, c->value, p->now.wall_us,
                p->now.mono_us);
    *ret = (struct series){ .id = (uint64_t)sqlite3_last_insert_rowid(p->db->sql) };
    return r;
}

/* Between two looks without a reboot what went up grew. Else it began anew at some time, and nobody knows. */
static int put_count(struct putting *p, const struct look_count *c)
{
    struct snapshot now = { .wall_us = p->now.wall_us, .mono_us = p->now.mono_us };
    struct series series;
    uint64_t from_us = p->now.wall_us;
    bool grew;
    int r = series_of(p, c, &series);

    if (r < 0)
        return r;
    if (r == 1 && series.value == c->value)
        return 0;
    grew = r == 1 && c->value > series.value && snapshot_same_boot(&series.when, &now);
    if (r == 1)
        from_us = p->look->before_us && !c->is_late ? p->look->before_us : series.when.wall_us;
    if (from_us > p->now.wall_us)
        from_us = p->now.wall_us;
    r = sql_run(p->db, UPDATE_SERIES, "iiii", series.id, c->value, p->now.wall_us, p->now.mono_us);
    if (r == 0)
        r = sql_run(p->db, INSERT_COUNT, grew ? "iiiiii" : "iiiiin", series.id, p->now.seq, from_us,
                    p->now.wall_us, c->value, c->value - series.value);
    return r;
}

static int put_look(struct history_db *db, const struct look *look)
{
    struct putting p = { .db = db, .look = look };
    int r = begin_look(&p);

    for (size_t i = 0; r == 0 && i < look->objects.n; i++)
        r = put_object(&p, &look->objects.v[i]);
    if (r == 0 && look->is_whole)
        r = close_others(&p);
    for (size_t i = 0; r == 0 && i < look->counts.n; i++)
        r = put_count(&p, &look->counts.v[i]);
    free(p.touched.v);
    return r;
}

/* ---- the others ---- */

static const char PUT_FINDING[] =
    "INSERT OR REPLACE INTO finding (key, since_us, code, severity, life, changed_us, until_us, summary, about)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

static int put_finding(struct history_db *db, const struct finding_record *f)
{
    const char *about = as_json(db, HISTORY_ABOUT_FIELDS, f);

    if (!about)
        return -ENOMEM;
    return sql_run(db, PUT_FINDING, "titiiiitt", f->key, f->since_us, f->code,
                   (uint64_t)f->severity, (uint64_t)f->life, f->changed_us, f->until_us, f->summary,
                   about);
}

static const char PUT_ACKNOWLEDGEMENT[] =
    "INSERT OR REPLACE INTO acknowledgement (key, reason, by, at_us, until_us) VALUES (?, ?, ?, ?, ?)";
static const char TAKE_BACK[] = "DELETE FROM acknowledgement WHERE key = ?";

static int put_acknowledgement(struct history_db *db, const struct acknowledgement *a)
{
    if (!a->reason)
        return sql_run(db, TAKE_BACK, "t", a->key);
    return sql_run(db, PUT_ACKNOWLEDGEMENT, "tttii", a->key, a->reason, a->by, a->at_us,
                   a->until_us);
}

/* A probe that comes twice, for nobody was told that it had arrived, is one. */
static const char PUT_PROBE[] =
    "INSERT INTO probe (object, seq, at_us, method, block_bytes, n, kb_per_s, least, most, median_us, least_median_us,"
    " most_median_us) SELECT ?1, ?2, ?3, ?4, ?5, 1, ?6, ?6, ?6, nullif(?7, 0), nullif(?7, 0), nullif(?7, 0)"
    " WHERE NOT EXISTS (SELECT 1 FROM probe"
    " WHERE object = ?1 AND at_us = ?3 AND method = ?4 AND block_bytes = ?5)";

static int put_measure(struct history_db *db, const struct measure_record *m)
{
    struct look_row newest = { 0 };
    uint64_t object;
    int r = object_id(db, OBJECT_DEVICE, m->device_id, &object);

    if (r == 0)
        r = newest_look(db, &newest);
    if (r < 0)
        return r;
    return sql_run(db, PUT_PROBE, "iiitiii", object, newest.seq, m->at_us, m->method,
                   m->block_bytes, m->kb_per_s, m->median_us);
}

static int put_record(struct history_db *db, const struct record *record)
{
    switch (record->kind) {
    case RECORD_LOOK:
        return put_look(db, &record->look);
    case RECORD_FINDING:
        return put_finding(db, &record->finding);
    case RECORD_ACKNOWLEDGE:
        return put_acknowledgement(db, &record->acknowledge);
    case RECORD_MEASURE:
        return put_measure(db, &record->measure);
    case RECORD_THIN:
    case RECORD_QUERY:
    case RECORD_LOAD:
    case _RECORD_KIND_MAX:
        break;
    }
    return 0;
}

int history_db_append(struct history_db *db, const struct record *records, size_t n)
{
    int r = sql_script(db->sql, "BEGIN IMMEDIATE");

    for (size_t i = 0; r == 0 && i < n; i++)
        r = put_record(db, &records[i]);
    if (r == 0)
        r = sql_script(db->sql, "COMMIT");
    if (r < 0 && !sqlite3_get_autocommit(db->sql))
        sql_script(db->sql, "ROLLBACK");
    arena_clear(db->scratch);
    return r;
}
