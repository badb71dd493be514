/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The replay of replay.h.
 *
 * A command is matched by device and command_key(). Among the matches the first whose data is as long
 * as asked for answers, else the one with the longest data. One that reports a unit attention answers
 * once, before the others, as the device did.
 */
#include "source/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "decode/modesense.h"
#include "decode/sense.h"

struct replay {
    struct source source;
    const struct store *store;
    struct arena *arena; /* converted answers */
    VEC(bool) used_up;   /* one a command: unit attentions that were given out */
};

static struct replay *replay_of(struct source *s)
{
    return (struct replay *)s;
}

static bool name_begins(struct bytes name, const char *prefix)
{
    size_t n = strlen(prefix);

    return name.len >= n && memcmp(name.data, prefix, n) == 0;
}

static enum name_kind kind_of_name(enum store_kind kind)
{
    switch (kind) {
    case STORE_DIR:
        return NAME_DIR;
    case STORE_LINK:
        return NAME_LINK;
    case STORE_FILE:
        return NAME_FILE;
    case STORE_ERRNO:
        return NAME_UNKNOWN;
    }
    return NAME_UNKNOWN;
}

/* Why nothing is at a path: the refusal of a directory above it, else ENOENT. */
static int refusal_above(const struct store *store, const char *path)
{
    char above[4096];
    size_t n = strlen(path);

    if (n >= sizeof(above))
        return ENOENT;
    memcpy(above, path, n + 1);
    for (char *end = strrchr(above, '/'); end && end > above; end = strrchr(above, '/')) {
        store_node node;

        *end = '\0';
        node = store_resolve(store, above, true);
        if (node != STORE_NO_NODE)
            return store_kind_of(store, node) == STORE_ERRNO ? store_error_of(store, node) : ENOENT;
    }
    return ENOENT;
}

/* Why that node cannot be listed, 0 where it can. */
static int list_error(const struct store *store, const char *path, store_node node)
{
    if (node == STORE_NO_NODE)
        return refusal_above(store, path);
    switch (store_kind_of(store, node)) {
    case STORE_DIR:
        return 0;
    case STORE_ERRNO:
        return store_error_of(store, node);
    case STORE_FILE:
    case STORE_LINK:
        return ENOTDIR;
    }
    return ENOTDIR;
}

static int replay_list(struct source *s, const char *dir, const char *prefix, struct names *ret)
{
    const struct store *store = replay_of(s)->store;
    store_node node = store_resolve(store, dir, true);
    struct names names = { .error = list_error(store, dir, node) };
    int r = 0;

    if (names.error) {
        *ret = names;
        return 0;
    }
    for (store_node i = store_first(store, node); r == 0 && i != STORE_NO_NODE;
         i = store_next(store, i))
        if (name_begins(store_name_of(store, i), prefix))
            r = names_add(&names, store_name_of(store, i), kind_of_name(store_kind_of(store, i)));
    if (r == 0)
        r = names_sort(&names);
    if (r < 0)
        names_done(&names);
    else
        *ret = names;
    return r;
}

/* The first `limit` bytes, with a NUL behind them: a cut value is copied. */
static int cut(struct replay *r, struct bytes value, size_t limit, struct bytes *ret)
{
    if (value.len > limit) {
        value = arena_bytes(r->arena, (struct bytes){ value.data, limit });
        if (!value.data)
            return -ENOMEM;
    }
    *ret = value;
    return 0;
}

static int replay_read(struct source *s, const char *path, size_t limit, struct value *ret)
{
    struct replay *r = replay_of(s);
    store_node node = store_resolve(r->store, path, true);
    struct value value = { 0 };

    if (node == STORE_NO_NODE)
        value.error = refusal_above(r->store, path);
    else if (store_kind_of(r->store, node) == STORE_DIR)
        value.error = EISDIR;
    else if (store_kind_of(r->store, node) == STORE_ERRNO)
        value.error = store_error_of(r->store, node);
    else if (cut(r, store_value_of(r->store, node), limit, &value.bytes) < 0)
        return -ENOMEM;
    *ret = value;
    return 0;
}

static int replay_link(struct source *s, const char *path, struct value *ret)
{
    const struct store *store = replay_of(s)->store;
    store_node node = store_resolve(store, path, false);

    if (node == STORE_NO_NODE)
        *ret = (struct value){ .error = ENOENT };
    else if (store_kind_of(store, node) == STORE_LINK)
        *ret = (struct value){ .bytes = store_value_of(store, node) };
    else
        *ret = (struct value){ .error = EINVAL };
    return 0;
}

static int replay_prop(struct source *s, const char *path, const char *name, struct value *ret)
{
    const struct store *store = replay_of(s)->store;
    store_node node = store_find_prop(store, path, name);

    if (node == STORE_NO_NODE || store_kind_of(store, node) != STORE_FILE)
        *ret = (struct value){ .error = ENOENT };
    else
        *ret = (struct value){ .bytes = store_value_of(store, node) };
    return 0;
}

/* Length of the mode parameter header, 0 for a command that has none (SPC-4 7.5.5). */
static size_t mode_header(uint8_t opcode)
{
    return opcode == OP_MODE_SENSE_6 ? 4 : opcode == OP_MODE_SENSE_10 ? 8 : 0;
}

