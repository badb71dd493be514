/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the daemon's probes are at, for status --service (service.h).
 */
#include "ctl/service.h"

#include <errno.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "output/words.h"
#include "wire/reply.h"

/* A time, into the buffer; NULL where there is none. */
static int time_of(struct bytes value, char *buffer, size_t size, const char **ret)
{
    uint64_t seconds = 0;
    int r = varlink_count(value, &seconds);

    if (r == 0 && seconds > UINT32_MAX)
        r = -EBADMSG;
    if (r == 0)
        *ret = value.len ? words_time(seconds * 1000000, buffer, size) : NULL;
    return r;
}

/* "without 12, 0:0:3:0 among them: it sleeps, and a read would wake it" */
static int print_skipped(void *userdata, struct bytes skipped)
{
    enum { WHY, DEVICES, EXAMPLE, MEMBERS };
    static const char *const NAMES[MEMBERS] = { "why", "devices", "example" };
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct bytes found[MEMBERS] = { 0 };
    const char *why = NULL, *example = NULL;
    uint64_t n = 0;
    int r = arena ? varlink_members(skipped, NAMES, MEMBERS, found) : -ENOMEM;

    if (r == 0)
        r = varlink_string(found[WHY], arena, &why);
    if (r == 0)
        r = varlink_string(found[EXAMPLE], arena, &example);
    if (r == 0)
        r = varlink_count(found[DEVICES], &n);
    if (r < 0 || !why || !example)
        return r < 0 ? r : -EBADMSG;
    if (n == 1)
        fprintf(userdata, "  without %s: %s\n", example, why);
    else
        fprintf(userdata, "  without %llu, %s among them: %s\n", (unsigned long long)n, example,
                why);
    return 0;
}

int print_probes(struct bytes probes, FILE *out)
{
    enum { DEVICES, RUNNING, LAST, NEXT, SKIPPED, MEMBERS };
    static const char *const NAMES[MEMBERS] = { "devices", "running", "last", "next", "skipped" };
    struct bytes found[MEMBERS] = { 0 };
    uint64_t devices = 0, running = 0;
    char buffers[2][32];
    const char *last = NULL, *next = NULL;
    int r = probes.len ? varlink_members(probes, NAMES, MEMBERS, found) : 0;

    if (r == 0)
        r = varlink_count(found[DEVICES], &devices);
    if (r == 0)
        r = varlink_count(found[RUNNING], &running);
    if (r == 0)
        r = time_of(found[LAST], buffers[0], sizeof(buffers[0]), &last);
    if (r == 0)
        r = time_of(found[NEXT], buffers[1], sizeof(buffers[1]), &next);
    if (r < 0 || !probes.len)
        return r;
    fprintf(out, "\nIt probes %llu device%s: %s%s, %s%s", (unsigned long long)devices,
            devices == 1 ? "" : "s", last ? "the last result is of " : "there is no result yet",
            last ? last : "", next ? "the next one is due " : "and nothing is due",
            next ? next : "");
    if (running)
        fprintf(out, "; %llu %s being read", (unsigned long long)running,
                running == 1 ? "is" : "are");
    fputs(".\n", out);
    return varlink_elements(found[SKIPPED], print_skipped, out);
}
