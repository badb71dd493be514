/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From verdicts, facts and history to findings: one cause, one finding.
 *
 * judge.c holds the table of rules; each rule is a function in a file of its kind (modes.c, caps.c, gone.c,
 * time.c, device.c, reads.c, load.c) and named in the table with the codes it can raise.
 */
#pragma once

#include "finding/life.h"
#include "finding/report.h"
#include "finding/thresholds.h"
#include "link/history.h"

/* What the rules work with. */
struct judging {
    struct report *report;
    struct model *model;
    struct arena *arena;                         /* the model's */
    const struct history *history;               /* never NULL, may be empty */
    const struct acknowledgements *acknowledged; /* may be NULL */
    struct thresholds thresholds;
    struct link **by_id;                 /* all links, sorted by id */
    const struct device **first_devices; /* of each link, by its index; NULL where it has none */
};

/* Adds all findings to the report, worst first. history and acknowledged may be NULL; what is acknowledged is copied. Returns 0
 * or -ENOMEM. */
int judge_report(struct report *report, const struct history *history,
                 const struct acknowledgements *acknowledged, const struct thresholds *thresholds);

/* ---- for the rules ---- texts are copied */

/* Adds a finding of a code with its catalog severity; NULL without memory. */
struct finding *judge_add(struct judging *j, const char *code);

/* Gives the finding the causes and remedies that its code has in a situation. Returns 0 or -ENOMEM. */
int judge_situation(struct judging *j, struct finding *f, enum situation situation);

/* The situation of a finding about the link. */
enum situation judge_situation_of(const struct link *l);

/* Adds a subject with what people call it. Return 0 or -ENOMEM. */
int judge_subject_host(struct judging *j, struct finding *f, const struct host *h);
int judge_subject_link(struct judging *j, struct finding *f, const struct link *l);
int judge_subject_device(struct judging *j, struct finding *f, const struct device *d);
int judge_subject_device_and_link(struct judging *j, struct finding *f, const struct device *d);
int judge_subject(struct finding *f, const char *id, const char *name);

/* Adds evidence, none where `value` is NULL; `from` may be NULL. */
int judge_evidence(struct finding *f, const char *what, const char *value, const char *from);

/* The finding's sentence. Returns 0 or -ENOMEM. */
int judge_say(struct judging *j, struct finding *f, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "Ultra320", "66.0 MB/s", "async": a mode in words, in the arena. */
const char *judge_mode(struct judging *j, const struct mode *m);

/* "0:0:2:0 (sdc, SEAGATE ST3146807LC)": a device in words, in the arena. */
const char *judge_device_name(struct judging *j, const struct device *d);

/* "target0:0:2 (SEAGATE ST3146807LC)", "the slot of host0 (0000:03:00.0)": a link in words, in the arena. */
const char *judge_link_name(struct judging *j, const struct link *l);

/* "2026-11-30 10:00 UTC", in the arena; NULL where it is not known. */
const char *judge_time(struct judging *j, uint64_t wall_us);

/* " and 3 more" for n of 3, "" for 0, in the arena. */
const char *judge_more(struct judging *j, size_t n);

/* lanes.c: adds which lanes a wide link has, and what is at its near end and in no link. Returns 0 or -ENOMEM. */
int judge_lanes(struct judging *j, struct finding *f, const struct link *l);

/* Is the link named by a finding of one of these codes already (NULL: of any)? */
bool judge_is_named(const struct judging *j, const char *id, const char *const *codes);

/* The first device on a link, NULL where there is none. */
const struct device *judge_device_on(const struct judging *j, const struct link *l);

/* Are both links one wire: of hosts that there is one of for each target that is reached through it? True of a
 * link and itself. */
bool judge_same_wire(const struct link *a, const struct link *b);

/* The link of that id; NULL where the model has none. */
struct link *judge_link(const struct judging *j, const char *id);

/* Is the link the PCI Express one of its host? */
bool judge_is_slot(const struct link *l);

/* Time from an earlier snapshot to the report; 0 where the clock was set back. */
uint64_t judge_ago(const struct judging *j, const struct snapshot *s);

/* The report as a snapshot without contents: when it was taken. */
struct snapshot judge_now(const struct judging *j);

/* since.c: sets since when it is known to hold. */
void judge_since(const struct judging *j, struct finding *f);

/* gain.c: adds what a repair of the links in it gives their devices. Only for a finding that its links know.
 * Returns 0 or -ENOMEM. */
int judge_gain(struct judging *j, struct finding *f);

/* ---- rules ---- each returns 0 or -ENOMEM */

int judge_modes(struct judging *j);        /* modes.c */
int judge_caps(struct judging *j);         /* caps.c */
int judge_disagreement(struct judging *j); /* witness.c */
int judge_siblings(struct judging *j);
int judge_lost(struct judging *j); /* gone.c */
int judge_paths(struct judging *j);
int judge_flapping(struct judging *j); /* time.c */
int judge_errors(struct judging *j);
int judge_resets(struct judging *j);
int judge_stuck(struct judging *j); /* device.c */
int judge_reads(struct judging *j); /* reads.c */
int judge_slow_reads(struct judging *j);
int judge_slots(struct judging *j); /* load.c */
int judge_loads(struct judging *j);
int judge_hidden(struct judging *j);
