// SPDX-License-Identifier: Apache-2.0
//! From the request of an exec to its running process.

use crate::answer::{Failure, Outcome};
use crate::frame::{self, put_control};
use crate::proto::{error::Code, request, Exec, Hello, Pty, Request};
use crate::sys;
use crate::users::{Account, Users};
use crate::wire::Message;
use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const DEFAULT_PATH: &[u8] = b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const GO_SECONDS: i64 = 10;
const PIPE_BYTES: libc::c_int = 256 << 10;

/// What the child of an exec needs; all made before the fork.
struct Plan {
    argv: Vec<CString>,
    env: Vec<CString>,
    /// Where argv[0] may be, in order.
    programs: Vec<CString>,
    account: Account,
    rlimits: Vec<(u32, libc::rlimit)>,
    umask: u32,
    no_new_privs: bool,
    terminal: bool,
    hello: Option<Vec<u8>>,
}

/// Our ends of a process's streams. With a terminal, `stdout` and `stdin` are both its master.
pub struct Spawned {
    pub pid: i32,
    pub stdin: Option<OwnedFd>,
    pub stdout: OwnedFd,
    pub stderr: Option<OwnedFd>,
}

/// The child's ends.
struct Stdio {
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

/// What execs have in common.
pub struct Home {
    pub socket: PathBuf,
    pub boot: u64,
    /// Our own score is out of the kernel's reach; that of commands must not be.
    pub lift_oom: bool,
    /// Open files as commands may have them: our own limit is higher.
    pub files: libc::rlimit,
    /// Opened before anybody could put something else in its place.
    pub null: OwnedFd,
    /// Signals that commands must not inherit as we have them.
    pub signals: Vec<i32>,
}

/// Starts it. cwd and user are checked before there is a child.
pub fn spawn(exec: &Exec, home: &Home) -> Outcome<Spawned> {
    let account = Users::load()
        .account(&exec.user)
        .ok_or_else(|| Failure::new(Code::NoUser, format!("no such user: {:.200}", exec.user)))?;
    let plan = Plan::new(exec, account, home.boot)?;
    let (mut spawned, stdio) = match &exec.pty {
        Some(pty) => terminal(pty, &plan.account)?,
        None => pipes(exec.stdin, &home.null)?,
    };
    enter(&exec.cwd, &plan.account)?;
    // SAFETY: we have one thread, so the child may do what it likes.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        plan.run(stdio, home);
    }
    let failed = (pid < 0).then(io::Error::last_os_error);
    let _ = std::env::set_current_dir("/");
    if let Some(error) = failed {
        return Err(error.into());
    }
    spawned.pid = pid;
    Ok(spawned)
}

/// Makes `cwd` ours, with that user's rights; the child inherits it.
fn enter(cwd: &[u8], account: &Account) -> Outcome<()> {
    let before = FsUser::switch(account)?;
    let result = if cwd.is_empty() {
        std::env::set_current_dir(account.home()).or_else(|_| std::env::set_current_dir("/"))
    } else {
        let wanted = account.home().join(OsStr::from_bytes(cwd));
        std::env::set_current_dir(wanted)
    };
    drop(before);
    result.map_err(|error| {
        let mut failure = Failure::from(error).at(cwd);
        failure.code = Code::NoCwd;
        failure
    })
}

/// While it lives, files are reached with another user's rights.
pub struct FsUser;

impl FsUser {
    pub fn switch(account: &Account) -> Outcome<Self> {
        let guard = FsUser;
        // SAFETY: plain values; the second call of each pair only asks.
        let switched = unsafe {
            libc::setgroups(account.groups.len(), account.groups.as_ptr()) == 0 && {
                libc::setfsgid(account.gid);
                libc::setfsuid(account.uid);
                libc::setfsgid(u32::MAX) as u32 == account.gid && libc::setfsuid(u32::MAX) as u32 == account.uid
            }
        };
        if switched {
            return Ok(guard);
        }
        Err(Failure::new(Code::NoUser, format!("{}:{} is no user of this sandbox", account.uid, account.gid)))
    }
}

