/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two reports beside each other (output.h).
 */
#include <string.h>

#include "base/json_write.h"
#include "output/table.h"

void output_comparison(const struct comparison *c, const struct text_style *style, FILE *out)
{
    static const struct column COLUMNS[] = {
        { "KIND", .drop = 1 },    { "ABOUT", .least = 8 }, { "WHAT", .least = 8 },
        { "BEFORE", .least = 8 }, { "AFTER", .least = 8 },
    };
    _cleanup_(table_freep) struct table *t = table_new(COLUMNS, ELEMENTS(COLUMNS));
    const struct change *other = comparison_other_machine(c);
    size_t n = c->changes.n - (other ? 1 : 0);
    int r = t ? 0 : -1;
    char text[512];

    for (size_t i = other ? 1 : 0; r == 0 && i < c->changes.n; i++) {
        const struct change *x = &c->changes.v[i];
        const char *const CELLS[] = {
            change_kind_to_string(x->kind),
            x->name,
            x->what,
            x->before ? x->before : "(nothing)",
            x->after ? x->after : "(nothing)",
        };

        r = table_row(t);
        for (size_t k = 0; r == 0 && k < ELEMENTS(CELLS); k++)
            r = table_cell(t, k, COLOUR_NONE, CELLS[k]);
    }
    if (r < 0) {
        fputs("out of memory\n", out);
        return;
    }
    if (other) {
        snprintf(
            text, sizeof(text),
            "These seem to be two machines, not one before and after (%s: %s, %s). What follows tells them "
            "apart.\n\n",
            other->what, other->before, other->after);
        text_wrapped(style, text, out);
    }
    if (table_rows(t))
        table_print(t, style, out);
    if (!style->no_legend)
        fprintf(out, "%s%zu difference%s.\n", n ? "\n" : "", n, n == 1 ? "" : "s");
}

void output_json_comparison(const struct comparison *c, bool pretty, FILE *out)
{
    struct json_writer writer = json_writer(out, pretty), *w = &writer;

    json_write_begin_array(w);
    for (size_t i = 0; i < c->changes.n; i++) {
        const struct change *x = &c->changes.v[i];
        const struct {
            const char *key, *value;
        } MEMBERS[] = {
            { "kind", change_kind_to_string(x->kind) },
            { "id", x->id },
            { "name", x->name },
            { "what", x->what },
            { "before", x->before },
            { "after", x->after },
        };

        json_write_begin_object_on_one_line(w);
        for (size_t k = 0; k < ELEMENTS(MEMBERS); k++) {
            json_write_key(w, MEMBERS[k].key);
            json_write_string(w, MEMBERS[k].value);
        }
        json_write_end_object(w);
    }
    json_write_end_array(w);
    putc('\n', out);
}
