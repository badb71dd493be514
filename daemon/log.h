/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the daemon says to who started it: lines on standard error, with the priority in front where the journal reads
 * them. Nothing waits for who reads them: a line that does not fit is lost.
 */
#pragma once

/* Priorities as syslog(3) has them. */
enum log_priority { LOG_ERROR = 3, LOG_WARN = 4, LOG_NOTE = 5, LOG_INFORM = 6 };

void log_line(enum log_priority priority, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
