/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is remembered of an object (life.h): words and keys.
 */
#include "finding/life.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"

static const char *const LIVES[] = {
    [FINDING_NEW] = "new",
    [FINDING_CONFIRMED] = "confirmed",
    [FINDING_CLEARED] = "cleared",
};
DEFINE_NAMES(enum finding_life, finding_life, LIVES)
DEFINE_NAMES_BACK(finding_life, LIVES)

bool finding_has_key(const struct finding *f, const char *key)
{
    size_t len = strlen(f->entry->code);

    return strncmp(key, f->entry->code, len) == 0 && key[len] == ' ' &&
           strcmp(key + len + 1, f->subjects.n ? f->subjects.v[0] : "") == 0;
}

char *finding_key(const char *code, const char *subject)
{
    char *key;

    return asprintf(&key, "%s %s", code, subject) < 0 ? NULL : key;
}

bool acknowledgement_is_reason(const char *text)
{
    size_t len = strlen(text);

    if (!len || len > ACKNOWLEDGEMENT_REASON_MAX ||
        !text_is_utf8((struct bytes){ (const uint8_t *)text, len }))
        return false;
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        if (*at < ' ' || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0)) /* C1 are U+0080 to U+009F */
            return false;
    return true;
}

const struct acknowledgement *acknowledgement_of(const struct acknowledgements *all,
                                                 const struct finding *f, uint64_t wall_us)
{
    for (size_t i = 0; all && i < all->list.n; i++) {
        const struct acknowledgement *a = &all->list.v[i];

        if ((!a->until_us || a->until_us > wall_us) && finding_has_key(f, a->key))
            return a;
    }
    return NULL;
}
