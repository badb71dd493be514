/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A report as metrics (output/prometheus.h has the format).
 *
 * Names begin with hba_ and end with a base unit, so link rates are bytes per second. Labels that stand on every sample are
 * identities that survive a reboot: the ids of the report. What changes (names of the kernel, firmware) is in one family of
 * its own for each kind of object, hba_host_info, hba_link_info and hba_device_info, whose value is always 1 and which is
 * joined by those ids. States and verdicts are a sample for each that there is, of which one is 1.
 * A finding that somebody knows of has a label that says so: alerts leave it out, also where it keeps its severity.
 *
 * Counters are those that the hardware has, as it counts them: they may start over. Each is hba_TRANSPORT_WHAT_NAME_total,
 * where WHAT is what has it by the transport's own word (transport/transport.h).
 */
#pragma once

#include <stdio.h>

#include "finding/report.h"

/* All of it. Returns 0, or -ENOMEM where something is missing. */
int output_metrics(const struct report *report, FILE *out);
