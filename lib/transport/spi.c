/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parallel SCSI: what is read of a bus and its targets. What that says of a target's link: spi_relate.c.
 *
 * Sources: drivers/scsi/scsi_transport_spi.c; SPI-4.
 */
#include "transport/spi.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "decode/modesense.h"
#include "decode/protopage.h"
#include "decode/spipage.h"
#include "transport/driver.h"
#include "transport/gathering.h"
#include "transport/relation.h"

const struct fact_key SPI_KEY_PERIOD_PS = { "period_ps", FACT_NUMBER, FACT_GAUGE };
const struct fact_key SPI_KEY_MIN_PERIOD_PS = { "min_period_ps", FACT_NUMBER, FACT_GAUGE };
const struct fact_key SPI_KEY_OFFSET = { "offset", FACT_NUMBER, FACT_GAUGE };
const struct fact_key SPI_KEY_MAX_OFFSET = { "max_offset", FACT_NUMBER, FACT_GAUGE };
const struct fact_key SPI_KEY_WIDTH = { "width", FACT_NUMBER, FACT_GAUGE };
const struct fact_key SPI_KEY_MAX_WIDTH = { "max_width", FACT_NUMBER, FACT_GAUGE };
const struct fact_key SPI_KEY_DT = { "dt", FACT_NUMBER, FACT_GAUGE };
const struct fact_key SPI_KEY_IU = { "iu", FACT_NUMBER, FACT_GAUGE };
const struct fact_key SPI_KEY_MAX_IU = { "max_iu", FACT_NUMBER, FACT_GAUGE };
const struct fact_key SPI_KEY_QAS = { "qas", FACT_NUMBER, FACT_GAUGE };
const struct fact_key SPI_KEY_MAX_QAS = { "max_qas", FACT_NUMBER, FACT_GAUGE };
static const struct fact_key RTI = { "rti", FACT_NUMBER, FACT_GAUGE };
static const struct fact_key RD_STRM = { "rd_strm", FACT_NUMBER, FACT_GAUGE };
static const struct fact_key WR_FLOW = { "wr_flow", FACT_NUMBER, FACT_GAUGE };
static const struct fact_key PCOMP_EN = { "pcomp_en", FACT_NUMBER, FACT_GAUGE };
static const struct fact_key HOLD_MCS = { "hold_mcs", FACT_NUMBER, FACT_GAUGE };
const struct fact_key SPI_KEY_SIGNALLING = { "signalling", FACT_TEXT, FACT_GAUGE };
const struct fact_key SPI_KEY_HOST_WIDTH = { "host_width", FACT_TEXT, FACT_IDENTITY };
const struct fact_key SPI_KEY_HBA_ID = { "hba_id", FACT_NUMBER, FACT_IDENTITY };
const struct fact_key SPI_KEY_PROC_TEXT = { "proc_text", FACT_BYTES, FACT_GAUGE };
const struct fact_key SPI_KEY_PAGE_NEGOTIATED = { "page_19_03", FACT_BYTES, FACT_GAUGE };
const struct fact_key SPI_KEY_PAGE_CAPABLE = { "page_19_04", FACT_BYTES, FACT_IDENTITY };

/* "12.5" in ns; the kernel prints a NUL before the newline of a fraction, and "reserved" for a period
 * that was never agreed on. */
/* A transfer period factor is a byte, and the kernel shows those above 0Ch times 4 ns
 * (scsi_transport_spi.c, period_to_str()). */
enum { SPI_PS_MOST = 255 * 4000 };

static int parse_period(struct fact_set *set, const struct fact_key *key, const char *origin,
                        struct bytes raw)
{
    const char *text = (const char *)raw.data, *rest;
    uint64_t period_ps;

    if (text_starts_with(text, "reserved"))
        return -ENODATA;
    if (number_decimal(text, 3, &period_ps, &rest) < 0 || (*rest && *rest != '\n') || !period_ps ||
        period_ps > SPI_PS_MOST)
        return -EBADMSG;
    return fact_put_number(set, key, origin, period_ps);
}

/* The names of enum spi_signal_type. "unknown" is what the kernel says where the driver does not tell. */
static int parse_signalling(struct fact_set *set, const struct fact_key *key, const char *origin,
                            struct bytes raw)
{
    static const char *const NAMES[] = { "SE", "LVD", "HVD" };
    const char *text = (const char *)raw.data;
    size_t len = strcspn(text, "\n");

