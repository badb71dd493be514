/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plans of whole machines: who is read, and why others are not, by captures of them.
 */
#include "captures.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "probe/plan.h"

struct planned {
    struct counting machine;
    struct report report;
    struct config config;
    struct plan plan;
};

static void plan_machine(struct planned *p, const char *name, const char *text,
                         const struct plan_seen *seen, size_t n_seen)
{
    struct plan_options options = { .config = &p->config, .seen = seen, .n_seen = n_seen };

    *p = (struct planned){ .config = config_of(text) };
    counting_open(&p->machine, name, false);
    assert_int_equal(diagnose_observe(&p->machine.source,
                                      &(struct gather_options){ .level = LEVEL_ALL }, &p->config,
                                      &p->report),
                     0);
    assert_int_equal(plan_make(p->report.model->arena, p->report.model, &options, &p->plan), 0);
}

static void done(struct planned *p)
{
    struct report *report = calloc(1, sizeof(*report));

    assert_non_null(report);
    *report = p->report;
    report_free(report);
    counting_done(&p->machine);
    config_done(&p->config);
}

static const struct plan_entry *of(const struct planned *p, const char *hctl)
{
    const struct plan_entry *e = plan_of(&p->plan, hctl);

    if (!e)
        fail_msg("no %s", hctl);
    return e;
}

static void expect_refusal(const struct planned *p, const char *hctl, const char *start)
{
    const char *why = of(p, hctl)->refused;

    if (!why || strncmp(why, start, strlen(start)) != 0)
        fail_msg("%s: %s", hctl, why ? why : "is read");
}

/* Parallel SCSI: one at a time on the bus, and all of it is watched. */
static void on_a_bus(void **state)
{
    struct planned p;
    const struct plan_entry *e;
    size_t n = 0;

    (void)state;
    plan_machine(&p, "spi-fusion-u320-fine", "", NULL, 0);
    for (size_t i = 0; i < p.plan.n; i++) {
        e = &p.plan.v[i];
        if (e->refused) {
            assert_string_equal(e->refused, "it is no disk");
            continue;
        }
        n++;
        assert_string_equal(e->group, e->device->host->id);
        assert_string_equal(e->method, "read-cached/sg"); /* they are of SPC */
        assert_true(e->ask_sense);
        for (size_t k = 0; k < e->n_watch; k++)
            assert_ptr_equal(e->watch[k]->host, e->device->host);
    }
    assert_true(n > 1);
    done(&p);
    plan_machine(&p, "spi-fusion-u320-fine", "[device \"*\"]\ntier = read\n", NULL, 0);
    assert_string_equal(p.plan.v[0].method, "read-buffer/sg");
    done(&p);
    plan_machine(&p, "spi-fusion-u320-fine", "[device \"sda\"]\ntier = identify\n", NULL, 0);
    expect_refusal(&p, p.plan.v[0].device->hctl, "no reads of it are allowed: so says f:2");
    assert_null(p.plan.v[1].refused);
    done(&p);
}

static void tapes_and_scanners(void **state)
{
    struct planned p;
    size_t n = 0;

    (void)state;
    plan_machine(&p, "spi-hvd-library-ok", "[device \"*\"]\ntier = read\n", NULL, 0);
    for (size_t i = 0; i < p.plan.n; i++) {
        const struct device *d = p.plan.v[i].device;

        if (strcmp(d->type, "disk") == 0)
            continue;
        expect_refusal(&p, d->hctl, "it is a tape or changer");
        n++;
    }
    assert_int_equal(n, 1);
    done(&p);
}

/* A shelf is watched as a whole; the disk beside it shares the slot with all. */
static void below_expanders(void **state)
{
    struct planned p;

    (void)state;
    plan_machine(&p, "sas-two-expanders-healthy", "", NULL, 0);
    assert_string_equal(of(&p, "11:0:1:0")->group, "pci-0000:03:00.0-sas-port-5000ccaff8edf47e");
    assert_string_equal(of(&p, "11:0:3:0")->group, "pci-0000:03:00.0-sas-port-5000ccaff8edf47e");
    assert_string_equal(of(&p, "11:0:13:0")->group, "pci-0000:03:00.0-sas-phy-7");
    assert_int_equal(of(&p, "11:0:1:0")->n_watch, 10);
    assert_int_equal(of(&p, "11:0:13:0")->n_watch, 14);
    assert_false(of(&p, "11:0:13:0")->ask_sense);
    done(&p);
}

