/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names as people type them (ctl.h).
 */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/text.h"
#include "ctl/ctl.h"
#include "facts/key.h"
#include "source/command.h"

static bool same(const char *a, const char *b)
{
    return a && b && strcasecmp(a, b) == 0;
}

/* A WWN without its notation: "naa.5000…", "0x5000…" and "5000…" are one. */
static const char *bare_wwn(const char *text)
{
    static const char *const BEFORE[] = { "naa.", "eui.", "0x", "wwn-0x" };

    for (size_t i = 0; text && i < ELEMENTS(BEFORE); i++)
        if (strncasecmp(text, BEFORE[i], strlen(BEFORE[i])) == 0)
            return text + strlen(BEFORE[i]);
    return text;
}

/* Has the device a fact of that key with that text? */
static bool has_text(const struct device *d, const struct fact_key *key, const char *text)
{
    for (uint32_t i = 0; i < d->subject->n_facts; i++) {
        const struct fact *f = &d->subject->facts[i];

        if (f->key == key && f->quality == QUALITY_OK && strcmp(f->text, text) == 0)
            return true;
    }
    return false;
}

static bool device_is(const struct device *d, const char *name)
{
    const char *node = text_starts_with(name, "/dev/") ? name + strlen("/dev/") : name;
    const char *by_id = text_starts_with(node, "disk/by-id/") ? node + strlen("disk/by-id/") : node;

    return same(d->hctl, name) || same(d->id, name) || has_text(d, &KEY_NODE, node) ||
           has_text(d, &KEY_BY_ID, by_id) || same(d->serial, name) ||
           same(bare_wwn(d->wwid), bare_wwn(name));
}

size_t resolve_name(const struct report *report, const char *name, struct object *ret, size_t max)
{
    const struct model *m = report->model;
    size_t n = 0;

    for (size_t i = 0; i < m->hosts.n; i++) {
        const struct host *h = m->hosts.v[i];

        if (same(h->kernel_name, name) || same(h->id, name) || same(h->pci_address, name))
            if (n++ < max)
                ret[n - 1] = (struct object){ .host = h };
    }
    for (size_t i = 0; i < m->links.n; i++)
        if (same(m->links.v[i]->kernel_name, name) || same(m->links.v[i]->id, name))
            if (n++ < max)
                ret[n - 1] = (struct object){ .link = m->links.v[i] };
    for (size_t i = 0; i < m->devices.n; i++)
        if (device_is(m->devices.v[i], name))
            if (n++ < max)
                ret[n - 1] = (struct object){ .device = m->devices.v[i] };
    return n;
}

const char *resolve_live_hctl(const char *name, char *buffer, size_t size)
{
    static const char *const CLASSES[] = { "block", "scsi_generic", "scsi_tape", "scsi_changer" };
    const char *node = text_starts_with(name, "/dev/") ? name + strlen("/dev/") : name;
    char path[PATH_MAX], target[PATH_MAX];

    if (hctl_is_valid(name)) {
        snprintf(buffer, size, "%s", name);
        return buffer;
    }
    if (!*node || strchr(node, '/') || node[0] == '.')
        return NULL;
    for (size_t i = 0; i < ELEMENTS(CLASSES); i++) {
        ssize_t n;

        snprintf(path, sizeof(path), "/sys/class/%s/%s/device", CLASSES[i], node);
        n = readlink(path, target, sizeof(target) - 1);
        if (n <= 0)
            continue;
        target[n] = '\0';
        if (!hctl_is_valid(path_last(target)))
            continue;
        snprintf(buffer, size, "%s", path_last(target));
        return buffer;
    }
    return NULL;
}
