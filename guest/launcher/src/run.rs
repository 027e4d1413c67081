// SPDX-License-Identifier: Apache-2.0
//! Builds a sandbox's surroundings and becomes the runtime.

use crate::fail::Fail;
use crate::plan::Plan;
use crate::{root, stage, sys};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// In a network namespace of the sandbox's own already.
pub fn run(plan: Plan) -> Result<(), Fail> {
    // SAFETY: only sets this process's umask; the nodes and directories below are made with exact modes.
    unsafe { libc::umask(0) };
    for procs in &plan.cgroups {
        sys::write_file(procs, "0")?;
    }
    let clean = sys::open(&plan.namespace, libc::O_RDONLY)?;
    let trees = stage::take(&plan)?;
    sys::enter(&clean, libc::CLONE_NEWNS)?;
    sys::unshare(libc::CLONE_NEWNS, "mount")?;
    sys::mount("", "/", "", libc::MS_REC | libc::MS_PRIVATE, "")?;
    stage::build(&plan, &trees)?;
    root::check("root", plan.base)?;
    for volume in &plan.volumes {
        root::place("root", &volume.place, plan.base)?;
    }
    stage::devices()?;
    // Here rather than by the runtime, which would need a capability over the sandbox's user namespace for it.
    sys::limit(libc::RLIMIT_CORE, 0)?;
    sys::limit(libc::RLIMIT_NOFILE, plan.files)?;
    become_runtime(&plan.runtime)
}

/// Without an environment, with standard streams that the sandbox's init may inherit and keep.
fn become_runtime(command: &[String]) -> Result<(), Fail> {
    let null = sys::open("/dev/null", libc::O_RDWR)?;
    let error = sys::open("/dev/null", libc::O_RDWR)?;
    // SAFETY: own descriptors; F_DUPFD_CLOEXEC leaves standard error for our own failure until exec.
    let keep = unsafe { libc::fcntl(2, libc::F_DUPFD_CLOEXEC, 3) };
    for fd in [0, 1] {
        sys::check(unsafe { libc::dup2(null.as_raw_fd(), fd) }, || "dup2".to_string())?;
    }
    sys::check(unsafe { libc::dup2(error.as_raw_fd(), 2) }, || "dup2".to_string())?;
    // SAFETY: marks every other descriptor to be closed by exec; no memory is passed.
    let marked = unsafe { libc::syscall(libc::SYS_close_range, 3u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    sys::check(marked as libc::c_int, || "close_range".to_string())?;
    unsafe { libc::umask(0o022) };
    let failure = Command::new(&command[0]).args(&command[1..]).env_clear().exec();
    // SAFETY: `keep` is our duplicate of the server's pipe.
    unsafe { libc::dup2(keep, 2) };
    Err(Fail::io(format!("exec {}", command[0]), &failure))
}
