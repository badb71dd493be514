/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Varlink over a socket: who connects, how many may, and when one is let go. What calls mean is daemon/methods.h's.
 *
 * Bounds, so that no client can harm another or the daemon: a request has at most SERVER_REQUEST_MAX bytes; a call is
 * taken only when nearly all answers to the earlier ones are gone, and one a turn of the loop; where a user has many
 * connections, the later ones have their turns when nobody else wants one; where they keep more than SERVER_BYTES_OF_UID_MAX,
 * the next one that wants something is let go; so is one that does not take a message of what it asked for within
 * SERVER_PATIENCE_US, and a subscriber to whom too much is waiting to be told.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#include "base/cleanup.h"
#include "daemon/buffer.h"
#include "wire/service.h"

enum {
    SERVER_REQUEST_MAX = 256 * 1024,
    SERVER_CLIENTS_MAX =
        4096, /* as systemd's own services have it; a quarter of what there is room for a user */
    SERVER_CLIENTS_OF_UID_PART = 4,
    /* Of requests that have not come whole, and of answers that wait and that nobody else gets, before one more answer; the
     * longest, of a machine with 1,000 links, have 4 MiB. */
    SERVER_BYTES_OF_UID_MAX = 16 << 20,
    SERVER_WAITING_MAX =
        1024, /* replies that wait for a subscriber, beyond the state that it is sent first */
};

#define SERVER_PATIENCE_US (UINT64_C(30) * 1000000)

struct server;
struct client;

/* Called where a client has gone that was streaming, or waited for a reply (but not out of client_send()). */
typedef void (*server_gone)(void *userdata, struct client *client);

/* A server of the service; methods get the client as userdata. NULL without memory. */
struct server *server_new(sd_event *event, const struct varlink_service *service, server_gone gone,
                          void *userdata);

/* Ends all connections. Takes NULL. Returns NULL. */
struct server *server_free(struct server *s);
DEFINE_CLEANUP(struct server, server_free)

/* Listens on a socket that is bound already (owned from here on), or at a path where none must be in use. Returns 0 or a
 * negative errno. */
int server_listen_fd(struct server *s, int fd);
int server_listen_path(struct server *s, const char *path);

size_t server_clients(const struct server *s);

/* ---- for methods ---- */

void *client_userdata(const struct client *c); /* of the server */

/* Is it root, the daemon's own user, or of that group? */
bool client_may_change(const struct client *c, gid_t group);

/* For a call that streams or was deferred: sends a message (a reference to it). `is_last`: the call is answered with this,
 * and the client's next one is taken. Returns false where the client is not to be sent anything more: it has gone, or was
 * too slow and is told so. */
bool client_send(struct client *c, struct buffer *message, bool is_last);

/* In a method: this shared message is the answer, instead of what was written. */
void client_reply_shared(struct client *c, struct buffer *message);

/* In a method that returns VARLINK_STREAMS: one more message that is sent first. Returns 0 or -ENOMEM. */
int client_queue(struct client *c, struct buffer *message);
