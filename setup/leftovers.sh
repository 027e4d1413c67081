# SPDX-License-Identifier: Apache-2.0
# What carries our name on this machine beyond files: mounts, cgroups, loop devices, processes. Sourced by test.sh.

leftovers() {
    {
        grep redoma /proc/self/mountinfo | sed 's/^[0-9]* [0-9]* [^ ]* [^ ]* \([^ ]*\) .*/mount \1/' || true
        find /sys/fs/cgroup -type d -name '*redoma*' 2>/dev/null | sed 's/^/cgroup /' || true
        local loop
        for loop in /sys/block/loop*/loop/backing_file; do
            if grep -q redoma "$loop" 2>/dev/null; then echo "loop $(<"$loop")"; fi
        done
        processes
    } | sort -u
}

# By their command line or working directory; not this script's own.
processes() {
    local each pid line
    for each in /proc/[0-9]*; do
        pid=${each#/proc/}
        line=$({ tr '\0' ' ' <"$each/cmdline"; } 2>/dev/null) || continue
        case $line in
            *setup/test.sh* | *redoma\ test* | *.ci/run*) continue ;;
            *redoma*) ! ours "$pid" || continue; echo "process $pid ${line:0:200}" ;;
        esac
    done
}

# A process below this script (a pipe of its own) ends by itself.
ours() {
    local pid=$1 status
    while [ "${pid:-0}" -gt 1 ]; do
        [ "$pid" != $$ ] || return 0
        pid=$(sed -n 's/^PPid:\t//p' "/proc/$pid/status" 2>/dev/null) || return 1
    done
    return 1
}

# Prints what is there now and was not before; a little time is given to what is just ending.
settled_leftovers() {
    local try new
    for try in 1 2 3 4 5 6 7 8 9 10; do
        new=$(comm -13 "$1" <(leftovers))
        [ -n "$new" ] || return 0
        sleep 1
    done
    echo "$new"
    return 1
}
