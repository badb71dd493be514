/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as what the daemon asks of a collector, which has rights that the daemon has not.
 *
 * What must hold: what is refused is refused with a reason; what is taken leads nowhere but below /sys/devices, and is
 * the same when it is written and read again.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "source/command.h"
#include "wire/request.h"

#define MUST(condition)                 \
    do {                                \
        if (!(condition))               \
            fail(#condition, __LINE__); \
    } while (0)

_Noreturn static void fail(const char *what, int line)
{
    fprintf(stderr, "line %d: not so: %s\n", line, what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same(const struct varlink_strings *a, const struct varlink_strings *b)
{
    bool are = a->n == b->n;

    for (size_t i = 0; are && i < a->n; i++)
        are = strcmp(a->v[i], b->v[i]) == 0;
    return are;
}

static void check_taken(const struct collect_request *taken, struct arena *arena)
{
    struct collect_request again;
    const char *why;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    MUST(text_starts_with(taken->below, "/sys/devices/") && !strstr(taken->below, "/../"));
    collect_request_write(taken, out);
    fclose(out);
    MUST(size == strlen(text) + 1);
    MUST(collect_request_parse((struct bytes){ (uint8_t *)text, size - 1 }, arena, &again, &why) ==
         0);
    MUST(strcmp(again.below, taken->below) == 0 && text_same(again.after, taken->after) &&
         again.unasked == taken->unasked);
    MUST(again.probes == taken->probes && again.await_s == taken->await_s &&
         again.forced == taken->forced);
    MUST(same(&again.devices, &taken->devices) && same(&again.named, &taken->named));
    MUST(!taken->probes || taken->devices.n + taken->named.n);
    for (size_t i = 0; i < taken->devices.n; i++)
        MUST(hctl_is_valid(taken->devices.v[i]));
    for (size_t i = 0; i < taken->named.n; i++)
        MUST(hctl_is_valid(taken->named.v[i]));
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    struct collect_request taken;
    const char *why = NULL;
    int r = collect_request_parse((struct bytes){ data, size }, arena, &taken, &why);

    MUST(r == 0 || (r == -EBADMSG && why && *why));
    if (r == 0)
        check_taken(&taken, arena);
    arena_free(arena);
    return 0;
}
