/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mode page 19h by the field names of sdparm (reading_page19.h).
 */
#include "reading_page19.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "decode/protopage.h"
#include "decode/saspage.h"
#include "decode/spipage.h"

/* sdparm prints the second descriptor's fields as "NAME.1", and so on. */
static void set_key(struct json_writer *w, const char *name, unsigned descriptor)
{
    char key[32];

    if (descriptor == 0)
        snprintf(key, sizeof(key), "%s", name);
    else
        snprintf(key, sizeof(key), "%s.%u", name, descriptor);
    json_write_key(w, key);
}

static void set_number(struct json_writer *w, const char *name, unsigned descriptor, uint64_t n)
{
    set_key(w, name, descriptor);
    json_write_u64(w, n);
}

static void set_hex(struct json_writer *w, const char *name, unsigned descriptor, uint64_t n)
{
    char text[20];

    snprintf(text, sizeof(text), "0x%llx", (unsigned long long)n);
    set_key(w, name, descriptor);
    json_write_string(w, text);
}

static int spi_short(struct bytes page, struct json_writer *w)
{
    uint16_t ms;
    int r = spipage_sync_timeout(page, &ms);

    if (r < 0)
        return r;
    set_number(w, "PPID", 0, PROTOCOL_SPI);
    set_number(w, "STT", 0, ms);
    return 0;
}

/* sdparm takes the four bits of each field as unsigned. */
static int spi_margin(struct bytes page, struct json_writer *w)
{
    struct spi_margin m;
    int r = spipage_margin(page, &m);

    if (r < 0)
        return r;
    set_number(w, "PPID_1", 0, PROTOCOL_SPI);
    set_number(w, "DS", 0, m.driver_strength & 0xf);
    set_number(w, "DA", 0, m.driver_asymmetry & 0xf);
    set_number(w, "DP", 0, m.driver_precompensation & 0xf);
    set_number(w, "DSR", 0, m.slew_rate & 0xf);
    return 0;
}

static int spi_training(struct bytes page, struct json_writer *w)
{
    struct spi_training t;
    int r = spipage_training(page, &t);
    const struct {
        const char *name;
        uint32_t value;
    } controls[] = {
        { "P_CRCA", t.p_crca }, { "P1", t.p1 },   { "BSY", t.bsy }, { "SEL", t.sel },
        { "RST", t.rst },       { "REQ", t.req }, { "ACK", t.ack }, { "ATN", t.atn },
        { "C_D", t.c_d },       { "I_O", t.i_o }, { "MSG", t.msg },
    };

    if (r < 0)
        return r;
    set_number(w, "PPID_2", 0, PROTOCOL_SPI);
    for (size_t i = 0; i < ELEMENTS(t.db); i++) {
        char name[8];

        snprintf(name, sizeof(name), "DB%zu", i);
        set_hex(w, name, 0, t.db[i]);
    }
    for (size_t i = 0; i < ELEMENTS(controls); i++)
        set_hex(w, controls[i].name, 0, controls[i].value);
    return 0;
}

static int spi_negotiated(struct bytes page, struct json_writer *w)
{
    struct spi_negotiated n;
    int r = spipage_negotiated(page, &n);

    if (r < 0)
        return r;
    set_number(w, "PPID_3", 0, PROTOCOL_SPI);
    set_number(w, "TPF", 0, n.period_factor);
    set_number(w, "RAO", 0, n.offset);
    set_number(w, "TWE", 0, n.width_exponent);
    set_number(w, "POB", 0, n.options);
    set_number(w, "TM", 0, n.transceiver);
    set_number(w, "SPE", 0, n.sent_pcomp);
    set_number(w, "RPE", 0, n.received_pcomp);
    return 0;
}

static int spi_capabilities(struct bytes page, struct json_writer *w)
{
    struct spi_capabilities c;
    int r = spipage_capabilities(page, &c);

    if (r < 0)
        return r;
    set_number(w, "PPID_4", 0, PROTOCOL_SPI);
    set_number(w, "MTPF", 0, c.min_period_factor);
    set_number(w, "MRAO", 0, c.max_offset);
    set_number(w, "MTWE", 0, c.max_width_exponent);
    set_number(w, "POBS", 0, c.options);
    return 0;
}

static int sas_short(struct bytes page, struct json_writer *w)
{
    struct saspage_timers t;
    int r = saspage_timers(page, &t);

    if (r < 0)
        return r;
    set_number(w, "PPID", 0, PROTOCOL_SAS);
    set_number(w, "RLM", 0, t.ready_led_meaning);
    set_number(w, "ITNLT", 0, t.nexus_loss_ms);
    set_number(w, "IRT", 0, t.initiator_response_ms);
    return 0;
}

