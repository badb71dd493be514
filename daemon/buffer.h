/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes that are written once and shared by all who send them: a report goes to hundreds of clients, and is in memory
 * once.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/cleanup.h"

struct buffer {
    unsigned refs;
    size_t len;
    char *data;
};

/* Takes the bytes over (malloc'ed; freed where there is no memory, and NULL is returned). One reference. */
struct buffer *buffer_take(char *data, size_t len);

struct buffer *buffer_ref(struct buffer *b);

/* Takes NULL. Returns NULL. */
struct buffer *buffer_unref(struct buffer *b);
DEFINE_CLEANUP(struct buffer, buffer_unref)

/* A stream whose bytes become a buffer. */
struct buffer_writer {
    FILE *out;
    char *data;
    size_t len;
};

/* Returns 0 or -ENOMEM. */
int buffer_open(struct buffer_writer *w);

/* What was written, as a buffer; NULL without memory. Closes the stream. */
struct buffer *buffer_close(struct buffer_writer *w);
