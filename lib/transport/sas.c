/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SAS: each phy is a link, and each port of several phys one more, whose lanes they are.
 *
 * Witnesses: the driver (sas_phy), the other end where it is an expander, the device (mode page
 * 19h/01h, log page 18h; SATA: IDENTIFY DEVICE in VPD page 89h). Abilities: maximum_linkrate_hw of
 * both ends, the pages, IDENTIFY word 76. Limits somebody set: maximum_linkrate.
 * Sources: drivers/scsi/scsi_transport_sas.c; drivers/scsi/libsas; drivers/scsi/mpt3sas; SPL-4.
 *
 * Ids, all of which survive a reboot: HOST-sas-phy-N (HBA phy), HOST-sas-EXPANDER-phy-N (EXPANDER:
 * its SAS address), …-port-FAR (port of several phys; FAR: SAS address of what is at its far end;
 * port numbers change whenever a port forms anew). Where two are alike, "+PHY" (the lowest member)
 * is put behind.
 *
 * A rate alone does not mean that a phy is up: several drivers leave the last one when a cable is
 * pulled. Membership of a port does. mpt3sas puts no phy of an expander that faces the HBA in a
 * port, though.
 */
#include "transport/sas.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "decode/modesense.h"
#include "decode/protopage.h"
#include "decode/saslog.h"
#include "decode/saspage.h"
#include "transport/driver.h"
#include "transport/gathering.h"

const struct fact_key SAS_KEY_PORT = { "port", FACT_TEXT, FACT_GAUGE };
const struct fact_key SAS_KEY_NEGOTIATED = { "negotiated_linkrate_mbps", FACT_NUMBER, FACT_GAUGE };
const struct fact_key SAS_KEY_STATE = { "link_state", FACT_TEXT, FACT_GAUGE };
const struct fact_key SAS_KEY_MAXIMUM = { "maximum_linkrate_mbps", FACT_NUMBER, FACT_GAUGE };
const struct fact_key SAS_KEY_HARDWARE = { "maximum_linkrate_hw_mbps", FACT_NUMBER, FACT_IDENTITY };
const struct fact_key SAS_KEY_ENABLE = { "enable", FACT_NUMBER, FACT_GAUGE };
const struct fact_key SAS_KEY_INVALID_DWORD = { "invalid_dword_count", FACT_NUMBER, FACT_ERRORS };
const struct fact_key SAS_KEY_DISPARITY = { "running_disparity_error_count", FACT_NUMBER,
                                            FACT_ERRORS };
const struct fact_key SAS_KEY_LOSS_OF_SYNC = { "loss_of_dword_sync_count", FACT_NUMBER,
                                               FACT_ERRORS };
const struct fact_key SAS_KEY_RESET_PROBLEM = { "phy_reset_problem_count", FACT_NUMBER,
                                                FACT_EVENTS };
const struct fact_key SAS_KEY_N_PHYS = { "num_phys", FACT_NUMBER, FACT_GAUGE };
const struct fact_key SAS_KEY_ADDRESS = { "sas_address", FACT_NUMBER, FACT_IDENTITY };
const struct fact_key SAS_KEY_PROTOCOLS = { "target_port_protocols", FACT_NUMBER, FACT_IDENTITY };
const struct fact_key SAS_KEY_ENCLOSURE = { "enclosure_identifier", FACT_TEXT, FACT_IDENTITY };
const struct fact_key SAS_KEY_BAY = { "bay_identifier", FACT_TEXT, FACT_IDENTITY };
const struct fact_key SAS_KEY_PAGE_PHYS = { "page_19_01", FACT_BYTES, FACT_GAUGE };
const struct fact_key SAS_KEY_PAGE_ENHANCED = { "page_19_03", FACT_BYTES, FACT_GAUGE };
const struct fact_key SAS_KEY_PAGE_LOG = { "page_18", FACT_BYTES, FACT_GAUGE };

/* "12.0 Gbit" → Mb/s. What is no rate is kept as text: "Phy disabled", "Link Rate failed", "Spin-up
 * hold". "Unknown", and the empty line of codes that this kernel has no text for, say nothing. */
