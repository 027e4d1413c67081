// SPDX-License-Identifier: Apache-2.0
//! Operations on one file, and what is told about it.

use crate::answer::{reply, At, Failure, Outcome};
use crate::proto::{error::Code, file_info::Type, reply::Kind, FileInfo, Link, MakeDir, Move, Reply, Stat};
use crate::relocate::relocate;
use crate::sys;
use crate::users::{Account, Users};
use std::collections::HashMap;
use std::ffi::{CStr, OsStr};
use std::fs;
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

const XATTRS_LIMIT: usize = 64 << 10;

/// Who acts, and so where relative paths begin.
pub struct Place {
    pub users: Users,
    pub account: Account,
}

impl Place {
    pub fn path(&self, bytes: &[u8]) -> Outcome<PathBuf> {
        if bytes.is_empty() || bytes.contains(&0) {
            return Err(Failure::new(Code::Invalid, "a path is not empty and holds no NUL").at(bytes));
        }
        if bytes.len() >= libc::PATH_MAX as usize {
            return Err(Failure::new(Code::NameTooLong, "a path has at most 4095 bytes"));
        }
        Ok(self.account.home().join(OsStr::from_bytes(bytes)))
    }
}

/// What is told about files; remembers names of owners.
pub struct Describer<'a> {
    users: &'a Users,
    owners: HashMap<u32, String>,
    groups: HashMap<u32, String>,
}

impl<'a> Describer<'a> {
    pub fn new(users: &'a Users) -> Self {
        Describer { users, owners: HashMap::new(), groups: HashMap::new() }
    }

    pub fn describe(&mut self, path: &Path, stat: &libc::stat, target: Vec<u8>, xattrs: Vec<(String, Vec<u8>)>) -> FileInfo {
        let users = self.users;
        let owner = self.owners.entry(stat.st_uid).or_insert_with(|| users.user_name(stat.st_uid)).clone();
        let group = self.groups.entry(stat.st_gid).or_insert_with(|| users.group_name(stat.st_gid)).clone();
        FileInfo {
            path: path.as_os_str().as_bytes().to_vec(),
            r#type: file_type(stat.st_mode),
            size: stat.st_size as u64,
            mode: stat.st_mode & 0o7777,
            uid: stat.st_uid,
            gid: stat.st_gid,
            owner,
            group,
            mtime_ns: stat.st_mtime.saturating_mul(1_000_000_000).saturating_add(stat.st_mtime_nsec),
            target,
            links: stat.st_nlink as u32,
            xattrs,
            real: Vec::new(),
            atime_ns: Some(stat.st_atime.saturating_mul(1_000_000_000).saturating_add(stat.st_atime_nsec)),
            ctime_ns: Some(stat.st_ctime.saturating_mul(1_000_000_000).saturating_add(stat.st_ctime_nsec)),
        }
    }
}

fn file_type(mode: u32) -> Type {
    match mode & libc::S_IFMT {
        libc::S_IFREG => Type::File,
        libc::S_IFDIR => Type::Directory,
        libc::S_IFLNK => Type::Symlink,
        libc::S_IFIFO => Type::Fifo,
        libc::S_IFSOCK => Type::Socket,
        libc::S_IFCHR => Type::Char,
        libc::S_IFBLK => Type::Block,
        _ => Type::Unknown,
    }
}

pub fn is_type(stat: &libc::stat, kind: u32) -> bool {
    stat.st_mode & libc::S_IFMT == kind
}

/// Of a name in a directory; an empty name is the descriptor itself.
pub fn stat_at(dir: RawFd, name: &CStr, follow: bool) -> io::Result<libc::stat> {
    let flags = libc::AT_EMPTY_PATH | if follow { 0 } else { libc::AT_SYMLINK_NOFOLLOW };
    // SAFETY: all zeroes is a valid stat; the kernel fills it.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    sys::check(unsafe { libc::fstatat(dir, name.as_ptr(), &mut stat, flags) })?;
    Ok(stat)
}

/// Everything about a path, for answers.
pub fn info(place: &Place, path: &Path, follow: bool) -> Outcome<FileInfo> {
    let bytes = path.as_os_str().as_bytes();
    let stat = sys::c_path(path).and_then(|name| stat_at(libc::AT_FDCWD, &name, follow)).at(bytes)?;
    let target = if is_type(&stat, libc::S_IFLNK) {
        fs::read_link(path).map(|target| target.into_os_string().into_vec()).at(bytes)?
    } else {
        Vec::new()
    };
    Ok(Describer::new(&place.users).describe(path, &stat, target, xattrs(path, follow)))
}

