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

# By their command line, each by the topmost that belongs to init: it or what started it was left there. Not this script's own, nor what others
# started who only name us.
processes() {
    local each pid line top
    for each in /proc/[0-9]*; do
        pid=${each#/proc/}
        line=$(words "$pid") || continue
        case $line in *redoma*) ;; *) continue ;; esac
        ! ours "$pid" || continue
        top=$(topmost "$pid")
        line=$(words "$top") || continue
        case $line in
            *setup/test.sh* | *redoma\ test* | *.ci/run*) ;;
            *redoma*) echo "process $top ${line:0:200}" ;;
        esac
    done
}

words() { { tr '\0' ' ' <"/proc/$1/cmdline"; } 2>/dev/null; }
parent() { sed -n 's/^PPid:\t//p' "/proc/$1/status" 2>/dev/null; }

topmost() {
    local top=$1 above
    while above=$(parent "$top") && [ "${above:-0}" -gt 1 ]; do top=$above; done
    echo "$top"
}

# A process below this script (a pipe of its own) ends by itself.
ours() {
    local pid=$1 status
    while [ "${pid:-0}" -gt 1 ]; do
        [ "$pid" != $$ ] || return 0
        pid=$(parent "$pid") || return 1
    done
    return 1
}

# Of installations that were there before, sandboxes come and go as they like.
others() {
    local known
    known=$(sed -n 's/^cgroup .*\/\(redoma-[0-9a-z]*\)$/\1/p' "$1" | sort -u)
    while read -r kind what rest; do
        case $kind in
            cgroup) line=$what ;;
            process) line=$(cat "/proc/$what/cgroup" 2>/dev/null) || line= ;;
            *) line= ;;
        esac
        if [ -z "$known" ] || [ -z "$line" ] || ! grep -qwF "$known" <<<"$line"; then echo "$kind $what $rest"; fi
    done
}

# Prints what is there now and was not before; a little time is given to what is just ending.
settled_leftovers() {
    local try new
    for try in 1 2 3 4 5 6 7 8 9 10; do
        new=$(comm -13 "$1" <(leftovers) | others "$1")
        [ -n "$new" ] || return 0
        sleep 1
    done
    echo "$new"
    return 1
}
