/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What clients may call, and what it answers. The interface's text is io.hbad.monitor.varlink beside this file; a test
 * holds both together. Everything is answered from memory.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "answer/answer.h"
#include "base/json_write.h"
#include "daemon/io_hbad_monitor.h"
#include "daemon/io_systemd_service.h"
#include "daemon/manager.h"
#include "daemon/probes.h"
#include "diagnose/resolve.h"
#include "output/output.h"

#define INTERFACE "io.hbad.monitor"

static struct manager *manager_of(void *client)
{
    return client_userdata(client);
}

bool method_is_refused(const struct manager *m, const char *wrong, FILE *out)
{
    if (wrong)
        varlink_error(out, "org.varlink.service.InvalidParameter", "parameter", wrong);
    else if (!m->report)
        varlink_error(out, INTERFACE ".NotReady", NULL, NULL);
    return wrong || !m->report;
}

static int get_report(void *client, const struct varlink_call *call, const void *arguments,
                      FILE *out)
{
    struct manager *m = manager_of(client);
    struct buffer *reply;

    (void)call;
    (void)arguments;
    if (method_is_refused(m, NULL, out))
        return VARLINK_REPLIED;
    reply = publish_reply(m);
    if (!reply)
        return -ENOMEM;
    client_reply_shared(client, reply);
    return VARLINK_REPLIED;
}

/* ---- List ---- */

struct list_arguments {
    const char *kind;
};

static const struct varlink_argument LIST_ARGUMENTS[] = {
    VARLINK_NEEDED(list_arguments, kind, VARLINK_STRING),
    { 0 },
};

static int list(void *client, const struct varlink_call *call, const void *arguments, FILE *out)
{
    static const struct answer_style JSON = { .json = true };
    const struct list_arguments *wanted = arguments;
    struct manager *m = manager_of(client);
    enum level level;

    (void)call;
    if (answer_list_level(wanted->kind, &level) < 0) {
        varlink_error(out, INTERFACE ".NoSuchKind", "kind", wanted->kind);
        return VARLINK_REPLIED;
    }
    if (method_is_refused(m, NULL, out))
        return VARLINK_REPLIED;
    varlink_begin(out);
    fputs("{\"objects\":", out);
    answer(m->report, "list", wanted->kind, &JSON, out);
    fputs("}", out);
    varlink_end(out, NULL, false);
    return VARLINK_REPLIED;
}

/* ---- Show ---- */

struct show_arguments {
    const char *name;
};

static const struct varlink_argument SHOW_ARGUMENTS[] = {
    VARLINK_NEEDED(show_arguments, name, VARLINK_STRING),
    { 0 },
};

static int show(void *client, const struct varlink_call *call, const void *arguments, FILE *out)
{
    enum { SHOWN_MAX = 64 };
    const char *name = ((const struct show_arguments *)arguments)->name;
    struct manager *m = manager_of(client);
    struct object objects[SHOWN_MAX];
    size_t n;

    (void)call;
    if (method_is_refused(m, NULL, out))
        return VARLINK_REPLIED;
    n = resolve_name(m->report, name, objects, SHOWN_MAX);
    if (!n) {
        varlink_error(out, INTERFACE ".NoSuchObject", "name", name);
        return VARLINK_REPLIED;
    }
    varlink_begin(out);
    fputs("{\"objects\":[", out);
    for (size_t i = 0; i < n && i < SHOWN_MAX; i++) {
        const struct object *o = &objects[i];

        if (i)
            fputs(",", out);
        output_json_explanation(m->report, o->host, o->device ? o->device->link : o->link,
                                o->device, false, out);
    }
    fputs("]}", out);
    varlink_end(out, NULL, false);
    return VARLINK_REPLIED;
}

/* ---- Monitor ---- */

static int monitor(void *client, const struct varlink_call *call, const void *arguments, FILE *out)
{
    struct manager *m = manager_of(client);
    int r;

    (void)call;
    (void)arguments;
    if (method_is_refused(m, NULL, out))
        return VARLINK_REPLIED;
    r = publish_subscribe(m, client);
    return r < 0 ? r : VARLINK_STREAMS;
}

/* ---- GetStatus ---- */

static void number_or_null(struct json_writer *w, const char *key, bool is_known, uint64_t value)
{
    json_write_key(w, key);
    if (is_known)
        json_write_u64(w, value);
    else
        json_write_null(w);
}

static const char *state_of(const struct adapter_state *a, uint64_t now)
{
    if (a->slot.hanging)
        return "hanging";
    if (a->slot.is_running)
        return "running";
    return schedule_may_ask(&a->slot, now) ? "waiting" : "quarantine";
}

static void adapter_object(struct json_writer *w, const struct adapter_state *a)
{
    const struct manager *m = a->manager;
    uint64_t now = manager_now(m), due = a->slot.due_us;

    if (m->schedule.next_round_us < due)
        due = m->schedule.next_round_us;
    json_write_begin_object(w);
    json_write_text_member(w, "path", a->below ? a->below : "");
    json_write_text_member(w, "name", a->name);
    json_write_text_member(w, "state", state_of(a, now));
    number_or_null(w, "last_read", a->read_us, a->read_wall_us / 1000000);
    number_or_null(w, "next_read", !m->captures && !a->slot.hanging,
                   (manager_wall(m) + (due > now ? due - now : 0)) / 1000000);
    number_or_null(w, "took_ms", a->read_us, a->took_us / 1000);
    json_write_u64_member(w, "stuck", a->slot.waiting + a->slot.hanging);
    json_write_key(w, "notes");
    json_write_begin_array(w);
    for (size_t i = 0; i < a->notes.n; i++)
        json_write_string(w, a->notes.v[i]);
    json_write_end_array(w);
    json_write_end_object(w);
}

