/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The system calls of measure_node.h. The only file of the layer that asks by ioctl: what reads, and
 * what sets the size of a descriptor's own buffer (tests/lint/live.sh).
 */
#include "live/measure_node.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/number.h"

static int node_system_open(void *user, const char *hctl, enum node_kind kind, bool direct)
{
    struct source *s = user;
    struct node node;
    int r = node_find(s, hctl, kind, &node);

    if (r <= 0)
        return r < 0 ? r : -ENODEV;
    return node_open(s, &node, direct ? O_DIRECT : 0);
}

static int node_control(void *user, int fd, unsigned long request, void *argument)
{
    (void)user;
    switch (request) {
    case SG_IO:
        return RET_NERRNO(ioctl(fd, SG_IO, argument));
    case SG_SET_RESERVED_SIZE:
        return RET_NERRNO(ioctl(fd, SG_SET_RESERVED_SIZE, argument));
    case SG_GET_RESERVED_SIZE:
        return RET_NERRNO(ioctl(fd, SG_GET_RESERVED_SIZE, argument));
    default:
        return -EPERM;
    }
}

static ssize_t node_read_at(void *user, int fd, void *buffer, size_t size, uint64_t offset)
{
    (void)user;
    return RET_NERRNO(pread(fd, buffer, size, (off_t)offset));
}

static int node_size(void *user, int fd, uint64_t *ret_bytes, uint32_t *ret_sector)
{
    struct stat st;
    int sector = 512;

    (void)user;
    if (fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISBLK(st.st_mode)) {
        *ret_bytes = (uint64_t)st.st_size;
    } else if (ioctl(fd, BLKGETSIZE64, ret_bytes) < 0 || ioctl(fd, BLKSSZGET, &sector) < 0) {
        return -errno;
    }
    *ret_sector = (uint32_t)sector;
    return 0;
}

static int node_forget(void *user, int fd, uint64_t offset, uint64_t size)
{
    (void)user;
    return -posix_fadvise(fd, (off_t)offset, (off_t)size, POSIX_FADV_DONTNEED);
}

static void *node_map(void *user, int fd, size_t size)
{
    void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

    (void)user;
    return p == MAP_FAILED ? NULL : p;
}

static void node_unmap(void *user, void *address, size_t size)
{
    (void)user;
    munmap(address, size);
}

static void node_close(void *user, int fd)
{
    (void)user;
    close(fd);
}

const struct measure_system MEASURE_SYSTEM = {
    .open = node_system_open,
    .control = node_control,
    .read_at = node_read_at,
    .size = node_size,
    .forget = node_forget,
    .map = node_map,
    .unmap = node_unmap,
    .close = node_close,
};

/* "32768K", as sysfs has it (drivers/base/cacheinfo.c). */
static size_t cache_of_sysfs(struct source *s, unsigned index)
{
    char path[96], text[24];
    struct value v;
    uint64_t kib;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%u/size", index);
    if (source_read(s, path, sizeof(text) - 1, &v) < 0 || v.error)
        return 0;
    snprintf(text, sizeof(text), "%s", (const char *)v.bytes.data);
    text[strcspn(text, "K\n")] = '\0';
    return number_u64(text, 10, &kib) == 0 && kib < SIZE_MAX / 1024 ? (size_t)kib * 1024 : 0;
}

size_t measure_cache_bytes(struct source *s)
{
    static const int NAMES[] = { _SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE,
                                 _SC_LEVEL2_CACHE_SIZE };
    enum { INDEXES = 8 /* two of the first level, and more levels than there are */ };
    size_t most = 0;

    for (size_t i = 0; i < ELEMENTS(NAMES); i++) {
        long n = sysconf(NAMES[i]);

        if (n > 0 && (size_t)n > most)
            most = (size_t)n;
    }
    for (unsigned i = 0; i < INDEXES; i++) {
        size_t n = cache_of_sysfs(s, i);

        most = n > most ? n : most;
    }
    return most;
}

struct measure_load measure_load_now(struct source *s)
{
    /* user nice system idle iowait irq softirq steal: proc(5); the two of guests are in the first. */
    enum { FIELDS = 8, IDLE = 3, IOWAIT = 4, LINE_BYTES = 255 };
    struct measure_load load = { 0 };
    char line[LINE_BYTES + 1], *word, *rest = NULL;
    struct value v;

    if (source_read(s, "/proc/stat", LINE_BYTES, &v) < 0 || v.error)
        return load;
    snprintf(line, sizeof(line), "%s", (const char *)v.bytes.data);
    line[strcspn(line, "\n")] = '\0';
    word = strtok_r(line, " ", &rest);
    if (!word || strcmp(word, "cpu") != 0)
        return load;
    for (int i = 0; i < FIELDS && (word = strtok_r(NULL, " ", &rest)); i++) {
        uint64_t ticks;

        if (number_u64(word, 10, &ticks) < 0)
            return (struct measure_load){ 0 };
        load.total += ticks;
        load.idle += i == IDLE || i == IOWAIT ? ticks : 0;
    }
    return load;
}

uint64_t measure_idle_permille(struct measure_load from, struct measure_load to)
{
    uint64_t permille;

    if (to.total <= from.total || to.idle < from.idle)
        return 0;
    permille = (to.idle - from.idle) * 1000 / (to.total - from.total);
    return permille ? permille : 1;
}

uint64_t measure_memory_available(struct source *s)
{
    static const char NAME[] = "MemAvailable:";
    enum { TEXT_BYTES = 4095 };
    char text[TEXT_BYTES + 1], *at;
    struct value v;
    uint64_t kib;

    if (source_read(s, "/proc/meminfo", TEXT_BYTES, &v) < 0 || v.error)
        return 0;
    snprintf(text, sizeof(text), "%.*s", (int)v.bytes.len, (const char *)v.bytes.data);
    at = strstr(text, NAME);
    if (!at)
        return 0;
    at += sizeof(NAME) - 1;
    at += strspn(at, " ");
    at[strspn(at, "0123456789")] = '\0';
    return number_u64(at, 10, &kib) == 0 && kib < UINT64_MAX / 1024 ? kib * 1024 : 0;
}
