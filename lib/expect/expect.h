/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a link should do, and whether it does: transport-neutral, from the claims of the model.
 *
 * expected = the best that both ends and what lies between can do (`able`), held down by what somebody
 * configured (`allowed`). A verdict `below` needs proof from both ends: a claim that is only an upper
 * bound, or an end that says nothing, can make a link `ok` or `unknown`, never `below` by itself. Then a
 * second witness may: the link's own past, others like it, or what its near end did with another far end.
 * Where it cannot be read whether the link was told to run slower, none of this proves anything; nor is a
 * link `capped` by a limit whose end does not say what it could do without. What the administrator
 * wants (`wish`) overrides all of it.
 */
#pragma once

#include "link/history.h"

/* Fills expected, expected_from, verdict and reason of every link. Where capability decides nothing, what the
 * link itself ran at before does (history may be NULL), then what others of the same kind with the same model
 * do: at least two, or one that runs at the best that is possible here. Returns 0 or -ENOMEM. */
int expect_model(struct model *m, const struct history *history);

/* Finds for each link those that it can be compared with: same card, transport and place in the tree, same model
 * at the far end (where that is a network, same model of adapter). Those that are up, and whose ends are at one
 * about their mode, speak for the others. expect_model() begins with it. Returns 0 or -ENOMEM. */
int expect_find_siblings(struct model *m);

/* Calls `each` for the siblings that are faster than the link or have more lanes, in the order of the model's
 * list, until it returns false. */
void expect_better_siblings(const struct link *l,
                            bool (*each)(void *userdata, const struct link *sibling),
                            void *userdata);

/* Are the two hosts on one card: functions of one PCI device, or the same host? */
bool expect_same_card(const struct host *a, const struct host *b);

/* The best that all of the link's ends can do, as far as they say; false where none says anything. */
bool expect_ability(const struct link *l, struct rate *ret);

/* Does the link run at just what somebody configured? */
bool expect_is_limited(const struct link *l);

/* Is a read of so many kB/s, by a method of that name, more than the link can carry: above that per cent of the payload
 * of its mode? False where no mode is known, and of reads through the page cache, which is faster than any link. */
bool expect_clock_contradicts(const struct link *l, const char *method, uint64_t kb_per_s,
                              unsigned percent);

/* Do initiator and target name different modes for the link? Then their words, else false. */
bool expect_disagreement(const struct link *l, const struct claim **ret_initiator,
                         const struct claim **ret_target);
