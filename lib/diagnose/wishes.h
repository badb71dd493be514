/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the administrator says of links ([link "GLOB"] of the configuration). A part of diagnose.c.
 */
#pragma once

#include "config/config.h"
#include "finding/report.h"

/* Puts the wishes on the links that they are about, as they stand at the report's time. A label by which no
 * mode of the link is called becomes a note of the report. Returns 0 or -ENOMEM. */
int wishes_take(const struct config *config, struct report *report);