impl Drop for FsUser {
    fn drop(&mut self) {
        // SAFETY: plain values. The group list is only ever consulted while a user is switched to.
        unsafe {
            libc::setfsuid(0);
            libc::setfsgid(0);
            libc::setgroups(0, std::ptr::null());
            // A change of user may have made us readable, as the host's `fs.suid_dumpable` says.
            libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
        }
    }
}

fn pipes(with_stdin: bool, null: &OwnedFd) -> Outcome<(Spawned, Stdio)> {
    let (stdout, child_stdout) = sys::pipe()?;
    let (stderr, child_stderr) = sys::pipe()?;
    // SAFETY: only a hint; pipes of the default size do as well.
    unsafe { libc::fcntl(stdout.as_raw_fd(), libc::F_SETPIPE_SZ, PIPE_BYTES) };
    let (child_stdin, stdin) = if with_stdin {
        let (reader, writer) = sys::pipe()?;
        sys::set_blocking(writer.as_raw_fd(), false)?;
        (reader, Some(writer))
    } else {
        (null.try_clone()?, None)
    };
    for ours in [&stdout, &stderr] {
        sys::set_blocking(ours.as_raw_fd(), false)?;
    }
    let stdio = Stdio { stdin: child_stdin, stdout: child_stdout, stderr: child_stderr };
    Ok((Spawned { pid: 0, stdin, stdout, stderr: Some(stderr) }, stdio))
}

fn terminal(pty: &Pty, account: &Account) -> Outcome<(Spawned, Stdio)> {
    check_size(pty)?;
    let flags = libc::O_RDWR | libc::O_NOCTTY | libc::O_NONBLOCK;
    let master = sys::open(Path::new("/dev/ptmx"), flags, 0)?;
    let unlock: libc::c_int = 0;
    // SAFETY: TIOCSPTLCK takes an int; TIOCGPTPEER takes flags and gives a new descriptor.
    let slave = unsafe {
        sys::check(libc::ioctl(master.as_raw_fd(), libc::TIOCSPTLCK, &unlock))?;
        let peer = libc::ioctl(master.as_raw_fd(), libc::TIOCGPTPEER, libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC);
        OwnedFd::from_raw_fd(sys::check(peer)?)
    };
    // SAFETY: a descriptor of ours.
    unsafe { libc::fchown(slave.as_raw_fd(), account.uid, u32::MAX) };
    resize(master.as_raw_fd(), pty)?;
    let stdio = Stdio { stdin: slave.try_clone()?, stdout: slave.try_clone()?, stderr: slave };
    Ok((Spawned { pid: 0, stdin: Some(master.try_clone()?), stdout: master, stderr: None }, stdio))
}

fn check_size(pty: &Pty) -> Outcome<()> {
    if (1..=1000).contains(&pty.cols) && (1..=1000).contains(&pty.rows) {
        return Ok(());
    }
    Err(Failure::new(Code::Invalid, "a terminal has 1 to 1000 columns and rows"))
}

