/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the daemon asks of a collector (request.h).
 */
#include "wire/request.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/json_write.h"
#include "base/text.h"
#include "source/command.h"
#include "wire/varlink.h"

#define ADAPTER     "io.hbad.collect.Adapter"
#define PROBE       "io.hbad.collect.Probe"

#define FIELD(name) offsetof(struct collect_request, name)

static const struct varlink_argument ADAPTER_ARGUMENTS[] = {
    { "below", VARLINK_STRING, false, FIELD(below) },
    { "after", VARLINK_STRING, true, FIELD(after) },
    { "unasked", VARLINK_BOOL, true, FIELD(unasked) },
    { 0 },
};

static const struct varlink_argument PROBE_ARGUMENTS[] = {
    { "below", VARLINK_STRING, false, FIELD(below) },
    { "devices", VARLINK_STRINGS, true, FIELD(devices) },
    { "named", VARLINK_STRINGS, true, FIELD(named) },
    { "await", VARLINK_INT, true, FIELD(await_s) },
    { "forced", VARLINK_BOOL, true, FIELD(forced) },
    { 0 },
};

static void write_devices(struct json_writer *w, const char *key, const struct varlink_strings *v)
{
    json_write_key(w, key);
    json_write_begin_array(w);
    for (size_t i = 0; i < v->n; i++)
        json_write_string(w, v->v[i]);
    json_write_end_array(w);
}

static void write_flag(struct json_writer *w, const char *key, bool value)
{
    json_write_key(w, key);
    json_write_bool(w, value);
}

void collect_request_write(const struct collect_request *request, FILE *out)
{
    struct json_writer w = json_writer(out, false);

    json_write_begin_object(&w);
    json_write_key(&w, "method");
    json_write_string(&w, request->probes ? PROBE : ADAPTER);
    json_write_key(&w, "parameters");
    json_write_begin_object(&w);
    json_write_key(&w, "below");
    json_write_string(&w, request->below);
    if (request->after) {
        json_write_key(&w, "after");
        json_write_string(&w, request->after);
    }
    if (request->probes) {
        write_devices(&w, "devices", &request->devices);
        write_devices(&w, "named", &request->named);
        json_write_key(&w, "await");
        json_write_u64(&w, (uint64_t)request->await_s);
        write_flag(&w, "forced", request->forced);
    } else {
        write_flag(&w, "unasked", request->unasked);
    }
    json_write_end_object(&w);
    json_write_end_object(&w);
    fputc('\0', out);
}

/* No "." or "..", nothing empty. */
bool request_is_directory(const char *path)
{
    enum { PATH_MOST = 4096 }; /* PATH_MAX, include/uapi/linux/limits.h */

    return text_starts_with(path, "/sys/devices/") && text_ends_with(path, "/") &&
           strlen(path) < PATH_MOST && !strstr(path, "//") && !strstr(path, "/./") &&
           !strstr(path, "/../");
}

static const char *device_at(const struct collect_request *r, size_t i)
{
    return i < r->devices.n ? r->devices.v[i] : r->named.v[i - r->devices.n];
}

/* What is wrong with a request to probe; NULL: nothing. */
static const char *wrong_with_probe(const struct collect_request *r)
{
    size_t n = r->devices.n + r->named.n;

    if (!n || n > COLLECT_PROBED_MAX)
        return n ? "too many devices" : "no devices";
    if (r->await_s < 0 || r->await_s > COLLECT_AWAIT_MAX_S)
        return "await is no number of seconds to wait";
    for (size_t i = 0; i < n; i++) {
        if (!hctl_is_valid(device_at(r, i)))
            return "a device is no H:C:T:L";
        for (size_t k = 0; k < i; k++)
            if (strcmp(device_at(r, i), device_at(r, k)) == 0)
                return "a device is given twice";
    }
    return NULL;
}

static const char *wrong_with(const struct collect_request *r)
{
    if (!request_is_directory(r->below))
        return "below is no directory of devices";
    if (r->probes)
        return wrong_with_probe(r);
    return r->after && !hctl_is_valid(r->after) ? "after is no H:C:T:L" : NULL;
}

int collect_request_parse(struct bytes text, struct arena *arena, struct collect_request *ret,
                          const char **ret_why)
{
    struct collect_request request = { 0 };
    struct varlink_call call;
    const char *name;
    int r = varlink_parse(text, arena, &call, ret_why);

    if (r < 0)
        return r;
    *ret_why = NULL;
    request.probes = strcmp(call.method, PROBE) == 0;
    if ((!request.probes && strcmp(call.method, ADAPTER) != 0) || call.upgrade) {
        *ret_why = "no such method";
        return -EBADMSG;
    }
    r = varlink_arguments(call.parameters, arena,
                          request.probes ? PROBE_ARGUMENTS : ADAPTER_ARGUMENTS, &request, &name);
    if (r == -ENOMEM)
        return r;
    *ret_why = r < 0 ? "a parameter is missing, unknown or of another type" : wrong_with(&request);
    if (*ret_why)
        return -EBADMSG;
    *ret = request;
    return 0;
}
