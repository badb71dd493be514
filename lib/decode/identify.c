/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ATA IDENTIFY data (identify.h).
 */
#include "decode/identify.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "decode/rotation.h"

enum { SATA_GENERATIONS = 3 };

/* ATA strings hold two characters a word, the first one in the high byte. */
static void copy_string(const uint16_t *word, uint8_t *ret, size_t size)
{
    for (size_t i = 0; i < size; i += 2) {
        ret[i] = (uint8_t)(word[i / 2] >> 8);
        ret[i + 1] = (uint8_t)word[i / 2];
    }
}

/* The number of the highest bit set among the lowest `n`, or IDENTIFY_NO_MODE. */
static int8_t highest_bit(unsigned bits, int n)
{
    for (int i = n - 1; i >= 0; i--)
        if (bits >> i & 1)
            return (int8_t)i;
    return IDENTIFY_NO_MODE;
}

/* Words that stand for "nothing here" in every field that says so. */
static bool is_reported(uint16_t word)
{
    return word != 0x0000 && word != 0xffff;
}

static void decode_serial(struct identify *id)
{
    uint16_t word76 = id->word[76], word77 = id->word[77];

    id->has_sata = is_reported(word76) && !(word76 & 0x0001);
    if (!id->has_sata)
        return;
    id->sata_generations = word76 >> 1 & 0x07;
    id->sata_highest = (uint8_t)(highest_bit(id->sata_generations, SATA_GENERATIONS) + 1);
    id->ncq = word76 & 0x0100;
    if (!(word77 & 0x0001) && (word77 >> 1 & 0x07) <= SATA_GENERATIONS)
        id->sata_current = word77 >> 1 & 0x07;
}

static void decode_parallel(struct identify *id)
{
    uint16_t valid = id->word[53], word93 = id->word[93];

    id->has_pio = valid & 0x0002;
    if (id->has_pio) {
        int8_t bit = highest_bit(id->word[64], 2);

        id->pio_highest = bit == IDENTIFY_NO_MODE ? IDENTIFY_NO_MODE : (int8_t)(bit + 3);
    }
    id->has_udma = valid & 0x0004;
    if (id->has_udma) {
        id->udma_highest = highest_bit(id->word[88], 7);
        id->udma_selected = highest_bit(id->word[88] >> 8, 7);
    }
    id->has_mwdma = id->word[63] != 0xffff;
    if (id->has_mwdma) {
        id->mwdma_highest = highest_bit(id->word[63], 3);
        id->mwdma_selected = highest_bit(id->word[63] >> 8, 3);
    }
    if ((word93 & 0xc000) == 0x4000)
        id->cable = word93 & 0x2000 ? IDENTIFY_CABLE_80 : IDENTIFY_CABLE_40;
}

static int decode_words(struct identify *id)
{
    bool said = false;

    for (size_t i = 0; i < IDENTIFY_WORDS && !said; i++)
        said = id->word[i] != id->word[0] || is_reported(id->word[0]);
    if (!said)
        return -ENODATA;
    copy_string(id->word + 10, id->serial, sizeof(id->serial));
    copy_string(id->word + 23, id->firmware, sizeof(id->firmware));
    copy_string(id->word + 27, id->model, sizeof(id->model));
    id->packet = (id->word[0] & 0xc000) == 0x8000;
    decode_serial(id);
    decode_parallel(id);
    if (is_reported(id->word[80])) /* bit 0 and 15 are reserved */
        id->major_version = (uint8_t)(highest_bit((id->word[80] & 0x7ffe) >> 1, 14) + 1);
    if (is_reported(id->word[168]))
        id->form_factor = id->word[168] & 0x0f;
    id->has_rotation = rotation_rpm(id->word[217], &id->rotation_rpm) == 0;
    id->has_transport = is_reported(id->word[222]);
    if (id->has_transport) {
        id->transport = (uint8_t)(id->word[222] >> 12);
        id->transport_versions = id->word[222] & 0x0fff;
    }
    return 0;
}

int identify_decode(struct bytes data, struct identify *ret)
{
    struct cursor c = cursor_over(data);
    struct identify id = { 0 };
    int r;

    if (data.len != IDENTIFY_SIZE)
        return -EBADMSG;
    for (size_t i = 0; i < IDENTIFY_WORDS; i++)
        id.word[i] = cursor_le16(&c);
    r = decode_words(&id);
    if (r < 0)
        return r;
    *ret = id;
    return 0;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

int identify_decode_text(struct bytes text, struct identify *ret)
{
    struct cursor c = cursor_over(text);
    struct identify id = { 0 };
    size_t n = 0;
    int r;

    while (cursor_left(&c) > 0) {
        struct bytes digits;
        uint8_t pair[2];

        if (is_space(text.data[c.pos])) {
            cursor_skip(&c, 1);
            continue;
        }
        digits = cursor_take(&c, 4);
        if (n == IDENTIFY_WORDS || c.failed ||
            (cursor_left(&c) > 0 && !is_space(text.data[c.pos])) ||
            hex_decode((const char *)digits.data, digits.len, pair, sizeof(pair)) != 2)
            return -EBADMSG;
        id.word[n++] = (uint16_t)(pair[0] << 8 | pair[1]);
    }
    if (n == 0)
        return -ENODATA;
    if (n != IDENTIFY_WORDS)
        return -EBADMSG;
    r = decode_words(&id);
    if (r < 0)
        return r;
    *ret = id;
    return 0;
}
