/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All that hbad knows, in one place; its files are about a part each:
 *
 *   main.c       what is asked for on the command line, and the loop
 *   manager.c    comes to life, is told things, ends
 *   adapters.c   which adapters there are, and when each is read      (lib/schedule decides)
 *   collector.c, process.c  one run of hbad-collect, and the processes of it
 *   watcher.c, watcher_status.c, still.c   what is seen to have changed in between, and what is done where nothing has
 *   captures.c   instead of both: a machine, or several of its days, from files
 *   judge.c      what was read of all adapters → a report             (lib/source unites, lib/diagnose judges)
 *   past.c       what was seen before
 *   probes.c, probe_*.c     short reads that time the links       (lib/probe decides; probes.h)
 *   publish.c    a report → files, subscribers, journal
 *   entries.c    findings → entries of the journal
 *   alert_of.c, alerts.c  … → alerts, to who wants them
 *   supervision.c  what the service manager is told
 *   server.c, client.c, methods.c, text.c, check.c, service.c   who asks, and what is answered    (lib/wire has the protocol)
 *   metrics.c    what hbad says of itself as metrics
 *   settings.c   the configuration
 *   memory.c     what outlasts a restart                              (memory.h: writer.h, history.h)
 *   acknowledge.c, remembered.c  who knows of what; what is remembered of an object
 *   journal.c, log.c, buffer.c
 *
 * One thread, one loop, and nothing in it waits: what may block is done by other processes. The only clocks are those of
 * manager_now() and manager_wall(): everything below takes time as an argument.
 */
#pragma once

#include <sys/types.h>
#include <systemd/sd-event.h>

#include "base/json_write.h"
#include "base/vec.h"
#include "config/config.h"
#include "daemon/buffer.h"
#include "daemon/journal.h"
#include "daemon/memory.h"
#include "daemon/past.h"
#include "daemon/server.h"
#include "finding/report.h"
#include "finding/track.h"
#include "link/history.h"
#include "schedule/schedule.h"
#include "source/store.h"

struct options {
    const char *socket;    /* where to listen; NULL: at what systemd passes, or nowhere */
    const char *captures;  /* a folder of captures; NULL: this machine */
    const char *config;    /* the one file of configuration; NULL: those of the machine */
    const char *runtime;   /* where report.json goes; NULL: nowhere */
    const char *journal;   /* the journal's socket */
    const char *state;     /* the directory of the history; NULL: none is kept */
    const char *collector; /* the program; NULL: found beside this one, or where it is installed */
    const char *collect_socket; /* where a collector is to be had instead; NULL: nowhere */
    const char *watch_socket;   /* and a watcher */
    const char *alert_socket;   /* where alerts are told; NULL: nowhere */
    const char *sysfs_root; /* a copied tree that is watched instead of this machine; NULL: none */
};

struct alerts;
struct coalesced;
struct collector;
struct process;
struct captures;
struct watcher;
struct probes;

/* An adapter, and what was read of it last. */
struct adapter_state {
    struct manager *manager;
    char *below, *name; /* struct adapter of diagnose/gather.h */
    struct schedule_slot slot;
    struct collector *run;    /* reading it now; NULL: none */
    struct store *store;      /* NULL: nothing was read yet */
    bool has_whole;           /* the store has all of it, whatever did not answer */
    bool is_unexamined;       /* something could not be read the last time */
    VEC(char *) notes;        /* what, and why */
    bool is_watched;          /* the watcher was told of it */
    unsigned walks;           /* so often it has to look at all of it yet, as it was told to */
    uint64_t watched_wall_us; /* when the watcher was through with it last; 0: never */
    uint64_t counted_us;      /* when its counters were read last, by whomever (manager_now()) */
    bool is_unread;           /* when it was judged last, that was a while ago */
    /* Something is not as it was read: until then it is waited for being read anew, and not judged. 0: all is as read. */
    uint64_t behind_us;
    uint64_t reread_us;        /* when it was last read for that; 0: never */
    unsigned restless;         /* how often in a row that was so right behind a reading */
    uint64_t read_us, took_us; /* when (manager_now(); 0: never), and how long it took */
    uint64_t read_wall_us;
};

