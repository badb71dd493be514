/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The form of the database (daemon/history.h), as the steps that lead to it. A step that has been in a release is never
 * changed: what is to be otherwise is a new step at the end.
 *
 * look    when the machine was looked at; `seq` is the order of everything
 * object  what has an id; kind is enum object_kind
 * state   how an object was: from look `begin` on, until look `end` (NULL: still), in which it was otherwise or gone;
 *         until_us is the time of that look, last_us that of the one before. `content` is the object's fields as JSON,
 *         some of which stand in columns to be searched
 * series  a counter of a link, and its last value; kind is its word
 * count   how a counter grew; grown NULL: not known, it began anew
 * probe   what n measurements gave
 * finding, acknowledgement: as in record.h; `about` is a finding's lists as JSON
 */
#include "daemon/history_sql.h"

#include <inttypes.h>
#include <stdio.h>

const char *const HISTORY_STEPS[] = {
    /* 1: how things were, and what was found */
    "CREATE TABLE look (seq INTEGER PRIMARY KEY, wall_us INTEGER NOT NULL, mono_us INTEGER NOT NULL, hostname TEXT);"
    "CREATE INDEX look_by_time ON look (wall_us);"
    "CREATE TABLE object (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, name TEXT NOT NULL, UNIQUE (name, kind));"
    "CREATE TABLE state (id INTEGER PRIMARY KEY, object INTEGER NOT NULL REFERENCES object,"
    " begin INTEGER NOT NULL, end INTEGER, since_us INTEGER NOT NULL, until_us INTEGER, last_us INTEGER,"
    " is_up INTEGER NOT NULL, known INTEGER NOT NULL, lanes INTEGER NOT NULL, kb_per_s INTEGER NOT NULL, far_id TEXT,"
    " left_out INTEGER NOT NULL DEFAULT 0, content TEXT NOT NULL);"
    "CREATE UNIQUE INDEX state_open ON state (object) WHERE end IS NULL;"
    "CREATE INDEX state_of_object ON state (object, begin);"
    "CREATE INDEX state_by_begin ON state (begin);"
    "CREATE INDEX state_by_end ON state (end) WHERE end IS NOT NULL;"
    "CREATE TABLE finding (key TEXT NOT NULL, since_us INTEGER NOT NULL, code TEXT NOT NULL, severity INTEGER NOT NULL,"
    " life INTEGER NOT NULL, changed_us INTEGER NOT NULL, until_us INTEGER NOT NULL, summary TEXT,"
    " about TEXT NOT NULL, PRIMARY KEY (key, since_us)) WITHOUT ROWID;"
    "CREATE TABLE acknowledgement (key TEXT PRIMARY KEY, reason TEXT NOT NULL, by TEXT, at_us INTEGER NOT NULL,"
    " until_us INTEGER NOT NULL) WITHOUT ROWID;",

    /* 2: counters */
    "CREATE TABLE series (id INTEGER PRIMARY KEY, object INTEGER NOT NULL REFERENCES object, name TEXT NOT NULL,"
    " kind TEXT NOT NULL, value INTEGER NOT NULL, wall_us INTEGER NOT NULL, mono_us INTEGER NOT NULL,"
    " UNIQUE (object, name, kind));"
    "CREATE TABLE count (series INTEGER NOT NULL REFERENCES series, seq INTEGER NOT NULL, from_us INTEGER NOT NULL,"
    " at_us INTEGER NOT NULL, value INTEGER NOT NULL, grown INTEGER, PRIMARY KEY (series, seq)) WITHOUT ROWID;"
    "CREATE INDEX count_by_look ON count (seq);",

    /* 3: probes */
    "CREATE TABLE probe (id INTEGER PRIMARY KEY, object INTEGER NOT NULL REFERENCES object, seq INTEGER NOT NULL,"
    " at_us INTEGER NOT NULL, method TEXT NOT NULL, block_bytes INTEGER NOT NULL, n INTEGER NOT NULL,"
    " kb_per_s INTEGER NOT NULL, least INTEGER NOT NULL, most INTEGER NOT NULL);"
    "CREATE INDEX probe_of_object ON probe (object, at_us);"
    "CREATE INDEX probe_by_look ON probe (seq);",

    /* 4: how long one read took; NULL: not known */
    "ALTER TABLE probe ADD COLUMN median_us INTEGER;"
    "ALTER TABLE probe ADD COLUMN least_median_us INTEGER;"
    "ALTER TABLE probe ADD COLUMN most_median_us INTEGER;",
};

int history_version(void)
{
    return (int)ELEMENTS(HISTORY_STEPS);
}

static int version_of(sqlite3 *sql, int *ret)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(sql, "PRAGMA user_version", -1, &s, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    if (code == SQLITE_ROW)
        *ret = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    return code == SQLITE_ROW ? 0 : sql_result(sql, code);
}

/* One step, whole or not at all: the version is in the file's first page, and changes with the tables. */
static int step(sqlite3 *sql, int from)
{
    char done[96];
    int r = sql_script(sql, "BEGIN IMMEDIATE");

    snprintf(done, sizeof(done), "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
             HISTORY_APPLICATION_ID, from + 1);
    if (r == 0)
        r = sql_script(sql, HISTORY_STEPS[from]);
    if (r == 0)
        r = sql_script(sql, done);
    if (r < 0 && !sqlite3_get_autocommit(sql))
        sql_script(sql, "ROLLBACK");
    return r;
}

int history_migrate(sqlite3 *sql, int to)
{
    int version = 0;
    int r = version_of(sql, &version);

    while (r == 0 && version >= 0 && version < to && version < history_version())
        r = step(sql, version++);
    return r;
}
