/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A source over a store: what a capture holds answers, and nothing else does (CAPTURE.md, "Replay").
 * It has no events, and its clock is the capture's.
 */
#pragma once

#include "source/source.h"
#include "source/store.h"

/* A replay of the store, which must outlive it and may grow meanwhile. NULL without memory. */
struct source *replay_new(const struct store *store);
