/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the configuration stands on this machine, in the manner of systemd (systemd.syntax(7)):
 *
 *   /etc/hbad/hbad.conf, else /usr/lib/hbad/hbad.conf
 *   /etc/hbad/hbad.conf.d/X.conf, else /usr/lib/hbad/hbad.conf.d/X.conf, for each X in the order of strcmp()
 *
 * A file in /etc stands for the one of that name in /usr/lib, even where it is empty, a link to /dev/null
 * or cannot be read. Later files count over earlier ones. What they say is config/config.h's matter.
 */
#pragma once

#include <stddef.h>

#include "base/bytes.h"
#include "config/config.h"

struct config_file {
    char *path;
    int error; /* why that directory cannot be listed; 0: it is a file, to be read */
};

struct config_files {
    struct config_file *v;
    size_t n;
};

/* The files in the order in which they count; directories of drop-ins that are there and cannot be listed
 * stand before the drop-ins. `root` comes before all paths, "" for this machine's. Returns 0 or -ENOMEM. */
int config_files_find(const char *root, struct config_files *ret);
void config_files_done(struct config_files *files);

/* Most bytes that a configuration file may have. */
enum { CONFIG_FILE_BYTES = 1024 * 1024 };

/* The whole of a file; the caller frees ret->data. Returns 0, -EFBIG beyond CONFIG_FILE_BYTES, -EBADFD for what
 * is neither a regular file nor the null device nor a pipe under /dev/fd/ (reading it may never end), -EISDIR, or
 * another negative errno as the system gave it. */
int config_file_read(const char *path, struct bytes *ret);

/* Adds what a file says, or, where `file` is NULL, what all files of this machine say, to a configuration. What is wrong
 * with them, and which could not be read, goes to the messages. Returns 0 or -ENOMEM; -ENOENT or another negative errno
 * where a `file` that was named cannot be read, which is among the messages, too. */
int config_files_load(const char *file, struct config *config, struct config_messages *messages);
