/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parallel SCSI: one fact is missing, refused or garbage. It is unknown then, and nothing is taken for it.
 *
 * The machine: a chip that does Ultra160, a bus, and a target that says the same of itself in page 19h/04h.
 */
#include "sas_machine.h"

#define PCI "/sys/devices/pci0000:00/0000:01:00.0"

/* A file that differs from the usual. Its text; NULL: it is not there; "EIO": reading it fails so. */
struct change {
    const char *file, *text;
};

enum { CHANGES_MAX = 8 };
struct scene {
    struct change changes[CHANGES_MAX];
    uint8_t byte7; /* of INQUIRY data: 10h SYNC, 20h WBUS16 */
    uint8_t byte56;
    const char
        *names; /* vendor, model and revision in INQUIRY data; NULL: those of a disk of IBM's */
    bool no_inquiry, no_class, no_device;
    bool has_page; /* 19h/04h: Ultra160 */
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

static void put_inquiry(struct store *s, const struct scene *m, const char *dir)
{
    uint8_t data[58] = { 0, 0, 3, 2, sizeof(data) - 5, 0, 0, m->byte7 };
    store_node node;

    memcpy(data + 8, m->names ? m->names : "IBM     IC35L036UCDY10-0S23C", 28);
    data[56] = m->byte56;
    assert_int_equal(store_dir(s, text(dir), &node), 0);
    assert_int_equal(store_put(s, node, text("inquiry"), STORE_FILE,
                               (struct bytes){ data, sizeof(data) }, 0, NULL),
                     0);
}

/* The answer to MODE SENSE(10) of page 19h/04h: Ultra160, 16 bit, offset 62. */
static void put_page(struct store *s)
{
    static const uint8_t CDB[] = { 0x5a, 0, 0x19, 0x04, 0, 0, 0, 0x02, 0, 0 };
    static const uint8_t DATA[] = { 0, 0x12, 0, 0, 0, 0, 0,  0, 0x59, 4,
                                    0, 8,    0, 1, 9, 0, 62, 1, 2,    0 };
    struct store_command c = { .hctl = "0:0:1:0",
                               .cdb = { CDB, sizeof(CDB) },
                               .data = { DATA, sizeof(DATA) } };

    assert_int_equal(store_put_command(s, &c), 0);
}

static struct report *look(const struct scene *m)
{
    static const struct change CLASS[] = {
        { "offset", "62" }, { "max_offset", "62" }, { "period", "25" }, { "min_period", "12.5" },
        { "width", "1" },   { "max_width", "1" },   { "dt", "0" },
    };
    struct store *s = store_new();
    char dir[512];

    assert_non_null(s);
    put_line(s, PCI, "vendor", "0x1000");
    put_line(s, PCI, "device", "0x0021"); /* 53C1010-66: Ultra160 */
    object(s, dir, "scsi_host", "host0", PCI);
    put_line(s, dir, "proc_name", "sym53c8xx");
    object(s, dir, "spi_host", "host0", PCI);
    put_file(s, m, dir, "signalling", "LVD");
    put_file(s, m, dir, "host_width", "wide");
    put_file(s, m, dir, "hba_id", "7");
    put(s, "/sys/bus/scsi/devices", "target0:0:1", STORE_LINK, HOST0 "/target0:0:1");
    if (!m->no_device) {
        device(s, HOST0, "0:0:1:0", "0", "IC35L036UCDY10-0");
        if (!m->no_inquiry)
            put_inquiry(s, m, HOST0 "/target0:0:1/0:0:1:0");
        if (m->has_page)
            put_page(s);
    }
    if (!m->no_class) {
        object(s, dir, "spi_transport", "target0:0:1", HOST0);
        for (size_t i = 0; i < ELEMENTS(CLASS); i++)
            put_file(s, m, dir, CLASS[i].file, CLASS[i].text);
    }
    return judged(s);
}

static const struct link *expect_target(const struct report *r, enum verdict verdict,
                                        const char *actual, const char *expected)
{
    return expect_link(r, "target0:0:1", LINK_UP, verdict, actual, expected);
}

static const struct scene SLOW = { .byte7 = 0x30, .byte56 = 0x0c, .has_page = true };

static void slow_as_it_is(void **state)
{
    struct report *r = look(&SLOW);

    (void)state;
    expect_target(r, VERDICT_BELOW, "Ultra2 Wide", "Ultra160");
    report_free(r);
}

/* One file of those that say what runs. */
static void mode_that_cannot_be_read(void **state)
{
    static const char *const FILES[] = { "offset", "width", "period" };
    static const char *const TEXTS[] = { NULL, "EIO", "garbage", "", "-1" };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(FILES) * ELEMENTS(TEXTS); i++) {
        struct scene m = SLOW;
        struct report *r;

        m.changes[0] = (struct change){ FILES[i / ELEMENTS(TEXTS)], TEXTS[i % ELEMENTS(TEXTS)] };
        r = look(&m);
        expect_target(r, VERDICT_UNKNOWN, NULL, NULL);
        report_free(r);
    }
}

