/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the daemon says to who started it: lines on standard error, with the priority in front where the journal reads
 * them. Nothing waits for who reads them: a line that does not fit is lost.
 */
#pragma once

/* Priorities as syslog(3) has them. */
enum log_priority { LOG_ERROR = 3, LOG_WARN = 4, LOG_NOTE = 5, LOG_INFORM = 6 };
enum { LOG_LEAST = 0, LOG_MOST = 7 };

/* Only what is as important as this (LOG_LEAST to LOG_MOST) is said: LOG_INFORM at the start. It is of the process. */
void log_set_level(int level);
int log_get_level(void);

void log_line(enum log_priority priority, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
