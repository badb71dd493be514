/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What may stand in a place of the command line, by what synopses and the help call it: alternatives, between them '|'.
 *
 *   hosts, pretty …      the word itself: whatever has a small letter
 *   CODE                 a code of a finding
 *   METHOD               a way to time reads
 *   NUMBER               a number that check judges
 *   NAME                 a host, link or device
 *   FILE, PATH, CAPTURE  a line ":files": the shell knows them better
 *   DIR                  a line ":dirs"
 *   others               whatever people think of: nothing
 *
 * With ",..." behind it is a list, of which the last word is completed.
 *
 * Names come from the daemon, which is not waited for longer than a moment, or from the captures that the line names. Where
 * there is neither, there are none: no device is asked because somebody has pressed a key. Only names that are nothing but a word to
 * a shell are offered: others may be more than that.
 */
#pragma once

#include <stdio.h>

#include "ctl/ctl.h"

struct completing {
    const struct request *line; /* what the options of the line say so far */
    const char *current;        /* what is there of the word */
    const char *before;         /* what is to stand before each offer: "--json=" */
};

/* Prints an offer, with what it is behind a tab (NULL: nothing), if the word can become it. */
void complete_offer(const struct completing *c, const char *word, const char *about);

/* Prints all that can stand there. `what` is as above. */
void complete_values(const struct completing *c, const char *what);
