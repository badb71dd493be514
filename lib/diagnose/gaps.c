/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "diagnose/gaps.h"

#include <string.h>

/* Qualities that leave a gap which somebody could close. What is silent, or refused by a device that
 * does not know the page, is how things are. */
static const struct {
    enum quality quality;
    const char *remedy;
} GAPS[] = {
    { QUALITY_DENIED, "run it as root, or as a member of the groups disk, cdrom and tape" },
    { QUALITY_TIMED_OUT, "see the kernel's log for what happened to the device" },
    { QUALITY_MALFORMED, NULL },
    { QUALITY_FAILED, NULL },
    { QUALITY_UNASKED, NULL },
};

static const char *what_of(const struct fact *f)
{
    return strchr(f->origin, ' ') ? "SCSI commands" : f->origin;
}

static int note(struct report *report, const struct subject *s, const struct fact *f,
                const char *remedy)
{
    const char *what = what_of(f);

    for (size_t i = 0; i < report->gaps.n; i++) {
        struct gap *g = &report->gaps.v[i];

        if (g->quality == f->quality && strcmp(g->what, what) == 0 &&
            (f->quality != QUALITY_UNASKED || g->why == f->why)) {
            g->count++;
            return 0;
        }
    }
    return vec_push(&report->gaps, (struct gap){ what, f->quality, f->why, remedy, s->name, 1 });
}

static int look_at(struct report *report, const struct subject *s)
{
    int r = 0;

    for (uint32_t i = 0; r == 0 && i < s->n_facts; i++)
        for (size_t j = 0; r == 0 && j < ELEMENTS(GAPS); j++)
            if (s->facts[i].quality == GAPS[j].quality)
                r = note(report, s, &s->facts[i], GAPS[j].remedy);
    return r;
}

int gaps_find(struct report *report)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < fact_set_classes(report->facts); i++)
        for (const struct subject *s =
                 fact_set_first(report->facts, fact_set_class(report->facts, i));
             r == 0 && s; s = s->next_of_class)
            r = look_at(report, s);
    return r;
}
