/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of configuration keys (value.h).
 */
#include "config/value.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/names.h"
#include "base/number.h"

static const char *const TIERS[] = {
    [CONFIG_TIER_SYSFS] = "sysfs",
    [CONFIG_TIER_IDENTIFY] = "identify",
    [CONFIG_TIER_READ] = "read",
};
DEFINE_NAMES(enum config_tier, config_tier, TIERS)

enum config_tier config_tier_from_word(const char *word)
{
    for (size_t i = CONFIG_TIER_SYSFS; word && i < ELEMENTS(TIERS); i++)
        if (strcmp(TIERS[i], word) == 0)
            return (enum config_tier)i;
    return CONFIG_TIER_UNSAID;
}

static int parse_answer(const char *text, enum config_answer *ret)
{
    static const struct {
        const char *word;
        enum config_answer answer;
    } WORDS[] = {
        { "yes", CONFIG_YES }, { "true", CONFIG_YES }, { "on", CONFIG_YES },
        { "1", CONFIG_YES },   { "no", CONFIG_NO },    { "false", CONFIG_NO },
        { "off", CONFIG_NO },  { "0", CONFIG_NO },     { "", CONFIG_UNSAID },
    };

    for (size_t i = 0; i < ELEMENTS(WORDS); i++)
        if (strcmp(text, WORDS[i].word) == 0) {
            *ret = WORDS[i].answer;
            return 0;
        }
    return -EBADMSG;
}

/* Units of time, from small to large. */
static const struct {
    const char *name;
    uint64_t us;
} TIMES[] = {
    { "ms", 1000 },
    { "s", 1000000 },
    { "min", 60 * 1000000ull },
    { "h", 3600 * 1000000ull },
    { "d", 86400 * 1000000ull },
};

/* A number and its unit, as microseconds. */
static int parse_time(const char *text, uint64_t *ret)
{
    uint64_t thousandths, us;
    const char *unit;
    int r = number_decimal(text, 3, &thousandths, &unit);

    if (r < 0)
        return r;
    unit += strspn(unit, " ");
    for (size_t i = 0; i < ELEMENTS(TIMES); i++)
        if (strcmp(unit, TIMES[i].name) == 0) {
            if (__builtin_mul_overflow(thousandths, TIMES[i].us / 1000, &us))
                return -ERANGE;
            *ret = us;
            return 0;
        }
    return -EBADMSG;
}

/* A whole number, and K, M, G or nothing behind it, as bytes. */
static int parse_bytes(const char *text, uint64_t *ret)
{
    static const char UNITS[] = "KMG";
    uint64_t thousandths, unit = 1;
    const char *rest, *found;
    int r = number_decimal(text, 3, &thousandths, &rest);

    if (r < 0)
        return r;
    rest += strspn(rest, " ");
    found = *rest ? strchr(UNITS, *rest) : NULL;
    if (*rest && (!found || rest[1]))
        return -EBADMSG;
    for (; found && found >= UNITS; found--)
        unit *= 1024;
    if (__builtin_mul_overflow(thousandths, unit, &thousandths))
        return -ERANGE;
    *ret = thousandths / 1000;
    return thousandths % 1000 ? -EBADMSG : 0;
}

static int parse_tier(const char *text, enum config_tier *ret)
{
    enum config_tier tier = config_tier_from_word(text);

    if (tier == CONFIG_TIER_UNSAID && *text)
        return -EBADMSG;
    *ret = tier;
    return 0;
}

