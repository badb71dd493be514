/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ATA: one fact is missing, refused or garbage. It is unknown then, and nothing is taken for it.
 *
 * The machine: an AHCI controller of two ports that do 6.0 Gb/s for certain, a disk that does on each; or a channel of
 * parallel ATA with a disk of UDMA/100.
 */
#include "small_machine.h"

#define PCI "/sys/devices/pci0000:00/0000:00:1f.2"

/* A file of port 1 that differs from the usual. Its text; NULL: it is not there; "EIO": reading it fails so. */
struct change {
    const char *file, *text;
};

enum { CHANGES_MAX = 4 };
struct scene {
    struct change changes[CHANGES_MAX];
    const char *speed, *limit, *hw_limit, *other_hw_limit; /* "3.0 Gbps" */
    const char *words;                                     /* NULL: no command line to read */
    const char *model;
    bool no_identify, no_device;
};

static void put_file(struct store *s, const struct scene *m, const char *dir, const char *file,
                     const char *usual)
{
    const char *value = usual;
    store_node node;

    for (size_t i = 0; i < CHANGES_MAX; i++)
        if (m->changes[i].file && strcmp(m->changes[i].file, file) == 0)
            value = m->changes[i].text;
    if (!value)
        return;
    if (strcmp(value, "EIO") != 0) {
        put_line(s, dir, file, value);
        return;
    }
    assert_int_equal(store_dir(s, text(dir), &node), 0);
    assert_int_equal(store_put(s, node, text(file), STORE_ERRNO, text(""), EIO, NULL), 0);
}

/* IDENTIFY data as the class prints them: 256 words of four digits. */
static void put_identify(struct store *s, const char *dir, const char *model, const uint16_t *word)
{
    char line[256 * 5 + 1], *at = line;
    uint16_t words[256];
    store_node node;

    memcpy(words, word, sizeof(words));
    for (size_t i = 0; i < 20; i++)
        words[27 + i] = model ? (uint16_t)(model[2 * i] << 8 | model[2 * i + 1]) : 0x2020;
    for (size_t i = 0; i < 256; i++)
        at += snprintf(at, 6, "%04x%c", words[i], i % 8 == 7 ? '\n' : ' ');
    assert_int_equal(store_dir(s, text(dir), &node), 0);
    assert_int_equal(store_put(s, node, text("id"), STORE_FILE, text(line), 0, NULL), 0);
}

static void put_host(struct store *s, unsigned port)
{
    char parent[128], name[32], dir[512];

    snprintf(parent, sizeof(parent), PCI "/ata%u", port);
    snprintf(name, sizeof(name), "host%u", port - 1);
    object(s, dir, "scsi_host", name, parent);
    put_line(s, dir, "proc_name", "ahci");
}

/* The objects of a port; their class directories. */
static void put_port(struct store *s, unsigned port, char link[512], char device[512])
{
    char parent[128], name[32];

    put_host(s, port);
    snprintf(name, sizeof(name), "ata%u", port);
    object(s, link, "ata_port", name, PCI);
    snprintf(parent, sizeof(parent), PCI "/ata%u", port);
    snprintf(name, sizeof(name), "link%u", port);
    object(s, link, "ata_link", name, parent);
    snprintf(parent, sizeof(parent), PCI "/ata%u/link%u", port, port);
    snprintf(name, sizeof(name), "dev%u.0", port);
    object(s, device, "ata_device", name, parent);
}

#define BLANK "                                        "
static const char DISK[] = "ST4000NM0035-1V4107                     ";

static struct store *machine_with(const struct scene *m, const char *device)
{
    struct store *s = store_new();

    assert_non_null(s);
    put_line(s, PCI, "vendor", "0x1b21");
    put_line(s, PCI, "device", device);
    if (m->words)
        put_line(s, "/proc", "cmdline", m->words);
    return s;
}

/* ASM1062: two ports of 6.0 Gb/s. The second has no disk. */
static struct report *look(const struct scene *m)
{
    static const uint16_t WORDS[256] = { [0] = 0x0040, [76] = 0x000e, [77] = 0 };
    struct store *s = machine_with(m, "0x0612");
    char link[512], device[512];

