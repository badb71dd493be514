/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a diagnosis gives: the machine with its verdicts, and what could not be seen. Free of how it
 * was gathered and of how it is shown.
 */
#pragma once

#include "base/vec.h"
#include "finding/finding.h"
#include "link/model.h"

/* Something that could not be seen, said once for all that it concerns. */
struct gap {
    const char *what; /* "SCSI commands", "counters" */
    enum quality quality;
    const char *why;     /* "EACCES", a rule; may be NULL */
    const char *remedy;  /* what would help; may be NULL */
    const char *example; /* one of those it concerns: "0:0:2:0" */
    size_t count;
};

/* What was sent to a device, by operation, until the capture that is judged was complete. */
struct sent {
    const char *hctl;
    const struct device *device; /* NULL where the report has none of that name */
    const char *operation;       /* "INQUIRY", …; "READ" of timed reads, whatever form they had */
    uint64_t count;
    uint64_t bytes; /* that came back */
};

struct summary {
    size_t hosts, links, devices;
    size_t verdicts[_VERDICT_MAX];
    size_t findings[_SEVERITY_MAX];
    enum severity worst;
};

struct report {
    uint64_t wall_us, mono_us;
    const char *kernel, *machine, *hostname;
    struct model *model;    /* owned */
    struct fact_set *facts; /* owned */
    struct summary summary;
    VEC(struct finding *) findings; /* worst first */
    VEC(struct gap) gaps;
    VEC(struct sent) sent; /* by device in their order, then by operation */
    size_t unexamined;     /* adapters of which not all could be read */
    /* Why what was before is not known, where it should be: what is gone since then would pass for well. NULL: it is. */
    const char *lacks_past;
    VEC(const char *)
    notes; /* what went wrong on the way: a device that did not answer, a capture that broke off */
};

struct report *report_free(struct report *r);
DEFINE_CLEANUP(struct report, report_free)
