# SPDX-License-Identifier: Apache-2.0
# What the set-up scripts share. Sourced; expects $home.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/redoma

say() { echo "setup: $*" >&2; }
stop() { echo "setup: $*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# at_least HAVE WANT: compares dotted versions.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

jdk_version() {
    local line
    [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
    while IFS= read -r line; do
        case $line in JAVA_VERSION=*) line=${line#*\"}; echo "${line%%[.\"]*}"; return ;; esac
    done <"$1/release"
    return 1
}

# The home of a JDK 25 or newer: JAVA_HOME, else the newest under /usr/lib/jvm.
find_jdk() {
    local each version best=0 found=
    for each in "${JAVA_HOME:-}" /usr/lib/jvm/*; do
        version=$(jdk_version "$each" 2>/dev/null) || continue
        if [ "$version" -ge 25 ] && [ "$each" = "${JAVA_HOME:-}" ]; then echo "$each"; return; fi
        if [ "$version" -ge 25 ] && [ "$version" -gt "$best" ]; then best=$version found=$each; fi
    done
    [ -n "$found" ] && echo "$found"
}

# A cargo of 1.75 or newer: the user's own, else the distribution's.
find_cargo() {
    local each version
    for each in "$(command -v cargo || true)" "$HOME/.cargo/bin/cargo" /usr/bin/cargo; do
        [ -x "$each" ] || continue
        version=$("$each" --version 2>/dev/null | cut -d ' ' -f 2) || continue
        if at_least "${version:-0}" 1.75; then echo "$each"; return; fi
    done
    return 1
}

# Maven of 3.9.6 or newer: the machine's, else ours in the cache. Asked outside the tree, whose .mvn is for JDK 25.
find_maven() {
    local each version
    for each in "$(command -v mvn || true)" "$cache/apache-maven-$maven_version/bin/mvn"; do
        [ -x "$each" ] || continue
        version=$(cd / && JAVA_HOME=$jdk "$each" -v 2>/dev/null | sed -n 's/^Apache Maven \([0-9.]*\).*/\1/p') || continue
        if at_least "${version:-0}" 3.9.6; then echo "$each"; return; fi
    done
    return 1
}
