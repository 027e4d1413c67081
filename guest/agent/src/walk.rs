// SPDX-License-Identifier: Apache-2.0
//! A walk through a directory tree that somebody may be changing: by descriptors, never through a link, with a bound on depth.

use crate::answer::{At, Failure, Outcome};
use crate::files::{is_type, stat_at};
use crate::proto::error::Code;
use crate::sys;
use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Every level holds a descriptor.
const DEPTH_LIMIT: usize = 900;

/// Something found. `path` is relative to the root of the walk.
pub struct Entry<'a> {
    pub dir: RawFd,
    pub name: &'a CStr,
    pub path: &'a Path,
    pub stat: libc::stat,
}

/// Whether a directory is entered.
#[derive(PartialEq, Eq)]
pub enum Next {
    Into,
    Over,
}

pub trait Visitor {
    /// Every entry, a directory before what is in it.
    fn enter(&mut self, entry: &Entry<'_>) -> Outcome<Next>;

    /// A directory that was entered, after what is in it.
    fn leave(&mut self, _entry: &Entry<'_>) -> Outcome<()> {
        Ok(())
    }

    /// A directory that cannot be opened.
    fn unreadable(&mut self, _path: &Path, failure: Failure) -> Outcome<()> {
        Err(failure)
    }
}

/// A directory's names as they come.
struct Names(*mut libc::DIR);

impl Names {
    fn of(directory: OwnedFd) -> io::Result<Self> {
        let fd = directory.into_raw_fd();
        // SAFETY: the stream owns the descriptor from here on.
        let stream = unsafe { libc::fdopendir(fd) };
        if stream.is_null() {
            return Err(io::Error::last_os_error());
        }
        Ok(Names(stream))
    }

    fn fd(&self) -> RawFd {
        // SAFETY: the stream is open.
        unsafe { libc::dirfd(self.0) }
    }

    fn next(&mut self) -> Option<CString> {
        loop {
            // SAFETY: the stream is open, and the entry is copied before the next call.
            let name = unsafe {
                let entry = libc::readdir64(self.0);
                if entry.is_null() {
                    return None;
                }
                CStr::from_ptr((*entry).d_name.as_ptr()).to_owned()
            };
            if !matches!(name.as_bytes(), b"." | b"..") {
                return Some(name);
            }
        }
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        // SAFETY: opened by us, closed once.
        unsafe { libc::closedir(self.0) };
    }
}

struct Level {
    names: Names,
    name: CString,
    stat: libc::stat,
}

/// Opens the directory at which a walk begins; the path itself may be a link.
pub fn open_root(path: &Path) -> io::Result<OwnedFd> {
    sys::open(path, libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NONBLOCK, 0)
}

/// The same, but no link.
pub fn open_root_itself(path: &Path) -> io::Result<OwnedFd> {
    sys::open(path, libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NONBLOCK | libc::O_NOFOLLOW, 0)
}

pub fn walk(root: OwnedFd, visitor: &mut impl Visitor) -> Outcome<()> {
    let stat = stat_at(root.as_raw_fd(), sys::ITSELF, false)?;
    let mut levels = vec![Level { names: Names::of(root)?, name: CString::default(), stat }];
    let mut path = PathBuf::new();
    while let Some(level) = levels.last_mut() {
        let dir = level.names.fd();
        let Some(name) = level.names.next() else {
            let Some(Level { names, name, stat }) = levels.pop() else { break };
            drop(names);
            if let Some(parent) = levels.last() {
                visitor.leave(&Entry { dir: parent.names.fd(), name: &name, path: &path, stat })?;
                path.pop();
            }
            continue;
        };
        path.push(OsStr::from_bytes(name.as_bytes()));
        let Some(stat) = look(dir, &name, &path)? else {
            path.pop();
            continue;
        };
        let next = visitor.enter(&Entry { dir, name: &name, path: &path, stat })?;
        if next == Next::Over || !is_type(&stat, libc::S_IFDIR) {
            path.pop();
            continue;
        }
        if levels.len() >= DEPTH_LIMIT {
            let message = format!("the tree is deeper than {DEPTH_LIMIT} directories");
            return Err(Failure::new(Code::NameTooLong, message).at(path.as_os_str().as_bytes()));
        }
        match open(dir, &name) {
            Ok(names) => levels.push(Level { names, name, stat }),
            Err(error) => {
                let gone = error.kind() == io::ErrorKind::NotFound;
                if !gone {
                    visitor.unreadable(&path, Failure::from(error).at(path.as_os_str().as_bytes()))?;
                }
                path.pop();
            }
        }
    }
    Ok(())
}

fn open(dir: RawFd, name: &CStr) -> io::Result<Names> {
    let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_NONBLOCK;
    Names::of(sys::open_at(dir, name, flags, 0)?)
}

/// None if it has gone since its name was read.
fn look(dir: RawFd, name: &CStr, path: &Path) -> Outcome<Option<libc::stat>> {
    match stat_at(dir, name, false) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some).at(path.as_os_str().as_bytes()),
    }
}
