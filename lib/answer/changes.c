/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changes (changes.h): each host, link, device and finding is an item with a text for people; where the text is another
 * one than before, that is a change.
 */
#include "answer/changes.h"

#include <errno.h>
#include <search.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "wire/reply.h"

enum {
    ITEMS_MAX = 1000000
}; /* links and devices of the largest machine there is, ten times over */

enum kind { HOST, LINK, DEVICE, FINDING, _KIND_MAX };

struct item {
    char *key; /* kind, host and id */
    enum kind kind;
    char *host, *name, *text;
    uint64_t seen; /* in which part it was told last */
};

struct changes {
    VEC(struct item *) items;
    void *index;    /* of tsearch(3), by key */
    uint64_t part;  /* a number for each reply */
    uint64_t state; /* the first part of the state that is under way; 0: it is over */
    bool is_known;  /* a state was told whole */
};

/* A reply that is being taken. */
struct taking {
    struct changes *changes;
    struct arena *arena;
    const char *host; /* "": what is of none */
    FILE *out;
    const char *list; /* that is put together */
};

struct changes *changes_new(void)
{
    return calloc(1, sizeof(struct changes));
}

static void item_free(struct item *i)
{
    free(i->key);
    free(i->host);
    free(i->name);
    free(i->text);
    free(i);
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct item *)a)->key, ((const struct item *)b)->key);
}

struct changes *changes_free(struct changes *c)
{
    if (!c)
        return NULL;
    for (size_t i = 0; i < c->items.n; i++) {
        tdelete(c->items.v[i], &c->index, compare);
        item_free(c->items.v[i]);
    }
    free(c->items.v);
    free(c);
    return NULL;
}

void changes_begin(struct changes *c)
{
    c->state = c->part + 1;
}

/* ---- lines ---- */

static void say_new(const struct changes *c, enum kind kind, const char *name, const char *text,
                    FILE *out)
{
    if (kind == FINDING)
        fprintf(out, "%s\n", text);
    else if (c->is_known)
        fprintf(out, "+ %s  %s\n", name, text);
}

static void say_changed(const struct item *i, const char *before, FILE *out)
{
    if (i->kind == FINDING)
        fprintf(out, "%s\n", i->text);
    else
        fprintf(out, "%s  %s, was %s\n", i->name, i->text, before);
}

static void say_gone(const struct item *i, FILE *out)
{
    if (i->kind == FINDING)
        fprintf(out, "over: %s\n", i->text);
    else
        fprintf(out, "- %s  was %s\n", i->name, i->text);
}

/* ---- items ---- */

static int add_item(struct changes *c, enum kind kind, const char *key, const char *host,
                    const char *name, const char *text)
{
    struct item *i = calloc(1, sizeof(*i));

    if (!i)
        return -ENOMEM;
    *i = (struct item){ strdup(key), kind, strdup(host), strdup(name), strdup(text), c->part };
    if (i->key && i->host && i->name && i->text && vec_push(&c->items, i) == 0) {
        if (tsearch(i, &c->index, compare))
            return 0;
        c->items.n--;
    }
    item_free(i);
    return -ENOMEM;
}

/* An item that was known before. */
static int see_again(struct changes *c, struct item *i, const char *text, FILE *out)
{
    char *copy, *before = i->text;

    i->seen = c->part;
    if (strcmp(before, text) == 0)
        return 0;
    copy = strdup(text);
    if (!copy)
        return -ENOMEM;
    i->text = copy;
    say_changed(i, before, out);
    free(before);
    return 0;
}

/* An item as it is now. */
static int take_item(struct taking *t, enum kind kind, const char *id, const char *name,
                     const char *text)
{
    struct changes *c = t->changes;
    struct item key = { 0 }, **known;

    if (!id || !name || !text)
        return -EBADMSG;
    key.key = arena_printf(t->arena, "%d %s %s", kind, t->host, id);
    if (!key.key)
        return -ENOMEM;
    known = tfind(&key, &c->index, compare);
    if (known)
        return see_again(c, *known, text, t->out);
    if (c->items.n >= ITEMS_MAX)
        return -EMSGSIZE;
    say_new(c, kind, name, text, t->out);
    return add_item(c, kind, key.key, t->host, name, text);
}

