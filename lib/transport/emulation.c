/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which hosts are emulated (emulation.h): by the subsystem ids of their PCI function, by the board's name,
 * by what their disks call themselves.
 *
 * Sources: QEMU docs/specs/pci-ids.rst (1af4:1100 on emulated hardware; lsi53c895a, megasas and mptsas1068
 * have ids of their own); pci.ids for VMware (15ad) and VirtualBox (80ee); what QEMU, VMware and
 * VirtualBox put into INQUIRY and IDENTIFY data.
 */
#include "transport/emulation.h"

#include <string.h>

#include "base/text.h"
#include "decode/inquiry.h"
#include "transport/driver.h"

static const char QEMU[] = "the adapter is emulated by QEMU: there is no physical link";
static const char VMWARE[] = "the adapter is emulated by VMware: there is no physical link";
static const char VBOX[] = "the adapter is emulated by VirtualBox: there is no physical link";
static const char HYPERV[] = "the adapter is emulated by Hyper-V: there is no physical link";
static const char BHYVE[] = "the adapter is emulated by bhyve: there is no physical link";

static const struct {
    uint16_t vendor;
    int device; /* -1: any */
    const char *reason;
} SUBSYSTEMS[] = {
    { 0x1af4, 0x1100, QEMU },
    { 0x15ad, -1, VMWARE },
    { 0x80ee, -1, VBOX },
};

/* How emulated boards and disks begin their names. */
static const struct {
    const char *vendor, *model; /* NULL: any */
    const char *reason;
} NAMES[] = {
    { "QEMU", NULL, QEMU },      { NULL, "QEMU ", QEMU },         { "VMware", "V", VMWARE },
    { NULL, "VMware ", VMWARE }, { "NECVMWar", NULL, VMWARE },    { "VBOX", NULL, VBOX },
    { NULL, "VBOX ", VBOX },     { "ATA", "Virtual HD", HYPERV }, { "Msft", "Virtual ", HYPERV },
    { NULL, "BHYVE ", BHYVE },
};

static const char *by_subsystem(const struct fact_set *set, const struct host *h)
{
    const struct subject *pci = pci_of(set, h->subject);
    uint64_t vendor, device;

    if (!fact_number(pci, &KEY_PCI_SUBVENDOR, &vendor) ||
        !fact_number(pci, &KEY_PCI_SUBDEVICE, &device))
        return NULL;
    for (size_t i = 0; i < ELEMENTS(SUBSYSTEMS); i++)
        if (SUBSYSTEMS[i].vendor == vendor &&
            (SUBSYSTEMS[i].device < 0 || (uint64_t)SUBSYSTEMS[i].device == device))
            return SUBSYSTEMS[i].reason;
    return NULL;
}

static const char *by_name(const char *vendor, const char *model)
{
    for (size_t i = 0; i < ELEMENTS(NAMES); i++)
        if ((!NAMES[i].vendor || (vendor && strcmp(vendor, NAMES[i].vendor) == 0)) &&
            (!NAMES[i].model || (model && text_starts_with(model, NAMES[i].model))))
            return NAMES[i].reason;
    return NULL;
}

/* The kernel's copy of the names, or the INQUIRY data that they are from, where one of these cannot be read. */
static const char *by_device(struct relation *r, const struct subject *device)
{
    const char *reason = by_name(fact_text(device, &KEY_VENDOR), fact_text(device, &KEY_MODEL));
    struct inquiry q;

    if (reason || inquiry_decode(fact_bytes(device, &KEY_INQUIRY), &q) < 0)
        return reason;
    return by_name(text_clean(r->model->arena, q.vendor), text_clean(r->model->arena, q.product));
}

/* Disks behind a network say nothing of the adapter that leads to it. */
static void mark_by_devices(struct relation *r)
{
    for (const struct subject *d = fact_set_first(r->facts, "scsi_device"); d;
         d = d->next_of_class) {
        const char *reason = d->host ? by_device(r, d) : NULL;
        struct host *h = reason ? model_host_named(r->model, d->host->name) : NULL;

        if (h && !h->physical && !h->emulated && !transport_of(r->facts, h->subject)->arrays)
            h->emulated = reason;
    }
}

void emulation_mark(struct relation *r)
{
    for (size_t i = 0; i < r->model->hosts.n; i++) {
        struct host *h = r->model->hosts.v[i];

        if (h->physical || h->emulated)
            continue;
        h->emulated = by_subsystem(r->facts, h);
        if (!h->emulated && h->board && text_starts_with(h->board, "QEMU"))
            h->emulated = QEMU;
    }
    mark_by_devices(r);
    for (size_t i = 0; i < r->model->links.n; i++) {
        struct link *l = r->model->links.v[i];

        if (!l->host || !l->host->emulated || l->has_no_link)
            continue;
        l->has_no_link = true;
        l->reason = l->host->emulated;
    }
}
