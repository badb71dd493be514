/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The walk of resolve.h: what is done and what is to come are two texts; a link's target is put in front
 * of the second.
 */
#include "source/resolve.h"

#include <errno.h>
#include <string.h>

enum { LINKS_MAX = 40 }; /* MAXSYMLINKS, include/linux/namei.h */

struct walk {
    char *done; /* "" at the top, else "/a/b" */
    size_t done_len;
    char rest[RESOLVED_MAX];
    int (*link)(void *user, const char *path, char *ret, size_t size);
    void *user;
};

static void go_up(struct walk *w)
{
    while (w->done_len && w->done[--w->done_len] != '/')
        ;
    w->done[w->done_len] = '\0';
}

static int go_down(struct walk *w, const char *name, size_t len)
{
    if (w->done_len + 1 + len >= RESOLVED_MAX)
        return -ENAMETOOLONG;
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
    if (target[0] == '/')
        w->done[w->done_len = 0] = '\0';
    else
        go_up(w);
    return 0;
}

/* One component. Returns 1 where it was a link that now stands in front of what is to come. */
static int step(struct walk *w, const char *name, size_t len, bool follow_it)
{
    char target[RESOLVED_MAX];
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
    r = w->link(w->user, w->done, target, sizeof(target));
    if (r <= 0)
        return r;
    r = follow(w, target, (size_t)r, name + len);
    return r < 0 ? r : 1;
}

int resolve_links(const char *path, bool follow_last,
                  int (*link)(void *user, const char *path, char *ret, size_t size), void *user,
                  char ret[RESOLVED_MAX])
{
    struct walk w = { .done = ret, .link = link, .user = user };
    unsigned links = 0;
    size_t at = 0;

    if (path[0] != '/')
        return -ENOENT;
    if (strlen(path) >= sizeof(w.rest))
        return -ENAMETOOLONG;
    strcpy(w.rest, path);
    ret[0] = '\0';
    for (;;) {
        size_t len, behind;
        int r;

        at += strspn(w.rest + at, "/");
        len = strcspn(w.rest + at, "/");
        if (!len)
            break;
        behind = at + len + strspn(w.rest + at + len, "/");
        r = step(&w, w.rest + at, len, follow_last || w.rest[behind]);
        if (r < 0)
            return r;
        if (r > 0 && ++links > LINKS_MAX)
            return -ELOOP;
        at = r > 0 ? 0 : at + len;
    }
    if (!ret[0])
        strcpy(ret, "/");
    return 0;
}
