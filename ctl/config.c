/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The configuration of a request, and what is wrong with it (ctl.h).
 */
#include "ctl/ctl.h"
#include "live/config_files.h"

static void say_message(const struct config_message *m)
{
    if (m->place.line)
        say("%s:%u: %s", m->place.file, m->place.line, m->text);
    else
        say("%s: %s", m->place.file, m->text);
}

int load_config(const struct request *request, struct config *ret)
{
    _cleanup_(config_messages_done) struct config_messages messages = { 0 };
    bool is_here = !request->n_captures && !request->sysfs_root;
    int r = config_init(ret);

    if (r == 0 && (request->config || is_here))
        r = config_files_load(request->config, ret, &messages);
    for (size_t i = 0; i < messages.list.n; i++)
        say_message(&messages.list.v[i]);
    return r;
}
