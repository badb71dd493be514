/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the history says of an object, and of findings (history.h).
 */
#include "daemon/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "daemon/history_sql.h"

#define FIELD(structure, name, type)                          \
    {                                                         \
#name, FIELD_##type, offsetof(struct structure, name) \
    }

const struct field HISTORY_ABOUT_FIELDS[] = {
    FIELD(finding_record, subjects, TEXTS),
    FIELD(finding_record, names, TEXTS),
    { 0 },
};

static const char *state_word(unsigned value)
{
    return link_state_to_string((enum link_state)value);
}

static int state_from(const char *word)
{
    for (enum link_state s = 0; s < _LINK_STATE_MAX; s++)
        if (strcmp(link_state_to_string(s), word) == 0)
            return (int)s;
    return -EINVAL;
}

static const struct field CHANGE_FIELDS[] = {
    FIELD(history_change, since_us, U64),
    FIELD(history_change, until_us, U64),
    FIELD(history_change, kind, TEXT),
    { "state", FIELD_WORD, offsetof(struct history_change, state), state_word, state_from },
    FIELD(history_change, is_up, BOOL),
    FIELD(history_change, known, BOOL),
    FIELD(history_change, label, TEXT),
    FIELD(history_change, lanes, U32),
    FIELD(history_change, kb_per_s, U64),
    FIELD(history_change, far, TEXT),
    FIELD(history_change, far_id, TEXT),
    FIELD(history_change, kernel_name, TEXT),
    FIELD(history_change, left_out, U64),
    { 0 },
};

static const struct field GROWTH_FIELDS[] = {
    FIELD(history_growth, name, TEXT),
    FIELD(history_growth, from_us, U64),
    FIELD(history_growth, at_us, U64),
    FIELD(history_growth, value, U64),
    FIELD(history_growth, grown, U64),
    FIELD(history_growth, is_unknown, BOOL),
    { 0 },
};

static const struct field PROBE_FIELDS[] = {
    FIELD(history_probe, at_us, U64),
    FIELD(history_probe, method, TEXT),
    FIELD(history_probe, block_bytes, U64),
    FIELD(history_probe, n, U64),
    FIELD(history_probe, kb_per_s, U64),
    FIELD(history_probe, least_kb_per_s, U64),
    FIELD(history_probe, most_kb_per_s, U64),
    FIELD(history_probe, median_us, U64),
    FIELD(history_probe, least_median_us, U64),
    FIELD(history_probe, most_median_us, U64),
    { 0 },
};

#define LIST(structure, name, fields, element)                                              \
    {                                                                                       \
#name, FIELD_LIST, offsetof(struct structure, name), .of = (fields),                \
                                                             .size = sizeof(struct element) \
    }

const struct field HISTORY_ANSWER_FIELDS[] = {
    LIST(history_answer, changes, CHANGE_FIELDS, history_change),
    LIST(history_answer, growths, GROWTH_FIELDS, history_growth),
    LIST(history_answer, probes, PROBE_FIELDS, history_probe),
    LIST(history_answer, findings, FINDING_FIELDS, finding_record),
    LIST(history_answer, acknowledgements, ACKNOWLEDGEMENT_FIELDS, acknowledgement),
    FIELD(history_answer, is_cut, BOOL),
    { 0 },
};

const struct field HISTORY_START_FIELDS[] = {
    LIST(history_start, findings, FINDING_FIELDS, finding_record),
    LIST(history_start, acknowledgements, ACKNOWLEDGEMENT_FIELDS, acknowledgement),
    { 0 },
};

static void findings_done(struct finding_record *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(v[i].subjects.v);
        free(v[i].names.v);
    }
    free(v);
}

void history_answer_done(struct history_answer *answer)
{
    free(answer->changes.v);
    free(answer->growths.v);
    free(answer->probes.v);
    findings_done(answer->findings.v, answer->findings.n);
    free(answer->acknowledgements.v);
    arena_free(answer->arena);
    *answer = (struct history_answer){ 0 };
}

