/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a link should do, and whether it does: transport-neutral, from the claims of the model.
 *
 * expected = the best that both ends and what lies between can do (`able`), held down by what somebody
 * configured (`allowed`). A verdict `below` needs proof from both ends: a claim that is only an upper
 * bound, or an end that says nothing, can make a link `ok` or `unknown`, never `below`. What the administrator
 * wants (`wish`) overrides all of it.
 */
#pragma once

#include "link/history.h"

/* Fills expected, expected_from, verdict and reason of every link. Where capability decides nothing, what the
 * link itself ran at before does (history may be NULL), then what at least two others of the same kind with
 * the same model do. Returns 0 or -ENOMEM. */
int expect_model(struct model *m, const struct history *history);

/* The links that this one can be compared with: same adapter, transport and place in the tree, same model at
 * the far end, up, nothing configured. Calls `each` until it returns false. */
void expect_siblings(const struct model *m, const struct link *l,
                     bool (*each)(void *userdata, const struct link *sibling), void *userdata);
