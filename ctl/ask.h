/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Verbs that are answered from a report: by the daemon, which has one, or from one that is made here.
 */
#pragma once

#include "base/json_write.h"
#include "ctl/client.h"
#include "ctl/ctl.h"

/* What is to be known of the report behind an answer. */
struct outcome {
    int objects;            /* that go by the name; 0: none, and nothing was printed */
    struct summary summary; /* hosts, verdicts and worst */
    struct notes notes;     /* with how much was unexamined */
};
void outcome_done(struct outcome *o);

/* Prints the answer (answer/answer.h) to request->out: `name` is the word as it is called here, which is tried first; NULL for the
 * word itself. Made here, a report needs `level`, and of the device `named` (NULL: of all). Says what is wrong. Returns
 * 0 or a negative errno. */
int ask(const struct request *request, const char *verb, const char *word, const char *name,
        enum level level, const char *named, struct outcome *ret);

/* The option because of which the daemon's answer cannot be the one that is wanted; NULL: none. It looks at this machine, and
 * judges by this machine's configuration. */
const char *ask_obstacle(const struct request *request);

/* Connects to the daemon where the user has asked for it: says what is wrong. NULL then. */
struct client *ask_connect(const struct request *request);

/* Connects where the daemon's answer would do. Returns 1; 0 where it would not, or it is not there and that is no matter (it is said
 * of a socket that was named); else a negative errno, which was said. */
int ask_try_connect(const struct request *request, struct client **ret);

/* A call to who was so connected has gone wrong: says so. Returns 0 where that is no matter, else the error. */
int ask_gave_up(const struct request *request, int error);

/* Calls a method and waits for its one reply, which is valid until the client's next call. An error by the daemon is one of
 * `ret`. Says what is wrong. Returns 0 or a negative errno. */
int ask_call(const struct request *request, struct client *client, const char *method,
             const char *parameters, struct arena *arena, struct varlink_reply *ret);

/* What an error reply means, and why the daemon cannot be asked: a sentence, to be freed; NULL without memory. Or said. */
char *ask_error(const struct varlink_reply *reply);
void ask_say_error(const struct varlink_reply *reply);
char *ask_failure(const struct request *request, int error);
void ask_say_failure(const struct request *request, int error);

/* Microseconds for a reply. */
uint64_t ask_patience_us(const struct request *request);

/* Arguments of a method, to which members are added by `w`. */
struct arguments {
    struct json_writer w;
    FILE *out;
    char *text;
    size_t size;
};

/* Begins them. Returns 0, or -ENOMEM, and there is nothing to end. */
int arguments_begin(struct arguments *a);

/* Ends them. Returns the text, to be freed; NULL without memory. */
char *arguments_end(struct arguments *a);

/* Adds a member that is a text, where there is one; and `names`. */
void arguments_put(struct arguments *a, const char *key, const char *value);
void arguments_put_names(struct arguments *a, const char *const *names, size_t n);

/* Adds the members that say how a text is to be laid out: columns, utf8, colour, no_legend. */
void arguments_put_style(struct arguments *a, const struct text_style *style);

/* Prints JSON text that was read already, as the request wants it: as it is, or in lines. */
void ask_print_json(const struct request *request, struct bytes json);
