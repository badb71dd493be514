/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What becomes of the history when something goes wrong: the process is killed, the file is cut or damaged, the disk is
 * full, the directory cannot be written, the file is an older or newer program's. Nothing that was acknowledged is
 * lost, and nothing wrong is ever given back.
 */
#include "world.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <sqlite3.h>

#include "daemon/history_sql.h"

/* ---- files ---- */

static size_t read_file(const char *path, uint8_t **ret)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    if (fd < 0) {
        *ret = NULL;
        return 0;
    }
    assert_int_equal(fstat(fd, &s), 0);
    *ret = malloc((size_t)s.st_size + 1);
    assert_non_null(*ret);
    n = read(fd, *ret, (size_t)s.st_size);
    assert_int_equal(n, s.st_size);
    close(fd);
    return (size_t)n;
}

static void write_file(const char *path, const uint8_t *data, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, len), len);
    close(fd);
}

static size_t damaged_files(const struct place *p)
{
    char pattern[160];
    glob_t g;
    size_t n = 0;

    snprintf(pattern, sizeof(pattern), "%s.damaged-*Z", p->path);
    if (glob(pattern, 0, NULL, &g) == 0)
        n = g.gl_pathc;
    globfree(&g);
    return n;
}

static void forget_files(const struct place *p)
{
    place_done(p);
    assert_int_equal(mkdir(p->dir, 0700), 0);
}

/* Everything in the database is as it was at its newest look, which is returned; 0 for an empty one. */
static uint64_t check_all(const struct world *w, struct history_db *db)
{
    struct history *past = past_of(db, UINT64_MAX / 4);
    uint64_t newest = 0;
    struct load_record load = { UINT64_MAX / 4, UINT64_MAX / 4, 1 };

    history_free(past);
    past = history_new();
    assert_non_null(past);
    assert_int_equal(history_db_looks(db, &load, take_look, past), 0);
    for (size_t i = 0; i < past->snapshots.n; i++) {
        const struct snapshot *s = &past->snapshots.v[i], *t = truth_at(w, s->wall_us);

        assert_non_null(t);
        assert_same(t, s, past->snapshots.n - i <= HISTORY_RECENT_LOOKS);
        newest = s->wall_us;
    }
    history_free(past);
    return newest;
}

/* ---- kill -9 ---- */

/* Writes looks for ever, and says which is on the disk. */
static void __attribute__((noreturn))
write_for_ever(struct world *w, const struct place *p, int out, bool whole)
{
    struct history_db *db = NULL;
    char *note = NULL;

    if (history_db_open(p->path, &HISTORY_LIMITS, w->wall_us, &db, &note) < 0 || note)
        _exit(1);
    for (unsigned i = 0;; i++) {
        world_live(w, MINUTE_US);
        world_look(w);
        if (world_put(w, db, whole && i == 0) < 0)
            _exit(2);
        if (i % 16 == 15 && history_db_thin(db, w->wall_us) < 0)
            _exit(3);
        if (write(out, &w->wall_us, sizeof(w->wall_us)) != sizeof(w->wall_us))
            _exit(4);
    }
}

static void nap(uint64_t us)
{
    nanosleep(&(struct timespec){ (time_t)(us / 1000000), (long)(us % 1000000) * 1000 }, NULL);
}

/* The world that the writer lived in until it was killed, once more. */
static void live_again(struct world *w, uint64_t until_us)
{
    while (w->wall_us < until_us) {
        world_live(w, MINUTE_US);
        world_look(w);
    }
}

static void killed(void **state)
{
    enum { TIMES = 200 };
    struct place p = place_new();
    struct world w = world_new(11), dice = world_new(12);

    (void)state;
    for (unsigned i = 0; i < TIMES; i++) {
        uint64_t acknowledged = 0, newest, from = w.wall_us;
        struct history_db *db;
        int fds[2], status;
        pid_t pid;

        assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            write_for_ever(&w, &p, fds[1], true);
        close(fds[1]);
        for (uint64_t k = world_random(&dice, 6); k; k--)
            if (read(fds[0], &acknowledged, sizeof(acknowledged)) != sizeof(acknowledged))
                break;
        nap(world_random(&dice, 3000));
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
        while (read(fds[0], &newest, sizeof(newest)) == sizeof(newest))
            acknowledged = newest;
        close(fds[0]);

        live_again(&w, (acknowledged ? acknowledged : from) +
                           MINUTE_US); /* one may be there that nobody was told of */
        db = place_open(&p, w.wall_us);
        newest = check_all(&w, db);
        history_db_close(db);
        assert_true(newest >= acknowledged);
        if (i % 10 == 9 ||
            newest != w.wall_us) { /* the life goes on only where it is known how it is */
            forget_files(&p);
            world_done(&w);
            w = world_new(100 + i);
        }
    }
    place_done(&p);
    world_done(&w);
    world_done(&dice);
}

