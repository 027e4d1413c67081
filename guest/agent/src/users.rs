// SPDX-License-Identifier: Apache-2.0
//! Users and groups as the sandbox's own /etc/passwd and /etc/group say. Both files are the sandbox's to write: they are read
//! with a bound, and a line that makes no sense is skipped.

use crate::sys;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

const FILE_LIMIT: usize = 4 << 20;
/// The kernel takes no more supplementary groups.
const GROUP_LIMIT: usize = 65_536;

/// Who an operation acts as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub name: String,
    pub uid: u32,
    pub gid: u32,
    pub groups: Vec<u32>,
    pub home: Vec<u8>,
    pub shell: Vec<u8>,
}

/// The contents of the two files.
pub struct Users {
    passwd: Vec<u8>,
    group: Vec<u8>,
}

impl Users {
    pub fn load() -> Self {
        Users { passwd: read_bounded("/etc/passwd"), group: read_bounded("/etc/group") }
    }

    /// `user`: empty (root), a name, "uid", "uid:gid" or "name:group". None if there is no such user or group.
    pub fn account(&self, user: &str) -> Option<Account> {
        let (user, group) = match user.split_once(':') {
            Some((user, group)) => (user, Some(group)),
            None => (user, None),
        };
        let mut account = self.user(if user.is_empty() { "0" } else { user })?;
        if let Some(group) = group {
            account.gid = self.group_id(group)?;
        }
        Some(account)
    }

    fn user(&self, user: &str) -> Option<Account> {
        let number = number(user);
        let line = entries(&self.passwd, 7).find(|fields| match number {
            Some(uid) => id(fields[2]) == Some(uid),
            None => fields[0] == user.as_bytes(),
        });
        match (line, number) {
            (Some(fields), _) => {
                let name = String::from_utf8_lossy(fields[0]).into_owned();
                let (uid, gid) = (id(fields[2])?, id(fields[3])?);
                let groups = self.groups_of(fields[0], gid);
                Some(Account { name, uid, gid, groups, home: fields[5].to_vec(), shell: fields[6].to_vec() })
            }
            (None, Some(uid)) => {
                Some(Account { name: user.into(), uid, gid: uid, groups: vec![uid], home: vec![], shell: vec![] })
            }
            (None, None) => None,
        }
    }

    fn groups_of(&self, name: &[u8], gid: u32) -> Vec<u32> {
        let mut groups = vec![gid];
        for fields in entries(&self.group, 4) {
            if fields[3].split(|&c| c == b',').any(|member| member == name) {
                groups.extend(id(fields[2]).filter(|gid| !groups.contains(gid)));
            }
        }
        groups.truncate(GROUP_LIMIT);
        groups
    }

    fn group_id(&self, group: &str) -> Option<u32> {
        number(group).or_else(|| {
            let fields = entries(&self.group, 4).find(|fields| fields[0] == group.as_bytes())?;
            id(fields[2])
        })
    }

    pub fn user_name(&self, uid: u32) -> String {
        name_of(entries(&self.passwd, 7), uid)
    }

    pub fn group_name(&self, gid: u32) -> String {
        name_of(entries(&self.group, 4), gid)
    }
}

impl Account {
    /// The home, or `/` where none is given or it is no absolute path.
    pub fn home(&self) -> &Path {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(&self.home));
        if path.is_absolute() {
            path
        } else {
            Path::new("/")
        }
    }
}

fn name_of<'a>(mut lines: impl Iterator<Item = Vec<&'a [u8]>>, wanted: u32) -> String {
    lines
        .find(|fields| id(fields[2]) == Some(wanted))
        .map_or_else(|| wanted.to_string(), |fields| String::from_utf8_lossy(fields[0]).into_owned())
}

fn entries(file: &[u8], fields: usize) -> impl Iterator<Item = Vec<&[u8]>> {
    file.split(|&c| c == b'\n')
        .map(|line| line.split(|&c| c == b':').collect::<Vec<_>>())
        .filter(move |parts| parts.len() == fields && !parts[0].is_empty())
}

fn id(field: &[u8]) -> Option<u32> {
    number(std::str::from_utf8(field).ok()?)
}

/// A user or group id; the highest number means "no change" to the kernel and is none.
fn number(text: &str) -> Option<u32> {
    if !text.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|&id| id != u32::MAX)
}

fn read_bounded(path: &str) -> Vec<u8> {
    read_regular(Path::new(path), FILE_LIMIT).unwrap_or_default()
}

/// The beginning of a regular file; never waits.
pub fn read_regular(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let file = sys::open(path, libc::O_RDONLY | libc::O_NONBLOCK | libc::O_NOCTTY, 0)?;
    let file = std::fs::File::from(file);
    let info = file.metadata()?;
    if !info.is_file() {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    let mut bytes = vec![0; (info.len() as usize).clamp(4096, limit) + 1];
    let mut length = 0;
    while length < limit.min(bytes.len()) {
        match sys::read(file.as_raw_fd(), &mut bytes[length..])? {
            0 => break,
            read => length += read,
        }
        if length == bytes.len() && length < limit {
            bytes.resize((length * 2).min(limit), 0);
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn users() -> Users {
        Users {
            passwd: b"root:x:0:0:root:/root:/bin/bash\nbroken\nuser:x:1000:1000::/home/user:/bin/sh\n\n:x:5:5:::\n".to_vec(),
            group: b"root:x:0:\nsudo:x:27:user,other\nuser:x:1000:\ndocker:x:99:other\n".to_vec(),
        }
    }

    #[test]
    fn a_name_brings_its_groups_home_and_shell() {
        let account = users().account("user").unwrap();
        assert_eq!((account.uid, account.gid, account.groups.as_slice()), (1000, 1000, &[1000, 27][..]));
        assert_eq!((account.home(), account.shell.as_slice()), (Path::new("/home/user"), &b"/bin/sh"[..]));
    }

    #[test]
    fn numbers_need_no_entry_and_groups_may_be_named() {
        assert_eq!(users().account("4242").map(|a| (a.uid, a.gid)), Some((4242, 4242)));
        assert_eq!(users().account("4242:7").map(|a| (a.uid, a.gid)), Some((4242, 7)));
        assert_eq!(users().account("user:docker").map(|a| (a.uid, a.gid)), Some((1000, 99)));
        assert_eq!(users().account("").map(|a| a.name), Some("root".to_string()));
    }

    #[test]
    fn what_does_not_exist_is_nobody() {
        for user in ["nobody-here", "user:nogroup", "-1", "4294967295", "1 ", "broken"] {
            assert_eq!(users().account(user), None, "{user}");
        }
    }
}
