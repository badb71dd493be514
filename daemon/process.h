/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process that reads an adapter, or devices of it to time their links: one at the other end of a socket, which systemd starts
 * with the rights that it takes, or, where there is no such socket, a child. What it writes is daemon/collector.c's, or
 * daemon/probe_run.c's, to read.
 *
 * One that is held is waited for, though nobody listens to it any more: its end says that what it waited for has answered.
 * Of a child the kernel tells that. Of a connection the end of what it sends does, so that is read, and nothing made of it,
 * and hbad does not end it first.
 */
#pragma once

#include "daemon/manager.h"
#include "wire/request.h"
#include "wire/stream.h"

struct process {
    struct manager *manager;
    struct adapter_state *adapter; /* NULL: that is gone */
    struct process **place;        /* where the run has it; NULL: there is no run any more */
    sd_event_source *end;          /* of a child, or of a connection that is held */
    bool is_child;
    int connection;   /* that is held; -1: none */
    bool is_held;     /* its end is waited for */
    bool for_adapter; /* it hangs at the adapter itself */
    bool
        probes; /* it times links, and looks at the whole machine before: that it hangs there holds no adapter */
    bool is_counted; /* schedule_hold() was told of it */
    char *at;        /* the device that it waits for; NULL: none */
    uint8_t cdb[CDB_MAX];
    size_t cdb_len;
    uint64_t since_us;
};

/* Starts one. `*ret_place` is the process from then on, for as long as there is one. What it writes comes from `*ret_out`, what
 * went wrong from `*ret_err` (-1: that goes elsewhere); both are the caller's. Returns 0 or a negative errno. */
int process_start(struct adapter_state *a, const struct collect_request *request,
                  struct process **ret_place, int *ret_out, int *ret_err);

/* Starts the watcher, with which one speaks over `*ret_connection` (the caller's), which does not block. It is of no adapter.
 * `*ret_place` and the return as above. */
int process_start_watcher(struct manager *m, struct process **ret_place, int *ret_connection);

/* Takes what it has written to `out` into the stream. Returns 1 where something of it came, 0 where nothing did yet, or -EAGAIN,
 * -EBADMSG (stream->wrong says why, where it is known), -EMSGSIZE, -ENOMEM or what reading fails with; `*ret_end`: it writes no
 * more. */
int process_hear(int out, struct capture_stream *stream, bool *ret_end);

/* What is wrong with it, for that error of process_hear(): "sent what is no capture". */
const char *process_wrong(int error);

/* The first line of what it says went wrong, from its `err`; "" where it says nothing. */
void process_last_words(int err, char *buffer, size_t size);

/* Nobody listens to it any more (the caller closes what it had of it, or has closed it). Takes NULL. */
void process_leave(struct process *p);

/* It is given up, but waited for: what it was at says the stream. `*out` is the process's from here on, where that is a
 * connection: it is -1 then. */
void process_hold(struct process *p, const struct capture_stream *stream, uint64_t since_us,
                  int *out);

void process_free(struct process *p);
