// SPDX-License-Identifier: Apache-2.0
//! A worker's connection: blocking, frame by frame.

use crate::answer::reply;
use crate::frame::{self, header, put_control, DATA, DATA_LIMIT, END};
use crate::proto::{reply::Kind, Reply};
use crate::sys;
use std::fs::File;
use std::io::{self, Error, ErrorKind, IoSlice};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

/// Replies are gathered up to this size before they are sent.
const GATHER: usize = 32 << 10;
const DISCARD_SECONDS: u64 = 30;

/// The host has gone, or does not keep to the protocol: the operation is over.
pub fn lost() -> Error {
    ErrorKind::ConnectionAborted.into()
}

pub struct Channel {
    socket: OwnedFd,
    /// Read, but not yet used: `buffer[start..end]`.
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    out: Vec<u8>,
    /// Bytes of the data frame that we are in.
    left: usize,
    ended: bool,
    /// To be written to disk, and to be let go, once the answer is out.
    late: Option<(File, File)>,
}

impl Channel {
    pub fn new(socket: OwnedFd, rest: &[u8]) -> Self {
        let mut buffer = vec![0; DATA_LIMIT.max(rest.len())].into_boxed_slice();
        buffer[..rest.len()].copy_from_slice(rest);
        Channel { socket, buffer, start: 0, end: rest.len(), out: Vec::new(), left: 0, ended: false, late: None }
    }

    pub fn fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    /// Queues a reply; it goes out with `flush` or when there are many.
    pub fn put(&mut self, kind: Kind) -> io::Result<()> {
        self.put_reply(&reply(kind))
    }

    pub fn put_reply(&mut self, reply: &Reply) -> io::Result<()> {
        put_control(&mut self.out, reply);
        if self.out.len() >= GATHER {
            return self.flush();
        }
        Ok(())
    }

    pub fn flush(&mut self) -> io::Result<()> {
        write_all(self.fd(), &[&self.out])?;
        self.out.clear();
        Ok(())
    }

    /// One DATA frame (at most 256 KiB), after what is queued.
    pub fn send_data(&mut self, bytes: &[u8]) -> io::Result<()> {
        write_all(self.fd(), &[&self.out, &header(DATA, bytes.len()), bytes])?;
        self.out.clear();
        Ok(())
    }

    pub fn send_end(&mut self) -> io::Result<()> {
        self.out.extend_from_slice(&header(END, 0));
        self.flush()
    }

    /// The next bytes of DATA frames, straight into `target`; 0 after END.
    pub fn read_data(&mut self, target: &mut [u8]) -> io::Result<usize> {
        while self.left == 0 {
            if self.ended || !self.next_frame()? {
                return Ok(0);
            }
        }
        let wanted = self.left.min(target.len());
        let buffered = (self.end - self.start).min(wanted);
        let read = if buffered > 0 {
            target[..buffered].copy_from_slice(&self.buffer[self.start..self.start + buffered]);
            self.start += buffered;
            buffered
        } else {
            match sys::read(self.fd(), &mut target[..wanted])? {
                0 => return Err(lost()),
                read => read,
            }
        };
        self.left -= read;
        Ok(read)
    }

    /// Fills `target`; less only at END.
    pub fn read_full(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let mut length = 0;
        while length < target.len() {
            match self.read_data(&mut target[length..])? {
                0 => break,
                read => length += read,
            }
        }
        Ok(length)
    }

    /// Begins the next DATA frame; false at END.
    fn next_frame(&mut self) -> io::Result<bool> {
        while self.end - self.start < 4 {
            self.fill()?;
        }
        let head = [0, 1, 2, 3].map(|i| self.buffer[self.start + i]);
        self.start += 4;
        match frame::parse_header(head) {
            Ok((DATA, length)) => {
                self.left = length;
                Ok(true)
            }
            Ok((END, _)) => {
                self.ended = true;
                Ok(false)
            }
            _ => Err(lost()),
        }
    }

    /// Reads little ahead: the bytes of frames go straight to where they are wanted.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let room = (self.end + 4096).min(self.buffer.len());
        match sys::read(self.socket.as_raw_fd(), &mut self.buffer[self.end..room])? {
            0 => Err(lost()),
            read => {
                self.end += read;
                Ok(())
            }
        }
    }

    /// When the answer is out, `written` goes to the disk; `old` stays open until then.
    pub fn sync_at_end(&mut self, written: File, old: File) {
        self.late = Some((written, old));
    }

    pub fn take_late(&mut self) -> Option<(File, File)> {
        self.late.take()
    }

    /// Last words. If the host is still sending (`uploading`), what it sends is dropped for a while, so that it gets to the answer.
    pub fn finish(mut self, last: Option<&Reply>, uploading: bool) {
        if let Some(reply) = last {
            put_control(&mut self.out, reply);
        }
        if self.flush().is_err() || self.ended || !uploading {
            return;
        }
        // SAFETY: a socket of ours.
        unsafe { libc::shutdown(self.fd(), libc::SHUT_WR) };
        let until = Instant::now() + Duration::from_secs(DISCARD_SECONDS);
        let _ = sys::set_timeouts(self.fd(), DISCARD_SECONDS as i64);
        while Instant::now() < until && sys::read(self.socket.as_raw_fd(), &mut self.buffer).is_ok_and(|read| read > 0) {}
    }
}

fn write_all(fd: RawFd, slices: &[&[u8]]) -> io::Result<()> {
    let mut total: usize = slices.iter().map(|slice| slice.len()).sum();
    let mut skip = 0;
    while total > 0 {
        let mut skipped = skip;
        let mut parts = [IoSlice::new(&[]); 4];
        for (part, slice) in parts.iter_mut().zip(slices) {
            let cut = skipped.min(slice.len());
            skipped -= cut;
            *part = IoSlice::new(&slice[cut..]);
        }
        let sent = sys::write_from(fd, &parts[..slices.len().min(4)])?;
        skip += sent;
        total -= sent;
    }
    Ok(())
}
