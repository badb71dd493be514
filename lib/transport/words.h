/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was given to drivers on the kernel command line and in /etc/modprobe.d: many of their parameters
 * are in no /sys/module/…/parameters (libata.force, most of mptbase), and a limit that somebody set is no
 * fault.
 *
 * Only what bears on storage drivers becomes facts (source/storage_words.h says what does); the rest of
 * both is nobody's business and is forgotten.
 */
#pragma once

#include "transport/gathering.h"

/* Reads both, at LEVEL_MODES and above, into a subject of class "kernel" named "parameters": a fact
 * KEY_PARAMETER for each, "libata.force=3.0" wherever it stood and however it was spelt ('-' and '_' are
 * one), words of the kernel's own as they are; the origin is the file. Returns 0 or a negative errno. */
int gather_words(struct gathering *g);

/* The value that a parameter was given; `*ret_origin` (may be NULL) is where. The last word counts, and the
 * command line more than modprobe.d. NULL where none was. */
const char *word_value(const struct fact_set *set, const char *module, const char *parameter,
                       const char **ret_origin);

/* Was there a command line to read, and nothing of modprobe.d refused? Otherwise, that nothing was found says
 * nothing. */
bool words_were_seen(const struct fact_set *set);
