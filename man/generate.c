/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies a manual page (scdoc(5)) from standard input to standard output. A line that is "@NAME@" becomes what a table of the
 * programs says, so that the page cannot say otherwise:
 *   @keys@      hbad.conf: every section and key
 *   @findings@  every code of the catalog
 *   @methods@   the ways in which reads are timed
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/config.h"
#include "finding/catalog.h"
#include "source/measure.h"

/* What scdoc would take for a mark is none in our texts. */
static void put(const char *text)
{
    for (; *text; text++) {
        if (strchr("\\*_", *text))
            putchar('\\');
        putchar(*text);
    }
}

/* A sentence of one that has no capital and no full stop; a question has its mark. A code before a colon keeps its letters. */
static void put_sentence(const char *text)
{
    bool begins_with_code = text[strcspn(text, " :")] == ':';

    putchar(begins_with_code ? *text : toupper((unsigned char)*text));
    put(text + 1);
    if (text[strlen(text) - 1] != '?')
        putchar('.');
}

/* ---- hbad.conf ---- */

static const char *value_of(enum config_type type)
{
    switch (type) {
    case CONFIG_ANSWER:
        return "_yes_ | _no_";
    case CONFIG_COUNT:
        return "_NUMBER_";
    case CONFIG_TIME:
        return "_TIME_";
    case CONFIG_MODE:
        return "_MODE_";
    case CONFIG_TEXT:
        return "_TEXT_";
    case CONFIG_DATE:
        return "_YYYY-MM-DD_";
    case CONFIG_BYTES:
        return "_SIZE_";
    case CONFIG_TIER:
        return "_sysfs_ | _identify_ | _read_";
    }
    return "";
}

/* A number in the largest of its units that leaves no fraction, the last of which is 1. */
static void put_in_units(uint64_t n, const uint64_t *units, const char *const *names)
{
    while (*units > 1 && (n % *units || !n))
        units++, names++;
    printf("%" PRIu64 "%s", n / *units, *names);
}

static void put_bound(const struct config_key *k, uint64_t n)
{
    static const uint64_t TIMES[] = {
        UINT64_C(86400000000), UINT64_C(3600000000), 60000000, 1000000, 1000, 1
    };
    static const char *const TIME_NAMES[] = { "d", "h", "min", "s", "ms", "us" };
    static const uint64_t SIZES[] = { 1 << 30, 1 << 20, 1 << 10, 1 };
    static const char *const SIZE_NAMES[] = { "G", "M", "K", "" };

    if (k->type == CONFIG_TIME)
        put_in_units(n, TIMES, TIME_NAMES);
    else if (k->type == CONFIG_BYTES)
        put_in_units(n, SIZES, SIZE_NAMES);
    else
        printf("%" PRIu64, n);
}

static void keys(void)
{
    const char *section = "";

    for (const struct config_key *k = CONFIG_KEYS; k->section; k++) {
        if (strcmp(section, k->section) != 0) {
            section = k->section;
            printf("## [%s%s]\n\n", section, k->bit ? " GLOB" : "");
        }
        printf("*%s* = %s\n\t", k->name, value_of(k->type));
        put_sentence(k->what);
        if (*k->standard) {
            fputs(" Default: ", stdout);
            put(k->standard);
            if (k->unit)
                printf(" %s", k->unit);
        }
        if (k->most) {
            fputs(", from ", stdout);
            put_bound(k, k->least);
            fputs(" to ", stdout);
            put_bound(k, k->most);
        }
        if (*k->standard)
            putchar('.');
        fputs("\n\n", stdout);
    }
}

/* ---- findings ---- */

static const char *where(enum situation situation)
{
    switch (situation) {
    case SITUATION_ANY:
        return "one device";
    case SITUATION_BUS:
        return "links that share a bus";
    case SITUATION_ONE_BUS:
        return "one bus of several alike";
    case SITUATION_SLOT:
        return "the slot of an adapter";
    case SITUATION_NETWORK:
        return "a fabric or network";
    case SITUATION_SHARED:
        return "all that hang on one thing";
    case SITUATION_READS:
        return "what timed reads alone tell";
    }
    return "";
}

static void list(const char *head, const char *about, const char *const *lines)
{
    printf("%s%s%s:\n\n", head, *about ? ", of " : "", about);
    for (; *lines; lines++) {
        fputs(". ", stdout);
        put_sentence(*lines);
        putchar('\n');
    }
    putchar('\n');
}

static void findings(void)
{
    for (const struct catalog_entry *e = CATALOG; e->code; e++) {
        printf("## %s\n\n*", e->code);
        put_sentence(e->title);
        printf("* Severity: _%s_.%s\n\n", severity_to_string(e->severity),
               e->flags & CATALOG_CAN_BE_KNOWN ? " It can be acknowledged." : "");
        list("Causes", "", e->causes);
        list("What to do", "", e->remedies);
        for (const struct catalog_variant *v = CATALOG_VARIANTS; v->code; v++) {
            if (strcmp(v->code, e->code) != 0)
                continue;
            list("Causes", where(v->situation), v->causes);
            list("What to do", where(v->situation), v->remedies);
        }
        fputs("Not to be confused with: ", stdout);
        put(e->not_this);
        fputs(".\n\n", stdout);
    }
}

/* ---- timed reads ---- */

static void methods(void)
{
    for (const struct measure_method *m = MEASURE_METHODS; m->name; m++) {
        printf("*%s*\n\t", m->name);
        put_sentence(m->about);
        fputs("\n\n", stdout);
    }
}

/* ---- the page ---- */

/* Returns false where the line is no mark; `ret` is NULL where it is one of nothing here. */
static bool is_mark(const char *line, void (**ret)(void))
{
    static const struct {
        const char *mark;
        void (*write)(void);
    } TABLES[] = { { "@keys@\n", keys }, { "@findings@\n", findings }, { "@methods@\n", methods } };

    *ret = NULL;
    for (size_t i = 0; i < ELEMENTS(TABLES); i++)
        if (strcmp(line, TABLES[i].mark) == 0)
            *ret = TABLES[i].write;
    return *line == '@';
}

int main(void)
{
    _cleanup_free_ char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, stdin) > 0) {
        void (*write)(void);

        if (!is_mark(line, &write))
            fputs(line, stdout);
        else if (write)
            write();
        else {
            fprintf(stderr, "generate: there is no %s", line);
            return 1;
        }
    }
    return ferror(stdin) || ferror(stdout) || fflush(stdout) != 0;
}
