/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rounds, events and quarantine over days, in no time.
 */
#include "../cmocka_all.h"

#include <string.h>

#include "base/cleanup.h"
#include "schedule/schedule.h"

#define S   UINT64_C(1000000)
#define MIN (60 * S)

static const struct schedule_times TIMES = { 15 * MIN, 2 * S, MIN, 7 * S };

/* What is started now: "ab" for the first two slots. */
static const char *started(struct schedule *s, struct schedule_slot *slots, uint64_t now_us)
{
    static char text[32];
    struct schedule_slot *slot;
    size_t n = 0;

    while ((slot = schedule_next(s, now_us)))
        text[n++] = (char)('a' + (slot - slots));
    text[n] = '\0';
    return text;
}

static void test_rounds(void **state)
{
    struct schedule s = schedule(&TIMES, 100 * S);
    struct schedule_slot slots[2];

    (void)state;
    assert_int_equal(schedule_wake(&s), 100 * S);
    assert_true(schedule_round(&s, 100 * S));
    assert_false(schedule_round(&s, 100 * S));
    assert_true(schedule_round_is_complete(&s)); /* of nothing */
    assert_int_equal(schedule_add(&s, &slots[0], 100 * S), 0);
    assert_int_equal(schedule_add(&s, &slots[1], 101 * S), 0);
    assert_false(schedule_round_is_complete(&s));
    assert_string_equal(started(&s, slots, 100 * S), "a");
    assert_string_equal(started(&s, slots, 101 * S), "b");
    assert_false(schedule_round_is_over(&s, 1));
    assert_string_equal(started(&s, slots, 102 * S), "");
    schedule_ended(&s, &slots[0], false, 103 * S);
    assert_false(schedule_round_is_complete(&s));
    schedule_ended(&s, &slots[1], false, 103 * S);
    assert_true(schedule_round_is_complete(&s));
    assert_true(schedule_round_is_over(&s, 1));
    assert_false(schedule_round_is_over(&s, 2));
    /* Rounds fall on multiples of the interval, at this machine's own phase, however long anything takes. */
    assert_int_equal(schedule_wake(&s), 15 * MIN + 7 * S);
    assert_false(schedule_round(&s, 15 * MIN + 7 * S - 1));
    assert_true(schedule_round(&s, 15 * MIN + 9 * S));
    assert_string_equal(started(&s, slots, 15 * MIN + 9 * S), "ab");
    assert_int_equal(s.next_round_us, 30 * MIN + 7 * S);
    /* One that is missed is not made up for twice. */
    schedule_ended(&s, &slots[0], false, 20 * MIN);
    assert_true(schedule_round(&s, 100 * MIN));
    assert_string_equal(started(&s, slots, 100 * MIN),
                        "a"); /* b is at it still, and comes when it can */
    schedule_ended(&s, &slots[1], false, 101 * MIN);
    assert_string_equal(started(&s, slots, 101 * MIN), "b");
    assert_true(schedule_round_is_over(&s, 2)); /* both are at the third */
    assert_false(schedule_round_is_over(&s, 3));
    schedule_remove(&s, &slots[0]);
    schedule_ended(&s, &slots[1], false, 102 * MIN);
    assert_true(schedule_round_is_complete(&s));
    assert_int_equal(s.running, 0);
    schedule_done(&s);
}

static void test_at_once(void **state)
{
    struct schedule s = schedule(&TIMES, 0);
    struct schedule_slot slots[SCHEDULE_AT_ONCE + 2];

    (void)state;
    schedule_round(&s, 0);
    for (size_t i = 0; i < ELEMENTS(slots); i++)
        assert_int_equal(schedule_add(&s, &slots[i], i), 0);
    assert_string_equal(started(&s, slots, S), "abcdefgh");
    assert_int_equal(schedule_wake(&s), s.next_round_us); /* only an end makes room */
    schedule_ended(&s, &slots[3], false, 2 * S);
    assert_int_equal(schedule_wake(&s), SCHEDULE_AT_ONCE);
    assert_string_equal(started(&s, slots, 2 * S), "i");
    schedule_done(&s);
}

