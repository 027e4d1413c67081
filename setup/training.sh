# SPDX-License-Identifier: Apache-2.0
# Records a start of the command line for the JDK's ahead-of-time cache, which halves its next starts. Sourced by build.sh. Nothing
# depends on it: a cache that could not be made is said and left out.
train() {
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
train
