/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The configuration of a request, and what is wrong with it (ctl.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ctl.h"
#include "live/config_files.h"

/* Adds what a file says, and says what is wrong with it. Returns 0, -ENOMEM, or why it cannot be read. */
static int load_file(struct config *config, const char *path)
{
    _cleanup_(config_messages_done) struct config_messages messages = { 0 };
    struct bytes text = { 0 };
    int r = config_file_read(path, &text);

    if (r < 0) {
        if (r != -ENOMEM)
            say("%s: %s", path, r == -EBADFD ? "not a regular file" : strerror(-r));
        return r;
    }
    r = config_parse(config, path, text, &messages);
    for (size_t i = 0; i < messages.list.n; i++) {
        const struct config_message *m = &messages.list.v[i];

        say("%s:%u: %s", m->place.file, m->place.line, m->text);
    }
    free((void *)(uintptr_t)text.data);
    return r;
}

static int load_files_of_machine(struct config *config)
{
    _cleanup_(config_files_done) struct config_files files = { 0 };
    int r = config_files_find("", &files);

    for (size_t i = 0; r == 0 && i < files.n; i++) {
        if (files.v[i].error)
            say("%s: %s", files.v[i].path, strerror(files.v[i].error));
        else
            r = load_file(config, files.v[i].path);
        r = r == -ENOMEM ? r : 0; /* what cannot be read was said; the others count */
    }
    return r;
}

int load_config(const struct request *request, struct config *ret)
{
    int r = config_init(ret);

    if (r == 0 && request->config)
        r = load_file(ret, request->config);
    else if (r == 0 && !request->n_captures && !request->sysfs_root)
        r = load_files_of_machine(ret);
    return r;
}