/* Many events are one look, a little after the last; a storm that does not end is looked at all the same. */
static void test_events(void **state)
{
    struct schedule s = schedule(&TIMES, 0);
    struct schedule_slot slots[1];
    uint64_t now = 100 * S, looks = 0;

    (void)state;
    schedule_round(&s, 8 * S);
    schedule_add(&s, &slots[0], 0);
    started(&s, slots, 0);
    schedule_event(&s, &slots[0], S); /* while it runs */
    assert_string_equal(started(&s, slots, 3 * S), "");
    schedule_ended(&s, &slots[0], false, 5 * S);
    assert_string_equal(started(&s, slots, 5 * S), "a");
    schedule_ended(&s, &slots[0], false, 6 * S);
    for (unsigned i = 0; i < 1000; i++)
        schedule_event(&s, &slots[0], now + i);
    assert_int_equal(schedule_wake(&s), now + 999 + 2 * S);
    assert_string_equal(started(&s, slots, now + 999 + 2 * S), "a");
    schedule_ended(&s, &slots[0], false, now + 3 * S);
    assert_int_equal(schedule_wake(&s), s.next_round_us);
    for (uint64_t t = 200 * S; t < 300 * S; t += S) {
        schedule_event(&s, &slots[0], t);
        if (*started(&s, slots, t)) {
            looks++;
            schedule_ended(&s, &slots[0], false, t);
        }
    }
    assert_in_range(looks, 4, 5); /* every twenty seconds */
    schedule_done(&s);
}

/* A device hangs for a day: its adapter is looked at every round, its devices are not asked; then they are, at once. */
static void test_device_hangs(void **state)
{
    struct schedule s = schedule(&TIMES, 0);
    struct schedule_slot slots[1];
    uint64_t now;

    (void)state;
    schedule_round(&s, 0);
    schedule_add(&s, &slots[0], 0);
    started(&s, slots, 0);
    schedule_hold(&slots[0], false);
    schedule_ended(&s, &slots[0], true, 20 * S);
    for (now = 15 * MIN + 7 * S; now < 24 * 60 * MIN; now += 15 * MIN) {
        assert_true(schedule_round(&s, now));
        assert_string_equal(started(&s, slots, now), "a");
        assert_false(schedule_may_ask(&slots[0], now));
        schedule_ended(&s, &slots[0], false, now + S);
        assert_int_equal(slots[0].times_stuck, 1);
    }
    now -= 5 * MIN;
    schedule_release(&slots[0], false, now);
    assert_string_equal(started(&s, slots, now), "a");
    assert_true(schedule_may_ask(&slots[0], now));
    schedule_ended(&s, &slots[0], false, now);
    assert_int_equal(slots[0].times_stuck, 0);
    schedule_done(&s);
}

/* One that answers late, again and again, is asked more and more rarely. */
static void test_backs_off(void **state)
{
    static const uint64_t MINUTES[] = { 1, 2, 4, 8, 16, 32, 60, 60 };
    struct schedule s = schedule(&(struct schedule_times){ 10000 * MIN, 2 * S, MIN, 0 }, 0);
    struct schedule_slot slots[1];
    uint64_t now = 0;

    (void)state;
    schedule_round(&s, 0);
    schedule_add(&s, &slots[0], 0);
    for (size_t i = 0; i < ELEMENTS(MINUTES); i++) {
        assert_string_equal(started(&s, slots, now), "a");
        assert_true(schedule_may_ask(&slots[0], now));
        schedule_hold(&slots[0], false);
        schedule_ended(&s, &slots[0], true, now);
        schedule_release(&slots[0], false, now + 10 * S); /* it was alive after all */
        assert_int_equal(schedule_wake(&s), now + MINUTES[i] * MIN);
        now += MINUTES[i] * MIN;
    }
    schedule_done(&s);
}

/* Where the adapter itself hangs, no second collector is sent after the first. */
static void test_adapter_hangs(void **state)
{
    struct schedule s = schedule(&TIMES, 0);
    struct schedule_slot slots[2];
    uint64_t now = 15 * MIN + 7 * S;

    (void)state;
    schedule_round(&s, 0);
    schedule_add(&s, &slots[0], 0);
    schedule_add(&s, &slots[1], 0);
    started(&s, slots, 0);
    schedule_ended(&s, &slots[1], false, S);
    schedule_hold(&slots[0], true);
    schedule_ended(&s, &slots[0], true, 20 * S);
    assert_true(schedule_round(&s, now));
    assert_string_equal(started(&s, slots, now), "b"); /* the other one is not delayed */
    schedule_ended(&s, &slots[1], false, now);
    schedule_event(&s, &slots[0], now);
    assert_string_equal(started(&s, slots, now + MIN), "");
    assert_int_equal(schedule_wake(&s), s.next_round_us);
    assert_false(schedule_round_is_complete(&s));
    assert_true(schedule_round_is_over(&s, 2));
    schedule_release(&slots[0], true, now + MIN);
    assert_string_equal(started(&s, slots, now + MIN), "a");
    schedule_done(&s);
}

static void test_new_times(void **state)
{
    struct schedule s = schedule(&TIMES, 0);
    const struct schedule_times faster = { 250000, 1000, 1000, 0 };

    (void)state;
    schedule_set_times(&s, &faster, 0);
    assert_int_equal(schedule_wake(&s), 0); /* the first round stays due */
    assert_true(schedule_round(&s, 0));
    assert_int_equal(schedule_wake(&s), 250000);
    schedule_set_times(&s, &TIMES, 0);
    assert_int_equal(schedule_wake(&s), 7 * S);
    schedule_done(&s);
}

