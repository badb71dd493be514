/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interface that systemd's services have in common (manager.h). Its text is io.systemd.service.varlink beside this file.
 */
#include "base/json_write.h"
#include "daemon/log.h"
#include "daemon/manager.h"

static void reply_level(FILE *out, bool has_level)
{
    struct json_writer w = json_writer(out, false);

    varlink_begin(out);
    json_write_begin_object(&w);
    if (has_level) {
        json_write_key(&w, "level");
        json_write_i64(&w, log_get_level());
    }
    json_write_end_object(&w);
    varlink_end(out, NULL, false);
}

static int ping(void *client, const struct varlink_call *call, const void *arguments, FILE *out)
{
    (void)client;
    (void)call;
    (void)arguments;
    reply_level(out, false);
    return VARLINK_REPLIED;
}

static int get_log_level(void *client, const struct varlink_call *call, const void *arguments,
                         FILE *out)
{
    (void)client;
    (void)call;
    (void)arguments;
    reply_level(out, true);
    return VARLINK_REPLIED;
}

struct level_arguments {
    int64_t level;
};

static const struct varlink_argument LEVEL_ARGUMENTS[] = {
    VARLINK_NEEDED(level_arguments, level, VARLINK_INT),
    { 0 },
};

static int set_log_level(void *client, const struct varlink_call *call, const void *arguments,
                         FILE *out)
{
    int64_t level = ((const struct level_arguments *)arguments)->level;
    const struct manager *m = client_userdata(client);

    (void)call;
    if (!client_may_change(client, m->group)) {
        varlink_error(out, "org.varlink.service.PermissionDenied", NULL, NULL);
    } else if (level < LOG_LEAST || level > LOG_MOST) {
        varlink_error(out, "org.varlink.service.InvalidParameter", "parameter", "level");
    } else {
        log_set_level((int)level);
        reply_level(out, false);
    }
    return VARLINK_REPLIED;
}

const struct varlink_method SYSTEMD_METHODS[] = {
    { .name = "Ping", .run = ping },
    { "SetLogLevel", LEVEL_ARGUMENTS, sizeof(struct level_arguments), false, set_log_level },
    { .name = "GetLogLevel", .run = get_log_level },
    { 0 },
};
