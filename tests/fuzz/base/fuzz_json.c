/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as JSON text: the reader says the same in one go and in pieces, and takes what jansson takes
 * (within the limits that json_read.h names). The first byte chooses the size of the pieces.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/json_read.h"

#define require(condition) ((condition) ? (void)0 : abort())

struct pieces {
    struct bytes text;
    size_t at, piece;
};

static int64_t next_piece(void *userdata, uint8_t *buffer, size_t size)
{
    struct pieces *p = userdata;
    struct bytes piece = bytes_slice(p->text, p->at, p->piece < size ? p->piece : size);

    if (piece.len)
        memcpy(buffer, piece.data, piece.len);
    p->at += piece.len;
    return (int64_t)piece.len;
}

static bool same_words(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Both readers, token by token, through all documents. Returns what ended the first document. */
static int compare(struct json_reader *whole, struct json_reader *pieces)
{
    struct json_token a, b;
    int n, first = 1;
    bool more;

    do {
        do {
            n = json_next(whole, &a);
            require(n <= 1 && json_next(pieces, &b) == n);
            if (n > 0)
                require(a.event == b.event && a.integer == b.integer &&
                        bytes_equal(a.text, b.text));
            require(json_reader_offset(whole) == json_reader_offset(pieces));
        } while (n > 0);
        require(same_words(json_reader_error(whole), json_reader_error(pieces)));
        require((n == -EBADMSG) == (json_reader_error(whole) != NULL));
        first = first == 1 ? n : first;
        more = json_reader_next_document(whole);
        require(json_reader_next_document(pieces) == more);
    } while (more);
    return first;
}

/* What jansson says of the first document; it has no documents but this one. */
static void ask_jansson(struct bytes text, int ours, const char *why)
{
    const uint8_t *nul = text.len ? memchr(text.data, '\0', text.len) : NULL;
    size_t len = nul ? (size_t)(nul - text.data) : text.len;
    json_error_t error;
    json_t *tree = json_loadb((const char *)text.data, len, JSON_DECODE_ANY | JSON_ALLOW_NUL,
                              &error);

    if (tree)
        require(ours == 0 ||
                (why && (strstr(why, "nested too deeply") || strstr(why, "longer than"))));
    else
        require(ours < 0 || strstr(error.text, "too big") || strstr(error.text, "overflow"));
    json_decref(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes text = { data + 1, size - 1 };
    struct pieces p = { text, 0, 0 };
    struct json_reader *whole, *pieces;
    char *why = NULL;
    int n;

    if (size == 0)
        return 0;
    p.piece = data[0] % 16 + 1u;
    whole = json_reader_over(text);
    pieces = json_reader_new(next_piece, &p);
    require(whole && pieces);
    n = compare(whole, pieces);
    if (json_reader_error(whole))
        why = strdup(json_reader_error(whole));
    ask_jansson(text, n, why);
    free(why);
    json_reader_free(whole);
    json_reader_free(pieces);
    return 0;
}
