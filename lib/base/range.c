/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ranges of monitoring plugins (range.h).
 */
#include "base/range.h"

#include <errno.h>
#include <math.h>

#include "base/number.h"

enum { DIGITS = 6 };
static const double SCALE = 1e6;

/* Reads the number at the start of *text, and goes behind it. Returns 1, 0 where there is none, or -EINVAL. */
static int read_number(const char **text, double *ret)
{
    const char *at = *text;
    bool is_negative = *at == '-';
    uint64_t scaled;

    if (*at == '-' || *at == '+')
        at++;
    else if (*at < '0' || *at > '9')
        return 0;
    if (number_decimal(at, DIGITS, &scaled, text) < 0)
        return -EINVAL;
    *ret = (double)scaled / SCALE;
    if (is_negative)
        *ret = -*ret;
    return 1;
}

int range_parse(const char *text, struct range *ret)
{
    struct range r = { .start = 0, .end = INFINITY, .is_inside = *text == '@' };
    int has_start = 1, has_end = 0;

    text += r.is_inside;
    if (*text == '~') {
        r.start = -INFINITY;
        text++;
    } else {
        has_start = read_number(&text, &r.start);
    }
    if (*text == ':') {
        text++;
        has_end = read_number(&text, &r.end);
    } else { /* one number is the end */
        has_start = has_start == 1 && !isinf(r.start) ? 1 : -EINVAL;
        r.end = r.start;
        r.start = 0;
    }
    if (has_start < 0 || has_end < 0 || !(has_start || has_end) || *text || r.start > r.end)
        return -EINVAL;
    *ret = r;
    return 0;
}

bool range_alerts(const struct range *r, double value)
{
    return (r->start <= value && value <= r->end) == r->is_inside;
}
