/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PCI addresses in device paths.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Is the text (of that length) the address of a PCI function, "0000:03:00.0"? Domains may be longer than
 * four digits (VMD, Hyper-V). */
bool pci_is_address(const char *text, size_t len);

/* Length of the path up to the end of its last component that is a PCI function; 0 where none is. */
size_t pci_path_length(const char *path);
