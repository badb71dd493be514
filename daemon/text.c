/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What hbactl prints, made here: it is the report itself that texts are made of, with all facts, and its JSON has not all of
 * them (manager.h). So hbactl need not read reports, a new field appears in both at once, and a text of a few
 * kilobytes goes over the socket.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"
#include "base/json_write.h"
#include "daemon/manager.h"

#define INTERFACE "io.hbad.monitor"

enum {
    COLUMNS_MAX = 10000,
    COMMAND_MAX = 4096, /* bytes; it is repeated for every finding */
    PIECE_MAX =
        65536, /* of a text; readers have limits for one string (1 MiB in base/json_read.h) */
};

const struct varlink_argument GET_TEXT_ARGUMENTS[] = {
    VARLINK_NEEDED(get_text_arguments, verb, VARLINK_STRING),
    VARLINK_OPTIONAL(get_text_arguments, word, VARLINK_STRING),
    VARLINK_OPTIONAL(get_text_arguments, json, VARLINK_STRING),
    VARLINK_OPTIONAL(get_text_arguments, columns, VARLINK_INT),
    VARLINK_OPTIONAL(get_text_arguments, utf8, VARLINK_BOOL),
    VARLINK_OPTIONAL(get_text_arguments, colour, VARLINK_BOOL),
    VARLINK_OPTIONAL(get_text_arguments, no_legend, VARLINK_BOOL),
    VARLINK_OPTIONAL(get_text_arguments, command, VARLINK_STRING),
    { 0 },
};

/* The first argument whose value cannot be; NULL where all can. */
static const char *wrong_argument(const struct get_text_arguments *a)
{
    if (a->json && strcmp(a->json, "short") != 0 && strcmp(a->json, "pretty") != 0)
        return "json";
    if (a->columns < 0 || a->columns > COLUMNS_MAX)
        return "columns";
    return a->command && strlen(a->command) > COMMAND_MAX ? "command" : NULL;
}

/* None of them ends within a character. */
void text_pieces(struct json_writer *w, const char *text, size_t len)
{
    json_write_begin_array(w);
    for (size_t n; len; text += n, len -= n) {
        n = len < PIECE_MAX ? len : PIECE_MAX;
        while (n < len && n > PIECE_MAX - 4 && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
        json_write_string_bytes(w, (struct bytes){ (const uint8_t *)text, n });
    }
    json_write_end_array(w);
}

static void write_reply(const struct report *report, int objects, const char *text, size_t len,
                        FILE *out)
{
    struct json_writer writer = json_writer(out, false), *w = &writer;

    varlink_begin(out);
    json_write_begin_object(w);
    json_write_key(w, "text");
    text_pieces(w, text, len);
    json_write_key(w, "objects");
    json_write_u64(w, (uint64_t)objects);
    json_write_key(w, "taken");
    json_write_u64(w, report->wall_us / 1000000);
    json_write_key(w, "notes");
    json_write_begin_array(w);
    for (size_t i = 0; i < report->notes.n; i++)
        json_write_string(w, report->notes.v[i]);
    json_write_end_array(w);
    fputs(",\"summary\":", out);
    output_json_summary(report, out);
    json_write_end_object(w);
    varlink_end(out, NULL, false);
}

/* Answers with what was printed, or with why nothing was. */
static int reply(const struct report *report, const struct get_text_arguments *a, int objects,
                 const char *text, size_t len, FILE *out)
{
    if (objects == -ENOENT)
        varlink_error(out, INTERFACE ".NoSuchKind", "kind", a->word);
    else if (objects < 0)
        varlink_error(out, "org.varlink.service.InvalidParameter", "parameter", "verb");
    else if (objects == 0)
        varlink_error(out, INTERFACE ".NoSuchObject", "name", a->word);
    else
        write_reply(report, objects, text, len, out);
    return VARLINK_REPLIED;
}

int get_text(void *client, const struct varlink_call *call, const void *arguments, FILE *out)
{
    const struct get_text_arguments *a = arguments;
    const struct manager *m = client_userdata(client);
    const char *wrong = wrong_argument(a);
    const struct answer_style style = {
        .json = a->json != NULL,
        .pretty = a->json && strcmp(a->json, "pretty") == 0,
        .text = { .columns = (unsigned)a->columns,
                  .utf8 = a->utf8,
                  .colour = a->colour,
                  .no_legend = a->no_legend,
                  .command = a->command },
    };
    _cleanup_free_ char *text = NULL;
    size_t len;
    FILE *printed;
    int objects;

    (void)call;
    if (method_is_refused(m, wrong, out))
        return VARLINK_REPLIED;
    printed = open_memstream(&text, &len);
    if (!printed)
        return -ENOMEM;
    objects = answer(m->report, a->verb, a->word, &style, printed);
    if (objects > 0 && strcmp(a->verb, "metrics") == 0 && metrics_of_daemon(m, printed) < 0)
        objects = -ENOMEM;
    if (fclose(printed) != 0 || objects == -ENOMEM)
        return -ENOMEM;
    return reply(m->report, a, objects, text, len, out);
}
