// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a host hangs on, with a bound driver of the right name: a PCI function,
 * whose configuration space is a few bytes in memory, or a platform device.
 *
 * A function is on a root bus of our own; where a slot is described, on the
 * bus behind a root port, which is on bus 00 of the same domain.
 */
#include <asm/unaligned.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "hbasim.h"

#define EXPRESS 0x40 /* where the PCI Express capability is */

/* What has a configuration space: a host's function or a port. */
struct function {
	struct list_head list;
	u16 domain;
	u8 bus, devfn;
	u8 config[256];
	struct pci_dev *pci;
};

struct bus {
	struct list_head list;
	struct pci_sysdata sysdata; /* of a root bus; others have their root's */
	u16 domain;
	u8 number;
	unsigned int users; /* hosts, and buses behind ports of this one */
	struct pci_bus *pci;
	struct bus *root; /* the bus that .port is on; NULL for a root bus */
	struct function port;
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
	struct driver *driver;
	struct bus *bus;
	struct function function; /* .pci is NULL where it is a platform device */
	struct platform_device *platform;
};

/* Under sim_lock. */
static LIST_HEAD(buses);
static LIST_HEAD(drivers);

/* Whoever reads sysfs reads configuration space. */
static LIST_HEAD(functions);
static DEFINE_RAW_SPINLOCK(functions_lock);

/* Under functions_lock, or sim_lock, under both of which the list changes. */
static struct function *function_at(unsigned int domain, unsigned int bus, unsigned int devfn)
{
	struct function *function;

	list_for_each_entry(function, &functions, list)
		if (function->domain == domain && function->bus == bus && function->devfn == devfn)
			return function;
	return NULL;
}

static int read_register(const struct function *function, int where, int size, u32 *value)
{
	*value = ~0U;
	if (!function)
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (where + size > sizeof(function->config))
		return PCIBIOS_BAD_REGISTER_NUMBER;
	if (size == 1)
		*value = function->config[where];
	else if (size == 2)
		*value = get_unaligned_le16(function->config + where);
	else
		*value = get_unaligned_le32(function->config + where);
	return PCIBIOS_SUCCESSFUL;
}

static int config_read(struct pci_bus *pci, unsigned int devfn, int where, int size, u32 *value)
{
	unsigned long flags;
	int err;

	raw_spin_lock_irqsave(&functions_lock, flags);
	err = read_register(function_at(pci_domain_nr(pci), pci->number, devfn), where, size,
			    value);
	raw_spin_unlock_irqrestore(&functions_lock, flags);
	return err;
}

/* The command register keeps what is written; nothing else does: no BAR has a size. */
static int config_write(struct pci_bus *pci, unsigned int devfn, int where, int size, u32 value)
{
	struct function *function;
	unsigned long flags;

	raw_spin_lock_irqsave(&functions_lock, flags);
	function = function_at(pci_domain_nr(pci), pci->number, devfn);
	if (function && where == PCI_COMMAND && size == 2)
		put_unaligned_le16(value, function->config + where);
	raw_spin_unlock_irqrestore(&functions_lock, flags);
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

/* A link of PCI Express (PCIe 3.0 7.8): what it is now and what it can be at best. */
static void express(u8 *config, u8 type, u32 speed, u32 width, u32 max_speed, u32 max_width)
{
	u8 *express = config + EXPRESS;

	put_unaligned_le16(PCI_STATUS_CAP_LIST, config + PCI_STATUS);
	config[PCI_CAPABILITY_LIST] = EXPRESS;
	express[PCI_CAP_LIST_ID] = PCI_CAP_ID_EXP;
	put_unaligned_le16(2 | type << 4, express + PCI_EXP_FLAGS);
	put_unaligned_le32(max_speed | max_width << 4, express + PCI_EXP_LNKCAP);
	/* A bit for each speed, from bit 1 on. */
	put_unaligned_le32((2U << max_speed) - 2, express + PCI_EXP_LNKCAP2);
	put_unaligned_le16(speed | width << 4, express + PCI_EXP_LNKSTA);
}

/* Both ends of a host's link. */
static void express_link(const struct sim_host *host, struct function *function,
			 struct function *port)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&functions_lock, flags);
	express(function->config, PCI_EXP_TYPE_ENDPOINT, host->pci_speed, host->pci_width,
		host->pci_max_speed, host->pci_max_width);
	if (port)
		express(port->config, PCI_EXP_TYPE_ROOT_PORT, host->pci_speed, host->pci_width,
			host->slot_speed, host->slot_width);
	raw_spin_unlock_irqrestore(&functions_lock, flags);
}

