/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Several stores as one source (unite.h): a replay of each, and who is asked.
 */
#include "source/unite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "source/replay.h"

struct part {
    struct unite_part of;
    struct source *replay;
};

struct united {
    struct source source;
    struct taken taken;
    size_t n;
    struct part parts[];
};

static struct united *united_of(struct source *s)
{
    return (struct united *)s;
}

/* Is it below the part's adapter, or the adapter itself? */
static bool is_below(const struct part *p, const char *path)
{
    size_t len = p->of.below ? strlen(p->of.below) - 1 : 0;

    return p->of.below && strncmp(path, p->of.below, len) == 0 &&
           (path[len] == '/' || path[len] == '\0');
}

/* Who alone knows of what is at a path; NULL: anybody may. */
static struct part *owner_of(struct united *u, const char *path)
{
    for (size_t i = 0; i < u->n; i++)
        if (is_below(&u->parts[i], path))
            return &u->parts[i];
    return NULL;
}

/* Those that are asked about a path: from `*ret_begin` up to the end that is returned. */
static size_t asked(struct united *u, const char *path, size_t *ret_begin)
{
    struct part *owner = owner_of(u, path);

    *ret_begin = owner ? (size_t)(owner - u->parts) : 0;
    return owner ? *ret_begin + 1 : u->n;
}

/* ---- names ---- */

/* Does the path go through the directory of a SCSI host: /sys/devices/…/host0/…? */
static bool is_of_host(const char *path)
{
    for (const char *at = strstr(path, "/host"); at; at = strstr(at + 1, "/host")) {
        size_t digits = strspn(at + strlen("/host"), "0123456789");

        if (digits && (at[strlen("/host") + digits] == '/' || !at[strlen("/host") + digits]))
            return true;
    }
    return false;
}

/* The text of where a link in a directory leads. */
static void join_target(const char *dir, const char *target, char *ret, size_t size)
{
    size_t len = target[0] == '/' ? 0 : strlen(dir), rest;

    while (text_starts_with(target, "../")) {
        target += strlen("../");
        while (len && dir[len - 1] != '/')
            len--;
        len -= len > 0;
    }
    rest = strlen(target);
    if (len + 1 + rest >= size) /* longer than any path can be: leads nowhere */
        len = rest = 0;
    memcpy(ret, dir, len);
    ret[len] = '/';
    memcpy(ret + len + 1, target, rest);
    ret[len + 1 + rest] = '\0';
}

/* A link that the part saw in passing, and that leads to a host that it did not read. Returns 1, 0, -ENOMEM. */
static int is_of_another(struct part *p, const char *dir, const char *name)
{
    char path[4096], target[4096];
    struct value v;
    int r;

    if (!p->of.below || strlen(dir) + 1 + strlen(name) >= sizeof(path))
        return 0;
    join_target(dir, name, path, sizeof(path));
    r = source_link(p->replay, path, &v);
    if (r < 0 || v.error)
        return r;
    join_target(dir, (const char *)v.bytes.data, target, sizeof(target));
    return is_of_host(target) && !is_below(p, target) &&
           store_resolve(p->of.store, path, true) == STORE_NO_NODE;
}

/* Adds the names of one part that are names here. */
static int add_names(struct part *p, const char *dir, const struct names *from, struct names *to)
{
    for (size_t i = 0; i < from->n; i++) {
        const char *name = from->v[i];
        int r = from->kinds[i] == NAME_LINK ? is_of_another(p, dir, name) : 0;

        if (r == 0)
            r = names_add(to, (struct bytes){ (const uint8_t *)name, strlen(name) },
                          from->kinds[i]);
        if (r < 0)
            return r;
    }
    return 0;
}

/* Of names that several parts saw, one stays. They are sorted. */
static void drop_repeats(struct names *names)
{
    size_t n = 0;

    for (size_t i = 0; i < names->n; i++) {
        if (n && strcmp(names->v[n - 1], names->v[i]) == 0) {
            free(names->v[i]);
            continue;
        }
        names->v[n] = names->v[i];
        names->kinds[n++] = names->kinds[i];
    }
    names->n = n;
}

/* Is this refusal worth more than the one before? That it is not there says least. */
static bool says_more(int error, int before)
{
    return before == ENOENT && error != ENOENT;
}

