/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Strict, locale-free numbers (number.h).
 */
#include "base/number.h"

#include <errno.h>

/* The value of a hex digit, or -1. Table-free: hex fills most of a capture of binary pages. */
static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int number_u64(const char *text, unsigned base, uint64_t *ret)
{
    uint64_t value = 0;

    if ((base == 0 || base == 16) && text[0] == '0' && (text[1] | 0x20) == 'x') {
        base = 16;
        text += 2;
    } else if (base == 0) {
        base = 10;
    }
    if (!*text)
        return -EBADMSG;
    for (; *text; text++) {
        int digit = digit_value(*text);

        if (digit < 0 || (unsigned)digit >= base)
            return -EBADMSG;
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return -ERANGE;
    }
    *ret = value;
    return 0;
}

int number_i64(const char *text, int64_t *ret)
{
    int negative = *text == '-';
    uint64_t value;
    int r = number_u64(text + negative, 10, &value);

    if (r < 0)
        return r;
    if (value > (uint64_t)INT64_MAX + (uint64_t)negative)
        return -ERANGE;
    *ret = (int64_t)(negative ? -value : value);
    return 0;
}

int number_decimal(const char *text, unsigned digits, uint64_t *ret, const char **ret_rest)
{
    uint64_t value = 0;
    unsigned fraction = 0;
    int point = 0;

    if (*text < '0' || *text > '9')
        return -EBADMSG;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = 1;
            continue;
        }
        if (point && fraction == digits)
            continue;
        fraction += (unsigned)point;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
            return -ERANGE;
    }
    for (; fraction < digits; fraction++)
        if (__builtin_mul_overflow(value, 10, &value))
            return -ERANGE;
    if (!ret_rest && *text)
        return -EBADMSG;
    *ret = value;
    if (ret_rest)
        *ret_rest = text;
    return 0;
}

int64_t hex_decode(const char *text, size_t len, uint8_t *ret, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        int high, low;

        if (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r')
            continue;
        high = digit_value(text[i]);
        low = i + 1 < len ? digit_value(text[i + 1]) : -1;
        if (high < 0 || low < 0)
            return -EBADMSG;
        if (n == size)
            return -E2BIG;
        ret[n++] = (uint8_t)(high << 4 | low);
        i++;
    }
    return (int64_t)n;
}

static bool take_digits(const char **p)
{
    const char *start = *p;

    while (**p >= '0' && **p <= '9')
        (*p)++;
    return *p > start;
}

bool number_is_json(const char *p, bool *ret_integer)
{
    *ret_integer = true;
    if (*p == '-')
        p++;
    if (*p == '0')
        p++;
    else if (!take_digits(&p))
        return false;
    if (*p == '.') {
        *ret_integer = false;
        p++;
        if (!take_digits(&p))
            return false;
    }
    if (*p == 'e' || *p == 'E') {
        *ret_integer = false;
        p++;
        if (*p == '+' || *p == '-')
            p++;
        if (!take_digits(&p))
            return false;
    }
    return *p == '\0';
}
