/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdio.h>

#include "decode/identify.h"
#include "decode/rotation.h"
#include "exact.h"

/* A SATA disk of 6 Gb/s that runs at 3 Gb/s, as words. */
static void make(uint16_t word[IDENTIFY_WORDS])
{
    memset(word, 0, IDENTIFY_WORDS * sizeof(*word));
    word[0] = 0x0040;
    word[10] = 0x4344; /* "CD": the first character is the high byte */
    word[11] = 0x4142; /* "AB" */
    word[27] = 0x5354; /* "ST" */
    word[23] = 0x3031; /* "01" */
    word[53] = 0x0007;
    word[63] = 0x0007;
    word[64] = 0x0003;
    word[76] = 0x010e;
    word[77] = 0x0004;
    word[80] = 0x03f0;
    word[88] = 0x407f;
    word[168] = 0x0002;
    word[217] = 7200;
    word[222] = 0x10ff;
}

static int decode(const uint16_t word[IDENTIFY_WORDS], struct identify *ret)
{
    uint8_t data[IDENTIFY_SIZE];

    for (size_t i = 0; i < IDENTIFY_WORDS; i++) {
        data[2 * i] = (uint8_t)word[i];
        data[2 * i + 1] = (uint8_t)(word[i] >> 8);
    }
    return identify_decode(BYTES(data), ret);
}

static void reads_a_sata_disk(void **state)
{
    uint16_t word[IDENTIFY_WORDS];
    struct identify id;

    (void)state;
    make(word);
    assert_int_equal(decode(word, &id), 0);
    assert_memory_equal(id.serial, "CDAB", 4);
    assert_memory_equal(id.model, "ST", 2);
    assert_memory_equal(id.firmware, "01", 2);
    assert_false(id.packet);
    assert_true(id.has_sata && id.ncq);
    assert_int_equal(id.sata_generations, 7);
    assert_int_equal(id.sata_highest, 3);
    assert_int_equal(id.sata_current, 2);
    assert_true(id.has_udma);
    assert_int_equal(id.udma_highest, 6);
    assert_int_equal(id.udma_selected, 6);
    assert_true(id.has_mwdma);
    assert_int_equal(id.mwdma_highest, 2);
    assert_int_equal(id.mwdma_selected, IDENTIFY_NO_MODE);
    assert_true(id.has_pio);
    assert_int_equal(id.pio_highest, 4);
    assert_int_equal(id.cable, IDENTIFY_CABLE_NOT_REPORTED);
    assert_int_equal(id.major_version, 9);
    assert_int_equal(id.form_factor, 2);
    assert_true(id.has_rotation);
    assert_int_equal(id.rotation_rpm, 7200);
    assert_true(id.has_transport);
    assert_int_equal(id.transport, IDENTIFY_TRANSPORT_SERIAL);
    assert_int_equal(id.transport_versions, 0x0ff);
}

static void not_reported_is_not_zero(void **state)
{
    static const uint16_t SILENT[] = { 0x0000, 0xffff };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(SILENT); i++) {
        uint16_t word[IDENTIFY_WORDS];
        struct identify id;

        make(word);
        word[76] = word[77] = word[80] = word[168] = word[217] = word[222] = SILENT[i];
        word[53] = 0; /* so words 64 and 88 do not count */
        assert_int_equal(decode(word, &id), 0);
        assert_false(id.has_sata || id.has_transport || id.has_rotation);
        assert_false(id.has_udma || id.has_pio || id.ncq);
        assert_int_equal(id.sata_generations, 0);
        assert_int_equal(id.sata_highest, 0);
        assert_int_equal(id.sata_current, 0);
        assert_int_equal(id.major_version, 0);
        assert_int_equal(id.form_factor, 0);
    }
}

static void sata_words_have_marks_of_validity(void **state)
{
    uint16_t word[IDENTIFY_WORDS];
    struct identify id;

    (void)state;
    make(word);
    word[76] = 0x010f;
    assert_int_equal(decode(word, &id), 0);
    assert_false(id.has_sata);
    word[76] = 0x0002;
    word[77] = 0x0005;
    assert_int_equal(decode(word, &id), 0);
    assert_int_equal(id.sata_highest, 1);
    assert_int_equal(id.sata_current, 0);
    word[77] = 0x000e; /* a speed that is not defined */
    assert_int_equal(decode(word, &id), 0);
    assert_int_equal(id.sata_current, 0);
    word[77] = 0x0006;
    assert_int_equal(decode(word, &id), 0);
    assert_int_equal(id.sata_current, 3);
}

static void reads_a_parallel_disk(void **state)
{
    uint16_t word[IDENTIFY_WORDS];
    struct identify id;

    (void)state;
    make(word);
    word[0] = 0x8580;
    word[76] = word[222] = 0;
    word[88] = 0x043f;
    word[93] = 0x6003;
    word[63] = 0x0407;
    word[64] = 0x0001;
    assert_int_equal(decode(word, &id), 0);
    assert_true(id.packet);
    assert_int_equal(id.udma_highest, 5);
    assert_int_equal(id.udma_selected, 2);
    assert_int_equal(id.mwdma_selected, 2);
    assert_int_equal(id.pio_highest, 3);
    assert_int_equal(id.cable, IDENTIFY_CABLE_80);
    word[93] = 0x4003;
    word[88] = 0;
    word[64] = 0;
    assert_int_equal(decode(word, &id), 0);
    assert_int_equal(id.cable, IDENTIFY_CABLE_40);
    assert_true(id.has_udma && id.has_pio);
    assert_int_equal(id.udma_highest, IDENTIFY_NO_MODE);
    assert_int_equal(id.udma_selected, IDENTIFY_NO_MODE);
    assert_int_equal(id.pio_highest, IDENTIFY_NO_MODE);
    word[93] = 0xe003; /* not the mark of a valid word */
    word[63] = 0xffff;
    assert_int_equal(decode(word, &id), 0);
    assert_int_equal(id.cable, IDENTIFY_CABLE_NOT_REPORTED);
    assert_false(id.has_mwdma);
}