    put_port(s, 1, link, device);
    put_file(s, m, link, "sata_spd", m->speed);
    put_file(s, m, link, "sata_spd_limit", m->limit);
    put_file(s, m, link, "hw_sata_spd_limit", m->hw_limit);
    put_file(s, m, device, "class", "ata");
    put_file(s, m, device, "spdn_cnt", "0");
    put_file(s, m, P(PCI "/ata1/ata_port", "ata1"), "port_no", "1");
    if (!m->no_identify)
        put_identify(s, device, m->model ? m->model : DISK, WORDS);
    if (m->no_device)
        put(s, "/sys/class/ata_device", "dev1.0", STORE_LINK, "/nowhere");
    put_port(s, 2, link, device);
    put_line(s, link, "sata_spd", "<unknown>");
    put_line(s, link, "sata_spd_limit", m->other_hw_limit);
    put_line(s, link, "hw_sata_spd_limit", m->other_hw_limit);
    put_line(s, device, "class", "none");
    return judged(s);
}

#define G3   "3.0 Gbps"
#define G6   "6.0 Gbps"
#define NONE "<unknown>"

static const struct scene FELL_BACK = {
    .speed = G3, .limit = G3, .hw_limit = NONE, .other_hw_limit = NONE, .words = "quiet"
};
static const struct scene FORCED = {
    .speed = G3, .limit = G3, .hw_limit = G3, .other_hw_limit = NONE, .words = "libata.force=1:3.0"
};

static void as_it_is(void **state)
{
    struct report *r = look(&FELL_BACK);

    (void)state;
    expect_link(r, "link1", LINK_UP, VERDICT_BELOW, "3.0 Gb/s", "6.0 Gb/s");
    expect_link(r, "link2", LINK_EMPTY, VERDICT_NONE, NULL, NULL);
    report_free(r);
    r = look(&FORCED);
    expect_link(r, "link1", LINK_UP, VERDICT_CAPPED, "3.0 Gb/s", "6.0 Gb/s");
    report_free(r);
}

static void limit_that_cannot_be_read(void **state)
{
    static const struct scene *const SCENES[] = { &FELL_BACK, &FORCED };
    static const char *const TEXTS[] = { NULL, "EIO", "garbage", "", "0" };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(SCENES) * ELEMENTS(TEXTS); i++) {
        struct scene m = *SCENES[i / ELEMENTS(TEXTS)];
        struct report *r;

        m.changes[0] = (struct change){ "hw_sata_spd_limit", TEXTS[i % ELEMENTS(TEXTS)] };
        r = look(&m);
        expect_link(r, "link1", LINK_UP, VERDICT_UNKNOWN, "3.0 Gb/s", NULL);
        report_free(r);
    }
}

/* One of two ports with a limit is a scar, all of them are the machine's; whether it is the only one is not
 * known without the other's word. */
static void limit_of_a_neighbour(void **state)
{
    struct scene m = { .speed = G3, .limit = G3, .hw_limit = G3, .words = "quiet" };
    static const struct {
        const char *other;
        enum verdict verdict;
        const char *expected;
    } ROWS[] = { { NONE, VERDICT_BELOW, "6.0 Gb/s" },
                 { G3, VERDICT_OK, "3.0 Gb/s" },
                 { "garbage", VERDICT_UNKNOWN, NULL } };
    struct report *r;

    (void)state;
    for (size_t i = 0; i < ELEMENTS(ROWS); i++) {
        m.other_hw_limit = ROWS[i].other;
        r = look(&m);
        expect_link(r, "link1", LINK_UP, ROWS[i].verdict, "3.0 Gb/s", ROWS[i].expected);
        report_free(r);
    }
}

/* Without the words it is not known whether somebody set the limit. */
static void words_that_cannot_be_read(void **state)
{
    struct scene m = FORCED;
    struct report *r;

    (void)state;
    m.words = NULL;
    r = look(&m);
    expect_link(r, "link1", LINK_UP, VERDICT_UNKNOWN, "3.0 Gb/s", NULL);
    report_free(r);
}

