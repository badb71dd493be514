/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The set of scrub_known.h. Addresses are sorted numbers. Texts are sorted too; each names the longest
 * other text it begins with, so that one binary search gives all texts that stand at a place: the
 * last one that is not behind the text at that place in the order, and what that one begins with.
 */
#include "source/scrub_known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "source/scrub_map.h"

enum { TEXT_MIN = 4, NO_PARENT = -1 };

/* How sure a text is; in the order of enum known_place, each fit for that place and those before. */
enum strength {
    NOWHERE = -1,
    IN_PROPS = PLACE_PROP,
    IN_TEXTS = PLACE_TEXT,
    EVERYWHERE = PLACE_NAME
};

struct known_text {
    struct bytes text;
    enum writing writing;
    enum strength strength;
    int parent;
};

struct known {
    struct arena *arena;
    VEC(struct known_text) texts;
    VEC(uint64_t) wwns;
    VEC(uint64_t) prefixes;   /* the upper 28 bits of all wwns */
    VEC(uint64_t) extensions; /* lower halves of 128-bit ones */
    VEC(uint64_t) macs;
    uint8_t starts[1 << 13]; /* a bit for each hash of the first four characters of a text */
};

struct known *known_new(void)
{
    struct known *k = calloc(1, sizeof(*k));

    if (!k)
        return NULL;
    k->arena = arena_new();
    return k->arena ? k : known_free(k);
}

struct known *known_free(struct known *k)
{
    if (!k)
        return NULL;
    arena_free(k->arena);
    free(k->texts.v);
    free(k->wwns.v);
    free(k->prefixes.v);
    free(k->extensions.v);
    free(k->macs.v);
    free(k);
    return NULL;
}

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

static bool is_alnum(uint8_t c)
{
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z');
}

/* ---- learning ---- */

static int learn_wwn(struct known *k, uint64_t wwn)
{
    int r;

    if (!scrub_is_wwn(wwn))
        return 0;
    r = vec_push(&k->wwns, wwn);
    return r < 0 ? r : vec_push(&k->prefixes, wwn >> 36);
}

/* What of a text can be told by looking at it. */
static enum strength strength_of(struct bytes text, enum writing writing)
{
    size_t digits = 0, letters = 0, distinct = 0;
    bool seen[256] = { false };

    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = lower(text.data[i]);

        digits += c >= '0' && c <= '9';
        letters += c >= 'a' && c <= 'z';
        distinct += !seen[c];
        seen[c] = true;
    }
    if (writing == WRITTEN_IQN)
        return EVERYWHERE;
    if (writing == WRITTEN_IP)
        return IN_TEXTS;
    if (writing == WRITTEN_HOST)
        return letters ? IN_TEXTS : NOWHERE;
    if (distinct < 3 || memchr(text.data, '/', text.len))
        return NOWHERE;
    if ((letters && digits && text.len >= 8) || digits >= 12)
        return EVERYWHERE;
    return letters && digits && text.len >= 6 ? IN_TEXTS : IN_PROPS;
}

static int learn_text(struct known *k, struct bytes text, enum writing writing)
{
    struct known_text known = { .writing = writing, .strength = strength_of(text, writing) };

    if (text.len < TEXT_MIN || known.strength == NOWHERE)
        return 0;
    known.text = arena_bytes(k->arena, text);
    if (!known.text.data)
        return -ENOMEM;
    return vec_push(&k->texts, known);
}

/* udev writes "50 00001" as "50_00001". */
static int learn_serial(struct known *k, struct bytes text)
{
    char *copy = arena_strndup(k->arena, (const char *)text.data, text.len);
    bool spaces = false;
    int r;

    if (!copy)
        return -ENOMEM;
    for (size_t i = 0; i < text.len; i++) {
        if (copy[i] != ' ')
            continue;
        copy[i] = '_';
        spaces = true;
    }
    r = spaces ? learn_text(k, (struct bytes){ (uint8_t *)copy, text.len }, WRITTEN_SERIAL) : 0;
    return r < 0 ? r : learn_text(k, text, WRITTEN_SERIAL);
}

