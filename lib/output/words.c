/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "output/words.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "facts/key.h"

const char *words_payload(uint64_t kb_per_s, char *buffer, size_t size)
{
    if (!kb_per_s)
        return "";
    snprintf(buffer, size, "%" PRIu64 ".%" PRIu64 " MB/s", kb_per_s / 1000, kb_per_s % 1000 / 100);
    return buffer;
}

const char *words_mode(const struct mode *m, char *buffer, size_t size)
{
    if (!m->known)
        return "";
    return m->label ? m->label : words_payload(rate_kb_per_s(m->rate), buffer, size);
}

const char *words_verdict(const struct link *l, enum colour *ret_colour)
{
    static const struct {
        const char *word;
        enum colour colour;
    } WORDS[] = {
        [VERDICT_OK] = { "ok", COLOUR_GOOD },
        [VERDICT_BELOW] = { "BELOW", COLOUR_BAD },
        [VERDICT_CAPPED] = { "capped", COLOUR_BOLD },
        [VERDICT_UNKNOWN] = { "unknown", COLOUR_BOLD },
        [VERDICT_NONE] = { "none", COLOUR_DIM },
    };

    if (l->state == LINK_DOWN) {
        *ret_colour = COLOUR_BAD;
        return "DOWN";
    }
    if (l->state == LINK_EMPTY || l->state == LINK_DISABLED) {
        *ret_colour = COLOUR_DIM;
        return link_state_to_string(l->state);
    }
    *ret_colour = WORDS[l->verdict].colour;
    return WORDS[l->verdict].word;
}

const char *words_time(uint64_t wall_us, char *buffer, size_t size)
{
    time_t seconds = (time_t)(wall_us / 1000000);
    struct tm tm;

    if (!wall_us || !gmtime_r(&seconds, &tm) || !strftime(buffer, size, "%Y-%m-%d %H:%M UTC", &tm))
        return "";
    return buffer;
}

const char *words_utc(uint64_t wall_us, char buffer[static WORDS_UTC_BYTES])
{
    time_t seconds = (time_t)(wall_us / 1000000);
    struct tm tm;

    return wall_us && gmtime_r(&seconds, &tm) &&
                   strftime(buffer, WORDS_UTC_BYTES, "%Y-%m-%dT%H:%M:%SZ", &tm)
               ? buffer
               : NULL;
}

bool words_counts(const struct link *l)
{
    if (l->judged_above)
        return false;
    return !l->bundle || (l->verdict == VERDICT_BELOW && l->bundle->verdict != VERDICT_BELOW);
}

bool words_is_odd(const struct link *l)
{
    return l->state == LINK_DOWN || l->verdict == VERDICT_BELOW || l->verdict == VERDICT_CAPPED ||
           (l->verdict == VERDICT_UNKNOWN && (l->state == LINK_UP || l->state == LINK_UNKNOWN));
}

bool words_has_verdict(const struct link *l, enum verdict v)
{
    return words_counts(l) && l->verdict == v &&
           (v != VERDICT_UNKNOWN || l->state == LINK_UP || l->state == LINK_UNKNOWN);
}

const char *words_acknowledged(const struct finding *f, char *buffer, size_t size)
{
    const struct acknowledgement *a = f->known;
    char until[32];

    if (a) {
        words_time(a->until_us, until, sizeof(until));
        snprintf(buffer, size, "acknowledged by %s%s%s: %s", a->by, a->until_us ? " until " : "",
                 a->until_us ? until : "", a->reason);
        return buffer;
    }
    for (size_t i = 0; i < f->evidence.n; i++)
        if (strcmp(f->evidence.v[i].what, "acknowledged") == 0) {
            snprintf(buffer, size, "acknowledged: %s", f->evidence.v[i].value);
            return buffer;
        }
    return NULL;
}

/* "st0a", "nst0m": a tape with the settings of another mode. */
static bool is_other_mode(const char *node)
{
    const char *number = text_starts_with(node, "nst")  ? node + 3
                         : text_starts_with(node, "st") ? node + 2
                                                        : node;

    return number != node && number[strspn(number, "0123456789")] != '\0';
}

const char *words_nodes(const struct device *d, bool with_sg, char *buffer, size_t size)
{
    size_t n = 0;

    buffer[0] = '\0';
    for (uint32_t i = 0; i < d->subject->n_facts && n < size; i++) {
        const struct fact *f = &d->subject->facts[i];
        bool is_sg;

        if (f->key != &KEY_NODE || f->quality != QUALITY_OK)
            continue;
        is_sg = text_starts_with(f->text, "sg");
        if ((is_sg && !with_sg && n) || is_other_mode(f->text))
            continue;
        n += (size_t)snprintf(buffer + n, size - n, "%s%s", n ? " " : "", f->text);
    }
    return buffer;
}

const char *words_end(const struct report *r, const char *end)
{
    for (size_t i = 0; end && i < r->model->hosts.n; i++)
        if (strcmp(r->model->hosts.v[i]->id, end) == 0)
            return r->model->hosts.v[i]->kernel_name;
    return end;
}

const struct host *words_physical_port(const struct report *r, const struct host *h)
{
    for (size_t i = 0; i < r->model->hosts.n; i++) {
        const struct host *other = r->model->hosts.v[i];
        size_t len = strlen(other->subject->path);

        if (other != h && text_starts_with(h->subject->path, other->subject->path) &&
            h->subject->path[len] == '/')
            return other;
    }
    return NULL;
}

static bool has_node(const struct device *d, const char *name)
{
    for (uint32_t i = 0; i < d->subject->n_facts; i++) {
        const struct fact *f = &d->subject->facts[i];

        if (f->key == &KEY_NODE && f->quality == QUALITY_OK && strcmp(f->text, name) == 0)
            return true;
    }
    return false;
}

bool words_is_there(const struct report *r, const char *name)
{
    const struct model *m = r->model;

    if (model_host_named(m, name) || model_link_named(m, name))
        return true;
    for (size_t i = 0; i < m->devices.n; i++)
        if (strcmp(m->devices.v[i]->hctl, name) == 0 || has_node(m->devices.v[i], name))
            return true;
    for (size_t i = 0; i < m->remotes.n; i++)
        if (strcmp(m->remotes.v[i].kernel_name, name) == 0)
            return true;
    return false;
}

bool words_name_one_of(const struct texts *texts, const char *const *these, size_t n)
{
    for (size_t i = 0; i < texts->n; i++)
        for (size_t k = 0; k < n; k++)
            if (these[k] && strcmp(texts->v[i], these[k]) == 0)
                return true;
    return false;
}

bool words_locate(const struct device *d, char *ret, size_t size)
{
    char nodes[64];

    if (!d->bay || !d->type || strcmp(d->type, "disk") != 0)
        return false;
    words_nodes(d, false, nodes, sizeof(nodes));
    snprintf(ret, size, "ledctl locate=/dev/%.*s", (int)strcspn(nodes, " "), nodes);
    return *nodes != '\0';
}
