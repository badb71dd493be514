/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What has changed since a capture was taken, put into it: files that say something else now, and such as are gone.
 */
#pragma once

#include "source/store.h"

struct patch_result {
    size_t changed; /* files and links whose content, or refusal, is another now */
    size_t gone; /* of these: those that were there, and are not any more (ENOENT, ENODEV, ENXIO) */
    size_t foreign; /* entries that are not put in: their directory is not known */
};

/* Puts the files, links and refusals of `with` in the place of what the store has of them, or beside it where their directory
 * is known. A refusal of what was not there is nothing new, and neither is what stands where a directory is. `*ret` is set
 * in either case. Returns 0, -ENOMEM or -E2BIG, with a part of them put in. */
int store_patch(struct store *to, const struct store *with, struct patch_result *ret);
