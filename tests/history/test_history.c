/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is put into the history comes out again: looks, findings, acknowledgements, probes, and the past as the judge
 * needs it.
 */
#include "world.h"

#include <errno.h>

/* Differences, applied one after the other, are the snapshots again; through JSON, too. */
static void looks_and_back(void **state)
{
    struct world w = world_new(1);
    struct history *again = history_new();

    (void)state;
    assert_non_null(again);
    for (unsigned i = 0; i < 300; i++) {
        struct record out = { .kind = RECORD_LOOK, .n = i }, in;
        struct arena *arena = arena_new();
        char *json;
        size_t len;
        FILE *f = open_memstream(&json, &len);

        assert_true(arena && f);
        world_live(&w, MINUTE_US);
        world_look(&w);
        world_newest(&w, i % 50 == 49, &out.look);
        record_write(&out, f);
        fclose(f);
        assert_int_equal(record_read((struct bytes){ (const uint8_t *)json, len }, arena, &in), 0);
        assert_int_equal(in.n, i);
        assert_int_equal(look_apply(again, &in.look), 0);
        record_done(&in);
        record_done(&out);
        free(json);
        arena_free(arena);
        assert_same(&w.truth->snapshots.v[i], &again->snapshots.v[i], true);
    }
    history_free(again);
    world_done(&w);
}

/* Messages that are none. */
static void not_records(void **state)
{
    static const char *const BAD[] = {
        "",
        "{}",
        "{\"n\":1}",
        "{\"n\":-1,\"thin\":{}}",
        "{\"n\":1,\"thin\":{}",
        "{\"n\":1,\"thin\":[]}",
        "{\"n\":1,\"thin\":{\"now_us\":\"1\"}}",
        "{\"n\":1,\"thin\":{}} {}",
        "{\"n\":1,\"nothing\":{}}",
        "{\"n\":1,\"query\":{}}",
        "{\"n\":1,\"look\":{\"objects\":[{\"kind\":\"thing\"}]}}",
        "{\"n\":1,\"look\":{\"objects\":[{\"kind\":\"link\"}]}}",
        "{\"n\":1,\"look\":{\"objects\":[{\"kind\":\"link\",\"id\":\"a\",\"is\":{\"lanes\":4294967296}}]}}",
        "{\"n\":1,\"look\":{\"counts\":[{\"link\":\"a\",\"name\":\"b\",\"kind\":\"nothing\"}]}}",
        "{\"n\":1,\"look\":{\"counts\":[{\"link\":\"a\",\"name\":\"b\"}]}}",
        "{\"n\":1,\"finding\":{\"key\":\"a\"}}",
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(BAD); i++) {
        struct arena *arena = arena_new();
        struct record record;

        assert_non_null(arena);
        assert_int_equal(
            record_read((struct bytes){ (const uint8_t *)BAD[i], strlen(BAD[i]) }, arena, &record),
            -EBADMSG);
        arena_free(arena);
    }
}

/* Two days, boots in between: all that the judge asks of the past is as if every snapshot had been kept. */
static void judge_sees_the_same(const struct world *w, struct history_db *db)
{
    struct history *past = past_of(db, w->wall_us);
    struct history *whole = w->truth;

    assert_true(past->snapshots.n > 0 && past->snapshots.n < whole->snapshots.n / 2);
    for (size_t i = 0; i < past->snapshots.n; i++) {
        const struct snapshot *s = &past->snapshots.v[i], *t = truth_at(w, s->wall_us);

        assert_non_null(t);
        assert_same(t, s, s->wall_us + 12 * HOUR_US >= w->wall_us);
    }
    assert_int_equal(past->snapshots.v[past->snapshots.n - 1].wall_us, w->wall_us);
    for (unsigned i = 0; i < WORLD_LINKS; i++)
        for (unsigned far = 0; far < 104; far++) {
            char id[64], far_id[16];
            struct link l = { .id = id, .far_id = far_id };
            const struct sample *a, *b;

            snprintf(id, sizeof(id), "pci-0000:01:00.0-phy-%02u", i);
            snprintf(far_id, sizeof(far_id), "wwn-%u", far);
            a = history_best(whole, &l);
            b = history_best(past, &l);
            assert_int_equal(a != NULL, b != NULL);
            if (a)
                assert_int_equal(rate_kb_per_s(a->rate), rate_kb_per_s(b->rate));
            a = history_widest(whole, &l);
            b = history_widest(past, &l);
            assert_int_equal(a != NULL, b != NULL);
            if (a)
                assert_int_equal(a->rate.lanes, b->rate.lanes);
        }
    history_free(past);
}

