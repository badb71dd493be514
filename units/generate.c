/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes what is installed and says what tables in the program say, so that it cannot say otherwise:
 *   generate catalog    texts for journalctl -x, from the catalog of findings
 *   generate conf       hbad.conf: every key with its default, as a comment
 */
#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "finding/catalog.h"

/* ---- the catalog: systemd.io/CATALOG ---- */

/* A paragraph of lines that fit a terminal, the first one behind `mark`, the others as far to the right. */
static void paragraph(const char *mark, const char *text, const char *end)
{
    enum { COLUMNS = 78 };
    size_t indent = strlen(mark), column = indent;

    fputs(mark, stdout);
    while (*text) {
        size_t n = strcspn(text, " "), after = text[n] ? 0 : strlen(end);

        if (column > indent && column + 1 + n + after > COLUMNS) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)n, text);
        column += n;
        text += n + (text[n] == ' ');
    }
    puts(end);
}

/* @ begins a field there; none of our texts has one. */
static void list(const char *title, const char *const *lines)
{
    printf("\n%s\n", title);
    for (size_t i = 0; lines[i]; i++) {
        char mark[32];

        snprintf(mark, sizeof(mark), " %zu. ", i + 1);
        paragraph(mark, lines[i], "");
    }
}

static void catalog(void)
{
    puts("# SPDX-License-Identifier: LGPL-2.1-or-later");
    for (const struct catalog_entry *e = CATALOG; e->code; e++) {
        printf("\n-- %s\nSubject: %s: %s (@HBAD_CHANGE@)\nDefined-By: hbad\n"
               "Documentation: man:hbad-findings(7)\n\n",
               e->message_id, e->code, e->title);
        printf("@MESSAGE@.\n\nThis is about: @HBAD_NAMES@\nIds: @HBAD_SUBJECTS@\n");
        list("What causes it, likeliest first:", e->causes);
        list("What to do, in this order:", e->remedies);
        putchar('\n');
        paragraph("It is not: ", e->not_this, ".");
        printf("\nHow it is now: hbactl\nMore about it: hbactl explain %s\n", e->code);
    }
}

/* ---- the configuration ---- */

static const char *form(const struct config_key *k)
{
    switch (k->type) {
    case CONFIG_ANSWER:
        return "yes or no";
    case CONFIG_COUNT:
        return k->unit;
    case CONFIG_TIME:
        return "a time: ms, s, min, h, d";
    case CONFIG_MODE:
        return "a label as hbactl shows it, or MB/s";
    case CONFIG_TEXT:
        return "text";
    case CONFIG_DATE:
        return "YYYY-MM-DD";
    case CONFIG_BYTES:
        return "bytes: K, M, G";
    case CONFIG_TIER:
        return "sysfs: no commands; identify; read";
    }
    return "";
}

static void conf(void)
{
    const char *section = "";

    puts(
        "# SPDX-License-Identifier: CC0-1.0\n"
        "#\n"
        "# The configuration of hbad and hbactl, with nothing said: every key stands here with its default.\n"
        "# Copy this to /etc/hbad/hbad.conf, or better, put what is to be otherwise into a file of its own:\n"
        "# /etc/hbad/hbad.conf.d/NAME.conf. hbactl cat-config shows what counts; systemctl reload hbad reads it again.\n"
        "# hbad.conf(5) is the manual.\n"
        "# In sections with a GLOB it is a name as hbactl shows it, with * and ? for what may be anything.");
    for (const struct config_key *k = CONFIG_KEYS; k->section; k++) {
        if (strcmp(section, k->section) != 0) {
            bool has_glob = k->bit != 0;

            section = k->section;
            printf("\n%s[%s%s]\n", has_glob ? "#" : "", section, has_glob ? " \"GLOB\"" : "");
        }
        printf("# %s (%s)\n#%s =%s%s\n", k->what, form(k), k->name, *k->standard ? " " : "",
               k->standard);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "catalog") == 0)
        catalog();
    else if (argc == 2 && strcmp(argv[1], "conf") == 0)
        conf();
    else
        return 64;
    return ferror(stdout) || fflush(stdout) != 0;
}
