/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which verbs there are (verbs.h), and the help, which is made of them and of the options.
 */
#include <limits.h>
#include <string.h>

#include "ctl/options.h"
#include "ctl/verbs.h"

static int verb_help(const struct request *request)
{
    return usage(request->out);
}

const struct verb VERBS[] = {
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
    { "complete", 0, INT_MAX, verb_complete, "complete -- [WORD...]",
      "what may stand in the place of the last word, for shells" },
    { "help", 0, INT_MAX, verb_help, "help", "this text" },
    { 0 },
};

const struct verb *verb_named(const char *word)
{
    const struct verb *v = VERBS;

    while (v->word && strcmp(v->word, word) != 0)
        v++;
    return v->word ? v : NULL;
}

/* "  -w, --warning RANGE", "      --json[=pretty|short|off]" */
static int print_form(const struct option_row *row, FILE *out)
{
    int n = fprintf(out, "  %c%c%s", row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
                    row->letter && row->name ? ", " : "  ");

    if (row->name)
        n += fprintf(out, "--%s", row->name);
    if (row->argument)
        n += fprintf(out, row->may_lack_argument ? "[=%s]" : " %s", row->argument);
    return n;
}

static void print_option(const struct option_row *row, FILE *out)
{
    enum { COLUMN = 33 };
    int column = print_form(row, out);

    for (const char *line = row->help, *end; *line; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        fprintf(out, "%*s%.*s\n", column < COLUMN ? COLUMN - column : 2, "", (int)(end - line),
                line);
        column = 0;
    }
}

int usage(FILE *out)
{
    fputs(
        "hbactl [OPTION...] [VERB]\n\nShows in which mode every storage link of this machine runs.\n\n",
        out);
    for (const struct verb *v = VERBS; v->word; v++)
        fprintf(out, "  %-34s %s\n", v->synopsis, v->help);
    fputs(
        "\nNAME is sda, /dev/sg3, 0:0:2:0, host1, phy-1:0:3, expander-0:0, a PCI address, a WWN, a serial\n"
        "number, an IQN, md0, a mount point, ...\n\n",
        out);
    for (const struct option_row *row = OPTIONS; row->help; row++) {
        if (row->kind == OPTION_HEADING)
            fprintf(out, "\n%s\n", row->help);
        else
            print_option(row, out);
    }
    return EXIT_WELL;
}