static bool is_unit_attention(const struct store_command *c)
{
    struct sense sense;

    return !c->error && c->status == 0x02 && sense_decode(c->sense, &sense) == 0 &&
           sense_is_unit_attention(&sense);
}

/* Length of a recorded answer in the form that the asked command gives. */
static size_t length_in_asked_form(const struct store_command *c, uint8_t asked)
{
    size_t old_header = mode_header(c->cdb.data[0]), new_header = mode_header(asked);

    return c->data.len < old_header ? c->data.len : c->data.len - old_header + new_header;
}

/* The recorded command that answers, or SIZE_MAX. */
static size_t find_answer(const struct replay *r, const char *hctl, const struct command *command)
{
    uint8_t key[CDB_MAX], other[CDB_MAX];
    size_t best = SIZE_MAX, best_len = 0;

    command_key((struct bytes){ command->cdb, command->cdb_len }, key);
    for (size_t i = store_first_command(r->store, hctl); i != SIZE_MAX;
         i = store_next_command(r->store, i)) {
        struct store_command c = store_command_at(r->store, i);
        size_t len;

        command_key(c.cdb, other);
        if (memcmp(key, other, sizeof(key)) != 0 || r->used_up.v[i])
            continue;
        if (is_unit_attention(&c))
            return i;
        len = length_in_asked_form(&c, command->cdb[0]);
        if (len >= command->transfer_bytes && len)
            return i;
        if (best == SIZE_MAX || len > best_len) {
            best = i;
            best_len = len;
        }
    }
    return best;
}

/* The recorded data in the form that the asked command would give: MODE SENSE(6) and (10) answer for
 * each other, with other headers. Empty where the other form cannot hold it. */
static int in_asked_form(struct replay *r, const struct store_command *c, uint8_t asked,
                         struct bytes *ret)
{
    bool from6 = c->cdb.data[0] == OP_MODE_SENSE_6;
    size_t room = c->data.len + 4;
    uint8_t *out;
    int len;

    *ret = c->data;
    if (c->cdb.data[0] == asked || !c->data.len)
        return 0;
    out = arena_alloc(r->arena, room);
    if (!out)
        return -ENOMEM;
    len = modesense_convert(c->data, from6 ? MODESENSE_6 : MODESENSE_10, out, room);
    *ret = len > 0 ? (struct bytes){ out, (size_t)len } : (struct bytes){ 0 };
    return 0;
}

/* Makes room for a mark at each command; the store may have got more since. */
static int have_marks(struct replay *r)
{
    size_t n = store_commands(r->store);
    int e = n > r->used_up.n ? vec_reserve(&r->used_up, n - r->used_up.n) : 0;

    while (e == 0 && r->used_up.n < n)
        r->used_up.v[r->used_up.n++] = false;
    return e;
}

static int replay_command(struct source *s, const struct command_target *target,
                          const struct command *command, struct answer *ret)
{
    struct replay *r = replay_of(s);
    struct store_command c;
    struct bytes data;
    size_t i;
    int e;

    if (have_marks(r) < 0)
        return -ENOMEM;
    i = find_answer(r, target->hctl, command);
    if (i == SIZE_MAX) {
        *ret = (struct answer){ .error = ENODATA };
        return 0;
    }
    c = store_command_at(r->store, i);
    r->used_up.v[i] = is_unit_attention(&c);
    e = in_asked_form(r, &c, command->cdb[0], &data);
    if (e < 0)
        return e;
    data = bytes_slice(data, 0, command->transfer_bytes);
    *ret = (struct answer){
        .error = c.error,
        .status = c.status,
        .host_status = c.host_status,
        .driver_status = c.driver_status,
        .data = data,
        .sense = c.sense,
        .residual = command->transfer_bytes - data.len,
        .duration_us = c.duration_us,
    };
    return 0;
}

static int replay_measure(struct source *s, const struct measure_request *request,
                          struct measurement *ret)
{
    const struct store *store = replay_of(s)->store;

    *ret = (struct measurement){ .error = ENODATA };
    for (size_t i = request->hctl ? 0 : request->nth; i < store_measures(store); i++) {
        struct measurement m = store_measure_at(store, i);

        if (request->hctl &&
            (strcmp(m.hctl, request->hctl) != 0 || strcmp(m.method, request->method) != 0 ||
             m.block_bytes != request->block_bytes))
            continue;
        *ret = m;
        break;
    }
    return 0;
}

static int replay_next_event(struct source *s, struct source_event *ret)
{
    (void)s;
    (void)ret;
    return 0;
}

static int replay_now(struct source *s, struct taken *ret)
{
    *ret = *store_taken(replay_of(s)->store);
    return 0;
}

static void replay_close(struct source *s)
{
    struct replay *r = replay_of(s);

    arena_free(r->arena);
    free(r->used_up.v);
    free(r);
}

static const struct source_ops REPLAY = {
    .list = replay_list,
    .read = replay_read,
    .link = replay_link,
    .prop = replay_prop,
    .command = replay_command,
    .measure = replay_measure,
    .next_event = replay_next_event,
    .now = replay_now,
    .close = replay_close,
};

struct source *replay_new(const struct store *store)
{
    struct replay *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    r->source = (struct source){ .ops = &REPLAY };
    r->store = store;
    r->arena = arena_new();
    if (!r->arena) {
        replay_close(&r->source);
        return NULL;
    }
    return &r->source;
}
