/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The whole table of quirks: sorted, nothing twice, transports that exist, rates below what they can do; found by
 * vendor and model.
 */
#include "../cmocka_all.h"

#include <string.h>

#include "transport/quirks.h"
#include "transport/transport.h"

static bool is_transport(const char *name)
{
    for (size_t i = 0; TRANSPORTS[i]; i++)
        if (strcmp(TRANSPORTS[i]->name, name) == 0)
            return true;
    return false;
}

static const char *or_none(const char *vendor)
{
    return vendor ? vendor : "";
}

static int order(const struct quirk *a, const struct quirk *b)
{
    int r = strcmp(a->transport, b->transport);

    if (r == 0)
        r = strcmp(or_none(a->vendor), or_none(b->vendor));
    return r ? r : strcmp(a->model, b->model);
}

static void rows(void **state)
{
    (void)state;
    assert_non_null(QUIRKS[0].transport);
    for (const struct quirk *q = QUIRKS; q->transport; q++) {
        if (q > QUIRKS && order(q - 1, q) >= 0)
            fail_msg("%s does not come before %s", q[-1].model, q->model);
        if (!is_transport(q->transport) || !*q->model || !q->via || !*q->via ||
            rate_kb_per_s(q->best) < 1000 || rate_kb_per_s(q->best) > 100000000)
            fail_msg("%s %s", q->transport, q->model);
        assert_ptr_equal(quirk_of(q->transport, q->vendor, q->model), q);
    }
}

static void found(void **state)
{
    const struct quirk *q = quirk_of("spi", "HP", "Ultrium 3-SCSI");

    (void)state;
    assert_non_null(q);
    assert_int_equal(rate_kb_per_s(q->best), 160000);
    assert_null(quirk_of("spi", "SEAGATE", "Ultrium 3-SCSI"));
    assert_null(quirk_of("spi", NULL, "Ultrium 3-SCSI"));
    assert_null(quirk_of("ata", "HP", "Ultrium 3-SCSI"));
    assert_null(quirk_of("spi", "HP", "Ultrium 2-SCSI"));
    assert_null(quirk_of("spi", "HP", NULL));
    q = quirk_of("ata", "ATA", "WD My Book");
    assert_non_null(q);
    assert_int_equal(rate_kb_per_s(q->best), 150000);
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(rows),
        cmocka_unit_test(found),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
