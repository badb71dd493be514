/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading a configuration file, and asking the configuration (config.h).
 */
#include "config/config.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/text.h"
#include "config/lines.h"
#include "config/value.h"

/* The sections; those with a name are about the objects that go by it. */
static const struct {
    const char *name;
    bool has_glob;
} SECTIONS[] = {
    { "host", true },        { "link", true },    { "device", true },   { "probe", false },
    { "thresholds", false }, { "daemon", false }, { "history", false },
};

/* A file that is being read. */
struct reading {
    struct config *config;
    struct config_messages *messages;
    struct config_place at;
    bool has_section;         /* a line that was meant as the head of a section was seen */
    const char *section;      /* of CONFIG_KEYS; NULL: what its lines say is not used */
    struct config_host *host; /* the rule in a section of that kind, else NULL */
    struct config_link *link;
    struct config_device *device;
    void *object; /* what the section's keys are fields of */
};

/* What the keys of a section without a name are fields of; NULL for the others. */
static void *without_name(struct config *c, const char *section)
{
    if (strcmp(section, "probe") == 0)
        return &c->probe;
    if (strcmp(section, "daemon") == 0)
        return &c->daemon;
    if (strcmp(section, "history") == 0)
        return &c->history;
    return strcmp(section, "thresholds") == 0 ? &c->thresholds : NULL;
}

int config_init(struct config *c)
{
    const char *want;
    int r = 0;

    *c = (struct config){ .arena = arena_new() };
    if (!c->arena)
        return -ENOMEM;
    for (const struct config_key *key = CONFIG_KEYS; r == 0 && key->section; key++) {
        void *object = without_name(c, key->section);

        if (object)
            r = config_value_set(key, object, c->arena, "", &want);
    }
    return r;
}

void config_done(struct config *c)
{
    arena_free(c->arena);
    free(c->said.v);
    free(c->hosts.v);
    free(c->links.v);
    free(c->devices.v);
    *c = (struct config){ 0 };
}

void config_messages_done(struct config_messages *m)
{
    arena_free(m->arena);
    free(m->list.v);
    *m = (struct config_messages){ 0 };
}

/* Makes room for texts where there is none yet. */
static int have_arena(struct config_messages *m)
{
    if (!m->arena)
        m->arena = arena_new();
    return m->arena ? 0 : -ENOMEM;
}

int config_messages_add(struct config_messages *m, const char *file, const char *text)
{
    struct config_message message = { 0 };

    if (have_arena(m) < 0)
        return -ENOMEM;
    message.place.file = arena_strdup(m->arena, file);
    message.text = arena_strdup(m->arena, text);
    if (!message.place.file || !message.text || vec_push(&m->list, message) < 0)
        return -ENOMEM;
    m->n_errors++;
    return 0;
}

__attribute__((format(printf, 3, 4))) static int say(struct reading *r, bool is_warning,
                                                     const char *format, ...)
{
    struct config_messages *m = r->messages;
    struct config_message message = { r->at, is_warning, NULL };
    va_list args;

    message.place.file = arena_strdup(m->arena, r->at.file);
    va_start(args, format);
    message.text = arena_vprintf(m->arena, format, args);
    va_end(args);
    if (!message.place.file || !message.text || vec_push(&m->list, message) < 0)
        return -ENOMEM;
    m->n_errors += !is_warning;
    return 0;
}

#define complain(r, ...) say(r, false, __VA_ARGS__)
#define warn(r, ...)     say(r, true, __VA_ARGS__)

/* As much of a word as fits a message: whole characters of UTF-8. */
static int shown_length(const char *word)
{
    enum { SHOWN_BYTES = 64 };
    size_t n = strnlen(word, SHOWN_BYTES + 1);

    if (n > SHOWN_BYTES)
        for (n = SHOWN_BYTES; n && ((unsigned char)word[n] & 0xc0) == 0x80; n--)
            ;
    return (int)n;
}

/* The rule of that GLOB, a new one where there is none yet; NULL without memory. */
static struct config_host *host_rule(const struct reading *r, const char *glob)
{
    struct config *c = r->config;
    struct config_host rule = { .place = r->at };

