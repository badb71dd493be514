/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parameters from the kernel command line and /etc/modprobe.d (words.h). Sources:
 * Documentation/admin-guide/kernel-parameters.rst, modprobe.d(5).
 */
#include "transport/words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "source/storage_words.h"

static const char CMDLINE[] = "/proc/cmdline";
static const char MODPROBE[] = "/etc/modprobe.d";
static const struct fact_key SEEN = { "cmdline_seen", FACT_NUMBER, FACT_GAUGE };

/* The next word at *at: separated by white space outside double quotes, these taken out. A copy in the
 * arena; NULL at the end or without memory. */
static char *next_word(struct arena *arena, const char **at, const char *end)
{
    const char *start = *at;
    bool quoted = false;
    size_t n = 0;
    char *word;

    while (start < end && strchr(" \t\n", *start))
        start++;
    for (*at = start; *at < end && (quoted || !strchr(" \t\n", **at)); ++*at)
        quoted ^= **at == '"';
    word = *at > start ? arena_strndup(arena, start, (size_t)(*at - start)) : NULL;
    for (char *c = word; c && *c; c++)
        if (*c != '"')
            word[n++] = *c;
    if (word)
        word[n] = '\0';
    return word;
}

/* Keeps a word, its name spelt with '_'. */
static int put_word(struct gathering *g, const char *origin, char *word)
{
    for (char *c = word; *c && *c != '='; c++)
        *c = *c == '-' ? '_' : *c;
    return fact_put_text(g->facts, &KEY_PARAMETER, origin, word);
}

/* One without a word that bears on storage was seen all the same: recorded, it is empty. */
static int put_cmdline(struct gathering *g, struct bytes text, bool all_seen)
{
    struct arena *arena = fact_set_arena(g->facts);
    struct bytes kept = cmdline_storage_words(arena, text);
    const char *at = (const char *)kept.data, *end = at + kept.len;
    int r = at ? 0 : -ENOMEM;
    char *word;

    if (r == 0 && all_seen)
        r = fact_put_number(g->facts, &SEEN, CMDLINE, 1);
    while (r == 0 && (word = next_word(arena, &at, end)))
        r = put_word(g, CMDLINE, word);
    return r;
}

/* "options MODULE NAME=VALUE …" as words of the command line. */
static int put_line(struct gathering *g, const char *origin, const char *line, const char *end)
{
    struct arena *arena = fact_set_arena(g->facts);
    char *word = next_word(arena, &line, end);
    char *module = word && strcmp(word, "options") == 0 ? next_word(arena, &line, end) : NULL;
    int r = 0;

    while (r == 0 && module && (word = next_word(arena, &line, end))) {
        word = arena_printf(arena, "%s.%s", module, word);
        r = word ? put_word(g, origin, word) : -ENOMEM;
    }
    return r;
}

static int put_lines(struct gathering *g, const char *origin, struct bytes text)
{
    struct bytes kept = modprobe_storage_lines(fact_set_arena(g->facts), text);
    const char *line = (const char *)kept.data, *end = line + kept.len, *stop;
    int r = line ? 0 : -ENOMEM;

    for (; r == 0 && line < end; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        r = put_line(g, origin, line, stop);
    }
    return r;
}

/* Is what was refused there? A directory or file that is not holds no words. */
static bool hides(int error)
{
    return error && error != ENOENT && error != ENOTDIR;
}

static int put_file(struct gathering *g, const char *name, bool *ret_seen)
{
    char *path = arena_printf(fact_set_arena(g->facts), "%s/%s", MODPROBE, name);
    struct value v;
    int r;

    if (!path)
        return -ENOMEM;
    r = source_read(g->source, path, PAGE_BYTES, &v);
    if (r == 0)
        *ret_seen = *ret_seen && !hides(v.error);
    return r < 0 || v.error || !v.bytes.len ? r : put_lines(g, path, v.bytes);
}

/* `*ret_seen`: nothing of it was refused. */
static int put_files(struct gathering *g, bool *ret_seen)
{
    struct names names;
    int r = source_list(g->source, MODPROBE, "", &names);

    *ret_seen = true;
    if (r < 0)
        return r;
    *ret_seen = !hides(names.error);
    if (names.error)
        return 0;
    for (size_t i = 0; r == 0 && i < names.n; i++)
        if (text_ends_with(names.v[i], ".conf"))
            r = put_file(g, names.v[i], ret_seen);
    names_done(&names);
    return r;
}

int gather_words(struct gathering *g)
{
    struct value v;
    bool is_new, all_seen;
    int r;

    if (g->level < LEVEL_MODES)
        return 0;
    if (!fact_set_add(g->facts, "kernel", "parameters", "/proc", NULL, &is_new))
        return -ENOMEM;
    r = put_files(g, &all_seen);
    if (r == 0)
        r = source_read(g->source, CMDLINE, ATTRIBUTE_BYTES, &v);
    if (r == 0 && !v.error)
        r = put_cmdline(g, v.bytes, all_seen);
    return r < 0 ? r : fact_set_seal(g->facts);
}

const char *word_value(const struct fact_set *set, const char *module, const char *parameter,
                       const char **ret_origin)
{
    const struct subject *s = fact_set_find(set, "kernel", "parameters");
    const char *value = NULL;
    char name[128];

    snprintf(name, sizeof(name), "%s.%s=", module, parameter);
    for (size_t i = 0; s && i < s->n_facts; i++) {
        const struct fact *f = &s->facts[i];

        if (f->key != &KEY_PARAMETER || !text_starts_with(f->text, name))
            continue;
        value = f->text + strlen(name);
        if (ret_origin)
            *ret_origin = f->origin;
    }
    return value;
}

bool words_were_seen(const struct fact_set *set)
{
    return fact_find(fact_set_find(set, "kernel", "parameters"), &SEEN) != NULL;
}
