/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that are written whole or not at all (ctl.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/ctl.h"

/* What goes into a file. */
struct content {
    int (*write)(const void *userdata, FILE *out);
    const void *userdata;
};

/* Writes it and closes the stream. Returns 0 or a negative errno. */
static int write_and_close(const struct content *c, FILE *out)
{
    int r = c->write(c->userdata, out);

    if (fflush(out) != 0 && r == 0)
        r = -errno;
    if (fclose(out) != 0 && r == 0)
        r = -errno;
    return r;
}

/* Straight into what is there: a device, a pipe, a link that leads nowhere yet. */
static int write_into(const struct content *c, const char *path)
{
    FILE *out = fopen(path, "we");

    return out ? write_and_close(c, out) : -errno;
}

/* Into a file beside it, which then takes its place: a full disk leaves the old one as it was. `old` is what
 * is known of that one; NULL where there is none. */
static int write_beside(const struct content *c, const char *path, const struct stat *old)
{
    _cleanup_free_ char *beside = NULL;
    FILE *out;
    int r;

    if (asprintf(&beside, "%s.%d.new", path, (int)getpid()) < 0)
        return -ENOMEM;
    out = fopen(beside, "wxe");
    if (!out)
        return -errno;
    if (old && fchmod(fileno(out), old->st_mode & 07777) < 0) {
        r = -errno;
        fclose(out);
    } else {
        r = write_and_close(c, out);
    }
    if (r == 0 && rename(beside, path) < 0)
        r = -errno;
    if (r < 0)
        unlink(beside);
    return r;
}

int write_file(const char *path, int (*write)(const void *userdata, FILE *out),
               const void *userdata)
{
    const struct content c = { write, userdata };
    _cleanup_free_ char *real = NULL;
    struct stat st;
    int r;

    if (stat(path, &st) == 0) {
        real = S_ISREG(st.st_mode) ? realpath(path, NULL) : NULL;
        r = real ? write_beside(&c, real, &st) : write_into(&c, path);
    } else if (lstat(path, &st) == 0) {
        r = write_into(&c, path);
    } else {
        r = write_beside(&c, path, NULL);
    }
    if (r < 0)
        say("%s: %s", path, strerror(-r));
    return r;
}

/* The folder of a path may be written to. */
static int check_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    _cleanup_free_ char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");

    if (!folder)
        return -ENOMEM;
    return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) < 0 ? -errno : 0;
}

/* As write_file() goes about it. */
static int check_path(const char *path)
{
    _cleanup_free_ char *real = NULL;
    struct stat st;

    if (!*path)
        return -ENOENT;
    if (stat(path, &st) < 0) /* a link that leads nowhere yet is not followed */
        return lstat(path, &st) < 0 ? check_folder(path) : 0;
    if (S_ISDIR(st.st_mode))
        return -EISDIR;
    real = S_ISREG(st.st_mode) ? realpath(path, NULL) : NULL;
    if (real)
        return check_folder(real);
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0 ? -errno : 0;
}

int check_file(const char *path)
{
    int r = check_path(path);

    if (r < 0)
        say("%s: %s", path, strerror(-r));
    return r;
}
