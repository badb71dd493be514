/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * JSON that came on one line, laid out for people.
 */
#pragma once

#include <stdio.h>

#include "base/bytes.h"

/* Writes a well formed JSON text (wire/reply.h has read it) with a line for each member and element; an object that has no other
 * in it stays on one line. No line end behind it. */
void json_layout(struct bytes json, FILE *out);