static int get_status(void *client, const struct varlink_call *call, const void *arguments,
                      FILE *out)
{
    const struct manager *m = manager_of(client);
    struct json_writer writer = json_writer(out, false), *w = &writer;

    (void)call;
    (void)arguments;
    varlink_begin(out);
    json_write_begin_object(w);
    json_write_u64_member(w, "since", m->since_wall_us / 1000000);
    number_or_null(w, "taken", m->report != NULL, m->report ? m->report->wall_us / 1000000 : 0);
    json_write_u64_member(w, "rounds", m->schedule.round);
    json_write_u64_member(w, "clients", server_clients(m->server));
    json_write_u64_member(w, "subscribers", m->subscribers.n);
    json_write_u64_member(w, "memory", own_memory());
    json_write_key(w, "history");
    memory_status(m, w);
    json_write_key(w, "watcher");
    watcher_status(m, w);
    json_write_key(w, "adapters");
    json_write_begin_array(w);
    for (size_t i = 0; i < m->adapters.n; i++)
        adapter_object(w, m->adapters.v[i]);
    json_write_end_array(w);
    probes_status(m, w);
    json_write_end_object(w);
    varlink_end(out, NULL, false);
    return VARLINK_REPLIED;
}

/* ---- Reload, Refresh ---- */

static int denied(FILE *out)
{
    varlink_error(out, "org.varlink.service.PermissionDenied", NULL, NULL);
    return VARLINK_REPLIED;
}

static void write_messages(FILE *out, const char *key, const struct config_messages *messages)
{
    struct json_writer writer = json_writer(out, false), *w = &writer;

    json_write_begin_object(w);
    json_write_key(w, key);
    json_write_begin_array(w);
    for (size_t i = 0; i < messages->list.n; i++) {
        const struct config_message *m = &messages->list.v[i];

        json_write_begin_object(w);
        json_write_text_member(w, "file", m->place.file);
        json_write_u64_member(w, "line", m->place.line);
        json_write_bool_member(w, "is_warning", m->is_warning);
        json_write_text_member(w, "text", m->text);
        json_write_end_object(w);
    }
    json_write_end_array(w);
    json_write_end_object(w);
}

static int reload(void *client, const struct varlink_call *call, const void *arguments, FILE *out)
{
    struct manager *m = manager_of(client);
    int r;

    (void)call;
    (void)arguments;
    if (!client_may_change(client, m->group))
        return denied(out);
    r = manager_reload(m);
    if (r < 0 && r != -EBADMSG)
        return r;
    varlink_begin(out);
    write_messages(out, r < 0 ? "messages" : "warnings", &m->complaints);
    varlink_end(out, r < 0 ? INTERFACE ".InvalidConfiguration" : NULL, false);
    return VARLINK_REPLIED;
}

static int refresh(void *client, const struct varlink_call *call, const void *arguments, FILE *out)
{
    struct manager *m = manager_of(client);
    int r;

    (void)call;
    (void)arguments;
    if (!client_may_change(client, m->group))
        return denied(out);
    manager_look(m);
    r = vec_push(&m->waiters, (struct waiter){ client, m->schedule.round });
    return r < 0 ? r : VARLINK_DEFERRED;
}

static struct buffer *empty_message(void)
{
    struct buffer_writer w;

    if (buffer_open(&w) < 0)
        return NULL;
    varlink_begin(w.out);
    fputs("{}", w.out);
    varlink_end(w.out, NULL, false);
    return buffer_close(&w);
}

void methods_looked(struct manager *m)
{
    struct waiter *waiters = m->waiters.v;
    size_t n = m->waiters.n;
    struct buffer *done = n ? empty_message() : NULL;

    if (!done)
        return;
    /* What is answered may ask again at once. */
    m->waiters.v = NULL;
    m->waiters.n = m->waiters.cap = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_over = m->captures || schedule_round_is_over(&m->schedule, waiters[i].round);

        if (is_over || vec_push(&m->waiters, waiters[i]) < 0)
            client_send(waiters[i].client, done, true);
    }
    buffer_unref(done);
    free(waiters);
}

static const struct varlink_method METHODS[] = {
    { .name = "GetReport", .run = get_report },
    { "List", LIST_ARGUMENTS, sizeof(struct list_arguments), false, list },
    { "Show", SHOW_ARGUMENTS, sizeof(struct show_arguments), false, show },
    { "GetText", GET_TEXT_ARGUMENTS, sizeof(struct get_text_arguments), false, get_text },
    { "Check", CHECK_ARGUMENTS, sizeof(struct check_arguments), false, check_method },
    { "GetPage", GET_PAGE_ARGUMENTS, sizeof(struct get_page_arguments), false, get_page },
    { .name = "Monitor", .needs_more = true, .run = monitor },
    { .name = "GetStatus", .run = get_status },
    { "Acknowledge", ACKNOWLEDGE_ARGUMENTS, sizeof(struct acknowledge_arguments), false,
      acknowledge },
    { "History", HISTORY_ARGUMENTS, sizeof(struct history_arguments), false, remembered },
    { .name = "Reload", .run = reload },
    { .name = "Refresh", .run = refresh },
    { "Probe", PROBE_METHOD_ARGUMENTS, sizeof(struct probe_arguments), false, probe_method },
    { 0 },
};

static const struct varlink_interface INTERFACES[] = {
    { INTERFACE, IO_HBAD_MONITOR, METHODS },
    { "io.systemd.service", IO_SYSTEMD_SERVICE, SYSTEMD_METHODS },
    { 0 },
};

const struct varlink_service SERVICE = {
    .vendor = "hbad",
    .product = "hbad",
    .version = HBAD_VERSION,
    .url = "",
    .interfaces = INTERFACES,
};
