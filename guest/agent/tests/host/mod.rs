// SPDX-License-Identifier: Apache-2.0
//! The host's side, as the tests play it: listens, starts the real guest as PID 1 of a PID namespace, and speaks the protocol.
#![allow(dead_code)]

use redoma_guest::frame::{header, parse_header, CONTROL, DATA, END, STDERR, STDIN, STDOUT};
use redoma_guest::proto::{self, exec_input, reply::Kind, request::Op, ExecInput, Hello, Reply, Request};
use redoma_guest::wire::Message;
use std::collections::VecDeque;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

pub const PATIENCE: Duration = Duration::from_secs(20);
static NUMBER: AtomicU32 = AtomicU32::new(0);

pub struct Host {
    pub dir: PathBuf,
    listener: UnixListener,
    guest: Child,
    spares: VecDeque<UnixStream>,
    pub boot: u64,
}

impl Host {
    pub fn pid(&self) -> u32 {
        self.guest.id()
    }

    pub fn start() -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("redoma-guest-test-{}-{number}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let socket = dir.join("guest.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        listener.set_nonblocking(true).unwrap();
        let guest = Command::new("unshare")
            .args(["--uts", "--pid", "--fork", "--kill-child", "--mount-proc"])
            .arg(std::env::var("REDOMA_TEST_GUEST").unwrap_or(env!("CARGO_BIN_EXE_redoma-guest").into()))
            .arg(&socket)
            .env("CANARY", "must not be seen")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Host { dir, listener, guest, spares: VecDeque::new(), boot: 0 }
    }

    /// The next connection and its greeting.
    fn accept(&mut self) -> (UnixStream, Hello) {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false).unwrap();
                    stream.set_read_timeout(Some(PATIENCE)).unwrap();
                    let mut op = Call { stream };
                    let (kind, bytes) = op.frame().expect("a greeting");
                    assert_eq!(kind, CONTROL);
                    let hello = Hello::decode(&bytes).unwrap();
                    assert_eq!(hello.version, 1);
                    self.boot = hello.boot;
                    return (op.stream, hello);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock && Instant::now() < until => {
                    std::thread::sleep(Duration::from_micros(200));
                }
                Err(error) => panic!("no connection: {error}"),
            }
        }
    }

    /// A spare connection.
    pub fn spare(&mut self) -> UnixStream {
        if let Some(stream) = self.spares.pop_front() {
            return stream;
        }
        loop {
            let (stream, hello) = self.accept();
            if hello.child_of.is_empty() {
                return stream;
            }
        }
    }

    /// The connection of an exec's child.
    pub fn child_of(&mut self, id: &str) -> Call {
        loop {
            let (stream, hello) = self.accept();
            if hello.child_of == id {
                return Call { stream };
            }
            self.spares.push_back(stream);
        }
    }

    pub fn open(&mut self, op: Op) -> Call {
        let mut call = Call { stream: self.spare() };
        call.control(&Request { op: Some(op) });
        call
    }

    /// An operation with one reply.
    pub fn ask(&mut self, op: Op) -> Kind {
        self.open(op).reply()
    }

    pub fn start_exec(&mut self, exec: proto::Exec) -> Call {
        let mut call = self.open(Op::Exec(exec));
        match call.reply() {
            Kind::Started(_) => call,
            other => panic!("not started: {other:?}"),
        }
    }

    /// Runs a command to its end and the end of its pipes.
    pub fn run(&mut self, exec: proto::Exec) -> Outcome {
        self.start_exec(exec).collect()
    }

    pub fn shell(&mut self, id: &str, script: &str) -> Outcome {
        self.run(shell(id, script))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // A change of its file user made the kernel forget that it should die with `unshare`.
        let unshare = self.guest.id();
        let children = fs::read_to_string(format!("/proc/{unshare}/task/{unshare}/children")).unwrap_or_default();
        for pid in children.split_whitespace().filter_map(|pid| pid.parse().ok()) {
            let _ = redoma_guest::sys::kill(pid, 9);
        }
        let _ = self.guest.wait();
        let _ = fs::remove_dir_all(&self.dir);
    }
}

pub fn exec(id: &str, argv: &[&str]) -> proto::Exec {
    proto::Exec {
        id: id.into(),
        argv: argv.iter().map(|arg| arg.as_bytes().to_vec()).collect(),
        env: vec![b"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".to_vec()],
        cwd: b"/".to_vec(),
        ..proto::Exec::default()
    }
}

pub fn shell(id: &str, script: &str) -> proto::Exec {
    exec(id, &["sh", "-c", script])
}

#[derive(Debug, Default)]
pub struct Outcome {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub exited: proto::Exited,
    /// Output after the exit.
    pub late: Vec<u8>,
}

