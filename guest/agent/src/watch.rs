// SPDX-License-Identifier: Apache-2.0
//! Watching a directory, by inotify. What was made in a new directory before it could be watched is found by looking, so that every
//! path is told, with its final name.

use crate::answer::{done, At, Failure, Outcome};
use crate::channel::Channel;
use crate::content;
use crate::files::Place;
use crate::proto::{error::Code, event, reply::Kind, Event, Watch};
use crate::sys;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const MASK: u32 = libc::IN_CREATE
    | libc::IN_MODIFY
    | libc::IN_CLOSE_WRITE
    | libc::IN_DELETE
    | libc::IN_MOVED_FROM
    | libc::IN_MOVED_TO
    | libc::IN_ATTRIB
    | libc::IN_DELETE_SELF
    | libc::IN_MOVE_SELF
    | libc::IN_EXCL_UNLINK;
const BUFFER: usize = 64 << 10;
const HEAD: usize = std::mem::size_of::<libc::inotify_event>();
/// The second half of a rename follows at once, if the new name is watched too.
const RENAME_MILLIS: i32 = 20;
const DEPTH_LIMIT: usize = 256;

struct Raw {
    wd: i32,
    mask: u32,
    cookie: u32,
    name: Vec<u8>,
}

struct Gone {
    cookie: u32,
    path: PathBuf,
    directory: bool,
}

struct Watcher<'a> {
    channel: &'a mut Channel,
    inotify: OwnedFd,
    root: PathBuf,
    recursive: bool,
    paths: HashMap<i32, PathBuf>,
    root_wd: i32,
    /// Told because it was found: its own event may still come.
    found: HashSet<PathBuf>,
    /// Old contents under the name for the moment that a write gave them.
    exchanged: HashSet<PathBuf>,
    moved: Option<Gone>,
    last: Option<(event::Kind, PathBuf)>,
}

/// Runs until the host closes or the root is gone.
pub fn watch(channel: &mut Channel, place: &Place, it: &Watch) -> Outcome<()> {
    let root = place.path(&it.path)?;
    // SAFETY: no pointers; the descriptor is new and ours.
    let inotify = unsafe {
        let fd = sys::check(libc::inotify_init1(libc::IN_CLOEXEC | libc::IN_NONBLOCK)).map_err(too_many)?;
        OwnedFd::from_raw_fd(fd)
    };
    let mut watcher = Watcher {
        channel,
        inotify,
        root,
        recursive: it.recursive,
        paths: HashMap::new(),
        root_wd: -1,
        found: HashSet::new(),
        exchanged: HashSet::new(),
        moved: None,
        last: None,
    };
    watcher.root_wd = watcher.add(Path::new(""), 0).map_err(|error| too_many(error).at(&it.path))?;
    if it.recursive && watcher.root.is_dir() {
        watcher.enter(Path::new(""), false, 0).at(&it.path)?;
    }
    watcher.channel.put_reply(&done())?;
    watcher.channel.flush()?;
    watcher.serve()?;
    Ok(())
}

/// The kernel says "no space" when there are too many watches.
fn too_many(error: io::Error) -> Failure {
    let mut failure = Failure::from(error);
    if matches!(failure.code, Code::NoSpace | Code::TooMany) {
        failure = Failure::new(Code::TooMany, "the kernel allows no more watches");
    }
    failure
}

