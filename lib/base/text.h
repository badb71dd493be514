/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Small questions about text. Text from devices is bytes that claim to be text: see text_clean().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/bytes.h"

/* Is all of it valid UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF)? NUL is. */
bool text_is_utf8(struct bytes b);

/* Length in bytes of the character at the start of text of which `left` > 0 bytes are there (RFC 3629, section 4); 0: it is no valid
 * UTF-8. */
size_t text_character(const uint8_t *p, size_t left);

/* Is the character, of n bytes, one that readers and terminals obey instead of showing it: a control character (C0 but newline, DEL,
 * C1), or one that turns the order of text around, or ends a line? */
bool text_is_command(const uint8_t *p, size_t n);

/* Can it stand in a capture as a string: valid UTF-8 without a NUL? */
bool text_is_plain(struct bytes b);

/* Are they the same text? NULL is the same as NULL, and as nothing else. */
bool text_same(const char *a, const char *b);

/* Are both known, that is not NULL, and the same text? */
bool text_same_known(const char *a, const char *b);

bool text_starts_with(const char *text, const char *start);
bool text_ends_with(const char *text, const char *end);

/* Without the white space (and NULs) at its end; a copy in the arena. */
char *text_trimmed(struct arena *a, const char *text, size_t len);

/* A field of a device's answer (vendor, model, serial) as text for people and JSON: white space cut at
 * both ends; what is not printable ASCII becomes "?". NULL without memory. */
char *text_clean(struct arena *a, struct bytes field);

/* The last component of a path: what follows the last '/'. Points into the path. */
const char *path_last(const char *path);

/* Makes text that came from anywhere fit for a terminal, in place: control characters but newline, and what is
 * no valid UTF-8, become '?', and so do sequences but, where it has colours, those that colour and embolden. */
void text_for_terminal(char *text, bool has_colours);
