/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check.h"

#include <errno.h>

#include "decode/protopage.h"
#include "decode/saspage.h"

static void check_rate(uint8_t code)
{
    enum sas_state state = sas_state_of(code);

    CHECK(sas_state_to_string(state));
    CHECK((state == SAS_STATE_UP) == (sas_rate_mbps(code) > 0));
}

static void check_phys(struct bytes input)
{
    struct saspage_phys phys;
    struct saspage_phy p;
    size_t n = 0;

    if (saspage_phys(input, &phys) < 0)
        return;
    while (saspage_phys_next(&phys, &p)) {
        check_rate(p.phy.logical_rate);
        check_rate(p.hardware_max);
        n++;
    }
    CHECK(n <= phys.n_phys && 8 + 48 * n <= input.len);
    CHECK(phys.cut == (n < phys.n_phys));
    CHECK(!saspage_phys_next(&phys, &p));
}

static void check_enhanced(struct bytes input)
{
    struct saspage_enhanced enhanced;
    struct saspage_enhanced_phy p;
    size_t n = 0;

    if (saspage_enhanced(input, &enhanced) < 0)
        return;
    while (saspage_enhanced_next(&enhanced, &p)) {
        check_rate(p.physical_rate);
        CHECK(sas_capabilities_max_mbps(p.attached_capabilities) <= 22500);
        n++;
    }
    CHECK(n <= enhanced.n_phys && 8 + 20 * n <= input.len);
    CHECK(enhanced.cut == (n < enhanced.n_phys));
    CHECK(!saspage_enhanced_next(&enhanced, &p));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes input = { data, size };
    struct saspage_enhanced enhanced;
    struct saspage_shared shared;
    struct saspage_timers timers;
    struct saspage_phys phys;
    struct protopage p;
    int head = protopage_decode(input, &p), results[4];

    results[0] = saspage_timers(input, &timers);
    results[1] = saspage_phys(input, &phys);
    results[2] = saspage_shared(input, &shared);
    results[3] = saspage_enhanced(input, &enhanced);
    for (int i = 0; i < 4; i++) {
        CHECK(results[i] == 0 || results[i] == -EBADMSG || results[i] == -ENOTSUP);
        CHECK(results[i] < 0 || (head == 0 && p.subpage == i && p.protocol == PROTOCOL_SAS));
        CHECK((results[i] == -ENOTSUP) == (head == 0 && p.protocol != PROTOCOL_SAS));
    }
    if (results[2] == 0 && !shared.has_port_mode)
        CHECK(!shared.one_phy && !shared.two_phys && !shared.four_phys);
    check_phys(input);
    check_enhanced(input);
    return 0;
}
