/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What hbad says of itself as metrics (manager.h), behind those of the report: how old what is known of each adapter is, what
 * hangs, and what hbad costs. Ages are said as the times they count from: a file that is not written any more would go on
 * saying that it is young.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon/memory.h"
#include "daemon/watcher.h"
#include "output/metrics.h"
#include "output/prometheus.h"

uint64_t own_memory(void)
{
    unsigned long long resident = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    if (f && fscanf(f, "%*u %llu", &resident) != 1)
        resident = 0;
    if (f)
        fclose(f);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t last_look_us(const struct adapter_state *a)
{
    return a->watched_wall_us > a->read_wall_us ? a->watched_wall_us : a->read_wall_us;
}

static uint64_t look_us(const struct adapter_state *a)
{
    return a->took_us;
}

static uint64_t stuck(const struct adapter_state *a)
{
    return a->slot.waiting + a->slot.hanging;
}

static uint64_t is_in_quarantine(const struct adapter_state *a)
{
    return a->slot.hanging || !schedule_may_ask(&a->slot, manager_now(a->manager));
}

static const struct {
    const char *name, *help;
    unsigned digits;
    bool needs_look; /* says nothing of one that was never read */
    uint64_t (*value)(const struct adapter_state *a);
} OF_ADAPTERS[] = {
    { "hbad_adapter_last_look_timestamp_seconds",
      "When an adapter was read last, in seconds since 1970.", 6, true, last_look_us },
    { "hbad_adapter_look_seconds", "How long it took to read it.", 6, true, look_us },
    { "hbad_adapter_stuck_processes",
      "Processes that wait for the adapter, or for a device of it, that does not answer.", 0, false,
      stuck },
    { "hbad_adapter_quarantined", "Are its devices not asked, because one did not answer?", 0,
      false, is_in_quarantine },
};

static void write_adapters(struct prometheus *p, const struct manager *m)
{
    for (size_t i = 0; i < ELEMENTS(OF_ADAPTERS); i++) {
        prometheus_begin(p, OF_ADAPTERS[i].name, PROMETHEUS_GAUGE, OF_ADAPTERS[i].help);
        for (size_t k = 0; k < m->adapters.n; k++) {
            const struct adapter_state *a = m->adapters.v[k];

            if (!OF_ADAPTERS[i].needs_look || a->read_us)
                prometheus_sample(p,
                                  PROMETHEUS_LABELS({ "adapter", a->below ? a->below : a->name }),
                                  OF_ADAPTERS[i].value(a), OF_ADAPTERS[i].digits);
        }
        prometheus_end(p);
    }
}

static uint64_t cpu_us(int who)
{
    struct rusage used;

    if (getrusage(who, &used) < 0)
        return 0;
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
           (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void write_cpu(struct prometheus *p)
{
    prometheus_begin(p, "hbad_cpu_seconds_total", PROMETHEUS_COUNTER,
                     "Processor time of hbad, and of its children that have ended.");
    prometheus_sample(p, PROMETHEUS_LABELS({ "of", "hbad" }), cpu_us(RUSAGE_SELF), 6);
    prometheus_sample(p, PROMETHEUS_LABELS({ "of", "children" }), cpu_us(RUSAGE_CHILDREN), 6);
    prometheus_end(p);
}

struct single {
    const char *name, *help;
    enum prometheus_type type;
    uint64_t value;
    unsigned digits;
};

static void write_singles(struct prometheus *p, const struct single *singles, size_t n)
{
    for (size_t i = 0; i < n; i++)
        prometheus_single(p, singles[i].name, singles[i].type, singles[i].help, singles[i].value,
                          singles[i].digits);
}

static void write_memory(struct prometheus *p, const struct manager *m)
{
    struct memory_counts c;

    if (memory_counts(m, &c)) {
        const struct single numbers[] = {
            { "hbad_history_records_total", "Records of the history that are on the disk.",
              PROMETHEUS_COUNTER, c.written, 0 },
            { "hbad_history_lost_records_total",
              "Records that are not: there was no room, or they could not be written.",
              PROMETHEUS_COUNTER, c.lost, 0 },
            { "hbad_history_waiting_records", "Records that are not yet.", PROMETHEUS_GAUGE,
              c.waiting, 0 },
        };

        write_singles(p, numbers, ELEMENTS(numbers));
    }
}

static void write_alerts(struct prometheus *p, const struct manager *m)
{
    uint64_t waiting, lost;

    if (alerts_counts(m, &waiting, &lost)) {
        const struct single numbers[] = {
            { "hbad_waiting_alerts", "Alerts that no program has yet.", PROMETHEUS_GAUGE, waiting,
              0 },
            { "hbad_lost_alerts_total",
              "Alerts that were given up, or for which there was no room.", PROMETHEUS_COUNTER,
              lost, 0 },
        };

        write_singles(p, numbers, ELEMENTS(numbers));
    }
}

static void write_watcher(struct prometheus *p, const struct watcher *w)
{
    if (w) {
        const struct single numbers[] = {
            { "hbad_watcher_running", "Is what changes in between watched?", PROMETHEUS_GAUGE,
              w->process != NULL, 0 },
            { "hbad_watcher_rounds_total", "Rounds over all files that are watched.",
              PROMETHEUS_COUNTER, w->rounds, 0 },
            { "hbad_watcher_reads_total", "Files that were read in them.", PROMETHEUS_COUNTER,
              w->before_reads + (uint64_t)w->last.reads, 0 },
            { "hbad_watcher_costly_reads_total", "Of these, those for which an adapter is asked.",
              PROMETHEUS_COUNTER, w->before_costly + (uint64_t)w->last.costly, 0 },
            { "hbad_watcher_cpu_seconds_total", "Processor time of it.", PROMETHEUS_COUNTER,
              w->before_cpu_us + (uint64_t)w->last.cpu_us, 6 },
            { "hbad_watcher_stuck_processes", "Watchers that hang at a file.", PROMETHEUS_GAUGE,
              w->stuck, 0 },
        };

        write_singles(p, numbers, ELEMENTS(numbers));
    }
}

int metrics_of_daemon(const struct manager *m, FILE *out)
{
    struct prometheus writer = prometheus(out), *p = &writer;
    const struct single numbers[] = {
        { "hbad_start_timestamp_seconds", "When hbad was started, in seconds since 1970.",
          PROMETHEUS_GAUGE, m->since_wall_us, 6 },
        { "hbad_rounds_total", "Looks at all adapters since then.", PROMETHEUS_COUNTER,
          m->schedule.round, 0 },
        { "hbad_clients", "Connections to hbad.", PROMETHEUS_GAUGE, server_clients(m->server), 0 },
        { "hbad_subscribers", "Connections that are told of changes.", PROMETHEUS_GAUGE,
          m->subscribers.n, 0 },
        { "hbad_configuration_refused",
          "Is something in the configuration wrong, so that it is not used?", PROMETHEUS_GAUGE,
          m->instead != NULL, 0 },
        { "hbad_lost_journal_entries_total", "Entries that the journal did not take in time.",
          PROMETHEUS_COUNTER, journal_lost(m->journal), 0 },
        { "hbad_resident_memory_bytes", "Memory of hbad.", PROMETHEUS_GAUGE, own_memory(), 0 },
    };

    prometheus_begin(p, "hbad_build_info", PROMETHEUS_GAUGE, "The version of hbad; always 1.");
    prometheus_sample(p, PROMETHEUS_LABELS({ "version", HBAD_VERSION }), 1, 0);
    prometheus_end(p);
    write_singles(p, numbers, ELEMENTS(numbers));
    write_cpu(p);
    write_memory(p, m);
    write_alerts(p, m);
    write_watcher(p, m->watcher);
    write_adapters(p, m);
    return prometheus_done(p);
}

int metrics_write(const struct manager *m, FILE *out)
{
    int r = output_metrics(m->report, out);

    if (r == 0)
        r = metrics_of_daemon(m, out);
    return r == 0 && ferror(out) ? -EIO : r;
}
