/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mountinfo and /proc/swaps: taken apart, and what is kept of them.
 */
#include "../cmocka_all.h"

#include <string.h>

#include "source/mounts.h"

static struct bytes text(const char *t)
{
    return (struct bytes){ (const uint8_t *)t, strlen(t) };
}

static void assert_field(struct bytes b, const char *expected)
{
    assert_int_equal(b.len, strlen(expected));
    assert_memory_equal(b.data, expected, b.len);
}

static void lines_without_all_fields_are_passed_over(void **state)
{
    struct bytes rest = text(
        "\n1 2 8:1\nnonsense\n"
        "36 35 8:1 /root /boot rw,noatime shared:1 master:2 - ext4 /dev/sda1 rw\n"
        "37 35 8:2 / /no-dash rw ext4 /dev/sda2\n"
        "38 35 0:40 / / rw - btrfs /dev/sdb");
    struct mount_fields f;

    (void)state;
    assert_true(mounts_next(&rest, &f));
    assert_field(f.id, "36");
    assert_field(f.parent, "35");
    assert_field(f.dev, "8:1");
    assert_field(f.point, "/boot");
    assert_field(f.fs, "ext4");
    assert_field(f.source, "/dev/sda1");
    assert_true(mounts_next(&rest, &f));
    assert_field(f.dev, "0:40");
    assert_field(f.point, "/");
    assert_field(f.source, "/dev/sdb");
    assert_false(mounts_next(&rest, &f));
}

static void only_devices_are_kept_and_nothing_private(void **state)
{
    struct arena *arena = arena_new();
    struct bytes kept = mounts_storage_lines(
        arena, text("21 1 0:20 / /sys rw - sysfs sysfs rw\n"
                    "36 1 8:1 /secret /boot rw shared:1 - ext4 /dev/sda1 rw,usrjquota=x\n"
                    "40 1 0:50 / /net rw - nfs server:/export rw,addr=192.0.2.1\n"
                    "41 1 0:51 / /smb rw - cifs //server/share rw,username=joe\n"
                    "42 1 0:52 / /d rw - fuse /dev/ rw\n"));
    struct bytes again;

    (void)state;
    assert_field(kept, "36 1 8:1 / /boot - - ext4 /dev/sda1\n");
    again = mounts_storage_lines(arena, kept);
    assert_field(again, "36 1 8:1 / /boot - - ext4 /dev/sda1\n");
    assert_int_equal(mounts_storage_lines(arena, text("")).len, 0);
    assert_non_null(mounts_storage_lines(arena, text("")).data);
    arena_free(arena);
}

static void swap_files_are_not_kept(void **state)
{
    struct arena *arena = arena_new();

    (void)state;
    assert_field(
        swaps_storage_lines(
            arena, text("Filename\tType\n/dev/dm-1 partition 5 0 -2\n/home/joe/swap file 5 0 -3")),
        "/dev/dm-1 partition 5 0 -2\n");
    arena_free(arena);
}

static void escapes_are_resolved(void **state)
{
    struct arena *arena = arena_new();

    (void)state;
    assert_string_equal(mounts_text(arena, text("/a\\040b\\011c\\134")), "/a b\tc\\");
    assert_string_equal(mounts_text(arena, text("/a\\04")), "/a\\04");
    assert_string_equal(mounts_text(arena, text("/a\\477\\000")), "/a\\477\\000");
    assert_string_equal(mounts_text(arena, text("")), "");
    arena_free(arena);
}

static void common_directories(void **state)
{
    (void)state;
    assert_true(mounts_is_common(text("home")));
    assert_false(mounts_is_common(text("homes")));
    assert_false(mounts_is_common(text("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_without_all_fields_are_passed_over),
        cmocka_unit_test(only_devices_are_kept_and_nothing_private),
        cmocka_unit_test(swap_files_are_not_kept),
        cmocka_unit_test(escapes_are_resolved),
        cmocka_unit_test(common_directories),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
