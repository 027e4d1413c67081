// SPDX-License-Identifier: Apache-2.0
//! Names of archive members, resolved so that nothing leads out of the directory that is unpacked into.

use crate::sys;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

const RESOLVE_NO_MAGICLINKS: u64 = 0x02;
const RESOLVE_BENEATH: u64 = 0x08;
const RESOLVE_IN_ROOT: u64 = 0x10;
const DIRECTORY: libc::c_int = libc::O_PATH | libc::O_DIRECTORY;

/// The parts of a member's name; None if it is absolute or has `..`.
pub fn components(name: &[u8]) -> Option<Vec<&[u8]>> {
    if name.starts_with(b"/") || name.contains(&0) {
        return None;
    }
    let parts: Vec<&[u8]> = name.split(|&c| c == b'/').filter(|part| !part.is_empty() && *part != b".").collect();
    (!parts.contains(&&b".."[..])).then_some(parts)
}

/// The directory that everything stays in.
pub struct Root {
    fd: OwnedFd,
    resolve: u64,
    /// The directory that was last asked for: members of one follow each other.
    last: Option<(Vec<u8>, OwnedFd)>,
}

/// The way leads out, or through something that is no directory.
#[derive(Debug)]
pub enum Stray {
    Out,
    Failed(io::Error),
}

impl Root {
    pub fn new(fd: OwnedFd, is_system_root: bool) -> Self {
        let inside = if is_system_root { RESOLVE_IN_ROOT } else { RESOLVE_BENEATH };
        Root { fd, resolve: inside | RESOLVE_NO_MAGICLINKS, last: None }
    }

    pub fn fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    /// A directory below, made where it is missing.
    pub fn directory(&mut self, parts: &[&[u8]]) -> Result<RawFd, Stray> {
        if parts.is_empty() {
            return Ok(self.fd());
        }
        let path = parts.join(&b'/');
        if !self.last.as_ref().is_some_and(|(known, _)| *known == path) {
            let fd = match self.open(&path) {
                Err(Stray::Failed(error)) if error.kind() == io::ErrorKind::NotFound => self.make(parts)?,
                found => found?,
            };
            self.last = Some((path, fd));
        }
        Ok(self.last.as_ref().map_or(-1, |(_, fd)| fd.as_raw_fd()))
    }

    /// What was opened before may have been replaced.
    pub fn forget(&mut self) {
        self.last = None;
    }

    fn make(&self, parts: &[&[u8]]) -> Result<OwnedFd, Stray> {
        let mut known = 0;
        let mut parent = None;
        for depth in (1..parts.len()).rev() {
            match self.open(&parts[..depth].join(&b'/')) {
                Err(Stray::Failed(error)) if error.kind() == io::ErrorKind::NotFound => {}
                found => {
                    parent = Some(found?);
                    known = depth;
                    break;
                }
            }
        }
        for part in &parts[known..] {
            let dir = parent.as_ref().map_or(self.fd(), AsRawFd::as_raw_fd);
            let name = c_name(part)?;
            // SAFETY: a C string. The mode is the usual one; the member itself may come later with another.
            match sys::check(unsafe { libc::mkdirat(dir, name.as_ptr(), 0o755) }) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(Stray::Failed(error)),
                _ => {}
            }
            let made = sys::open_at(dir, &name, DIRECTORY | libc::O_NOFOLLOW, 0).map_err(stray)?;
            parent = Some(made);
        }
        parent.ok_or(Stray::Out)
    }

    fn open(&self, path: &[u8]) -> Result<OwnedFd, Stray> {
        let name = c_name(path)?;
        let how = [(DIRECTORY | libc::O_CLOEXEC) as u64, 0, self.resolve];
        // SAFETY: `how` is an open_how; the descriptor is new and ours.
        unsafe {
            let result = libc::syscall(libc::SYS_openat2, self.fd(), name.as_ptr(), how.as_ptr(), std::mem::size_of_val(&how));
            match sys::check(result as libc::c_int) {
                Ok(fd) => Ok(OwnedFd::from_raw_fd(fd)),
                Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => self.step_by_step(path),
                Err(error) => Err(stray(error)),
            }
        }
    }

    /// Where the kernel or a filter does not offer openat2: through no link at all.
    fn step_by_step(&self, path: &[u8]) -> Result<OwnedFd, Stray> {
        let mut at: Option<OwnedFd> = None;
        for part in path.split(|&c| c == b'/') {
            let dir = at.as_ref().map_or(self.fd(), AsRawFd::as_raw_fd);
            at = Some(sys::open_at(dir, &c_name(part)?, DIRECTORY | libc::O_NOFOLLOW, 0).map_err(stray)?);
        }
        at.ok_or(Stray::Out)
    }
}

fn c_name(bytes: &[u8]) -> Result<CString, Stray> {
    sys::c_string(bytes).map_err(Stray::Failed)
}

fn stray(error: io::Error) -> Stray {
    match error.raw_os_error() {
        Some(libc::EXDEV | libc::ELOOP | libc::ENOTDIR) => Stray::Out,
        _ => Stray::Failed(error),
    }
}
