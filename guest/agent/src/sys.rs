// SPDX-License-Identifier: Apache-2.0
//! Thin, safe faces of the system calls that std does not offer.

use std::ffi::{CStr, CString};
use std::io::{self, Error, ErrorKind};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Result of a call that answers -1 with errno.
pub fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// The same for calls that count bytes.
pub fn count(result: libc::ssize_t) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| Error::last_os_error())
}

fn owned(result: libc::c_int) -> io::Result<OwnedFd> {
    // SAFETY: the kernel has just given us this descriptor.
    check(result).map(|fd| unsafe { OwnedFd::from_raw_fd(fd) })
}

pub fn would_block(error: &Error) -> bool {
    error.kind() == ErrorKind::WouldBlock
}

/// Repeats a call that a signal interrupted.
pub fn retry<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

const fn literal(bytes: &[u8]) -> &CStr {
    match CStr::from_bytes_with_nul(bytes) {
        Ok(text) => text,
        Err(_) => panic!("a literal ends in its only NUL"),
    }
}

/// In place of a name: the descriptor itself.
pub const ITSELF: &CStr = literal(b"\0");
pub const DOT: &CStr = literal(b".\0");
pub const SHELL: &CStr = literal(b"/bin/sh\0");

/// A path or name for the kernel; EINVAL if it holds a NUL.
pub fn c_string(bytes: &[u8]) -> io::Result<CString> {
    CString::new(bytes).map_err(|_| Error::from_raw_os_error(libc::EINVAL))
}

pub fn c_path(path: &Path) -> io::Result<CString> {
    c_string(path.as_os_str().as_bytes())
}

pub fn read(fd: RawFd, buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the buffer is ours and as long as said.
    retry(|| count(unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) }))
}

pub fn write(fd: RawFd, bytes: &[u8]) -> io::Result<usize> {
    // SAFETY: the bytes are ours and as many as said.
    retry(|| count(unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) }))
}

/// Reads into the given slices in their order.
pub fn read_into(fd: RawFd, buffers: &mut [io::IoSliceMut<'_>]) -> io::Result<usize> {
    // SAFETY: IoSliceMut has the layout of iovec.
    retry(|| count(unsafe { libc::readv(fd, buffers.as_mut_ptr().cast(), buffers.len() as libc::c_int) }))
}

/// Writes from the given slices in their order.
pub fn write_from(fd: RawFd, buffers: &[io::IoSlice<'_>]) -> io::Result<usize> {
    // SAFETY: IoSlice has the layout of iovec.
    retry(|| count(unsafe { libc::writev(fd, buffers.as_ptr().cast(), buffers.len() as libc::c_int) }))
}

pub fn open_at(dir: RawFd, path: &CStr, flags: libc::c_int, mode: u32) -> io::Result<OwnedFd> {
    // SAFETY: the path is a C string.
    retry(|| owned(unsafe { libc::openat(dir, path.as_ptr(), flags | libc::O_CLOEXEC, mode as libc::c_uint) }))
}

pub fn open(path: &Path, flags: libc::c_int, mode: u32) -> io::Result<OwnedFd> {
    open_at(libc::AT_FDCWD, &c_path(path)?, flags, mode)
}

/// A pipe: its reading and its writing end, closed on exec, both blocking.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors.
    check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    // SAFETY: both are new and ours.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

pub fn set_blocking(fd: RawFd, blocking: bool) -> io::Result<()> {
    // SAFETY: flags of a descriptor of ours.
    let flags = check(unsafe { libc::fcntl(fd, libc::F_GETFL) })?;
    let wanted = if blocking { flags & !libc::O_NONBLOCK } else { flags | libc::O_NONBLOCK };
    if wanted != flags {
        // SAFETY: as above.
        check(unsafe { libc::fcntl(fd, libc::F_SETFL, wanted) })?;
    }
    Ok(())
}

/// Bytes that a read would find now.
pub fn readable(fd: RawFd) -> usize {
    let mut bytes: libc::c_int = 0;
    // SAFETY: FIONREAD writes one int.
    let result = unsafe { libc::ioctl(fd, libc::FIONREAD, &mut bytes) };
    if result < 0 {
        0
    } else {
        usize::try_from(bytes).unwrap_or(0)
    }
}

/// Connects to a Unix socket; `blocking` also for the connection itself.
pub fn dial(path: &Path, blocking: bool, seconds: i64) -> io::Result<OwnedFd> {
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | if blocking { 0 } else { libc::SOCK_NONBLOCK };
    // SAFETY: no pointers.
    let socket = owned(unsafe { libc::socket(libc::AF_UNIX, kind, 0) })?;
    if blocking {
        set_timeouts(socket.as_raw_fd(), seconds)?;
    }
    // SAFETY: all zeroes is a valid address.
    let mut address: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    let bytes = path.as_os_str().as_bytes();
    if bytes.len() >= address.sun_path.len() {
        return Err(Error::from_raw_os_error(libc::ENAMETOOLONG));
    }
    for (slot, byte) in address.sun_path.iter_mut().zip(bytes) {
        *slot = *byte as libc::c_char;
    }
    let length = std::mem::size_of::<libc::sockaddr_un>() as libc::socklen_t;
    // SAFETY: the address is as long as said.
    check(unsafe { libc::connect(socket.as_raw_fd(), std::ptr::addr_of!(address).cast(), length) })?;
    Ok(socket)
}

/// Blocking calls on a socket end after so many seconds (0: never).
pub fn set_timeouts(socket: RawFd, seconds: i64) -> io::Result<()> {
    let time = libc::timeval { tv_sec: seconds as libc::time_t, tv_usec: 0 };
    for option in [libc::SO_RCVTIMEO, libc::SO_SNDTIMEO] {
        let length = std::mem::size_of::<libc::timeval>() as libc::socklen_t;
        // SAFETY: the option takes a timeval.
        check(unsafe { libc::setsockopt(socket, libc::SOL_SOCKET, option, std::ptr::addr_of!(time).cast(), length) })?;
    }
    Ok(())
}

/// Sends a signal; true if somebody got it.
pub fn kill(pid: i32, signal: u32) -> io::Result<bool> {
    // SAFETY: no pointers.
    match check(unsafe { libc::kill(pid, signal as libc::c_int) }) {
        Ok(_) => Ok(true),
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(false),
        Err(error) => Err(error),
    }
}

/// A child that has ended.
pub struct Ended {
    pub pid: i32,
    pub status: i32,
    pub usage: libc::rusage,
}

/// The next ended child, if there is one.
pub fn reap() -> Option<Ended> {
    let mut status = 0;
    // SAFETY: all zeroes is a valid rusage; wait4 fills both.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let pid = unsafe { libc::wait4(-1, &mut status, libc::WNOHANG | libc::__WALL, &mut usage) };
    (pid > 0).then_some(Ended { pid, status, usage })
}

/// Blocks every signal and gives a descriptor that tells of ended children.
pub fn child_signals() -> io::Result<OwnedFd> {
    // SAFETY: sets are filled before use.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut set);
        check(libc::sigprocmask(libc::SIG_SETMASK, &set, std::ptr::null_mut()))?;
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGCHLD);
        owned(libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK))
    }
}

