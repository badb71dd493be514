/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What hbactl says and prints (ctl.h). Names, models and messages come from devices, captures and other
 * programs: none of them may command the terminal.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "ctl/ctl.h"

void say(const char *format, ...)
{
    _cleanup_free_ char *text = NULL;
    va_list args;
    int r;

    va_start(args, format);
    r = vasprintf(&text, format, args);
    va_end(args);
    if (r < 0) {
        text = NULL;
        fputs("hbactl: out of memory\n", stderr);
        return;
    }
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    text_for_terminal(text, false);
    fprintf(stderr, "hbactl: %s\n", text);
}

int screen_open(struct request *request)
{
    request->out = stdout;
    if (request->json || request->bench.csv || request->html)
        return 0;
    request->out = open_memstream(&request->text, &request->text_size);
    return request->out ? 0 : -errno;
}

int screen_close(struct request *request, int status, int failed)
{
    errno = 0;
    if (request->out && request->out != stdout) {
        if (fclose(request->out) != 0)
            say("out of memory");
        if (request->text) {
            text_for_terminal(request->text, request->style.colour);
            fputs(request->text, stdout);
        }
        free(request->text);
    }
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    say("standard output: %s", errno ? strerror(errno) : "not all of it could be written");
    return failed;
}

void open_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}
