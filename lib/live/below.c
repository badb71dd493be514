/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two ways to stay below a root: openat2() with RESOLVE_IN_ROOT, in which the kernel does it; or,
 * where that is missing, links resolved here, and the path without links opened.
 */
#include "live/below.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/errors.h"

enum { LINKS_MAX = 40 }; /* MAXSYMLINKS, include/linux/namei.h */

/* The path being resolved: what is done, relative to the root and without links, and what is to come. */
struct walk {
    char done[PATH_MAX], rest[PATH_MAX];
    size_t done_len;
};

static void go_up(struct walk *w)
{
    while (w->done_len && w->done[w->done_len - 1] != '/')
        w->done_len--;
    if (w->done_len)
        w->done_len--;
    w->done[w->done_len] = '\0';
}

static int go_down(struct walk *w, const char *name, size_t len)
{
    size_t slash = w->done_len ? 1 : 0;

    if (w->done_len + slash + len >= sizeof(w->done))
        return -ENAMETOOLONG;
    if (slash)
        w->done[w->done_len++] = '/';
    memcpy(w->done + w->done_len, name, len);
    w->done_len += len;
    w->done[w->done_len] = '\0';
    return 0;
}

/* Puts the link's target in front of what is to come, and leaves the link. */
static int follow(struct walk *w, const char *target, size_t len, const char *behind)
{
    size_t behind_len = strlen(behind);

    if (len + 1 + behind_len >= sizeof(w->rest))
        return -ENAMETOOLONG;
    memmove(w->rest + len + 1, behind, behind_len + 1);
    memcpy(w->rest, target, len);
    w->rest[len] = '/';
    if (target[0] == '/') {
        w->done_len = 0;
        w->done[0] = '\0';
    } else {
        go_up(w);
    }
    return 0;
}

/* One component at `name`. Returns 1 where it was a link that is now in front of what is to come. */
static int step(struct walk *w, int root, const char *name, size_t len, bool follow_it)
{
    char target[PATH_MAX];
    ssize_t n;
    int r;

    if (len == 1 && name[0] == '.')
        return 0;
    if (len == 2 && name[0] == '.' && name[1] == '.') {
        go_up(w);
        return 0;
    }
    r = go_down(w, name, len);
    if (r < 0 || !follow_it)
        return r;
    n = readlinkat(root, w->done, target, sizeof(target));
    if (n < 0)
        return errno == EINVAL ? 0 : -errno;
    r = follow(w, target, (size_t)n, name + len);
    return r < 0 ? r : 1;
}

/* Resolves all links, the last component's only where `follow_last`. */
static int resolve(struct walk *w, int root, const char *path, bool follow_last)
{
    size_t at = 0;
    unsigned links = 0;

    if (strlen(path) >= sizeof(w->rest))
        return -ENAMETOOLONG;
    strcpy(w->rest, path);
    w->done_len = 0;
    w->done[0] = '\0';
    for (;;) {
        size_t len;
        bool last;
        int r;

        at += strspn(w->rest + at, "/");
        len = strcspn(w->rest + at, "/");
        if (!len)
            return 0;
        last = !w->rest[at + len + strspn(w->rest + at + len, "/")];
        r = step(w, root, w->rest + at, len, !last || follow_last);
        if (r < 0)
            return r;
        if (r > 0 && ++links > LINKS_MAX)
            return -ELOOP;
        at = r > 0 ? 0 : at + len;
    }
}

static int open_by_hand(int root, const char *path, int flags)
{
    struct walk w;
    int r = resolve(&w, root, path, !(flags & O_NOFOLLOW));

    if (r < 0)
        return r;
    return RET_NERRNO(openat(root, w.done_len ? w.done : ".", flags | O_NOFOLLOW));
}

static int open_in_root(int root, const char *path, int flags)
{
    struct open_how how = {
        .flags = (uint64_t)flags,
        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
    };
    long fd;

    do
        fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
    while (fd < 0 && errno == EAGAIN); /* the tree was renamed under way: openat2(2) */
    return fd < 0 ? -errno : (int)fd;
}

int below_open(const struct below *b, const char *path, int flags)
{
    int fd;

    flags |= O_CLOEXEC;
    if (path[0] != '/')
        return -ENOENT;
    do {
        if (b->root < 0)
            fd = RET_NERRNO(open(path, flags));
        else if (b->by_hand)
            fd = open_by_hand(b->root, path, flags);
        else
            fd = open_in_root(b->root, path, flags);
    } while (fd == -EINTR);
    return fd;
}

ssize_t below_readlink(const struct below *b, const char *path, char *ret, size_t size)
{
    ssize_t n;
    int fd;

    if (path[0] != '/')
        return -ENOENT;
    if (b->root < 0)
        return RET_NERRNO(readlink(path, ret, size));
    fd = below_open(b, path, O_PATH | O_NOFOLLOW);
    if (fd < 0)
        return fd;
    n = RET_NERRNO(readlinkat(fd, "", ret, size));
    close(fd);
    /* What is no link is ENOENT here, for it has no name: readlink(2). */
    return n == -ENOENT ? -EINVAL : n;
}

int below_init(struct below *b, const char *root, bool by_hand)
{
    int fd;

    *b = (struct below){ .root = -1, .by_hand = by_hand };
    if (!root)
        return 0;
    b->root = RET_NERRNO(open(root, O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (b->root < 0)
        return b->root;
    if (by_hand)
        return 0;
    fd = open_in_root(b->root, "/", O_PATH | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    /* ENOSYS: an old kernel. EPERM: a sandbox that does not know the call. */
    b->by_hand = fd == -ENOSYS || fd == -EPERM;
    return fd >= 0 || b->by_hand ? 0 : fd;
}

void below_done(struct below *b)
{
    if (b->root >= 0)
        close(b->root);
    b->root = -1;
}
