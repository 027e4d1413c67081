// SPDX-License-Identifier: Apache-2.0
//! The system calls used, each with a `Result`. Where libc has no wrapper the number is called directly.

use crate::fail::Fail;
use std::ffi::CString;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

const OPEN_TREE_CLONE: libc::c_uint = 1;
const MOVE_MOUNT_F_EMPTY_PATH: libc::c_uint = 4;
const MOUNT_ATTR_RDONLY: u64 = 0x1;
const MOUNT_ATTR_NOSUID: u64 = 0x2;
const MOUNT_ATTR_NODEV: u64 = 0x4;
const MOUNT_ATTR_NOEXEC: u64 = 0x8;
const MOUNT_ATTR_IDMAP: u64 = 0x0010_0000;

#[repr(C)]
struct MountAttr {
    set: u64,
    clear: u64,
    propagation: u64,
    userns: u64,
}

pub fn c(text: &str) -> Result<CString, Fail> {
    CString::new(text).map_err(|_| Fail::usage("a value holds a NUL byte"))
}

pub fn check(result: libc::c_int, what: impl FnOnce() -> String) -> Result<(), Fail> {
    if result < 0 { Err(Fail::os(what())) } else { Ok(()) }
}

fn owned(fd: libc::c_long, what: impl FnOnce() -> String) -> Result<OwnedFd, Fail> {
    if fd < 0 {
        return Err(Fail::os(what()));
    }
    // SAFETY: the kernel just gave us this descriptor and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// A detached copy of the mount that holds `path`, rooted at `path`: belongs to no namespace until it is moved into one.
pub fn detach(path: &str) -> Result<OwnedFd, Fail> {
    let name = c(path)?;
    let flags = OPEN_TREE_CLONE | libc::O_CLOEXEC as libc::c_uint;
    // SAFETY: plain arguments; `name` outlives the call.
    let fd = unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, name.as_ptr(), flags) };
    owned(fd, || format!("open_tree {path}"))
}

/// Maps the owners of a detached mount by a user namespace; `None` keeps them.
pub fn restrict(tree: &OwnedFd, read_only: bool, userns: Option<&OwnedFd>) -> Result<(), Fail> {
    // The first program may lie on a tmpfs that others may not execute from.
    let clear = if read_only { MOUNT_ATTR_NOEXEC } else { 0 };
    set(tree, MOUNT_ATTR_NODEV | if read_only { MOUNT_ATTR_RDONLY } else { 0 }, clear, userns)
}

/// The same for a volume: programs on it may be executed, but gain nothing by it.
pub fn volume(tree: &OwnedFd, read_only: bool, userns: &OwnedFd) -> Result<(), Fail> {
    let read_only = if read_only { MOUNT_ATTR_RDONLY } else { 0 };
    set(tree, MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID | read_only, MOUNT_ATTR_NOEXEC, Some(userns))
}

fn set(tree: &OwnedFd, set: u64, clear: u64, userns: Option<&OwnedFd>) -> Result<(), Fail> {
    let attr = MountAttr {
        set: set | if userns.is_some() { MOUNT_ATTR_IDMAP } else { 0 },
        clear,
        // Else it stays a peer of the host's mount (systemd shares all of them), and what is mounted on it would show up there.
        propagation: libc::MS_PRIVATE as u64,
        userns: userns.map_or(0, |fd| fd.as_raw_fd() as u64),
    };
    // SAFETY: `attr` is laid out as the kernel's struct mount_attr and its size is passed.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH,
            &attr as *const MountAttr,
            std::mem::size_of::<MountAttr>(),
        )
    };
    check(result as libc::c_int, || "mount_setattr".to_string())
}

pub fn attach(tree: &OwnedFd, path: &str) -> Result<(), Fail> {
    let name = c(path)?;
    // SAFETY: plain arguments; the strings outlive the call.
    let result = unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_FDCWD,
            name.as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH,
        )
    };
    check(result as libc::c_int, || format!("move_mount to {path}"))
}

pub fn mount(source: &str, target: &str, kind: &str, flags: libc::c_ulong, data: &str) -> Result<(), Fail> {
    let (s, t, k, d) = (c(source)?, c(target)?, c(kind)?, c(data)?);
    // SAFETY: all strings outlive the call.
    let result = unsafe { libc::mount(s.as_ptr(), t.as_ptr(), k.as_ptr(), flags, d.as_ptr().cast()) };
    check(result, || format!("mount {kind} on {target}"))
}

