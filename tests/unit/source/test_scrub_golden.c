/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every golden capture scrubbed, and looked over by something that shares no code with scrubbing:
 * regular expressions over the original's text say what its identities are, and none of them may be
 * in the scrubbed text in any notation.
 *
 * The golden captures call their host "host-1", as all scrubbed ones do; here it gets another name.
 */
#include "../cmocka_all.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/vec.h"
#include "source/capture.h"
#include "source/scrub.h"

#define HOST "db-server7"

static const struct scrub_key KEY = { "a key of 16 char" };

struct texts {
    char **v;
    size_t n, cap;
};

static void add_text(struct texts *t, const char *start, size_t len)
{
    char *copy = strndup(start, len);

    assert_non_null(copy);
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->v[i], copy) == 0) {
            free(copy);
            return;
        }
    assert_int_equal(vec_push(t, copy), 0);
}

static void texts_done(struct texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->v[i]);
    free(t->v);
}

static void lower(char *text)
{
    for (; *text; text++)
        *text = (char)tolower((unsigned char)*text);
}

/* All that the first group of the expression matches, in small letters where `fold`. */
static void collect(const char *text, const char *expression, struct texts *ret, bool fold)
{
    regmatch_t m[2];
    regex_t regex;

    assert_int_equal(regcomp(&regex, expression, REG_EXTENDED), 0);
    while (regexec(&regex, text, 2, m, 0) == 0) {
        char *one = strndup(text + m[1].rm_so, (size_t)(m[1].rm_eo - m[1].rm_so));

        assert_non_null(one);
        if (fold)
            lower(one);
        add_text(ret, one, strlen(one));
        free(one);
        text += m[0].rm_eo;
    }
    regfree(&regex);
}

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *data;
    long size;

    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);
    data = calloc(1, (size_t)size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, (size_t)size, f), size);
    fclose(f);
    return data;
}

/* The text with every "host-1" replaced. */
static char *renamed(const char *text)
{
    char *out;
    size_t size;
    FILE *f = open_memstream(&out, &size);

    for (const char *at; (at = strstr(text, "host-1")); text = at + strlen("host-1")) {
        fwrite(text, 1, (size_t)(at - text), f);
        fputs(HOST, f);
    }
    fputs(text, f);
    fclose(f);
    return out;
}

static struct store *load(const char *text)
{
    struct store *store = store_new();
    struct arena *arena = arena_new();
    struct json_reader *reader = json_reader_over(
        (struct bytes){ (const uint8_t *)text, strlen(text) });
    struct capture_reading reading;

    assert_int_equal(capture_read(reader, store, arena, &reading), 0);
    json_reader_free(reader);
    arena_free(arena);
    return store;
}

static char *written(const struct store *store)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(capture_write(store, out), 0);
    fclose(out);
    return text;
}

/* ---- notations ---- */

enum { NOTATIONS = 8, NOTATION_MAX = 512 };

/* Hex of bytes: close, spaced, byte-swapped in both, in words of four digits as an ata_device's id. */
static size_t hex_notations(const uint8_t *bytes, size_t n, char out[][NOTATION_MAX])
{
    char *p[5] = { out[0], out[1], out[2], out[3], out[4] };

    for (size_t i = 0; i < n; i++) {
        uint8_t other = (i ^ 1) < n ? bytes[i ^ 1] : ' ';

        p[0] += sprintf(p[0], "%02x", bytes[i]);
        p[1] += sprintf(p[1], "%s%02x", i ? " " : "", bytes[i]);
        p[2] += sprintf(p[2], "%02x", other);
        p[3] += sprintf(p[3], "%s%02x", i ? " " : "", other);
        p[4] += sprintf(p[4], "%s%02x", i && i % 2 == 0 ? " " : "", bytes[i]);
    }
    return 5;
}

static void expect_absent(const char *where, const char *identity, const char *notation,
                          const char *in)
{
    if (strstr(in, notation))
        fail_msg("%s: %s is still there as %s", where, identity, notation);
}

/* A text: as it is, and in hex. */
static void expect_no_text(const char *where, const char *text, const char *in)
{
    char notations[NOTATIONS][NOTATION_MAX];
    size_t n = strlen(text) < 100 ? hex_notations((const uint8_t *)text, strlen(text), notations)
                                  : 0;
    char *folded = strdup(text);

    for (size_t i = 0; i < n; i++)
        expect_absent(where, text, notations[i], in);
    lower(folded);
    expect_absent(where, text, folded, in);
    free(folded);
}

