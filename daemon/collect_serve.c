/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbad-collect at a socket: what is asked comes by it, and the answer goes back. It takes one request, and nothing that
 * follows it.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/collect.h"
#include "wire/frame.h"
#include "wire/request.h"

/* Who connects asks at once: five seconds are for a machine under load. */
enum { WAIT_MS = 5000 };

/* Reads up to the end of the request. Returns 0 or a negative errno. */
static int read_request(struct frames *in, struct bytes *ret)
{
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
    int r;

    while ((r = frames_next(in, ret)) == 0) {
        uint8_t *at;
        int64_t room = frames_room(in, &at);
        ssize_t n;

        if (room < 0)
            return (int)room;
        if (poll(&input, 1, WAIT_MS) <= 0)
            return -ETIMEDOUT;
        n = read(STDIN_FILENO, at, (size_t)room);
        if (n <= 0)
            return n < 0 ? -errno : -ENODATA;
        frames_added(in, (size_t)n);
    }
    return r < 0 ? r : 0;
}

static void take_probe(const struct collect_request *request, struct probing *p)
{
    p->wanted = true;
    for (size_t i = 0; i < request->named.n; i++)
        p->devices[p->n_devices++] = request->named.v[i];
    for (size_t i = 0; i < request->devices.n; i++)
        p->selected[p->n_selected++] = request->devices.v[i];
    p->await_us = (uint64_t)request->await_s * 1000000;
    p->forced = request->forced;
}

int collect_serve(struct arena *arena, struct collect_options *options)
{
    struct frames in = frames(COLLECT_REQUEST_MAX);
    struct collect_request request;
    struct bytes text;
    const char *why;
    int r = read_request(&in, &text);

    if (r == 0) {
        r = collect_request_parse(text, arena, &request, &why);
        if (r == -EBADMSG)
            fprintf(stderr, "hbad-collect: request: %s\n", why);
    }
    if (r == 0) {
        options->gather.only_below = request.below;
        options->gather.after = request.after;
        options->gather.unasked = request.unasked;
        if (request.probes)
            take_probe(&request, &options->probing);
    }
    frames_done(&in);
    return r;
}
