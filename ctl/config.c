/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The configuration of a request, and what is wrong with it (ctl.h); and what of it is in force, for people (cat-config).
 */
#include <string.h>

#include "base/json_write.h"
#include "ctl/ctl.h"
#include "live/config_files.h"

static void say_message(const struct config_message *m)
{
    if (m->place.line)
        say("%s:%u: %s", m->place.file, m->place.line, m->text);
    else
        say("%s: %s", m->place.file, m->text);
}

static bool is_here(const struct request *request)
{
    return !request->n_captures && !request->sysfs_root;
}

/* As load_config(), with how many errors there are. */
static int load(const struct request *request, struct config *ret, size_t *ret_errors)
{
    _cleanup_(config_messages_done) struct config_messages messages = { 0 };
    int r = config_init(ret);

    if (r == 0 && (request->config || is_here(request)))
        r = config_files_load(request->config, ret, &messages);
    for (size_t i = 0; i < messages.list.n; i++)
        say_message(&messages.list.v[i]);
    *ret_errors = messages.n_errors;
    return r;
}

int load_config(const struct request *request, struct config *ret)
{
    size_t errors;

    return load(request, ret, &errors);
}

/* ---- cat-config ---- */

/* What is printed: a file that says the same, with the defaults as comments; or an array of what each key is. */
struct printing {
    const struct config *config;
    FILE *out;
    struct json_writer *json; /* NULL: the file */
};

static void print_json_key(struct json_writer *w, const struct config_key *key, const char *glob,
                           const struct config_said *said)
{
    const char *const members[][2] = {
        { "section", key->section },
        { "name", glob },
        { "key", key->name },
        { "value", said             ? said->value
                   : *key->standard ? key->standard
                                    : NULL },
        { "file", said ? said->place.file : NULL },
    };

    json_write_begin_object_on_one_line(w);
    for (size_t i = 0; i < ELEMENTS(members); i++) {
        json_write_key(w, members[i][0]);
        json_write_string(w, members[i][1]);
    }
    json_write_key(w, "line");
    if (said)
        json_write_u64(w, said->place.line);
    else
        json_write_null(w);
    json_write_end_object(w);
}

/* The keys of a section; `glob` is its name, NULL for one without. */
static void print_section(const struct printing *p, const char *section, const char *glob)
{
    if (!p->json && glob)
        fprintf(p->out, "\n[%s \"%s\"]\n", section, glob);
    else if (!p->json)
        fprintf(p->out, "\n[%s]\n", section);
    for (const struct config_key *key = CONFIG_KEYS; key->section; key++) {
        const struct config_said *said = config_said(p->config, key, glob);

        /* Of what is said of some objects only, there is no default. */
        if (strcmp(key->section, section) != 0 || (glob && !said))
            continue;
        if (p->json)
            print_json_key(p->json, key, glob, said);
        else if (said)
            fprintf(p->out, "# %s:%u\n%s = %s\n", said->place.file, said->place.line, key->name,
                    said->value);
        else
            fprintf(p->out, "#%s = %s\n", key->name, key->standard);
    }
}

static void print_sections(const struct printing *p)
{
    const struct config *c = p->config;
    const char *last = "";

    for (const struct config_key *key = CONFIG_KEYS; key->section; key++) {
        bool has_name = strcmp(key->section, "host") == 0 || strcmp(key->section, "link") == 0 ||
                        strcmp(key->section, "device") == 0;

        if (!has_name && strcmp(key->section, last) != 0)
            print_section(p, key->section, NULL);
        last = key->section;
    }
    for (size_t i = 0; i < c->hosts.n; i++)
        print_section(p, "host", c->hosts.v[i].glob);
    for (size_t i = 0; i < c->links.n; i++)
        print_section(p, "link", c->links.v[i].glob);
    for (size_t i = 0; i < c->devices.n; i++)
        print_section(p, "device", c->devices.v[i].glob);
}

/* Which files it is of. Returns 0 or -ENOMEM. */
static int print_files(const struct request *request, FILE *out)
{
    _cleanup_(config_files_done) struct config_files files = { 0 };
    int r = request->config || !is_here(request) ? 0 : config_files_find("", &files);

    if (request->config)
        fprintf(out, "# From %s.\n", request->config);
    else if (r == 0 && !files.n)
        fputs("# There is no file of configuration.\n", out);
    for (size_t i = 0; i < files.n; i++)
        fprintf(out, "# %s %s%s\n", i ? "     and" : "From", files.v[i].path,
                i + 1 < files.n ? "," : ".");
    fputs("# What is commented out is the default.\n", out);
    return r;
}

int verb_cat_config(const struct request *request)
{
    _cleanup_(config_done) struct config config = { 0 };
    struct json_writer w = json_writer(request->out, request->json == JSON_PRETTY);
    struct printing p = { &config, request->out, request->json ? &w : NULL };
    size_t errors;
    int r = load(request, &config, &errors);

    if (request->json)
        json_write_begin_array(&w);
    else if (r == 0)
        r = print_files(request, request->out);
    if (r == 0)
        print_sections(&p);
    if (request->json) {
        json_write_end_array(&w);
        putc('\n', request->out);
    }
    return r < 0 || errors ? EXIT_FAILURE : EXIT_WELL;
}