static int parse_linkrate(struct fact_set *set, const struct fact_key *key, const char *origin,
                          struct bytes raw)
{
    static const char *const STATES[] = { "Phy disabled", "Link Rate failed", "Spin-up hold" };
    const char *text = (const char *)raw.data, *rest;
    uint64_t mbps;
    int r;

    if (!*text || *text == '\n' || text_starts_with(text, "Unknown"))
        return -ENODATA;
    for (size_t i = 0; i < ELEMENTS(STATES); i++)
        if (text_starts_with(text, STATES[i])) {
            r = key == &SAS_KEY_NEGOTIATED ? fact_put_text(set, &SAS_KEY_STATE, origin, STATES[i])
                                           : 0;
            return r < 0 ? r : -ENODATA;
        }
    if (number_decimal(text, 3, &mbps, &rest) < 0 || !text_starts_with(rest, " Gbit") || !mbps)
        return -EBADMSG;
    return fact_put_number(set, key, origin, mbps);
}

/* "sata, stp", "ssp", "none". */
static int parse_protocols(struct fact_set *set, const struct fact_key *key, const char *origin,
                           struct bytes raw)
{
    static const struct {
        const char *word;
        unsigned bit;
    } WORDS[] = { { "sata", SAS_PROTOCOL_SATA },
                  { "smp", SAS_PROTOCOL_SMP },
                  { "stp", SAS_PROTOCOL_STP },
                  { "ssp", SAS_PROTOCOL_SSP },
                  { "none", 0 } };
    const char *at = (const char *)raw.data;
    unsigned bits = 0;

    at += strspn(at, ", \n");
    if (!*at)
        return -EBADMSG;
    for (; *at; at += strspn(at, ", \n")) {
        size_t len = strcspn(at, ", \n"), i = 0;

        while (i < ELEMENTS(WORDS) &&
               (strlen(WORDS[i].word) != len || strncmp(at, WORDS[i].word, len) != 0))
            i++;
        if (i == ELEMENTS(WORDS))
            return -EBADMSG;
        bits |= WORDS[i].bit;
        at += len;
    }
    return fact_put_number(set, key, origin, bits);
}

/* An enclosure of address 0 is none. */
static int parse_enclosure(struct fact_set *set, const struct fact_key *key, const char *origin,
                           struct bytes raw)
{
    const char *text = (const char *)raw.data;

    if (text_starts_with(text, "0x") && text[2 + strspn(text + 2, "0")] == '\n')
        return -ENODATA;
    return parse_text(set, key, origin, raw);
}

/* The hardware's maximum tells whether a driver fills its phys in at all, which decides whose a
 * host is: see claims(). The counters cost a request to the adapter or to the expander each. */
static const struct attribute PHY_ATTRIBUTES[] = {
    { "port", &SAS_KEY_PORT, NULL, LEVEL_IDENTITY, ATTR_IN_DEVICE | ATTR_IS_LINK,
      .reread = REREAD_FREE },
    { "maximum_linkrate_hw", &SAS_KEY_HARDWARE, parse_linkrate, LEVEL_IDENTITY },
    { "negotiated_linkrate", &SAS_KEY_NEGOTIATED, parse_linkrate, LEVEL_MODES,
      .reread = REREAD_FREE },
    { "maximum_linkrate", &SAS_KEY_MAXIMUM, parse_linkrate, LEVEL_MODES, .reread = REREAD_FREE },
    { "enable", &SAS_KEY_ENABLE, parse_decimal, LEVEL_MODES, .reread = REREAD_FREE },
    { "invalid_dword_count", &SAS_KEY_INVALID_DWORD, parse_decimal, LEVEL_ALL,
      .reread = REREAD_ASKS },
    { "running_disparity_error_count", &SAS_KEY_DISPARITY, parse_decimal, LEVEL_ALL,
      .reread = REREAD_ASKS },
    { "loss_of_dword_sync_count", &SAS_KEY_LOSS_OF_SYNC, parse_decimal, LEVEL_ALL,
      .reread = REREAD_ASKS },
    { "phy_reset_problem_count", &SAS_KEY_RESET_PROBLEM, parse_decimal, LEVEL_ALL,
      .reread = REREAD_ASKS },
    { 0 },
};

