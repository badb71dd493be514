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

struct replay {
    struct source source;
    const struct store *store;
    struct arena *arena; /* converted answers */
    bool *used_up;       /* one a command: unit attentions that were given out */
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

static int replay_list(struct source *s, const char *dir, const char *prefix, struct names *ret)
{
    const struct store *store = replay_of(s)->store;
    store_node node = store_resolve(store, dir, true);
    struct names names = { 0 };
    size_t n = 0;

    if (node == STORE_NO_NODE || store_kind_of(store, node) != STORE_DIR) {
        *ret = (struct names){ .error = node == STORE_NO_NODE ? ENOENT : ENOTDIR };
        return 0;
    }
    for (store_node i = store_first(store, node); i != STORE_NO_NODE; i = store_next(store, i))
        n += name_begins(store_name_of(store, i), prefix);
    names.v = calloc(n ? n : 1, sizeof(*names.v));
    if (!names.v)
        return -ENOMEM;
    for (store_node i = store_first(store, node); i != STORE_NO_NODE; i = store_next(store, i)) {
        struct bytes name = store_name_of(store, i);

        if (!name_begins(name, prefix))
            continue;
        names.v[names.n] = strndup((const char *)name.data, name.len);
        if (!names.v[names.n++]) {
            names_done(&names);
            return -ENOMEM;
        }
    }
    names_sort(&names);
    *ret = names;
    return 0;
}

static int replay_read(struct source *s, const char *path, size_t limit, struct value *ret)
{
    const struct store *store = replay_of(s)->store;
    store_node node = store_resolve(store, path, true);

    if (node == STORE_NO_NODE)
        *ret = (struct value){ .error = ENOENT };
    else if (store_kind_of(store, node) == STORE_DIR)
        *ret = (struct value){ .error = EISDIR };
    else if (store_kind_of(store, node) == STORE_ERRNO)
        *ret = (struct value){ .error = store_error_of(store, node) };
    else
        *ret = (struct value){ .bytes = bytes_slice(store_value_of(store, node), 0, limit) };
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

/* Sense key 6h, in fixed (70h, 71h) or descriptor (72h, 73h) sense data: SPC-4 4.5. */
static bool is_unit_attention(const struct store_command *c)
{
    uint8_t code = bytes_at(c->sense, 0) & 0x7f;

    if (c->status != 0x02 || c->sense.len < 3)
        return false;
    return (c->sense.data[code >= 0x72 ? 1 : 2] & 0x0f) == 0x06;
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

        command_key(c.cdb, other);
        if (memcmp(key, other, sizeof(key)) != 0 || r->used_up[i])
            continue;
        if (is_unit_attention(&c))
            return i;
        if (c.data.len >= command->transfer_bytes && c.data.len)
            return i;
        if (best == SIZE_MAX || c.data.len > best_len) {
            best = i;
            best_len = c.data.len;
        }
    }
    return best;
}

/* The recorded data in the form that the asked command would give: the mode parameter headers of the 6-
 * and 10-byte forms differ (SPC-4 7.5.5). */
static struct bytes in_asked_form(struct replay *r, struct bytes data, uint8_t recorded,
                                  uint8_t asked)
{
    bool from6 = recorded == OP_MODE_SENSE_6;
    size_t old_header = from6 ? 4 : 8, new_header = from6 ? 8 : 4, len;
    uint8_t *out;

    if (recorded == asked || data.len < old_header)
        return data;
    len = data.len - old_header + new_header;
    out = arena_alloc(r->arena, len);
    if (!out)
        return (struct bytes){ 0 };
    if (from6) {
        size_t mode_data = (size_t)data.data[0] + 1 + 4 -
                           2; /* less the length fields, 4 more of header */

        out[0] = (uint8_t)(mode_data >> 8);
        out[1] = (uint8_t)mode_data;
        out[2] = data.data[1];
        out[3] = data.data[2];
        out[7] = data.data[3];
    } else {
        size_t mode_data = ((size_t)data.data[0] << 8 | data.data[1]) + 2 - 4 - 1;

        out[0] = mode_data > 0xff ? 0xff : (uint8_t)mode_data;
        out[1] = data.data[2];
        out[2] = data.data[3];
        out[3] = data.data[7];
    }
    memcpy(out + new_header, data.data + old_header, data.len - old_header);
    return (struct bytes){ out, len };
}

static int replay_command(struct source *s, const struct command_target *target,
                          const struct command *command, struct answer *ret)
{
    struct replay *r = replay_of(s);
    size_t i = find_answer(r, target->hctl, command);
    struct store_command c;
    struct bytes data;

    if (i == SIZE_MAX) {
        *ret = (struct answer){ .error = ENODATA };
        return 0;
    }
    c = store_command_at(r->store, i);
    r->used_up[i] = is_unit_attention(&c);
    data = in_asked_form(r, c.data, c.cdb.data[0], command->cdb[0]);
    if (c.data.len && !data.len)
        return -ENOMEM;
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

    for (size_t i = 0; i < store_measures(store); i++) {
        struct store_measure m = store_measure_at(store, i);

        if (strcmp(m.hctl, request->hctl) != 0 || strcmp(m.method, request->method) != 0 ||
            m.block_bytes != request->block_bytes)
            continue;
        *ret = (struct measurement){ 0, m.bytes, m.us, m.cpu_us, m.depth };
        return 0;
    }
    *ret = (struct measurement){ .error = ENODATA };
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
    free(r->used_up);
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
    r->used_up = calloc(store_commands(store) + 1, sizeof(*r->used_up));
    if (!r->arena || !r->used_up) {
        replay_close(&r->source);
        return NULL;
    }
    return &r->source;
}
