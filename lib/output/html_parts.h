/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the page (html.h) share: the page under way, names of places in it, and small pieces.
 */
#pragma once

#include "output/html.h"
#include "output/markup.h"
#include "output/tree.h"
#include "output/words.h"

struct html_arguments;

/* What the page is made by. */
#define HTML_MADE_BY "hbad " HBAD_VERSION

/* Where an object has its place in the page. */
struct html_place {
    const char *id; /* of the report */
    const char *name;
    char kind; /* its anchor is this and the number: 'h' host, 'l' link, 'd' device */
    size_t number;
};

struct page {
    const struct html_page *asked;
    const struct report *report;
    FILE *out;
    struct tree tree;
    struct html_place *places; /* sorted by id */
    size_t n_places;
    struct html_arguments *arguments; /* html_links.c */
    size_t *argument;                 /* of each link, by its index: which of these holds for it */
    uint64_t most_kb_per_s;           /* of all links */
};

/* The place of an id; NULL: it is not in the page. */
const struct html_place *html_place(const struct page *p, const char *id);

/* A link to the place of the id, with what it is called; or the text, where the id has no place. */
void html_reference(const struct page *p, const char *id, const char *otherwise);

/* The finding's number, for its anchor. */
size_t html_finding_number(const struct page *p, const struct finding *f);

/* How many findings are of the kind of that one, so that the same is to be said of them, if it is the first of it; else 0. */
size_t html_kind(const struct report *r, size_t first);

/* The class of how a link is, for the style: "ok", "below", "capped", "unknown", "none", "down", "empty", "disabled". And the
 * sign that says the same as the colour. */
const char *html_class(const struct link *l);
const char *html_sign(const struct link *l);

/* The word and sign of how it is. */
void html_verdict(const struct page *p, const struct link *l);

/* The worst that is found of it, or of a device on it, and that its verdict does not say; NULL: nothing but infos. It goes with this
 * sign, in the colour of what is below. */
const struct finding *html_alarm(const struct page *p, const struct link *l);
#define HTML_ALARM "▲"

/* Tables of more rows than this are folded; and of more than this on paper, too. */
enum { HTML_ROWS_OPEN = 40, HTML_ROWS_PRINTED = 400 };

/* What may be folded, `n` rows: begins with its title, goes on with its body. `is_open`: it is open, unless there are too many. */
void html_fold_begin(const struct page *p, size_t n, bool is_open);
void html_fold_body(const struct page *p);
void html_fold_end(const struct page *p);

/* ---- html_links.c ---- */

/* Finds the arguments of all links. Returns 0 or -ENOMEM. */
int html_argue(struct page *p);
void html_arguments_free(struct html_arguments *all);

/* The table of the links of the hosts from the first to before the end; of none where there are no hosts. */
int html_table(const struct page *p, size_t first, size_t end, bool is_open);

/* Is it a link of one of these hosts; where there are none, of none at all? */
bool html_is_of(const struct link *l, const struct model *m, size_t first, size_t end);

/* ---- the parts, in their order ---- each returns 0 or -ENOMEM */
int html_overview(struct page *p);
int html_findings(struct page *p);
int html_map(struct page *p);
int html_arguments(struct page *p);
int html_devices(struct page *p);
int html_trends(struct page *p);
int html_bench(struct page *p);
int html_unseen(struct page *p);
int html_versions(struct page *p);
