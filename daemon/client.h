/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One connection of daemon/server.h.
 */
#pragma once

#include <sys/socket.h>

#include "daemon/server.h"

/* Told when the connection is at its end; client_free() is to be called then. */
typedef void (*client_end)(void *userdata, struct client *c);

/* A client at a connected socket, which it owns from here on, and closes where this fails. NULL then. */
struct client *client_new(sd_event *event, int fd, const struct ucred *who,
                          const struct varlink_service *service, void *userdata, client_end end,
                          void *end_userdata);
void client_free(struct client *c);

/* The place of the next one in the server's list. */
struct client **client_next(struct client *c);

uid_t client_uid(const struct client *c);

/* Does somebody have something to send to it yet: is it streaming, or waiting for a reply? */
bool client_is_awaited(const struct client *c);

/* Has it taken nothing of what waits for it for SERVER_PATIENCE_US? */
bool client_is_slow(const struct client *c, uint64_t now_us);