/// The `user.*` attributes; a file system without any has none.
pub fn xattrs(path: &Path, follow: bool) -> Vec<(String, Vec<u8>)> {
    let Ok(path) = sys::c_path(path) else { return Vec::new() };
    let calls: (ListXattr, GetXattr) =
        if follow { (libc::listxattr, libc::getxattr) } else { (libc::llistxattr, libc::lgetxattr) };
    // SAFETY: the kernel writes no more than it is given room for, and nothing where that is none.
    let list = |buffer: &mut [u8]| sys::count(unsafe { calls.0(path.as_ptr(), buffer.as_mut_ptr().cast(), buffer.len()) });
    let length = list(&mut []).unwrap_or(0);
    if length == 0 || length > XATTRS_LIMIT {
        return Vec::new();
    }
    let mut names = vec![0; length];
    let length = list(&mut names).unwrap_or(0);
    let mut found = Vec::new();
    let mut room = XATTRS_LIMIT;
    for name in names[..length].split(|&c| c == 0).filter(|name| name.starts_with(b"user.")) {
        let (Ok(text), Ok(name)) = (std::str::from_utf8(name), sys::c_string(name)) else { continue };
        let mut value = vec![0u8; room];
        // SAFETY: the buffer is as long as said.
        let read = unsafe { calls.1(path.as_ptr(), name.as_ptr(), value.as_mut_ptr().cast(), value.len()) };
        if let Ok(length) = sys::count(read) {
            value.truncate(length);
            value.shrink_to_fit();
            room -= length;
            found.push((text.to_string(), value));
        }
    }
    found
}

type ListXattr = unsafe extern "C" fn(*const libc::c_char, *mut libc::c_char, libc::size_t) -> libc::ssize_t;
type GetXattr = unsafe extern "C" fn(*const libc::c_char, *const libc::c_char, *mut libc::c_void, libc::size_t) -> libc::ssize_t;

/// Sets `user.*` attributes on an open file; others are refused.
pub fn set_xattrs(fd: RawFd, xattrs: &[(String, Vec<u8>)]) -> Outcome<()> {
    for (name, value) in xattrs {
        if !name.starts_with("user.") {
            return Err(Failure::new(Code::Invalid, format!("attribute {name:.100} is not one of user.*")));
        }
        let name = sys::c_string(name.as_bytes())?;
        // SAFETY: the value is as long as said.
        sys::check(unsafe { libc::fsetxattr(fd, name.as_ptr(), value.as_ptr().cast(), value.len(), 0) })?;
    }
    Ok(())
}

/// Removes those attributes of an open file, known at `path` too, that begin so.
pub fn drop_xattrs(fd: RawFd, path: &Path, prefix: &str) -> Outcome<()> {
    for (name, _) in xattrs(path, false).iter().filter(|(name, _)| !prefix.is_empty() && name.starts_with(prefix)) {
        let name = sys::c_string(name.as_bytes())?;
        // SAFETY: the name ends with NUL.
        sys::check(unsafe { libc::fremovexattr(fd, name.as_ptr()) })?;
    }
    Ok(())
}

pub fn stat(place: &Place, it: &Stat) -> Outcome<Reply> {
    let path = place.path(&it.path)?;
    let mut info = info(place, &path, it.follow)?;
    if it.follow {
        info.real = fs::canonicalize(&path).at(&it.path)?.into_os_string().into_vec();
    }
    Ok(reply(Kind::File(info)))
}

pub fn make_dir(place: &Place, it: &MakeDir) -> Outcome<()> {
    let path = place.path(&it.path)?;
    let mode = if it.mode == 0 { 0o755 } else { it.mode & 0o7777 };
    let mut builder = fs::DirBuilder::new();
    builder.mode(0o755);
    if it.parents {
        if let Some(parent) = path.parent() {
            builder.recursive(true).create(parent).at(&it.path)?;
        }
        builder.recursive(false);
    }
    match builder.create(&path) {
        Err(error) if it.parents && error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => return Ok(()),
        made => made.at(&it.path)?,
    }
    // Exactly the mode asked for, whatever the umask.
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).at(&it.path)
}

pub fn link(place: &Place, it: &Link) -> Outcome<()> {
    let path = place.path(&it.path)?;
    if it.hard {
        return fs::hard_link(place.path(&it.target)?, path).at(&it.path);
    }
    if it.target.is_empty() || it.target.contains(&0) {
        return Err(Failure::new(Code::Invalid, "a link's target is not empty and holds no NUL").at(&it.path));
    }
    std::os::unix::fs::symlink(OsStr::from_bytes(&it.target), path).at(&it.path)
}

pub fn rename(place: &Place, it: &Move) -> Outcome<()> {
    let (from, to) = (place.path(&it.from)?, place.path(&it.to)?);
    let flags = if it.no_replace { libc::RENAME_NOREPLACE } else { 0 };
    match rename_with(&from, &to, flags) {
        Err(error) if error.raw_os_error() == Some(libc::EXDEV) => relocate(&from, &to, flags),
        Err(error) => {
            let at_fault = if error.kind() == io::ErrorKind::AlreadyExists { &it.to } else { &it.from };
            Err(Failure::from(error).at(at_fault))
        }
        Ok(()) => Ok(()),
    }
}

pub fn rename_with(from: &Path, to: &Path, flags: u32) -> io::Result<()> {
    let (from, to) = (sys::c_path(from)?, sys::c_path(to)?);
    // SAFETY: both are C strings.
    sys::check(unsafe { libc::renameat2(libc::AT_FDCWD, from.as_ptr(), libc::AT_FDCWD, to.as_ptr(), flags) }).map(drop)
}

/// Makes the directories above a path.
pub fn make_parents(path: &Path) -> Outcome<()> {
    match path.parent() {
        Some(parent) => fs::DirBuilder::new().recursive(true).mode(0o755).create(parent).at(parent.as_os_str().as_bytes()),
        None => Ok(()),
    }
}

/// Is it there, as whatever?
pub fn lstat(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

pub fn owner(metadata: &fs::Metadata) -> (u32, u32) {
    (metadata.uid(), metadata.gid())
}
