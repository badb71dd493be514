/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "finding/report.h"

#include <stdlib.h>

#include "base/names.h"

static const char *const SEVERITIES[] = {
    [SEVERITY_NONE] = "none",
    [SEVERITY_INFO] = "info",
    [SEVERITY_WARNING] = "warning",
    [SEVERITY_CRITICAL] = "critical",
};
DEFINE_NAMES(enum severity, severity, SEVERITIES)

struct report *report_free(struct report *r)
{
    if (!r)
        return NULL;
    for (size_t i = 0; i < r->findings.n; i++)
        finding_done(r->findings.v[i]);
    free(r->findings.v);
    free(r->gaps.v);
    free(r->sent.v);
    free(r->notes.v);
    model_free(r->model);
    fact_set_free(r->facts);
    free(r);
    return NULL;
}
