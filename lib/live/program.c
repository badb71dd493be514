/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the other programs are (program.h).
 */
#include "live/program.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int program_find(const char *name, const char *dir, char *ret, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", ret, size - 1);
    char *slash;

    if (n > 0) {
        ret[n] = '\0';
        slash = strrchr(ret, '/');
        if (slash && (size_t)(slash + 1 - ret) + strlen(name) < size) {
            strcpy(slash + 1, name);
            if (access(ret, X_OK) == 0)
                return 0;
        }
    }
    if ((size_t)snprintf(ret, size, "%s/%s", dir, name) >= size)
        return -ENAMETOOLONG;
    return access(ret, X_OK) == 0 ? 0 : -errno;
}
