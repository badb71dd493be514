/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records (daemon/record.h): whatever comes, what is read can be written and is read the same again; a look can be
 * applied.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *text_of(const struct record *record, size_t *ret_len)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, ret_len);

    if (!f)
        abort();
    record_write(record, f);
    fclose(f);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    struct history *past = history_new();
    struct record record, again;
    char *first, *second;
    size_t first_len, second_len;

    if (arena && past && record_read((struct bytes){ data, size }, arena, &record) == 0) {
        first = text_of(&record, &first_len);
        if (record_read((struct bytes){ (const uint8_t *)first, first_len }, arena, &again) < 0)
            abort();
        second = text_of(&again, &second_len);
        if (first_len != second_len || memcmp(first, second, first_len) != 0)
            abort();
        if (record.kind == RECORD_LOOK)
            for (int i = 0; i < 2; i++)
                if (look_apply(past, &record.look) < 0)
                    abort();
        record_done(&record);
        record_done(&again);
        free(first);
        free(second);
    }
    arena_free(arena);
    history_free(past);
    return 0;
}
