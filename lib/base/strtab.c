/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The string table of strtab.h: strings lie in blocks of 1 MiB, each as length, bytes, NUL; a number is
 * the place in units of four bytes; an open-addressed table finds the number again.
 */
#include "base/strtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_BYTES = 1024 * 1024,
    BLOCK_UNITS = BLOCK_BYTES / 4,
    BLOCKS_MAX = UINT32_MAX / BLOCK_UNITS,
};

struct slot {
    uint32_t id; /* STRTAB_NONE: free */
    uint32_t hash;
};

struct strtab {
    char **blocks;
    size_t n_blocks, cap_blocks;
    size_t used; /* bytes of the last block */
    struct slot *slots;
    size_t n_slots; /* a power of two */
    size_t n_strings;
};

/* FNV-1a over 32 bits, with a last mix so that the low bits depend on every byte. */
static uint32_t hash_of(struct bytes s)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < s.len; i++)
        h = (h ^ s.data[i]) * 16777619u;
    h ^= h >> 15;
    h *= 0x85ebca6bu;
    return h ^ h >> 13;
}

static const char *place_of(const struct strtab *t, uint32_t id)
{
    return t->blocks[id / BLOCK_UNITS] + (size_t)(id % BLOCK_UNITS) * 4;
}

struct bytes strtab_get(const struct strtab *t, uint32_t id)
{
    const char *place = place_of(t, id);
    uint32_t len;

    memcpy(&len, place, sizeof(len));
    return (struct bytes){ (const uint8_t *)place + sizeof(len), len };
}

const char *strtab_text(const struct strtab *t, uint32_t id)
{
    return place_of(t, id) + sizeof(uint32_t);
}

struct strtab *strtab_new(void)
{
    return calloc(1, sizeof(struct strtab));
}

struct strtab *strtab_free(struct strtab *t)
{
    if (!t)
        return NULL;
    for (size_t i = 0; i < t->n_blocks; i++)
        free(t->blocks[i]);
    free(t->blocks);
    free(t->slots);
    free(t);
    return NULL;
}

/* The slot that holds the string, or the free one where it belongs. */
static struct slot *slot_for(const struct strtab *t, struct bytes string, uint32_t hash)
{
    size_t mask = t->n_slots - 1, i = hash & mask;

    while (t->slots[i].id != STRTAB_NONE) {
        if (t->slots[i].hash == hash && bytes_equal(strtab_get(t, t->slots[i].id), string))
            break;
        i = (i + 1) & mask;
    }
    return &t->slots[i];
}

static int grow_slots(struct strtab *t)
{
    size_t n = t->n_slots ? t->n_slots * 2 : 256, mask = n - 1;
    struct slot *grown = malloc(n * sizeof(*grown));

    if (!grown)
        return -ENOMEM;
    memset(grown, 0xff, n * sizeof(*grown));
    for (size_t i = 0; i < t->n_slots; i++) {
        size_t at = t->slots[i].hash & mask;

        if (t->slots[i].id == STRTAB_NONE)
            continue;
        while (grown[at].id != STRTAB_NONE)
            at = (at + 1) & mask;
        grown[at] = t->slots[i];
    }
    free(t->slots);
    t->slots = grown;
    t->n_slots = n;
    return 0;
}

static int add_block(struct strtab *t)
{
    if (t->n_blocks == BLOCKS_MAX)
        return -ENOMEM;
    if (t->n_blocks == t->cap_blocks) {
        size_t cap = t->cap_blocks ? t->cap_blocks * 2 : 8;
        char **grown = realloc(t->blocks, cap * sizeof(*grown));

        if (!grown)
            return -ENOMEM;
        t->blocks = grown;
        t->cap_blocks = cap;
    }
    t->blocks[t->n_blocks] = malloc(BLOCK_BYTES);
    if (!t->blocks[t->n_blocks])
        return -ENOMEM;
    t->n_blocks++;
    t->used = 0;
    return 0;
}

/* Copies the string into the blocks. */
static int store_string(struct strtab *t, struct bytes string, uint32_t *ret_id)
{
    size_t need = (sizeof(uint32_t) + string.len + 1 + 3) & ~(size_t)3;
    uint32_t len = (uint32_t)string.len;
    char *place;
    int r;

    if (t->n_blocks == 0 || BLOCK_BYTES - t->used < need) {
        r = add_block(t);
        if (r < 0)
            return r;
    }
    place = t->blocks[t->n_blocks - 1] + t->used;
    memcpy(place, &len, sizeof(len));
    if (len)
        memcpy(place + sizeof(len), string.data, len);
    place[sizeof(len) + len] = '\0';
    *ret_id = (uint32_t)((t->n_blocks - 1) * BLOCK_UNITS + t->used / 4);
    t->used += need;
    return 0;
}

int strtab_put(struct strtab *t, struct bytes string, uint32_t *ret_id)
{
    uint32_t hash = hash_of(string);
    struct slot *slot;
    int r;

    if (string.len > STRTAB_STRING_MAX)
        return -E2BIG;
    if (t->n_strings >= t->n_slots / 4 * 3) {
        r = grow_slots(t);
        if (r < 0)
            return r;
    }
    slot = slot_for(t, string, hash);
    if (slot->id == STRTAB_NONE) {
        r = store_string(t, string, &slot->id);
        if (r < 0)
            return r;
        slot->hash = hash;
        t->n_strings++;
    }
    *ret_id = slot->id;
    return 0;
}

uint32_t strtab_find(const struct strtab *t, struct bytes string)
{
    return t->n_slots ? slot_for(t, string, hash_of(string))->id : STRTAB_NONE;
}
