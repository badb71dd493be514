/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The writer's queue (writer.h uses it, nobody else): messages in order of their numbers. From `first` on come those that were
 * sent and are not settled, then, from `next` on, those that wait. Pure.
 */
#pragma once

#include "daemon/record.h"

struct message {
    uint64_t n;
    enum record_kind kind;
    char *key; /* of what a newer one takes the place of; NULL: of nothing */
    char *text;
    size_t len; /* with the NUL behind it */
    unsigned tries;
};

struct writer_queue {
    VEC(struct slot {
        uint64_t n;
        struct message *m; /* NULL: settled */
    })
    slots;
    size_t first, next;  /* what is before `first` is settled; `next` is not sent */
    size_t sent_of_next; /* bytes of it */
    size_t bytes, count; /* of messages that are not settled */
    size_t asked_bytes;  /* of those among them that only ask */
};

/* The record as a message of its number. NULL without memory. */
struct message *message_new(const struct record *record);
void message_free(struct message *m);

/* Adds it at the end; room for one more slot has been reserved. */
void queue_add(struct writer_queue *q, struct message *m);

/* The message at that place is done with. Places may be other ones afterwards. */
void queue_settle(struct writer_queue *q, size_t at);

/* The place of the message of that number; SIZE_MAX where it is not there. */
size_t queue_find(const struct writer_queue *q, uint64_t n);

/* The place of the older state that the message takes the place of, if it was not sent; SIZE_MAX. */
size_t queue_older(const struct writer_queue *q, const struct message *m);

/* Is there room for it below that bound, when `gone` bytes go for it? One message always has room. So has one question beside what
 * is to be kept: what everybody may ask takes nothing from that. */
bool queue_has_room(const struct writer_queue *q, const struct message *m, size_t gone,
                    size_t bound);

/* Frees what is in it. */
void queue_done(struct writer_queue *q);
