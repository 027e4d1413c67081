// SPDX-License-Identifier: Apache-2.0
//! Input of an exec: taken from its Stdin connections, one after the other, only as fast as the process reads.

use crate::answer::{done, Failure};
use crate::conn::{Conn, Role};
use crate::exec::Exec;
use crate::frame::{self, Part};
use crate::guest::Guest;
use crate::proto::{error::Code, Reply};
use crate::sys::{self, Poll};
use std::os::fd::AsRawFd;

const END_OF_FILE: u8 = 4;
/// Parts of the input that are taken before the loop goes on.
const READS_AT_ONCE: usize = 32;

/// What is to be done with a connection before feeding goes on.
pub enum Step {
    Answer(u64, Reply),
    Drop(u64),
}

/// How a write to the process ended.
enum Wrote {
    All,
    Some(usize),
    Gone,
}

/// Brings as much input as the process takes. None when it must wait (for the host, or for the process).
pub fn feed(guest: &mut Guest, key: u64) -> Option<Step> {
    let exec = guest.execs.get_mut(&key)?;
    let Some(&front) = exec.stdin_queue.front() else {
        let _ = exec.watch_stdin(false, &guest.poll);
        return None;
    };
    let Some(conn) = guest.conns.get_mut(&front) else {
        exec.stdin_queue.pop_front();
        return Some(Step::Drop(front));
    };
    for _ in 0..READS_AT_ONCE {
        match conn.inbound.take() {
            Ok(Some(Part::Bytes(frame::STDIN, range))) => {
                let length = range.len();
                let left = match write(exec, conn.inbound.bytes(range)) {
                    Wrote::All => {
                        taken(conn);
                        continue;
                    }
                    Wrote::Some(count) => length - count,
                    Wrote::Gone => {
                        exec.close_stdin(&guest.poll);
                        exec.stdin_queue.pop_front();
                        return Some(Step::Answer(front, gone()));
                    }
                };
                conn.inbound.give_back(frame::STDIN, left);
                conn.unwatch(&guest.poll);
                let _ = exec.watch_stdin(true, &guest.poll);
                return None;
            }
            Ok(Some(Part::End)) => {
                if matches!(conn.role, Role::Stdin { close: true, .. }) {
                    close(exec, &guest.poll);
                }
                exec.stdin_queue.pop_front();
                return Some(Step::Answer(front, done()));
            }
            Ok(None) => {}
            _ => {
                exec.stdin_queue.pop_front();
                return Some(Step::Drop(front));
            }
        }
        if exec.stdin.is_none() {
            exec.stdin_queue.pop_front();
            return Some(Step::Answer(front, gone()));
        }
        match sys::read(conn.socket.as_raw_fd(), &mut guest.scratch) {
            Ok(read) if read > 0 => conn.inbound.feed(&guest.scratch[..read]),
            Err(error) if sys::would_block(&error) => {
                let _ = exec.watch_stdin(false, &guest.poll);
                let _ = conn.watch(libc::EPOLLIN as u32, Guest::conn_token(front), &guest.poll);
                return None;
            }
            _ => {
                exec.stdin_queue.pop_front();
                return Some(Step::Drop(front));
            }
        }
    }
    // Others have their turn; what was read already is written as soon as we come back.
    let _ = exec.watch_stdin(true, &guest.poll);
    None
}

fn taken(conn: &mut Conn) {
    if let Role::Stdin { taken, .. } = &mut conn.role {
        *taken = true;
    }
}

/// What a connection is told whose process ended: its input was delivered if the process took all that came and only END was to follow.
pub fn last_word(guest: &mut Guest, key: u64) -> Reply {
    if all_taken(guest, key) {
        done()
    } else {
        gone()
    }
}

fn all_taken(guest: &mut Guest, key: u64) -> bool {
    let Some(conn) = guest.conns.get_mut(&key) else { return false };
    if !matches!(conn.role, Role::Stdin { taken: true, .. }) {
        return false;
    }
    for _ in 0..2 {
        match conn.inbound.take() {
            Ok(Some(Part::End)) => return true,
            Ok(None) => {}
            _ => return false,
        }
        match sys::read(conn.socket.as_raw_fd(), &mut guest.scratch) {
            Ok(read) if read > 0 => conn.inbound.feed(&guest.scratch[..read]),
            Err(error) if sys::would_block(&error) => return conn.inbound.is_empty(),
            _ => return false,
        }
    }
    false
}

fn gone() -> Reply {
    Failure::new(Code::Gone, "nobody reads this exec's stdin").into_reply()
}

fn write(exec: &mut Exec, bytes: &[u8]) -> Wrote {
    let Some(stdin) = &exec.stdin else { return Wrote::Gone };
    let mut written = 0;
    while written < bytes.len() {
        match sys::write(stdin.as_raw_fd(), &bytes[written..]) {
            Ok(count) => written += count,
            Err(error) if sys::would_block(&error) => break,
            Err(_) => return Wrote::Gone,
        }
    }
    if written > 0 {
        exec.last_input = bytes[written - 1];
    }
    if written == bytes.len() {
        Wrote::All
    } else {
        Wrote::Some(written)
    }
}

/// Ends the input. A terminal gets its end-of-file character, twice where a line was begun.
fn close(exec: &mut Exec, poll: &Poll) {
    if !exec.terminal {
        return exec.close_stdin(poll);
    }
    if let Some(master) = &exec.stdin {
        let times = if exec.last_input == b'\n' { 1 } else { 2 };
        let _ = sys::write(master.as_raw_fd(), &[END_OF_FILE; 2][..times]);
        exec.last_input = b'\n';
    }
}
