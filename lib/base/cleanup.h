/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ownership: variables that clean up after themselves, and the hand-over of what they own.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(function) __attribute__((cleanup(function)))
#define _cleanup_free_      _cleanup_(hbad_freep)
#define _cleanup_fclose_    _cleanup_(hbad_fclosep)
#define _cleanup_close_     _cleanup_(hbad_closep)

/* The pointer, and NULL in the variable: ownership leaves the scope. */
#define TAKE_PTR(ptr)                    \
    ({                                   \
        __typeof__(ptr) *_pptr = &(ptr); \
        __typeof__(ptr) _ret = *_pptr;   \
        *_pptr = NULL;                   \
        _ret;                            \
    })

/* The descriptor, and -1 in the variable. */
#define TAKE_FD(fd)        \
    ({                     \
        int *_pfd = &(fd); \
        int _ret = *_pfd;  \
        *_pfd = -1;        \
        _ret;              \
    })

/* Defines NAMEp(type **), for use with _cleanup_(NAMEp), from a destructor NAME(type *). */
#define DEFINE_CLEANUP(type, name)       \
    static inline void name##p(type **p) \
    {                                    \
        if (*p)                          \
            name(*p);                    \
    }

#define ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

static inline void hbad_freep(void *p)
{
    void **owned = (void **)p;
    free(*owned);
    *owned = NULL;
}

static inline void hbad_fclosep(FILE **f)
{
    if (*f)
        fclose(*f);
}

static inline void hbad_closep(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}
