/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of transports. Hosts go to the first row that claims them, so what is told by a class comes
 * before what is told by a driver, and what takes everything comes last.
 */
#include "transport/transport.h"

#include <string.h>

extern const struct transport TRANSPORT_ATA, TRANSPORT_FC, TRANSPORT_HIDDEN, TRANSPORT_ISCSI,
    TRANSPORT_PCIE, TRANSPORT_SAS, TRANSPORT_SPI, TRANSPORT_SRP, TRANSPORT_USB, TRANSPORT_VIRTUAL;

const struct transport *const TRANSPORTS[] = {
    &TRANSPORT_PCIE, &TRANSPORT_VIRTUAL, &TRANSPORT_SPI, &TRANSPORT_SAS,
    &TRANSPORT_FC,   &TRANSPORT_ISCSI,   &TRANSPORT_SRP, &TRANSPORT_ATA,
    &TRANSPORT_USB,  &TRANSPORT_HIDDEN,  NULL,
};

const struct transport *transport_named(const char *name)
{
    for (size_t i = 0; name && TRANSPORTS[i]; i++)
        if (strcmp(TRANSPORTS[i]->name, name) == 0)
            return TRANSPORTS[i];
    return NULL;
}

const struct transport *transport_of(const struct fact_set *set, const struct subject *host)
{
    size_t i = 0;

    while (TRANSPORTS[i + 1] && !(TRANSPORTS[i]->claims && TRANSPORTS[i]->claims(set, host)))
        i++;
    return TRANSPORTS[i];
}