/* Days from 1970-01-01 to a day of the Gregorian calendar from then on. Leap years: ISO 8601. */
static uint64_t days_to(unsigned year, unsigned month, unsigned day)
{
    static const unsigned BEFORE[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
    unsigned past = year - 1; /* years that are over, of which these had a day more: */
    unsigned leaps = past / 4 - past / 100 + past / 400 - (1969 / 4 - 1969 / 100 + 1969 / 400);
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return (year - 1970) * 365ull + leaps + BEFORE[month - 1] + (is_leap && month > 2) + day - 1;
}

static bool is_day(unsigned year, unsigned month, unsigned day)
{
    if (year < 1970 || month < 1 || month > 12 || day < 1)
        return false;
    if (month == 12)
        return day <= 31;
    return day <= days_to(year, month + 1, 1) - days_to(year, month, 1);
}

/* YYYY-MM-DD, as the end of that day in microseconds since 1970. */
static int parse_date(const char *text, uint64_t *ret)
{
    static const char FORM[] = "0000-00-00";
    unsigned part[3] = { 0 }, n = 0;

    if (!*text) {
        *ret = 0;
        return 0;
    }
    if (strlen(text) != strlen(FORM))
        return -EBADMSG;
    for (size_t i = 0; FORM[i]; i++) {
        bool is_digit = text[i] >= '0' && text[i] <= '9';

        if (FORM[i] == '-' ? text[i] != '-' : !is_digit)
            return -EBADMSG;
        if (FORM[i] == '-')
            n++;
        else
            part[n] = part[n] * 10 + (unsigned)(text[i] - '0');
    }
    if (!is_day(part[0], part[1], part[2]))
        return -EBADMSG;
    *ret = (days_to(part[0], part[1], part[2]) + 1) * 86400 * 1000000;
    return 0;
}

/* A number, with "MB/s" or nothing behind it; all else is a label. */
static int parse_mode(struct arena *arena, const char *text, struct config_mode *ret)
{
    struct config_mode mode = { 0 };
    const char *rest;
    bool is_number = number_decimal(text, 3, &mode.kb_per_s, &rest) == 0;

    if (is_number) {
        rest += strspn(rest, " ");
        is_number = !*rest || strcmp(rest, "MB/s") == 0;
        if (is_number && !mode.kb_per_s)
            return -EBADMSG;
    }
    if (!is_number && *text) {
        mode = (struct config_mode){ .label = arena_strdup(arena, text) };
        if (!mode.label)
            return -ENOMEM;
    }
    *ret = mode;
    return 0;
}

static int parse_number(const struct config_key *key, const char *text, uint64_t *ret)
{
    uint64_t value;
    int r = key->type == CONFIG_TIME    ? parse_time(text, &value)
            : key->type == CONFIG_BYTES ? parse_bytes(text, &value)
                                        : number_u64(text, 10, &value);

    if (r == 0 && (value < key->least || value > key->most))
        r = -ERANGE;
    if (r == 0)
        *ret = value;
    return r;
}

static int parse_text(struct arena *arena, const char *text, const char **ret)
{
    const char *copy = *text ? arena_strdup(arena, text) : NULL;

    if (*text && !copy)
        return -ENOMEM;
    *ret = copy;
    return 0;
}

/* A time as one would write it: in the largest unit of which it is a whole number. */
static const char *written(struct arena *arena, uint64_t us)
{
    size_t i = ELEMENTS(TIMES) - 1;

    while (i && us % TIMES[i].us)
        i--;
    return arena_printf(arena, "%" PRIu64 "%s", us / TIMES[i].us, TIMES[i].name);
}

/* What a value of the key looks like. */
static const char *wanted(const struct config_key *key, struct arena *arena)
{
    switch (key->type) {
    case CONFIG_ANSWER:
        return "yes or no";
    case CONFIG_COUNT:
        return arena_printf(arena, "a whole number of %s from %" PRIu64 " to %" PRIu64, key->unit,
                            key->least, key->most);
    case CONFIG_TIME:
        return arena_printf(arena, "a time from %s to %s, in ms, s, min, h or d",
                            written(arena, key->least), written(arena, key->most));
    case CONFIG_MODE:
        return "the label of a mode, such as Ultra160, or its MB/s";
    case CONFIG_TEXT:
        return "a text";
    case CONFIG_DATE:
        return "a date from 1970 on as YYYY-MM-DD";
    case CONFIG_BYTES:
        return arena_printf(arena, "a size from %" PRIu64 "K to %" PRIu64 "M, such as 512K or 4M",
                            key->least / 1024, key->most / 1024 / 1024);
    case CONFIG_TIER:
        return "sysfs, identify or read";
    }
    return NULL;
}

int config_value_set(const struct config_key *key, void *object, struct arena *arena,
                     const char *text, const char **ret_want)
{
    void *field = (char *)object + key->offset;
    int r = -EINVAL;

    if (!*text)
        text = key->standard;
    switch (key->type) {
    case CONFIG_ANSWER:
        r = parse_answer(text, field);
        break;
    case CONFIG_COUNT:
    case CONFIG_TIME:
    case CONFIG_BYTES:
        r = parse_number(key, text, field);
        break;
    case CONFIG_MODE:
        r = parse_mode(arena, text, field);
        break;
    case CONFIG_TEXT:
        r = parse_text(arena, text, field);
        break;
    case CONFIG_DATE:
        r = parse_date(text, field);
        break;
    case CONFIG_TIER:
        r = parse_tier(text, field);
        break;
    }
    if (r == 0 || r == -ENOMEM)
        return r;
    *ret_want = wanted(key, arena);
    return *ret_want ? -EBADMSG : -ENOMEM;
}
