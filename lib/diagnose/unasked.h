/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Links without a verdict because somebody has a device on them left alone (tier `sysfs`). A part of diagnose.c.
 */
#pragma once

#include "config/config.h"
#include "finding/report.h"

/* Adds to the reason of each link whose verdict is unknown, and of which its device says nothing, where it is said that
 * nothing is sent to that device: the line of the configuration, or the udev property. A device that was asked all the
 * same, as for a capture, is not named. `config` may be NULL. Returns 0 or -ENOMEM. */
int unasked_tell(const struct config *config, struct model *m);
