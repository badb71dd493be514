/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a link should do, and whether it does: transport-neutral, from the claims of the model.
 *
 * expected = the best that both ends and what lies between can do (`able`), held down by what somebody
 * configured (`allowed`). A verdict `below` needs proof from both ends: a claim that is only an upper
 * bound, or an end that says nothing, can make a link `ok` or `unknown`, never `below`.
 */
#pragma once

#include "link/model.h"

/* Fills expected, expected_from, verdict and reason of every link. Returns 0 or -ENOMEM. */
int expect_model(struct model *m);
