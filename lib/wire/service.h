/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A Varlink service as tables: its interfaces, and the methods of each. A call is looked up here, its arguments are
 * read and checked, and what is wrong is answered with the errors of org.varlink.service; so are that interface's own
 * two methods.
 */
#pragma once

#include "wire/varlink.h"

/* What a method did. Or a negative errno, for what no client is to blame for: nothing sensible was written then. */
enum varlink_outcome {
    VARLINK_REPLIED, /* one reply was written: the answer, or an error */
    VARLINK_STREAMS, /* the call goes on: replies that continue follow, or have been written already */
    VARLINK_DEFERRED, /* nothing was written yet; one reply will be */
};

struct varlink_method {
    const char *name; /* without its interface */
    const struct varlink_argument *arguments;
    size_t arguments_size; /* of the struct that they fill */
    bool needs_more;       /* makes sense as a stream only */
    /* Answers a call; `arguments` are filled. */
    int (*run)(void *userdata, const struct varlink_call *call, const void *arguments, FILE *out);
};

struct varlink_interface {
    const char *name, *description;       /* the interface's text in Varlink's own language */
    const struct varlink_method *methods; /* the last one has no name */
};

struct varlink_service {
    const char *vendor, *product, *version, *url;
    const struct varlink_interface
        *interfaces; /* the last one has no name; org.varlink.service is not among them */
};

/* Answers a call. Returns an enum varlink_outcome or a negative errno (-ENOMEM, or what the method returned). */
int varlink_serve(const struct varlink_service *service, const struct varlink_call *call,
                  struct arena *arena, void *userdata, FILE *out);