/* ---- cut ---- */

static void fill(struct world *w, struct history_db *db, unsigned looks)
{
    for (unsigned i = 0; i < looks; i++) {
        world_live(w, MINUTE_US);
        world_look(w);
        assert_int_equal(world_put(w, db, i == 0), 0);
    }
}

/* Opens what is there: it is damaged, which is said, or all that it has is right. Returns whether it is damaged. */
static bool open_cut(const struct world *w, const struct place *p, uint64_t *ret_newest)
{
    char *note = NULL;
    struct history_db *db = place_open_noted(p, w->wall_us, &note);
    bool is_damaged = note != NULL;

    *ret_newest = check_all(w, db);
    if (is_damaged) {
        assert_int_equal(*ret_newest, 0);
        assert_non_null(strstr(note, "damaged"));
        assert_int_equal(damaged_files(p), 1);
    }
    history_db_close(db);
    free(note);
    return is_damaged;
}

static void cut_at_every_page(void **state)
{
    enum { PAGE = 4096 };
    struct place p = place_new();
    struct world w = world_new(21);
    struct history_db *db = place_open(&p, w.wall_us);
    uint64_t newest;
    uint8_t *whole;
    size_t len;

    (void)state;
    fill(&w, db, 400);
    history_db_close(db);
    len = read_file(p.path, &whole);
    assert_true(len > 20 * PAGE && len % PAGE == 0);
    for (size_t at = 0; at <= len; at += PAGE / 2) {
        bool is_damaged;

        forget_files(&p);
        write_file(p.path, whole, at);
        is_damaged = open_cut(&w, &p, &newest);
        if (at == len)
            assert_true(!is_damaged && newest == w.wall_us);
        else if (at > 0)
            assert_true(is_damaged);
    }
    free(whole);
    place_done(&p);
    world_done(&w);
}

/* A power cut: the log ends anywhere. What is complete in it is there, and all of it is right. */
static void log_cut(void **state)
{
    enum { HEADER = 32, FRAME = 4096 + 24 }; /* sqlite.org/fileformat2.html, 4.1 */
    struct place p = place_new();
    struct world w = world_new(22);
    struct history_db *db = place_open(&p, w.wall_us);
    char log[128];
    uint8_t *file, *end;
    size_t len, log_len;
    uint64_t before = 0, newest;

    (void)state;
    fill(&w, db, 60);
    snprintf(log, sizeof(log), "%s-wal", p.path);
    len = read_file(p.path, &file);
    log_len = read_file(log, &end);
    history_db_close(db);
    assert_true(log_len > 40 * FRAME);
    for (size_t at = HEADER; at <= log_len; at += FRAME / 2) {
        forget_files(&p);
        write_file(p.path, file, len);
        write_file(log, end, at);
        assert_false(open_cut(&w, &p, &newest));
        assert_true(newest >= before);
        before = newest;
    }
    assert_true(before > 0);
    free(file);
    free(end);
    place_done(&p);
    world_done(&w);
}

/* Any byte may be wrong: it is said, or read, and never the end of the program. */
static void wrong_bytes(void **state)
{
    struct place p = place_new();
    struct world w = world_new(23);
    struct history_db *db = place_open(&p, w.wall_us);
    uint8_t *whole;
    size_t len, said = 0;

    (void)state;
    fill(&w, db, 100);
    history_db_close(db);
    len = read_file(p.path, &whole);
    for (unsigned i = 0; i < 200; i++) {
        size_t at = i < 100 ? i : world_random(&w, len);
        uint8_t was = whole[at];
        struct load_record load = { w.wall_us, DAY_US, MINUTE_US };
        struct history *past = history_new();
        struct history_answer a;
        char *note = NULL;
        int r;

        forget_files(&p);
        whole[at] ^= (uint8_t)(1 + world_random(&w, 255));
        write_file(p.path, whole, len);
        whole[at] = was;
        r = history_db_open(p.path, &HISTORY_LIMITS, w.wall_us, &db, &note);
        assert_int_equal(r, 0);
        said += note != NULL;
        r = history_db_looks(db, &load, take_look, past);
        assert_true(r == 0 || r == -EBADMSG);
        r = history_db_query(db, &(struct query_record){ "pci-0000:01:00.0-phy-00", 0, 100 }, &a);
        assert_true(r == 0 || r == -EBADMSG);
        if (r == 0)
            history_answer_done(&a);
        r = world_put(&w, db, true);
        assert_true(r == 0 || r == -EBADMSG);
        history_db_close(db);
        history_free(past);
        free(note);
    }
    assert_true(said > 20);
    free(whole);
    place_done(&p);
    world_done(&w);
}

