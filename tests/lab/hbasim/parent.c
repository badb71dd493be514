// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a host hangs on, with a bound driver of the right name: a function on
 * a PCI root bus of our own, whose configuration space is a few bytes in
 * memory, or a platform device.
 */
#include <asm/unaligned.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "hbasim.h"

#define EXPRESS 0x40 /* where the PCI Express capability is */

/* A bus with the functions that hosts are on. */
struct bus {
	struct list_head list;
	struct pci_sysdata sysdata;
	u8 number;
	struct pci_bus *pci;
	struct list_head parents;
};

/* A driver that does nothing but have its name. */
struct driver {
	struct list_head list;
	char name[SIM_NAME];
	unsigned int users;
	bool is_pci;
	struct pci_driver pci;
	struct platform_driver platform;
};

struct sim_parent {
	struct list_head list;
	struct driver *driver;
	struct bus *bus;
	u8 devfn;
	u8 config[256];
	struct pci_dev *pci;
	struct platform_device *platform;
};

/* Under sim_lock. */
static LIST_HEAD(buses);
static LIST_HEAD(drivers);

static struct sim_parent *function(struct bus *bus, unsigned int devfn)
{
	struct sim_parent *parent;

	list_for_each_entry(parent, &bus->parents, list)
		if (parent->devfn == devfn)
			return parent;
	return NULL;
}

static int config_read(struct pci_bus *pci, unsigned int devfn, int where, int size, u32 *value)
{
	struct bus *bus = container_of(pci->sysdata, struct bus, sysdata);
	struct sim_parent *parent = function(bus, devfn);

	*value = ~0U;
	if (!parent)
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (where + size > sizeof(parent->config))
		return PCIBIOS_BAD_REGISTER_NUMBER;
	if (size == 1)
		*value = parent->config[where];
	else if (size == 2)
		*value = get_unaligned_le16(parent->config + where);
	else
		*value = get_unaligned_le32(parent->config + where);
	return PCIBIOS_SUCCESSFUL;
}

/* The command register keeps what is written; nothing else does: no BAR has a size. */
static int config_write(struct pci_bus *pci, unsigned int devfn, int where, int size, u32 value)
{
	struct bus *bus = container_of(pci->sysdata, struct bus, sysdata);
	struct sim_parent *parent = function(bus, devfn);

	if (parent && where == PCI_COMMAND && size == 2)
		put_unaligned_le16(value, parent->config + where);
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops config_operations = {
	.read = config_read,
	.write = config_write,
};

static int pci_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	return 0;
}

static int platform_probe(struct platform_device *platform)
{
	return 0;
}

static int driver_register_named(struct driver *driver)
{
	if (!driver->is_pci) {
		driver->platform.driver.name = driver->name;
		driver->platform.probe = platform_probe;
		return platform_driver_register(&driver->platform);
	}
	/* Without a table it matches only what its driver_override gives to it. */
	driver->pci.name = driver->name;
	driver->pci.probe = pci_probe;
	return pci_register_driver(&driver->pci);
}

static struct driver *driver_get(const char *name, bool is_pci)
{
	struct driver *driver;
	int err;

	list_for_each_entry(driver, &drivers, list) {
		if (driver->is_pci == is_pci && !strcmp(driver->name, name)) {
			driver->users++;
			return driver;
		}
	}
	driver = kzalloc(sizeof(*driver), GFP_KERNEL);
	if (!driver)
		return ERR_PTR(-ENOMEM);
	strscpy(driver->name, name, sizeof(driver->name));
	driver->is_pci = is_pci;
	driver->users = 1;
	err = driver_register_named(driver);
	if (err) {
		sim_refuse("driver %s: error %d; is the real one loaded?", name, err);
		kfree(driver);
		return ERR_PTR(err);
	}
	list_add(&driver->list, &drivers);
	return driver;
}

static void driver_put_named(struct driver *driver)
{
	if (--driver->users)
		return;
	if (driver->is_pci)
		pci_unregister_driver(&driver->pci);
	else
		platform_driver_unregister(&driver->platform);
	list_del(&driver->list);
	kfree(driver);
}

static struct bus *bus_get(unsigned int domain, unsigned int number)
{
	LIST_HEAD(resources);
	struct bus *bus;

	list_for_each_entry(bus, &buses, list)
		if (bus->sysdata.domain == domain && bus->number == number)
			return bus;
	if (pci_find_bus(domain, number)) {
		sim_refuse("there is a real PCI bus %04x:%02x", domain, number);
		return ERR_PTR(-EINVAL);
	}
	bus = kzalloc(sizeof(*bus), GFP_KERNEL);
	if (!bus)
		return ERR_PTR(-ENOMEM);
	bus->sysdata.domain = domain;
	bus->sysdata.node = NUMA_NO_NODE;
	bus->number = number;
	INIT_LIST_HEAD(&bus->parents);
	pci_lock_rescan_remove();
	bus->pci = pci_create_root_bus(NULL, number, &config_operations, &bus->sysdata, &resources);
	pci_unlock_rescan_remove();
	if (!bus->pci) {
		kfree(bus);
		return ERR_PTR(-ENODEV);
	}
	list_add(&bus->list, &buses);
	return bus;
}

