/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading tables of attributes through a source into facts: used by the walk over a machine
 * (diagnose/gather.h) and by the transports' own `gather` functions.
 */
#pragma once

#include "transport/transport.h"

struct gathering {
    struct source *source;
    struct fact_set *facts;
    enum level level;
    /* Only what lies below this canonical directory is looked at; NULL: everything. */
    const char *only_below;
    /* Where it is there, what costs more than a look into memory is not read, and it is told of each row whose file is
     * not known to be missing: its path, the directory of its device (whose power/runtime_status counts), and what was
     * read; NULL where it was not. All are lent for the call. A negative return ends the gathering. */
    int (*told)(void *userdata, const struct attribute *a, const char *path, const char *device_dir,
                const struct value *v);
    void *userdata;
};

/* Reads the attributes of a table (up to the gathering's level) into the open subject. class_dir and
 * device_dir are canonical; `origin` is the constant text facts get. With `asleep`, attributes that wake
 * hardware become facts of QUALITY_UNASKED. Absent files give no fact. */
int gather_attributes(struct gathering *g, const struct attribute *attributes,
                      const char *class_dir, const char *device_dir, const char *origin,
                      bool asleep);

/* Canonical path of what a link in a directory leads to, in the facts' arena: "/sys/class/a" and "b"
 * with the link "../../devices/x" give "/sys/devices/x". Returns 1, 0 where it is no link, or a negative
 * errno. */
int gather_canonical(struct gathering *g, const char *dir, const char *name, char **ret_path);

/* Adds a subject for every object of the class, with its attributes. */
int gather_class(struct gathering *g, const struct object_class *class);

/* Adds and fills one subject of a class at a canonical device directory; no directory of a class below
 * it. `*ret` (may be NULL) is the subject; where it was there already nothing is read. */
int gather_subject(struct gathering *g, const char *class_name, const char *name, const char *path,
                   struct subject *host, const struct attribute *attributes, struct subject **ret);

/* The host that a canonical path lies below; NULL where none. */
struct subject *gather_host_of(const struct gathering *g, const char *path);

/* How a directory's device stands in runtime power management. */
enum power {
    POWER_ACTIVE,
    POWER_UNMANAGED, /* it has no part in it: "unsupported", or there is no file */
    POWER_ASLEEP,    /* anything else */
};

/* POWER_ACTIVE where asking costs nothing. */
enum power gather_power(struct gathering *g, const char *device_dir);

/* Is it not asleep? */
bool gather_is_awake(struct gathering *g, const char *device_dir);

/* ---- parsers ---- each for fact_parser; white space at the end is not part of the text */

int parse_text(struct fact_set *set, const struct fact_key *key, const char *origin,
               struct bytes raw);
/* As parse_text(), "(null)", "<NULL>", "<unknown>", "unknown", "none" in any case say nothing. */
int parse_known_text(struct fact_set *set, const struct fact_key *key, const char *origin,
                     struct bytes raw);
int parse_decimal(struct fact_set *set, const struct fact_key *key, const char *origin,
                  struct bytes raw);
/* With or without 0x. */
int parse_hex(struct fact_set *set, const struct fact_key *key, const char *origin,
              struct bytes raw);
int parse_bytes(struct fact_set *set, const struct fact_key *key, const char *origin,
                struct bytes raw);
