/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of this machine that only it can tell (ctl.h): what a path leads to, and where a node is.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "ctl/ctl.h"
#include "source/command.h"

const char *resolve_live_name(const char *name, char **ret_buffer)
{
    *ret_buffer = name[0] == '/' ? realpath(name, NULL) : NULL;
    return *ret_buffer ? *ret_buffer : name;
}

/* "sdc1": the block device that it is part of; the name itself where it is part of none. */
static const char *whole_of(const char *node, char *target, size_t size)
{
    char path[PATH_MAX], *slash;
    ssize_t n;

    snprintf(path, sizeof(path), "/sys/class/block/%s/partition", node);
    if (access(path, F_OK) < 0)
        return node;
    *strrchr(path, '/') = '\0';
    n = readlink(path, target, size - 1);
    if (n <= 0)
        return node;
    target[n] = '\0';
    slash = strrchr(target, '/');
    if (!slash)
        return node;
    *slash = '\0';
    return path_last(target);
}

const char *resolve_live_hctl(const char *name, char *buffer, size_t size)
{
    static const char *const CLASSES[] = { "block", "scsi_generic", "scsi_tape", "scsi_changer" };
    const char *node = text_starts_with(name, "/dev/") ? name + strlen("/dev/") : name;
    char path[PATH_MAX], target[PATH_MAX], whole[PATH_MAX];

    if (hctl_is_valid(name)) {
        snprintf(buffer, size, "%s", name);
        return buffer;
    }
    if (!*node || strchr(node, '/') || node[0] == '.')
        return NULL;
    node = whole_of(node, whole, sizeof(whole));
    for (size_t i = 0; i < ELEMENTS(CLASSES); i++) {
        ssize_t n;

        snprintf(path, sizeof(path), "/sys/class/%s/%s/device", CLASSES[i], node);
        n = readlink(path, target, sizeof(target) - 1);
        if (n <= 0)
            continue;
        target[n] = '\0';
        if (!hctl_is_valid(path_last(target)))
            continue;
        snprintf(buffer, size, "%s", path_last(target));
        return buffer;
    }
    return NULL;
}
