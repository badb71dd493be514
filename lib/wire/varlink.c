/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Varlink's messages (varlink.h), read token by token.
 */
#include "wire/varlink.h"

#include <errno.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/vec.h"

/* What is read of a call. */
struct parsing {
    struct json_reader *json;
    struct arena *arena;
    struct bytes text;
    struct varlink_call *call;
    unsigned seen;   /* a bit for each row of MEMBERS */
    const char *why; /* what is wrong */
};

static int wrong(struct parsing *p, const char *why)
{
    p->why = why;
    return -EBADMSG;
}

static int take_method(struct parsing *p, const struct json_token *t)
{
    if (t->event != JSON_EVENT_STRING)
        return wrong(p, "method is no string");
    if (memchr(t->text.data, '\0', t->text.len))
        return wrong(p, "a NUL in the name of the method");
    p->call->method = arena_strndup(p->arena, (const char *)t->text.data, t->text.len);
    return p->call->method ? 0 : -ENOMEM;
}

/* Keeps the text of the object; it is read later, by who knows the method. */
static int take_parameters(struct parsing *p, const struct json_token *t)
{
    uint64_t begin = json_reader_offset(p->json) - 1;
    int r;

    if (t->event == JSON_EVENT_NULL)
        return 0;
    if (t->event != JSON_EVENT_OBJECT_BEGIN)
        return wrong(p, "parameters is no object");
    r = json_skip(p->json, t);
    p->call->parameters = (struct bytes){ p->text.data + begin,
                                          (size_t)(json_reader_offset(p->json) - begin) };
    return r;
}

static int take_flag(struct parsing *p, const struct json_token *t, bool *ret)
{
    if (t->event != JSON_EVENT_TRUE && t->event != JSON_EVENT_FALSE)
        return wrong(p, "oneway, more or upgrade is neither true nor false");
    *ret = t->event == JSON_EVENT_TRUE;
    return 0;
}

static int take_oneway(struct parsing *p, const struct json_token *t)
{
    return take_flag(p, t, &p->call->oneway);
}

static int take_more(struct parsing *p, const struct json_token *t)
{
    return take_flag(p, t, &p->call->more);
}

static int take_upgrade(struct parsing *p, const struct json_token *t)
{
    return take_flag(p, t, &p->call->upgrade);
}

static const struct {
    const char *name;
    int (*take)(struct parsing *p, const struct json_token *t);
} MEMBERS[] = {
    { "method", take_method }, { "parameters", take_parameters }, { "oneway", take_oneway },
    { "more", take_more },     { "upgrade", take_upgrade },
};

static bool is_text(struct bytes b, const char *text)
{
    return b.len == strlen(text) && memcmp(b.data, text, b.len) == 0;
}

/* One member, its key read. */
static int take_member(struct parsing *p, struct bytes key)
{
    struct json_token t;
    size_t i = 0;
    int r;

    while (i < ELEMENTS(MEMBERS) && !is_text(key, MEMBERS[i].name))
        i++;
    r = json_next(p->json, &t);
    if (r < 0)
        return r;
    if (i == ELEMENTS(MEMBERS))
        return json_skip(p->json, &t);
    if (p->seen & 1u << i)
        return wrong(p, "a member is given twice");
    p->seen |= 1u << i;
    return MEMBERS[i].take(p, &t);
}

static int parse(struct parsing *p)
{
    struct json_token t;
    int r = json_next(p->json, &t);

    if (r < 0)
        return r;
    if (r == 0 || t.event != JSON_EVENT_OBJECT_BEGIN)
        return wrong(p, "no object");
    while ((r = json_next(p->json, &t)) > 0 && t.event == JSON_EVENT_KEY) {
        r = take_member(p, t.text);
        if (r < 0)
            return r;
    }
    if (r > 0)
        r = json_next(p->json, &t); /* nothing but white space follows */
    if (r < 0)
        return r;
    if (!p->call->method)
        return wrong(p, "no method");
    if (p->call->oneway && p->call->more)
        return wrong(p, "both oneway and more");
    return 0;
}

int varlink_parse(struct bytes text, struct arena *arena, struct varlink_call *ret,
                  const char **ret_why)
{
    _cleanup_(json_reader_freep) struct json_reader *reader = json_reader_over(text);
    struct varlink_call call = { 0 };
    struct parsing p = { .json = reader, .arena = arena, .text = text, .call = &call };
    const char *why;
    int r;

    if (!reader)
        return -ENOMEM;
    r = parse(&p);
    if (r == 0) {
        *ret = call;
        return 0;
    }
    if (r != -EBADMSG && r != -ENODATA)
        return r;
    why = p.why ? p.why : r == -ENODATA ? "the text breaks off" : json_reader_error(reader);
    *ret_why = arena_strdup(arena, why ? why : "no JSON");
    return *ret_why ? -EBADMSG : -ENOMEM;
}

/* ---- arguments ---- */

struct filling {
    struct json_reader *json;
    struct arena *arena;
    const struct varlink_argument *table;
    void *target;
    uint64_t seen;    /* a bit a row */
    const char *name; /* of the argument that is wrong */
};