/* Whether a port is one link or several is a matter of ids: known at every level. */
static const struct attribute PORT_ATTRIBUTES[] = {
    { "num_phys", &SAS_KEY_N_PHYS, parse_decimal, LEVEL_IDENTITY, .reread = REREAD_FREE },
    { 0 },
};

static const struct attribute END_DEVICE_ATTRIBUTES[] = {
    { "sas_address", &SAS_KEY_ADDRESS, parse_hex, LEVEL_IDENTITY },
    { "enclosure_identifier", &SAS_KEY_ENCLOSURE, parse_enclosure, LEVEL_IDENTITY },
    { "bay_identifier", &SAS_KEY_BAY, NULL, LEVEL_IDENTITY },
    { "target_port_protocols", &SAS_KEY_PROTOCOLS, parse_protocols, LEVEL_MODES },
    { 0 },
};

static const struct attribute EXPANDER_DEVICE_ATTRIBUTES[] = {
    { "sas_address", &SAS_KEY_ADDRESS, parse_hex, LEVEL_IDENTITY },
    { 0 },
};

static const struct attribute EXPANDER_ATTRIBUTES[] = {
    { "vendor_id", &KEY_VENDOR, NULL, LEVEL_IDENTITY },
    { "product_id", &KEY_MODEL, NULL, LEVEL_IDENTITY },
    { "product_rev", &KEY_REVISION, NULL, LEVEL_ALL },
    { 0 },
};

static const struct object_class CLASSES[] = {
    { "sas_host", "/sys/class/sas_host" },
    { "sas_phy", "/sys/class/sas_phy", .attributes = PHY_ATTRIBUTES },
    { "sas_port", "/sys/class/sas_port", .attributes = PORT_ATTRIBUTES },
    { "sas_device", "/sys/class/sas_device", .prefix = "end_device-",
      .attributes = END_DEVICE_ATTRIBUTES },
    { "sas_device", "/sys/class/sas_device", .prefix = "expander-",
      .attributes = EXPANDER_DEVICE_ATTRIBUTES },
    { "sas_expander", "/sys/class/sas_expander", .attributes = EXPANDER_ATTRIBUTES },
    { 0 },
};

/* Keep a page once it is known to be what was asked for. */

static int find_page(struct bytes raw, uint8_t subpage, struct mode_page *ret)
{
    struct modesense sense;

    if (modesense_decode(raw, MODESENSE_10, &sense) < 0 ||
        modesense_find(&sense, PROTOPAGE_CODE, subpage, ret) < 0)
        return -EBADMSG;
    return 0;
}

static int decode_phys(struct fact_set *set, const struct fact_key *key, const char *origin,
                       struct bytes raw)
{
    struct saspage_phys phys;
    struct mode_page page;
    int r = find_page(raw, SASPAGE_PHYS, &page);

    if (r == 0)
        r = saspage_phys(page.bytes, &phys);
    if (r < 0)
        return r == -ENOTSUP ? -ENODATA : r;
    return fact_put_bytes(set, key, origin, page.bytes);
}

static int decode_enhanced(struct fact_set *set, const struct fact_key *key, const char *origin,
                           struct bytes raw)
{
    struct saspage_enhanced enhanced;
    struct mode_page page;
    int r = find_page(raw, SASPAGE_ENHANCED, &page);

    if (r == 0)
        r = saspage_enhanced(page.bytes, &enhanced);
    if (r < 0)
        return r == -ENOTSUP ? -ENODATA : r;
    return fact_put_bytes(set, key, origin, page.bytes);
}

static int decode_log(struct fact_set *set, const struct fact_key *key, const char *origin,
                      struct bytes raw)
{
    struct saslog log;
    int r = saslog_decode(raw, &log);

