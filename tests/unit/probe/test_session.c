/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One probe of one device, over a source that counts as the kernel does: what is sent when, and who ends it.
 */
#include "../model_machine.h"

#include <errno.h>
#include <stdio.h>

#include "probe/session.h"

enum { BLOCK = 65536 };

/* What sysfs would say of two disks, and what happens while one of them is probed. */
struct rig {
    struct source source; /* first: its address is the rig's */
    struct machine k;
    struct device *disk, *neighbour;
    struct plan plan;
    struct command_target target;
    struct config config;
    char text[4][32];
    unsigned n_texts;
    unsigned requests[2]; /* iorequest_cnt, iodone_cnt of both */
    unsigned in_flight;
    const char *host_state;
    bool has_no_counts;
    /* Happens: */
    unsigned others_while_waiting, others_in_burst; /* commands of the neighbour */
    unsigned own_others_in_burst; /* of somebody else to the same disk, in that burst */
    int burst_number, error_in_burst, only_cached;
    const char *stop_host_in_burst;
    unsigned beside; /* commands that a burst sends besides */
    const uint8_t *sense;
    /* Seen: */
    unsigned waits, bursts, senses, told;
    uint64_t bytes_asked[64];
    const char *methods[64];
};

static struct rig *rig_of(struct source *s)
{
    return (struct rig *)(void *)s;
}

static int say(struct rig *r, struct value *ret, const char *before, const char *after)
{
    char *text = r->text[r->n_texts++ % 4];

    snprintf(text, 32, "%s%s\n", before, after);
    *ret = (struct value){ .bytes = { (const uint8_t *)text, strlen(text) } };
    return 0;
}

static int fake_read(struct source *s, const char *path, size_t limit, struct value *ret)
{
    struct rig *r = rig_of(s);
    bool is_first = strncmp(path, "0:0:0:0/", 8) == 0;
    const char *file = strrchr(path, '/') + 1;
    char number[16];

    (void)limit;
    *ret = (struct value){ .error = ENOENT };
    if (strcmp(path, "host0/scsi_host/host0/state") == 0)
        return say(r, ret, r->host_state, "");
    if (strcmp(file, "state") == 0)
        return say(r, ret, "running", "");
    if (strcmp(file, "iorequest_cnt") == 0 || strcmp(file, "iodone_cnt") == 0) {
        snprintf(number, sizeof(number), "%x", r->requests[!is_first]);
        return r->has_no_counts ? 0 : say(r, ret, "0x", number);
    }
    snprintf(number, sizeof(number), "%u", is_first ? r->in_flight : 0);
    return strcmp(file, "inflight") == 0 ? say(r, ret, "0 ", number) : 0;
}

static int fake_command(struct source *s, const struct command_target *target,
                        const struct command *command, struct answer *ret)
{
    struct rig *r = rig_of(s);

    assert_string_equal(target->hctl, "0:0:0:0");
    assert_int_equal(command->cdb[0], OP_REQUEST_SENSE);
    r->senses++;
    r->requests[0]++;
    *ret = (struct answer){ .data = { r->sense, 18 } };
    return 0;
}

static void fake_wait(void *userdata, uint64_t us)
{
    struct rig *r = userdata;

    assert_int_equal(us, SESSION_QUIET_US);
    r->waits++;
    r->requests[1] += r->others_while_waiting;
}

static int fake_sent(void *userdata, const struct command *command, const struct answer *answer)
{
    struct rig *r = userdata;

    assert_int_equal(command->cdb[0], OP_REQUEST_SENSE);
    assert_ptr_equal(answer->data.data, r->sense);
    r->told++;
    return 0;
}

static int fake_burst(void *userdata, const struct measure_request *request,
                      struct measurement *ret)
{
    struct rig *r = userdata;
    uint64_t n = request->total_bytes / BLOCK;
    bool is_that = (int)r->bursts == r->burst_number;

