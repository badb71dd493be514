/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jansson beside our own reader and writer, which share some names with it: its types are called
 * JANSSON_… here. To be included before base/json_*.h. Of jansson's functions those named below
 * cannot be used.
 */
#pragma once

#define JSON_OBJECT  JANSSON_OBJECT
#define JSON_ARRAY   JANSSON_ARRAY
#define JSON_STRING  JANSSON_STRING
#define JSON_INTEGER JANSSON_INTEGER
#define JSON_REAL    JANSSON_REAL
#define JSON_TRUE    JANSSON_TRUE
#define JSON_FALSE   JANSSON_FALSE
#define JSON_NULL    JANSSON_NULL
#define json_string  jansson_string
#define json_null    jansson_null
#include <jansson.h>
#undef JSON_OBJECT
#undef JSON_ARRAY
#undef JSON_STRING
#undef JSON_INTEGER
#undef JSON_REAL
#undef JSON_TRUE
#undef JSON_FALSE
#undef JSON_NULL
#undef json_string
#undef json_null
