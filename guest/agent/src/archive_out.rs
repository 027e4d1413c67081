// SPDX-License-Identifier: Apache-2.0
//! A directory (or file) as a tar archive.

use crate::answer::{At, Failure, Outcome};
use crate::channel::Channel;
use crate::files::{self, is_type, Place};
use crate::frame::DATA_LIMIT;
use crate::proto::{error::Code, TarOut};
use crate::sys;
use crate::tar::{self, Header, BLOCK};
use crate::walk::{self, Entry, Next, Visitor};
use std::collections::HashMap;
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Files of several names that are remembered; beyond, they are written again.
const LINKS_LIMIT: usize = 1 << 20;

struct Writer<'a> {
    channel: &'a mut Channel,
    root: PathBuf,
    buffer: Vec<u8>,
    seen: HashMap<(u64, u64), Vec<u8>>,
    whole: bool,
}

pub fn write(channel: &mut Channel, place: &Place, it: &TarOut) -> Outcome<()> {
    let path = place.path(&it.path)?;
    let root = sys::open(&path, libc::O_PATH, 0).at(&it.path)?;
    let stat = files::stat_at(root.as_raw_fd(), sys::ITSELF, true).at(&it.path)?;
    let mut writer = Writer { channel, root: path.clone(), buffer: Vec::with_capacity(DATA_LIMIT), seen: HashMap::new(), whole: it.whole };
    if is_type(&stat, libc::S_IFDIR) {
        walk::walk(walk::open_root(&path).at(&it.path)?, &mut writer)?;
    } else {
        writer.root = path.parent().unwrap_or(Path::new("/")).to_path_buf();
        let name = sys::c_string(path.file_name().unwrap_or_default().as_bytes())?;
        let directory = walk::open_root(&writer.root).at(&it.path)?;
        let stat = files::stat_at(directory.as_raw_fd(), &name, false).at(&it.path)?;
        writer.enter(&Entry {
            dir: directory.as_raw_fd(),
            name: &name,
            path: Path::new(path.file_name().unwrap_or_default()),
            stat,
        })?;
    }
    writer.end()
}

impl Visitor for Writer<'_> {
    fn enter(&mut self, entry: &Entry<'_>) -> Outcome<Next> {
        let bytes = entry.path.as_os_str().as_bytes();
        let mut header = self.header(entry);
        match entry.stat.st_mode & libc::S_IFMT {
            libc::S_IFDIR => {
                header.path.push(b'/');
                header.kind = tar::DIRECTORY;
            }
            libc::S_IFLNK => {
                header.kind = tar::SYMLINK;
                header.link = fs::read_link(self.root.join(entry.path)).at(bytes)?.into_os_string().into_vec();
            }
            libc::S_IFIFO => header.kind = tar::FIFO,
            libc::S_IFREG => return self.file(entry, header).map(|()| Next::Over),
            // Sockets mean nothing elsewhere, devices are nobody's to take along.
            _ => return Ok(Next::Over),
        }
        self.put(&header)?;
        Ok(Next::Into)
    }
}

impl Writer<'_> {
    fn header(&self, entry: &Entry<'_>) -> Header {
        Header {
            path: entry.path.as_os_str().as_bytes().to_vec(),
            mode: entry.stat.st_mode & 0o7777,
            uid: entry.stat.st_uid.into(),
            gid: entry.stat.st_gid.into(),
            mtime: (entry.stat.st_mtime, entry.stat.st_mtime_nsec),
            xattrs: files::xattrs(&self.root.join(entry.path), false),
            ..Header::default()
        }
    }

    fn file(&mut self, entry: &Entry<'_>, mut header: Header) -> Outcome<()> {
        if entry.stat.st_nlink > 1 && !self.whole {
            let key = (entry.stat.st_dev, entry.stat.st_ino);
            if let Some(first) = self.seen.get(&key) {
                header.kind = tar::HARD_LINK;
                header.link.clone_from(first);
                return self.put(&header);
            }
            if self.seen.len() < LINKS_LIMIT {
                self.seen.insert(key, header.path.clone());
            }
        }
        let flags = libc::O_RDONLY | libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_NOFOLLOW;
        let path = header.path.clone();
        let file = sys::open_at(entry.dir, entry.name, flags, 0).at(&path)?;
        let stat = files::stat_at(file.as_raw_fd(), sys::ITSELF, true).at(&path)?;
        if !is_type(&stat, libc::S_IFREG) {
            return Ok(());
        }
        header.kind = tar::FILE;
        header.size = stat.st_size as u64;
        self.put(&header)?;
        let mut left = header.size;
        while left > 0 {
            let at = self.buffer.len();
            let room = (DATA_LIMIT - at).min(usize::try_from(left).unwrap_or(usize::MAX));
            self.buffer.resize(at + room, 0);
            let read = sys::read(file.as_raw_fd(), &mut self.buffer[at..]).at(&path)?;
            if read == 0 {
                return Err(Failure::new(Code::Busy, "the file became shorter while it was read").at(&path));
            }
            self.buffer.truncate(at + read);
            left -= read as u64;
            self.send_full()?;
        }
        tar::pad(&mut self.buffer, header.size);
        self.send_full()
    }

    fn put(&mut self, header: &Header) -> Outcome<()> {
        tar::put(&mut self.buffer, header);
        self.send_full()
    }

    /// Sends whole frames and keeps the rest.
    fn send_full(&mut self) -> Outcome<()> {
        while self.buffer.len() >= DATA_LIMIT {
            self.channel.send_data(&self.buffer[..DATA_LIMIT])?;
            self.buffer.drain(..DATA_LIMIT);
        }
        Ok(())
    }

    fn end(&mut self) -> Outcome<()> {
        self.buffer.resize(self.buffer.len() + 2 * BLOCK, 0);
        self.send_full()?;
        if !self.buffer.is_empty() {
            self.channel.send_data(&self.buffer)?;
        }
        Ok(self.channel.send_end()?)
    }
}
