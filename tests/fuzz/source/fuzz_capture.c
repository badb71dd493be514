/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a capture: read, walked through a replay, recorded, written, read again.
 *
 * What must hold, whatever the bytes: an error names its place; what came before an error can be used;
 * all that a store holds survives being written and read, as one object and as a stream; a recorder
 * that is asked everything holds everything; equal stores give equal text.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/capture.h"
#include "source/record.h"
#include "source/replay.h"

#define MUST(condition)                 \
    do {                                \
        if (!(condition))               \
            fail(#condition, __LINE__); \
    } while (0)

_Noreturn static void fail(const char *what, int line)
{
    fprintf(stderr, "line %d: not so: %s\n", line, what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Gives the input in pieces, as a socket would. */
struct pieces {
    struct bytes left;
    size_t next; /* length of the next piece */
};

static int64_t next_piece(void *userdata, uint8_t *buffer, size_t size)
{
    struct pieces *p = userdata;
    struct bytes piece = bytes_slice(p->left, 0, p->next < size ? p->next : size);

    if (piece.len)
        memcpy(buffer, piece.data, piece.len);
    p->left = bytes_slice(p->left, piece.len, SIZE_MAX);
    p->next = p->next % 61 + 1;
    return (int64_t)piece.len;
}

static int read_from(struct json_reader *json, struct store *store, struct capture_reading *ret)
{
    struct arena *arena = arena_new();
    int r;

    MUST(arena && json);
    r = capture_read(json, store, arena, ret);
    if (r == -EBADMSG)
        MUST(ret->where && ret->why && *ret->why); /* a member may be named "" */
    MUST(r == 0 || r == -EBADMSG);
    MUST(r < 0 || ret->complete != ret->stopped);
    json_reader_free(json);
    arena_free(arena);
    ret->where = ret->why = NULL; /* were in the arena */
    return r;
}

static struct store *read_all(struct bytes text, bool must_be_complete)
{
    struct store *s = store_new();
    struct capture_reading reading = { 0 };
    int r = read_from(json_reader_over(text), s, &reading);

    if (must_be_complete)
        MUST(r == 0 && reading.complete);
    return s;
}

/* ---- a walk over all that a source says, as text ---- */

static void say(FILE *out, const char *what, const char *path, const struct value *v)
{
    fprintf(out, "%s %s %d %zu:", what, path, v->error, v->bytes.len);
    MUST(!v->error || !v->bytes.len);
    if (!v->bytes.data)
        return;
    MUST(v->bytes.data[v->bytes.len] == 0);
    fwrite(v->bytes.data, 1, v->bytes.len, out);
    fputc('\n', out);
}

static void walk(struct source *s, const char *dir, FILE *out)
{
    struct names n;

    MUST(source_list(s, dir, "", &n) == 0);
    fprintf(out, "list %s %d\n", dir, n.error);
    for (size_t i = 0; i < n.n; i++) {
        struct value content, link, cut;
        char *path;

        MUST(i == 0 || strcmp(n.v[i - 1], n.v[i]) < 0);
        MUST(asprintf(&path, "%s/%s", dir[1] ? dir : "", n.v[i]) > 0);
        MUST(source_link(s, path, &link) == 0);
        MUST(source_read(s, path, SIZE_MAX, &content) == 0);
        MUST(source_read(s, path, 3, &cut) == 0);
        MUST(cut.error == content.error);
        MUST(cut.bytes.len == (content.bytes.len < 3 ? content.bytes.len : 3));
        MUST((n.kinds[i] == NAME_LINK) == !link.error);
        say(out, "link", path, &link);
        say(out, "read", path, &content);
        if (n.kinds[i] == NAME_DIR) {
            MUST(content.error == EISDIR);
            walk(s, path, out);
        }
        free(path);
    }
    names_done(&n);
}

static char *everything(struct source *s)
{
    struct taken t;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    MUST(source_now(s, &t) == 0);
    fprintf(out, "%s %s %s\n", t.kernel, t.machine, t.hostname);
    walk(s, "/", out);
    fclose(out);
    return text;
}

static char *all_of(const struct store *store)
{
    struct source *s = replay_new(store);
    char *text = everything(s);

    source_close(s);
    return text;
}

static void expect_equal(char *a, char *b)
{
    MUST(strcmp(a, b) == 0);
    free(a);
    free(b);
}

/* ---- the invariants ---- */

/* Each recorded command asked again: an answer or a refusal by our rules, never more than asked for. */
static void ask_commands(struct source *s, const struct store *store)
{
    for (size_t i = 0; i < store_commands(store); i++) {
        struct store_command c = store_command_at(store, i);
        struct command_target target = { .hctl = c.hctl, .scsi_level = 6 };
        struct command asked = { .cdb_len = c.cdb.len };
        struct answer a;

        memcpy(asked.cdb, c.cdb.data, c.cdb.len);
        asked.transfer_bytes = command_counts_blocks(c.cdb) ? 512 : command_transfer_bytes(c.cdb);
        MUST(source_command(s, &target, &asked, &a) == 0);
        MUST(!a.refused == !command_allowed(c.cdb));
        MUST(a.data.len <= asked.transfer_bytes);
        MUST(a.error || a.data.len + a.residual == asked.transfer_bytes);
    }
}

static struct bytes written(const struct store *store, bool stream)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    MUST((stream ? capture_write_chunk(store, out) : capture_write(store, out)) == 0);
    if (stream)
        MUST(capture_write_end(out) == 0);
    fclose(out);
    return (struct bytes){ (uint8_t *)text, size };
}

/* Written, read, written again: the same text, the same answers. */
static void survives_writing(const struct store *store, bool stream)
{
    struct bytes once = written(store, stream), twice;
    struct store *again = read_all(once, true);

    expect_equal(all_of(store), all_of(again));
    MUST(store_commands(store) == store_commands(again));
    MUST(store_measures(store) == store_measures(again));
    twice = written(again, stream);
    MUST(bytes_equal(once, twice));
    free((void *)(uintptr_t)once.data);
    free((void *)(uintptr_t)twice.data);
    store_free(again);
}

static void survives_recording(const struct store *store)
{
    struct store *copy = store_new();
    struct source *inner = replay_new(store), *s = record_new(inner, copy);

    ask_commands(s, store);
    /* Of these two it keeps a part. */
    if (store_resolve(store, "/proc/cmdline", false) == STORE_NO_NODE &&
        store_resolve(store, "/etc/modprobe.d", false) == STORE_NO_NODE) {
        expect_equal(all_of(store), everything(s));
        expect_equal(all_of(store), all_of(copy));
    }
    source_close(s);
    source_close(inner);
    store_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct store *store = read_all((struct bytes){ data, size }, false), *pieces = store_new();
    struct pieces p = { { data, size }, 7 };
    struct capture_reading reading = { 0 };

    read_from(json_reader_new(next_piece, &p), pieces, &reading);
    expect_equal(all_of(store), all_of(pieces));
    survives_writing(store, false);
    survives_writing(store, true);
    survives_recording(store);
    store_free(pieces);
    store_free(store);
    return 0;
}
