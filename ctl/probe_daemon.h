/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbactl probe by the daemon, which knows what was read today, and who is left alone.
 */
#pragma once

#include "ctl/ctl.h"

/* Has the daemon probe what the words name, and prints what came of it. Returns 0 where it cannot be asked, and that is no
 * matter; else 1, with the exit status. */
int probe_by_daemon(const struct request *request, int *ret_status);
