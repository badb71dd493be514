/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The writer: what is put in gets to the disk, whatever becomes of the child; and the daemon's end never
 * waits.
 */
#include "world.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "daemon/writer.h"

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* What the writer said and answered, and where. */
struct desk {
    struct place place;
    struct writer *writer;
    char said[4096];
    size_t n_said;
    unsigned answers, starts, looks, errors;
    size_t changes;
    struct history *past;
    uint64_t longest_us; /* a call took */
    uint64_t ahead_us;   /* of the clock */
};

static void say(void *userdata, int priority, const char *text)
{
    struct desk *d = userdata;

    (void)priority;
    d->n_said++;
    strncat(d->said, text, sizeof(d->said) - strlen(d->said) - 2);
    strcat(d->said, "\n");
}

static void answer(void *userdata, enum record_kind kind, const struct reply *reply)
{
    struct desk *d = userdata;

    if (reply->error) {
        d->errors++;
    } else if (reply->has_answer) {
        assert_int_equal(kind, RECORD_QUERY);
        d->changes = reply->answer.changes.n;
    } else if (reply->has_start) {
        d->starts++;
    } else if (reply->has_look) {
        d->looks++;
        assert_int_equal(look_apply(d->past, &reply->look), 0);
    } else if (reply->is_done) {
        d->answers++;
    }
}

static void open_desk(struct desk *d, size_t queue_bytes, uint64_t stuck_us)
{
    struct writer_options options = { .path = d->place.path,
                                      .limits = HISTORY_LIMITS,
                                      .queue_bytes = queue_bytes,
                                      .stuck_us = stuck_us,
                                      .wall_us = 1000 * DAY_US,
                                      .say = say,
                                      .answer = answer,
                                      .userdata = d };

    assert_int_equal(writer_new(&options, &d->writer), 0);
}

static void desk_new(struct desk *d, size_t queue_bytes, uint64_t stuck_us)
{
    *d = (struct desk){ .place = place_new(), .past = history_new() };
    open_desk(d, queue_bytes, stuck_us);
}

/* Waits for all children; one of a test that failed may be there for ever. */
static void wait_for_children(void)
{
    pid_t pid = 0;

    for (uint64_t until = now() + MINUTE_US; pid >= 0 && now() < until;) {
        pid = waitpid(-1, NULL, WNOHANG);
        if (pid == 0)
            poll(NULL, 0, 5);
    }
    assert_int_equal(pid, -1);
}

static void desk_done(struct desk *d)
{
    writer_free(d->writer);
    wait_for_children();
    history_free(d->past);
    place_done(&d->place);
}

/* One round of an event loop. */
static void turn(struct desk *d, int wait_ms)
{
    struct pollfd p = { .fd = writer_fd(d->writer), .events = POLLIN };
    uint64_t before, took;

    poll(&p, 1, wait_ms);
    before = now();
    assert_int_equal(writer_dispatch(d->writer, before + d->ahead_us), 0);
    took = now() - before;
    if (took > d->longest_us)
        d->longest_us = took;
}

/* Until nothing waits, for a minute. */
static void settle(struct desk *d)
{
    for (uint64_t until = now() + MINUTE_US; writer_status(d->writer).n && now() < until;) {
        turn(d, 20);
        if (!writer_status(d->writer).pid)
            d->ahead_us += MINUTE_US; /* nobody waits for a new one here */
    }
    assert_int_equal(writer_status(d->writer).n, 0);
}

static int put_look(struct desk *d, struct world *w)
{
    size_t n;

    world_live(w, MINUTE_US);
    world_look(w);
    n = w->truth->snapshots.n;
    return writer_put_look(d->writer, n > 1 ? &w->truth->snapshots.v[n - 2] : NULL,
                           &w->truth->snapshots.v[n - 1], now() + d->ahead_us);
}

static int put_finding(struct desk *d, const char *key, enum finding_life life)
{
    struct record record = { .kind = RECORD_FINDING,
                             .finding = {
                                 .key = key, .code = "async", .since_us = 5, .life = life } };

    return writer_put(d->writer, &record, now());
}

