/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of drivers (driver.h).
 *
 * A row belongs here for a driver whose host attributes, modules or parameters say something about links,
 * or that has or shows none. Sources: the drivers' own host attribute groups (…_host_attrs) in
 * drivers/scsi, drivers/message/fusion/mptscsih.c, drivers/ata/libahci.c; module_param lines.
 * Attributes that cost an adapter more than a register read are at LEVEL_ALL.
 */
#include "transport/driver.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "transport/fusion.h"
#include "transport/pci.h"

const struct fact_key DRIVER_FORCED_GBIT = { "lpfc_link_speed", FACT_NUMBER, FACT_GAUGE };
const struct fact_key DRIVER_PROTOCOL = { "protocol", FACT_TEXT, FACT_IDENTITY };
const struct fact_key DRIVER_LINK_STATE = { "link_state", FACT_TEXT, FACT_GAUGE };

static const struct fact_key MPI_VERSION = { "mpi_version", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key NVDATA_VERSION = { "nvdata_version", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key BOARD_ASSEMBLY = { "board_assembly", FACT_TEXT, FACT_IDENTITY };
static const struct fact_key FW_QUEUE_DEPTH = { "fw_queue_depth", FACT_NUMBER, FACT_IDENTITY };
static const struct fact_key ADAPTER_STATE = { "adp_state", FACT_TEXT, FACT_GAUGE };

static const struct attribute MPT[] = {
    { "version_product", &KEY_MODEL, NULL, LEVEL_IDENTITY },
    { "board_name", &KEY_BOARD, NULL, LEVEL_IDENTITY },
    { "version_fw", &KEY_FIRMWARE, NULL, LEVEL_IDENTITY },
    { "version_bios", &KEY_BIOS, NULL, LEVEL_ALL },
    { "version_mpi", &MPI_VERSION, NULL, LEVEL_ALL },
    { "version_nvdata_persistent", &NVDATA_VERSION, NULL, LEVEL_ALL },
    { "board_assembly", &BOARD_ASSEMBLY, NULL, LEVEL_ALL },
    { "fw_queue_depth", &FW_QUEUE_DEPTH, parse_decimal, LEVEL_ALL },
    { "ioc_reset_count", &KEY_RESET_COUNT, parse_decimal, LEVEL_ALL, .reread = REREAD_FREE },
    { 0 },
};

static const struct attribute MPI3[] = {
    { "version_fw", &KEY_FIRMWARE, NULL, LEVEL_IDENTITY },
    { "fw_queue_depth", &FW_QUEUE_DEPTH, parse_decimal, LEVEL_ALL },
    { "adp_state", &ADAPTER_STATE, NULL, LEVEL_ALL, .reread = REREAD_FREE },
    { 0 },
};

static const struct attribute LPFC[] = {
    { "modelname", &KEY_MODEL, NULL, LEVEL_IDENTITY },
    { "modeldesc", &KEY_BOARD, NULL, LEVEL_IDENTITY },
    { "fwrev", &KEY_FIRMWARE, NULL, LEVEL_IDENTITY },
    { "lpfc_link_speed", &DRIVER_FORCED_GBIT, parse_decimal, LEVEL_MODES },
    { "link_state", &DRIVER_LINK_STATE, NULL, LEVEL_MODES, .reread = REREAD_FREE },
    { "protocol", &DRIVER_PROTOCOL, parse_known_text, LEVEL_MODES },
    { "option_rom_version", &KEY_BIOS, NULL, LEVEL_ALL },
    { "serialnum", &KEY_SERIAL, NULL, LEVEL_ALL },
    { 0 },
};

/* port_speed is left out: it asks the firmware, and shows the speed in use, not the one that was set. */
static const struct attribute QLA[] = {
    { "model_name", &KEY_MODEL, NULL, LEVEL_IDENTITY },
    { "fw_version", &KEY_FIRMWARE, NULL, LEVEL_IDENTITY },
    { "driver_version", &KEY_DRIVER_VERSION, NULL, LEVEL_IDENTITY },
    { "model_desc", &KEY_BOARD, NULL, LEVEL_ALL },
    { "link_state", &DRIVER_LINK_STATE, NULL, LEVEL_MODES, .reread = REREAD_FREE },
    { "optrom_bios_version", &KEY_BIOS, NULL, LEVEL_ALL },
    { "serial_num", &KEY_SERIAL, NULL, LEVEL_ALL },
    { "total_isp_aborts", &KEY_RESET_COUNT, parse_decimal, LEVEL_ALL, .reread = REREAD_FREE },
    { 0 },
};

static const struct attribute BFA[] = {
    { "model", &KEY_MODEL, NULL, LEVEL_IDENTITY },
    { "model_description", &KEY_BOARD, NULL, LEVEL_ALL },
    { "firmware_version", &KEY_FIRMWARE, NULL, LEVEL_IDENTITY },
    { "option_rom_version", &KEY_BIOS, NULL, LEVEL_ALL },
    { "driver_version", &KEY_DRIVER_VERSION, NULL, LEVEL_IDENTITY },
    { "serial_number", &KEY_SERIAL, NULL, LEVEL_ALL },
    { 0 },
};

static const struct attribute BEISCSI[] = {
    { "beiscsi_adapter_family", &KEY_MODEL, NULL, LEVEL_IDENTITY },
    { "beiscsi_fw_ver", &KEY_FIRMWARE, NULL, LEVEL_IDENTITY },
    { 0 },
};

static const struct attribute QLA4[] = {
    { "model_name", &KEY_MODEL, NULL, LEVEL_IDENTITY },
    { "fw_version", &KEY_FIRMWARE, NULL, LEVEL_IDENTITY },
    { "optrom_version", &KEY_BIOS, NULL, LEVEL_ALL },
    { "serial_num", &KEY_SERIAL, NULL, LEVEL_ALL },
    { 0 },
};

static const struct attribute ARCMSR[] = {
    { "host_fw_model", &KEY_MODEL, NULL, LEVEL_IDENTITY },
    { "host_fw_version", &KEY_FIRMWARE, NULL, LEVEL_IDENTITY },
    { "host_driver_version", &KEY_DRIVER_VERSION, NULL, LEVEL_IDENTITY },
    { 0 },
};

static const struct attribute HPTIOP[] = {
    { "firmware-version", &KEY_FIRMWARE, NULL, LEVEL_IDENTITY },
    { "driver-version", &KEY_DRIVER_VERSION, NULL, LEVEL_IDENTITY },
    { 0 },
};

static const struct attribute AAC[] = {
    { "model", &KEY_MODEL, NULL, LEVEL_IDENTITY },
    { "hba_kernel_version", &KEY_FIRMWARE, NULL, LEVEL_IDENTITY },
    { "hba_bios_version", &KEY_BIOS, NULL, LEVEL_ALL },
    { "driver_version", &KEY_DRIVER_VERSION, NULL, LEVEL_IDENTITY },
    { "serial_number", &KEY_SERIAL, NULL, LEVEL_ALL },
    { 0 },
};

static const struct attribute HPSA[] = {
    { "firmware_revision", &KEY_FIRMWARE, NULL, LEVEL_IDENTITY },
    { 0 },
};

static const struct attribute SMARTPQI[] = {
    { "model", &KEY_MODEL, NULL, LEVEL_IDENTITY },
    { "firmware_version", &KEY_FIRMWARE, NULL, LEVEL_IDENTITY },
    { "driver_version", &KEY_DRIVER_VERSION, NULL, LEVEL_IDENTITY },
    { "serial_number", &KEY_SERIAL, NULL, LEVEL_ALL },
    { 0 },
};

static const struct attribute IPR[] = {
    { "fw_version", &KEY_FIRMWARE, NULL, LEVEL_IDENTITY },
    { 0 },
};

static const struct attribute PM80XX[] = {
    { "fw_version", &KEY_FIRMWARE, NULL, LEVEL_IDENTITY },
    { 0 },
};

#define LIST(...)         \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

static const char RAID[] = "the RAID firmware hides the links of its disks";
static const char SOFTWARE[] = "the adapter is software: there is no physical link";
static const char HYPERVISOR[] = "the adapter is the hypervisor's: there is no physical link";

static const struct driver DRIVERS[] = {
    /* parallel SCSI */
    { "mptspi", NULL, MPT, LIST("mptbase", "mptscsih"),
      LIST("mpt_saf_te", "mpt_dv", "mpt_width", "mpt_factor", "mpt_qas_disable"),
      .more = fusion_gather },
    { "aic7xxx", NULL, NULL, NULL, LIST("aic7xxx", "probe_eisa_vl", "periodic_otag") },
    { "aic79xx", NULL, NULL, NULL, LIST("aic79xx", "slowcrc", "rd_strm") },
    { "sym53c8xx", NULL, NULL, NULL,
      LIST("sync", "diff", "burst", "led", "nvram", "excl", "safe") },
    /* parallel SCSI without a transport class: their targets alone can say what was agreed */
    { "qla1280", NULL, NULL, NULL, LIST("qla1280"), .transport = "spi" },
    { "BusLogic", NULL, NULL, NULL, LIST("BusLogic"), .transport = "spi" },
    { "advansys", NULL, NULL, NULL, LIST("asc_dbglvl"), .transport = "spi" },
    { "dc395x", NULL, NULL, NULL, LIST("max_speed", "adapter_mode", "dev_mode", "safe"),
      .transport = "spi" },
    { "initio", "INI9X00U", .transport = "spi" },
    { "a100u2w", "inia100", .transport = "spi" },
    { "atp870u", NULL, .transport = "spi" },
    { "nsp32", NULL, NULL, NULL, LIST("trans_mode", "auto_param", "disc_priv"),
      .transport = "spi" },
    { "wd719x", NULL, .transport = "spi" },
    /* SAS */
    { "mptsas", NULL, MPT, LIST("mptbase", "mptscsih"), LIST("mpt_pt_clear", "max_lun"),
      .more = fusion_gather },
    { "mpt3sas", "mpt2sas", MPT, NULL,
      LIST("max_queue_depth", "msix_disable", "hbas_to_enumerate", "missing_delay",
           "multipath_on_hba", "diag_buffer_enable") },
    { "mpi3mr", NULL, MPI3, NULL, LIST("prot_mask", "poll_queues"),
      .hides = "this kernel's driver registers no SAS transport class" },
    { "pm80xx", "pm8001", PM80XX, LIST("libsas"), LIST("link_rate") },
    { "hisi_sas_v3_hw", NULL, NULL, LIST("hisi_sas_main", "libsas"),
      LIST("experimental_iopoll_q_cnt") },
    { "mvsas", NULL, NULL, LIST("libsas"), LIST("collector") },
    { "isci", NULL, NULL, LIST("libsas"),
      LIST("max_speed_gen", "phy_gen", "cable_selection_override", "ssp_inactive_to") },
    { "aic94xx", NULL, NULL, LIST("libsas"), LIST("collector") },
    /* libata */
    { "ahci", NULL, NULL, LIST("libata", "libahci"),
      LIST("force", "mobile_lpm_policy", "ignore_sss", "skip_host_reset", "noacpi", "dma",
           "atapi_dmadir") },
    { "ata_piix", NULL, NULL, LIST("libata"), LIST("force", "dma", "noacpi") },
    { "sata_nv", NULL, NULL, LIST("libata"), LIST("force", "adma", "swncq", "dma") },
    /* Fibre Channel */
    { "lpfc", NULL, LPFC, NULL, LIST("lpfc_link_speed", "lpfc_topology", "lpfc_lun_queue_depth") },
    { "qla2xxx", NULL, QLA, NULL,
      LIST("ql2xmaxqdepth", "ql2xlogintimeout", "ql2xrdpenable", "ql2xautodetectsfp") },
    { "bfa", NULL, BFA, NULL, LIST("fdmi_enable", "bfa_lun_queue_depth") },
    { "mptfc", NULL, MPT, LIST("mptbase", "mptscsih"), LIST("mptfc_dev_loss_tmo", "max_lun"),
      .more = fusion_gather },
    { "zfcp", NULL, NULL, NULL, LIST("queue_depth", "no_auto_port_rescan") },
    { "ibmvfc", NULL, NULL, NULL, LIST("max_targets", "mq") },
    { "fnic", NULL, NULL, LIST("libfc"), LIST("fnic_max_qdepth"), .over_ethernet = true },
    { "bnx2fc", NULL, NULL, LIST("libfc", "libfcoe"), NULL, .over_ethernet = true },
    { "qedf", NULL, NULL, LIST("libfc", "libfcoe"), LIST("queue_depth"), .over_ethernet = true },
    { "fcoe", NULL, NULL, LIST("libfc", "libfcoe"), LIST("ddp_min"), .over_ethernet = true },
    { "csiostor", NULL, NULL, NULL, NULL, .over_ethernet = true },
    /* iSCSI and SRP */
    { "iscsi_tcp", NULL, NULL, LIST("libiscsi", "libiscsi_tcp"), LIST("max_lun") },
    { "ib_iser", "iscsi_iser", NULL, LIST("libiscsi"), LIST("max_lun", "max_sectors") },
    { "bnx2i", NULL, NULL, LIST("libiscsi"), LIST("sq_size", "rq_size") },
    { "qedi", NULL, NULL, LIST("libiscsi"), NULL },
    { "cxgb3i", NULL, NULL, LIST("libiscsi", "libcxgbi"), NULL },
    { "cxgb4i", NULL, NULL, LIST("libiscsi", "libcxgbi"), NULL },
    { "be2iscsi", NULL, BEISCSI, LIST("libiscsi"), NULL },
    { "qla4xxx", NULL, QLA4, LIST("libiscsi"), LIST("ql4xmaxqdepth") },
    { "ib_srp", NULL, NULL, NULL, LIST("cmd_sg_entries", "ch_count", "dev_loss_tmo") },
    /* RAID: links behind firmware */
    { "megaraid_sas", NULL, NULL, NULL, LIST("max_msix_count", "throttlequeuedepth"),
      .hides = RAID },
    { "megaraid_mbox", "megaraid", .hides = RAID },
    { "aacraid", NULL, AAC, NULL, LIST("expose_physicals", "commit"), .hides = RAID },
    { "hpsa", NULL, HPSA, NULL, LIST("hpsa_simple_mode"), .hides = RAID },
    { "smartpqi", NULL, SMARTPQI, NULL, LIST("expose_ld_first"), .hides = RAID },
    { "ipr", NULL, IPR, NULL, LIST("max_speed"), .hides = RAID },
    { "ips", .hides = RAID },
    { "arcmsr", NULL, ARCMSR, .hides = RAID },
    { "3w-sas", "3w_sas", .hides = RAID },
    { "3w-9xxx", "3w_9xxx", .hides = RAID },
    { "3w-xxxx", "3w_xxxx", .hides = RAID },
    { "mvumi", .hides = RAID },
    { "hptiop", NULL, HPTIOP, .hides = RAID },
    { "stex", .hides = RAID },
    { "esas2r", .hides = RAID },
    { "pmcraid", .hides = RAID },
    { "gdth", .hides = RAID },
    { "dpt_i2o", .hides = RAID },
    { "myrb", .hides = RAID },
    { "myrs", .hides = RAID },
    /* links of which no file speaks */
    { "firewire_sbp2", "sbp2", .hides = "no file says how fast a FireWire bus runs" },
    /* no physical link */
    { "virtio_scsi", "virtio-scsi", .is_virtual = HYPERVISOR },
    { "vmw_pvscsi", "vmw-pvscsi", .is_virtual = HYPERVISOR },
    { "xen-scsifront", "scsifront", .is_virtual = HYPERVISOR },
    { "hv_storvsc", "storvsc_host", .is_virtual = HYPERVISOR },
    { "storvsc", "storvsc_host_t", .is_virtual = HYPERVISOR },
    { "ibmvscsi", .is_virtual = HYPERVISOR },
    { "scsi_debug", .is_virtual = SOFTWARE },
    { "tcm_loop", "tcm_loopback", .is_virtual = SOFTWARE },
    { "vhost_scsi", .is_virtual = SOFTWARE },
};

const struct subject *pci_of(const struct fact_set *set, const struct subject *host)
{
    size_t len = pci_path_length(host->path), start = len;
    char name[32];

    while (start && host->path[start - 1] != '/')
        start--;
    if (!len || len - start >= sizeof(name))
        return NULL;
    memcpy(name, host->path + start, len - start);
    name[len - start] = '\0';
    return fact_set_find(set, "pci", name);
}

static const struct driver *row_named(const char *name)
{
    for (size_t i = 0; name && i < ELEMENTS(DRIVERS); i++)
        if (strcmp(DRIVERS[i].name, name) == 0 ||
            (DRIVERS[i].also && strcmp(DRIVERS[i].also, name) == 0))
            return &DRIVERS[i];
    return NULL;
}

const struct driver *driver_of(const struct fact_set *set, const struct subject *host)
{
    const struct driver *d = row_named(fact_text(host, &KEY_PROC_NAME));

    d = d ? d : row_named(fact_text(host, &KEY_DRIVER));
    return d ? d : row_named(fact_text(pci_of(set, host), &KEY_PCI_DRIVER));
}

/* What the host is directly on knows best who drives it: a USB interface, a virtio device. It may be
 * nobody there (a port of an adapter): then the PCI function's driver, unless the host says that it
 * is another's. */
const char *driver_name(const struct fact_set *set, const struct subject *host)
{
    const char *bound = fact_text(host, &KEY_DRIVER), *proc = fact_text(host, &KEY_PROC_NAME);
    const char *pci = fact_text(pci_of(set, host), &KEY_PCI_DRIVER);

    if (bound)
        return bound;
    return row_named(proc) || !pci ? proc : pci;
}

static int gather_parameter(struct gathering *g, const char *dir, const char *name)
{
    struct arena *arena = fact_set_arena(g->facts);
    struct value v;
    char path[192];
    char *text;
    int r;

    snprintf(path, sizeof(path), "%s/parameters/%s", dir, name);
    r = source_read(g->source, path, ATTRIBUTE_BYTES, &v);
    if (r < 0 || v.error)
        return r;
    text = text_trimmed(arena, (const char *)v.bytes.data, v.bytes.len);
    text = text ? arena_printf(arena, "%s=%s", name, text) : NULL;
    return text ? fact_put_text(g->facts, &KEY_PARAMETER, "module parameters", text) : -ENOMEM;
}

/* Kernel: MODULE_NAME_LEN is 56 on 64-bit machines. */
enum { MODULE_MAX = 64 };

/* Modules go by '_' in /sys/module, whatever their files are called. */
static void spell_module(char module[static MODULE_MAX], const char *name)
{
    snprintf(module, MODULE_MAX, "%s", name);
    for (char *c = module; *c; c++)
        *c = *c == '-' ? '_' : *c;
}

const struct subject *driver_module(const struct fact_set *set, const char *name)
{
    char module[MODULE_MAX];

    spell_module(module, name);
    return fact_set_find(set, "module", module);
}

/* Is there such a module, loaded or built in? */
static int module_exists(struct gathering *g, const char *module)
{
    struct names names;
    int r = source_list(g->source, "/sys/module", module, &names);
    bool exists = false;

    if (r < 0)
        return r;
    for (size_t i = 0; i < names.n; i++)
        exists |= strcmp(names.v[i], module) == 0;
    names_done(&names);
    return exists;
}

/* Version and parameters; and whether there are "initstate" and "refcnt": a module that is built in has
 * neither. */
static int gather_module(struct gathering *g, const char *name, const struct driver *d)
{
    static const struct fact_key INITSTATE = { "initstate", FACT_TEXT, FACT_GAUGE };
    static const struct attribute ATTRIBUTES[] = {
        { "version", &KEY_MODULE_VERSION, NULL, LEVEL_IDENTITY },
        { "initstate", &INITSTATE, NULL, LEVEL_ALL },
        { "refcnt", &INITSTATE, NULL, LEVEL_ALL },
        { 0 },
    };
    char module[MODULE_MAX], dir[128];
    struct subject *s;
    bool is_new;
    int r;

    spell_module(module, name);
    snprintf(dir, sizeof(dir), "/sys/module/%s", module);
    r = fact_set_find(g->facts, "module", module) ? 0 : module_exists(g, module);
    if (r <= 0)
        return r;
    s = fact_set_add(g->facts, "module", module, dir, NULL, &is_new);
    if (!s)
        return -ENOMEM;
    r = gather_attributes(g, ATTRIBUTES, dir, dir, "module", false);
    if (r == 0 && g->level >= LEVEL_ALL)
        r = fact_put_number(g->facts, &KEY_BUILT_IN, "module", !fact_find(s, &INITSTATE));
    for (size_t i = 0; r == 0 && g->level >= LEVEL_ALL && d && d->parameters && d->parameters[i];
         i++)
        r = gather_parameter(g, dir, d->parameters[i]);
    return r < 0 ? r : fact_set_seal(g->facts);
}

int gather_driver(struct gathering *g, struct subject *host)
{
    const struct driver *d = driver_of(g->facts, host);
    const char *name = driver_name(g->facts, host);
    char dir[4096];
    bool is_new;
    int r = 0;

    if (d && (d->attributes || d->more)) {
        if ((size_t)snprintf(dir, sizeof(dir), "%s/scsi_host/%s", host->path, host->name) >=
            sizeof(dir))
            return 0;
        if (!fact_set_add(g->facts, "driver_host", host->name, host->path, host, &is_new))
            return -ENOMEM;
        r = gather_attributes(g, d->attributes, dir, host->path, "scsi_host", false);
        if (r == 0 && d->more)
            r = d->more(g, host);
        if (r == 0)
            r = fact_set_seal(g->facts);
    }
    if (r == 0 && (d || name))
        r = gather_module(g, d ? d->name : name, d);
    for (size_t i = 0; r == 0 && d && d->modules && d->modules[i]; i++)
        r = gather_module(g, d->modules[i], d);
    return r;
}

/* The host's own module comes first, then those it consists of. */
static const char *module_at(const struct driver *d, const char *name, size_t i)
{
    if (i == 0)
        return d ? d->name : name;
    for (size_t n = 1; d && d->modules && d->modules[n - 1]; n++)
        if (n == i)
            return d->modules[n - 1];
    return NULL;
}

/* Sets a parameter: a later word for the same replaces the earlier. */
static int set_parameter(struct host *h, const char *name, const char *value, const char *from)
{
    struct parameter p = { name, value, from };

    for (size_t i = 0; i < h->parameters.n; i++)
        if (strcmp(h->parameters.v[i].name, name) == 0) {
            h->parameters.v[i] = p;
            return 0;
        }
    return vec_push(&h->parameters, p);
}

/* Sets those of a module: of the subject's facts "NAME=VALUE" (sysfs), or "MODULE.NAME=VALUE" (words). */
static int take_parameters(struct arena *arena, struct host *h, const struct subject *s,
                           const char *module, bool is_own, const char *from)
{
    size_t len = strlen(module);
    int r = 0;

    for (uint32_t i = 0; s && r == 0 && i < s->n_facts; i++) {
        const struct fact *f = &s->facts[i];
        const char *text = f->key == &KEY_PARAMETER ? f->text : NULL, *equals;
        const char *name;

        /* Words name the module; "aic7xxx=verbose" is a parameter that goes by its module's name. */
        if (text && !from)
            text = strncmp(text, module, len) != 0 ? NULL
                   : text[len] == '.'              ? text + len + 1
                   : text[len] == '='              ? text
                                                   : NULL;
        equals = text ? strchr(text, '=') : NULL;
        if (!equals)
            continue;
        name = arena_printf(arena, "%s%s%.*s", is_own ? "" : module, is_own ? "" : ".",
                            (int)(equals - text), text);
        r = name ? set_parameter(h, name, equals + 1, from ? from : f->origin) : -ENOMEM;
    }
    return r;
}

bool driver_tells(const struct driver *d, const struct fact_key *key)
{
    for (const struct attribute *a = d ? d->attributes : NULL; a && a->file; a++)
        if (a->key == key)
            return true;
    return false;
}

/* The one parameter that lpfc's hosts have each for themselves too (lpfc_attr.c): what the module was
 * loaded with is not in force once somebody writes to the host's. */
static int take_own_speed(const struct fact_set *set, struct arena *arena, struct host *host)
{
    const struct subject *own = fact_set_find(set, "driver_host", host->subject->name);
    const char *value, *from;
    uint64_t gbit;

    if (!fact_number(own, &DRIVER_FORCED_GBIT, &gbit))
        return 0;
    value = arena_printf(arena, "%" PRIu64, gbit);
    from = arena_printf(arena, "/sys/class/scsi_host/%s", host->subject->name);
    return value && from ? set_parameter(host, DRIVER_FORCED_GBIT.name, value, from) : -ENOMEM;
}

int driver_parameters(const struct fact_set *set, struct arena *arena, struct host *host)
{
    const struct driver *d = driver_of(set, host->subject);
    const char *name;
    int r = 0;

    for (size_t i = 0; r == 0 && (name = module_at(d, host->driver, i)); i++) {
        char module[MODULE_MAX];
        const char *from;

        spell_module(module, name);
        from = arena_printf(arena, "/sys/module/%s/parameters", module);
        if (!from)
            return -ENOMEM;
        r = take_parameters(arena, host, fact_set_find(set, "kernel", "parameters"), module, i == 0,
                            NULL);
        if (r == 0)
            r = take_parameters(arena, host, fact_set_find(set, "module", module), module, i == 0,
                                from);
    }
    return r < 0 ? r : take_own_speed(set, arena, host);
}
