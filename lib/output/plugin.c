/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of monitoring plugins (plugin.h).
 */
#include "output/plugin.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

enum plugin_status plugin_status_of(const struct summary *s, size_t unexamined, bool is_strict)
{
    if (s->worst == SEVERITY_CRITICAL)
        return PLUGIN_CRITICAL;
    if (s->worst == SEVERITY_WARNING)
        return PLUGIN_WARNING;
    if (unexamined || !s->hosts) /* an adapter that is not seen may be one that failed */
        return PLUGIN_UNKNOWN;
    if (s->verdicts[VERDICT_UNKNOWN] &&
        !(s->verdicts[VERDICT_OK] || s->verdicts[VERDICT_BELOW] || s->verdicts[VERDICT_CAPPED]))
        return PLUGIN_UNKNOWN;
    return is_strict && (s->verdicts[VERDICT_UNKNOWN] || s->worst == SEVERITY_INFO) ? PLUGIN_UNKNOWN
                                                                                    : PLUGIN_OK;
}

/* What must not go out, and what does instead. A '|' ends the text of a plugin; the others mean something within a shell's
 * double quotes, or in a page. */
static char harmless(char c)
{
    static const char FROM[] = "|<>\"`$\\", TO[] = "/()'???";
    const char *at = c ? strchr(FROM, c) : NULL;

    if (at)
        return TO[at - FROM];
    return (unsigned char)c < ' ' ? ' ' : c;
}

/* Writes at most so many bytes of a text that came from anywhere, whole characters. Returns how many. */
static size_t put_text(const char *text, size_t most, FILE *out)
{
    _cleanup_free_ char *copy = strdup(text);
    size_t n;

    if (!copy)
        return 0;
    text_for_terminal(copy, false);
    n = strlen(copy);
    if (n > most)
        for (n = most; n && ((unsigned char)copy[n] & 0xc0) == 0x80;)
            n--;
    for (size_t i = 0; i < n; i++)
        putc(harmless(copy[i]), out);
    return n;
}

static bool is_plain(char c, const char *besides)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr(besides, c));
}

/* A name that is quoted, or a word of its own: '_' for all that may not be in it. */
static void put_label(const char *label, const char *besides, FILE *out)
{
    for (; *label; label++)
        putc(is_plain(*label, besides) ? *label : '_', out);
}

/* ---- the long output ---- */

/* Writes the lines, each behind `before`, as far as there is room. */
static void put_lines(const struct plugin *p, const char *before, FILE *out)
{
    size_t left = PLUGIN_LINES_MAX;

    for (size_t i = 0; i < p->lines.n; i++) {
        size_t room = strlen(p->lines.v[i]) + strlen(before);

        fputs(before, out);
        if (room > left) {
            fprintf(out, "and %zu more: hbactl findings", p->lines.n - i);
            return;
        }
        left -= room;
        put_text(p->lines.v[i], room, out);
    }
}

/* ---- Nagios ---- */

static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

static void put_nagios(const struct plugin *p, FILE *out)
{
    static const char *const WORDS[] = { "OK", "WARNING", "CRITICAL", "UNKNOWN" };

    fprintf(out, "HBAD %s - ", WORDS[p->status]);
    put_text(p->text, PLUGIN_TEXT_MAX, out);
    for (size_t i = 0; i < p->numbers.n; i++) {
        const struct plugin_number *n = &p->numbers.v[i];

        fputs(i ? " '" : " | '", out);
        put_label(n->label, " _.:-", out);
        fprintf(out, "'=%" PRIu64 "%s;%s;%s;0;", n->value, n->unit, or_nothing(n->warning),
                or_nothing(n->critical));
        if (n->most)
            fprintf(out, "%" PRIu64, n->most);
    }
    put_lines(p, "\n", out);
    putc('\n', out);
}

/* ---- Checkmk ---- */

/* Checkmk knows limits as one number, above which it is too much; other ranges are not shown. */
static const char *limit(const char *range)
{
    return range && !range[strspn(range, "0123456789.")] ? range : "";
}

static void put_checkmk(const struct plugin *p, FILE *out)
{
    fprintf(out, "%d \"HBA links", p->status);
    if (p->about) {
        putc(' ', out);
        put_label(p->about, " _.:/-", out);
    }
    fputs("\" ", out);
    for (size_t i = 0; i < p->numbers.n; i++) {
        const struct plugin_number *n = &p->numbers.v[i];

        if (i)
            putc('|', out);
        put_label(n->label, "_", out);
        fprintf(out, "=%" PRIu64 ";%s;%s;0;", n->value, limit(n->warning), limit(n->critical));
        if (n->most)
            fprintf(out, "%" PRIu64, n->most);
    }
    fputs(p->numbers.n ? " " : "- ", out);
    put_text(p->text, PLUGIN_TEXT_MAX, out);
    put_lines(p, "\\n", out);
    putc('\n', out);
}

void plugin_print(const struct plugin *p, bool is_checkmk, FILE *out)
{
    if (is_checkmk)
        put_checkmk(p, out);
    else
        put_nagios(p, out);
}
