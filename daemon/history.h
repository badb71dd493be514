/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The daemon's memory on disk: an SQLite database under its state directory, of which only the writer's child
 * (daemon/writer.h) opens one, for every call here may wait for a disk.
 *
 * It holds how each object was, from when to when (one row as long as nothing is different, over reboots and renames,
 * for objects go by the ids that survive both), how much counters grew and when, what probes measured, findings and who
 * knows of them. What is old is thinned: see struct history_limits.
 *
 * Safe at kill -9 and power loss: what a call has put in (0 returned) is on the disk. It is a write-ahead log
 * (journal_mode=WAL) with synchronous=FULL, so a commit is one fsync of one file, and not the four of a rollback journal; and
 * locking_mode=EXCLUSIVE, for no second process has business in it, which spares the shared memory file and makes a
 * second writer fail with -EBUSY rather than wait.
 *
 * Objects are in order of looks, not of the clock: one that is set back an hour makes times overlap, and nothing is lost
 * or out of order for it. Time is an argument everywhere; times are microseconds since 1970.
 *
 * Errors, of all calls: -ENOSPC, -EFBIG, -EDQUOT (no room), -EROFS, -EACCES, -EIO, -EBUSY (another process has it), -ENOMEM,
 * -EBADMSG (damaged: close it and open it again). After an error nothing of that call is in the database, and the next call
 * may go well.
 */
#pragma once

#include "daemon/record.h"

/* [history] of the configuration. What is older than `raw_us` is summed up by the hour, what is older than
 * `hourly_us` by the day, what is older than `keep_us` is deleted, but for what holds still, and for the best that each
 * pair of ends ever ran at. Of changes of objects only those of hours and days with very many are left out, and how many
 * is noted (struct history_change). `size_bytes` bounds the file, the log beside it is at most a few MB: before it is
 * reached, all ages are cut. */
struct history_limits {
    uint64_t raw_us, hourly_us, keep_us, size_bytes;
};

/* 7 days, 90 days, two years, 256 MiB. */
extern const struct history_limits HISTORY_LIMITS;

struct history_db;

/* Opens the database, makes it where there is none, and brings an older one to this program's form. A file that is damaged
 * (its pages are checked), is no database of ours or was written by a newer version is moved to
 * PATH.damaged-YYYYmmddTHHMMSSZ, of which the newest HISTORY_DAMAGED_KEPT are kept, and a new one is made.
 * `*ret_note`: a sentence for people where something was to be said, to be freed; else NULL. */
int history_db_open(const char *path, const struct history_limits *limits, uint64_t now_us,
                    struct history_db **ret, char **ret_note);
enum { HISTORY_DAMAGED_KEPT = 3 };

/* Was there nothing in it when it was opened? */
bool history_db_is_fresh(const struct history_db *db);

/* Is its file no longer where it was opened, but gone or another one? What is put in from then on nobody finds. */
bool history_db_has_moved(struct history_db *db);

/* Takes NULL. Returns NULL. */
struct history_db *history_db_close(struct history_db *db);
DEFINE_CLEANUP(struct history_db, history_db_close)

/* Puts them in: all of them, or, with an error, none. Queries and their like are left out. A look whose objects are as the database has them already changes nothing: sending a whole look, or one
 * for the second time, does no harm. The same finding (key and since_us) again replaces it. */
int history_db_append(struct history_db *db, const struct record *records, size_t n);

/* Thins, deletes, and gives room back to the file system. For once a day, or less where the clock is in doubt: where it went
 * ahead by more than a day with no look in between, nothing is deleted yet, for clocks come right again. */
int history_db_thin(struct history_db *db, uint64_t now_us);

/* ---- asking ---- */

extern const struct field HISTORY_ANSWER_FIELDS[];

void history_answer_done(struct history_answer *answer);

/* What is remembered of an object. One that nobody knows gives empty lists. */
int history_db_query(struct history_db *db, const struct query_record *query,
                     struct history_answer *ret);

/* Findings that are not cleared, and acknowledgements that are in force at that time. */
struct history_start {
    struct arena *arena;
    VEC(struct finding_record) findings;
    VEC(struct acknowledgement) acknowledgements;
};
extern const struct field HISTORY_START_FIELDS[];

void history_start_done(struct history_start *start);

int history_db_start(struct history_db *db, uint64_t now_us, struct history_start *ret);

/* Gives, oldest first, the looks that the judge needs: give each to look_apply() and the result is what diagnose() takes as
 * history. The first is whole, each other one says what is different from the one before it here. They are
 *   of the time `span_us` before now: each in which something changed and the one before it, and else one
 *     in `step_us`; with counters;
 *   of the time before: those that show the best mode and the most lanes that each pair of ends had, each link and
 *     remote port that is gone as it was last, and the newest probes; at most HISTORY_OLD_LOOKS, the newest.
 * With each come the best measurements since the one before it, with the first those of all time before. A look later than now is not given. `take` returns 0 or a negative errno,
 * which ends it; the look is the caller's no longer then. */
int history_db_looks(struct history_db *db, const struct load_record *load,
                     int (*take)(void *userdata, const struct look *look), void *userdata);
enum { HISTORY_OLD_LOOKS = 64, HISTORY_RECENT_LOOKS = 256 };