/* Forgets what was told before that part, and not since: of that host, or (NULL) of all. */
static void drop_unseen(struct changes *c, const char *host, uint64_t since, FILE *out)
{
    size_t n = 0;

    for (size_t k = 0; k < c->items.n; k++) {
        struct item *i = c->items.v[k];

        if (i->seen >= since || (host && strcmp(i->host, host) != 0)) {
            c->items.v[n++] = i;
            continue;
        }
        say_gone(i, out);
        tdelete(i, &c->index, compare);
        item_free(i);
    }
    c->items.n = n;
}

/* ---- objects of a report → texts ---- */

/* Some members of an object as texts in the arena, NULL where it has none. */
static int get_texts(struct taking *t, struct bytes object, const char *const *names, size_t n,
                     const char **ret)
{
    struct bytes found[8] = { 0 };
    int r = varlink_members(object, names, n, found);

    for (size_t i = 0; r == 0 && i < n; i++)
        r = varlink_string(found[i], t->arena, &ret[i]);
    return r;
}

/* The texts that there are, ", " between; what there is none of is "-". */
static const char *join(struct taking *t, const char *const *texts, size_t n)
{
    const char *all = NULL;

    for (size_t i = 0; i < n; i++)
        if (texts[i] && *texts[i])
            all = all ? arena_printf(t->arena, "%s, %s", all, texts[i]) : texts[i];
    return all ? all : "-";
}

static int take_host(struct taking *t, struct bytes object)
{
    static const char *const NAMES[] = {
        "id", "kernel_name", "model", "driver", "firmware", "state"
    };
    const char *texts[ELEMENTS(NAMES)] = { 0 };
    int r = get_texts(t, object, NAMES, ELEMENTS(NAMES), texts);

    if (r < 0)
        return r;
    if (!texts[0])
        return -EBADMSG;
    t->host = texts[0];
    return take_item(t, HOST, texts[0], texts[1], join(t, texts + 2, ELEMENTS(NAMES) - 2));
}

/* "Ultra160" of { label, … }, or its payload where it has none. */
static int mode_text(struct taking *t, struct bytes mode, const char **ret)
{
    static const char *const NAMES[] = { "label", "mb_per_s" };
    struct bytes found[ELEMENTS(NAMES)] = { 0 };
    int r = mode.len ? varlink_members(mode, NAMES, ELEMENTS(NAMES), found) : 0;

    *ret = NULL;
    if (!mode.len || r < 0)
        return r;
    r = varlink_string(found[0], t->arena, ret);
    if (r == 0 && !*ret && found[1].len) {
        *ret = arena_printf(t->arena, "%.*s MB/s", (int)found[1].len, (const char *)found[1].data);
        r = *ret ? 0 : -ENOMEM;
    }
    return r;
}

static int take_link(void *userdata, struct bytes object)
{
    static const char *const NAMES[] = { "id", "kernel_name", "far", "state", "verdict" },
                             *const MODES[] = { "actual", "expected" };
    struct taking *t = userdata;
    struct bytes modes[ELEMENTS(MODES)] = { 0 };
    const char *texts[ELEMENTS(NAMES)] = { 0 }, *actual = NULL, *expected = NULL;
    bool is_up, is_odd;
    int r = get_texts(t, object, NAMES, ELEMENTS(NAMES), texts);

    if (r == 0)
        r = varlink_members(object, MODES, ELEMENTS(MODES), modes);
    if (r == 0)
        r = mode_text(t, modes[0], &actual);
    if (r == 0)
        r = mode_text(t, modes[1], &expected);
    if (r < 0)
        return r;
    is_up = text_same(texts[3], "up");
    is_odd = text_same(texts[4], "below") || text_same(texts[4], "capped");
    if (is_odd && expected)
        expected = arena_printf(t->arena, "%s %s", *texts[4] == 'b' ? "BELOW" : "held below",
                                expected);
    return take_item(
        t, LINK, texts[0], texts[1],
        join(t,
             (const char *[]){ texts[2], is_up ? NULL : texts[3], is_up ? actual : NULL,
                               is_up && is_odd ? expected : NULL },
             4));
}

static int take_device(void *userdata, struct bytes object)
{
    static const char *const NAMES[] = { "id", "hctl", "vendor", "model", "revision", "state" };
    struct taking *t = userdata;
    const char *texts[ELEMENTS(NAMES)] = { 0 };
    int r = get_texts(t, object, NAMES, ELEMENTS(NAMES), texts);

    return r < 0
               ? r
               : take_item(t, DEVICE, texts[0], texts[1], join(t, texts + 2, ELEMENTS(NAMES) - 2));
}

