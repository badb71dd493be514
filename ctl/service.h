/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parts of what status --service prints, each from its member of the reply to GetStatus.
 */
#pragma once

#include <stdio.h>

#include "base/bytes.h"

/* How it probes; nothing where `probes` is empty. Returns 0, -EBADMSG or -ENOMEM. */
int print_probes(struct bytes probes, FILE *out);