/* ---- other files in its place ---- */

static void not_ours(void **state)
{
    struct place p = place_new();
    struct history_db *db;
    sqlite3 *sql;
    char *note;

    (void)state;
    for (unsigned i = 0; i < 6; i++) { /* an hour later each; no more than three are kept */
        switch (i % 3) {
        case 0:
            write_file(p.path, (const uint8_t *)"this is a text, and no database at all\n", 39);
            break;
        case 1:
            unlink(p.path);
            assert_int_equal(sqlite3_open(p.path, &sql), SQLITE_OK);
            assert_int_equal(sqlite3_exec(sql, "CREATE TABLE accounts (name)", NULL, NULL, NULL),
                             SQLITE_OK);
            sqlite3_close(sql);
            break;
        default:
            db = place_open(&p, DAY_US);
            history_db_close(db);
            assert_int_equal(sqlite3_open(p.path, &sql), SQLITE_OK);
            assert_int_equal(sqlite3_exec(sql, "PRAGMA user_version = 999", NULL, NULL, NULL),
                             SQLITE_OK);
            sqlite3_close(sql);
            break;
        }
        db = place_open_noted(&p, DAY_US + i * HOUR_US, &note);
        assert_non_null(note);
        assert_non_null(strstr(note, i % 3 == 0   ? "is damaged"
                                     : i % 3 == 1 ? "is no database of this program"
                                                  : "newer version"));
        free(note);
        history_db_close(db);
        assert_int_equal(damaged_files(&p), i < 3 ? i + 1 : 3);
    }
    db = place_open(&p, DAY_US);
    history_db_close(db);
    place_done(&p);
}

/* A second process is told so. */
static void one_at_a_time(void **state)
{
    struct place p = place_new();
    struct world w = world_new(1);
    struct history_db *db;
    char *note, byte;
    int fds[2], status;
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(fds), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        db = place_open(&p, DAY_US);
        fill(&w, db, 1);
        if (write(fds[1], "", 1) != 1)
            _exit(1);
        pause();
    }
    assert_int_equal(read(fds[0], &byte, 1), 1);
    assert_int_equal(history_db_open(p.path, &HISTORY_LIMITS, DAY_US, &db, &note), -EBUSY);
    assert_int_equal(damaged_files(&p), 0);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    db = place_open(&p, DAY_US);
    history_db_close(db);
    close(fds[0]);
    close(fds[1]);
    place_done(&p);
    world_done(&w);
}

/* ---- older forms ---- */

/* What a database of each version held is there after it was brought up to date. */
static void older_versions(void **state)
{
    static const char CONTENT[] =
        "INSERT INTO look VALUES (1, 1000, 10, 'old');"
        "INSERT INTO object VALUES (1, 0, 'link');"
        "INSERT INTO state (object, begin, since_us, is_up, known, lanes, kb_per_s, content) VALUES (1, 1, 1000, 1, 1, 1, 600000,"
        " '{\"known\":true,\"lanes\":1,\"lane_kb_per_s\":600000,\"label\":\"6.0 Gb/s\",\"new_in_the_future\":[{}]}');"
        "INSERT INTO finding VALUES ('f', 1000, 'async', 2, 1, 1000, 0, 'slow', '{\"subjects\":[\"link\"]}')";

    static const char PROBE[] = /* how long a read took is in version 4 */
        "INSERT INTO probe (object, seq, at_us, method, block_bytes, n, kb_per_s, least, most)"
        " VALUES (1, 1, 1000, 'read-media/sg', 65536, 1, 100, 100, 100)";

    (void)state;
    for (int version = 1; version <= history_version(); version++) {
        struct place p = place_new();
        struct history_start start;
        struct history_answer a;
        struct history_db *db;
        sqlite3 *sql;

        assert_int_equal(sqlite3_open(p.path, &sql), SQLITE_OK);
        assert_int_equal(history_migrate(sql, version), 0);
        assert_int_equal(sql_script(sql, CONTENT), 0);
        if (version >= 3)
            assert_int_equal(sql_script(sql, PROBE), 0);
        sqlite3_close(sql);
        db = place_open(&p, DAY_US);
        assert_int_equal(history_db_query(db, &(struct query_record){ "link", 0, 10 }, &a), 0);
        assert_int_equal(a.changes.n, 1);
        assert_string_equal(a.changes.v[0].label, "6.0 Gb/s");
        assert_int_equal(a.changes.v[0].kb_per_s, 600000);
        assert_int_equal(a.probes.n, version >= 3);
        if (version >= 3) {
            assert_int_equal(a.probes.v[0].most_kb_per_s, 100);
            assert_int_equal(a.probes.v[0].median_us, 0);
        }
        history_answer_done(&a);
        assert_int_equal(history_db_start(db, 2000, &start), 0);
        assert_int_equal(start.findings.n, 1);
        assert_string_equal(start.findings.v[0].subjects.v[0], "link");
        history_start_done(&start);
        history_db_close(db);
        db = place_open(&p, DAY_US); /* and once more, as it is now */
        history_db_close(db);
        place_done(&p);
    }
}

