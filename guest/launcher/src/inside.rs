// SPDX-License-Identifier: Apache-2.0
//! Run as the first program of a throw-away instance: tries what a sandbox must not be able to do (and some of what it must), and
//! writes what happened to `/report`, one `name: value` a line. Errors are numbers, `0` is success. Then it waits to be killed.

use crate::fail::Fail;
use std::fmt::Write;
use std::os::unix::fs::MetadataExt;

pub fn report() -> Result<(), Fail> {
    let mut text = String::new();
    identity(&mut text);
    namespaces(&mut text);
    for (name, number, args) in TRIED {
        // SAFETY: arguments are numbers or null; each call either fails or changes nothing that this process uses.
        let result = unsafe { libc::syscall(number, args[0], args[1], args[2], args[3], args[4]) };
        line(&mut text, name, outcome(result));
    }
    line(&mut text, "clone-user", clone_user());
    for (name, family, protocol) in SOCKETS {
        // SAFETY: numbers only; the descriptor is closed below.
        let fd = unsafe { libc::socket(family, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, protocol) };
        line(&mut text, name, outcome(fd.into()));
        if fd >= 0 {
            // SAFETY: just opened.
            unsafe { libc::close(fd) };
        }
    }
    text.push_str("end: 1\n");
    std::fs::write("/report.new", &text).and_then(|()| std::fs::rename("/report.new", "/report")).map_err(|e| Fail::io("write /report", &e))?;
    loop {
        // SAFETY: waits for a signal.
        unsafe { libc::pause() };
    }
}

type Tried = (&'static str, libc::c_long, [libc::c_long; 5]);

const NEWUSER: libc::c_long = libc::CLONE_NEWUSER as libc::c_long;

const TRIED: [Tried; 17] = [
    ("mount", libc::SYS_mount, [0, 0, 0, 0, 0]),
    ("umount2", libc::SYS_umount2, [0, 0, 0, 0, 0]),
    ("unshare", libc::SYS_unshare, [NEWUSER, 0, 0, 0, 0]),
    ("setns", libc::SYS_setns, [-1, 0, 0, 0, 0]),
    ("bpf", libc::SYS_bpf, [0, 0, 0, 0, 0]),
    ("io_uring_setup", libc::SYS_io_uring_setup, [1, 0, 0, 0, 0]),
    ("userfaultfd", libc::SYS_userfaultfd, [0, 0, 0, 0, 0]),
    ("perf_event_open", libc::SYS_perf_event_open, [0, 0, -1, -1, 0]),
    ("keyctl", libc::SYS_keyctl, [0, -1, 0, 0, 0]),
    ("open_by_handle_at", libc::SYS_open_by_handle_at, [-1, 0, 0, 0, 0]),
    ("pivot_root", libc::SYS_pivot_root, [0, 0, 0, 0, 0]),
    ("chroot", libc::SYS_chroot, [0, 0, 0, 0, 0]),
    ("init_module", libc::SYS_init_module, [0, 0, 0, 0, 0]),
    ("kexec_load", libc::SYS_kexec_load, [0, 0, 0, 0, 0]),
    ("clone3", libc::SYS_clone3, [0, 0, 0, 0, 0]),
    ("ptrace", libc::SYS_ptrace, [16, -1, 0, 0, 0]),
    ("process_vm_readv", libc::SYS_process_vm_readv, [1, 0, 0, 0, 0]),
];

const SOCKETS: [(&str, libc::c_int, libc::c_int); 8] = [
    ("socket-unix", libc::AF_UNIX, 0),
    ("socket-inet", libc::AF_INET, 0),
    ("socket-inet6", libc::AF_INET6, 0),
    ("socket-route", libc::AF_NETLINK, 0),
    ("socket-audit", libc::AF_NETLINK, 9),
    ("socket-packet", libc::AF_PACKET, 0),
    ("socket-vsock", libc::AF_VSOCK, 0),
    ("socket-alg", libc::AF_ALG, 0),
];

/// A child that would live in a user namespace of its own ends at once.
fn clone_user() -> i64 {
    // SAFETY: as fork: no stack is given, the child only ends.
    let child = unsafe { libc::syscall(libc::SYS_clone, NEWUSER | libc::SIGCHLD as libc::c_long, 0, 0, 0, 0) };
    if child == 0 {
        // SAFETY: ends the child.
        unsafe { libc::_exit(0) };
    }
    outcome(child)
}

fn outcome(result: libc::c_long) -> i64 {
    if result >= 0 { 0 } else { i64::from(std::io::Error::last_os_error().raw_os_error().unwrap_or(-1)) }
}

fn identity(text: &mut String) {
    for file in ["uid_map", "gid_map"] {
        let map = std::fs::read_to_string(format!("/proc/self/{file}")).unwrap_or_default();
        line(text, file, map.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    for key in ["CapEff", "CapPrm", "CapInh", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Cpus_allowed_list"] {
        let value = status.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix(':'));
        line(text, key, value.unwrap_or("").trim());
    }
    line(text, "processes", std::fs::read_dir("/proc").map_or(0, |d| d.flatten().filter(|e| is_number(&e.file_name())).count()));
    line(text, "lower-owner", std::fs::metadata("/lower").map_or(-1, |m| i64::from(m.uid())));
    line(text, "write", i32::from(std::fs::write("/written", "x").is_err()));
    let net = std::fs::read_to_string("/proc/net/dev").unwrap_or_default();
    let names: Vec<&str> = net.lines().filter_map(|l| l.split_once(':').map(|(name, _)| name.trim())).collect();
    line(text, "interfaces", names.join(","));
}

fn is_number(name: &std::ffi::OsStr) -> bool {
    name.to_str().is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
}

fn namespaces(text: &mut String) {
    for name in ["cgroup", "ipc", "mnt", "net", "pid", "user", "uts"] {
        let link = std::fs::read_link(format!("/proc/self/ns/{name}")).unwrap_or_default();
        line(text, &format!("ns-{name}"), link.display());
    }
}

fn line(text: &mut String, name: &str, value: impl std::fmt::Display) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{name}: {value}");
}
