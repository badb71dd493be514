/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The verb `capture`: what a machine says, in a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "ctl/ctl.h"
#include "source/capture.h"
#include "source/command.h"
#include "source/scrub.h"
#include "source/siphash.h"

/* Writes the capture and closes the stream. Returns 0 or a negative errno. */
static int write_and_close(const struct store *store, FILE *out)
{
    int r = capture_write(store, out);

    if (fflush(out) != 0 && r == 0)
        r = -errno;
    if (fclose(out) != 0 && r == 0)
        r = -errno;
    return r;
}

/* Straight into what is there: a device, a pipe, a link that leads nowhere yet. */
static int write_into(const struct store *store, const char *path)
{
    FILE *out = fopen(path, "we");

    return out ? write_and_close(store, out) : -errno;
}

/* Into a file beside it, which then takes its place: a full disk leaves the old one as it was. `old` is what
 * is known of that one; NULL where there is none. */
static int write_beside(const struct store *store, const char *path, const struct stat *old)
{
    _cleanup_free_ char *beside = NULL;
    FILE *out;
    int r;

    if (asprintf(&beside, "%s.%d.new", path, (int)getpid()) < 0)
        return -ENOMEM;
    out = fopen(beside, "wxe");
    if (!out)
        return -errno;
    if (old && fchmod(fileno(out), old->st_mode & 07777) < 0) {
        r = -errno;
        fclose(out);
    } else {
        r = write_and_close(store, out);
    }
    if (r == 0 && rename(beside, path) < 0)
        r = -errno;
    if (r < 0)
        unlink(beside);
    return r;
}

static int write_capture(const struct store *store, const char *path)
{
    _cleanup_free_ char *real = NULL;
    struct stat st;
    int r;

    if (stat(path, &st) == 0) {
        real = S_ISREG(st.st_mode) ? realpath(path, NULL) : NULL;
        r = real ? write_beside(store, real, &st) : write_into(store, path);
    } else if (lstat(path, &st) == 0) {
        r = write_into(store, path);
    } else {
        r = write_beside(store, path, NULL);
    }
    if (r < 0)
        say("%s: %s", path, strerror(-r));
    return r;
}

/* The folder of a path may be written to. */
static int check_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    _cleanup_free_ char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");

    if (!folder)
        return -ENOMEM;
    return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) < 0 ? -errno : 0;
}

/* As write_capture() goes about it. */
static int check_path(const char *path)
{
    _cleanup_free_ char *real = NULL;
    struct stat st;

    if (!*path)
        return -ENOENT;
    if (stat(path, &st) < 0) /* a link that leads nowhere yet is not followed */
        return lstat(path, &st) < 0 ? check_folder(path) : 0;
    if (S_ISDIR(st.st_mode))
        return -EISDIR;
    real = S_ISREG(st.st_mode) ? realpath(path, NULL) : NULL;
    if (real)
        return check_folder(real);
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0 ? -errno : 0;
}

int check_save(const char *path)
{
    int r = check_path(path);

    if (r < 0)
        say("%s: %s", path, strerror(-r));
    return r;
}

/* The key of this machine: captures that are scrubbed on it stay comparable. /etc/machine-id must not be
 * given away (machine-id(5)), so it is hashed with a text of our own. */
static struct scrub_key key_of_machine(void)
{
    static const char PURPOSE[2][24] = { "hbad capture, half one", "hbad capture, half two" };
    uint8_t id[SIPHASH_KEY_BYTES] = { 0 };
    struct scrub_key key;
    char text[33] = "";
    FILE *f = fopen("/etc/machine-id", "re");

    if (f) {
        if (fread(text, 1, 32, f) == 32)
            hex_decode(text, 32, id, sizeof(id));
        fclose(f);
    }
    for (size_t i = 0; i < 2; i++) {
        uint64_t half = siphash(id,
                                (struct bytes){ (const uint8_t *)PURPOSE[i], sizeof(PURPOSE[i]) });

        memcpy(key.bytes + 8 * i, &half, sizeof(half));
    }
    return key;
}

static int scrub(struct store **store)
{
    struct scrub_key key = key_of_machine();
    struct store *scrubbed = store_new();
    int r = scrubbed ? scrub_store(*store, scrubbed, &key) : -ENOMEM;

    if (r < 0) {
        say("the capture cannot be scrubbed: %s", strerror(-r));
        store_free(scrubbed);
        return r;
    }
    store_free(*store);
    *store = scrubbed;
    return 0;
}

static bool is_device(const struct store *store, store_node node)
{
    struct bytes name = store_name_of(store, node);
    char text[64];

    snprintf(text, sizeof(text), "%.*s", (int)name.len, (const char *)name.data);
    return hctl_is_valid(text);
}

/* Entries of a folder; of that of devices, which has targets too, the devices. */
static size_t count_in(const struct store *store, const char *path, bool of_devices)
{
    store_node dir = store_resolve(store, path, true);
    size_t n = 0;

    if (dir == STORE_NO_NODE || store_kind_of(store, dir) != STORE_DIR)
        return 0;
    for (store_node i = store_first(store, dir); i != STORE_NO_NODE; i = store_next(store, i))
        n += !of_devices || is_device(store, i);
    return n;
}

/* What is in the file now. */
static void say_written(const struct store *store, const char *path)
{
    size_t hosts = count_in(store, "/sys/class/scsi_host", false),
           devices = count_in(store, "/sys/bus/scsi/devices", true);

    if (!devices) /* as gather() finds them */
        devices = count_in(store, "/sys/class/scsi_device", true);

    say("%s: wrote %zu host%s, %zu device%s; %s", path, hosts, hosts == 1 ? "" : "s", devices,
        devices == 1 ? "" : "s",
        store_taken(store)->scrubbed ? "identities replaced"
                                     : "serial numbers, WWNs and names are in it");
}

int save_store(const struct request *request, struct store **store, const char *path)
{
    int r = request->no_scrub || store_taken(*store)->scrubbed ? 0 : scrub(store);

    if (r == 0)
        r = write_capture(*store, path);
    if (r == 0)
        say_written(*store, path);
    return r;
}

int verb_capture(const struct request *request)
{
    _cleanup_(store_freep) struct store *store = NULL;
    int r;

    if (request->n_captures > 1) {
        say("capture writes one capture: give --capture once");
        return EXIT_USAGE;
    }
    r = load_store(request, LEVEL_ALL, &store);
    if (r < 0)
        return EXIT_FAILURE;
    if (request->n_words && strcmp(request->words[0], "-") != 0)
        return save_store(request, &store, request->words[0]) < 0 ? EXIT_FAILURE : r;
    if (!request->no_scrub && !store_taken(store)->scrubbed && scrub(&store) < 0)
        return EXIT_FAILURE;
    return capture_write(store, stdout) < 0 ? EXIT_FAILURE : r;
}