void history_start_done(struct history_start *start)
{
    findings_done(start->findings.v, start->findings.n);
    free(start->acknowledgements.v);
    arena_free(start->arena);
    *start = (struct history_start){ 0 };
}

/* ---- how it was ---- */

/* Names may change without anything being otherwise. */
static bool is_the_same(const struct history_change *a, const struct history_change *b)
{
    return a->until_us == b->since_us && a->kind == b->kind && a->state == b->state &&
           a->is_up == b->is_up && a->known == b->known && a->lanes == b->lanes &&
           a->kb_per_s == b->kb_per_s && !b->left_out && text_same(a->label, b->label) &&
           text_same(a->far_id, b->far_id);
}

static int read_change(sqlite3_stmt *s, struct arena *arena, struct history_change *ret)
{
    enum object_kind kind = (enum object_kind)sql_u64(s, 0);
    struct sample link = { 0 };
    struct past other = { 0 };
    int r = sql_fields(s, 5, object_fields(kind), arena,
                       kind == OBJECT_LINK ? (void *)&link : (void *)&other);

    if (r < 0)
        return r;
    *ret = (struct history_change){
        .since_us = sql_u64(s, 2),
        .until_us = sql_u64(s, 3),
        .kind = object_kind_to_string(kind),
        .left_out = sql_u64(s, 4),
        .kernel_name = kind == OBJECT_LINK ? link.kernel_name : other.kernel_name,
    };
    if (kind != OBJECT_LINK) {
        ret->is_up = other.is_up;
        return ret->kind ? 0 : -EBADMSG;
    }
    ret->state = link.state;
    ret->is_up = link.state == LINK_UP;
    ret->known = link.known;
    ret->label = link.label;
    ret->lanes = link.rate.lanes;
    ret->kb_per_s = rate_kb_per_s(link.rate);
    ret->far = link.far;
    ret->far_id = link.far_id;
    return 0;
}

/* The oldest of them that is one too many goes. */
#define CUT(answer, list, most)                                    \
    do {                                                           \
        (answer)->is_cut = true;                                   \
        if ((answer)->list.n > (most)) {                           \
            (answer)->list.n--;                                    \
            memmove((answer)->list.v, (answer)->list.v + 1,        \
                    (answer)->list.n * sizeof(*(answer)->list.v)); \
        }                                                          \
    } while (0)

/* The newest, and of these the oldest first; one more than was asked for shows that there are more. */
static const char CHANGES[] =
    "SELECT * FROM (SELECT o.kind, s.begin, s.since_us, s.until_us, s.left_out, s.content FROM object o"
    " JOIN state s ON s.object = o.id WHERE o.name = ?1 AND (s.until_us IS NULL OR s.until_us >= ?2)"
    " ORDER BY s.begin DESC LIMIT ?3 + 1) ORDER BY begin";

static int read_changes(struct history_db *db, const struct query_record *q,
                        struct history_answer *a)
{
    sqlite3_stmt *s = sql_bind(db, CHANGES, "tii", q->id, q->since_us, q->most);
    size_t rows = 0;
    int r;

    while ((r = sql_step(db, s)) > 0) {
        struct history_change now, *last = a->changes.n ? &a->changes.v[a->changes.n - 1] : NULL;

        rows++;
        r = read_change(s, a->arena, &now);
        if (r < 0)
            break;
        if (last && is_the_same(last, &now)) {
            last->until_us = now.until_us;
            last->kernel_name = now.kernel_name;
            continue;
        }
        r = vec_push(&a->changes, now);
        if (r < 0)
            break;
    }
    if (rows > q->most)
        CUT(a, changes, q->most);
    return r;
}

/* ---- how much grew, and what was measured ---- */