static void silence_is_no_data(void **state)
{
    uint8_t data[IDENTIFY_SIZE + 1] = { 0 };
    struct identify id;

    (void)state;
    assert_int_equal(identify_decode((struct bytes){ data, IDENTIFY_SIZE }, &id), -ENODATA);
    data[100] = 1;
    assert_int_equal(identify_decode((struct bytes){ data, IDENTIFY_SIZE }, &id), 0);
    memset(data, 0xff, sizeof(data));
    assert_int_equal(identify_decode((struct bytes){ data, IDENTIFY_SIZE }, &id), -ENODATA);
    assert_int_equal(identify_decode((struct bytes){ data, IDENTIFY_SIZE - 1 }, &id), -EBADMSG);
    assert_int_equal(identify_decode((struct bytes){ data, IDENTIFY_SIZE + 1 }, &id), -EBADMSG);
    assert_int_equal(identify_decode((struct bytes){ 0 }, &id), -EBADMSG);
}

/* The text of ata_device/…/id as the kernel prints it. Returns its length. */
static size_t print(const uint16_t word[IDENTIFY_WORDS], char text[IDENTIFY_WORDS * 5 + 1])
{
    for (size_t i = 0; i < IDENTIFY_WORDS; i++)
        sprintf(text + 5 * i, "%04x%c", word[i], i % 8 == 7 ? '\n' : ' ');
    return (size_t)IDENTIFY_WORDS * 5;
}

static int decode_text(const char *text, size_t len)
{
    _cleanup_exact_ struct bytes b = exact(text, len);
    struct identify id;

    return identify_decode_text(b, &id);
}

static void text_and_bytes_say_the_same(void **state)
{
    char text[IDENTIFY_WORDS * 5 + 1];
    uint16_t word[IDENTIFY_WORDS];
    struct identify a, b;
    size_t len;

    (void)state;
    make(word);
    len = print(word, text);
    memset(&a, 0, sizeof(a));
    memset(&b, 0, sizeof(b));
    assert_int_equal(identify_decode_text((struct bytes){ (const uint8_t *)text, len }, &a), 0);
    assert_int_equal(decode(word, &b), 0);
    assert_memory_equal(a.word, b.word, sizeof(a.word));
    assert_int_equal(a.sata_current, b.sata_current);
    assert_memory_equal(a.model, b.model, sizeof(a.model));
}

static void text_is_256_words_or_none(void **state)
{
    char text[IDENTIFY_WORDS * 5 + 1];
    uint16_t word[IDENTIFY_WORDS];
    size_t len;

    (void)state;
    make(word);
    len = print(word, text);
    assert_int_equal(decode_text("", 0), -ENODATA);
    assert_int_equal(decode_text(" \n\t\r\n", 5), -ENODATA);
    assert_int_equal(decode_text(text, len - 1), 0); /* the last newline is not needed */
    for (size_t cut = 1; cut < len - 1; cut++)
        assert_int_equal(decode_text(text, cut), -EBADMSG);
    text[4] = 'f'; /* a word of five digits and more */
    assert_int_equal(decode_text(text, len), -EBADMSG);
    text[4] = ' ';
    text[0] = 'x';
    assert_int_equal(decode_text(text, len), -EBADMSG);
    text[0] = ' '; /* a word of three digits */
    assert_int_equal(decode_text(text, len), -EBADMSG);
}

static void too_many_words_are_refused(void **state)
{
    char text[IDENTIFY_WORDS * 5 + 1 + 5];
    uint16_t word[IDENTIFY_WORDS];
    size_t len;

    (void)state;
    make(word);
    len = print(word, text);
    memcpy(text + len, "0000\n", 5);
    assert_int_equal(decode_text(text, len + 5), -EBADMSG);
}

static void rotation_codes(void **state)
{
    uint16_t rpm = 99;

    (void)state;
    assert_int_equal(rotation_rpm(0x0000, &rpm), -ENODATA);
    assert_int_equal(rotation_rpm(0x0002, &rpm), -ENODATA);
    assert_int_equal(rotation_rpm(0x0400, &rpm), -ENODATA);
    assert_int_equal(rotation_rpm(0xffff, &rpm), -ENODATA);
    assert_int_equal(rpm, 99);
    assert_int_equal(rotation_rpm(0x0001, &rpm), 0);
    assert_int_equal(rpm, ROTATION_NONE);
    assert_int_equal(rotation_rpm(0x0401, &rpm), 0);
    assert_int_equal(rpm, 0x0401);
    assert_int_equal(rotation_rpm(0xfffe, &rpm), 0);
    assert_int_equal(rpm, 0xfffe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_sata_disk),
        cmocka_unit_test(not_reported_is_not_zero),
        cmocka_unit_test(sata_words_have_marks_of_validity),
        cmocka_unit_test(reads_a_parallel_disk),
        cmocka_unit_test(silence_is_no_data),
        cmocka_unit_test(text_and_bytes_say_the_same),
        cmocka_unit_test(text_is_256_words_or_none),
        cmocka_unit_test(too_many_words_are_refused),
        cmocka_unit_test(rotation_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