pub fn unmount(target: &str, flags: libc::c_int) -> Result<(), Fail> {
    let t = c(target)?;
    // SAFETY: the string outlives the call.
    check(unsafe { libc::umount2(t.as_ptr(), flags) }, || format!("umount {target}"))
}

pub fn unshare(flags: libc::c_int, what: &str) -> Result<(), Fail> {
    // SAFETY: no memory is passed; this process has one thread.
    check(unsafe { libc::unshare(flags) }, || format!("unshare {what}"))
}

pub fn enter(namespace: &OwnedFd, kind: libc::c_int) -> Result<(), Fail> {
    // SAFETY: no memory is passed; this process has one thread.
    check(unsafe { libc::setns(namespace.as_raw_fd(), kind) }, || "setns".to_string())
}

pub fn open(path: &str, flags: libc::c_int) -> Result<OwnedFd, Fail> {
    let name = c(path)?;
    // SAFETY: the string outlives the call.
    let fd = unsafe { libc::open(name.as_ptr(), flags | libc::O_CLOEXEC) };
    owned(fd.into(), || format!("open {path}"))
}

/// Opens an entry of a directory, never through a link.
pub fn open_in(dir: &OwnedFd, name: &str, flags: libc::c_int) -> Result<OwnedFd, Fail> {
    let entry = c(name)?;
    // SAFETY: the string outlives the call.
    let fd = unsafe { libc::openat(dir.as_raw_fd(), entry.as_ptr(), flags | libc::O_NOFOLLOW | libc::O_CLOEXEC) };
    owned(fd.into(), || format!("open {name}"))
}

/// Makes a directory in another that belongs to `owner`.
pub fn mkdir_in(dir: &OwnedFd, name: &str, mode: libc::mode_t, owner: u32) -> Result<(), Fail> {
    let entry = c(name)?;
    // SAFETY: the string outlives the calls.
    check(unsafe { libc::mkdirat(dir.as_raw_fd(), entry.as_ptr(), mode) }, || format!("mkdir {name}"))?;
    let done = unsafe { libc::fchownat(dir.as_raw_fd(), entry.as_ptr(), owner, owner, libc::AT_SYMLINK_NOFOLLOW) };
    check(done, || format!("chown {name}"))
}

pub fn write_file(path: &str, text: &str) -> Result<(), Fail> {
    let file = open(path, libc::O_WRONLY)?;
    // SAFETY: pointer and length describe `text`.
    let n = unsafe { libc::write(file.as_raw_fd(), text.as_ptr().cast(), text.len()) };
    if n == text.len() as isize { Ok(()) } else { Err(Fail::os(format!("write {path}"))) }
}

pub fn mkdir(path: &str, mode: libc::mode_t) -> Result<(), Fail> {
    let name = c(path)?;
    // SAFETY: the string outlives the call.
    check(unsafe { libc::mkdir(name.as_ptr(), mode) }, || format!("mkdir {path}"))
}

pub fn chdir(path: &str) -> Result<(), Fail> {
    let name = c(path)?;
    // SAFETY: the string outlives the call.
    check(unsafe { libc::chdir(name.as_ptr()) }, || format!("chdir {path}"))
}

/// Puts every permitted capability in force again, after a change of the effective user id has put them out.
pub fn raise_capabilities() -> bool {
    const VERSION: u32 = 0x2008_0522;
    let mut header = [VERSION, 0];
    // Effective, permitted and inheritable, for the lower and the upper half.
    let mut sets = [[0u32; 3]; 2];
    // SAFETY: both arrays are laid out as the kernel's structures of this version.
    unsafe {
        let done = libc::syscall(libc::SYS_capget, header.as_mut_ptr(), sets.as_mut_ptr());
        sets.iter_mut().for_each(|set| set[0] = set[1]);
        done == 0 && libc::syscall(libc::SYS_capset, header.as_mut_ptr(), sets.as_ptr()) == 0
    }
}

/// The mount at `path` again over itself, so that it has flags of its own.
pub fn seal(path: &str) -> Result<(), Fail> {
    let tree = detach(path)?;
    restrict(&tree, true, None)?;
    attach(&tree, path)
}

/// Sets a limit for this process and what it becomes, soft and hard.
pub fn limit(resource: libc::__rlimit_resource_t, value: u64) -> Result<(), Fail> {
    let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: reads one rlimit of ours.
    check(unsafe { libc::setrlimit(resource, &limit) }, || format!("setrlimit {resource} to {value}"))
}
