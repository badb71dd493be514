/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which devices may be read: each refusal, what one may be read by, and what is watched meanwhile. What captures of
 * whole machines give is in diagnose/test_plan.c.
 */
#include "../model_machine.h"

#include <stdio.h>

#include "probe/plan.h"

struct planned {
    struct machine k;
    struct host *host;
    struct device *disk;
    struct config config;
    struct plan_options options;
    struct plan plan;
};

/* A machine of one host and one disk that may be read. */
static struct planned one_disk(void)
{
    struct planned p = { .k = machine_new() };

    p.host = host(&p.k, "host0", "0000:01:00.0");
    p.disk = disk(&p.k, p.host, wire(&p.k, p.host, "phy-0:0", 1, MB(600)), "0:0:0:0");
    put(&p.k, p.disk->subject, &KEY_DEVICE_TYPE, 0, NULL);
    put(&p.k, p.disk->subject, &KEY_SCSI_LEVEL, 6, NULL);
    put(&p.k, p.disk->subject, &KEY_STATE, 0, "running");
    assert_int_equal(config_init(&p.config), 0);
    return p;
}

static struct device *another(struct planned *p, struct link *l, const char *hctl)
{
    struct device *d = disk(&p->k, l->host, l, hctl);

    put(&p->k, d->subject, &KEY_DEVICE_TYPE, 0, NULL);
    put(&p->k, d->subject, &KEY_SCSI_LEVEL, 6, NULL);
    put(&p->k, d->subject, &KEY_STATE, 0, "running");
    return d;
}

static const struct plan_entry *planned_for(struct planned *p, const struct device *d)
{
    const struct plan_entry *e;

    p->options.config = &p->config;
    assert_int_equal(plan_make(p->k.model->arena, p->k.model, &p->options, &p->plan), 0);
    assert_int_equal(p->plan.n, p->k.model->devices.n);
    e = plan_of(&p->plan, d->hctl);
    assert_non_null(e);
    assert_ptr_equal(e->device, d);
    return e;
}

/* Why the one disk is not read; "" where it is. */
static const char *refusal(struct planned *p)
{
    const struct plan_entry *e = planned_for(p, p->disk);

    assert_int_equal(e->refused == NULL, e->method != NULL);
    return e->refused ? e->refused : "";
}

static void configure(struct planned *p, const char *text)
{
    struct config_messages m = { 0 };

    config_done(&p->config);
    assert_int_equal(config_init(&p->config), 0);
    assert_int_equal(
        config_parse(&p->config, "f", (struct bytes){ (const uint8_t *)text, strlen(text) }, &m),
        0);
    assert_int_equal(m.list.n, 0);
    config_messages_done(&m);
}

static void done(struct planned *p)
{
    config_done(&p->config);
    machine_done(&p->k);
}

static void how_it_is_read(void **state)
{
    struct planned p = one_disk();
    const struct plan_entry *e = planned_for(&p, p.disk);

    (void)state;
    assert_null(e->refused);
    assert_string_equal(e->method, "read-buffer/sg");
    assert_string_equal(e->fallback, "read-cached/sg");
    assert_int_equal(e->block_bytes, 65536);
    assert_int_equal(e->total_bytes, 4 << 20);
    assert_int_equal(e->longest_us, 1000000);
    assert_true(e->ask_sense);
    assert_string_equal(e->group, "pci-0000:01:00.0-phy-0:0");
    assert_null(e->shared);
    assert_int_equal(e->n_watch, 1);
    assert_ptr_equal(e->watch[0], p.disk);
    put(&p.k, p.disk->subject, &KEY_ROTATIONAL, 0, NULL);
    configure(&p, "[probe]\nbytes = 1M\nlongest = 250ms\n");
    e = planned_for(&p, p.disk);
    assert_false(e->ask_sense);
    assert_int_equal(e->total_bytes, 1 << 20);
    assert_int_equal(e->longest_us, 250000);
    assert_null(plan_of(&p.plan, "0:0:9:0"));
    done(&p);
}

