/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names that stand for devices to read (ctl.h).
 */
#include <errno.h>

#include "ctl/ctl.h"

int resolve_words(const struct request *request, const struct report *report, struct devices *ret,
                  struct devices *ret_named)
{
    for (int i = 0; i < request->n_words; i++) {
        _cleanup_free_ char *buffer = NULL;
        const char *name = request->n_captures ? request->words[i]
                                               : resolve_live_name(request->words[i], &buffer);
        size_t before = ret->n;
        int n = disks_named(report, name, ret, ret_named);

        if (n == 0) /* what a path leads to has no name here: a volume of LVM has */
            n = disks_named(report, request->words[i], ret, ret_named);
        if (n == 0 && ret->n == before && resolve_name(report, request->words[i], NULL, 0) == 0) {
            say("nothing here is called %s; hbactl list devices shows the names",
                request->words[i]);
            return -ENODEV;
        }
        if (n < 0)
            return n;
    }
    if (request->n_words && !ret->n) {
        say("there is no disk behind %s", request->words[0]);
        return -ENODEV;
    }
    return 0;
}
