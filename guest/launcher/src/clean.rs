// SPDX-License-Identifier: Apache-2.0
//! The clean mount namespace: a copy of the host's table with only what a runtime needs, made once per boot and pinned by a bind
//! mount. Sandboxes start from it, so they neither grow the host's table nor pay for its length; and it holds no copy of the pool's
//! mount, which would keep the pool from being unmounted.

use crate::fail::Fail;
use crate::sys;
use std::path::Path;

/// `args`: the file to pin it at, then host paths that must stay in sight (the runtime's binary and libraries).
pub fn make(args: &[String]) -> Result<(), Fail> {
    let (file, keep) = args.split_first().ok_or_else(|| Fail::usage("clean needs a file"))?;
    let dir = Path::new(file).parent().and_then(Path::to_str).ok_or_else(|| Fail::usage("clean needs an absolute file"))?;
    // A namespace can only be bound on a mount that propagates nowhere.
    sys::mount(dir, dir, "", libc::MS_BIND, "")?;
    sys::mount("", dir, "", libc::MS_PRIVATE, "")?;
    sys::open(file, libc::O_RDONLY | libc::O_CREAT).map(drop)?;
    pin(file, keep)
}

pub fn unpin(args: &[String]) -> Result<(), Fail> {
    let file = args.first().ok_or_else(|| Fail::usage("drop needs a file"))?;
    let dir = Path::new(file).parent().and_then(Path::to_str).unwrap_or("/");
    sys::unmount(file, libc::MNT_DETACH).and(sys::unmount(dir, libc::MNT_DETACH))
}

/// A child makes the namespace and stops; its parent, still in the host's, binds it.
fn pin(file: &str, keep: &[String]) -> Result<(), Fail> {
    // SAFETY: one thread.
    let child = unsafe { libc::fork() };
    sys::check(child, || "fork".to_string())?;
    if child == 0 {
        if let Err(fail) = strip(keep) {
            eprintln!("{fail}");
            // SAFETY: ends this process.
            unsafe { libc::_exit(70) };
        }
        // SAFETY: the parent ends us.
        unsafe {
            libc::raise(libc::SIGSTOP);
            libc::_exit(0);
        }
    }
    let mut status = 0;
    // SAFETY: `status` is a valid place; the child is ours.
    let waited = unsafe { libc::waitpid(child, &mut status, libc::WUNTRACED) };
    let bound = sys::check(waited, || "waitpid".to_string()).and_then(|()| {
        if !libc::WIFSTOPPED(status) {
            return Err(Fail::usage("the clean namespace could not be made"));
        }
        sys::mount(&format!("/proc/{child}/ns/mnt"), file, "", libc::MS_BIND, "")
    });
    // SAFETY: the child is ours and not yet reaped.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, std::ptr::null_mut(), 0);
    }
    bound
}

fn strip(keep: &[String]) -> Result<(), Fail> {
    sys::unshare(libc::CLONE_NEWNS, "mount")?;
    sys::mount("", "/", "", libc::MS_REC | libc::MS_PRIVATE, "")?;
    let table = std::fs::read_to_string("/proc/self/mountinfo").map_err(|e| Fail::io("read mountinfo", &e))?;
    let mut points: Vec<String> = table.lines().filter_map(mount_point).collect();
    // Those mounted last lie on top and go first.
    points.reverse();
    for point in points.iter().filter(|p| !needed(p, keep)) {
        match sys::unmount(point, libc::MNT_DETACH) {
            // Gone with the mount above it.
            Err(fail) if !matches!(fail.errno(), Some(libc::EINVAL | libc::ENOENT)) => return Err(fail),
            _ => {}
        }
    }
    Ok(())
}

/// Field 5, with the kernel's octal escapes undone.
fn mount_point(line: &str) -> Option<String> {
    let field = line.split(' ').nth(4)?;
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let octal = |t: &[u8]| std::str::from_utf8(t.get(..3)?).ok().and_then(|d| u8::from_str_radix(d, 8).ok());
        match (first, octal(tail)) {
            (b'\\', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[3..];
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// The root, the kernel's own trees (but for the hybrid hosts' second cgroup tree, on which crun stumbles), and whatever holds a
/// kept path.
fn needed(point: &str, keep: &[String]) -> bool {
    let below = |p: &str, top: &str| Path::new(p).starts_with(top);
    match point {
        "/" | "/proc" | "/sys" | "/dev" | "/run" => true,
        "/sys/fs/cgroup/unified" => false,
        _ if below(point, "/sys/fs/cgroup") => true,
        _ => keep.iter().any(|k| below(k, point)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_mount_point_with_a_space() {
        let line = r"36 35 98:0 /m /mnt\040a\134b rw,noatime - ext3 /dev/root rw";
        assert_eq!(mount_point(line).as_deref(), Some(r"/mnt a\b"));
    }

    #[test]
    fn keeps_what_holds_the_runtime_and_drops_the_pool() {
        let keep = ["/opt/run/bin/crun".to_string()];
        assert!(needed("/opt/run", &keep));
        assert!(needed("/sys/fs/cgroup/memory", &keep));
        assert!(!needed("/sys/fs/cgroup/unified", &keep));
        assert!(!needed("/var/lib/pool", &keep));
    }
}
