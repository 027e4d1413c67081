// SPDX-License-Identifier: Apache-2.0
//! A move that the kernel cannot do by a new name: to another file system, or of a directory that an overlay has from below.

use crate::answer::{At, Failure, Outcome};
use crate::files::{self, is_type};
use crate::proto::error::Code;
use crate::sys;
use crate::tree;
use crate::walk::{self, Entry, Next, Visitor};
use std::ffi::CStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Copies beside the new name, gives the copy that name, and then removes the original.
pub fn relocate(from: &Path, to: &Path, flags: u32) -> Outcome<()> {
    let beside = to.with_file_name(format!(".redoma-{:016x}", sys::random()));
    let copied = copy(from, &beside).and_then(|()| files::rename_with(&beside, to, flags).at(to.as_os_str().as_bytes()));
    if let Err(failure) = copied {
        let _ = tree::remove_path(&beside, true);
        return Err(failure);
    }
    tree::remove_path(from, true)
}

fn copy(from: &Path, to: &Path) -> Outcome<()> {
    let bytes = from.as_os_str().as_bytes();
    let (Some(parent), Some(name)) = (from.parent(), from.file_name()) else {
        return Err(Failure::new(Code::Invalid, "this cannot be moved").at(bytes));
    };
    let dir = walk::open_root(parent).at(bytes)?;
    let name = sys::c_string(name.as_bytes())?;
    let stat = files::stat_at(dir.as_raw_fd(), &name, false).at(bytes)?;
    let mut copier = Copier { from: from.to_path_buf(), to: to.to_path_buf() };
    let root = Entry { dir: dir.as_raw_fd(), name: &name, path: Path::new(""), stat };
    copier.enter(&root)?;
    if is_type(&stat, libc::S_IFDIR) {
        walk::walk(walk::open_root_itself(from).at(bytes)?, &mut copier)?;
        copier.leave(&root)?;
    }
    Ok(())
}

struct Copier {
    from: PathBuf,
    to: PathBuf,
}

fn below(root: &Path, path: &Path) -> PathBuf {
    if path.as_os_str().is_empty() {
        root.to_path_buf()
    } else {
        root.join(path)
    }
}

impl Visitor for Copier {
    fn enter(&mut self, entry: &Entry<'_>) -> Outcome<Next> {
        let (source, target) = (below(&self.from, entry.path), below(&self.to, entry.path));
        let made = match entry.stat.st_mode & libc::S_IFMT {
            libc::S_IFDIR => fs::DirBuilder::new().mode(0o700).create(&target),
            libc::S_IFREG => copy_file(entry, &source, &target),
            libc::S_IFLNK => fs::read_link(&source).and_then(|link| std::os::unix::fs::symlink(link, &target)),
            libc::S_IFIFO => make_fifo(&target, entry.stat.st_mode & 0o7777),
            _ => {
                return Err(
                    Failure::new(Code::Invalid, "sockets and devices cannot be moved there").at(source.as_os_str().as_bytes())
                )
            }
        };
        made.at(source.as_os_str().as_bytes())?;
        if is_type(&entry.stat, libc::S_IFDIR) {
            return Ok(Next::Into);
        }
        dress(entry, &target).at(target.as_os_str().as_bytes())?;
        Ok(Next::Over)
    }

    fn leave(&mut self, entry: &Entry<'_>) -> Outcome<()> {
        let target = below(&self.to, entry.path);
        dress(entry, &target).at(target.as_os_str().as_bytes())
    }
}

fn copy_file(entry: &Entry<'_>, source: &Path, target: &Path) -> io::Result<()> {
    let mut from = File::from(open_entry(entry.dir, entry.name)?);
    let mut to = File::options().write(true).create_new(true).mode(0o600).open(target)?;
    io::copy(&mut from, &mut to)?;
    let xattrs = files::xattrs(source, false);
    files::set_xattrs(to.as_raw_fd(), &xattrs).map_err(|failure| io::Error::from_raw_os_error(failure.errno))
}

fn open_entry(dir: RawFd, name: &CStr) -> io::Result<std::os::fd::OwnedFd> {
    sys::open_at(dir, name, libc::O_RDONLY | libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_NOCTTY, 0)
}

fn make_fifo(target: &Path, mode: u32) -> io::Result<()> {
    let target = sys::c_path(target)?;
    // SAFETY: a C string.
    sys::check(unsafe { libc::mkfifo(target.as_ptr(), mode) }).map(drop)
}

/// Owner (as far as one may), mode and time.
fn dress(entry: &Entry<'_>, target: &Path) -> io::Result<()> {
    let _ = std::os::unix::fs::lchown(target, Some(entry.stat.st_uid), Some(entry.stat.st_gid));
    if !is_type(&entry.stat, libc::S_IFLNK) {
        fs::set_permissions(target, Permissions::from_mode(entry.stat.st_mode & 0o7777))?;
    }
    let name = sys::c_path(target)?;
    let mtime = libc::timespec { tv_sec: entry.stat.st_mtime, tv_nsec: entry.stat.st_mtime_nsec };
    let times = [libc::timespec { tv_sec: 0, tv_nsec: libc::UTIME_OMIT }, mtime];
    // SAFETY: a C string and two timespecs.
    sys::check(unsafe { libc::utimensat(libc::AT_FDCWD, name.as_ptr(), times.as_ptr(), libc::AT_SYMLINK_NOFOLLOW) }).map(drop)
}
