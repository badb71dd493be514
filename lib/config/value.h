/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of configuration keys: text → what the structures of config.h hold. A part of config.c.
 */
#pragma once

#include "config/config.h"

/* Puts the value into the object of the key's section; the key's standard where the text is empty. Texts
 * are copied into the arena. Returns 0, -ENOMEM, or -EBADMSG for a value that is not of the key's type:
 * `*ret_want` is then what it should be, for people, in the arena; the object is as it was. */
int config_value_set(const struct config_key *key, void *object, struct arena *arena,
                     const char *text, const char **ret_want);
