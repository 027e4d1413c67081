#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes this machine ready and builds what changed since the last time. May be run again at any time.
set -euo pipefail
home=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
maven_version=3.9.12
. "$home/setup/tell.sh"
. "$home/setup/machine.sh"
. "$home/setup/build.sh"

check_machine
mkdir -p "$cache" "$home/target" 2>/dev/null && [ -w "$home/target" ] || stop "$home/target or $cache cannot be written; root is needed, or a checkout of your own"
trap 'rm -f "$cache/.lists.$$"' EXIT
exec 8>"$home/target/.setup.lock"
flock -w 1800 8 || stop "another setup of this checkout did not end within 30 minutes"
install_packages
[ -z "${REDOMA_TEST_PACKAGES-}" ] || fetch_registry
jdk=$(find_jdk) || jdk=$(install_jdk)
export JAVA_HOME=$jdk
cargo=$(find_cargo) || cargo=$(install_cargo)
maven=$(find_maven) || maven=$(install_maven)
build_all