static const char GROWTHS[] =
    "SELECT * FROM (SELECT e.name, c.from_us, c.at_us, c.value, c.grown, c.seq FROM object o"
    " JOIN series e ON e.object = o.id JOIN count c ON c.series = e.id"
    " WHERE o.name = ?1 AND o.kind = 0 AND c.at_us >= ?2 ORDER BY c.seq DESC LIMIT ?3 + 1)"
    " ORDER BY seq, name";

static int read_growths(struct history_db *db, const struct query_record *q,
                        struct history_answer *a)
{
    sqlite3_stmt *s = sql_bind(db, GROWTHS, "tii", q->id, q->since_us, q->most);
    int r, e = 0;

    while ((r = sql_step(db, s)) > 0) {
        r = vec_push(&a->growths, (struct history_growth){
                                      .name = sql_text(s, 0, a->arena, &e),
                                      .from_us = sql_u64(s, 1),
                                      .at_us = sql_u64(s, 2),
                                      .value = sql_u64(s, 3),
                                      .grown = sql_u64(s, 4),
                                      .is_unknown = sqlite3_column_type(s, 4) == SQLITE_NULL,
                                  });
        if (r < 0 || e < 0)
            break;
    }
    if (a->growths.n > q->most)
        CUT(a, growths, q->most);
    return r < 0 ? r : e;
}

static const char PROBES[] =
    "SELECT * FROM (SELECT p.at_us, p.method, p.block_bytes, p.n, p.kb_per_s, p.least, p.most, p.median_us,"
    " p.least_median_us, p.most_median_us, p.id FROM object o"
    " JOIN probe p ON p.object = o.id WHERE o.name = ?1 AND p.at_us >= ?2 ORDER BY p.at_us DESC, p.id DESC"
    " LIMIT ?3 + 1) ORDER BY at_us, id";

static int read_probes(struct history_db *db, const struct query_record *q,
                       struct history_answer *a)
{
    sqlite3_stmt *s = sql_bind(db, PROBES, "tii", q->id, q->since_us, q->most);
    int r, e = 0;

    while ((r = sql_step(db, s)) > 0) {
        r = vec_push(&a->probes, (struct history_probe){
                                     .at_us = sql_u64(s, 0),
                                     .method = sql_text(s, 1, a->arena, &e),
                                     .block_bytes = sql_u64(s, 2),
                                     .n = sql_u64(s, 3),
                                     .kb_per_s = sql_u64(s, 4),
                                     .least_kb_per_s = sql_u64(s, 5),
                                     .most_kb_per_s = sql_u64(s, 6),
                                     .median_us = sql_u64(s, 7),
                                     .least_median_us = sql_u64(s, 8),
                                     .most_median_us = sql_u64(s, 9),
                                 });
        if (r < 0 || e < 0)
            break;
    }
    if (a->probes.n > q->most)
        CUT(a, probes, q->most);
    return r < 0 ? r : e;
}

/* ---- findings ---- */

static int read_finding(sqlite3_stmt *s, struct arena *arena, struct finding_record *ret)
{
    int e = 0;

    *ret = (struct finding_record){
        .key = sql_text(s, 0, arena, &e),
        .since_us = sql_u64(s, 1),
        .code = sql_text(s, 2, arena, &e),
        .severity = (enum severity)sql_u64(s, 3),
        .life = (enum finding_life)sql_u64(s, 4),
        .changed_us = sql_u64(s, 5),
        .until_us = sql_u64(s, 6),
        .summary = sql_text(s, 7, arena, &e),
    };
    if (e == 0 && (ret->severity >= _SEVERITY_MAX || ret->life >= _FINDING_LIFE_MAX))
        e = -EBADMSG;
    return e < 0 ? e : sql_fields(s, 8, HISTORY_ABOUT_FIELDS, arena, ret);
}

struct findings {
    VEC(struct finding_record) list;
};

static int read_findings(struct history_db *db, sqlite3_stmt *s, struct arena *arena,
                         struct findings *to)
{
    int r;

    while ((r = sql_step(db, s)) > 0) {
        r = vec_reserve(&to->list, 1);
        if (r == 0) {
            struct finding_record *f = &to->list.v[to->list.n++];

            r = read_finding(s, arena, f);
        }
        if (r < 0)
            break;
    }
    return r;
}