    assert_string_equal(request->hctl, "0:0:0:0");
    assert_true(request->total_bytes <= SESSION_BURST_BYTES);
    r->methods[r->bursts] = request->method;
    r->bytes_asked[r->bursts++] = request->total_bytes;
    *ret = (struct measurement){
        .hctl = request->hctl, .method = request->method, .block_bytes = BLOCK, .depth = 1
    };
    if (r->only_cached && strcmp(request->method, "read-cached/sg") != 0) {
        ret->error = EOPNOTSUPP;
        r->requests[0]++;
        return 0;
    }
    if (is_that && r->error_in_burst) {
        ret->error = r->error_in_burst;
        ret->disturbed = "the device failed";
        n = 1;
    }
    ret->commands = n;
    ret->bytes = n * BLOCK;
    ret->us = n * 100;
    ret->cpu_us = n * 10;
    ret->min_us = 90 + r->bursts;
    ret->median_us = 100;
    ret->p95_us = ret->p99_us = ret->max_us = 110 + r->bursts;
    r->requests[0] += (unsigned)n + r->beside + (is_that ? r->own_others_in_burst : 0);
    r->requests[1] += is_that ? r->others_in_burst : 0;
    if (is_that && r->stop_host_in_burst)
        r->host_state = r->stop_host_in_burst;
    return 0;
}

static const struct session_ops OPS = { fake_burst, fake_wait, fake_sent };
static const struct source_ops SOURCE_OPS = { .read = fake_read, .command = fake_command };
static const uint8_t AWAKE[18] = { 0x70, 0, 0x00, [7] = 10 };
/* LOW POWER CONDITION ON, SPC-4 table D.1 */
static const uint8_t ASLEEP[18] = { 0x70, 0, 0x00, [7] = 10, [12] = 0x5e };

static void add_disk(struct rig *r, struct device **ret, struct host *h, const char *hctl)
{
    *ret = disk(&r->k, h, wire(&r->k, h, text(&r->k, "phy-", hctl), 1, MB(600)), hctl);
    (*ret)->link->up = h->slot;
    put(&r->k, (*ret)->subject, &KEY_DEVICE_TYPE, 0, NULL);
    put(&r->k, (*ret)->subject, &KEY_SCSI_LEVEL, 6, NULL);
}

static void begin(struct rig *r)
{
    struct host *h;
    struct plan_options options = { 0 };

    *r = (struct rig){ .source = { &SOURCE_OPS, false },
                       .k = machine_new(),
                       .requests = { 0xfffffff8, 100 },
                       .host_state = "running",
                       .burst_number = -1,
                       .beside = 1,
                       .sense = AWAKE };
    assert_int_equal(config_init(&r->config), 0);
    h = host(&r->k, "host0", "0000:01:00.0");
    h->slot = wire(&r->k, h, "slot", 8, MB(985));
    add_disk(r, &r->disk, h, "0:0:0:0");
    add_disk(r, &r->neighbour, h, "0:0:1:0");
    options.config = &r->config;
    assert_int_equal(plan_make(r->k.model->arena, r->k.model, &options, &r->plan), 0);
    assert_null(r->plan.v[0].refused);
    assert_int_equal(r->plan.v[0].n_watch, 2);
    put(&r->k, r->disk->subject, &KEY_NODE, 0, "sda");
    ((struct fact *)&r->disk->subject->facts[r->disk->subject->n_facts - 1])->origin = "block";
    r->target = (struct command_target){ .hctl = "0:0:0:0", .scsi_level = 6 };
}

static void end(struct rig *r)
{
    config_done(&r->config);
    machine_done(&r->k);
}

static struct measurement probe(struct rig *r, bool forced)
{
    struct session s = { &r->source, &r->target, forced, &OPS, r };
    struct measurement m;

    assert_int_equal(session_probe(r->k.model->arena, &s, &r->plan.v[0], &m), 0);
    assert_string_equal(m.hctl, "0:0:0:0");
    return m;
}

