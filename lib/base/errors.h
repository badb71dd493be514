/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The error convention of the whole project. No code here but one macro.
 *
 * A function that can fail returns a negative errno, 0 on success, or a non-negative number that its
 * header explains. Outputs are named ret_…; they are untouched on failure and always set on success,
 * unless the header says otherwise. Destructors take NULL.
 *
 * What the hardware, the kernel or a capture refuses (an absent file, EACCES, CHECK CONDITION) is not
 * an error: it is a value with a quality, see facts/fact.h. A negative return means that we
 * ourselves cannot go on.
 *
 *   -ENOMEM   no memory
 *   -EBADMSG  bytes or text that do not have the form they must have
 *   -ENODATA  well formed, and says nothing (a field that is not reported, a command not recorded)
 *   -ENOENT   what was named does not exist
 *   -EINVAL   the caller broke the contract of the function
 *   -EPERM    refused by our own rules (allow-list, courtesy), not by the system
 */
#pragma once

#include <errno.h>

/* The result of a libc call that returns -1 and sets errno, as a negative errno. */
#define RET_NERRNO(call)                            \
    ({                                              \
        __typeof__(call) _ret = (call);             \
        _ret < 0 ? (__typeof__(call))-errno : _ret; \
    })