static void tiers(void **state)
{
    struct planned p = one_disk();

    (void)state;
    configure(&p, "[probe]\ntier = identify\n");
    assert_string_equal(refusal(&p), "no reads of it are allowed: so says f:2 (tier = identify)");
    configure(&p, "[probe]\ntier = sysfs\n[device \"0:0:0:0\"]\ntier = read\n");
    assert_string_equal(refusal(&p), "");
    configure(&p, "[device \"DISK\"]\ntier = sysfs\n");
    assert_string_equal(refusal(&p), "no reads of it are allowed: so says f:2 (tier = sysfs)");
    configure(&p, "");
    put(&p.k, p.disk->subject, &KEY_TIER, 0, "identify");
    assert_string_equal(refusal(&p),
                        "no reads of it are allowed: so says udev (HBAD_TIER=identify)");
    configure(&p, "[device \"DISK\"]\ntier = read\n");
    assert_string_equal(refusal(&p), "");
    done(&p);
}

/* A device goes by all its names. */
static void names(void **state)
{
    static const char *const NAMES[] = { "pci-0000:01:00.0-phy-0:0-lun-0",
                                         "0:0:0:0",
                                         "DISK",
                                         "MAKER DISK",
                                         "S1",
                                         "naa.5",
                                         "sda",
                                         "/dev/sda",
                                         "/dev/disk/by-id/scsi-1" };
    struct planned p = one_disk();

    (void)state;
    p.disk->vendor = "MAKER";
    p.disk->serial = "S1";
    p.disk->wwid = "naa.5";
    put(&p.k, p.disk->subject, &KEY_NODE, 0, "sda");
    put(&p.k, p.disk->subject, &KEY_BY_ID, 0, "/dev/disk/by-id/scsi-1");
    for (size_t i = 0; i < ELEMENTS(NAMES); i++) {
        char text[128];

        snprintf(text, sizeof(text), "[device \"%s\"]\ntier = sysfs\n", NAMES[i]);
        configure(&p, text);
        assert_string_equal(refusal(&p), "no reads of it are allowed: so says f:2 (tier = sysfs)");
    }
    configure(&p, "[device \"MAKER\"]\ntier = sysfs\n");
    assert_string_equal(refusal(&p), "");
    done(&p);
}

static void types(void **state)
{
    static const char *const TAPE =
        "it is a tape or changer: a command could take from its driver what that must know";
    struct planned p = one_disk();

    (void)state;
    put(&p.k, p.disk->subject, &KEY_DEVICE_TYPE, 0x01, NULL);
    assert_string_equal(refusal(&p), TAPE);
    put(&p.k, p.disk->subject, &KEY_DEVICE_TYPE, 0x08, NULL);
    assert_string_equal(refusal(&p), TAPE);
    configure(&p, "[device \"DISK\"]\ntier = read\n"); /* not even then */
    assert_string_equal(refusal(&p), TAPE);
    put(&p.k, p.disk->subject, &KEY_DEVICE_TYPE, 0x05, NULL);
    assert_string_equal(refusal(&p), "it is no disk");
    put(&p.k, p.disk->subject, &KEY_DEVICE_TYPE, 0x0d, NULL);
    assert_string_equal(refusal(&p), "it is no disk");
    put(&p.k, p.disk->subject, &KEY_DEVICE_TYPE, 0x14, NULL);
    assert_string_equal(refusal(&p), "");
    done(&p);
}

static void kinds(void **state)
{
    struct planned p = one_disk();

    (void)state;
    put(&p.k, p.disk->subject, &KEY_REMOVABLE, 1, NULL);
    assert_string_equal(refusal(&p), "it, or its medium, is removable");
    put(&p.k, p.disk->subject, &KEY_REMOVABLE, 0, NULL);
    p.host->transport = "usb";
    assert_string_equal(refusal(&p),
                        "it is behind a bridge of a kind of which some fail when they are asked");
    done(&p);
}

