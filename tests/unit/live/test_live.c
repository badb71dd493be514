/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The live source over a copied tree: the contract of sources, and what is its own.
 */
#include "../source/contract.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/live.h"
#include "source/record.h"
#include "source/replay.h"

/* ---- the tree on disk ---- */

static char root[] = "/tmp/hbad-live-XXXXXX";

static void make_parents(const char *path)
{
    char dir[4096];

    for (const char *c = strchr(path + strlen(root) + 1, '/'); c; c = strchr(c + 1, '/')) {
        snprintf(dir, sizeof(dir), "%.*s", (int)(c - path), path);
        assert_true(mkdir(dir, 0755) == 0 || errno == EEXIST);
    }
}

static void make_entry(const char *path, enum store_kind kind, struct bytes value)
{
    char full[4096];
    int fd;

    snprintf(full, sizeof(full), "%s%s", root, path);
    make_parents(full);
    if (kind == STORE_DIR) {
        assert_int_equal(mkdir(full, 0755), 0);
    } else if (kind == STORE_LINK) {
        assert_int_equal(symlink((const char *)value.data, full), 0);
    } else {
        fd = open(full, O_WRONLY | O_CREAT | O_EXCL, kind == STORE_ERRNO ? 0 : 0644);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, value.data, value.len), value.len);
        close(fd);
    }
}

static int make_tree(void **state)
{
    char *large = large_content(), path[512], name[LONG_NAME + 1];

    (void)state;
    assert_non_null(mkdtemp(root));
    assert_int_equal(chmod(root, 0755), 0);
    for (size_t i = 0; i < ELEMENTS(TREE); i++)
        make_entry(TREE[i].path, TREE[i].kind, tree_value(&TREE[i], large));
    for (int i = 0; i < MANY_NAMES; i++) {
        snprintf(path, sizeof(path), "/sys/class/many/phy-%d", i);
        make_entry(path, STORE_DIR, (struct bytes){ 0 });
    }
    long_name(name);
    snprintf(path, sizeof(path), "/sys/class/long/%s", name);
    make_entry(path, STORE_FILE, text_of("long\n"));
    free(large);
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *f)
{
    (void)st;
    (void)flag;
    (void)f;
    return remove(path);
}

static int remove_tree(void **state)
{
    (void)state;
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- the contract ---- */

/* As root nothing is denied: the checks run as nobody then. */
static void become_nobody(void)
{
    if (geteuid() == 0)
        assert_int_equal(seteuid(65534), 0);
}

static void become_self(void)
{
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
}

static struct source *open_tree(bool by_hand)
{
    struct source *s = live_new(&(struct live_options){ .root = root, .by_hand = by_hand });

    assert_non_null(s);
    return s;
}

static void live_keeps_the_contract(void **state)
{
    (void)state;
    become_nobody();
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        struct source *s = open_tree(by_hand);

        contract_holds(s);
        source_close(s);
    }
    become_self();
}

static void record_of_live_and_its_replay_keep_the_contract(void **state)
{
    struct store *copy = store_new();
    struct source *live, *s;

    (void)state;
    become_nobody();
    live = open_tree(false);
    s = record_new(live, copy);
    contract_holds(s);
    source_close(s);
    source_close(live);
    become_self();
    s = replay_new(copy);
    contract_holds(s);
    source_close(s);
    store_free(copy);
}

/* What each check asks, recorded by itself from the disk. */
static void each_check_is_recorded_by_itself(void **state)
{
    (void)state;
    become_nobody();
    for (size_t i = 0; i < ELEMENTS(CONTRACT); i++) {
        struct store *copy = store_new();
        struct source *live = open_tree(true), *s = record_new(live, copy);

        CONTRACT[i].check(s);
        source_close(s);
        source_close(live);
        s = replay_new(copy);
        CONTRACT[i].check(s);
        source_close(s);
        store_free(copy);
    }
    become_self();
}

/* ---- its own ---- */

static void a_root_that_is_no_directory_is_refused(void **state)
{
    (void)state;
    errno = 0;
    assert_null(live_new(&(struct live_options){ .root = "/nonexistent/tree" }));
    assert_int_equal(errno, ENOENT);
    errno = 0;
    assert_null(live_new(&(struct live_options){ .root = "/proc/self/cmdline" }));
    assert_int_equal(errno, ENOTDIR);
}

static const struct command_target DISK = {
    .hctl = "0:0:2:0", .type = 0, .scsi_level = 6, .flags = TARGET_READS
};

static void a_copied_tree_gets_no_commands(void **state)
{
    struct source *s = open_tree(false);
    struct command c = command_inquiry(36);
    struct answer a = { 0 };

    (void)state;
    assert_int_equal(source_command(s, &DISK, &c, &a), 0);
    assert_int_equal(a.error, EOPNOTSUPP);
    assert_int_equal(live_event_fd(s), -EOPNOTSUPP);
    source_close(s);
}

static void a_copied_tree_says_whose_it_is(void **state)
{
    struct source *s = open_tree(false);
    struct taken t;

    (void)state;
    assert_int_equal(source_now(s, &t), 0);
    assert_string_equal(t.kernel, "");
    assert_string_equal(t.machine, "");
    assert_string_equal(t.hostname, "");
    assert_true(t.wall_us > 1500000000ull * 1000000);
    source_close(s);

    make_entry("/proc/sys/kernel/osrelease", STORE_FILE, text_of("6.1.0-57-amd64\n"));
    make_entry("/proc/sys/kernel/hostname", STORE_FILE, text_of("bad\xff\n"));
    make_entry("/proc/sys/kernel/arch", STORE_FILE, text_of("x86_64"));
    s = open_tree(false);
    assert_int_equal(source_now(s, &t), 0);
    assert_string_equal(t.kernel, "6.1.0-57-amd64");
    assert_string_equal(t.machine, "x86_64");
    assert_string_equal(t.hostname, ""); /* no text */
    assert_false(t.scrubbed);
    source_close(s);
}

