/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PCI Express: the slot of each HBA. The link is the function's (functions of one card share it); the port
 * above it says what the slot can do. Conventional PCI and PCI-X have no link to read.
 *
 * Sources: drivers/pci/pci-sysfs.c (the four files, in two spellings: "8 GT/s" up to kernel 5.6, "8.0 GT/s
 * PCIe" after), drivers/pci/pci.h (PCIE_SPEED2MBS_ENC), drivers/pci/pcie/aer.c. Reading a link file
 * powers a sleeping function up on kernels from autumn 2025, so a sleeping one is left alone.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "transport/gathering.h"
#include "transport/pci.h"
#include "transport/relation.h"

static const struct fact_key CURRENT_SPEED = { "current_link_speed_mt", FACT_NUMBER, FACT_GAUGE };
static const struct fact_key MAX_SPEED = { "max_link_speed_mt", FACT_NUMBER, FACT_IDENTITY };
static const struct fact_key CURRENT_WIDTH = { "current_link_width", FACT_NUMBER, FACT_GAUGE };
static const struct fact_key MAX_WIDTH = { "max_link_width", FACT_NUMBER, FACT_IDENTITY };
static const struct fact_key AER_RXERR = { "aer_rx_err", FACT_NUMBER, FACT_SOFT_ERRORS };
static const struct fact_key AER_BADTLP = { "aer_bad_tlp", FACT_NUMBER, FACT_SOFT_ERRORS };
static const struct fact_key AER_BADDLLP = { "aer_bad_dllp", FACT_NUMBER, FACT_SOFT_ERRORS };
static const struct fact_key AER_ROLLOVER = { "aer_rollover", FACT_NUMBER, FACT_SOFT_ERRORS };
static const struct fact_key AER_TIMEOUT = { "aer_timeout", FACT_NUMBER, FACT_SOFT_ERRORS };
static const struct fact_key AER_COR = { "aer_correctable", FACT_NUMBER, FACT_COUNTER };
static const struct fact_key AER_FATAL = { "aer_fatal", FACT_NUMBER, FACT_COUNTER };
static const struct fact_key AER_NONFATAL = { "aer_nonfatal", FACT_NUMBER, FACT_COUNTER };

/* Lines of the aer_dev_* files that bear on the link, by their first word. */
static const struct {
    const char *word;
    const struct fact_key *key;
} AER_LINES[] = {
    { "RxErr", &AER_RXERR },           { "BadTLP", &AER_BADTLP },
    { "BadDLLP", &AER_BADDLLP },       { "Rollover", &AER_ROLLOVER },
    { "Timeout", &AER_TIMEOUT },       { "TOTAL_ERR_COR", &AER_COR },
    { "TOTAL_ERR_FATAL", &AER_FATAL }, { "TOTAL_ERR_NONFATAL", &AER_NONFATAL },
};

/* Speeds and the payload of a lane, in kB/s: 8b/10b up to 5 GT/s, 128b/130b from 8 on, flits with
 * FEC and CRC at 64 (DESIGN: 250, 500, 984.6, 1969.2, 3938.5, 7563 MB/s). */
static const struct {
    uint64_t mt_per_s; /* megatransfers per second */
    uint64_t lane_kb_per_s;
    const char *name;
} SPEEDS[] = {
    { 2500, 250000, "2.5" },    { 5000, 500000, "5.0" },    { 8000, 984600, "8.0" },
    { 16000, 1969200, "16.0" }, { 32000, 3938500, "32.0" }, { 64000, 7563000, "64.0" },
};

/* "8.0 GT/s PCIe", "8 GT/s", "Unknown", "Unknown speed" → megatransfers per second. */
static int parse_speed(struct fact_set *set, const struct fact_key *key, const char *origin,
                       struct bytes raw)
{
    const char *rest;
    uint64_t mt;

    if (text_starts_with((const char *)raw.data, "Unknown"))
        return -ENODATA;
    if (number_decimal((const char *)raw.data, 3, &mt, &rest) < 0 ||
        !text_starts_with(rest, " GT/s"))
        return -EBADMSG;
    return fact_put_number(set, key, origin, mt);
}

/* Lanes. 0 is no link (a virtual function has no registers of its own), 63 and above what a failed read
 * decodes to: neither says anything. */
static int parse_width(struct fact_set *set, const struct fact_key *key, const char *origin,
                       struct bytes raw)
{
    const char *rest;
    uint64_t lanes;

    if (number_decimal((const char *)raw.data, 0, &lanes, &rest) < 0 || (*rest && *rest != '\n'))
        return -EBADMSG;
    return lanes == 0 || lanes >= 63 ? -ENODATA : fact_put_number(set, key, origin, lanes);
}

/* "NAME COUNT" a line. */
static int parse_aer(struct fact_set *set, const struct fact_key *key, const char *origin,
                     struct bytes raw)
{
    const char *line = (const char *)raw.data;
    int r = 0;

    (void)key;
    for (; r == 0 && line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        size_t word = strcspn(line, " \n");
        uint64_t count;

        if (line[word] != ' ' ||
            number_decimal(line + word + 1, 0, &count, &(const char *){ 0 }) < 0)
            continue;
        for (size_t i = 0; r == 0 && i < ELEMENTS(AER_LINES); i++)
            if (strlen(AER_LINES[i].word) == word && strncmp(line, AER_LINES[i].word, word) == 0)
                r = fact_put_number(set, AER_LINES[i].key, origin, count);
    }
    return r;
}

static const struct attribute FUNCTION_ATTRIBUTES[] = {
    { "vendor", &KEY_PCI_VENDOR, parse_hex, LEVEL_IDENTITY },
    { "device", &KEY_PCI_DEVICE, parse_hex, LEVEL_IDENTITY },
    { "class", &KEY_PCI_CLASS, parse_hex, LEVEL_IDENTITY },
    { "subsystem_vendor", &KEY_PCI_SUBVENDOR, parse_hex, LEVEL_IDENTITY },
    { "subsystem_device", &KEY_PCI_SUBDEVICE, parse_hex, LEVEL_IDENTITY },
    { "driver", &KEY_PCI_DRIVER, NULL, LEVEL_IDENTITY, ATTR_IS_LINK },
    { "power/runtime_status", &KEY_RUNTIME_STATUS, NULL, LEVEL_ALL },
    { "current_link_speed", &CURRENT_SPEED, parse_speed, LEVEL_MODES, ATTR_WAKES,
      .reread = REREAD_CONFIG },
    { "max_link_speed", &MAX_SPEED, parse_speed, LEVEL_MODES, ATTR_WAKES },
    { "current_link_width", &CURRENT_WIDTH, parse_width, LEVEL_MODES, ATTR_WAKES,
      .reread = REREAD_CONFIG },
    { "max_link_width", &MAX_WIDTH, parse_width, LEVEL_MODES, ATTR_WAKES },
    { "aer_dev_correctable", &AER_COR, parse_aer, LEVEL_ALL, .reread = REREAD_FREE },
    { "aer_dev_fatal", &AER_FATAL, parse_aer, LEVEL_ALL, .reread = REREAD_FREE },
    { "aer_dev_nonfatal", &AER_NONFATAL, parse_aer, LEVEL_ALL, .reread = REREAD_FREE },
    { 0 },
};

/* The PCI functions on the way to the host: the HBA last, what bridges to it before. */
static int gather_functions(struct gathering *g, struct subject *host)
{
    const char *path = host->path;
    int r = 0;

    for (const char *at = path; r == 0 && at; at = strchr(at + 1, '/')) {
        const char *name = at + 1;
        size_t len = strcspn(name, "/");
        char function[32], dir[4096];

        if (!pci_is_address(name, len) || len >= sizeof(function) ||
            (size_t)(name - path) + len >= sizeof(dir))
            continue;
        memcpy(function, name, len);
        function[len] = '\0';
        memcpy(dir, path, (size_t)(name - path) + len);
        dir[(size_t)(name - path) + len] = '\0';
        r = gather_subject(g, "pci", function, dir, NULL, FUNCTION_ATTRIBUTES, NULL);
    }
    return r;
}

static int gather(struct gathering *g)
{
    int r = 0;

    for (struct subject *h = fact_set_first(g->facts, "scsi_host"); r == 0 && h;
         h = h->next_of_class)
        r = gather_functions(g, h);
    return r;
}

static const char *speed_name(uint64_t lane_kb_per_s)
{
    for (size_t i = 0; i < ELEMENTS(SPEEDS); i++)
        if (SPEEDS[i].lane_kb_per_s == lane_kb_per_s)
            return SPEEDS[i].name;
    return NULL;
}

static int describe(struct arena *arena, struct rate rate, struct mode *ret)
{
    const char *speed = speed_name(rate.lane_kb_per_s);
    uint64_t kb = rate_kb_per_s(rate);

    *ret = (struct mode){ .known = true, .rate = rate };
    ret->label = speed ? arena_printf(arena, "%s GT/s x%u", speed, rate.lanes) : NULL;
    ret->detail = arena_printf(arena, "%" PRIu64 ".%" PRIu64 " MB/s", kb / 1000, kb % 1000 / 100);
    return ret->detail && (ret->label || !speed) ? 0 : -ENOMEM;
}

/* The mode that a speed and a width key of a function name together. */
static struct mode mode_of(struct relation *r, const struct subject *function,
                           const struct fact_key *speed, const struct fact_key *width)
{
    uint64_t mt, lanes;

    if (!fact_number(function, speed, &mt) || !fact_number(function, width, &lanes))
        return (struct mode){ 0 };
    for (size_t i = 0; i < ELEMENTS(SPEEDS); i++)
        if (SPEEDS[i].mt_per_s == mt)
            return relate_mode(r, describe,
                               (struct rate){ (uint32_t)lanes, 0, SPEEDS[i].lane_kb_per_s });
    return (struct mode){ 0 };
}

/* The function above, whose port the link ends at; NULL where the path shows none. */
static const struct subject *function_above(const struct fact_set *set,
                                            const struct subject *function)
{
    char path[4096];
    char *slash;

    snprintf(path, sizeof(path), "%s", function->path);
    slash = strrchr(path, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    return fact_set_find(set, "pci", path_last(path));
}

/* Has the function link registers at all? Files that are there and say nothing count. */
static bool has_link_files(const struct subject *function)
{
    return fact_find(function, &CURRENT_SPEED) || fact_find(function, &CURRENT_WIDTH);
}

static int relate_counters(struct link *l, const struct subject *function)
{
    int e = 0;

    for (size_t i = 0; e == 0 && i < ELEMENTS(AER_LINES); i++)
        e = link_add_counter(l, function, AER_LINES[i].key);
    return e;
}

static int relate_function(struct relation *r, struct link *l, const struct subject *function)
{
    const struct subject *port = function_above(r->facts, function);
    const struct fact *width = fact_find(function, &CURRENT_WIDTH);
    int e;

    l->describe = describe;
    l->actual = mode_of(r, function, &CURRENT_SPEED, &CURRENT_WIDTH);
    if (l->actual.known) {
        l->state = LINK_UP;
    } else {
        l->state = LINK_UNKNOWN;
        l->reason = width && width->quality == QUALITY_UNASKED
                        ? "the function sleeps, and reading its link would wake it"
                        : "the function shows no link of its own";
        return 0;
    }
    e = link_add_witness(l, WHO_INITIATOR, "current_link_speed, current_link_width", l->actual);
    if (e == 0)
        e = link_add_able(l, WHO_INITIATOR, "max_link_speed, max_link_width",
                          mode_of(r, function, &MAX_SPEED, &MAX_WIDTH), false);
    if (e == 0 && port && has_link_files(port))
        e = link_add_able(l, WHO_TARGET, arena_printf(r->model->arena, "port %s", port->name),
                          mode_of(r, port, &MAX_SPEED, &MAX_WIDTH), false);
    l->near = l->id;
    l->far = port ? port->name : NULL;
    return e < 0 ? e : relate_counters(l, function);
}

/* The link of the card that a function is on: functions of one device share it, the lowest names it. */
static struct link *card_link(struct relation *r, const char *function)
{
    size_t len = strlen(function) - 1; /* all but the function's digit */

    for (size_t i = 0; i < r->model->links.n; i++) {
        struct link *l = r->model->links.v[i];

        if (strcmp(l->transport, "pcie") == 0 && strncmp(l->kernel_name, function, len) == 0 &&
            strlen(l->kernel_name) == len + 1)
            return l;
    }
    return NULL;
}

static int relate_machine(struct relation *r)
{
    int e = 0;

    for (size_t i = 0; e == 0 && i < r->model->hosts.n; i++) {
        struct host *h = r->model->hosts.v[i];
        const struct subject *function;

        if (!h->pci_address)
            continue;
        function = fact_set_find(r->facts, "pci", h->pci_address);
        if (!function || !has_link_files(function))
            continue;
        h->slot = card_link(r, h->pci_address);
        if (h->slot)
            continue;
        h->slot = model_add_link(r->model, h, function, function->name);
        if (!h->slot)
            return -ENOMEM;
        h->slot->transport = "pcie";
        h->slot->id = arena_printf(r->model->arena, "pci-%s-pcie", function->name);
        if (!h->slot->id)
            return -ENOMEM;
        e = relate_function(r, h->slot, function);
    }
    return e;
}

/* Conventional PCI of 32 bits and 33 MHz carries 133 MB/s, of which bursts leave that much; a lane of 5.0 GT/s
 * carries 500 MB/s, of which packet headers leave that much. As measured; nothing defines it. */
const struct fingerprint SLOT_FINGERPRINTS[] = {
    { 105000, 120000, "a 32-bit PCI bus of 33 MHz" },
    { 370000, 415000, "one lane of PCI Express 2.0 (5.0 GT/s)" },
    { 0 },
};

const struct transport TRANSPORT_PCIE = {
    .name = "pcie",
    .gather = gather,
    .relate_machine = relate_machine,
};
