/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared bytes (buffer.h).
 */
#include "daemon/buffer.h"

#include <errno.h>
#include <stdlib.h>

struct buffer *buffer_take(char *data, size_t len)
{
    struct buffer *b = malloc(sizeof(*b));

    if (!b) {
        free(data);
        return NULL;
    }
    *b = (struct buffer){ 1, len, data };
    return b;
}

struct buffer *buffer_ref(struct buffer *b)
{
    b->refs++;
    return b;
}

struct buffer *buffer_unref(struct buffer *b)
{
    if (!b || --b->refs)
        return NULL;
    free(b->data);
    free(b);
    return NULL;
}

int buffer_open(struct buffer_writer *w)
{
    *w = (struct buffer_writer){ 0 };
    w->out = open_memstream(&w->data, &w->len);
    return w->out ? 0 : -ENOMEM;
}

struct buffer *buffer_close(struct buffer_writer *w)
{
    char *data, *fitting;
    int failed = ferror(w->out);

    failed |= fclose(w->out);
    data = w->data;
    if (failed || !data) {
        free(data);
        return NULL;
    }
    fitting = realloc(data, w->len + 1); /* a stream leaves up to half of it unused */
    return buffer_take(fitting ? fitting : data, w->len);
}
