/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A machine from files, for tests and demonstrations (manager.h): FOLDER/1.json, 2.json, … are its days in order, or
 * FOLDER/ADAPTER/1.json, 2.json, … those of each adapter. A look goes one day on; the last day stays.
 *
 * Reading a file may wait for a disk, which is why this is no way to watch a real machine.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/log.h"
#include "daemon/manager.h"
#include "source/capture.h"

struct captures {
    char *dir;
    bool has_folders; /* one for each adapter */
    unsigned day;     /* the last one that was read; 0: none */
};

static int64_t refill(void *userdata, uint8_t *buffer, size_t size)
{
    ssize_t n = read(*(int *)userdata, buffer, size);

    return n < 0 ? -errno : n;
}

static int read_file(int fd, const char *path, struct store *store)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    _cleanup_(json_reader_freep) struct json_reader *reader = json_reader_new(refill, &fd);
    struct capture_reading reading = { 0 };
    int r = arena && reader ? capture_read(reader, store, arena, &reading) : -ENOMEM;

    if (r == -EBADMSG || (r == 0 && reading.stopped)) {
        log_line(LOG_ERROR, "%s: %s: %s (near byte %llu)", path, reading.where, reading.why,
                 (unsigned long long)reading.offset);
        return -EBADMSG;
    }
    return r;
}

/* Reads a day of an adapter. Returns 1, 0 where there is none, or a negative errno, which was said. */
static int read_day(struct adapter_state *a, const struct captures *c, unsigned day)
{
    _cleanup_(store_freep) struct store *store = store_new();
    _cleanup_free_ char *path = NULL;
    _cleanup_close_ int fd = -1;
    int r;

    if (!store || asprintf(&path, "%s%s%s/%u.json", c->dir, c->has_folders ? "/" : "",
                           c->has_folders ? a->name : "", day) < 0) {
        path = NULL;
        return -ENOMEM;
    }
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        if (errno == ENOENT)
            return 0;
        r = -errno;
        log_line(LOG_ERROR, "%s: %s", path, strerror(errno));
        return r;
    }
    r = read_file(fd, path, store);
    if (r < 0)
        return r;
    store_free(a->store);
    a->store = TAKE_PTR(store);
    a->has_whole = true;
    a->read_us = a->counted_us = manager_now(a->manager);
    a->read_wall_us = store_taken(a->store)->wall_us;
    return 1;
}

int captures_step(struct manager *m)
{
    struct captures *c = m->captures;
    bool went_on = false;
    int failed = 0;

    for (size_t i = 0; i < m->adapters.n; i++) {
        int r = read_day(m->adapters.v[i], c, c->day + 1);

        went_on |= r > 0;
        if (r < 0)
            failed = r;
    }
    if (went_on) {
        c->day++;
        schedule_round_now(&m->schedule, manager_now(m));
        for (size_t i = 0; i < m->adapters.n; i++)
            m->adapters.v[i]->slot.round = m->schedule.round;
    }
    return failed;
}

static int add_adapter(struct manager *m, const char *name)
{
    struct adapter_state *a = calloc(1, sizeof(*a));

    if (!a)
        return -ENOMEM;
    a->manager = m;
    a->name = strdup(name);
    if (a->name && vec_push(&m->adapters, a) == 0)
        return schedule_add(&m->schedule, &a->slot, manager_now(m));
    adapter_free(a);
    return -ENOMEM;
}

static int by_name(const void *a, const void *b)
{
    return strverscmp((*(struct adapter_state *const *)a)->name,
                      (*(struct adapter_state *const *)b)->name);
}

/* Folders in the folder are adapters; where there are none, it is the machine itself. */
static int find_adapters(struct manager *m, const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *e;
    int r = 0;

    if (!dir)
        return -errno;
    while (r == 0 && (e = readdir(dir)))
        if (e->d_name[0] != '.' && e->d_type == DT_DIR)
            r = add_adapter(m, e->d_name);
    closedir(dir);
    m->captures->has_folders = m->adapters.n > 0;
    if (r == 0 && !m->adapters.n)
        r = add_adapter(m, path);
    if (r == 0)
        qsort(m->adapters.v, m->adapters.n, sizeof(m->adapters.v[0]), by_name);
    return r;
}

int captures_open(struct manager *m, const char *dir)
{
    int r;

    m->captures = calloc(1, sizeof(*m->captures));
    if (m->captures)
        m->captures->dir = strdup(dir);
    if (!m->captures || !m->captures->dir)
        return -ENOMEM;
    r = find_adapters(m, dir);
    if (r == 0)
        r = captures_step(m);
    if (r == 0 && !m->captures->day)
        r = -ENOENT;
    if (r < 0)
        log_line(LOG_ERROR, "%s: no captures to begin with: %s", dir, strerror(-r));
    return r;
}

void captures_close(struct captures *c)
{
    if (c)
        free(c->dir);
    free(c);
}
