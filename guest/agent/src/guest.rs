// SPDX-License-Identifier: Apache-2.0
//! The loop of PID 1: one thread, one epoll. Nothing here waits for anything but epoll; what may take long or block (files,
//! archives, watches, connections) is done by a forked worker that owns its connection.

use crate::answer::{done, Failure, Outcome};
use crate::conn::{Conn, Role};
use crate::exec::{exited, Exec};
use crate::frame::{Broken, Part};
use crate::output::Output;
use crate::proto::{exec_input, request::Op, ExecInput, Hello, Reply, Request};
use crate::spawn::Home;
use crate::sys::{self, Poll};
use crate::wire::Message;
use crate::{input, session, spawn, worker};
use std::collections::HashMap;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

const REDIAL: Duration = Duration::from_millis(20);
/// Two: one that a command uses comes back when it is short, and need not be replaced at once.
const SPARES: usize = 2;
const SCRATCH: usize = 64 << 10;
const REAP_AT_ONCE: usize = 256;
const READ: u32 = libc::EPOLLIN as u32;
const WRITE: u32 = libc::EPOLLOUT as u32;

/// What an epoll event is about: a key and its kind, in one number.
const KIND_BITS: u32 = 2;
const CONN: u64 = 0;
pub(crate) const STDOUT: u64 = 1;
pub(crate) const STDERR: u64 = 2;
pub(crate) const STDIN: u64 = 3;
const SIGNALS: u64 = u64::MAX;

pub(crate) fn token(key: u64, kind: u64) -> u64 {
    key << KIND_BITS | kind
}

/// Everything the guest knows.
pub struct Guest {
    pub(crate) poll: Poll,
    signals: OwnedFd,
    pub(crate) home: Home,
    next_key: u64,
    /// More children may have ended than were looked at.
    reaping: bool,
    spares: Vec<u64>,
    /// Not before this moment is the next spare dialled.
    dial_at: Instant,
    pub(crate) conns: HashMap<u64, Conn>,
    pub(crate) execs: HashMap<u64, Exec>,
    pub(crate) scratch: Box<[u8]>,
}

impl Guest {
    pub fn new(home: Home) -> io::Result<Self> {
        let poll = Poll::new()?;
        let signals = sys::child_signals()?;
        poll.add(signals.as_raw_fd(), READ, SIGNALS)?;
        Ok(Guest {
            poll,
            signals,
            home,
            next_key: 1,
            reaping: false,
            spares: Vec::with_capacity(SPARES),
            dial_at: Instant::now(),
            conns: HashMap::new(),
            execs: HashMap::new(),
            scratch: vec![0; SCRATCH].into_boxed_slice(),
        })
    }

