/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transport/pci.h"

#include <string.h>

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool pci_is_address(const char *text, size_t len)
{
    static const char TAIL[] = "xx:xx.x"; /* behind the domain and its colon; x: hex digit */
    size_t domain = 0;

    while (domain < len && is_hex(text[domain]))
        domain++;
    if (domain < 4 || domain > 8 || len - domain != sizeof(TAIL) || text[domain] != ':')
        return false;
    for (size_t i = 0; i < sizeof(TAIL) - 1; i++) {
        char c = text[domain + 1 + i];

        if (TAIL[i] == 'x' ? !is_hex(c) : c != TAIL[i])
            return false;
    }
    return true;
}

size_t pci_path_length(const char *path)
{
    size_t found = 0;

    for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
        size_t len = strcspn(at + 1, "/");

        if (pci_is_address(at + 1, len))
            found = (size_t)(at + 1 - path) + len;
    }
    return found;
}
