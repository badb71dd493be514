/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Transfer modes of parallel ATA and the words of libata.force (ata.h): text to values, no facts.
 *
 * Sources: ATA/ATAPI-7 (cycle times: table "Ultra DMA data burst timing requirements" and its neighbours),
 * CFA 4.1 for PIO 5 and 6, MWDMA 3 and 4; drivers/ata/libata-transport.c; drivers/ata/libata-core.c,
 * ata_parse_force_one() and ata_force_link_limits().
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/text.h"
#include "transport/ata.h"

enum { SPEAKS_PIO = ATA_PIO, SPEAKS_MWDMA = ATA_PIO | ATA_MWDMA };
enum { SPEAKS_UDMA = ATA_PIO | ATA_MWDMA | ATA_UDMA };

/* Every mode by the name the kernel gives it; its code is that of SET FEATURES 03h (include/linux/ata.h,
 * XFER_…). Within a family the fastest first. Single-word DMA has no row of its own rate: no table of
 * labels knows it. */
static const struct mode_row {
    const char *kernel_name;
    uint8_t code;
    uint32_t options;
    uint32_t kb_per_s;
    const char *label;
    const char *force; /* the name in libata.force, besides the label */
} MODES[] = {
    { "XFER_UDMA_7", 0x47, SPEAKS_UDMA, 166700, "UDMA7", "udma7" },
    { "XFER_UDMA_6", 0x46, SPEAKS_UDMA, 133300, "UDMA/133", "udma6" },
    { "XFER_UDMA_5", 0x45, SPEAKS_UDMA, 100000, "UDMA/100", "udma5" },
    { "XFER_UDMA_4", 0x44, SPEAKS_UDMA, 66700, "UDMA/66", "udma4" },
    { "XFER_UDMA_3", 0x43, SPEAKS_UDMA, 44400, "UDMA/44", "udma3" },
    { "XFER_UDMA_2", 0x42, SPEAKS_UDMA, 33300, "UDMA/33", "udma2" },
    { "XFER_UDMA_1", 0x41, SPEAKS_UDMA, 25000, "UDMA/25", "udma1" },
    { "XFER_UDMA_0", 0x40, SPEAKS_UDMA, 16700, "UDMA/16", "udma0" },
    { "XFER_MW_DMA_4", 0x24, SPEAKS_MWDMA, 25000, "MWDMA4", "mwdma4" },
    { "XFER_MW_DMA_3", 0x23, SPEAKS_MWDMA, 20000, "MWDMA3", "mwdma3" },
    { "XFER_MW_DMA_2", 0x22, SPEAKS_MWDMA, 16700, "MWDMA2", "mwdma2" },
    { "XFER_MW_DMA_1", 0x21, SPEAKS_MWDMA, 13300, "MWDMA1", "mwdma1" },
    { "XFER_MW_DMA_0", 0x20, SPEAKS_MWDMA, 4200, "MWDMA0", "mwdma0" },
    { "XFER_SW_DMA_2", 0x12, 0, 0, NULL, NULL },
    { "XFER_SW_DMA_1", 0x11, 0, 0, NULL, NULL },
    { "XFER_SW_DMA_0", 0x10, 0, 0, NULL, NULL },
    { "XFER_PIO_6", 0x0e, SPEAKS_PIO, 25000, "PIO6", "pio6" },
    { "XFER_PIO_5", 0x0d, SPEAKS_PIO, 20000, "PIO5", "pio5" },
    { "XFER_PIO_4", 0x0c, SPEAKS_PIO, 16700, "PIO4", "pio4" },
    { "XFER_PIO_3", 0x0b, SPEAKS_PIO, 11100, "PIO3", "pio3" },
    { "XFER_PIO_2", 0x0a, SPEAKS_PIO, 8300, "PIO2", "pio2" },
    { "XFER_PIO_1", 0x09, SPEAKS_PIO, 5200, "PIO1", "pio1" },
    { "XFER_PIO_0", 0x08, SPEAKS_PIO, 3300, "PIO0", "pio0" },
    { "XFER_PIO_SLOW", 0x00, 0, 0, NULL, NULL },
};

static struct rate rate_of(const struct mode_row *m)
{
    return (struct rate){ 1, m->options, m->kb_per_s };
}

struct rate ata_code_rate(uint64_t code)
{
    for (size_t i = 0; i < ELEMENTS(MODES); i++)
        if (MODES[i].kb_per_s && MODES[i].code == code)
            return rate_of(&MODES[i]);
    return (struct rate){ 0 };
}

struct rate ata_mode_rate(uint32_t family, int number)
{
    unsigned base = family & ATA_UDMA ? 0x40 : family & ATA_MWDMA ? 0x20 : 0x08;

    return number < 0 ? (struct rate){ 0 } : ata_code_rate(base + (unsigned)number);
}

static const struct mode_row *row_of(struct rate rate)
{
    for (size_t i = 0; i < ELEMENTS(MODES); i++)
        if (MODES[i].kb_per_s && MODES[i].options == rate.options &&
            MODES[i].kb_per_s == rate.lane_kb_per_s)
            return &MODES[i];
    return NULL;
}