/* Links that are empty now, and were up: down by both pasts. */
static void same_are_down(const struct world *w, struct history_db *db)
{
    struct history *past = past_of(db, w->wall_us);
    struct model *a = model_new(), *b = model_new();
    struct subject subject = { .class_name = "test", .name = "s", .path = "s" };

    assert_true(a && b);
    for (unsigned i = 0; i < WORLD_LINKS; i++) {
        struct host h = { .id = "h" };
        struct link *x = model_add_link(a, &h, &subject, "x"),
                    *y = model_add_link(b, &h, &subject, "y");

        x->id = y->id = arena_printf(a->arena, "pci-0000:01:00.0-phy-%02u", i);
        x->state = y->state = LINK_EMPTY;
    }
    history_apply(w->truth, a);
    history_apply(past, b);
    for (unsigned i = 0; i < WORLD_LINKS; i++)
        assert_int_equal(a->links.v[i]->state, b->links.v[i]->state);
    model_free(a);
    model_free(b);
    history_free(past);
}

static void the_past_as_it_was(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct place p = place_new();
        struct world w = world_new(seed);
        struct history_db *db = place_open(&p, w.wall_us);

        for (unsigned i = 0; i < 2000; i++) {
            if (i % 500 == 499) { /* a boot, and the daemon starts anew */
                history_db_close(db);
                db = place_open(&p, w.wall_us);
                world_reboot(&w);
            }
            world_live(&w, 90 * SECOND_US);
            world_look(&w);
            assert_int_equal(world_put(&w, db, i % 500 == 499), 0);
        }
        judge_sees_the_same(&w, db);
        same_are_down(&w, db);
        history_db_close(db);
        place_done(&p);
        world_done(&w);
    }
}

/* A whole look, or the same one again, changes nothing. */
static void again_changes_nothing(void **state)
{
    struct place p = place_new();
    struct world w = world_new(7);
    struct history_db *db = place_open(&p, w.wall_us);
    struct history_answer a, b;
    struct query_record q = { "pci-0000:01:00.0-phy-00", 0, 100 };

    (void)state;
    w.links[0].moved = 5;
    world_look(&w);
    assert_int_equal(world_put(&w, db, true), 0);
    w.wall_us += MINUTE_US;
    w.mono_us += MINUTE_US;
    w.links[0].moved = 105;
    w.links[0].speed = 1;
    world_look(&w);
    assert_int_equal(world_put(&w, db, false), 0);
    assert_int_equal(history_db_query(db, &q, &a), 0);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(world_put(&w, db, i == 1), 0);
        w.wall_us += MINUTE_US;
        w.mono_us += MINUTE_US;
        world_look(&w);
        assert_int_equal(world_put(&w, db, i == 1), 0);
    }
    assert_int_equal(history_db_query(db, &q, &b), 0);
    assert_int_equal(a.changes.n, 2);
    assert_int_equal(b.changes.n, 2);
    assert_int_equal(a.changes.v[0].kb_per_s, 600000);
    assert_int_equal(a.changes.v[0].until_us, a.changes.v[1].since_us);
    assert_int_equal(a.changes.v[1].kb_per_s, 150000);
    assert_int_equal(b.changes.v[1].until_us, 0);
    assert_int_equal(b.growths.n, a.growths.n);
    assert_int_equal(b.growths.v[b.growths.n - 1].grown, 100);
    history_answer_done(&a);
    history_answer_done(&b);
    history_db_close(db);
    place_done(&p);
    world_done(&w);
}

