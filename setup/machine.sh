# SPDX-License-Identifier: Apache-2.0
# What must be on the machine, and how it comes there. Sourced by setup.sh.

# "command package": the package is installed where the command is missing.
needed='
crun crun
runc runc
btrfs btrfs-progs
mkfs.btrfs btrfs-progs
mmdebstrap mmdebstrap
ip iproute2
nft nftables
busybox busybox-static
zstd zstd
git git
curl curl
unzip unzip
mvn maven
gcc gcc
setsid util-linux
losetup mount
flock util-linux
ps procps
'
files='
/usr/lib/x86_64-linux-gnu/libc.a libc6-dev
/etc/ssl/certs/ca-certificates.crt ca-certificates
'

missing_commands() { while read -r command package; do [ -z "$command" ] || have "$command" || echo "$command"; done <<<"$needed"; }

missing_packages() {
    { while read -r command package; do [ -z "$command" ] || have "$command" || echo "$package"; done <<<"$needed"
      while read -r file package; do [ -z "$file" ] || [ -e "$file" ] || echo "$package"; done <<<"$files"; } | sort -u
}

# Machines that set-up serves; elsewhere it says what would be missing and stops before it changes anything.
check_machine() {
    PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
    local id=unknown version=0 name=${OSTYPE:-unknown}
    if [ -r /etc/os-release ]; then
        id=$(. /etc/os-release; echo "${ID:-}") version=$(. /etc/os-release; echo "${VERSION_ID:-999}") name=$(. /etc/os-release; echo "${PRETTY_NAME:-}")
    fi
    [ "$(uname -sm)" = "Linux x86_64" ] || stop "Redoma serves Linux on x86_64; this is $(uname -sm)."
    case $id in
        debian) at_least "$version" 12 && have apt-get && return ;;
        ubuntu) at_least "$version" 24.04 && have apt-get && return ;;
    esac
    stop "this machine ($name) is not served: setup knows Debian 12 and newer and Ubuntu 24.04 and newer." \
        "Missing here: $(missing_commands | tr '\n' ' ')$(find_jdk >/dev/null || echo 'a JDK 25 ')$(find_cargo >/dev/null || echo 'a cargo of 1.75 or newer')"
}

as_root_or_stop() { [ "$EUID" = 0 ] || stop "root is needed to install: $*. Run: sudo $home/redoma setup"; }

refresh_lists() {
    [ ! -e "$cache/.lists.$$" ] || return 0
    say "fetching the package lists"
    apt-get update -qq >&2 || stop "apt-get update failed; its words are above"
    : >"$cache/.lists.$$" # a file, because some callers are subshells
}

apt_install() {
    as_root_or_stop "$*"
    refresh_lists
    say "installing: $*"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >"$cache/apt.log" 2>&1 </dev/null \
        || { tail -n 20 "$cache/apt.log" >&2; stop "apt-get could not install: $*"; }
}

candidate() { apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: \(.*\)/\1/p' | grep -v '(none)'; }

install_packages() {
    local packages
    mapfile -t packages < <(missing_packages)
    if [ ${#packages[@]} -gt 0 ]; then
        apt_install "${packages[@]}"
        [ -z "$(missing_commands)" ] || stop "installed, but still not to be found: $(missing_commands | tr '\n' ' ')"
    fi
    have npm || say "no npm here: node in the template 'base' will be the distribution's"
}

# The distribution's registry server, for tests of pulls. Taken out of its package, not installed: installed, it would start and listen.
fetch_registry() {
    if have docker-registry || [ -x "$cache/docker-registry" ]; then return; fi
    as_root_or_stop docker-registry
    refresh_lists
    say "fetching the registry server that tests pull from"
    rm -rf "$cache/registry.part" && mkdir -p "$cache/registry.part"
    (cd "$cache/registry.part" && apt-get download -qq docker-registry && dpkg-deb -x docker-registry_*.deb . && mv usr/bin/docker-registry "$cache/docker-registry") \
        >"$cache/registry.log" 2>&1 </dev/null || { tail -n 20 "$cache/registry.log" >&2; stop "the package docker-registry could not be fetched"; }
    rm -rf "$cache/registry.part"
}

install_jdk() {
    [ "$EUID" != 0 ] || refresh_lists
    candidate openjdk-25-jdk-headless >/dev/null \
        || stop "a JDK 25 is needed and this distribution has none: put one under /usr/lib/jvm or set JAVA_HOME (Eclipse Temurin 25, for example)."
    apt_install openjdk-25-jdk-headless
    find_jdk || stop "openjdk-25-jdk-headless is installed, but no JDK 25 is under /usr/lib/jvm"
}

install_cargo() {
    [ "$EUID" != 0 ] || refresh_lists
    at_least "$(candidate cargo || echo 0)" 1.75 \
        || stop "a cargo of 1.75 or newer is needed and this distribution's is older: install Rust by rustup for this user."
    apt_install cargo
    find_cargo || stop "cargo is installed, but is not 1.75 or newer"
}

# An ordinary artifact of the registry that the machine's own, older Maven uses.
install_maven() {
    local folder=$cache/apache-maven-$maven_version
    say "fetching Maven $maven_version with the machine's own"
    rm -rf "$cache/maven.part" && mkdir -p "$cache/maven.part"
    (cd "$cache/maven.part" && JAVA_HOME=$jdk mvn -q -B -Dstyle.color=never org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
        -Dartifact=org.apache.maven:apache-maven:$maven_version:zip:bin -DoutputDirectory="$cache/maven.part" \
        && unzip -q "apache-maven-$maven_version-bin.zip") >"$cache/maven.log" 2>&1 </dev/null \
        || { tail -n 20 "$cache/maven.log" >&2; stop "Maven $maven_version could not be fetched"; }
    rm -rf "$folder"
    mv "$cache/maven.part/apache-maven-$maven_version" "$folder"
    rm -rf "$cache/maven.part"
    find_maven || stop "Maven $maven_version was fetched, but does not start"
}
