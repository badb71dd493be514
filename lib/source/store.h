/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A capture in memory: paths with their values, udev properties, SCSI answers and measures
 * (CAPTURE.md). Equal strings are kept once. Filled by the capture reader or a recorder, read by
 * replay, the capture writer and scrubbing.
 *
 * Paths are absolute and canonical, and no longer than the kernel's own: 4095 bytes, 255 a name
 * (include/uapi/linux/limits.h). Adding a file makes the directories above it exist.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "source/source.h"

enum store_kind {
    STORE_DIR,
    STORE_FILE,  /* bytes */
    STORE_LINK,  /* the target's text */
    STORE_ERRNO, /* reading it was refused */
};

/* An entry or directory of the store: an index, 0 is the root "/". */
typedef uint32_t store_node;
#define STORE_NO_NODE UINT32_MAX

/* A recorded command and its answer. */
struct store_command {
    const char *hctl;
    struct bytes cdb;
    int error;
    uint8_t status;
    uint16_t host_status, driver_status;
    struct bytes data, sense;
    uint64_t duration_us;
};

struct store;

struct store *store_new(void);
struct store *store_free(struct store *s);
DEFINE_CLEANUP(struct store, store_free)

/* ---- filling ---- all return 0, -ENOMEM, -E2BIG (a string over STRTAB_STRING_MAX), or what is said */

/* The directory of that path, made where it is not there. -ENOTDIR where a file or link is in the way,
 * -EINVAL for a path that is not absolute and canonical. */
int store_dir(struct store *s, struct bytes path, store_node *ret);

/* The directory of that name in a directory (also of properties), as store_dir(). -EINVAL for an
 * impossible name. */
int store_subdir(struct store *s, store_node dir, struct bytes name, store_node *ret);

/* Adds or replaces an entry in a directory. For STORE_ERRNO `value` is empty and `error` says which;
 * otherwise error is 0. -EISDIR where a directory has that name, -EINVAL for an impossible name.
 * STORE_DIR (`value` empty) adds an empty directory, leaves one that is there as it is, and is -ENOTDIR
 * where another entry has that name.
 * `*ret_node` (may be NULL) is the entry: new where it is the last node. */
int store_put(struct store *s, store_node dir, struct bytes name, enum store_kind kind,
              struct bytes value, int error, store_node *ret_node);

/* Adds or replaces a udev property. */
int store_put_prop(struct store *s, struct bytes device_path, struct bytes name, struct bytes value,
                   store_node *ret_node);

int store_put_command(struct store *s, const struct store_command *c);
int store_put_measure(struct store *s, const struct measurement *m);

/* Forgets all measures, for newer ones. */
void store_forget_measures(struct store *s);

/* Copies the clocks and identity. The first call decides; later ones are ignored: the parts of a stream
 * are one capture. */
int store_set_taken(struct store *s, const struct taken *taken);

/* ---- asking ---- */

/* What is at a path, following the links in the store as the kernel would (the last component only
 * where `follow_last`). Returns STORE_NO_NODE where nothing is, or after 40 links. */
store_node store_resolve(const struct store *s, const char *path, bool follow_last);

enum store_kind store_kind_of(const struct store *s, store_node n);
struct bytes store_name_of(const struct store *s, store_node n);
struct bytes store_value_of(const struct store *s, store_node n); /* of a file or link */
int store_error_of(const struct store *s, store_node n);          /* of STORE_ERRNO */

/* The entries of a directory, in no order: first and next, STORE_NO_NODE at the end. */
store_node store_first(const struct store *s, store_node dir);
store_node store_next(const struct store *s, store_node n);

/* The same two for the tree of devices that have properties: STORE_DIR nodes are path components,
 * STORE_FILE nodes properties. */
store_node store_props_root(const struct store *s);
store_node store_find_prop(const struct store *s, const char *device_path, const char *name);

/* Recorded commands: how many, and the i-th. */
size_t store_commands(const struct store *s);
struct store_command store_command_at(const struct store *s, size_t i);

/* Index of the first recorded command of a device and of the next one, SIZE_MAX at the end; in the
 * order of recording. */
size_t store_first_command(const struct store *s, const char *hctl);
size_t store_next_command(const struct store *s, size_t i);

/* Recorded measures: how many, and the i-th. */
size_t store_measures(const struct store *s);
struct measurement store_measure_at(const struct store *s, size_t i);

/* Texts live as long as the store. All zero and "" where never set. */
const struct taken *store_taken(const struct store *s);

/* Number of nodes so far: what is added later has a higher index. */
store_node store_node_count(const struct store *s);
