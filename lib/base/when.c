/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Points in time (when.h).
 */
#include "base/when.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"

static const uint64_t SECOND_US = 1000000, DAY_US = 86400 * UINT64_C(1000000),
                      LAST_US = UINT64_C(253402300800) * 1000000; /* 10000-01-01 */

/* Reads at most `most` digits. Returns how many there were. */
static size_t read_digits(const char **text, size_t most, uint64_t *ret)
{
    size_t n = 0;

    for (*ret = 0; n < most && **text >= '0' && **text <= '9'; n++)
        *ret = *ret * 10 + (uint64_t)(*(*text)++ - '0');
    return n;
}

enum { DIGITS_MAX = 12 }; /* of a number by itself: no product of it overflows */

static int parse_length(const char *text, uint64_t *ret)
{
    static const struct {
        const char *unit;
        uint64_t seconds;
    } UNITS[] = { { "min", 60 }, { "s", 1 }, { "h", 3600 }, { "d", 86400 }, { "w", 604800 } };
    uint64_t number;

    *ret = 0;
    do {
        size_t i = 0;

        if (!read_digits(&text, DIGITS_MAX, &number))
            return -EINVAL;
        while (i < ELEMENTS(UNITS) && strncmp(text, UNITS[i].unit, strlen(UNITS[i].unit)) != 0)
            i++;
        if (i == ELEMENTS(UNITS) || number * UNITS[i].seconds > LAST_US / SECOND_US)
            return -EINVAL;
        text += strlen(UNITS[i].unit);
        *ret += number * UNITS[i].seconds * SECOND_US;
        if (*ret > LAST_US)
            return -EINVAL;
    } while (*text);
    return 0;
}

/* As many digits as there must be, and what must follow. */
static bool read_part(const char **text, size_t digits, uint64_t most, uint64_t *ret)
{
    return read_digits(text, digits, ret) == digits && *ret <= most;
}

/* "12:30", "12:30:15", a Z behind it allowed. */
static int parse_clock(const char *text, uint64_t *ret_seconds)
{
    uint64_t hours, minutes, seconds = 0;

    if (!read_part(&text, 2, 23, &hours) || *text++ != ':' || !read_part(&text, 2, 59, &minutes))
        return -EINVAL;
    if (*text == ':') {
        text++;
        if (!read_part(&text, 2, 59, &seconds))
            return -EINVAL;
    }
    *ret_seconds = hours * 3600 + minutes * 60 + seconds;
    return strcmp(text, "") == 0 || strcmp(text, "Z") == 0 ? 0 : -EINVAL;
}

static bool is_leap(uint64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Days from 1970-01-01 to that date of the Gregorian calendar; -EINVAL where the month has no such day. */
static int days_to(uint64_t year, uint64_t month, uint64_t day, uint64_t *ret)
{
    static const unsigned DAYS[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    uint64_t days = 0;

    if (month < 1 || day < 1 || day > DAYS[month - 1] + (month == 2 && is_leap(year)))
        return -EINVAL;
    for (uint64_t y = 1970; y < year; y++)
        days += 365 + is_leap(y);
    for (uint64_t m = 1; m < month; m++)
        days += DAYS[m - 1] + (m == 2 && is_leap(year));
    *ret = days + day - 1;
    return 0;
}

static int parse_date(const char *text, bool is_ahead, uint64_t *ret)
{
    uint64_t year, month, day, days, seconds = 0;

    if (!read_part(&text, 4, 9999, &year) || year < 1970 || *text++ != '-' ||
        !read_part(&text, 2, 12, &month) || *text++ != '-' || !read_part(&text, 2, 31, &day))
        return -EINVAL;
    if (days_to(year, month, day, &days) < 0)
        return -EINVAL;
    if (*text && ((*text != ' ' && *text != 'T') || parse_clock(text + 1, &seconds) < 0))
        return -EINVAL;
    *ret = days * DAY_US + seconds * SECOND_US + (!*text && is_ahead ? DAY_US : 0);
    return 0;
}

/* A day by its name, "now" included. */
static int parse_name(const char *text, uint64_t now_us, bool is_ahead, uint64_t *ret)
{
    uint64_t today_us = now_us - now_us % DAY_US + (is_ahead ? DAY_US : 0);

    if (strcmp(text, "now") == 0)
        *ret = now_us;
    else if (strcmp(text, "today") == 0)
        *ret = today_us;
    else if (strcmp(text, "tomorrow") == 0)
        *ret = today_us + DAY_US;
    else if (strcmp(text, "yesterday") == 0 && today_us >= DAY_US)
        *ret = today_us - DAY_US;
    else
        return -EINVAL;
    return 0;
}

static int parse_seconds(const char *text, uint64_t *ret)
{
    uint64_t seconds;

    if (!read_digits(&text, DIGITS_MAX, &seconds) || *text)
        return -EINVAL;
    *ret = seconds * SECOND_US;
    return 0;
}

int when_parse(const char *text, uint64_t now_us, bool is_ahead, uint64_t *ret)
{
    uint64_t at = 0, length;
    int r = *text == '@' ? parse_seconds(text + 1, &at) : parse_name(text, now_us, is_ahead, &at);

    if (r < 0 && *text != '@')
        r = parse_date(text, is_ahead, &at);
    if (r < 0 && parse_length(text, &length) == 0) {
        r = is_ahead || length <= now_us ? 0 : -EINVAL;
        at = is_ahead ? now_us + length : now_us - length;
    }
    if (r < 0 || at > LAST_US)
        return -EINVAL;
    *ret = at;
    return 0;
}
