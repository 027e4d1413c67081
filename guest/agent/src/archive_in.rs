// SPDX-License-Identifier: Apache-2.0
//! Unpacks a tar archive below a directory. The archive is hostile: nothing it says leads out, and every length has a bound.

use crate::answer::{At, Failure, Outcome};
use crate::beneath::{components, Root, Stray};
use crate::channel::Channel;
use crate::files::{self, is_type, Place};
use crate::frame::DATA_LIMIT;
use crate::proto::{error::Code, TarIn};
use crate::sys;
use crate::tar::{self, Header, BLOCK};
use crate::walk;
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// Of pax records and of long names.
const RECORDS_LIMIT: u64 = 1 << 20;

struct Unpacker<'a> {
    channel: &'a mut Channel,
    root: Root,
    keep_owners: bool,
    /// Directories get their modes and times when nothing more comes into them.
    directories: Vec<Header>,
    buffer: Vec<u8>,
}

pub fn unpack(channel: &mut Channel, place: &Place, it: &TarIn) -> Outcome<()> {
    let path = place.path(&it.path)?;
    std::fs::DirBuilder::new().recursive(true).mode(0o755).create(&path).at(&it.path)?;
    let fd = walk::open_root(&path).at(&it.path)?;
    // Members get the modes that the archive says.
    // SAFETY: a plain value; this process does only this.
    unsafe { libc::umask(0) };
    let keep_owners = it.keep_owners && place.account.uid == 0;
    let root = Root::new(fd, path == Path::new("/"));
    let mut unpacker = Unpacker { channel, root, keep_owners, directories: Vec::new(), buffer: vec![0; DATA_LIMIT] };
    unpacker.members()?;
    unpacker.finish_directories()
}

fn invalid(why: &str, member: &[u8]) -> Failure {
    Failure::new(Code::Invalid, why).at(member)
}

fn stray(stray: Stray, member: &[u8]) -> Failure {
    match stray {
        Stray::Out => invalid("the member's way leads through a link out of the directory, or through a file", member),
        Stray::Failed(error) => Failure::from(error).at(member),
    }
}

