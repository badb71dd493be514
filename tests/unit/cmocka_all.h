/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cmocka, with the headers it wants before it.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
