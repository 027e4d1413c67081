// SPDX-License-Identifier: Apache-2.0
//! A network namespace that holds loopback and nothing else. It belongs to the host's user namespace, so that nobody inside can
//! change it.

use crate::fail::Fail;
use crate::sys;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

pub fn unshare() -> Result<(), Fail> {
    sys::unshare(libc::CLONE_NEWNET, "network")?;
    loopback_up()?;
    // No capability inside reaches this namespace, so low ports and ping sockets are opened to all of it.
    sys::write_file("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0\n")?;
    sys::write_file("/proc/sys/net/ipv4/ping_group_range", "0 2147483647\n")
}

fn loopback_up() -> Result<(), Fail> {
    // SAFETY: plain arguments.
    let fd = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
    sys::check(fd, || "socket".to_string())?;
    // SAFETY: just opened.
    let socket = unsafe { OwnedFd::from_raw_fd(fd) };
    // SAFETY: ifreq is plain data; all zeroes is valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = *from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: `request` is a complete ifreq.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &request) };
    sys::check(result, || "bring lo up".to_string())
}
