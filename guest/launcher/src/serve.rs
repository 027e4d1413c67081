// SPDX-License-Identifier: Apache-2.0
//! Stands by for a server: starts sandboxes that it asks for on standard input and tells on standard output how that ended. Each start
//! is a child of its own; one child waits ahead, with the network namespace (which needs nothing of the plan) already made. Ends, and
//! the waiting child with it, when the server closes our input or dies.
//!
//! Asked: `id: u32, kind: u8 (0 start, 1 end it), length: u32`, then arguments as for `run`, each ended by a NUL. Told:
//! `id: u32, code: i32 (128 + signal where one ended it), length: u32`, then what was said on standard error. Little endian.

use crate::fail::Fail;
use crate::{net, plan, run, sys};
use std::collections::HashMap;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

const START: u8 = 0;
const HEAD: usize = 9;
/// Arguments are paths and short words; a pipe takes as many without anybody reading.
const LONGEST: usize = 60 << 10;
const SAID: usize = 16 << 10;

/// A child that has been forked: heard on `said`, and `ended` becomes readable when it has.
struct Child {
    pid: libc::pid_t,
    ended: OwnedFd,
    said: OwnedFd,
}

/// With the pipe by which it is told its plan.
type Waiting = (Child, OwnedFd);

struct Desk {
    input: Vec<u8>,
    running: HashMap<u32, Child>,
    ahead: Option<Waiting>,
}

pub fn serve() -> Result<(), Fail> {
    // SAFETY: a server that went away must not end us by a signal; the failed write does.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    let mut desk = Desk { input: Vec::new(), running: HashMap::new(), ahead: None };
    loop {
        if desk.ahead.is_none() && desk.running.is_empty() {
            desk.ahead = Some(spawn()?);
        }
        let ids: Vec<u32> = desk.running.keys().copied().collect();
        let mut polled: Vec<libc::pollfd> = vec![wanted(0)];
        polled.extend(ids.iter().filter_map(|id| desk.running.get(id)).map(|c| wanted(c.ended.as_raw_fd())));
        // SAFETY: pointer and length describe `polled`.
        let n = unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, -1) };
        if n < 0 && std::io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            return Err(Fail::os("poll"));
        }
        for (id, entry) in ids.iter().zip(&polled[1..]) {
            if entry.revents != 0 {
                desk.tell(*id)?;
            }
        }
        if polled[0].revents != 0 && !desk.hear()? {
            return Ok(());
        }
    }
}

fn wanted(fd: RawFd) -> libc::pollfd {
    libc::pollfd { fd, events: libc::POLLIN, revents: 0 }
}

impl Desk {
    /// False at the end of the input.
    fn hear(&mut self) -> Result<bool, Fail> {
        let mut piece = [0u8; 16 << 10];
        let n = read(0, &mut piece)?;
        self.input.extend_from_slice(&piece[..n]);
        while let Some((id, kind, arguments)) = self.message()? {
            if kind == START {
                self.start(id, &arguments)?;
            } else if let Some(child) = self.running.get(&id) {
                // SAFETY: our own child, not yet reaped.
                unsafe { libc::kill(child.pid, libc::SIGKILL) };
            }
        }
        Ok(n > 0)
    }

    fn message(&mut self) -> Result<Option<(u32, u8, Vec<u8>)>, Fail> {
        if self.input.len() < HEAD {
            return Ok(None);
        }
        let length = number(&self.input[5..HEAD]) as usize;
        if length > LONGEST {
            return Err(Fail::usage("a message is too long"));
        }
        if self.input.len() < HEAD + length {
            return Ok(None);
        }
        let message: Vec<u8> = self.input.drain(..HEAD + length).collect();
        Ok(Some((number(&message[..4]), message[4], message[HEAD..].to_vec())))
    }

    fn start(&mut self, id: u32, arguments: &[u8]) -> Result<(), Fail> {
        let (child, plan) = match self.ahead.take() {
            Some(waiting) => waiting,
            None => spawn()?,
        };
        self.running.insert(id, child);
        match write_all(plan.as_raw_fd(), arguments) {
            // It died meanwhile, and is told of as ended.
            Err(fault) if fault.errno() == Some(libc::EPIPE) => Ok(()),
            told => told,
        }
    }

    fn tell(&mut self, id: u32) -> Result<(), Fail> {
        let Some(child) = self.running.remove(&id) else { return Ok(()) };
        let mut status = 0;
        // SAFETY: `status` is a valid place; the child is ours.
        sys::check(unsafe { libc::waitpid(child.pid, &mut status, 0) }, || "waitpid".to_string())?;
        let code = if libc::WIFSIGNALED(status) { 128 + libc::WTERMSIG(status) } else { libc::WEXITSTATUS(status) };
        let said = rest(&child.said)?;
        let mut answer = Vec::with_capacity(12 + said.len());
        answer.extend_from_slice(&id.to_le_bytes());
        answer.extend_from_slice(&code.to_le_bytes());
        answer.extend_from_slice(&(said.len() as u32).to_le_bytes());
        answer.extend_from_slice(&said);
        write_all(1, &answer)
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b))
}

