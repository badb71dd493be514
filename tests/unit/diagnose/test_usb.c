/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * USB: a SuperSpeed disk at 480 Mb/s, and what is said of it where a fact of its way is missing.
 */
#include "small_machine.h"

#define PCI     "/sys/devices/pci0000:00/0000:00:14.0"
#define PORTS1  PCI "/usb1/1-0:1.0"
#define PORTS2  PCI "/usb2/2-0:1.0"
#define DISK    PCI "/usb1/1-1"
#define BOS_HEX "\x05\x0f\x16\0\x02\x07\x10\x02\x06\0\0\0\x0a\x10\x03\0\x0e\0\x01\x0a\xff\x07"

static void usb(struct store *s, const char *dir, const char *speed, const char *version)
{
    put_line(s, dir, "speed", speed);
    put_line(s, dir, "version", version);
}

/* A device with a SuperSpeed side (by its object store), and a disk on it. */
static void disk(struct store *s, const char *dir, const char *port)
{
    const struct bytes bos = { (const uint8_t *)BOS_HEX, sizeof(BOS_HEX) - 1 };
    char interface[256], class_dir[512], host[300];
    store_node node;

    usb(s, dir, "480", " 2.10");
    put(s, dir, "port", STORE_LINK, port);
    assert_int_equal(store_dir(s, text(dir), &node), 0);
    assert_int_equal(store_put(s, node, text("bos_descriptors"), STORE_FILE, bos, 0, NULL), 0);
    snprintf(interface, sizeof(interface), "%s%s:1.0", dir, strrchr(dir, '/'));
    object(s, class_dir, "scsi_host", "host0", interface);
    put_line(s, class_dir, "proc_name", "uas");
    snprintf(host, sizeof(host), "%s/host0", interface);
    device(s, host, "0:0:0:0", "0", "DISK");
}

/* Two root hubs whose first and second ports are one connector each. */
static struct store *controller(void)
{
    struct store *s = store_new();

    assert_non_null(s);
    usb(s, PCI "/usb1", "480", " 2.00");
    usb(s, PCI "/usb2", "5000", " 3.00");
    put(s, PORTS1 "/usb1-port1", "peer", STORE_LINK, PORTS2 "/usb2-port1");
    put(s, PORTS2 "/usb2-port1", "peer", STORE_LINK, PORTS1 "/usb1-port1");
    put(s, PORTS1 "/usb1-port2", "peer", STORE_LINK, PORTS2 "/usb2-port2");
    put(s, PORTS2 "/usb2-port2", "peer", STORE_LINK, PORTS1 "/usb1-port2");
    return s;
}

static void way_to_the_controller(void **state)
{
    static const struct {
        const char *dir, *name;
        enum verdict verdict;
    } REFUSED[] = {
        { PCI "/usb2", "authorized", VERDICT_BELOW },
        { PCI "/usb2", "speed", VERDICT_BELOW },
        { PCI "/usb2", "version", VERDICT_BELOW },
        { DISK, "port", VERDICT_BELOW },
        { PORTS1 "/usb1-port1", "peer", VERDICT_BELOW },
        { PORTS2 "/usb2-port1", "peer", VERDICT_BELOW },
        { DISK, "bos_descriptors", VERDICT_UNKNOWN },
        { DISK, "speed", VERDICT_UNKNOWN },
        { DISK, "rx_lanes", VERDICT_UNKNOWN },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(REFUSED); i++) {
        struct store *s = controller();
        const struct link *l;
        struct report *r;

        disk(s, DISK, PORTS1 "/usb1-port1");
        refuse(s, REFUSED[i].dir, REFUSED[i].name, EIO);
        r = judged(s);
        l = model_link_named(r->model, "1-1");
        assert_non_null(l);
        expect_link(r, "1-1", LINK_UP, REFUSED[i].verdict, i < 7 ? "480 Mb/s" : NULL,
                    REFUSED[i].verdict == VERDICT_BELOW ? "5 Gb/s" : NULL);
        assert_string_equal(l->id, "pci-0000:00:14.0-usb-0:1");
        report_free(r);
    }
}

/* Half an object store may lack the half that counts; a port link that leads nowhere hides no port. */
static void halves_and_dead_ends(void **state)
{
    const struct bytes half = { (const uint8_t *)BOS_HEX, (sizeof(BOS_HEX) - 1) / 2 };
    store_node node;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct store *s = controller();
        struct report *r;

        disk(s, DISK, i ? PCI "/nowhere" : PORTS1 "/usb1-port1");
        assert_int_equal(store_dir(s, text(DISK), &node), 0);
        if (!i)
            assert_int_equal(store_put(s, node, text("bos_descriptors"), STORE_FILE, half, 0, NULL),
                             0);
        r = judged(s);
        expect_link(r, "1-1", LINK_UP, i ? VERDICT_BELOW : VERDICT_UNKNOWN, "480 Mb/s",
                    i ? "5 Gb/s" : NULL);
        report_free(r);
    }
}

/* A port without a peer where others have one is a USB 2.0 connector; where its peer cannot be read, and no
 * other port names it, it may be more. */
static void port_without_a_peer(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct store *s = controller();
        struct report *r;

        disk(s, PCI "/usb1/1-3", PORTS1 "/usb1-port3");
        put_line(s, PORTS1 "/usb1-port3", "connect_type", "hotplug");
        if (i)
            refuse(s, PORTS1 "/usb1-port3", "peer", EACCES);
        r = judged(s);
        expect_link(r, "1-3", LINK_UP, i ? VERDICT_UNKNOWN : VERDICT_OK, "480 Mb/s",
                    i ? NULL : "480 Mb/s");
        report_free(r);
    }
}

/* A hub of USB 2.0 in between is what holds it; one that does not tell may be, or not. */
static void hub_in_between(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct store *s = controller();
        struct report *r;

        usb(s, DISK, "480", " 2.00");
        put(s, DISK, "port", STORE_LINK, PORTS1 "/usb1-port1");
        if (i)
            refuse(s, DISK, "version", EIO);
        put_line(s, DISK "/1-1:1.0/1-1-port4", "connect_type", "hotplug");
        disk(s, DISK "/1-1.4", DISK "/1-1:1.0/1-1-port4");
        r = judged(s);
        expect_link(r, "1-1.4", LINK_UP, i ? VERDICT_UNKNOWN : VERDICT_OK, "480 Mb/s",
                    i ? NULL : "480 Mb/s");
        report_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(way_to_the_controller),
        cmocka_unit_test(halves_and_dead_ends),
        cmocka_unit_test(port_without_a_peer),
        cmocka_unit_test(hub_in_between),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
