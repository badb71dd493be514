/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * /proc/mpt (fusion.h). Source: drivers/message/fusion/mptbase.c, mpt_print_ioc_summary() and
 * mpt_version_proc_show(); the adapter's number is its hosts' unique_id (mptspi.c, mptsas.c, mptfc.c).
 */
#include "transport/fusion.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

static const struct fact_key PORTS = { "ports", FACT_NUMBER, FACT_IDENTITY };
static const struct fact_key MAX_QUEUE = { "max_queue", FACT_NUMBER, FACT_IDENTITY };
static const struct fact_key INFO = { "mpt_info", FACT_BYTES, FACT_GAUGE };

/* The decimal number behind a word; 0 where the word is not there. */
static uint64_t number_after(const char *line, const char *word)
{
    const char *at = strstr(line, word), *rest;
    uint64_t value;

    return at && number_decimal(at + strlen(word), 0, &value, &rest) == 0 ? value : 0;
}

int fusion_parse_summary(const char *line, struct fusion_summary *ret)
{
    const char *product = strstr(line, ": "), *comma = product ? strchr(product, ',') : NULL;
    const char *firmware = comma ? strstr(comma, "FwRev=") : NULL;
    unsigned revision;

    if (!firmware || sscanf(firmware, "FwRev=%8xh", &revision) != 1)
        return -EBADMSG;
    *ret = (struct fusion_summary){
        .product = { (const uint8_t *)product + 2, (size_t)(comma - product) - 2 },
        .firmware = revision,
        .ports = number_after(comma, "Ports="),
        .max_q = number_after(comma, "MaxQ="),
    };
    return 0;
}

static int parse_summary(struct fact_set *set, const struct fact_key *key, const char *origin,
                         struct bytes raw)
{
    struct arena *arena = fact_set_arena(set);
    struct fusion_summary s;
    char *product, *firmware;
    int r = fusion_parse_summary((const char *)raw.data, &s);

    (void)key;
    if (r < 0)
        return r;
    product = text_clean(arena, s.product);
    /* As the host attribute version_fw writes it: mptscsih.c. */
    firmware = arena_printf(arena, "%02u.%02u.%02u.%02u", s.firmware >> 24, s.firmware >> 16 & 0xff,
                            s.firmware >> 8 & 0xff, s.firmware & 0xff);
    if (!product || !firmware)
        return -ENOMEM;
    r = fact_put_text(set, &KEY_MODEL, origin, product);
    if (r == 0)
        r = fact_put_text(set, &KEY_FIRMWARE, origin, firmware);
    if (r == 0 && s.ports)
        r = fact_put_number(set, &PORTS, origin, s.ports);
    return r < 0 || !s.max_q ? r : fact_put_number(set, &MAX_QUEUE, origin, s.max_q);
}

/* "mptlinux-3.04.20", then the drivers that are loaded. */
static int parse_version(struct fact_set *set, const struct fact_key *key, const char *origin,
                         struct bytes raw)
{
    static const char HEAD[] = "mptlinux-";
    const char *text = (const char *)raw.data;
    char *version;

    if (!text_starts_with(text, HEAD))
        return -EBADMSG;
    text += strlen(HEAD);
    version = arena_strndup(fact_set_arena(set), text, strcspn(text, "\n"));
    return version ? fact_put_text(set, key, origin, version) : -ENOMEM;
}

int fusion_gather(struct gathering *g, const struct subject *host)
{
    static const struct attribute VERSION[] = {
        { "version", &KEY_DRIVER_VERSION, parse_version, LEVEL_ALL },
        { 0 },
    };
    static const struct attribute ADAPTER[] = {
        { "summary", &KEY_MODEL, parse_summary, LEVEL_ALL },
        { "info", &INFO, parse_bytes, LEVEL_ALL },
        { 0 },
    };
    char dir[64];
    uint64_t number;
    int r = gather_attributes(g, VERSION, "/proc/mpt", "/proc/mpt", "/proc/mpt", false);

    if (r < 0 || !fact_number(host, &KEY_UNIQUE_ID, &number))
        return r;
    snprintf(dir, sizeof(dir), "/proc/mpt/ioc%" PRIu64, number);
    return gather_attributes(g, ADAPTER, dir, dir, "/proc/mpt", false);
}
