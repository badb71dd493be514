/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words to the service manager (sd_notify(3)), without waiting for it: sd_notify() waits where it does not read.
 */
#pragma once

/* Sends lines such as "READY=1". Returns 1, 0 where there is no service manager, -EAGAIN where it does not take it now, or
 * another negative errno. */
int notify(const char *format, ...) __attribute__((format(printf, 1, 2)));
