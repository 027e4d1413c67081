# SPDX-License-Identifier: Apache-2.0
# Records starts of the command line and of the server for the JDK's ahead-of-time caches, which halve the next ones. Sourced by
# build.sh. Nothing depends on it: a cache that could not be made is said and left out.
train_cli() {
    local port log=$dist/training.log
    coproc fake { exec "$jdk/bin/java" "$home/setup/FakeServer.java" 2>"$log"; }
    local server=$fake_PID
    read -r -t 60 port <&"${fake[0]}" || port=
    if [ -n "$port" ]; then
        (unset REDOMA_JAVA_OPTIONS; home=$home dist=$dist REDOMA_URL=http://127.0.0.1:$port REDOMA_KEY=e2b_training \
            REDOMA_JAVA_OPTIONS="-XX:AOTCacheOutput=$dist/cli.aot" timeout 120 bash -c '. "$dist/launch.sh"' redoma list) \
            >>"$log" 2>&1 </dev/null || true
    fi
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    [ -s "$dist/cli.aot" ] || say "no ahead-of-time cache was made (see $log): the command line works, but starts slower"
}

# The smallest root file system with a shell in it.
tiny_tar() {
    local root=$1/tiny applet
    mkdir -p "$root"/{bin,dev,etc,home/user,lib,mnt,opt,proc,root,run,srv,sys,tmp,usr/bin,var/tmp}
    cp "$(command -v busybox)" "$root/bin/busybox"
    for applet in sh echo true; do ln -s busybox "$root/bin/$applet"; done
    echo 'root:x:0:0:root:/root:/bin/sh
user:x:1000:1000:user:/home/user:/bin/sh' >"$root/etc/passwd"
    echo 'root:x:0:
user:x:1000:' >"$root/etc/group"
    chown 1000:1000 "$root/home/user"
    tar -C "$root" -cf "$1/tiny.tar" .
}

# One that failed or was cut off leaves sandboxes and mounts.
unrehearsed() {
    rm -f "$dist/server.aot"
    (home=$home dist=$dist training=yes; . "$dist/launch.sh"
    timeout 120 "$dist/jdk/bin/java" "${server[@]}" -Dredoma.home="$home" -cp "$jars" dev.redoma.server.Uninstall --data "$1/data" --run "$1/run") || true
}

train_server() {
    local place log=$dist/training-server.log
    [ "$EUID" = 0 ] || return 0
    place=$(mktemp -d /tmp/rdr.XXXXXX) # short: socket paths have an end
    (home=$home dist=$dist; tiny_tar "$place"
    training=yes; . "$dist/launch.sh"
    exec timeout 180 "$dist/jdk/bin/java" "${server[@]}" -XX:AOTCacheOutput="$dist/server.aot" -Dredoma.home="$home" -cp "$jars" \
        dev.redoma.server.Rehearsal "$place" "$place/tiny.tar") >"$log" 2>&1 </dev/null || unrehearsed "$place" >>"$log" 2>&1 </dev/null
    rm -rf --one-file-system "$place"
    [ -s "$dist/server.aot" ] || say "no ahead-of-time cache was made for the server (see $log): it works, but starts slower"
}

train_cli
train_server
