/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two passes of scrubbing (scrub.h): learn every identity from the places where finders know one
 * to be, then copy value by value, replacing.
 *
 * Nodes of a store are numbered in the order they were added, parents before children, so one loop
 * over the numbers walks a tree however deep it is.
 */
#include "source/scrub.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "source/scrub_edit.h"
#include "source/scrub_find.h"
#include "source/scrub_known.h"
#include "source/mounts.h"
#include "source/storage_words.h"

struct scrub {
    const struct store *in;
    struct store *out;
    const struct scrub_key *key;
    struct known *known;
    struct arena *arena; /* of one value */
    struct spans spans;
    struct scrub_edit edit, name_edit;
    uint8_t *zones;    /* enum zone of each node */
    store_node *twins; /* the node of `out` for each directory of `in` */
};

static void scrub_done(struct scrub *s)
{
    known_free(s->known);
    arena_free(s->arena);
    free(s->spans.v);
    scrub_edit_done(&s->edit);
    scrub_edit_done(&s->name_edit);
    free(s->zones);
    free(s->twins);
}

/* ---- what a node is ---- */

static void mark_zone(struct scrub *s, const char *path, enum zone zone)
{
    store_node n = store_resolve(s->in, path, false);

    if (n != STORE_NO_NODE)
        s->zones[n] = (uint8_t)zone;
}

static void mark_zones(struct scrub *s)
{
    store_node count = store_node_count(s->in);

    s->zones[store_props_root(s->in)] = ZONE_PROPS;
    mark_zone(s, "/proc/scsi", ZONE_PROC_SCSI);
    mark_zone(s, "/proc/net/route", ZONE_ROUTE);
    mark_zone(s, "/proc/cmdline", ZONE_CMDLINE);
    mark_zone(s, "/etc/modprobe.d", ZONE_MODPROBE);
    mark_zone(s, "/proc/1/mountinfo", ZONE_MOUNTS);
    mark_zone(s, "/proc/swaps", ZONE_SWAPS);
    mark_zone(s, "/sys/devices/virtual/block", ZONE_MAPS);
    for (store_node dir = 0; dir < count; dir++)
        for (store_node n = store_first(s->in, dir); n != STORE_NO_NODE; n = store_next(s->in, n))
            if (s->zones[n] == ZONE_SYSFS)
                s->zones[n] = s->zones[dir];
}

static enum zone zone_of(const struct scrub *s, store_node n)
{
    return (enum zone)s->zones[n];
}

static enum known_place place_of(const struct scrub *s, store_node n, struct bytes value)
{
    if (!text_is_plain(value))
        return PLACE_BINARY;
    return zone_of(s, n) == ZONE_PROPS ? PLACE_PROP : PLACE_TEXT;
}

/* IDENTIFY data from and to the text of an ata_device's `id`: 256 words of four digits. */
static void identify_from_text(struct bytes text, uint8_t identify[512])
{
    size_t n = 0;

    memset(identify, 0, 512);
    for (size_t i = 0; i < text.len && n < 1024; i++) {
        int digit = hex_digit(text.data[i]);

        /* The digits of a word come from its high byte on; the low byte lies first. */
        if (digit >= 0) {
            identify[n / 4 * 2 + (n % 4 < 2)] |= (uint8_t)(digit << (n % 2 ? 0 : 4));
            n++;
        }
    }
}

static void identify_to_text(struct bytes identify, uint8_t *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len && n < 1024; i++) {
        uint8_t byte;

        if (hex_digit(text[i]) < 0)
            continue;
        /* NOLINTNEXTLINE(clang-analyzer-*): what was edited has its 512 bytes */
        byte = identify.data[n / 4 * 2 + (n % 4 < 2)];
        text[i] = (uint8_t) "0123456789abcdef"[byte >> (n % 2 ? 0 : 4) & 0xf];
        n++;
    }
}

/* ---- first pass ---- */

static int learn_spans(struct scrub *s, struct bytes value)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < s->spans.n; i++)
        r = known_learn(s->known, value, &s->spans.v[i]);
    return r;
}

static int learn_evident(struct scrub *s, struct bytes text)
{
    int r;

    s->spans.n = 0;
    r = scrub_find_evident(text, &s->spans);
    return r < 0 ? r : learn_spans(s, text);
}

