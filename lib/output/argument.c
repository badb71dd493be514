/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why a verdict is what it is (argument.h).
 */
#include "output/argument.h"

#include <inttypes.h>
#include <string.h>

#include "output/words.h"

void argument_head(const struct report *r, const struct link *l, FILE *out)
{
    const char *far = words_end(r, l->far);
    enum colour colour;

    fprintf(out, "%s%s%s: %s", l->kernel_name, far ? ", to " : "", far ? far : "",
            words_verdict(l, &colour));
}

struct argument_claims argument_claims(const struct link *l, enum argument_kind kind)
{
    switch (kind) {
    case ARGUMENT_RUNS:
        return (struct argument_claims){ "what it runs at", l->witnesses.v, l->witnesses.n };
    case ARGUMENT_ABLE:
        return (struct argument_claims){ "what is possible", l->able.v, l->able.n };
    case ARGUMENT_ALLOWED:
        return (struct argument_claims){ "what is allowed", l->allowed.v, l->allowed.n };
    case _ARGUMENT_MAX:
    default:
        return (struct argument_claims){ 0 };
    }
}

/* Where the tightest of the limits was read. */
static const char *limit_of(const struct link *l)
{
    const struct claim *tightest = NULL;

    for (size_t i = 0; i < l->allowed.n; i++)
        if (!tightest || rate_compare(l->allowed.v[i].mode.rate, tightest->mode.rate) < 0)
            tightest = &l->allowed.v[i];
    return tightest ? tightest->via : "not known where";
}

/* Does somebody say what lies between the ends? */
static bool has_hop(const struct link *l)
{
    for (size_t i = 0; i < l->able.n; i++)
        if (l->able.v[i].who == WHO_HOP)
            return true;
    return false;
}

/* Is what all can do by the word of one end only? */
static bool is_of_one_end(const struct link *l)
{
    for (size_t i = 1; i < l->able.n; i++)
        if (l->able.v[i].who != l->able.v[0].who)
            return false;
    return l->able.n > 0;
}

void argument_rule(const struct link *l, FILE *out)
{
    char buffers[2][64];
    const char *actual = words_mode(&l->actual, buffers[0], sizeof(buffers[0])),
               *expected = words_mode(&l->expected, buffers[1], sizeof(buffers[1]));

    switch (l->verdict) {
    case VERDICT_OK:
        if (l->expected_from.n && l->expected_from.v[0].who == WHO_ADMINISTRATOR)
            fprintf(out, "It runs at %s, and %s wants no more than %s.\n", actual,
                    l->expected_from.v[0].via, expected);
        else if (is_of_one_end(l))
            fprintf(
                out,
                "It runs at %s, the best that is known of what is on the way; what the other end can do is not known.\n",
                actual);
        else
            fprintf(out,
                    "It runs at %s, the best that all on the way are known to have in common.\n",
                    actual);
        break;
    case VERDICT_BELOW:
        fprintf(out, "It runs at %s and should run at %s: ", actual, expected);
        if (l->expected_from.n && l->expected_from.v[0].who == WHO_HISTORY)
            fputs("it did so before.\n", out);
        else if (l->expected_from.n && l->expected_from.v[0].who == WHO_SIBLING)
            fputs("others of its kind do.\n", out);
        else if (l->expected_from.n && l->expected_from.v[0].who == WHO_ADMINISTRATOR)
            fprintf(out, "%s wants it so.\n", l->expected_from.v[0].via);
        else
            fprintf(out, "both ends can do that%s.\n",
                    l->impaired.code ? "; what lies between holds them down"
                    : has_hop(l)     ? ", and what is known to lie between"
                                     : "");
        break;
    case VERDICT_CAPPED:
        fprintf(out, "It runs at %s because of a limit that was set (%s); without it, %s.\n",
                actual, limit_of(l), expected);
        break;
    case VERDICT_UNKNOWN:
    case VERDICT_NONE:
    default:
        fprintf(out, "There is no verdict%s%s.\n", l->reason ? ": " : "",
                l->reason ? l->reason : "");
        break;
    }
    if (l->reason && (l->verdict == VERDICT_OK || l->verdict == VERDICT_BELOW))
        fprintf(out, "Besides: %s.\n", l->reason);
}

void argument_hints(const struct report *r, const struct link *l, const char *before, FILE *out)
{
    for (size_t i = 0; i < r->model->measures.n; i++) {
        const struct measured *x = &r->model->measures.v[i];

        if (x->hint && x->device->link == l)
            fprintf(out,
                    "%sa hint, no proof: %s reads %" PRIu64 ".%" PRIu64
                    " MB/s, often the rate of %s\n",
                    before, x->device->hctl, x->kb_per_s / 1000, x->kb_per_s % 1000 / 100, x->hint);
    }
}

/* What a link is counted as. */
static const char *standing_of(const struct link *l)
{
    if (l->has_no_link)
        return "without a physical link";
    if (l->state == LINK_UP || l->state == LINK_UNKNOWN)
        return verdict_to_string(l->verdict);
    return link_state_to_string(l->state);
}

void argument_standings(const struct report *r, const struct host *h, FILE *out)
{
    static const char *const STANDINGS[] = { NULL,       "ok",      "below",
                                             "capped",   "unknown", "down",
                                             "disabled", "empty",   "without a physical link",
                                             "none" };

    fprintf(out, "%s%s%s: ", h->kernel_name, h->model ? ", " : "", h->model ? h->model : "");
    for (size_t s = 0; s < ELEMENTS(STANDINGS); s++) {
        size_t n = 0;

        for (size_t i = 0; i < r->model->links.n; i++) {
            const struct link *l = r->model->links.v[i];

            n += l->host == h && words_counts(l) &&
                 (!STANDINGS[s] || strcmp(STANDINGS[s], standing_of(l)) == 0);
        }
        if (!STANDINGS[s])
            fprintf(out, "%zu link%s", n, n == 1 ? "" : "s");
        else if (n)
            fprintf(out, ", %zu %s", n, STANDINGS[s]);
    }
    fputs(".\n", out);
}

bool argument_place(const struct device *d, char *buffer, size_t size)
{
    char command[80];

    if (!words_locate(d, command, sizeof(command)))
        return false;
    snprintf(buffer, size, "%s: bay %s%s%s, %s", d->hctl, d->bay, d->enclosure ? " of " : "",
             d->enclosure ? d->enclosure : "", command);
    return true;
}
