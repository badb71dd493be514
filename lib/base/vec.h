/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Growable arrays: a pointer, a count and a capacity that live in the caller's struct.
 *
 *   struct { struct thing *v; size_t n, cap; } things = { 0 };
 *   r = vec_reserve(&things, 1);
 *   if (r < 0) return r;
 *   things.v[things.n++] = thing;
 *   …
 *   free(things.v);
 */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

/* A growable array of TYPE. */
#define VEC(type)      \
    struct {           \
        type *v;       \
        size_t n, cap; \
    }

/* Makes room for `more` elements of `size` bytes beyond the `n` that are there. Capacity grows by
 * half, so that a long run of single additions costs linear time and little slack. Returns 0 or
 * -ENOMEM; on failure the array is as it was. */
static inline int vec_reserve_raw(void **v, size_t n, size_t *cap, size_t more, size_t size)
{
    size_t want = n + more, room;
    void *grown;

    if (want < n || want > PTRDIFF_MAX / size)
        return -ENOMEM;
    if (want <= *cap)
        return 0;
    room = *cap + *cap / 2;
    if (room < want)
        room = want;
    if (room < 8)
        room = 8;
    if (room > PTRDIFF_MAX / size)
        return -ENOMEM;
    grown = realloc(*v, room * size);
    if (!grown)
        return -ENOMEM;
    *v = grown;
    *cap = room;
    return 0;
}

#define vec_reserve(vec, more)                                                           \
    ({                                                                                   \
        void *_v = (vec)->v;                                                             \
        int _r = vec_reserve_raw(&_v, (vec)->n, &(vec)->cap, (more), sizeof(*(vec)->v)); \
        (vec)->v = _v;                                                                   \
        _r;                                                                              \
    })

/* Adds one element, evaluated once. Returns 0 or -ENOMEM. */
#define vec_push(vec, ...)                        \
    ({                                            \
        int _rp = vec_reserve(vec, 1);            \
        if (_rp == 0)                             \
            (vec)->v[(vec)->n++] = (__VA_ARGS__); \
        _rp;                                      \
    })