static int learn_file(struct scrub *s, store_node n)
{
    struct bytes name = store_name_of(s->in, n), value = store_value_of(s->in, n);
    uint8_t identify[512];
    int r;

    s->spans.n = 0;
    if (scrub_is_identify_text(name, value)) {
        identify_from_text(value, identify);
        value = (struct bytes){ identify, sizeof(identify) };
        r = scrub_find_in_identify(value, 0, &s->spans);
        return r < 0 ? r : learn_spans(s, value);
    }
    r = scrub_find_in_file(name, zone_of(s, n), value, &s->spans);
    if (r == 0)
        r = learn_spans(s, value);
    return r < 0 ? r : learn_evident(s, value);
}

static int learn_node(struct scrub *s, store_node n)
{
    int r = learn_evident(s, store_name_of(s->in, n));

    if (r == 0 && store_kind_of(s->in, n) == STORE_FILE)
        r = learn_file(s, n);
    else if (r == 0 && store_kind_of(s->in, n) == STORE_LINK)
        r = learn_evident(s, store_value_of(s->in, n));
    return r;
}

static int learn(struct scrub *s)
{
    store_node count = store_node_count(s->in);
    int r = known_learn_host(s->known, store_taken(s->in)->hostname);

    for (store_node n = 0; r == 0 && n < count; n++)
        r = learn_node(s, n);
    for (size_t i = 0; r == 0 && i < store_commands(s->in); i++) {
        struct store_command c = store_command_at(s->in, i);

        s->spans.n = 0;
        r = scrub_find_in_answer(c.cdb, c.data, &s->spans);
        if (r == 0)
            r = learn_spans(s, c.data);
    }
    known_seal(s->known);
    for (store_node n = 0; n < count; n++)
        if (store_kind_of(s->in, n) == STORE_FILE && scrub_is_public(store_name_of(s->in, n)))
            known_spare(s->known, store_value_of(s->in, n));
    return r;
}

/* ---- second pass ---- */

static int edited(struct scrub *s, struct scrub_edit *e, enum known_place place, struct bytes in,
                  struct bytes *ret)
{
    return scrub_edit(e, s->key, s->known, place, in, &s->spans, ret);
}

/* A name, path or link target. */
static int edited_name(struct scrub *s, struct scrub_edit *e, struct bytes in, struct bytes *ret)
{
    s->spans.n = 0;
    return edited(s, e, PLACE_NAME, in, ret);
}

static int edited_identify(struct scrub *s, struct bytes text, struct bytes *ret)
{
    struct bytes copy = arena_bytes(s->arena, text), changed;
    uint8_t identify[512];
    int r;

    if (!copy.data)
        return -ENOMEM;
    identify_from_text(text, identify);
    r = scrub_find_in_identify((struct bytes){ identify, sizeof(identify) }, 0, &s->spans);
    if (r == 0)
        r = edited(s, &s->edit, PLACE_BINARY, (struct bytes){ identify, sizeof(identify) },
                   &changed);
    if (r < 0)
        return r;
    identify_to_text(changed, (uint8_t *)(uintptr_t)copy.data, copy.len);
    *ret = copy;
    return 0;
}

/* What of the value is kept at all. */
static int kept_value(struct scrub *s, store_node n, struct bytes *ret)
{
    struct bytes value = store_value_of(s->in, n);

    if (zone_of(s, n) == ZONE_CMDLINE)
        value = cmdline_storage_words(s->arena, value);
    else if (zone_of(s, n) == ZONE_MODPROBE)
        value = modprobe_storage_lines(s->arena, value);
    else if (zone_of(s, n) == ZONE_MOUNTS)
        value = mounts_storage_lines(s->arena, value);
    else if (zone_of(s, n) == ZONE_SWAPS)
        value = swaps_storage_lines(s->arena, value);
    *ret = value;
    return value.data ? 0 : -ENOMEM;
}

static int edited_file(struct scrub *s, store_node n, struct bytes *ret)
{
    struct bytes name = store_name_of(s->in, n), value;
    int r;

    s->spans.n = 0;
    arena_clear(s->arena);
    r = kept_value(s, n, &value);
    if (r == 0 && scrub_is_identify_text(name, value))
        return edited_identify(s, value, ret);
    if (r == 0)
        r = scrub_find_in_file(name, zone_of(s, n), value, &s->spans);
    return r < 0 ? r : edited(s, &s->edit, place_of(s, n, value), value, ret);
}