/* A boot gives everything new names and counts from 0: one life, and growth that nobody knows is not made up. */
static void boots_and_renames(void **state)
{
    struct place p = place_new();
    struct world w = world_new(3);
    struct history_db *db = place_open(&p, w.wall_us);
    struct history_answer a;
    uint64_t begin = w.wall_us;

    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        if (i == 3)
            world_reboot(&w);
        w.wall_us += MINUTE_US;
        w.mono_us += MINUTE_US;
        w.links[0].errors += 10;
        world_look(&w);
        assert_int_equal(world_put(&w, db, i == 3), 0);
    }
    assert_int_equal(
        history_db_query(db, &(struct query_record){ "pci-0000:01:00.0-phy-00", 0, 100 }, &a), 0);
    assert_int_equal(a.changes.n, 1);
    assert_int_equal(a.changes.v[0].since_us, begin + MINUTE_US);
    assert_string_equal(a.changes.v[0].kernel_name, "phy-1:0");
    for (size_t i = 0, errors = 0; i < a.growths.n; i++) {
        const struct history_growth *g = &a.growths.v[i];

        if (strcmp(g->name, "errors") != 0)
            continue;
        assert_int_equal(g->is_unknown, errors == 0 || errors == 3);
        assert_int_equal(g->grown, g->is_unknown ? 0 : 10);
        errors++;
    }
    history_answer_done(&a);
    history_db_close(db);
    place_done(&p);
    world_done(&w);
}

/* An adapter is not read for an hour: what grew meanwhile grew in all of it, and not in the minute in which it was read again. */
static void not_read_for_a_while(void **state)
{
    struct place p = place_new();
    struct world w = world_new(3);
    struct history_db *db = place_open(&p, w.wall_us);
    struct history_growth last = { 0 };
    struct history_answer a;
    uint64_t begin = w.wall_us;

    (void)state;
    for (unsigned i = 0; i < 60; i++) {
        w.links[0].errors = i == 59 ? 600 : 7;
        world_look(&w);
        ((struct past *)(uintptr_t)w.truth->snapshots.v[i].hosts[0])->is_unread = i > 0 && i < 59;
        assert_int_equal(world_put(&w, db, i == 0), 0);
        w.wall_us += MINUTE_US;
        w.mono_us += MINUTE_US;
    }
    assert_int_equal(
        history_db_query(db, &(struct query_record){ "pci-0000:01:00.0-phy-00", 0, 100 }, &a), 0);
    for (size_t i = 0; i < a.growths.n; i++)
        if (strcmp(a.growths.v[i].name, "errors") == 0)
            last = a.growths.v[i];
    assert_int_equal(last.grown, 593);
    assert_int_equal(last.from_us, begin);
    assert_int_equal(last.at_us, begin + 59 * MINUTE_US);
    history_answer_done(&a);
    history_db_close(db);
    place_done(&p);
    world_done(&w);
}

