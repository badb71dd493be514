/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include <errno.h>

#include "decode/logpage.h"
#include "decode/saslog.h"
#include "exact.h"

enum { PHY = 48, PORT = 8, EVENT = 12, ONE = 4 + PORT + PHY };

/* Page 18h with one port and one phy, whose descriptor is followed by room for more. */
static void make(uint8_t *page, size_t size, uint8_t descriptor_length)
{
    uint8_t *port = page + 4, *phy = port + PORT;

    memset(page, 0, size);
    page[0] = 0x18;
    page[2] = (uint8_t)((size - 4) >> 8);
    page[3] = (uint8_t)(size - 4);
    port[1] = 1; /* relative target port 1 */
    port[3] = (uint8_t)(size - 8);
    port[4] = 0x06;
    port[6] = 9;
    port[7] = 1;
    phy[1] = 3;
    phy[3] = descriptor_length;
    phy[4] = 0x10;
    phy[5] = 0x0a;
    memcpy(phy + 8, "\x50\x00\xc5\x00\x00\x00\x01\x01", 8);
    memcpy(phy + 32, "\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03\xff\xff\xff\xff", 16);
}

static void check_phy(const struct saslog_phy *phy)
{
    assert_int_equal(phy->phy.phy, 3);
    assert_int_equal(phy->phy.attached_type, SAS_ATTACHED_END_DEVICE);
    assert_int_equal(sas_rate_mbps(phy->phy.logical_rate), 6000);
    assert_true(phy->phy.address == 0x5000c50000000101);
    assert_int_equal(phy->invalid_dword, 1);
    assert_int_equal(phy->running_disparity, 2);
    assert_int_equal(phy->loss_of_sync, 3);
    assert_int_equal(phy->reset_problem, 0xffffffff);
}

static void reads_with_and_without_descriptor_length(void **state)
{
    static const uint8_t LENGTHS[] = { 0, 43, 44 }; /* SAS-1, nonsense, SAS-1.1 */

    (void)state;
    for (size_t i = 0; i < ELEMENTS(LENGTHS); i++) {
        uint8_t page[ONE];
        struct saslog_event event;
        struct saslog_port port;
        struct saslog_phy phy;
        struct saslog log;

        make(page, sizeof(page), LENGTHS[i]);
        assert_int_equal(saslog_decode(BYTES(page), &log), 0);
        assert_true(saslog_next_port(&log, &port));
        assert_int_equal(port.relative_id, 1);
        assert_int_equal(port.generation, 9);
        assert_true(saslog_next_phy(&port, &phy));
        check_phy(&phy);
        assert_int_equal(phy.n_events, 0);
        assert_false(saslog_next_event(&phy, &event));
        assert_false(saslog_next_phy(&port, &phy));
        assert_false(port.cut);
        assert_false(saslog_next_port(&log, &port));
        assert_false(log.cut);
    }
}

static void events_stay_in_their_descriptor(void **state)
{
    enum { SIZE = ONE + 4 + 2 * EVENT };
    uint8_t page[SIZE], *phy_bytes = page + 4 + PORT;
    struct saslog_event event;
    struct saslog_port port;
    struct saslog_phy phy;
    struct saslog log;
    unsigned n = 0;

    (void)state;
    make(page, sizeof(page), 48 + 2 * EVENT);
    phy_bytes[51] = 200; /* far more than there are */
    phy_bytes[55] = 0x2b;
    phy_bytes[59] = 7;
    phy_bytes[63] = 5;
    assert_int_equal(saslog_decode(BYTES(page), &log), 0);
    assert_true(saslog_next_port(&log, &port));
    assert_true(saslog_next_phy(&port, &phy));
    check_phy(&phy);
    assert_int_equal(phy.n_events, 200);
    assert_true(saslog_next_event(&phy, &event));
    assert_int_equal(event.source, 0x2b);
    assert_int_equal(event.value, 7);
    assert_int_equal(event.threshold, 5);
    while (saslog_next_event(&phy, &event))
        n++;
    assert_int_equal(n, 1);
}

static void numbers_are_not_trusted(void **state)
{
    uint8_t page[ONE + PHY];
    struct saslog_port port;
    struct saslog_phy phy;
    struct saslog log;

    (void)state;
    make(page, sizeof(page), 44);
    page[4 + 7] = 255;
    assert_int_equal(saslog_decode(BYTES(page), &log), 0);
    assert_true(saslog_next_port(&log, &port));
    assert_true(saslog_next_phy(&port, &phy));
    assert_true(saslog_next_phy(&port, &phy));
    assert_false(saslog_next_phy(&port, &phy));
    assert_true(port.cut);
    page[4 + PORT + 3] = 255; /* the first descriptor longer than the parameter */
    assert_int_equal(saslog_decode(BYTES(page), &log), 0);
    assert_true(saslog_next_port(&log, &port));
    assert_false(saslog_next_phy(&port, &phy));
    assert_true(port.cut);
    page[4 + 3] = 255; /* and the parameter longer than the page */
    page[2] = 0xff;    /* and that longer than the data */
    page[4 + PORT + 3] = 44;
    assert_int_equal(saslog_decode(BYTES(page), &log), 0);
    assert_true(log.cut);
    assert_true(saslog_next_port(&log, &port));
    assert_true(saslog_next_phy(&port, &phy));
    check_phy(&phy);
}

