/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include <errno.h>

#include "decode/sense.h"
#include "exact.h"

static const uint8_t FIXED[18] = { 0xf0, 0, 0x65, 1, 2, 3, 4, 10, 0, 0, 0, 0, 0x24, 0x00 };
static const uint8_t DESCRIPTOR[28] = {
    0x73, 0x0b, 0x5e, 0x03, 0, 0, 0, 20,                         /* head */
    0x02, 0x06, 0,    0,    0, 0, 0, 0,                          /* sense key specific */
    0x00, 0x0a, 0x80, 0,    0, 0, 0, 1,  0x23, 0x45, 0x67, 0x89, /* information */
};

static void reads_the_fixed_format(void **state)
{
    struct sense s;

    (void)state;
    assert_int_equal(sense_decode(BYTES(FIXED), &s), 0);
    assert_false(s.deferred);
    assert_int_equal(s.key, SENSE_ILLEGAL_REQUEST); /* of byte 2 only the lower half */
    assert_true(s.has_asc);
    assert_int_equal(s.asc, 0x24);
    assert_int_equal(s.ascq, 0);
    assert_true(s.has_information);
    assert_true(s.information == 0x01020304);
}

static void reads_the_descriptor_format(void **state)
{
    struct sense s;

    (void)state;
    assert_int_equal(sense_decode(BYTES(DESCRIPTOR), &s), 0);
    assert_true(s.deferred);
    assert_int_equal(s.key, SENSE_ABORTED_COMMAND);
    assert_int_equal(s.asc, 0x5e);
    assert_int_equal(s.ascq, 0x03);
    assert_true(s.has_information);
    assert_true(s.information == 0x0123456789);
}

static void information_counts_only_when_valid(void **state)
{
    uint8_t data[28];
    struct sense s;

    (void)state;
    memcpy(data, FIXED, sizeof(FIXED));
    data[0] = 0x70;
    assert_int_equal(sense_decode((struct bytes){ data, 18 }, &s), 0);
    assert_false(s.has_information);
    assert_true(s.information == 0);
    memcpy(data, DESCRIPTOR, sizeof(DESCRIPTOR));
    data[18] = 0;
    assert_int_equal(sense_decode(BYTES(data), &s), 0);
    assert_false(s.has_information);
    assert_true(s.information == 0);
}

static void additional_length_is_not_trusted(void **state)
{
    uint8_t data[28];
    struct sense s;

    (void)state;
    memcpy(data, FIXED, sizeof(FIXED));
    data[7] = 4; /* ends before the additional sense code */
    assert_int_equal(sense_decode((struct bytes){ data, 18 }, &s), 0);
    assert_false(s.has_asc);
    assert_int_equal(s.asc, 0);
    data[7] = 255;
    assert_int_equal(sense_decode((struct bytes){ data, 18 }, &s), 0);
    assert_int_equal(s.asc, 0x24);
    memcpy(data, DESCRIPTOR, sizeof(DESCRIPTOR));
    data[7] = 19; /* cuts the information descriptor */
    assert_int_equal(sense_decode(BYTES(data), &s), 0);
    assert_false(s.has_information);
    data[7] = 20;
    data[9] = 255; /* the first descriptor swallows the second */
    assert_int_equal(sense_decode(BYTES(data), &s), 0);
    assert_false(s.has_information);
}

static void stands_any_length(void **state)
{
    (void)state;
    for (size_t len = 0; len <= sizeof(DESCRIPTOR); len++) {
        _cleanup_exact_ struct bytes fixed = exact(FIXED, len < 18 ? len : 18);
        _cleanup_exact_ struct bytes descriptor = exact(DESCRIPTOR, len);
        struct sense s;

        assert_int_equal(sense_decode(fixed, &s), len == 0 ? -ENODATA : len < 3 ? -EBADMSG : 0);
        if (len >= 3) {
            assert_int_equal(s.has_information, len >= 7);
            assert_int_equal(s.has_asc, len >= 13);
        }
        assert_int_equal(sense_decode(descriptor, &s), len == 0  ? -ENODATA
                                                       : len < 2 ? -EBADMSG
                                                                 : 0);
        if (len >= 2) {
            assert_int_equal(s.has_asc, len >= 3);
            assert_int_equal(s.has_information, len == 28);
        }
    }
}

static void other_response_codes_are_no_sense_data(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 256; code++) {
        uint8_t data[18] = { (uint8_t)code };
        bool known = (code & 0x7f) >= 0x70 && (code & 0x7f) <= 0x73;
        struct sense s;

        assert_int_equal(sense_decode(BYTES(data), &s), known ? 0 : -EBADMSG);
    }
}

static void answers_the_usual_questions(void **state)
{
    static const struct {
        uint8_t key, asc, ascq;
        bool attention, invalid, low_power;
    } CASES[] = {
        { 0x6, 0x29, 0x05, true, false, false },  /* transceiver mode changed to SE */
        { 0x5, 0x24, 0x00, false, true, false },  /* invalid field in CDB */
        { 0x5, 0x20, 0x00, false, true, false },  /* invalid operation code */
        { 0x5, 0x20, 0x02, false, false, false }, /* access denied */
        { 0x5, 0x26, 0x00, false, false, false }, /* invalid field in parameter list */
        { 0x2, 0x24, 0x00, false, false, false },
        { 0x2, 0x04, 0x02, false, false, true },  /* stopped */
        { 0x2, 0x04, 0x01, false, false, false }, /* becoming ready */
        { 0x0, 0x5e, 0x00, false, false, true },  /* low power condition on */
        { 0x0, 0x5e, 0x02, false, false, true },  /* standby by timer */
        { 0x2, 0x5e, 0x04, false, false, true },
        { 0x6, 0x5e, 0x41, true, false, false }, /* state change to active */
        { 0x0, 0x00, 0x00, false, false, false },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        const struct sense s = {
            .key = CASES[i].key, .has_asc = true, .asc = CASES[i].asc, .ascq = CASES[i].ascq
        };

        assert_int_equal(sense_is_unit_attention(&s), CASES[i].attention);
        assert_int_equal(sense_is_invalid_field(&s), CASES[i].invalid);
        assert_int_equal(sense_is_low_power(&s), CASES[i].low_power);
    }
}

static void without_a_code_nothing_is_known(void **state)
{
    const struct sense illegal = { .key = SENSE_ILLEGAL_REQUEST };

    (void)state;
    assert_false(sense_is_invalid_field(&illegal));
    assert_false(sense_is_low_power(&illegal));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_fixed_format),
        cmocka_unit_test(reads_the_descriptor_format),
        cmocka_unit_test(information_counts_only_when_valid),
        cmocka_unit_test(additional_length_is_not_trusted),
        cmocka_unit_test(stands_any_length),
        cmocka_unit_test(other_response_codes_are_no_sense_data),
        cmocka_unit_test(answers_the_usual_questions),
        cmocka_unit_test(without_a_code_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
