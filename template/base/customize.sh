#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes of a fresh root file system ($1) the template `base`. Runs on the host, before anything untrusted was in it.
set -euo pipefail
root=${1:?}
inside() { chroot "$root" "$@"; }
put() { mkdir -p "$root$(dirname "$1")"; cat >"$root$1"; chmod "${2:-0644}" "$root$1"; }

# /tmp is left alone: mmdebstrap keeps there what tells its apt that it works on the new root and not on this host.
# The packages that were fetched serve the next build.
find "$root/var/cache/apt/archives" -maxdepth 1 -name '*.deb' -exec cp --reflink=auto -u -t "$REDOMA_CACHE/debs" {} +
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/* "$root"/var/cache/{ldconfig/aux-cache,debconf/*-old}
mkdir -p "$root/var/cache/apt/archives/partial" "$root/var/lib/apt/lists/partial" "$root/var/log/apt"

# Manuals and translations are not read by agents; licences stay.
find "$root/usr/share/doc" -mindepth 1 ! -name copyright ! -type d -delete
find "$root/usr/share/doc" -mindepth 1 -type d -empty -delete
rm -rf "$root"/usr/share/{man,info,lintian,linda}/* "$root"/usr/share/locale/*
mkdir "$root"/usr/share/man/man{1..8} # packages with alternatives, Java's among them, link pages into these and fail without

if [ "$REDOMA_WITH_NODE" = npm ]; then
    mkdir -p "$root/usr/local/lib/node_modules/npm"
    tar -xzf "$REDOMA_CACHE/npm/$REDOMA_NODE" -C "$root/usr/local" --no-same-owner --strip-components=1 package/bin/node package/LICENSE
    mkdir -p "$root/usr/local/share/doc/node" && mv "$root/usr/local/LICENSE" "$root/usr/local/share/doc/node/copyright"
    tar -xzf "$REDOMA_CACHE/npm/$REDOMA_NPM" -C "$root/usr/local/lib/node_modules/npm" --no-same-owner --strip-components=1
    rm -rf "$root"/usr/local/lib/node_modules/npm/{docs,man}
    chmod -R u=rwX,go=rX "$root/usr/local/lib/node_modules/npm"
    chmod 0755 "$root/usr/local/bin/node" "$root"/usr/local/lib/node_modules/npm/bin/*.js
    ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
    ln -sf ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
    inside node --version >&2
fi

inside useradd --create-home --uid 1000 --shell /bin/bash user
put /etc/sudoers.d/user 0440 <<<'user ALL=(ALL:ALL) NOPASSWD: ALL'

# Nobody sits in front of a pager or an editor: both would only wait.
put /etc/gitconfig <<'X'
[core]
	pager = cat
	editor = true
[sequence]
	editor = true
[init]
	defaultBranch = main
X
put /etc/profile.d/redoma.sh <<'X'
export LANG=C.UTF-8 PAGER=cat GIT_PAGER=cat MANPAGER=cat SYSTEMD_PAGER=cat
X
cat "$root/etc/profile.d/redoma.sh" - <"$root/etc/bash.bashrc" >"$root/etc/bash.bashrc.new"
mv "$root/etc/bash.bashrc.new" "$root/etc/bash.bashrc"
put /etc/environment <<'X'
PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
LANG=C.UTF-8
PAGER=cat
GIT_PAGER=cat
X
put /etc/default/locale <<<'LANG=C.UTF-8'
# The whole system is disposable, so pip may install into it.
put /etc/pip.conf <<'X'
[global]
break-system-packages = true
disable-pip-version-check = true
root-user-action = ignore
X

# Nothing of the host that built it.
put /etc/hosts <<'X'
127.0.0.1 localhost
::1 localhost ip6-localhost ip6-loopback
X
put /etc/hostname <<<redoma
: | put /etc/resolv.conf
: | put /etc/machine-id
rm -f "$root/var/lib/dbus/machine-id"
sed -i 's#://[^/@ ]*@#://#' "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/* 2>/dev/null || true

# Capabilities outside the set that a sandbox may hold would keep such a program from starting at all (ping).
inside python3 - <<'X'
import os
for folder in ("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/libexec"):
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if os.path.isfile(path) and not os.path.islink(path) and "security.capability" in os.listxattr(path):
                os.removexattr(path, "security.capability")
X