static void links(void **state)
{
    struct planned p = one_disk();
    struct link *l = p.disk->link;

    (void)state;
    l->state = LINK_DOWN;
    assert_string_equal(refusal(&p), "its link is down");
    l->state = LINK_UNKNOWN;
    l->actual.known = false;
    l->reason = "nobody says what it runs at";
    assert_string_equal(refusal(&p), "");
    l->describe = NULL;
    assert_string_equal(refusal(&p), "its link is hidden: nobody says what it runs at");
    p.host->reason = "its firmware makes volumes";
    assert_string_equal(refusal(&p), "its link is hidden: its firmware makes volumes");
    l->has_no_link = true;
    assert_string_equal(refusal(&p), "its adapter is not real hardware: there is no link to time");
    l->has_no_link = false;
    p.host->emulated = "it says so";
    assert_string_equal(refusal(&p), "its adapter is not real hardware: there is no link to time");
    p.disk->link = NULL;
    assert_string_equal(refusal(&p), "no link that is seen leads to it");
    done(&p);
}

static void ignored(void **state)
{
    const char *hctl = "0:0:0:0";
    struct planned p = one_disk();

    (void)state;
    p.disk->link->wish.ignore_from = "f:7";
    assert_string_equal(refusal(&p), "its link is ignored (f:7)");
    p.options.named = &hctl;
    p.options.n_named = 1;
    assert_string_equal(refusal(&p), "");
    done(&p);
}

static void in_trouble(void **state)
{
    struct planned p = one_disk();

    (void)state;
    put(&p.k, p.disk->subject, &KEY_STATE, 0, "offline");
    assert_string_equal(refusal(&p), "it is not running, but in state offline");
    p.host->state = "recovery";
    assert_string_equal(refusal(&p), "its host is not running, but in state recovery");
    done(&p);
}

static void old(void **state)
{
    static const char *const OLD =
        "it is of the age of SCSI-2: reads have to be switched on for it by name";
    const char *hctl = "0:0:0:0";
    struct planned p = one_disk();

    (void)state;
    put(&p.k, p.disk->subject, &KEY_SCSI_LEVEL, 3, NULL);
    assert_string_equal(refusal(&p), OLD);
    configure(&p, "[device \"*\"]\ntier = read\n");
    assert_string_equal(refusal(&p), "");
    configure(&p, "");
    p.options.named = &hctl;
    p.options.n_named = 1;
    assert_string_equal(refusal(&p), "");
    done(&p);
}

/* Before SPC-2 a device is read, and asked for its buffer only where the configuration names it. */
static void middle_aged(void **state)
{
    const char *hctl = "0:0:0:0";
    struct planned p = one_disk();

    (void)state;
    put(&p.k, p.disk->subject, &KEY_SCSI_LEVEL, 4, NULL);
    assert_string_equal(planned_for(&p, p.disk)->method, "read-cached/sg");
    assert_null(planned_for(&p, p.disk)->fallback);
    p.options.named = &hctl;
    p.options.n_named = 1;
    assert_string_equal(planned_for(&p, p.disk)->method, "read-cached/sg");
    assert_null(planned_for(&p, p.disk)->fallback);
    configure(&p, "[device \"*\"]\ntier = read\n");
    assert_string_equal(planned_for(&p, p.disk)->method, "read-buffer/sg");
    p.options.n_named = 0;
    assert_string_equal(planned_for(&p, p.disk)->method, "read-buffer/sg");
    done(&p);
}

static const char OF_ARRAY[] =
    "it is a LUN of an array, or there by several ways: reads are off for those";
static const char PASSIVE[] =
    "a read by a way that is not active/optimized can move the LUN to another controller";

static void arrays(void **state)
{
    struct planned p = one_disk();

    (void)state;
    p.host->transport = "fc";
    put(&p.k, p.disk->subject, &KEY_ACCESS_STATE, 0, "active/optimized");
    assert_string_equal(refusal(&p), OF_ARRAY);
    configure(&p, "[probe]\narrays = yes\n");
    assert_string_equal(refusal(&p), "");
    assert_string_equal(planned_for(&p, p.disk)->method, "read-cached/sg");
    assert_null(planned_for(&p, p.disk)->fallback);
    configure(&p, "[device \"DISK\"]\ntier = read\n");
    assert_string_equal(refusal(&p), "");
    put(&p.k, p.disk->subject, &KEY_ACCESS_STATE, 0, "active/non-optimized");
    assert_string_equal(refusal(&p), PASSIVE);
    put(&p.k, p.disk->subject, &KEY_ACCESS_STATE, 0, "standby");
    assert_string_equal(refusal(&p), PASSIVE);
    done(&p);
}