    /// Serves for ever.
    pub fn run(&mut self) -> ! {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 64];
        loop {
            let millis = self.keep_spares();
            let ready = self.poll.wait(&mut events, if self.reaping { 0 } else { millis });
            for event in &events[..ready] {
                self.handle(event.u64, event.events);
            }
            if self.reaping {
                self.reap();
            }
        }
    }

    /// Dials where spares are missing. Answers how long to wait for events at most.
    fn keep_spares(&mut self) -> i32 {
        if self.spares.len() >= SPARES {
            return -1;
        }
        let now = Instant::now();
        if self.dial_at <= now {
            self.dial_at = now + REDIAL;
            self.dial();
        }
        if self.spares.len() >= SPARES {
            -1
        } else {
            self.dial_at.saturating_duration_since(now).as_millis() as i32 + 1
        }
    }

    fn dial(&mut self) {
        let Ok(socket) = sys::dial(&self.home.socket, false, 0) else { return };
        let key = self.new_key();
        let mut conn = Conn::new(socket);
        conn.put(&Hello { version: 1, child_of: String::new(), boot: self.home.boot });
        let greeted = conn.flush(&Output::new(0)).unwrap_or(false);
        if greeted && conn.watch(READ, token(key, CONN), &self.poll).is_ok() {
            self.conns.insert(key, conn);
            self.spares.push(key);
        }
    }

    pub(crate) fn new_key(&mut self) -> u64 {
        self.next_key += 1;
        self.next_key
    }

    fn handle(&mut self, event: u64, events: u32) {
        if event == SIGNALS {
            return self.reap();
        }
        let key = event >> KIND_BITS;
        match event & ((1 << KIND_BITS) - 1) {
            CONN => self.on_conn(key, events),
            STDOUT => self.on_output(key, 0),
            STDERR => self.on_output(key, 1),
            _ => self.feed_stdin(key),
        }
    }

    /// Ended children, a bounded number at a time: a storm of them must not keep us from the host.
    fn reap(&mut self) {
        let _ = sys::read(self.signals.as_raw_fd(), &mut self.scratch);
        self.reaping = true;
        for _ in 0..REAP_AT_ONCE {
            let Some(ended) = sys::reap() else {
                self.reaping = false;
                break;
            };
            let found = self.execs.iter_mut().find(|(_, exec)| exec.pid == ended.pid && !exec.has_ended());
            let Some((&key, exec)) = found else { continue };
            exec.end(exited(&ended));
            self.end_input(key);
            self.advance(key);
        }
    }

    fn on_output(&mut self, key: u64, which: usize) {
        let Some(exec) = self.execs.get_mut(&key) else { return };
        exec.read(which, &self.poll);
        self.advance(key);
    }

    /// After anything happened to an exec: reads what is owed, sends what can be sent, listens to what has room.
    pub(crate) fn advance(&mut self, key: u64) {
        let Some(exec) = self.execs.get_mut(&key) else { return };
        exec.drain(&self.poll);
        let mut quiet = true;
        if let Some(owner) = exec.owner {
            let sent = match self.conns.get_mut(&owner) {
                Some(conn) => exec.send(conn).and_then(|all| {
                    quiet = all;
                    let events = if all { READ } else { READ | WRITE };
                    conn.watch(events, token(owner, CONN), &self.poll)
                }),
                None => Err(io::ErrorKind::NotConnected.into()),
            };
            if sent.is_err() {
                self.drop_conn(owner);
            }
        }
        let Some(exec) = self.execs.get_mut(&key) else { return };
        if quiet && exec.forget && exec.is_over() {
            return self.drop_exec(key);
        }
        let _ = exec.watch(&self.poll);
    }

    pub(crate) fn drop_conn(&mut self, key: u64) {
        self.spares.retain(|spare| *spare != key);
        let Some(mut conn) = self.conns.remove(&key) else { return };
        conn.unwatch(&self.poll);
        if let Role::Owner(exec) = conn.role {
            if let Some(exec) = self.execs.get_mut(&exec).filter(|exec| exec.owner == Some(key)) {
                exec.owner = None;
            }
            self.let_go(exec);
        }
    }

    /// An exec that nobody listens to any more and that the host does not want goes on unheard.
    fn let_go(&mut self, key: u64) {
        let Some(exec) = self.execs.get_mut(&key) else { return };
        if exec.forget && exec.owner.is_none() {
            exec.output.ack(u64::MAX);
            if exec.is_over() {
                return self.drop_exec(key);
            }
            let _ = exec.watch(&self.poll);
        }
    }

    pub(crate) fn drop_exec(&mut self, key: u64) {
        self.end_input(key);
        let Some(mut exec) = self.execs.remove(&key) else { return };
        exec.unwatch(&self.poll);
        if let Some(owner) = exec.owner {
            self.drop_conn(owner);
        }
    }

    fn on_conn(&mut self, key: u64, events: u32) {
        let Some(conn) = self.conns.get_mut(&key) else { return };
        match conn.role {
            Role::Stdin { exec, .. } => return self.feed_stdin(exec),
            Role::Owner(exec) if events & WRITE != 0 => self.advance(exec),
            Role::Leaving => return self.leave(key),
            _ => {}
        }
        if events & !WRITE == 0 {
            return;
        }
        let Some(conn) = self.conns.get_mut(&key) else { return };
        match sys::read(conn.socket.as_raw_fd(), &mut self.scratch) {
            Ok(read) if read > 0 => {
                conn.inbound.feed(&self.scratch[..read]);
                if self.use_input(key).is_err() {
                    self.drop_conn(key);
                }
            }
            Err(error) if sys::would_block(&error) => {}
            _ => self.drop_conn(key),
        }
    }

    pub(crate) fn use_input(&mut self, key: u64) -> Result<(), Broken> {
        while let Some(conn) = self.conns.get_mut(&key) {
            let Some(part) = conn.inbound.take()? else { return Ok(()) };
            let Part::Control(range) = part else { return Err(Broken) };
            let message = conn.inbound.bytes(range);
            match conn.role {
                Role::Spare => {
                    let request = Request::decode(message).map_err(|_| Broken)?;
                    return self.begin(key, request);
                }
                Role::Owner(exec) => {
                    let input = ExecInput::decode(message).map_err(|_| Broken)?;
                    self.control(key, exec, input);
                }
                _ => return Err(Broken),
            }
        }
        Ok(())
    }

    /// What the owner of an exec says.
    fn control(&mut self, conn: u64, key: u64, input: ExecInput) {
        let Some(exec) = self.execs.get_mut(&key) else { return };
        match input.kind {
            Some(exec_input::Kind::Ack(offset)) => {
                if let Some(conn) = self.conns.get(&conn) {
                    exec.ack(offset, conn);
                }
                self.advance(key);
            }
            Some(exec_input::Kind::Resize(pty)) => {
                if let (true, Some(master)) = (exec.terminal, &exec.stdin) {
                    let _ = spawn::resize(master.as_raw_fd(), &pty);
                }
            }
            Some(exec_input::Kind::Signal(signal)) => {
                let _ = session::signal_group(exec, signal);
            }
            Some(exec_input::Kind::Forget(forget)) => {
                exec.forget |= forget;
                if forget && exec.is_over() && exec.owner == Some(conn) {
                    exec.owner = None;
                    self.reuse(conn);
                }
                self.advance(key);
            }
            None => {}
        }
    }

    /// Its operation is over and the host knows: it waits for the next one.
    fn reuse(&mut self, key: u64) {
        if let Some(conn) = self.conns.get_mut(&key) {
            conn.role = Role::Spare;
            self.spares.push(key);
        }
    }

    fn begin(&mut self, key: u64, request: Request) -> Result<(), Broken> {
        self.spares.retain(|spare| *spare != key);
        let now = Instant::now();
        self.dial_at = if self.spares.is_empty() { now } else { now + REDIAL };
        let answer = match request.op.ok_or(Broken)? {
            Op::Exec(exec) => return self.settle(key, |guest| guest.exec(key, &exec)),
            Op::Attach(attach) => return self.settle(key, |guest| guest.attach(key, &attach)),
            Op::Stdin(stdin) => return self.settle(key, |guest| guest.stdin(key, &stdin)),
            Op::Signal(signal) => self.signal(&signal),
            Op::Forget(forget) => self.forget(&forget),
            Op::Ps(_) => Ok(self.ps()),
            Op::Ping(_) => Ok(done()),
            Op::Go(_) => return Err(Broken),
            op => return self.delegate(key, op),
        };
        self.answer(key, answer.unwrap_or_else(Failure::into_reply));
        Ok(())
    }

    fn settle(&mut self, key: u64, operation: impl FnOnce(&mut Self) -> Outcome<()>) -> Result<(), Broken> {
        if let Err(failure) = operation(self) {
            self.answer(key, failure.into_reply());
        }
        Ok(())
    }

    /// Sends a last message; the connection closes when it is out.
    pub(crate) fn answer(&mut self, key: u64, reply: Reply) {
        if let Some(conn) = self.conns.get_mut(&key) {
            conn.put(&reply);
            conn.role = Role::Leaving;
            self.leave(key);
        }
    }

    fn leave(&mut self, key: u64) {
        let Some(conn) = self.conns.get_mut(&key) else { return };
        match conn.flush(&Output::new(0)) {
            Ok(false) if conn.watch(WRITE, token(key, CONN), &self.poll).is_ok() => {}
            _ => self.drop_conn(key),
        }
    }

    fn delegate(&mut self, key: u64, op: Op) -> Result<(), Broken> {
        let Some(mut conn) = self.conns.remove(&key) else { return Ok(()) };
        conn.unwatch(&self.poll);
        // SAFETY: we have one thread, so the child may do what it likes.
        match unsafe { libc::fork() } {
            0 => worker::run(conn.socket, conn.inbound.into_rest(), op),
            -1 => {
                let failure = Failure::from(io::Error::last_os_error());
                self.conns.insert(key, conn);
                self.answer(key, failure.into_reply());
            }
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn feed_stdin(&mut self, key: u64) {
        while let Some(step) = input::feed(self, key) {
            match step {
                input::Step::Answer(conn, reply) => self.answer(conn, reply),
                input::Step::Drop(conn) => self.drop_conn(conn),
            }
        }
    }

    /// Nobody reads an exec's stdin any more.
    pub(crate) fn end_input(&mut self, key: u64) {
        let Some(exec) = self.execs.get_mut(&key) else { return };
        exec.close_stdin(&self.poll);
        for conn in std::mem::take(&mut exec.stdin_queue) {
            let reply = input::last_word(self, conn);
            self.answer(conn, reply);
        }
    }

    pub(crate) fn conn_token(key: u64) -> u64 {
        token(key, CONN)
    }
}
