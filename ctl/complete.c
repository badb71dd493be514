/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbactl complete -- WORD...: what may stand in the place of the last word, for ctl/completion, which hands over what is typed and
 * shows what comes back: a line each, with what it is behind a tab. It all comes out of the tables of verbs and options.
 */
#include "ctl/complete.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "ctl/options.h"
#include "ctl/verbs.h"

/* What is known of a line, as far as it goes. */
struct typed {
    struct request request; /* its options */
    const char **captures;
    const char *verb;              /* NULL: none yet */
    int n_words;                   /* behind the verb */
    bool only_words;               /* behind "--" */
    const struct option_row *open; /* whose argument comes next; NULL: none's */
};

/* The option of a word; its argument, where that is part of the word, is *ret_argument. NULL: it is none. */
static const struct option_row *option_of(const char *word, const char **ret_argument)
{
    bool is_long = text_starts_with(word, "--");
    size_t n = is_long ? strcspn(word + 2, "=") : 0;

    *ret_argument = NULL;
    for (const struct option_row *row = OPTIONS; word[0] == '-' && row->help; row++) {
        if (is_long && row->name && strncmp(row->name, word + 2, n) == 0 && !row->name[n]) {
            *ret_argument = word[2 + n] ? word + 2 + n + 1 : NULL;
            return row;
        }
        if (!is_long && word[1] && row->letter == word[1]) {
            *ret_argument = word[2] ? word + 2 : NULL;
            return row;
        }
    }
    return NULL;
}

static void take_option(struct typed *t, const char *word)
{
    const char *argument;
    const struct option_row *row = option_of(word, &argument);

    if (!row)
        return;
    if (row->argument && !row->may_lack_argument && !argument)
        t->open = row;
    else
        options_keep(row, argument, &t->request, t->captures);
}

static void take_word(struct typed *t, const char *word)
{
    if (t->open) {
        options_keep(t->open, word, &t->request, t->captures);
        t->open = NULL;
    } else if (!t->only_words && strcmp(word, "--") == 0) {
        t->only_words = true;
    } else if (!t->only_words && word[0] == '-' && word[1]) {
        take_option(t, word);
    } else if (!t->verb) {
        t->verb = word;
    } else {
        t->n_words++;
    }
}

/* What a synopsis says of the n-th word behind the verb, into a buffer; NULL: nothing. "show NAME", "compare CAPTURE [CAPTURE]",
 * "probe [NAME...]", "ack NAME --reason TEXT". */
static const char *word_of(const char *synopsis, int n, char *buffer, size_t size)
{
    const char *word = synopsis + strcspn(synopsis, " ");

    for (;;) {
        size_t length;

        word += strspn(word, " [");
        length = strcspn(word, " ]");
        if (!length || *word == '-')
            return NULL;
        snprintf(buffer, size, "%.*s", (int)length, word);
        if (text_ends_with(buffer, "...")) {
            buffer[length - strlen("...")] = '\0';
            return buffer;
        }
        if (n-- == 0)
            return buffer;
        word += length + (word[length] == ']');
    }
}

/* "--capture=" has its argument in the same word. */
static void offer_argument(struct completing *c, const struct option_row *row, const char *argument)
{
    _cleanup_free_ char *before = strndup(c->current, (size_t)(argument - c->current));

    if (!before || !row->argument)
        return;
    c->before = before;
    c->current = argument;
    complete_values(c, row->argument);
}

static void offer_options(struct completing *c, const char *verb)
{
    for (const struct option_row *row = OPTIONS; row->help; row++) {
        char form[64] = { '-', row->letter };

        if (row->kind == OPTION_HEADING || !options_is_for(row, verb))
            continue;
        if (row->name)
            snprintf(form, sizeof(form), "--%s", row->name);
        complete_offer(c, form, row->help);
    }
}

static void offer_verbs(struct completing *c)
{
    for (const struct verb *v = VERBS; v->word; v++)
        complete_offer(c, v->word, v->help);
}

static void offer(const struct typed *t, const char *current)
{
    struct completing c = { &t->request, current, "" };
    const struct verb *verb = t->verb ? verb_named(t->verb) : NULL;
    const char *argument, *what;
    const struct option_row *row = option_of(current, &argument);
    char word[64];

    if (t->open) {
        complete_values(&c, t->open->argument);
    } else if (!t->only_words && row && argument) {
        offer_argument(&c, row, argument);
    } else if (!t->only_words && *current == '-') {
        offer_options(&c, t->verb);
    } else if (!t->verb) {
        offer_verbs(&c);
    } else if (verb) {
        what = word_of(verb->synopsis, t->n_words, word, sizeof(word));
        if (what)
            complete_values(&c, what);
    }
}

enum { LONGEST_S = 2 }; /* somebody has pressed a key, and waits */

/* Without a word: shells would have one of a program that a signal has ended. */
static void on_alarm(int number)
{
    (void)number;
    _exit(EXIT_FAILURE);
}

int verb_complete(const struct request *request)
{
    struct typed t = { .request = *request };
    int n = request->n_words;
    const char *current = n ? request->words[n - 1] : "";

    t.captures = calloc((size_t)n + 1, sizeof(*t.captures));
    t.request.captures = t.captures;
    t.request.n_captures = 0;
    if (!t.captures) {
        say("out of memory");
        return EXIT_FAILURE;
    }
    signal(SIGALRM, on_alarm);
    alarm(LONGEST_S); /* a capture may be anything, and anywhere */
    for (int i = 0; i < n - 1; i++)
        take_word(&t, request->words[i]);
    offer(&t, current);
    free(t.captures);
    return EXIT_WELL;
}
