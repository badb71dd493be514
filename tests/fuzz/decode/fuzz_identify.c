/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "decode/identify.h"

static void check_values(const struct identify *id)
{
    CHECK(id->sata_highest <= 3 && id->sata_current <= 3 && id->sata_generations <= 7);
    CHECK(id->has_sata || (!id->sata_highest && !id->sata_current && !id->ncq));
    CHECK(id->udma_highest >= IDENTIFY_NO_MODE && id->udma_highest <= 6);
    CHECK(id->udma_selected >= IDENTIFY_NO_MODE && id->udma_selected <= 6);
    CHECK(id->mwdma_highest >= IDENTIFY_NO_MODE && id->mwdma_highest <= 2);
    CHECK(id->mwdma_selected >= IDENTIFY_NO_MODE && id->mwdma_selected <= 2);
    CHECK(id->major_version <= 14);
    CHECK(id->form_factor <= 15 && id->transport <= 15);
}

/* The same words as the kernel prints them must read the same. */
static void check_text(const struct identify *id)
{
    char text[IDENTIFY_WORDS * 5 + 1];
    struct identify again;

    for (size_t i = 0; i < IDENTIFY_WORDS; i++)
        snprintf(text + 5 * i, 6, "%04x%c", id->word[i], i % 8 == 7 ? '\n' : ' ');
    CHECK(identify_decode_text((struct bytes){ (const uint8_t *)text, sizeof(text) - 1 }, &again) ==
          0);
    CHECK(memcmp(again.word, id->word, sizeof(again.word)) == 0);
    CHECK(again.sata_current == id->sata_current && again.udma_selected == id->udma_selected);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes input = { data, size };
    struct identify id;
    int r = identify_decode(input, &id);

    CHECK(r == 0 || r == (size == IDENTIFY_SIZE ? -ENODATA : -EBADMSG));
    if (r == 0) {
        check_values(&id);
        check_text(&id);
    }
    r = identify_decode_text(input, &id);
    CHECK(r == 0 || r == -EBADMSG || r == -ENODATA);
    if (r == 0)
        check_values(&id);
    return 0;
}
