/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any text as what a monitoring plugin has to say: it stays where it belongs. The first line has one '|', behind the text; lines of
 * the long output have none; Checkmk gets one line; nothing in either commands a shell or a page; and all of it fits.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/plugin.h"

#define require(condition) ((condition) ? (void)0 : abort())

enum { TEXT_MAX = 4096, NAGIOS_MAX = 8192, LINES = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(const struct plugin *p, bool is_checkmk, char ret[static NAGIOS_MAX])
{
    FILE *out = fmemopen(ret, NAGIOS_MAX, "w");

    require(out);
    plugin_print(p, is_checkmk, out);
    require(fflush(out) == 0 && ftell(out) < NAGIOS_MAX - 1); /* all of it went in */
    fclose(out);
}

static size_t count(const char *text, char c)
{
    size_t n = 0;

    for (; *text; text++)
        n += *text == c;
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[TEXT_MAX] = "", out[NAGIOS_MAX];
    const char *lines[LINES] = { text, text, text };
    char label[33];
    struct plugin_number number = { .label = label, .unit = "" };
    struct plugin p = { .status = PLUGIN_OK, .text = text };

    memcpy(text, data, size < sizeof(text) - 1 ? size : sizeof(text) - 1);
    snprintf(label, sizeof(label), "%.*s", (int)sizeof(label) - 1, text);
    p.numbers.v = &number;
    p.numbers.n = 1;
    p.lines.v = lines;
    p.lines.n = LINES;
    print(&p, false, out);
    require(!strpbrk(out, "`$\\<>\"\r\t\x1b\x7f"));
    require(count(out, '|') == 1 && strchr(out, '|') < strchr(out, '\n'));
    require(count(out, '\n') <= LINES + 1 && out[strlen(out) - 1] == '\n');
    p.about = label;
    print(&p, true, out);
    require(!strpbrk(out, "`$<>|\r\t\x1b\x7f") && count(out, '"') == 2);
    require(count(out, '\n') == 1 && count(out, '\\') <= LINES);
    return 0;
}
