/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check.h"

#include <errno.h>
#include <string.h>

#include "decode/modesense.h"

enum { ROOM = 70000 }; /* more than any answer */

static void check_pages(struct bytes input, const struct modesense *m)
{
    struct modesense_walk walk = { cursor_over(m->pages) };
    struct mode_page p, found;
    size_t used = 0;

    CHECK(is_inside(input, m->descriptors) && is_inside(input, m->pages));
    while (modesense_next(&walk, &p)) {
        CHECK(is_inside(m->pages, p.bytes));
        CHECK(p.bytes.len >= (p.bytes.data[0] & 0x40 ? 4 : 2));
        CHECK(modesense_find(m, p.page, p.subpage, &found) == 0);
        used += p.bytes.len;
        CHECK(!p.cut || used == m->pages.len);
    }
    CHECK(used <= m->pages.len);
}

/* Into the other form and back again: what counted of the answer comes out as it was. */
static void check_conversion(struct bytes input, enum modesense_form form,
                             const struct modesense *m)
{
    static uint8_t there[ROOM], back[ROOM];
    enum modesense_form other = form == MODESENSE_6 ? MODESENSE_10 : MODESENSE_6;
    int n = modesense_convert(input, form, there, ROOM), r;
    struct modesense again;

    CHECK(n > 0 || (form == MODESENSE_10 && (n == -EOVERFLOW || n == -ENOTSUP)));
    if (n < 0)
        return;
    CHECK(modesense_decode((struct bytes){ there, (size_t)n }, other, &again) == 0);
    CHECK(bytes_equal(again.pages, m->pages) && bytes_equal(again.descriptors, m->descriptors));
    CHECK(again.cut == m->cut);
    r = modesense_convert((struct bytes){ there, (size_t)n }, other, back, ROOM);
    CHECK(r >= 0 && (size_t)r == (input.len < m->length ? input.len : m->length));
    if (form == MODESENSE_6)
        CHECK(memcmp(back, input.data, (size_t)r) == 0);
    CHECK(modesense_convert(input, form, back, 5) == (n < 5 ? n : 5));
    CHECK(memcmp(back, there, n < 5 ? (size_t)n : 5) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes input = { data, size };

    for (int form = MODESENSE_6; form <= MODESENSE_10; form++) {
        struct modesense m;
        int r = modesense_decode(input, (enum modesense_form)form, &m);

        CHECK(r == 0 || r == -EBADMSG);
        if (r < 0)
            continue;
        check_pages(input, &m);
        check_conversion(input, (enum modesense_form)form, &m);
    }
    return 0;
}
