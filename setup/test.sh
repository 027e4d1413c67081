#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The whole test suite: redoma test [--long]. Ends with `N passed, N failed, N skipped`, and with success only if nothing failed, no
# test was skipped that .ci/skips does not name, and nothing of ours was left behind.
set -euo pipefail
home=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
long=() most=60m
case ${1-} in
    --long) long=(-Dlong=true) most=6h ;;
    '') ;;
    *) echo "usage: redoma test [--long]" >&2; exit 2 ;;
esac
export LC_ALL=C.UTF-8 # tests name files beyond ASCII, which a JVM of the plain C locale cannot
REDOMA_TEST_PACKAGES=yes "$home/setup/setup.sh" </dev/null

maven_version=3.9.12
. "$home/setup/tell.sh"
. "$home/setup/leftovers.sh"
jdk=$(find_jdk) cargo=$(find_cargo)
export JAVA_HOME=$jdk PATH=$jdk/bin:$(dirname "$cargo"):$PATH:/usr/local/sbin:/usr/sbin:/sbin
maven=$(find_maven)
logs=$home/target/test
rm -rf "$logs" && mkdir -p "$logs"
find "$home" -path '*/target/surefire-reports' -prune -exec rm -rf {} +
leftovers >"$logs/before"
failed=0

echo "== cargo test"
timeout --kill-after=30s "$most" cargo test --manifest-path "$home/guest/Cargo.toml" --locked --target-dir "$home/guest/target" </dev/null 2>&1 | tee "$logs/cargo.log" || failed=1
echo "== mvn test ${long[*]}"
(cd "$home" && timeout --kill-after=30s "$most" "$maven" -B -ntp "${long[@]}" -Dmaven.test.failure.ignore=true -Dstyle.color=never test </dev/null 2>&1) | tee "$logs/maven.log" || failed=1

# Surefire's reports, one line a test: outcome, class#method, message.
find "$home" -path '*/target/surefire-reports/TEST-*.xml' -exec cat {} + 2>/dev/null | awk '
    function attribute(name,  at) {
        at = match($0, " " name "=\"[^\"]*\"")
        return at ? substr($0, at + length(name) + 3, RLENGTH - length(name) - 4) : ""
    }
    { # what tests printed is no markup
        line = $0; kept = ""
        while (line != "") {
            at = index(line, inside ? "]]>" : "<![CDATA[")
            if (!inside) kept = kept (at ? substr(line, 1, at - 1) : line)
            line = at ? substr(line, at + (inside ? 3 : 9)) : ""
            if (at) inside = !inside
        }
        $0 = kept
    }
    function flush_case() { if (test != "") print outcome "\t" test "\t" message; test = "" }
    /<testcase / { flush_case(); test = attribute("classname") "#" attribute("name"); outcome = "passed"; message = "" }
    /<(failure|error)[ >]/ { if (test != "") { outcome = "failed" } }
    /<skipped[ \/>]/ { if (test != "" && outcome == "passed") { outcome = "skipped"; message = attribute("message") } }
    /<\/testsuite>/ { flush_case() }
    END { flush_case() }' | sort >"$logs/tests"

count() { grep -c "^$1" "$logs/tests" || true; }
cargo_count() { sed -n "s/^test result:.* \([0-9]*\) $1;.*/\1/p" "$logs/cargo.log" | awk '{ n += $1 } END { print n + 0 }'; }
passed=$(($(count passed) + $(cargo_count passed)))
broken=$(($(count failed) + $(cargo_count failed)))
skipped=$(($(count skipped) + $(cargo_count ignored)))

# A skip must be named in .ci/skips, by `class#method` or `class#*`, with the reason behind it.
while IFS=$'\t' read -r _ test message; do
    echo "skipped: $test ($message)"
    named=no
    while read -r pattern reason; do
        case $pattern in ''|'#'*) continue ;; esac
        # shellcheck disable=SC2053
        [[ $test != $pattern ]] || named=yes
    done <"$home/.ci/skips"
    [ $named = yes ] || { echo "FAILED: this skip is not named in .ci/skips: $test"; failed=1; }
done < <(grep '^skipped' "$logs/tests" || true)

sed -n 's/^failed\t\([^\t]*\).*/FAILED: \1/p' "$logs/tests"
if ! settled_leftovers "$logs/before" >"$logs/left"; then
    sed 's/^/FAILED: left behind: /' "$logs/left"
    failed=1
fi
[ "$broken" -eq 0 ] || failed=1
[ "$passed" -gt 0 ] || { echo "FAILED: no test ran"; failed=1; }
if [ $failed -ne 0 ] && [ "$broken" -eq 0 ]; then broken=1; fi # what failed outside any test counts as one
echo "$passed passed, $broken failed, $skipped skipped"
exit $failed
