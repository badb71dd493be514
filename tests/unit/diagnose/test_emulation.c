/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Emulated adapters that are known by their disks alone: by the names these have, wherever they can be read.
 */
#include "small_machine.h"

#define DISK HOST0 "/target0:0:0/0:0:0:0"

static void vendor_of_a_disk(void **state)
{
    static const struct {
        const char *vendor, *model, *inquiry;
        bool is_emulated;
    } CASES[] = {
        { "QEMU", "DISK", NULL, true },
        { NULL, "DISK", "QEMU    QEMU HARDDISK   2.5+", true },
        { NULL, "QEMU HARDDISK", NULL, true },
        { "garbage", "QEMU HARDDISK", NULL, true },
        { "LSI", "DISK", "LSI     DISK            0001", false },
        { NULL, "DISK", NULL, false },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        struct store *s = store_new();
        struct report *r;
        char dir[512];

        assert_non_null(s);
        object(s, dir, "scsi_host", "host0", "/sys/devices/pci0000:00/0000:01:00.0");
        put_line(s, dir, "proc_name", "sym53c8xx");
        device(s, HOST0, "0:0:0:0", "0", CASES[i].model);
        if (CASES[i].vendor)
            put_line(s, DISK, "vendor", CASES[i].vendor);
        else
            refuse(s, DISK, "vendor", EIO);
        if (CASES[i].inquiry) {
            uint8_t data[36] = { 0, 0, 5, 2, 31 };
            const struct bytes bytes = { data, sizeof(data) };
            store_node node;

            memcpy(data + 8, CASES[i].inquiry, 28);
            assert_int_equal(store_dir(s, text(DISK), &node), 0);
            assert_int_equal(store_put(s, node, text("inquiry"), STORE_FILE, bytes, 0, NULL), 0);
        }
        r = judged(s);
        assert_int_equal(r->model->hosts.v[0]->emulated != NULL, CASES[i].is_emulated);
        report_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vendor_of_a_disk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
