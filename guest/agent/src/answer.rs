// SPDX-License-Identifier: Apache-2.0
//! Answers of operations: how an error of the kernel becomes one of the protocol.

use crate::proto::{error::Code, reply::Kind, Done, Error, Reply};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

const MESSAGE_LIMIT: usize = 500;

pub fn reply(kind: Kind) -> Reply {
    Reply { kind: Some(kind) }
}

pub fn done() -> Reply {
    reply(Kind::Done(Done {}))
}

/// Why an operation did not happen.
#[derive(Debug)]
pub struct Failure {
    pub code: Code,
    pub message: String,
    pub path: Vec<u8>,
    pub errno: i32,
}

pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Failure { code, message: message.into(), path: Vec::new(), errno: 0 }
    }

    pub fn at(mut self, path: impl AsRef<[u8]>) -> Self {
        self.path = path.as_ref().to_vec();
        self
    }

    /// Its path was told from a directory: now from where that is.
    pub fn below(mut self, directory: &Path) -> Self {
        self.path = directory.join(OsStr::from_bytes(&self.path)).into_os_string().into_vec();
        self
    }

    pub fn into_reply(mut self) -> Reply {
        if self.message.len() > MESSAGE_LIMIT {
            let cut = (0..=MESSAGE_LIMIT).rev().find(|&i| self.message.is_char_boundary(i)).unwrap_or(0);
            self.message.truncate(cut);
        }
        self.path.truncate(libc::PATH_MAX as usize);
        let errno = u32::try_from(self.errno).unwrap_or(0);
        reply(Kind::Error(Error { code: self.code, message: self.message, path: self.path, errno }))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let errno = error.raw_os_error().unwrap_or(0);
        Failure { code: code(errno), message: error.to_string(), path: Vec::new(), errno }
    }
}

/// Adds the path to an error of the kernel.
pub trait At<T> {
    fn at(self, path: impl AsRef<[u8]>) -> Outcome<T>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: impl AsRef<[u8]>) -> Outcome<T> {
        self.map_err(|error| Failure::from(error).at(path))
    }
}

fn code(errno: i32) -> Code {
    match errno {
        libc::ENOENT => Code::NotFound,
        libc::EACCES | libc::EPERM => Code::Permission,
        libc::EEXIST => Code::Exists,
        libc::ENOTDIR => Code::NotDirectory,
        libc::EISDIR => Code::IsDirectory,
        libc::ENOTEMPTY => Code::NotEmpty,
        libc::ENOSPC | libc::EDQUOT => Code::NoSpace,
        libc::EINVAL | libc::EXDEV | libc::EOPNOTSUPP => Code::Invalid,
        libc::EFBIG | libc::E2BIG => Code::TooLarge,
        libc::EMFILE | libc::ENFILE | libc::EMLINK => Code::TooMany,
        libc::ELOOP => Code::Loop,
        libc::EROFS => Code::ReadOnly,
        libc::ENAMETOOLONG => Code::NameTooLong,
        libc::EBUSY | libc::EAGAIN | libc::ETXTBSY => Code::Busy,
        _ => Code::Io,
    }
}
