/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A range of numbers as monitoring plugins take it with -w and -c (Monitoring Plugins Development Guidelines, "Threshold and Ranges"):
 *
 *   10      alerts below 0 and above 10          10:20    alerts outside of both
 *   10:     alerts below 10                      @10:20   alerts inside, the ends included
 *   ~:10    alerts above 10                      ~:       never alerts
 *
 * Numbers are decimal, with a sign or without; digits behind the sixth of a fraction do not count. Debian's
 * libmonitoring-plugin-perl takes the same (tests/differential/base), and white space, exponents and ".5" besides.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct range {
    double start, end; /* both are inside; -INFINITY, INFINITY: no such end */
    bool is_inside;    /* it alerts inside, not outside */
};

/* Reads one. Returns 0, or -EINVAL for what is none, has its ends the wrong way round, or a number beyond 10^13. */
int range_parse(const char *text, struct range *ret);

/* Is the value one to be alerted of? */
bool range_alerts(const struct range *r, double value);
