/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check.h"

#include <errno.h>

#include "decode/sense.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sense s;
    int r = sense_decode((struct bytes){ data, size }, &s);

    CHECK(r == 0 || r == (size == 0 ? -ENODATA : -EBADMSG));
    if (r < 0)
        return 0;
    CHECK(s.key <= 0xf);
    CHECK(s.has_asc || (s.asc == 0 && s.ascq == 0));
    CHECK(s.has_information || s.information == 0);
    CHECK(!sense_is_invalid_field(&s) || !sense_is_unit_attention(&s));
    CHECK(!sense_is_invalid_field(&s) || !sense_is_low_power(&s));
    return 0;
}
