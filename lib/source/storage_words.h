/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which words of the kernel command line and which lines of /etc/modprobe.d bear on storage drivers.
 * Nothing else of either is recorded: they may hold passwords, addresses and names. Used by the
 * recorder and by scrubbing, for captures that were not made so.
 *
 * Known are SCSI, ATA, USB and PCI drivers and cores; '-' and '_' in a name are one, as for modprobe.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"

/* Is this the name of a module that drives storage or what lies between it and the processor? */
bool storage_module(struct bytes name);

/* Does the word of a command line bear on storage: a parameter of such a module ("libata.force=3.0",
 * "modprobe.blacklist=mptspi"), or one of the kernel's own ("pci=noaer", "aic7xxx=verbose")? */
bool storage_word(struct bytes word);

/* The words of a kernel command line that bear on storage, a space between them, in their order, and a
 * newline behind the last; empty where there are none. In the arena; data is NULL without memory. Words
 * are separated by white space outside double quotes (Documentation/admin-guide/kernel-parameters). */
struct bytes cmdline_storage_words(struct arena *a, struct bytes cmdline);

/* The lines of a modprobe.d file (modprobe.d(5)) that are "options", "blacklist", "softdep" or
 * "install" for such a module, each with its newline. Continued lines are joined; of "install" only the
 * first word of the command stays, since the rest is a shell command and may say anything. Result as
 * above. */
struct bytes modprobe_storage_lines(struct arena *a, struct bytes text);

/* What of a file's content may be recorded: "First, do no harm", rule 7. Of /proc/cmdline and of
 * files in /etc/modprobe.d only the above, of mounts and swaps what mounts.h keeps, of anything else
 * all. */
int storage_filter(struct arena *arena, const char *path, struct bytes content, struct bytes *ret);
