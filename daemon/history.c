/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening the history (history.h): what is found there is used, brought up to date, or moved aside.
 */
#include "daemon/history.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "daemon/history_sql.h"

#define DAY_US (UINT64_C(86400) * 1000000)

const struct history_limits HISTORY_LIMITS = {
    .raw_us = 7 * DAY_US,
    .hourly_us = 90 * DAY_US,
    .keep_us = 730 * DAY_US,
    .size_bytes = UINT64_C(256) << 20,
};

struct history_db *history_db_close(struct history_db *db)
{
    if (!db)
        return NULL;
    for (size_t i = 0; i < db->statements.n; i++)
        sqlite3_finalize(db->statements.v[i].made);
    free(db->statements.v);
    sqlite3_close(db->sql);
    arena_free(db->scratch);
    free(db->json);
    free(db);
    return NULL;
}

bool history_db_is_fresh(const struct history_db *db)
{
    return db->is_fresh;
}

bool history_db_has_moved(struct history_db *db)
{
    int moved = 0;

    return sqlite3_file_control(db->sql, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
           moved;
}

/* ---- what is there ---- */

/* The first column of the first row as a number. */
static int number_of(sqlite3 *sql, const char *text, uint64_t *ret)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(sql, text, -1, &s, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    if (code == SQLITE_ROW)
        *ret = (uint64_t)sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return code == SQLITE_ROW ? 0 : code == SQLITE_DONE ? -EBADMSG : sql_result(sql, code);
}

/* Are its pages in order? quick_check leaves out only whether indexes say what their tables say; NOT NULL is checked. */
static int check_pages(sqlite3 *sql)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(sql, "PRAGMA quick_check(1)", -1, &s, NULL);
    bool is_well = false;

    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    if (code == SQLITE_ROW)
        is_well = text_same((const char *)sqlite3_column_text(s, 0), "ok");
    sqlite3_finalize(s);
    return code != SQLITE_ROW ? sql_result(sql, code) : is_well ? 0 : -EBADMSG;
}

/* Returns 0 where it is, or is to become, a database of ours; `*ret_why` is what is wrong with it with -EBADMSG. */
static int examine(sqlite3 *sql, bool *ret_fresh, const char **ret_why)
{
    uint64_t id = 0, version = 0, tables = 0;
    int r = number_of(sql, "SELECT count(*) FROM sqlite_schema", &tables);

    *ret_why = "is damaged";
    if (r == 0)
        r = number_of(sql, "PRAGMA application_id", &id);
    if (r == 0)
        r = number_of(sql, "PRAGMA user_version", &version);
    if (r < 0)
        return r;
    *ret_fresh = !tables;
    if (tables && id != HISTORY_APPLICATION_ID) {
        *ret_why = "is no database of this program";
        return -EBADMSG;
    }
    if (version > (uint64_t)history_version()) {
        *ret_why = "was written by a newer version of this program";
        return -EBADMSG;
    }
    return check_pages(sql);
}

/* auto_vacuum must be set before the first table. A commit is on the disk when it returns. */
static int set_up(sqlite3 *sql, const struct history_limits *limits)
{
    char bound[128];
    int r = sql_script(sql, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA auto_vacuum = INCREMENTAL;"
                            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                            "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -2048;"
                            "PRAGMA journal_size_limit = 4194304; PRAGMA trusted_schema = OFF");
    uint64_t page = 4096;

    if (r == 0)
        r = number_of(sql, "PRAGMA page_size", &page);
    if (r < 0)
        return r;
    snprintf(bound, sizeof(bound), "PRAGMA max_page_count = %llu",
             (unsigned long long)(limits->size_bytes / page));
    return sql_script(sql, bound);
}

/* Why no file can be made there: SQLite says only that there is none. */
static int why_none(const char *path)
{
    size_t len = (size_t)(path_last(path) - path);
    _cleanup_free_ char *dir = len ? strndup(path, len) : strdup(".");

    if (!dir)
        return -ENOMEM;
    return access(dir, W_OK | X_OK) < 0 ? -errno : -ENOENT;
}

