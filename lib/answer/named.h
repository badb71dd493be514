/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a person means by a name, where more is meant than the object itself: the findings about it, and what is remembered of it.
 */
#pragma once

#include "finding/report.h"

/* The findings that name what goes by the name (resolve_name()), of a device also its link; or, where nothing goes by it any more,
 * those that call something so. `code`: only those of that code; NULL: all. At most `max` are written, the number of all is
 * returned. */
size_t named_findings(const struct report *report, const char *name, const char *code,
                      struct finding **ret, size_t max);

/* Something that is remembered under an id. */
struct named {
    const char *id, *name; /* `name`: what people call it */
};

/* What goes by the name, a device with its link behind it, none twice. Where nothing does, it is taken for an id. At most `max` are
 * written. Returns how many were. */
size_t named_objects(const struct report *report, const char *name, struct named *ret, size_t max);
