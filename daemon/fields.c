/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Structures as data (fields.h).
 */
#include "daemon/fields.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

struct texts {
    VEC(const char *) list;
};

/* Any VEC, seen without its type. */
struct list {
    void *v;
    size_t n, cap;
};

static void *place(const struct field *f, void *structure)
{
    return (char *)structure + f->offset;
}

static const void *place_const(const struct field *f, const void *structure)
{
    return (const char *)structure + f->offset;
}

bool fields_same(const struct field *fields, const void *a, const void *b)
{
    for (const struct field *f = fields; f->name; f++) {
        const void *x = place_const(f, a), *y = place_const(f, b);
        bool is_same = true;

        switch (f->type) {
        case FIELD_TEXT:
            is_same = text_same(*(const char *const *)x, *(const char *const *)y);
            break;
        case FIELD_U64:
            is_same = *(const uint64_t *)x == *(const uint64_t *)y;
            break;
        case FIELD_U32:
        case FIELD_WORD:
            is_same = *(const uint32_t *)x == *(const uint32_t *)y;
            break;
        case FIELD_BOOL:
            is_same = *(const bool *)x == *(const bool *)y;
            break;
        case FIELD_TEXTS:
        case FIELD_LIST:
        case FIELD_OWN:
            break;
        }
        if (!is_same)
            return false;
    }
    return true;
}

int fields_keep(const struct field *fields, void *structure, struct arena *arena)
{
    for (const struct field *f = fields; f->name; f++) {
        const char **text = place(f, structure);
        char *copy;

        if (f->type != FIELD_TEXT || !*text)
            continue;
        copy = arena_strdup(arena, *text);
        if (!copy)
            return -ENOMEM;
        *text = copy;
    }
    return 0;
}

/* ---- out ---- */

static bool says_something(const struct field *f, const void *structure)
{
    const void *p = place_const(f, structure);

    switch (f->type) {
    case FIELD_TEXT:
        return *(const char *const *)p != NULL;
    case FIELD_U64:
        return *(const uint64_t *)p != 0;
    case FIELD_U32:
    case FIELD_WORD:
        return *(const uint32_t *)p != 0;
    case FIELD_BOOL:
        return *(const bool *)p;
    case FIELD_TEXTS:
    case FIELD_LIST:
        return ((const struct list *)p)->n != 0;
    case FIELD_OWN:
        return f->says(structure);
    }
    return false;
}

static void write_list(const struct field *f, const struct list *list, struct json_writer *w)
{
    json_write_begin_array(w);
    for (size_t i = 0; i < list->n; i++)
        if (f->type == FIELD_TEXTS)
            json_write_string(w, ((const char *const *)list->v)[i]);
        else
            fields_write(f->of, (const char *)list->v + i * f->size, w);
    json_write_end_array(w);
}

static void write_field(const struct field *f, const void *structure, struct json_writer *w)
{
    const void *p = place_const(f, structure);

    json_write_key(w, f->name);
    switch (f->type) {
    case FIELD_TEXT:
        json_write_string(w, *(const char *const *)p);
        break;
    case FIELD_U64:
        json_write_u64(w, *(const uint64_t *)p);
        break;
    case FIELD_U32:
        json_write_u64(w, *(const uint32_t *)p);
        break;
    case FIELD_WORD:
        json_write_string(w, f->word(*(const uint32_t *)p));
        break;
    case FIELD_BOOL:
        json_write_bool(w, *(const bool *)p);
        break;
    case FIELD_TEXTS:
    case FIELD_LIST:
        write_list(f, p, w);
        break;
    case FIELD_OWN:
        f->write(w, structure);
        break;
    }
}

void fields_write(const struct field *fields, const void *structure, struct json_writer *w)
{
    json_write_begin_object(w);
    for (const struct field *f = fields; f->name; f++)
        if (says_something(f, structure))
            write_field(f, structure, w);
    json_write_end_object(w);
}

/* ---- in ---- */

static int read_number(const struct json_token *t, struct arena *arena, uint64_t *ret)
{
    const char *text;

    if (t->event == JSON_EVENT_INTEGER && t->integer >= 0) {
        *ret = (uint64_t)t->integer;
        return 0;
    }
    if (t->event != JSON_EVENT_REAL) /* beyond 63 bits it is one */
        return -EBADMSG;
    text = arena_strndup(arena, (const char *)t->text.data, t->text.len);
    if (!text)
        return -ENOMEM;
    return number_u64(text, 10, ret) < 0 ? -EBADMSG : 0;
}

