// SPDX-License-Identifier: Apache-2.0
//! One exec: its process, pipes, output and who listens.

use crate::answer::reply;
use crate::conn::Conn;
use crate::frame::{DATA_LIMIT, STDERR, STDOUT};
use crate::output::Output;
use crate::proto::{reply::Kind, Closed, ExecState, Exited};
use crate::spawn::Spawned;
use crate::sys::{self, Poll};
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

const DEFAULT_WINDOW: usize = 256 << 10;
const MAX_WINDOW: usize = 16 << 20;
const MIN_WINDOW: usize = 4096;
/// After the process has ended, at most this much of a terminal's output is read before its end is told.
const TERMINAL_OWED: usize = 256 << 10;

/// A pipe (or terminal) that output comes by.
struct Pipe {
    fd: OwnedFd,
    token: u64,
    stream: u8,
    watched: bool,
    /// Bytes that were in it when the process ended, still to be read before the end is told.
    owed: usize,
}

pub struct Exec {
    pub id: String,
    pub pid: i32,
    pub terminal: bool,
    pub output: Output,
    pipes: [Option<Pipe>; 2],
    pub stdin: Option<OwnedFd>,
    pub stdin_token: u64,
    /// Connections that bring input, in their order.
    pub stdin_queue: VecDeque<u64>,
    pub stdin_watched: bool,
    /// The last input byte, to know how a terminal's input is to be ended.
    pub last_input: u8,
    pub owner: Option<u64>,
    sent: u64,
    ended: Option<Exited>,
    /// Where in the output the end of the process stands.
    end_offset: Option<u64>,
    end_sent: bool,
    close_sent: bool,
    pub forget: bool,
}

impl Exec {
    /// `tokens`: of the two output pipes and stdin.
    pub fn new(id: String, spawned: Spawned, window: u32, tokens: [u64; 3], poll: &Poll) -> io::Result<Self> {
        let window = match window as usize {
            0 => DEFAULT_WINDOW,
            window => window.clamp(MIN_WINDOW, MAX_WINDOW),
        };
        let terminal = spawned.stderr.is_none();
        let pipe = |fd, stream, token| Pipe { fd, token, stream, watched: false, owed: 0 };
        let stdout = pipe(spawned.stdout, STDOUT, tokens[0]);
        let stderr = spawned.stderr.map(|fd| pipe(fd, STDERR, tokens[1]));
        let mut exec = Exec {
            id,
            pid: spawned.pid,
            terminal,
            output: Output::new(window),
            pipes: [Some(stdout), stderr],
            stdin: spawned.stdin,
            stdin_token: tokens[2],
            stdin_queue: VecDeque::new(),
            stdin_watched: false,
            last_input: b'\n',
            owner: None,
            sent: 0,
            ended: None,
            end_offset: None,
            end_sent: false,
            close_sent: false,
            forget: false,
        };
        exec.watch(poll)?;
        Ok(exec)
    }

    /// Listens to the pipes exactly while there is room for what they bring.
    pub fn watch(&mut self, poll: &Poll) -> io::Result<()> {
        let room = !self.output.is_full();
        for pipe in self.pipes.iter_mut().flatten() {
            if pipe.watched != room {
                if room {
                    poll.add(pipe.fd.as_raw_fd(), libc::EPOLLIN as u32, pipe.token)?;
                } else {
                    poll.remove(pipe.fd.as_raw_fd())?;
                }
                pipe.watched = room;
            }
        }
        Ok(())
    }

    /// Reads once from a pipe that has something; 0 is stdout, 1 stderr. True if there may be more.
    pub fn read(&mut self, which: usize, poll: &Poll) -> bool {
        let Some(pipe) = self.pipes[which].as_mut() else { return false };
        if self.output.is_full() {
            return false;
        }
        let wanted = sys::readable(pipe.fd.as_raw_fd()).min(DATA_LIMIT);
        match self.output.read_from(pipe.fd.as_raw_fd(), pipe.stream, wanted) {
            Ok(read) if read > 0 => {
                pipe.owed = pipe.owed.saturating_sub(read);
                if self.forget && self.owner.is_none() {
                    self.output.ack(u64::MAX);
                }
                true
            }
            Err(error) if sys::would_block(&error) => {
                pipe.owed = 0;
                false
            }
            // End of file; a terminal without a process on it says EIO.
            _ => {
                if pipe.watched {
                    let _ = poll.remove(pipe.fd.as_raw_fd());
                }
                self.pipes[which] = None;
                false
            }
        }
    }

    /// The process has ended: what its pipes hold now comes before its end.
    pub fn end(&mut self, mut exited: Exited) {
        for pipe in self.pipes.iter_mut().flatten() {
            pipe.owed = if self.terminal { TERMINAL_OWED } else { sys::readable(pipe.fd.as_raw_fd()) };
        }
        exited.offset = 0;
        self.ended = Some(exited);
    }

    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// No more output will come.
    pub fn is_closed(&self) -> bool {
        self.pipes.iter().all(Option::is_none)
    }

