/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the kernel's spi_transport class says of a target (spi.h), and what it says by files that it does not have.
 *
 * Files come in two families that are there together or not at all: of a target whose INQUIRY data do not claim
 * synchronous, or wide, transfers, the kernel shows none of the family (drivers/scsi/scsi_transport_spi.c,
 * target_attribute_is_visible()). One file of a family that is missing alone, or cannot be read, says nothing.
 */
#include "transport/spi.h"

#include "base/cleanup.h"

static const struct fact_key *const SYNC_FILES[] = { &SPI_KEY_OFFSET, &SPI_KEY_MAX_OFFSET,
                                                     &SPI_KEY_PERIOD_PS, &SPI_KEY_MIN_PERIOD_PS,
                                                     NULL };
static const struct fact_key *const DT_FILES[] = { &SPI_KEY_DT, NULL };
static const struct fact_key *const WIDE_FILES[] = { &SPI_KEY_WIDTH, &SPI_KEY_MAX_WIDTH, NULL };

static bool has_any(const struct subject *class, const struct fact_key *const *files)
{
    for (; *files; files++)
        if (fact_find(class, *files))
            return true;
    return false;
}

/* Does the kernel say that the target does not claim what these files are about? The INQUIRY data must say so
 * too; without them, that there are files of the other family shows that the directory is a whole one. */
static bool is_unclaimed(const struct subject *class, const struct fact_key *const *files,
                         const struct fact_key *const *others, const struct inquiry *q,
                         bool claimed)
{
    return !has_any(class, files) && (q ? !claimed : has_any(class, others));
}

/* Bytes; 0: not known. */
static unsigned width_of(const struct subject *class, const struct inquiry *q)
{
    uint64_t width;

    if (fact_number(class, &SPI_KEY_WIDTH, &width))
        return width == 0 ? 1 : width == 1 ? 2 : 0;
    return is_unclaimed(class, WIDE_FILES, SYNC_FILES, q, q && q->wbus16) ? 1 : 0;
}

bool spi_class_rate(const struct subject *class, const struct inquiry *q, struct rate *ret,
                    uint64_t *ret_offset)
{
    unsigned width = width_of(class, q);
    uint64_t offset = 0, period_ps = 0;
    uint32_t options = 0;

    if (!width || (!fact_number(class, &SPI_KEY_OFFSET, &offset) &&
                   !is_unclaimed(class, SYNC_FILES, WIDE_FILES, q, q && q->sync)))
        return false;
    if (offset && !fact_number(class, &SPI_KEY_PERIOD_PS, &period_ps))
        return false;
    options |= fact_number_or(class, &SPI_KEY_DT, 0) ? SPI_DT : 0;
    options |= fact_number_or(class, &SPI_KEY_IU, 0) ? SPI_IU : 0;
    options |= fact_number_or(class, &SPI_KEY_QAS, 0) ? SPI_QAS : 0;
    *ret = spi_rate(period_ps, width, options);
    *ret_offset = offset;
    return true;
}

bool spi_class_claims_sync(const struct subject *class)
{
    return has_any(class, SYNC_FILES) && !has_any(class, DT_FILES);
}

/* Can the limit of that key be read? The kernel says "reserved" where no period was set as one: then the fact is
 * silent, and nobody refused anything. */
static bool is_told(const struct subject *class, const struct fact_key *key)
{
    const struct fact *f = fact_find(class, key);

    return f && (f->quality == QUALITY_OK ||
                 (key == &SPI_KEY_MIN_PERIOD_PS && f->quality == QUALITY_SILENT && !f->why));
}

bool spi_class_limits_told(const struct subject *class, const struct inquiry *q)
{
    return (is_unclaimed(class, SYNC_FILES, WIDE_FILES, q, q && q->sync) ||
            (is_told(class, &SPI_KEY_MAX_OFFSET) && is_told(class, &SPI_KEY_MIN_PERIOD_PS))) &&
           (is_unclaimed(class, WIDE_FILES, SYNC_FILES, q, q && q->wbus16) ||
            is_told(class, &SPI_KEY_MAX_WIDTH));
}