/* What a subscriber is told, as it was told last. */
struct part {
    char *host; /* its id; NULL: the machine */
    struct buffer *message;
};

/* Who waits for the end of a round. */
struct waiter {
    struct client *client;
    uint64_t round;
};

struct manager {
    sd_event *event;
    const struct options *options;
    struct config config;
    struct config_messages complaints; /* of it, in every report until it is read again */
    const char *instead;               /* what is in force where it is wrong; NULL: it is not */
    gid_t group;                       /* whose members may change things; -1: there is none */
    uint64_t since_wall_us;

    struct source *live; /* lists adapters, and tells events; NULL with captures */
    struct captures *captures;
    struct schedule schedule;
    VEC(struct adapter_state *) adapters;
    struct schedule_slot others;     /* what no adapter is known of: looked at by listing them */
    bool list_is_old;                /* something came or went since they were listed */
    int list_error;                  /* why they cannot be listed; 0 where they can */
    VEC(struct process *) processes; /* all that were started and have not ended */
    sd_event_source *wake, *judge, *events;
    uint64_t judge_us;   /* when the judging is due; UINT64_MAX: it is not */
    uint64_t remembered; /* the round that is in the past */
    uint64_t judged_us;  /* when it was judged last */
    uint64_t metrics_us; /* when metrics.prom was written last */
    bool is_look_due; /* what is judged next is to be remembered, whether or not a round is over */
    struct watcher *watcher; /* NULL: with captures */

    struct past_looks past;
    struct report *report; /* NULL: none yet */
    struct buffer
        *report_reply; /* to GetReport, where somebody has asked since it is so; else NULL */
    struct tracker tracker;
    struct memory *memory; /* NULL: none is kept */
    struct acknowledgements acknowledged;
    struct arena *acknowledged_texts;

    struct probes *probes; /* NULL with captures */

    struct server *server;
    struct journal *journal;
    struct alerts *alerts; /* NULL: none are told */
    VEC(struct client *) subscribers;
    VEC(struct part) parts;     /* as long as there are subscribers */
    VEC(struct waiter) waiters; /* for the end of a look */
    /* Whose pages are being made: not more, for each has up to a MiB of what was, and in the end delays others by some ms. */
    const struct client *paged[2];
    bool is_ready;                    /* and the service manager knows it */
    sd_event_source *ping, *starting; /* of supervision.c */
    uint64_t ping_us;
};

/* Everything ready to run. Says what is wrong. Returns 0 or a negative errno; manager_free() in either case. */
int manager_new(sd_event *event, const struct options *options, struct manager **ret);
struct manager *manager_free(struct manager *m);
DEFINE_CLEANUP(struct manager, manager_free)

/* Microseconds that only go forward, and of the calendar: of this turn of the loop. */
uint64_t manager_now(const struct manager *m);
uint64_t manager_wall(const struct manager *m);

/* Reads the configuration again. Where it is wrong, the old one stays, and the complaints say why. Returns 0, -EBADMSG where
 * it is wrong, or -ENOMEM. */
int manager_reload(struct manager *m);

/* Looks at everything now. */
void manager_look(struct manager *m);

/* Judges what was read, at that time at the latest; or at once. */
void manager_judge_at(struct manager *m, uint64_t when_us);
void manager_judge_now(struct manager *m);

/* ---- adapters.c ---- */

/* Begins to watch this machine. Returns 0 or a negative errno, which was said. */
int adapters_start(struct manager *m);
void adapters_stop(struct manager *m);

/* Starts what is due, and sets the alarm for what is next. */
void adapters_go_on(struct manager *m);

/* Until when nothing is to be judged, for an adapter is about to be read anew; 0: it may be. */
uint64_t adapters_behind(const struct manager *m);

/* A run has ended: what was read is in the adapter. `is_stuck`: something did not answer. */
void adapters_ended(struct adapter_state *a, bool is_stuck);

/* Was the adapter read to its end, the last time, that the host, link or device of that id is of? Not so of what is not there:
 * it may be of any of them. */
bool adapters_have_examined(const struct manager *m, const char *id);

