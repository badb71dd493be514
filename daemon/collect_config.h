/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the administrator says, as the program reads it that opens devices: what he forbids is held to here,
 * whoever started it.
 */
#pragma once

#include "config/config.h"

/* The configuration of a file, or (NULL) of this machine's files (live/config_files.h). Where one that is there cannot
 * be read, nobody knows what it forbids: that is said on standard error, and the tier is then `sysfs` for all devices.
 * What is wrong within files costs its own line; hbactl says so. Returns 0 or -ENOMEM; config_done() in either case. */
int collect_config(const char *file, struct config *ret);