/* 16 hex digits: as text in both cases (seen in hex, too), and as bytes. */
static void expect_no_address(const char *where, const char *digits, const char *in)
{
    char notations[NOTATIONS][NOTATION_MAX], upper[17] = "";
    uint64_t value = strtoull(digits, NULL, 16);
    uint8_t bytes[8];
    size_t n;

    for (size_t i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (56 - 8 * i));
    n = hex_notations(bytes, 8, notations);
    for (size_t i = 0; i < n; i++)
        expect_absent(where, digits, notations[i], in);
    for (size_t i = 0; i < 16; i++)
        upper[i] = (char)toupper((unsigned char)digits[i]);
    expect_no_text(where, digits, in);
    expect_no_text(where, upper, in);
}

/* ---- what the original says ---- */

/* Pages in hex: "data" of a command or {"hex": …} of a file. The text behind byte 4, or "". */
static char *decoded_serial(const char *hex)
{
    uint8_t page[300];
    size_t n = 0, start = 4;
    char *text = calloc(1, sizeof(page));

    for (; *hex && n < sizeof(page) - 1; hex++) {
        unsigned byte;

        if (isspace((unsigned char)*hex) || sscanf(hex, "%2x", &byte) != 1)
            continue;
        page[n++] = (uint8_t)byte;
        hex++;
    }
    while (n > start && (page[n - 1] == ' ' || page[n - 1] == 0))
        n--;
    while (start < n && page[start] == ' ')
        start++;
    if (n > start)
        memcpy(text, page + start, n - start);
    return text;
}

/* Shorter ones, "2000" for one, may well be something else elsewhere. */
enum { SERIAL_MIN = 6 };

static void collect_serials(const char *text, struct texts *ret)
{
    struct texts pages = { 0 };

    collect(text, "\"serial\": \"([^\"\\]{6,})", ret, false);
    collect(text, "\"serial_number\": \"([^\"\\]{6,})", ret, false);
    collect(text, "\"serialnum\": \"([^\"\\]{6,})", ret, false);
    collect(text, "\"ID_SERIAL_SHORT\": \"([^\"\\]{6,})", ret, false);
    collect(text, "\"cdb\": \"12 01 80[^}]*\"data\": \"([0-9a-f ]+)\"", &pages, false);
    collect(text, "\"vpd_pg80\": [{]\"hex\": \"([0-9a-f ]+)\"", &pages, false);
    for (size_t i = 0; i < pages.n; i++) {
        char *serial = decoded_serial(pages.v[i]);

        if (strlen(serial) >= SERIAL_MIN)
            add_text(ret, serial, strlen(serial));
        free(serial);
    }
    texts_done(&pages);
}

static void collect_addresses(const char *text, struct texts *ret)
{
    struct texts spaced = { 0 };

    collect(text, "0x(5[0-9a-f]{15})[^0-9a-f]", ret, true);
    collect(text, "_name\": \"0x([1-9a-f][0-9a-f]{15})", ret, true);
    collect(text, "\"ID_WWN\": \"0x([0-9a-f]{16})", ret, true);
    collect(text, "naa[.]([0-9a-fA-F]{16})", ret, true);
    collect(text, "eui[.]([0-9a-fA-F]{16})", ret, true);
    /* NAA designators of eight bytes in the answers to VPD page 83h. */
    collect(text, "01 [0-9a-f]3 00 08 (5[0-9a-f]( [0-9a-f]{2}){7})", &spaced, true);
    for (size_t i = 0; i < spaced.n; i++) {
        char digits[17] = "";
        size_t n = 0;

        for (const char *p = spaced.v[i]; *p && n < 16; p++)
            if (*p != ' ')
                digits[n++] = *p;
        add_text(ret, digits, n);
    }
    texts_done(&spaced);
}

/* ---- the checks ---- */

static uint64_t number(const char *digits)
{
    return strtoull(digits, NULL, 16);
}

/* The addresses that the same expressions find afterwards are those that scrub_wwn() says, one for one:
 * nothing collides. And neighbours stay neighbours. */
