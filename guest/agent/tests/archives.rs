// SPDX-License-Identifier: Apache-2.0
//! Archives in and out, hostile ones above all.

mod host;

use host::*;
use redoma_guest::proto::{self, error::Code, reply::Kind, request::Op};
use redoma_guest::tar::{self, Header};
use std::fs;
use std::os::unix::fs::{symlink, MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

fn unpack(host: &mut Host, at: &Path, archive: &[u8]) -> Kind {
    let mut call = host.open(Op::TarIn(proto::TarIn { path: path(at), ..Default::default() }));
    call.send_data(archive);
    call.reply()
}

fn pack(host: &mut Host, at: &Path) -> Vec<u8> {
    host.open(Op::TarOut(proto::TarOut { path: path(at), ..Default::default() })).read_data()
}

fn member(kind: u8, name: &str, link: &str) -> Header {
    Header { kind, path: name.into(), link: link.into(), mode: 0o644, ..Header::default() }
}

fn archive(members: &[(Header, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (header, bytes) in members {
        tar::put(&mut out, &Header { size: bytes.len() as u64, ..header.clone() });
        out.extend_from_slice(bytes);
        tar::pad(&mut out, bytes.len() as u64);
    }
    out.extend([0; 1024]);
    out
}

#[test]
fn a_tree_survives_the_way_out_and_in() {
    let mut host = Host::start();
    let (from, to) = (host.dir.join("from"), host.dir.join("to"));
    fs::create_dir_all(from.join("empty")).unwrap();
    for mode in [0o755u32, 0o644, 0o600, 0o444, 0o4755] {
        let at = from.join(format!("{mode:o}"));
        fs::write(&at, vec![mode as u8; mode as usize * 1000]).unwrap();
        fs::set_permissions(&at, fs::Permissions::from_mode(mode)).unwrap();
    }
    fs::write(from.join("ü".repeat(80)), "long").unwrap();
    fs::hard_link(from.join("644"), from.join("twin")).unwrap();
    symlink("/etc/passwd", from.join("link")).unwrap();
    fs::set_permissions(from.join("empty"), fs::Permissions::from_mode(0o500)).unwrap();
    let archive = pack(&mut host, &from);
    assert_eq!(unpack(&mut host, &to, &archive), Kind::Done(Default::default()));
    let look = |at: &Path| {
        let script = "find . -mindepth 1 -printf '%p %y %m %l %n %T@ ' -exec sh -c 'test -f \"$1\" && sha256sum < \"$1\" || echo' - {} \\; | sort";
        Command::new("sh").args(["-c", script]).current_dir(at).output().unwrap().stdout
    };
    assert_eq!(String::from_utf8(look(&from)), String::from_utf8(look(&to)));
    assert_eq!(fs::metadata(to.join("644")).unwrap().nlink(), 2);
}

#[test]
fn other_tars_are_understood_and_understand_ours() {
    let mut host = Host::start();
    let from = host.dir.join("from");
    fs::create_dir_all(from.join("d")).unwrap();
    fs::write(from.join("d").join("n".repeat(150)), "deep").unwrap();
    for format in ["gnu", "pax", "ustar"] {
        let made = Command::new("tar").args(["--format", format, "-cC"]).arg(&from).arg(".").output().unwrap().stdout;
        if format == "ustar" && made.len() < 2048 {
            continue;
        }
        let to = host.dir.join(format);
        assert_eq!(unpack(&mut host, &to, &made), Kind::Done(Default::default()), "{format}");
        if format != "ustar" {
            assert_eq!(fs::read(to.join("d").join("n".repeat(150))).unwrap(), b"deep");
        }
    }
    let ours = host.dir.join("ours.tar");
    fs::write(&ours, pack(&mut host, &from)).unwrap();
    let listed = Command::new("tar").arg("-tf").arg(&ours).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&listed.stdout), format!("d/\nd/{}\n", "n".repeat(150)));
    let single = pack(&mut host, &from.join("d").join("n".repeat(150)));
    let one = host.dir.join("one");
    assert_eq!(unpack(&mut host, &one, &single), Kind::Done(Default::default()));
    assert!(one.join("n".repeat(150)).is_file());
}

#[test]
fn a_file_belongs_to_the_user_who_unpacks() {
    let mut host = Host::start();
    let at = host.dir.join("t");
    fs::create_dir(&at).unwrap();
    std::os::unix::fs::chown(&at, Some(1000), Some(1000)).unwrap();
    let bytes = archive(&[(Header { uid: 7, gid: 7, ..member(tar::FILE, "d/f", "") }, b"x")]);
    for (user, keep_owners, owner) in [("1000", true, 1000), ("", true, 7), ("", false, 0)] {
        let mut call = host.open(Op::TarIn(proto::TarIn { path: path(&at), user: user.into(), keep_owners }));
        call.send_data(&bytes);
        assert_eq!(call.reply(), Kind::Done(Default::default()));
        assert_eq!(fs::metadata(at.join("d/f")).unwrap().uid(), owner);
    }
}

#[test]
fn members_that_lead_out_are_refused_by_name_and_nothing_is_written_outside() {
    let mut host = Host::start();
    let outside = host.dir.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("victim"), "safe").unwrap();
    let out = outside.to_str().unwrap();
    let file = |name: &str| member(tar::FILE, name, "");
    type Members = Vec<(Header, &'static [u8])>;
    let hostile: Vec<(&str, Members)> = vec![
        ("../outside/new", vec![(file("../outside/new"), b"x")]),
        ("a/../../outside/new", vec![(file("a/../../outside/new"), b"x")]),
        ("/outside/new", vec![(file("/outside/new"), b"x")]),
        ("l/new", vec![(member(tar::SYMLINK, "l", out), b""), (file("l/new"), b"x")]),
        ("l/new", vec![(member(tar::SYMLINK, "l", "../outside"), b""), (file("l/new"), b"x")]),
        ("l/d/", vec![(member(tar::SYMLINK, "l", "../outside"), b""), (member(tar::DIRECTORY, "l/d/", ""), b"")]),
        ("l", vec![(member(tar::SYMLINK, "l", "../outside"), b""), (member(tar::DIRECTORY, "l", ""), b"")]),
        ("h", vec![(member(tar::HARD_LINK, "h", "../outside/victim"), b"")]),
        ("h", vec![(member(tar::HARD_LINK, "h", "/etc/passwd"), b"")]),
        ("h", vec![(member(tar::SYMLINK, "l", out), b""), (member(tar::HARD_LINK, "h", "l/victim"), b"")]),
        ("dev", vec![(member(b'3', "dev", ""), b"")]),
        ("dev", vec![(member(b'4', "dev", ""), b"")]),
        ("odd", vec![(member(b'S', "odd", ""), b"")]),
        ("f/x", vec![(file("f"), b"x"), (file("f/x"), b"x")]),
    ];
    for (number, (name, members)) in hostile.iter().enumerate() {
        let at = host.dir.join(format!("in{number}"));
        assert_eq!(error_code(unpack(&mut host, &at, &archive(members))), (Code::Invalid, name.to_string()), "{number}");
    }
    let left: Vec<_> = fs::read_dir(&outside).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(
        (left.len(), fs::read(outside.join("victim")).unwrap(), fs::metadata(outside.join("victim")).unwrap().nlink()),
        (1, b"safe".to_vec(), 1)
    );
}

#[test]
fn a_link_is_replaced_not_written_through() {
    let mut host = Host::start();
    let victim = host.dir.join("victim");
    fs::write(&victim, "safe").unwrap();
    let members: [(Header, &[u8]); 2] =
        [(member(tar::SYMLINK, "l", victim.to_str().unwrap()), b""), (member(tar::FILE, "l", ""), b"evil")];
    let at = host.dir.join("in");
    assert_eq!(unpack(&mut host, &at, &archive(&members)), Kind::Done(Default::default()));
    assert_eq!((fs::read(&victim).unwrap(), fs::read(at.join("l")).unwrap()), (b"safe".to_vec(), b"evil".to_vec()));
}

#[test]
fn links_inside_are_followed_inside() {
    let mut host = Host::start();
    let members: [(Header, &[u8]); 3] = [
        (member(tar::FILE, "usr/lib/a", ""), b"a"),
        (member(tar::SYMLINK, "lib", "usr/lib"), b""),
        (member(tar::FILE, "lib/b", ""), b"b"),
    ];
    let at = host.dir.join("in");
    assert_eq!(unpack(&mut host, &at, &archive(&members)), Kind::Done(Default::default()));
    assert_eq!(fs::read(at.join("usr/lib/b")).unwrap(), b"b");
}

#[test]
fn broken_archives_are_told_as_such() {
    let mut host = Host::start();
    let good = archive(&[(member(tar::FILE, "f", ""), &[7; 5000])]);
    let at = host.dir.join("in");
    assert_eq!(error_code(unpack(&mut host, &at, &good[..3000])).0, Code::Invalid);
    assert_eq!(error_code(unpack(&mut host, &at, &[b'x'; 4096])).0, Code::Invalid);
    let huge = Header { kind: tar::PAX, path: b"p".to_vec(), size: 1 << 40, ..Header::default() };
    let mut bytes = Vec::new();
    tar::put(&mut bytes, &huge);
    assert_eq!(error_code(unpack(&mut host, &at, &bytes)).0, Code::Invalid);
    assert_eq!(unpack(&mut host, &at, &archive(&[])), Kind::Done(Default::default()));
}
