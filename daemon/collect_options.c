/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command line of hbad-collect.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "daemon/collect.h"
#include "wire/request.h"

static int usage(FILE *out, int status)
{
    fputs(
        "hbad-collect [--below=DIRECTORY] [--level=identity|modes|all] [--named=H:C:T:L] [--force]\n"
        "             [--after=H:C:T:L] [--unasked] [--config=FILE] [--sysfs-root=DIRECTORY]\n"
        "hbad-collect --measure=METHOD[,...] --device=H:C:T:L [--device=...] [--block=BYTES[,...]]\n"
        "             [--depth=N[,...]] [--bytes=N] [--seconds=S.S] [--memory=hot|cold]\n"
        "             [--random[=SEED]] [--alone] [--patience=S] [--force] [--config=FILE]\n"
        "hbad-collect --probe[=H:C:T:L] [--probe=...] [--select=H:C:T:L] [--seen=H:C:T:L=SECONDS]\n"
        "             [--await=SECONDS] [--below=DIRECTORY] [--force] [--config=FILE]\n"
        "hbad-collect --serve\n"
        "hbad-collect --watch [--sysfs-root=DIRECTORY]\n\n"
        "Reads one adapter (the hosts below a /sys/devices directory; without it, all) and writes a\n"
        "capture stream to standard output; with --after, of the devices behind that one only; with\n"
        "--unasked, without sending any device a command. Or measures reads of the devices, all\n"
        "together (--alone: one by one), each method with each block and each depth, and writes\n"
        "what came out to the stream. Or probes: one short read of each link that may be read, of\n"
        "these devices or of all; --select: of these, whom nobody named as such; --seen: so long ago\n"
        "somebody else was seen to use the device; --await: wait so long for somebody to use disks\n"
        "of which nothing else tells whether they sleep, which are left alone otherwise.\n"
        "With --serve it is told at its standard input what to read, by hbad, through a socket; with\n"
        "--watch what to read again and again, and writes what has changed.\n"
        "What hbad.conf (or FILE) forbids is not done. Started by hbactl\n"
        "and hbad.\n\nMethods:\n",
        out);
    for (const struct measure_method *m = MEASURE_METHODS; m->name; m++)
        fprintf(out, "  %-26s %s\n", m->name, m->about);
    return status;
}

/* ---- values; all return 0 or -EINVAL ---- */

static int parse_level(const char *word, enum level *ret)
{
    static const char *const LEVELS[] = { "identity", "modes", "all" };

    for (size_t i = 0; i < ELEMENTS(LEVELS); i++) {
        if (strcmp(word, LEVELS[i]) != 0)
            continue;
        *ret = (enum level)i;
        return 0;
    }
    return -EINVAL;
}

static int parse_methods(char *list, struct measuring *m)
{
    char *word, *rest = NULL;

    for (word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        const struct measure_method *method = measure_method_named(word);

        if (!method || m->n_methods == ELEMENTS(m->methods))
            return -EINVAL;
        m->methods[m->n_methods++] = method;
    }
    return m->n_methods ? 0 : -EINVAL;
}

/* Whole numbers from 1 to `max`. */
static int parse_numbers(char *list, uint64_t max, uint64_t *v, size_t room, size_t *n)
{
    char *word, *rest = NULL;

    for (word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (*n == room || number_u64(word, 10, &v[*n]) < 0 || !v[*n] || v[*n] > max)
            return -EINVAL;
        (*n)++;
    }
    return *n ? 0 : -EINVAL;
}

static int parse_device(const char *word, struct measuring *m)
{
    if (!hctl_is_valid(word) || m->n_devices == ELEMENTS(m->devices))
        return -EINVAL;
    for (size_t i = 0; i < m->n_devices; i++)
        if (strcmp(m->devices[i], word) == 0)
            return -EINVAL;
    m->devices[m->n_devices++] = word;
    return 0;
}

