/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A capture with its identities replaced: what is attached to a bug report.
 *
 * Serial numbers, World Wide Names, SAS, MAC and IP addresses, iSCSI names and the host name become
 * others of the same form, wherever they stand: sysfs, procfs and udev text, paths and link targets,
 * binary pages. scrub_map.h says what each becomes. A report on the scrubbed capture says the same as
 * one on the original, but for names.
 *
 * What people have named after themselves where file systems are mounted, and device-mapper maps, becomes
 * other letters; directories that every system has stay.
 *
 * Left out altogether: iSCSI user names and passwords, data of reads, words of the kernel command line
 * and lines of modprobe.d that do not bear on storage (storage_words.h).
 *
 * Not hidden are vendor, model and firmware, the OUI and the low eight bits of addresses, the last byte
 * of IP addresses, the machine's layout and its kernel's name.
 */
#pragma once

#include "source/scrub_map.h"
#include "source/store.h"

/* Copies all of `in` to `out`, a new store, scrubbed. The key decides what everything becomes: the same
 * key gives the same names in two captures of one machine, so that they can be compared; who has the key
 * and a guess can confirm the guess. Returns 0, or a negative errno, in which case `out` holds a part. */
int scrub_store(const struct store *in, struct store *out, const struct scrub_key *key);
