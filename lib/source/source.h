/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The seam: everything that can be asked of a machine, live or recorded.
 *
 * Implementations: live (lib/live: sysfs, udev, SG_IO of this machine), replay (source/replay.h: a
 * store filled from captures) and record (source/record.h: wraps either and keeps what it saw). All
 * code above the seam gets a source as an argument and can do no I/O of its own.
 *
 * Contract of every operation
 * - Nothing writes. There is no operation that could.
 * - Returns 0 with a result, or a negative errno when the source itself cannot go on (-ENOMEM). What
 *   the system refuses is a result: `error` in it is a positive errno that has a name (ENOENT, EACCES,
 *   EIO, …). What a capture does not hold is ENOENT for files and ENODATA for commands and measures,
 *   never a guess.
 * - ENOENT says that nothing is there, whatever the reason in the path: a component is missing, is no
 *   directory, or is too long; links turn in circles; a link points out of a copied tree at nothing.
 * - Paths are absolute kernel paths (/sys/…, /proc/…, /etc/modprobe.d/…) without "." and "..", and
 *   canonical: no symbolic link in them but, perhaps, the last component.
 * - Bytes and text in a result are borrowed and stay valid until the source is closed. Lists of names
 *   belong to the caller.
 * - Names are sorted by their bytes, so that every walk has the same order live and replayed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "source/command.h"
#include "source/measure.h"

struct source;

/* What a file or link said. */
struct value {
    int error;          /* 0, or a positive errno: the refusal */
    struct bytes bytes; /* with a NUL behind them that is not counted; empty where refused */
};

/* What a name in a directory stands for. */
enum name_kind {
    NAME_UNKNOWN, /* not told: anything else, or the file system does not say */
    NAME_DIR,
    NAME_LINK,
    NAME_FILE,
};

/* Names in a directory. */
struct names {
    int error;      /* as in struct value */
    char **v;       /* sorted by strcmp(); owned, with the texts, by the caller: names_done() */
    uint8_t *kinds; /* enum name_kind of each; owned likewise */
    size_t n, cap;  /* cap: room in both, for names_add() */
};

/* When and where: the clocks, and whose they are. */
struct taken {
    uint64_t wall_us;                        /* since 1970 UTC */
    uint64_t mono_us;                        /* CLOCK_MONOTONIC; falls at a reboot */
    const char *kernel, *machine, *hostname; /* "" where not known */
    bool scrubbed;                           /* serials and names were replaced */
};

/* A device that came, went or changed. The texts are borrowed until the next call for an event. */
struct source_event {
    const char *action; /* "add", "remove", "change", … as udev says it */
    const char *path;   /* canonical device path */
};

struct source_ops {
    int (*list)(struct source *s, const char *dir, const char *prefix, struct names *ret);
    int (*read)(struct source *s, const char *path, size_t limit, struct value *ret);
    int (*link)(struct source *s, const char *path, struct value *ret);
    int (*prop)(struct source *s, const char *path, const char *name, struct value *ret);
    int (*command)(struct source *s, const struct command_target *target,
                   const struct command *command, struct answer *ret);
    int (*measure)(struct source *s, const struct measure_request *request,
                   struct measurement *ret);
    int (*next_event)(struct source *s, struct source_event *ret);
    int (*now)(struct source *s, struct taken *ret);
    void (*close)(struct source *s);
};

struct source {
    const struct source_ops *ops;
    bool asking_costs; /* a question reaches hardware: courtesy (command.h) applies */
};

/* Names in the directory that begin with `prefix` ("" for all). Where the directory is a symbolic
 * link, it is followed. ENOTDIR for what is there and no directory. */
static inline int source_list(struct source *s, const char *dir, const char *prefix,
                              struct names *ret)
{
    return s->ops->list(s, dir, prefix, ret);
}

/* Content of a file, at most `limit` bytes of it. Follows symbolic links. EISDIR for a directory. */
static inline int source_read(struct source *s, const char *path, size_t limit, struct value *ret)
{
    return s->ops->read(s, path, limit, ret);
}

/* Where a symbolic link points, as readlink() gives it. EINVAL for what is no link. */
static inline int source_link(struct source *s, const char *path, struct value *ret)
{
    return s->ops->link(s, path, ret);
}

/* A udev property of a device. ENOENT where device or property is not there. */
static inline int source_prop(struct source *s, const char *path, const char *name,
                              struct value *ret)
{
    return s->ops->prop(s, path, name, ret);
}

/* One SCSI command that reads. Refused here, for every implementation alike, unless command_allowed()
 * and unless its room is the transfer length that the CDB says (READ apart, which counts blocks); and,
 * where asking costs, unless command_courtesy() agrees: then `ret->error` is EPERM and `ret->refused`
 * says why. */
int source_command(struct source *s, const struct command_target *target,
                   const struct command *command, struct answer *ret);

/* One timed read. Where nothing was measured or recorded, `ret->hctl` is NULL. */
static inline int source_measure(struct source *s, const struct measure_request *request,
                                 struct measurement *ret)
{
    return s->ops->measure(s, request, ret);
}

/* The next event, without waiting. Returns 1 with one, 0 where there is none yet; -ENOBUFS where events
 * were lost (the caller looks at everything anew and asks on). */
static inline int source_next_event(struct source *s, struct source_event *ret)
{
    return s->ops->next_event(s, ret);
}

/* Clocks and identity: now (live), or of the capture (replay). */
static inline int source_now(struct source *s, struct taken *ret)
{
    return s->ops->now(s, ret);
}

/* Frees the source and all it lent. Takes NULL. Returns NULL. */
static inline struct source *source_close(struct source *s)
{
    if (s)
        s->ops->close(s);
    return NULL;
}
DEFINE_CLEANUP(struct source, source_close)

/* Frees the names. */
void names_done(struct names *n);

/* For implementations of list: adds a copy of a name, and sorts all of them at the end. Both return 0 or
 * -ENOMEM, with what was there still owned by `n`. */
int names_add(struct names *n, struct bytes name, enum name_kind kind);
int names_sort(struct names *n);

/* Sorts them as people count, host2 before host10 (strverscmp), and forgets what kind each is. */
void names_sort_naturally(struct names *n);