static void look_into(struct desk *d, const struct world *w)
{
    struct history_db *db = place_open(&d->place, w->wall_us);
    struct history *past = past_of(db, w->wall_us);

    assert_true(past->snapshots.n > 0);
    assert_same(&w->truth->snapshots.v[w->truth->snapshots.n - 1],
                &past->snapshots.v[past->snapshots.n - 1], true);
    history_free(past);
    history_db_close(db);
}

/* The writer ends, and its child with what it was given. */
static void close_writer(struct desk *d)
{
    d->writer = writer_free(d->writer);
    wait_for_children();
}

static void writes_and_answers(void **state)
{
    struct desk d;
    struct world w = world_new(1);
    struct record query = { .kind = RECORD_QUERY, .query = { "pci-0000:01:00.0-phy-00", 0, 10 } };
    struct record load = { .kind = RECORD_LOAD };

    (void)state;
    desk_new(&d, 0, 0);
    assert_true(writer_wants_whole(d.writer));
    for (unsigned i = 0; i < 50; i++)
        assert_int_equal(put_look(&d, &w), 0);
    assert_false(writer_wants_whole(d.writer));
    assert_int_equal(put_finding(&d, "a", FINDING_NEW), 0);
    assert_int_equal(writer_put(d.writer, &query, now()), 0);
    load.load = (struct load_record){ w.wall_us, 12 * HOUR_US, 15 * MINUTE_US };
    assert_int_equal(writer_put(d.writer, &load, now()), 0);
    settle(&d);
    assert_int_equal(d.answers, 2);
    assert_int_equal(d.starts, 1);
    assert_true(d.looks > 1 && d.changes > 0);
    assert_same(&w.truth->snapshots.v[49], &d.past->snapshots.v[d.past->snapshots.n - 1], true);
    assert_in_range(writer_status(d.writer).done, 20, 51); /* quiet looks are not written */
    assert_int_equal(writer_status(d.writer).children, 1);
    assert_string_equal(d.said, "");
    close_writer(&d);
    look_into(&d, &w);
    desk_done(&d);
    world_done(&w);
}

/* Looks in which nothing is different are not written, and what was seen in them is known all the same. */
static void quiet(void **state)
{
    struct desk d;
    struct world w = world_new(12);
    struct history_db *db;
    struct history_answer a;
    uint64_t last_quiet = 0, at = 0;

    (void)state;
    desk_new(&d, 0, 0);
    for (unsigned i = 0; i < 60; i++) {
        size_t n;

        w.wall_us += MINUTE_US;
        w.mono_us += MINUTE_US;
        w.links[0].state = i < 50 ? LINK_UP : LINK_EMPTY;
        at = i == 50 ? w.wall_us : at;
        last_quiet = i == 49 ? w.wall_us : last_quiet;
        world_look(&w);
        n = w.truth->snapshots.n;
        assert_int_equal(writer_put_look(d.writer, n > 1 ? &w.truth->snapshots.v[n - 2] : NULL,
                                         &w.truth->snapshots.v[n - 1], w.mono_us),
                         0);
    }
    assert_int_equal(writer_status(d.writer).n,
                     1 + 3 + 1); /* whole, three quarters of an hour, the change */
    settle(&d);
    close_writer(&d);
    db = place_open(&d.place, w.wall_us);
    assert_int_equal(
        history_db_query(db, &(struct query_record){ "pci-0000:01:00.0-phy-00", 0, 10 }, &a), 0);
    assert_int_equal(a.changes.n, 2);
    assert_int_equal(a.changes.v[1].since_us, at);
    history_answer_done(&a);
    d.past = history_free(d.past);
    d.past = past_of(db, w.wall_us);
    assert_non_null(truth_at(&w, last_quiet));
    for (size_t i = 0; i < d.past->snapshots.n; i++) {
        assert_same(truth_at(&w, d.past->snapshots.v[i].wall_us), &d.past->snapshots.v[i], true);
        if (d.past->snapshots.v[i].wall_us == last_quiet)
            last_quiet = 0;
    }
    assert_int_equal(last_quiet, 0); /* it was shown */
    history_db_close(db);
    desk_done(&d);
    world_done(&w);
}

