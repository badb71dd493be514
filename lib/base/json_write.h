/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes JSON text piece by piece, in the order given, without a tree. Numbers do not depend on the
 * locale. What is given as text and is not UTF-8 has each wrong byte replaced by U+FFFD.
 *
 * The writer keeps commas and indentation right; that keys and values alternate inside an object is
 * for the caller to see to. Errors of the stream are for the caller to ask it: ferror().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/bytes.h"

struct json_writer {
    FILE *out;        /* borrowed */
    bool pretty;      /* two columns a level, a space behind ':'; else everything on one line */
    unsigned depth;   /* of open objects and arrays */
    unsigned compact; /* the depth from which on pretty output stays on one line; 0: never */
    bool need_comma;
    bool after_key;
};

/* A writer to a stream. */
struct json_writer json_writer(FILE *out, bool pretty);

void json_write_begin_object(struct json_writer *w);
void json_write_end_object(struct json_writer *w);
void json_write_begin_array(struct json_writer *w);
void json_write_end_array(struct json_writer *w);

/* An object or array whose content stays on one line even in pretty output. */
void json_write_begin_object_on_one_line(struct json_writer *w);
void json_write_begin_array_on_one_line(struct json_writer *w);

void json_write_key(struct json_writer *w, const char *key);
void json_write_key_bytes(struct json_writer *w, struct bytes key);

/* NULL gives null. What a terminal would obey (text_is_command() in base/text.h) is escaped as \uXXXX. */
void json_write_string(struct json_writer *w, const char *text);
void json_write_string_bytes(struct json_writer *w, struct bytes text);

void json_write_u64(struct json_writer *w, uint64_t value);
void json_write_i64(struct json_writer *w, int64_t value);

/* value / 10^digits as a decimal fraction, at least one digit behind the point, no needless zeros:
 * (160000, 3) is 160.0, (984600, 3) is 984.6. */
void json_write_decimal(struct json_writer *w, uint64_t value, unsigned digits);

void json_write_bool(struct json_writer *w, bool value);
void json_write_null(struct json_writer *w);

/* A key and its value. */
void json_write_text_member(struct json_writer *w, const char *key, const char *text);
void json_write_u64_member(struct json_writer *w, const char *key, uint64_t value);
void json_write_bool_member(struct json_writer *w, const char *key, bool value);

/* Bytes as a string of hex digits, a space between bytes where `spaced`. */
void json_write_hex(struct json_writer *w, struct bytes bytes, bool spaced);
