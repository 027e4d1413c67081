#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the disk of a virtual machine with nothing on it but the distribution, systemd and an ssh server, as a newcomer would find it:
#   disk.sh FOLDER     leaves FOLDER/{disk.ext4,kernel,initrd,key,key.pub,suite}
#
# REDOMA_VM_SUITE names the suite (trixie). The packages come from where this machine's own apt gets its distribution; where that is another
# one, REDOMA_VM_SOURCES names a file of sources (deb lines) instead.
set -euo pipefail
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
out=${1:?"usage: $0 FOLDER"}
suite=${REDOMA_VM_SUITE:-trixie}
size=${REDOMA_VM_DISK:-24G}
fail() { echo "vm: $*" >&2; exit 1; }

[ "$EUID" = 0 ] || fail "a disk is made as root"
for tool in mmdebstrap mke2fs ssh-keygen apt-get; do command -v "$tool" >/dev/null || fail "$tool is missing (packages mmdebstrap, e2fsprogs, openssh-client)"; done
mkdir -p "$out"

# The machine's own mirror of its distribution, with this suite and its updates.
sources() {
    if [ -n "${REDOMA_VM_SOURCES-}" ]; then cat "$REDOMA_VM_SOURCES"; return; fi
    apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' \
        | awk -v suite="$suite" '$1 == $2 && ($1 == "Debian" || $1 == "Ubuntu") && !seen[$3]++ {
            print "deb", $3, suite, ($1 == "Ubuntu" ? "main universe" : "main"); print "deb", $3, suite "-updates", ($1 == "Ubuntu" ? "main universe" : "main") }'
}
list=$(sources)
[ -n "$list" ] || { apt-get update -qq >&2; list=$(sources); }
[ -n "$list" ] || fail "this machine has no package lists of Debian or Ubuntu: run apt-get update"

case $list in *universe*) kernel=linux-image-virtual ;; *) kernel=linux-image-cloud-amd64 ;; esac
packages=systemd,systemd-sysv,dbus,udev,kmod,initramfs-tools,zstd,openssh-server,ca-certificates,iproute2,tzdata,$kernel
root=$out/root.$$
trap 'rm -rf --one-file-system "$root"' EXIT

[ -s "$out/key" ] || ssh-keygen -q -t ed25519 -N '' -C redoma-vm -f "$out/key"
mmdebstrap --mode=root --variant=important --format=directory --include="$packages" \
    --aptopt='Acquire::Languages "none"' --aptopt='APT::Sandbox::User "root"' "$suite" "$root" - <<<"$list"

# Network by DHCP, names from QEMU's own resolver, root by this key only.
mkdir -p "$root/etc/systemd/network" "$root/root/.ssh"
printf '[Match]\nName=e*\n[Network]\nDHCP=yes\n' >"$root/etc/systemd/network/90-all.network"
chroot "$root" systemctl enable -q systemd-networkd
rm -f "$root/etc/resolv.conf"
echo 'nameserver 10.0.2.3' >"$root/etc/resolv.conf"
install -m 600 "$out/key.pub" "$root/root/.ssh/authorized_keys"
echo redoma-vm >"$root/etc/hostname"
printf '127.0.0.1 localhost\n127.0.1.1 redoma-vm\n' >"$root/etc/hosts"
printf '/dev/vda / ext4 defaults 0 1\n' >"$root/etc/fstab"
# Nothing waits for a network that does not come, nothing runs apt behind our back.
chroot "$root" systemctl mask -q systemd-networkd-wait-online.service apt-daily.timer apt-daily-upgrade.timer

cp -L "$root/vmlinuz" "$out/kernel" 2>/dev/null || cp -L "$root"/boot/vmlinuz-* "$out/kernel"
cp -L "$root"/boot/initrd.img-* "$out/initrd"
rm -f "$out/disk.ext4"
mke2fs -q -t ext4 -L root -d "$root" "$out/disk.ext4.part" "$size"
mv "$out/disk.ext4.part" "$out/disk.ext4"
echo "$suite" >"$out/suite"
echo "vm: a disk of $suite is at $out" >&2
