/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the administrator says of hosts and links ([host "GLOB"] and [link "GLOB"] of the configuration). A part of
 * diagnose.c.
 */
#pragma once

#include "config/config.h"
#include "finding/report.h"

/* Marks the hosts that are said to be real hardware, or not. Returns 0 or -ENOMEM. */
int wishes_take_hosts(const struct config *config, struct model *m);

/* Puts the wishes on the links that they are about, as they stand at the report's time. Notes of the report say which
 * [host], [link] and [device] sections are about nothing on this machine, which labels name a mode of none of the links
 * that they are said of, and which best modes are not used because a link runs faster. Returns 0 or -ENOMEM. */
int wishes_take(const struct config *config, struct report *report);
