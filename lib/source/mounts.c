/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "source/mounts.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

static bool is(struct bytes b, const char *text)
{
    return b.len == strlen(text) && memcmp(b.data, text, b.len) == 0;
}

static bool begins(struct bytes b, const char *text)
{
    return b.len > strlen(text) && memcmp(b.data, text, strlen(text)) == 0;
}

/* Cuts off what stands before the separator, or all. */
static struct bytes cut(struct bytes *text, uint8_t separator)
{
    const uint8_t *end = text->len ? memchr(text->data, separator, text->len) : NULL;
    size_t len = end ? (size_t)(end - text->data) : text->len;
    struct bytes part = bytes_slice(*text, 0, len);

    *text = bytes_slice(*text, len + (end != NULL), SIZE_MAX);
    return part;
}

/* "36 35 8:1 /root /boot rw,noatime shared:1 - ext4 /dev/sda1 rw" */
static bool parse(struct bytes line, struct mount_fields *ret)
{
    struct bytes word;

    *ret = (struct mount_fields){ 0 };
    ret->id = cut(&line, ' ');
    ret->parent = cut(&line, ' ');
    ret->dev = cut(&line, ' ');
    cut(&line, ' ');
    ret->point = cut(&line, ' ');
    cut(&line, ' ');
    do
        word = cut(&line, ' ');
    while (line.len && !is(word, "-"));
    ret->fs = cut(&line, ' ');
    ret->source = cut(&line, ' ');
    return ret->dev.len && ret->point.len && ret->source.len;
}

bool mounts_next(struct bytes *text, struct mount_fields *ret)
{
    while (text->len)
        if (parse(cut(text, '\n'), ret))
            return true;
    return false;
}

/* Room for text that is no longer than what it is made of. */
struct kept {
    char *data;
    size_t len;
};

static void keep(struct kept *k, struct bytes part, const char *after)
{
    memcpy(k->data + k->len, part.data, part.len);
    k->len += part.len;
    memcpy(k->data + k->len, after, strlen(after));
    k->len += strlen(after);
}

struct bytes mounts_storage_lines(struct arena *a, struct bytes text)
{
    struct kept k = { arena_alloc(a, text.len + 1), 0 };
    struct mount_fields f;

    if (!k.data)
        return (struct bytes){ 0 };
    while (mounts_next(&text, &f)) {
        if (!begins(f.source, "/dev/"))
            continue;
        keep(&k, f.id, " ");
        keep(&k, f.parent, " ");
        keep(&k, f.dev, " / ");
        keep(&k, f.point, " - - ");
        keep(&k, f.fs, " ");
        keep(&k, f.source, "\n");
    }
    return (struct bytes){ (const uint8_t *)k.data, k.len };
}

struct bytes swaps_storage_lines(struct arena *a, struct bytes text)
{
    struct kept k = { arena_alloc(a, text.len + 2), 0 };

    if (!k.data)
        return (struct bytes){ 0 };
    while (text.len) {
        struct bytes line = cut(&text, '\n');

        if (begins(line, "/dev/"))
            keep(&k, line, "\n");
    }
    return (struct bytes){ (const uint8_t *)k.data, k.len };
}

/* Value of the three octal digits behind a backslash; -1 where there are none. */
static int escaped(const uint8_t *at, size_t len)
{
    if (len < 4 || at[0] != '\\' || at[1] < '0' || at[1] > '3' || at[2] < '0' || at[2] > '7' ||
        at[3] < '0' || at[3] > '7')
        return -1;
    return (at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0');
}

char *mounts_text(struct arena *a, struct bytes field)
{
    char *text = arena_alloc(a, field.len + 1), *to = text;

    for (size_t i = 0; text && i < field.len; i++) {
        int c = escaped(field.data + i, field.len - i);

        *to++ = (char)(c > 0 ? c : field.data[i]);
        i += c > 0 ? 3 : 0;
    }
    return text;
}

bool mounts_is_common(struct bytes component)
{
    /* hier(7), and what installers suggest */
    static const char *const COMMON[] = {
        "backup", "bin",   "boot", "cache", "containers", "data",       "dev",  "docker", "efi",
        "etc",    "home",  "lib",  "lib64", "libvirt",    "local",      "log",  "mail",   "media",
        "mnt",    "mysql", "nfs",  "opt",   "pgsql",      "postgresql", "proc", "root",   "run",
        "sbin",   "spool", "srv",  "swap",  "sys",        "tmp",        "usr",  "var",    "www",
    };

    for (size_t i = 0; i < ELEMENTS(COMMON); i++)
        if (is(component, COMMON[i]))
            return true;
    return false;
}
