/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How ranges are read here: for each line "RANGE VALUE" on standard input, a line "alert", "fine" or "none" (it is no range).
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/range.h"

int main(void)
{
    char text[64];
    double value;

    while (scanf("%63s %lf", text, &value) == 2) {
        struct range r;

        puts(range_parse(text, &r) < 0 ? "none" : range_alerts(&r, value) ? "alert" : "fine");
    }
    return EXIT_SUCCESS;
}
