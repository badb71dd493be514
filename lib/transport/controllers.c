/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of known controllers (controllers.h).
 *
 * A row: PCI vendor and device id; the transport whose links the chip has; its name; the best mode of
 * one link. A chip belongs here only where its driver does not say what it can do, or says it wrongly.
 * Each row names its source. Sorted by transport, vendor, device; no pair of ids twice for a transport.
 */
#include "transport/controllers.h"

#include <string.h>

#include "base/cleanup.h"
#include "transport/spi.h"

#define SPI_320                              \
    {                                        \
        2, SPI_DT | SPI_IU | SPI_QAS, 160000 \
    }
#define SPI_160                             \
    {                                       \
        2, SPI_DT | SPI_IU | SPI_QAS, 80000 \
    }
#define SPI_80      \
    {               \
        2, 0, 40000 \
    }
#define SPI_40      \
    {               \
        2, 0, 20000 \
    }

static const struct controller CONTROLLERS[] = {
    /* sym53c8xx chips: drivers/scsi/sym53c8xx_2/sym_hipd.c, sym_dev_table (features FE_WIDE, FE_ULTRA,
     * FE_ULTRA2, FE_ULTRA3) */
    { 0x1000, 0x000b, "spi", "53C896", SPI_80 },
    { 0x1000, 0x000c, "spi", "53C895", SPI_80 },
    { 0x1000, 0x000f, "spi", "53C875", SPI_40 },
    { 0x1000, 0x0012, "spi", "53C895A", SPI_80 },
    { 0x1000, 0x0020, "spi", "53C1010-33", SPI_160 },
    { 0x1000, 0x0021, "spi", "53C1010-66", SPI_160 },
    /* Fusion-MPT: drivers/message/fusion/mptbase.c, mpt_get_product_name(); data briefs of the chips */
    { 0x1000, 0x0030, "spi", "53C1030", SPI_320 },
    { 0x1000, 0x0032, "spi", "53C1035", SPI_320 },
    { 0x1000, 0x0040, "spi", "53C1035", SPI_320 },
    /* aic7xxx: drivers/scsi/aic7xxx/aic7xxx_pci.c, ahc_pci_ident_table */
    { 0x9005, 0x0010, "spi", "AHA-2940U2W", SPI_80 },
    { 0x9005, 0x0011, "spi", "AHA-2930U2", SPI_80 },
    { 0x9005, 0x001f, "spi", "AIC-7890", SPI_80 },
    { 0x9005, 0x0050, "spi", "AHA-3940U2x", SPI_80 },
    { 0x9005, 0x005f, "spi", "AIC-7896", SPI_80 },
    { 0x9005, 0x0080, "spi", "29160", SPI_160 },
    { 0x9005, 0x0081, "spi", "19160", SPI_160 },
    { 0x9005, 0x008f, "spi", "AIC-7892", SPI_160 },
    { 0x9005, 0x00c0, "spi", "39160", SPI_160 },
    { 0x9005, 0x00cf, "spi", "AIC-7899", SPI_160 },
    /* aic79xx: drivers/scsi/aic7xxx/aic79xx_pci.c, ahd_pci_ident_table */
    { 0x9005, 0x8000, "spi", "29320A", SPI_320 },
    { 0x9005, 0x800f, "spi", "AIC-7901", SPI_320 },
    { 0x9005, 0x8010, "spi", "39320", SPI_320 },
    { 0x9005, 0x8011, "spi", "39320D", SPI_320 },
    { 0x9005, 0x8012, "spi", "29320", SPI_320 },
    { 0x9005, 0x8014, "spi", "29320LP", SPI_320 },
    { 0x9005, 0x8015, "spi", "39320B", SPI_320 },
    { 0x9005, 0x8016, "spi", "39320A", SPI_320 },
    { 0x9005, 0x8017, "spi", "29320ALP", SPI_320 },
    { 0x9005, 0x801f, "spi", "AIC-7902", SPI_320 },
};

const struct controller *controller_of(const struct fact_set *set, const struct host *host,
                                       const char *transport)
{
    const struct subject *pci = host->pci_address ? fact_set_find(set, "pci", host->pci_address)
                                                  : NULL;
    uint64_t vendor, device;

    if (!fact_number(pci, &KEY_PCI_VENDOR, &vendor) || !fact_number(pci, &KEY_PCI_DEVICE, &device))
        return NULL;
    for (size_t i = 0; i < ELEMENTS(CONTROLLERS); i++)
        if (CONTROLLERS[i].vendor == vendor && CONTROLLERS[i].device == device &&
            strcmp(CONTROLLERS[i].transport, transport) == 0)
            return &CONTROLLERS[i];
    return NULL;
}