static void other_protocols_are_refused_by_name(void **state)
{
    uint8_t page[ONE];
    struct saslog log;

    (void)state;
    make(page, sizeof(page), 44);
    page[8] = 0x60; /* FCP: the upper four bits are not the protocol's */
    assert_int_equal(saslog_decode(BYTES(page), &log), -ENOTSUP);
    page[0] = 0x19;
    assert_int_equal(saslog_decode(BYTES(page), &log), -EBADMSG);
    page[0] = 0x58;
    page[1] = 0x01; /* a subpage */
    assert_int_equal(saslog_decode(BYTES(page), &log), -EBADMSG);
}

static void ports_of_other_protocols_are_skipped(void **state)
{
    uint8_t page[4 + 6 + 4 + PORT + PHY], one[ONE];
    struct saslog_port port;
    struct saslog log;

    (void)state;
    make(one, sizeof(one), 44);
    memset(page, 0, sizeof(page));
    page[0] = 0x18;
    page[3] = sizeof(page) - 4;
    page[5] = 1;
    page[7] = 2; /* 2 bytes of an FC port */
    page[11] = 2;
    page[13] = 0; /* nothing at all */
    memcpy(page + 14, one + 4, PORT + PHY);
    assert_int_equal(saslog_decode(BYTES(page), &log), 0);
    assert_true(saslog_next_port(&log, &port));
    assert_int_equal(port.relative_id, 1);
    assert_int_equal(port.n_phys, 1);
    assert_false(saslog_next_port(&log, &port));
}

static void stands_any_length(void **state)
{
    uint8_t page[ONE];

    (void)state;
    make(page, sizeof(page), 44);
    for (size_t len = 0; len <= sizeof(page); len++) {
        _cleanup_exact_ struct bytes b = exact(page, len);
        struct saslog_port port;
        struct saslog_phy phy;
        struct saslog log;
        int r = saslog_decode(b, &log);

        assert_int_equal(r, len < 4 ? -EBADMSG : len < 9 ? -ENODATA : 0);
        if (r < 0)
            continue;
        assert_int_equal(log.cut, len < sizeof(page));
        assert_int_equal(saslog_next_port(&log, &port), len >= 12);
        if (len >= 12)
            assert_int_equal(saslog_next_phy(&port, &phy), len == sizeof(page));
    }
}

static void walks_parameters(void **state)
{
    const uint8_t data[] = { 0xcd, 0x01, 0xff, 0xff, 0, 0, 3, 2, 0xab, 0xcd, 0, 1, 3, 9, 0x11 };
    struct logpage_parameter p;
    struct logpage_walk walk;
    struct logpage page;

    (void)state;
    assert_int_equal(logpage_decode(BYTES(data), &page), 0);
    assert_int_equal(page.page, 0x0d);
    assert_int_equal(page.subpage, 1);
    assert_true(page.ds && page.cut);
    walk = (struct logpage_walk){ cursor_over(page.body) };
    assert_true(logpage_next(&walk, &p));
    assert_int_equal(p.code, 0);
    assert_int_equal(p.control, 3);
    assert_int_equal(p.value.len, 2);
    assert_false(p.cut);
    assert_true(logpage_next(&walk, &p));
    assert_int_equal(p.code, 1);
    assert_int_equal(p.value.len, 1);
    assert_true(p.cut);
    assert_false(logpage_next(&walk, &p));
}

static void lists_pages(void **state)
{
    uint8_t data[] = { 0, 0, 0, 3, 0x00, 0x0d, 0x18, 0x2f };
    struct logpage page;

    (void)state;
    assert_int_equal(logpage_decode(BYTES(data), &page), 0);
    assert_true(logpage_lists(&page, 0x18));
    assert_true(logpage_lists(&page, 0x00));
    assert_false(logpage_lists(&page, 0x2f)); /* behind the page's end */
    data[0] = 0x0d;
    assert_int_equal(logpage_decode(BYTES(data), &page), 0);
    assert_false(logpage_lists(&page, 0x18));
    data[0] = 0x40;
    data[1] = 0xff; /* the list of subpages has another form */
    assert_int_equal(logpage_decode(BYTES(data), &page), 0);
    assert_false(logpage_lists(&page, 0x18));
    assert_int_equal(logpage_decode((struct bytes){ data, 3 }, &page), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_with_and_without_descriptor_length),
        cmocka_unit_test(events_stay_in_their_descriptor),
        cmocka_unit_test(numbers_are_not_trusted),
        cmocka_unit_test(other_protocols_are_refused_by_name),
        cmocka_unit_test(ports_of_other_protocols_are_skipped),
        cmocka_unit_test(stands_any_length),
        cmocka_unit_test(walks_parameters),
        cmocka_unit_test(lists_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