static int read_text(const struct json_token *t, struct arena *arena, const char **ret)
{
    if (t->event != JSON_EVENT_STRING)
        return -EBADMSG;
    *ret = arena_strndup(arena, (const char *)t->text.data, t->text.len);
    return *ret ? 0 : -ENOMEM;
}

/* The next token; the end in the middle of a value is no value. */
static int next(struct json_reader *r, struct json_token *ret)
{
    int e = json_next(r, ret);

    return e > 0 ? 0 : e == 0 || e == -ENODATA ? -EBADMSG : e;
}

static int read_texts(struct json_reader *r, const struct json_token *first, struct arena *arena,
                      struct texts *to)
{
    struct json_token t;
    int e = first->event == JSON_EVENT_ARRAY_BEGIN ? 0 : -EBADMSG;

    while (e == 0) {
        const char *text = NULL;

        e = next(r, &t);
        if (e < 0 || t.event == JSON_EVENT_ARRAY_END)
            break;
        e = read_text(&t, arena, &text);
        if (e == 0)
            e = vec_push(&to->list, text);
    }
    return e;
}

static int read_list(const struct field *f, struct json_reader *r, const struct json_token *first,
                     struct arena *arena, struct list *to)
{
    struct json_token t;
    int e = first->event == JSON_EVENT_ARRAY_BEGIN ? 0 : -EBADMSG;

    while (e == 0) {
        void *element;

        e = next(r, &t);
        if (e < 0 || t.event == JSON_EVENT_ARRAY_END)
            break;
        e = vec_reserve_raw(&to->v, to->n, &to->cap, 1, f->size);
        if (e < 0)
            break;
        element = (char *)to->v + to->n++ * f->size;
        memset(element, 0, f->size);
        e = fields_read(f->of, r, &t, arena, element);
    }
    return e;
}

static int read_word(const struct field *f, const struct json_token *t, struct arena *arena,
                     uint32_t *ret)
{
    const char *word = NULL;
    int value, e = read_text(t, arena, &word);

    if (e < 0)
        return e;
    value = f->from(word);
    if (value < 0)
        return -EBADMSG;
    *ret = (uint32_t)value;
    return 0;
}

static int read_field(const struct field *f, struct json_reader *r, const struct json_token *t,
                      struct arena *arena, void *structure)
{
    void *p = place(f, structure);
    uint64_t number;
    int e;

    if (t->event == JSON_EVENT_NULL)
        return 0;
    switch (f->type) {
    case FIELD_TEXT:
        return read_text(t, arena, p);
    case FIELD_U64:
        return read_number(t, arena, p);
    case FIELD_U32:
        e = read_number(t, arena, &number);
        if (e == 0 && number > UINT32_MAX)
            e = -EBADMSG;
        if (e == 0)
            *(uint32_t *)p = (uint32_t)number;
        return e;
    case FIELD_WORD:
        return read_word(f, t, arena, p);
    case FIELD_BOOL:
        if (t->event != JSON_EVENT_TRUE && t->event != JSON_EVENT_FALSE)
            return -EBADMSG;
        *(bool *)p = t->event == JSON_EVENT_TRUE;
        return 0;
    case FIELD_TEXTS:
        return read_texts(r, t, arena, p);
    case FIELD_LIST:
        return read_list(f, r, t, arena, p);
    case FIELD_OWN:
        return f->read(r, t, arena, structure);
    }
    return -EBADMSG;
}

static const struct field *named(const struct field *fields, struct bytes name)
{
    for (const struct field *f = fields; f->name; f++)
        if (strlen(f->name) == name.len && memcmp(f->name, name.data, name.len) == 0)
            return f;
    return NULL;
}

int fields_read(const struct field *fields, struct json_reader *r, const struct json_token *first,
                struct arena *arena, void *structure)
{
    struct json_token t;
    int e = first->event == JSON_EVENT_OBJECT_BEGIN ? 0 : -EBADMSG;

    while (e == 0) {
        const struct field *f;

        e = next(r, &t);
        if (e < 0 || t.event == JSON_EVENT_OBJECT_END)
            break;
        f = named(fields, t.text);
        e = next(r, &t);
        if (e == 0 && f)
            e = read_field(f, r, &t, arena, structure);
        else if (e == 0 && json_skip(r, &t) < 0)
            e = -EBADMSG;
    }
    return e;
}

int fields_read_text(const struct field *fields, struct bytes json, struct arena *arena,
                     void *structure)
{
    _cleanup_(json_reader_freep) struct json_reader *r = json_reader_over(json);
    struct json_token t;
    int e = r ? next(r, &t) : -ENOMEM;

    if (e == 0)
        e = fields_read(fields, r, &t, arena, structure);
    if (e == 0 && json_next(r, &t) != 0)
        e = -EBADMSG;
    return e;
}