/* A machine that has just been booted does not wait for its second round longer than for any other. */
static void test_first_rounds(void **state)
{
    const struct schedule_times daily = { 1440 * MIN, 2 * S, MIN, 1000 * MIN };
    struct schedule s = schedule(&daily, MIN);

    (void)state;
    assert_true(schedule_round(&s, MIN));
    assert_int_equal(schedule_wake(&s), 1000 * MIN);
    assert_true(schedule_round(&s, 1000 * MIN));
    assert_int_equal(schedule_wake(&s), 2440 * MIN);
    schedule_done(&s);
}

/* Somebody else hangs at it: it is left alone as if its own collector did. */
static void test_others_hang(void **state)
{
    struct schedule s = schedule(&TIMES, 0);
    struct schedule_slot slots[1];

    (void)state;
    schedule_round(&s, 0);
    schedule_add(&s, &slots[0], 0);
    started(&s, slots, 0);
    schedule_ended(&s, &slots[0], false, S);
    schedule_hold(&slots[0], true);
    schedule_stuck(&s, &slots[0], 10 * S);
    schedule_at(&slots[0], 12 * S);
    assert_string_equal(started(&s, slots, 5 * MIN), "");
    schedule_release(&slots[0], true, 11 * S); /* answers at once: it waits all the same */
    assert_string_equal(started(&s, slots, 12 * S), "a");
    assert_false(schedule_may_ask(&slots[0], 12 * S));
    schedule_ended(&s, &slots[0], false, 13 * S);
    schedule_at(&slots[0], 20 * S);
    schedule_at(&slots[0], 30 * S); /* at the latest */
    assert_string_equal(started(&s, slots, 19 * S), "");
    assert_string_equal(started(&s, slots, 20 * S), "a");
    schedule_done(&s);
}

/* The books are kept: whatever is due was begun or waits, whatever runs is looked after. */
static void test_behind(void **state)
{
    struct schedule s = schedule(&TIMES, 100 * S);
    struct schedule_slot slots[SCHEDULE_AT_ONCE + 1];
    uint64_t t = 100 * S;

    (void)state;
    assert_null(schedule_behind(&s, t, S));
    assert_null(schedule_behind(&s, t + S, S));
    assert_string_equal(schedule_behind(&s, t + S + 1, S), "a round is due, and was not begun");
    assert_true(schedule_round(&s, t));
    for (size_t i = 0; i < SCHEDULE_AT_ONCE + 1; i++)
        assert_int_equal(schedule_add(&s, &slots[i], t), 0);
    assert_null(schedule_behind(&s, t + S, S));
    assert_string_equal(schedule_behind(&s, t + 2 * S, S), "an adapter is due, and is not read");
    /* All places are taken: one waits for its turn. */
    assert_int_equal(strlen(started(&s, slots, t)), SCHEDULE_AT_ONCE);
    assert_null(schedule_behind(&s, t + 5 * MIN, S));
    /* One of those that run is looked at again in 20 s, and then in 40; and then nobody does. */
    slots[3].until_us = t + 20 * S;
    assert_null(schedule_behind(&s, t + 21 * S, S));
    assert_string_equal(schedule_behind(&s, t + 22 * S, S), "nobody looks after a collector");
    slots[3].until_us = t + 40 * S;
    assert_null(schedule_behind(&s, t + 22 * S, S));
    /* Where one ends, the one that waits is to be begun. */
    schedule_ended(&s, &slots[3], false, t + 23 * S);
    assert_string_equal(schedule_behind(&s, t + 25 * S, S), "an adapter is due, and is not read");
    assert_string_equal(started(&s, slots, t + 25 * S), "i");
    assert_null(schedule_behind(&s, t + 25 * S, S));
    /* One that hangs is in the books, however long. */
    schedule_hold(&slots[0], true);
    schedule_ended(&s, &slots[0], true, t + 30 * S);
    slots[0].due_us = t + 31 * S;
    assert_null(schedule_behind(&s, t + 10 * MIN, S));
    s.running--;
    assert_string_equal(schedule_behind(&s, t + 10 * MIN, S),
                        "collectors are not counted as they are");
    schedule_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds),      cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_events),      cmocka_unit_test(test_device_hangs),
        cmocka_unit_test(test_backs_off),   cmocka_unit_test(test_adapter_hangs),
        cmocka_unit_test(test_new_times),   cmocka_unit_test(test_first_rounds),
        cmocka_unit_test(test_others_hang), cmocka_unit_test(test_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