static void arrays_and_fabrics(void **state)
{
    static const char *const CASES[] = { "fc-one-port-8g-sibling-16g", "fc-lpfc-forced-8g",
                                         "iscsi-session-over-1g-nic" };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        struct planned p;
        size_t n = 0;

        plan_machine(&p, CASES[i], "", NULL, 0);
        for (size_t k = 0; k < p.plan.n; k++) {
            assert_non_null(p.plan.v[k].refused);
            n += strncmp(p.plan.v[k].refused, "it is a LUN of an array", 23) == 0;
        }
        assert_true(n > 0);
        done(&p);
    }
}

/* Rotating SATA disks: when somebody was just seen to use one, that one. */
static void sleepers_that_cannot_be_asked(void **state)
{
    struct plan_seen seen = { .ago_us = 1000000 };
    struct planned p;
    size_t n;

    (void)state;
    plan_machine(&p, "sata-libata-force-3g", "", NULL, 0);
    n = p.plan.n;
    assert_true(n > 1);
    seen.hctl = p.plan.v[0].device->hctl;
    expect_refusal(&p, seen.hctl, "it cannot be told whether it sleeps");
    done(&p);
    plan_machine(&p, "sata-libata-force-3g", "", &seen, 0);
    expect_refusal(&p, "0:0:0:0", "it cannot be told whether it sleeps");
    done(&p);
    seen.hctl = "0:0:0:0";
    plan_machine(&p, "sata-libata-force-3g", "", &seen, 1);
    assert_null(of(&p, "0:0:0:0")->refused);
    assert_false(of(&p, "0:0:0:0")->ask_sense);
    done(&p);
}

static void bridges_and_firmware(void **state)
{
    struct planned p;

    (void)state;
    plan_machine(&p, "usb-superspeed-disk-at-480", "[device \"*\"]\ntier = read\n", NULL, 0);
    for (size_t i = 0; i < p.plan.n; i++)
        assert_non_null(p.plan.v[i].refused);
    assert_true(p.plan.n > 0);
    done(&p);
    plan_machine(&p, "raid-controllers-hide-links", "", NULL, 0);
    for (size_t i = 0; i < p.plan.n; i++)
        expect_refusal(&p, p.plan.v[i].device->hctl, "its link is hidden");
    assert_true(p.plan.n > 0);
    done(&p);
}

/* ---- what holds for every plan ---- */

static void check_entry(const struct plan *plan, const struct plan_entry *e)
{
    size_t itself = 0;

    if (e->refused) {
        assert_true(strlen(e->refused) > 10);
        assert_null(e->method);
        return;
    }
    assert_string_equal(e->device->type, "disk");
    assert_non_null(measure_method_named(e->method));
    assert_true(!e->fallback || measure_method_named(e->fallback));
    assert_true(e->total_bytes >= e->block_bytes && *e->group);
    for (size_t i = 0; i < e->n_watch; i++)
        itself += e->watch[i] == e->device;
    assert_int_equal(itself, 1);
    for (size_t i = 0; i < plan->n; i++) { /* one LUN a link */
        const struct plan_entry *other = &plan->v[i];

        assert_true(other == e || other->refused || other->device->link != e->device->link);
        if (other->device->link == e->device->link)
            itself += other->device != e->device;
    }
    assert_true(e->n_watch >= itself); /* its neighbours on the link are watched, too */
}

static void every_machine(void **state)
{
    DIR *dir = opendir(TESTS_DIR "/golden");
    const struct dirent *entry;
    size_t n = 0;

    (void)state;
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        struct planned p;
        struct stat st;
        char path[1024];

        snprintf(path, sizeof(path), "%s/golden/%s/1.json", TESTS_DIR, entry->d_name);
        if (stat(path, &st) < 0 || st.st_size > 1024 * 1024) /* the large one says nothing new */
            continue;
        plan_machine(&p, entry->d_name, "", NULL, 0);
        for (size_t i = 0; i < p.plan.n; i++)
            check_entry(&p.plan, &p.plan.v[i]);
        done(&p);
        n++;
    }
    closedir(dir);
    assert_true(n > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_bus),
        cmocka_unit_test(tapes_and_scanners),
        cmocka_unit_test(below_expanders),
        cmocka_unit_test(arrays_and_fabrics),
        cmocka_unit_test(sleepers_that_cannot_be_asked),
        cmocka_unit_test(bridges_and_firmware),
        cmocka_unit_test(every_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