/* One unit by two ways is an array's as well, whatever lies between. */
static void several_ways(void **state)
{
    struct planned p = one_disk();
    struct device *d = another(&p, wire(&p.k, p.host, "phy-0:1", 1, MB(600)), "0:0:1:0");

    (void)state;
    p.disk->wwid = d->wwid = "naa.5000c50012345678";
    assert_string_equal(refusal(&p), OF_ARRAY);
    assert_string_equal(planned_for(&p, d)->refused, OF_ARRAY);
    configure(&p, "[probe]\narrays = yes\n");
    assert_string_equal(refusal(&p), PASSIVE);
    d->wwid = "naa.5000c50012345679";
    assert_string_equal(refusal(&p), "");
    done(&p);
}

static void sleepers(void **state)
{
    static const char *const SLEEPS = "it sleeps, and a read would wake it";
    const char *hctl = "0:0:0:0";
    struct planned p = one_disk();

    (void)state;
    put(&p.k, p.disk->subject, &KEY_RUNTIME_STATUS, 0, "suspended");
    assert_string_equal(refusal(&p), SLEEPS);
    put(&p.k, p.disk->subject, &KEY_RUNTIME_STATUS, 0, "unsupported");
    assert_string_equal(refusal(&p), "");
    put(&p.k, p.disk->subject, &KEY_RUNTIME_STATUS, 0, "active");
    assert_string_equal(refusal(&p), "");
    put(&p.k, p.disk->subject, &KEY_STANDBY, 1, NULL);
    assert_string_equal(refusal(&p), SLEEPS);
    p.options.forced = true; /* of nobody */
    assert_string_equal(refusal(&p), SLEEPS);
    p.options.named = &hctl;
    p.options.n_named = 1;
    assert_string_equal(refusal(&p), "");
    p.options.forced = false;
    assert_string_equal(refusal(&p), SLEEPS);
    done(&p);
}

/* A rotating disk for which somebody else answers: only shortly after somebody used it. */
static void hidden_sleep(void **state)
{
    static const char *const UNTOLD =
        "it cannot be told whether it sleeps: nobody was seen to use it in the last two minutes";
    struct plan_seen seen = { "0:0:0:0", PLAN_AWAKE_US };
    struct planned p = one_disk();

    (void)state;
    put(&p.k, p.disk->subject, &KEY_VENDOR, 0, "ATA");
    assert_string_equal(refusal(&p), UNTOLD);
    p.options.seen = &seen;
    p.options.n_seen = 1;
    assert_string_equal(refusal(&p), "");
    assert_string_equal(planned_for(&p, p.disk)->method, "read-cached/sg");
    assert_false(planned_for(&p, p.disk)->ask_sense);
    seen.ago_us++;
    assert_string_equal(refusal(&p), UNTOLD);
    seen = (struct plan_seen){ "0:0:1:0", 0 };
    assert_string_equal(refusal(&p), UNTOLD);
    put(&p.k, p.disk->subject, &KEY_ROTATIONAL, 0, NULL);
    assert_string_equal(refusal(&p), "");
    done(&p);
}

/* Of several LUNs of a link the first that may be read is; one that is named comes before it. */
static void one_of_a_link(void **state)
{
    static const char *const FIRST =
        "0:0:0:1, which is on the same link, is read: one of a link is enough";
    const char *hctl = "0:0:0:2";
    struct planned p = one_disk();
    struct device *b = another(&p, p.disk->link, "0:0:0:1");
    struct device *c = another(&p, p.disk->link, "0:0:0:2");
    const struct plan_entry *e;

    (void)state;
    put(&p.k, p.disk->subject, &KEY_DEVICE_TYPE, 0x0d, NULL);
    e = planned_for(&p, b);
    assert_null(e->refused);
    assert_int_equal(e->n_watch, 3); /* the link is shared */
    assert_ptr_equal(e->shared, p.disk->link);
    assert_string_equal(planned_for(&p, c)->refused, FIRST);
    p.options.named = &hctl;
    p.options.n_named = 1;
    assert_null(planned_for(&p, c)->refused);
    assert_true(planned_for(&p, c)->is_named);
    assert_string_equal(planned_for(&p, b)->refused,
                        "0:0:0:2, which is on the same link, is read: one of a link is enough");
    done(&p);
}

