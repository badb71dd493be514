/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Symbolic links resolved by asking for each component of a path, for those who cannot leave it to the
 * kernel: a copied tree must not be left, a recorder must know which links were on the way.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Longest path, with its NUL: PATH_MAX of include/uapi/linux/limits.h. */
enum { RESOLVED_MAX = 4096 };

/* Resolves an absolute path as the kernel would, "/" being the top beyond which ".." does not lead. The
 * last component is followed only where `follow_last`. `link` is asked of each component, by its path
 * without links in it: it puts the target (less than `size` bytes) into `ret` and returns its length,
 * returns 0 for what is no link, or a negative errno, which ends it.
 * Sets ret to the path without links, ".", "..": "/" or "/a/b". Returns 0, -ENAMETOOLONG, -ELOOP after 40
 * links, -ENOENT for a path that is not absolute, or what `link` said. */
int resolve_links(const char *path, bool follow_last,
                  int (*link)(void *user, const char *path, char *ret, size_t size), void *user,
                  char ret[RESOLVED_MAX]);
