// SPDX-License-Identifier: Apache-2.0
//! User namespaces that carry an id mapping: for idmapped mounts, and a sandbox's own.

use crate::fail::Fail;
use crate::sys;
use std::os::fd::OwnedFd;

const WIDTH: u32 = 65_536;

/// A user namespace in which the ids from `from` are the host's from `to`. A child makes it and waits; the namespace outlives it by
/// the returned descriptor. It belongs to `to`: what the kernel limits for each user (inotify instances, queued signals and timers,
/// message queues, locked memory) counts against a namespace's owner too, and under the host's root all sandboxes would share that.
pub fn namespace(from: u32, to: u32) -> Result<OwnedFd, Fail> {
    // SAFETY: one thread; the child only makes system calls (vfork semantics are not used).
    let child = unsafe { libc::fork() };
    if child < 0 {
        return Err(Fail::os("fork"));
    }
    if child == 0 {
        wait_inside(to);
    }
    let made = map(child, from, to);
    // SAFETY: `child` is our own and not yet reaped, so the pid is still its.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, std::ptr::null_mut(), 0);
    }
    made
}

/// Stops in the new namespace until the parent ends this process.
fn wait_inside(owner: u32) -> ! {
    // SAFETY: system calls without memory.
    unsafe {
        // Only the effective id makes the owner; root's as the saved one keeps the right to make namespaces at all.
        if libc::seteuid(owner) != 0 || libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
            libc::_exit(*libc::__errno_location());
        }
        if !sys::raise_capabilities() || libc::unshare(libc::CLONE_NEWUSER) != 0 {
            libc::_exit(*libc::__errno_location());
        }
        libc::raise(libc::SIGSTOP);
        libc::_exit(0);
    }
}

fn map(child: libc::pid_t, from: u32, to: u32) -> Result<OwnedFd, Fail> {
    let mut status = 0;
    // SAFETY: `status` is a valid place; the child is ours.
    let result = unsafe { libc::waitpid(child, &mut status, libc::WUNTRACED) };
    sys::check(result, || "waitpid".to_string())?;
    if !libc::WIFSTOPPED(status) {
        return Err(Fail::io("unshare user", &std::io::Error::from_raw_os_error(libc::WEXITSTATUS(status))));
    }
    let line = format!("{from} {to} {WIDTH}\n");
    sys::write_file(&format!("/proc/{child}/uid_map"), &line)?;
    sys::write_file(&format!("/proc/{child}/gid_map"), &line)?;
    sys::open(&format!("/proc/{child}/ns/user"), libc::O_RDONLY)
}
