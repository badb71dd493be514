/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The configuration of hbad-collect (collect_config.h).
 */
#include "daemon/collect_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "live/config_files.h"

/* A pipe that somebody else has read has nothing left to say. */
static int read_file(const char *path, struct bytes *ret)
{
    struct stat st;

    if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
        return -ESPIPE;
    return config_file_read(path, ret);
}

static int load_file(struct config *config, const char *path)
{
    _cleanup_(config_messages_done) struct config_messages messages = { 0 };
    struct bytes text = { 0 };
    int r = read_file(path, &text);

    if (r == 0)
        r = config_parse(config, path, text, &messages);
    free((void *)(uintptr_t)text.data);
    return r;
}

/* Nobody knows what is forbidden. */
static void forbid_all(struct config *config, const char *path, int error)
{
    fprintf(stderr, "hbad-collect: %s: %s: no device is sent a command\n", path, strerror(-error));
    config->probe.tier = CONFIG_TIER_SYSFS;
    for (size_t i = 0; i < config->devices.n; i++)
        if (config->devices.v[i].given)
            config->devices.v[i].tier = CONFIG_TIER_SYSFS;
}

int collect_config(const char *file, struct config *ret)
{
    _cleanup_(config_files_done) struct config_files files = { 0 };
    const char *path = file;
    int r = config_init(ret), unread = 0;

    if (r == 0 && file)
        unread = load_file(ret, file);
    else if (r == 0)
        r = config_files_find("", &files);
    for (size_t i = 0; r == 0 && i < files.n; i++) {
        int e = files.v[i].error ? -files.v[i].error : load_file(ret, files.v[i].path);

        if (e < 0 && !unread) {
            unread = e;
            path = files.v[i].path;
        }
    }
    if (r == 0 && unread == -ENOMEM)
        r = unread;
    if (r == 0 && unread < 0)
        forbid_all(ret, path, unread);
    return r;
}
