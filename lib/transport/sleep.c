/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transport/sleep.h"

#include "base/text.h"
#include "facts/key.h"

bool sleep_is_hidden(const struct subject *device)
{
    return text_same_known(fact_text(device, &KEY_VENDOR), "ATA") ||
           fact_bytes(device, &KEY_VPD_89).len;
}