/* A class of no name is no device, nor none. */
static void class_that_cannot_be_read(void **state)
{
    static const char *const TEXTS[] = { NULL, "EIO", "garbage", "", "0" };
    struct scene m = {
        .speed = NONE, .limit = NONE, .hw_limit = NONE, .other_hw_limit = NONE, .words = "quiet"
    };
    struct report *r;

    (void)state;
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++)
        for (m.no_identify = false;; m.no_identify = true) {
            m.changes[0] = (struct change){ "class", TEXTS[i] };
            r = look(&m);
            expect_link(r, "link1", LINK_UNKNOWN, VERDICT_UNKNOWN, NULL, NULL);
            report_free(r);
            if (m.no_identify)
                break;
        }
    m.no_device = true;
    r = look(&m);
    expect_link(r, "link1", LINK_UNKNOWN, VERDICT_UNKNOWN, NULL, NULL);
    report_free(r);
    m.no_device = false;
    m.changes[0] = (struct change){ "class", "none" }; /* the IDENTIFY data are left over */
    m.no_identify = false;
    r = look(&m);
    expect_link(r, "link1", LINK_EMPTY, VERDICT_NONE, NULL, NULL);
    report_free(r);
}

/* Numbers of ports begin with 1. */
static void port_number(void **state)
{
    static const char *const TEXTS[] = { "1", "0", "garbage", "EIO", NULL };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++) {
        struct scene m = FELL_BACK;
        struct report *r;

        m.changes[0] = (struct change){ "port_no", TEXTS[i] };
        r = look(&m);
        assert_string_equal(model_link_named(r->model, "link1")->id, "pci-0000:00:1f.2-ata-1-sata");
        report_free(r);
    }
}

static void blank_model(void **state)
{
    struct scene m = FELL_BACK;
    struct report *r;

    (void)state;
    m.model = BLANK;
    r = look(&m);
    assert_null(model_link_named(r->model, "link1")->far);
    report_free(r);
}

/* ---- parallel ---- */

/* 82801DB, a disk of UDMA/100 at UDMA/33. Word 93: 80 conductors, or 0. */
static struct report *look_parallel(const struct scene *m, uint16_t word93)
{
    const uint16_t words[256] = {
        [0] = 0x0040, [53] = 0x0006, [63] = 0x0007, [88] = 0x043f, [93] = word93
    };
    struct store *s = machine_with(m, "0x24cb");
    char link[512], device[512];

    put_line(s, PCI, "vendor", "0x8086");
    put_port(s, 1, link, device);
    put_file(s, m, device, "class", "ata");
    put_file(s, m, device, "xfer_mode", "XFER_UDMA_2");
    put_file(s, m, device, "spdn_cnt", "0");
    put_identify(s, device, DISK, words);
    return judged(s);
}

static void parallel(void **state)
{
    struct scene m = { .words = "quiet" };
    const struct link *l;
    struct report *r = look_parallel(&m, 0x6003);

    (void)state;
    expect_link(r, "dev1.0", LINK_UP, VERDICT_BELOW, "UDMA/33", "UDMA/100");
    report_free(r);
    m.words = NULL; /* somebody may have set it */
    r = look_parallel(&m, 0x6003);
    expect_link(r, "dev1.0", LINK_UP, VERDICT_UNKNOWN, "UDMA/33", NULL);
    report_free(r);
    m.changes[0] = (struct change){ "spdn_cnt", "1" }; /* libata did */
    r = look_parallel(&m, 0x6003);
    expect_link(r, "dev1.0", LINK_UP, VERDICT_BELOW, "UDMA/33", "UDMA/100");
    report_free(r);
    m = (struct scene){ .words = "quiet" };
    r = look_parallel(&m, 0); /* the cable is not told */
    l = expect_link(r, "dev1.0", LINK_UP, VERDICT_UNKNOWN, "UDMA/33", NULL);
    assert_non_null(strstr(l->reason, "cable"));
    report_free(r);
    m.changes[0] = (struct change){ "class", "garbage" };
    r = look_parallel(&m, 0x6003);
    expect_link(r, "dev1.0", LINK_UNKNOWN, VERDICT_UNKNOWN, NULL, NULL);
    report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_it_is),
        cmocka_unit_test(limit_that_cannot_be_read),
        cmocka_unit_test(limit_of_a_neighbour),
        cmocka_unit_test(words_that_cannot_be_read),
        cmocka_unit_test(class_that_cannot_be_read),
        cmocka_unit_test(port_number),
        cmocka_unit_test(blank_model),
        cmocka_unit_test(parallel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
