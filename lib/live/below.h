/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening files of this machine, or of a copied tree that stands for one. In a copied tree every path
 * and every symbolic link, also an absolute one, stays below its root: the tree may come from anybody.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct below {
    int root;     /* descriptor of the copied tree; -1: this machine */
    bool by_hand; /* the kernel has no openat2() (before 5.6, or hidden by a sandbox) */
};

/* For this machine (`root` NULL) or the tree in that directory. `by_hand` resolves links in this process
 * even where the kernel could. Returns 0 or a negative errno: the directory cannot be opened. */
int below_init(struct below *b, const char *root, bool by_hand);

/* Takes one that failed to initialise. */
void below_done(struct below *b);

/* As open(2) of an absolute path, O_CLOEXEC added. Returns a descriptor or a negative errno; -ENOENT for
 * a path that does not begin with '/'. */
int below_open(const struct below *b, const char *path, int flags);

/* As readlink(2): the length (the text is cut at `size`, without a NUL), or a negative errno, -EINVAL
 * for what is no link. */
ssize_t below_readlink(const struct below *b, const char *path, char *ret, size_t size);
