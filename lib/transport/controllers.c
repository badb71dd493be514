/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of known controllers (controllers.h).
 *
 * A row: PCI vendor and device id; the transport whose links the chip has; its name; the best mode of
 * one link. A chip belongs here only where its driver does not say what it can do, or says it wrongly.
 * Each row's source stands above it. Sorted by transport, vendor, device; no pair of ids twice for a
 * transport.
 */
#include "transport/controllers.h"

#include <string.h>

#include "transport/ata.h"
#include "transport/spi.h"

/* Best modes of parallel SCSI chips: narrow or wide at so many million transfers a second; with double
 * transitions and information units above. */
#define N10         \
    {               \
        1, 0, 10000 \
    }
#define N20         \
    {               \
        1, 0, 20000 \
    }
#define W10         \
    {               \
        2, 0, 10000 \
    }
#define W20         \
    {               \
        2, 0, 20000 \
    }
#define W40         \
    {               \
        2, 0, 40000 \
    }
#define U160                                \
    {                                       \
        2, SPI_DT | SPI_IU | SPI_QAS, 80000 \
    }
#define U320                                 \
    {                                        \
        2, SPI_DT | SPI_IU | SPI_QAS, 160000 \
    }

#define SATA(generation)                        \
    {                                           \
        1, 0, 75000 << (generation) /* 8b10b */ \
    }
#define SATA_1_5 SATA(1)
#define SATA_3_0 SATA(2)
#define SATA_6_0 SATA(3)
#define UDMA(kb_per_s)                                \
    {                                                 \
        1, ATA_PIO | ATA_MWDMA | ATA_UDMA, (kb_per_s) \
    }