/* ---- no room, no rights ---- */

static bool is_full(int r)
{
    return r == -ENOSPC || r == -EFBIG || r == -EIO;
}

/* The file may not grow any more: a call fails and changes nothing; when there is room again, it goes on. */
static void no_room(void **state)
{
    struct place p = place_new();
    struct world w = world_new(31);
    struct history_db *db = place_open(&p, w.wall_us);
    struct rlimit before, now;
    unsigned failed = 0;
    int r = 0;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    now = before;
    now.rlim_cur = 600 * 1024;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
    for (unsigned i = 0; i < 1000 && failed < 50; i++) {
        world_live(&w, MINUTE_US);
        world_look(&w);
        r = world_put(&w, db, i == 0 || failed);
        assert_true(r == 0 || is_full(r));
        failed += r < 0;
    }
    assert_true(failed > 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    check_all(&w, db);
    world_live(&w, MINUTE_US);
    world_look(&w);
    assert_int_equal(world_put(&w, db, true), 0);
    assert_int_equal(check_all(&w, db), w.wall_us);
    history_db_close(db);
    db = place_open(&p, w.wall_us);
    assert_int_equal(check_all(&w, db), w.wall_us);
    history_db_close(db);
    place_done(&p);
    world_done(&w);
}

/* The database's own bound does the same. */
static void bound_reached(void **state)
{
    struct place p = place_new();
    struct world w = world_new(32);
    struct history_limits limits = HISTORY_LIMITS;
    struct history_db *db;
    char *note;
    int r = 0;

    (void)state;
    limits.size_bytes = 40 * 4096;
    assert_int_equal(history_db_open(p.path, &limits, w.wall_us, &db, &note), 0);
    for (unsigned i = 0; r == 0 && i < 5000; i++) {
        world_live(&w, MINUTE_US);
        world_look(&w);
        r = world_put(&w, db, i == 0);
    }
    assert_int_equal(r, -ENOSPC);
    check_all(&w, db);
    history_db_close(db);
    db = place_open(&p, w.wall_us);
    check_all(&w, db);
    history_db_close(db);
    place_done(&p);
    world_done(&w);
}

/* As somebody who may not write there. Root may, so it becomes somebody else. */
static void may_not_write(void **state)
{
    struct place p = place_new();
    struct world w = world_new(33);
    struct history_db *db = place_open(&p, w.wall_us);
    char *note;
    int status;

    (void)state;
    fill(&w, db, 3);
    history_db_close(db);
    assert_int_equal(chmod(p.path, 0444), 0);
    for (unsigned there = 2; there--;) {
        pid_t pid;

        if (!there)
            assert_int_equal(unlink(p.path), 0);
        assert_int_equal(chmod(p.dir, 0555), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            if (geteuid() == 0 && setuid(65534) < 0)
                _exit(77);
            _exit(-history_db_open(p.path, &HISTORY_LIMITS, w.wall_us, &db, &note));
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_true(WEXITSTATUS(status) == EACCES || WEXITSTATUS(status) == EROFS);
        assert_int_equal(chmod(p.dir, 0755), 0);
        assert_int_equal(damaged_files(&p), 0);
    }
    place_done(&p);
    world_done(&w);
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(killed),         cmocka_unit_test(cut_at_every_page),
        cmocka_unit_test(log_cut),        cmocka_unit_test(wrong_bytes),
        cmocka_unit_test(not_ours),       cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(older_versions), cmocka_unit_test(no_room),
        cmocka_unit_test(bound_reached),  cmocka_unit_test(may_not_write),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
