/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the USB transport share: devices, hubs and ports as facts.
 *
 * Subjects: "usb_device" by the kernel's name (hubs and root hubs too), "usb_port" by the name of its
 * directory ("usb1-port3", "1-2-port4"), "usb_controller" by its path.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "transport/gathering.h"

/* Facts of a usb_device: what it runs at in kbit/s, its lanes, bcdUSB in hundredths, its object store. */
extern const struct fact_key USB_SPEED_KBIT, USB_RX_LANES, USB_TX_LANES, USB_VERSION, USB_BOS;

/* Facts of a usb_port. */
extern const struct fact_key USB_OVER_CURRENT;

/* Facts of a usb_controller, one for each port of its root hubs that another says is its peer: its name.
 * Where there is one, the kernel knows which have peers, and one without is a connector of one kind only. */
extern const struct fact_key USB_PEERED;

/* Is the component (of that length) a root hub, "usb2"? */
bool usb_is_root(const char *name, size_t len);

/* Length of the first `len` characters of a path without the last component and the '/' before it. */
size_t usb_parent_length(const char *path, size_t len);

/* Length of the path up to the device that the host is an interface of: …/2-1 of …/2-1/2-1:1.0/host0.
 * 0 where the host is on no USB interface. */
size_t usb_device_length(const struct subject *host);

/* Writes the last component of the first `len` characters of a path as a text of its own. */
void usb_name_at(const char *path, size_t len, char *ret, size_t size);

/* The port that a device or hub is plugged into, by the device's name (drivers/usb/core/port.c), else by its link. NULL where the
 * kernel shows none. */
const struct subject *usb_port_of(const struct fact_set *set, const struct subject *device);

/* The port that is the other side of a connector; NULL where the kernel shows none. */
const struct subject *usb_peer_of(const struct fact_set *set, const struct subject *port);

/* Has the port of a root hub on that controller a peer, by its own word or another's? `ret_unclear`: its own
 * cannot be read. */
bool usb_is_peered(const struct subject *controller, const struct subject *port, bool *ret_unclear);

/* Writes the path of the port that a device or hub is plugged into, by their names: …/usb1/1-2 is in
 * …/usb1/1-0:1.0/usb1-port2, …/1-2/1-2.4 in …/1-2/1-2:1.0/1-2-port4. Returns false for a root hub, and
 * where it does not fit. */
bool usb_port_path(const char *device, char *ret, size_t size);

/* The hub that a device (…/1-2/1-2.4) or a port (…/1-2/1-2:1.0/1-2-port4) belongs to. */
const struct subject *usb_hub_of(const struct fact_set *set, const struct subject *s);

/* Reads the device of a host, what it is plugged into, and so on up to the root hub and its controller; at
 * LEVEL_IDENTITY the device and its port only. Returns 0 or a negative errno. */
int usb_gather(struct gathering *g, const struct subject *host);
