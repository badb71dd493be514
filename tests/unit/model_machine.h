/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Small machines made by hand, for the tests of rules: hosts, links, devices, and a past.
 *
 * A link is made running at a rate; what its ends can do is added. remember() makes what the model is at that
 * minute part of the past, then the test changes the model and goes on.
 */
#pragma once

#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "facts/key.h"
#include "link/history.h"

/* Payload of a lane in MB/s, as kB/s. */
#define MB(n) ((uint64_t)(n)*1000)

struct report;

struct machine {
    struct model *model;
    struct history *past;
    struct report *report;                       /* of tests that judge */
    uint64_t boot_us;                            /* wall clock at boot */
    const struct acknowledgements *acknowledged; /* NULL: nobody knows of anything */
};

static const struct fact_key WORD_ERRORS = { "word_errors", FACT_NUMBER, FACT_ERRORS };
static const struct fact_key SOFT_ERRORS = { "soft_errors", FACT_NUMBER, FACT_SOFT_ERRORS };
static const struct fact_key PHY_RESETS = { "phy_resets", FACT_NUMBER, FACT_EVENTS };

static const uint64_t MINUTE_US = 60ull * 1000000;

static inline struct machine machine_new(void)
{
    struct machine k = { model_new(), history_new(), NULL, 1000 * MINUTE_US };

    assert_non_null(k.model);
    assert_non_null(k.past);
    return k;
}

static inline void machine_done(struct machine *k)
{
    model_free(k->model);
    history_free(k->past);
}

static inline const char *text(struct machine *k, const char *a, const char *b)
{
    const char *t = arena_printf(k->model->arena, "%s%s", a, b);

    assert_non_null(t);
    return t;
}

static inline struct subject *subject(struct machine *k, const char *name)
{
    struct subject *s = arena_alloc(k->model->arena, sizeof(*s));

    assert_non_null(s);
    *s = (struct subject){ .class_name = "test", .name = name, .path = name };
    return s;
}

/* Puts or replaces a fact of a subject made here. */
static inline void put(struct machine *k, const struct subject *to, const struct fact_key *key,
                       uint64_t number, const char *words)
{
    struct subject *s = (struct subject *)(uintptr_t)to;
    struct fact *facts;
    uint32_t i = 0;

    while (i < s->n_facts && s->facts[i].key != key)
        i++;
    if (i == s->n_facts) {
        facts = arena_new_array(k->model->arena, struct fact, s->n_facts + 1);
        assert_non_null(facts);
        if (s->n_facts)
            memcpy(facts, s->facts, s->n_facts * sizeof(*facts));
        s->facts = facts;
        s->n_facts++;
    }
    s->facts[i] = (struct fact){ .key = key, .origin = "test", .quality = QUALITY_OK };
    if (words) {
        s->facts[i].text = words;
        s->facts[i].len = (uint32_t)strlen(words);
    } else {
        s->facts[i].number = number;
    }
}

static inline int describe(struct arena *arena, struct rate rate, struct mode *ret)
{
    *ret = (struct mode){ .known = true, .rate = rate };
    ret->label = arena_printf(arena, "%u x %u", rate.lanes, (unsigned)(rate.lane_kb_per_s / 1000));
    return ret->label ? 0 : -ENOMEM;
}

static inline struct mode mode(struct machine *k, unsigned lanes, uint64_t lane_kb)
{
    struct mode m;

    assert_int_equal(describe(k->model->arena, (struct rate){ lanes, 0, lane_kb }, &m), 0);
    return m;
}

/* A host with a slot that can do all its links ask for. `pci` is "0000:01:00.0". */
static inline struct host *host(struct machine *k, const char *name, const char *pci)
{
    struct host *h = model_add_host(k->model, subject(k, name));

    assert_non_null(h);
    h->id = text(k, "pci-", pci);
    h->pci_address = pci;
    h->pci_id = "1000:0030";
    h->transport = "test";
    h->driver = "driver";
    h->model = "CHIP";
    h->state = "running";
    h->own = subject(k, name);
    return h;
}

/* A link that is up; its id is HOST-NAME. */
static inline struct link *wire(struct machine *k, struct host *h, const char *name, unsigned lanes,
                                uint64_t lane_kb)
{
    struct link *l = model_add_link(k->model, h, subject(k, name), name);

    assert_non_null(l);
    l->id = arena_printf(k->model->arena, "%s-%s", h->id, name);
    l->transport = "test";
    l->near = h->id;
    l->far = "DISK";
    l->describe = describe;
    l->state = LINK_UP;
    l->up = h->slot;
    l->actual = mode(k, lanes, lane_kb);
    assert_int_equal(link_add_witness(l, WHO_INITIATOR, "driver", l->actual), 0);
    return l;
}

