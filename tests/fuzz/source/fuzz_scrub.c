/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any capture, scrubbed: the copy has the same shape, its binary data the same lengths, and scrubbing
 * twice with one key gives the same text twice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/capture.h"
#include "source/scrub.h"

#define require(condition) ((condition) ? (void)0 : abort())

static const struct scrub_key KEY = { "sixteen bytes ok" };

static char *written(const struct store *store)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    require(out && capture_write(store, out) == 0);
    fclose(out);
    return text;
}

static void check(const struct store *in)
{
    struct store *out = store_new(), *again = store_new();
    char *a, *b;

    require(scrub_store(in, out, &KEY) == 0);
    require(scrub_store(in, again, &KEY) == 0);
    require(store_commands(in) == store_commands(out));
    require(store_node_count(out) <= store_node_count(in));
    for (size_t i = 0; i < store_commands(in); i++) {
        size_t before = store_command_at(in, i).data.len, after = store_command_at(out, i).data.len;

        require(before == after || after == 0);
    }
    a = written(out);
    b = written(again);
    require(strcmp(a, b) == 0);
    free(a);
    free(b);
    store_free(out);
    store_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_reader *reader = json_reader_over((struct bytes){ data, size });
    struct store *store = store_new();
    struct arena *arena = arena_new();
    struct capture_reading reading;

    require(reader && store && arena);
    if (capture_read(reader, store, arena, &reading) == 0)
        check(store);
    json_reader_free(reader);
    store_free(store);
    arena_free(arena);
    return 0;
}
