/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * logpage.h and saslog.h.
 */
#include "check.h"

#include <errno.h>

#include "decode/saslog.h"

static void check_walk(struct bytes input)
{
    struct logpage_parameter p;
    struct logpage_walk walk;
    struct logpage page;
    size_t used = 4;

    if (logpage_decode(input, &page) < 0) {
        CHECK(input.len < 4);
        return;
    }
    CHECK(is_inside(input, page.body));
    logpage_lists(&page, SASLOG_PAGE);
    walk = (struct logpage_walk){ cursor_over(page.body) };
    while (logpage_next(&walk, &p)) {
        CHECK(is_inside(input, p.value));
        used += 4 + p.value.len;
        CHECK(!p.cut || used == 4 + page.body.len);
    }
    CHECK(used <= input.len);
}

static size_t check_phys(struct saslog_port *port)
{
    size_t bytes = 0, n = 0;
    struct saslog_event event;
    struct saslog_phy phy;

    while (saslog_next_phy(port, &phy)) {
        size_t events = 0;

        CHECK(sas_state_to_string(sas_state_of(phy.phy.logical_rate)));
        while (saslog_next_event(&phy, &event))
            events++;
        CHECK(events <= phy.n_events);
        bytes += 48 + (events ? 4 + 12 * events : 0);
        n++;
    }
    CHECK(n <= port->n_phys);
    CHECK(port->cut == (n < port->n_phys));
    CHECK(!saslog_next_phy(port, &phy));
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes input = { data, size };
    struct saslog_port port;
    struct saslog log;
    size_t used = 4;
    int r = saslog_decode(input, &log);

    check_walk(input);
    CHECK(r == 0 || r == -EBADMSG || r == -ENODATA || r == -ENOTSUP);
    if (r < 0)
        return 0;
    while (saslog_next_port(&log, &port))
        used += 8 + check_phys(&port);
    CHECK(used <= size);
    return 0;
}
