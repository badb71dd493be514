/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbad-exporter: what hbad says as metrics, over HTTP. It has no right to anything but hbad's socket, and keeps nothing:
 *
 *   main.c         the command line, the sockets that systemd passes, the loop
 *   connections.c  who is connected, how many, how long
 *   pages.c        what is answered to what is asked for; libmicrohttpd has the protocol
 *   exchange.c     a call to hbad, without waiting; all who ask meanwhile get its answer
 *
 * One thread, one loop, and nothing in it waits, so whoever sends slowly, reads slowly or sends rubbish delays nobody. A
 * connection is one request: it is closed behind the answer. All that others could make grow is bounded, below.
 *
 * An answer is what hbad was asked for at that time, or, where another was waiting for it, at most PATIENCE_S before; never anything
 * older: where hbad does not answer, the status is 503, and the text says why.
 */
#pragma once

#include <microhttpd.h>
#include <stdbool.h>
#include <systemd/sd-event.h>

#include "base/vec.h"

enum {
    LISTENERS_MAX = 8,
    /* Where there are more, the one goes that has been there longest without a request; if all have asked, new ones wait. */
    CONNECTIONS_MAX = 64,
    REQUEST_MAX = 16 * 1024, /* bytes that libmicrohttpd may use for a connection: of a header */
    TEXT_MAX = 64 * 1024 * 1024, /* of hbad's answer: links of a machine by the ten thousand */
    PATIENCE_S = 5,              /* with hbad; a scrape is given up after 10 s by default */
    LIFE_S = 20,                 /* of a connection until it is answered */
    READ_S = 5, /* that its answer may take: while all read slowly, the next one waits so long */
};

/* An answer, for all who wait for it. */
struct answer {
    unsigned refs, status;
    struct MHD_Response *response;
};

/* Takes a text (malloc()ed, also where this fails), in one line or many. Returns NULL without memory. */
struct answer *answer_new(unsigned status, const char *type, char *text, size_t len);
struct answer *answer_ref(struct answer *a);
/* Takes NULL. Returns NULL. */
struct answer *answer_unref(struct answer *a);

struct connection {
    struct exporter *exporter;
    struct MHD_Connection *http;
    sd_event_source *end; /* of its life */
    bool has_asked;       /* its request is there */
    bool is_waiting;      /* for hbad: libmicrohttpd leaves it alone meanwhile */
    bool is_closing;      /* it is closed as soon as it is looked at */
    struct answer
        *answer; /* that it is to get; NULL: it has not asked, is waiting, or has got it */
};

struct exchange;

struct exporter {
    sd_event *event;
    const char *socket; /* where hbad listens */
    struct MHD_Daemon *http;
    sd_event_source *wake, *again; /* libmicrohttpd has something to do; it has more */
    sd_event_source *listeners[LISTENERS_MAX];
    size_t n_listeners;
    VEC(struct connection *) connections; /* the oldest first */
    struct exchange *exchange;            /* with hbad; NULL: none is under way */
};

/* ---- connections.c ---- */

/* Takes connections at a socket from now on. Returns 0 or a negative errno. */
int connections_listen(struct exporter *x, int fd);
/* What libmicrohttpd calls when a connection begins and ends: MHD_NotifyConnectionCallback. */
void connections_notify(void *exporter, struct MHD_Connection *http, void **ret_connection,
                        enum MHD_ConnectionNotificationCode what);
/* All who wait get the answer. */
void connections_answer(struct exporter *x, struct answer *a);

/* ---- pages.c ---- */

/* Begins to serve what connections_listen() takes. Returns 0 or a negative errno. */
int pages_start(struct exporter *x);
void pages_stop(struct exporter *x);
/* The answer where hbad gave none: 503 with the reason, an errno or words. NULL without memory. */
struct answer *pages_unavailable(int error, const char *words);

/* ---- exchange.c ---- */

/* Asks hbad for its metrics, unless that is under way: connections_answer() is called when it has answered, or will not. Returns 0, or
 * a negative errno where it cannot even be asked. */
int exchange_start(struct exporter *x);
void exchange_stop(struct exporter *x);