static int parse_bytes_wanted(const char *word, struct measuring *m)
{
    return number_u64(word, 10, &m->bytes) < 0 || !m->bytes ? -EINVAL : 0;
}

static int parse_seconds(const char *word, struct measuring *m)
{
    /* A day is long enough, and far from overflow. */
    static const uint64_t MOST_US = UINT64_C(86400) * 1000000;

    return number_decimal(word, 6, &m->longest_us, NULL) < 0 || !m->longest_us ||
                   m->longest_us > MOST_US
               ? -EINVAL
               : 0;
}

static int parse_patience(const char *word, struct measuring *m)
{
    /* An hour is longer than anybody waits. */
    return number_u64(word, 10, &m->patience_s) < 0 || !m->patience_s || m->patience_s > 3600
               ? -EINVAL
               : 0;
}

static int parse_memory(const char *word, struct measuring *m)
{
    m->cold = strcmp(word, "cold") == 0;
    return m->cold || strcmp(word, "hot") == 0 ? 0 : -EINVAL;
}

static int parse_random(const char *word, struct measuring *m)
{
    m->random = true;
    return word && number_u64(word, 10, &m->seed) < 0 ? -EINVAL : 0;
}

static bool is_among(const char *const *v, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(v[i], word) == 0)
            return true;
    return false;
}

/* A device that is named, or one that is only selected. */
static int parse_probed(const char *word, bool named, struct probing *p)
{
    const char **v = named ? p->devices : p->selected;
    size_t *n = named ? &p->n_devices : &p->n_selected;

    if (!hctl_is_valid(word) || *n == PROBED_MAX || is_among(p->devices, p->n_devices, word) ||
        is_among(p->selected, p->n_selected, word))
        return -EINVAL;
    v[(*n)++] = word;
    return 0;
}

static int parse_probe(const char *word, struct probing *p)
{
    p->wanted = true;
    return word ? parse_probed(word, true, p) : 0;
}

/* H:C:T:L=SECONDS */
static int parse_seen(char *word, struct probing *p)
{
    char *equals = strchr(word, '=');
    struct plan_seen *seen = &p->seen[p->n_seen];

    if (!equals || p->n_seen == ELEMENTS(p->seen))
        return -EINVAL;
    *equals = '\0';
    if (!hctl_is_valid(word) || number_decimal(equals + 1, 6, &seen->ago_us, NULL) < 0)
        return -EINVAL;
    seen->hctl = word;
    p->n_seen++;
    return 0;
}

static int parse_await(const char *word, struct probing *p)
{
    static const uint64_t MOST_US = COLLECT_AWAIT_MAX_S * UINT64_C(1000000);

    return number_decimal(word, 6, &p->await_us, NULL) < 0 || p->await_us > MOST_US ? -EINVAL : 0;
}

/* ---- the line ---- */

static const struct option OPTIONS[] = {
    { "below", required_argument, NULL, 'b' },
    { "level", required_argument, NULL, 'l' },
    { "named", required_argument, NULL, 'n' },
    { "force", no_argument, NULL, 'f' },
    { "after", required_argument, NULL, 'a' },
    { "unasked", no_argument, NULL, 'u' },
    { "sysfs-root", required_argument, NULL, 'r' },
    { "help", no_argument, NULL, 'h' },
    { "measure", required_argument, NULL, 'M' },
    { "device", required_argument, NULL, 'D' },
    { "block", required_argument, NULL, 'B' },
    { "depth", required_argument, NULL, 'Q' },
    { "bytes", required_argument, NULL, 'N' },
    { "seconds", required_argument, NULL, 'S' },
    { "patience", required_argument, NULL, 'W' },
    { "memory", required_argument, NULL, 'C' },
    { "random", optional_argument, NULL, 'R' },
    { "config", required_argument, NULL, 'c' },
    { "alone", no_argument, NULL, 'A' },
    { "probe", optional_argument, NULL, 'P' },
    { "select", required_argument, NULL, 'O' },
    { "seen", required_argument, NULL, 'E' },
    { "await", required_argument, NULL, 'T' },
    { "serve", no_argument, NULL, 'V' },
    { "watch", no_argument, NULL, 'w' },
    { 0 },
};