/* What the socket took is on the disk after the daemon's end, though nobody hears what the child says to it. */
static void ends_with_all(void **state)
{
    struct desk d;
    struct world w = world_new(2);
    int pid;

    (void)state;
    desk_new(&d, 0, 0);
    assert_int_equal(put_look(&d, &w), 0);
    settle(&d);
    pid = writer_status(d.writer).pid;
    assert_int_equal(kill(pid, SIGSTOP), 0);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(put_look(&d, &w), 0);
    d.writer = writer_free(d.writer);
    assert_int_equal(kill(pid, SIGCONT), 0);
    wait_for_children();
    look_into(&d, &w);
    desk_done(&d);
    world_done(&w);
}

/* A child that is killed again and again takes nothing with it. */
static void child_is_killed(void **state)
{
    struct desk d;
    struct world w = world_new(3);
    struct writer_status s;
    uint64_t done = 0;

    (void)state;
    desk_new(&d, 0, 0);
    for (unsigned i = 0; i < 500; i++) {
        assert_int_equal(put_look(&d, &w), 0);
        turn(&d, (int)world_random(&w, 4));
        s = writer_status(d.writer);
        if (s.pid &&
            s.done >
                done + 20) { /* each has done something: what three in a row die of is left out */
            kill(s.pid, SIGKILL);
            done = s.done;
        }
        if (!writer_status(d.writer).pid)
            d.ahead_us += MINUTE_US;
    }
    settle(&d);
    assert_true(writer_status(d.writer).children > 3);
    assert_int_equal(writer_status(d.writer).lost[RECORD_LOOK], 0);
    close_writer(&d);
    look_into(&d, &w);
    desk_done(&d);
    world_done(&w);
}

/* A child that hangs is given up, and the next one writes what that one did not. */
static void child_is_stuck(void **state)
{
    struct desk d;
    struct world w = world_new(4);
    int first;

    (void)state;
    desk_new(&d, 0, 200000);
    assert_int_equal(put_look(&d, &w), 0);
    settle(&d);
    first = writer_status(d.writer).pid;
    assert_int_equal(kill(first, SIGSTOP), 0);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(put_look(&d, &w), 0);
    assert_true(writer_due_us(d.writer) <= now() + 200000);
    for (uint64_t until = now() + 10 * SECOND_US;
         !writer_status(d.writer).given_up && now() < until;)
        turn(&d, 20);
    assert_int_equal(writer_status(d.writer).given_up, 1);
    assert_non_null(strstr(d.said, "answers nothing"));
    settle(&d);
    assert_int_equal(writer_status(d.writer).children, 2);
    assert_true(writer_status(d.writer).pid != first);
    assert_int_equal(writer_status(d.writer).lost[RECORD_LOOK], 0);
    assert_true(d.longest_us < 500000);
    close_writer(&d);
    look_into(&d, &w);
    desk_done(&d);
    world_done(&w);
}

/* More than the queue takes: counted by kind, said when it begins and when it is over; then a whole look. What is rare
 * still has room. */
static void overflow(void **state)
{
    struct desk d;
    struct world w = world_new(5);
    unsigned lost = 0;

    (void)state;
    desk_new(&d, 32768, 0);
    assert_int_equal(put_look(&d, &w), 0);
    settle(&d);
    assert_int_equal(kill(writer_status(d.writer).pid, SIGSTOP), 0);
    for (unsigned i = 0; i < 3000; i++) {
        int r = put_look(&d, &w);

        assert_true(r == 0 || r == -ENOBUFS);
        lost += r < 0;
        assert_true(writer_status(d.writer).bytes <= 32768);
    }
    assert_true(lost > 1000);
    assert_int_equal(writer_status(d.writer).lost[RECORD_LOOK], lost);
    assert_int_equal(put_finding(&d, "a", FINDING_NEW), 0);
    assert_int_equal(d.n_said, 1);
    assert_non_null(strstr(d.said, "full"));
    assert_true(writer_wants_whole(d.writer));
    assert_int_equal(kill(writer_status(d.writer).pid, SIGCONT), 0);
    settle(&d);
    assert_int_equal(d.n_said, 2);
    assert_non_null(strstr(d.said, "of look"));
    assert_int_equal(put_look(&d, &w), 0);
    settle(&d);
    close_writer(&d);
    look_into(&d, &w);
    desk_done(&d);
    world_done(&w);
}

