/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbad's memory, as the rest of it sees it: a place to put things that nobody waits for, and to ask with an answer that may come
 * late or not at all. What it is made of: daemon/writer.h, and daemon/history.h behind it.
 *
 * Everything may be called where no memory is kept (--state-dir is not given): it does nothing then.
 */
#pragma once

#include "base/json_write.h"
#include "config/config.h"
#include "daemon/history.h"
#include "finding/track.h"

struct client;
struct manager;
struct memory;

/* Starts the memory in the options' state directory, and asks it for what was before. Returns 0 or -ENOMEM, or what the loop
 * fails with. No disk is touched here. */
int memory_start(struct manager *m);
void memory_stop(struct manager *m);

/* Is the first report to wait yet? For what was before, and not longer than a moment; when that is over, a judging is due. */
bool memory_holds_up(struct manager *m);

/* Why what was before is not known, though a history is kept: an errno; EINPROGRESS: it is still being read. 0: it is known, or none is
 * kept. */
int memory_failing(const struct manager *m);

/* The configuration is another one. */
void memory_reload(struct manager *m);

/* A look, and the one before it that was put in (NULL: none). */
void memory_look(struct manager *m, const struct snapshot *before, const struct snapshot *after);

/* Puts a record in; what is in it is copied. Findings only when those are known that were there before: what becomes of
 * them may not be what it seems. What there is no room for is counted. */
void memory_put(struct manager *m, struct record *record);

/* Something has become of a finding. */
void memory_finding(struct manager *m, const struct track_event *e);

/* A probe has measured something. */
void memory_measure(struct manager *m, const struct measure_record *measure);

/* Somebody knows of a finding, or takes that back. */
void memory_acknowledge(struct manager *m, const struct acknowledgement *a);

/* What was asked for, for a client (NULL: it has gone); `answer` is valid in the call. Or, with `answer` NULL, why there is none:
 * -ETIMEDOUT (the memory does not answer: a disk hangs), or what was wrong with the database (daemon/history.h). */
typedef void (*memory_answer)(void *userdata, struct client *client,
                              const struct history_answer *answer, int error);

/* Asks what is remembered under an id. `take` is called once, not before this returns, and within MEMORY_PATIENCE_US. Returns 0, or
 * a negative errno, and it is not called then: -ENOENT (no memory is kept), -ENOBUFS (it has too much to do) or -ENOMEM. */
int memory_ask(struct manager *m, struct client *client, const struct query_record *query,
               memory_answer take, void *userdata);

/* Do so many wait for an answer that those who only want to know are to be sent away? Who has something kept is not to wait behind
 * all of them. */
bool memory_is_busy(const struct manager *m);

/* That client has gone. */
void memory_client_gone(struct manager *m, const struct client *client);

#define MEMORY_PATIENCE_US (UINT64_C(3) * 1000000)

/* How many records there were so far. */
struct memory_counts {
    uint64_t written, lost;
    uint64_t waiting; /* now */
};

/* Returns false where no memory is kept. */
bool memory_counts(const struct manager *m, struct memory_counts *ret);

/* How it goes, for people: an object, or null where no memory is kept. */
void memory_status(const struct manager *m, struct json_writer *w);