impl Watcher<'_> {
    fn add(&mut self, path: &Path, flags: u32) -> io::Result<i32> {
        let full = if path.as_os_str().is_empty() { self.root.clone() } else { self.root.join(path) };
        let name = sys::c_path(&full)?;
        // SAFETY: a C string.
        let wd = sys::check(unsafe { libc::inotify_add_watch(self.inotify.as_raw_fd(), name.as_ptr(), MASK | flags) })?;
        if wd != self.root_wd {
            self.paths.insert(wd, path.to_path_buf());
        }
        Ok(wd)
    }

    /// Watches all directories below one that is watched already; `tell`: what is there is new.
    fn enter(&mut self, path: &Path, tell: bool, depth: usize) -> io::Result<()> {
        if depth > DEPTH_LIMIT {
            return Err(io::Error::from_raw_os_error(libc::ENAMETOOLONG));
        }
        let entries = match fs::read_dir(self.root.join(path)) {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => return Ok(()),
            Err(error) => return Err(error),
        };
        for entry in entries.flatten() {
            let child = path.join(entry.file_name());
            let Ok(kind) = entry.file_type() else { continue };
            if tell {
                self.found.insert(child.clone());
                self.tell(event::Kind::Create, &child, None, kind.is_dir())?;
                if kind.is_file() && entry.metadata().is_ok_and(|it| it.len() > 0) {
                    self.tell(event::Kind::Write, &child, None, false)?;
                }
            }
            if kind.is_dir() {
                self.enter_new(&child, tell, depth + 1)?;
            }
        }
        Ok(())
    }

    /// Watches a directory that came, and looks what it holds.
    fn enter_new(&mut self, path: &Path, tell: bool, depth: usize) -> io::Result<()> {
        match self.add(path, libc::IN_ONLYDIR | libc::IN_DONT_FOLLOW) {
            Ok(_) => self.enter(path, tell, depth),
            Err(error) => match error.raw_os_error() {
                Some(libc::ENOENT | libc::ENOTDIR | libc::EACCES | libc::ELOOP) => Ok(()),
                _ => Err(error),
            },
        }
    }

    fn serve(&mut self) -> io::Result<()> {
        let mut buffer = vec![0u8; BUFFER];
        loop {
            let millis = if self.moved.is_some() { RENAME_MILLIS } else { -1 };
            if !self.wait(millis)? {
                return Ok(());
            }
            match sys::read(self.inotify.as_raw_fd(), &mut buffer) {
                Ok(length) => {
                    for raw in parse(&buffer[..length]) {
                        if !self.handle(raw)? {
                            return self.channel.flush();
                        }
                    }
                }
                Err(error) if sys::would_block(&error) => {
                    self.let_go_of_moved()?;
                    // Whatever was found by looking has had its own event by now.
                    self.found.clear();
                }
                Err(error) => return Err(error),
            }
            if sys::readable(self.inotify.as_raw_fd()) == 0 && self.moved.is_none() {
                self.found.clear();
                self.channel.flush()?;
                self.last = None;
            }
        }
    }

    /// Waits for events; false when the host has left.
    fn wait(&mut self, millis: i32) -> io::Result<bool> {
        let poll = |fd, events| libc::pollfd { fd, events, revents: 0 };
        let mut fds = [poll(self.inotify.as_raw_fd(), libc::POLLIN), poll(self.channel.fd(), libc::POLLIN | libc::POLLRDHUP)];
        // SAFETY: two pollfds of ours.
        sys::retry(|| sys::check(unsafe { libc::poll(fds.as_mut_ptr(), 2, millis) }))?;
        Ok(fds[1].revents == 0)
    }

    /// False when the root is gone.
    fn handle(&mut self, raw: Raw) -> io::Result<bool> {
        if raw.mask & libc::IN_Q_OVERFLOW != 0 {
            self.overflow()?;
            return Ok(true);
        }
        let own = libc::IN_DELETE_SELF | libc::IN_MOVE_SELF | libc::IN_UNMOUNT | libc::IN_IGNORED;
        if raw.mask & own != 0 {
            if raw.wd == self.root_wd {
                self.let_go_of_moved()?;
                self.tell(event::Kind::RootRemoved, Path::new(""), None, true)?;
                return Ok(false);
            }
            if raw.mask & libc::IN_IGNORED != 0 {
                self.paths.remove(&raw.wd);
            }
            return Ok(true);
        }
        let parent = if raw.wd == self.root_wd { Some(PathBuf::new()) } else { self.paths.get(&raw.wd).cloned() };
        let Some(parent) = parent else { return Ok(true) };
        // A watched directory tells its own changes of attributes, and so does its parent.
        if raw.name.is_empty() && raw.wd != self.root_wd {
            return Ok(true);
        }
        let path = parent.join(OsStr::from_bytes(&raw.name));
        let directory = raw.mask & libc::IN_ISDIR != 0;
        if raw.mask & libc::IN_MOVED_TO != 0 {
            self.arrived(path, raw.cookie, directory)?;
            return Ok(true);
        }
        self.let_go_of_moved()?;
        if raw.mask & libc::IN_CREATE != 0 {
            self.created(&path, directory)?;
        } else if raw.mask & libc::IN_MOVED_FROM != 0 {
            self.found.remove(&path);
            self.moved = Some(Gone { cookie: raw.cookie, path, directory });
        } else if raw.mask & libc::IN_DELETE != 0 {
            self.found.remove(&path);
            if !self.exchanged.remove(&path) {
                self.tell(event::Kind::Remove, &path, None, directory)?;
            }
        } else if raw.mask & (libc::IN_MODIFY | libc::IN_CLOSE_WRITE) != 0 {
            self.tell(event::Kind::Write, &path, None, false)?;
        } else if raw.mask & libc::IN_ATTRIB != 0 {
            self.tell(event::Kind::Attrib, &path, None, directory)?;
        }
        Ok(true)
    }

    fn created(&mut self, path: &Path, directory: bool) -> io::Result<()> {
        if self.found.remove(path) {
            return Ok(());
        }
        self.tell(event::Kind::Create, path, None, directory)?;
        self.look_into(path, directory)
    }

    fn look_into(&mut self, path: &Path, directory: bool) -> io::Result<()> {
        if directory && self.recursive {
            let depth = path.components().count();
            if self.enter_new(path, true, depth).is_err() {
                self.tell(event::Kind::Overflow, path, None, true)?;
            }
        }
        Ok(())
    }

    fn arrived(&mut self, path: PathBuf, cookie: u32, directory: bool) -> io::Result<()> {
        match self.moved.take() {
            Some(gone) if gone.cookie == cookie => {
                // The old contents of a file that a write has just replaced; they go next.
                if !directory && content::is_beside(&path) && !content::is_beside(&gone.path) {
                    self.exchanged.insert(path);
                    return Ok(());
                }
                if directory {
                    self.rename_below(&gone.path, &path);
                }
                self.tell(event::Kind::Rename, &path, Some(&gone.path), directory)?;
                // Directories that came into it before it was watched, under its old name.
                if directory && self.recursive && !self.paths.values().any(|known| *known == path) {
                    self.look_into(&path, true)?;
                }
                Ok(())
            }
            other => {
                self.moved = other;
                self.let_go_of_moved()?;
                self.created(&path, directory)?;
                if !directory {
                    self.tell(event::Kind::Write, &path, None, false)?;
                }
                Ok(())
            }
        }
    }

    /// The other half of a rename did not come: it went out of sight.
    fn let_go_of_moved(&mut self) -> io::Result<()> {
        let Some(gone) = self.moved.take() else { return Ok(()) };
        if gone.directory {
            let lost: Vec<i32> = self.paths.iter().filter(|(_, path)| path.starts_with(&gone.path)).map(|(wd, _)| *wd).collect();
            for wd in lost {
                self.paths.remove(&wd);
                // SAFETY: no pointers.
                unsafe { libc::inotify_rm_watch(self.inotify.as_raw_fd(), wd) };
            }
        }
        self.tell(event::Kind::Remove, &gone.path, None, gone.directory)
    }

    fn rename_below(&mut self, from: &Path, to: &Path) {
        for path in self.paths.values_mut() {
            if let Ok(rest) = path.strip_prefix(from) {
                *path = if rest.as_os_str().is_empty() { to.to_path_buf() } else { to.join(rest) };
            }
        }
    }

    /// Events were lost: it is said, and directories that came meanwhile are watched from now on.
    fn overflow(&mut self) -> io::Result<()> {
        self.moved = None;
        self.tell(event::Kind::Overflow, Path::new(""), None, true)?;
        if self.recursive {
            let _ = self.enter(Path::new(""), false, 0);
        }
        Ok(())
    }

    fn tell(&mut self, kind: event::Kind, path: &Path, from: Option<&Path>, directory: bool) -> io::Result<()> {
        // Many writes in a row are one piece of news.
        let news = (kind, path.to_path_buf());
        if kind == event::Kind::Write && self.last.as_ref() == Some(&news) {
            return Ok(());
        }
        self.last = Some(news);
        let from = from.map_or_else(Vec::new, |from| from.as_os_str().as_bytes().to_vec());
        self.channel.put(Kind::Event(Event { kind, path: path.as_os_str().as_bytes().to_vec(), from, directory }))
    }
}

/// The kernel's records: a head, then the name padded with zeroes.
fn parse(mut bytes: &[u8]) -> Vec<Raw> {
    let mut events = Vec::new();
    while bytes.len() >= HEAD {
        let word = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let (wd, mask, cookie, length) = (word(0) as i32, word(4), word(8), word(12) as usize);
        let Some(name) = bytes.get(HEAD..HEAD + length) else { break };
        let end = name.iter().position(|&c| c == 0).unwrap_or(length);
        events.push(Raw { wd, mask, cookie, name: name[..end].to_vec() });
        bytes = &bytes[HEAD + length..];
    }
    events
}
