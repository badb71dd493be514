/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines on standard error (log.h).
 */
#include "daemon/log.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int most = LOG_INFORM;

void log_set_level(int level)
{
    most = level;
}

int log_get_level(void)
{
    return most;
}

void log_line(enum log_priority priority, const char *format, ...)
{
    struct pollfd room = { .fd = STDERR_FILENO, .events = POLLOUT };
    char line[1024];
    size_t n = 0;
    va_list args;
    int r;

    if ((int)priority > most)
        return;
    if (getenv("JOURNAL_STREAM")) /* systemd.exec(5); sd-daemon(3) has the prefix */
        n = (size_t)snprintf(line, sizeof(line), "<%d>", priority);
    else
        n = (size_t)snprintf(line, sizeof(line), "hbad: ");
    va_start(args, format);
    r = vsnprintf(line + n, sizeof(line) - n - 1, format, args);
    va_end(args);
    if (r < 0 || poll(&room, 1, 0) != 1 || !(room.revents & POLLOUT))
        return;
    n = strlen(line);
    for (char *c = line; *c; c++)
        if (*c == '\n')
            *c = ' ';
    line[n++] = '\n';
    /* A pipe with any room takes a line whole (PIPE_BUF, pipe(7)); a socket is told not to wait. */
    if (send(STDERR_FILENO, line, n, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
        write(STDERR_FILENO, line, n) < 0)
        return;
}
