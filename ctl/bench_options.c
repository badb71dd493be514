/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options of bench (bench_options.h).
 */
#include "ctl/bench_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "source/measure.h"

enum {
    BLOCK_MOST = 16 * 1024 * 1024, /* READ BUFFER counts 24 bits of bytes (SPC-4 6.18) */
    DEPTH_MOST = 32,
    SECONDS_MOST = 3600,
    TEXT = 1024,
    WORDS_MOST = 32, /* of a list, that hbad-collect takes */
};

/* One way each by which the three are comparable; for a sweep all that tell something by themselves. */
#define USUAL_METHODS "read-buffer/sg,read-cached/sg,read-media/sg"
#define SWEEP_METHODS                                             \
    "read-buffer/sg-mmap,read-cached/sg-mmap,read-media/sg-mmap," \
    "read-media/sg,read-media/block-direct,read-media/block-buffered"
#define RANDOM_METHODS "read-media/sg"
#define USUAL_BLOCKS   "1M"
#define RANDOM_BLOCKS  "4K" /* a page: what programs read at random places */
#define SWEEP_BLOCKS   "512,1K,2K,4K,8K,16K,32K,64K,128K,256K,512K,1M,2M,4M"

void bench_arguments_done(struct bench_arguments *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->v[i]);
    a->n = 0;
}

__attribute__((format(printf, 2, 3))) static int add(struct bench_arguments *a, const char *format,
                                                     ...)
{
    va_list args;
    char *text;
    int r;

    va_start(args, format);
    r = vasprintf(&text, format, args);
    va_end(args);
    if (r < 0)
        return -ENOMEM;
    a->v[a->n++] = text;
    return 0;
}

/* "64K" → 65536. */
static int parse_size(const char *word, uint64_t *ret)
{
    static const char UNITS[] = "KMG";
    char digits[24];
    size_t len = strlen(word);
    const char *unit = len ? strchr(UNITS, word[len - 1]) : NULL;
    uint64_t n;

    snprintf(digits, sizeof(digits), "%.*s", (int)(len - (unit ? 1 : 0)), word);
    if (len >= sizeof(digits) || number_u64(digits, 10, &n) < 0)
        return -EINVAL;
    for (const char *u = UNITS; unit && u <= unit; u++)
        if (__builtin_mul_overflow(n, 1024, &n))
            return -EINVAL;
    *ret = n;
    return 0;
}

static int parse_method(const char *word, char *ret, size_t size)
{
    const struct measure_method *m = measure_method_named(word);

    if (!m) {
        say("--method %s: there is no such method; hbactl --help lists them", word);
        return -EINVAL;
    }
    snprintf(ret, size, "%s", m->name);
    return 0;
}

static int parse_block(const char *word, char *ret, size_t size)
{
    uint64_t n;

    if (parse_size(word, &n) < 0 || !n || n > BLOCK_MOST || n % 512) {
        say("--block %s: not a multiple of 512 up to 16M", word);
        return -EINVAL;
    }
    snprintf(ret, size, "%" PRIu64, n);
    return 0;
}

static int parse_depth(const char *word, char *ret, size_t size)
{
    uint64_t n;

    if (number_u64(word, 10, &n) < 0 || !n || n > DEPTH_MOST) {
        say("--depth %s: not a number from 1 to %d", word, DEPTH_MOST);
        return -EINVAL;
    }
    snprintf(ret, size, "%" PRIu64, n);
    return 0;
}

/* "NAME=" and each word of the list as `parse` writes it, commas between. */
static int add_list(struct bench_arguments *a, const char *name, const char *list,
                    int (*parse)(const char *word, char *ret, size_t size))
{
    _cleanup_free_ char *copy = strdup(list);
    char text[TEXT] = "", word[64];
    char *rest = copy, *one;
    size_t n = 0, words = 0;

    if (!copy)
        return -ENOMEM;
    while ((one = strsep(&rest, ","))) {
        int r = parse(one, word, sizeof(word));

        if (r < 0)
            return r;
        if (++words > WORDS_MOST || n + strlen(word) + 2 > sizeof(text)) {
            say("%s %s: more than %d", name, list, WORDS_MOST);
            return -EINVAL;
        }
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? "," : "", word);
    }
    return add(a, "%s=%s", name, text);
}