static int learn_wwn128(struct known *k, uint64_t high, uint64_t low)
{
    int r = learn_wwn(k, high);

    if (r < 0)
        return r;
    return high >> 60 == 6 ? vec_push(&k->extensions, low) : learn_wwn(k, low);
}

static int learn_hex(struct known *k, struct bytes text)
{
    uint64_t high, low;

    return hex_number(text, &high, &low) == 32 ? learn_wwn128(k, high, low) : learn_wwn(k, low);
}

static uint64_t be64(const uint8_t *p)
{
    uint64_t value = 0;

    for (size_t i = 0; i < 8; i++)
        value = value << 8 | p[i];
    return value;
}

static int learn_binary(struct known *k, struct bytes field, bool swapped)
{
    uint8_t copy[16];

    for (size_t i = 0; i < field.len; i++)
        copy[i] = field.data[swapped ? i ^ 1 : i];
    return field.len == 16 ? learn_wwn128(k, be64(copy), be64(copy + 8)) : learn_wwn(k, be64(copy));
}

static int learn_swapped(struct known *k, struct bytes field)
{
    uint8_t copy[64];

    for (size_t i = 0; i < field.len; i++)
        copy[i] = field.data[i ^ 1];
    return learn_serial(k, bytes_trimmed((struct bytes){ copy, field.len }));
}

int known_learn(struct known *k, struct bytes value, const struct span *span)
{
    struct bytes field = bytes_slice(value, span->start, span->len);
    uint64_t high, mac;

    if (span->guess)
        return 0;
    switch (span->writing) {
    case WRITTEN_HEX:
        return learn_hex(k, field);
    case WRITTEN_MAC:
        hex_number(field, &high, &mac);
        return vec_push(&k->macs, mac);
    case WRITTEN_BINARY:
    case WRITTEN_WORDS:
        return learn_binary(k, field, span->writing == WRITTEN_WORDS);
    case WRITTEN_SERIAL:
        return learn_serial(k, field);
    case WRITTEN_SWAPPED:
        return learn_swapped(k, field);
    case WRITTEN_IQN:
    case WRITTEN_IP:
    case WRITTEN_HOST:
        return learn_text(k, field, span->writing);
    case WRITTEN_EXTENSION:
    case WRITTEN_OPAQUE:
    case WRITTEN_ROUTE:
    case WRITTEN_CHECKSUM:
        break;
    }
    return 0;
}

int known_learn_host(struct known *k, const char *host)
{
    struct bytes name = { (const uint8_t *)host, strlen(host) };
    size_t dot = strcspn(host, ".");
    int r;

    if (strcmp(host, "localhost") == 0)
        return 0;
    r = learn_text(k, name, WRITTEN_HOST);
    return r < 0 || dot == name.len ? r : learn_text(k, bytes_slice(name, 0, dot), WRITTEN_HOST);
}

/* ---- sealing ---- */

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Sorts and keeps each number once; returns how many are left. */
static size_t sort_numbers(uint64_t *v, size_t n)
{
    size_t kept = 0;

    if (n)
        qsort(v, n, sizeof(*v), compare_numbers);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || v[i] != v[kept - 1])
            v[kept++] = v[i];
    return kept;
}

static bool has_number(const uint64_t *v, size_t n, uint64_t number)
{
    return n && bsearch(&number, v, n, sizeof(*v), compare_numbers);
}

/* memcmp() in small letters; a text is before all that begin with it. */
static int compare_folded(struct bytes a, struct bytes b)
{
    size_t n = a.len < b.len ? a.len : b.len;

    for (size_t i = 0; i < n; i++)
        if (lower(a.data[i]) != lower(b.data[i]))
            return lower(a.data[i]) < lower(b.data[i]) ? -1 : 1;
    return (a.len > b.len) - (a.len < b.len);
}

