# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC3043 # local
#
# What a scenario's guest() may use: modules, waiting, and witnesses kept one a file in /out.
# Runs under busybox ash, which prefers its own applets: the real lsscsi is called by its path.

# shellcheck source=/dev/null
. /lab/scenario

# fail TEXT: ends the scenario as failed.
fail() {
    echo "FAIL: $*"
    exit 1
}

# shellcheck source=/dev/null
case "${root:-bare}" in service | package | installed) . /lab/service.sh ;; esac

# load_modules: loads the scenario's modules, one a line with its parameters, in that order.
load_modules() {
    # shellcheck disable=SC2154 # of the scenario
    echo "$modules" | while read -r line; do
        # shellcheck disable=SC2086 # parameters are words
        [ -z "$line" ] || modprobe $line || fail "cannot load: $line"
    done
}

# simulate: gives its input to hbasim; what is refused ends the scenario as failed.
simulate() {
    cat >/sys/kernel/debug/hbasim/control || fail "hbasim: $(cat /sys/kernel/debug/hbasim/error)"
}

# first_topology: the machine that the scenario's script begins with, and no more of the script: for a person who wants
# to look around.
first_topology() {
    (
        # shellcheck disable=SC2317 # guest calls it
        simulate() {
            cat >/sys/kernel/debug/hbasim/control
            exit 0
        }
        guest
    )
}

# simulation_ends: removes all hosts, which ends commands that would never end, and the module.
simulation_ends() {
    local host
    for host in /sys/kernel/debug/hbasim/*/state; do
        [ ! -e "$host" ] || echo "remove $(basename "$(dirname "$host")")" | simulate
    done
    wait_until 20 rmmod hbasim || fail "hbasim is still in use"
}

# sg_of NAME: prints the sg node of a simulated device; fails while there is none.
sg_of() {
    local address
    address=$(sed -n 's/^address //p' /sys/kernel/debug/hbasim/*/"$1"/state) && [ -n "$address" ] &&
        echo "/dev/$(ls "/sys/class/scsi_device/$address/device/scsi_generic" 2>/dev/null)" | grep -x '/dev/sg[0-9]*'
}

# milliseconds COMMAND...: prints how long a command takes; fails if it does.
milliseconds() {
    local start end
    read -r start _ </proc/uptime
    "$@" >/dev/null 2>&1 || return 1
    read -r end _ </proc/uptime
    awk -v a="$start" -v b="$end" 'BEGIN { print int((b - a) * 1000 + 0.5) }'
}

# about WHAT IS EXPECTED: a measured number is what it should be, within a third: the machine has other work.
about() {
    echo "$1: $2, expected $3"
    awk -v is="$2" -v wanted="$3" 'BEGIN { exit !(is > wanted * 0.75 && is < wanted * 1.33) }' || fail "$1"
}

# within SECONDS: prints how many that are here, at the pace of this machine (init measures it).
within() {
    awk -v seconds="$1" -v pace="$LAB_PACE" 'BEGIN { printf "%d\n", seconds * pace + 0.5 }'
}

# wait_until SECONDS COMMAND...: asks every half second until the command succeeds; fails in the end.
wait_until() {
    local left=$(($(within "$1") * 2))
    shift
    until "$@"; do
        left=$((left - 1))
        [ $left -gt 0 ] || return 1
        sleep 0.5
    done
}

# keep NAME COMMAND...: /out/NAME gets what the command prints, /out/NAME.err what it complains of, and
# /out/exits a line "NAME STATUS". The command may fail.
keep() {
    local name=$1 status=0
    shift
    echo "lab: $name" >/dev/kmsg
    mkdir -p "/out/$(dirname "$name")"
    "$@" >"/out/$name" 2>"/out/$name.err" || status=$?
    [ -s "/out/$name.err" ] || rm "/out/$name.err"
    echo "$name $status" >>/out/exits
}

