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

#define METHOD "io.hbad.collect.Adapter"

static const struct varlink_argument ARGUMENTS[] = {
    { "below", VARLINK_STRING, false, offsetof(struct collect_request, below) },
    { "after", VARLINK_STRING, true, offsetof(struct collect_request, after) },
    { "unasked", VARLINK_BOOL, true, offsetof(struct collect_request, unasked) },
    { 0 },
};

void collect_request_write(const struct collect_request *request, FILE *out)
{
    struct json_writer w = json_writer(out, false);

    json_write_begin_object(&w);
    json_write_key(&w, "method");
    json_write_string(&w, METHOD);
    json_write_key(&w, "parameters");
    json_write_begin_object(&w);
    json_write_key(&w, "below");
    json_write_string(&w, request->below);
    if (request->after) {
        json_write_key(&w, "after");
        json_write_string(&w, request->after);
    }
    json_write_key(&w, "unasked");
    json_write_bool(&w, request->unasked);
    json_write_end_object(&w);
    json_write_end_object(&w);
    fputc('\0', out);
}

/* A directory of devices, as sysfs has it without links: no "." or "..", nothing empty. */
static bool is_directory_of_devices(const char *path)
{
    enum { PATH_MOST = 4096 }; /* PATH_MAX, include/uapi/linux/limits.h */

    return text_starts_with(path, "/sys/devices/") && text_ends_with(path, "/") &&
           strlen(path) < PATH_MOST && !strstr(path, "//") && !strstr(path, "/./") &&
           !strstr(path, "/../");
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
    if (strcmp(call.method, METHOD) != 0 || call.upgrade) {
        *ret_why = "no such method";
        return -EBADMSG;
    }
    r = varlink_arguments(call.parameters, arena, ARGUMENTS, &request, &name);
    if (r == -ENOMEM)
        return r;
    if (r < 0)
        *ret_why = "a parameter is missing, unknown or of another type";
    else if (!is_directory_of_devices(request.below))
        *ret_why = "below is no directory of devices";
    else if (request.after && !hctl_is_valid(request.after))
        *ret_why = "after is no H:C:T:L";
    else
        *ret = request;
    return *ret_why ? -EBADMSG : 0;
}
