/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages that end with a NUL byte, out of a byte stream: Varlink's, and the objects of a capture stream.
 * A read may bring a part of a message, or several: what is complete is given out in order, and the rest
 * waits for more. No message is longer than the limit, so nobody can fill the memory by never ending one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct frames {
    size_t limit; /* longest message, without its NUL */
    uint8_t *buffer;
    size_t n, room;  /* bytes in the buffer, and how many it has room for */
    size_t start;    /* of the message that is next */
    size_t searched; /* no NUL is between start and here */
};

/* An empty one. Nothing is allocated until something comes. */
struct frames frames(size_t limit);

/* Frees what is left; empty afterwards. */
void frames_done(struct frames *f);

/* Where the next bytes are to be put, room for one at the least: `*ret_at` is valid until the next call. Returns how many
 * fit, -ENOMEM, or -EMSGSIZE where the message under way is longer than the limit. All complete messages must have been
 * taken before: frames_next() returned 0. */
int64_t frames_room(struct frames *f, uint8_t **ret_at);

/* So many bytes were put there. */
void frames_added(struct frames *f, size_t n);

/* The next complete message, without its NUL: valid until the next call. Returns 1 with one, 0 where none is complete,
 * -EMSGSIZE where one is longer than the limit; it stays so. */
int frames_next(struct frames *f, struct bytes *ret);

/* Is a part of a message there, of which the rest is missing? */
bool frames_is_partial(const struct frames *f);
