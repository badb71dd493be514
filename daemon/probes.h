/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probes by the daemon: short reads that time the links, by and by, and on request. What may be read, and whose turn it is,
 * lib/probe says; what is done to devices hbad-collect does (probe_run.c); who asked is answered by probe_request.c.
 *
 * One run at a time, of one adapter: two would share processors, memory and slots, and neither would say what its link
 * carries. An adapter that is being read, or of which something does not answer, is left alone. What begins to read an adapter
 * while it is probed is not kept waiting: the probe notices, and its result does not count.
 *
 *   turn comes ─► run ─► result ─► counts: into the adapter's store, and so into reports; and into the memory
 *                                └► else: again sooner (somebody was at work) or later (it failed)
 *
 * The results are kept here, one a device, and put into each new store of the adapter; what another disk, or the link in
 * another mode gave is forgotten before it is judged.
 */
#pragma once

#include "base/json_write.h"
#include "daemon/manager.h"
#include "output/output.h"
#include "probe/turns.h"
#include "wire/stream.h"
#include "wire/varlink.h"

struct process;
struct probes;

/* A device of a run. */
struct probed {
    struct turn *turn;
    char hctl[64]; /* as it was called when the run began */
    bool is_named, is_done;
};

enum {
    PROBE_RUN_MAX = 16,  /* devices: so that who asks does not wait for long */
    PROBE_AWAIT_S = 60,  /* for a use of disks whose sleep is hidden */
    PROBE_AWAITED_S = 5, /* the same while somebody waits */
};

/* One process that reads devices of an adapter. */
struct probe_run {
    struct probes *probes;
    struct adapter_state *adapter;
    struct process *process;
    struct store *store; /* what it sends */
    struct capture_stream stream;
    sd_event_source *io, *timer;
    int out, err;
    struct probed devices[PROBE_RUN_MAX];
    size_t n;
    size_t taken; /* of the store's measures */
    bool forced;
    unsigned await_s;
    uint64_t started_us, heard_us;
};

/* A device of a request. */
struct wanted {
    const char *id;
    bool is_named, is_done;
    const struct measurement *result; /* NULL: there is none */
};

struct probe_request {
    struct client *client; /* NULL: it has gone */
    struct arena *arena;
    bool is_streamed; /* each result is told as it comes */
    bool forced, is_of_all;
    struct text_style style;
    VEC(struct wanted) wanted;
    VEC(const char *) notes;
    size_t n_done;
};

struct probes {
    struct manager *manager;
    struct arena *arena; /* of the plan; NULL: there is none */
    struct plan plan;    /* of the report: it goes with it */
    struct turns turns;
    char *machine_id;
    sd_event_source *alarm;
    sd_event_source *answer;              /* those who have all that they wait for */
    struct probe_run *run;                /* NULL: none */
    VEC(struct probe_request *) requests; /* the first is served first */
};

/* ---- probes.c, for the rest of hbad: with captures there are no probes, and these do nothing ---- */

/* Returns 0 or a negative errno. */
int probes_start(struct manager *m);
void probes_stop(struct manager *m);

/* There is a new report: what may be read is decided anew. */
void probes_judged(struct manager *m);

/* Does a result that is kept say nothing of the machine as it is now? Then it is in no store any more, and the machine is to be
 * judged again. */
bool probes_are_outdated(struct manager *m, const struct model *now);

/* Begins what may begin, and sets the alarm. */
void probes_go_on(struct manager *m);

/* The adapter has a new store: it gets the results that are kept. */
void probes_put(struct adapter_state *a);

/* The adapter is gone. */
void probes_abandon(struct adapter_state *a);

/* How it goes: the members of GetStatus that are about probes. */
void probes_status(const struct manager *m, struct json_writer *w);

/* ---- probes.c, for runs and requests ---- */

/* May the adapter's devices be read now? */
bool probes_may_run(const struct adapter_state *a);

/* Begins a run of these. Returns 0, or a negative errno: then none of them has begun. */
int probes_begin(struct probes *p, struct adapter_state *a, const struct probed *devices, size_t n,
                 bool forced, unsigned await_s);

/* The run has a result of one of its devices, or will have none of it: `m` NULL, for that reason. `was_at`: it was at the
 * device. */
void probes_result(struct probe_run *run, struct probed *d, const struct measurement *m);
void probes_lost(struct probe_run *run, struct probed *d, bool was_at, const char *why);

/* Goes on, not now, but at the next turn of the loop. */
void probes_wake(struct probes *p);

/* The run has ended, and is freed after that. `why`: it ended early. */
void probes_ended(struct probe_run *run, const char *why);

/* ---- probe_run.c ---- */

/* Starts the process. Returns 0 or a negative errno; the caller frees the run then. */
int probe_run_start(struct probe_run *run);
/* Ends it early: nobody listens any more, and what it has not said yet it never will. */
void probe_run_end(struct probe_run *run, const char *why);
struct probe_run *probe_run_free(struct probe_run *run);

/* ---- probe_request.c ---- */

/* The method Probe. */
struct probe_arguments {
    struct varlink_strings names;
    bool force;
    int64_t columns;
    bool utf8, colour, no_legend;
};
extern const struct varlink_argument PROBE_METHOD_ARGUMENTS[];
int probe_method(void *client, const struct varlink_call *call, const void *arguments, FILE *out);

/* Begins a run that somebody waits for. Returns true where there is one, or one is to be waited for. */
bool probe_requests_go_on(struct probes *p);

/* Something came of a device, or (m NULL) nothing will. */
void probe_requests_take(struct probes *p, const struct probe_run *run, const struct probed *d,
                         const struct measurement *m);

/* Something to tell all who wait for results of the run. */
void probe_requests_note(struct probes *p, const struct probe_run *run, const char *text);

/* Answers those who have all that they wait for. */
void probe_requests_answer(struct probes *p);

void probe_requests_client_gone(struct manager *m, const struct client *c);
void probe_requests_forget(struct probes *p);

/* ---- probe_answer.c ---- */
/* Writes the last reply to a request. Returns 0 or -ENOMEM: what was written is no reply then. */
int probe_answer_write(const struct manager *m, const struct probe_request *q, FILE *out);
