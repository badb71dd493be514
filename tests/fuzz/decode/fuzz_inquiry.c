/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check.h"

#include "decode/inquiry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes input = { data, size };
    struct inquiry i;
    int r = inquiry_decode(input, &i);

    CHECK((r == 0) == (size >= INQUIRY_DATA_MIN));
    if (r < 0)
        return 0;
    CHECK(is_inside(input, i.vendor) && is_inside(input, i.product) &&
          is_inside(input, i.revision));
    CHECK(i.vendor.len <= 8 && i.product.len <= 16 && i.revision.len <= 4);
    CHECK(!i.has_byte56 || (size > 56 && i.length > 56));
    CHECK(i.has_byte56 || (!i.qas && !i.ius && i.clocking == 0));
    CHECK(i.n_standards <= INQUIRY_STANDARDS_MAX);
    for (unsigned n = 0; n < i.n_standards; n++) {
        const char *name = inquiry_standard_name(i.standards[n]);

        CHECK(i.standards[n] != 0);
        CHECK(!name || name[0]);
    }
    return 0;
}