    for (size_t i = 0; i < c->hosts.n; i++)
        if (strcmp(c->hosts.v[i].glob, glob) == 0)
            return &c->hosts.v[i];
    rule.glob = arena_strdup(c->arena, glob);
    return rule.glob && vec_push(&c->hosts, rule) == 0 ? &c->hosts.v[c->hosts.n - 1] : NULL;
}

static struct config_link *link_rule(const struct reading *r, const char *glob)
{
    struct config *c = r->config;
    struct config_link rule = { .place = r->at };

    for (size_t i = 0; i < c->links.n; i++)
        if (strcmp(c->links.v[i].glob, glob) == 0)
            return &c->links.v[i];
    rule.glob = arena_strdup(c->arena, glob);
    return rule.glob && vec_push(&c->links, rule) == 0 ? &c->links.v[c->links.n - 1] : NULL;
}

static struct config_device *device_rule(const struct reading *r, const char *glob)
{
    struct config *c = r->config;
    struct config_device rule = { .place = r->at };

    for (size_t i = 0; i < c->devices.n; i++)
        if (strcmp(c->devices.v[i].glob, glob) == 0)
            return &c->devices.v[i];
    rule.glob = arena_strdup(c->arena, glob);
    return rule.glob && vec_push(&c->devices, rule) == 0 ? &c->devices.v[c->devices.n - 1] : NULL;
}

/* Finds what the lines to come are about: the rule of that GLOB, or (NULL) the one object of the section. */
static int begin(struct reading *r, const char *section, const char *glob)
{
    r->section = section;
    r->host = glob && strcmp(section, "host") == 0 ? host_rule(r, glob) : NULL;
    r->link = glob && strcmp(section, "link") == 0 ? link_rule(r, glob) : NULL;
    r->device = glob && strcmp(section, "device") == 0 ? device_rule(r, glob) : NULL;
    r->object = r->host     ? (void *)r->host
                : r->link   ? (void *)r->link
                : r->device ? (void *)r->device
                            : without_name(r->config, section);
    return r->object ? 0 : -ENOMEM;
}

/* The head of a section without its brackets: a word, and perhaps a name in quotes. */
static int parse_head(struct reading *r, char *head)
{
    size_t word = strcspn(head, " \t\""), len = strlen(head), i = 0;
    char *glob = head + word + strspn(head + word, " \t");

    while (i < ELEMENTS(SECTIONS) &&
           (strncmp(head, SECTIONS[i].name, word) != 0 || SECTIONS[i].name[word] != '\0'))
        i++;
    if (i == ELEMENTS(SECTIONS))
        return warn(r, "unknown section [%.*s]: its lines are not used", shown_length(head), head);
    if (!SECTIONS[i].has_glob)
        return *glob ? complain(r, "[%s] takes no name", SECTIONS[i].name)
                     : begin(r, SECTIONS[i].name, NULL);
    if (!*glob)
        return complain(r, "[%s] needs a name: [%s \"GLOB\"]", SECTIONS[i].name, SECTIONS[i].name);
    if (*glob != '"' || glob + 1 >= head + len || head[len - 1] != '"')
        return complain(r, "the name is not in double quotes: [%s \"GLOB\"]", SECTIONS[i].name);
    glob++;
    head[len - 1] = '\0';
    return *glob ? begin(r, SECTIONS[i].name, glob)
                 : complain(r, "the name is empty: [%s \"GLOB\"]", SECTIONS[i].name);
}

/* Cuts blanks at both ends, in place. */
static char *trim(char *text)
{
    char *end;

    text += strspn(text, " \t");
    end = text + strlen(text);
    while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = '\0';
    return text;
}

static int parse_section(struct reading *r, char *line)
{
    size_t len = strlen(line);

    if (line[len - 1] != ']')
        return complain(r, "no ] at the end of the section's head");
    line[len - 1] = '\0';
    return parse_head(r, trim(line + 1));
}