/* Equal texts: names before serial numbers, so that the first, which stays, is the surest. */
static int compare_texts(const void *a, const void *b)
{
    const struct known_text *x = a, *y = b;
    int c = compare_folded(x->text, y->text);

    if (c == 0)
        c = (x->strength < y->strength) - (x->strength > y->strength);
    if (c == 0)
        c = memcmp(x->text.data, y->text.data, x->text.len);
    return c ? c : (x->writing > y->writing) - (x->writing < y->writing);
}

static bool begins_with(struct bytes text, struct bytes start)
{
    return text.len >= start.len && compare_folded(bytes_slice(text, 0, start.len), start) == 0;
}

static size_t start_hash(const uint8_t *p)
{
    uint32_t four = (uint32_t)lower(p[0]) | (uint32_t)lower(p[1]) << 8 |
                    (uint32_t)lower(p[2]) << 16 | (uint32_t)lower(p[3]) << 24;

    return four * 2654435761u >> 16;
}

void known_seal(struct known *k)
{
    size_t kept = 0;

    k->wwns.n = sort_numbers(k->wwns.v, k->wwns.n);
    k->prefixes.n = sort_numbers(k->prefixes.v, k->prefixes.n);
    k->extensions.n = sort_numbers(k->extensions.v, k->extensions.n);
    k->macs.n = sort_numbers(k->macs.v, k->macs.n);
    if (k->texts.n)
        qsort(k->texts.v, k->texts.n, sizeof(*k->texts.v), compare_texts);
    for (size_t i = 0; i < k->texts.n; i++) {
        struct known_text *t = &k->texts.v[i];
        int parent = (int)kept - 1;
        size_t hash = start_hash(t->text.data);

        if (kept && compare_folded(t->text, k->texts.v[kept - 1].text) == 0)
            continue;
        while (parent != NO_PARENT && !begins_with(t->text, k->texts.v[parent].text))
            parent = k->texts.v[parent].parent;
        t->parent = parent;
        k->starts[hash / 8] |= (uint8_t)(1u << hash % 8);
        k->texts.v[kept++] = *t;
    }
    k->texts.n = kept;
}

/* ---- asking ---- */

/* The last text that is not behind what stands there; NO_PARENT where there is none. */
static int last_before(const struct known *k, struct bytes there)
{
    size_t low = 0, high = k->texts.n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_folded(k->texts.v[middle].text, there) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return (int)low - 1;
}

/* May the text stand there: is it sure enough for the place, and a word of its own if it must be? */
static bool fits(const struct known_text *t, enum known_place place, struct bytes in, size_t at)
{
    size_t end = at + t->text.len;
    enum strength needed = place == PLACE_BINARY ? EVERYWHERE : (enum strength)place;

    if (t->strength < needed)
        return false;
    if (t->strength == EVERYWHERE)
        return true;
    return (at == 0 || !is_alnum(in.data[at - 1])) && (end == in.len || !is_alnum(in.data[end]));
}

static const struct known_text *text_at(const struct known *k, enum known_place place,
                                        struct bytes in, size_t at, size_t to)
{
    struct bytes there = bytes_slice(in, at, to - at);
    size_t hash;

    if (there.len < TEXT_MIN)
        return NULL;
    hash = start_hash(there.data);
    if (!(k->starts[hash / 8] & 1u << hash % 8))
        return NULL;
    for (int i = last_before(k, there); i != NO_PARENT; i = k->texts.v[i].parent)
        if (begins_with(there, k->texts.v[i].text) && fits(&k->texts.v[i], place, in, at))
            return &k->texts.v[i];
    return NULL;
}

void known_spare(struct known *k, struct bytes text)
{
    for (size_t at = 0; at + TEXT_MIN <= text.len; at++) {
        const struct known_text *t;

        while ((t = text_at(k, PLACE_PROP, text, at, text.len)))
            k->texts.v[t - k->texts.v].strength = NOWHERE;
    }
}

/* Is the number an address of this capture, or one with the OUI of one? Half of a 128-bit one where
 * `wide`. */
