// SPDX-License-Identifier: Apache-2.0
//! A forked process that does one operation, written as a plain blocking method. It holds nothing of the guest's but its own
//! connection, so whatever happens to it, only this operation ends.

use crate::answer::{done, Failure, Outcome};
use crate::channel::Channel;
use crate::files::{self, Place};
use crate::proto::{error::Code, request::Op, Reply};
use crate::spawn::FsUser;
use crate::users::{Account, Users};
use crate::{archive_in, archive_out, configure, content, ports, sys, tree, watch};
use std::os::fd::{AsRawFd, OwnedFd};

/// Does the operation, answers, and ends this process.
pub fn run(socket: OwnedFd, rest: Vec<u8>, op: Op) -> ! {
    let fd = socket.as_raw_fd() as u32;
    sys::close_range(3, fd - 1);
    sys::close_range(fd + 1, u32::MAX);
    let usable = sys::set_blocking(socket.as_raw_fd(), true).is_ok();
    if usable {
        let mut channel = Channel::new(socket, &rest);
        let uploading = matches!(op, Op::Write(_) | Op::TarIn(_));
        let last = match perform(&mut channel, op) {
            Ok(last) => last,
            Err(failure) => Some(failure.into_reply()),
        };
        let late = channel.take_late();
        channel.finish(last.as_ref(), uploading);
        if let Some((written, _old)) = late {
            // Nobody waits for it any more, and what fails shows at the next use of the file.
            let _ = written.sync_data();
        }
    }
    // SAFETY: ends this process only. Nothing of the parent's state, of which this is a copy, may be dropped.
    unsafe { libc::_exit(0) }
}

/// The last reply, or None where the operation has sent it itself.
fn perform(channel: &mut Channel, op: Op) -> Outcome<Option<Reply>> {
    match op {
        Op::Stat(it) => as_user(&it.user, |at| files::stat(&at, &it).map(Some)),
        Op::List(it) => as_user(&it.user, |at| tree::list(channel, &at, &it).map(Some)),
        Op::Read(it) => as_user(&it.user, |at| content::read(channel, &at, &it).map(|()| None)),
        Op::Write(it) => as_user(&it.user, |at| content::write(channel, &at, &it).map(Some)),
        Op::Mkdir(it) => as_user(&it.user, |at| files::make_dir(&at, &it).map(finished)),
        Op::Move(it) => as_user(&it.user, |at| files::rename(&at, &it).map(finished)),
        Op::Remove(it) => as_user(&it.user, |at| tree::remove(&at, &it).map(finished)),
        Op::Link(it) => as_user(&it.user, |at| files::link(&at, &it).map(finished)),
        Op::SetAttr(it) => as_user(&it.user, |at| tree::set_attributes(&at, &it).map(finished)),
        Op::Watch(it) => as_user(&it.user, |at| watch::watch(channel, &at, &it).map(|()| None)),
        Op::TarOut(it) => as_user(&it.user, |at| archive_out::write(channel, &at, &it).map(|()| None)),
        Op::TarIn(it) => as_user(&it.user, |at| archive_in::unpack(channel, &at, &it).map(finished)),
        Op::Ports(_) => Ok(Some(ports::list())),
        Op::Connect(it) => ports::connect(channel, &it).map(|()| None),
        Op::Configure(it) => configure::configure(&it).map(finished),
        _ => Err(Failure::new(Code::Invalid, "no operation of a connection")),
    }
}

fn finished((): ()) -> Option<Reply> {
    Some(done())
}

/// With the file rights of that user.
fn as_user<T>(user: &str, operation: impl FnOnce(Place) -> Outcome<T>) -> Outcome<T> {
    let users = Users::load();
    let account: Account = users.account(user).ok_or_else(|| Failure::new(Code::NoUser, format!("no such user: {user:.200}")))?;
    let _rights = FsUser::switch(&account)?;
    operation(Place { users, account })
}
