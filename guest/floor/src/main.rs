// SPDX-License-Identifier: Apache-2.0
//! `redoma-floor spawn|nsspawn N PROGRAM`: fork + exec + wait of PROGRAM, N times; prints nanoseconds, one number a line.
//! `nsspawn` does the same in all new namespaces (user, pid, mount, net, ipc, uts, cgroup).
use std::ffi::CString;
use std::time::Instant;

fn usage() -> ! {
    eprintln!("usage: redoma-floor spawn|nsspawn N PROGRAM");
    std::process::exit(2);
}

fn run(flags: libc::c_int, program: &CString) {
    let argv = [program.as_ptr(), std::ptr::null()];
    let envp = [std::ptr::null()];
    // SAFETY: clone without CLONE_VM is fork; the child calls nothing but execve and _exit.
    unsafe {
        let pid = libc::syscall(
            libc::SYS_clone,
            flags as libc::c_ulong | libc::SIGCHLD as libc::c_ulong,
            0usize,
            0usize,
            0usize,
            0usize,
        ) as libc::pid_t;
        if pid == 0 {
            libc::execve(program.as_ptr(), argv.as_ptr(), envp.as_ptr());
            libc::_exit(127);
        }
        let mut status = 0;
        if pid < 0 || libc::waitpid(pid, &mut status, 0) != pid || status != 0 {
            eprintln!("redoma-floor: spawn failed: {} status {status}", std::io::Error::last_os_error());
            std::process::exit(1);
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.len() != 4 {
        usage();
    }
    let flags = match args[1].as_str() {
        "spawn" => 0,
        "nsspawn" => {
            libc::CLONE_NEWUSER
                | libc::CLONE_NEWPID
                | libc::CLONE_NEWNS
                | libc::CLONE_NEWNET
                | libc::CLONE_NEWIPC
                | libc::CLONE_NEWUTS
                | libc::CLONE_NEWCGROUP
        }
        _ => usage(),
    };
    let count: u32 = args[2].parse().unwrap_or_else(|_| usage());
    let program = CString::new(args[3].as_str()).unwrap_or_else(|_| usage());
    let mut out = String::new();
    for _ in 0..count {
        let start = Instant::now();
        run(flags, &program);
        out.push_str(&format!("{}\n", start.elapsed().as_nanos()));
    }
    print!("{out}");
}