static bool is_known_wwn(const struct known *k, uint64_t wwn, bool wide)
{
    if (!has_number(k->prefixes.v, k->prefixes.n, wwn >> 36))
        return false;
    return wwn >> 60 == 5 || (wide && wwn >> 60 == 6) || has_number(k->wwns.v, k->wwns.n, wwn);
}

/* The bytes of the text that hold digits [first, first+n) of the run. */
static struct span digits_of_run(struct bytes in, const struct hex_run *run, unsigned first,
                                 unsigned n)
{
    struct span span = { .start = hex_run_tail(in, run, run->digits - first),
                         .writing = WRITTEN_HEX };
    struct hex_run head = { .end = hex_run_tail(in, run, run->digits - first - n) };

    /* The tail may start behind a separator, which is not the number's. */
    span.len = head.end - span.start;
    while (span.len && hex_digit(in.data[span.start + span.len - 1]) < 0)
        span.len--;
    return span;
}

/* An address somewhere in the run of hex digits, which lies within `in`. */
static bool address_in_run(const struct known *k, struct bytes in, const struct hex_run *run,
                           struct span *ret)
{
    struct bytes text = bytes_slice(in, run->start, run->end - run->start);
    uint64_t window = 0, ahead = 0;
    unsigned n = 0;

    if (run->digits == 12) {
        hex_number(text, &ahead, &window);
        *ret = (struct span){ run->start, text.len, WRITTEN_MAC, 0, false };
        return has_number(k->macs.v, k->macs.n, window);
    }
    for (size_t i = 0; run->digits >= 16 && i < text.len; i++) {
        int digit = hex_digit(text.data[i]);
        bool wide;

        if (digit < 0)
            continue;
        window = window << 4 | (uint64_t)digit;
        if (++n < 16)
            continue;
        wide = run->digits - (n - 16) >= 32;
        if (!is_known_wwn(k, window, wide))
            continue;
        *ret = digits_of_run(in, run, n - 16, wide && window >> 60 == 6 ? 32 : 16);
        return true;
    }
    return false;
}

static bool find_in_text(const struct known *k, enum known_place place, struct bytes in,
                         size_t from, size_t to, struct span *ret)
{
    struct bytes upto = bytes_slice(in, 0, to);
    size_t run_end = from;

    for (size_t at = from; at + TEXT_MIN <= to; at++) {
        const struct known_text *t = text_at(k, place, in, at, to);
        struct hex_run run;

        if (t) {
            *ret = (struct span){ at, t->text.len, t->writing, 0, false };
            return true;
        }
        if (at < run_end || hex_digit(in.data[at]) < 0)
            continue;
        run = hex_run_at(upto, at);
        run_end = run.end;
        if (run.digits >= 12 && address_in_run(k, in, &run, ret))
            return true;
    }
    return false;
}

static bool find_in_binary(const struct known *k, struct bytes in, size_t from, size_t to,
                           struct span *ret)
{
    for (size_t at = from; at + TEXT_MIN <= to; at++) {
        const struct known_text *t = text_at(k, PLACE_BINARY, in, at, to);
        bool wide;

        if (t) {
            *ret = (struct span){ at, t->text.len, t->writing, 0, false };
            return true;
        }
        if (at + 8 > to || in.data[at] == 0 || !is_known_wwn(k, be64(in.data + at), false))
            continue;
        wide = in.data[at] >> 4 == 6 && at + 16 <= to &&
               has_number(k->extensions.v, k->extensions.n, be64(in.data + at + 8));
        *ret = (struct span){ at, wide ? 16 : 8, WRITTEN_BINARY, 0, false };
        return true;
    }
    return false;
}

bool known_find(const struct known *k, enum known_place place, struct bytes in, size_t from,
                size_t to, struct span *ret)
{
    if (place == PLACE_BINARY)
        return find_in_binary(k, in, from, to, ret);
    return find_in_text(k, place, in, from, to, ret);
}
