/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Own enums and their words: one table an enum, used in both directions.
 *
 * An enum ends in …_MAX and has …_INVALID = -EINVAL; its table is an array of …_MAX strings.
 */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* Defines  const char *NAME_to_string(enum)  (NULL outside the enum) over `table`. */
#define DEFINE_NAMES(type, name, table)                                          \
    const char *name##_to_string(type value)                                     \
    {                                                                            \
        if ((int)value < 0 || (size_t)value >= sizeof(table) / sizeof(table[0])) \
            return NULL;                                                         \
        return table[value];                                                     \
    }

/* Defines  int NAME_from_string(const char *)  (-EINVAL for a word that is not in the table). */
#define DEFINE_NAMES_BACK(name, table)                                        \
    int name##_from_string(const char *word)                                  \
    {                                                                         \
        for (size_t i = 0; word && i < sizeof(table) / sizeof(table[0]); i++) \
            if (table[i] && strcmp(table[i], word) == 0)                      \
                return (int)i;                                                \
        return -EINVAL;                                                       \
    }
