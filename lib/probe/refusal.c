/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why a device is not read from (refusal.h). Each rule is a function that gives its reason; the first reason counts.
 */
#include "probe/refusal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "probe/policy.h"
#include "transport/sleep.h"
#include "transport/transport.h"

/* Peripheral device types: SPC-4 table 142. */
enum { TYPE_DISK = 0x00, TYPE_TAPE = 0x01, TYPE_CHANGER = 0x08, TYPE_ZONED_DISK = 0x14 };

enum { LEVEL_SPC = 4 }; /* of the kernel's scsi_level; SCSI-2 is 3 */

struct question {
    struct arena *arena;
    const struct model *model;
    const struct device *device;
    const struct subject *subject;
    const struct plan_options *options;
    struct policy policy;
    bool is_named;
    bool no_memory; /* a reason could not be written */
};

__attribute__((format(printf, 2, 3))) static const char *because(struct question *q,
                                                                 const char *format, ...)
{
    va_list args;
    const char *text;

    va_start(args, format);
    text = arena_vprintf(q->arena, format, args);
    va_end(args);
    q->no_memory |= !text;
    return text;
}

/* Are reads switched on for this very device: by name in the configuration or in the request? */
static bool is_switched_on(const struct question *q)
{
    return q->policy.is_named || q->is_named;
}

static const char *of_tier(struct question *q)
{
    const char *says;

    if (q->policy.tier == CONFIG_TIER_READ)
        return NULL;
    says = policy_says(q->arena, &q->policy);
    q->no_memory |= !says;
    return says ? because(q, "no reads of it are allowed: so says %s", says) : NULL;
}

static const char *of_type(struct question *q)
{
    uint64_t type;

    if (!fact_number(q->subject, &KEY_DEVICE_TYPE, &type))
        return "its device type is not known";
    if (type == TYPE_TAPE || type == TYPE_CHANGER)
        return "it is a tape or changer: a command could take from its driver what that must know";
    return type == TYPE_DISK || type == TYPE_ZONED_DISK ? NULL : "it is no disk";
}

/* Nothing is sent to what is behind such a bridge, and a medium that is taken out at any time is nobody's link. */
static const char *of_kind(struct question *q)
{
    const struct device *d = q->device;
    const struct transport *t = d->host ? transport_named(d->host->transport) : NULL;

    if (t && t->sysfs_only)
        return "it is behind a bridge of a kind of which some fail when they are asked";
    return fact_number_or(q->subject, &KEY_REMOVABLE, 0) ? "it, or its medium, is removable" : NULL;
}

static const char *of_link(struct question *q)
{
    const struct link *l = q->device->link;

    if (!q->device->host || !l)
        return "no link that is seen leads to it";
    if (q->device->host->emulated || l->has_no_link)
        return "its adapter is not real hardware: there is no link to time";
    if (q->device->host->reason || (!l->actual.known && l->reason && !l->describe))
        return because(q, "its link is hidden: %s",
                       q->device->host->reason ? q->device->host->reason : l->reason);
    if (l->state == LINK_UP || l->state == LINK_UNKNOWN)
        return NULL;
    return because(q, "its link is %s", link_state_to_string(l->state));
}

static const char *of_wish(struct question *q)
{
    const struct link *l = q->device->link;

    return l->wish.ignore_from && !is_switched_on(q)
               ? because(q, "its link is ignored (%s)", l->wish.ignore_from)
               : NULL;
}

/* What is in trouble is left alone. */
static const char *of_state(struct question *q)
{
    const char *host = q->device->host->state, *state = fact_text(q->subject, &KEY_STATE);

    if (host && strcmp(host, "running") != 0)
        return because(q, "its host is not running, but in state %s", host);
    if (state && strcmp(state, "running") != 0)
        return because(q, "it is not running, but in state %s", state);
    return NULL;
}

static const char *of_age(struct question *q)
{
    return fact_number_or(q->subject, &KEY_SCSI_LEVEL, 0) >= LEVEL_SPC || is_switched_on(q)
               ? NULL
               : "it is of the age of SCSI-2: reads have to be switched on for it by name";
}

/* Is it a LUN of an array: by its transport, or because it is there by several ways? */
static bool is_of_array(const struct question *q)
{
    const struct transport *t = transport_named(q->device->host->transport);
    const struct model *m = q->model;

    for (size_t i = 0; q->device->wwid && i < m->devices.n; i++)
        if (m->devices.v[i] != q->device && text_same_known(m->devices.v[i]->wwid, q->device->wwid))
            return true;
    return t && t->arrays;
}

static const char *of_array(struct question *q)
{
    const char *access = fact_text(q->subject, &KEY_ACCESS_STATE);

    if (!is_of_array(q))
        return NULL;
    if (!is_switched_on(q) && q->options->config->probe.arrays != CONFIG_YES)
        return "it is a LUN of an array, or there by several ways: reads are off for those";
    return access && text_starts_with(access, "active/optimized")
               ? NULL
               : "a read by a way that is not active/optimized can move the LUN to another "
                 "controller";
}

static const struct plan_seen *seen_of(const struct question *q)
{
    for (size_t i = 0; i < q->options->n_seen; i++)
        if (strcmp(q->options->seen[i].hctl, q->device->hctl) == 0)
            return &q->options->seen[i];
    return NULL;
}

static const char *of_sleep(struct question *q)
{
    const char *power = fact_text(q->subject, &KEY_RUNTIME_STATUS);
    const struct plan_seen *seen = seen_of(q);

    if (q->is_named && q->options->forced)
        return NULL;
    if (fact_number_or(q->subject, &KEY_STANDBY, 0) ||
        (power && strcmp(power, "active") != 0 && strcmp(power, "unsupported") != 0))
        return "it sleeps, and a read would wake it";
    if (!sleep_is_hidden(q->subject) || !fact_number_or(q->subject, &KEY_ROTATIONAL, 1))
        return NULL;
    return seen && seen->ago_us <= PLAN_AWAKE_US
               ? NULL
               : "it cannot be told whether it sleeps: nobody was seen to use it in the last two "
                 "minutes";
}

static const char *(*const RULES[])(struct question *q) = {
    of_tier, of_type, of_kind, of_link, of_wish, of_state, of_age, of_array, of_sleep,
};

int refusal_of(struct arena *a, const struct model *m, const struct device *d,
               const struct plan_options *options, bool is_named, bool *ret_switched_on,
               const char **ret)
{
    struct question q = { a, m, d, d->subject, options, .is_named = is_named };
    const char *names[PLAN_NAMES], *why = NULL;
    int r = plan_names(a, d, names);

    if (r < 0)
        return r;
    q.policy = policy_of(options->config, names, PLAN_NAMES, fact_text(d->subject, &KEY_TIER));
    for (size_t i = 0; !why && i < ELEMENTS(RULES); i++)
        why = RULES[i](&q);
    if (q.no_memory)
        return -ENOMEM;
    *ret_switched_on = q.policy.is_named;
    *ret = why;
    return 0;
}
