/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The catalog of findings (catalog.h). A row: code; severity it has at the least; MESSAGE_ID of its journal
 * entries (made once, never changed); what it says; causes, likeliest first; what to do, in order; what
 * it could be confused with.
 */
#include "finding/catalog.h"

#include <string.h>

#include "base/cleanup.h"

#define LIST(...)         \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

const struct catalog_entry CATALOG[] = {
    { "rate-below-expected", SEVERITY_WARNING, "3862745cc4ad473fa45575714dc60b53",
      "the lane rate is below what both ends and the path can do",
      LIST(
          "the cable, backplane slot or connector: a link that trains low has nearly always a bad contact or too long a way",
          "firmware or driver at either end that settles for less",
          "a setting that nothing here shows (BIOS, adapter utility)"),
      LIST(
          "reseat the device and the cable, then look again",
          "move the device to another slot or port: if the low rate moves with it, it is the device, if it stays, the slot or cable",
          "compare firmware with a sibling that runs at full rate"),
      "a device that cannot do better: then its own pages say so, and this would not be reported" },
    { "width-below-expected", SEVERITY_WARNING, "db941645f8264f1ba019fc5a37eba5a0",
      "lanes or bytes of width are missing",
      LIST(
          "a lane of the cable or connector makes no contact",
          "the port was split between two connectors, or a phy is taken by something else",
          "on parallel buses: a narrow adapter or cable in between, or a driver that did not ask for wide transfers"),
      LIST("reseat or replace the cable that carries the missing lane",
           "look at the phys of the port with hbactl show: the one that is empty names the lane",
           "for a slot: reseat the card, look at risers and lane bifurcation in the BIOS"),
      "a port that was never meant to be wider" },
    { "async", SEVERITY_WARNING, "52e09756fc7547fb937da9e76600a2ab",
      "no synchronous agreement, although both ends can",
      LIST("domain validation failed and fell back: cable, termination, or too long a bus",
           "the adapter's settings for this id forbid synchronous transfers",
           "the device refuses the negotiation of this driver"),
      LIST("look at termination and cable length, and for parity errors in the kernel log",
           "look at the adapter's BIOS settings for this id", "try the device alone on the bus"),
      "a device that knows no synchronous transfers: its INQUIRY says so" },
    { "bus-single-ended", SEVERITY_WARNING, "898b9d123f7c4610a4d6f84710bd5c7e",
      "an LVD-able bus runs single-ended, at most Fast-20",
      LIST("a single-ended terminator",
           "one single-ended device or adapter on the bus, powered or not",
           "a wrongly wired or pinched cable that grounds DIFFSENS"),
      LIST("use an LVD (or LVD/SE multimode) terminator",
           "take single-ended devices to another bus",
           "unplug one device after another and watch for the bus turning LVD"),
      "an adapter or devices that know only single-ended: then the mode is right" },
    { "capped-by-configuration", SEVERITY_INFO, "96d0d86fee6542cb888611c10c7d3ca4",
      "somebody set a limit below what the hardware can do",
      LIST("a programmed limit of a phy, a driver parameter, or the adapter's NVRAM"),
      LIST(
          "leave it, if it was meant",
          "else remove the limit where `from` says it is set, and have the link renegotiate (reboot, replug)"),
      "a fall-back by error handling, which nobody set" },
    { "ends-disagree", SEVERITY_WARNING, "c3b2d20893a94c9a8f7fca5fff774c75",
      "the witnesses name different modes",
      LIST(
          "one end holds an agreement that the other has lost, for instance after a reset that only one saw",
          "firmware that reports wrongly"),
      LIST("reset the link or the device at a quiet time, and look again",
           "update the firmware of the end that is contradicted by a measurement"),
      "a witness that is stale: IDENTIFY data are as old as the last scan" },
    { "host-wide-limit", SEVERITY_WARNING, "c834407cb06645b58b1c4c95d7647e63",
      "every link of one host that could go faster is held at the same mode",
      LIST("the driver: its parameters, or that it is built into the kernel and got none",
           "the adapter's firmware or its settings",
           "what the links share: cable, connector, terminator, backplane"),
      LIST(
          "compare with another channel or adapter of the same kind: if that is not limited, it is the cabling, else the driver or firmware",
          "look at the parameters of the driver (hbactl show HOST), and whether it is built in",
          "compare with an earlier kernel: hbactl compare"),
      "several devices that each are slow by themselves" },
    { "slot-limit", SEVERITY_INFO, "9e098dd3754645c08d2272e4c1f297af",
      "the slot cannot carry what the adapter can",
      LIST("the slot is narrower or older than the card, or hangs on the chipset"),
      LIST("move the card to a wider slot, if its devices can use it (see oversubscribed)"),
      "a card that trained below what both ends can: that is width- or rate-below-expected" },
    { "oversubscribed", SEVERITY_INFO, "2a5861e6df644b848604e4453267d942",
      "what hangs below a hop can send more than the hop carries",
      LIST("how the machine was built; right for most loads"),
      LIST(
          "spread the devices over more ports or adapters where all must run at full speed at once"),
      "a fault: it is none" },
    { "slower-than-sibling", SEVERITY_INFO, "9069b546e06a4df7bac9926f55c4f101",
      "another link of the same kind with the same model does better",
      LIST("the far end: a port set to a fixed speed, an older transceiver",
           "cable, slot or transceiver of this one"),
      LIST("look at the other end of this link", "swap cables or transceivers with the sibling"),
      "ports that are wired differently on purpose" },
    { "slower-than-before", SEVERITY_WARNING, "c0f8858961e64355b7ddadcb98f9574b",
      "the link ran faster earlier",
      LIST("errors made one end fall back: cable, connector, termination",
           "a change of kernel, driver or firmware between the two looks"),
      LIST("look into the kernel log for the time in between", "reseat and have it negotiate anew",
           "hbactl compare the two captures"),
      "another device in the same place: it starts anew" },
    { "link-lost", SEVERITY_CRITICAL, "fff90bfa0915495bb6a8ffdddffb843a",
      "a link that was up is gone",
      LIST("unplugged, powered off, or dead: the device, the shelf, the cable",
           "an expander or switch in between that went away"),
      LIST("look at power and cable of what the names say",
           "if several were lost together, begin at what they share"),
      "a device that was removed on purpose" },
    { "link-flapping", SEVERITY_WARNING, "7c700cee83fd475ca51b1902a4ca1197",
      "the link changed its state or mode several times in a while",
      LIST("a loose contact or failing cable, transceiver or power supply",
           "a device that resets itself"),
      LIST("replace the cable or transceiver, then the device",
           "look into the kernel log: what came first, the reset or the loss"),
      "one replug" },
    { "errors-growing", SEVERITY_WARNING, "cd99948e8e0d4ec0a4f9f8544dba7fd1",
      "error counters of the link grow",
      LIST("cable, connector or transceiver", "a failing phy at either end",
           "electrical trouble: grounding, power"),
      LIST(
          "reseat or replace the cable or transceiver of this link first",
          "move the device: do the errors move with it?",
          "compare with the neighbours: one link of many points at its own parts, all of them at what they share"),
      "totals of a lifetime: only growth counts" },
    { "read-below-link", SEVERITY_WARNING, "26d50de4f30d47ca87a2e47842919af6",
      "reads are far slower than link, device and history explain",
      LIST("a medium that needs retries or remaps",
           "a device busy with itself: background scan, garbage collection, thermal throttling",
           "a bridge or cable that retries without saying so"),
      LIST("look at the device's own health data", "measure again at a quiet time"),
      "a busy device: such measurements are thrown away" },
    { "device-stuck", SEVERITY_CRITICAL, "b524441003114d61b5b4d1cb6a22f6d8",
      "commands to the device time out, or the kernel gave it up",
      LIST("the device does not answer any more", "its link loses commands"),
      LIST("look into the kernel log for aborts and resets",
           "power-cycle the device at a time when its data are not needed", "replace it"),
      "a device that sleeps: it answers when it has woken up" },
    { "path-lost", SEVERITY_WARNING, "74ce1591b2ee4f50a60472b1d5c2b5eb",
      "a remote port is gone while its host's link is up",
      LIST("the target's port, its cable or its switch port is down",
           "zoning or masking was changed"),
      LIST("look at the target and the fabric; this host's own link is up"),
      "a target that was taken away on purpose" },
    { "host-resetting", SEVERITY_WARNING, "02bf9d030ea142f4801ff3241210d499",
      "the host is in error recovery, or was reset",
      LIST("a device or link that makes commands time out", "firmware of the adapter that hangs"),
      LIST("look into the kernel log for which device it began with",
           "update the adapter's firmware"),
      "a reset that somebody asked for" },
    { "no-link-facts", SEVERITY_INFO, "486123b93e3f418d8df6052e0ffb6c1a",
      "the controller, or its driver, hides its links",
      LIST("RAID firmware shows volumes, not disks",
           "a driver without the transport class on this kernel"),
      LIST("ask the controller's own tool for the links of its disks",
           "a newer kernel may show them"),
      "links that are fine: nobody can tell from here" },
    { 0 },
};

const struct catalog_entry *catalog_find(const char *code)
{
    for (const struct catalog_entry *e = CATALOG; e->code; e++)
        if (strcmp(e->code, code) == 0)
            return e;
    return NULL;
}
