/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs that measure (measure.h).
 */
#include "ctl/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

/* What a run is at. Texts are its own. */
struct measuring {
    struct child child;
    struct store *store;
    struct notes *notes;
    struct progress *progress;
    uint64_t patience_us;
    char *hctl, *method; /* NULL: at nothing */
    uint64_t block_bytes, depth, cell, cells;
    uint64_t cell_began_us;
};

/* ---- progress ---- */

struct progress progress_begin(size_t runs, uint64_t cell_us)
{
    return (struct progress){ isatty(STDERR_FILENO) != 0, cell_us, 0, runs };
}

static unsigned columns_of_terminal(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

static void erase(const struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
}

/* "5 min" of so many cells and thousandths of cells, into a buffer that is returned. */
static const char *time_of(const struct progress *p, uint64_t thousandths, char *buffer,
                           size_t size)
{
    uint64_t s = (thousandths * (p->cell_us / 1000) + 999999) / 1000000;

    if (s >= 120)
        snprintf(buffer, size, "%" PRIu64 " min", (s + 30) / 60);
    else
        snprintf(buffer, size, "%" PRIu64 " s", s);
    return buffer;
}

/* Of the cell under way, as far as its time has passed; never all of it. */
static uint64_t thousandths_of_cell(const struct measuring *m)
{
    uint64_t passed = now_us() - m->cell_began_us, most = 990;
    uint64_t part = m->progress->cell_us ? passed * 1000 / m->progress->cell_us : 0;

    return part < most ? part : most;
}

static void draw(const struct measuring *m)
{
    enum { BAR = 20, CELLS_MOST = 1000000 /* more are a mistake of who counts them */ };
    const struct progress *p = m->progress;
    uint64_t all, done;
    char left[40], text[512], bar[BAR + 1];
    unsigned columns = columns_of_terminal();

    if (!p->shown || !m->cell || m->cell > m->cells || p->run >= p->runs || m->cells > CELLS_MOST)
        return;
    all = p->runs * m->cells * 1000;
    done = (p->run * m->cells + m->cell - 1) * 1000 + thousandths_of_cell(m);
    for (unsigned i = 0; i < BAR; i++)
        bar[i] = i < done * BAR / all ? '#' : '.';
    bar[BAR] = '\0';
    snprintf(text, sizeof(text), "[%s] %3u %%, %s left, %s %s", bar, (unsigned)(done * 100 / all),
             time_of(p, all - done, left, sizeof(left)), m->child.name, m->method ? m->method : "");
    if (strlen(text) >= columns)
        text[columns - 1] = '\0';
    text_for_terminal(text, false);
    fprintf(stderr, "\r%s\033[K", text);
}

/* ---- listening ---- */

static int heard(void *userdata, const struct capture_progress *at)
{
    struct measuring *m = userdata;

    free(m->hctl);
    free(m->method);
    m->hctl = at->hctl ? strdup(at->hctl) : NULL;
    m->method = at->method ? strdup(at->method) : NULL;
    if ((at->hctl && !m->hctl) || (at->method && !m->method))
        return -ENOMEM;
    if (!at->method)
        return 0;
    if (at->cell != m->cell)
        m->cell_began_us = now_us();
    m->block_bytes = at->block_bytes;
    m->depth = at->depth;
    m->cell = at->cell;
    m->cells = at->cells;
    draw(m);
    return 0;
}

/* The stream has ended. */
static int finish(struct measuring *m)
{
    char buffer[32], said[256];
    const char *how;
    int r;

    if (m->child.stream.complete)
        return 0;
    how = child_how_it_ended(&m->child, buffer, sizeof(buffer));
    child_last_words(&m->child, said, sizeof(said));
    r = note(m->notes, "hbad-collect for %s ended early (%s); what it sent is used%s%s",
             m->child.name, how, *said ? ". It said: " : "", said);
    return r < 0 ? r : 1;
}

/* What it was at has no result, and gets one. */
static int give_up(struct measuring *m)
{
    unsigned long long s = (now_us() - m->child.heard_us) / 1000000;
    char why[64];
    struct measurement silent = { .error = ETIMEDOUT,
                                  .hctl = m->hctl,
                                  .method = m->method,
                                  .block_bytes = m->block_bytes,
                                  .depth = (unsigned)m->depth,
                                  .disturbed = why };
    int r;

    if (child_has_ended(&m->child)) /* and another process keeps its stream open */
        return finish(m);
    snprintf(why, sizeof(why), "no answer for %llu s", s);
    r = note(m->notes, "%s%s has not answered for %llu s and is not waited for any longer",
             m->hctl ? "device " : "hbad-collect for ", m->hctl ? m->hctl : m->child.name, s);
    if (r == 0 && m->hctl && m->method)
        r = store_put_measure(m->store, &silent);
    return r < 0 ? r : 1;
}

static int listen_to(struct measuring *m)
{
    for (;;) {
        uint64_t silent = now_us() - m->child.heard_us;
        struct pollfd fd = { .fd = m->child.fd, .events = POLLIN };
        int r;

        if (silent >= m->patience_us)
            return give_up(m);
        r = poll(&fd, 1, (int)((m->patience_us - silent) / 1000) + 1);
        if (r < 0 && errno != EINTR)
            return -errno;
        if (r <= 0)
            continue;
        r = child_take(&m->child, m->store, m->notes, heard, m);
        if (r == 0 || (r > 0 && m->child.stream.complete))
            return finish(m);
        if (r < 0)
            return r == -EBADMSG ? 1 : r;
    }
}

int measure_run(struct store *store, struct notes *notes, struct progress *progress,
                const char *name, char *const argv[], unsigned patience_s)
{
    struct measuring m = { .store = store,
                           .notes = notes,
                           .progress = progress,
                           .patience_us = (uint64_t)patience_s * 1000000 };
    int r = child_start(&m.child, name, argv);

    if (r < 0 && r != -ENOMEM) {
        r = note(notes, "hbad-collect for %s cannot be started: %s", name, strerror(-r));
        r = r < 0 ? r : 1;
    } else if (r == 0) {
        r = listen_to(&m);
        child_forget(&m.child);
    }
    erase(progress);
    progress->run++;
    free(m.hctl);
    free(m.method);
    return r;
}
