/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbactl: the command line.
 */
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/number.h"
#include "ctl/ask.h"
#include "ctl/options.h"
#include "ctl/verbs.h"

enum { PATIENCE_S = 20 };

static bool wants_colour(void)
{
    const char *term = getenv("TERM");

    return isatty(STDOUT_FILENO) && !getenv("NO_COLOR") && term && strcmp(term, "dumb") != 0;
}

/* The terminal's width, else what COLUMNS says, else none. */
static unsigned columns_of_output(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    uint64_t n;

    if (columns && number_u64(columns, 10, &n) == 0 && n <= 10000)
        return (unsigned)n;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        return size.ws_col;
    return 0;
}

/* A word as a shell reads it back. */
static void put_word(const char *word, FILE *out)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./:,+@%=";

    if (*word && !word[strspn(word, PLAIN)]) {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (const char[]){ *word, '\0' }, out);
    putc('\'', out);
}

/* How to ask again about the same machine, as it is judged here, of the same program: for the hints in texts. Returns
 * NULL without memory. */
static char *command_of(const char *program, const struct request *request)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    put_word(program && strchr(program, '/') ? program : "hbactl", out);
    for (size_t i = 0; i < request->n_captures; i++) {
        fputs(" --capture ", out);
        put_word(request->captures[i], out);
    }
    if (strcmp(request->socket, CLIENT_SOCKET) != 0) {
        fputs(" --socket ", out);
        put_word(request->socket, out);
    }
    if (request->sysfs_root) {
        fputs(" --sysfs-root ", out);
        put_word(request->sysfs_root, out);
    }
    if (request->config) {
        fputs(" --config ", out);
        put_word(request->config, out);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* The option because of which the daemon is not asked; NULL: none. What it is forced to is a matter of probes only. */
static const char *option_against_daemon(const struct request *request, bool is_probe)
{
    struct request asked = *request;

    asked.force = request->force && !is_probe;
    return ask_obstacle(&asked);
}

/* Options that do not go with the verb. Returns 0, or EXIT_USAGE, which was said. */
static int check_options(const struct request *request, const struct verb *verb)
{
    const char *against = option_against_daemon(request, verb->run == verb_probe);
    const char *who = verb->place == BY_DAEMON ? verb->word
                      : request->service       ? "--service"
                      : request->daemon        ? "--daemon"
                                               : NULL;

    if (options_check(request, verb->word))
        return EXIT_USAGE;
    if (who && against) {
        say("%s: the daemon is not asked with %s", who, against);
        return EXIT_USAGE;
    }
    if (request->daemon && verb->place == BY_HBACTL) {
        say("--daemon: %s is nothing that the daemon does", verb->word);
        return EXIT_USAGE;
    }
    return 0;
}

static int run_verb(struct request *request, int n_words, char **words)
{
    const char *verb = n_words ? words[0] : VERBS[0].word;
    const struct verb *row;

    request->words = (const char *const *)(words + 1);
    request->n_words = n_words ? n_words - 1 : 0;
    row = verb_named(verb);
    if (!row) {
        say("there is no verb %s; hbactl --help lists them", verb);
        return EXIT_USAGE;
    }
    if (request->n_words < row->least || request->n_words > row->most) {
        say("usage: hbactl %s", row->synopsis);
        return EXIT_USAGE;
    }
    if (check_options(request, row))
        return EXIT_USAGE;
    return row->run(request);
}

/* Runs what the words ask for. Returns an exit status. */
static int run_words(const char *program, struct request *request, int n_words, char **words)
{
    _cleanup_free_ char *command = command_of(program, request);

    request->style.command = command;
    if (command && screen_open(request) == 0)
        return run_verb(request, n_words, words);
    say("out of memory");
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    _cleanup_free_ const char **captures = calloc((size_t)argc, sizeof(*captures));
    struct request request = { .captures = captures,
                               .socket = CLIENT_SOCKET,
                               .patience_s = PATIENCE_S,
                               .patience_of_reads_s = PATIENCE_OF_READS_S,
                               .patience_of_daemon_s = PATIENCE_OF_DAEMON_S };
    bool is_plugin;
    int status;

    if (!captures)
        return EXIT_FAILURE;
    open_standard_files();
    setlocale(LC_CTYPE, ""); /* and nothing else: numbers are written the same everywhere */
    signal(SIGPIPE, SIG_DFL);
    request.style = (struct text_style){
        .columns = columns_of_output(),
        .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
        .colour = wants_colour(),
    };
    status = options_take(argc, argv, &request, captures, usage);
    if (status < 0)
        status = run_words(argv[0], &request, argc - optind, argv + optind);
    is_plugin = optind < argc && strcmp(argv[optind], "check") == 0;
    if (status == EXIT_USAGE && is_plugin)
        status = check_usage();
    return screen_close(&request, status, is_plugin ? EXIT_UNSEEN : EXIT_FAILURE);
}
