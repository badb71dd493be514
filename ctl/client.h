/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A connection to the daemon, for Varlink calls (wire/reply.h reads what they give). Bounded in everything that the other side
 * could do: how long it is waited for, how much it sends; what is no Varlink ends it.
 */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "wire/reply.h"

/* Where the daemon listens. */
#define CLIENT_SOCKET "/run/io.hbad.monitor"

/* Longest reply: a report of some hundred thousand links. */
enum { CLIENT_REPLY_MAX = 256 * 1024 * 1024 };

/* Waits as long as it takes for a reply to begin: for client_reply(). One that has begun must end within the patience that the
 * client was opened with. */
#define CLIENT_FOR_EVER UINT64_MAX

struct client;

/* Connects within so many seconds. Returns 0 or a negative errno: -ENOENT or -ECONNREFUSED where nobody listens there, -EACCES,
 * -ETIMEDOUT, -ENAMETOOLONG for a path that is none of a socket, … */
int client_open(const char *path, unsigned patience_s, struct client **ret);

/* Takes NULL. Returns NULL. */
struct client *client_free(struct client *c);
DEFINE_CLEANUP(struct client, client_free)

/* Sends a call: `parameters` is the text of an object, NULL for none; `more`: several replies are wanted. Returns 0 or a negative
 * errno. */
int client_call(struct client *c, const char *method, const char *parameters, bool more);

/* Waits for the next reply, so many microseconds from now to its end. It is valid until the next call; its error is in the
 * arena. Returns 0, -ETIMEDOUT, -ECONNRESET where the other side has closed, -EBADMSG for what is no reply, -EMSGSIZE for one that
 * is longer than CLIENT_REPLY_MAX, or another negative errno (varlink_failure() says them). Nothing is to be read after one of these. */
int client_reply(struct client *c, uint64_t patience_us, struct arena *arena,
                 struct varlink_reply *ret);