    if (r < 0)
        return r == -ENOTSUP ? -ENODATA : r;
    return fact_put_bytes(set, key, origin, raw);
}

static const struct subject *end_device_of(const struct fact_set *set, const struct subject *device)
{
    return fact_set_above(set, "sas_device", device->path, "end_device-");
}

/* SATA devices have no such pages: their translators are not asked. Nor are volumes. */
static bool speaks_ssp(const struct fact_set *set, const struct subject *device)
{
    const struct subject *end = end_device_of(set, device);

    return end && fact_number_or(end, &SAS_KEY_PROTOCOLS, SAS_PROTOCOL_SSP) & SAS_PROTOCOL_SSP;
}

/* What the device heard of the near end counts where the driver does not tell: then no phy of
 * the host has a maximum. */
static bool near_is_silent(const struct fact_set *set, const struct subject *device)
{
    const struct subject *phy;
    char name[32];
    uint64_t mbps;

    snprintf(name, sizeof(name), "phy-%.20s:0", device->host->name + strlen("host"));
    phy = fact_set_find(set, "sas_phy", name);
    return phy && !fact_number(phy, &SAS_KEY_HARDWARE, &mbps) && speaks_ssp(set, device);
}

static const struct query QUERIES[] = {
    { "MODE SENSE 19h/01h", &SAS_KEY_PAGE_PHYS, query_mode_sense, PROTOPAGE_CODE, SASPAGE_PHYS, 512,
      LEVEL_MODES, speaks_ssp, decode_phys },
    { "MODE SENSE 19h/03h", &SAS_KEY_PAGE_ENHANCED, query_mode_sense, PROTOPAGE_CODE,
      SASPAGE_ENHANCED, 512, LEVEL_MODES, near_is_silent, decode_enhanced },
    { "LOG SENSE 18h", &SAS_KEY_PAGE_LOG, query_log_sense, SASLOG_PAGE, 0, 1024, LEVEL_MODES,
      speaks_ssp, decode_log },
    { 0 },
};

/* Does any phy of the host know a rate that it can do? */
static bool tells_rates(const struct fact_set *set, const struct subject *host)
{
    uint64_t mbps;

    for (const struct subject *p = fact_set_first(set, "sas_phy"); p; p = p->next_of_class)
        if (p->host == host && fact_number(p, &SAS_KEY_HARDWARE, &mbps))
            return true;
    return false;
}

/* hpsa and smartpqi register hosts and phys whose rates are all Unknown and whose counters are
 * always 0: there is no fact of a link in them. mpi3mr registers none before Linux 6.1, and full
 * ones since. */
static bool claims(const struct fact_set *set, const struct subject *host)
{
    const struct driver *d;

    if (!fact_set_find(set, "sas_host", host->name))
        return false;
    d = driver_of(set, host);
    return !d || !d->hides || tells_rates(set, host);
}

/* Ports are names of links: of their own, or of their only phy's. What hangs below no port is a
 * volume, and its link the one named after the host. */
static struct link *link_of(struct relation *r, struct host *host, const struct subject *device)
{
    char port[64];

    return model_link_named(r->model, sas_port_name(device->path, port) ? port : host->kernel_name);
}

/* Volumes share that link, and are told apart by their target. */
static const char *device_mark(struct relation *r, const struct host *host,
                               const struct subject *device)
{
    char port[64];

    return sas_port_name(device->path, port) ? NULL : relate_target_mark(r, host, device);
}

static int complete(struct relation *r, struct device *d)
{
    const struct subject *end = end_device_of(r->facts, d->subject);

    d->enclosure = fact_text(end, &SAS_KEY_ENCLOSURE);
    d->bay = fact_text(end, &SAS_KEY_BAY);
    return 0;
}

const struct transport TRANSPORT_SAS = {
    .name = "sas",
    .counted = "phy",
    .classes = CLASSES,
    .queries = QUERIES,
    .claims = claims,
    .relate = sas_relate,
    .link_of = link_of,
    .device_mark = device_mark,
    .complete = complete,
};