/* Whoever asks much takes no room from what is to be kept, and loses nothing but his answer. */
static void asked_much(void **state)
{
    char name[10000];
    struct record query = { .kind = RECORD_QUERY, .query = { name, 0, 10 } };
    struct desk d;
    struct world w = world_new(5);
    unsigned refused = 0;

    (void)state;
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    desk_new(&d, 32768, 0);
    assert_int_equal(put_look(&d, &w), 0);
    settle(&d);
    assert_int_equal(kill(writer_status(d.writer).pid, SIGSTOP), 0);
    for (unsigned i = 0; i < 100; i++)
        refused += writer_put(d.writer, &query, now()) == -ENOBUFS;
    assert_int_equal(refused, 99);
    assert_int_equal(put_look(&d, &w), 0);
    assert_int_equal(put_finding(&d, "a", FINDING_NEW), 0);
    assert_int_equal(d.n_said, 0);
    assert_int_equal(kill(writer_status(d.writer).pid, SIGCONT), 0);
    settle(&d);
    assert_int_equal(d.answers + d.errors, 1);
    close_writer(&d);
    look_into(&d, &w);
    desk_done(&d);
    world_done(&w);
}

/* A newer state takes the place of one that waits. */
static void coalesced(void **state)
{
    struct desk d;
    struct history_db *db;
    struct history_start start;

    (void)state;
    desk_new(&d, 0, 0);
    for (unsigned i = 0; i < 1000; i++) { /* no child yet */
        assert_int_equal(put_finding(&d, "a", i % 2 ? FINDING_CONFIRMED : FINDING_CLEARED), 0);
        assert_int_equal(put_finding(&d, "b", FINDING_NEW), 0);
    }
    assert_int_equal(writer_status(d.writer).n, 2);
    settle(&d);
    close_writer(&d);
    db = place_open(&d.place, DAY_US);
    assert_int_equal(history_db_start(db, DAY_US, &start), 0);
    assert_int_equal(start.findings.n, 2);
    assert_int_equal(start.findings.v[0].life, FINDING_CONFIRMED);
    history_start_done(&start);
    history_db_close(db);
    desk_done(&d);
}

/* No directory to write in: said once, counted, and said when it is over. */
static void cannot_write(void **state)
{
    struct desk d;
    struct world w = world_new(7);
    char away[96];

    (void)state;
    desk_new(&d, 0, 0);
    snprintf(away, sizeof(away), "%s/away", d.place.dir);
    snprintf(d.place.path, sizeof(d.place.path), "%s/away/h", d.place.dir);
    close_writer(&d);
    open_desk(&d, 0, 0);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(put_look(&d, &w), 0);
        settle(&d);
    }
    assert_int_equal(d.n_said, 1);
    assert_non_null(strstr(d.said, "the history is not written: No such file or directory"));
    assert_int_equal(writer_status(d.writer).lost[RECORD_LOOK], 5);
    assert_int_equal(writer_status(d.writer).error, ENOENT);
    assert_true(writer_wants_whole(d.writer));
    assert_int_equal(mkdir(away, 0700), 0);
    assert_int_equal(put_look(&d, &w), 0);
    settle(&d);
    assert_int_equal(d.n_said, 2);
    assert_non_null(strstr(d.said, "left out were 5 of look"));
    assert_int_equal(writer_status(d.writer).error, 0);
    close_writer(&d);
    look_into(&d, &w);
    desk_done(&d);
    world_done(&w);
}

