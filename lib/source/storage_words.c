/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tables of storage modules and words, and the two filters over them (storage_words.h).
 */
#include "source/storage_words.h"

#include <errno.h>
#include <string.h>

#include "source/mounts.h"

/* Modules under drivers/scsi, drivers/ata, drivers/message/fusion, drivers/usb and drivers/infiniband/ulp
 * that are a link's initiator or its core. A name that ends in '*' stands for all that begin so. */
static const char MODULES[] =
    /* cores */
    "scsi_mod scsi_transport_* scsi_dh_* libsas libfc libfcoe libiscsi* libata sd_mod sr_mod st ch sg "
    "ses enclosure bsg usbcore pcieport pciehp "
    /* parallel SCSI */
    "aic7xxx* aic79xx sym53c8xx* ncr53c8xx 53c700 mpt* advansys BusLogic dc395x initio a100u2w atp870u "
    "esp_scsi am53c974 qla1280 nsp32 wd719x dmx3191d "
    /* SAS and RAID */
    "mpi3mr megaraid* aacraid aic94xx arcmsr hpsa cciss smartpqi pm80xx pm8001 mvsas mvumi isci "
    "hisi_sas_* esas2r ips ipr hptiop stex gdth dpt_i2o 3w_* pmcraid myrb myrs "
    /* Fibre Channel, FCoE */
    "lpfc qla2* bfa fnic zfcp ibmvfc csiostor efct bnx2fc qedf fcoe "
    /* iSCSI, SRP */
    "iscsi_tcp qla4xxx be2iscsi bnx2i cxgb3i cxgb4i qedi ib_srp ib_iser ibmvscsi "
    /* SATA and parallel ATA */
    "ahci* acard_ahci ata_* sata_* pata_* pdc_adma "
    /* USB, FireWire, UFS, virtual */
    "usb_storage uas ums_* xhci_* ehci_* ohci_* uhci_* firewire_sbp2 ufshcd* virtio_scsi vmw_pvscsi "
    "hv_storvsc xen_scsifront scsi_debug";

/* Words of the kernel itself, and what drivers built into old kernels took without a module's name in
 * front. The word ends behind these or goes on with '='. */
static const char WORDS[] =
    "pci pcie_aspm pcie_ports pcie_port_pm pcie_hp aic7xxx aic79xx sym53c8xx ncr53c8xx mptscsih mptspi "
    "megaraid BusLogic scsi_logging max_luns scsihosts scsi_dev_flags scsi_default_dev_flags st";

/* Words that name modules, separated by commas. */
static const char LISTS[] = "modprobe.blacklist module_blacklist";

static uint8_t folded(uint8_t c)
{
    return c == '-' ? '_' : c;
}