/* Four MiB in bursts of one, one read before them; all own commands are known as such, also over 32 bits. */
static void quiet(void **state)
{
    struct rig r;
    struct measurement m;

    (void)state;
    begin(&r);
    m = probe(&r, false);
    assert_int_equal(m.error, 0);
    assert_null(m.disturbed);
    assert_string_equal(m.method, "read-buffer/sg");
    assert_int_equal(m.bytes, 4 << 20);
    assert_int_equal(m.commands, 64);
    assert_int_equal(m.us, 6400);
    assert_int_equal(m.cpu_us, 640);
    assert_int_equal(m.median_us, 100);
    assert_int_equal(m.min_us, 92); /* of the first that counts */
    assert_int_equal(m.max_us, 115);
    assert_int_equal(r.bursts, 5);
    assert_int_equal(r.bytes_asked[0], BLOCK);
    assert_int_equal(r.waits, 1);
    assert_int_equal(r.senses, 1);
    assert_int_equal(r.told, 1);
    assert_int_equal(m.beside, 1);
    end(&r);
}

static void busy_before(void **state)
{
    struct rig r;
    struct measurement m;

    (void)state;
    begin(&r);
    r.others_while_waiting = 3;
    m = probe(&r, false);
    assert_int_equal(m.error, EBUSY);
    assert_string_equal(m.disturbed, "3 commands of 0:0:1:0 came between");
    assert_int_equal(r.bursts + r.senses, 0); /* nothing was sent */
    end(&r);
    begin(&r);
    r.in_flight = 2;
    m = probe(&r, false);
    assert_int_equal(m.error, EBUSY);
    assert_string_equal(m.disturbed, "2 requests of 0:0:0:0 are under way");
    assert_int_equal(r.bursts + r.senses, 0);
    end(&r);
    begin(&r);
    r.host_state = "recovery";
    assert_int_equal(probe(&r, false).error, EBUSY);
    assert_int_equal(r.bursts + r.senses, 0);
    end(&r);
    begin(&r);
    r.has_no_counts = true;
    m = probe(&r, false);
    assert_string_equal(m.disturbed, "it cannot be told whether 0:0:0:0 is used");
    end(&r);
}

/* Somebody comes: it stops there, and what was read does not count. */
static void somebody_comes(void **state)
{
    struct rig r;
    struct measurement m;

    (void)state;
    begin(&r);
    r.burst_number = 2;
    r.others_in_burst = 1;
    m = probe(&r, false);
    assert_int_equal(m.error, 0);
    assert_string_equal(m.disturbed, "1 command of 0:0:1:0 came between");
    assert_int_equal(r.bursts, 3);
    assert_int_equal(m.bytes, 2 << 20);
    end(&r);
    begin(&r);
    r.burst_number = 1;
    r.own_others_in_burst = 5;
    m = probe(&r, false);
    assert_string_equal(m.disturbed, "5 commands of 0:0:0:0 came between");
    assert_int_equal(r.bursts, 2);
    end(&r);
    begin(&r);
    r.burst_number = 1;
    r.stop_host_in_burst = "recovery";
    m = probe(&r, false);
    assert_string_equal(m.disturbed, "the host of 0:0:0:0 is not running");
    assert_int_equal(r.bursts, 2);
    end(&r);
}

/* Forced: it goes on beside others, and says so. */
static void forced(void **state)
{
    struct rig r;
    struct measurement m;

    (void)state;
    begin(&r);
    r.others_while_waiting = 3;
    r.burst_number = 2;
    r.others_in_burst = 1;
    r.sense = ASLEEP;
    r.plan.v[0].is_named = true;
    m = probe(&r, true);
    assert_int_equal(m.error, 0);
    assert_string_equal(m.disturbed, "1 command of 0:0:1:0 came between");
    assert_int_equal(m.bytes, 4 << 20);
    end(&r);
}