/* Other limits hold from then on, and nothing is lost over the change: here a file that may not grow, and then may. */
static void other_limits(void **state)
{
    struct history_limits small = HISTORY_LIMITS;
    struct desk d;
    struct world w = world_new(8);
    uint64_t children;

    (void)state;
    small.size_bytes = 65536; /* less than an empty database */
    desk_new(&d, 0, 0);
    for (unsigned i = 0; i < 50; i++) {
        assert_int_equal(put_look(&d, &w), 0);
        if (i == 20)
            writer_set_limits(d.writer, &HISTORY_LIMITS); /* they are these already */
    }
    settle(&d);
    children = writer_status(d.writer).children;
    assert_int_equal(children, 1);
    writer_set_limits(d.writer, &small);
    while (writer_status(d.writer).pid)
        turn(&d, 20);
    for (unsigned i = 0; i < 50; i++) {
        assert_int_equal(put_look(&d, &w), 0);
        settle(&d);
    }
    assert_true(writer_status(d.writer).lost[RECORD_LOOK] > 0);
    assert_int_equal(writer_status(d.writer).error, ENOSPC);
    writer_set_limits(d.writer, &HISTORY_LIMITS);
    while (writer_status(d.writer).pid)
        turn(&d, 20);
    assert_int_equal(put_look(&d, &w), 0);
    settle(&d);
    assert_int_equal(writer_status(d.writer).error, 0);
    close_writer(&d);
    look_into(&d, &w);
    desk_done(&d);
    world_done(&w);
}

/* While much is under way: what the old child has read is settled by it, the rest by the next. */
static void other_limits_meanwhile(void **state)
{
    struct history_limits limits = HISTORY_LIMITS;
    struct desk d;
    struct world w = world_new(9);

    (void)state;
    desk_new(&d, 0, 0);
    for (unsigned i = 0; i < 300; i++) {
        assert_int_equal(put_look(&d, &w), 0);
        turn(&d, (int)world_random(&w, 3));
        if (i % 50 == 25) {
            limits.keep_us++;
            writer_set_limits(d.writer, &limits);
        }
        if (!writer_status(d.writer).pid)
            d.ahead_us += MINUTE_US;
    }
    settle(&d);
    assert_true(writer_status(d.writer).children > 3);
    assert_int_equal(writer_status(d.writer).lost[RECORD_LOOK], 0);
    close_writer(&d);
    look_into(&d, &w);
    desk_done(&d);
    world_done(&w);
}

/* A daemon that starts while the last one's child still writes. (That one is a process of its own: SQLite's locks are not
 * to be carried over a fork.) */
static void two_daemons(void **state)
{
    struct desk d;
    struct world w = world_new(8);
    int fds[2];
    char byte;
    pid_t pid;

    (void)state;
    desk_new(&d, 0, 0);
    assert_int_equal(pipe(fds), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct history_db *db = place_open(&d.place, DAY_US);

        world_look(&w);
        if (world_put(&w, db, true) < 0 || write(fds[1], "", 1) != 1)
            _exit(1);
        poll(NULL, 0, 1500);
        history_db_close(db);
        _exit(0);
    }
    assert_int_equal(read(fds[0], &byte, 1), 1);
    assert_int_equal(put_look(&d, &w), 0);
    for (uint64_t until = now() + SECOND_US / 2; now() < until;)
        turn(&d, 20);
    assert_int_equal(writer_status(d.writer).n, 1);
    settle(&d);
    assert_string_equal(d.said, "");
    assert_int_equal(writer_status(d.writer).lost[RECORD_LOOK], 0);
    close(fds[0]);
    close(fds[1]);
    close_writer(&d);
    look_into(&d, &w);
    desk_done(&d);
    world_done(&w);
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(writes_and_answers),
        cmocka_unit_test(quiet),
        cmocka_unit_test(ends_with_all),
        cmocka_unit_test(child_is_killed),
        cmocka_unit_test(child_is_stuck),
        cmocka_unit_test(overflow),
        cmocka_unit_test(asked_much),
        cmocka_unit_test(coalesced),
        cmocka_unit_test(cannot_write),
        cmocka_unit_test(other_limits),
        cmocka_unit_test(other_limits_meanwhile),
        cmocka_unit_test(two_daemons),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
