/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbactl: the command line.
 */
#include <langinfo.h>
#include <limits.h>
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

enum { PATIENCE_S = 20 };

/* Who can do it. */
enum place { BY_ANYBODY, BY_DAEMON, BY_HBACTL };

static const struct verb {
    const char *word;
    int least, most; /* words behind it */
    int (*run)(const struct request *);
    const char *synopsis, *help;
    enum place place;
} VERBS[] = {
    { "status", 0, 0, verb_status, "status",
      "hosts, links and devices as a tree, with what is wrong (default)" },
    { "list", 1, 1, verb_list, "list hosts|links|devices|findings", "one table" },
    { "findings", 0, 0, verb_findings, "findings", "what is wrong: list findings" },
    { "show", 1, 1, verb_show, "show NAME", "everything known of one host, link or device" },
    { "explain", 1, 1, verb_explain, "explain NAME|CODE|codes",
      "why it is judged so; what a finding means; all there are" },
    { "compare", 1, 2, verb_compare, "compare CAPTURE [CAPTURE]",
      "what differs from another capture, or from this machine", BY_HBACTL },
    { "report", 0, 0, verb_report, "report [--json|--html FILE]", "all of it at once" },
    { "capture", 0, 1, verb_capture, "capture [FILE]",
      "what this machine says, in a file that replays anywhere", BY_HBACTL },
    { "bench", 0, INT_MAX, verb_bench, "bench NAME...",
      "how fast devices are read, each alone and all together, and what limits", BY_HBACTL },
    { "probe", 0, INT_MAX, verb_probe, "probe [NAME...]",
      "one short read of each link now, and what it proves" },
    { "metrics", 0, 0, verb_metrics, "metrics", "numbers for Prometheus, as text" },
    { "monitor", 0, 0, verb_monitor, "monitor", "what changes, as it changes; the daemon tells it",
      BY_DAEMON },
    { "history", 1, 1, verb_history, "history NAME",
      "how it was and when, counters, probes, findings; the daemon knows", BY_DAEMON },
    { "ack", 1, 1, verb_ack, "ack NAME --reason TEXT",
      "what is found of it is known, and no alarm; the daemon remembers", BY_DAEMON },
    { "check", 0, INT_MAX, verb_check, "check [NAME...]",
      "one line for Nagios, Icinga or Checkmk, of all or of these" },
    { "reload", 0, 0, verb_reload, "reload", "has the daemon read its configuration again",
      BY_DAEMON },
    { "cat-config", 0, 0, verb_cat_config, "cat-config",
      "the configuration as its files say it, and where each value comes from", BY_HBACTL },
};

