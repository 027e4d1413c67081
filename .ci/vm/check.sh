#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Run by `vm check` in the virtual machine, as root, in the checkout copied there: what a user does first, by the command line, and what the
# host looks like meanwhile. Ends with `N passed, N failed`.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
export HOME=/root DEBIAN_FRONTEND=noninteractive REDOMA_WARM_SIZE=0
missing=()
for package in crun runc btrfs-progs busybox-static zstd procps; do dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package"); done
if [ ${#missing[@]} -gt 0 ]; then
    apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/tmp/apt.log 2>&1 || { tail /tmp/apt.log; exit 1; }
fi
tree=/sys/fs/cgroup
[ "$(stat -fc %T $tree)" = cgroup2fs ] || { echo "this machine's cgroups are not version 2 alone"; exit 1; }

passed=0 failed=0
check() { # NAME EXPECTED ACTUAL: a regular expression over all of it
    if [[ $3 =~ $2 ]]; then passed=$((passed + 1)); echo "ok    $1"; else failed=$((failed + 1)); echo "FAILED $1: wanted '$2', got '$3'"; fi
}
redoma() { ./redoma "$@" 2>&1; }
field() { grep -oE "\"$1\" *: *(\"[^\"]*\"|[0-9.a-z]+)" | head -n 1 | sed 's/^[^:]*: *//; s/"//g'; }
groups_of() { find $tree -maxdepth 2 -type d -path '*/redoma-*' -name "$1*"; }

doctor=$(redoma doctor --local)
echo "$doctor"
check "doctor finds nothing missing" '^0$' "$(grep -c missing <<<"$doctor")"
check "doctor: nothing is left" '^0$' "$(grep -c redoma /proc/self/mountinfo)"

(cd "$HOME" && exec setsid "$OLDPWD/redoma" up --data /var/lib/redoma --run /run/redoma >/tmp/up.log 2>&1 </dev/null) &
for _ in $(seq 300); do [ ! -r /var/lib/redoma/server.json ] || break; sleep 1; done
[ -r /var/lib/redoma/server.json ] || { cat /tmp/up.log; exit 1; }

mkdir -p /tmp/tiny/bin && cp /bin/busybox /tmp/tiny/bin && for name in sh sleep cat dd yes true head echo sync ls nproc; do ln -sf busybox "/tmp/tiny/bin/$name"; done
mkdir -p /tmp/tiny/etc /tmp/tiny/tmp && echo root:x:0:0:root:/:/bin/sh >/tmp/tiny/etc/passwd && echo root:x:0: >/tmp/tiny/etc/group
tar -C /tmp/tiny -cf /tmp/tiny.tar .
check "a template is imported" 'tiny' "$(redoma template import tiny /tmp/tiny.tar)"

made=$(redoma create --template tiny --cpu 1 --memory 128MiB --pids 64 --json)
box=$(field id <<<"$made")
check "create" '^sb' "$box"
group=$(groups_of "$box")
echo "group: $group"
check "memory.max" '^134217728$' "$(cat "$group/memory.max")"
check "cpu.max" '^100000 100000$' "$(cat "$group/cpu.max")"
check "pids.max" '^64$' "$(cat "$group/pids.max")"
check "no process beside children" '^$' "$(cat "$group/cgroup.procs")"
check "init in its leaf" '^[0-9]+' "$(cat "$group/init/cgroup.procs")"
check "exec" '^hello$' "$(redoma exec "$box" -- echo hello)"
check "its own group is its root" '^134217728$' "$(redoma exec "$box" -- cat /sys/fs/cgroup/memory.max)"
check "exec: out of memory is told" '(oom|memory)' "$(redoma exec "$box" -- sh -c 'dd if=/dev/zero of=/dev/null bs=300M count=1'; echo " $?")"
check "the sandbox lives on" '^alive$' "$(redoma exec "$box" -- echo alive)"
check "pids" "can't fork" "$(redoma exec "$box" -- sh -c 'i=0; while [ $i -lt 100 ]; do sleep 5 & i=$((i+1)); done')"
redoma pause "$box" >/dev/null
check "pause freezes" 'frozen 1' "$(cat "$group/cgroup.events")"
redoma resume "$box" >/dev/null
check "resume thaws" 'frozen 0' "$(cat "$group/cgroup.events")"

# systemd writes the root's cgroup.subtree_control for its units: ours must stay in force.
before=$(cat $tree/cgroup.subtree_control "${group%/*}/cgroup.subtree_control")
systemctl daemon-reload
systemd-run -q --wait -p CPUQuota=20% -p IOWeight=50 -p MemoryMax=64M -p TasksMax=20 true
systemctl daemon-reexec
check "systemd leaves our controllers" 'same' "$([ "$before" = "$(cat $tree/cgroup.subtree_control "${group%/*}/cgroup.subtree_control")" ] && echo same || cat $tree/cgroup.subtree_control)"
check "systemd leaves our limits" '^134217728$' "$(cat "$group/memory.max")"

server=$(field pid </var/lib/redoma/server.json)
kill -KILL "$server"
for _ in $(seq 50); do [ -d "/proc/$server" ] || break; sleep 0.2; done
check "a sandbox outlives its server" '^[0-9]+' "$(cat "$group/init/cgroup.procs")"
(cd "$HOME" && exec setsid "$OLDPWD/redoma" up --data /var/lib/redoma --run /run/redoma >/tmp/up2.log 2>&1 </dev/null) &
check "found again" '^again$' "$(for _ in $(seq 120); do out=$(redoma exec "$box" -- echo again) && break; sleep 1; done; echo "$out")"

fast=$(redoma create --template tiny --json --io 4MiB); io=$(field id <<<"$fast")
check "io.max" 'rbps=4194304 wbps=4194304' "$(cat "$(groups_of "$io")/io.max")"
# By the clock inside: starting the command line takes longer than that here.
seconds=$(redoma exec "$io" -- sh -c 'read a b </proc/uptime; dd if=/dev/urandom of=/x bs=1M count=32 conv=fsync 2>/dev/null; read c b </proc/uptime; echo $((${c%.*} - ${a%.*}))')
check "32 MiB written at 4 MiB/s take 6 s or more" '^([6-9]|[1-9][0-9]+)$' "$seconds"

redoma exec "$box" -- sh -c 'echo kept >/kept' >/dev/null
redoma snapshot create "$box" --name saved >/dev/null
saved=$(redoma create --template saved --json | field id)
check "snapshot" '^kept$' "$(redoma exec "$saved" -- cat /kept)"
fork=$(redoma fork "$box" --json | field id)
check "fork" '^kept$' "$(redoma exec "$fork" -- cat /kept)"
small=$(redoma create --template tiny --disk 64MiB --json | field id)
check "disk: a write beyond it fails" '(No space|quota|Disk quota)' "$(redoma exec "$small" -- sh -c 'dd if=/dev/zero of=/big bs=1M count=200; sync')"
check "disk: it still answers" '^alive$' "$(redoma exec "$small" -- echo alive)"
redoma exec "$box" --timeout 5s -- sh -c 'setsid sleep 1000 & sleep 1000 & sleep 1000' >/dev/null
check "a timeout ends the whole tree" '^0$' "$(redoma exec "$box" -- sh -c 'cat /proc/[0-9]*/comm | grep -c sleep')"

check "kill" '' "$(redoma kill "$box" "$io" "$saved" "$fork" "$small")"
check "no group of it" '^$' "$(groups_of "$box")"
check "no mount of a sandbox shows here" '^0$' "$(grep -cE 'boot_id|/instances/' /proc/self/mountinfo)"
check "uninstall" '' "$(redoma uninstall --data /var/lib/redoma --run /run/redoma --yes)"
check "nothing is left" '^0 0 0$' "$(grep -c redoma /proc/self/mountinfo) $(find $tree -name 'redoma-*' | wc -l) $(losetup -a | wc -l)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