impl Unpacker<'_> {
    fn members(&mut self) -> Outcome<()> {
        let mut zeroes = 0;
        let mut pending = Header::default();
        let mut records = Vec::new();
        loop {
            let mut block = [0; BLOCK];
            match self.channel.read_full(&mut block)? {
                0 if zeroes > 0 => return Ok(()),
                BLOCK => {}
                _ => return Err(invalid("the archive is cut short", b"")),
            }
            let Some(mut header) = tar::parse(&block).map_err(|_| invalid("a header is broken", b""))? else {
                zeroes += 1;
                if zeroes == 2 {
                    return self.skip_rest();
                }
                continue;
            };
            zeroes = 0;
            match header.kind {
                tar::PAX => records = self.records(&header)?,
                tar::LONG_NAME => pending.path = self.long(&header)?,
                tar::LONG_LINK => pending.link = self.long(&header)?,
                tar::PAX_GLOBAL => self.skip(header.size)?,
                _ => {
                    if !pending.path.is_empty() {
                        header.path = std::mem::take(&mut pending.path);
                    }
                    if !pending.link.is_empty() {
                        header.link = std::mem::take(&mut pending.link);
                    }
                    let records = std::mem::take(&mut records);
                    tar::apply_pax(&mut header, &records)
                        .map_err(|_| invalid("its pax records are broken or unknown", &header.path))?;
                    self.member(header)?;
                }
            }
        }
    }

    fn records(&mut self, header: &Header) -> Outcome<Vec<u8>> {
        if header.size > RECORDS_LIMIT {
            return Err(invalid("its records are too long", &header.path));
        }
        let mut bytes = vec![0; header.size as usize];
        if self.channel.read_full(&mut bytes)? < bytes.len() {
            return Err(invalid("the archive is cut short", &header.path));
        }
        self.skip_padding(header.size)?;
        Ok(bytes)
    }

    fn long(&mut self, header: &Header) -> Outcome<Vec<u8>> {
        let mut name = self.records(header)?;
        name.truncate(name.iter().position(|&c| c == 0).unwrap_or(name.len()));
        Ok(name)
    }

    fn skip_padding(&mut self, size: u64) -> Outcome<()> {
        let mut rest = [0; BLOCK];
        let length = tar::padding(size);
        if self.channel.read_full(&mut rest[..length])? < length {
            return Err(invalid("the archive is cut short", b""));
        }
        Ok(())
    }

    fn skip(&mut self, size: u64) -> Outcome<()> {
        let mut left = size;
        while left > 0 {
            let wanted = left.min(DATA_LIMIT as u64) as usize;
            match self.channel.read_data(&mut self.buffer[..wanted])? {
                0 => return Err(invalid("the archive is cut short", b"")),
                read => left -= read as u64,
            }
        }
        self.skip_padding(size)
    }

    /// Archives are padded after their end.
    fn skip_rest(&mut self) -> Outcome<()> {
        while self.channel.read_data(&mut self.buffer)? > 0 {}
        Ok(())
    }

    fn member(&mut self, header: Header) -> Outcome<()> {
        let path = header.path.clone();
        let parts = components(&path).ok_or_else(|| invalid("a member's name is relative and has no \"..\"", &path))?;
        let Some((name, parents)) = parts.split_last() else {
            // The directory itself, which is there already.
            return if has_contents(&header) { self.skip(header.size) } else { Ok(()) };
        };
        let name = sys::c_string(name).at(&path)?;
        let kind = if header.path.ends_with(b"/") && matches!(header.kind, tar::FILE | 0) { tar::DIRECTORY } else { header.kind };
        if kind == tar::HARD_LINK {
            return self.hard_link(&header, parents, &name);
        }
        let dir = self.root.directory(parents).map_err(|way| stray(way, &path))?;
        match kind {
            tar::FILE | 0 | b'7' => self.file(&header, dir, &name),
            tar::DIRECTORY => self.directory(header, dir, &name, &parts),
            tar::SYMLINK => {
                let target = sys::c_string(&header.link).at(&path)?;
                // SAFETY: C strings.
                self.replacing(dir, &name, || sys::check(unsafe { libc::symlinkat(target.as_ptr(), dir, name.as_ptr()) }))
                    .at(&path)?;
                self.dress(&header, dir, &name).at(&path)
            }
            tar::FIFO => {
                let mode = header.mode;
                // SAFETY: a C string.
                self.replacing(dir, &name, || sys::check(unsafe { libc::mkfifoat(dir, name.as_ptr(), mode) })).at(&path)?;
                self.dress(&header, dir, &name).at(&path)
            }
            b'3' | b'4' => Err(invalid("devices are not unpacked", &path)),
            _ => Err(invalid("members of this kind are not known", &path)),
        }
    }

    /// Makes something new; what was there before, and is no directory, makes room.
    fn replacing<T>(&mut self, dir: RawFd, name: &CStr, mut make: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        match make() {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // SAFETY: a C string.
                sys::check(unsafe { libc::unlinkat(dir, name.as_ptr(), 0) })?;
                make()
            }
            other => other,
        }
    }

    fn file(&mut self, header: &Header, dir: RawFd, name: &CString) -> Outcome<()> {
        let path = &header.path;
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW;
        let file = self.replacing(dir, name, || sys::open_at(dir, name, flags, header.mode)).at(path)?;
        let mut left = header.size;
        while left > 0 {
            let wanted = left.min(DATA_LIMIT as u64) as usize;
            let read = self.channel.read_full(&mut self.buffer[..wanted])?;
            write_all(&file, &self.buffer[..read]).at(path)?;
            left -= read as u64;
            if read < wanted {
                return Err(invalid("the archive is cut short", path));
            }
        }
        self.skip_padding(header.size)?;
        files::set_xattrs(file.as_raw_fd(), &header.xattrs).map_err(|failure| failure.at(path))?;
        if self.keep_owners {
            own(file.as_raw_fd(), sys::ITSELF, header).at(path)?;
        }
        if self.keep_owners || header.mode & 0o6000 != 0 {
            // A write or a change of owner has taken set-user-id away.
            // SAFETY: a plain value.
            sys::check(unsafe { libc::fchmod(file.as_raw_fd(), header.mode) }).at(path)?;
        }
        set_time(file.as_raw_fd(), None, header).at(path)
    }

    fn directory(&mut self, header: Header, dir: RawFd, name: &CString, parts: &[&[u8]]) -> Outcome<()> {
        // SAFETY: a C string. Ours alone until its own mode is set.
        if let Err(error) = sys::check(unsafe { libc::mkdirat(dir, name.as_ptr(), 0o700) }) {
            if error.kind() != io::ErrorKind::AlreadyExists {
                return Err(Failure::from(error).at(&header.path));
            }
            self.root.directory(parts).map_err(|way| stray(way, &header.path))?;
            self.root.forget();
        }
        self.directories.push(header);
        Ok(())
    }

    fn hard_link(&mut self, header: &Header, parents: &[&[u8]], name: &CString) -> Outcome<()> {
        let path = &header.path;
        let out = || invalid("a hard link's target is a relative name without \"..\"", path);
        let target = components(&header.link).ok_or_else(out)?;
        let (target_name, target_parents) = target.split_last().ok_or_else(out)?;
        let target_name = sys::c_string(target_name).at(path)?;
        let target_dir = self.root.directory(target_parents).map_err(|way| stray(way, path))?;
        // SAFETY: duplicates a descriptor that the next call may close.
        let target_dir = unsafe { std::os::fd::BorrowedFd::borrow_raw(target_dir) }.try_clone_to_owned().at(path)?;
        let dir = self.root.directory(parents).map_err(|way| stray(way, path))?;
        let make = || {
            // SAFETY: C strings.
            let made = unsafe { libc::linkat(target_dir.as_raw_fd(), target_name.as_ptr(), dir, name.as_ptr(), 0) };
            sys::check(made)
        };
        self.replacing(dir, name, make).map(drop).at(path)
    }

    /// Owner and time of what is no file.
    fn dress(&self, header: &Header, dir: RawFd, name: &CStr) -> io::Result<()> {
        if self.keep_owners {
            own(dir, name, header)?;
        }
        set_time(dir, Some(name), header)
    }

    /// The deepest first: a directory's own mode may forbid us to go below it.
    fn finish_directories(&mut self) -> Outcome<()> {
        let mut directories = std::mem::take(&mut self.directories);
        directories.sort_by_key(|header| std::cmp::Reverse(header.path.len()));
        for header in directories {
            let path = &header.path;
            let Some(parts) = components(path) else { continue };
            let Some((name, parents)) = parts.split_last() else { continue };
            let dir = self.root.directory(parents).map_err(|way| stray(way, path))?;
            let name = sys::c_string(name).at(path)?;
            let stat = files::stat_at(dir, &name, false).at(path)?;
            // A link that stands for a directory keeps being one.
            if !is_type(&stat, libc::S_IFDIR) {
                continue;
            }
            let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW;
            let fd = sys::open_at(dir, &name, flags, 0).at(path)?;
            files::set_xattrs(fd.as_raw_fd(), &header.xattrs).map_err(|failure| failure.at(path))?;
            if self.keep_owners {
                own(fd.as_raw_fd(), sys::ITSELF, &header).at(path)?;
            }
            // SAFETY: a plain value.
            sys::check(unsafe { libc::fchmod(fd.as_raw_fd(), header.mode) }).at(path)?;
            set_time(fd.as_raw_fd(), None, &header).at(path)?;
        }
        Ok(())
    }
}

