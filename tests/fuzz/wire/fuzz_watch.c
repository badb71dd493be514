/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as what the daemon and its watcher tell each other.
 *
 * What must hold: what is refused is refused with a reason; what is taken leads nowhere but below /sys/devices, counts
 * nothing below 0, and is the same when it is written and read again.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "wire/watch.h"

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

static void check_taken(const struct watch_message *taken, bool of_watcher, struct arena *arena)
{
    struct store *changes = store_new();
    struct watch_message again;
    const char *why;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    MUST(!taken->below ||
         (text_starts_with(taken->below, "/sys/devices/") && !strstr(taken->below, "/../")));
    MUST(taken->watch_us >= 0 && taken->counters_us >= 0 && taken->costly_reads >= 0 &&
         taken->reads >= 0);
    watch_message_write(taken, out);
    fclose(out);
    MUST(size == strlen(text) + 1);
    MUST(watch_message_parse((struct bytes){ (uint8_t *)text, size - 1 }, of_watcher, arena, &again,
                             changes, &why) == 0);
    MUST(again.what == taken->what && text_same(again.below, taken->below) &&
         again.at == taken->at && again.reads == taken->reads &&
         again.watch_us == taken->watch_us && again.behind_us == taken->behind_us);
    free(text);
    store_free(changes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int of_watcher = 0; of_watcher < 2; of_watcher++) {
        struct arena *arena = arena_new();
        struct store *changes = store_new();
        struct watch_message taken;
        const char *why = NULL;
        int r = watch_message_parse((struct bytes){ data, size }, of_watcher, arena, &taken,
                                    changes, &why);

        MUST(r == 0 || (r == -EBADMSG && why && *why));
        if (r == 0 && taken.what != WATCH_CHANGES)
            check_taken(&taken, of_watcher, arena);
        store_free(changes);
        arena_free(arena);
    }
    return 0;
}