static int usage(FILE *out)
{
    fputs(
        "hbactl [OPTION...] [VERB]\n\nShows in which mode every storage link of this machine runs.\n\n",
        out);
    for (size_t i = 0; i < ELEMENTS(VERBS); i++)
        fprintf(out, "  %-34s %s\n", VERBS[i].synopsis, VERBS[i].help);
    fputs(
        "\nNAME is sda, /dev/sg3, 0:0:2:0, host1, phy-1:0:3, expander-0:0, a PCI address, a WWN, a serial\n"
        "number, an IQN, md0, a mount point, ...\n\n"
        "      --json[=pretty|short|off]  JSON; -j: pretty on a terminal, else short\n"
        "      --html FILE                of report: a page to look at (- is standard output)\n"
        "      --capture FILE             look at a capture instead of this machine; given several\n"
        "                                 times, the earlier ones are history (- is standard input)\n"
        "      --sysfs-root DIR           look at a copied tree: DIR/sys, DIR/proc\n"
        "      --config FILE              judge by FILE instead of /etc/hbad/hbad.conf and its drop-ins,\n"
        "                                 which hold for this machine and not for a capture or a copy\n"
        "      --direct                   do not ask the daemon, which is asked where one runs\n"
        "      --daemon                   ask the daemon and nothing else\n"
        "      --socket PATH              where it listens (" CLIENT_SOCKET ")\n"
        "      --service                  status of the daemon itself\n"
        "      --patience SECONDS         how long to wait for a device that says nothing (20; 60\n"
        "                                 while it is measured), and for the daemon (5)\n"
        "      --force                    ask tapes and changers that are named for more than INQUIRY;\n"
        "                                 bench and probe: read named disks that sleep, and busy ones\n"
        "      --no-scrub                 leave serial numbers, WWNs and names in a capture\n"
        "      --strict                   exit status 3 for what could not be judged, and for infos\n"
        "      --no-legend                no head and no closing sentences\n"
        "  -h, --help, -V, --version\n\n"
        "Of history and ack:\n"
        "      --since TIME               2h, 3d, yesterday, 2026-11-30, \"2026-11-30 12:00\" (UTC);\n"
        "                                 of report --html, too (30d)\n"
        "      --reason TEXT              why it is no alarm; --withdraw takes it back\n"
        "      --code CODE                this finding only, else all of that name that are alarms\n"
        "      --until TIME               until then, 7d from now or to the end of a day\n\n"
        "Of check, a monitoring plugin, which asks the daemon unless --direct is given:\n"
        "  -w, -c RANGE               judge a number by these ranges (10, 10:, ~:10, 10:20, @10:20) instead\n"
        "                             of warnings; what is critical stays it\n"
        "      --number NAME          which one: links, up, down, below (default), capped, unknown,\n"
        "                             critical, warning, info, unexamined, age\n"
        "      --max-age SECONDS      with an older report it is unknown (3600, or three rounds)\n"
        "      --format nagios|checkmk\n"
        "  -t SECONDS                 how long it may take (10)\n"
        "  -v                         infos, too\n\n"
        "Of bench, which only reads:\n"
        "      --sweep                    blocks of 512 to 4M by all ways; without it, blocks of 1M\n"
        "      --method M,...             read-buffer, read-cached, read-media; each /sg, /sg-direct,\n"
        "                                 /sg-mmap, /bsg, /block-direct or /block-buffered\n"
        "      --block SIZE,...           bytes of one read; K, M, G are 1024\n"
        "      --depth N,...              reads under way at a time (1)\n"
        "      --random, --seeks          at random places of the medium, blocks of 4K; that as well\n"
        "      --memory hot|cold          one buffer again and again, or more than the cache holds\n"
        "      --bytes SIZE, --seconds S  how much, how long for each line of the table (2 s; 1 s)\n"
        "      --csv, --chart             as CSV; with bars\n"
        "      --save FILE                a capture with what was measured, for bench and compare\n",
        out);
    return EXIT_WELL;
}

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

/* How to ask again about the same machine, as it is judged here: for the hints in texts. Returns NULL without
 * memory. */
static char *command_of(const struct request *request)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fputs("hbactl", out);
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

    if (strcmp(verb, "help") == 0)
        return usage(request->out);
    request->words = (const char *const *)(words + 1);
    request->n_words = n_words ? n_words - 1 : 0;
    for (size_t i = 0; i < ELEMENTS(VERBS); i++) {
        if (strcmp(VERBS[i].word, verb) != 0)
            continue;
        if (request->n_words < VERBS[i].least || request->n_words > VERBS[i].most) {
            say("usage: hbactl %s", VERBS[i].synopsis);
            return EXIT_USAGE;
        }
        if (check_options(request, &VERBS[i]))
            return EXIT_USAGE;
        return VERBS[i].run(request);
    }
    say("there is no verb %s; hbactl --help lists them", verb);
    return EXIT_USAGE;
}

/* Runs what the words ask for. Returns an exit status. */
static int run_words(struct request *request, int n_words, char **words)
{
    _cleanup_free_ char *command = command_of(request);

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
        status = run_words(&request, argc - optind, argv + optind);
    if (status == EXIT_USAGE && optind < argc && strcmp(argv[optind], "check") == 0)
        status = check_usage();
    return screen_close(&request, status);
}
