/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looking up and answering calls (service.h).
 */
#include "wire/service.h"

#include <errno.h>
#include <string.h>

#include "base/json_write.h"

#define SERVICE "org.varlink.service"

/* The interface that every service has, as varlink.org defines it. */
static const char DESCRIPTION[] =
    "# The interface that every Varlink service has.\n"
    "interface org.varlink.service\n"
    "\n"
    "# Who made the service, and which interfaces it has.\n"
    "method GetInfo() -> (\n"
    "  vendor: string,\n"
    "  product: string,\n"
    "  version: string,\n"
    "  url: string,\n"
    "  interfaces: []string\n"
    ")\n"
    "\n"
    "# The definition of an interface.\n"
    "method GetInterfaceDescription(interface: string) -> (description: string)\n"
    "\n"
    "# There is no such interface.\n"
    "error InterfaceNotFound(interface: string)\n"
    "\n"
    "# The interface has no such method.\n"
    "error MethodNotFound(method: string)\n"
    "\n"
    "# The interface has the method, and this service does not.\n"
    "error MethodNotImplemented(method: string)\n"
    "\n"
    "# This argument is missing, unknown, of another type, or cannot be.\n"
    "error InvalidParameter(parameter: string)\n"
    "\n"
    "# The caller may not do that.\n"
    "error PermissionDenied()\n"
    "\n"
    "# The method answers with a stream: call it with more.\n"
    "error ExpectedMore()\n";

/* What the two methods of org.varlink.service need. */
struct serving {
    const struct varlink_service *service;
};

static int get_info(void *userdata, const struct varlink_call *call, const void *arguments,
                    FILE *out)
{
    const struct varlink_service *s = ((const struct serving *)userdata)->service;
    const char *const members[][2] = {
        { "vendor", s->vendor },
        { "product", s->product },
        { "version", s->version },
        { "url", s->url },
    };
    struct json_writer w = json_writer(out, false);

    (void)call;
    (void)arguments;
    varlink_begin(out);
    json_write_begin_object(&w);
    for (size_t i = 0; i < ELEMENTS(members); i++) {
        json_write_key(&w, members[i][0]);
        json_write_string(&w, members[i][1]);
    }
    json_write_key(&w, "interfaces");
    json_write_begin_array(&w);
    json_write_string(&w, SERVICE);
    for (const struct varlink_interface *i = s->interfaces; i->name; i++)
        json_write_string(&w, i->name);
    json_write_end_array(&w);
    json_write_end_object(&w);
    varlink_end(out, NULL, false);
    return VARLINK_REPLIED;
}

struct description_of {
    const char *interface;
};

static const struct varlink_interface *interface_named(const struct varlink_service *s,
                                                       const char *name, size_t len)
{
    for (const struct varlink_interface *i = s->interfaces; i->name; i++)
        if (strlen(i->name) == len && memcmp(i->name, name, len) == 0)
            return i;
    return NULL;
}

static int get_interface_description(void *userdata, const struct varlink_call *call,
                                     const void *arguments, FILE *out)
{
    const struct description_of *of = arguments;
    const struct varlink_interface *i = interface_named(((const struct serving *)userdata)->service,
                                                        of->interface, strlen(of->interface));
    const char *text = i                                     ? i->description
                       : strcmp(of->interface, SERVICE) == 0 ? DESCRIPTION
                                                             : NULL;
    struct json_writer w = json_writer(out, false);

    (void)call;
    if (!text) {
        varlink_error(out, SERVICE ".InterfaceNotFound", "interface", of->interface);
        return VARLINK_REPLIED;
    }
    varlink_begin(out);
    json_write_begin_object(&w);
    json_write_key(&w, "description");
    json_write_string(&w, text);
    json_write_end_object(&w);
    varlink_end(out, NULL, false);
    return VARLINK_REPLIED;
}

static const struct varlink_argument DESCRIPTION_ARGUMENTS[] = {
    { "interface", VARLINK_STRING, false, offsetof(struct description_of, interface) },
    { 0 },
};

static const struct varlink_method SERVICE_METHODS[] = {
    { .name = "GetInfo", .run = get_info },
    { "GetInterfaceDescription", DESCRIPTION_ARGUMENTS, sizeof(struct description_of), false,
      get_interface_description },
    { 0 },
};

static const struct varlink_method *method_named(const struct varlink_method *methods,
                                                 const char *name)
{
    while (methods->name && strcmp(methods->name, name) != 0)
        methods++;
    return methods->name ? methods : NULL;
}

/* Reads the arguments, and runs it where they are right. */
static int run(const struct varlink_method *m, const struct varlink_call *call, struct arena *arena,
               void *userdata, FILE *out)
{
    const char *bad = NULL;
    void *arguments = arena_alloc(arena, m->arguments_size ? m->arguments_size : 1);
    int r = arguments ? varlink_arguments(call->parameters, arena, m->arguments, arguments, &bad)
                      : -ENOMEM;

    if (r == -EINVAL) {
        varlink_error(out, SERVICE ".InvalidParameter", "parameter", bad);
        return VARLINK_REPLIED;
    }
    if (r < 0)
        return r;
    if (m->needs_more && !call->more) {
        varlink_error(out, SERVICE ".ExpectedMore", NULL, NULL);
        return VARLINK_REPLIED;
    }
    return m->run(userdata, call, arguments, out);
}

int varlink_serve(const struct varlink_service *service, const struct varlink_call *call,
                  struct arena *arena, void *userdata, FILE *out)
{
    struct serving serving = { service };
    const char *dot = strrchr(call->method, '.'), *end = dot ? dot : call->method;
    size_t len = (size_t)(end - call->method);
    bool is_ours = len == strlen(SERVICE) && memcmp(call->method, SERVICE, len) == 0;
    const struct varlink_interface *i = interface_named(service, call->method, len);
    const struct varlink_method *m;

    if (!is_ours && !i) {
        const char *name = arena_strndup(arena, call->method, len);

        if (!name)
            return -ENOMEM;
        varlink_error(out, SERVICE ".InterfaceNotFound", "interface", name);
        return VARLINK_REPLIED;
    }
    m = method_named(is_ours ? SERVICE_METHODS : i->methods, dot ? dot + 1 : "");
    if (!m || call->upgrade) {
        varlink_error(out, m ? SERVICE ".MethodNotImplemented" : SERVICE ".MethodNotFound",
                      "method", call->method);
        return VARLINK_REPLIED;
    }
    return run(m, call, arena, is_ours ? &serving : userdata, out);
}
