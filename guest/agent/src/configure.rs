// SPDX-License-Identifier: Apache-2.0
//! What the host tells once it hands the sandbox out.

use crate::answer::{At, Failure, Outcome};
use crate::files;
use crate::proto::{error::Code, Configure};
use crate::users::read_regular;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

const HOSTS: &str = "/etc/hosts";
const HOSTS_LIMIT: usize = 1 << 20;
const HOST_NAME_LIMIT: usize = 64;
const LOCALHOST: &[u8] = b"127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n";
const BEGIN: &[u8] = b"# begin redoma";
const END: &[u8] = b"# end redoma";

pub fn configure(it: &Configure) -> Outcome<()> {
    if !it.entropy.is_empty() {
        File::options()
            .write(true)
            .open("/dev/urandom")
            .and_then(|mut device| device.write_all(&it.entropy))
            .at("/dev/urandom")?;
    }
    if !it.hostname.is_empty() {
        set_host_name(&it.hostname)?;
    }
    if !it.hostname.is_empty() || !it.hosts.is_empty() {
        let old = read_regular(Path::new(HOSTS), HOSTS_LIMIT).unwrap_or_default();
        let new = hosts(&old, &it.hostname, &it.hosts);
        if new != old {
            put(HOSTS, &new, 0o644)?;
        }
    }
    if !it.machine_id.is_empty() {
        put("/etc/machine-id", format!("{}\n", it.machine_id).as_bytes(), 0o444)?;
    }
    if !it.resolv_conf.is_empty() {
        put("/etc/resolv.conf", &it.resolv_conf, 0o644)?;
    }
    if let Some(trust) = &it.trust {
        crate::trust::place(trust)?;
    }
    set_clock(it.clock_ns);
    Ok(())
}

fn set_host_name(name: &str) -> Outcome<()> {
    let allowed = name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-' || c == b'.');
    if name.len() > HOST_NAME_LIMIT || !allowed {
        return Err(Failure::new(Code::Invalid, "a host name has 1 to 64 letters, digits, dots and dashes"));
    }
    // Without the right to do it the runtime has done it: the name inside is its business then.
    // SAFETY: the bytes are as many as said.
    unsafe { libc::sethostname(name.as_ptr().cast(), name.len()) };
    Ok(())
}

/// Where the clock is the host's this is refused, and right already.
fn set_clock(nanos: i64) {
    if nanos > 0 {
        let time = libc::timespec { tv_sec: nanos / 1_000_000_000, tv_nsec: nanos % 1_000_000_000 };
        // SAFETY: one timespec of ours.
        unsafe { libc::clock_settime(libc::CLOCK_REALTIME, &time) };
    }
}

/// The old lines but ours and that of 127.0.1.1, then ours. An absent host name leaves its line as it is.
fn hosts(old: &[u8], name: &str, lines: &[Vec<u8>]) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut ours = Vec::new();
    let mut within = false;
    for line in old.split(|&c| c == b'\n').filter(|line| !line.is_empty()) {
        match line {
            BEGIN => within = true,
            END => within = false,
            _ if line.starts_with(b"127.0.1.1") && !name.is_empty() => {}
            _ if within => ours.extend([line, b"\n"].concat()),
            _ => kept.extend([line, b"\n"].concat()),
        }
    }
    if kept.is_empty() {
        kept.extend(LOCALHOST);
    }
    if !name.is_empty() {
        kept.extend(format!("127.0.1.1\t{name}\n").bytes());
    }
    if !lines.is_empty() {
        ours = lines.iter().flat_map(|line| [line, &b"\n"[..]].concat()).collect();
    }
    if !ours.is_empty() {
        kept.extend([BEGIN, b"\n", &ours, END, b"\n"].concat());
    }
    kept
}

/// Replaces a file without following anything planted in its place. What is mounted on cannot be replaced: that is written into.
pub fn put(path: &str, bytes: &[u8], mode: u32) -> Outcome<()> {
    let target = Path::new(path);
    let beside = target.with_file_name(format!(".redoma-{:016x}", crate::sys::random()));
    let written = write_new(&beside, bytes, mode).and_then(|()| files::rename_with(&beside, target, 0));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    match written {
        Err(error) if error.raw_os_error() == Some(libc::EBUSY) => write_into(target, bytes).at(target.as_os_str().as_bytes()),
        other => other.at(target.as_os_str().as_bytes()),
    }
}

fn write_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut file = File::options().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(bytes)?;
    file.set_permissions(Permissions::from_mode(mode))
}

fn write_into(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
    let mut file = File::options().write(true).custom_flags(flags).open(path)?;
    file.set_len(0)?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::hosts;

    #[test]
    fn a_new_name_replaces_the_old_one_and_other_lines_stay() {
        let first = hosts(b"127.0.0.1 localhost\n127.0.1.1 old\n10.0.0.1 mine\n", "new", &[b"10.9.9.9 db".to_vec()]);
        let text = "127.0.0.1 localhost\n10.0.0.1 mine\n127.0.1.1\tnew\n# begin redoma\n10.9.9.9 db\n# end redoma\n";
        assert_eq!(first, text.as_bytes());
        assert_eq!(hosts(&first, "new", &[]), first);
    }

    #[test]
    fn an_empty_file_gets_localhost() {
        assert!(hosts(b"", "x", &[]).starts_with(b"127.0.0.1\tlocalhost\n"));
    }
}
