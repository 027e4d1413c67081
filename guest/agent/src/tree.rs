// SPDX-License-Identifier: Apache-2.0
//! Operations on whole directories: list, remove, change attributes. Links are never followed below the path given.

use crate::answer::{done, At, Failure, Outcome};
use crate::channel::Channel;
use crate::files::{self, is_type, Describer, Place};
use crate::proto::{error::Code, reply::Kind, ListDir, Remove, Reply, SetAttr};
use crate::sys;
use crate::walk::{self, Entry, Next, Visitor};
use std::fs;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

const DEFAULT_LIMIT: u32 = 100_000;

struct Lister<'a> {
    channel: &'a mut Channel,
    root: PathBuf,
    describer: Describer<'a>,
    depth: usize,
    left: u32,
}

impl Visitor for Lister<'_> {
    fn enter(&mut self, entry: &Entry<'_>) -> Outcome<Next> {
        let path = self.root.join(entry.path);
        if self.left == 0 {
            return Err(
                Failure::new(Code::TooMany, "the directory has more entries than asked for").at(self.root.as_os_str().as_bytes())
            );
        }
        self.left -= 1;
        let link = is_type(&entry.stat, libc::S_IFLNK).then(|| fs::read_link(&path).ok()).flatten();
        let target = link.map(|target| target.into_os_string().into_vec()).unwrap_or_default();
        let info = self.describer.describe(&path, &entry.stat, target, files::xattrs(&path, false));
        self.channel.put(Kind::File(info))?;
        let descend = entry.path.components().count() < self.depth;
        Ok(if descend { Next::Into } else { Next::Over })
    }

    /// What may not be read shows as an entry without any below it.
    fn unreadable(&mut self, _path: &Path, failure: Failure) -> Outcome<()> {
        if failure.code == Code::Permission {
            return Ok(());
        }
        Err(failure)
    }
}

pub fn list(channel: &mut Channel, place: &Place, it: &ListDir) -> Outcome<Reply> {
    let root = place.path(&it.path)?;
    let directory = walk::open_root(&root).at(&it.path)?;
    let left = if it.limit == 0 { DEFAULT_LIMIT } else { it.limit };
    let depth = it.depth.max(1) as usize;
    let describer = Describer::new(&place.users);
    let mut lister = Lister { channel, root: root.clone(), describer, depth, left };
    walk::walk(directory, &mut lister).map_err(|failure| failure.below(&root))?;
    Ok(done())
}

struct Remover;

impl Visitor for Remover {
    fn enter(&mut self, entry: &Entry<'_>) -> Outcome<Next> {
        if is_type(&entry.stat, libc::S_IFDIR) {
            return Ok(Next::Into);
        }
        unlink(entry, 0)?;
        Ok(Next::Over)
    }

    fn leave(&mut self, entry: &Entry<'_>) -> Outcome<()> {
        unlink(entry, libc::AT_REMOVEDIR)
    }
}

fn unlink(entry: &Entry<'_>, flags: libc::c_int) -> Outcome<()> {
    // SAFETY: the name is a C string.
    match sys::check(unsafe { libc::unlinkat(entry.dir, entry.name.as_ptr(), flags) }) {
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(()),
        result => result.map(drop).at(entry.path.as_os_str().as_bytes()),
    }
}

pub fn remove(place: &Place, it: &Remove) -> Outcome<()> {
    let path = place.path(&it.path)?;
    if path.components().next_back() == Some(std::path::Component::RootDir) {
        return Err(Failure::new(Code::Invalid, "the root directory cannot be removed").at(&it.path));
    }
    remove_path(&path, it.recursive)
}

pub fn remove_path(path: &Path, recursive: bool) -> Outcome<()> {
    let bytes = path.as_os_str().as_bytes();
    let found = fs::symlink_metadata(path).at(bytes)?;
    if !found.is_dir() {
        return fs::remove_file(path).at(bytes);
    }
    if recursive {
        let directory = walk::open_root_itself(path).at(bytes)?;
        walk::walk(directory, &mut Remover).map_err(|failure| failure.below(path))?;
    }
    fs::remove_dir(path).at(bytes)
}