/* Options of measuring. Returns 0 or -EINVAL. */
static int take_measuring(int option, char *word, struct measuring *m)
{
    switch (option) {
    case 'M':
        return parse_methods(word, m);
    case 'D':
        return parse_device(word, m);
    case 'B':
        return parse_numbers(word, MEASURE_BLOCK_MAX, m->blocks, ELEMENTS(m->blocks), &m->n_blocks);
    case 'Q':
        return parse_numbers(word, MEASURE_DEPTH_MAX, m->depths, ELEMENTS(m->depths), &m->n_depths);
    case 'N':
        return parse_bytes_wanted(word, m);
    case 'S':
        return parse_seconds(word, m);
    case 'W':
        return parse_patience(word, m);
    case 'C':
        return parse_memory(word, m);
    case 'R':
        return parse_random(word, m);
    case 'A':
        m->alone = true;
        return 0;
    default:
        return -EINVAL;
    }
}

static int take(int option, char *word, struct collect_options *o)
{
    switch (option) {
    case 'b':
        o->gather.only_below = word;
        return 0;
    case 'l':
        return parse_level(word, &o->gather.level);
    case 'n':
        o->gather.named = word;
        return 0;
    case 'f':
        o->gather.forced = o->measuring.forced = o->probing.forced = true;
        return 0;
    case 'a':
        o->gather.after = word;
        return 0;
    case 'u':
        o->gather.unasked = true;
        return 0;
    case 'c':
        o->config = word;
        return 0;
    case 'r':
        o->live.root = word;
        return 0;
    case 'w':
        o->watches = true;
        return 0;
    case 'P':
        return parse_probe(word, &o->probing);
    case 'O':
        return parse_probed(optarg, false, &o->probing);
    case 'E':
        return parse_seen(word, &o->probing);
    case 'T':
        return parse_await(word, &o->probing);
    default:
        return take_measuring(option, word, &o->measuring);
    }
}

/* What is not said of measuring. False where something must be said. */
static bool complete(struct measuring *m)
{
    static const uint64_t BLOCK = 65536, LONGEST_US = 1000000;

    if (!m->n_methods)
        return !m->n_devices && !m->n_blocks && !m->n_depths && !m->bytes && !m->longest_us &&
               !m->cold && !m->random && !m->alone && !m->patience_s;
    if (!m->patience_s)
        m->patience_s = MEASURE_PATIENCE_S;
    if (!m->n_blocks)
        m->blocks[m->n_blocks++] = BLOCK;
    if (!m->n_depths)
        m->depths[m->n_depths++] = 1;
    if (!m->bytes && !m->longest_us)
        m->longest_us = LONGEST_US;
    return m->n_devices != 0;
}

int collect_parse(int argc, char **argv, struct collect_options *ret)
{
    int option;

    *ret = (struct collect_options){ .gather.level = LEVEL_ALL };
    while ((option = getopt_long(argc, argv, "h", OPTIONS, NULL)) >= 0) {
        if (option == 'h')
            return usage(stdout, 0);
        if (option == 'V' && argc == 2) { /* and nothing besides */
            ret->serves = true;
            return -1;
        }
        if (take(option, optarg, ret) < 0)
            return usage(stderr, 64);
    }
    if (ret->probing.wanted
            ? ret->measuring.n_methods
            : ret->probing.n_seen || ret->probing.n_selected || ret->probing.await_us)
        return usage(stderr, 64); /* one of both; and seen for nothing */
    return optind < argc || !complete(&ret->measuring) ? usage(stderr, 64) : -1;
}
