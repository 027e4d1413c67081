// SPDX-License-Identifier: Apache-2.0
//! `redoma-guest [SOCKET]`: PID 1 of a sandbox.

fn main() {
    let socket = std::env::args_os().nth(1).map(Into::into);
    if let Err(error) = redoma_guest::start::run(socket) {
        eprintln!("redoma-guest: {error}");
        std::process::exit(1);
    }
}
