/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Entries for the journal, by its own protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL): a datagram an entry. Not by
 * sd_journal_sendv(), which waits where journald does not read: a journal that hangs must not silence the daemon that
 * would report why. What journald does not take now waits here, up to a bound; what comes
 * beyond it is lost, and how many were is said when it reads again.
 */
#pragma once

#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/cleanup.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

struct journal;

struct journal_field {
    const char *name;
    const char *value;
};

/* A way to who listens at a socket. NULL without memory. Nobody has to be there yet. */
struct journal *journal_new(sd_event *event, const char *socket_path);

/* Takes NULL. Returns NULL. */
struct journal *journal_free(struct journal *j);
DEFINE_CLEANUP(struct journal, journal_free)

/* How many entries were lost so far because too many waited. */
uint64_t journal_lost(const struct journal *j);

/* Sends an entry, now or as soon as it is taken. Returns 0, or, where it is lost, -ENOENT (there is no journal),
 * -ENOBUFS (too many wait) or -ENOMEM. */
int journal_send(struct journal *j, const struct journal_field *fields, size_t n);