/* A bus is one hop that all of its links share, as fast as the fastest on it. */
static void on_a_bus(void **state)
{
    struct planned p = one_disk();
    struct device *d = another(&p, wire(&p.k, p.host, "target0:0:1", 2, MB(40)), "0:0:1:0");
    const struct plan_entry *e;

    (void)state;
    p.host->is_bus = true;
    e = planned_for(&p, d);
    assert_null(e->shared);
    assert_string_equal(e->group, p.host->id);
    assert_int_equal(e->n_watch, 2);
    assert_ptr_equal(e->watch[0], p.disk);
    assert_ptr_equal(e->watch[1], d);
    assert_string_equal(planned_for(&p, p.disk)->group, p.host->id);
    /* a slot that carries less than the bus is the narrower one, with all that is below it */
    p.host->slot = wire(&p.k, p.host, "slot", 1, MB(250));
    p.disk->link->up = d->link->up = p.host->slot;
    e = planned_for(&p, d);
    assert_ptr_equal(e->shared, p.host->slot);
    runs(&p.k, p.host->slot, 1, MB(8000));
    e = planned_for(&p, d);
    assert_null(e->shared);
    assert_int_equal(e->n_watch, 2);
    done(&p);
}

/* Two disks below an expander, one beside it; two hosts on one slot. */
static void below_an_expander(void **state)
{
    struct planned p = one_disk();
    struct host *other = host(&p.k, "host1", "0000:01:00.1");
    struct link *slot = wire(&p.k, p.host, "slot", 8, MB(985));
    struct link *port = wire(&p.k, p.host, "port-0:0", 4, MB(600));
    struct link *a = wire(&p.k, p.host, "phy-0:0:1", 1, MB(600));
    struct link *b = wire(&p.k, p.host, "phy-0:0:2", 1, MB(600));
    struct device *x = another(&p, a, "0:0:1:0"), *y = another(&p, b, "0:0:2:0");
    struct device *z = another(&p, wire(&p.k, other, "phy-1:0", 1, MB(600)), "1:0:0:0");
    const struct plan_entry *e;

    (void)state;
    p.host->slot = other->slot = p.disk->link->up = port->up = z->link->up = slot;
    a->up = b->up = port;
    e = planned_for(&p, x);
    assert_ptr_equal(e->shared, port);
    assert_int_equal(e->n_watch, 2);
    assert_ptr_equal(e->watch[0], x);
    assert_ptr_equal(e->watch[1], y);
    assert_string_equal(e->group, port->id);
    assert_string_equal(planned_for(&p, y)->group, port->id);
    assert_string_equal(planned_for(&p, p.disk)->group, p.disk->link->id);
    e = planned_for(&p, p.disk);
    assert_ptr_equal(e->shared, slot);
    assert_int_equal(e->n_watch, 4);
    runs(&p.k, slot, 1, MB(985)); /* the slot is narrower than the wide port */
    e = planned_for(&p, x);
    assert_ptr_equal(e->shared, slot);
    assert_int_equal(e->n_watch, 4);
    port->actual.known = false; /* nobody knows how narrow the port is */
    assert_ptr_equal(planned_for(&p, x)->shared, port);
    done(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_it_is_read),
        cmocka_unit_test(tiers),
        cmocka_unit_test(names),
        cmocka_unit_test(types),
        cmocka_unit_test(kinds),
        cmocka_unit_test(links),
        cmocka_unit_test(ignored),
        cmocka_unit_test(in_trouble),
        cmocka_unit_test(old),
        cmocka_unit_test(middle_aged),
        cmocka_unit_test(arrays),
        cmocka_unit_test(several_ways),
        cmocka_unit_test(sleepers),
        cmocka_unit_test(hidden_sleep),
        cmocka_unit_test(one_of_a_link),
        cmocka_unit_test(on_a_bus),
        cmocka_unit_test(below_an_expander),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
