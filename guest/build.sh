#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the guest, the launcher and the floor programs into guest/target/dist.
set -eu
cd "$(dirname "$0")"
cargo build --release --locked --target-dir target
mkdir -p target/dist
for name in redoma-guest redoma-launcher redoma-floor noop; do
    install -m 0755 "target/release/$name" "target/dist/.$name.new"
    mv -f "target/dist/.$name.new" "target/dist/$name"
done
