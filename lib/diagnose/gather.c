/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The walk over a machine (gather.h): hosts, then the transports' classes, then drivers, then the devices.
 */
#include "diagnose/gather.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "diagnose/device.h"
#include "diagnose/holders.h"
#include "transport/driver.h"
#include "transport/gathering.h"
#include "transport/pci.h"
#include "transport/words.h"

static const struct attribute HOST_ATTRIBUTES[] = {
    { "proc_name", &KEY_PROC_NAME, parse_known_text, LEVEL_IDENTITY },
    { "unique_id", &KEY_UNIQUE_ID, parse_decimal, LEVEL_IDENTITY },
    { "state", &KEY_STATE, NULL, LEVEL_MODES, .reread = REREAD_FREE },
    { "can_queue", &KEY_CAN_QUEUE, parse_decimal, LEVEL_ALL },
    { "cmd_per_lun", &KEY_CMD_PER_LUN, parse_decimal, LEVEL_ALL },
    { "sg_tablesize", &KEY_SG_TABLESIZE, parse_decimal, LEVEL_ALL },
    { "nr_hw_queues", &KEY_HW_QUEUES, parse_decimal, LEVEL_ALL },
    { "power/runtime_status", &KEY_RUNTIME_STATUS, NULL, LEVEL_ALL, ATTR_IN_DEVICE },
    { 0 },
};

static const struct object_class HOSTS = {
    "scsi_host",
    "/sys/class/scsi_host",
    .prefix = "host",
    .attributes = HOST_ATTRIBUTES,
};

static const struct object_class TARGETS = {
    "scsi_target",
    "/sys/bus/scsi/devices",
    .is_bus = true,
    .prefix = "target",
};

/* Of what the host is directly on. */
static const struct attribute PARENT_ATTRIBUTES[] = {
    { "driver", &KEY_DRIVER, NULL, LEVEL_IDENTITY, ATTR_IS_LINK },
    { 0 },
};

static int add_host(struct gathering *g, const char *name, const struct attribute *attributes)
{
    struct subject *host;
    char class_dir[4096], parent[4096];
    char *path, *end;
    bool is_new;
    int r = gather_canonical(g, HOSTS.dir, name, &path);

    if (r <= 0)
        return r;
    if (g->only_below && !text_starts_with(path, g->only_below))
        return 0;
    snprintf(class_dir, sizeof(class_dir), "%s", path);
    /* …/host0/scsi_host/host0 → …/host0 */
    end = strstr(path, "/scsi_host/");
    if (!end)
        return 0;
    *end = '\0';
    host = fact_set_add(g->facts, "scsi_host", name, path, NULL, &is_new);
    if (!host)
        return -ENOMEM;
    host->host = host;
    if (!is_new || !attributes)
        return fact_set_seal(g->facts);
    snprintf(parent, sizeof(parent), "%.*s", (int)(strlen(path) - strlen(name) - 1), path);
    r = gather_attributes(g, attributes, class_dir, path, "scsi_host", false);
    if (r == 0)
        r = gather_attributes(g, PARENT_ATTRIBUTES, parent, parent, "driver", false);
    return r < 0 ? r : fact_set_seal(g->facts);
}

static int gather_hosts(struct gathering *g)
{
    struct names names;
    int r = source_list(g->source, HOSTS.dir, HOSTS.prefix, &names);

    if (r < 0 || names.error)
        return r;
    names_sort_naturally(&names);
    for (size_t i = 0; r == 0 && i < names.n; i++)
        r = add_host(g, names.v[i], HOSTS.attributes);
    names_done(&names);
    return r;
}

static int gather_transports(struct gathering *g)
{
    int r = 0;

    for (size_t i = 0; r == 0 && TRANSPORTS[i]; i++)
        for (const struct object_class *c = TRANSPORTS[i]->classes; r == 0 && c && c->name; c++)
            r = gather_class(g, c);
    for (size_t i = 0; r == 0 && TRANSPORTS[i]; i++)
        if (TRANSPORTS[i]->gather)
            r = TRANSPORTS[i]->gather(g);
    return r;
}

static int gather_drivers(struct gathering *g)
{
    int r = 0;

    for (struct subject *h = fact_set_first(g->facts, "scsi_host"); r == 0 && h;
         h = h->next_of_class)
        r = gather_driver(g, h);
    return r;
}

/* Where devices are listed: one directory for targets and devices together, or, where that is not
 * there, a class of devices alone. */
static const struct object_class DEVICES[] = {
    { "scsi_device", "/sys/bus/scsi/devices", .is_bus = true },
    { "scsi_device", "/sys/class/scsi_device" },
};

static bool is_hctl(const char *name)
{
    unsigned colons = 0;

    for (const char *c = name; *c; c++) {
        colons += *c == ':';
        if (*c != ':' && (*c < '0' || *c > '9'))
            return false;
    }
    return colons == 3;
}

