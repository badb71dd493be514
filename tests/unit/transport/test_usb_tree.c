/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * USB devices, hubs and ports by their paths.
 */
#include "../cmocka_all.h"

#include <string.h>

#include "transport/usb.h"

static const char HUB[] = "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2";

static size_t length_of(const char *path)
{
    struct subject host = { .class_name = "scsi_host", .name = "host3", .path = path };

    return usb_device_length(&host);
}

static void test_device_of_host(void **state)
{
    (void)state;
    assert_int_equal(
        length_of("/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2.4/1-2.4:1.0/host3"),
        strlen(HUB) + strlen("/1-2.4"));
    /* an interface of another device, a PCI function, an ATA port: no USB device */
    assert_int_equal(length_of("/sys/devices/x/usb1/1-2/1-3:1.0/host3"), 0);
    assert_int_equal(length_of("/sys/devices/x/usb1/1-2/1-2/host3"), 0);
    assert_int_equal(length_of("/sys/devices/pci0000:00/0000:00:1f.2/ata1/host3"), 0);
    assert_int_equal(length_of("/sys/devices/pci0000:00/0000:00:1f.2/host3"), 0);
    assert_int_equal(length_of("/host3"), 0);
}

static void test_roots(void **state)
{
    (void)state;
    assert_true(usb_is_root("usb2", 4));
    assert_true(usb_is_root("usb12/2-1", 5));
    assert_false(usb_is_root("usb", 3));
    assert_false(usb_is_root("usb1-port2", 10));
    assert_false(usb_is_root("2-1", 3));
}

static void add(struct fact_set *set, const char *class_name, const char *name, const char *path)
{
    bool is_new;

    assert_non_null(fact_set_add(set, class_name, name, path, NULL, &is_new));
}

/* A hub is found by name and place: two paths that cross must not make a ring. */
static void test_hubs(void **state)
{
    struct fact_set *set = fact_set_new();

    (void)state;
    add(set, "usb_device", "usb1", "/sys/x/usb1");
    add(set, "usb_device", "1-2", "/sys/x/usb1/1-2");
    add(set, "usb_device", "1-2.4", "/sys/x/usb1/1-2/1-2.4");
    add(set, "usb_port", "1-2-port4", "/sys/x/usb1/1-2/1-2:1.0/1-2-port4");
    add(set, "usb_device", "a", "/p/b/a");
    add(set, "usb_device", "b", "/q/a/b");
    assert_int_equal(fact_set_seal(set), 0);
    assert_string_equal(usb_hub_of(set, fact_set_find(set, "usb_device", "1-2.4"))->name, "1-2");
    assert_string_equal(usb_hub_of(set, fact_set_find(set, "usb_port", "1-2-port4"))->name, "1-2");
    assert_string_equal(usb_hub_of(set, fact_set_find(set, "usb_device", "1-2"))->name, "usb1");
    assert_null(usb_hub_of(set, fact_set_find(set, "usb_device", "usb1")));
    assert_null(usb_hub_of(set, fact_set_find(set, "usb_device", "a")));
    assert_null(usb_hub_of(set, fact_set_find(set, "usb_device", "b")));
    assert_string_equal(usb_port_of(set, fact_set_find(set, "usb_device", "1-2.4"))->name,
                        "1-2-port4");
    assert_null(usb_port_of(set, fact_set_find(set, "usb_device", "1-2")));
    fact_set_free(set);
}

static void test_ports_by_name(void **state)
{
    char path[128];

    (void)state;
    assert_true(usb_port_path("/sys/x/usb1/1-2", path, sizeof(path)));
    assert_string_equal(path, "/sys/x/usb1/1-0:1.0/usb1-port2");
    assert_true(usb_port_path("/sys/x/usb1/1-2/1-2.14", path, sizeof(path)));
    assert_string_equal(path, "/sys/x/usb1/1-2/1-2:1.0/1-2-port14");
    assert_false(usb_port_path("/sys/x/usb1", path, sizeof(path)));
    assert_false(usb_port_path("/sys/x/usb1/1-2", path, 16));
    assert_false(usb_port_path("1-2", path, sizeof(path)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_of_host),
        cmocka_unit_test(test_roots),
        cmocka_unit_test(test_hubs),
        cmocka_unit_test(test_ports_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