struct Attributes {
    owner: Option<(u32, u32)>,
    mode: Option<u32>,
    mtime: Option<libc::timespec>,
}

impl Attributes {
    fn of(place: &Place, it: &SetAttr) -> Outcome<Self> {
        let owner = if it.owner.is_empty() {
            None
        } else {
            let account = place.users.account(&it.owner);
            let account = account.ok_or_else(|| Failure::new(Code::NoUser, format!("no such owner: {:.200}", it.owner)))?;
            let group = if it.owner.contains(':') { account.gid } else { u32::MAX };
            Some((account.uid, group))
        };
        let mtime =
            it.mtime_ns.map(|ns| libc::timespec { tv_sec: ns.div_euclid(1_000_000_000), tv_nsec: ns.rem_euclid(1_000_000_000) });
        Ok(Attributes { owner, mode: it.mode.map(|mode| mode & 0o7777), mtime })
    }

    /// To a name in a directory, or to the descriptor itself where the name is empty. The owner goes first: a change of owner takes
    /// set-user-id away.
    fn set(&self, dir: RawFd, name: &std::ffi::CStr, is_link: bool) -> std::io::Result<()> {
        let flags = libc::AT_SYMLINK_NOFOLLOW | libc::AT_EMPTY_PATH;
        // SAFETY: names are C strings, times are two timespecs.
        unsafe {
            if let Some((uid, gid)) = self.owner {
                sys::check(libc::fchownat(dir, name.as_ptr(), uid, gid, flags))?;
            }
            if let (Some(mode), false) = (self.mode, is_link) {
                // A link that took the place of the file since we looked is what O_NOFOLLOW is for.
                let file = sys::open_at(dir, if name.is_empty() { sys::DOT } else { name }, libc::O_PATH | libc::O_NOFOLLOW, 0);
                let target =
                    if name.is_empty() { format!("/proc/self/fd/{dir}") } else { format!("/proc/self/fd/{}", file?.as_raw_fd()) };
                sys::check(libc::chmod(sys::c_string(target.as_bytes())?.as_ptr(), mode))?;
            }
            if let Some(mtime) = self.mtime {
                let times = [libc::timespec { tv_sec: 0, tv_nsec: libc::UTIME_OMIT }, mtime];
                sys::check(libc::utimensat(dir, name.as_ptr(), times.as_ptr(), flags))?;
            }
        }
        Ok(())
    }
}

impl Visitor for Attributes {
    fn enter(&mut self, entry: &Entry<'_>) -> Outcome<Next> {
        let is_link = is_type(&entry.stat, libc::S_IFLNK);
        if !is_type(&entry.stat, libc::S_IFDIR) {
            self.set(entry.dir, entry.name, is_link).at(entry.path.as_os_str().as_bytes())?;
        }
        Ok(Next::Into)
    }

    /// A directory changes last, lest we lock ourselves out or touch its time again.
    fn leave(&mut self, entry: &Entry<'_>) -> Outcome<()> {
        self.set(entry.dir, entry.name, false).at(entry.path.as_os_str().as_bytes())
    }
}

pub fn set_attributes(place: &Place, it: &SetAttr) -> Outcome<()> {
    let path = place.path(&it.path)?;
    let mut attributes = Attributes::of(place, it)?;
    let target = sys::open(&path, libc::O_PATH, 0).at(&it.path)?;
    let stat = files::stat_at(target.as_raw_fd(), sys::ITSELF, true).at(&it.path)?;
    if it.recursive && is_type(&stat, libc::S_IFDIR) {
        walk::walk(walk::open_root(&path).at(&it.path)?, &mut attributes).map_err(|failure| failure.below(&path))?;
    }
    attributes.set(target.as_raw_fd(), sys::ITSELF, false).at(&it.path)
}