static int add_to_list(void *userdata, struct bytes element)
{
    struct taking *t = userdata;
    const char *text;
    int r = varlink_string(element, t->arena, &text);

    if (r == 0)
        t->list = arena_printf(t->arena, "%s %s", t->list, text);
    return r == 0 && !t->list ? -ENOMEM : r;
}

/* A finding is known by its code and what it is about. */
static int take_finding(void *userdata, struct bytes object)
{
    static const char *const NAMES[] = { "code", "severity", "summary" }, *const LISTS[] = {
        "subjects"
    };
    struct taking *t = userdata;
    const char *texts[ELEMENTS(NAMES)] = { 0 };
    struct bytes subjects = { 0 };
    int r = get_texts(t, object, NAMES, ELEMENTS(NAMES), texts);

    if (r == 0)
        r = varlink_members(object, LISTS, ELEMENTS(LISTS), &subjects);
    if (r < 0)
        return r;
    if (!texts[0] || !texts[1] || !texts[2])
        return -EBADMSG;
    t->list = texts[0];
    r = varlink_elements(subjects, add_to_list, t);
    return r < 0 ? r
                 : take_item(t, FINDING, t->list, texts[0],
                             arena_printf(t->arena, "%s: %s", texts[1], texts[2]));
}

/* ---- replies ---- */

static int take_host_part(struct taking *t, struct bytes host, struct bytes links,
                          struct bytes devices)
{
    int r = take_host(t, host);

    if (r == 0)
        r = varlink_elements(links, take_link, t);
    if (r == 0)
        r = varlink_elements(devices, take_device, t);
    if (r == 0)
        drop_unseen(t->changes, t->host, t->changes->part, t->out);
    return r;
}

/* How much is watched. */
static void say_counts(const struct changes *c, FILE *out)
{
    size_t n[_KIND_MAX] = { 0 };

    for (size_t i = 0; i < c->items.n; i++)
        n[c->items.v[i]->kind]++;
    fprintf(out, "%zu host%s, %zu link%s, %zu device%s, %zu finding%s\n", n[HOST],
            n[HOST] == 1 ? "" : "s", n[LINK], n[LINK] == 1 ? "" : "s", n[DEVICE],
            n[DEVICE] == 1 ? "" : "s", n[FINDING], n[FINDING] == 1 ? "" : "s");
}

/* The last part of the state, or of what has changed. */
static int take_machine_part(struct taking *t, struct bytes machine)
{
    static const char *const NAMES[] = { "links", "findings" };
    struct changes *c = t->changes;
    struct bytes found[ELEMENTS(NAMES)] = { 0 };
    int r = varlink_members(machine, NAMES, ELEMENTS(NAMES), found);

    if (r == 0)
        r = varlink_elements(found[0], take_link, t);
    if (r == 0)
        r = varlink_elements(found[1], take_finding, t);
    if (r < 0)
        return r;
    drop_unseen(c, "", c->part, t->out);
    if (c->state)
        drop_unseen(c, NULL, c->state, t->out);
    if (!c->is_known)
        say_counts(c, t->out);
    c->is_known = true;
    c->state = 0;
    return 0;
}

int changes_take(struct changes *c, struct bytes parameters, FILE *out)
{
    enum { HOST_PART, LINKS, DEVICES, REMOVED, MACHINE, MEMBERS };
    static const char *const NAMES[MEMBERS] = { "host", "links", "devices", "removed", "machine" };
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct taking t = { c, arena, "", out, NULL };
    struct bytes found[MEMBERS] = { 0 };
    const char *removed = NULL;
    int r = arena ? varlink_members(parameters, NAMES, MEMBERS, found) : -ENOMEM;

    if (r == 0)
        r = varlink_string(found[REMOVED], arena, &removed);
    if (r < 0)
        return r;
    c->part++;
    if (removed)
        drop_unseen(c, removed, c->part, out);
    if (found[HOST_PART].len)
        return take_host_part(&t, found[HOST_PART], found[LINKS], found[DEVICES]);
    return found[MACHINE].len ? take_machine_part(&t, found[MACHINE]) : 0;
}
