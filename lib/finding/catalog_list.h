/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the tables of the catalog write a list of texts.
 */
#pragma once

#include <stddef.h>

#define LIST(...)         \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }
