/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where what a finding is about makes its causes and remedies other ones than the catalog's row says, or puts them
 * in another order (catalog.h). A row: code, situation, causes, likeliest first, and what to do, in order.
 */
#include <string.h>

#include "finding/catalog.h"
#include "finding/catalog_list.h"

const struct catalog_variant CATALOG_VARIANTS[] = {
    { "rate-below-expected", SITUATION_BUS,
      LIST(
          "termination or cabling of the bus: domain validation found errors and fell back; a missing, wrong or second terminator, a cable too long or not made for the rate, a bad connector",
          "the device's own connector, adapter or backplane slot, where its neighbours run at full rate",
          "settings of the adapter for this id, or a driver that does not ask for the faster mode",
          "firmware of the device or adapter"),
      LIST("look into the kernel log for 'Domain Validation' and parity errors",
           "reseat the device; try another slot of the bus, then another cable and terminator",
           "look at the adapter's BIOS settings for this id",
           "compare firmware with a device of the same model that runs at full rate") },
    { "rate-below-expected", SITUATION_SLOT,
      LIST("a bad contact of the card, or a riser or cable that is not made for the rate",
           "a speed limit for the slot in the BIOS",
           "firmware of the card, or signal trouble that made the link train low"),
      LIST("reseat the card, and try it without the riser, or in another slot",
           "look at the slot's link speed in the BIOS",
           "update the firmware of card and mainboard") },
    { "rate-below-expected", SITUATION_NETWORK,
      LIST("the port at the other end is set to a fixed or lower speed",
           "a transceiver or cable at either end that cannot do more",
           "a dirty or damaged fibre that made the link settle for less"),
      LIST("look at the speed setting and transceiver of the switch or target port",
           "compare the transceivers of both ends with those of a port that runs at full rate",
           "clean and reseat, then replace fibre and transceiver") },
    { "width-below-expected", SITUATION_BUS,
      LIST(
          "a narrow (50-pin) cable or adapter between the device and a wide bus",
          "the upper byte of the bus is not terminated, or makes no contact: wide transfers failed and were given up",
          "settings of the adapter for this id, or a driver that did not ask for wide transfers"),
      LIST(
          "look for 50-pin cables and adapters on the way to the device",
          "look at the termination of the whole 16 bit width, and for 'Wide Transfers Fail' in the kernel log",
          "look at the adapter's BIOS settings for this id, and at the driver's parameters") },
    { "width-below-expected", SITUATION_SLOT,
      LIST("a bad contact: card not fully seated, dirty edge connector, a riser with fewer lanes",
           "the BIOS splits the slot's lanes (bifurcation), or shares them with another slot",
           "a dead lane of card or slot"),
      LIST("reseat the card, and clean its edge connector",
           "try it without the riser, or in another slot: do the missing lanes stay with the card?",
           "look at bifurcation and lane sharing in the BIOS and the mainboard's manual") },
    { "host-wide-limit", SITUATION_BUS,
      LIST(
          "the driver: its parameters, or, where it is built into the kernel, that it got none, so that it negotiates less than it could",
          "the adapter's firmware, or its BIOS or NVRAM settings for all ids",
          "what the links share: cable, connector, terminator, backplane"),
      LIST(
          "look at the parameters of the driver and whether it is built in (hbactl show HOST): if it is, try it as a module",
          "look at the adapter's BIOS settings, and load its defaults",
          "compare with another kernel: hbactl compare",
          "if a capture of another channel is not limited, look at the cabling of this one") },
    { "host-wide-limit", SITUATION_ONE_BUS,
      LIST(
          "cable, connector or terminator of this bus: another one of the same chip, driver and parameters is not limited",
          "a device or backplane on this bus that disturbs it or holds it down",
          "settings of the adapter for this channel"),
      LIST("swap the cables (with terminators) of the two channels: does the limit move?",
           "look at termination: both ends of the bus, nowhere else, and made for its signalling",
           "unplug one device after another and have the rest negotiate again",
           "compare the BIOS settings of the two channels") },
    { "slower-than-before", SITUATION_BUS,
      LIST("errors on the bus made the driver fall back: termination, cable, connector",
           "a device was added, or the bus was cabled anew, since",
           "a change of kernel, driver, firmware or settings between the two looks"),
      LIST(
          "look into the kernel log for the time in between: 'Domain Validation', parity errors, bus resets",
          "look at termination and cabling, and at what was added to the bus",
          "compare the captures: hbactl compare") },
    { "slower-than-before", SITUATION_NETWORK,
      LIST("the port at the other end was set to another speed, or its transceiver replaced",
           "this end's transceiver or fibre was replaced, or is failing",
           "the link was moved to another port of the switch"),
      LIST("look at speed setting and transceiver of the other end's port, and when they changed",
           "clean and reseat, then replace fibre and transceivers",
           "compare the captures: hbactl compare") },
    { "slower-than-sibling", SITUATION_NETWORK,
      LIST("the port at the other end is set to a fixed speed, or is of an older generation",
           "a slower transceiver at either end of this link", "a dirty or damaged fibre"),
      LIST("look at speed setting and transceiver of the switch or target port",
           "swap transceivers and fibres with the sibling: does the low rate move?") },
    { "slower-than-sibling", SITUATION_READS,
      LIST(
          "the device is busy with itself, throttles, or retries what it reads",
          "another firmware or setting than its siblings have: write cache, read-ahead, power saving",
          "its lane or cable retries below what counters show"),
      LIST("compare firmware revisions and settings with a sibling's",
           "look at the device's own health data, and at the error counters of its link",
           "swap the device with a sibling: does the low rate move with it?") },
    { "read-below-link", SITUATION_SHARED,
      LIST("what they share: cable or backplane, expander, terminator, adapter or its slot",
           "an adapter's or expander's firmware or driver that was changed since",
           "somebody else uses the same hop, where that cannot be seen from here"),
      LIST("look at mode and error counters of what they share, and of the adapter's slot",
           "undo what was changed last: driver, firmware, cables",
           "measure one of them on another port or adapter") },
    { "link-lost", SITUATION_NETWORK,
      LIST("no light or carrier: fibre or cable unplugged or broken, transceiver dead",
           "the port at the other end, its switch or its target is switched off or down",
           "the adapter's port is failing"),
      LIST("look at the port at the other end: is it up, does it see light?",
           "reseat, clean, then replace fibre and transceivers, one end after the other",
           "look into the kernel log for what went first") },
    { "link-flapping", SITUATION_NETWORK,
      LIST("a failing transceiver, or a dirty or bent fibre",
           "the port at the other end restarts, or its speed negotiation does not settle",
           "firmware of adapter or switch"),
      LIST("look at the light levels and error counters of both ends",
           "clean and reseat, then replace fibre and transceivers, one end after the other",
           "set both ends to the same fixed speed, and see whether it settles") },
    { "errors-growing", SITUATION_NETWORK,
      LIST("a dirty or bent fibre, or a dirty connector",
           "a failing transceiver: the far end's sender first, then this end's receiver",
           "for errors that the fabric reports: the link that it names, not this one"),
      LIST("look at the light levels of both ends",
           "clean the connectors, then replace fibre and transceivers, one end after the other",
           "look at the counters of the switch port: which direction has the errors?") },
    { "errors-growing", SITUATION_SLOT,
      LIST("a bad contact of the card in its slot, or a riser",
           "signal trouble of slot or card: corrected by the link itself, at the cost of time",
           "power management of the link (ASPM) that card or mainboard does badly"),
      LIST("reseat the card, and try it without the riser, or in another slot",
           "update the firmware of card and mainboard",
           "look whether it stops with ASPM switched off") },
    { 0 },
};

static const struct catalog_variant *find(const char *code, enum situation situation)
{
    for (const struct catalog_variant *v = CATALOG_VARIANTS; v->code; v++)
        if (v->situation == situation && strcmp(v->code, code) == 0)
            return v;
    return NULL;
}

const struct catalog_variant *catalog_variant(const char *code, enum situation situation)
{
    const struct catalog_variant *v = find(code, situation);

    return v || situation != SITUATION_ONE_BUS ? v : find(code, SITUATION_BUS);
}
