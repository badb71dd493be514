/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "diagnose/measures.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "probe/meaning.h"
#include "transport/transport.h"

/* The device of that name. Measurements mostly come in the order of the devices: the search begins where
 * the last one ended. */
static struct device *device_of(const struct model *m, const char *hctl, size_t *hint)
{
    for (size_t i = 0; i < m->devices.n; i++) {
        size_t at = (*hint + i) % m->devices.n;

        if (strcmp(m->devices.v[at]->hctl, hctl) != 0)
            continue;
        *hint = at;
        return m->devices.v[at];
    }
    return NULL;
}

/* kB/s beyond which nobody has measured anything: a petabyte a second. */
static const double RATE_MOST = 1e12;

/* kB/s (1000 bytes), without overflow for what no disk can hold; 0 for no time, or a rate that cannot be. */
static uint64_t rate_of(const struct measurement *m)
{
    double rate = m->us ? (double)m->bytes * 1000 / (double)m->us : 0;

    return rate < RATE_MOST ? (uint64_t)rate : 0;
}

/* The page cache is faster than any link. */
static bool goes_to_the_device(const struct measured *x)
{
    return !text_ends_with(x->method, "/block-buffered");
}

static int add_witness(struct model *m, struct link *l)
{
    const struct measured *best = NULL;

    for (size_t i = 0; i < m->measures.n; i++) {
        const struct measured *x = &m->measures.v[i];

        if (x->device->link == l && goes_to_the_device(x) &&
            (!best || x->kb_per_s > best->kb_per_s))
            best = x;
    }
    return best ? link_add_witness(
                      l, WHO_CLOCK, best->method,
                      (struct mode){ .known = true,
                                     .rate = { .lanes = 1, .lane_kb_per_s = best->kb_per_s } })
                : 0;
}

static bool has_clock(const struct link *l)
{
    for (size_t i = 0; i < l->witnesses.n; i++)
        if (l->witnesses.v[i].who == WHO_CLOCK)
            return true;
    return false;
}

/* What is typical of that rate; NULL where nothing is. `f` may be NULL. */
static const char *match(const struct fingerprint *f, uint64_t kb_per_s)
{
    for (; f && f->what; f++)
        if (kb_per_s >= f->from_kb_per_s && kb_per_s <= f->to_kb_per_s)
            return f->what;
    return NULL;
}

static const struct fingerprint *fingerprints_of(const char *transport)
{
    for (size_t i = 0; transport && TRANSPORTS[i]; i++)
        if (strcmp(TRANSPORTS[i]->name, transport) == 0)
            return TRANSPORTS[i]->fingerprints;
    return NULL;
}

/* Of the hop nearest to the device that has one; the slot is the last. */
static const char *hint_of(const struct measured *x)
{
    const struct host *h = x->device->host;
    const char *hint = NULL;

    for (const struct link *l = x->device->link; l && !hint; l = l->up)
        if (!l->has_no_link)
            hint = match(fingerprints_of(l->transport), x->kb_per_s);
    return hint || !h || !h->pci_address || h->emulated ? hint
                                                        : match(SLOT_FINGERPRINTS, x->kb_per_s);
}

/* Of a share of what several read at a time, and of reads at random places, the rate says nothing of the link; nor does
 * that of a method which is not known. */
static bool is_evidence(const struct measurement *x)
{
    return measurement_counts(x) && x->together < 2 && !x->random &&
           measure_method_named(x->method);
}

static const struct measurement *copy_read(struct arena *a, const struct device *device,
                                           const struct measurement *x)
{
    struct measurement *copy = arena_alloc(a, sizeof(*copy));

    if (!copy)
        return NULL;
    *copy = *x;
    copy->hctl = device->hctl;
    copy->method = arena_strdup(a, x->method);
    copy->disturbed = arena_strdup(a, x->disturbed);
    copy->sense = arena_bytes(a, x->sense);
    return copy->method && (!x->disturbed || copy->disturbed) && copy->sense.data ? copy : NULL;
}

static int keep_timed(struct model *m, struct device *device, const struct measurement *x)
{
    const struct measurement *copy = copy_read(m->arena, device, x);

    return copy ? vec_push(&m->timed, (struct timed){ .device = device, .read = copy }) : -ENOMEM;
}

static int keep(struct model *m, struct device *device, const struct measurement *x)
{
    struct measured taken = { .device = device,
                              .block_bytes = x->block_bytes,
                              .kb_per_s = rate_of(x),
                              .median_us = x->median_us,
                              .wall_us = x->wall_us };
    int r = keep_timed(m, device, x);

    if (r < 0 || !is_evidence(x) || !taken.kb_per_s)
        return r;
    taken.method = m->timed.v[m->timed.n - 1].read->method;
    return vec_push(&m->measures, taken);
}

int measures_take(struct source *source, struct model *m)
{
    size_t hint = 0;
    int r = 0;

    for (size_t nth = 0; r == 0; nth++) {
        struct measure_request any = { .nth = nth };
        struct measurement x;
        struct device *device;

        r = source_measure(source, &any, &x);
        if (r < 0 || !x.hctl)
            break;
        device = device_of(m, x.hctl, &hint);
        r = device ? keep(m, device, &x) : 0;
    }
    for (size_t i = 0; r == 0 && i < m->measures.n; i++) {
        struct link *l = m->measures.v[i].device->link;

        r = l && !l->has_no_link && !has_clock(l) ? add_witness(m, l) : 0;
        m->measures.v[i].hint = goes_to_the_device(&m->measures.v[i]) ? hint_of(&m->measures.v[i])
                                                                      : NULL;
    }
    return r;
}

static int mean(struct arena *a, struct timed *t, unsigned clock_percent)
{
    struct meaning meaning;
    int r;

    if (!measurement_counts(t->read))
        return 0;
    r = meaning_of(a, t->device->link, t->read, clock_percent, &meaning);
    if (r < 0)
        return r;
    t->proves = meaning_to_string(meaning.kind);
    t->why = meaning.why;
    return 0;
}

int measures_timed(struct arena *a, struct device *device, const struct measurement *x,
                   unsigned clock_percent, struct timed *ret)
{
    *ret = (struct timed){ .device = device, .read = copy_read(a, device, x) };
    return ret->read ? mean(a, ret, clock_percent) : -ENOMEM;
}

int measures_mean(struct model *m, unsigned clock_percent)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < m->timed.n; i++)
        r = mean(m->arena, &m->timed.v[i], clock_percent);
    return r;
}