/* Of the keys of a section, which one has that bit. */
static unsigned number_of(unsigned bit)
{
    return (unsigned)__builtin_ctz(bit);
}

/* Notes where a rule got a value, or that it was taken back. */
static void note(const struct reading *r, const struct config_key *key, bool is_given,
                 unsigned *given, struct config_place *place)
{
    *given = (*given & ~key->bit) | (is_given ? key->bit : 0);
    *place = is_given ? r->at : (struct config_place){ 0 };
}

/* Keeps what was said, and where. */
static int keep(const struct reading *r, const struct config_key *key, const char *value)
{
    struct config *c = r->config;
    struct config_said said = {
        .key = key,
        .glob = r->host     ? r->host->glob
                : r->link   ? r->link->glob
                : r->device ? r->device->glob
                            : NULL,
        .value = arena_strdup(c->arena, value),
        .place = r->at,
    };

    return said.value ? vec_push(&c->said, said) : -ENOMEM;
}

static int set(struct reading *r, const char *name, const char *value)
{
    const struct config_key *key = CONFIG_KEYS;
    const char *want;
    int e;

    while (key->section && (strcmp(key->section, r->section) != 0 || strcmp(key->name, name) != 0))
        key++;
    if (!key->section)
        return warn(r, "unknown key %.*s in [%s]", shown_length(name), name, r->section);
    e = config_value_set(key, r->object, r->config->arena, value, &want);
    if (e == -EBADMSG && key->type == CONFIG_TIER) {
        /* Somebody forbade something, and nobody knows what. */
        value = config_tier_to_string(CONFIG_TIER_SYSFS);
        e = complain(r, "%s: must be %s; it is taken as %s", name, want, value);
        if (e == 0)
            e = config_value_set(key, r->object, r->config->arena, value, &want);
    } else if (e == -EBADMSG) {
        return complain(r, "%s: must be %s", name, want);
    }
    if (e == 0 && r->host)
        note(r, key, *value, &r->host->given, &r->host->physical_place);
    else if (e == 0 && r->link)
        note(r, key, *value, &r->link->given, &r->link->places[number_of(key->bit)]);
    else if (e == 0 && r->device)
        note(r, key, *value, &r->device->given, &r->device->tier_place);
    return e < 0 ? e : keep(r, key, value);
}

static int parse_line(struct reading *r, char *line)
{
    char *equals;

    if (*line == '[')
        return parse_section(r, line);
    equals = strchr(line, '=');
    if (!equals)
        return complain(r, "neither a [section] nor a line KEY = VALUE");
    *equals = '\0';
    line = trim(line);
    if (!*line)
        return complain(r, "no key before the =");
    if (!r->has_section)
        return complain(r, "key %.*s outside a section", shown_length(line), line);
    return r->section ? set(r, line, trim(equals + 1)) : 0;
}

/* What no line may be or hold. Returns 1 where the line can be read, else as complain(). */
static int check_line(struct reading *r, const struct config_line *line)
{
    if (line->is_too_long)
        return complain(r, "the line is longer than %d bytes", CONFIG_LINE_BYTES);
    for (size_t i = 0; i < line->len; i++) {
        unsigned char c = (unsigned char)line->text[i];

        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return complain(r, "control character %02xh", c);
    }
    if (!text_is_utf8((struct bytes){ (const uint8_t *)line->text, line->len }))
        return complain(r, "the line is not UTF-8");
    return 1;
}

/* Says where the file is no text at all. Returns 1 where it is, else as complain(). */
static int check_file(struct reading *r, struct bytes text)
{
    const uint8_t *nul = text.len ? memchr(text.data, '\0', text.len) : NULL;

    if (!nul)
        return 1;
    r->at.line = 1;
    for (const uint8_t *p = text.data; p < nul; p++)
        r->at.line += *p == '\n';
    return complain(r, "a NUL byte: this is no text file, and nothing of it is used");
}

static struct bytes without_mark(struct bytes text)
{
    static const uint8_t MARK[] = { 0xef, 0xbb, 0xbf }; /* RFC 3629, section 6 */
    struct bytes start = bytes_slice(text, 0, sizeof(MARK));

