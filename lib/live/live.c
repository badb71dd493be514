/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The live source: files and clocks here, udev in live_udev.c, commands in live_sg.c.
 */
#include "live/live.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "live/below.h"
#include "live/live_sg.h"
#include "live/live_udev.h"
#include "source/errno_name.h"

/* Of first size and growth of the buffer that files are read into. An attribute of sysfs is at most a
 * page (Documentation/filesystems/sysfs.rst). */
enum { BUFFER_BYTES = 16384 };

/* Longest text of the kernel's own that names it: __NEW_UTS_LEN, include/uapi/linux/utsname.h. */
enum { UTS_BYTES = 65 };

struct live {
    struct source source;
    struct below below;
    struct arena *arena; /* what was read */
    uint8_t *buffer;
    size_t room;
    size_t page;
    struct live_udev udev;
    struct live_sg sg;
};

static struct live *live_of(struct source *s)
{
    return (struct live *)s;
}

/* A positive errno for what a path leads to nowhere, as source.h has it, and with a name: the kernel's
 * internal ENOTSUPP (524, include/linux/errno.h) escapes from some drivers' attributes. */
static int refusal(int error)
{
    switch (error) {
    case ENOTDIR:
    case ELOOP:
    case ENAMETOOLONG:
        return ENOENT;
    case 524:
        return EOPNOTSUPP;
    default:
        return errno_name(error) ? error : EIO;
    }
}

static enum name_kind kind_of_entry(const struct dirent *e)
{
    switch (e->d_type) {
    case DT_DIR:
        return NAME_DIR;
    case DT_LNK:
        return NAME_LINK;
    case DT_REG:
        return NAME_FILE;
    default:
        return NAME_UNKNOWN;
    }
}

/* Adds the names that begin with the prefix. Returns 0, with an error in `names`, or -ENOMEM. */
static int read_names(DIR *d, const char *prefix, struct names *names)
{
    const struct dirent *e;
    int r = 0;

    while (r == 0 && (errno = 0, e = readdir(d))) {
        struct bytes name = { (const uint8_t *)e->d_name, strlen(e->d_name) };

        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
            text_starts_with(e->d_name, prefix))
            r = names_add(names, name, kind_of_entry(e));
    }
    if (r == 0 && errno)
        names->error = refusal(errno);
    return r;
}

/* Why a directory did not open. */
static int list_refusal(const struct live *l, const char *dir, int error)
{
    int fd;

    if (error != ENOTDIR)
        return refusal(error);
    /* Of the directory itself, or of what leads to it? */
    fd = below_open(&l->below, dir, O_PATH);
    if (fd < 0)
        return ENOENT;
    close(fd);
    return ENOTDIR;
}

static int live_list(struct source *s, const char *dir, const char *prefix, struct names *ret)
{
    struct live *l = live_of(s);
    struct names names = { 0 };
    int fd = below_open(&l->below, dir, O_RDONLY | O_DIRECTORY), r;
    DIR *d;

    if (fd < 0) {
        *ret = (struct names){ .error = list_refusal(l, dir, -fd) };
        return 0;
    }
    d = fdopendir(fd);
    if (!d) {
        close(fd);
        return -ENOMEM;
    }
    r = read_names(d, prefix, &names);
    closedir(d);
    if (r == 0)
        r = names_sort(&names);
    if (r < 0 || names.error) {
        int error = names.error;

        names_done(&names);
        names.error = error;
    }
    if (r == 0)
        *ret = names;
    return r;
}

static int grow_buffer(struct live *l)
{
    size_t room = l->room ? l->room * 2 : BUFFER_BYTES;
    uint8_t *buffer = realloc(l->buffer, room);

    if (!buffer)
        return -ENOMEM;
    l->buffer = buffer;
    l->room = room;
    return 0;
}

/* Is that all, when a read gave `n` of `asked` bytes? In sysfs a read gives the whole attribute, or a
 * page of a binary one (fs/kernfs/file.c); elsewhere only a read of nothing is the end. */
static bool was_last_read(const struct live *l, const char *path, size_t n, size_t asked)
{
    return n == 0 || (text_starts_with(path, "/sys/") && n < asked && n < l->page);
}

/* Reads into l->buffer. Returns how many bytes, a negative errno of the file in *ret_error (positive), or
 * -ENOMEM. */
static ssize_t read_all(struct live *l, int fd, const char *path, size_t limit, int *ret_error)
{
    size_t total = 0, asked;
    ssize_t n;

    do {
        if (total == l->room && grow_buffer(l) < 0)
            return -ENOMEM;
        asked = l->room - total < limit - total ? l->room - total : limit - total;
        do
            n = read(fd, l->buffer + total, asked);
        while (n < 0 && errno == EINTR);
        if (n < 0) {
            *ret_error = refusal(errno);
            return 0;
        }
        total += (size_t)n;
    } while (total < limit && !was_last_read(l, path, (size_t)n, asked));
    return (ssize_t)total;
}

