/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Small machines for tests: a store is filled object by object as the kernel would show them, and
 * diagnosed.
 */
#pragma once

#include "../cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "diagnose/diagnose.h"
#include "source/replay.h"

#define HOST0  "/sys/devices/pci0000:00/0000:01:00.0/host0"
#define P(...) path_of((char[512]){ 0 }, __VA_ARGS__)

static inline const char *path_of(char *buffer, const char *a, const char *b)
{
    snprintf(buffer, 512, "%s/%s", a, b);
    return buffer;
}

static inline struct bytes text(const char *t)
{
    return (struct bytes){ (const uint8_t *)t, strlen(t) };
}

static inline void put(struct store *s, const char *dir, const char *name, enum store_kind kind,
                       const char *value)
{
    store_node node;

    assert_int_equal(store_dir(s, text(dir), &node), 0);
    assert_int_equal(store_put(s, node, text(name), kind, text(value), 0, NULL), 0);
}

static inline void put_line(struct store *s, const char *dir, const char *name, const char *value)
{
    char line[128];

    snprintf(line, sizeof(line), "%s\n", value);
    put(s, dir, name, STORE_FILE, line);
}

/* The entry is there, and reading it fails. */
static inline void refuse(struct store *s, const char *dir, const char *name, int error)
{
    store_node node;

    assert_int_equal(store_dir(s, text(dir), &node), 0);
    assert_int_equal(store_put(s, node, text(name), STORE_ERRNO, text(""), error, NULL), 0);
}

/* An object of a class with its device below `parent`. Returns its class directory, in the
 * buffer. */
static inline const char *object(struct store *s, char *buffer, const char *class, const char *name,
                                 const char *parent)
{
    char dir[64];

    snprintf(dir, sizeof(dir), "/sys/class/%s", class);
    snprintf(buffer, 512, "%s/%s/%s/%s", parent, name, class, name);
    put(s, dir, name, STORE_LINK, buffer);
    return buffer;
}

/* A SCSI device in a directory: "target0:0:N" is made from its H:C:T:L. */
static inline void device(struct store *s, const char *parent, const char *hctl, const char *type,
                          const char *model)
{
    char dir[512];

    snprintf(dir, sizeof(dir), "%s/target%.*s/%s", parent, (int)(strrchr(hctl, ':') - hctl), hctl,
             hctl);
    put(s, "/sys/bus/scsi/devices", hctl, STORE_LINK, dir);
    put_line(s, dir, "type", type);
    put_line(s, dir, "vendor", "LSI");
    put_line(s, dir, "model", model);
}

/* Diagnoses the machine; frees the store. The report keeps nothing of it. */
static inline struct report *judged(struct store *s)
{
    struct source *source = replay_new(s);
    struct report *report = NULL;

    assert_non_null(source);
    assert_int_equal(diagnose(source, &(struct diagnose_options){ .level = LEVEL_ALL }, &report),
                     0);
    source_close(source);
    store_free(s);
    return report;
}

/* The link of that name is like this; labels may be NULL: no such mode. */
static inline const struct link *expect_link(const struct report *r, const char *name,
                                             enum link_state state, enum verdict verdict,
                                             const char *actual, const char *expected)
{
    const struct link *l = model_link_named(r->model, name);

    if (!l)
        fail_msg("no link %s", name);
    if (l->state != state || l->verdict != verdict)
        fail_msg("%s is %s, %s (%s)", name, link_state_to_string(l->state),
                 verdict_to_string(l->verdict), l->reason ? l->reason : "no reason");
    if (!actual != !l->actual.known || (actual && strcmp(l->actual.label, actual) != 0))
        fail_msg("%s runs at %s", name, l->actual.known ? l->actual.label : "nothing");
    if (!expected != !l->expected.known || (expected && strcmp(l->expected.label, expected) != 0))
        fail_msg("%s should run at %s", name, l->expected.known ? l->expected.label : "nothing");
    return l;
}
