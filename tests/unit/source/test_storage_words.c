/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is kept of the kernel command line and of modprobe.d.
 */
#include "../cmocka_all.h"

#include <string.h>

#include "source/storage_words.h"

static struct bytes bytes_of(const char *text)
{
    return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

static void words_that_bear_on_storage(void **state)
{
    static const char *const KEPT[] = {
        "libata.force=3:3.0Gbps,4:3.0Gbps",
        "mpt3sas.max_queue_depth=1024",
        "mptbase.mpt_msi_enable_spi=0",
        "aic79xx=verbose",
        "aic7xxx=no_reset",
        "sym53c8xx.settle=10",
        "sym53c8xx=mpar:y",
        "pci=noaer",
        "pcie_aspm=off",
        "usb-storage.quirks=152d:0578:u",
        "usb_storage.quirks=152d:0578:u",
        "scsi_mod.scan=sync",
        "scsi_transport_sas.x=1",
        "qla2xxx.ql2xmaxqdepth=64",
        "ahci.mobile_lpm_policy=1",
        "modprobe.blacklist=nouveau,mptspi",
        "3w-9xxx.use_msi=1",
        "hisi_sas_v3_hw.prot_mask=0",
    };
    static const char *const DROPPED[] = {
        "",
        "quiet",
        "root=/dev/disk/by-uuid/0f0f0f0f",
        "rd.iscsi.username=joe",
        "iscsi_password=secret",
        "netroot=iscsi:joe:secret@10.0.0.1::::iqn.2026-01.example:x",
        "ip=10.0.0.2::10.0.0.1:255.0.0.0:db7",
        "pcix=1",
        "modprobe.blacklist=nouveau",
        "nouveau.modeset=0",
        "libataforce=1",
        "=",
        ".",
        "mptspi.=",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(KEPT) / sizeof(KEPT[0]); i++)
        if (!storage_word(bytes_of(KEPT[i])))
            fail_msg("dropped: %s", KEPT[i]);
    for (size_t i = 0; i < sizeof(DROPPED) / sizeof(DROPPED[0]) - 1; i++)
        if (storage_word(bytes_of(DROPPED[i])))
            fail_msg("kept: %s", DROPPED[i]);
    assert_true(storage_module(bytes_of("mpt3sas")));
    assert_true(storage_module(bytes_of("usb-storage")));
    assert_false(storage_module(bytes_of("nvidia")));
    assert_false(storage_module(bytes_of("")));
}

static void check_text(struct bytes (*filter)(struct arena *, struct bytes), const char *in,
                       const char *out)
{
    struct arena *a = arena_new();
    struct bytes got = filter(a, bytes_of(in));

    assert_non_null(got.data);
    assert_int_equal(got.len, strlen(out));
    assert_memory_equal(got.data, out, got.len);
    arena_free(a);
}

static void the_command_line_is_filtered(void **state)
{
    (void)state;
    check_text(cmdline_storage_words, "", "");
    check_text(cmdline_storage_words, "\n", "");
    check_text(cmdline_storage_words, "quiet splash\n", "");
    check_text(
        cmdline_storage_words,
        "BOOT_IMAGE=/boot/vmlinuz root=/dev/sda1 ro  libata.force=1:1.5 \tpci=noaer rd.iscsi.password=x\n",
        "libata.force=1:1.5 pci=noaer\n");
    /* A quoted word may hold spaces. */
    check_text(cmdline_storage_words,
               "dyndbg=\"file x libata.force=1 +p\" scsi_mod.dev_flags=\"A B:C:1\" a",
               "scsi_mod.dev_flags=\"A B:C:1\"\n");
}

static void modprobe_files_are_filtered(void **state)
{
    (void)state;
    check_text(modprobe_storage_lines, "", "");
    check_text(modprobe_storage_lines, "# options mptspi x=1\n\nalias a b\n", "");
    check_text(modprobe_storage_lines,
               "options mptspi mpt_saf_te=1\noptions snd_hda_intel power_save=1\n"
               "  blacklist\tmptsas\nblacklist pcspkr\n"
               "install usb-storage /bin/sh -c 'echo secret'\nsoftdep mpt3sas pre: ses\n"
               "options mpt3sas \\\n  max_lun=16\nremove mptspi /bin/true",
               "options mptspi mpt_saf_te=1\nblacklist mptsas\ninstall usb-storage /bin/sh\n"
               "softdep mpt3sas pre: ses\noptions mpt3sas max_lun=16\n");
    check_text(modprobe_storage_lines, "options libata force=1\\", "options libata force=1\\\n");
    check_text(modprobe_storage_lines, "options libata", "options libata\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_bear_on_storage),
        cmocka_unit_test(the_command_line_is_filtered),
        cmocka_unit_test(modprobe_files_are_filtered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