/* The text of a string, in the arena. Returns 1, 0 where it is of another type, or has a NUL in it, or -ENOMEM. */
static int take_string(struct filling *f, const struct json_token *t, const char **ret)
{
    if (t->event != JSON_EVENT_STRING || memchr(t->text.data, '\0', t->text.len))
        return 0;
    *ret = arena_strndup(f->arena, (const char *)t->text.data, t->text.len);
    return *ret ? 1 : -ENOMEM;
}

/* The elements of an array, its begin read. Returns as take_string(), or another negative errno where the text is wrong. */
static int take_strings(struct filling *f, struct varlink_strings *ret)
{
    VEC(const char *) strings = { 0 };
    struct json_token t;
    const char **v;
    int r;

    while ((r = json_next(f->json, &t)) > 0 && t.event != JSON_EVENT_ARRAY_END) {
        const char *text;

        r = take_string(f, &t, &text);
        if (r > 0 && vec_push(&strings, text) < 0)
            r = -ENOMEM;
        if (r <= 0)
            break;
    }
    v = r > 0 ? arena_new_array(f->arena, const char *, strings.n + 1) : NULL;
    if (r > 0 && !v)
        r = -ENOMEM;
    if (v && strings.n)
        memcpy(v, strings.v, strings.n * sizeof(*v));
    if (v)
        *ret = (struct varlink_strings){ v, strings.n };
    free(strings.v);
    return r;
}

/* Puts a value into its field. Returns 1, 0 where it is of another type, or a negative errno. */
static int fill_field(struct filling *f, const struct varlink_argument *a,
                      const struct json_token *t)
{
    void *field = (char *)f->target + a->offset;

    switch (a->type) {
    case VARLINK_STRING:
        return take_string(f, t, field);
    case VARLINK_STRINGS:
        return t->event == JSON_EVENT_ARRAY_BEGIN ? take_strings(f, field) : 0;
    case VARLINK_BOOL:
        *(bool *)field = t->event == JSON_EVENT_TRUE;
        return t->event == JSON_EVENT_TRUE || t->event == JSON_EVENT_FALSE;
    case VARLINK_INT:
        if (t->event == JSON_EVENT_INTEGER)
            *(int64_t *)field = t->integer;
        return t->event == JSON_EVENT_INTEGER;
    }
    return 0;
}

/* The value of an argument, its name read. */
static int fill(struct filling *f, struct bytes key)
{
    const struct varlink_argument *a = f->table;
    struct json_token t;
    size_t i = 0;
    int r;

    f->name = arena_strndup(f->arena, (const char *)key.data, key.len);
    while (a && a->name && !is_text(key, a->name)) {
        a++;
        i++;
    }
    if (!f->name)
        return -ENOMEM;
    if (!a || !a->name || f->seen & UINT64_C(1) << i)
        return -EINVAL;
    f->seen |= UINT64_C(1) << i;
    r = json_next(f->json, &t);
    if (r < 0)
        return r;
    if (t.event == JSON_EVENT_NULL)
        return a->is_optional ? 0 : -EINVAL;
    r = fill_field(f, a, &t);
    return r < 0 ? r : r ? 0 : -EINVAL;
}

static int fill_all(struct filling *f)
{
    struct json_token t;
    int r = json_next(f->json, &t);

    while (r > 0 && (r = json_next(f->json, &t)) > 0 && t.event == JSON_EVENT_KEY) {
        r = fill(f, t.text);
        if (r < 0)
            return r;
        r = 1;
    }
    return r < 0 ? r : 0;
}

int varlink_arguments(struct bytes parameters, struct arena *arena,
                      const struct varlink_argument *table, void *target, const char **ret_name)
{
    _cleanup_(json_reader_freep) struct json_reader *reader = json_reader_over(parameters);
    struct filling f = { reader, arena, table, target, 0, NULL };
    int r = reader ? 0 : -ENOMEM;

    if (r == 0 && parameters.len)
        r = fill_all(&f);
    for (size_t i = 0; r == 0 && table && table[i].name; i++)
        if (!table[i].is_optional && !(f.seen & UINT64_C(1) << i)) {
            f.name = table[i].name;
            r = -EINVAL;
        }
    if (r == -EINVAL)
        *ret_name = f.name;
    return r;
}

/* ---- answers ---- */

void varlink_begin(FILE *out)
{
    fputs("{\"parameters\":", out);
}

void varlink_end(FILE *out, const char *error, bool continues)
{
    if (error) {
        struct json_writer w = json_writer(out, false);

        fputs(",\"error\":", out);
        json_write_string(&w, error);
    } else if (continues) {
        fputs(",\"continues\":true", out);
    }
    fputs("}", out);
    fputc('\0', out);
}

void varlink_error(FILE *out, const char *error, const char *name, const char *value)
{
    struct json_writer w = json_writer(out, false);

    varlink_begin(out);
    json_write_begin_object(&w);
    if (name) {
        json_write_key(&w, name);
        json_write_string(&w, value);
    }
    json_write_end_object(&w);
    varlink_end(out, error, false);
}
