/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attribute tables read through a source (gathering.h), and the common parsers.
 */
#include "transport/gathering.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/text.h"

/* errno names for facts: constant texts. */
static const char *why_of(int error)
{
    const char *name = strerrorname_np(error);

    return name ? name : "error";
}

/* The fact that a refused read leaves; what is absent leaves none (an attribute that this kernel, driver
 * or device does not have). */
static int put_read_refusal(struct gathering *g, const struct attribute *a, const char *origin,
                            int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENODEV:
        return 0;
    case EACCES:
    case EPERM:
        return fact_put_refusal(g->facts, a->key, origin, QUALITY_DENIED, why_of(error));
    case ETIMEDOUT:
        return fact_put_refusal(g->facts, a->key, origin, QUALITY_TIMED_OUT, why_of(error));
    case EINVAL:
    case ENXIO:
    case ENOTCONN:
    case EOPNOTSUPP: /* the file is there for all, and this one has nothing to say */
        return fact_put_refusal(g->facts, a->key, origin, QUALITY_SILENT, why_of(error));
    default:
        return fact_put_refusal(g->facts, a->key, origin, QUALITY_FAILED, why_of(error));
    }
}

/* The beginning of a content that says nothing as it should. */
static const char *why_malformed(struct gathering *g, struct bytes raw)
{
    const char *text = text_trimmed(fact_set_arena(g->facts), (const char *)raw.data,
                                    raw.len < 40 ? raw.len : 40);

    return text && !*text ? "there is nothing in it" : text;
}

static int put_parsed(struct gathering *g, const struct attribute *a, const char *origin,
                      struct bytes raw)
{
    int r = (a->parse ? a->parse : parse_text)(g->facts, a->key, origin, raw);

    if (r == -ENODATA)
        return fact_put_refusal(g->facts, a->key, origin, QUALITY_SILENT, NULL);
    if (r == -EBADMSG)
        return fact_put_refusal(g->facts, a->key, origin, QUALITY_MALFORMED, why_malformed(g, raw));
    return r;
}

/* dir/name; false where it does not fit. Not by snprintf(): it is asked for every file of every
 * object. */
static bool join(char *path, size_t size, const char *dir, const char *name)
{
    size_t dir_len = strlen(dir), name_len = strlen(name);

    if (dir_len + name_len + 2 > size)
        return false;
    memcpy(path, dir, dir_len);
    path[dir_len] = '/';
    memcpy(path + dir_len + 1, name, name_len + 1);
    return true;
}

/* Is the file left for whoever is told? */
static bool is_left(const struct gathering *g, const struct attribute *a)
{
    return g->told &&
           (attribute_is_costly(a) || a->reread == REREAD_PAUSES || a->flags & ATTR_WAKES);
}

static int gather_attribute(struct gathering *g, const struct attribute *a, const char *dir,
                            const char *device_dir, const char *origin)
{
    char path[4096];
    struct value v;
    int r;

    if (!join(path, sizeof(path), dir, a->file))
        return 0;
    if (is_left(g, a))
        return g->told(g->userdata, a, path, device_dir, NULL);
    if (a->flags & ATTR_IS_LINK)
        r = source_link(g->source, path, &v);
    else
        r = source_read(g->source, path, a->flags & ATTR_BINARY ? PAGE_BYTES : ATTRIBUTE_BYTES, &v);
    if (r == 0 && g->told && v.error != ENOENT)
        r = g->told(g->userdata, a, path, device_dir, &v);
    if (r < 0)
        return r;
    if (v.error)
        return put_read_refusal(g, a, origin, v.error);
    if (a->flags & ATTR_IS_LINK) {
        const char *last = path_last((const char *)v.bytes.data);

        v.bytes = (struct bytes){ (const uint8_t *)last, strlen(last) };
    }
    return put_parsed(g, a, origin, v.bytes);
}

