/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Adapters that an emulator makes up: real drivers run on them, and show rates that mean nothing.
 */
#pragma once

#include "transport/relation.h"

/* Marks every link of an emulated host, its slot's too, as having no physical link; what they show stays.
 * It is told by what the hardware says of itself, never by the machine being a virtual one: an adapter
 * that was handed to a virtual machine is as real as before. Where somebody's word is there already
 * (`physical` or `emulated` of the host), that counts alone. Called once, when all links are there. */
void emulation_mark(struct relation *r);
