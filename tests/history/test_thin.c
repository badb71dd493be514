/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is forgotten, and what never is: two and a half years in seconds.
 */
#include "world.h"

#include <errno.h>
#include <sys/stat.h>

enum { DAYS = 900 };

static const char LINK[] = "pci-0000:01:00.0-phy-00";

static struct history_answer ask(struct history_db *db, const char *id, uint64_t since_us)
{
    struct history_answer a;

    assert_int_equal(history_db_query(db, &(struct query_record){ id, since_us, 100000 }, &a), 0);
    assert_false(a.is_cut);
    return a;
}

/* Growth of errors that was known, in that time. */
static uint64_t grown(const struct history_answer *a, uint64_t from_us, uint64_t to_us,
                      size_t *ret_rows)
{
    uint64_t sum = 0;

    *ret_rows = 0;
    for (size_t i = 0; i < a->growths.n; i++) {
        const struct history_growth *g = &a->growths.v[i];

        if (strcmp(g->name, "errors") != 0 || g->at_us < from_us || g->at_us >= to_us)
            continue;
        sum += g->grown;
        ++*ret_rows;
        assert_true(g->from_us <= g->at_us);
    }
    return sum;
}

/* A day: a look every half hour, one error in each, a mode a day, a probe in six hours. */
static void live_a_day(struct world *w, struct history_db *db, unsigned day)
{
    struct record records[48 + 4] = { 0 };
    size_t n = 0;

    w->links[0].speed = day == 3 ? 5 : day % 2;
    for (unsigned i = 0; i < 48; i++) {
        w->wall_us += 30 * MINUTE_US;
        w->mono_us += 30 * MINUTE_US;
        w->links[0].errors++;
        world_look(w);
        records[n].kind = RECORD_LOOK;
        world_newest(w, day == 0 && i == 0, &records[n++].look);
        if (i % 12 == 0)
            records[n++] = (struct record){ .kind = RECORD_MEASURE,
                                            .measure = { w->wall_us, "device", "read-media", 65536,
                                                         100 + i, i ? 1000 + i : 0 } };
    }
    assert_int_equal(history_db_append(db, records, n), 0);
    for (size_t i = 0; i < n; i++)
        record_done(&records[i]);
    history_free(w->truth); /* half a million objects would be too many */
    w->truth = history_new();
    assert_non_null(w->truth);
    world_look(w);
}

/* Probes: each of seven days, then one an hour (they are six hours apart), then means of days. */
static void check_probes(struct history_db *db, uint64_t now)
{
    struct history_answer a = ask(db, "device", 0);
    for (size_t i = 0; i < a.probes.n; i++) {
        const struct history_probe *m = &a.probes.v[i];

        assert_true(m->at_us + 731 * DAY_US > now);
        assert_int_equal(m->n, m->at_us + 92 * DAY_US < now && i ? 4 : m->n == 4 ? 4 : m->n);
        assert_true(m->least_kb_per_s <= m->kb_per_s && m->kb_per_s <= m->most_kb_per_s);
        if (m->n == 4) { /* of one nothing but the rate is known */
            assert_int_equal(m->kb_per_s, 118);
            assert_int_equal(m->median_us, 1024);
            assert_int_equal(m->least_median_us, 1012);
            assert_int_equal(m->most_median_us, 1036);
        }
    }
    assert_in_range(a.probes.n, 90 * 4 + 635, 91 * 4 + 645);
    history_answer_done(&a);
}

static void two_years(void **state)
{
    struct place p = place_new();
    struct world w = world_new(1);
    struct history_db *db = place_open(&p, w.wall_us);
    struct history_answer a;
    struct history *past;
    uint64_t now, best = 0;
    size_t rows;

    (void)state;
    for (unsigned day = 0; day < DAYS; day++) {
        live_a_day(&w, db, day);
        if (day % 6 == 5)
            assert_int_equal(history_db_thin(db, w.wall_us), 0);
    }
    now = w.wall_us;
    a = ask(db, LINK, 0);

    /* The last seven days are whole, before that hours, before 90 days days, and before two years nothing. */
    assert_int_equal(grown(&a, now - 7 * DAY_US, now + 1, &rows), 7 * 48 + 1);
    assert_int_equal(rows, 7 * 48 + 1);
    assert_int_equal(grown(&a, now - 80 * DAY_US, now - 8 * DAY_US, &rows), 72 * 48);
    assert_int_equal(rows, 72 * 24);
    assert_in_range(grown(&a, now - 700 * DAY_US, now - 100 * DAY_US, &rows), 599 * 48, 601 * 48);
    assert_in_range(rows, 599, 601);
    grown(&a, 0, now - 732 * DAY_US, &rows);
    assert_int_equal(rows, 0);

    /* Changes: one a day, of two years; and the best mode ever, of the third day. */
    for (size_t i = 0; i < a.changes.n; i++) {
        assert_true(i == 0 || a.changes.v[i].until_us == 0 ||
                    a.changes.v[i].until_us + 731 * DAY_US > now);
        best = a.changes.v[i].kb_per_s > best ? a.changes.v[i].kb_per_s : best;
    }
    assert_in_range(a.changes.n, 729, 733);
    assert_int_equal(best, 75000 << 5);
    history_answer_done(&a);
    past = past_of(db, now);
    assert_int_equal(
        rate_kb_per_s(history_best(past, &(struct link){ .id = LINK, .far_id = "wwn-0" })->rate),
        75000 << 5);
    history_free(past);
    check_probes(db, now);
    history_db_close(db);
    place_done(&p);
    world_done(&w);
}

