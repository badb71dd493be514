#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The only I/O layer cannot write: it calls nothing that does, and opens nothing for it. ioctl() is called by one file,
# with what reads and what sets the size of a descriptor's own buffer; a command that is sent only reads data.
# usage: live.sh ARCHIVE SOURCE-FOLDER
set -eu

calls='write|pwrite(64)?|writev|pwritev2?(64)?|fwrite|fput[cs]|v?fprintf|v?dprintf|creat(64)?|f?truncate(64)?'
calls="$calls|unlink(at)?|rename(at2?)?|mkdir(at)?|rmdir|f?chmod(at)?|l?f?chown(at)?|mknod(at)?|(sym)?link(at)?"
calls="$calls|mount|reboot|ioctl|send(to|msg)?|sendfile(64)?|splice|system|popen|execv.*|fork|posix_spawn.*"
calls="$calls|set_scsi_pt_data_out|set_pt_metadata_xfer|do_nvm_pt|sg_ll_.*|sg_.*write.*"

bad=0
if nm -u "$1" | awk '/:$/ { object = $1 } NF == 2 && !(object == "measure_node.c.o:" && $2 == "ioctl")' |
    grep -E "^ +U (__)?($calls)(_chk)?\$"; then
    echo "lib/live calls what it must not (above)" >&2
    bad=1
fi
if grep -nE 'O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)' "$2"/*.c "$2"/*.h; then
    echo "lib/live opens a file for writing (above)" >&2
    bad=1
fi
if grep -nE '\bioctl\(' "$2"/*.c |
    grep -vE '\bioctl\(fd, (SG_IO|SG_SET_RESERVED_SIZE|SG_GET_RESERVED_SIZE|BLKGETSIZE64|BLKSSZGET),'; then
    echo "lib/live asks the kernel for something else than reading (above)" >&2
    bad=1
fi
if grep -nE '\bSG_DXFER_(TO|TO_FROM|UNKNOWN)|\bdout_|\bPROT_WRITE' "$2"/*.c; then
    echo "lib/live can send data to a device (above)" >&2
    bad=1
fi
# Of system calls by number there is one.
if grep -nE '\bsyscall\(' "$2"/*.c | grep -v 'SYS_openat2'; then
    echo "lib/live makes a system call of its own (above)" >&2
    bad=1
fi
exit $bad
