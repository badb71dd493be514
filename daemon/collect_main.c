/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbad-collect: the only program that touches a device.
 *
 * Reads one adapter and writes what it saw to its standard output as a capture stream, as it goes: the
 * hosts first, then each device, and before each SCSI command what it is about to ask. A device that
 * hangs can hang only this process, and what was read before it is with the reader already.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/collect_config.h"
#include "diagnose/gather.h"
#include "live/live.h"
#include "source/capture.h"
#include "source/record.h"

struct collection {
    struct source *record;
    struct store *store; /* of the part under way */
    struct taken taken;
    int error;      /* why the reader could not be told something; 0: it was */
    char asked[64]; /* the device that was asked last */
};

/* A part is complete: out with it, and on with an empty one. */
static int send_part(void *userdata, const char *hctl)
{
    struct collection *c = userdata;
    struct store *next = store_new();
    int r;

    (void)hctl;
    if (!next)
        return -ENOMEM;
    r = c->error;
    if (r == 0)
        r = store_set_taken(c->store, &c->taken);
    if (r == 0)
        r = capture_write_chunk(c->store, stdout);
    if (r == 0 && fflush(stdout) != 0)
        r = -errno;
    record_set_store(c->record, next);
    store_free(c->store);
    c->store = next;
    return r;
}

/* What is known of a device without asking it goes out before it is asked: it may never answer. */
static void tell_asking(void *userdata, const char *hctl, struct bytes cdb)
{
    struct collection *c = userdata;
    struct capture_progress progress = { hctl, cdb };
    int r = 0;

    if (strcmp(c->asked, hctl) != 0) {
        snprintf(c->asked, sizeof(c->asked), "%s", hctl);
        r = send_part(c, hctl);
    }
    if (r == 0)
        r = capture_write_progress(&progress, stdout);
    if (r == 0 && fflush(stdout) != 0)
        r = -errno;
    if (c->error == 0)
        c->error = r;
}

static int collect(struct source *live, const struct gather_options *asked)
{
    struct collection c = { .store = store_new() };
    struct gather_options options = *asked;
    struct fact_set *facts = NULL;
    int r = source_now(live, &c.taken);

    c.record = c.store ? record_new(live, c.store) : NULL;
    if (r == 0 && !c.record)
        r = -ENOMEM;
    if (r == 0) {
        record_set_asking(c.record, tell_asking, &c);
        options.done = send_part;
        options.userdata = &c;
        r = gather(c.record, &options, &facts);
    }
    if (r == 0)
        r = capture_write_end(stdout);
    if (r == 0 && fflush(stdout) != 0)
        r = -errno;
    fact_set_free(facts);
    source_close(c.record);
    store_free(c.store);
    return r;
}

/* As far as the administrator allows; a copied tree is not this machine's, and is asked nothing. */
static int collect_allowed(struct source *live, const char *config_file,
                           struct gather_options *options)
{
    _cleanup_(config_done) struct config config = { 0 };
    _cleanup_(tiers_done) struct tiers tiers = { 0 };
    int r = collect_config(config_file || live->asking_costs ? config_file : "/dev/null", &config);

    if (r == 0)
        r = tiers_find(live, &config, options->only_below, &tiers);
    options->tiers = &tiers;
    return r < 0 ? r : collect(live, options);
}

static int usage(FILE *out, int status)
{
    fputs(
        "hbad-collect [--below=DIRECTORY] [--level=identity|modes|all] [--named=H:C:T:L] [--force]\n"
        "             [--after=H:C:T:L] [--unasked] [--config=FILE] [--sysfs-root=DIRECTORY]\n\n"
        "Reads one adapter (the hosts below a /sys/devices directory; without it, all) and writes a\n"
        "capture stream to standard output; with --after, of the devices behind that one only; with\n"
        "--unasked, without sending any device a command. What hbad.conf (or FILE) forbids is not\n"
        "done. Started by hbactl and hbad.\n",
        out);
    return status;
}

static int parse_level(const char *word, enum level *ret)
{
    static const char *const LEVELS[] = { "identity", "modes", "all" };

    for (size_t i = 0; i < ELEMENTS(LEVELS); i++) {
        if (strcmp(word, LEVELS[i]) != 0)
            continue;
        *ret = (enum level)i;
        return 0;
    }
    return -EINVAL;
}

static int parse_arguments(int argc, char **argv, struct gather_options *options,
                           struct live_options *live, const char **ret_config)
{
    static const struct option OPTIONS[] = {
        { "below", required_argument, NULL, 'b' },  { "level", required_argument, NULL, 'l' },
        { "named", required_argument, NULL, 'n' },  { "force", no_argument, NULL, 'f' },
        { "after", required_argument, NULL, 'a' },  { "unasked", no_argument, NULL, 'u' },
        { "config", required_argument, NULL, 'c' }, { "sysfs-root", required_argument, NULL, 'r' },
        { "help", no_argument, NULL, 'h' },         { 0 },
    };
    int c;

    while ((c = getopt_long(argc, argv, "h", OPTIONS, NULL)) >= 0) {
        switch (c) {
        case 'b':
            options->only_below = optarg;
            break;
        case 'l':
            if (parse_level(optarg, &options->level) < 0)
                return usage(stderr, 64);
            break;
        case 'n':
            options->named = optarg;
            break;
        case 'f':
            options->forced = true;
            break;
        case 'a':
            options->after = optarg;
            break;
        case 'u':
            options->unasked = true;
            break;
        case 'c':
            *ret_config = optarg;
            break;
        case 'r':
            live->root = optarg;
            break;
        case 'h':
            exit(usage(stdout, 0));
        default:
            return usage(stderr, 64);
        }
    }
    return optind < argc ? usage(stderr, 64) : 0;
}

int main(int argc, char **argv)
{
    struct gather_options options = { .level = LEVEL_ALL };
    struct live_options live_options = { 0 };
    const char *config = NULL;
    struct source *live;
    int r = parse_arguments(argc, argv, &options, &live_options, &config);

    if (r)
        return r;
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of the write */
    live = live_new(&live_options);
    if (!live) {
        fprintf(stderr, "hbad-collect: %s: %s\n", live_options.root ? live_options.root : "/sys",
                strerror(errno));
        return 1;
    }
    r = collect_allowed(live, config, &options);
    source_close(live);
    if (r < 0)
        fprintf(stderr, "hbad-collect: %s\n", strerror(-r));
    return r < 0;
}
