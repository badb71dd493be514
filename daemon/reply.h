/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the writer's child says to the daemon: one JSON object each, as record.h has it of the other direction. Pure.
 */
#pragma once

#include "daemon/history.h"

struct reply {
    uint64_t n;       /* of the record that it answers; 0: of none */
    bool is_alive;    /* nothing, but that it still runs */
    bool is_fresh;    /* the database has nothing in it yet but what is put in from now on */
    bool is_done;     /* the record is on the disk, or answered: nothing more comes for it */
    uint32_t error;   /* the record came to nothing, for that errno; nothing more comes for it */
    const char *said; /* a sentence for people; NULL: none */
    bool has_look, has_answer, has_start;
    struct look look;             /* of RECORD_LOAD: one of several */
    struct history_start start;   /* of RECORD_LOAD: the first */
    struct history_answer answer; /* of RECORD_QUERY */
};

/* Frees what is in it, but for the texts. */
void reply_done(struct reply *reply);

void reply_write(const struct reply *reply, FILE *out);

/* Reads one. Texts are in the arena. Returns 0, -EBADMSG or -ENOMEM. */
int reply_read(struct bytes json, struct arena *arena, struct reply *ret);