/* Makes the function appear on a bus; without a driver of the name none will be bound. */
static int function_add(struct function *function, struct pci_bus *bus, const char *driver)
{
	unsigned long flags;

	function->domain = pci_domain_nr(bus);
	function->bus = bus->number;
	raw_spin_lock_irqsave(&functions_lock, flags);
	list_add(&function->list, &functions);
	raw_spin_unlock_irqrestore(&functions_lock, flags);
	pci_lock_rescan_remove();
	function->pci = pci_scan_single_device(bus, function->devfn);
	if (function->pci) {
		pci_dev_get(function->pci);
		driver_set_override(&function->pci->dev, &function->pci->driver_override, driver,
				    strlen(driver));
		pci_bus_add_device(function->pci);
	}
	pci_unlock_rescan_remove();
	if (function->pci)
		return 0;
	raw_spin_lock_irqsave(&functions_lock, flags);
	list_del(&function->list);
	raw_spin_unlock_irqrestore(&functions_lock, flags);
	return -ENODEV;
}

static void function_remove(struct function *function)
{
	unsigned long flags;

	pci_stop_and_remove_bus_device_locked(function->pci);
	pci_dev_put(function->pci);
	raw_spin_lock_irqsave(&functions_lock, flags);
	list_del(&function->list);
	raw_spin_unlock_irqrestore(&functions_lock, flags);
}

static struct bus *bus_find(unsigned int domain, unsigned int number)
{
	struct bus *bus;

	list_for_each_entry(bus, &buses, list)
		if (bus->domain == domain && bus->number == number)
			return bus;
	return NULL;
}

/* A bus that is not there yet, and has no user. */
static struct bus *bus_new(unsigned int domain, unsigned int number)
{
	struct bus *bus;

	if (pci_find_bus(domain, number)) {
		sim_refuse("there is a real PCI bus %04x:%02x", domain, number);
		return ERR_PTR(-EINVAL);
	}
	bus = kzalloc(sizeof(*bus), GFP_KERNEL);
	if (!bus)
		return ERR_PTR(-ENOMEM);
	bus->domain = domain;
	bus->number = number;
	return bus;
}

static struct bus *root_get(unsigned int domain, unsigned int number)
{
	struct bus *bus = bus_find(domain, number);
	LIST_HEAD(resources);

	if (bus) {
		bus->users++;
		return bus;
	}
	bus = bus_new(domain, number);
	if (IS_ERR(bus))
		return bus;
	bus->users = 1;
	bus->sysdata.domain = domain;
	bus->sysdata.node = NUMA_NO_NODE;
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
	if (--bus->users)
		return;
	list_del(&bus->list);
	if (bus->root) {
		function_remove(&bus->port);
		bus_put(bus->root);
	} else {
		pci_lock_rescan_remove();
		pci_stop_root_bus(bus->pci);
		pci_remove_root_bus(bus->pci);
		pci_unlock_rescan_remove();
	}
	kfree(bus);
}