static void bus_put(struct bus *bus)
{
	if (!list_empty(&bus->parents))
		return;
	pci_lock_rescan_remove();
	pci_stop_root_bus(bus->pci);
	pci_remove_root_bus(bus->pci);
	pci_unlock_rescan_remove();
	list_del(&bus->list);
	kfree(bus);
}

/* A PCI Express endpoint (PCIe 3.0 7.8): the link it has and the one it can have. */
static void express(const struct sim_host *host, u8 *config)
{
	u8 *express = config + EXPRESS;

	put_unaligned_le16(PCI_STATUS_CAP_LIST, config + PCI_STATUS);
	config[PCI_CAPABILITY_LIST] = EXPRESS;
	express[PCI_CAP_LIST_ID] = PCI_CAP_ID_EXP;
	put_unaligned_le16(2, express + PCI_EXP_FLAGS);
	put_unaligned_le32((host->pci_max_speed ?: host->pci_speed) |
				   (host->pci_max_width ?: host->pci_width) << 4,
			   express + PCI_EXP_LNKCAP);
	put_unaligned_le16(host->pci_speed | host->pci_width << 4, express + PCI_EXP_LNKSTA);
}

static int describe(const struct sim_host *host, u8 *config)
{
	unsigned int vendor = 0x1000, device = 0x0030, sub_vendor, sub_device;
	int ids = sscanf(host->pci_id, "%x:%x:%x:%x", &vendor, &device, &sub_vendor, &sub_device);

	if (host->pci_id[0] && ids != 2 && ids != 4)
		return sim_refuse("pci_id: VENDOR:DEVICE[:VENDOR:DEVICE]");
	if (ids != 4) {
		sub_vendor = vendor;
		sub_device = device;
	}
	put_unaligned_le16(vendor, config + PCI_VENDOR_ID);
	put_unaligned_le16(device, config + PCI_DEVICE_ID);
	put_unaligned_le16(sub_vendor, config + PCI_SUBSYSTEM_VENDOR_ID);
	put_unaligned_le16(sub_device, config + PCI_SUBSYSTEM_ID);
	put_unaligned_le32(host->pci_class << 8, config + PCI_CLASS_REVISION);
	config[PCI_HEADER_TYPE] = 0x80; /* there may be more functions */
	if (host->pci_speed)
		express(host, config);
	return 0;
}

static int function_scan(struct sim_parent *parent, const char *driver)
{
	pci_lock_rescan_remove();
	parent->pci = pci_scan_single_device(parent->bus->pci, parent->devfn);
	if (parent->pci) {
		pci_dev_get(parent->pci);
		driver_set_override(&parent->pci->dev, &parent->pci->driver_override, driver,
				    strlen(driver));
		pci_bus_add_device(parent->pci);
	}
	pci_unlock_rescan_remove();
	return parent->pci ? 0 : -ENODEV;
}

static int pci_parent(struct sim_parent *parent, const struct sim_host *host)
{
	unsigned int domain, number, slot, fn;
	int err;

	if (sscanf(host->pci, "%x:%x:%x.%x", &domain, &number, &slot, &fn) != 4 ||
	    domain > 0xffff || number > 255 || slot > 31 || fn > 7)
		return sim_refuse("pci: an address like d000:01:01.0");
	parent->devfn = PCI_DEVFN(slot, fn);
	err = describe(host, parent->config);
	if (err)
		return err;
	parent->bus = bus_get(domain, number);
	if (IS_ERR(parent->bus))
		return PTR_ERR(parent->bus);
	if (function(parent->bus, parent->devfn))
		return sim_refuse("there is a host on %s", host->pci);
	list_add(&parent->list, &parent->bus->parents);
	err = function_scan(parent, parent->driver->name);
	if (err) {
		list_del(&parent->list);
		bus_put(parent->bus);
	}
	return err;
}

static int platform_parent(struct sim_parent *parent)
{
	parent->platform = platform_device_register_simple(parent->driver->name,
							   PLATFORM_DEVID_AUTO, NULL, 0);
	return PTR_ERR_OR_ZERO(parent->platform);
}

struct sim_parent *sim_parent_create(struct sim_host *host)
{
	struct sim_parent *parent = kzalloc(sizeof(*parent), GFP_KERNEL);
	int err;

	if (!parent)
		return ERR_PTR(-ENOMEM);
	parent->driver = driver_get(host->platform[0] ? host->platform : host->driver,
				    host->pci[0]);
	if (IS_ERR(parent->driver)) {
		err = PTR_ERR(parent->driver);
		kfree(parent);
		return ERR_PTR(err);
	}
	err = host->pci[0] ? pci_parent(parent, host) : platform_parent(parent);
	if (err) {
		driver_put_named(parent->driver);
		kfree(parent);
		return ERR_PTR(err);
	}
	return parent;
}

struct device *sim_parent_device(struct sim_parent *parent)
{
	return parent->pci ? &parent->pci->dev : &parent->platform->dev;
}

void sim_parent_remove(struct sim_parent *parent)
{
	if (parent->pci) {
		pci_stop_and_remove_bus_device_locked(parent->pci);
		pci_dev_put(parent->pci);
		list_del(&parent->list);
		bus_put(parent->bus);
	} else {
		platform_device_unregister(parent->platform);
	}
	driver_put_named(parent->driver);
	kfree(parent);
}