const struct controller CONTROLLERS[] = {
    /* libata. Serial ATA: only chips all of whose ports are alike. Those of Intel's series 6 to 8 for
     * desktops are not: their CAP names 6.0 and some of their ports are 3.0, as many as the variant of the
     * chip has. */
    /* drivers/ata/sata_sil.c and sata_sil24.c; data sheets of the chips */
    { 0x1095, 0x3112, "ata", "SiI 3112", SATA_1_5 },
    { 0x1095, 0x3114, "ata", "SiI 3114", SATA_1_5 },
    { 0x1095, 0x3124, "ata", "SiI 3124", SATA_3_0 },
    { 0x1095, 0x3132, "ata", "SiI 3132", SATA_3_0 },
    { 0x1095, 0x3512, "ata", "SiI 3512", SATA_1_5 },
    { 0x1095, 0x3531, "ata", "SiI 3531", SATA_3_0 },
    /* drivers/ata/sata_nv.c, nv_pci_tbl; nForce product briefs ("SATA 3 Gb/s") */
    { 0x10de, 0x0054, "ata", "CK804", SATA_3_0 },
    { 0x10de, 0x0055, "ata", "CK804", SATA_3_0 },
    { 0x10de, 0x0266, "ata", "MCP51", SATA_3_0 },
    { 0x10de, 0x0267, "ata", "MCP51", SATA_3_0 },
    { 0x10de, 0x037e, "ata", "MCP55", SATA_3_0 },
    { 0x10de, 0x037f, "ata", "MCP55", SATA_3_0 },
    { 0x10de, 0x03e7, "ata", "MCP61", SATA_3_0 },
    { 0x10de, 0x03f6, "ata", "MCP61", SATA_3_0 },
    { 0x10de, 0x03f7, "ata", "MCP61", SATA_3_0 },
    /* drivers/ata/sata_via.c; product pages of VT8237 and VT6421 */
    { 0x1106, 0x3149, "ata", "VT8237", SATA_1_5 },
    { 0x1106, 0x3249, "ata", "VT6421", SATA_1_5 },
    /* ASMedia product pages */
    { 0x1b21, 0x0612, "ata", "ASM1062", SATA_6_0 },
    { 0x1b21, 0x1064, "ata", "ASM1064", SATA_6_0 },
    { 0x1b21, 0x1166, "ata", "ASM1166", SATA_6_0 },
    /* Marvell product briefs of the 88SE91xx and 88SE92xx */
    { 0x1b4b, 0x9172, "ata", "88SE9172", SATA_6_0 },
    { 0x1b4b, 0x9215, "ata", "88SE9215", SATA_6_0 },
    { 0x1b4b, 0x9230, "ata", "88SE9230", SATA_6_0 },
    { 0x1b4b, 0x9235, "ata", "88SE9235", SATA_6_0 },
    /* Parallel: drivers/ata/ata_piix.c, piix_pci_tbl and piix_port_info (udma_mask). Serial: the same;
     * data sheets 252516 (ICH5), 301473 (ICH6), 316972 (ICH9), 319973 (ICH10), 322169 (5 series), 330788
     * (C610), 332690 (100 series), 337347 (300 series), from C610 and 100 series on 6.0 on every port. */
    { 0x8086, 0x2411, "ata", "82801AA", UDMA(66700) },
    { 0x8086, 0x2421, "ata", "82801AB", UDMA(33300) },
    { 0x8086, 0x244a, "ata", "82801BAM", UDMA(100000) },
    { 0x8086, 0x244b, "ata", "82801BA", UDMA(100000) },
    { 0x8086, 0x245b, "ata", "82801E", UDMA(100000) },
    { 0x8086, 0x248a, "ata", "82801CAM", UDMA(100000) },
    { 0x8086, 0x248b, "ata", "82801CA", UDMA(100000) },
    { 0x8086, 0x24ca, "ata", "82801DBM", UDMA(100000) },
    { 0x8086, 0x24cb, "ata", "82801DB", UDMA(100000) },
    { 0x8086, 0x24d1, "ata", "82801EB", SATA_1_5 },
    { 0x8086, 0x24db, "ata", "82801EB", UDMA(100000) },
    { 0x8086, 0x24df, "ata", "82801ER", SATA_1_5 },
    { 0x8086, 0x25a2, "ata", "6300ESB", UDMA(100000) },
    { 0x8086, 0x25a3, "ata", "6300ESB", SATA_1_5 },
    { 0x8086, 0x2651, "ata", "82801FB", SATA_1_5 },
    { 0x8086, 0x2652, "ata", "82801FR", SATA_1_5 },
    { 0x8086, 0x266f, "ata", "82801FB", UDMA(100000) },
    { 0x8086, 0x269e, "ata", "631xESB", UDMA(100000) },
    { 0x8086, 0x27df, "ata", "82801G", UDMA(100000) },
    { 0x8086, 0x2850, "ata", "82801HM", UDMA(100000) },
    { 0x8086, 0x2922, "ata", "82801IR", SATA_3_0 },
    { 0x8086, 0x3a02, "ata", "82801JD", SATA_3_0 },
    { 0x8086, 0x3a22, "ata", "82801JI", SATA_3_0 },
    { 0x8086, 0x3b22, "ata", "Ibex Peak", SATA_3_0 },
    { 0x8086, 0x7111, "ata", "82371AB", UDMA(33300) },
    { 0x8086, 0x8d02, "ata", "C610", SATA_6_0 },
    { 0x8086, 0x8d62, "ata", "C610 sSATA", SATA_6_0 },
    { 0x8086, 0x9d03, "ata", "Sunrise Point-LP", SATA_6_0 },
    { 0x8086, 0xa102, "ata", "Sunrise Point-H", SATA_6_0 },
    { 0x8086, 0xa182, "ata", "C620", SATA_6_0 },
    { 0x8086, 0xa1d2, "ata", "C620 sSATA", SATA_6_0 },
    { 0x8086, 0xa352, "ata", "Cannon Lake PCH", SATA_6_0 },
    /* sym53c8xx: drivers/scsi/sym53c8xx_2/sym_hipd.c, sym_dev_table (FE_WIDE, FE_ULTRA, FE_ULTRA2,
     * FE_ULTRA3); ids in include/linux/pci_ids.h. From 0030h on Fusion-MPT: drivers/message/fusion/lsi/
     * mpi_cnfg.h, MPI_MANUFACTPAGE_DEVID_*. */
    { 0x1000, 0x0001, "spi", "53C810", N10 },
    { 0x1000, 0x0003, "spi", "53C825", W10 },
    { 0x1000, 0x0004, "spi", "53C815", N10 },
    { 0x1000, 0x0005, "spi", "53C810AP", N10 },
    { 0x1000, 0x0006, "spi", "53C860", N20 },
    { 0x1000, 0x000a, "spi", "53C1510", W40 },
    { 0x1000, 0x000b, "spi", "53C896", W40 },
    { 0x1000, 0x000c, "spi", "53C895", W40 },
    { 0x1000, 0x000d, "spi", "53C885", W20 },
    { 0x1000, 0x000f, "spi", "53C875", W20 },
    { 0x1000, 0x0012, "spi", "53C895A", W40 },
    { 0x1000, 0x0013, "spi", "53C875A", W20 },
    { 0x1000, 0x0020, "spi", "53C1010-33", U160 },
    { 0x1000, 0x0021, "spi", "53C1010-66", U160 },
    { 0x1000, 0x0030, "spi", "53C1030", U320 },
    { 0x1000, 0x0031, "spi", "53C1030ZC", U320 },
    { 0x1000, 0x0032, "spi", "53C1035", U320 },
    { 0x1000, 0x0033, "spi", "53C1035ZC", U320 },
    { 0x1000, 0x0040, "spi", "53C1035", U320 },
    { 0x1000, 0x0041, "spi", "53C1035ZC", U320 },
    { 0x1000, 0x008f, "spi", "53C875J", W20 },
    /* qla1280: drivers/scsi/qla1280.c, qla1280_pci_tbl; data sheets of the chips */
    { 0x1077, 0x1016, "spi", "ISP10160", U160 },
    { 0x1077, 0x1020, "spi", "ISP1040", W20 },
    { 0x1077, 0x1080, "spi", "ISP1080", W40 },
    { 0x1077, 0x1216, "spi", "ISP12160", U160 },
    { 0x1077, 0x1240, "spi", "ISP1240", W20 },
    { 0x1077, 0x1280, "spi", "ISP1280", W40 },
    /* advansys: drivers/scsi/advansys.c, advansys_pci_tbl; pci.ids for the cards */
    { 0x10cd, 0x1200, "spi", "ABP940", N10 },
    { 0x10cd, 0x1300, "spi", "ABP940-U", N20 },
    { 0x10cd, 0x2300, "spi", "ABP940-UW", W20 },
    { 0x10cd, 0x2500, "spi", "ABP940-U2W", W40 },
    { 0x10cd, 0x2700, "spi", "ABP3950-U3W", U160 },
    /* aic7xxx: drivers/scsi/aic7xxx/aic7xxx_pci.c and .h, ahc_pci_ident_table. Whether a card of these has
     * a wide connector, its id does not say: the host's width does (spi_host host_width). */
    { 0x9004, 0x0078, "spi", "AHA-2940U/CN", W20 },
    { 0x9004, 0x2178, "spi", "AHA-2940AU/CN", N20 },
    { 0x9004, 0x3860, "spi", "AHA-2930CU", N20 },
    { 0x9004, 0x5078, "spi", "AIC-7850", N10 },
    { 0x9004, 0x5578, "spi", "AIC-7855", N10 },
    { 0x9004, 0x6038, "spi", "AHA-2930C", N20 },
    { 0x9004, 0x6075, "spi", "APA-1480A", N20 },
    { 0x9004, 0x6078, "spi", "AIC-7860", N20 },
    { 0x9004, 0x6178, "spi", "AHA-2940AU", N20 },
    { 0x9004, 0x7078, "spi", "AIC-7870", W10 },
    { 0x9004, 0x7178, "spi", "AHA-2940", W10 },
    { 0x9004, 0x7278, "spi", "AHA-3940", W10 },
    { 0x9004, 0x7378, "spi", "AHA-398X", W10 },
    { 0x9004, 0x7478, "spi", "AHA-2944", W10 },
    { 0x9004, 0x7578, "spi", "AHA-3944", W10 },
    { 0x9004, 0x7678, "spi", "AHA-4944", W10 },
    { 0x9004, 0x7890, "spi", "AIC-7895", W20 },
    { 0x9004, 0x7891, "spi", "AIC-7895", W20 },
    { 0x9004, 0x7892, "spi", "AIC-7895", W20 },
    { 0x9004, 0x7893, "spi", "AIC-7895", W20 },
    { 0x9004, 0x7894, "spi", "AIC-7895", W20 },
    { 0x9004, 0x7895, "spi", "AIC-7895", W20 },
    { 0x9004, 0x8078, "spi", "AIC-7880", W20 },
    { 0x9004, 0x8178, "spi", "AHA-2940U", W20 },
    { 0x9004, 0x8278, "spi", "AHA-3940U", W20 },
    { 0x9004, 0x8378, "spi", "AHA-398XU", W20 },
    { 0x9004, 0x8478, "spi", "AHA-2944U", W20 },
    { 0x9004, 0x8578, "spi", "AHA-3944U", W20 },
    { 0x9004, 0x8678, "spi", "AHA-4944U", W20 },
    { 0x9004, 0x8778, "spi", "AHA-2940U Pro", W20 },
    { 0x9004, 0x8878, "spi", "AHA-2930U", W20 },
    { 0x9005, 0x0010, "spi", "AHA-2940U2", W40 },
    { 0x9005, 0x0011, "spi", "AHA-2930U2", W40 },
    { 0x9005, 0x0013, "spi", "AIC-7890", W40 },
    { 0x9005, 0x001f, "spi", "AIC-7890", W40 },
    { 0x9005, 0x0050, "spi", "AHA-3950U2B", W40 },
    { 0x9005, 0x0051, "spi", "AHA-3950U2D", W40 },
    { 0x9005, 0x0053, "spi", "AIC-7896", W40 },
    { 0x9005, 0x005f, "spi", "AIC-7896", W40 },
    { 0x9005, 0x0080, "spi", "29160", U160 },
    { 0x9005, 0x0081, "spi", "19160", U160 },
    { 0x9005, 0x0082, "spi", "2915/30LP", U160 },
    { 0x9005, 0x0083, "spi", "AIC-7892", U160 },
    { 0x9005, 0x008f, "spi", "AIC-7892", U160 },
    { 0x9005, 0x00c0, "spi", "39160", U160 },
    { 0x9005, 0x00c3, "spi", "AIC-7899", U160 },
    { 0x9005, 0x00cf, "spi", "AIC-7899", U160 },
    /* aic79xx: drivers/scsi/aic7xxx/aic79xx_pci.c and .h, ahd_pci_ident_table; with bit 7 the same chips
     * as HostRAID (ID_ALL_IROC_MASK) */
    { 0x9005, 0x8000, "spi", "29320A", U320 },
    { 0x9005, 0x800f, "spi", "AIC-7901", U320 },
    { 0x9005, 0x8010, "spi", "39320", U320 },
    { 0x9005, 0x8011, "spi", "39320D", U320 },
    { 0x9005, 0x8012, "spi", "29320", U320 },
    { 0x9005, 0x8013, "spi", "29320B", U320 },
    { 0x9005, 0x8014, "spi", "29320LP", U320 },
    { 0x9005, 0x8015, "spi", "39320B", U320 },
    { 0x9005, 0x8016, "spi", "39320A", U320 },
    { 0x9005, 0x8017, "spi", "29320ALP", U320 },
    { 0x9005, 0x801c, "spi", "39320D", U320 },
    { 0x9005, 0x801d, "spi", "AIC-7902B", U320 },
    { 0x9005, 0x801e, "spi", "AIC-7901A", U320 },
    { 0x9005, 0x801f, "spi", "AIC-7902", U320 },
    { 0x9005, 0x8080, "spi", "29320A HostRAID", U320 },
    { 0x9005, 0x808f, "spi", "AIC-7901 HostRAID", U320 },
    { 0x9005, 0x8090, "spi", "39320 HostRAID", U320 },
    { 0x9005, 0x8091, "spi", "39320D HostRAID", U320 },
    { 0x9005, 0x8092, "spi", "29320 HostRAID", U320 },
    { 0x9005, 0x8093, "spi", "29320B HostRAID", U320 },
    { 0x9005, 0x8094, "spi", "29320LP HostRAID", U320 },
    { 0x9005, 0x8095, "spi", "39320B HostRAID", U320 },
    { 0x9005, 0x8096, "spi", "39320A HostRAID", U320 },
    { 0x9005, 0x8097, "spi", "29320ALP HostRAID", U320 },
    { 0x9005, 0x809c, "spi", "39320D HostRAID", U320 },
    { 0x9005, 0x809d, "spi", "AIC-7902B HostRAID", U320 },
    { 0x9005, 0x809e, "spi", "AIC-7901A HostRAID", U320 },
    { 0x9005, 0x809f, "spi", "AIC-7902 HostRAID", U320 },
    { 0 },
};

const struct controller *controller_of(const struct fact_set *set, const struct host *host,
                                       const char *transport)
{
    const struct subject *pci = host->pci_address ? fact_set_find(set, "pci", host->pci_address)
                                                  : NULL;
    uint64_t vendor, device;

    if (!fact_number(pci, &KEY_PCI_VENDOR, &vendor) || !fact_number(pci, &KEY_PCI_DEVICE, &device))
        return NULL;
    for (size_t i = 0; CONTROLLERS[i].vendor; i++)
        if (CONTROLLERS[i].vendor == vendor && CONTROLLERS[i].device == device &&
            strcmp(CONTROLLERS[i].transport, transport) == 0)
            return &CONTROLLERS[i];
    return NULL;
}