static int unite_list(struct source *s, const char *dir, const char *prefix, struct names *ret)
{
    struct united *u = united_of(s);
    struct names all = { .error = ENOENT };
    size_t begin, end = asked(u, dir, &begin);
    int r = 0;

    for (size_t i = begin; r == 0 && i < end; i++) {
        struct names names;

        r = source_list(u->parts[i].replay, dir, prefix, &names);
        if (r < 0)
            break;
        if (!names.error)
            r = add_names(&u->parts[i], dir, &names, &all);
        if (all.error && (!names.error || says_more(names.error, all.error)))
            all.error = names.error;
        names_done(&names);
    }
    if (r == 0)
        r = names_sort(&all);
    if (r < 0) {
        names_done(&all);
        return r;
    }
    drop_repeats(&all);
    *ret = all;
    return 0;
}

/* ---- what is there ---- */

static int unite_read(struct source *s, const char *path, size_t limit, struct value *ret)
{
    struct united *u = united_of(s);
    size_t begin, end = asked(u, path, &begin);
    struct value v = { .error = ENOENT };
    int r = 0;

    for (size_t i = begin; r == 0 && v.error == ENOENT && i < end; i++)
        r = source_read(u->parts[i].replay, path, limit, &v);
    if (r == 0)
        *ret = v;
    return r;
}

static int unite_link(struct source *s, const char *path, struct value *ret)
{
    struct united *u = united_of(s);
    size_t begin, end = asked(u, path, &begin);
    struct value v = { .error = ENOENT };
    int r = 0;

    for (size_t i = begin; r == 0 && v.error == ENOENT && i < end; i++)
        r = source_link(u->parts[i].replay, path, &v);
    if (r == 0)
        *ret = v;
    return r;
}

static int unite_prop(struct source *s, const char *path, const char *name, struct value *ret)
{
    struct united *u = united_of(s);
    size_t begin, end = asked(u, path, &begin);
    struct value v = { .error = ENOENT };
    int r = 0;

    for (size_t i = begin; r == 0 && v.error == ENOENT && i < end; i++)
        r = source_prop(u->parts[i].replay, path, name, &v);
    if (r == 0)
        *ret = v;
    return r;
}

/* Only the part that its adapter belongs to has sent a device anything. */
static int unite_command(struct source *s, const struct command_target *target,
                         const struct command *command, struct answer *ret)
{
    struct united *u = united_of(s);
    struct answer a = { .error = ENODATA };
    int r = 0;

    for (size_t i = 0; r == 0 && a.error == ENODATA && i < u->n; i++)
        r = u->parts[i].replay->ops->command(u->parts[i].replay, target, command, &a);
    if (r == 0)
        *ret = a;
    return r;
}

static int unite_measure(struct source *s, const struct measure_request *request,
                         struct measurement *ret)
{
    struct united *u = united_of(s);
    struct measure_request of_part = *request;
    struct measurement m = { .error = ENODATA };
    int r = 0;

    for (size_t i = 0; r == 0 && m.error == ENODATA && i < u->n; i++) {
        size_t n = store_measures(u->parts[i].of.store);

        r = source_measure(u->parts[i].replay, &of_part, &m);
        of_part.nth -= of_part.nth < n ? of_part.nth : n;
    }
    if (r == 0)
        *ret = m;
    return r;
}

static int unite_next_event(struct source *s, struct source_event *ret)
{
    (void)s;
    (void)ret;
    return 0;
}

static int unite_now(struct source *s, struct taken *ret)
{
    *ret = united_of(s)->taken;
    return 0;
}

static void unite_close(struct source *s)
{
    struct united *u = united_of(s);

    for (size_t i = 0; i < u->n; i++)
        source_close(u->parts[i].replay);
    free(u);
}

static const struct source_ops UNITE = {
    .list = unite_list,
    .read = unite_read,
    .link = unite_link,
    .prop = unite_prop,
    .command = unite_command,
    .measure = unite_measure,
    .next_event = unite_next_event,
    .now = unite_now,
    .close = unite_close,
};

struct source *unite_new(const struct unite_part *parts, size_t n, const struct taken *taken)
{
    struct united *u = calloc(1, sizeof(*u) + n * sizeof(u->parts[0]));

    if (!u)
        return NULL;
    u->source = (struct source){ .ops = &UNITE };
    u->taken = *taken;
    for (u->n = 0; u->n < n; u->n++) {
        u->parts[u->n] = (struct part){ parts[u->n], replay_new(parts[u->n].store) };
        if (!u->parts[u->n].replay) {
            unite_close(&u->source);
            return NULL;
        }
    }
    return &u->source;
}
