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

static int write_store(const void *store, FILE *out)
{
    return capture_write(store, out);
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
        r = write_file(path, write_store, *store);
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