/* What force is not for: what sleeps and was not named, and what is in error recovery. */
static void forced_in_vain(void **state)
{
    struct rig r;
    struct measurement m;

    (void)state;
    begin(&r);
    r.sense = ASLEEP;
    m = probe(&r, true);
    assert_int_equal(m.error, EPERM);
    assert_string_equal(m.disturbed, "it sleeps, and a read would wake it");
    assert_int_equal(r.bursts, 0);
    end(&r);
    begin(&r);
    r.host_state = "recovery";
    r.plan.v[0].is_named = true;
    m = probe(&r, true);
    assert_int_equal(m.error, EBUSY);
    assert_string_equal(m.disturbed, "the host of 0:0:0:0 is not running");
    assert_int_equal(r.bursts + r.senses, 0);
    end(&r);
    begin(&r);
    r.burst_number = 1;
    r.stop_host_in_burst = "recovery";
    m = probe(&r, true);
    assert_string_equal(m.disturbed, "the host of 0:0:0:0 is not running");
    assert_int_equal(r.bursts, 2);
    end(&r);
}

/* What is sent besides the reads is found out by the read that does not count; what comes to that later is not ours. */
static void beside(void **state)
{
    struct rig r;
    struct measurement m;

    (void)state;
    begin(&r);
    r.burst_number = 0; /* a unit attention, or somebody else */
    r.own_others_in_burst = 2;
    m = probe(&r, false);
    assert_null(m.disturbed);
    end(&r);
    begin(&r);
    r.burst_number = 1;
    r.own_others_in_burst = 1;
    m = probe(&r, false);
    assert_string_equal(m.disturbed, "1 command of 0:0:0:0 came between");
    end(&r);
    begin(&r);
    r.burst_number = 0;
    r.own_others_in_burst = 4; /* more than can be ours */
    m = probe(&r, false);
    assert_non_null(m.disturbed);
    assert_int_equal(r.bursts, 1);
    end(&r);
}

static void asleep(void **state)
{
    struct rig r;
    struct measurement m;

    (void)state;
    begin(&r);
    r.sense = ASLEEP;
    m = probe(&r, false);
    assert_int_equal(m.error, EPERM);
    assert_string_equal(m.disturbed, "it sleeps, and a read would wake it");
    assert_int_equal(r.bursts, 0);
    assert_int_equal(r.senses, 1);
    end(&r);
}

static void other_method(void **state)
{
    struct rig r;
    struct measurement m;

    (void)state;
    begin(&r);
    r.only_cached = 1;
    m = probe(&r, false);
    assert_int_equal(m.error, 0);
    assert_null(m.disturbed);
    assert_string_equal(m.method, "read-cached/sg");
    assert_string_equal(r.methods[0], "read-buffer/sg");
    assert_string_equal(r.methods[1], "read-cached/sg");
    assert_int_equal(m.bytes, 4 << 20);
    end(&r);
}

static void device_fails(void **state)
{
    struct rig r;
    struct measurement m;

    (void)state;
    begin(&r);
    r.burst_number = 0;
    r.error_in_burst = EIO;
    m = probe(&r, false);
    assert_int_equal(m.error, EIO);
    assert_int_equal(r.bursts, 1);
    end(&r);
    begin(&r);
    r.burst_number = 2;
    r.error_in_burst = ETIMEDOUT;
    m = probe(&r, false);
    assert_int_equal(m.error, ETIMEDOUT);
    assert_string_equal(m.disturbed, "the device failed");
    assert_int_equal(r.bursts, 3);
    assert_int_equal(m.bytes, (1 << 20) + BLOCK);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quiet),          cmocka_unit_test(busy_before),
        cmocka_unit_test(somebody_comes), cmocka_unit_test(forced),
        cmocka_unit_test(forced_in_vain), cmocka_unit_test(beside),
        cmocka_unit_test(asleep),         cmocka_unit_test(other_method),
        cmocka_unit_test(device_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
