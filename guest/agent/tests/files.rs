// SPDX-License-Identifier: Apache-2.0
//! Files as the API sees them: exact contents, rights of the user, and nothing that blocks.

mod host;

use host::*;
use redoma_guest::proto::{self, error::Code, file_info::Type, reply::Kind, request::Op, FileInfo};
use std::fs;
use std::os::unix::fs::{symlink, MetadataExt, PermissionsExt};
use std::path::Path;

fn write_as(host: &mut Host, it: proto::WriteFile, bytes: &[u8]) -> Kind {
    let mut call = host.open(Op::Write(it));
    call.send_data(bytes);
    call.reply()
}

fn write(host: &mut Host, at: &Path, bytes: &[u8]) -> FileInfo {
    let kind = write_as(host, proto::WriteFile { path: path(at), ..Default::default() }, bytes);
    let Kind::File(info) = kind else { panic!("not written: {kind:?}") };
    info
}

fn read(host: &mut Host, at: &Path, offset: u64, length: u64) -> (FileInfo, Vec<u8>) {
    let mut call = host.open(Op::Read(proto::ReadFile { path: path(at), offset, length, ..Default::default() }));
    let Kind::File(info) = call.reply() else { panic!("not read") };
    (info, call.read_data())
}

fn stat(host: &mut Host, at: &Path) -> FileInfo {
    match host.ask(Op::Stat(proto::Stat { path: path(at), ..Default::default() })) {
        Kind::File(info) => info,
        other => panic!("{other:?}"),
    }
}

fn list(host: &mut Host, at: &Path, depth: u32, limit: u32) -> (Vec<String>, Kind) {
    let mut call = host.open(Op::List(proto::ListDir { path: path(at), depth, limit, ..Default::default() }));
    let mut names = Vec::new();
    loop {
        match call.reply() {
            Kind::File(info) => names.push(String::from_utf8_lossy(&info.path).replace(&format!("{}/", at.display()), "")),
            last => {
                names.sort();
                return (names, last);
            }
        }
    }
}

fn done() -> Kind {
    Kind::Done(Default::default())
}

fn world_writable(host: &Host, name: &str) -> std::path::PathBuf {
    let dir = host.dir.join(name);
    fs::create_dir(&dir).unwrap();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o1777)).unwrap();
    dir
}

