/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding and reading configuration files (config_files.h).
 */
#include "live/config_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/vec.h"

/* What an earlier one has hides what a later one has by that name. */
static const char *const DIRS[] = { "/etc/hbad", "/usr/lib/hbad" };

struct list {
    VEC(struct config_file) files;
};

/* Takes the path over; NULL is one for which there was no memory. */
static int add(struct list *list, char *path, int error)
{
    if (path && vec_push(&list->files, (struct config_file){ path, error }) == 0)
        return 0;
    free(path);
    return -ENOMEM;
}

static char *join(const char *root, const char *dir, const char *name)
{
    char *path;

    return asprintf(&path, "%s%s/%s", root, dir, name) < 0 ? NULL : path;
}

/* A file that cannot be looked at is there: reading it says what is wrong. */
static bool is_there(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 || errno != ENOENT;
}

static int find_main(struct list *list, const char *root)
{
    for (size_t i = 0; i < ELEMENTS(DIRS); i++) {
        _cleanup_free_ char *path = join(root, DIRS[i], "hbad.conf");

        if (!path)
            return -ENOMEM;
        if (is_there(path))
            return add(list, TAKE_PTR(path), 0);
    }
    return 0;
}

/* Has one of the first `n` files that name? */
static bool has_name(const struct list *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(path_last(list->files.v[i].path), name) == 0)
            return true;
    return false;
}

/* Adds the drop-ins of a directory whose names are not there yet. */
static int add_drop_ins(struct list *list, const char *dir, DIR *d)
{
    size_t n = list->files.n;
    const struct dirent *e;
    int r = 0;

    while (r == 0 && (errno = 0, e = readdir(d)))
        if (e->d_name[0] != '.' && text_ends_with(e->d_name, ".conf") &&
            !has_name(list, n, e->d_name))
            r = add(list, join("", dir, e->d_name), 0);
    return r < 0 ? r : -errno;
}

static int compare(const void *a, const void *b)
{
    const struct config_file *x = a, *y = b;

    return strcmp(path_last(x->path), path_last(y->path));
}

/* The drop-ins of all directories, sorted; what cannot be listed goes into `failed`. */
static int find_drop_ins(struct list *list, struct list *failed, const char *root)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < ELEMENTS(DIRS); i++) {
        _cleanup_free_ char *dir = join(root, DIRS[i], "hbad.conf.d");
        DIR *d = dir ? opendir(dir) : NULL;
        int e = d ? 0 : -errno;

        if (!dir)
            return -ENOMEM;
        if (d) {
            e = add_drop_ins(list, dir, d);
            closedir(d);
        }
        if (e == -ENOMEM)
            r = e;
        else if (e < 0 && e != -ENOENT)
            r = add(failed, TAKE_PTR(dir), -e);
    }
    if (r == 0 && list->files.n)
        qsort(list->files.v, list->files.n, sizeof(*list->files.v), compare);
    return r;
}

static void list_done(struct list *list)
{
    struct config_files files = { list->files.v, list->files.n };

    config_files_done(&files);
}

/* Moves all of the one to the end of the other. */
static int append(struct list *list, struct list *more)
{
    int r = vec_reserve(&list->files, more->files.n);

    for (size_t i = 0; r == 0 && i < more->files.n; i++)
        list->files.v[list->files.n++] = more->files.v[i];
    if (r == 0)
        more->files.n = 0;
    return r;
}

int config_files_find(const char *root, struct config_files *ret)
{
    _cleanup_(list_done) struct list list = { 0 }, drop_ins = { 0 };
    int r = find_main(&list, root);

    if (r == 0)
        r = find_drop_ins(&drop_ins, &list, root);
    if (r == 0)
        r = append(&list, &drop_ins);
    if (r < 0)
        return r;
    *ret = (struct config_files){ list.files.v, list.files.n };
    list = (struct list){ 0 };
    return 0;
}

void config_files_done(struct config_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        free(files->v[i].path);
    free(files->v);
    *files = (struct config_files){ 0 };
}

/* Linux's null device (Documentation/admin-guide/devices.txt, 1 char 3): the way to say "nothing". */
static bool is_null_device(const struct stat *st)
{
    return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
}

/* Opens a regular file, the null device, or a pipe that somebody holds open already ("/dev/fd/63"): others may
 * never end, or never begin. */
static int open_text(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat st = { 0 };
    int r = fd < 0 || fstat(fd, &st) < 0 ? -errno : 0;

    if (r == 0 && S_ISDIR(st.st_mode))
        r = -EISDIR;
    else if (r == 0 && S_ISFIFO(st.st_mode) && text_starts_with(path, "/dev/fd/"))
        r = fcntl(fd, F_SETFL, 0) < 0 ? -errno : 0;
    else if (r == 0 && !S_ISREG(st.st_mode) && !is_null_device(&st))
        r = -EBADFD;
    if (r < 0 && fd >= 0)
        close(fd);
    return r < 0 ? r : fd;
}

int config_file_read(const char *path, struct bytes *ret)
{
    _cleanup_close_ int fd = open_text(path);
    VEC(uint8_t) text = { 0 };
    ssize_t n = fd < 0 ? fd : 1;

    while (n > 0 && text.n <= CONFIG_FILE_BYTES) {
        n = vec_reserve(&text, 16384);
        if (n < 0)
            break;
        do
            n = read(fd, text.v + text.n, text.cap - text.n);
        while (n < 0 && errno == EINTR);
        if (n < 0)
            n = -errno;
        else
            text.n += (size_t)n;
    }
    if (n > 0)
        n = -EFBIG;
    if (n < 0) {
        free(text.v);
        return (int)n;
    }
    *ret = (struct bytes){ text.v, text.n };
    return 0;
}

/* Notes why a file cannot be used. Returns `why`, or -ENOMEM. */
static int note_unread(const char *path, int why, struct config_messages *messages)
{
    const char *text = why == -EBADFD ? "not a regular file" : strerror(-why);

    return why == -ENOMEM || config_messages_add(messages, path, text) < 0 ? -ENOMEM : why;
}

static int load_file(const char *path, struct config *config, struct config_messages *messages)
{
    struct bytes text = { 0 };
    int r = config_file_read(path, &text);

    if (r < 0)
        return note_unread(path, r, messages);
    r = config_parse(config, path, text, messages);
    free((void *)(uintptr_t)text.data);
    return r;
}

int config_files_load(const char *file, struct config *config, struct config_messages *messages)
{
    _cleanup_(config_files_done) struct config_files files = { 0 };
    int r;

    if (file)
        return load_file(file, config, messages);
    r = config_files_find("", &files);
    for (size_t i = 0; r == 0 && i < files.n; i++) {
        const struct config_file *f = &files.v[i];

        r = f->error ? note_unread(f->path, -f->error, messages)
                     : load_file(f->path, config, messages);
        r = r == -ENOMEM ? r : 0; /* the others count */
    }
    return r;
}