static void check_addresses(const char *where, const struct texts *before,
                            const struct texts *after)
{
    assert_int_equal(before->n, after->n);
    for (size_t i = 0; i < before->n; i++) {
        uint64_t a = number(before->v[i]), mapped = scrub_wwn(&KEY, a);
        bool found = false;

        for (size_t j = 0; j < after->n; j++)
            found |= number(after->v[j]) == mapped;
        if (!found && a != mapped)
            fail_msg("%s: %s should have become %016" PRIx64, where, before->v[i], mapped);
        for (size_t j = 0; j < i; j++) {
            uint64_t b = number(before->v[j]);

            if ((a ^ b) < 256)
                assert_true((scrub_wwn(&KEY, b) ^ mapped) == (a ^ b));
        }
    }
}

static void check_shape(const struct store *in, const struct store *out)
{
    assert_int_equal(store_node_count(in), store_node_count(out));
    assert_int_equal(store_commands(in), store_commands(out));
    assert_int_equal(store_measures(in), store_measures(out));
    for (size_t i = 0; i < store_commands(in); i++) {
        struct store_command a = store_command_at(in, i), b = store_command_at(out, i);

        assert_string_equal(a.hctl, b.hctl);
        assert_true(bytes_equal(a.cdb, b.cdb));
        assert_true(bytes_equal(a.sense, b.sense));
        assert_int_equal(a.data.len, b.data.len);
        assert_int_equal(a.error, b.error);
        assert_int_equal(a.status, b.status);
        assert_int_equal(a.duration_us, b.duration_us);
    }
}

/* What the report reads and nobody is named by stays to the byte. */
static void check_plain_facts(const char *before, const char *after)
{
    static const char *const KEPT[] = {
        "(\"(model|vendor|rev|state|proc_name|device_type|num_phys|port_state)\": \"[^\"]*\")",
        "(\"(negotiated_linkrate|maximum_linkrate|signalling|speed|width)\": \"[^\"]*\")",
        "(\"(sata_spd|current_link_speed|current_link_width)\": \"[^\"]*\")",
        "(\"link\": \"[^\"]*\")",
        "(\"ID_MODEL\": \"[^\"]*\")",
    };

    for (size_t i = 0; i < sizeof(KEPT) / sizeof(KEPT[0]); i++) {
        struct texts a = { 0 }, b = { 0 };

        collect(before, KEPT[i], &a, false);
        collect(after, KEPT[i], &b, false);
        assert_int_equal(a.n, b.n);
        for (size_t j = 0; j < a.n; j++)
            assert_string_equal(a.v[j], b.v[j]);
        texts_done(&a);
        texts_done(&b);
    }
}

static size_t check_capture(const char *path)
{
    char *original = slurp(path), *text = renamed(original), *after, *folded, *canonical;
    struct store *in = load(text), *out = store_new();
    struct texts serials = { 0 }, addresses = { 0 }, mapped = { 0 }, iqns = { 0 };
    size_t n;

    assert_int_equal(scrub_store(in, out, &KEY), 0);
    canonical = written(in);
    after = written(out);
    folded = strdup(after);
    lower(folded);
    collect_serials(canonical, &serials);
    collect_addresses(canonical, &addresses);
    collect_addresses(after, &mapped);
    collect(canonical, "(iqn[.][-0-9a-zA-Z.:]+)", &iqns, false);
    for (size_t i = 0; i < serials.n; i++)
        expect_no_text(path, serials.v[i], folded);
    for (size_t i = 0; i < iqns.n; i++)
        expect_no_text(path, iqns.v[i], folded);
    for (size_t i = 0; i < addresses.n; i++)
        if (number(addresses.v[i]) != 0 && number(addresses.v[i]) != UINT64_MAX)
            expect_no_address(path, addresses.v[i], folded);
    expect_no_text(path, HOST, folded);
    check_addresses(path, &addresses, &mapped);
    check_shape(in, out);
    check_plain_facts(canonical, after);
    n = serials.n + addresses.n + iqns.n;
    texts_done(&serials);
    texts_done(&addresses);
    texts_done(&mapped);
    texts_done(&iqns);
    store_free(in);
    store_free(out);
    free(original);
    free(text);
    free(canonical);
    free(after);
    free(folded);
    return n;
}

static void nothing_of_the_golden_captures_is_left(void **state)
{
    size_t identities = 0;
    glob_t g;

    (void)state;
    assert_int_equal(glob(TESTS_DIR "/golden/*/[0-9].json", 0, NULL, &g), 0);
    assert_true(g.gl_pathc > 50);
    for (size_t i = 0; i < g.gl_pathc; i++)
        identities += check_capture(g.gl_pathv[i]);
    globfree(&g);
    print_message("%zu identities\n", identities);
    assert_true(identities > 800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_of_the_golden_captures_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
