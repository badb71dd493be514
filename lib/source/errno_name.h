/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of errno values, as captures write them.
 */
#pragma once

/* "ENOENT" and the like; NULL for a number without a name. */
const char *errno_name(int error);

/* The positive number of a name, -EINVAL for what is no errno name of this system. */
int errno_from_name(const char *name);
