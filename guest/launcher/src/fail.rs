// SPDX-License-Identifier: Apache-2.0
//! What failed, for the one line that the server reads.

use std::fmt;

#[derive(Debug)]
pub struct Fail {
    what: String,
    errno: Option<i32>,
}

impl Fail {
    pub fn usage(what: &str) -> Fail {
        Fail { what: what.to_string(), errno: None }
    }

    pub fn os(what: impl Into<String>) -> Fail {
        Fail { what: what.into(), errno: std::io::Error::last_os_error().raw_os_error() }
    }

    pub fn io(what: impl Into<String>, error: &std::io::Error) -> Fail {
        Fail { what: what.into(), errno: error.raw_os_error() }
    }

    pub fn errno(&self) -> Option<i32> {
        self.errno
    }
}

impl fmt::Display for Fail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.errno {
            Some(errno) => write!(f, "{}: {}", self.what, std::io::Error::from_raw_os_error(errno)),
            None => f.write_str(&self.what),
        }
    }
}
