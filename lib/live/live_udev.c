/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties and events through libudev.
 */
#include "live/live_udev.h"

#include <errno.h>
#include <libudev.h>
#include <string.h>

#include "base/cleanup.h"

/* Room for the events of a shelf of some thousand devices that comes at once, at about 1 KiB each. The
 * kernel grants less to the unprivileged (net.core.rmem_max); then a burst is lost, and said. */
enum { MONITOR_BYTES = 8 * 1024 * 1024 };

/* What is watched: subsystems whose devices are hosts, links, devices or the way to them. Class names
 * of drivers/scsi/scsi_transport_*.c and drivers/ata/libata-transport.c. */
static const char *const SUBSYSTEMS[] = {
    "scsi",       "scsi_host",        "scsi_device",   "block",           "pci",
    "usb",        "spi_host",         "spi_transport", "sas_host",        "sas_phy",
    "sas_port",   "sas_device",       "sas_expander",  "sas_end_device",  "fc_host",
    "fc_vports",  "fc_transport",     "ata_port",      "fc_remote_ports", "ata_link",
    "ata_device", "iscsi_host",       "iscsi_session", "srp_host",        "iscsi_connection",
    "nvme",       "srp_remote_ports",
};

static int have_udev(struct live_udev *u)
{
    if (!u->udev)
        u->udev = udev_new();
    return u->udev ? 0 : -ENOMEM;
}

/* Makes u->device the one at that path; NULL where there is none. */
static int find_device(struct live_udev *u, const char *path)
{
    int r;

    if (u->device && strcmp(udev_device_get_syspath(u->device), path) == 0)
        return 0;
    r = have_udev(u);
    if (r < 0)
        return r;
    u->device = udev_device_unref(u->device);
    u->device = udev_device_new_from_syspath(u->udev, path);
    return !u->device && errno == ENOMEM ? -ENOMEM : 0;
}

int live_udev_prop(struct live_udev *u, struct arena *arena, const char *path, const char *name,
                   struct value *ret)
{
    struct value value = { .error = ENOENT };
    const char *text;
    int r = find_device(u, path);

    if (r < 0)
        return r;
    text = u->device ? udev_device_get_property_value(u->device, name) : NULL;
    if (text) {
        value.error = 0;
        value.bytes = arena_bytes(arena, (struct bytes){ (const uint8_t *)text, strlen(text) });
        if (!value.bytes.data)
            return -ENOMEM;
    }
    *ret = value;
    return 0;
}

int live_udev_watch(struct live_udev *u)
{
    struct udev_monitor *monitor;
    int r = have_udev(u);

    if (r < 0)
        return r;
    if (u->monitor)
        return udev_monitor_get_fd(u->monitor);
    errno = ENOMEM;
    monitor = udev_monitor_new_from_netlink(u->udev, "udev");
    if (!monitor)
        return -errno;
    for (size_t i = 0; r >= 0 && i < ELEMENTS(SUBSYSTEMS); i++)
        r = udev_monitor_filter_add_match_subsystem_devtype(monitor, SUBSYSTEMS[i], NULL);
    /* Its refusal is no reason not to watch. */
    udev_monitor_set_receive_buffer_size(monitor, MONITOR_BYTES);
    if (r >= 0)
        r = udev_monitor_enable_receiving(monitor);
    if (r < 0) {
        udev_monitor_unref(monitor);
        return r;
    }
    u->monitor = monitor;
    return udev_monitor_get_fd(monitor);
}

int live_udev_next(struct live_udev *u, struct source_event *ret)
{
    int r = live_udev_watch(u);

    if (r < 0)
        return r;
    u->event = udev_device_unref(u->event);
    errno = 0;
    u->event = udev_monitor_receive_device(u->monitor);
    if (!u->event)
        return errno == ENOBUFS || errno == ENOMEM ? -errno : 0;
    *ret = (struct source_event){
        .action = udev_device_get_action(u->event),
        .path = udev_device_get_syspath(u->event),
    };
    return ret->action && ret->path ? 1 : 0;
}

void live_udev_done(struct live_udev *u)
{
    udev_device_unref(u->event);
    udev_device_unref(u->device);
    udev_monitor_unref(u->monitor);
    udev_unref(u->udev);
    *u = (struct live_udev){ 0 };
}
