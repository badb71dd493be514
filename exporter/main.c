/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbad-exporter: hbad's metrics over HTTP. exporter/exporter.h is the map.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include "base/cleanup.h"
#include "exporter/exporter.h"

enum { EXIT_USAGE = 64 };

#define SOCKET "/run/io.hbad.monitor" /* units/hbad.socket */

static int usage(FILE *out, int status)
{
    fputs(
        "hbad-exporter [--socket=PATH]\n\n"
        "Answers GET /metrics, at the sockets that systemd passes, with what hbad, at PATH, says as metrics.\n"
        "By hand: systemd-socket-activate -l 127.0.0.1:19320 hbad-exporter\n",
        out);
    return status;
}

/* Returns 0, or with the exit status in *ret_status: 1. */
static int parse(int argc, char **argv, const char **ret_socket, int *ret_status)
{
    static const struct option OPTIONS[] = {
        { "socket", required_argument, NULL, 's' },
        { "version", no_argument, NULL, 'v' },
        { "help", no_argument, NULL, 'h' },
        { 0 },
    };
    int c;

    while ((c = getopt_long(argc, argv, "h", OPTIONS, NULL)) >= 0) {
        if (c == 's') {
            *ret_socket = optarg;
            continue;
        }
        if (c == 'v')
            puts("hbad-exporter " HBAD_VERSION);
        *ret_status = c == 'v' ? 0 : usage(c == 'h' ? stdout : stderr, c == 'h' ? 0 : EXIT_USAGE);
        return 1;
    }
    *ret_status = EXIT_USAGE;
    return optind < argc ? (usage(stderr, 0), 1) : 0;
}

/* The sockets that were passed. Says what is wrong. Returns 0 or a negative errno. */
static int listen_at_passed(struct exporter *x)
{
    int n = sd_listen_fds(1), r = 0;

    if (n == 0) {
        fputs("hbad-exporter: no socket was passed; --help says how to have one\n", stderr);
        return -ENOTCONN;
    }
    for (int fd = SD_LISTEN_FDS_START; r == 0 && fd < SD_LISTEN_FDS_START + n; fd++) {
        r = sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1);
        r = r > 0 ? connections_listen(x, fd) : r == 0 ? -EPROTOTYPE : r;
        if (r < 0)
            fprintf(stderr, "hbad-exporter: socket %d: %s\n", fd, strerror(-r));
    }
    return n < 0 ? n : r;
}

/* Until it is told to end. */
static int run(struct exporter *x)
{
    static const int SIGNALS[] = { SIGTERM, SIGINT };
    sigset_t all;
    int r = 0;

    sigemptyset(&all);
    for (size_t i = 0; i < ELEMENTS(SIGNALS); i++)
        sigaddset(&all, SIGNALS[i]);
    if (sigprocmask(SIG_BLOCK, &all, NULL) < 0)
        return -errno;
    for (size_t i = 0; r >= 0 && i < ELEMENTS(SIGNALS); i++)
        r = sd_event_add_signal(x->event, NULL, SIGNALS[i], NULL, NULL);
    if (r >= 0)
        r = pages_start(x);
    if (r >= 0)
        r = listen_at_passed(x);
    return r < 0 ? r : sd_event_loop(x->event);
}

int main(int argc, char **argv)
{
    struct exporter x = { .socket = SOCKET };
    int status, r;

    if (parse(argc, argv, &x.socket, &status))
        return status;
    signal(SIGPIPE, SIG_IGN); /* libmicrohttpd writes to whom has gone */
    r = sd_event_default(&x.event);
    if (r >= 0)
        r = run(&x);
    pages_stop(&x);
    sd_event_unref(x.event);
    if (r < 0 && r != -ENOTCONN)
        fprintf(stderr, "hbad-exporter: %s\n", strerror(-r));
    return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
