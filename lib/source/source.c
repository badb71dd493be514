/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What every source has in common: the gates that each command passes, and lists of names.
 */
#include "source/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The command's own word on how much it transfers must be the room there is for it. */
static const char *room_is_right(const struct command *command)
{
    struct bytes cdb = { command->cdb, command->cdb_len };

    if (command_counts_blocks(cdb) || command_transfer_bytes(cdb) == command->transfer_bytes)
        return NULL;
    return "the room for data is not what the command says";
}

int source_command(struct source *s, const struct command_target *target,
                   const struct command *command, struct answer *ret)
{
    struct bytes cdb = { command->cdb, command->cdb_len };
    const char *why = command_allowed(cdb);

    if (!why)
        why = room_is_right(command);
    if (!why && s->asking_costs)
        why = command_courtesy(target, cdb);
    if (why) {
        *ret = (struct answer){ .error = EPERM, .refused = why };
        return 0;
    }
    return s->ops->command(s, target, command, ret);
}

void names_done(struct names *n)
{
    for (size_t i = 0; i < n->n; i++)
        free(n->v[i]);
    free(n->v);
    free(n->kinds);
    *n = (struct names){ 0 };
}

static int grow(struct names *n)
{
    size_t cap = n->cap ? n->cap * 2 : 16;
    char **v = realloc(n->v, cap * sizeof(*v));
    uint8_t *kinds;

    if (!v)
        return -ENOMEM;
    n->v = v;
    kinds = realloc(n->kinds, cap);
    if (!kinds)
        return -ENOMEM;
    n->kinds = kinds;
    n->cap = cap;
    return 0;
}

int names_add(struct names *n, struct bytes name, enum name_kind kind)
{
    char *text;

    if (n->n == n->cap && grow(n) < 0)
        return -ENOMEM;
    text = strndup((const char *)name.data, name.len);
    if (!text)
        return -ENOMEM;
    n->v[n->n] = text;
    n->kinds[n->n++] = (uint8_t)kind;
    return 0;
}

struct named {
    char *text;
    uint8_t kind;
};

static int compare_named(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->text, ((const struct named *)b)->text);
}

int names_sort(struct names *n)
{
    struct named *pairs = malloc((n->n ? n->n : 1) * sizeof(*pairs));

    if (!pairs)
        return -ENOMEM;
    for (size_t i = 0; i < n->n; i++)
        pairs[i] = (struct named){ n->v[i], n->kinds[i] };
    qsort(pairs, n->n, sizeof(*pairs), compare_named);
    for (size_t i = 0; i < n->n; i++) {
        n->v[i] = pairs[i].text;
        n->kinds[i] = pairs[i].kind;
    }
    free(pairs);
    return 0;
}

static int compare_naturally(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

void names_sort_naturally(struct names *n)
{
    free(n->kinds);
    n->kinds = NULL;
    if (n->n)
        qsort(n->v, n->n, sizeof(*n->v), compare_naturally);
}
