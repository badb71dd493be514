/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which links can be compared with each other (expect.h).
 */
#include <string.h>

#include "expect/expect.h"

static bool same_text(const char *a, const char *b)
{
    return a && b && (a == b || strcmp(a, b) == 0);
}

static const char *model_of(const struct link *l)
{
    return l->far_is_network ? l->host->model : l->far_model ? l->far_model : l->far;
}

/* The same model at the far end; where that is a network, the adapters' own. */
static bool same_far(const struct link *a, const struct link *b)
{
    return a->far_is_network == b->far_is_network && same_text(model_of(a), model_of(b));
}

/* Functions of one PCI device differ in the digit behind the dot. */
bool expect_same_card(const struct host *a, const struct host *b)
{
    const char *dot = a->pci_address ? strchr(a->pci_address, '.') : NULL;

    return a == b ||
           (dot && b->pci_address &&
            strncmp(a->pci_address, b->pci_address, (size_t)(dot - a->pci_address) + 1) == 0);
}

void expect_siblings(const struct model *m, const struct link *l,
                     bool (*each)(void *userdata, const struct link *sibling), void *userdata)
{
    const struct claim *a, *b;

    for (size_t i = 0; i < m->links.n; i++) {
        const struct link *s = m->links.v[i];

        if (s == l || s->state != LINK_UP || !s->actual.known || s->has_no_link || s->up != l->up ||
            !s->bundle != !l->bundle || !s->host || !l->host)
            continue;
        if (same_text(s->transport, l->transport) && same_far(s, l) &&
            expect_same_card(s->host, l->host) && !expect_disagreement(s, &a, &b) &&
            !each(userdata, s))
            return;
    }
}