int gather_attributes(struct gathering *g, const struct attribute *attributes,
                      const char *class_dir, const char *device_dir, const char *origin,
                      bool asleep)
{
    int r = 0;

    for (const struct attribute *a = attributes; r == 0 && a && a->file; a++) {
        if (a->level > g->level)
            continue;
        if (a->flags & ATTR_WAKES && asleep && !g->told)
            r = fact_put_refusal(g->facts, a->key, origin, QUALITY_UNASKED,
                                 "it sleeps, and reading would wake it");
        else
            r = gather_attribute(g, a, a->flags & ATTR_IN_DEVICE ? device_dir : class_dir,
                                 device_dir, origin);
    }
    return r;
}

int gather_canonical(struct gathering *g, const char *dir, const char *name, char **ret_path)
{
    struct arena *arena = fact_set_arena(g->facts);
    char path[4096];
    const char *target;
    struct value v;
    size_t len;
    int r;

    if (!join(path, sizeof(path), dir, name))
        return 0;
    r = source_link(g->source, path, &v);
    if (r < 0 || v.error)
        return r < 0 ? r : 0;
    target = (const char *)v.bytes.data;
    len = *target == '/' ? 0 : strlen(dir);
    while (text_starts_with(target, "../")) {
        target += 3;
        while (len && dir[len - 1] != '/')
            len--;
        len -= len > 0;
    }
    *ret_path = len || *target != '/' ? arena_printf(arena, "%.*s/%s", (int)len, dir, target)
                                      : arena_strdup(arena, target);
    return *ret_path ? 1 : -ENOMEM;
}

struct subject *gather_host_of(const struct gathering *g, const char *path)
{
    struct subject *h = fact_set_above(g->facts, "scsi_host", path, "host");

    /* The name alone could be that of another directory: the path must lie below the host's. */
    return h && text_starts_with(path, h->path) ? h : NULL;
}

enum power gather_power(struct gathering *g, const char *device_dir)
{
    char path[4096], status[32] = "";
    struct value v;

    if (!g->source->asking_costs)
        return POWER_ACTIVE;
    if (!join(path, sizeof(path), device_dir, "power/runtime_status"))
        return POWER_ASLEEP;
    if (source_read(g->source, path, sizeof(status) - 1, &v) < 0)
        return POWER_ASLEEP;
    if (v.error)
        return v.error == ENOENT ? POWER_UNMANAGED : POWER_ASLEEP;
    memcpy(status, v.bytes.data, v.bytes.len);
    status[strcspn(status, "\n")] = '\0';
    if (strcmp(status, "active") == 0)
        return POWER_ACTIVE;
    return strcmp(status, "unsupported") == 0 ? POWER_UNMANAGED : POWER_ASLEEP;
}

bool gather_is_awake(struct gathering *g, const char *device_dir)
{
    return gather_power(g, device_dir) != POWER_ASLEEP;
}

/* DEVICE/class/NAME → DEVICE, in place; false where the path is not of that form. */
static bool cut_class(char *path, const char *class_name, const char *name)
{
    size_t len = strlen(path), tail = strlen(class_name) + strlen(name) + 2;
    char *at;

    if (len <= tail)
        return false;
    at = path + len - tail;
    if (*at != '/' || strncmp(at + 1, class_name, strlen(class_name)) != 0 ||
        at[1 + strlen(class_name)] != '/' || strcmp(path_last(path), name) != 0)
        return false;
    *at = '\0';
    return true;
}

static int gather_object(struct gathering *g, const struct object_class *class, const char *name)
{
    struct arena *arena = fact_set_arena(g->facts);
    struct subject *host;
    const char *class_dir;
    char *path;
    bool is_new;
    int r = gather_canonical(g, class->dir, name, &path);

    if (r <= 0)
        return r;
    if (g->only_below && !class->anywhere && !text_starts_with(path, g->only_below))
        return 0;
    class_dir = path;
    if (!class->is_bus) {
        class_dir = arena_strdup(arena, path);
        if (!class_dir)
            return -ENOMEM;
        if (!cut_class(path, class->name, name))
            return 0;
    }
    host = gather_host_of(g, path);
    if (!host && !class->anywhere && !class->above_host)
        return 0;
    if (!fact_set_add(g->facts, class->name, name, path, host, &is_new))
        return -ENOMEM;
    r = is_new ? gather_attributes(g, class->attributes, class_dir, path, class->name, false) : 0;
    return r < 0 ? r : fact_set_seal(g->facts);
}