/* The clock goes back an hour and forth again: nothing is lost, nothing is out of order. */
static void clock_is_stepped(void **state)
{
    struct place p = place_new();
    struct world w = world_new(5);
    struct history_db *db = place_open(&p, w.wall_us);
    struct history_answer a;
    struct history *past;

    (void)state;
    for (unsigned i = 0; i < 90; i++) {
        if (i == 30)
            w.wall_us -= HOUR_US;
        if (i == 60)
            w.wall_us += HOUR_US;
        w.wall_us += MINUTE_US;
        w.mono_us += MINUTE_US;
        w.links[0].speed = i % 2;
        w.links[0].errors += 1;
        world_look(&w);
        assert_int_equal(world_put(&w, db, i == 0), 0);
        if (i % 30 == 29) { /* what is later than now is no past */
            past = past_of(db, w.wall_us);
            for (size_t k = 0; k < past->snapshots.n; k++) {
                assert_true(past->snapshots.v[k].wall_us <= w.wall_us);
                assert_same(truth_at(&w, past->snapshots.v[k].wall_us), &past->snapshots.v[k],
                            true);
            }
            history_free(past);
        }
    }
    assert_int_equal(
        history_db_query(db, &(struct query_record){ "pci-0000:01:00.0-phy-00", 0, 1000 }, &a), 0);
    assert_int_equal(a.changes.n, 90);
    for (size_t i = 0; i < 90; i++) {
        assert_int_equal(a.changes.v[i].kb_per_s, i % 2 ? 150000 : 75000);
        assert_true(!a.changes.v[i].until_us || a.changes.v[i].until_us >= a.changes.v[i].since_us);
    }
    for (size_t i = 0, errors = 0; i < a.growths.n; i++)
        if (strcmp(a.growths.v[i].name, "errors") == 0)
            assert_int_equal(a.growths.v[i].value, ++errors);
    history_answer_done(&a);
    history_db_close(db);
    place_done(&p);
    world_done(&w);
}

static struct record finding(const char *key, uint64_t since, enum finding_life life)
{
    struct record r = { .kind = RECORD_FINDING };

    r.finding = (struct finding_record){ .key = key,
                                         .since_us = since,
                                         .code = "rate-below-expected",
                                         .severity = SEVERITY_WARNING,
                                         .life = life,
                                         .changed_us = since + (uint64_t)life,
                                         .until_us = life == FINDING_CLEARED ? since + 100 : 0,
                                         .summary = "it is \"slow\" \xc3\xa4" };
    assert_int_equal(vec_push(&r.finding.subjects, "link-1"), 0);
    assert_int_equal(vec_push(&r.finding.subjects, "link-2"), 0);
    assert_int_equal(vec_push(&r.finding.names, "sda"), 0);
    return r;
}

static void put(struct history_db *db, struct record record)
{
    assert_int_equal(history_db_append(db, &record, 1), 0);
    record_done(&record);
}

static void findings_and_who_knows(void **state)
{
    struct place p = place_new();
    struct history_db *db = place_open(&p, DAY_US);
    struct history_start start;
    struct history_answer a;

    (void)state;
    put(db, finding("a", 10, FINDING_NEW));
    put(db, finding("a", 10, FINDING_CONFIRMED));
    put(db, finding("b", 20, FINDING_CONFIRMED));
    put(db, finding("b", 20, FINDING_CLEARED));
    put(db, finding("b", 500, FINDING_NEW)); /* it came back */
    put(db, (struct record){ .kind = RECORD_ACKNOWLEDGE,
                             .acknowledge = { "a", "planned", "root", 11, 300 } });
    put(db, (struct record){ .kind = RECORD_ACKNOWLEDGE,
                             .acknowledge = { "b", "known", "root", 12, 0 } });
    put(db,
        (struct record){ .kind = RECORD_ACKNOWLEDGE, .acknowledge = { "c", "why", NULL, 13, 0 } });
    put(db,
        (struct record){ .kind = RECORD_ACKNOWLEDGE, .acknowledge = { "c", NULL, NULL, 0, 0 } });
    history_db_close(db);
    db = place_open(&p, DAY_US);
    assert_int_equal(history_db_start(db, 299, &start), 0);
    assert_int_equal(start.findings.n, 2);
    assert_string_equal(start.findings.v[0].key, "a");
    assert_int_equal(start.findings.v[0].life, FINDING_CONFIRMED);
    assert_int_equal(start.findings.v[0].changed_us, 11);
    assert_int_equal(start.findings.v[0].severity, SEVERITY_WARNING);
    assert_string_equal(start.findings.v[0].summary, "it is \"slow\" \xc3\xa4");
    assert_int_equal(start.findings.v[0].subjects.n, 2);
    assert_string_equal(start.findings.v[0].subjects.v[1], "link-2");
    assert_int_equal(start.findings.v[1].since_us, 500);
    assert_int_equal(start.acknowledgements.n, 2);
    assert_string_equal(start.acknowledgements.v[0].reason, "planned");
    history_start_done(&start);
    assert_int_equal(history_db_start(db, 300, &start), 0); /* it has expired */
    assert_int_equal(start.acknowledgements.n, 1);
    assert_string_equal(start.acknowledgements.v[0].key, "b");
    history_start_done(&start);
    assert_int_equal(history_db_query(db, &(struct query_record){ "link-2", 0, 10 }, &a), 0);
    assert_int_equal(a.findings.n, 3);
    assert_int_equal(a.acknowledgements.n, 2);
    assert_false(a.is_cut);
    history_answer_done(&a);
    assert_int_equal(history_db_query(db, &(struct query_record){ "link-2", 121, 10 }, &a), 0);
    assert_int_equal(a.findings.n, 2); /* the cleared one is older */
    history_answer_done(&a);
    assert_int_equal(history_db_query(db, &(struct query_record){ "link-2", 0, 2 }, &a), 0);
    assert_true(a.is_cut);
    history_answer_done(&a);
    assert_int_equal(history_db_query(db, &(struct query_record){ "nobody", 0, 2 }, &a), 0);
    assert_int_equal(a.changes.n + a.findings.n + a.growths.n + a.probes.n, 0);
    history_answer_done(&a);
    history_db_close(db);
    place_done(&p);
}