static void no_class_is_no_word(void **state)
{
    struct scene m = SLOW;
    struct report *r;

    (void)state;
    m.no_class = true;
    r = look(&m);
    expect_target(r, VERDICT_UNKNOWN, NULL, NULL);
    report_free(r);
}

#define WITHOUT(file) \
    {                 \
        file, NULL    \
    }
#define NO_SYNC_FILES \
    WITHOUT("offset"), WITHOUT("max_offset"), WITHOUT("period"), WITHOUT("min_period")

/* The kernel shows no such files of a target that does not claim as much. */
static void what_a_target_does_not_claim(void **state)
{
    struct scene m = { { NO_SYNC_FILES, WITHOUT("width"), WITHOUT("max_width"), WITHOUT("dt") } };
    struct report *r = look(&m);

    (void)state;
    expect_target(r, VERDICT_OK, "async", "async");
    report_free(r);
    m.byte7 = 0x10; /* it does claim, and the files are gone all the same */
    r = look(&m);
    expect_target(r, VERDICT_UNKNOWN, NULL, NULL);
    report_free(r);
    m.no_inquiry = true;
    r = look(&m);
    expect_target(r, VERDICT_UNKNOWN, NULL, NULL);
    report_free(r);
}

static void limit_that_cannot_be_read(void **state)
{
    static const char *const FILES[] = { "max_offset", "min_period", "max_width" };
    static const char *const TEXTS[] = { NULL, "EIO", "garbage", "" };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(FILES) * ELEMENTS(TEXTS); i++) {
        struct scene m = SLOW;
        struct report *r;

        m.changes[0] = (struct change){ FILES[i / ELEMENTS(TEXTS)], TEXTS[i % ELEMENTS(TEXTS)] };
        r = look(&m);
        expect_target(r, VERDICT_UNKNOWN, "Ultra2 Wide", NULL);
        report_free(r);
    }
}

/* What the link does more than is no limit. */
static void limit_that_is_exceeded(void **state)
{
    static const struct change LIMITS[] = { { "max_offset", "0" },
                                            { "max_width", "0" },
                                            { "min_period", "50" } };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(LIMITS); i++) {
        struct scene m = SLOW;
        struct report *r;
        const struct link *l;

        m.changes[0] = LIMITS[i];
        r = look(&m);
        l = expect_target(r, VERDICT_BELOW, "Ultra2 Wide", "Ultra160");
        for (size_t k = 0; k < l->allowed.n; k++)
            assert_string_equal(l->allowed.v[k].mode.label, "Ultra160");
        report_free(r);
    }
}

static void limit_that_holds(void **state)
{
    struct scene m = SLOW;
    struct report *r;

    (void)state;
    m.changes[0] = (struct change){ "min_period", "25" };
    r = look(&m);
    expect_target(r, VERDICT_CAPPED, "Ultra2 Wide", "Ultra160");
    report_free(r);
    m.changes[0] = (struct change){ "min_period", "reserved" }; /* none was set */
    r = look(&m);
    expect_target(r, VERDICT_BELOW, "Ultra2 Wide", "Ultra160");
    report_free(r);
}

