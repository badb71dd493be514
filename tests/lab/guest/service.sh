# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC3043 # local
#
# For guests where hbad is installed as a service (root=service, package or installed): asking it, telling it to look, and what must be so.

# fail TEXT: ends the scenario as failed, with what hbad knows by now and what was logged.
fail() {
    echo "FAIL: $*"
    keep service-end hbactl status --service
    keep findings-end hbactl --daemon list findings
    keep journal journalctl --no-pager --boot --output=short-monotonic
    exit 1
}

# is WHAT GOT WANTED: ends the scenario as failed unless they are the same.
is() {
    [ "$2" = "$3" ] || fail "$1: \"$2\", expected \"$3\""
    echo "$1: $2"
}

# at_most WHAT NUMBER MOST: likewise.
at_most() {
    [ "$2" -le "$3" ] || fail "$1: $2, at most $3 are allowed"
    echo "$1: $2 (at most $3)"
}

# mode_of PATH: its permissions and owners.
mode_of() {
    stat -c '%a %U %G' "$1"
}

# as_nobody COMMAND...: as a user without any right. Busybox has a setpriv of its own.
as_nobody() {
    /usr/bin/setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
}

# property NAME [UNIT]: what systemd says of it.
property() {
    systemctl show --value --property="$1" "${2:-hbad.service}"
}

# processes_of PROGRAM: how many there are.
processes_of() {
    cat /proc/[0-9]*/comm 2>/dev/null | grep -cx "$1"
}

# units_of NAME: how many instances of that unit there are.
units_of() {
    systemctl --no-legend --plain list-units "$1@*.service" | grep -c .
}

# configure NAME: its input is what the administrator says, in a file of that name, and is in force.
configure() {
    mkdir -p /etc/hbad/hbad.conf.d
    cat >"/etc/hbad/hbad.conf.d/$1"
    hbactl reload || fail "hbad does not take its configuration"
}

# rounds: how many it has made.
rounds() {
    hbactl status --service --json=short | sed 's/.*"rounds":\([0-9]*\).*/\1/'
}

# look_now: has it look at everything, and waits for the end of that.
look_now() {
    local before
    before=$(rounds)
    kill -USR1 "$(property MainPID)"
    wait_until 30 looked_since "$before" || fail "hbad does not look"
}

looked_since() {
    [ "$(rounds)" -gt "$1" ] && ! hbactl status --service --json=short | grep -q '"state":"running"'
}

# finds_now CODE NAME: is there such a finding by now?
finds_now() {
    hbactl list findings --no-legend | grep -q "^[a-z]* *$1 .*$2"
}

# entries CHANGE CODE [NAME]: how many the journal has of a finding of that code.
entries() {
    journalctl --quiet --output=cat HBAD_CODE="$2" HBAD_CHANGE="$1" ${3:+HBAD_NAME="$3"} | grep -c .
}

# told CHANGE CODE [NAME]: is there at least one?
told() {
    [ "$(entries "$@")" -gt 0 ]
}

# entries_of_findings: all of them, an object a line.
entries_of_findings() {
    journalctl --no-pager --output=json --identifier=hbad | grep '"HBAD_CODE"'
}

# answers WHEN: hbad answers at once (nearly all of it is hbactl, which is started), whatever is the matter.
answers() {
    local ms
    echo "lab: does hbad answer, $1?" >/dev/kmsg
    for _ in 1 2 3; do
        ms=$(milliseconds tells_hosts) || fail "hbad does not answer, $1: $(cat /tmp/hosts)"
        at_most "milliseconds for an answer, $1" "$ms" "$(within 4)000"
    done
}

# Exit statuses tell of the links.
tells_hosts() {
    hbactl --daemon list hosts --no-legend >/tmp/hosts 2>&1 || true
    grep -q '^host[0-9]' /tmp/hosts
}

# ends WHEN: it ends within a second, whatever is stuck; systemctl itself takes twice that on a machine with other work.
ends() {
    local ms
    echo "lab: does hbad end, $1?" >/dev/kmsg
    ms=$(milliseconds systemctl stop hbad.service) || fail "hbad cannot be stopped: $1"
    at_most "milliseconds to stop, $1" "$ms" "$(within 3)000"
    is "hbad" "$(property ActiveState) $(property Result)" "inactive success"
}
