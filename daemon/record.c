/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records as structures, and as JSON (record.h): tables of fields do most of it.
 */
#include "daemon/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/names.h"

static const char *const KINDS[] = {
    [RECORD_LOOK] = "look",
    [RECORD_FINDING] = "finding",
    [RECORD_ACKNOWLEDGE] = "acknowledge",
    [RECORD_MEASURE] = "measure",

    [RECORD_THIN] = "thin",
    [RECORD_QUERY] = "query",
    [RECORD_LOAD] = "load",
};
DEFINE_NAMES(enum record_kind, record_kind, KINDS)
DEFINE_NAMES_BACK(record_kind, KINDS)

/* ---- fields ---- */

static const char *life_word(unsigned value)
{
    return finding_life_to_string((enum finding_life)value);
}

static const char *severity_word(unsigned value)
{
    return severity_to_string((enum severity)value);
}

static int severity_from(const char *word)
{
    for (enum severity s = 0; s < _SEVERITY_MAX; s++)
        if (strcmp(severity_to_string(s), word) == 0)
            return (int)s;
    return -EINVAL;
}

#define FIELD(structure, name, type)                          \
    {                                                         \
#name, FIELD_##type, offsetof(struct structure, name) \
    }

const struct field FINDING_FIELDS[] = {
    FIELD(finding_record, key, TEXT),
    FIELD(finding_record, since_us, U64),
    FIELD(finding_record, code, TEXT),
    { "severity", FIELD_WORD, offsetof(struct finding_record, severity), severity_word,
      severity_from },
    { "life", FIELD_WORD, offsetof(struct finding_record, life), life_word,
      finding_life_from_string },
    FIELD(finding_record, changed_us, U64),
    FIELD(finding_record, until_us, U64),
    FIELD(finding_record, summary, TEXT),
    FIELD(finding_record, subjects, TEXTS),
    FIELD(finding_record, names, TEXTS),
    { 0 },
};

const struct field ACKNOWLEDGEMENT_FIELDS[] = {
    FIELD(acknowledgement, key, TEXT),     FIELD(acknowledgement, reason, TEXT),
    FIELD(acknowledgement, by, TEXT),      FIELD(acknowledgement, at_us, U64),
    FIELD(acknowledgement, until_us, U64), { 0 },
};

static const struct field MEASURE_FIELDS[] = {
    FIELD(measure_record, at_us, U64),
    { "device", FIELD_TEXT, offsetof(struct measure_record, device_id) },
    FIELD(measure_record, method, TEXT),
    FIELD(measure_record, block_bytes, U64),
    FIELD(measure_record, kb_per_s, U64),
    FIELD(measure_record, median_us, U64),
    { 0 },
};

static const struct field THIN_FIELDS[] = {
    { "now_us", FIELD_U64, 0 },
    { 0 },
};

static const struct field QUERY_FIELDS[] = {
    FIELD(query_record, id, TEXT),
    FIELD(query_record, since_us, U64),
    FIELD(query_record, most, U64),
    { 0 },
};

static const struct field LOAD_FIELDS[] = {
    FIELD(load_record, now_us, U64),
    FIELD(load_record, span_us, U64),
    FIELD(load_record, step_us, U64),
    { 0 },
};

const struct field *record_fields(enum record_kind kind)
{
    static const struct field *const OF[] = {
        [RECORD_LOOK] = LOOK_FIELDS,
        [RECORD_FINDING] = FINDING_FIELDS,
        [RECORD_ACKNOWLEDGE] = ACKNOWLEDGEMENT_FIELDS,
        [RECORD_MEASURE] = MEASURE_FIELDS,

        [RECORD_THIN] = THIN_FIELDS,
        [RECORD_QUERY] = QUERY_FIELDS,
        [RECORD_LOAD] = LOAD_FIELDS,
    };

    return OF[kind];
}

void record_done(struct record *record)
{
    switch (record->kind) {
    case RECORD_LOOK:
        look_done(&record->look);
        break;
    case RECORD_FINDING:
        free(record->finding.subjects.v);
        free(record->finding.names.v);
        break;
    case RECORD_ACKNOWLEDGE:
    case RECORD_MEASURE:
    case RECORD_THIN:
    case RECORD_QUERY:
    case RECORD_LOAD:
    case _RECORD_KIND_MAX:
        break;
    }
    *record = (struct record){ 0 };
}

static bool is_complete_look(const struct look *look)
{
    for (size_t i = 0; i < look->objects.n; i++)
        if (!look->objects.v[i].id)
            return false;
    for (size_t i = 0; i < look->counts.n; i++)
        if (!look->counts.v[i].link_id || !look->counts.v[i].name ||
            !fact_kind_counts(look->counts.v[i].kind))
            return false;
    for (size_t i = 0; i < look->measures.n; i++)
        if (!look->measures.v[i].device_id || !look->measures.v[i].method)
            return false;
    return true;
}

bool record_is_complete(const struct record *record)
{
    switch (record->kind) {
    case RECORD_LOOK:
        return is_complete_look(&record->look);
    case RECORD_FINDING:
        return record->finding.key && record->finding.code;
    case RECORD_ACKNOWLEDGE:
        return record->acknowledge.key != NULL;
    case RECORD_MEASURE:
        return record->measure.device_id && record->measure.method;
    case RECORD_QUERY:
        return record->query.id != NULL;
    case RECORD_THIN:
    case RECORD_LOAD:
        return true;
    case _RECORD_KIND_MAX:
        break;
    }
    return false;
}

/* ---- JSON ---- */

void record_write(const struct record *record, FILE *out)
{
    struct json_writer w = json_writer(out, false);

    json_write_begin_object(&w);
    json_write_key(&w, "n");
    json_write_u64(&w, record->n);
    json_write_key(&w, record_kind_to_string(record->kind));
    fields_write(record_fields(record->kind), &record->look, &w);
    json_write_end_object(&w);
}

/* {"n": NUMBER, "KIND": the token that follows. */
static int read_head(struct json_reader *r, struct record *ret, struct json_token *t)
{
    char word[16];
    int kind;

    if (json_next(r, t) <= 0 || t->event != JSON_EVENT_OBJECT_BEGIN || json_next(r, t) <= 0 ||
        t->event != JSON_EVENT_KEY || t->text.len != 1 || t->text.data[0] != 'n' ||
        json_next(r, t) <= 0 || t->event != JSON_EVENT_INTEGER || t->integer < 0)
        return -EBADMSG;
    ret->n = (uint64_t)t->integer;
    if (json_next(r, t) <= 0 || t->event != JSON_EVENT_KEY || t->text.len >= sizeof(word))
        return -EBADMSG;
    memcpy(word, t->text.data, t->text.len);
    word[t->text.len] = '\0';
    kind = record_kind_from_string(word);
    if (kind < 0 || json_next(r, t) <= 0)
        return -EBADMSG;
    ret->kind = (enum record_kind)kind;
    return 0;
}

int record_read(struct bytes json, struct arena *arena, struct record *ret)
{
    _cleanup_(json_reader_freep) struct json_reader *r = json_reader_over(json);
    struct record record = { 0 };
    struct json_token t;
    int e = r ? read_head(r, &record, &t) : -ENOMEM;

    if (e == 0)
        e = fields_read(record_fields(record.kind), r, &t, arena, &record.look);
    if (e == 0 && (json_next(r, &t) <= 0 || t.event != JSON_EVENT_OBJECT_END ||
                   json_next(r, &t) != 0 || !record_is_complete(&record)))
        e = -EBADMSG;
    if (e < 0) {
        record_done(&record);
        return e;
    }
    *ret = record;
    return 0;
}
