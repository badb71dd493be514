/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbad, the daemon: watches the links of this machine's storage, and tells who asks. daemon/manager.h is the map.
 */
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/notify.h"
#include "live/program.h"

enum { EXIT_USAGE = 64 };

#define COLLECT_SOCKET "/run/io.hbad.collect" /* units/hbad-collect.socket */
#define WATCH_SOCKET   "/run/io.hbad.watch"   /* units/hbad-watch.socket */
#define ALERT_SOCKET   "/run/io.hbad.alert"   /* units/hbad-alert.socket */

static int usage(void)
{
    fputs(
        "hbad [OPTION...]\n\n"
        "Watches the links of this machine's storage, and answers Varlink calls (io.hbad.monitor).\n\n"
        "  --socket=PATH            listens there, and at the sockets that systemd passes\n"
        "  --runtime-dir=DIRECTORY  report.json and metrics.prom go there ($RUNTIME_DIRECTORY)\n"
        "  --state-dir=DIRECTORY    the history is kept there ($STATE_DIRECTORY; else none is)\n"
        "  --config=FILE            instead of /etc/hbad/hbad.conf and its drop-ins\n"
        "  --journal=SOCKET         where the journal is (" JOURNAL_SOCKET ")\n"
        "  --captures=DIRECTORY     not this machine, but that of the captures in there: 1.json,\n"
        "                           2.json, ... or ADAPTER/1.json, ...: each look goes one on\n"
        "  --sysfs-root=DIRECTORY   not this machine, but a copied tree: DIRECTORY/sys, /proc\n"
        "  --collector=PROGRAM      what reads devices, as a child (hbad-collect beside hbad, or\n"
        "                           where it is installed)\n"
        "  --collect-socket=PATH    where systemd starts it (" COLLECT_SOCKET ", if there)\n"
        "  --watch-socket=PATH      where it starts the watcher (" WATCH_SOCKET ", if there)\n"
        "  --alert-socket=PATH      where it starts programs for alerts (" ALERT_SOCKET ",\n"
        "                           if there)\n"
        "  -h, --help, --version\n\n"
        "Signals: HUP reads the configuration again, USR1 looks at everything now, TERM ends it.\n",
        stdout);
    return 0;
}

/* `word`: one that is no option; NULL: what is wrong was said. */
static int refuse(const char *word)
{
    if (word)
        fprintf(stderr, "hbad: no arguments are taken, but there is %s\n", word);
    fputs("hbad: see hbad --help\n", stderr);
    return EXIT_USAGE;
}

/* Returns 0, or with the exit status in *ret_status: 1. */
static int parse(int argc, char **argv, struct options *o, int *ret_status)
{
    static const struct option OPTIONS[] = {
        { "socket", required_argument, NULL, 's' },
        { "runtime-dir", required_argument, NULL, 'r' },
        { "config", required_argument, NULL, 'c' },
        { "captures", required_argument, NULL, 'C' },
        { "state-dir", required_argument, NULL, 't' },
        { "journal", required_argument, NULL, 'j' },
        { "collector", required_argument, NULL, 'p' },
        { "collect-socket", required_argument, NULL, 'S' },
        { "watch-socket", required_argument, NULL, 'W' },
        { "alert-socket", required_argument, NULL, 'A' },
        { "sysfs-root", required_argument, NULL, 'R' },
        { "version", no_argument, NULL, 'v' },
        { "help", no_argument, NULL, 'h' },
        { 0 },
    };
    int c;

    while ((c = getopt_long(argc, argv, "h", OPTIONS, NULL)) >= 0) {
        const char **to = c == 's'   ? &o->socket
                          : c == 'r' ? &o->runtime
                          : c == 'c' ? &o->config
                          : c == 'C' ? &o->captures
                          : c == 't' ? &o->state
                          : c == 'j' ? &o->journal
                          : c == 'p' ? &o->collector
                          : c == 'S' ? &o->collect_socket
                          : c == 'W' ? &o->watch_socket
                          : c == 'A' ? &o->alert_socket
                          : c == 'R' ? &o->sysfs_root
                                     : NULL;

        if (to) {
            *to = optarg;
            continue;
        }
        if (c == 'v')
            puts("hbad " HBAD_VERSION);
        *ret_status = c == 'v' ? 0 : c == 'h' ? usage() : refuse(NULL); /* getopt said what */
        return 1;
    }
    if (optind >= argc)
        return 0;
    *ret_status = refuse(argv[optind]);
    return 1;
}

/* The collector that systemd starts with the rights that it takes, where there is its socket, unless another one is asked
 * for; else a child of ours. Says what is wrong. Returns 0 or a negative errno. */
static int find_collector(struct options *o, char *buffer, size_t size)
{
    int r;

    bool is_ours = !o->collector && !o->collect_socket && !o->sysfs_root; /* nobody said anything */

    if (is_ours && access(COLLECT_SOCKET, F_OK) == 0)
        o->collect_socket = COLLECT_SOCKET;
    if (is_ours && !o->watch_socket && access(WATCH_SOCKET, F_OK) == 0)
        o->watch_socket = WATCH_SOCKET;
    if (o->collect_socket && o->watch_socket)
        return 0;
    if (o->collector)
        r = access(o->collector, X_OK) < 0 ? -errno : 0;
    else
        r = program_find("hbad-collect", HBAD_LIBEXECDIR, buffer, size);
    if (!o->collector)
        o->collector = buffer;
    if (r < 0)
        log_line(LOG_ERROR, "%s: %s", o->collector, strerror(-r));
    return r;
}

/* What is large (a report, the strings of what was read) is made anew with each look, and given back to the system when
 * it goes. Left to itself malloc() learns from the first of them to keep such pieces: a third more at the peak with
 * 1,000 links (tests/bench/README.md). */
static void give_memory_back(void)
{
    enum { LARGE_BYTES = 128 * 1024 };

    mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
}

static int run(const struct options *options)
{
    _cleanup_(sd_event_unrefp) sd_event *event = NULL;
    _cleanup_(manager_freep) struct manager *manager = NULL;
    int r = sd_event_default(&event);

    if (r >= 0)
        r = manager_new(event, options, &manager);
    if (r >= 0)
        r = sd_event_loop(event);
    notify("STOPPING=1");
    return r;
}

int main(int argc, char **argv)
{
    char collector[4096];
    struct options options = { .journal = JOURNAL_SOCKET,
                               .runtime = getenv("RUNTIME_DIRECTORY"),
                               .state = getenv("STATE_DIRECTORY") };
    int status, r;

    if (parse(argc, argv, &options, &status))
        return status;
    if (!options.captures && find_collector(&options, collector, sizeof(collector)) < 0)
        return EXIT_FAILURE;
    if (!options.captures && !options.sysfs_root && !options.alert_socket)
        options.alert_socket =
            ALERT_SOCKET; /* another machine's alerts are for nobody here, unless he asks for them */
    umask(0022);
    give_memory_back();
    r = run(&options);
    if (r < 0)
        log_line(LOG_ERROR, "ended: %s", strerror(-r));
    return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
