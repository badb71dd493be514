/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a driver was told, from sysfs and from elsewhere, and who a host's driver is.
 */
#include "../cmocka_all.h"

#include <string.h>

#include "transport/driver.h"

struct machine {
    struct fact_set *set;
    struct arena *arena;
    struct host host;
    struct subject *subject;
};

static void add(struct machine *m, const char *class_name, const char *name, const char *path)
{
    bool is_new;

    m->subject = fact_set_add(m->set, class_name, name, path, NULL, &is_new);
    assert_non_null(m->subject);
}

static void put(struct machine *m, const struct fact_key *key, const char *origin, const char *text)
{
    assert_int_equal(fact_put_text(m->set, key, origin, text), 0);
}

/* host0 of a driver by that proc_name, on a PCI function of that driver. */
static struct machine machine_of(const char *proc_name, const char *pci_driver)
{
    struct machine m = { .set = fact_set_new(), .arena = arena_new() };

    assert_non_null(m.set);
    assert_non_null(m.arena);
    add(&m, "pci", "0000:01:01.0", "/sys/devices/pci0000:00/0000:01:01.0");
    put(&m, &KEY_PCI_DRIVER, "pci", pci_driver);
    add(&m, "scsi_host", "host0", "/sys/devices/pci0000:00/0000:01:01.0/host0");
    if (proc_name)
        put(&m, &KEY_PROC_NAME, "scsi_host", proc_name);
    m.host.subject = m.subject;
    assert_int_equal(fact_set_seal(m.set), 0);
    return m;
}

static void done(struct machine *m)
{
    free(m->host.parameters.v);
    arena_free(m->arena);
    fact_set_free(m->set);
}

static void relate_parameters(struct machine *m)
{
    assert_int_equal(fact_set_seal(m->set), 0);
    m->host.driver = driver_name(m->set, m->host.subject);
    assert_int_equal(driver_parameters(m->set, m->arena, &m->host), 0);
}

static void assert_parameter(const struct machine *m, size_t i, const char *name, const char *value,
                             const char *from)
{
    assert_true(i < m->host.parameters.n);
    assert_string_equal(m->host.parameters.v[i].name, name);
    assert_string_equal(m->host.parameters.v[i].value, value);
    assert_string_equal(m->host.parameters.v[i].from, from);
}

/* A parameter with permission 0 shows on the command line alone; where sysfs shows one, it is in force. */
static void sysfs_counts_more_than_words(void **state)
{
    struct machine m = machine_of("ahci", "ahci");

    (void)state;
    add(&m, "kernel", "parameters", "/proc");
    put(&m, &KEY_PARAMETER, "/etc/modprobe.d/a.conf", "libata.force=1.5");
    put(&m, &KEY_PARAMETER, "/proc/cmdline", "libata.force=3:3.0Gbps");
    put(&m, &KEY_PARAMETER, "/proc/cmdline", "ahci.mobile_lpm_policy=3");
    put(&m, &KEY_PARAMETER, "/proc/cmdline", "mpt3sas.max_queue_depth=9");
    add(&m, "module", "ahci", "/sys/module/ahci");
    put(&m, &KEY_PARAMETER, "module parameters", "mobile_lpm_policy=0");
    relate_parameters(&m);
    assert_int_equal(m.host.parameters.n, 2);
    assert_parameter(&m, 0, "mobile_lpm_policy", "0", "/sys/module/ahci/parameters");
    assert_parameter(&m, 1, "libata.force", "3:3.0Gbps", "/proc/cmdline");
    done(&m);
}

/* What was written to the host's own attribute is in force, whatever the module was loaded with. */
static void the_hosts_own_counts_most(void **state)
{
    struct machine m = machine_of("lpfc", "lpfc");

    (void)state;
    add(&m, "module", "lpfc", "/sys/module/lpfc");
    put(&m, &KEY_PARAMETER, "module parameters", "lpfc_link_speed=0");
    add(&m, "driver_host", "host0", "/sys/devices/pci0000:00/0000:01:01.0/host0");
    assert_int_equal(fact_put_number(m.set, &DRIVER_FORCED_GBIT, "scsi_host", 8), 0);
    relate_parameters(&m);
    assert_int_equal(m.host.parameters.n, 1);
    assert_parameter(&m, 0, "lpfc_link_speed", "8", "/sys/class/scsi_host/host0");
    done(&m);
}

static void modules_a_driver_consists_of(void **state)
{
    struct machine m = machine_of("mptspi", "mptspi");

    (void)state;
    add(&m, "kernel", "parameters", "/proc");
    put(&m, &KEY_PARAMETER, "/etc/modprobe.d/mpt.conf", "mptscsih.mpt_width=0");
    relate_parameters(&m);
    assert_int_equal(m.host.parameters.n, 1);
    assert_parameter(&m, 0, "mptscsih.mpt_width", "0", "/etc/modprobe.d/mpt.conf");
    done(&m);
}

static void a_parameter_by_its_modules_name(void **state)
{
    struct machine m = machine_of("aic7xxx", "aic7xxx");

    (void)state;
    add(&m, "kernel", "parameters", "/proc");
    put(&m, &KEY_PARAMETER, "/proc/cmdline", "aic7xxx=seltime:0");
    put(&m, &KEY_PARAMETER, "/proc/cmdline", "aic7xxx_old.x=1");
    relate_parameters(&m);
    assert_int_equal(m.host.parameters.n, 1);
    assert_parameter(&m, 0, "aic7xxx", "seltime:0", "/proc/cmdline");
    done(&m);
}

static void modules_are_found_in_either_spelling(void **state)
{
    struct machine m = machine_of("3w-sas", "3w-sas");

    (void)state;
    add(&m, "module", "3w_sas", "/sys/module/3w_sas");
    assert_int_equal(fact_set_seal(m.set), 0);
    assert_ptr_equal(driver_module(m.set, "3w-sas"), m.subject);
    assert_null(driver_module(m.set, "mpt3sas"));
    done(&m);
}

static void hosts_find_their_row(void **state)
{
    static const struct {
        const char *proc_name, *pci_driver, *row;
    } HOSTS[] = {
        { "mpt2sas", "mpt3sas", "mpt3sas" },      { NULL, "qedf", "qedf" },
        { "storvsc_host", "none", "hv_storvsc" }, { "scsifront", "none", "xen-scsifront" },
        { "iscsi_iser", "mlx5_core", "ib_iser" }, { "tcm_loopback", "none", "tcm_loop" },
        { "qla1280", "qla1280", "qla1280" },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(HOSTS); i++) {
        struct machine m = machine_of(HOSTS[i].proc_name, HOSTS[i].pci_driver);
        const struct driver *d = driver_of(m.set, m.host.subject);

        assert_non_null(d);
        assert_string_equal(d->name, HOSTS[i].row);
        done(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sysfs_counts_more_than_words),
        cmocka_unit_test(the_hosts_own_counts_most),
        cmocka_unit_test(modules_a_driver_consists_of),
        cmocka_unit_test(a_parameter_by_its_modules_name),
        cmocka_unit_test(modules_are_found_in_either_spelling),
        cmocka_unit_test(hosts_find_their_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
