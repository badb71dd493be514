/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who is hit when a device or link is: a part of diagnose.c.
 */
#pragma once

#include "finding/report.h"

/* Fills the devices' `users` from what gather_holders() found. Returns 0 or -ENOMEM. */
int users_relate(const struct fact_set *facts, struct model *m);

/* Fills each finding's `users`: what rides on the devices that its subjects are or lead to. Returns 0 or
 * -ENOMEM. */
int users_hit(struct report *report);