/* Opens what is there. With -EBADMSG it is not to be used, and `*ret_why` says why. */
static int open_file(const char *path, struct history_db *db, const char **ret_why)
{
    sqlite3 *sql = NULL;
    int code = sqlite3_open_v2(path, &sql,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                                   SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE,
                               NULL);
    int r = sql_result(sql, code);

    *ret_why = "is damaged";
    if (r == -ENOENT)
        r = why_none(path);
    if (r == 0 && sqlite3_db_readonly(sql, "main") > 0) /* SQLite is content with that */
        r = access(path, W_OK) < 0 ? -errno : -EROFS;
    if (r == 0)
        r = set_up(sql, &db->limits);
    if (r == 0)
        r = examine(sql, &db->is_fresh, ret_why);
    if (r == 0)
        r = history_migrate(sql, history_version());
    if (r == 0 && sqlite3_db_readonly(sql, "main") > 0)
        r = -EROFS;
    if (r == -EROFS &&
        access(path, W_OK) == 0) /* the file may be written: what is in it says that it may not */
        r = -EBADMSG;
    if (r < 0) {
        sqlite3_close(sql);
        return r;
    }
    db->sql = sql;
    return 0;
}

/* ---- moving aside ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the directory that begin so, sorted. */
static int names_beginning(const char *dir, const char *start, struct arena *arena,
                           const char ***ret, size_t *ret_n)
{
    VEC(const char *) names = { 0 };
    DIR *d = opendir(dir);
    struct dirent *e;
    int r = d ? 0 : -errno;

    while (r == 0 && d && (e = readdir(d)) != NULL) {
        const char *name = text_starts_with(e->d_name, start) ? arena_strdup(arena, e->d_name)
                                                              : NULL;

        if (text_starts_with(e->d_name, start))
            r = name ? vec_push(&names, name) : -ENOMEM;
    }
    if (d)
        closedir(d);
    if (names.n)
        qsort(names.v, names.n, sizeof(*names.v), compare_names);
    *ret = names.v;
    *ret_n = names.n;
    return r;
}

/* Deletes all but the newest: their names end in the time. What cannot be deleted stays. A log goes with its file. */
static void delete_oldest(const char *path, struct arena *arena)
{
    const char *name = path_last(path), *start = arena_printf(arena, "%s.damaged-", name);
    const char *dir = name == path ? "." : arena_strndup(arena, path, (size_t)(name - path));
    const char **names = NULL;
    size_t n = 0, files = 0;

    if (start && dir && names_beginning(dir, start, arena, &names, &n) == 0)
        for (size_t i = n; i; i--) {
            const char *old = arena_printf(arena, "%s/%s", dir, names[i - 1]);

            files += !text_ends_with(names[i - 1], "-wal");
            if (old && files >= HISTORY_DAMAGED_KEPT)
                unlink(old);
        }
    free(names);
}

/* The file and its log get another name; room for it among the damaged ones is made first. */
static int move_aside(const char *path, uint64_t now_us, struct arena *arena, const char **ret_name)
{
    time_t seconds = (time_t)(now_us / 1000000);
    struct tm utc;
    char stamp[32];
    const char *name, *log, *moved_log;

    if (!gmtime_r(&seconds, &utc) || !strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &utc))
        return -EINVAL;
    delete_oldest(path, arena);
    name = arena_printf(arena, "%s.damaged-%s", path, stamp);
    log = arena_printf(arena, "%s-wal", path);
    moved_log = name ? arena_printf(arena, "%s-wal", name) : NULL;
    if (!moved_log || !log)
        return -ENOMEM;
    /* The log first: a log without its file is of no harm, and one beside a new file would be. */
    if (rename(log, moved_log) < 0 && errno != ENOENT)
        return -errno;
    if (rename(path, name) < 0)
        return -errno;
    *ret_name = name;
    return 0;
}

int history_db_open(const char *path, const struct history_limits *limits, uint64_t now_us,
                    struct history_db **ret, char **ret_note)
{
    _cleanup_(history_db_closep) struct history_db *db = calloc(1, sizeof(*db));
    const char *why = NULL, *moved = NULL;
    char *note = NULL;
    int r;

    if (!db)
        return -ENOMEM;
    db->limits = *limits;
    db->scratch = arena_new();
    if (!db->scratch)
        return -ENOMEM;
    r = open_file(path, db, &why);
    if (r == -EBADMSG) {
        r = move_aside(path, now_us, db->scratch, &moved);
        if (r == 0)
            r = open_file(path, db, &(const char *){ NULL });
    }
    if (r < 0)
        return r;
    if (moved && asprintf(&note, "%s %s: it was moved to %s, and a new one was begun", path, why,
                          path_last(moved)) < 0)
        return -ENOMEM;
    arena_clear(db->scratch);
    *ret = TAKE_PTR(db);
    *ret_note = note;
    return 0;
}
