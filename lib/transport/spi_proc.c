/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What parallel SCSI drivers say in /proc/scsi/DRIVER/N (spi.h): the only word of those outside the
 * transport class, and of the others a second one. Texts: drivers/scsi/aic7xxx/aic7xxx_proc.c
 * (ahc_format_transinfo), aic79xx_proc.c (ahd_format_transinfo), sym53c8xx_2/sym_glue.c
 * (sym_show_info).
 */
#include "transport/spi.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/text.h"

/* The line at `text`, without its end, in a buffer; what is too long is cut. Returns the next line, NULL
 * at the end. */
static const char *take_line(const char *text, char *line, size_t size)
{
    size_t len = strcspn(text, "\n"), n = len < size - 1 ? len : size - 1;

    memcpy(line, text, n);
    line[n] = '\0';
    text += len;
    return *text == '\n' && text[1] ? text + 1 : NULL;
}

/* Does a word stand in the list of options, which '|', ' ' and ',' divide? */
static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || strchr(" |(,", at[-1])) && (at[len] == '\0' || strchr(" |),", at[len])))
            return true;
    return false;
}

/* "320.000MB/s transfers (160.000MHz RDSTRM|DT|IU|RTI|QAS, 16bit)", "3.300MB/s transfers" (asynchronous),
 * "6.600MB/s transfers (16bit)" (the same, wide). False for "Renegotiation Pending". */
static bool parse_transfers(const char *text, struct rate *ret, unsigned *ret_offset)
{
    unsigned width = strstr(text, "16bit") ? 2 : 1;
    const char *rest, *offset = strstr(text, "offset ");
    uint64_t kilohertz, value;
    uint32_t options = 0;

    if (number_decimal(text, 3, &value, &rest) < 0 || !text_starts_with(rest, "MB/s transfers"))
        return false;
    *ret_offset = 0;
    if (offset && number_decimal(offset + strlen("offset "), 0, &value, &rest) == 0)
        *ret_offset = (unsigned)value;
    text = strchr(text, '(');
    if (!text || number_decimal(text + 1, 3, &kilohertz, &rest) < 0 ||
        !text_starts_with(rest, "MHz") || !kilohertz) {
        *ret = spi_rate(0, width, 0);
        return true;
    }
    options |= has_word(rest, "DT") ? SPI_DT : 0;
    options |= has_word(rest, "IU") ? SPI_IU : 0;
    options |= has_word(rest, "QAS") ? SPI_QAS : 0;
    *ret = spi_rate((1000000000 + kilohertz / 2) / kilohertz, width, options);
    return true;
}

/* Is this line the head of the target's settings? "Target 2 Negotiation Settings", on adapters with two
 * channels "Channel B Target 2 Negotiation Settings". */
static bool is_head_of(const char *line, unsigned channel, unsigned target)
{
    char head[64];

    snprintf(head, sizeof(head), "Target %u Negotiation Settings", target);
    if (strcmp(line, head) == 0)
        return channel == 0;
    snprintf(head, sizeof(head), "Channel %c Target %u Negotiation Settings", 'A' + (int)channel,
             target);
    return strcmp(line, head) == 0;
}

int spi_proc_find(const char *text, unsigned channel, unsigned target, struct spi_proc_target *ret)
{
    struct spi_proc_target found = { 0 };
    bool here = false;
    char line[160];

    if (channel > 25)
        return -ENOENT;
    while (text) {
        unsigned ignored;

        text = take_line(text, line, sizeof(line));
        if (text_ends_with(line, " Negotiation Settings")) {
            if (here)
                break;
            here = is_head_of(line, channel, target);
        } else if (here && text_starts_with(line, "\tUser: ")) {
            found.has_user = parse_transfers(line + strlen("\tUser: "), &found.user, &ignored);
        } else if (here && text_starts_with(line, "\tCurr: ")) {
            found.has_curr = parse_transfers(line + strlen("\tCurr: "), &found.curr,
                                             &found.curr_offset);
        }
    }
    if (!here)
        return -ENOENT;
    if (!found.has_user && !found.has_curr)
        return -EBADMSG;
    *ret = found;
    return 0;
}

/* "aic7902: Ultra320 Wide Channel A, SCSI Id=7, …": name and best period. */
static const struct {
    const char *word;
    uint64_t period_ps;
    uint32_t options;
} AIC_WORDS[] = {
    { " Ultra320 ", SPI_PS_FAST_160, SPI_DT | SPI_IU | SPI_QAS },
    { " Ultra160 ", SPI_PS_FAST_80, SPI_DT },
    { " Ultra2 ", SPI_PS_FAST_40, 0 },
    { " Ultra ", SPI_PS_FAST_20, 0 },
};

/* Period factors the sym driver prints, and what it can add to them. */
static const struct {
    const char *text;
    uint64_t period_ps;
} SYM_FACTORS[] = {
    { "Min. period factor 9,", SPI_PS_FAST_80 },
    { "Min. period factor 10,", SPI_PS_FAST_40 },
    { "Min. period factor 12,", SPI_PS_FAST_20 },
    { "Min. period factor 25,", SPI_PS_FAST_10 },
};

int spi_proc_chip(const char *text, struct rate *ret)
{
    char line[160];

    while (text) {
        text = take_line(text, line, sizeof(line));
        for (size_t i = 0;
             i < ELEMENTS(AIC_WORDS) && strstr(line, "Channel ") && strstr(line, "SCSI Id="); i++) {
            if (!strstr(line, AIC_WORDS[i].word))
                continue;
            *ret = spi_rate(AIC_WORDS[i].period_ps, strstr(line, " Wide ") ? 2 : 1,
                            AIC_WORDS[i].options);
            return 0;
        }
        for (size_t i = 0; i < ELEMENTS(SYM_FACTORS); i++) {
            if (!text_starts_with(line, SYM_FACTORS[i].text))
                continue;
            *ret = spi_rate(SYM_FACTORS[i].period_ps, strstr(line, " Wide ") ? 2 : 1,
                            strstr(line, "DT capable") ? SPI_DT : 0);
            return 0;
        }
    }
    return -ENOENT;
}
