/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the other programs of hbad are.
 */
#pragma once

#include <stddef.h>

/* The path of a program in the directory that this program is in, else in `dir`, where it is installed. Returns 0, or a
 * negative errno where it cannot be run: the path is the one in `dir` then. */
int program_find(const char *name, const char *dir, char *ret, size_t size);
