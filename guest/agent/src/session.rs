// SPDX-License-Identifier: Apache-2.0
//! The processes that belong to an exec, and signals to them.

use crate::answer::{Failure, Outcome};
use crate::exec::Exec;
use crate::proto::error::Code;
use crate::sys;
use std::collections::HashSet;
use std::path::Path;

const ROUNDS: usize = 20;
const STAT_LIMIT: usize = 4096;

/// To the process group that the exec began.
pub fn signal_group(exec: &Exec, signal: u32) -> Outcome<bool> {
    check(signal)?;
    if exec.has_ended() && is_reused(exec.pid) {
        return Ok(false);
    }
    // Just forked, it has no group of its own yet.
    Ok(sys::kill(-exec.pid, signal)? || !exec.has_ended() && sys::kill(exec.pid, signal)?)
}

/// To every process of the exec's session and their descendants. A deadly signal is sent until none is left (a process may
/// fork while we look).
pub fn signal_tree(exec: &Exec, signal: u32) -> Outcome<bool> {
    check(signal)?;
    if exec.has_ended() && is_reused(exec.pid) {
        return Ok(false);
    }
    let mut told = HashSet::new();
    for _ in 0..ROUNDS {
        let mut members = members(exec.pid);
        if !exec.has_ended() {
            members.insert(exec.pid);
        }
        let mut fresh: Vec<i32> = members.into_iter().filter(|pid| !told.contains(pid)).collect();
        // The first process first: else it might end by itself because its children did, and not be told as killed.
        fresh.sort_by_key(|pid| *pid != exec.pid);
        let mut found = false;
        for pid in fresh {
            found |= told.insert(pid) && sys::kill(pid, signal).unwrap_or(false);
        }
        if !found || signal != libc::SIGKILL as u32 {
            break;
        }
    }
    Ok(!told.is_empty())
}

fn check(signal: u32) -> Outcome<()> {
    if (1..=64).contains(&signal) {
        return Ok(());
    }
    Err(Failure::new(Code::Invalid, "signals are 1 to 64"))
}

/// The first process of an exec has been reaped: whoever has its number now is somebody else.
fn is_reused(pid: i32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

struct Process {
    pid: i32,
    parent: i32,
    session: i32,
}

/// Living processes of the session and all their descendants.
fn members(session: i32) -> HashSet<i32> {
    let all = processes();
    let mut members: HashSet<i32> = all.iter().filter(|p| p.session == session).map(|p| p.pid).collect();
    loop {
        let before = members.len();
        members.extend(all.iter().filter(|p| members.contains(&p.parent)).map(|p| p.pid).collect::<Vec<_>>());
        if members.len() == before {
            return members;
        }
    }
}

fn processes() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(process)
        .filter(|process| process.pid > 1)
        .collect()
}

/// From /proc/PID/stat: `pid (name) state ppid pgrp session …`. None if it is gone or dead already.
fn process(pid: i32) -> Option<Process> {
    let stat = crate::users::read_regular(Path::new(&format!("/proc/{pid}/stat")), STAT_LIMIT).ok()?;
    let text = String::from_utf8_lossy(&stat);
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    Some(Process { pid, parent, session })
}
