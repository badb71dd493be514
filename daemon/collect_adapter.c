/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading one adapter: what is seen goes out as it is seen, the hosts first, then each device, and before each
 * SCSI command what it is about to ask. A device that hangs can hang only this process, and what was read
 * before it is with the reader already.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/collect.h"
#include "daemon/collect_config.h"
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

int collect_adapter(struct source *live, const struct gather_options *asked)
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

int collect_tiers(struct source *live, const char *config_file, const char *only_below,
                  struct tiers *ret)
{
    _cleanup_(config_done) struct config config = { 0 };
    int r;

    *ret = (struct tiers){ 0 };
    r = collect_config(config_file || live->asking_costs ? config_file : "/dev/null", &config);
    return r < 0 ? r : tiers_find(live, &config, only_below, ret);
}
