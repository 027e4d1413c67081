// SPDX-License-Identifier: Apache-2.0
//! Watching: every path, with its final name, and the end of the root.

mod host;

use host::*;
use redoma_guest::proto::{self, error::Code, event::Kind as Event, reply::Kind, request::Op};
use std::fs;
use std::path::Path;

fn watch(host: &mut Host, at: &Path, recursive: bool) -> Call {
    let mut call = host.open(Op::Watch(proto::Watch { path: path(at), recursive, ..Default::default() }));
    assert_eq!(call.reply(), Kind::Done(Default::default()));
    call
}

fn next(call: &mut Call) -> (Event, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let Kind::Event(event) = call.reply() else { panic!("no event") };
    (event.kind, text(&event.path), text(&event.from))
}

/// All that come until this one has.
fn until(call: &mut Call, kind: Event, path: &str) -> Vec<(Event, String, String)> {
    let mut all = Vec::new();
    loop {
        all.push(next(call));
        let (last, at, _) = all.last().unwrap();
        if (*last, at.as_str()) == (kind, path) {
            return all;
        }
    }
}

fn events(call: &mut Call) -> Vec<(Event, String, String)> {
    let mut all = Vec::new();
    loop {
        all.push(next(call));
        if all.last().unwrap().0 == Event::RootRemoved {
            assert_eq!(call.frame(), None);
            return all;
        }
    }
}

fn has(all: &[(Event, String, String)], kind: Event, path: &str) {
    assert!(all.iter().any(|(k, p, _)| (*k, p.as_str()) == (kind, path)), "{kind:?} {path} in {all:?}");
}

#[test]
fn a_recursive_watch_misses_nothing() {
    let mut host = Host::start();
    let root = host.dir.join("w");
    fs::create_dir(&root).unwrap();
    let mut call = watch(&mut host, &root, true);
    let run = |host: &mut Host, id: &str, script: &str| {
        assert_eq!(host.run(proto::Exec { cwd: path(&root), ..shell(id, script) }).exited.code, 0);
    };
    run(&mut host, "one", "mkdir -p a/b/c; echo 1 > a/b/c/f");
    let mut all = until(&mut call, Event::Write, "a/b/c/f");
    run(&mut host, "two", "mv a/b a/B; echo 2 >> a/B/c/f; echo t > tmp; echo g > g; mv tmp g");
    all.extend(until(&mut call, Event::Rename, "g"));
    run(&mut host, "three", "cd ..; rm -r w");
    all.extend(events(&mut call));
    for created in ["a", "a/b", "a/b/c", "a/b/c/f"] {
        has(&all, Event::Create, created);
        assert_eq!(all.iter().filter(|(k, p, _)| *k == Event::Create && p == created).count(), 1, "{created} once in {all:?}");
    }
    has(&all, Event::Write, "a/b/c/f");
    has(&all, Event::Write, "a/B/c/f");
    assert!(all.contains(&(Event::Rename, "a/B".into(), "a/b".into())), "{all:?}");
    assert!(all.contains(&(Event::Rename, "g".into(), "tmp".into())), "{all:?}");
    for removed in ["a/B/c/f", "a/B/c", "a/B", "a", "g"] {
        has(&all, Event::Remove, removed);
    }
    assert_eq!(all.last().unwrap().0, Event::RootRemoved);
}

#[test]
fn what_moves_in_is_new_and_what_moves_out_is_gone() {
    let mut host = Host::start();
    let (root, aside) = (host.dir.join("w"), host.dir.join("aside"));
    fs::create_dir(&root).unwrap();
    fs::create_dir_all(aside.join("sub")).unwrap();
    fs::write(aside.join("sub/f"), "x").unwrap();
    let mut call = watch(&mut host, &root, true);
    fs::rename(&aside, root.join("in")).unwrap();
    let mut all = until(&mut call, Event::Create, "in/sub/f");
    fs::rename(root.join("in"), &aside).unwrap();
    all.extend(until(&mut call, Event::Remove, "in"));
    fs::write(aside.join("sub/f"), "not seen").unwrap();
    fs::rename(&root, host.dir.join("v")).unwrap();
    all.extend(events(&mut call));
    for path in ["in", "in/sub", "in/sub/f"] {
        has(&all, Event::Create, path);
    }
    has(&all, Event::Remove, "in");
    assert!(all.iter().skip_while(|(k, ..)| *k != Event::Remove).count() == 2, "{all:?}");
}

#[test]
fn a_flat_watch_sees_one_level() {
    let mut host = Host::start();
    let root = host.dir.join("w");
    fs::create_dir_all(root.join("d")).unwrap();
    let mut call = watch(&mut host, &root, false);
    fs::write(root.join("d/deep"), "x").unwrap();
    fs::write(root.join("f"), "x").unwrap();
    fs::remove_dir_all(&root).unwrap();
    let all = events(&mut call);
    has(&all, Event::Create, "f");
    has(&all, Event::Write, "f");
    assert!(!all.iter().any(|(_, p, _)| p == "d/deep"));
}

#[test]
fn a_watch_ends_with_its_connection_and_needs_something_to_watch() {
    let mut host = Host::start();
    let at = host.dir.clone();
    drop(watch(&mut host, &at, true));
    let mut count = || host.shell(&format!("e{}", std::process::id()), "true").exited.code;
    assert_eq!(count(), 0);
    let it = proto::Watch { path: path(&at.join("none")), ..Default::default() };
    assert_eq!(error_code(host.ask(Op::Watch(it))).0, Code::NotFound);
    let guests = "ls /proc | grep -c '^[0-9]'";
    wait_for("the end of the watcher", {
        let mut n = 0;
        move || {
            n += 1;
            host.shell(&format!("c{n}"), guests).text().trim().parse::<u32>().unwrap() <= 5
        }
    });
}

#[test]
fn a_large_file_that_a_write_replaces_is_told_under_its_own_name_alone() {
    let mut host = Host::start();
    let root = host.dir.join("w");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("f"), "old").unwrap();
    let mut call = watch(&mut host, &root, true);
    let mut write = host.open(Op::Write(proto::WriteFile { path: path(&root.join("f")), ..Default::default() }));
    write.send_data(&vec![7; 20 << 20]);
    write.reply();
    fs::remove_dir_all(&root).unwrap();
    let all = events(&mut call);
    assert_eq!(all.iter().filter(|(kind, path, ..)| *kind == Event::Rename && path == "f").count(), 1, "{all:?}");
    assert_eq!(all.iter().filter(|(kind, ..)| *kind == Event::Rename).count(), 1, "{all:?}");
    assert_eq!(all.iter().filter(|(kind, ..)| *kind == Event::Remove).map(|(_, path, ..)| path.as_str()).collect::<Vec<_>>(), ["f"]);
}
