/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Small texts of sysfs and procfs that transports take apart themselves: speeds of Fibre Channel, rates of
 * InfiniBand, /proc/mpt, routing tables. The first byte says which.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/fc.h"
#include "transport/fusion.h"
#include "transport/infiniband.h"
#include "transport/iscsi.h"

static const struct fact_key KEY = { "key", FACT_NUMBER, FACT_GAUGE };

static void must(bool condition)
{
    if (!condition)
        abort();
}

static void parse(fact_parser parser, const char *text)
{
    struct fact_set *set = fact_set_new();
    bool is_new;
    int r;

    if (set && fact_set_add(set, "class", "name", "/sys", NULL, &is_new)) {
        r = parser(set, &KEY, "fuzz", (struct bytes){ (const uint8_t *)text, strlen(text) });
        must(r == 0 || r == -ENODATA || r == -EBADMSG || r == -ENOMEM);
    }
    fact_set_free(set);
}

static void summary(const char *text)
{
    struct fusion_summary s;

    if (fusion_parse_summary(text, &s) == 0)
        must(s.product.len <= strlen(text));
}

static void rate(const char *text)
{
    struct rate r;
    uint64_t mbit;

    if (infiniband_parse(text, &r, &mbit))
        must(r.lanes && r.lane_kb_per_s);
}

static void route(const char *text)
{
    char interface[32];
    int r = iscsi_route(text, "192.168.1.3", *text & 1, interface);

    must(r == -ENOENT || r == -ENOTUNIQ || (r == 0 && strlen(interface) < sizeof(interface)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = size ? strndup((const char *)data + 1, size - 1) : NULL;

    if (!text)
        return 0;
    switch (*data % 6) {
    case 0:
        parse(fc_parse_speed, text);
        break;
    case 1:
        parse(fc_parse_speeds, text);
        break;
    case 2:
        parse(fc_parse_statistic, text);
        break;
    case 3:
        summary(text);
        break;
    case 4:
        rate(text);
        break;
    default:
        route(text);
    }
    free(text);
    return 0;
}