static inline void able(struct machine *k, struct link *l, enum who who, unsigned lanes,
                        uint64_t lane_kb)
{
    assert_int_equal(link_add_able(l, who, who_to_string(who), mode(k, lanes, lane_kb), false), 0);
}

static inline void at_most(struct machine *k, struct link *l, enum who who, unsigned lanes,
                           uint64_t lane_kb)
{
    assert_int_equal(link_add_able(l, who, who_to_string(who), mode(k, lanes, lane_kb), true), 0);
}

static inline void allowed(struct machine *k, struct link *l, unsigned lanes, uint64_t lane_kb)
{
    assert_int_equal(link_add_allowed(l, WHO_INITIATOR, "setting", mode(k, lanes, lane_kb)), 0);
}

/* Both ends prove that they can do that. */
static inline struct link *proven(struct machine *k, struct link *l, unsigned lanes,
                                  uint64_t lane_kb)
{
    able(k, l, WHO_INITIATOR, lanes, lane_kb);
    able(k, l, WHO_TARGET, lanes, lane_kb);
    return l;
}

/* A link of one lane that runs at `runs` MB/s, where both ends prove `can`. */
static inline struct link *lane(struct machine *k, struct host *h, const char *name, unsigned runs,
                                unsigned can)
{
    return proven(k, wire(k, h, name, 1, MB(runs)), 1, MB(can));
}

static inline void runs(struct machine *k, struct link *l, unsigned lanes, uint64_t lane_kb)
{
    l->actual = mode(k, lanes, lane_kb);
    for (size_t i = 0; i < l->witnesses.n; i++)
        if (l->witnesses.v[i].who == WHO_INITIATOR)
            l->witnesses.v[i].mode = l->actual;
}

static inline struct device *disk(struct machine *k, struct host *h, struct link *l,
                                  const char *hctl)
{
    struct subject *s = subject(k, hctl);
    struct device *d = model_add_device(k->model, h, s);

    assert_non_null(d);
    s->host = h ? (struct subject *)(uintptr_t)h->subject : NULL;
    d->id = arena_printf(k->model->arena, "%s-lun-0", l ? l->id : hctl);
    d->type = "disk";
    d->model = "DISK";
    d->link = l;
    return d;
}

static inline void counter(struct machine *k, struct link *l, const struct fact_key *key,
                           uint64_t value)
{
    put(k, l->subject, key, value, NULL);
    l->counters.n = 0;
    for (uint32_t i = 0; i < l->subject->n_facts; i++)
        assert_int_equal(link_add_counter(l, l->subject, l->subject->facts[i].key), 0);
}

static inline void remote(struct machine *k, struct link *l, const char *name, const char *node,
                          bool is_up)
{
    struct remote r = { .id = arena_printf(k->model->arena, "%s-%s", l->id, name),
                        .kernel_name = name,
                        .node = node,
                        .state = is_up ? "Online" : "Not Present",
                        .is_up = is_up,
                        .link = l,
                        .subject = subject(k, name) };

    assert_int_equal(vec_push(&k->model->remotes, r), 0);
}

static inline void measured(struct machine *k, struct device *d, unsigned mb)
{
    struct measured x = {
        .device = d, .method = "read-media", .block_bytes = 65536, .kb_per_s = MB(mb)
    };

    assert_int_equal(vec_push(&k->model->measures, x), 0);
}

/* The link is gone from the model. */
static inline void drop(struct machine *k, struct link *gone)
{
    struct model *m = k->model;
    size_t n = 0;

    free(gone->witnesses.v);
    free(gone->able.v);
    free(gone->allowed.v);
    free(gone->counters.v);
    for (size_t i = 0; i < m->links.n; i++) {
        if (m->links.v[i] == gone)
            continue;
        m->links.v[i]->index = n;
        m->links.v[n++] = m->links.v[i];
    }
    m->links.n = n;
}

static inline void remember(struct machine *k, unsigned minute)
{
    assert_int_equal(
        history_add(k->past, k->model, k->boot_us + minute * MINUTE_US, minute * MINUTE_US), 0);
}
