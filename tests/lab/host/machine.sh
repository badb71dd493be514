# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# The virtual machine: its command line, one run of it, and what is to be thought of how it ended.
# A scenario's hardware() adds adapters and disks to the command line through qemu and disk.

# machine_accel: kvm where the processor has it and we may use it (the device alone proves nothing).
machine_accel() {
    if grep -qwE 'vmx|svm' /proc/cpuinfo && [ -r /dev/kvm ] && [ -w /dev/kvm ]; then
        echo kvm
    else
        echo tcg
    fi
}

# number FILE OFFSET BYTES: a little-endian number in a file.
number() {
    od -An -v -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

# machine_kernel CACHE: prints the kernel's path. Unpacking itself costs a bzImage five seconds under
# emulation, so the ELF image within is unpacked here, once; qemu starts it by its PVH entry. Offsets
# are those of Linux Documentation/arch/x86/boot.rst: setup_sects, payload_offset, payload_length; the
# payload ends with its unpacked size in four bytes.
machine_kernel() {
    local folder packed start length
    folder=$(package_dir "$1" 'linux-image-[0-9].*')/boot
    packed=$(echo "$folder"/vmlinuz-*)
    if [ ! -s "$folder/vmlinux" ]; then
        start=$((($(number "$packed" 0x1f1 1) + 1) * 512 + $(number "$packed" 0x248 4)))
        length=$(($(number "$packed" 0x24c 4) - 4))
        tail -c "+$((start + 1))" "$packed" | head -c $length | xz -dc >"$folder/vmlinux.new" ||
            die "cannot unpack $packed"
        mv "$folder/vmlinux.new" "$folder/vmlinux"
    fi
    echo "$folder/vmlinux"
}

# machine_command ACCEL KERNEL IMAGE APPEND: begins the command line, kept in LAB_QEMU.
machine_command() {
    LAB_QEMU=(qemu-system-x86_64 -accel "$1" -cpu max -smp 2 -m 1024
        -nodefaults -no-reboot -display none -kernel "$2" -initrd "$3"
        -append "console=ttyS0 panic=-1 oops=panic printk.devkmsg=on $4")
}

# qemu OPTION...: adds options.
qemu() {
    LAB_QEMU+=("$@")
}

# disk NAME: adds a 64 MiB drive of zeroes that needs no file and forgets what is written to it.
disk() {
    qemu -drive "if=none,id=$1,driver=null-co,size=64M,read-zeroes=on"
}

# image NAME MIB: adds a virtio disk /dev/vda, /dev/vdb, ... whose contents stay from one start of the machine to the next.
image() {
    # shellcheck disable=SC2154 # of lab
    truncate -s "$2M" "$work/$1"
    qemu -drive "if=virtio,format=raw,file=$work/$1"
}

# machine_cut OUT NUMBER LIMIT: starts the machine, and some time after it has said "lab: cut" (seconds, which nobody
# knows beforehand) it has no power any more. Returns 3 where it does not say so.
machine_cut() {
    local console=$1/console-cut-$2.log pid='' left=$3
    timeout -k 5 "$3" "${LAB_QEMU[@]}" -pidfile "$work/pid" -serial "file:$console" -serial null \
        </dev/null >"$1/qemu.log" 2>&1 &
    while [ "$left" -gt 0 ] && kill -0 $! 2>/dev/null && ! grep -qsa 'lab: cut' "$console"; do
        sleep 1
        left=$((left - 1))
    done
    grep -qsa 'lab: cut' "$console" || {
        say "no word of the machine whose power is to be cut; the console's last lines:"
        tail -n 5 "$console" >&2
    }
    sleep "$((RANDOM % 6)).$((RANDOM % 1000))"
    pid=$(cat "$work/pid") && kill -KILL "$pid"
    wait $! 2>/dev/null || true
    rm -f "$work/pid"
    grep -qsa 'lab: cut' "$console" || return 3
}

# machine_run OUT LIMIT: runs the command line for at most LIMIT seconds and puts what the guest sends
# into OUT. Returns 0 or 1 as the scenario's script ended, 124 at a time limit, 3 where the lab itself
# failed: the guest did not come up, or its results were lost on the way.
machine_run() {
    local out=$1 limit=$2 ended=0
    rm -f "$out/console.log"
    timeout --foreground -k 5 "$limit" "${LAB_QEMU[@]}" \
        -serial "file:$out/console.log" -serial "file:$out/results.tar.gz" \
        </dev/null >"$out/qemu.log" 2>&1 || ended=$?
    if ! grep -qsa 'lab: guest is up' "$out/console.log"; then
        say "the guest did not come up (qemu ended with $ended)"
        tail -n 5 "$out/qemu.log" >&2
        return 3
    elif tar -xzf "$out/results.tar.gz" -C "$out" 2>/dev/null && [ -s "$out/status" ]; then
        rm "$out/results.tar.gz"
        return "$(cat "$out/status")"
    elif [ $ended -eq 124 ]; then
        say "no results within $limit s; the console's last lines:"
        tail -n 5 "$out/console.log" >&2
        return 124
    elif grep -qa 'lab: results are sent' "$out/console.log"; then
        say "the guest's results were lost on the way"
        return 3
    fi
    say "the guest died; the console's last lines:"
    tail -n 30 "$out/console.log" >&2
    return 1
}
