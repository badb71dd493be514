/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbad-collect: the only program that touches a device.
 *
 * Reads one adapter, or measures devices, or probes links, and writes what it saw to its standard output as a capture stream, as
 * it goes. Or watches what tells that a link has changed.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "daemon/collect.h"

int main(int argc, char **argv)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct collect_options options;
    struct tiers tiers;
    struct source *live;
    int r = collect_parse(argc, argv, &options);

    if (r >= 0)
        return r;
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of the write */
    r = !arena            ? -ENOMEM
        : options.watches ? collect_watch(&options.live)
        : options.serves  ? collect_serve(arena, &options)
                          : 0;
    if (r < 0)
        fprintf(stderr, "hbad-collect: %s\n", strerror(-r));
    if (r < 0 || options.watches)
        return r < 0;
    live = live_new(&options.live);
    if (!live) {
        fprintf(stderr, "hbad-collect: %s: %s\n", options.live.root ? options.live.root : "/sys",
                strerror(errno));
        return 1;
    }
    options.probing.below = options.gather.only_below;
    if (options.probing.wanted) /* it looks at the whole machine */
        options.gather.only_below = NULL;
    r = collect_tiers(live, options.config, options.gather.only_below, &tiers);
    options.gather.tiers = &tiers;
    if (r == 0 && options.probing.wanted)
        r = collect_probe(live, &options.probing, options.config, &tiers);
    else if (r == 0 && options.measuring.n_methods)
        r = collect_measures(live, &options.measuring, &tiers);
    else if (r == 0)
        r = collect_adapter(live, &options.gather);
    tiers_done(&tiers);
    source_close(live);
    if (r == -EPIPE && options.serves) /* hbad has ended, which is no fault of this one */
        r = 0;
    if (r < 0)
        fprintf(stderr, "hbad-collect: %s\n", strerror(-r));
    return r < 0;
}
