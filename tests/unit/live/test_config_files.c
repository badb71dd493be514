/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where configuration files are found, in which order, and what hides what; over a tree of the test's own.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/config_files.h"

#define ETC "/etc/hbad/"
#define LIB "/usr/lib/hbad/"

static char root[64];

static const char *full(const char *path)
{
    static char buffer[512];

    snprintf(buffer, sizeof(buffer), "%s%s", root, path);
    return buffer;
}

static void write_file(const char *path, const void *data, size_t len)
{
    int fd = open(full(path), O_WRONLY | O_CREAT | O_TRUNC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, len), len);
    close(fd);
}

static int setup(void **state)
{
    static const char *const DIRS[] = { "/etc", "/etc/hbad", "/usr", "/usr/lib", "/usr/lib/hbad" };

    (void)state;
    strcpy(root, "/tmp/hbad-config-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    for (size_t i = 0; i < ELEMENTS(DIRS); i++)
        if (mkdir(full(DIRS[i]), 0755) < 0)
            return -1;
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *f)
{
    (void)st;
    (void)flag;
    (void)f;
    return remove(path);
}

static int teardown(void **state)
{
    (void)state;
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The files that are found, one a line, without the root; what cannot be listed with its errno. */
static void check_found(const char *expected)
{
    struct config_files files;
    char buffer[1024] = "";
    size_t n = 0;

    assert_int_equal(config_files_find(root, &files), 0);
    for (size_t i = 0; i < files.n && n < sizeof(buffer); i++) {
        assert_int_equal(strncmp(files.v[i].path, root, strlen(root)), 0);
        n += (size_t)snprintf(buffer + n, sizeof(buffer) - n, "%s%s%s\n",
                              files.v[i].path + strlen(root), files.v[i].error ? " " : "",
                              files.v[i].error ? strerrorname_np(files.v[i].error) : "");
    }
    config_files_done(&files);
    assert_string_equal(buffer, expected);
}

static void main_file(void **state)
{
    (void)state;
    check_found("");
    write_file(LIB "hbad.conf", "", 0);
    check_found(LIB "hbad.conf\n");
    write_file(ETC "hbad.conf", "", 0);
    check_found(ETC "hbad.conf\n");
    /* a link that leads nowhere is there, and hides the other */
    assert_int_equal(unlink(full(ETC "hbad.conf")), 0);
    assert_int_equal(symlink("/nonexistent", full(ETC "hbad.conf")), 0);
    check_found(ETC "hbad.conf\n");
}

static void drop_ins(void **state)
{
    static const char *const FILES[] = {
        LIB "hbad.conf",
        ETC "hbad.conf.d/30-b.conf",
        ETC "hbad.conf.d/10-c.conf",
        LIB "hbad.conf.d/20-a.conf",
        LIB "hbad.conf.d/30-b.conf",
        LIB "hbad.conf.d/z.conf",
        /* no drop-ins */
        ETC "hbad.conf.d/.hidden.conf",
        ETC "hbad.conf.d/40.conf.bak",
        ETC "hbad.conf.d/README",
    };

    (void)state;
    assert_int_equal(mkdir(full(ETC "hbad.conf.d"), 0755), 0);
    assert_int_equal(mkdir(full(LIB "hbad.conf.d"), 0755), 0);
    for (size_t i = 0; i < ELEMENTS(FILES); i++)
        write_file(FILES[i], "", 0);
    assert_int_equal(symlink("/dev/null", full(ETC "hbad.conf.d/z.conf")), 0);
    check_found(LIB "hbad.conf\n" ETC "hbad.conf.d/10-c.conf\n" LIB "hbad.conf.d/20-a.conf\n" ETC
                    "hbad.conf.d/30-b.conf\n" ETC "hbad.conf.d/z.conf\n");
}

/* A directory that cannot be listed is said, and the other one's files are found. */
static void unlisted(void **state)
{
    (void)state;
    assert_int_equal(symlink("hbad.conf.d", full(ETC "hbad.conf.d")), 0);
    assert_int_equal(mkdir(full(LIB "hbad.conf.d"), 0755), 0);
    write_file(LIB "hbad.conf.d/a.conf", "", 0);
    check_found(ETC "hbad.conf.d ELOOP\n" LIB "hbad.conf.d/a.conf\n");
    assert_int_equal(unlink(full(ETC "hbad.conf.d")), 0);
    write_file(ETC "hbad.conf.d", "", 0);
    check_found(ETC "hbad.conf.d ENOTDIR\n" LIB "hbad.conf.d/a.conf\n");
}

static void reading(void **state)
{
    static char large[CONFIG_FILE_BYTES + 1];
    struct bytes text;

    (void)state;
    memset(large, 'x', sizeof(large));
    write_file("/f", "a = b\0c", 7);
    assert_int_equal(config_file_read(full("/f"), &text), 0);
    assert_int_equal(text.len, 7);
    assert_memory_equal(text.data, "a = b\0c", 7);
    free((void *)(uintptr_t)text.data);
    write_file("/f", large, CONFIG_FILE_BYTES);
    assert_int_equal(config_file_read(full("/f"), &text), 0);
    assert_int_equal(text.len, CONFIG_FILE_BYTES);
    assert_memory_equal(text.data, large, CONFIG_FILE_BYTES);
    free((void *)(uintptr_t)text.data);
    write_file("/f", large, CONFIG_FILE_BYTES + 1);
    assert_int_equal(config_file_read(full("/f"), &text), -EFBIG);
    assert_int_equal(config_file_read(full("/nonexistent"), &text), -ENOENT);
    assert_int_equal(config_file_read(full("/etc"), &text), -EISDIR);
    assert_int_equal(config_file_read("/dev/null", &text), 0);
    assert_int_equal(text.len, 0);
    free((void *)(uintptr_t)text.data);
    assert_int_equal(config_file_read("/dev/zero", &text), -EBADFD);
    assert_int_equal(mkfifo(full("/fifo"), 0600), 0);
    assert_int_equal(config_file_read(full("/fifo"), &text), -EBADFD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(main_file, setup, teardown),
        cmocka_unit_test_setup_teardown(drop_ins, setup, teardown),
        cmocka_unit_test_setup_teardown(unlisted, setup, teardown),
        cmocka_unit_test_setup_teardown(reading, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
