/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One connection of daemon/server.h.
 */
#pragma once

#include <sys/socket.h>

#include "daemon/server.h"

/* Told when the connection is at its end; client_free() is to be called then. */
typedef void (*client_end)(void *userdata, struct client *c);

/* Asked before a call is answered, and where more is kept for it: do its user's others leave room for that? */
typedef bool (*client_has_room)(void *userdata, const struct client *c);

/* A client at a connected socket, which it owns from here on, and closes where this fails. NULL then. */
struct client *client_new(sd_event *event, int fd, const struct ucred *who,
                          const struct varlink_service *service, void *userdata, client_end end,
                          client_has_room has_room, void *end_userdata);
void client_free(struct client *c);

/* The place of the next one in the server's list. */
struct client **client_next(struct client *c);

uid_t client_uid(const struct client *c);

/* Bytes that are kept for it alone: of calls that it has begun, and of answers that it has not taken. */
size_t client_bytes(const struct client *c);

/* Its turn comes behind those with a lower one, which sd_event_source_set_priority() takes. */
void client_set_priority(struct client *c, int64_t priority);

/* Does somebody have something to send to it yet: is it streaming, or waiting for a reply? */
bool client_is_awaited(const struct client *c);

/* Has it not taken one whole message of what waits for it for SERVER_PATIENCE_US? */
bool client_is_slow(const struct client *c, uint64_t now_us);
