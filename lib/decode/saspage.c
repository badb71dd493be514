/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mode page 19h of SAS devices (saspage.h).
 */
#include "decode/saspage.h"

#include <errno.h>

#include "decode/protopage.h"

enum {
    FIRST_DESCRIPTOR = 8,     /* in subpages 01h and 03h */
    PHY_DESCRIPTOR = 48,      /* subpage 01h */
    ENHANCED_DESCRIPTOR = 20, /* subpage 03h: what is defined of it */
};

int saspage_timers(struct bytes page, struct saspage_timers *ret)
{
    struct protopage p;
    int r = protopage_expect(page, PROTOCOL_SAS, SASPAGE_SHORT, 8, &p);

    if (r < 0)
        return r;
    *ret = (struct saspage_timers){
        .ready_led_meaning = p.bytes.data[2] & 0x10,
        .nexus_loss_ms = (uint16_t)(p.bytes.data[4] << 8 | p.bytes.data[5]),
        .initiator_response_ms = (uint16_t)(p.bytes.data[6] << 8 | p.bytes.data[7]),
    };
    return 0;
}

int saspage_phys(struct bytes page, struct saspage_phys *ret)
{
    struct protopage p;
    int r = protopage_expect(page, PROTOCOL_SAS, SASPAGE_PHYS, FIRST_DESCRIPTOR, &p);

    if (r < 0)
        return r;
    *ret = (struct saspage_phys){
        .generation = p.bytes.data[6],
        .n_phys = p.bytes.data[7],
        .left = p.bytes.data[7],
        .rest = cursor_over(p.bytes),
    };
    cursor_seek(&ret->rest, FIRST_DESCRIPTOR);
    return 0;
}

bool saspage_phys_next(struct saspage_phys *phys, struct saspage_phy *ret)
{
    struct bytes d;

    if (phys->left == 0)
        return false;
    phys->left--;
    d = cursor_take(&phys->rest, PHY_DESCRIPTOR);
    if (sas_phy_decode(d, &ret->phy) < 0) {
        phys->left = 0;
        phys->cut = true;
        return false;
    }
    ret->programmed_min = d.data[32] >> 4;
    ret->hardware_min = d.data[32] & 0x0f;
    ret->programmed_max = d.data[33] >> 4;
    ret->hardware_max = d.data[33] & 0x0f;
    return true;
}

int saspage_shared(struct bytes page, struct saspage_shared *ret)
{
    struct protopage p;
    int r = protopage_expect(page, PROTOCOL_SAS, SASPAGE_SHARED, 8, &p);
    uint8_t byte10;

    if (r < 0)
        return r;
    byte10 = bytes_at(p.bytes, 10);
    *ret = (struct saspage_shared){
        .power_loss_ms = (uint16_t)(p.bytes.data[6] << 8 | p.bytes.data[7]),
        .power_grant_s = bytes_at(p.bytes, 9),
        .has_port_mode = p.bytes.len > 10,
        .one_phy = byte10 & 0x01,
        .two_phys = byte10 & 0x02,
        .four_phys = byte10 & 0x04,
    };
    return 0;
}

int saspage_enhanced(struct bytes page, struct saspage_enhanced *ret)
{
    struct protopage p;
    int r = protopage_expect(page, PROTOCOL_SAS, SASPAGE_ENHANCED, FIRST_DESCRIPTOR, &p);

    if (r < 0)
        return r;
    *ret = (struct saspage_enhanced){
        .generation = p.bytes.data[6],
        .n_phys = p.bytes.data[7],
        .left = p.bytes.data[7],
        .rest = cursor_over(p.bytes),
    };
    cursor_seek(&ret->rest, FIRST_DESCRIPTOR);
    return 0;
}

bool saspage_enhanced_next(struct saspage_enhanced *enhanced, struct saspage_enhanced_phy *ret)
{
    struct cursor head = enhanced->rest, c;
    struct bytes d;

    if (enhanced->left == 0)
        return false;
    enhanced->left--;
    cursor_skip(&head, 2);
    d = cursor_take(&enhanced->rest, 4 + (size_t)cursor_be16(&head));
    if (d.len < ENHANCED_DESCRIPTOR) {
        enhanced->left = 0;
        enhanced->cut = true;
        return false;
    }
    c = cursor_over(d);
    cursor_seek(&c, 4);
    *ret = (struct saspage_enhanced_phy){
        .phy = d.data[1],
        .optical = d.data[18] & 0x20,
        .ssc = d.data[18] & 0x10,
        .physical_rate = d.data[18] & 0x0f,
    };
    ret->programmed_capabilities = cursor_be32(&c);
    ret->current_capabilities = cursor_be32(&c);
    ret->attached_capabilities = cursor_be32(&c);
    return true;
}
