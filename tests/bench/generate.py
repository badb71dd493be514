#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write the machine of machine.py as a directory or as a capture, the same bytes on every run.

  generate.py tree DIR [--luns N] [--luns-per-target N] [--phys N]
        a sysfs tree below DIR/sys, for hbactl --sysfs-root DIR and lsscsi --sysfsroot=DIR/sys
  generate.py capture FILE [--stream] [the same options]
        a capture, version 1; --stream writes the sequence of NUL-terminated objects

By default 5,000 LUNs, 25 to a target, and as many bays as targets; more --phys are bays that stay empty.
The tree holds every attribute of the machine; a capture holds those that bear on links and identity, as a recorder
keeps what was read and not what was there.
"""
import argparse
import json
import os
import sys

from machine import TAKEN, WRITE_ONLY, Link, Refused, base, machine

# ----------------------------------------------------------------------------------------------------- as a directory
MAX_LINKS = 60000      # below ext4's 65,000 names of one file


class Tree:
    """A sysfs tree below TOP/sys. What cannot be read is write-only and empty, or not there at all.

    Files of equal content are one file with many names, made in half the time and in a third of the space: to
    change one, replace it, do not write into it.
    """

    def __init__(self, top):
        self.top, self.made, self.files = os.path.abspath(top), set(), {}

    def write(self, parts):
        shared = {}
        for part in parts:
            for path, entries in part.dirs.items():
                self.fill(path, entries)
            for path, entries in part.listed.items():
                shared.setdefault(path, {}).update(entries)
        for path, entries in shared.items():
            self.fill(path, entries)

    def fill(self, path, entries):
        self.make_dir(path)
        at = os.open(self.top + path, os.O_PATH | os.O_DIRECTORY)
        for name, value in entries.items():
            if isinstance(value, Link):
                os.symlink(value, name, dir_fd=at)
            elif not isinstance(value, Refused):
                self.file(at, path + "/" + name, value if isinstance(value, bytes) else value.encode(), 0o444)
            elif value == WRITE_ONLY:
                self.file(at, path + "/" + name, b"", 0o200)
        os.close(at)

    def make_dir(self, path):
        if path in self.made:
            return
        if path == "/":
            os.makedirs(self.top, exist_ok=True)
        else:
            self.make_dir(os.path.dirname(path))
            os.mkdir(self.top + path)
        self.made.add(path)

    def file(self, at, path, content, mode):
        first = self.files.get((content, mode))
        if first and first[1] < MAX_LINKS:
            os.link(first[0], base(path), dst_dir_fd=at)
            first[1] += 1
            return
        fd = os.open(base(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=at)
        os.write(fd, content)
        os.close(fd)
        self.files[content, mode] = [self.top + path, 1]


# ------------------------------------------------------------------------------------------------------- as a capture
# Classes and attributes of the tree that say nothing of links, identity or health, and are not in a capture.
UNRECORDED_CLASSES = {"bsg", "scsi_disk"}
UNRECORDED_DIRS = {"/sys/block"}
UNRECORDED = set("""
    alignment_offset blacklist bind board_assembly board_tracer capability control delete device_blocked device_delay
    dh_state discard_alignment dma_mask_bits drv_support_bitmap eh_timeout events events_async events_poll_msecs
    evt_capacity_change_reported evt_inquiry_change_reported evt_lun_change_reported evt_media_change
    evt_mode_parameter_change_reported evt_soft_threshold_reached ext_range fwfault_debug hidden hw_sector_size
    inflight io_delay iocounterbits logging_level max_hw_sectors_kb max_sectors_kb modalias nr_requests
    queue_ramp_up_period range read_ahead_kb remove rescan reset runtime_active_time runtime_suspended_time
    sas_ncq_prio_enable sas_ncq_prio_supported scheduler sg_prot_tablesize
    uevent unbind
    """.split())


def recorded(path):
    return path not in UNRECORDED_DIRS and path.split("/")[-2] not in UNRECORDED_CLASSES \
        and base(path) not in UNRECORDED_CLASSES


def dirs_json(dirs):
    return [dump(path) + ":" + dump({n: value_json(v) for n, v in entries.items() if n not in UNRECORDED})
            for path, entries in dirs.items() if recorded(path)]


def dump(value):
    return json.dumps(value, separators=(",", ":"))


def value_json(value):
    if isinstance(value, Link):
        return {"link": value}
    if isinstance(value, Refused):
        return {"errno": value}
    if isinstance(value, bytes):
        return {"hex": value.hex()} if b"\0" in value else value.decode()
    return value


def props_json(props):
    return [dump(path) + ":" + dump(values) for path, values in props.items()]


def commands_json(commands):
    return [dump({"device": device, "cdb": cdb, "status": 0, "data": data.hex(), "us": 400})
            for device, cdb, data in commands]


def capture_json(taken, dirs, props, commands):
    """One object of a capture from its encoded members, as pieces of text."""
    yield '{"hbad-capture": 1'
    if taken:
        yield ',\n"taken": ' + dump(taken)
    for name, members, brackets in (("dirs", dirs, "{}"), ("props", props, "{}"), ("commands", commands, "[]")):
        if members:
            yield ',\n"%s": %s\n' % (name, brackets[0])
            yield ",\n".join(members)
            yield brackets[1]
    yield "}"


def write_capture(parts, out):
    """All in one object; a directory that parts share must be one member of it, so it comes last of the dirs."""
    shared, dirs, props, commands = {}, [], [], []
    for part in parts:
        dirs += dirs_json(part.dirs)
        props += props_json(part.props)
        commands += commands_json(part.commands)
        for path, entries in part.listed.items():
            shared.setdefault(path, {}).update(entries)
    out.writelines(capture_json(TAKEN, dirs_json(shared) + dirs, props, commands))
    out.write("\n")


def write_stream(parts, out):
    """An object for each part, each followed by a NUL byte, then the end. Shared directories grow from part to part."""
    taken = TAKEN
    for part in parts:
        out.writelines(capture_json(taken, dirs_json(part.listed) + dirs_json(part.dirs), props_json(part.props),
                                    commands_json(part.commands)))
        out.write("\0")
        taken = None
    out.write('{"hbad-capture": 1, "end": true}\0')


# ----------------------------------------------------------------------------------------------------------- the call
def arguments(argv):
    parser = argparse.ArgumentParser(description="Make one large synthetic SAS machine.")
    parser.add_argument("what", choices=("tree", "capture"))
    parser.add_argument("where", help="directory of the tree (must not hold one yet), or file of the capture")
    parser.add_argument("--luns", type=int, default=5000)
    parser.add_argument("--luns-per-target", type=int, default=25)
    parser.add_argument("--phys", type=int, help="bays, taken or not (default: as many as targets)")
    parser.add_argument("--stream", action="store_true", help="a capture as a sequence of objects")
    args = parser.parse_args(argv)
    if args.luns < 1 or args.luns_per_target < 1:
        parser.error("--luns and --luns-per-target must be at least 1")
    targets = -(-args.luns // args.luns_per_target)
    if args.phys is None:
        args.phys = targets
    if args.phys < targets:
        parser.error("%d targets do not fit into --phys %d" % (targets, args.phys))
    if args.what == "tree" and args.stream:
        parser.error("--stream is for captures")
    if args.what == "tree" and os.path.lexists(args.where + "/sys"):
        parser.error("%s/sys exists already" % args.where)
    return args


def main(argv):
    args = arguments(argv)
    parts = machine(args.luns, args.luns_per_target, args.phys)
    if args.what == "tree":
        Tree(args.where).write(parts)
    else:
        with open(args.where, "w", encoding="ascii") as out:
            (write_stream if args.stream else write_capture)(parts, out)


if __name__ == "__main__":
    main(sys.argv[1:])
