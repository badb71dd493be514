/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any text as HTML: what comes out has no markup of the text's own, is valid UTF-8, and has nothing in it that readers would obey.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/markup.h"

#define require(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Is it one of the entities that are written for what would be markup? */
static size_t entity_at(const char *text)
{
    static const char *const ENTITIES[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

    for (size_t i = 0; i < sizeof(ENTITIES) / sizeof(*ENTITIES); i++)
        if (strncmp(text, ENTITIES[i], strlen(ENTITIES[i])) == 0)
            return strlen(ENTITIES[i]);
    return 0;
}

static void check(const char *text, size_t left)
{
    for (size_t n; left; text += n, left -= n) {
        const uint8_t *p = (const uint8_t *)text;

        n = text_character(p, left);
        require(n);
        require(!text_is_command(p, n));
        require(!strchr("<>\"'", *text));
        if (*text == '&')
            n = entity_at(text);
        require(n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *written = NULL;
    size_t n;
    FILE *out = open_memstream(&written, &n);

    if (!text || !out)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    markup_text(text, out);
    if (fclose(out) != 0)
        abort();
    check(written, n);
    free(written);
    free(text);
    return 0;
}