#[test]
fn files_of_every_size_go_in_and_out_unchanged() {
    let mut host = Host::start();
    for size in [0, 1, 4095, 4096, 18433, 65537, (1 << 20) + 1, 40 << 20] {
        let at = host.dir.join("f");
        let bytes: Vec<u8> = (0..size).map(|i: u32| (i ^ (i >> 9)) as u8).collect();
        assert_eq!(write(&mut host, &at, &bytes).size, u64::from(size));
        assert!(fs::read(&at).unwrap() == bytes, "{size} in");
        let (info, back) = read(&mut host, &at, 0, 0);
        assert_eq!((info.size, info.mode, info.r#type), (u64::from(size), 0o644, Type::File));
        assert!(back == bytes, "{size} out");
    }
}

#[test]
fn a_range_is_read_and_no_more() {
    let mut host = Host::start();
    let at = host.dir.join("r");
    write(&mut host, &at, b"0123456789");
    assert_eq!(read(&mut host, &at, 3, 4).1, b"3456");
    assert_eq!(read(&mut host, &at, 8, 0).1, b"89");
    assert_eq!(read(&mut host, &at, 20, 5).1, b"");
    assert!(!read(&mut host, Path::new("/proc/self/status"), 0, 0).1.is_empty(), "files without a size");
}

#[test]
fn a_file_belongs_to_who_wrote_it_and_may_be_appended_to_in_a_sticky_directory() {
    let mut host = Host::start();
    let dir = world_writable(&host, "tmp");
    let it = proto::WriteFile { path: path(&dir.join("x")), user: "1000:1000".into(), ..Default::default() };
    assert!(matches!(write_as(&mut host, it.clone(), b"a"), Kind::File(info) if info.uid == 1000 && info.gid == 1000));
    let exec = proto::Exec { user: "1000".into(), cwd: path(&dir), ..shell("e", "echo b >> x; cat x; echo shell > y") };
    assert_eq!(host.run(exec).text(), "ab\n");
    let it = proto::WriteFile { path: path(&dir.join("y")), ..it };
    assert!(matches!(write_as(&mut host, it.clone(), b"api"), Kind::File(_)));
    assert_eq!(fs::read(dir.join("y")).unwrap(), b"api");
    let other = proto::WriteFile { user: "1001".into(), ..it };
    assert_eq!(error_code(write_as(&mut host, other, b"no")).0, Code::Permission);
}

#[test]
fn an_old_file_keeps_mode_and_owner_and_changes_at_once_or_not_at_all() {
    let mut host = Host::start();
    let at = host.dir.join("old");
    fs::write(&at, "old").unwrap();
    fs::set_permissions(&at, fs::Permissions::from_mode(0o4750)).unwrap();
    std::os::unix::fs::chown(&at, Some(1000), Some(1001)).unwrap();
    fs::set_permissions(&at, fs::Permissions::from_mode(0o750)).unwrap();
    let mut broken = host.open(Op::Write(proto::WriteFile { path: path(&at), ..Default::default() }));
    broken.send(redoma_guest::frame::DATA, &[7; 1000]).unwrap();
    drop(broken);
    let info = write(&mut host, &at, b"new");
    assert_eq!((info.mode, info.uid, info.gid), (0o750, 1000, 1001));
    assert_eq!(fs::read(&at).unwrap(), b"new");
    let dir = host.dir.clone();
    wait_for("a tidy directory", || fs::read_dir(&dir).unwrap().count() == 2);
}

#[test]
fn somebody_elses_file_is_written_in_place_where_it_may_be() {
    let mut host = Host::start();
    let dir = world_writable(&host, "tmp");
    let at = dir.join("shared");
    fs::write(&at, "a longer text than the new one").unwrap();
    fs::set_permissions(&at, fs::Permissions::from_mode(0o666)).unwrap();
    let inode = fs::metadata(&at).unwrap().ino();
    let it = proto::WriteFile { path: path(&at), user: "1000".into(), ..Default::default() };
    assert!(matches!(write_as(&mut host, it, b"new"), Kind::File(info) if info.uid == 0 && info.size == 3));
    assert_eq!((fs::read(&at).unwrap(), fs::metadata(&at).unwrap().ino()), (b"new".to_vec(), inode));
}

#[test]
fn writing_through_a_link_changes_the_file_it_names() {
    let mut host = Host::start();
    fs::write(host.dir.join("real"), "old").unwrap();
    symlink("real", host.dir.join("link")).unwrap();
    let at = host.dir.join("link");
    write(&mut host, &at, b"new");
    assert!(fs::symlink_metadata(&at).unwrap().is_symlink());
    assert_eq!(fs::read(host.dir.join("real")).unwrap(), b"new");
}

#[test]
fn options_of_a_write_are_kept() {
    let mut host = Host::start();
    let at = host.dir.join("a/b/c");
    let it = proto::WriteFile { path: path(&at), mode: 0o600, ..Default::default() };
    assert_eq!(error_code(write_as(&mut host, it.clone(), b"x")).0, Code::NotFound);
    let it = proto::WriteFile { parents: true, ..it };
    assert!(matches!(write_as(&mut host, it.clone(), b"x"), Kind::File(info) if info.mode == 0o600));
    let append = proto::WriteFile { append: true, ..it.clone() };
    assert!(matches!(write_as(&mut host, append, b"y"), Kind::File(info) if info.size == 2));
    let only = proto::WriteFile { create_only: true, ..it };
    assert_eq!(error_code(write_as(&mut host, only, b"z")).0, Code::Exists);
    assert_eq!(fs::read(&at).unwrap(), b"xy");
}

#[test]
fn what_is_no_regular_file_is_refused_without_waiting() {
    let mut host = Host::start();
    let fifo = host.dir.join("fifo");
    assert_eq!(host.run(exec("e", &["mkfifo", fifo.to_str().unwrap()])).exited.code, 0);
    let dir = host.dir.clone();
    for (at, code) in [
        (fifo.as_path(), Code::NotRegular),
        (Path::new("/dev/zero"), Code::NotRegular),
        (&dir, Code::IsDirectory),
        (&dir.join("guest.sock"), Code::NotRegular),
    ] {
        let it = proto::ReadFile { path: path(at), ..Default::default() };
        assert_eq!(error_code(host.ask(Op::Read(it))), (code, at.display().to_string()));
        let it = proto::WriteFile { path: path(at), ..Default::default() };
        assert_eq!(error_code(write_as(&mut host, it, &[0; 600_000])).0, code);
    }
}

#[test]
fn rights_are_those_of_the_user() {
    let mut host = Host::start();
    let at = host.dir.join("secret");
    fs::write(&at, "s").unwrap();
    fs::set_permissions(&at, fs::Permissions::from_mode(0o600)).unwrap();
    let it = proto::ReadFile { path: path(&at), user: "1000".into(), ..Default::default() };
    assert_eq!(error_code(host.ask(Op::Read(it))).0, Code::Permission);
    let it = proto::Stat { path: b"/".to_vec(), user: "who".into(), ..Default::default() };
    assert_eq!(error_code(host.ask(Op::Stat(it))).0, Code::NoUser);
    let it = proto::Remove { path: path(&at), user: "1000".into(), ..Default::default() };
    assert_eq!(error_code(host.ask(Op::Remove(it))).0, Code::Permission);
}

#[test]
fn facts_of_files_are_told() {
    let mut host = Host::start();
    let at = host.dir.join("l");
    symlink("/nowhere", &at).unwrap();
    let info = stat(&mut host, &at);
    assert_eq!((info.r#type, info.target.as_slice(), info.owner.as_str()), (Type::Symlink, &b"/nowhere"[..], "root"));
    let it = proto::Stat { path: path(&at), follow: true, ..Default::default() };
    assert_eq!(error_code(host.ask(Op::Stat(it))).0, Code::NotFound);
    assert_eq!(error_code(host.ask(Op::Stat(proto::Stat::default()))).0, Code::Invalid);
}

#[test]
fn directories_are_listed_as_deep_and_as_far_as_asked() {
    let mut host = Host::start();
    let root = host.dir.join("d");
    fs::create_dir_all(root.join("a/b/c")).unwrap();
    fs::write(root.join("f"), "").unwrap();
    symlink("/", root.join("l")).unwrap();
    assert_eq!(list(&mut host, &root, 1, 0), (vec!["a".into(), "f".into(), "l".into()], done()));
    assert_eq!(list(&mut host, &root, 2, 0).0, ["a", "a/b", "f", "l"]);
    assert_eq!(error_code(list(&mut host, &root, 9, 4).1).0, Code::TooMany);
    assert_eq!(error_code(list(&mut host, &root.join("f"), 1, 0).1).0, Code::NotDirectory);
}

#[test]
fn directories_are_made_moved_and_removed() {
    let mut host = Host::start();
    let (a, b) = (host.dir.join("a/b"), host.dir.join("c"));
    let mkdir = |parents| Op::Mkdir(proto::MakeDir { path: path(&a), mode: 0o700, parents, ..Default::default() });
    assert_eq!(error_code(host.ask(mkdir(false))).0, Code::NotFound);
    assert_eq!(host.ask(mkdir(true)), done());
    assert_eq!(host.ask(mkdir(true)), done());
    assert_eq!(error_code(host.ask(mkdir(false))).0, Code::Exists);
    assert_eq!(stat(&mut host, &a).mode, 0o700);
    fs::write(a.join("f"), "").unwrap();
    symlink("/etc", a.join("l")).unwrap();
    let rename = proto::Move { from: path(&a), to: path(&b), ..Default::default() };
    assert_eq!(host.ask(Op::Move(rename)), done());
    let back = proto::Move { from: path(&b), to: path(&host.dir.join("a")), no_replace: true, ..Default::default() };
    assert_eq!(error_code(host.ask(Op::Move(back))).0, Code::Exists);
    let remove = |recursive| Op::Remove(proto::Remove { path: path(&b), recursive, ..Default::default() });
    assert_eq!(error_code(host.ask(remove(false))).0, Code::NotEmpty);
    assert_eq!(host.ask(remove(true)), done());
    assert!(!b.exists() && Path::new("/etc/passwd").exists());
    assert_eq!(error_code(host.ask(remove(true))).0, Code::NotFound);
}

#[test]
fn a_move_to_another_file_system_keeps_everything() {
    let mut host = Host::start();
    let from = host.dir.join("tree");
    fs::create_dir_all(from.join("empty")).unwrap();
    fs::write(from.join("f"), "contents").unwrap();
    fs::set_permissions(from.join("f"), fs::Permissions::from_mode(0o751)).unwrap();
    symlink("f", from.join("l")).unwrap();
    let to = Path::new("/dev/shm").join(format!("redoma-guest-move-{}", std::process::id()));
    let rename = proto::Move { from: path(&from), to: path(&to), ..Default::default() };
    assert_eq!(host.ask(Op::Move(rename)), done());
    assert_eq!(
        (fs::read(to.join("l")).unwrap(), fs::metadata(to.join("f")).unwrap().mode() & 0o777),
        (b"contents".to_vec(), 0o751)
    );
    assert!(to.join("empty").is_dir() && !from.exists());
    fs::remove_dir_all(to).unwrap();
}

#[test]
fn a_tree_deeper_than_paths_can_be_is_removed() {
    let mut host = Host::start();
    let dir = path(&host.dir);
    let script = "p=$(printf 'dddddddddddddddddddd/%.0s' $(seq 180)); mkdir -p \"t/$p\" \"u/$p\" && mv u \"t/$p\"";
    assert_eq!(host.run(proto::Exec { cwd: dir, ..shell("e", script) }).exited.code, 0);
    let at = host.dir.join("t");
    assert_eq!(host.ask(Op::Remove(proto::Remove { path: path(&at), recursive: true, ..Default::default() })), done());
    assert!(!at.exists());
}

#[test]
fn links_and_attributes_are_made() {
    let mut host = Host::start();
    let (f, l, h) = (host.dir.join("f"), host.dir.join("l"), host.dir.join("h"));
    fs::write(&f, "x").unwrap();
    let link = |at: &Path, target: &[u8], hard| {
        Op::Link(proto::Link { path: path(at), target: target.to_vec(), hard, ..Default::default() })
    };
    assert_eq!(host.ask(link(&l, b"f", false)), done());
    assert_eq!(host.ask(link(&h, &path(&f), true)), done());
    assert_eq!((fs::read(&l).unwrap(), stat(&mut host, &h).links), (b"x".to_vec(), 2));
    let set =
        proto::SetAttr { path: path(&l), mode: Some(0o4711), owner: "daemon:5".into(), mtime_ns: Some(-1), ..Default::default() };
    assert_eq!(host.ask(Op::SetAttr(set)), done());
    let info = stat(&mut host, &f);
    assert_eq!((info.mode, info.owner.as_str(), info.gid, info.mtime_ns), (0o4711, "daemon", 5, -1));
    let set = proto::SetAttr { path: path(&host.dir), owner: "1000".into(), recursive: true, ..Default::default() };
    assert_eq!(host.ask(Op::SetAttr(set)), done());
    assert_eq!((stat(&mut host, &f).uid, stat(&mut host, &l).uid), (1000, 1000));
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    let mut host = Host::start();
    let tiny = host.dir.join("tiny");
    let script = format!("mkdir {0} && mount -t tmpfs -o size=64k rd-guest-tiny {0} && echo up && sleep 30", tiny.display());
    let mut call = host.start_exec(shell("e", &script));
    let mounts = || fs::read_to_string(format!("/proc/{}/mounts", std::process::id())).unwrap();
    assert!(!mounts().contains("rd-guest-tiny"), "the mount is the guest's alone");
    call.until("up");
    let it = proto::WriteFile { path: path(&tiny.join("big")), ..Default::default() };
    assert_eq!(error_code(write_as(&mut host, it.clone(), &vec![1; 4 << 20])).0, Code::NoSpace);
    assert!(matches!(write_as(&mut host, it, b"small"), Kind::File(_)));
    call.input(proto::exec_input::Kind::Signal(9));
}

#[test]
fn ports_are_listed_and_reached() {
    let mut host = Host::start();
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = u32::from(server.local_addr().unwrap().port());
    let Kind::Ports(ports) = host.ask(Op::Ports(Default::default())) else { panic!("no ports") };
    assert!(ports.ports.iter().any(|p| p.port == port && p.address == "127.0.0.1"));
    let mut call = host.open(Op::Connect(proto::Connect { port, host: String::new() }));
    assert_eq!(call.reply(), done());
    let echo = std::thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        std::io::copy(&mut stream.try_clone().unwrap(), &mut stream).unwrap();
    });
    let sent: Vec<u8> = (0..500_000u32).map(|i| i as u8).collect();
    let mut sender = Call { stream: call.stream.try_clone().unwrap() };
    let bytes = sent.clone();
    let writer = std::thread::spawn(move || sender.send_data(&bytes));
    assert!(call.read_data() == sent);
    writer.join().unwrap();
    echo.join().unwrap();
    assert_eq!(error_code(host.ask(Op::Connect(proto::Connect { port: 1, host: String::new() }))).0, Code::Io);
}

#[test]
fn the_sandbox_is_told_its_name_and_files() {
    let mut host = Host::start();
    let etc = host.dir.join("etc").display().to_string();
    // In the guest's own mount namespace.
    let script =
        format!("cp -a /etc {etc} && mount --bind {etc} /etc && rm -f {etc}/resolv.conf && ln -s /nowhere {etc}/resolv.conf");
    assert_eq!(host.shell("etc", &script).exited.code, 0);
    let it = proto::Configure {
        hostname: "bell".into(),
        hosts: vec![b"10.1.2.3 db".to_vec()],
        machine_id: "0123456789abcdef0123456789abcdef".into(),
        resolv_conf: b"nameserver 10.0.0.1\n".to_vec(),
        entropy: vec![7; 64],
        ..Default::default()
    };
    assert_eq!(host.ask(Op::Configure(it.clone())), done());
    assert_eq!(host.ask(Op::Configure(it)), done());
    let outcome =
        host.shell("look", "hostname; grep -c 'bell$' /etc/hosts; grep -c db /etc/hosts; cat /etc/machine-id /etc/resolv.conf");
    assert_eq!(outcome.text(), "bell\n1\n1\n0123456789abcdef0123456789abcdef\nnameserver 10.0.0.1\n");
    assert!(!fs::read_to_string("/etc/hosts").unwrap().contains("bell"));
    let bad = proto::Configure { hostname: "no good".into(), ..Default::default() };
    assert_eq!(error_code(host.ask(Op::Configure(bad))).0, Code::Invalid);
}

#[test]
fn a_large_file_is_replaced_whole_keeps_its_mode_and_leaves_nothing_beside_it() {
    let mut host = Host::start();
    let dir = host.dir.join("large");
    fs::create_dir(&dir).unwrap();
    let file = dir.join("f");
    fs::write(&file, vec![1; 17 << 20]).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let new: Vec<u8> = (0..17u32 << 20).map(|i| (i % 251) as u8).collect();
    let mut call = host.open(Op::Write(proto::WriteFile { path: path(&file), ..Default::default() }));
    call.send_data(&new);
    assert!(matches!(call.reply(), Kind::File(info) if info.size == 17 << 20));
    assert!(fs::read(&file).unwrap() == new);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o640);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
}