/// Sets a terminal's size.
pub fn resize(master: RawFd, pty: &Pty) -> Outcome<()> {
    check_size(pty)?;
    let size = libc::winsize { ws_row: pty.rows as u16, ws_col: pty.cols as u16, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: TIOCSWINSZ reads a winsize.
    sys::check(unsafe { libc::ioctl(master, libc::TIOCSWINSZ, &size) })?;
    Ok(())
}

impl Plan {
    fn new(exec: &Exec, account: Account, boot: u64) -> Outcome<Self> {
        let Some(name) = exec.argv.first().filter(|name| !name.is_empty()) else {
            return Err(Failure::new(Code::Invalid, "argv is empty"));
        };
        let env = environment(exec, &account);
        let programs = programs(name, &env)?;
        let strings = |list: &[Vec<u8>]| list.iter().map(|s| sys::c_string(s)).collect::<io::Result<Vec<_>>>();
        let rlimits = exec.rlimits.iter().map(|limit| {
            let value = libc::rlimit { rlim_cur: limit.soft, rlim_max: limit.hard };
            (limit.resource, value)
        });
        let hello = exec.wait_for_host.then(|| {
            let mut bytes = Vec::new();
            put_control(&mut bytes, &Hello { version: 1, child_of: exec.id.clone(), boot });
            bytes
        });
        Ok(Plan {
            argv: strings(&exec.argv)?,
            env: strings(&env)?,
            programs,
            account,
            rlimits: rlimits.collect(),
            umask: if exec.umask == 0 { 0o022 } else { exec.umask & 0o777 },
            no_new_privs: exec.no_new_privs,
            terminal: exec.pty.is_some(),
            hello,
        })
    }

    /// The child's way to its program.
    fn run(&self, stdio: Stdio, home: &Home) -> ! {
        // SAFETY: calls with plain values, in a process of one thread.
        unsafe {
            libc::setsid();
            for (target, source) in [(0, &stdio.stdin), (1, &stdio.stdout), (2, &stdio.stderr)] {
                libc::dup2(source.as_raw_fd(), target);
            }
            sys::close_range(3, u32::MAX);
            if self.terminal {
                libc::ioctl(0, libc::TIOCSCTTY, 0);
            }
            if let Some(hello) = &self.hello {
                if await_go(&home.socket, hello).is_err() {
                    libc::_exit(125);
                }
            }
            if home.lift_oom {
                let _ = std::fs::write("/proc/self/oom_score_adj", "0");
            }
            libc::setrlimit(libc::RLIMIT_NOFILE, &home.files);
            if let Err(error) = self.become_user() {
                self.give_up(&error.to_string(), 126);
            }
            sys::default_signals(&home.signals);
        }
        self.execute()
    }

    fn become_user(&self) -> io::Result<()> {
        let Account { uid, gid, groups, .. } = &self.account;
        // SAFETY: plain values and lists that are as long as said.
        unsafe {
            for (resource, limit) in &self.rlimits {
                set_limit(*resource, *limit)?;
            }
            libc::umask(self.umask);
            sys::check(libc::setgroups(groups.len(), groups.as_ptr()))?;
            sys::check(libc::setresgid(*gid, *gid, *gid))?;
            sys::check(libc::setresuid(*uid, *uid, *uid))?;
            libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
            if self.no_new_privs {
                sys::check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
            }
        }
        Ok(())
    }

    fn execute(&self) -> ! {
        let (argv, env) = (pointers(&self.argv), pointers(&self.env));
        let mut denied = None;
        for program in &self.programs {
            // SAFETY: both lists end with a null pointer and outlive the call.
            unsafe { libc::execve(program.as_ptr(), argv.as_ptr(), env.as_ptr()) };
            let error = io::Error::last_os_error();
            match error.raw_os_error() {
                Some(libc::ENOENT | libc::ENOTDIR) => {}
                Some(libc::ENOEXEC) => self.execute_by_shell(program, &env),
                Some(libc::EACCES) => denied = Some(error),
                _ => self.give_up(&error.to_string(), 126),
            }
        }
        match denied {
            Some(error) => self.give_up(&error.to_string(), 126),
            None => self.give_up("not found", 127),
        }
    }

    /// A script without `#!`, as execvp does it.
    fn execute_by_shell(&self, script: &CString, env: &[*const libc::c_char]) -> ! {
        let shell = sys::SHELL;
        let mut argv = vec![shell.as_ptr(), script.as_ptr()];
        argv.extend(self.argv.iter().skip(1).map(|s| s.as_ptr()));
        argv.push(std::ptr::null());
        // SAFETY: as in `execute`.
        unsafe { libc::execve(shell.as_ptr(), argv.as_ptr(), env.as_ptr()) };
        self.give_up("Exec format error", 126)
    }

    fn give_up(&self, why: &str, code: i32) -> ! {
        let name = self.argv.first().map_or_else(Default::default, |name| name.to_string_lossy());
        let _ = sys::write(2, format!("redoma: {name}: {why}\n").as_bytes());
        // SAFETY: ends this process only.
        unsafe { libc::_exit(code) }
    }
}

/// Says whose child this is, and waits until the host has it where it wants it.
fn await_go(socket: &Path, hello: &[u8]) -> io::Result<()> {
    let host = sys::dial(socket, true, GO_SECONDS)?;
    let mut sent = 0;
    while sent < hello.len() {
        sent += sys::write(host.as_raw_fd(), &hello[sent..])?;
    }
    let mut head = [0; 4];
    read_exactly(host.as_raw_fd(), &mut head)?;
    let refused = || io::Error::from_raw_os_error(libc::EPROTO);
    let (kind, length) = frame::parse_header(head).map_err(|_| refused())?;
    let mut body = vec![0; length];
    read_exactly(host.as_raw_fd(), &mut body)?;
    match Request::decode(&body) {
        Ok(Request { op: Some(request::Op::Go(_)) }) if kind == frame::CONTROL => Ok(()),
        _ => Err(refused()),
    }
}

fn read_exactly(fd: RawFd, buffer: &mut [u8]) -> io::Result<()> {
    let mut length = 0;
    while length < buffer.len() {
        match sys::read(fd, &mut buffer[length..])? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => length += read,
        }
    }
    Ok(())
}

