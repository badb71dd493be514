/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Golden captures for unit tests: as a source that answers from one, and, where that is said, counts what is asked as
 * if asking cost.
 */
#pragma once

#include "../cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "diagnose/diagnose.h"
#include "source/capture.h"
#include "source/replay.h"

/* A source over a capture that counts commands. */
struct counting {
    struct source source;
    struct source *replay;
    struct store *store;
    size_t n; /* commands that went out */
    struct {
        char hctl[32];
        size_t n;
    } devices[256];
    size_t n_devices;
};

static inline struct counting *counting_of(struct source *s)
{
    return (struct counting *)(void *)s; /* its first member */
}

static inline int count_list(struct source *s, const char *dir, const char *prefix,
                             struct names *ret)
{
    return source_list(counting_of(s)->replay, dir, prefix, ret);
}

static inline int count_read(struct source *s, const char *path, size_t limit, struct value *ret)
{
    return source_read(counting_of(s)->replay, path, limit, ret);
}

static inline int count_link(struct source *s, const char *path, struct value *ret)
{
    return source_link(counting_of(s)->replay, path, ret);
}

static inline int count_prop(struct source *s, const char *path, const char *name,
                             struct value *ret)
{
    return source_prop(counting_of(s)->replay, path, name, ret);
}

static inline int count_command(struct source *s, const struct command_target *target,
                                const struct command *command, struct answer *ret)
{
    struct counting *c = counting_of(s);
    size_t i = 0;

    while (i < c->n_devices && strcmp(c->devices[i].hctl, target->hctl) != 0)
        i++;
    if (i == c->n_devices) {
        assert_true(c->n_devices < ELEMENTS(c->devices));
        snprintf(c->devices[c->n_devices++].hctl, sizeof(c->devices[i].hctl), "%s", target->hctl);
    }
    c->devices[i].n++;
    c->n++;
    return source_command(c->replay, target, command, ret);
}

static inline int count_measure(struct source *s, const struct measure_request *request,
                                struct measurement *ret)
{
    return source_measure(counting_of(s)->replay, request, ret);
}

static inline int count_now(struct source *s, struct taken *ret)
{
    return source_now(counting_of(s)->replay, ret);
}

/* Commands that were sent to a device. */
static inline size_t count_for(const struct counting *c, const char *hctl)
{
    for (size_t i = 0; i < c->n_devices; i++)
        if (strcmp(c->devices[i].hctl, hctl) == 0)
            return c->devices[i].n;
    return 0;
}

/* Opens tests/golden/NAME/1.json. */
static inline void counting_open(struct counting *c, const char *name, bool asking_costs)
{
    static const struct source_ops OPS = {
        .list = count_list,
        .read = count_read,
        .link = count_link,
        .prop = count_prop,
        .command = count_command,
        .measure = count_measure,
        .now = count_now,
    };
    static uint8_t text[8 * 1024 * 1024];
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    _cleanup_(json_reader_freep) struct json_reader *reader = NULL;
    struct capture_reading reading = { 0 };
    char path[512];
    FILE *file;
    size_t n;

    snprintf(path, sizeof(path), "%s/golden/%s/1.json", TESTS_DIR, name);
    file = fopen(path, "r");
    assert_non_null(file);
    n = fread(text, 1, sizeof(text), file);
    fclose(file);
    assert_in_range(n, 1, sizeof(text) - 1);
    *c = (struct counting){ .source = { &OPS, asking_costs }, .store = store_new() };
    reader = json_reader_over((struct bytes){ text, n });
    assert_non_null(c->store);
    assert_non_null(reader);
    assert_int_equal(capture_read(reader, c->store, arena, &reading), 0);
    c->replay = replay_new(c->store);
    assert_non_null(c->replay);
}

static inline void counting_done(struct counting *c)
{
    source_close(c->replay);
    store_free(c->store);
}

static inline struct config config_of(const char *text)
{
    struct config_messages m = { 0 };
    struct config c;

    assert_int_equal(config_init(&c), 0);
    assert_int_equal(
        config_parse(&c, "f", (struct bytes){ (const uint8_t *)text, strlen(text) }, &m), 0);
    assert_int_equal(m.list.n, 0);
    config_messages_done(&m);
    return c;
}