static int add_length(struct bench_arguments *a, const struct bench_words *b)
{
    uint64_t bytes, ms = b->sweep ? 1000 : b->bytes ? 0 : 2000;
    int r = 0;

    if (b->bytes) {
        if (parse_size(b->bytes, &bytes) < 0 || !bytes) {
            say("--bytes %s: not a number of bytes, or of K, M or G", b->bytes);
            return -EINVAL;
        }
        r = add(a, "--bytes=%" PRIu64, bytes);
    }
    if (r == 0 && b->seconds &&
        (number_decimal(b->seconds, 3, &ms, NULL) < 0 || !ms || ms > SECONDS_MOST * 1000)) {
        say("--seconds %s: not a number of seconds up to %d", b->seconds, SECONDS_MOST);
        return -EINVAL;
    }
    a->cell_us = ms ? ms * 1000 : 1000000;
    return r < 0 || !ms ? r
                        : add(a, "--seconds=%" PRIu64 ".%03u", ms / 1000, (unsigned)(ms % 1000));
}

static int add_memory(struct bench_arguments *a, const char *memory)
{
    if (!memory)
        return 0;
    if (strcmp(memory, "hot") != 0 && strcmp(memory, "cold") != 0) {
        say("--memory %s: hot or cold", memory);
        return -EINVAL;
    }
    return add(a, "--memory=%s", memory);
}

/* The methods that read the medium, of a list; NULL: there are none. The list is to be freed. */
static char *of_medium(const char *list)
{
    _cleanup_free_ char *copy = strdup(list);
    char *rest = copy, *one, *found = calloc(1, strlen(list) + 2);
    bool any = false;

    while (copy && found && (one = strsep(&rest, ","))) {
        const struct measure_method *m = measure_method_named(one);

        if (m && m->what != MEASURE_READ_MEDIA)
            continue;
        strcat(strcat(found, any ? "," : ""), one);
        any = true;
    }
    if (any)
        return found;
    free(found);
    return NULL;
}

static int add_methods(struct bench_arguments *a, const struct bench_words *b, bool random)
{
    _cleanup_free_ char *media = random && b->methods ? of_medium(b->methods) : NULL;

    if (!random)
        return add_list(a, "--measure",
                        b->methods ? b->methods
                        : b->sweep ? SWEEP_METHODS
                                   : USUAL_METHODS,
                        parse_method);
    if (b->methods && !media) {
        say("--method %s: none of them reads the medium, where random places are", b->methods);
        return -EINVAL;
    }
    return add_list(a, "--measure", media ? media : RANDOM_METHODS, parse_method);
}

/* With --seeks, blocks that are named are those of reads in sequence. */
static int add_blocks(struct bench_arguments *a, const struct bench_words *b, bool random)
{
    const char *blocks = b->sweep ? SWEEP_BLOCKS : USUAL_BLOCKS;

    if (random && (b->seeks || !b->sweep))
        blocks = RANDOM_BLOCKS;
    if (b->blocks && !(random && b->seeks))
        blocks = b->blocks;
    return add_list(a, "--block", blocks, parse_block);
}

/* Shorter than ours: it gives up one device and goes on with the others, where we give up all. */
static unsigned patience_of_collector(unsigned ours)
{
    enum { MOST = 3600 /* that hbad-collect takes */ };
    unsigned s = ours * 3 / 4;

    return !s ? 1 : s < MOST ? s : MOST;
}

int bench_arguments(const struct request *request, bool random, struct bench_arguments *ret)
{
    const struct bench_words *b = &request->bench;
    int r;

    *ret = (struct bench_arguments){ 0 };
    r = add_methods(ret, b, random);
    if (r == 0)
        r = add_blocks(ret, b, random);
    if (r == 0)
        r = add_list(ret, "--depth", b->depths ? b->depths : "1", parse_depth);
    if (r == 0)
        r = add_length(ret, b);
    if (r == 0)
        r = add_memory(ret, b->memory);
    if (r == 0 && random)
        r = add(ret, "--random");
    if (r == 0 && request->force)
        r = add(ret, "--force");
    if (r == 0 && request->patience_of_reads_s != PATIENCE_OF_READS_S)
        r = add(ret, "--patience=%u", patience_of_collector(request->patience_of_reads_s));
    if (r == 0 && request->config) /* what it forbids is enforced there */
        r = add(ret, "--config=%s", request->config);
    if (r == -ENOMEM)
        say("out of memory");
    return r;
}