/// A limit above our own hard one is that one: only who may raise it could do more.
fn set_limit(resource: u32, mut limit: libc::rlimit) -> io::Result<()> {
    // SAFETY: reads and writes one rlimit.
    unsafe {
        let mut own = limit;
        sys::check(libc::getrlimit(resource as _, &mut own))?;
        limit.rlim_max = limit.rlim_max.min(own.rlim_max);
        limit.rlim_cur = limit.rlim_cur.min(limit.rlim_max);
        sys::check(libc::setrlimit(resource as _, &limit)).map(drop)
    }
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings.iter().map(|s| s.as_ptr()).chain([std::ptr::null()]).collect()
}

fn value<'a>(env: &'a [Vec<u8>], name: &[u8]) -> Option<&'a [u8]> {
    env.iter().find_map(|entry| entry.strip_prefix(name)?.strip_prefix(b"="))
}

fn environment(exec: &Exec, account: &Account) -> Vec<Vec<u8>> {
    let mut env = exec.env.clone();
    let shell: &[u8] = if account.shell.is_empty() { b"/bin/sh" } else { &account.shell };
    let term = exec.pty.as_ref().map_or("", |pty| pty.term.as_str());
    let extra: [(&[u8], &[u8]); 5] = [
        (b"HOME", account.home().as_os_str().as_bytes()),
        (b"USER", account.name.as_bytes()),
        (b"LOGNAME", account.name.as_bytes()),
        (b"SHELL", shell),
        (b"TERM", term.as_bytes()),
    ];
    for (name, text) in extra {
        if !text.is_empty() && value(&env, name).is_none() {
            env.push([name, b"=", text].concat());
        }
    }
    env
}

fn programs(name: &[u8], env: &[Vec<u8>]) -> io::Result<Vec<CString>> {
    if name.contains(&b'/') {
        return Ok(vec![sys::c_string(name)?]);
    }
    let path = value(env, b"PATH").unwrap_or(DEFAULT_PATH);
    path.split(|&c| c == b':')
        .map(|dir| if dir.is_empty() { sys::c_string(name) } else { sys::c_string(&[dir, b"/", name].concat()) })
        .collect()
}
