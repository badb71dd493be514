/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lanes of a wide link, as evidence of its width (judge.h): those it has, and what is beside them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finding/judge.h"

enum { NAMES_MAX = 16 };

/* Is it at the near end of the wide link? The same cables seen from the far end say nothing new. */
static bool is_near(const struct link *l, const struct link *other)
{
    return other != l && other->host == l->host && !judge_is_slot(other) && other->near &&
           l->near && strcmp(other->near, l->near) == 0;
}

/* Could it be a lane, and is none of this link or another? */
static bool is_beside(const struct link *l, const struct link *other)
{
    return !other->bundle && other->state != LINK_UP && is_near(l, other);
}

/* "phy-0:1, phy-0:4 and 2 more" of those that are lanes of it, or with their state those beside it. NULL where there
 * is none, or without memory: `*ret_failed`. */
static char *names_of(const struct judging *j, const struct link *l, bool beside, bool *ret_failed)
{
    char *text = NULL;
    size_t size, n = 0;
    FILE *out = open_memstream(&text, &size);

    *ret_failed = true;
    if (!out)
        return NULL;
    for (size_t i = 0; i < j->model->links.n; i++) {
        const struct link *other = j->model->links.v[i];

        if (beside ? !is_beside(l, other) : other->bundle != l || !is_near(l, other))
            continue;
        if (n++ >= NAMES_MAX)
            continue;
        fprintf(out, "%s%s", n > 1 ? ", " : "", other->kernel_name);
        if (beside)
            fprintf(out, " %s", link_state_to_string(other->state));
    }
    if (n > NAMES_MAX)
        fprintf(out, " and %zu more", n - NAMES_MAX);
    *ret_failed = fclose(out) != 0;
    if (!*ret_failed && n)
        return text;
    free(text);
    return NULL;
}

int judge_lanes(struct judging *j, struct finding *f, const struct link *l)
{
    _cleanup_free_ char *lanes = NULL, *beside = NULL;
    bool failed;
    int r;

    lanes = names_of(j, l, false, &failed);
    if (failed)
        return -ENOMEM;
    beside = names_of(j, l, true, &failed);
    if (failed)
        return -ENOMEM;
    r = judge_evidence(f, "lanes", lanes, l->kernel_name);
    return r < 0 ? r : judge_evidence(f, "beside them", beside, NULL);
}