/* Probes come back with the looks near them, the best of all time with the first. */
static void probes(void **state)
{
    struct place p = place_new();
    struct world w = world_new(9);
    struct history_db *db = place_open(&p, w.wall_us);
    struct history_answer a;
    struct history *past;
    size_t n;

    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        w.wall_us += 6 * HOUR_US;
        w.mono_us += 6 * HOUR_US;
        w.links[1].speed = i & 1;
        world_look(&w);
        assert_int_equal(world_put(&w, db, i == 0), 0);
        for (unsigned k = 0; k < 2; k++) /* the second time is the same one */
            put(db, (struct record){ .kind = RECORD_MEASURE,
                                     .measure = { w.wall_us, "device", "read-media", 65536,
                                                  i == 20 ? 999 : 100 + i,
                                                  i == 20   ? 50
                                                  : i == 30 ? 0
                                                            : 500 + i } });
    }
    assert_int_equal(history_db_query(db, &(struct query_record){ "device", 0, 1000 }, &a), 0);
    assert_int_equal(a.probes.n, 100);
    assert_int_equal(a.probes.v[99].kb_per_s, 199);
    assert_int_equal(a.probes.v[99].median_us, 599);
    assert_int_equal(a.probes.v[99].most_median_us, 599);
    assert_int_equal(a.probes.v[30].median_us, 0);
    history_answer_done(&a);
    past = past_of(db, w.wall_us);
    for (size_t i = 0, seen = 0; i < past->snapshots.n; i++) {
        const struct past_measure *m = snapshot_measures(&past->snapshots.v[i], "device", &n);

        seen += m && m->kb_per_s == 999 && m->median_us == 50;
        if (i + 1 == past->snapshots.n) {
            assert_int_equal(seen, 1);
            assert_int_equal(n, 1);
            assert_int_equal(m->kb_per_s, 199);
        }
    }
    history_free(past);
    history_db_close(db);
    place_done(&p);
    world_done(&w);
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(looks_and_back),
        cmocka_unit_test(not_records),
        cmocka_unit_test(the_past_as_it_was),
        cmocka_unit_test(again_changes_nothing),
        cmocka_unit_test(boots_and_renames),
        cmocka_unit_test(clock_is_stepped),
        cmocka_unit_test(not_read_for_a_while),
        cmocka_unit_test(findings_and_who_knows),
        cmocka_unit_test(probes),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
