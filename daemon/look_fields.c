/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fields of looks (look.h), and of what is in them.
 */
#include "daemon/look.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/names.h"

static const char *const KINDS[] = {
    [OBJECT_LINK] = "link",
    [OBJECT_HOST] = "host",
    [OBJECT_REMOTE] = "remote",
    [OBJECT_DEVICE] = "device",
};
DEFINE_NAMES(enum object_kind, object_kind, KINDS)
DEFINE_NAMES_BACK(object_kind, KINDS)

static const char *const COUNTERS[] = {
    [FACT_COUNTER] = "counter",         [FACT_MEGABYTES] = "megabytes", [FACT_ERRORS] = "errors",
    [FACT_SOFT_ERRORS] = "soft-errors", [FACT_EVENTS] = "events",
};
DEFINE_NAMES(enum fact_kind, counter_kind, COUNTERS)
DEFINE_NAMES_BACK(counter_kind, COUNTERS)

/* ---- enums as fields ---- */

static const char *object_word(unsigned value)
{
    return object_kind_to_string((enum object_kind)value);
}

static const char *counter_word(unsigned value)
{
    return counter_kind_to_string((enum fact_kind)value);
}

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

/* ---- objects ---- */

#define SAMPLE(name, type, place)                          \
    {                                                      \
        name, FIELD_##type, offsetof(struct sample, place) \
    }
#define PAST(name, type, place)                          \
    {                                                    \
        name, FIELD_##type, offsetof(struct past, place) \
    }

const struct field SAMPLE_FIELDS[] = {
    SAMPLE("kernel_name", TEXT, kernel_name),
    SAMPLE("far", TEXT, far),
    SAMPLE("far_id", TEXT, far_id),
    SAMPLE("up_id", TEXT, up_id),
    SAMPLE("bundle_id", TEXT, bundle_id),
    SAMPLE("host_id", TEXT, host_id),
    SAMPLE("wire", TEXT, wire),
    { "state", FIELD_WORD, offsetof(struct sample, state), state_word, state_from },
    SAMPLE("known", BOOL, known),
    SAMPLE("lanes", U32, rate.lanes),
    SAMPLE("options", U32, rate.options),
    SAMPLE("lane_kb_per_s", U64, rate.lane_kb_per_s),
    SAMPLE("label", TEXT, label),
    SAMPLE("may_go", BOOL, may_go),
    SAMPLE("judged_above", BOOL, judged_above),
    SAMPLE("is_slot", BOOL, is_slot),
    SAMPLE("path", TEXT, path),
    SAMPLE("class_name", TEXT, class_name),
    { 0 },
};

const struct field PAST_FIELDS[] = {
    PAST("kernel_name", TEXT, kernel_name),
    PAST("pci_id", TEXT, pci_id),
    PAST("link_id", TEXT, link_id),
    PAST("node", TEXT, node),
    PAST("path", TEXT, path),
    PAST("class_name", TEXT, class_name),
    PAST("count", U64, count),
    PAST("has_count", BOOL, has_count),
    PAST("is_unread", BOOL, is_unread),
    PAST("is_up", BOOL, is_up),
    { 0 },
};

const struct field *object_fields(enum object_kind kind)
{
    return kind == OBJECT_LINK ? SAMPLE_FIELDS : PAST_FIELDS;
}

void *object_of(struct look_object *object)
{
    return object->kind == OBJECT_LINK ? (void *)&object->link : (void *)&object->other;
}

const void *object_of_const(const struct look_object *object)
{
    return object->kind == OBJECT_LINK ? (const void *)&object->link : (const void *)&object->other;
}

static bool is_there(const void *structure)
{
    return !((const struct look_object *)structure)->is_gone;
}

static void write_object(struct json_writer *w, const void *structure)
{
    const struct look_object *o = structure;

    fields_write(object_fields(o->kind), object_of_const(o), w);
}

/* Its kind comes before it. */
static int read_object(struct json_reader *r, const struct json_token *first, struct arena *arena,
                       void *structure)
{
    struct look_object *o = structure;

    return fields_read(object_fields(o->kind), r, first, arena, object_of(o));
}

/* ---- looks ---- */

static const struct field OBJECT_FIELDS[] = {
    { "kind", FIELD_WORD, offsetof(struct look_object, kind), object_word,
      object_kind_from_string },
    { "id", FIELD_TEXT, offsetof(struct look_object, id) },
    { "gone", FIELD_BOOL, offsetof(struct look_object, is_gone) },
    { .name = "is",
      .type = FIELD_OWN,
      .says = is_there,
      .write = write_object,
      .read = read_object },
    { 0 },
};

static const struct field COUNT_FIELDS[] = {
    { "link", FIELD_TEXT, offsetof(struct look_count, link_id) },
    { "name", FIELD_TEXT, offsetof(struct look_count, name) },
    { "kind", FIELD_WORD, offsetof(struct look_count, kind), counter_word,
      counter_kind_from_string },
    { "value", FIELD_U64, offsetof(struct look_count, value) },
    { "late", FIELD_BOOL, offsetof(struct look_count, is_late) },
    { 0 },
};

static const struct field PAST_MEASURE_FIELDS[] = {
    { "device", FIELD_TEXT, offsetof(struct past_measure, device_id) },
    { "method", FIELD_TEXT, offsetof(struct past_measure, method) },
    { "block_bytes", FIELD_U64, offsetof(struct past_measure, block_bytes) },
    { "kb_per_s", FIELD_U64, offsetof(struct past_measure, kb_per_s) },
    { "wall_us", FIELD_U64, offsetof(struct past_measure, wall_us) },
    { 0 },
};

const struct field LOOK_FIELDS[] = {
    { "wall_us", FIELD_U64, offsetof(struct look, wall_us) },
    { "mono_us", FIELD_U64, offsetof(struct look, mono_us) },
    { "before_us", FIELD_U64, offsetof(struct look, before_us) },
    { "before_mono_us", FIELD_U64, offsetof(struct look, before_mono_us) },
    { "hostname", FIELD_TEXT, offsetof(struct look, hostname) },
    { "whole", FIELD_BOOL, offsetof(struct look, is_whole) },
    { "objects", FIELD_LIST, offsetof(struct look, objects), .of = OBJECT_FIELDS,
      .size = sizeof(struct look_object) },
    { "counts", FIELD_LIST, offsetof(struct look, counts), .of = COUNT_FIELDS,
      .size = sizeof(struct look_count) },
    { "measures", FIELD_LIST, offsetof(struct look, measures), .of = PAST_MEASURE_FIELDS,
      .size = sizeof(struct past_measure) },
    { 0 },
};