static void set_phy(struct json_writer *w, unsigned n, const struct saspage_phy *p)
{
    set_number(w, "PHID", n, p->phy.phy);
    set_number(w, "ADT", n, p->phy.attached_type);
    set_number(w, "AREAS", n, p->phy.attached_reason);
    set_number(w, "REAS", n, p->phy.reason);
    set_number(w, "NLLR", n, p->phy.logical_rate);
    set_number(w, "ASIP", n, (p->phy.attached_initiator & SAS_PROTOCOL_SSP) != 0);
    set_number(w, "ATIP", n, (p->phy.attached_initiator & SAS_PROTOCOL_STP) != 0);
    set_number(w, "AMIP", n, (p->phy.attached_initiator & SAS_PROTOCOL_SMP) != 0);
    set_number(w, "ASTP", n, (p->phy.attached_target & SAS_PROTOCOL_SSP) != 0);
    set_number(w, "ATTP", n, (p->phy.attached_target & SAS_PROTOCOL_STP) != 0);
    set_number(w, "AMTP", n, (p->phy.attached_target & SAS_PROTOCOL_SMP) != 0);
    set_hex(w, "SASA", n, p->phy.address);
    set_hex(w, "ASASA", n, p->phy.attached_address);
    set_number(w, "APHID", n, p->phy.attached_phy);
    set_number(w, "PMILR", n, p->programmed_min);
    set_number(w, "HMILR", n, p->hardware_min);
    set_number(w, "PMALR", n, p->programmed_max);
    set_number(w, "HMALR", n, p->hardware_max);
}

static int sas_phys(struct bytes page, struct json_writer *w)
{
    struct saspage_phys phys;
    struct saspage_phy phy;
    int r = saspage_phys(page, &phys);

    if (r < 0)
        return r;
    set_number(w, "PPID_1", 0, PROTOCOL_SAS);
    set_number(w, "GENC", 0, phys.generation);
    set_number(w, "NOP", 0, phys.n_phys);
    for (unsigned n = 0; saspage_phys_next(&phys, &phy); n++)
        set_phy(w, n, &phy);
    return 0;
}

static int sas_shared(struct bytes page, struct json_writer *w)
{
    struct saspage_shared s;
    int r = saspage_shared(page, &s);

    if (r < 0)
        return r;
    set_number(w, "PPID_2", 0, PROTOCOL_SAS);
    set_number(w, "PLT", 0, s.power_loss_ms);
    set_number(w, "PGRATO", 0, s.power_grant_s);
    set_number(w, "4PHYS", 0, s.four_phys);
    set_number(w, "2PHYS", 0, s.two_phys);
    set_number(w, "1PHY", 0, s.one_phy);
    return 0;
}

static int sas_enhanced(struct bytes page, struct json_writer *w)
{
    struct saspage_enhanced enhanced;
    struct saspage_enhanced_phy phy;
    int r = saspage_enhanced(page, &enhanced);

    if (r < 0)
        return r;
    set_number(w, "PPID_3", 0, PROTOCOL_SAS);
    set_number(w, "GENC_1", 0, enhanced.generation);
    set_number(w, "NOP_1", 0, enhanced.n_phys);
    for (unsigned n = 0; saspage_enhanced_next(&enhanced, &phy); n++) {
        set_number(w, "PHID_1", n, phy.phy);
        set_hex(w, "PPCAP", n, phy.programmed_capabilities);
        set_hex(w, "CPCAP", n, phy.current_capabilities);
        set_hex(w, "APCAP", n, phy.attached_capabilities);
        set_number(w, "OPT_M_EN", n, phy.optical);
        set_number(w, "N_SSC", n, phy.ssc);
        set_number(w, "NPLR", n, phy.physical_rate);
    }
    return 0;
}

static const struct {
    uint8_t protocol, subpage;
    int (*read)(struct bytes page, struct json_writer *w);
} SUBPAGES[] = {
    { PROTOCOL_SPI, SPIPAGE_SHORT, spi_short },
    { PROTOCOL_SPI, SPIPAGE_MARGIN, spi_margin },
    { PROTOCOL_SPI, SPIPAGE_TRAINING, spi_training },
    { PROTOCOL_SPI, SPIPAGE_NEGOTIATED, spi_negotiated },
    { PROTOCOL_SPI, SPIPAGE_CAPABILITIES, spi_capabilities },
    { PROTOCOL_SAS, SASPAGE_SHORT, sas_short },
    { PROTOCOL_SAS, SASPAGE_PHYS, sas_phys },
    { PROTOCOL_SAS, SASPAGE_SHARED, sas_shared },
    { PROTOCOL_SAS, SASPAGE_ENHANCED, sas_enhanced },
};

int reading_page19(struct bytes page, struct json_writer *w)
{
    struct protopage p;
    int r = protopage_decode(page, &p);

    if (r < 0)
        return r;
    for (size_t i = 0; i < ELEMENTS(SUBPAGES); i++)
        if (SUBPAGES[i].protocol == p.protocol && SUBPAGES[i].subpage == p.subpage)
            return SUBPAGES[i].read(page, w);
    return -ENOTSUP;
}
