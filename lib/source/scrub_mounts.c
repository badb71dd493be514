/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finders for what people have named: mount points, swap devices, device-mapper maps (scrub_find.h). They are
 * guesses: "mail" that is a directory here is no name elsewhere.
 */
#include <string.h>

#include "base/cleanup.h"
#include "source/mounts.h"
#include "source/scrub_find.h"

/* Marks the parts of a path component between escapes ("\\040"), which must stay what they are. */
static int mark_component(struct bytes value, struct bytes component, struct spans *ret)
{
    int r = 0;

    for (size_t at = 0; r == 0 && at < component.len;) {
        size_t end = at;
        struct span span;

        if (component.data[at] == '\\') {
            at += 4;
            continue;
        }
        while (end < component.len && component.data[end] != '\\')
            end++;
        span = span_over(value, bytes_slice(component, at, end - at), WRITTEN_SERIAL);
        span.guess = true;
        r = span_add(ret, span);
        at = end;
    }
    return r;
}

/* Marks the components of a path that not every system has. */
static int mark_path(struct bytes value, struct bytes path, struct spans *ret)
{
    int r = 0;

    for (size_t at = 0; r == 0 && at < path.len;) {
        size_t end = at;
        struct bytes component;

        while (end < path.len && path.data[end] != '/')
            end++;
        component = bytes_slice(path, at, end - at);
        if (component.len && !mounts_is_common(component))
            r = mark_component(value, component, ret);
        at = end + 1;
    }
    return r;
}

/* Below /dev/ a name with a slash in it is a map's; others are the kernel's. */
static int mark_node(struct bytes value, struct bytes node, struct spans *ret)
{
    static const char MAPPER[] = "/dev/mapper/";
    size_t len = strlen(MAPPER);

    if (node.len <= len || memcmp(node.data, MAPPER, len) != 0)
        return 0;
    return mark_component(value, bytes_slice(node, len, SIZE_MAX), ret);
}

int scrub_find_in_mounts(struct bytes text, struct spans *ret)
{
    struct bytes rest = text;
    struct mount_fields f;
    int r = 0;

    while (r == 0 && mounts_next(&rest, &f)) {
        r = mark_path(text, f.point, ret);
        if (r == 0)
            r = mark_node(text, f.source, ret);
    }
    return r;
}

int scrub_find_in_swaps(struct bytes text, struct spans *ret)
{
    int r = 0;

    for (size_t at = 0; r == 0 && at < text.len;) {
        size_t end = at;

        while (end < text.len && text.data[end] > ' ')
            end++;
        r = mark_node(text, bytes_slice(text, at, end - at), ret);
        while (end < text.len && text.data[end] != '\n')
            end++;
        at = end + 1;
    }
    return r;
}

int scrub_find_in_map(struct bytes name, struct bytes value, struct spans *ret)
{
    struct bytes text = bytes_trimmed(value);
    const uint8_t *dash;

    if (bytes_are(name, "name"))
        return mark_component(value, text, ret);
    dash = bytes_are(name, "uuid") && text.len ? memchr(text.data, '-', text.len) : NULL;
    /* What multipath calls a map is its WWN, which is known. */
    if (!dash || (text.len > 6 && memcmp(text.data, "mpath-", 6) == 0))
        return 0;
    return mark_component(value, bytes_slice(text, (size_t)(dash - text.data) + 1, SIZE_MAX), ret);
}
