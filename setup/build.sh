# SPDX-License-Identifier: Apache-2.0
# Builds guest and jars into target/dist, each only when what it is made of changed. Sourced by setup.sh.
dist=$home/target/dist

# One digest over the names and contents of the files below the paths given, tracked or not, ignored ones left out.
digest_of() {
    if git -C "$home" rev-parse --git-dir >/dev/null 2>&1; then
        (cd "$home" && git ls-files -z -co --exclude-standard -- "$@")
    else
        (cd "$home" && find "$@" -name target -prune -o -type f -print0)
    fi | sort -z | (cd "$home" && xargs -0 -r sha256sum 2>/dev/null || true) | sha256sum | cut -c1-64
}

stamped() { [ -r "$dist/$1.stamp" ] && [ "$(<"$dist/$1.stamp")" = "$2" ]; }
stamp() { echo "$2" >"$dist/$1.stamp"; }

build_all() {
    mkdir -p "$dist"
    ln -sfn "$jdk" "$dist/jdk"
    build_guest
    build_jars
    write_launch
    say "ready"
}

build_guest() {
    local now
    now=$(digest_of guest)-$("$cargo" --version)
    if stamped guest "$now" && [ -x "$home/guest/target/dist/redoma-guest" ]; then return; fi
    say "building the guest"
    PATH=$(dirname "$cargo"):$PATH "$home/guest/build.sh" >&2 </dev/null || stop "the guest did not build; its words are above"
    stamp guest "$now"
}

build_jars() {
    local now
    now=$(digest_of pom.xml .mvn ':(glob)*/pom.xml' ':(glob)*/src/main/**' guest/proto setup server/jvm.options)-$(sha256sum <"$jdk/release")
    if stamped jars "$now"; then return; fi
    say "building the jars; this is quiet and takes a minute or more"
    rm -rf "$dist/lib.new" && mkdir -p "$dist/lib.new"
    (cd "$home" && "$maven" -q -B -ntp -Dmaven.test.skip=true package dependency:copy-dependencies \
        -DincludeScope=runtime -DoutputDirectory="$dist/lib.new") >&2 </dev/null || stop "the jars did not build; Maven's words are above"
    for room in cli server bench; do cp "$home/$room"/target/redoma-$room-*.jar "$dist/lib.new/"; done
    for jar in "$dist"/lib.new/picocli-*.jar; do
        "$jdk/bin/java" "$home/setup/Modernize.java" "$jar" >&2 || say "picocli stays as it is: the command line works, but starts slower"
    done
    native_sqlite
    rm -rf "$dist/lib" "$dist"/*.aot
    mv "$dist/lib.new" "$dist/lib"
    write_launch
    . "$home/setup/training.sh"
    stamp jars "$now"
}

# Laid out once: else each start of the server looks around for the kind of machine, unpacks the library to /tmp, and leaves it there
# when it is killed. Without it SQLite does that.
native_sqlite() {
    local inside
    case $(uname -m) in x86_64) inside=x86_64 ;; aarch64) inside=aarch64 ;; *) inside= ;; esac
    rm -rf "$dist/native" "$dist/native.new" && mkdir -p "$dist/native.new"
    [ -z "$inside" ] || (cd "$dist/native.new" && "$jdk/bin/jar" xf "$dist"/lib.new/sqlite-jdbc-*.jar "org/sqlite/native/Linux/$inside/libsqlitejdbc.so" &&
        mv org/sqlite/native/Linux/*/libsqlitejdbc.so . && rm -r org) || say "SQLite's library could not be laid out: the server works, but starts slower"
    mv "$dist/native.new" "$dist/native"
}

# How the command line starts. Written out, so that a call costs no look-ups.
write_launch() {
    local jars
    jars=$(cd "$dist/lib" && printf '$dist/lib/%s:' redoma-*.jar $(ls | grep -v '^redoma-'))
    {
        echo 'flags=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djdk.reflect.useNativeAccessorOnly=true --enable-native-access=ALL-UNNAMED --add-exports=java.base/sun.nio.ch=ALL-UNNAMED)'
        echo 'quiet=(-Xlog:disable -Xlog:all=error:stderr)'
        echo "jars=${jars%:}"
        # Java reads arguments and file names in the locale's encoding; without a UTF-8 one every letter beyond ASCII would be lost.
        echo 'case ${LC_ALL:-${LC_CTYPE:-${LANG-}}} in *[Uu][Tt][Ff]*) ;; *) export LC_ALL=C.UTF-8 ;; esac'
        echo "server=($(grep '^-' "$home/server/jvm.options" | tr '\n' ' '))"
        echo '[ ! -r "$dist/native/libsqlitejdbc.so" ] || server+=(-Dorg.sqlite.lib.path="$dist/native" -Dorg.sqlite.lib.name=libsqlitejdbc.so)'
        echo '[ ! -r "$dist/server.aot" ] || server+=(-XX:AOTCache="$dist/server.aot" "${quiet[@]}")'
        echo '[ ! -r "$dist/cli.aot" ] || flags+=(-XX:AOTCache="$dist/cli.aot" "${quiet[@]}")'
        # A Ctrl-C while Java starts can make it end with 1 instead of 130. Verbs that leave nothing to end need no handler of Java's: the signal ends them.
        echo 'case ${REDOMA_JAVA_OPTIONS-}${1-} in audit | diff | doctor | keys | list | logs | ls | policy | show | stat | status) flags+=(-Xrs) ;; esac'
        # A bench is a client that works hard: it has the whole compiler, as programs that use the client have.
        echo '[ "${1-}" != bench ] || flags=("${flags[@]/-XX:TieredStopAtLevel=1/-XX:+TieredCompilation}")'
        echo '[ -z "${training-}" ] || return 0'
        echo 'exec "$dist/jdk/bin/java" "${flags[@]}" ${REDOMA_JAVA_OPTIONS-} -Dredoma.home="$home" -Dredoma.server.flags="${server[*]}" -cp "$jars" dev.redoma.cli.Main "$@"'
    } >"$dist/launch.sh.new"
    mv -f "$dist/launch.sh.new" "$dist/launch.sh"
}
