// SPDX-License-Identifier: Apache-2.0
//! What PID 1 does before it serves.

use crate::guest::Guest;
use crate::spawn::Home;
use crate::sys;
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

const SOCKET: &str = "/run/redoma/guest.sock";
/// Directories that programs take for granted, and their modes.
const PLACES: [(&str, u32); 4] = [("/tmp", 0o1777), ("/run", 0o755), ("/var/tmp", 0o1777), ("/dev/shm", 0o1777)];

/// Becomes the guest. Returns only if there is no way to serve at all.
pub fn run(argument: Option<PathBuf>) -> io::Result<()> {
    // SAFETY: plain values.
    unsafe {
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
        libc::umask(0o022);
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    }
    wipe_environment();
    std::env::set_current_dir("/")?;
    let null = occupy_stdio()?;
    if std::process::id() == 1 {
        for (path, mode) in PLACES {
            make_place(Path::new(path), mode);
        }
    }
    let lift_oom = std::fs::read_to_string("/proc/self/oom_score_adj").is_ok_and(|text| text.starts_with('-'));
    let socket = argument.unwrap_or_else(|| SOCKET.into());
    let home = Home { socket, boot: sys::random(), lift_oom, files: raise_open_files(), null, signals: sys::unusual_signals() };
    Guest::new(home)?.run()
}

/// Nothing of the environment that we were started with may be read from /proc/1/environ, or reach a command.
fn wipe_environment() {
    extern "C" {
        static mut environ: *mut *mut libc::c_char;
    }
    // SAFETY: there is one thread, nobody has asked for the environment yet, and its strings are ours to write.
    unsafe {
        let mut entry = environ;
        while !entry.is_null() && !(*entry).is_null() {
            std::ptr::write_bytes(*entry, 0, libc::strlen(*entry));
            entry = entry.add(1);
        }
        libc::clearenv();
    }
}

/// We hold some descriptors for every exec: as many as may be. Answers the limit as it was.
fn raise_open_files() -> libc::rlimit {
    let mut limit = libc::rlimit { rlim_cur: 1024, rlim_max: 1024 };
    // SAFETY: one rlimit of ours.
    unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        let raised = libc::rlimit { rlim_cur: limit.rlim_max, ..limit };
        libc::setrlimit(libc::RLIMIT_NOFILE, &raised);
    }
    limit
}

/// Descriptors 0 to 2 are always open, so that no pipe of an exec ever gets such a number.
fn occupy_stdio() -> io::Result<OwnedFd> {
    loop {
        let null = sys::open(Path::new("/dev/null"), libc::O_RDWR, 0)?;
        if null.as_raw_fd() > 2 {
            return Ok(null);
        }
        let _ = null.into_raw_fd();
    }
}

/// A failure is no reason not to serve: what is missing shows where it is used.
fn make_place(path: &Path, mode: u32) {
    if std::fs::symlink_metadata(path).is_err() {
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o755).create(path);
        if made.is_ok() {
            let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode));
        }
    }
}