static int read_acknowledgements(struct history_db *db, sqlite3_stmt *s, struct arena *arena,
                                 struct acknowledgements *to)
{
    int r, e = 0;

    while ((r = sql_step(db, s)) > 0) {
        r = vec_push(&to->list, (struct acknowledgement){
                                    .key = sql_text(s, 0, arena, &e),
                                    .reason = sql_text(s, 1, arena, &e),
                                    .by = sql_text(s, 2, arena, &e),
                                    .at_us = sql_u64(s, 3),
                                    .until_us = sql_u64(s, 4),
                                });
        if (r < 0 || e < 0)
            break;
    }
    return r < 0 ? r : e;
}

#define FINDING_COLUMNS "key, since_us, code, severity, life, changed_us, until_us, summary, about"

static const char FINDINGS_OF[] =
    "SELECT * FROM (SELECT " FINDING_COLUMNS " FROM finding WHERE (key = ?1 OR EXISTS"
    " (SELECT 1 FROM json_each(about, '$.subjects') WHERE value = ?1))"
    " AND (life <> 2 OR until_us >= ?2) ORDER BY since_us DESC LIMIT ?3 + 1) ORDER BY since_us, key";
static const char ACKNOWLEDGEMENTS_OF[] =
    "SELECT key, reason, by, at_us, until_us FROM acknowledgement WHERE key = ?1 OR key IN"
    " (SELECT f.key FROM finding f, json_each(f.about, '$.subjects') e WHERE e.value = ?1) ORDER BY key";

int history_db_query(struct history_db *db, const struct query_record *query,
                     struct history_answer *ret)
{
    struct history_answer a = { .arena = arena_new() };
    struct query_record q = *query;
    int r = a.arena ? 0 : -ENOMEM;

    if (q.most > INT32_MAX)
        q.most = INT32_MAX;
    if (r == 0)
        r = read_changes(db, &q, &a);
    if (r == 0)
        r = read_growths(db, &q, &a);
    if (r == 0)
        r = read_probes(db, &q, &a);
    if (r == 0)
        r = read_findings(db, sql_bind(db, FINDINGS_OF, "tii", q.id, q.since_us, q.most), a.arena,
                          (struct findings *)&a.findings);
    if (a.findings.n > q.most) {
        free(a.findings.v[0].subjects.v);
        free(a.findings.v[0].names.v);
        CUT(&a, findings, q.most);
    }
    if (r == 0)
        r = read_acknowledgements(db, sql_bind(db, ACKNOWLEDGEMENTS_OF, "t", q.id), a.arena,
                                  (struct acknowledgements *)&a.acknowledgements);
    if (r < 0) {
        history_answer_done(&a);
        return r;
    }
    *ret = a;
    return 0;
}

static const char OPEN_FINDINGS[] = "SELECT " FINDING_COLUMNS
                                    " FROM finding WHERE life <> 2 ORDER BY since_us, key";
static const char VALID_ACKNOWLEDGEMENTS[] =
    "SELECT key, reason, by, at_us, until_us FROM acknowledgement"
    " WHERE until_us = 0 OR until_us > ? ORDER BY key";

int history_db_start(struct history_db *db, uint64_t now_us, struct history_start *ret)
{
    struct history_start start = { .arena = arena_new() };
    int r = start.arena ? 0 : -ENOMEM;

    if (r == 0)
        r = read_findings(db, sql_statement(db, OPEN_FINDINGS), start.arena,
                          (struct findings *)&start.findings);
    if (r == 0)
        r = read_acknowledgements(db, sql_bind(db, VALID_ACKNOWLEDGEMENTS, "i", now_us),
                                  start.arena, (struct acknowledgements *)&start.acknowledgements);
    if (r < 0) {
        history_start_done(&start);
        return r;
    }
    *ret = start;
    return 0;
}