    return bytes_equal(start, (struct bytes){ MARK, sizeof(MARK) })
               ? bytes_slice(text, sizeof(MARK), text.len)
               : text;
}

int config_parse(struct config *c, const char *file, struct bytes text,
                 struct config_messages *messages)
{
    struct reading reading = { .config = c, .messages = messages };
    struct config_lines lines = { .text = without_mark(text) };
    struct config_line line;
    int r;

    reading.at.file = arena_strdup(c->arena, file);
    if (have_arena(messages) < 0 || !reading.at.file)
        return -ENOMEM;
    r = check_file(&reading, text);
    while (r == 1 && (r = config_lines_next(&lines, &line)) == 1) {
        reading.at.line = line.number;
        if (*line.text == '[') { /* read or not, the section before ends here */
            reading.has_section = true;
            reading.section = NULL;
        }
        r = check_line(&reading, &line);
        if (r == 1)
            r = parse_line(&reading, lines.joined.v);
        r = r < 0 ? r : 1;
    }
    free(lines.joined.v);
    return r < 0 ? r : 0;
}

const struct config_said *config_said(const struct config *c, const struct config_key *key,
                                      const char *glob)
{
    for (size_t i = c->said.n; i-- > 0;) {
        const struct config_said *s = &c->said.v[i];

        if (s->key == key && text_same(s->glob, glob))
            return *s->value ? s : NULL;
    }
    return NULL;
}

bool config_glob_matches(const char *glob, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (names[i] && fnmatch(glob, names[i], 0) == 0)
            return true;
    return false;
}

enum config_answer config_host_physical(const struct config *c, const char *const *names, size_t n,
                                        struct config_place *ret_place)
{
    struct config_host said = { 0 };

    for (size_t i = 0; i < c->hosts.n; i++)
        if (c->hosts.v[i].given && config_glob_matches(c->hosts.v[i].glob, names, n))
            said = c->hosts.v[i];
    if (ret_place)
        *ret_place = said.physical_place;
    return said.physical;
}

enum config_tier config_device_tier(const struct config *c, const char *const *names, size_t n,
                                    struct config_place *ret_place)
{
    struct config_device said = { 0 };

    for (size_t i = 0; i < c->devices.n; i++)
        if (c->devices.v[i].given && config_glob_matches(c->devices.v[i].glob, names, n))
            said = c->devices.v[i];
    if (ret_place)
        *ret_place = said.tier_place;
    return said.tier;
}

bool config_link_counts(const struct config_link *link, uint64_t wall_us)
{
    return link->given && (!link->until_us || wall_us < link->until_us);
}

struct config_link config_link_rule(const struct config *c, const char *const *names, size_t n,
                                    uint64_t wall_us)
{
    struct config_link said = { 0 };

    for (size_t i = 0; i < c->links.n; i++) {
        const struct config_link *rule = &c->links.v[i];

        if (!config_link_counts(rule, wall_us) || !config_glob_matches(rule->glob, names, n))
            continue;
        said.glob = rule->glob;
        said.place = rule->place;
        said.given |= rule->given;
        for (size_t k = 0; k < CONFIG_LINK_KEYS; k++)
            if (rule->given & 1u << k)
                said.places[k] = rule->places[k];
        if (rule->given & CONFIG_LINK_EXPECT)
            said.expect = rule->expect;
        if (rule->given & CONFIG_LINK_NEAR_BEST)
            said.near_best = rule->near_best;
        if (rule->given & CONFIG_LINK_FAR_BEST)
            said.far_best = rule->far_best;
        if (rule->given & CONFIG_LINK_IGNORE)
            said.ignore = rule->ignore;
        if (rule->given & CONFIG_LINK_REASON)
            said.reason = rule->reason;
        if (rule->given & CONFIG_LINK_UNTIL)
            said.until_us = rule->until_us;
    }
    return said;
}

const struct config_place *config_link_place(const struct config_link *link, unsigned key)
{
    return &link->places[number_of(key)];
}