static int live_read(struct source *s, const char *path, size_t limit, struct value *ret)
{
    struct live *l = live_of(s);
    struct value value = { 0 };
    int fd = below_open(&l->below, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    ssize_t n;

    if (fd < 0) {
        *ret = (struct value){ .error = refusal(-fd) };
        return 0;
    }
    n = read_all(l, fd, path, limit, &value.error);
    close(fd);
    if (n < 0)
        return (int)n;
    if (!value.error) {
        value.bytes = arena_bytes(l->arena, (struct bytes){ l->buffer, (size_t)n });
        if (!value.bytes.data)
            return -ENOMEM;
    }
    *ret = value;
    return 0;
}

static int live_link(struct source *s, const char *path, struct value *ret)
{
    struct live *l = live_of(s);
    struct value value = { 0 };
    char target[PATH_MAX];
    ssize_t n = below_readlink(&l->below, path, target, sizeof(target));

    if (n < 0) {
        value.error = n == -EINVAL ? EINVAL : refusal((int)-n);
    } else {
        value.bytes = arena_bytes(l->arena, (struct bytes){ (uint8_t *)target, (size_t)n });
        if (!value.bytes.data)
            return -ENOMEM;
    }
    *ret = value;
    return 0;
}

static int live_prop(struct source *s, const char *path, const char *name, struct value *ret)
{
    struct live *l = live_of(s);

    if (l->below.root >= 0) {
        *ret = (struct value){ .error = ENOENT };
        return 0;
    }
    return live_udev_prop(&l->udev, l->arena, path, name, ret);
}

static int live_command(struct source *s, const struct command_target *target,
                        const struct command *command, struct answer *ret)
{
    struct live *l = live_of(s);

    if (l->below.root >= 0) {
        *ret = (struct answer){ .error = EOPNOTSUPP };
        return 0;
    }
    return live_sg_command(&l->sg, s, l->arena, target, command, ret);
}

static int live_measure(struct source *s, const struct measure_request *request,
                        struct measurement *ret)
{
    (void)s;
    (void)request;
    *ret = (struct measurement){ .error = EOPNOTSUPP };
    return 0;
}

static int live_next_event(struct source *s, struct source_event *ret)
{
    struct live *l = live_of(s);

    return l->below.root >= 0 ? 0 : live_udev_next(&l->udev, ret);
}

static uint64_t clock_us(clockid_t clock)
{
    struct timespec t = { 0 };

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

/* The text in the arena; "" where it cannot stand in a capture. */
static int keep_text(struct live *l, const char *text, const char **ret)
{
    if (!text_is_plain((struct bytes){ (const uint8_t *)text, strlen(text) }))
        text = "";
    *ret = arena_strdup(l->arena, text);
    return *ret ? 0 : -ENOMEM;
}

/* What a file of the copied tree says in its first line; "" where it is not there. */
static int keep_line(struct live *l, const char *path, const char **ret)
{
    struct value v;
    int r = live_read(&l->source, path, UTS_BYTES, &v);
    char line[UTS_BYTES + 1] = "";

    if (r < 0)
        return r;
    if (v.bytes.len)
        memcpy(line, v.bytes.data, v.bytes.len);
    line[strcspn(line, "\n")] = '\0';
    return keep_text(l, line, ret);
}

static int identity_of_tree(struct live *l, struct taken *t)
{
    int r = keep_line(l, "/proc/sys/kernel/osrelease", &t->kernel);

    if (r == 0)
        r = keep_line(l, "/proc/sys/kernel/arch", &t->machine); /* since 6.1 */
    if (r == 0)
        r = keep_line(l, "/proc/sys/kernel/hostname", &t->hostname);
    return r;
}

static int identity_of_machine(struct live *l, struct taken *t)
{
    struct utsname u = { 0 };
    int r;

    uname(&u);
    r = keep_text(l, u.release, &t->kernel);
    if (r == 0)
        r = keep_text(l, u.machine, &t->machine);
    if (r == 0)
        r = keep_text(l, u.nodename, &t->hostname);
    return r;
}

static int live_now(struct source *s, struct taken *ret)
{
    struct live *l = live_of(s);
    struct taken t = { .wall_us = clock_us(CLOCK_REALTIME), .mono_us = clock_us(CLOCK_MONOTONIC) };
    int r = l->below.root >= 0 ? identity_of_tree(l, &t) : identity_of_machine(l, &t);

    if (r == 0)
        *ret = t;
    return r;
}

static void live_close(struct source *s)
{
    struct live *l = live_of(s);

    live_sg_done(&l->sg);
    live_udev_done(&l->udev);
    below_done(&l->below);
    arena_free(l->arena);
    free(l->buffer);
    free(l);
}

static const struct source_ops LIVE = {
    .list = live_list,
    .read = live_read,
    .link = live_link,
    .prop = live_prop,
    .command = live_command,
    .measure = live_measure,
    .next_event = live_next_event,
    .now = live_now,
    .close = live_close,
};

struct source *live_new(const struct live_options *options)
{
    struct live *l = calloc(1, sizeof(*l));
    int r;

    if (!l)
        return NULL;
    l->source = (struct source){ .ops = &LIVE, .asking_costs = !options->root };
    l->page = (size_t)sysconf(_SC_PAGESIZE);
    live_sg_init(&l->sg);
    r = below_init(&l->below, options->root, options->by_hand);
    l->arena = arena_new();
    if (r == 0 && !l->arena)
        r = -ENOMEM;
    if (r < 0) {
        live_close(&l->source);
        errno = -r;
        return NULL;
    }
    return &l->source;
}

int live_event_fd(struct source *live)
{
    struct live *l = live_of(live);

    return l->below.root >= 0 ? -EOPNOTSUPP : live_udev_watch(&l->udev);
}
