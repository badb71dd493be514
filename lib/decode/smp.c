/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Responses to SMP functions (smp.h).
 */
#include "decode/smp.h"

#include <errno.h>

enum {
    FRAME_RESPONSE = 0x41,
    HEAD = 4,
    /* Without head and CRC, for responses of SAS-1, which leave RESPONSE LENGTH 0. */
    SAS1_GENERAL = 24,
    SAS1_DISCOVER = 48,
    SAS1_ERROR_LOG = 24,
};

int smp_result(struct bytes response, enum smp_function function)
{
    if (response.len < HEAD || response.data[0] != FRAME_RESPONSE || response.data[1] != function)
        return -EBADMSG;
    return response.data[2];
}

/* The response without its CRC and cut at its length, at least `size` bytes of it. */
static int response_body(struct bytes response, enum smp_function function, size_t sas1_body,
                         size_t size, struct bytes *ret)
{
    int result = smp_result(response, function);
    size_t body;

    if (result < 0)
        return result;
    if (result != SMP_RESULT_ACCEPTED)
        return -ENODATA;
    body = response.data[3] ? 4 * (size_t)response.data[3] : sas1_body;
    response = bytes_slice(response, 0, HEAD + body);
    if (response.len < size)
        return -EBADMSG;
    *ret = response;
    return 0;
}

int smp_general(struct bytes response, struct smp_general *ret)
{
    struct cursor c;
    int r = response_body(response, SMP_REPORT_GENERAL, SAS1_GENERAL, 20, &response);

    if (r < 0)
        return r;
    c = cursor_over(bytes_slice(response, 12, 8));
    *ret = (struct smp_general){
        .change_count = (uint16_t)(response.data[4] << 8 | response.data[5]),
        .n_phys = response.data[9],
        .table_to_table = response.data[10] & 0x80,
        .configuring = response.data[10] & 0x02,
        .enclosure_id = cursor_be64(&c),
    };
    ret->has_enclosure_id = ret->enclosure_id != 0;
    return 0;
}

static void discover_sas2(struct bytes response, struct smp_discover *d)
{
    struct cursor c = cursor_over(response);

    cursor_seek(&c, 76);
    d->programmed_capabilities = cursor_be32(&c);
    d->current_capabilities = cursor_be32(&c);
    d->attached_capabilities = cursor_be32(&c);
    d->has_capabilities = !c.failed;
    if (!d->has_capabilities)
        d->programmed_capabilities = d->current_capabilities = 0;
    d->has_physical_rate = response.len >= 96;
    if (!d->has_physical_rate)
        return;
    d->phy.reason = response.data[94] >> 4;
    d->physical_rate = response.data[94] & 0x0f;
    d->optical = response.data[95] & 0x04;
    d->ssc = response.data[95] & 0x02;
}

int smp_discover(struct bytes response, struct smp_discover *ret)
{
    struct smp_discover d = { 0 };
    /* The part that mode and log pages have, too, begins at byte 8 here. */
    enum { PHY = 8 };
    int r = response_body(response, SMP_DISCOVER, SAS1_DISCOVER, 48, &response);

    if (r == 0)
        r = sas_phy_decode(bytes_slice(response, PHY, SAS_PHY_SIZE), &d.phy);
    if (r < 0)
        return r;
    d.phy.reason = SAS_REASON_UNKNOWN;
    d.programmed_min = response.data[40] >> 4;
    d.hardware_min = response.data[40] & 0x0f;
    d.programmed_max = response.data[41] >> 4;
    d.hardware_max = response.data[41] & 0x0f;
    d.change_count = response.data[42];
    d.virtual_phy = response.data[43] & 0x80;
    d.routing = response.data[44] & 0x0f;
    d.connector_type = response.data[45] & 0x7f;
    d.connector_element = response.data[46];
    d.connector_link = response.data[47];
    discover_sas2(response, &d);
    *ret = d;
    return 0;
}

int smp_phy_error_log(struct bytes response, struct smp_errors *ret)
{
    struct smp_errors errors;
    struct cursor c;
    int r = response_body(response, SMP_REPORT_PHY_ERROR_LOG, SAS1_ERROR_LOG, 28, &response);

    if (r < 0)
        return r;
    c = cursor_over(response);
    cursor_seek(&c, 9);
    errors.phy = cursor_u8(&c);
    cursor_skip(&c, 2);
    errors.invalid_dword = cursor_be32(&c);
    errors.running_disparity = cursor_be32(&c);
    errors.loss_of_sync = cursor_be32(&c);
    errors.reset_problem = cursor_be32(&c);
    *ret = errors;
    return 0;
}