struct rate ata_mode_above(struct rate rate)
{
    const struct mode_row *m = row_of(rate);

    return m && m > MODES && m[-1].options == m->options ? rate_of(m - 1) : rate;
}

int ata_describe_parallel(struct arena *arena, struct rate rate, struct mode *ret)
{
    const struct mode_row *m = row_of(rate);
    uint64_t kb = rate_kb_per_s(rate);

    *ret = (struct mode){ .known = true, .rate = rate, .label = m ? m->label : NULL };
    ret->detail = arena_printf(arena, "%" PRIu64 ".%" PRIu64 " MB/s", kb / 1000, kb % 1000 / 100);
    return ret->detail ? 0 : -ENOMEM;
}

/* The modes a text lists, as bits by row; false where it lists something else. */
static bool listed(const char *text, uint32_t *ret)
{
    *ret = 0;
    while (*text && *text != '\n') {
        size_t len = strcspn(text, ",\n"), i = 0;

        while (i < ELEMENTS(MODES) && (strlen(MODES[i].kernel_name) != len ||
                                       strncmp(MODES[i].kernel_name, text, len) != 0))
            i++;
        if (i == ELEMENTS(MODES))
            return false;
        *ret |= 1u << i;
        text += len;
        text += *text == ',' ? 1 + strspn(text + 1, " ") : 0;
    }
    return true;
}

/* The rows whose code shares a bit with that of row `i`: what older kernels list. */
static uint32_t listed_for(size_t i)
{
    uint32_t bits = 0;

    for (size_t j = 0; j < ELEMENTS(MODES); j++)
        if (MODES[j].code & MODES[i].code)
            bits |= 1u << j;
    return bits;
}

int ata_parse_xfer_mode(const char *text, unsigned *ret_code)
{
    uint32_t bits;

    if (!listed(text, &bits))
        return -EBADMSG;
    if (!bits)
        return -ENODATA;
    for (size_t i = 0; i < ELEMENTS(MODES); i++) {
        if (bits != 1u << i && bits != listed_for(i))
            continue;
        *ret_code = MODES[i].code;
        return 0;
    }
    return -EBADMSG;
}

/* ---- libata.force ---- */

/* The speeds it knows; a beginning of the name will do ("3.0"). */
static const struct {
    const char *name;
    unsigned mbit_per_s;
} SPEEDS[] = { { "1.5Gbps", 1500 }, { "3.0Gbps", 3000 } };

/* "UDMA/66", "udma/66" and "udma66" are one. */
static bool is_label(const char *label, const char *value)
{
    for (; *label; label++)
        if (*label != '/' || *value == '/')
            if (strncasecmp(label, value++, 1) != 0)
                return false;
    return !*value;
}

static void force_value(const char *value, struct ata_force *f)
{
    for (size_t i = 0; i < ELEMENTS(SPEEDS); i++)
        if (*value && strncasecmp(SPEEDS[i].name, value, strlen(value)) == 0)
            f->sata_mbit_per_s = SPEEDS[i].mbit_per_s;
    for (size_t i = 0; i < ELEMENTS(MODES); i++) {
        const struct mode_row *m = &MODES[i];

        if (!m->force || (strcasecmp(m->force, value) != 0 && !is_label(m->label, value)))
            continue;
        f->has_mode = true;
        f->mode = rate_of(m);
    }
    f->forty_wires = f->forty_wires || strcasecmp(value, "40c") == 0;
    if (strcasecmp(value, "80c") == 0 || strcasecmp(value, "short40c") == 0)
        f->forty_wires = false;
}

/* "PORT" or "PORT.DEVICE"; false where it is neither. */
static bool force_id(char *id, int64_t *ret_port, int64_t *ret_device)
{
    char *dot = strchr(id, '.');
    uint64_t port, device = 0;

    if (dot)
        *dot = '\0';
    if (number_u64(id, 10, &port) < 0 || (dot && number_u64(dot + 1, 10, &device) < 0) ||
        port > INT32_MAX || device > INT32_MAX)
        return false;
    *ret_port = (int64_t)port;
    *ret_device = dot ? (int64_t)device : -1;
    return true;
}

struct ata_force ata_force_find(const char *text, unsigned port, int device, int alias)
{
    struct ata_force found = { 0 };
    int64_t at_port = -1, at_device = -1; /* -1: all; an entry without an id keeps the last one */
    char entry[64];

    while (*text) {
        size_t len = strcspn(text, ",");
        char *colon, *value = entry;

        snprintf(entry, sizeof(entry), "%.*s", (int)(len < sizeof(entry) ? len : 0), text);
        text += len + (text[len] == ',');
        colon = strchr(entry, ':');
        if (colon) {
            *colon = '\0';
            value = colon + 1;
            if (!force_id(entry, &at_port, &at_device))
                continue;
        }
        if ((at_port == -1 || at_port == port) &&
            (at_device == -1 || at_device == device || (alias >= 0 && at_device == alias)))
            force_value(value, &found);
    }
    return found;
}
