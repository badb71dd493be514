/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages that end with a NUL byte (frame.h). The buffer grows with the message under way and goes when it is
 * empty: hundreds of clients that say nothing cost nothing.
 */
#include "wire/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is read at once from somebody who says little: one request, in nearly all cases. */
enum { ROOM_LEAST = 4096 };

struct frames frames(size_t limit)
{
    return (struct frames){ .limit = limit };
}

void frames_done(struct frames *f)
{
    free(f->buffer);
    *f = (struct frames){ .limit = f->limit };
}

/* Moves what is there to the front. */
static void settle(struct frames *f)
{
    if (!f->start)
        return;
    f->n -= f->start;
    f->searched -= f->start;
    memmove(f->buffer, f->buffer + f->start, f->n);
    f->start = 0;
}

int64_t frames_room(struct frames *f, uint8_t **ret_at)
{
    settle(f);
    if (f->n > f->limit)
        return -EMSGSIZE;
    if (f->n == f->room) {
        size_t room = f->room ? f->room * 2 : ROOM_LEAST;
        uint8_t *grown;

        if (room > f->limit + 1) /* and its NUL */
            room = f->limit + 1;
        grown = realloc(f->buffer, room);
        if (!grown)
            return -ENOMEM;
        f->buffer = grown;
        f->room = room;
    }
    *ret_at = f->buffer + f->n;
    return (int64_t)(f->room - f->n);
}

void frames_added(struct frames *f, size_t n)
{
    f->n += n;
}

int frames_next(struct frames *f, struct bytes *ret)
{
    uint8_t *nul = f->searched < f->n ? memchr(f->buffer + f->searched, '\0', f->n - f->searched)
                                      : NULL;
    size_t len = nul ? (size_t)(nul - f->buffer) - f->start : f->n - f->start;

    if (len > f->limit)
        return -EMSGSIZE;
    if (nul) {
        *ret = (struct bytes){ f->buffer + f->start, len };
        f->start = f->searched = f->start + len + 1;
        return 1;
    }
    f->searched = f->n;
    if (f->start == f->n)
        frames_done(f);
    return 0;
}

bool frames_is_partial(const struct frames *f)
{
    return f->n > f->start;
}
