/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints our reading of device answers, for the vector test and the differential test to compare.
 *
 * usage: print_reading     each input line is "DECODER HEX", each output line the reading as JSON,
 *                          or {"error":"NAME"} where the decoder refused; exit 1 for a line that
 *                          is neither
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "reading.h"

/* The bytes in memory of exactly that size, so that a sanitizer sees a read one byte too far. */
static int64_t decode_hex(const char *hex, uint8_t **ret)
{
    size_t len = strlen(hex);
    uint8_t *data = malloc(len / 2 + 1), *exact;
    int64_t n = data ? hex_decode(hex, len, data, len / 2 + 1) : -ENOMEM;

    if (n < 0) {
        free(data);
        return n;
    }
    exact = realloc(data, n ? (size_t)n : 1);
    *ret = exact ? exact : data;
    return n;
}

static int print(const char *decoder, const char *hex)
{
    _cleanup_free_ uint8_t *data = NULL;
    _cleanup_free_ char *text = NULL;
    int64_t n = decode_hex(hex, &data);
    struct json_writer w;
    size_t size;
    FILE *out;
    int r;

    if (n < 0)
        return (int)n;
    out = open_memstream(&text, &size);
    if (!out)
        return -ENOMEM;
    w = json_writer(out, false);
    r = reading(decoder, (struct bytes){ data, (size_t)n }, &w);
    fclose(out);
    if (r == -ENOENT)
        return r;
    if (r < 0)
        printf("{\"error\":\"%s\"}\n", strerrorname_np(-r));
    else
        puts(text);
    fflush(stdout);
    return 0;
}

int main(void)
{
    char line[32768];

    while (fgets(line, sizeof(line), stdin)) {
        char *hex = strchr(line, ' ');
        int r = -EINVAL;

        if (hex) {
            *hex++ = '\0';
            r = print(line, hex);
        }
        if (r < 0) {
            fprintf(stderr, "print_reading: %s: %s\n", line, strerror(-r));
            return 1;
        }
    }
    return 0;
}
