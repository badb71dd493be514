/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log page 18h of SAS devices (saslog.h).
 */
#include "decode/saslog.h"

#include <errno.h>

#include "decode/protopage.h"

enum {
    PORT_HEAD = 4,            /* protocol, reserved, generation, number of phys */
    PHY_DESCRIPTOR = 48,      /* SAS-1: fixed, and no length in it */
    PHY_DESCRIPTOR_BODY = 44, /* the same as the length in byte 3 counts it */
    EVENT_DESCRIPTOR = 12,
};

int saslog_decode(struct bytes data, struct saslog *ret)
{
    struct logpage_parameter parameter;
    struct logpage_walk walk;
    struct logpage page;
    bool any = false, sas = false;
    int r = logpage_decode(data, &page);

    if (r < 0)
        return r;
    if (page.page != SASLOG_PAGE || page.subpage != 0)
        return -EBADMSG;
    walk = (struct logpage_walk){ cursor_over(page.body) };
    while (logpage_next(&walk, &parameter)) {
        any = any || parameter.value.len > 0;
        sas = sas || (parameter.value.len > 0 && (parameter.value.data[0] & 0x0f) == PROTOCOL_SAS);
    }
    if (!sas)
        return any ? -ENOTSUP : -ENODATA;
    *ret = (struct saslog){ .cut = page.cut, .walk = { cursor_over(page.body) } };
    return 0;
}

bool saslog_next_port(struct saslog *log, struct saslog_port *ret)
{
    struct logpage_parameter parameter;

    while (logpage_next(&log->walk, &parameter)) {
        struct bytes v = parameter.value;

        if (v.len < PORT_HEAD || (v.data[0] & 0x0f) != PROTOCOL_SAS)
            continue;
        *ret = (struct saslog_port){
            .relative_id = parameter.code,
            .generation = v.data[2],
            .n_phys = v.data[3],
            .left = v.data[3],
            .rest = cursor_over(v),
        };
        cursor_seek(&ret->rest, PORT_HEAD);
        return true;
    }
    return false;
}

/* The descriptor at the cursor by its own length, empty where it is not all there. */
static struct bytes take_descriptor(struct cursor *c)
{
    struct cursor head = *c;
    size_t length;

    cursor_skip(&head, 3);
    length = cursor_u8(&head);
    return cursor_take(c, length < PHY_DESCRIPTOR_BODY ? PHY_DESCRIPTOR : 4 + length);
}

bool saslog_next_phy(struct saslog_port *port, struct saslog_phy *ret)
{
    struct saslog_phy phy = { 0 };
    struct cursor c;
    struct bytes d;

    if (port->left == 0)
        return false;
    port->left--;
    d = take_descriptor(&port->rest);
    if (sas_phy_decode(d, &phy.phy) < 0) {
        port->left = 0;
        port->cut = true;
        return false;
    }
    c = cursor_over(d);
    cursor_seek(&c, 32);
    phy.invalid_dword = cursor_be32(&c);
    phy.running_disparity = cursor_be32(&c);
    phy.loss_of_sync = cursor_be32(&c);
    phy.reset_problem = cursor_be32(&c);
    phy.n_events = bytes_at(d, 51);
    phy.events_left = phy.n_events;
    phy.events = cursor_over(bytes_slice(d, 52, d.len));
    *ret = phy;
    return true;
}

bool saslog_next_event(struct saslog_phy *phy, struct saslog_event *ret)
{
    struct cursor c;

    if (phy->events_left == 0 || cursor_left(&phy->events) < EVENT_DESCRIPTOR)
        return false;
    phy->events_left--;
    c = cursor_over(cursor_take(&phy->events, EVENT_DESCRIPTOR));
    cursor_skip(&c, 3);
    ret->source = cursor_u8(&c);
    ret->value = cursor_be32(&c);
    ret->threshold = cursor_be32(&c);
    return true;
}