/* What a finding is about is to be looked at again soon. */
void adapters_look_again(struct manager *m, const struct finding *f);

int adapter_note(struct adapter_state *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void adapter_forget_notes(struct adapter_state *a);
void adapter_free(struct adapter_state *a);

/* ---- collector.c ---- */

/* Starts reading; `asks`: devices may be asked. Returns 0 or a negative errno. */
int collector_start(struct adapter_state *a, bool asks);

/* The adapter is gone: nobody listens any longer, and what waits for it belongs to nobody. The processes end by
 * themselves. */
void collector_abandon(struct adapter_state *a);

/* Forgets all processes. */
void collector_forget_all(struct manager *m);

/* ---- watcher.c ---- */

/* Begins to have the adapters watched, each from when it was read first. Returns 0 or a negative errno. */
int watcher_begin(struct manager *m);
void watcher_end(struct manager *m);

/* The adapter has been read, so it is watched from there on; or it is gone, or hangs, and is not watched any more. */
void watcher_read(struct adapter_state *a);
void watcher_leave(struct adapter_state *a);

/* The times of the configuration are others. */
void watcher_retime(struct manager *m);

/* How it is doing, as one JSON object of io.hbad.monitor.varlink. */
struct json_writer;
void watcher_status(const struct manager *m, struct json_writer *w);

/* ---- still.c ---- */

/* All was looked at, and nothing has changed: the report is of now. `counters`: those were looked at, too. Where it is time
 * to judge again though nothing has changed, that is done. */
void still(struct manager *m, bool counters);

/* ---- captures.c ---- */
int captures_open(struct manager *m, const char *dir);
void captures_close(struct captures *c);
/* Goes to the next capture of each adapter; where there is none, the last one stays. Returns 0 or a negative errno, which
 * was said. */
int captures_step(struct manager *m);

/* ---- judge.c ---- */
/* What was read of all adapters → m->report. Returns 0 or a negative errno; the old report stays then. */
int judge(struct manager *m);
/* Was it judged last when the counters of an adapter were still fresh, and are not now, or the other way? */
bool judge_is_outdated(const struct manager *m);
/* What time it is for a report: with captures that of the newest. */
uint64_t judge_wall(const struct manager *m);
void judge_forget(struct manager *m);

/* ---- publish.c ---- */
/* Tells everybody of a new report. */
void publish(struct manager *m);
/* Replaces a file in the runtime directory, which is in memory: no reader sees half of it, and no disk is waited for. `write` returns 0
 * or a negative errno; NULL: the file goes. Without a runtime directory nothing is done; what is wrong is said. */
void publish_file(const struct manager *m, const char *name,
                  int (*write)(const struct manager *m, FILE *out));
/* Writes metrics.prom, where there is a runtime directory. */
void publish_metrics(struct manager *m);
/* The reply to GetReport, which is the manager's. There must be a report. NULL without memory. */
struct buffer *publish_reply(struct manager *m);
/* Starts telling a client: queues the state. Returns 0 or -ENOMEM. */
int publish_subscribe(struct manager *m, struct client *c);
void publish_unsubscribe(struct manager *m, struct client *c);
void publish_forget(struct manager *m);

/* ---- entries.c ---- */
/* Has the journal told of them, and who wants alerts. */
void tell_findings(struct manager *m, const struct track_events *events);

/* ---- alert_of.c ---- */
/* Tells of findings that are more than info (finding/coalesce.h), in so many bytes at most. */
enum { ALERT_BYTES_MAX = 65536 };
void alert(struct manager *m, const struct coalesced *c, const char *message);

/* ---- alerts.c ---- */
/* Begins with what was not taken when hbad ended. Returns 0 or a negative errno. */
int alerts_start(struct manager *m);
void alerts_stop(struct manager *m);
/* Puts one in line: a JSON object with a newline behind it. What there is no room for is said. */
void alerts_put(struct manager *m, struct buffer *alert);
/* How many wait, and how many were given up or had no room since hbad began. Returns false where nobody is told. */
bool alerts_counts(const struct manager *m, uint64_t *ret_waiting, uint64_t *ret_lost);

/* ---- supervision.c ---- */
/* Begins to tell the service manager that hbad goes on. Returns 0 or a negative errno. */
int supervision_start(struct manager *m);
void supervision_stop(struct manager *m);
/* There is a new report. */
void supervision_reported(struct manager *m);
/* The configuration is going to be read again; it was. */
void supervision_reloading(struct manager *m);
void supervision_reloaded(struct manager *m);

/* ---- methods.c ---- */
extern const struct varlink_service SERVICE;
/* Is there an argument that cannot be (`wrong`, its name; NULL: none is), or nothing to answer from yet? Then that is answered. */
bool method_is_refused(const struct manager *m, const char *wrong, FILE *out);
/* Answers those who wait for the end of a look that is over. */
void methods_looked(struct manager *m);

/* ---- service.c ---- */
/* The methods of io.systemd.service. */
extern const struct varlink_method SYSTEMD_METHODS[];

/* ---- text.c ---- */
/* The method GetText, of io.hbad.monitor.varlink. */
struct get_text_arguments {
    const char *verb, *word, *json, *command;
    int64_t columns;
    bool utf8, colour, no_legend;
};
extern const struct varlink_argument GET_TEXT_ARGUMENTS[];
int get_text(void *client, const struct varlink_call *call, const void *arguments, FILE *out);

/* ---- check.c ---- */
/* The method Check. */
struct check_arguments {
    struct varlink_strings names;
    const char *number, *warning, *critical, *format;
    bool verbose, strict;
    int64_t max_age;
};
extern const struct varlink_argument CHECK_ARGUMENTS[];
int check_method(void *client, const struct varlink_call *call, const void *arguments, FILE *out);

/* ---- metrics.c ---- */
/* Writes what hbad says of itself. Returns 0, or -ENOMEM where something is missing. */
int metrics_of_daemon(const struct manager *m, FILE *out);
/* Writes the report's metrics and those. Returns 0, -ENOMEM, or -EIO where they cannot be written. */
int metrics_write(const struct manager *m, FILE *out);
/* Resident memory in bytes, 0 where it cannot be told: proc(5), statm. */
uint64_t own_memory(void);

/* A text as an array of strings that readers can take. */
void text_pieces(struct json_writer *w, const char *text, size_t len);

/* ---- acknowledge.c ---- */
/* Puts one in the place of an older one of its key, or, without a reason, takes that back. Texts are copied. Returns 0 or
 * -ENOMEM. */
int acknowledge_add(struct manager *m, const struct acknowledgement *a);

/* A finding is over: what was acknowledged of it is, too. */
void acknowledge_cleared(struct manager *m, const struct tracked *t);

/* When the next one ends; UINT64_MAX: none does. */
uint64_t acknowledge_next_end(const struct manager *m, uint64_t wall_us);
void acknowledge_forget(struct manager *m);

struct acknowledge_arguments {
    const char *name, *code, *reason;
    int64_t until;
};
extern const struct varlink_argument ACKNOWLEDGE_ARGUMENTS[];
int acknowledge(void *client, const struct varlink_call *call, const void *arguments, FILE *out);

/* ---- remembered.c ---- */
/* The method History. */
struct history_arguments {
    const char *name;
    int64_t since, most, columns;
    bool text, utf8, colour, no_legend;
};
extern const struct varlink_argument HISTORY_ARGUMENTS[];
int remembered(void *client, const struct varlink_call *call, const void *arguments, FILE *out);

/* Why what was cannot be told: what memory_ask() failed with, or gave. */
const char *memory_why(int error);

/* ---- page.c ---- */
struct get_page_arguments {
    int64_t since;
};
extern const struct varlink_argument GET_PAGE_ARGUMENTS[];
int get_page(void *client, const struct varlink_call *call, const void *arguments, FILE *out);
/* That client has gone. */
void page_client_gone(struct manager *m, const struct client *client);

/* ---- settings.c ---- */
/* The configuration into a new one, to be released by config_done() in any case. Returns 0, -EBADMSG where something is wrong
 * with it, which the messages say, or -ENOMEM. */
int settings_read(const struct options *options, struct config *ret,
                  struct config_messages *messages);
struct schedule_times settings_times(const struct config *config);