# attributes: prints "path:line" for every readable text attribute of the classes that hbad reads.
attributes() {
    local class
    for class in scsi_host spi_host spi_transport sas_host sas_phy sas_port sas_device sas_end_device \
        sas_expander ata_port ata_link ata_device fc_host iscsi_host; do
        [ ! -d /sys/class/$class ] || grep -Hs '' /sys/class/$class/*/* || true
    done
    for class in /sys/class/scsi_device/*; do
        find "$class/device/" -maxdepth 1 -type f ! -name 'vpd_pg*' ! -name inquiry -exec grep -Hs '' {} + || true
    done
    grep -Hs '' /sys/bus/usb/devices/*/speed /sys/bus/usb/devices/*/version /sys/bus/usb/devices/*/idVendor \
        /sys/bus/usb/devices/*/idProduct || true
    grep -Hs '' /sys/bus/pci/devices/*/vendor /sys/bus/pci/devices/*/device /sys/bus/pci/devices/*/class \
        /sys/bus/pci/devices/*/*_link_* || true
}

# links: prints "path -> real path" for every object of every class and of the SCSI, USB and PCI buses.
links() {
    local link
    for link in /sys/class/scsi_*/* /sys/class/spi_*/* /sys/class/sas_*/* /sys/class/ata_*/* /sys/class/block/* \
        /sys/bus/scsi/devices/* /sys/bus/usb/devices/* /sys/bus/pci/devices/*; do
        [ ! -L "$link" ] || echo "$link -> $(readlink -f "$link")"
    done
}

# pages: prints the INQUIRY data and VPD pages that the kernel keeps for each device.
pages() {
    local file
    for file in /sys/class/scsi_device/*/device/inquiry /sys/class/scsi_device/*/device/vpd_pg*; do
        [ ! -e "$file" ] || { echo "$file" && hexdump -C "$file"; }
    done
}

# kernel_witnesses, scsi_witnesses: what the kernel shows, and what lsscsi and sg3-utils make of it.
kernel_witnesses() {
    local file
    keep sysfs attributes
    keep sysfs-links links
    keep sysfs-pages pages
    keep lspci lspci -D -n -vv
    find /proc/scsi /proc/mpt -type f 2>/dev/null | while read -r file; do
        keep "${file#/}" cat "$file"
    done
}

scsi_witnesses() {
    local sg
    keep lsscsi /usr/bin/lsscsi
    keep lsscsi-g /usr/bin/lsscsi -g
    keep lsscsi-L /usr/bin/lsscsi -L
    keep lsscsi-t /usr/bin/lsscsi -t
    keep lsscsi-H /usr/bin/lsscsi -H
    keep lsscsi-HL /usr/bin/lsscsi -H -L
    for sg in /dev/sg*; do
        keep "${sg#/dev/}/inq" sg_inq "$sg"
        keep "${sg#/dev/}/inq-hex" sg_inq --hex "$sg"
        keep "${sg#/dev/}/vpd-di" sg_vpd -p di "$sg"
        keep "${sg#/dev/}/modes-19h" sg_modes -p 0x19,0xff "$sg"
    done
}

# link_witnesses SPI|SAS NODE...: what a device's own pages say of its link, as sdparm and sg_logs read them.
link_witnesses() {
    local kind=$1 sg
    shift
    for sg; do
        case $kind in
        spi)
            keep "${sg#/dev/}/negotiated" sdparm --transport=spi --page=ns "$sg"
            keep "${sg#/dev/}/capabilities" sdparm --transport=spi --page=rtc "$sg"
            ;;
        sas)
            keep "${sg#/dev/}/phys" sdparm --transport=sas --page=pcd "$sg"
            keep "${sg#/dev/}/log-18h" sg_logs --page=0x18 "$sg"
            ;;
        esac
    done
}

# hbactl_witnesses: the program under test, where there is one. The trace is of a run of its own.
hbactl_witnesses() {
    local what
    [ -x /opt/hbad/hbactl ] || return 0
    keep hbactl hbactl
    for what in hosts links devices; do
        keep "hbactl-list-$what" hbactl list $what
    done
    keep hbactl-report.json hbactl report --json
    keep hbactl-capture hbactl capture /out/capture.json
    keep hbactl-capture-no-scrub hbactl capture --no-scrub /out/capture-no-scrub.json
    keep hbactl-traced strace -f -y -o /out/hbactl.strace -e trace=openat,ioctl,execve hbactl report --json
}

# look NAME: what hbactl makes of the machine now (hbactl-NAME.json), and a capture of it (NAME.json), which can be
# the past of a later one.
look() {
    [ -x /opt/hbad/hbactl ] || return 0
    keep "hbactl-$1.json" hbactl report --json
    keep "hbactl-capture-$1" hbactl capture --no-scrub "/out/$1.json"
}

# hours_pass N: the clock goes on, and with it whatever is counted by the hour.
hours_pass() {
    date -s "@$(($(date +%s) + $1 * 3600))" >/dev/null
}
