/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The catalog of findings (catalog.h). A row: code; severity it has at the least; may it be acknowledged; MESSAGE_ID of its journal
 * entries (made once, never changed); what it says; causes, likeliest first; what to do, in order; what
 * it could be confused with. What is true of some kinds of links only is in catalog_variants.c, or says so.
 */
#include "finding/catalog.h"

#include <string.h>

#include "finding/catalog_list.h"

const struct catalog_entry CATALOG[] = {
    { "rate-below-expected", SEVERITY_WARNING, CATALOG_OF_MODE, "3862745cc4ad473fa45575714dc60b53",
      "the lane rate is below what both ends and the path can do",
      LIST(
          "a bad contact or a marginal cable: connector, backplane slot, a cable that is too long or not made for the rate; links that train low have this nearly always",
          "after errors or a reset one end fell back, and keeps the low rate until it is reset or power-cycled",
          "a cable, hub or front-panel port that is wired for an older generation only; of flat cables one of 40 conductors instead of 80",
          "firmware at either end that settles for less with this partner"),
      LIST(
          "reseat the device and the cable, then have the link negotiate again (replug; a reboot where a limit was kept) and look again",
          "move the device to a slot or port that runs at full rate: if the low rate moves with it, it is the device; if it stays, the slot, port or cable",
          "replace the cable by one made for the expected rate",
          "compare firmware with a device of the same model that runs at full rate"),
      "a device that cannot do better: then its own pages say so, and nothing is reported" },
    { "width-below-expected", SEVERITY_WARNING, CATALOG_OF_MODE, "db941645f8264f1ba019fc5a37eba5a0",
      "lanes or bytes of width are missing",
      LIST("one lane of the cable or connector makes no contact",
           "a cable of a wide port is unplugged, or in the wrong connector",
           "a phy at one end is dead or was switched off"),
      LIST(
          "look at the lanes with hbactl show: the one that is empty or down names the place in the connector",
          "reseat, then replace the cable that carries the missing lane",
          "swap the cables of two connectors: if the missing lane moves, it is the cable, else the phy"),
      "a port that was never meant to be wider: then its siblings and its past say the same" },
    { "async", SEVERITY_WARNING, CATALOG_OF_MODE, "52e09756fc7547fb937da9e76600a2ab",
      "no synchronous agreement, although both ends can",
      LIST(
          "domain validation failed and fell back: cable, termination, or a bus that is too long",
          "the adapter's settings for this id forbid synchronous transfers, or a driver parameter does",
          "the device refuses to negotiate with this driver"),
      LIST("look into the kernel log for 'Domain Validation' and parity errors",
           "look at termination (both ends of the bus, nowhere else) and cable length",
           "look at the adapter's BIOS settings for this id", "try the device alone on the bus"),
      "a device that knows no synchronous transfers: its INQUIRY data say so" },
    { "bus-single-ended", SEVERITY_WARNING, CATALOG_OF_MODE, "898b9d123f7c4610a4d6f84710bd5c7e",
      "an LVD-able bus runs single-ended, at most Fast-20",
      LIST("a single-ended terminator",
           "one single-ended device or adapter on the bus, powered or not",
           "a cable or adapter that grounds the DIFFSENS line, or a pinched one"),
      LIST("use an LVD (or LVD/SE multimode) terminator",
           "take single-ended devices to another bus, or put them behind a bus expander",
           "unplug one device after another and watch for the bus turning LVD"),
      "an adapter or devices that know only single-ended: then the mode is right" },
    { "capped-by-configuration", SEVERITY_INFO, CATALOG_OF_MODE, "96d0d86fee6542cb888611c10c7d3ca4",
      "somebody set a limit below what the hardware can do",
      LIST(
          "a limit that was set on purpose, where the evidence names it: a driver or kernel parameter, a programmed limit of a phy, the adapter's BIOS or NVRAM",
          "a limit that was set once to get round a fault, and forgotten"),
      LIST(
          "leave it, if it is still wanted",
          "else remove it where the evidence says it is set, and have the link negotiate again (replug or reboot)",
          "then watch the error counters: the limit may have hidden a bad cable"),
      "a fall-back by error handling, which nobody set" },
    { "ends-disagree", SEVERITY_WARNING, CATALOG_OF_MODE, "c3b2d20893a94c9a8f7fca5fff774c75",
      "the witnesses name different modes",
      LIST(
          "one end holds an agreement that the other has lost, for instance after a reset that only one of them saw",
          "driver or firmware that reports wrongly, or what it asked for instead of what it got",
          "a witness that is out of date: data kept since the last scan"),
      LIST(
          "reset or replug the device at a quiet time so that both negotiate again, and look again",
          "measure it (hbactl bench NAME): a rate above what one of the modes can carry shows which witness is wrong",
          "update the driver or firmware of the end that the measurement contradicts"),
      "two links compared with each other: here both speak of the same one" },
    { "host-wide-limit", SEVERITY_WARNING, CATALOG_OF_MODE, "c834407cb06645b58b1c4c95d7647e63",
      "every link of one host that could go faster is held at the same mode",
      LIST(
          "firmware or settings of the adapter that hold all its links down",
          "what the links share: one cable assembly, backplane, enclosure or power supply made for the lower rate",
          "the driver or its parameters"),
      LIST(
          "compare with another adapter of the same kind: if that is not limited, it is the cabling or the enclosure, else driver, parameters or firmware",
          "look at the adapter's settings in its BIOS or tool, and at the driver's parameters (hbactl show HOST)",
          "look up which rate the backplane and the cables are made for",
          "compare with an earlier capture or kernel: hbactl compare"),
      "several devices that each are slow by themselves" },
    { "slot-limit", SEVERITY_INFO, CATALOG_OF_MODE, "9e098dd3754645c08d2272e4c1f297af",
      "the slot cannot carry what the adapter can",
      LIST(
          "the slot has fewer lanes wired than the card, or is of an older generation, or hangs on the chipset",
          "the BIOS splits the slot's lanes (bifurcation) or limits its speed"),
      LIST("leave it, where the devices do not need more (see oversubscribed)",
           "move the card to a wider or newer slot, best one at the processor",
           "look at the slot's settings in the BIOS"),
      "a card that trained below what both ends can: that is width- or rate-below-expected" },
    { "oversubscribed", SEVERITY_INFO, CATALOG_OF_MODE, "2a5861e6df644b848604e4453267d942",
      "what hangs below a hop can send more than the hop carries",
      LIST(
          "how the machine was built; right for most loads, for devices seldom send at full rate all at once",
          "lanes or rate missing on the hop itself: then another finding says so"),
      LIST("leave it, where the load never needs all devices at once",
           "else spread the devices over more ports, buses or adapters, or add lanes to the hop"),
      "a fault: by itself it is none" },
    { "slower-than-sibling", SEVERITY_INFO, CATALOG_OF_MODE, "9069b546e06a4df7bac9926f55c4f101",
      "another link of the same kind with the same model does better",
      LIST("cable, connector or slot of this one",
           "the port that this one is on is wired or made for less than its sibling's",
           "another firmware than the sibling has"),
      LIST("swap cables with the sibling: does the low rate move?",
           "then swap the devices: if it stays with the port, it is the port",
           "compare firmware revisions"),
      "ports that are wired differently on purpose: some controllers have two kinds" },
    { "slower-than-before", SEVERITY_WARNING, CATALOG_OF_MODE, "c0f8858961e64355b7ddadcb98f9574b",
      "the link ran faster earlier",
      LIST("errors made one end fall back: cable, connector or the device is going bad",
           "another place: cable, slot, hub or backplane was changed in between",
           "a change of kernel, driver, firmware or settings between the two looks"),
      LIST("look into the kernel log for the time in between: resets, link errors, lowered speeds",
           "reseat, and have it negotiate again; watch the error counters",
           "compare the captures: hbactl compare"),
      "another device in the same place: it starts anew" },
    { "link-lost", SEVERITY_CRITICAL, CATALOG_OF_LOSS, "fff90bfa0915495bb6a8ffdddffb843a",
      "a link that was up is gone",
      LIST("the device, enclosure or cable was unplugged or lost power", "the device is dead",
           "what leads to it went away: an expander, a hub, an adapter"),
      LIST(
          "look at power and cable of what the names say",
          "where several were lost together, begin at what they share",
          "look into the kernel log for what went first",
          "where it was taken away on purpose: say so with hbactl ack, or leave out the captures from before"),
      "a device that was removed on purpose, or another in its place" },
    { "link-flapping", SEVERITY_WARNING, CATALOG_OF_MODE | CATALOG_OF_TIME,
      "7c700cee83fd475ca51b1902a4ca1197",
      "the link changed its state or mode several times in a while",
      LIST("a loose contact or a failing cable",
           "a device or enclosure with too little power, or one that resets itself",
           "firmware at either end that cannot agree with the other on a rate"),
      LIST("reseat, then replace the cable",
           "look into the kernel log: what came first, the reset or the loss?",
           "look at the power supply; then replace the device"),
      "one replug, or a planned restart of what is at the far end" },
    { "errors-growing", SEVERITY_WARNING, CATALOG_OF_MODE | CATALOG_OF_TIME,
      "cd99948e8e0d4ec0a4f9f8544dba7fd1", "error counters of the link grow",
      LIST(
          "cable or connector of this link: dirty, loose, bent or too long",
          "a phy that is failing at either end; the counters are of what this end receives, so the far end's sender and the cable come first",
          "electrical trouble: power, grounding, a backplane"),
      LIST(
          "reseat, then replace the cable of this link",
          "move the device: do the errors move with it?",
          "compare with the neighbours: one link of many points at its own parts, all of them at what they share"),
      "totals of a lifetime, or errors of resets and replugs: only growth while the link stays up counts" },
    { "read-below-link", SEVERITY_WARNING, 0, "26d50de4f30d47ca87a2e47842919af6",
      "reads are far slower than link, device and history explain",
      LIST(
          "a medium that needs retries: the device reads sectors again and again",
          "a device busy with itself: background scan, rebuild, garbage collection, thermal throttling",
          "an adapter, expander or bridge that retries without saying so"),
      LIST(
          "look at the device's own health data: reallocated and pending sectors, temperature, background activity",
          "measure again at a quiet time",
          "look at the error counters of its link, and measure a sibling; then replace the device"),
      "a busy device: such measurements are thrown away" },
    { "device-stuck", SEVERITY_CRITICAL, 0, "b524441003114d61b5b4d1cb6a22f6d8",
      "commands to the device time out, or the kernel gave it up",
      LIST("the device hangs in its firmware, or is dying",
           "its link loses commands: cable, power, or an expander in between",
           "somebody set it offline by hand"),
      LIST(
          "look into the kernel log for timeouts, aborts and resets of this device",
          "look at the error counters of its link",
          "save its data or take it out of its array; power-cycle it, and replace it if it does so again",
          "a device that the kernel gave up comes back by a rescan, or by writing running to its state"),
      "a disk that sleeps: it answers when it has spun up" },
    { "path-lost", SEVERITY_WARNING, CATALOG_OF_LOSS, "74ce1591b2ee4f50a60472b1d5c2b5eb",
      "a remote port is gone while its host's link is up",
      LIST("the target's port, its cable or its switch port is down, or its controller restarts",
           "zoning or masking was changed", "the target or its whole array lost power"),
      LIST(
          "look at the target's ports and at the switch ports they are on; this host's own link is up",
          "look whether multipathing still has a path to each unit before anything else is touched",
          "compare zoning and masking with those of a host that still sees it"),
      "this host's own link, which is up; and a target that was taken away on purpose" },
    { "host-resetting", SEVERITY_WARNING, CATALOG_OF_TIME, "02bf9d030ea142f4801ff3241210d499",
      "the host is in error recovery, or was reset",
      LIST("a device or link that makes commands time out until the kernel resets the adapter",
           "firmware of the adapter that hangs or crashed",
           "the adapter overheats, or has trouble in its slot"),
      LIST("look into the kernel log: with which device did it begin?",
           "look for device-stuck and errors-growing beside this",
           "update the adapter's firmware and driver; look at its cooling and reseat it"),
      "a reset that somebody asked for" },
    { "no-link-facts", SEVERITY_INFO, 0, "486123b93e3f418d8df6052e0ffb6c1a",
      "the controller, or its driver, hides its links",
      LIST("RAID firmware shows volumes, and keeps the links of its disks to itself",
           "a driver that registers no transport class, on this kernel or at all"),
      LIST("ask the controller's own tool for the links of its disks",
           "a newer kernel may show them; or HBA mode, where the controller has one"),
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

const char *catalog_limit(const char *via)
{
    static const struct {
        const char *via; /* what it begins with */
        const char *who;
    } LIMITS[] = {
        { "/proc/scsi User", "the adapter's setting for this id, in its BIOS" },
        { "spi_transport ",
          "the adapter's setting for this id, in its BIOS, or somebody wrote to the target's attribute in sysfs" },
        { "maximum_linkrate",
          "somebody wrote to the phy's attribute in sysfs, or used the adapter's own tool" },
        { "libata.force in /proc/cmdline",
          "the kernel command line, in the boot loader's configuration" },
        { "libata.force", "whoever wrote that file" },
        { "lpfc_link_speed", "the driver's parameter, or its attribute in sysfs" },
    };

    for (size_t i = 0; i < sizeof(LIMITS) / sizeof(*LIMITS); i++)
        if (strncmp(via, LIMITS[i].via, strlen(LIMITS[i].via)) == 0)
            return LIMITS[i].who;
    return "the adapter, its driver or its tool";
}