impl Outcome {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn errors(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// One connection.
pub struct Call {
    pub stream: UnixStream,
}

impl Call {
    pub fn send(&mut self, kind: u8, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(&header(kind, bytes.len()))?;
        self.stream.write_all(bytes)
    }

    pub fn control<M: Message>(&mut self, message: &M) {
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        self.send(CONTROL, &bytes).unwrap();
    }

    pub fn input(&mut self, kind: exec_input::Kind) {
        self.control(&ExecInput { kind: Some(kind) });
    }

    /// The next frame; None when the guest has closed.
    pub fn frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let mut head = [0; 4];
        match self.stream.read_exact(&mut head) {
            Ok(()) => {}
            Err(error) if matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset) => return None,
            Err(error) => panic!("no frame: {error}"),
        }
        let (kind, length) = parse_header(head).expect("an allowed frame");
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).unwrap();
        Some((kind, bytes))
    }

    pub fn reply(&mut self) -> Kind {
        let (kind, bytes) = self.frame().expect("a reply");
        assert_eq!(kind, CONTROL);
        Reply::decode(&bytes).unwrap().kind.expect("a reply of a known kind")
    }

    /// Reads on, acknowledging all, until `Closed`.
    pub fn collect(&mut self) -> Outcome {
        let mut outcome = Outcome::default();
        self.collect_from(0, &mut outcome);
        outcome
    }

    pub fn collect_from(&mut self, mut offset: u64, outcome: &mut Outcome) {
        let mut ended = false;
        loop {
            let (kind, bytes) = self.frame().expect("output until it is closed");
            match kind {
                STDOUT | STDERR => {
                    offset += bytes.len() as u64;
                    if ended {
                        outcome.late.extend(bytes);
                    } else if kind == STDOUT {
                        outcome.stdout.extend(bytes);
                    } else {
                        outcome.stderr.extend(bytes);
                    }
                    self.input(exec_input::Kind::Ack(offset));
                }
                CONTROL => match Reply::decode(&bytes).unwrap().kind {
                    Some(Kind::Exited(exited)) => {
                        assert_eq!(exited.offset, offset);
                        outcome.exited = exited;
                        ended = true;
                    }
                    Some(Kind::Closed(closed)) => {
                        assert_eq!(closed.offset, offset);
                        return;
                    }
                    other => panic!("unexpected {other:?}"),
                },
                other => panic!("unexpected frame {other}"),
            }
        }
    }

    /// Reads output until the exit, acknowledging all.
    pub fn until_exit(&mut self) -> Outcome {
        let mut outcome = Outcome::default();
        let mut offset = 0;
        loop {
            match self.frame().expect("output until the exit") {
                (CONTROL, bytes) => match Reply::decode(&bytes).unwrap().kind {
                    Some(Kind::Exited(exited)) => {
                        outcome.exited = exited;
                        return outcome;
                    }
                    other => panic!("unexpected {other:?}"),
                },
                (kind, bytes) => {
                    offset += bytes.len() as u64;
                    if kind == STDOUT { &mut outcome.stdout } else { &mut outcome.stderr }.extend(bytes);
                    self.input(exec_input::Kind::Ack(offset));
                }
            }
        }
    }

    /// Reads stdout until it holds this text, acknowledging nothing.
    pub fn until(&mut self, text: &str) -> Vec<u8> {
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains(text) {
            let (kind, bytes) = self.frame().expect("output");
            assert_eq!(kind, STDOUT, "{:?}", String::from_utf8_lossy(&seen));
            seen.extend(bytes);
        }
        seen
    }

    pub fn send_data(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(256 << 10) {
            self.send(DATA, chunk).unwrap();
        }
        self.send(END, &[]).unwrap();
    }

    pub fn read_data(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            match self.frame().expect("data") {
                (DATA, bytes) => all.extend(bytes),
                (END, _) => return all,
                (kind, bytes) => panic!("frame {kind}: {:?}", Reply::decode(&bytes)),
            }
        }
    }
}

/// Gives input to an exec, as far as it takes it.
pub fn stdin(host: &mut Host, id: &str, bytes: &[u8], close: bool) -> Kind {
    let mut call = host.open(Op::Stdin(proto::Stdin { id: id.into(), close }));
    for chunk in bytes.chunks(256 << 10) {
        if call.send(STDIN, chunk).is_err() {
            return call.reply();
        }
    }
    let _ = call.send(END, &[]);
    call.reply()
}

pub fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < until, "{what} did not come about");
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub fn error_code(kind: Kind) -> (proto::error::Code, String) {
    match kind {
        Kind::Error(error) => (error.code, String::from_utf8_lossy(&error.path).into_owned()),
        other => panic!("no error: {other:?}"),
    }
}

pub fn path(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().to_vec()
}