/* The root port that is the slot; a bridge's registers are those of header type 1. */
static int port_add(struct bus *bus, const struct sim_host *host)
{
	u8 *config = bus->port.config;
	int err;

	put_unaligned_le16(0x8086, config + PCI_VENDOR_ID);
	put_unaligned_le16(0x1901, config + PCI_DEVICE_ID); /* a x16 port of Skylake */
	put_unaligned_le32(PCI_CLASS_BRIDGE_PCI << 16, config + PCI_CLASS_REVISION);
	config[PCI_HEADER_TYPE] = PCI_HEADER_TYPE_BRIDGE;
	config[PCI_SECONDARY_BUS] = bus->number;
	config[PCI_SUBORDINATE_BUS] = bus->number;
	express(config, PCI_EXP_TYPE_ROOT_PORT, host->pci_speed, host->pci_width, host->slot_speed,
		host->slot_width);
	bus->port.devfn = PCI_DEVFN(bus->number, 0);
	err = function_add(&bus->port, bus->root->pci, "hbasim-port");
	if (err)
		return err;
	pci_lock_rescan_remove();
	bus->pci = pci_add_new_bus(bus->root->pci, bus->port.pci, bus->number);
	pci_unlock_rescan_remove();
	if (bus->pci)
		return 0;
	function_remove(&bus->port);
	return -ENOMEM;
}

/* The bus of a slot, behind a port of bus 00. */
static struct bus *slot_get(const struct sim_host *host, unsigned int domain, unsigned int number)
{
	struct bus *bus = bus_find(domain, number);
	int err;

	if (!number || number > 31 || (bus && !bus->root)) {
		sim_refuse("%04x:%02x is behind no slot: 01 to 1f can be", domain, number);
		return ERR_PTR(-EINVAL);
	}
	if (bus) {
		bus->users++;
		return bus;
	}
	bus = bus_new(domain, number);
	if (IS_ERR(bus))
		return bus;
	bus->users = 1;
	bus->root = root_get(domain, 0);
	err = IS_ERR(bus->root) ? PTR_ERR(bus->root) : port_add(bus, host);
	if (err) {
		if (!IS_ERR(bus->root))
			bus_put(bus->root);
		kfree(bus);
		return ERR_PTR(err);
	}
	list_add(&bus->list, &buses);
	return bus;
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
	return 0;
}

static int pci_parent(struct sim_parent *parent, const struct sim_host *host)
{
	unsigned int domain, number, slot, fn;
	int err;

	if (sscanf(host->pci, "%x:%x:%x.%x", &domain, &number, &slot, &fn) != 4 ||
	    domain > 0xffff || number > 255 || slot > 31 || fn > 7)
		return sim_refuse("pci: an address like d000:01:01.0");
	parent->function.devfn = PCI_DEVFN(slot, fn);
	err = describe(host, parent->function.config);
	if (err)
		return err;
	if (host->slot_speed && (!host->pci_speed || slot))
		return sim_refuse("behind a slot: device 00, with a link");
	parent->bus = host->slot_speed ? slot_get(host, domain, number) : root_get(domain, number);
	if (IS_ERR(parent->bus))
		return PTR_ERR(parent->bus);
	if (host->pci_speed)
		express_link(host, &parent->function, NULL);
	if (function_at(domain, number, parent->function.devfn))
		err = sim_refuse("there is a host on %s", host->pci);
	else
		err = function_add(&parent->function, parent->bus->pci, parent->driver->name);
	if (err)
		bus_put(parent->bus);
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
	return parent->function.pci ? &parent->function.pci->dev : &parent->platform->dev;
}

/* The host's link has trained anew. */
void sim_parent_changed(struct sim_host *host)
{
	struct sim_parent *parent = host->parent;

	if (parent->function.pci && host->pci_speed)
		express_link(host, &parent->function,
			     parent->bus->root ? &parent->bus->port : NULL);
}

void sim_parent_remove(struct sim_parent *parent)
{
	if (parent->function.pci) {
		function_remove(&parent->function);
		bus_put(parent->bus);
	} else {
		platform_device_unregister(parent->platform);
	}
	driver_put_named(parent->driver);
	kfree(parent);
}
