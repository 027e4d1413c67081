// SPDX-License-Identifier: Apache-2.0
//! Does what the server's threads cannot (they share one mount namespace): enters a clean mount namespace, builds a sandbox's mounts
//! there, and becomes the OCI runtime. Input is trusted (the server wrote it); what lies in the sandbox's disk is not.
//!
//!     redoma-launcher clean NSFILE [KEEP...]      makes the clean mount namespace and pins it at NSFILE
//!     redoma-launcher drop NSFILE                 unpins it
//!     redoma-launcher run KEY=VALUE... -- RUNTIME ARG...
//!     redoma-launcher serve                       stands by to do that whenever it is asked on standard input
//!     redoma-launcher boot-id                     as a hook of runc: lays the sandbox's boot id over the host's
//!     redoma-launcher inside                      inside an instance: tries what must be refused, writes /report
//!
//! Exit code 70 with one line on standard error: the launcher failed. Any other code is the runtime's.

mod clean;
mod fail;
mod idmap;
mod inside;
mod net;
mod plan;
mod root;
mod run;
mod serve;
mod stage;
mod sys;

use fail::Fail;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let Err(fail) = dispatch(&args) {
        eprintln!("{fail}");
        std::process::exit(70);
    }
}

fn dispatch(args: &[String]) -> Result<(), Fail> {
    match args.split_first() {
        Some((verb, rest)) if verb == "clean" => clean::make(rest),
        Some((verb, rest)) if verb == "drop" => clean::unpin(rest),
        Some((verb, rest)) if verb == "run" => net::unshare().and_then(|()| run::run(plan::Plan::parse(rest)?)),
        Some((verb, _)) if verb == "serve" => serve::serve(),
        Some((verb, _)) if verb == "boot-id" => stage::boot_id(),
        Some((verb, _)) if verb == "inside" => inside::report(),
        _ => Err(Fail::usage("expected clean, drop, run, serve, boot-id or inside")),
    }
}