    /// After the end, reads what is owed and, while at it, whether the pipes are at their end.
    pub fn drain(&mut self, poll: &Poll) {
        if self.ended.is_none() || self.end_offset.is_some() {
            return;
        }
        for which in 0..2 {
            let mut budget = 64;
            while budget > 0 && self.read(which, poll) {
                budget -= 1;
                if self.pipes[which].as_ref().is_some_and(|pipe| pipe.owed == 0) {
                    // One more look finds the end of file, if it is there.
                    budget = budget.min(1);
                }
            }
        }
        if self.pipes.iter().flatten().all(|pipe| pipe.owed == 0) {
            self.end_offset = Some(self.output.produced());
        }
    }

    /// Nothing will change any more, and whoever listens has been told.
    pub fn is_over(&self) -> bool {
        self.has_ended() && self.is_closed() && (self.owner.is_none() || self.close_sent)
    }

    /// A connection takes over from this offset; answers where it really begins.
    pub fn adopt(&mut self, owner: u64, from: u64) -> u64 {
        self.output.ack(from);
        self.sent = self.output.acked();
        self.owner = Some(owner);
        self.end_sent = false;
        self.close_sent = false;
        self.sent
    }

    /// The host holds everything below `offset`; what is still on its way to it stays.
    pub fn ack(&mut self, offset: u64, conn: &Conn) {
        self.output.ack(offset.min(conn.unsent_from().unwrap_or(self.sent)));
        if self.has_ended() && self.is_closed() {
            self.output.shrink();
        }
    }

    /// Sends what there is to the owner until its socket is full; true if all went out.
    pub fn send(&mut self, conn: &mut Conn) -> io::Result<bool> {
        loop {
            if conn.is_sending() && !conn.flush(&self.output)? {
                return Ok(false);
            }
            if let (Some(offset), Some(ended), false) = (self.end_offset, &self.ended, self.end_sent) {
                if self.sent >= offset {
                    conn.put(&reply(Kind::Exited(Exited { offset, ..ended.clone() })));
                    self.end_sent = true;
                    continue;
                }
            }
            let before_end = match self.end_offset {
                Some(offset) if !self.end_sent => (offset - self.sent) as usize,
                _ => usize::MAX,
            };
            if let Some((stream, length)) = self.output.run(self.sent) {
                let length = length.min(before_end).min(DATA_LIMIT);
                conn.begin(stream, self.sent, length);
                self.sent += length as u64;
                continue;
            }
            if self.end_sent && !self.close_sent && self.is_closed() {
                conn.put(&reply(Kind::Closed(Closed { offset: self.output.produced() })));
                self.close_sent = true;
            }
            return conn.flush(&self.output);
        }
    }

    pub fn state(&self) -> ExecState {
        ExecState {
            id: self.id.clone(),
            pid: self.pid as u32,
            running: !self.has_ended(),
            produced: self.output.produced(),
            acked: self.output.acked(),
            pty: self.terminal,
            closed: self.is_closed(),
        }
    }

    /// Takes the stdin end away from epoll and closes it.
    pub fn close_stdin(&mut self, poll: &Poll) {
        if let Some(stdin) = self.stdin.take() {
            if self.stdin_watched {
                let _ = poll.remove(stdin.as_raw_fd());
                self.stdin_watched = false;
            }
        }
    }

    pub fn watch_stdin(&mut self, wanted: bool, poll: &Poll) -> io::Result<()> {
        let Some(stdin) = &self.stdin else { return Ok(()) };
        if wanted && !self.stdin_watched {
            poll.add(stdin.as_raw_fd(), libc::EPOLLOUT as u32, self.stdin_token)?;
        } else if !wanted && self.stdin_watched {
            poll.remove(stdin.as_raw_fd())?;
        }
        self.stdin_watched = wanted;
        Ok(())
    }

    /// Stops all listening, before the exec is dropped.
    pub fn unwatch(&mut self, poll: &Poll) {
        self.close_stdin(poll);
        for pipe in self.pipes.iter().flatten().filter(|pipe| pipe.watched) {
            let _ = poll.remove(pipe.fd.as_raw_fd());
        }
    }
}

/// What a wait status and the resources say.
pub fn exited(ended: &sys::Ended) -> Exited {
    let signal = if libc::WIFSIGNALED(ended.status) { libc::WTERMSIG(ended.status) } else { 0 };
    let code = if signal != 0 { 128 + signal } else { libc::WEXITSTATUS(ended.status) };
    let micros = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
    Exited {
        code,
        signal: signal as u32,
        user_us: micros(ended.usage.ru_utime),
        system_us: micros(ended.usage.ru_stime),
        max_rss_bytes: ended.usage.ru_maxrss as u64 * 1024,
        offset: 0,
    }
}
