/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What scrubbing leaves of ids (kept.h).
 */
#include "finding/kept.h"

#include <string.h>

#include "base/text.h"

enum {
    ADDRESS_DIGITS = 16,
    FIRST_KEPT = 7, /* NAA and OUI: scrub_wwn() */
    LAST_KEPT = 2,
};

static const char HEX[] = "0123456789abcdefABCDEF";

/* Masks the digits of a run; ':' between them stays. */
static void mask_run(char *run, size_t len)
{
    size_t digits = 0, k = 0;

    for (size_t i = 0; i < len; i++)
        digits += run[i] != ':';
    if (digits < ADDRESS_DIGITS)
        return;
    for (size_t i = 0; i < len; i++) {
        if (run[i] == ':')
            continue;
        if (k >= FIRST_KEPT && k < digits - LAST_KEPT)
            run[i] = '?';
        k++;
    }
}

/* One '?' for each word, since the digits of an IP address may become more or fewer; the logical unit stays. */
static void mask_words(char *text)
{
    static const char WORD[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:";
    char *end = text;

    while (*text && !text_starts_with(text, "-lun-")) {
        size_t len = strspn(text, WORD);

        *end++ = len ? '?' : *text;
        text += len ? len : 1;
    }
    memmove(end, text, strlen(text) + 1);
}

const char *kept_of_id(struct arena *arena, const char *id)
{
    char *copy = arena_strndup(arena, id, strlen(id)), *iqn = copy ? strstr(copy, "iqn.") : NULL;

    if (iqn)
        mask_words(iqn + strlen("iqn."));
    for (char *c = copy; c && *c;) {
        size_t len = strspn(c, HEX);

        while (len && c[len] == ':' && strspn(c + len + 1, HEX))
            len += 1 + strspn(c + len + 1, HEX);
        mask_run(c, len);
        c += len ? len : 1;
    }
    return copy;
}
