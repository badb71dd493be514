/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SQLite as the history uses it (history_sql.h).
 */
#include "daemon/history_sql.h"

#include <errno.h>
#include <string.h>

int sql_result(sqlite3 *sql, int code)
{
    int system = sql ? sqlite3_system_errno(sql) : 0;

    switch (code & 0xff) { /* the primary result: sqlite.org/rescode.html */
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return 0;
    case SQLITE_NOMEM:
        return -ENOMEM;
    case SQLITE_FULL:
        return -ENOSPC;
    case SQLITE_READONLY:
        return -EROFS;
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return -EACCES;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return -EBUSY;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR: /* our statements are well formed: what they are about is not as it should be */
        return -EBADMSG;
    case SQLITE_CANTOPEN:
        return system > 0 ? -system : -ENOENT;
    default:
        return system > 0 ? -system : -EIO;
    }
}

int sql_script(sqlite3 *sql, const char *text)
{
    return sql_result(sql, sqlite3_exec(sql, text, NULL, NULL, NULL));
}

sqlite3_stmt *sql_statement(struct history_db *db, const char *text)
{
    sqlite3_stmt *made = NULL;

    for (size_t i = 0; i < db->statements.n; i++) {
        if (db->statements.v[i].text != text)
            continue;
        made = db->statements.v[i].made;
        sqlite3_reset(made);
        sqlite3_clear_bindings(made);
        return made;
    }
    if (sqlite3_prepare_v3(db->sql, text, -1, SQLITE_PREPARE_PERSISTENT, &made, NULL) != SQLITE_OK)
        return NULL;
    if (vec_push(&db->statements, (struct statement){ text, made }) < 0) {
        sqlite3_finalize(made);
        return NULL;
    }
    return made;
}

static sqlite3_stmt *bind_all(struct history_db *db, const char *text, const char *types,
                              va_list args)
{
    sqlite3_stmt *s = sql_statement(db, text);
    const char *value;

    for (int i = 0; s && types[i]; i++) {
        switch (types[i]) {
        case 'i':
            sqlite3_bind_int64(s, i + 1, (sqlite3_int64)va_arg(args, uint64_t));
            break;
        case 't':
            value = va_arg(args, const char *);
            sqlite3_bind_text(s, i + 1, value, -1, SQLITE_STATIC);
            break;
        default: /* n: nothing is bound */
            break;
        }
    }
    return s;
}

sqlite3_stmt *sql_bind(struct history_db *db, const char *text, const char *types, ...)
{
    sqlite3_stmt *s;
    va_list args;

    va_start(args, types);
    s = bind_all(db, text, types, args);
    va_end(args);
    return s;
}

int sql_step(struct history_db *db, sqlite3_stmt *s)
{
    int code = s ? sqlite3_step(s) : sqlite3_errcode(db->sql);
    int r;

    if (code == SQLITE_ROW)
        return 1;
    r = sql_result(db->sql, code);
    if (s)
        sqlite3_reset(s);
    return s ? r : r < 0 ? r : -ENOMEM;
}

int sql_run(struct history_db *db, const char *text, const char *types, ...)
{
    sqlite3_stmt *s;
    va_list args;
    int r;

    va_start(args, types);
    s = bind_all(db, text, types, args);
    va_end(args);
    r = sql_step(db, s);
    if (r > 0)
        sqlite3_reset(s);
    return r < 0 ? r : 0;
}

int sql_number(struct history_db *db, const char *text, uint64_t *ret)
{
    sqlite3_stmt *s = sql_statement(db, text);
    int r = sql_step(db, s);

    if (r < 0)
        return r;
    *ret = r ? sql_u64(s, 0) : 0;
    sqlite3_reset(s);
    return 0;
}

const char *sql_text(sqlite3_stmt *s, int column, struct arena *arena, int *e)
{
    const unsigned char *text = sqlite3_column_text(s, column);
    char *copy = text ? arena_strdup(arena, (const char *)text) : NULL;

    if (text && !copy)
        *e = -ENOMEM;
    return copy;
}

uint64_t sql_u64(sqlite3_stmt *s, int column)
{
    return (uint64_t)sqlite3_column_int64(s, column);
}

int sql_fields(sqlite3_stmt *s, int column, const struct field *fields, struct arena *arena,
               void *structure)
{
    struct bytes json = { sqlite3_column_blob(s, column), (size_t)sqlite3_column_bytes(s, column) };

    return fields_read_text(fields, json, arena, structure);
}
