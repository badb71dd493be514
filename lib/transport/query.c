/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Builders of the commands that rows ask (transport.h).
 */
#include "transport/transport.h"

struct command query_mode_sense(const struct query *q)
{
    return command_mode_sense_10(q->page, q->subpage, q->room);
}

struct command query_log_sense(const struct query *q)
{
    return command_log_sense(q->page, q->room);
}

struct command query_vpd(const struct query *q)
{
    return command_inquiry_vpd(q->page, q->room);
}
