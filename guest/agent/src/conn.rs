// SPDX-License-Identifier: Apache-2.0
//! One connection to the host, as the loop holds it.

use crate::frame::{header, put_control, Inbound};
use crate::output::Output;
use crate::sys::{self, Poll};
use crate::wire::Message;
use std::io::{self, IoSlice};
use std::os::fd::{AsRawFd, OwnedFd};

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Waits for a request.
    Spare,
    /// Gets the output of an exec.
    Owner(u64),
    /// Brings input for an exec, which ends after it if `close`. `taken`: the process took some of it.
    Stdin { exec: u64, close: bool, taken: bool },
    /// Closes when its answer is out.
    Leaving,
}

/// A data frame on its way: its bytes stay in the exec's output.
#[derive(Clone, Copy)]
struct Sending {
    head: [u8; 4],
    head_sent: usize,
    at: u64,
    left: usize,
}

pub struct Conn {
    pub socket: OwnedFd,
    pub role: Role,
    pub inbound: Inbound,
    out: Vec<u8>,
    out_sent: usize,
    sending: Option<Sending>,
    watched: u32,
}

impl Conn {
    pub fn new(socket: OwnedFd) -> Self {
        Conn { socket, role: Role::Spare, inbound: Inbound::default(), out: Vec::new(), out_sent: 0, sending: None, watched: 0 }
    }

    /// Queues a message; `flush` sends it after the frame that is on its way.
    pub fn put<M: Message>(&mut self, message: &M) {
        put_control(&mut self.out, message);
    }

    /// Begins a data frame; nothing else may be on its way.
    pub fn begin(&mut self, stream: u8, at: u64, length: usize) {
        self.sending = Some(Sending { head: header(stream, length), head_sent: 0, at, left: length });
    }

    pub fn is_sending(&self) -> bool {
        self.sending.is_some()
    }

    pub fn is_idle(&self) -> bool {
        self.sending.is_none() && self.out.is_empty()
    }

    /// Sends what is queued, in one call where it can; true if all went out.
    pub fn flush(&mut self, output: &Output) -> io::Result<bool> {
        while !self.is_idle() {
            let control = &self.out[self.out_sent..];
            let sent = match &self.sending {
                // Messages queued behind a frame that has begun must wait for its end.
                Some(sending) => {
                    let [first, second] = output.bytes(sending.at, sending.left);
                    let head = &sending.head[sending.head_sent..];
                    let control = if sending.head_sent == 0 { control } else { &[] };
                    sys::write_from(self.socket.as_raw_fd(), &[IoSlice::new(control), IoSlice::new(head), first, second])
                }
                None => sys::write(self.socket.as_raw_fd(), control),
            };
            match sent {
                Ok(sent) => self.advance(sent),
                Err(error) if sys::would_block(&error) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn advance(&mut self, mut sent: usize) {
        let begun = self.sending.as_ref().is_some_and(|sending| sending.head_sent > 0);
        if !begun {
            let control = sent.min(self.out.len() - self.out_sent);
            self.out_sent += control;
            sent -= control;
            if self.out_sent == self.out.len() {
                self.out.clear();
                self.out_sent = 0;
            }
        }
        if let Some(sending) = &mut self.sending {
            let head = sent.min(4 - sending.head_sent);
            sending.head_sent += head;
            let body = (sent - head).min(sending.left);
            sending.at += body as u64;
            sending.left -= body;
            if sending.head_sent == 4 && sending.left == 0 {
                self.sending = None;
            }
        }
    }

    /// Where in the output the unsent part of the frame on its way begins.
    pub fn unsent_from(&self) -> Option<u64> {
        self.sending.as_ref().map(|sending| sending.at)
    }

    /// Asks for these events and no others.
    pub fn watch(&mut self, events: u32, token: u64, poll: &Poll) -> io::Result<()> {
        let fd = self.socket.as_raw_fd();
        match (self.watched, events) {
            (before, now) if before == now => return Ok(()),
            (0, _) => poll.add(fd, events, token)?,
            (_, 0) => poll.remove(fd)?,
            _ => poll.change(fd, events, token)?,
        }
        self.watched = events;
        Ok(())
    }

    pub fn unwatch(&mut self, poll: &Poll) {
        let _ = self.watch(0, 0, poll);
    }
}