    if (len == strlen("unknown") && text_starts_with(text, "unknown"))
        return -ENODATA;
    for (size_t i = 0; i < ELEMENTS(NAMES); i++)
        if (len == strlen(NAMES[i]) && text_starts_with(text, NAMES[i]))
            return fact_put_text(set, key, origin, NAMES[i]);
    return -EBADMSG;
}

static const struct attribute TARGET_ATTRIBUTES[] = {
    { "period", &SPI_KEY_PERIOD_PS, parse_period, LEVEL_MODES, .reread = REREAD_ASKS },
    { "min_period", &SPI_KEY_MIN_PERIOD_PS, parse_period, LEVEL_MODES },
    { "offset", &SPI_KEY_OFFSET, parse_decimal, LEVEL_MODES, .reread = REREAD_ASKS },
    { "max_offset", &SPI_KEY_MAX_OFFSET, parse_decimal, LEVEL_MODES },
    { "width", &SPI_KEY_WIDTH, parse_decimal, LEVEL_MODES, .reread = REREAD_ASKS },
    { "max_width", &SPI_KEY_MAX_WIDTH, parse_decimal, LEVEL_MODES },
    { "dt", &SPI_KEY_DT, parse_decimal, LEVEL_MODES, .reread = REREAD_ASKS },
    { "iu", &SPI_KEY_IU, parse_decimal, LEVEL_MODES, .reread = REREAD_ASKS },
    { "max_iu", &SPI_KEY_MAX_IU, parse_decimal, LEVEL_MODES },
    { "qas", &SPI_KEY_QAS, parse_decimal, LEVEL_MODES, .reread = REREAD_ASKS },
    { "max_qas", &SPI_KEY_MAX_QAS, parse_decimal, LEVEL_MODES },
    { "rti", &RTI, parse_decimal, LEVEL_ALL },
    { "rd_strm", &RD_STRM, parse_decimal, LEVEL_ALL },
    { "wr_flow", &WR_FLOW, parse_decimal, LEVEL_ALL },
    { "pcomp_en", &PCOMP_EN, parse_decimal, LEVEL_ALL },
    { "hold_mcs", &HOLD_MCS, parse_decimal, LEVEL_ALL },
    { 0 },
};

static const struct attribute HOST_ATTRIBUTES[] = {
    { "signalling", &SPI_KEY_SIGNALLING, parse_signalling, LEVEL_MODES, .reread = REREAD_PAUSES },
    { "host_width", &SPI_KEY_HOST_WIDTH, NULL, LEVEL_MODES },
    { "hba_id", &SPI_KEY_HBA_ID, parse_decimal, LEVEL_ALL },
    { 0 },
};

static const struct object_class CLASSES[] = {
    { "spi_host", "/sys/class/spi_host", .attributes = HOST_ATTRIBUTES },
    { "spi_transport", "/sys/class/spi_transport", .attributes = TARGET_ATTRIBUTES },
    { 0 },
};

/* Keeps the page itself once it is known to be what was asked for. */
static int decode_negotiated(struct fact_set *set, const struct fact_key *key, const char *origin,
                             struct bytes raw)
{
    struct modesense sense;
    struct mode_page page;
    struct spi_negotiated negotiated;

    if (modesense_decode(raw, MODESENSE_10, &sense) < 0 ||
        modesense_find(&sense, PROTOPAGE_CODE, SPIPAGE_NEGOTIATED, &page) < 0 ||
        spipage_negotiated(page.bytes, &negotiated) < 0)
        return -EBADMSG;
    return fact_put_bytes(set, key, origin, page.bytes);
}

static int decode_capable(struct fact_set *set, const struct fact_key *key, const char *origin,
                          struct bytes raw)
{
    struct modesense sense;
    struct mode_page page;
    struct spi_capabilities capable;

    if (modesense_decode(raw, MODESENSE_10, &sense) < 0 ||
        modesense_find(&sense, PROTOPAGE_CODE, SPIPAGE_CAPABILITIES, &page) < 0 ||
        spipage_capabilities(page.bytes, &capable) < 0)
        return -EBADMSG;
    return fact_put_bytes(set, key, origin, page.bytes);
}

