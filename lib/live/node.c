/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The choice of node.h. Names from sysfs are taken only in the one form that the kernel gives them, so
 * that no name can lead out of /dev.
 */
#include "live/node.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { ATTRIBUTE_BYTES = 64, HCTL_CHARS = 40, DEVICE_CHARS = 96 };

/* "sg" and digits, "sd" and small letters; at most 16 characters. */
static bool name_has_form(const char *name, const char *start, const char *rest)
{
    size_t n = strlen(start), len = strlen(name);

    return len > n && len <= 16 && strncmp(name, start, n) == 0 &&
           strspn(name + n, rest) == len - n;
}

/* The attribute's text, "" where it is not there or has another form. */
static int read_attribute(struct source *s, const char *dir, const char *name,
                          char ret[ATTRIBUTE_BYTES])
{
    struct value v;
    char path[256];
    int r;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    r = source_read(s, path, ATTRIBUTE_BYTES - 1, &v);
    if (r < 0)
        return r;
    snprintf(ret, ATTRIBUTE_BYTES, "%s", v.error ? "" : (const char *)v.bytes.data);
    return 0;
}

/* The directory of the device in sysfs. */
static int find_device(struct source *s, const char *hctl, char ret[DEVICE_CHARS])
{
    struct value v;
    int r;

    snprintf(ret, DEVICE_CHARS, "/sys/bus/scsi/devices/%s", hctl);
    r = source_link(s, ret, &v);
    if (r == 0 && v.error)
        snprintf(ret, DEVICE_CHARS, "/sys/class/scsi_device/%s/device", hctl);
    return r;
}

/* The first name of the right form in a subdirectory of the device's; "" where there is none. */
static int find_name(struct source *s, const char *dir, const char *start, const char *rest,
                     char ret[ATTRIBUTE_BYTES])
{
    struct names names = { 0 };
    int r = source_list(s, dir, start, &names);

    ret[0] = '\0';
    for (size_t i = 0; r == 0 && !ret[0] && i < names.n; i++)
        if (name_has_form(names.v[i], start, rest))
            snprintf(ret, ATTRIBUTE_BYTES, "%s", names.v[i]);
    names_done(&names);
    return r;
}

/* Fills all but the path; returns 0 where sysfs gives no device number. */
static int finish(struct source *s, const char *dir, const char *name, struct node *n)
{
    char number[ATTRIBUTE_BYTES];
    int r;

    if (!name[0])
        return 0;
    snprintf(n->sysfs, sizeof(n->sysfs), "%s/%s", dir, name);
    r = read_attribute(s, n->sysfs, "dev", number);
    if (r < 0 || !number[0])
        return r;
    snprintf(n->device_number, sizeof(n->device_number), "%.23s", number);
    return 1;
}

static int find_sg(struct source *s, const char *device, struct node *n)
{
    char dir[128], name[ATTRIBUTE_BYTES];
    int r;

    snprintf(dir, sizeof(dir), "%s/scsi_generic", device);
    r = find_name(s, dir, "sg", "0123456789", name);
    if (r < 0)
        return r;
    snprintf(n->path, sizeof(n->path), "/dev/%.16s", name);
    return finish(s, dir, name, n);
}

static int find_bsg(struct source *s, const char *device, const char *hctl, struct node *n)
{
    char dir[128];

    snprintf(dir, sizeof(dir), "%s/bsg", device);
    snprintf(n->path, sizeof(n->path), "/dev/bsg/%.40s", hctl);
    return finish(s, dir, hctl, n);
}

/* Is the device a disk whose host works? */
static int may_use_block(struct source *s, const char *device, const char *hctl)
{
    char type[ATTRIBUTE_BYTES], state[ATTRIBUTE_BYTES], host[64];
    int r = read_attribute(s, device, "type", type);

    if (r < 0)
        return r;
    snprintf(host, sizeof(host), "/sys/class/scsi_host/host%.*s", (int)strcspn(hctl, ":"), hctl);
    r = read_attribute(s, host, "state", state);
    return r < 0 ? r : strcmp(type, "0\n") == 0 && strcmp(state, "running\n") == 0;
}

static int find_block(struct source *s, const char *device, const char *hctl, struct node *n)
{
    char dir[128], name[ATTRIBUTE_BYTES], removable[ATTRIBUTE_BYTES];
    int r = may_use_block(s, device, hctl);

    if (r <= 0)
        return r;
    snprintf(dir, sizeof(dir), "%s/block", device);
    r = find_name(s, dir, "sd", "abcdefghijklmnopqrstuvwxyz", name);
    if (r < 0)
        return r;
    n->is_block = true;
    snprintf(n->path, sizeof(n->path), "/dev/%.16s", name);
    r = finish(s, dir, name, n);
    if (r <= 0)
        return r;
    r = read_attribute(s, n->sysfs, "removable", removable);
    return r < 0 ? r : strcmp(removable, "0\n") == 0;
}

int node_find(struct source *s, const char *hctl, enum node_kind kind, struct node *ret)
{
    char device[DEVICE_CHARS];
    struct node n = { 0 };
    int r;

    if (!hctl_is_valid(hctl) || strlen(hctl) > HCTL_CHARS)
        return -EINVAL;
    r = find_device(s, hctl, device);
    if (r < 0)
        return r;
    switch (kind) {
    case NODE_SG:
        r = find_sg(s, device, &n);
        break;
    case NODE_BSG:
        r = find_bsg(s, device, hctl, &n);
        break;
    case NODE_BLOCK:
        r = find_block(s, device, hctl, &n);
        break;
    case NODE_MAX:
        return -EINVAL;
    }
    if (r > 0)
        *ret = n;
    return r;
}

int node_is_unchanged(struct source *s, const struct node *node)
{
    char number[ATTRIBUTE_BYTES];
    int r = read_attribute(s, node->sysfs, "dev", number);

    return r < 0 ? r : strcmp(number, node->device_number) == 0;
}

int node_open(struct source *s, const struct node *node, int flags)
{
    /* O_NONBLOCK: wait neither for a medium nor for a host in recovery, nor for an exclusive user. */
    _cleanup_close_ int fd = open(node->path,
                                  O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW | flags);
    char number[24];
    struct stat st;
    int r;

    if (fd < 0 || fstat(fd, &st) < 0)
        return -errno;
    snprintf(number, sizeof(number), "%u:%u\n", major(st.st_rdev), minor(st.st_rdev));
    if (node->is_block ? !S_ISBLK(st.st_mode) : !S_ISCHR(st.st_mode))
        return -ENODEV;
    r = node_is_unchanged(s, node);
    if (r < 0)
        return r;
    if (!r || strcmp(number, node->device_number) != 0)
        return -ENODEV;
    return TAKE_FD(fd);
}