/// Links and directories have none, whatever size some tars write there.
fn has_contents(header: &Header) -> bool {
    !matches!(header.kind, tar::HARD_LINK | tar::SYMLINK | tar::DIRECTORY | tar::FIFO | b'3' | b'4')
}

fn own(dir: RawFd, name: &CStr, header: &Header) -> io::Result<()> {
    let id = |id: u64| u32::try_from(id).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL));
    let flags = libc::AT_EMPTY_PATH | libc::AT_SYMLINK_NOFOLLOW;
    // SAFETY: a C string.
    sys::check(unsafe { libc::fchownat(dir, name.as_ptr(), id(header.uid)?, id(header.gid)?, flags) }).map(drop)
}

fn set_time(fd: RawFd, name: Option<&CStr>, header: &Header) -> io::Result<()> {
    let (tv_sec, tv_nsec) = header.mtime;
    let times = [libc::timespec { tv_sec: 0, tv_nsec: libc::UTIME_OMIT }, libc::timespec { tv_sec, tv_nsec }];
    // SAFETY: two timespecs, and a C string or none for the descriptor itself.
    sys::check(unsafe {
        match name {
            Some(name) => libc::utimensat(fd, name.as_ptr(), times.as_ptr(), libc::AT_SYMLINK_NOFOLLOW),
            None => libc::futimens(fd, times.as_ptr()),
        }
    })
    .map(drop)
}

fn write_all(file: &OwnedFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = sys::write(file.as_raw_fd(), bytes)?;
        bytes = &bytes[written..];
    }
    Ok(())
}
