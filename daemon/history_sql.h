/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the history (daemon/history.h) share: the database with its statements, and SQLite's results as
 * ours. Nobody else includes this.
 */
#pragma once

#include <sqlite3.h>

#include "daemon/history.h"

struct history_db {
    sqlite3 *sql;
    struct history_limits limits;
    VEC(struct statement {
        const char *text; /* constant: compared by address */
        sqlite3_stmt *made;
    })
    statements;
    bool is_fresh;         /* nothing was in it when it was opened */
    struct arena *scratch; /* texts of one call */
    char *json;            /* an object as JSON, of one call */
    size_t json_len;
};

/* A result of SQLite's as ours: 0 or a negative errno. */
int sql_result(sqlite3 *sql, int code);

/* The statement of that constant text, made once; NULL without memory or where the database is damaged:
 * sql_result() of sqlite3_errcode() says which. It is reset, and nothing is bound. */
sqlite3_stmt *sql_statement(struct history_db *db, const char *text);

/* Binds the values, by a letter each: i uint64_t, t const char * (kept by the caller), n nothing (NULL; no
 * argument). Returns the statement; NULL as sql_statement(). */
sqlite3_stmt *sql_bind(struct history_db *db, const char *text, const char *types, ...);

/* One step. Returns 1 with a row, 0 at the end, or a negative errno. Takes NULL, as an error. */
int sql_step(struct history_db *db, sqlite3_stmt *s);

/* Runs a statement that gives no rows. */
int sql_run(struct history_db *db, const char *text, const char *types, ...);

/* The number that a statement without values gives. */
int sql_number(struct history_db *db, const char *text, uint64_t *ret);

/* A column as text in the arena; NULL for nothing; `*e` is -ENOMEM where there is no memory. */
const char *sql_text(sqlite3_stmt *s, int column, struct arena *arena, int *e);
uint64_t sql_u64(sqlite3_stmt *s, int column);

/* Runs texts of several statements. */
int sql_script(sqlite3 *sql, const char *text);

/* The version of the form that this program has, and the step from each version to the next: HISTORY_STEPS[0] makes an
 * empty database one of version 1. */
extern const char *const HISTORY_STEPS[];
int history_version(void);

/* Brings a database from the version it has to a later one. */
int history_migrate(sqlite3 *sql, int to);

/* The lists of a finding, as its column `about` has them. */
extern const struct field HISTORY_ABOUT_FIELDS[];

/* Reads the JSON in a column. Texts are in the arena. */
int sql_fields(sqlite3_stmt *s, int column, const struct field *fields, struct arena *arena,
               void *structure);

/* "hbad" */
enum { HISTORY_APPLICATION_ID = 0x68626164 };
