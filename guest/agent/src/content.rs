// SPDX-License-Identifier: Apache-2.0
//! Contents of files, both ways.

use crate::answer::{reply, At, Failure, Outcome};
use crate::channel::Channel;
use crate::files::{self, is_type, Place};
use crate::proto::{error::Code, reply::Kind, ReadFile, Reply, WriteFile};
use crate::sys;
use std::fs::{self, File, Permissions};
use std::io::{self, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

const LINKS_LIMIT: usize = 40;
const NAME_TRIES: usize = 8;
const BESIDE: &str = ".redoma-";
const SPILL: &str = "/tmp";
/// How much is copied at a time: little enough to stay in the processor's cache between reading and writing.
const PIECE: usize = 128 << 10;
/// From this size on, new contents take an old file's name by exchange.
const LARGE: u64 = 16 << 20;

/// Opens for reading what is a regular file; never waits.
fn open_regular(path: &Path) -> Outcome<(File, libc::stat)> {
    let bytes = path.as_os_str().as_bytes();
    let file = File::from(sys::open(path, libc::O_RDONLY | libc::O_NONBLOCK | libc::O_NOCTTY, 0).map_err(|error| {
        let mut failure = Failure::from(error).at(bytes);
        // A socket, or a device without a driver.
        if failure.errno == libc::ENXIO {
            failure.code = Code::NotRegular;
        }
        failure
    })?);
    let stat = files::stat_at(file.as_raw_fd(), sys::ITSELF, true).at(bytes)?;
    check_regular(&stat).map_err(|failure| failure.at(bytes))?;
    Ok((file, stat))
}

fn check_regular(stat: &libc::stat) -> Outcome<()> {
    if is_type(stat, libc::S_IFREG) {
        return Ok(());
    }
    Err(if is_type(stat, libc::S_IFDIR) {
        Failure::new(Code::IsDirectory, "it is a directory")
    } else {
        Failure::new(Code::NotRegular, "it is not a regular file")
    })
}

pub fn read(channel: &mut Channel, place: &Place, it: &ReadFile) -> Outcome<()> {
    let path = place.path(&it.path)?;
    let (file, stat) = open_regular(&path)?;
    let xattrs = files::xattrs(&path, true);
    channel.put(Kind::File(files::Describer::new(&place.users).describe(&path, &stat, Vec::new(), xattrs)))?;
    let mut left = if it.length == 0 { u64::MAX } else { it.length };
    let mut offset = it.offset;
    let mut buffer = vec![0; PIECE.min((stat.st_size as usize).max(4096))];
    while left > 0 {
        let wanted = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = sys::retry(|| file.read_at(&mut buffer[..wanted], offset)).at(&it.path)?;
        if read == 0 {
            break;
        }
        channel.send_data(&buffer[..read])?;
        offset = offset.saturating_add(read as u64);
        left -= read as u64;
    }
    channel.send_end()?;
    Ok(())
}

pub fn write(channel: &mut Channel, place: &Place, it: &WriteFile) -> Outcome<Reply> {
    let path = place.path(&it.path)?;
    if it.parents {
        files::make_parents(&path)?;
    }
    let path = final_target(path)?;
    let before = files::lstat(&path).at(&it.path)?;
    if let Some(before) = &before {
        check_replaceable(before, it)?;
    } else if it.path.ends_with(b"/") {
        return Err(Failure::new(Code::IsDirectory, "a file's path does not end in a slash").at(&it.path));
    }
    let at = |failure: Failure| if failure.path.is_empty() { failure.at(&it.path) } else { failure };
    match before {
        Some(_) if it.append => append(channel, &path, it),
        None if it.append => append(channel, &path, it),
        Some(before) => replace(channel, place, &path, &before, it),
        None => create(channel, &path, it),
    }
    .map_err(at)?;
    files::info(place, &path, true).map(|info| reply(Kind::File(info)))
}

fn check_replaceable(before: &fs::Metadata, it: &WriteFile) -> Outcome<()> {
    let refusal = if it.create_only {
        Failure::new(Code::Exists, "it exists")
    } else if before.is_dir() {
        Failure::new(Code::IsDirectory, "it is a directory")
    } else if !before.is_file() {
        Failure::new(Code::NotRegular, "it is not a regular file")
    } else {
        return Ok(());
    };
    Err(refusal.at(&it.path))
}

/// Follows links at the last component, so that it is the file they name that is written.
fn final_target(mut path: PathBuf) -> Outcome<PathBuf> {
    for _ in 0..LINKS_LIMIT {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("/")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(Failure::from(io::Error::from_raw_os_error(libc::ELOOP)).at(path.as_os_str().as_bytes()))
}

/// True for the names that files have while they are written.
pub fn is_beside(path: &Path) -> bool {
    let name = path.file_name().map_or(&b""[..], OsStrExt::as_bytes);
    name.strip_prefix(BESIDE.as_bytes()).is_some_and(|rest| rest.len() == 16 && rest.iter().all(u8::is_ascii_hexdigit))
}

/// A new file beside the target, which vanishes unless it is put in place.
struct Beside {
    file: File,
    path: PathBuf,
    placed: bool,
}

impl Beside {
    fn new(target: &Path) -> io::Result<Self> {
        let directory = target.parent().unwrap_or(Path::new("/"));
        let mut failure = io::ErrorKind::AlreadyExists.into();
        for _ in 0..NAME_TRIES {
            let path = directory.join(format!("{BESIDE}{:016x}", sys::random()));
            match fs::OpenOptions::new().write(true).read(true).create_new(true).mode(0o600).open(&path) {
                Ok(file) => return Ok(Beside { file, path, placed: false }),
                Err(error) => failure = error,
            }
            if failure.kind() != io::ErrorKind::AlreadyExists {
                break;
            }
        }
        Err(failure)
    }

    fn put_in_place(mut self, target: &Path, flags: u32) -> io::Result<()> {
        files::rename_with(&self.path, target, flags)?;
        self.placed = true;
        Ok(())
    }

    /// Takes the name of the file that is there. Btrfs writes out the new contents inside a rename that replaces a file with contents,
    /// which for large ones takes longer than receiving them did. Exchanged names cost nothing: the old file then goes with ours.
    fn replace(self, target: &Path) -> io::Result<()> {
        let large = self.file.metadata()?.len() >= LARGE;
        if !large || files::rename_with(&self.path, target, libc::RENAME_EXCHANGE).is_err() {
            return self.put_in_place(target, 0);
        }
        if fs::symlink_metadata(&self.path)?.is_dir() {
            // Somebody put it there just now.
            files::rename_with(&self.path, target, libc::RENAME_EXCHANGE)?;
            return Err(io::Error::from_raw_os_error(libc::EISDIR));
        }
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.placed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn create(channel: &mut Channel, path: &Path, it: &WriteFile) -> Outcome<()> {
    let beside = Beside::new(path)?;
    receive(channel, &beside.file)?;
    let mode = if it.mode == 0 { 0o644 } else { it.mode & 0o7777 };
    beside.file.set_permissions(Permissions::from_mode(mode))?;
    files::set_xattrs(beside.file.as_raw_fd(), &it.xattrs)?;
    let flags = if it.create_only { libc::RENAME_NOREPLACE } else { 0 };
    Ok(beside.put_in_place(path, flags)?)
}

/// Mode and owner stay. Where they cannot (somebody else's file that is ours to write), or no file may be made beside it, the contents
/// go into the file that is there, once all have come.
fn replace(channel: &mut Channel, place: &Place, path: &Path, before: &fs::Metadata, it: &WriteFile) -> Outcome<()> {
    let writable = File::options().write(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_NOFOLLOW).open(path);
    let original = writable.at(&it.path)?;
    let (uid, gid) = files::owner(before);
    let beside = match Beside::new(path) {
        Ok(beside) => beside,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Beside::new(&Path::new(SPILL).join("x"))?,
        Err(error) => return Err(error.into()),
    };
    receive(channel, &beside.file)?;
    let is_beside = beside.path.parent() == path.parent();
    let made = beside.file.metadata()?;
    let keeps_owner = files::owner(&made) == (uid, gid) || std::os::unix::fs::fchown(&beside.file, Some(uid), Some(gid)).is_ok();
    let has_twins = before.nlink() > 1;
    if is_beside && keeps_owner && !has_twins {
        let mode = if it.mode == 0 { before.permissions().mode() } else { it.mode };
        beside.file.set_permissions(Permissions::from_mode(mode & 0o7777))?;
        let mut kept = files::xattrs(path, false);
        kept.retain(|(name, _)| it.drop_xattrs.is_empty() || !name.starts_with(&it.drop_xattrs));
        files::set_xattrs(beside.file.as_raw_fd(), &kept)?;
        files::set_xattrs(beside.file.as_raw_fd(), &it.xattrs)?;
        // What is left to do can wait until the answer is out: the new contents to the disk, the old ones out of memory.
        channel.sync_at_end(beside.file.try_clone()?, original);
        return Ok(beside.replace(path)?);
    }
    overwrite(&beside.file, &original)?;
    files::drop_xattrs(original.as_raw_fd(), path, &it.drop_xattrs)?;
    finish_in_place(&original, it, place.account.uid == uid || place.account.uid == 0)
}

fn overwrite(from: &File, into: &File) -> Outcome<()> {
    let (mut from, mut into) = (from, into);
    from.rewind()?;
    into.set_len(0)?;
    io::copy(&mut from, &mut into)?;
    Ok(())
}

fn finish_in_place(file: &File, it: &WriteFile, is_owner: bool) -> Outcome<()> {
    if it.mode != 0 && is_owner {
        file.set_permissions(Permissions::from_mode(it.mode & 0o7777))?;
    }
    files::set_xattrs(file.as_raw_fd(), &it.xattrs)
}

fn append(channel: &mut Channel, path: &Path, it: &WriteFile) -> Outcome<()> {
    let mode = if it.mode == 0 { 0o644 } else { it.mode & 0o7777 };
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_NOFOLLOW;
    let file = File::options().append(true).create(true).mode(mode).custom_flags(flags).open(path)?;
    check_regular(&files::stat_at(file.as_raw_fd(), sys::ITSELF, true)?)?;
    receive(channel, &file)?;
    files::set_xattrs(file.as_raw_fd(), &it.xattrs)
}

/// All DATA up to END.
fn receive(channel: &mut Channel, mut file: &File) -> Outcome<()> {
    let mut buffer = vec![0; PIECE];
    loop {
        match channel.read_full(&mut buffer)? {
            0 => return Ok(()),
            length => file.write_all(&buffer[..length])?,
        }
    }
}