fn spawn() -> Result<Waiting, Fail> {
    let (plan_out, plan_in) = pipe(0)?;
    let (said_out, said_in) = pipe(libc::O_NONBLOCK)?;
    // SAFETY: one thread.
    let pid = unsafe { libc::fork() };
    sys::check(pid, || "fork".to_string())?;
    if pid == 0 {
        child(plan_out, said_in);
    }
    // SAFETY: plain arguments.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    sys::check(fd as libc::c_int, || "pidfd_open".to_string())?;
    // SAFETY: just opened, known to nobody else.
    let ended = unsafe { OwnedFd::from_raw_fd(fd as RawFd) };
    Ok((Child { pid, ended, said: said_out }, plan_in))
}

/// Reads its plan to the end and becomes the runtime; nothing read: nobody needs it any more.
fn child(plan: OwnedFd, said: OwnedFd) -> ! {
    let code = match ready(&plan, &said).and_then(|()| arguments(&plan)) {
        Ok(words) if words.is_empty() => 0,
        Ok(words) => fail(plan::Plan::parse(&words).and_then(run::run)),
        Err(fault) => fail(Err(fault)),
    };
    // SAFETY: ends this process without running what the parent set up.
    unsafe { libc::_exit(code) }
}

fn fail(result: Result<(), Fail>) -> libc::c_int {
    match result {
        Ok(()) => 0,
        Err(fault) => {
            eprintln!("{fault}");
            70
        }
    }
}

/// Holds nothing of its parent's: else a pipe would not end when the parent does.
fn ready(plan: &OwnedFd, said: &OwnedFd) -> Result<(), Fail> {
    let null = sys::open("/dev/null", libc::O_RDWR)?;
    for (from, to) in [(null.as_raw_fd(), 0), (null.as_raw_fd(), 1), (said.as_raw_fd(), 2)] {
        // SAFETY: own descriptors.
        sys::check(unsafe { libc::dup2(from, to) }, || "dup2".to_string())?;
    }
    let keep = plan.as_raw_fd() as u32;
    for (first, last) in [(3, keep - 1), (keep + 1, u32::MAX)] {
        if first <= last {
            // SAFETY: closes descriptors that nobody in this process uses; `plan` is none of them.
            let closed = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
            sys::check(closed as libc::c_int, || "close_range".to_string())?;
        }
    }
    // SAFETY: as the runtime expects it.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    net::unshare()
}

fn arguments(plan: &OwnedFd) -> Result<Vec<String>, Fail> {
    let mut all = Vec::new();
    let mut piece = [0u8; 4096];
    loop {
        let n = read(plan.as_raw_fd(), &mut piece)?;
        if n == 0 {
            break;
        }
        all.extend_from_slice(&piece[..n]);
    }
    let words = all.split(|b| *b == 0).map(|w| String::from_utf8(w.to_vec()));
    let mut words: Vec<String> = words.collect::<Result<_, _>>().map_err(|_| Fail::usage("an argument is not UTF-8"))?;
    words.pop();
    Ok(words)
}

/// Close-on-exec. `reading`: flags of the end that is read, beside that.
fn pipe(reading: libc::c_int) -> Result<(OwnedFd, OwnedFd), Fail> {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors.
    sys::check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) }, || "pipe2".to_string())?;
    // SAFETY: just opened, known to nobody else.
    let (out, into) = unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
    // SAFETY: own descriptor.
    sys::check(unsafe { libc::fcntl(out.as_raw_fd(), libc::F_SETFL, reading) }, || "fcntl".to_string())?;
    Ok((out, into))
}

/// What a pipe holds now.
fn rest(from: &OwnedFd) -> Result<Vec<u8>, Fail> {
    let mut all = vec![0; SAID];
    match read(from.as_raw_fd(), &mut all) {
        Ok(n) => all.truncate(n),
        Err(fault) if fault.errno() == Some(libc::EAGAIN) => all.clear(),
        Err(fault) => return Err(fault),
    }
    Ok(all)
}

fn read(fd: RawFd, into: &mut [u8]) -> Result<usize, Fail> {
    loop {
        // SAFETY: pointer and length describe `into`.
        let n = unsafe { libc::read(fd, into.as_mut_ptr().cast(), into.len()) };
        if n >= 0 {
            return Ok(n as usize);
        }
        let fault = Fail::os("read");
        if fault.errno() != Some(libc::EINTR) {
            return Err(fault);
        }
    }
}

fn write_all(fd: RawFd, mut bytes: &[u8]) -> Result<(), Fail> {
    while !bytes.is_empty() {
        // SAFETY: pointer and length describe `bytes`.
        let n = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
        if n >= 0 {
            bytes = &bytes[n as usize..];
        } else {
            let fault = Fail::os("write");
            if fault.errno() != Some(libc::EINTR) {
                return Err(fault);
            }
        }
    }
    Ok(())
}