/* Is it the word, or does it begin so where the word ends in '*'? */
static bool matches(struct bytes name, struct bytes word)
{
    bool open = word.data[word.len - 1] == '*';

    word.len -= open;
    if (name.len < word.len || (!open && name.len != word.len))
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (folded(name.data[i]) != folded(word.data[i]))
            return false;
    return true;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

/* The next word, moving *text behind it; empty at the end. Double quotes hold words together. */
static struct bytes next_word(struct bytes *text)
{
    size_t start = 0, end;
    bool quoted = false;
    struct bytes word;

    while (start < text->len && is_space(text->data[start]))
        start++;
    for (end = start; end < text->len && (quoted || !is_space(text->data[end])); end++)
        quoted ^= text->data[end] == '"';
    word = bytes_slice(*text, start, end - start);
    *text = bytes_slice(*text, end, text->len);
    return word;
}

static bool is_among(struct bytes name, const char *words)
{
    struct bytes rest = { (const uint8_t *)words, strlen(words) }, word;

    while ((word = next_word(&rest)).len)
        if (matches(name, word))
            return true;
    return false;
}

bool storage_module(struct bytes name)
{
    return is_among(name, MODULES);
}

/* Up to the first byte that `c` is, or all. */
static struct bytes before(struct bytes b, uint8_t c)
{
    const uint8_t *at = b.len ? memchr(b.data, c, b.len) : NULL;

    return at ? bytes_slice(b, 0, (size_t)(at - b.data)) : b;
}

bool storage_word(struct bytes word)
{
    struct bytes name = before(word, '='), module = before(name, '.'), item;

    if (is_among(name, LISTS)) {
        for (size_t at = name.len + 1; at < word.len; at += item.len + 1) {
            item = before(bytes_slice(word, at, word.len), ',');
            if (storage_module(item))
                return true;
        }
        return false;
    }
    if (module.len < name.len)
        return storage_module(module);
    return is_among(name, WORDS);
}

/* Text that grows up to a size known before. */
struct kept {
    uint8_t *data;
    size_t len;
};

static void keep(struct kept *k, struct bytes b, uint8_t behind)
{
    if (b.len)
        memcpy(k->data + k->len, b.data, b.len);
    k->len += b.len;
    k->data[k->len++] = behind;
}

struct bytes cmdline_storage_words(struct arena *a, struct bytes cmdline)
{
    struct kept k = { arena_alloc(a, cmdline.len + 2), 0 };
    struct bytes word;

    while (k.data && (word = next_word(&cmdline)).len)
        if (storage_word(word))
            keep(&k, word, ' ');
    if (k.len)
        k.data[k.len - 1] = '\n';
    return (struct bytes){ k.data, k.len };
}

static bool is_word(struct bytes b, const char *word)
{
    return b.len == strlen(word) && memcmp(b.data, word, b.len) == 0;
}

/* Takes over one whole line if it bears on storage. */
static void keep_line(struct kept *k, struct bytes line)
{
    struct bytes rest = line, command = next_word(&rest), module = next_word(&rest), word;
    bool install = is_word(command, "install");

    if (!storage_module(module))
        return;
    if (!install && !is_word(command, "options") && !is_word(command, "blacklist") &&
        !is_word(command, "softdep"))
        return;
    keep(k, command, ' ');
    keep(k, module, ' ');
    while ((word = next_word(&rest)).len) {
        keep(k, word, ' ');
        if (install)
            break;
    }
    k->data[k->len - 1] = '\n';
}

/* The next line without its newline, continued ones (a backslash before the newline) joined in place.
 * Moves *text behind it. */
static struct bytes next_line(uint8_t *data, size_t len, size_t *at)
{
    size_t start = *at, out = start;

    for (; *at < len && data[*at] != '\n'; (*at)++) {
        if (data[*at] == '\\' && *at + 1 < len && data[*at + 1] == '\n') {
            (*at)++;
            data[out++] = ' ';
        } else {
            data[out++] = data[*at];
        }
    }
    (*at)++;
    return (struct bytes){ data + start, out - start };
}

struct bytes modprobe_storage_lines(struct arena *a, struct bytes text)
{
    struct bytes copy = arena_bytes(a, text);
    struct kept k = { arena_alloc(a, text.len + 2), 0 };
    uint8_t *data = (uint8_t *)(uintptr_t)copy.data;

    if (!data || !k.data)
        return (struct bytes){ 0 };
    for (size_t at = 0; at < text.len;)
        keep_line(&k, next_line(data, text.len, &at));
    return (struct bytes){ k.data, k.len };
}

int storage_filter(struct arena *arena, const char *path, struct bytes content, struct bytes *ret)
{
    struct bytes kept = content;

    if (strcmp(path, "/proc/cmdline") == 0)
        kept = cmdline_storage_words(arena, content);
    else if (strncmp(path, "/etc/modprobe.d/", strlen("/etc/modprobe.d/")) == 0)
        kept = modprobe_storage_lines(arena, content);
    else if (strcmp(path, "/proc/1/mountinfo") == 0)
        kept = mounts_storage_lines(arena, content);
    else if (strcmp(path, "/proc/swaps") == 0)
        kept = swaps_storage_lines(arena, content);
    if (content.len && !kept.data)
        return -ENOMEM;
    *ret = kept;
    return 0;
}
