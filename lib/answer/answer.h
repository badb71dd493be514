/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a verb of hbactl answers from a report, as text or as JSON: one code, whether hbactl has judged the machine itself or
 * the daemon has, and both print the same.
 */
#pragma once

#include "diagnose/diagnose.h"
#include "output/output.h"

struct answer_style {
    bool json, pretty; /* `pretty` counts with `json`, `text` without */
    struct text_style text;
};

/* So many objects are shown of all that go by one name. */
enum { ANSWER_OBJECTS_MAX = 16 };

/* How much must be known of the machine for a list: hosts, links, devices or findings. Returns 0, or -ENOENT where there is no
 * such list. */
int answer_list_level(const char *kind, enum level *ret);

/* Prints the answer: `verb` is status, list, show, explain or metrics (which have one form only), `word` what is behind it (NULL
 * for status and metrics): the kind of a list, or a name as resolve_name() takes it. What is gone, and named by findings yet, counts as one object.
 * Returns how many objects go by the name (1 for status, list and metrics), 0 where none does and nothing was printed; -EINVAL where there
 * is no such verb or a word too few, -ENOENT where there is no such list, -ENOMEM. */
int answer(const struct report *report, const char *verb, const char *word,
           const struct answer_style *style, FILE *out);