static int add_device(struct device_walk *w, const struct object_class *class, const char *name,
                      const struct gather_options *options)
{
    struct gathering *g = w->g;
    struct subject *host;
    char *path, *end;
    int r = gather_canonical(g, class->dir, name, &path);

    if (r <= 0)
        return r;
    end = class->is_bus ? NULL : strstr(path, "/scsi_device/");
    if (end)
        *end = '\0';
    host = gather_host_of(g, path);
    if (!host)
        return 0;
    w->transport = transport_of(g->facts, host);
    w->flags = options->named && strcmp(options->named, name) == 0 ? TARGET_NAMED : 0;
    w->flags |= w->flags && options->forced ? TARGET_FORCED : 0;
    w->stop_at = pci_path_length(host->path) ? pci_path_length(host->path) : strlen(host->path);
    r = gather_device(w, name, path, host);
    return r < 0 || !options->done ? r : options->done(options->userdata, name);
}

static int gather_devices(struct gathering *g, const struct gather_options *options)
{
    struct refusals refusals = { 0 };
    struct device_walk walk = { .g = g,
                                .refusals = &refusals,
                                .unasked = options->unasked,
                                .tiers = options->tiers,
                                .told = options->target,
                                .userdata = options->userdata };
    const struct object_class *class = &DEVICES[0];
    struct names names;
    int r = source_list(g->source, class->dir, "", &names);

    if (r == 0 && names.error)
        r = source_list(g->source, (++class)->dir, "", &names);
    if (r < 0 || names.error)
        return r;
    names_sort_naturally(&names);
    for (size_t i = 0; r == 0 && i < names.n; i++)
        if (is_hctl(names.v[i]) && (!options->after || strverscmp(names.v[i], options->after) > 0))
            r = add_device(&walk, class, names.v[i], options);
    names_done(&names);
    free(refusals.v);
    return r;
}

int gather(struct source *source, const struct gather_options *options, struct fact_set **ret)
{
    _cleanup_(fact_set_freep) struct fact_set *facts = fact_set_new();
    struct gathering g = { .source = source,
                           .facts = facts,
                           .level = options->level,
                           .only_below = options->only_below,
                           .told = options->file,
                           .userdata = options->userdata };
    int r;

    if (!facts)
        return -ENOMEM;
    r = gather_hosts(&g);
    if (r == 0)
        r = gather_class(&g, &TARGETS);
    if (r == 0)
        r = gather_transports(&g);
    if (r == 0)
        r = gather_drivers(&g);
    if (r == 0)
        r = gather_words(&g);
    if (r == 0 && options->done)
        r = options->done(options->userdata, NULL);
    if (r == 0)
        r = gather_devices(&g, options);
    if (r == 0)
        r = gather_holders(&g);
    if (r < 0)
        return r;
    *ret = TAKE_PTR(facts);
    return 0;
}

void adapters_done(struct adapters *a)
{
    for (size_t i = 0; i < a->n; i++) {
        free(a->v[i].below);
        free(a->v[i].name);
    }
    free(a->v);
    *a = (struct adapters){ 0 };
}

/* Adds a host to the adapter whose directory it is below, or adds that adapter. */
static int add_to_adapter(struct adapters *a, const struct subject *host)
{
    size_t len = pci_path_length(host->path);
    _cleanup_free_ char *below = NULL;
    struct adapter *grown;

    if (asprintf(&below, "%.*s/", (int)(len ? len : strlen(host->path)), host->path) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < a->n; i++) {
        char *name;

        if (strcmp(a->v[i].below, below) != 0)
            continue;
        if (asprintf(&name, "%s, %s", a->v[i].name, host->name) < 0)
            return -ENOMEM;
        free(a->v[i].name);
        a->v[i].name = name;
        return 0;
    }
    grown = realloc(a->v, (a->n + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    a->v = grown;
    a->v[a->n].name = strdup(host->name);
    if (!a->v[a->n].name)
        return -ENOMEM;
    a->v[a->n++].below = TAKE_PTR(below);
    return 0;
}

int gather_adapters(struct source *source, struct adapters *ret)
{
    _cleanup_(fact_set_freep) struct fact_set *facts = fact_set_new();
    struct gathering g = { .source = source, .facts = facts, .level = LEVEL_IDENTITY };
    struct adapters found = { 0 };
    struct names names;
    int r;

    if (!facts)
        return -ENOMEM;
    r = source_list(source, HOSTS.dir, HOSTS.prefix, &names);
    if (r < 0 || names.error) {
        found.error = r < 0 || names.error == ENOENT ? 0 : names.error;
        *ret = found;
        return r;
    }
    names_sort_naturally(&names);
    for (size_t i = 0; r == 0 && i < names.n; i++)
        r = add_host(&g, names.v[i], NULL);
    names_done(&names);
    for (struct subject *h = fact_set_first(facts, "scsi_host"); r == 0 && h; h = h->next_of_class)
        r = add_to_adapter(&found, h);
    if (r < 0)
        adapters_done(&found);
    else
        *ret = found;
    return r;
}