/* A link that flaps all day is not kept change by change, and how many are left out is known. */
static void crowds(void **state)
{
    struct place p = place_new();
    struct world w = world_new(1);
    struct history_db *db = place_open(&p, w.wall_us);
    struct history_answer a;
    uint64_t begin = w.wall_us, changes = 0;

    (void)state;
    for (unsigned i = 0; i < 24 * 60; i++) { /* the clock of the world is at midnight */
        w.wall_us += i ? MINUTE_US : 0;
        w.mono_us += MINUTE_US;
        w.links[0].speed = i % 2;
        world_look(&w);
        assert_int_equal(world_put(&w, db, i == 0), 0);
    }
    for (unsigned i = 0; i < 120; i++) {
        w.wall_us += DAY_US;
        w.mono_us += DAY_US;
        world_look(&w);
        assert_int_equal(world_put(&w, db, false), 0);
        if (i % 9)
            continue;
        assert_int_equal(history_db_thin(db, w.wall_us), 0);
        a = ask(db, LINK, 0);
        changes = a.changes.n;
        for (size_t k = 0; k < a.changes.n; k++)
            changes += a.changes.v[k].left_out;
        assert_int_equal(changes, 24 * 60);
        assert_true(i < 9 || a.changes.n <= 24 * 16 + 1);
        assert_true(i < 92 || a.changes.n <= 17);
        assert_int_equal(a.changes.v[0].since_us, begin);
        history_answer_done(&a);
    }
    history_db_close(db);
    place_done(&p);
    world_done(&w);
}

/* The bound of the file holds, whatever comes; what is deleted for it is the oldest. */
static void bounded(void **state)
{
    struct place p = place_new();
    struct world w = world_new(2);
    struct history_limits limits = HISTORY_LIMITS;
    struct history_db *db;
    struct history_answer a;
    struct stat file;
    char *note;
    int r = 0, full = 0;

    (void)state;
    limits.size_bytes = 1 << 20;
    assert_int_equal(history_db_open(p.path, &limits, w.wall_us, &db, &note), 0);
    for (unsigned day = 0; day < 60; day++) {
        for (unsigned i = 0; i < 200; i++) {
            struct record record = { .kind = RECORD_LOOK };

            world_live(&w, DAY_US / 200);
            world_look(&w);
            world_newest(&w, day == 0 && i == 0, &record.look);
            r = history_db_append(db, &record, 1);
            assert_true(r == 0 || r == -ENOSPC);
            full += r == -ENOSPC;
            look_done(&record.look);
        }
        r = history_db_thin(db, w.wall_us);
        assert_true(r == 0 || r == -ENOSPC);
    }
    assert_int_equal(full, 0);
    a = ask(db, LINK, 0);
    assert_true(a.growths.n > 10);
    assert_true(a.growths.v[a.growths.n - 1].at_us + 2 * DAY_US > w.wall_us);
    history_answer_done(&a);
    history_db_close(db);
    assert_int_equal(stat(p.path, &file), 0);
    assert_in_range(file.st_size, 1, 1 << 20);
    place_done(&p);
    world_done(&w);
}

/* A clock that is years ahead for a moment costs nothing. */
static void leap_is_not_believed(void **state)
{
    struct place p = place_new();
    struct world w = world_new(1);
    struct history_db *db = place_open(&p, w.wall_us);
    struct history_answer a;
    size_t before;

    (void)state;
    for (unsigned day = 0; day < 5; day++) {
        live_a_day(&w, db, day);
        assert_int_equal(history_db_thin(db, w.wall_us), 0);
    }
    a = ask(db, LINK, 0);
    before = a.growths.n;
    history_answer_done(&a);
    assert_int_equal(history_db_thin(db, w.wall_us + 5000 * DAY_US), 0);
    assert_int_equal(history_db_thin(db, w.wall_us - 400 * DAY_US), 0);
    assert_int_equal(history_db_thin(db, 0), 0);
    a = ask(db, LINK, 0);
    assert_int_equal(a.growths.n, before);
    history_answer_done(&a);
    history_db_close(db);
    place_done(&p);
    world_done(&w);
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(two_years),
        cmocka_unit_test(crowds),
        cmocka_unit_test(bounded),
        cmocka_unit_test(leap_is_not_believed),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
