/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lines of a configuration file as they are meant: joined where a backslash says so, without
 * comments, empty lines and blanks at both ends. A part of config.c.
 */
#pragma once

#include "base/bytes.h"
#include "base/vec.h"

struct config_lines {
    struct bytes text;
    size_t pos;      /* of the next byte */
    unsigned number; /* of the line that ends before it */
    VEC(char) joined;
};

struct config_line {
    const char *text; /* a NUL behind it; valid until the next line is asked for */
    size_t len;
    unsigned number;  /* of the first of the lines that were joined */
    bool is_too_long; /* more than CONFIG_LINE_BYTES: cut there */
};

/* The next line. Returns 1, 0 at the end of the text, or -ENOMEM. `joined` is the caller's to free. */
int config_lines_next(struct config_lines *l, struct config_line *ret);