/* Many reads leave no descriptor open, nor do refusals. */
static unsigned open_descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    unsigned n = 0;

    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void nothing_stays_open(void **state)
{
    unsigned before = open_descriptors();
    struct source *s;

    (void)state;
    become_nobody();
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        s = open_tree(by_hand);
        contract_holds(s);
        assert_int_equal(open_descriptors(), before + 1); /* the root's */
        source_close(s);
    }
    become_self();
    assert_int_equal(open_descriptors(), before);
}

/* This machine: the kernel names itself, and procfs and sysfs are read to their ends. */
static void this_machine_answers(void **state)
{
    struct source *s = live_new(&(struct live_options){ 0 });
    struct taken t;
    struct value v;
    struct names n;
    struct answer a;
    char release[80];

    (void)state;
    assert_non_null(s);
    assert_true(s->asking_costs);
    assert_int_equal(source_now(s, &t), 0);
    assert_int_equal(source_read(s, "/proc/sys/kernel/osrelease", 4096, &v), 0);
    snprintf(release, sizeof(release), "%s\n", t.kernel);
    assert_string_equal((const char *)v.bytes.data, release);
    assert_true(t.mono_us > 0);

    assert_int_equal(source_list(s, "/proc/self", "", &n), 0);
    assert_int_equal(n.error, 0);
    assert_true(n.n > 10);
    names_done(&n);
    expect_read(s, "/sys", 10, EISDIR, (struct bytes){ 0 });
    expect_read(s, "/sys/no/such", 10, ENOENT, (struct bytes){ 0 });

    /* A device that is not there: nothing is opened. The gate lets an INQUIRY of 36 bytes through. */
    struct command c = command_inquiry(36);
    struct command_target nobody = { .hctl = "4095:0:0:0", .type = 0, .scsi_level = 6 };

    assert_int_equal(source_command(s, &nobody, &c, &a), 0);
    assert_int_equal(a.error, ENODEV);
    nobody.hctl = "../../../tmp";
    assert_int_equal(source_command(s, &nobody, &c, &a), 0);
    assert_int_equal(a.error, EINVAL);
    /* Past the gates, straight to the implementation: what writes is refused there too. */
    c = (struct command){ { 0x2a, [8] = 1 }, 10, 512 };
    nobody.hctl = "4095:0:0:0";
    assert_int_equal(s->ops->command(s, &nobody, &c, &a), 0);
    assert_int_equal(a.error, EPERM);
    source_close(s);
}

/* A recorder shows what a device of this machine says of itself to udev, if udev runs here. */
static void properties_of_what_is_no_device_are_absent(void **state)
{
    struct source *s = live_new(&(struct live_options){ 0 });
    struct value v;

    (void)state;
    assert_int_equal(source_prop(s, "/sys/devices/no/such", "ID_MODEL", &v), 0);
    assert_int_equal(v.error, ENOENT);
    assert_int_equal(source_prop(s, "/etc", "ID_MODEL", &v), 0);
    assert_int_equal(v.error, ENOENT);
    source_close(s);
}

/* Any block device of this machine has the property DEVNAME, from the kernel's own uevent file. */
static void properties_of_a_device_are_found(void **state)
{
    struct source *s = live_new(&(struct live_options){ 0 });
    struct names n;
    struct value v, again;
    char path[300], name[300];

    (void)state;
    assert_int_equal(source_list(s, "/sys/class/mem", "null", &n), 0);
    if (n.n == 0) {
        names_done(&n);
        source_close(s);
        skip();
    }
    snprintf(path, sizeof(path), "/sys/devices/virtual/mem/%s", n.v[0]);
    snprintf(name, sizeof(name), "/dev/%s", n.v[0]);
    names_done(&n);
    assert_int_equal(source_prop(s, path, "DEVNAME", &v), 0);
    assert_int_equal(v.error, 0);
    assert_string_equal((const char *)v.bytes.data, name);
    assert_int_equal(source_prop(s, path, "NO_SUCH_PROPERTY", &again), 0);
    assert_int_equal(again.error, ENOENT);
    assert_int_equal(source_prop(s, path, "SUBSYSTEM", &again), 0);
    assert_string_equal((const char *)again.bytes.data, "mem");
    assert_string_equal((const char *)v.bytes.data, name);
    source_close(s);
}

static void events_are_not_waited_for(void **state)
{
    struct source *s = live_new(&(struct live_options){ 0 });
    struct source_event e;
    int fd = live_event_fd(s);

    (void)state;
    if (fd < 0) {
        source_close(s);
        skip(); /* no netlink here */
    }
    assert_int_equal(live_event_fd(s), fd);
    assert_int_equal(source_next_event(s, &e), 0);
    source_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_keeps_the_contract),
        cmocka_unit_test(record_of_live_and_its_replay_keep_the_contract),
        cmocka_unit_test(each_check_is_recorded_by_itself),
        cmocka_unit_test(nothing_stays_open),
        cmocka_unit_test(a_root_that_is_no_directory_is_refused),
        cmocka_unit_test(a_copied_tree_gets_no_commands),
        cmocka_unit_test(a_copied_tree_says_whose_it_is),
        cmocka_unit_test(this_machine_answers),
        cmocka_unit_test(properties_of_what_is_no_device_are_absent),
        cmocka_unit_test(properties_of_a_device_are_found),
        cmocka_unit_test(events_are_not_waited_for),
    };
    return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
