/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words to the service manager (notify.h).
 */
#include "daemon/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"

int notify(const char *format, ...)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    _cleanup_close_ int fd = -1;
    char text[512];
    va_list args;
    int n;

    if (!path)
        return 0;
    if ((path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof(to.sun_path))
        return -EINVAL;
    strcpy(to.sun_path, path);
    if (path[0] == '@') /* unix(7), abstract */
        to.sun_path[0] = '\0';
    va_start(args, format);
    n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (n < 0 || (size_t)n >= sizeof(text) || fd < 0)
        return fd < 0 ? -errno : -EMSGSIZE;
    if (sendto(fd, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&to,
               (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path))) < 0)
        return -errno;
    return 1;
}
