/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is remembered of an object, as text and as JSON.
 */
#include "../cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "output/output.h"

/* 2026-11-30 10:00 UTC, and minutes after it. */
#define AT(minutes) ((UINT64_C(1796032800) + 60 * (uint64_t)(minutes)) * 1000000)

static char *printed(const struct history_answer *answer, const struct text_style *style)
{
    const struct history_of h = { "pci-0000:01:00.0-phy-3", "phy-0:3", answer };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    if (style)
        output_history(&h, style, out);
    else
        output_json_history(&h, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void assert_printed(const struct history_answer *answer, const struct text_style *style,
                           const char *want)
{
    char *text = printed(answer, style);

    assert_string_equal(text, want);
    free(text);
}

/* A link that fell, with errors, probes and a finding that somebody knows of. */
static struct history_answer a_life(void)
{
    static const char *const SUBJECTS[] = { "pci-0000:01:00.0-phy-3" }, *const NAMES[] = {
        "phy-0:3", "sda"
    };
    struct history_answer a = { 0 };
    struct finding_record f = { .key = "rate-below-expected pci-0000:01:00.0-phy-3",
                                .since_us = AT(60),
                                .code = "rate-below-expected",
                                .severity = SEVERITY_WARNING,
                                .life = FINDING_CONFIRMED,
                                .summary = "phy-0:3 runs at 6.0 Gb/s" };

    assert_int_equal(vec_push(&a.changes, (struct history_change){ .since_us = AT(0),
                                                                   .until_us = AT(60),
                                                                   .kind = "link",
                                                                   .state = LINK_UP,
                                                                   .is_up = true,
                                                                   .known = true,
                                                                   .label = "12.0 Gb/s",
                                                                   .kb_per_s = 1200000,
                                                                   .far = "DISK",
                                                                   .kernel_name = "phy-0:3" }),
                     0);
    assert_int_equal(vec_push(&a.changes, (struct history_change){ .since_us = AT(60),
                                                                   .kind = "link",
                                                                   .state = LINK_UP,
                                                                   .is_up = true,
                                                                   .known = true,
                                                                   .kb_per_s = 600000,
                                                                   .left_out = 3 }),
                     0);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(
            vec_push(&a.growths, (struct history_growth){ "invalid dwords", AT(i * 10),
                                                          AT(i * 10 + 10), 10 + i, i, i == 3 }),
            0);
    for (unsigned i = 1; i <= 3; i++)
        assert_int_equal(
            vec_push(&a.probes,
                     (struct history_probe){ AT(i), "read-media/sg", 65536, 1, i * 50000, i * 50000,
                                             i * 50000, i * 1500, i * 1000, i * 2000 }),
            0);
    assert_int_equal(vec_push(&f.subjects, SUBJECTS[0]), 0);
    assert_int_equal(vec_push(&f.names, NAMES[0]), 0);
    assert_int_equal(vec_push(&a.findings, f), 0);
    assert_int_equal(
        vec_push(&a.acknowledgements,
                 (struct acknowledgement){ f.key, "cable is ordered", "ann", AT(61), AT(120) }),
        0);
    return a;
}

static void done(struct history_answer *a)
{
    for (size_t i = 0; i < a->findings.n; i++) {
        free(a->findings.v[i].subjects.v);
        free(a->findings.v[i].names.v);
    }
    free(a->changes.v);
    free(a->growths.v);
    free(a->probes.v);
    free(a->findings.v);
    free(a->acknowledgements.v);
}

static void test_text(void **state)
{
    const struct text_style plain = { 0 }, blocks = { .utf8 = true, .no_legend = true };
    struct history_answer a = a_life();
    char *text;

    (void)state;
    assert_printed(
        &a, &plain,
        "phy-0:3  pci-0000:01:00.0-phy-3\n"
        "\n"
        "How it was\n"
        "FROM                  UNTIL                 STATE  MODE               RATE  FAR END\n"
        "2026-11-30 10:00 UTC  2026-11-30 11:00 UTC  up     12.0 Gb/s   1200.0 MB/s  DISK\n"
        "3 changes             not kept any more\n"
        "2026-11-30 11:00 UTC  now                   up     600.0 MB/s   600.0 MB/s\n"
        "\n"
        "Counters\n"
        "COUNTER           GREW BY  FROM                  TO                    WHEN                      VALUE\n"
        "invalid dwords  6 or more  2026-11-30 10:00 UTC  2026-11-30 10:40 UTC  000000000000300000600009     13\n"
        "\n"
        "Probes\n"
        "PROBE           BLOCK  TIMES        LAST  LEAST   MOST  TREND  ONE READ  LAST AT\n"
        "read-media/sg  64 KiB      3  150.0 MB/s   50.0  150.0  369     4.50 ms  2026-11-30 10:03 UTC\n"
        "\n"
        "Findings\n"
        "SINCE                 UNTIL  SEVERITY  FINDING\n"
        "2026-11-30 11:00 UTC  now    warning   rate-below-expected: phy-0:3 runs at 6.0 Gb/s (acknowledged by ann until 2026-11-30 12:00 UTC: cable is ordered)\n");
    text = printed(&a, &blocks);
    assert_non_null(strstr(text, "▃▆█"));
    assert_null(strstr(text, "Probes"));
    free(text);
    done(&a);
}

static void test_json(void **state)
{
    struct history_answer a = a_life();

    (void)state;
    a.changes.n = a.growths.n = a.probes.n = 1;
    assert_printed(
        &a, NULL,
        "{\"id\":\"pci-0000:01:00.0-phy-3\",\"name\":\"phy-0:3\",\"changes\":[{\"kind\":\"link\","
        "\"kernel_name\":\"phy-0:3\",\"since\":\"2026-11-30T10:00:00Z\",\"until\":"
        "\"2026-11-30T11:00:00Z\",\"state\":\"up\",\"far\":\"DISK\",\"far_id\":null,\"actual\":"
        "{\"label\":\"12.0 Gb/s\",\"mb_per_s\":1200.0}}],\"counters\":[{\"counter\":\"invalid "
        "dwords\",\"since\":\"2026-11-30T10:00:00Z\",\"until\":\"2026-11-30T10:10:00Z\","
        "\"grown\":0,\"value\":10}],\"probes\":[{\"at\":\"2026-11-30T10:01:00Z\",\"method\":"
        "\"read-media/sg\",\"block_bytes\":65536,\"times\":1,\"mb_per_s\":50.0,"
        "\"least_mb_per_s\":50.0,\"most_mb_per_s\":50.0,\"median_us\":1500,\"least_median_us\":1000,"
        "\"most_median_us\":2000}],\"findings\":[{\"code\":"
        "\"rate-below-expected\",\"severity\":\"warning\",\"subjects\":"
        "[\"pci-0000:01:00.0-phy-3\"],\"names\":[\"phy-0:3\"],\"summary\":\"phy-0:3 runs at 6.0 "
        "Gb/s\",\"since\":\"2026-11-30T11:00:00Z\",\"until\":null}],\"acknowledgements\":"
        "[{\"finding\":\"rate-below-expected pci-0000:01:00.0-phy-3\",\"reason\":\"cable is "
        "ordered\",\"by\":\"ann\",\"since\":\"2026-11-30T11:01:00Z\",\"until\":"
        "\"2026-11-30T12:00:00Z\"}],\"is_cut\":false}");
    done(&a);
}

static void test_nothing(void **state)
{
    const struct history_answer none = { 0 };
    const struct text_style plain = { 0 };

    (void)state;
    assert_printed(&none, &plain,
                   "phy-0:3  pci-0000:01:00.0-phy-3\nNothing is remembered of it in that time.\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
