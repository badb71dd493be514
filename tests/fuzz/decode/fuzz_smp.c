/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check.h"

#include <errno.h>

#include "decode/smp.h"

/* 0, or an error that agrees with the function result. */
static void check_result(struct bytes input, enum smp_function function, int r)
{
    int result = smp_result(input, function);

    CHECK(r == 0 || r == -EBADMSG || r == -ENODATA);
    CHECK((r == -ENODATA) == (result > 0));
    CHECK(r < 0 || result == SMP_RESULT_ACCEPTED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes input = { data, size };
    struct smp_discover discover;
    struct smp_general general;
    struct smp_errors errors;
    int r = smp_general(input, &general);

    check_result(input, SMP_REPORT_GENERAL, r);
    if (r == 0)
        CHECK(general.has_enclosure_id == (general.enclosure_id != 0));
    r = smp_discover(input, &discover);
    check_result(input, SMP_DISCOVER, r);
    if (r == 0) {
        CHECK(!discover.has_physical_rate || discover.has_capabilities);
        CHECK(discover.has_capabilities ||
              (!discover.programmed_capabilities && !discover.current_capabilities &&
               !discover.attached_capabilities));
        CHECK(sas_rate_mbps(discover.hardware_max) <= 22500);
    }
    check_result(input, SMP_REPORT_PHY_ERROR_LOG, smp_phy_error_log(input, &errors));
    return 0;
}