/// Signals whose action is not the default now: what a program would inherit of us.
pub fn unusual_signals() -> Vec<i32> {
    let mut unusual = Vec::new();
    for signal in 1..=64 {
        let mut action = [0u64; 4];
        // SAFETY: writes one kernel sigaction. By system call: libc does not let go of the two signals that it keeps for threads.
        let asked = unsafe { libc::syscall(libc::SYS_rt_sigaction, signal, std::ptr::null::<u64>(), action.as_mut_ptr(), 8) };
        if asked != 0 || action[0] != libc::SIG_DFL as u64 {
            unusual.push(signal);
        }
    }
    unusual
}

/// Resets these signals to their default and blocks none, as a program expects it.
pub fn default_signals(unusual: &[i32]) {
    // SAFETY: plain values; failures concern signals that cannot be changed.
    unsafe {
        let default = [0u64; 4];
        for signal in unusual {
            libc::syscall(libc::SYS_rt_sigaction, *signal, default.as_ptr(), std::ptr::null::<u64>(), 8);
        }
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigprocmask(libc::SIG_SETMASK, &set, std::ptr::null_mut());
    }
}

/// Closes every descriptor from `first` to `last`.
pub fn close_range(first: u32, last: u32) {
    if first > last {
        return;
    }
    // SAFETY: only used in a forked child, which owns nothing in this range any more.
    unsafe {
        if libc::syscall(libc::SYS_close_range, first, last, 0) == 0 {
            return;
        }
        for fd in first..=last.min(65_535) {
            libc::close(fd as libc::c_int);
        }
    }
}

/// Random number from the kernel.
pub fn random() -> u64 {
    let mut bytes = [0u8; 8];
    // SAFETY: eight bytes of ours; a short answer leaves zeroes, which is no harm.
    unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    u64::from_ne_bytes(bytes)
}

/// An epoll instance.
pub struct Poll(OwnedFd);

impl Poll {
    pub fn new() -> io::Result<Self> {
        // SAFETY: no pointers.
        owned(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) }).map(Poll)
    }

    pub fn add(&self, fd: RawFd, events: u32, token: u64) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_ADD, fd, events, token)
    }

    pub fn change(&self, fd: RawFd, events: u32, token: u64) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_MOD, fd, events, token)
    }

    pub fn remove(&self, fd: RawFd) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_DEL, fd, 0, 0)
    }

    fn control(&self, operation: libc::c_int, fd: RawFd, events: u32, token: u64) -> io::Result<()> {
        let mut event = libc::epoll_event { events, u64: token };
        // SAFETY: the event is ours.
        check(unsafe { libc::epoll_ctl(self.0.as_raw_fd(), operation, fd, &mut event) }).map(drop)
    }

    /// Waits; `millis` < 0 is for ever. Answers how many events there are.
    pub fn wait(&self, events: &mut [libc::epoll_event], millis: i32) -> usize {
        let room = events.len() as libc::c_int;
        // SAFETY: room for as many events as said.
        let ready = unsafe { libc::epoll_wait(self.0.as_raw_fd(), events.as_mut_ptr(), room, millis) };
        usize::try_from(ready).unwrap_or(0)
    }
}
