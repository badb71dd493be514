/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two ways to stay below a root: openat2() with RESOLVE_IN_ROOT, in which the kernel does it; or,
 * where that is missing, links resolved here, and the path without links opened.
 */
#include "live/below.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/errors.h"
#include "source/resolve.h"

/* For resolve_links(): user is the root's descriptor. */
static int link_below(void *user, const char *path, char *ret, size_t size)
{
    ssize_t n = readlinkat(*(const int *)user, path + 1, ret, size);

    if (n < 0)
        return errno == EINVAL ? 0 : -errno;
    return (size_t)n < size ? (int)n : -ENAMETOOLONG;
}

static int open_by_hand(int root, const char *path, int flags)
{
    char plain[RESOLVED_MAX];
    int r = resolve_links(path, !(flags & O_NOFOLLOW), link_below, &root, plain);

    if (r < 0)
        return r;
    return RET_NERRNO(openat(root, plain[1] ? plain + 1 : ".", flags | O_NOFOLLOW));
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
