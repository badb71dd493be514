/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * errno names by the C library's own table.
 */
#include "source/errno_name.h"

#include <errno.h>
#include <string.h>

enum { ERRNO_LAST = 133 }; /* EHWPOISON, the highest in include/uapi/asm-generic/errno.h */

const char *errno_name(int error)
{
    return error > 0 ? strerrorname_np(error) : NULL;
}

int errno_from_name(const char *name)
{
    for (int i = 1; i <= ERRNO_LAST; i++) {
        const char *known = strerrorname_np(i);

        if (known && strcmp(known, name) == 0)
            return i;
    }
    return -EINVAL;
}
