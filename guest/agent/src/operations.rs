// SPDX-License-Identifier: Apache-2.0
//! The operations that the loop does itself: those on execs.

use crate::answer::{done, reply, Failure, Outcome};
use crate::conn::Role;
use crate::exec::Exec;
use crate::guest::{token, Guest, STDERR, STDIN, STDOUT};
use crate::proto::{self, error::Code, reply::Kind, PsReply, Reply, SignalReply, Started};
use crate::{session, spawn, sys};

const EXEC_LIMIT: usize = 4096;
const ID_LIMIT: usize = 256;

impl Guest {
    fn key_of(&self, id: &str) -> Outcome<u64> {
        let found = self.execs.iter().find(|(_, exec)| exec.id == id);
        found.map(|(key, _)| *key).ok_or_else(|| Failure::new(Code::Gone, "no such exec"))
    }

    pub(crate) fn exec(&mut self, conn: u64, request: &proto::Exec) -> Outcome<()> {
        if request.id.is_empty() || request.id.len() > ID_LIMIT {
            return Err(Failure::new(Code::Invalid, format!("an exec's id has 1 to {ID_LIMIT} bytes")));
        }
        if self.key_of(&request.id).is_ok() {
            return Err(Failure::new(Code::Exists, "there is an exec of this id"));
        }
        if self.execs.len() >= EXEC_LIMIT {
            return Err(Failure::new(Code::TooMany, format!("the guest keeps {EXEC_LIMIT} execs at most")));
        }
        let spawned = spawn::spawn(request, &self.home)?;
        let pid = spawned.pid;
        let key = self.new_key();
        let tokens = [token(key, STDOUT), token(key, STDERR), token(key, STDIN)];
        match Exec::new(request.id.clone(), spawned, request.window, tokens, &self.poll) {
            Ok(exec) => self.execs.insert(key, exec),
            Err(error) => {
                // Without its pipes in epoll nobody would hear it.
                let _ = sys::kill(pid, libc::SIGKILL as u32);
                return Err(error.into());
            }
        };
        self.adopt(conn, key, 0);
        Ok(())
    }

    pub(crate) fn attach(&mut self, conn: u64, request: &proto::Attach) -> Outcome<()> {
        let key = self.key_of(&request.id)?;
        if let Some(older) = self.execs.get(&key).and_then(|exec| exec.owner) {
            self.drop_conn(older);
        }
        self.adopt(conn, key, request.from);
        Ok(())
    }

    fn adopt(&mut self, owner: u64, key: u64, from: u64) {
        let (Some(exec), Some(conn)) = (self.execs.get_mut(&key), self.conns.get_mut(&owner)) else { return };
        conn.role = Role::Owner(key);
        let offset = exec.adopt(owner, from);
        conn.put(&reply(Kind::Started(Started { pid: exec.pid as u32, boot: self.home.boot, offset })));
        self.advance(key);
        // The host may have said more than its request already.
        if self.use_input(owner).is_err() {
            self.drop_conn(owner);
        }
    }

    pub(crate) fn stdin(&mut self, conn: u64, request: &proto::Stdin) -> Outcome<()> {
        let key = self.key_of(&request.id)?;
        let exec = self.execs.get_mut(&key).filter(|exec| exec.stdin.is_some() && !exec.has_ended());
        let exec = exec.ok_or_else(|| Failure::new(Code::Gone, "nobody reads this exec's stdin"))?;
        if let Some(conn) = self.conns.get_mut(&conn) {
            conn.role = Role::Stdin { exec: key, close: request.close, taken: false };
            conn.unwatch(&self.poll);
        }
        exec.stdin_queue.push_back(conn);
        self.feed_stdin(key);
        Ok(())
    }

    pub(crate) fn signal(&mut self, request: &proto::Signal) -> Outcome<Reply> {
        let key = self.key_of(&request.id)?;
        let Some(exec) = self.execs.get(&key) else { return Err(Failure::new(Code::Gone, "no such exec")) };
        let delivered =
            if request.tree { session::signal_tree(exec, request.signal)? } else { session::signal_group(exec, request.signal)? };
        Ok(reply(Kind::Signal(SignalReply { delivered })))
    }

    pub(crate) fn forget(&mut self, request: &proto::Forget) -> Outcome<Reply> {
        let key = self.key_of(&request.id)?;
        if !self.execs.get(&key).is_some_and(|exec| exec.has_ended() && exec.is_closed()) {
            return Err(Failure::new(Code::Busy, "the exec still runs or its pipes are open"));
        }
        self.drop_exec(key);
        Ok(done())
    }

    pub(crate) fn ps(&self) -> Reply {
        reply(Kind::Ps(PsReply { execs: self.execs.values().map(Exec::state).collect(), boot: self.home.boot }))
    }
}