/* Signalling of no name is not taken for a bus that can do less. */
static void signalling_of_no_name(void **state)
{
    static const char *const TEXTS[] = { "garbage", "0", "", "EIO", "unknown", NULL };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++) {
        struct scene m = SLOW;
        struct report *r;

        m.changes[0] = (struct change){ "signalling", TEXTS[i] };
        r = look(&m);
        expect_target(r, VERDICT_BELOW, "Ultra2 Wide", "Ultra160");
        report_free(r);
    }
}

/* A single-ended bus is a fault where both ends are known to do better, and no excuse where the target may. */
static void single_ended(void **state)
{
    struct scene m = SLOW;
    struct report *r;

    (void)state;
    m.changes[0] = (struct change){ "signalling", "SE" };
    m.changes[1] = (struct change){ "period", "50" };
    r = look(&m);
    expect_target(r, VERDICT_BELOW, "Ultra Wide", "Ultra160");
    report_free(r);
    m.has_page = false; /* its INQUIRY data claim double transition clocking */
    r = look(&m);
    expect_target(r, VERDICT_UNKNOWN, "Ultra Wide", NULL);
    report_free(r);
    m.no_inquiry = true;
    r = look(&m);
    expect_target(r, VERDICT_UNKNOWN, "Ultra Wide", NULL);
    report_free(r);
    m.no_inquiry = false;
    m.byte56 = 0; /* single transition only: as fast as such a bus */
    r = look(&m);
    expect_target(r, VERDICT_OK, "Ultra Wide", "Ultra Wide");
    report_free(r);
}

/* SYNC promises better than asynchronous, and not what rate. */
static void claimed_sync(void **state)
{
    struct scene m = { { { "offset", "0" } }, .byte7 = 0x30 };
    struct report *r = look(&m);

    (void)state;
    expect_target(r, VERDICT_BELOW, "async", "Fast-5 Wide");
    report_free(r);
    m.no_inquiry = true; /* an old kernel would have an offset file anyway */
    r = look(&m);
    expect_target(r, VERDICT_UNKNOWN, "async", NULL);
    report_free(r);
    m.changes[1] = (struct change)WITHOUT(
        "dt"); /* the kernel has seen it: there is an offset file */
    r = look(&m);
    expect_target(r, VERDICT_BELOW, "async", "Fast-5 Wide");
    report_free(r);
    m.no_device = true;
    r = look(&m);
    expect_target(r, VERDICT_UNKNOWN, "async", NULL);
    report_free(r);
}

/* A narrow bus explains a narrow agreement: whether it is one must be known. */
static void width_of_the_bus(void **state)
{
    static const char *const TEXTS[] = { NULL, "EIO", "garbage", "" };
    struct scene m = SLOW;
    struct report *r;

    (void)state;
    m.changes[1] = (struct change){ "width", "0" };
    r = look(&m);
    expect_target(r, VERDICT_BELOW, "Ultra2", "Ultra160");
    report_free(r);
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++) {
        m.changes[0] = (struct change){ "host_width", TEXTS[i] };
        r = look(&m);
        expect_target(r, VERDICT_UNKNOWN, "Ultra2", NULL);
        report_free(r);
    }
    m.changes[0] = (struct change){ "host_width", "narrow" };
    r = look(&m);
    expect_target(r, VERDICT_OK, "Ultra2", "Ultra2");
    report_free(r);
}

/* An emulated disk tells the adapter, though the kernel's copy of its name cannot be read as such. */
static void emulated_by_inquiry_data(void **state)
{
    struct scene m = SLOW;
    struct report *r;

    (void)state;
    m.names = "QEMU    QEMU HARDDISK   2.5+";
    r = look(&m);
    expect_target(r, VERDICT_NONE, "Ultra2 Wide", NULL);
    report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_as_it_is),
        cmocka_unit_test(mode_that_cannot_be_read),
        cmocka_unit_test(no_class_is_no_word),
        cmocka_unit_test(what_a_target_does_not_claim),
        cmocka_unit_test(limit_that_cannot_be_read),
        cmocka_unit_test(limit_that_is_exceeded),
        cmocka_unit_test(limit_that_holds),
        cmocka_unit_test(signalling_of_no_name),
        cmocka_unit_test(single_ended),
        cmocka_unit_test(claimed_sync),
        cmocka_unit_test(width_of_the_bus),
        cmocka_unit_test(emulated_by_inquiry_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
