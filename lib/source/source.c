/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What every source has in common: the gates that each command passes, and lists of names.
 */
#include "source/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int source_command(struct source *s, const struct command_target *target,
                   const struct command *command, struct answer *ret)
{
    struct bytes cdb = { command->cdb, command->cdb_len };
    const char *why = command_allowed(cdb);

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
    *n = (struct names){ 0 };
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void names_sort(struct names *n)
{
    if (n->n)
        qsort(n->v, n->n, sizeof(*n->v), compare_names);
}

static int compare_naturally(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

void names_sort_naturally(struct names *n)
{
    if (n->n)
        qsort(n->v, n->n, sizeof(*n->v), compare_naturally);
}