int gather_class(struct gathering *g, const struct object_class *class)
{
    struct names names;
    int r;

    if (class->level > g->level)
        return 0;
    r = source_list(g->source, class->dir, class->prefix ? class->prefix : "", &names);
    if (r < 0 || names.error)
        return r;
    names_sort_naturally(&names);
    for (size_t i = 0; r == 0 && i < names.n; i++)
        r = gather_object(g, class, names.v[i]);
    names_done(&names);
    return r;
}

int gather_subject(struct gathering *g, const char *class_name, const char *name, const char *path,
                   struct subject *host, const struct attribute *attributes, struct subject **ret)
{
    bool is_new;
    struct subject *s = fact_set_add(g->facts, class_name, name, path, host, &is_new);
    int r = 0;

    if (!s)
        return -ENOMEM;
    if (is_new) {
        bool asleep = false;

        for (const struct attribute *a = attributes; a && a->file && !asleep && !g->told; a++)
            asleep = a->level <= g->level && a->flags & ATTR_WAKES && !gather_is_awake(g, path);
        r = gather_attributes(g, attributes, path, path, class_name, asleep);
        if (r == 0)
            r = fact_set_seal(g->facts);
    }
    if (ret)
        *ret = s;
    return r;
}

/* Length of the text without white space at its end, up to the first NUL. */
static size_t text_length(struct bytes raw)
{
    size_t len = strnlen((const char *)raw.data, raw.len);

    while (len &&
           (raw.data[len - 1] == '\n' || raw.data[len - 1] == ' ' || raw.data[len - 1] == '\t'))
        len--;
    return len;
}

/* The text as a NUL-terminated copy in a small buffer, for numbers. */
static bool short_text(struct bytes raw, char *buffer, size_t size)
{
    size_t len = text_length(raw);

    if (len >= size)
        return false;
    memcpy(buffer, raw.data, len);
    buffer[len] = '\0';
    return true;
}

int parse_text(struct fact_set *set, const struct fact_key *key, const char *origin,
               struct bytes raw)
{
    struct bytes text = { raw.data, text_length(raw) };
    char *clean;

    if (text.len == 0)
        return -ENODATA;
    clean = text_clean(fact_set_arena(set), text);
    return clean ? fact_put_text(set, key, origin, clean) : -ENOMEM;
}

int parse_known_text(struct fact_set *set, const struct fact_key *key, const char *origin,
                     struct bytes raw)
{
    static const char *const NOTHING[] = { "(null)", "<NULL>", "<unknown>", "unknown", "none" };
    char text[16];

    for (size_t i = 0; short_text(raw, text, sizeof(text)) && i < ELEMENTS(NOTHING); i++)
        if (strcasecmp(text, NOTHING[i]) == 0)
            return -ENODATA;
    return parse_text(set, key, origin, raw);
}

static int parse_number(struct fact_set *set, const struct fact_key *key, const char *origin,
                        struct bytes raw, unsigned base)
{
    uint64_t value;
    char text[40];

    if (!short_text(raw, text, sizeof(text)))
        return -EBADMSG;
    if (!*text)
        return -ENODATA;
    if (number_u64(text, base, &value) < 0)
        return -EBADMSG;
    return fact_put_number(set, key, origin, value);
}

int parse_decimal(struct fact_set *set, const struct fact_key *key, const char *origin,
                  struct bytes raw)
{
    return parse_number(set, key, origin, raw, 10);
}

int parse_hex(struct fact_set *set, const struct fact_key *key, const char *origin,
              struct bytes raw)
{
    return parse_number(set, key, origin, raw, 16);
}

int parse_bytes(struct fact_set *set, const struct fact_key *key, const char *origin,
                struct bytes raw)
{
    return raw.len ? fact_put_bytes(set, key, origin, raw) : -ENODATA;
}