static int copy_entry(struct scrub *s, store_node dir, store_node n)
{
    enum store_kind kind = store_kind_of(s->in, n);
    struct bytes name = { 0 }, value = { 0 };
    int r = 0, error = 0;

    if (scrub_is_secret(store_name_of(s->in, n)) && kind != STORE_DIR)
        return 0;
    if (kind == STORE_FILE)
        r = edited_file(s, n, &value);
    else if (kind == STORE_LINK)
        r = edited_name(s, &s->edit, store_value_of(s->in, n), &value);
    else if (kind == STORE_ERRNO)
        error = store_error_of(s->in, n);
    if (r == 0)
        r = edited_name(s, &s->name_edit, store_name_of(s->in, n), &name);
    if (r < 0)
        return r;
    if (kind == STORE_DIR)
        return store_subdir(s->out, s->twins[dir], name, &s->twins[n]);
    return store_put(s->out, s->twins[dir], name, kind, value, error, NULL);
}

static int copy_tree(struct scrub *s)
{
    store_node count = store_node_count(s->in), root;
    int r = store_dir(s->out, (struct bytes){ (const uint8_t *)"/", 1 }, &root);

    s->twins[0] = root;
    s->twins[store_props_root(s->in)] = store_props_root(s->out);
    for (store_node dir = 0; r == 0 && dir < count; dir++)
        for (store_node n = store_first(s->in, dir); r == 0 && n != STORE_NO_NODE;
             n = store_next(s->in, n))
            r = copy_entry(s, dir, n);
    return r;
}

static int copy_command(struct scrub *s, size_t i)
{
    struct store_command c = store_command_at(s->in, i);
    int r;

    s->spans.n = 0;
    if (scrub_is_user_data(c.cdb))
        c.data = (struct bytes){ 0 };
    r = scrub_find_in_answer(c.cdb, c.data, &s->spans);
    if (r == 0)
        r = edited(s, &s->edit, PLACE_BINARY, c.data, &c.data);
    return r < 0 ? r : store_put_command(s->out, &c);
}

static int copy_measure(struct scrub *s, size_t i)
{
    struct measurement m = store_measure_at(s->in, i);
    struct bytes text = { (const uint8_t *)m.disturbed, m.disturbed ? strlen(m.disturbed) : 0 };
    int r = 0;

    s->spans.n = 0;
    if (m.disturbed)
        r = edited(s, &s->edit, PLACE_TEXT, text, &text);
    if (r == 0 && m.disturbed) {
        arena_clear(s->arena);
        m.disturbed = arena_strndup(s->arena, (const char *)text.data, text.len);
        r = m.disturbed ? 0 : -ENOMEM;
    }
    return r < 0 ? r : store_put_measure(s->out, &m);
}

static int copy_taken(struct scrub *s)
{
    struct taken taken = *store_taken(s->in);

    if (*taken.hostname)
        taken.hostname = SCRUB_HOST;
    taken.scrubbed = true;
    return store_set_taken(s->out, &taken);
}

static int copy_all(struct scrub *s)
{
    int r = copy_taken(s);

    if (r == 0)
        r = copy_tree(s);
    for (size_t i = 0; r == 0 && i < store_commands(s->in); i++)
        r = copy_command(s, i);
    for (size_t i = 0; r == 0 && i < store_measures(s->in); i++)
        r = copy_measure(s, i);
    return r;
}

int scrub_store(const struct store *in, struct store *out, const struct scrub_key *key)
{
    store_node count = store_node_count(in);
    struct scrub s = {
        .in = in,
        .out = out,
        .key = key,
        .known = known_new(),
        .arena = arena_new(),
        .zones = calloc(count, sizeof(*s.zones)),
        .twins = calloc(count, sizeof(*s.twins)),
    };
    int r = -ENOMEM;

    if (s.known && s.arena && s.zones && s.twins) {
        mark_zones(&s);
        r = learn(&s);
        if (r == 0)
            r = copy_all(&s);
    }
    scrub_done(&s);
    return r;
}
