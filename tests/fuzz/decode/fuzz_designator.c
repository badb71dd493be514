/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check.h"

#include <errno.h>
#include <string.h>

#include "decode/designator.h"

/* A name fits exactly into the room it says it needs, and into nothing smaller. */
static void check_name(const struct designator *d)
{
    char name[DESIGNATOR_NAME_MAX], *exact;
    int n = designator_format(d, name, sizeof(name));

    CHECK(n > 0 || n == -ENODATA);
    if (n < 0)
        return;
    CHECK(strlen(name) == (size_t)n);
    exact = malloc((size_t)n + 1);
    CHECK(exact);
    CHECK(designator_format(d, exact, (size_t)n + 1) == n);
    CHECK(strcmp(exact, name) == 0);
    CHECK(designator_format(d, exact, (size_t)n) == -E2BIG);
    free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes input = { data, size };
    struct designator_walk walk;
    struct designator_port port;
    char name[DESIGNATOR_NAME_MAX];
    struct designator d;
    size_t used = 4, n = 0;
    int r = designator_walk(input, &walk);

    CHECK(r == designator_port(input, &port));
    if (r < 0) {
        CHECK(designator_unit_name(input, name, sizeof(name)) == r);
        return 0;
    }
    while (designator_next(&walk, &d)) {
        CHECK(is_inside(input, d.id));
        CHECK(d.id.len <= 255);
        check_name(&d);
        used += 4 + d.id.len;
        n++;
    }
    CHECK(used <= size);
    CHECK(n > 0 || (!port.has_naa && !port.has_relative && !port.has_group));
    r = designator_unit_name(input, name, sizeof(name));
    CHECK(r == -ENODATA || (r > 0 && n > 0 && strlen(name) == (size_t)r));
    return 0;
}
