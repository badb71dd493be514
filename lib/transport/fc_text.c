/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parsers of Fibre Channel texts (fc.h).
 */
#include "transport/fc.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* "8 Gbit" → 8; the rest of the text behind it. */
static int speed_at(const char *text, uint64_t *ret, const char **ret_rest)
{
    int r = number_decimal(text, 0, ret, ret_rest);

    if (r < 0 || !*ret || !text_starts_with(*ret_rest, " Gbit"))
        return -EBADMSG;
    *ret_rest += strlen(" Gbit");
    return 0;
}

static bool says_nothing(const char *text)
{
    return !*text || *text == '\n' || text_starts_with(text, "unknown") ||
           text_starts_with(text, "Unknown") || text_starts_with(text, "Not Negotiated");
}

int fc_parse_speed(struct fact_set *set, const struct fact_key *key, const char *origin,
                   struct bytes raw)
{
    const char *rest = (const char *)raw.data;
    uint64_t gbit;

    if (says_nothing(rest))
        return -ENODATA;
    if (speed_at(rest, &gbit, &rest) < 0 || (*rest && *rest != '\n'))
        return -EBADMSG;
    return fact_put_number(set, key, origin, gbit);
}

int fc_parse_speeds(struct fact_set *set, const struct fact_key *key, const char *origin,
                    struct bytes raw)
{
    const char *at = (const char *)raw.data;
    uint64_t gbit, best = 0;

    while (*at && *at != '\n') {
        if (says_nothing(at)) {
            at += strcspn(at, ",\n");
        } else {
            if (speed_at(at, &gbit, &at) < 0)
                return -EBADMSG;
            best = gbit > best ? gbit : best;
        }
        if (text_starts_with(at, ", "))
            at += 2;
        else if (*at && *at != '\n')
            return -EBADMSG;
    }
    return best ? fact_put_number(set, key, origin, best) : -ENODATA;
}

int fc_parse_statistic(struct fact_set *set, const struct fact_key *key, const char *origin,
                       struct bytes raw)
{
    return text_starts_with((const char *)raw.data, "0xffffffffffffffff")
               ? -ENODATA
               : parse_hex(set, key, origin, raw);
}
