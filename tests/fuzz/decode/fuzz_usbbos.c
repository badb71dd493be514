/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check.h"

#include <errno.h>

#include "decode/usbbos.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct usbbos bos;
    int r = usbbos_decode((struct bytes){ data, size }, &bos);

    CHECK(r == 0 || r == -EBADMSG);
    if (r == 0) {
        CHECK(bos.min_lanes >= 1 && bos.min_lanes <= 15);
        CHECK(bos.has_plus || !bos.lane_bps);
        CHECK(bos.has_superspeed || !bos.speeds);
    }
    return 0;
}