static const struct query QUERIES[] = {
    { "MODE SENSE 19h/03h", &SPI_KEY_PAGE_NEGOTIATED, query_mode_sense, PROTOPAGE_CODE,
      SPIPAGE_NEGOTIATED, 255, LEVEL_MODES, NULL, decode_negotiated },
    { "MODE SENSE 19h/04h", &SPI_KEY_PAGE_CAPABLE, query_mode_sense, PROTOPAGE_CODE,
      SPIPAGE_CAPABILITIES, 255, LEVEL_MODES, NULL, decode_capable },
    { 0 },
};

/* Drivers whose procfs text speaks of transfer rates. */
static const char *const PROC_DRIVERS[] = { "aic7xxx", "aic79xx", "sym53c8xx" };

static int gather_proc(struct gathering *g, const char *driver)
{
    static const struct attribute NOTHING[] = { { 0 } };
    char dir[64];
    struct names names;
    int r;

    snprintf(dir, sizeof(dir), "/proc/scsi/%s", driver);
    r = source_list(g->source, dir, "", &names);
    if (r < 0 || names.error)
        return r;
    for (size_t i = 0; r == 0 && i < names.n; i++) {
        struct attribute text = { names.v[i], &SPI_KEY_PROC_TEXT, parse_bytes, LEVEL_MODES,
                                  ATTR_BINARY };
        char name[32];
        struct subject *host;
        bool is_new;

        snprintf(name, sizeof(name), "host%.20s", names.v[i]);
        host = fact_set_find(g->facts, "scsi_host", name);
        if (!host)
            continue;
        if (!fact_set_add(g->facts, "scsi_proc", name, dir, host, &is_new))
            r = -ENOMEM;
        if (r == 0)
            r = gather_attributes(g, (struct attribute[]){ text, NOTHING[0] }, dir, dir,
                                  "/proc/scsi", false);
        if (r == 0)
            r = fact_set_seal(g->facts);
    }
    names_done(&names);
    return r;
}

static int gather(struct gathering *g)
{
    int r = 0;

    for (size_t i = 0; r == 0 && g->level >= LEVEL_MODES && i < ELEMENTS(PROC_DRIVERS); i++)
        r = gather_proc(g, PROC_DRIVERS[i]);
    return r;
}

static bool claims(const struct fact_set *set, const struct subject *host)
{
    const struct driver *driver = driver_of(set, host);

    return fact_set_find(set, "spi_host", host->name) ||
           fact_set_find(set, "scsi_proc", host->name) ||
           (driver && driver->transport && strcmp(driver->transport, "spi") == 0);
}

/* "target0:0:2" → channel and id. */
static bool parse_target_name(const char *name, unsigned *ret_channel, unsigned *ret_id)
{
    unsigned host;

    return sscanf(name, "target%u:%u:%u", &host, ret_channel, ret_id) == 3;
}

static int relate(struct relation *r, struct host *host)
{
    unsigned channel, id;
    int e = 0;

    host->is_bus = true;
    for (const struct subject *t = fact_set_first(r->facts, "scsi_target"); e == 0 && t;
         t = t->next_of_class)
        if (t->host == host->subject && parse_target_name(t->name, &channel, &id))
            e = spi_relate_target(r, host, t, channel, id);
    return e;
}

static struct link *link_of(struct relation *r, struct host *host, const struct subject *device)
{
    const struct subject *target = fact_set_above(r->facts, "scsi_target", device->path, "target");

    (void)host;
    return target ? model_link_named(r->model, target->name) : NULL;
}

/* A target sends some 95 % of what the bus carries; without a synchronous agreement each byte waits for its
 * acknowledgement. As measured on such buses; nothing defines it. */
static const struct fingerprint FINGERPRINTS[] = {
    { 2300, 3100, "an asynchronous agreement" },
    { 36000, 39500, "an Ultra Wide agreement (40 MB/s)" },
    { 0 },
};

const struct transport TRANSPORT_SPI = {
    .name = "spi",
    .fingerprints = FINGERPRINTS,
    .classes = CLASSES,
    .queries = QUERIES,
    .gather = gather,
    .claims = claims,
    .relate = relate,
    .link_of = link_of,
};
