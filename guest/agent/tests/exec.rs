// SPDX-License-Identifier: Apache-2.0
//! Commands: exact bytes, ends, users, signals, and what a broken connection does not change.

mod host;

use host::*;
use redoma_guest::frame::{STDERR, STDOUT};
use redoma_guest::proto::{error::Code, exec_input, reply::Kind, request::Op};
use redoma_guest::proto::{Attach, Forget, Ping, Ps, Pty, Request, Rlimit, Signal};
use std::time::{Duration, Instant};

#[test]
fn stdout_and_stderr_are_apart_and_the_code_is_the_commands_own() {
    let mut host = Host::start();
    let outcome = host.shell("e", "echo out; echo err >&2; exit 7");
    assert_eq!((outcome.text().as_str(), outcome.errors().as_str()), ("out\n", "err\n"));
    assert_eq!((outcome.exited.code, outcome.exited.signal), (7, 0));
    assert!(outcome.exited.max_rss_bytes > 0);
}

#[test]
fn every_byte_value_comes_as_it_was_printed() {
    let mut host = Host::start();
    let script = "for i in $(seq 0 255); do printf \"\\\\$(printf %03o $i)\"; done > t; \
                  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do cat t t > u; mv u t; done; cat t; rm t";
    let dir = host.dir.clone();
    let outcome = host.run(redoma_guest::proto::Exec { cwd: path(&dir), ..shell("e", script) });
    let expected: Vec<u8> = (0..=255u8).cycle().take(256 * 4096).collect();
    assert!(outcome.stdout == expected, "{} bytes", outcome.stdout.len());
}

#[test]
fn characters_are_not_cut() {
    let mut host = Host::start();
    let outcome = host.shell("e", "yes ☕ | head -n 100000 | tr -d '\\n'");
    assert_eq!(outcome.text(), "☕".repeat(100_000));
}

#[test]
fn an_exec_ends_with_its_process_while_children_hold_the_pipes() {
    let mut host = Host::start();
    let begun = Instant::now();
    let mut call = host.start_exec(shell("e", "(sleep 3; echo late) & echo early"));
    let outcome = call.until_exit();
    assert!(begun.elapsed() < Duration::from_millis(2900));
    assert_eq!(outcome.text(), "early\n");
    assert_eq!(call.until("late"), b"late\n");
    assert!(matches!(call.reply(), Kind::Closed(_)));
}

#[test]
fn a_child_that_never_stops_printing_does_not_hold_back_the_exit() {
    let mut host = Host::start();
    let mut call = host.start_exec(shell("e", "yes & sleep 0.1"));
    call.until_exit();
    assert_eq!(host.ask(Op::Signal(Signal { id: "e".into(), signal: 9, tree: true })), delivered(true));
}

fn delivered(delivered: bool) -> Kind {
    Kind::Signal(redoma_guest::proto::SignalReply { delivered })
}

#[test]
fn output_is_exact_over_broken_connections() {
    let mut host = Host::start();
    let expected: String = (1..=100_000).map(|i| format!("{i}\n")).collect();
    let mut call = host.start_exec(exec("e", &["seq", "1", "100000"]));
    let mut got = Vec::new();
    for round in 1..=3 {
        while got.len() < round * 100_000 {
            let (kind, bytes) = call.frame().unwrap();
            assert_eq!(kind, STDOUT);
            got.extend(bytes);
            // Of some bytes the guest is never told.
            call.input(exec_input::Kind::Ack(got.len() as u64 - 10));
        }
        drop(call);
        call = host.open(Op::Attach(Attach { id: "e".into(), from: got.len() as u64 }));
        let Kind::Started(started) = call.reply() else { panic!("not attached") };
        assert_eq!(started.offset, got.len() as u64);
    }
    let mut outcome = Outcome::default();
    call.collect_from(got.len() as u64, &mut outcome);
    got.extend(outcome.stdout);
    assert!(got == expected.as_bytes());
    assert_eq!(outcome.exited.code, 0);
}

#[test]
fn an_attach_from_the_start_replays_all_that_was_not_acknowledged() {
    let mut host = Host::start();
    drop(host.start_exec(shell("e", "echo a; sleep 0.1; echo b >&2; sleep 0.1; echo c; exit 3")));
    std::thread::sleep(Duration::from_millis(400));
    for _ in 0..2 {
        let mut call = host.open(Op::Attach(Attach { id: "e".into(), from: 0 }));
        assert!(matches!(call.reply(), Kind::Started(_)));
        assert_eq!(call.frame(), Some((STDOUT, b"a\n".to_vec())));
        assert_eq!(call.frame(), Some((STDERR, b"b\n".to_vec())));
        assert_eq!(call.frame(), Some((STDOUT, b"c\n".to_vec())));
        let Kind::Exited(exited) = call.reply() else { panic!("no exit") };
        assert_eq!((exited.code, exited.offset), (3, 6));
        assert!(matches!(call.reply(), Kind::Closed(_)));
    }
    assert_eq!(host.ask(Op::Forget(Forget { id: "e".into() })), Kind::Done(Default::default()));
    assert_eq!(error_code(host.ask(Op::Attach(Attach { id: "e".into(), from: 0 }))).0, Code::Gone);
}

#[test]
fn a_second_attach_takes_over_and_closes_the_first() {
    let mut host = Host::start();
    let mut first = host.start_exec(shell("e", "sleep 30"));
    let mut second = host.open(Op::Attach(Attach { id: "e".into(), from: 0 }));
    assert!(matches!(second.reply(), Kind::Started(_)));
    assert_eq!(first.frame(), None);
    second.input(exec_input::Kind::Signal(15));
    assert_eq!(second.collect().exited.signal, 15);
}

#[test]
fn a_host_that_reads_nothing_stops_the_printer_and_loses_nothing() {
    let mut host = Host::start();
    let mut call =
        host.start_exec(redoma_guest::proto::Exec { window: 65536, ..shell("e", "head -c 3000000 /dev/zero; echo end >&2") });
    let produced = |host: &mut Host| {
        let Kind::Ps(ps) = host.ask(Op::Ps(Ps {})) else { panic!("no list") };
        (ps.execs[0].produced, ps.execs[0].running)
    };
    let end = Instant::now() + PATIENCE;
    while produced(&mut host).0 < 65536 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(produced(&mut host), (65536, true));
    let outcome = call.collect();
    assert_eq!((outcome.stdout.len(), outcome.errors().as_str()), (3_000_000, "end\n"));
}

#[test]
fn missing_commands_are_127_and_unusable_ones_126_with_a_reason() {
    let mut host = Host::start();
    let missing = host.run(exec("a", &["no_such_cmd_xyz"]));
    assert_eq!(missing.exited.code, 127);
    assert_eq!(missing.errors(), "redoma: no_such_cmd_xyz: not found\n");
    assert_eq!(host.run(exec("b", &["/etc/passwd"])).exited.code, 126);
    assert_eq!(host.run(exec("c", &["/no/such/path"])).exited.code, 127);
}

#[test]
fn deaths_by_signal_are_told_apart_from_codes() {
    let mut host = Host::start();
    let ends = |outcome: Outcome| (outcome.exited.code, outcome.exited.signal);
    assert_eq!(ends(host.shell("a", "kill -SEGV $$")), (139, 11));
    assert_eq!(ends(host.shell("b", "kill -9 $$")), (137, 9));
    assert_eq!(ends(host.shell("c", "exit 255")), (255, 0));
}

#[test]
fn unknown_users_and_directories_are_refused_before_anything_starts() {
    let mut host = Host::start();
    let no_user = redoma_guest::proto::Exec { user: "nobody-here".into(), ..shell("a", "true") };
    assert_eq!(error_code(host.ask(Op::Exec(no_user))).0, Code::NoUser);
    let no_cwd = redoma_guest::proto::Exec { cwd: b"/nope".to_vec(), ..shell("b", "true") };
    assert_eq!(error_code(host.ask(Op::Exec(no_cwd))), (Code::NoCwd, "/nope".into()));
    let private = redoma_guest::proto::Exec { cwd: b"/root".to_vec(), user: "1234".into(), ..shell("c", "true") };
    if std::fs::metadata("/root").is_ok_and(|m| std::os::unix::fs::PermissionsExt::mode(&m.permissions()) & 1 == 0) {
        assert_eq!(error_code(host.ask(Op::Exec(private))).0, Code::NoCwd);
    }
    let Kind::Ps(ps) = host.ask(Op::Ps(Ps {})) else { panic!("no list") };
    assert!(ps.execs.is_empty());
    assert_eq!(host.shell("d", "echo ok").text(), "ok\n");
}

#[test]
fn a_user_has_its_ids_groups_and_environment_and_no_more() {
    let mut host = Host::start();
    let exec = redoma_guest::proto::Exec { user: "daemon".into(), ..shell("e", "id -u; id -g; id -G; umask; env | sort; pwd") };
    let text = host.run(exec).text();
    let expected = "1\n1\n1\n0022\nHOME=/usr/sbin\nLOGNAME=daemon\n\
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nPWD=/\nSHELL=/usr/sbin/nologin\nUSER=daemon\n/\n";
    assert_eq!(text, expected);
}

#[test]
fn a_process_begins_clean() {
    let mut host = Host::start();
    let outcome =
        host.shell("e", "grep -E '^Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd; ps -o sid= -p $$ | tr -d ' '; echo $$");
    let text = outcome.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(&lines[..2], ["SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000"]);
    assert_eq!(&lines[2..6], ["0", "1", "2", "3"], "3 is the directory that ls reads");
    assert_eq!(lines[6], lines[7], "a session of its own");
}

#[test]
fn four_hundred_commands_run_at_once() {
    let mut host = Host::start();
    let mut calls: Vec<Call> = (0..400).map(|i| host.start_exec(shell(&format!("e{i}"), "sleep 1; exit 0"))).collect();
    let end = calls.iter_mut().map(|call| call.collect().exited.code).sum::<i32>();
    assert_eq!(end, 0);
    assert_eq!(host.shell("n", "ulimit -Sn").text().trim(), soft_limit());
}

fn soft_limit() -> String {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    line.split_whitespace().nth(3).unwrap().to_string()
}

#[test]
fn limits_umask_and_privileges_are_as_asked() {
    let mut host = Host::start();
    let rlimits = vec![Rlimit { resource: libc_nofile(), soft: 123, hard: 456 }];
    let exec = redoma_guest::proto::Exec {
        rlimits,
        umask: 0o077,
        no_new_privs: true,
        ..shell("e", "ulimit -Sn; ulimit -Hn; umask; grep NoNewPrivs /proc/self/status")
    };
    assert_eq!(host.run(exec).text(), "123\n456\n0077\nNoNewPrivs:\t1\n");
}

fn libc_nofile() -> u32 {
    7
}

#[test]
fn without_input_a_reader_finds_the_end_at_once() {
    let mut host = Host::start();
    assert_eq!(host.shell("e", "cat; echo rc=$?").text(), "rc=0\n");
    assert_eq!(error_code(stdin(&mut host, "e", b"x", true)).0, Code::Gone);
}

#[test]
fn input_reaches_the_process_in_order_and_ends_when_asked() {
    let mut host = Host::start();
    let mut call = host.start_exec(redoma_guest::proto::Exec { stdin: true, ..exec("e", &["cat"]) });
    assert_eq!(stdin(&mut host, "e", b"one ", false), Kind::Done(Default::default()));
    assert_eq!(stdin(&mut host, "e", b"two", true), Kind::Done(Default::default()));
    let outcome = call.collect();
    assert_eq!((outcome.text().as_str(), outcome.exited.code), ("one two", 0));
}

#[test]
fn much_input_passes_through_a_filter_both_ways_at_once() {
    let mut host = Host::start();
    let bytes: Vec<u8> = (0..8_000_000u32).map(|i| (i * 7 % 253) as u8).collect();
    let mut call = host.start_exec(redoma_guest::proto::Exec { stdin: true, ..exec("e", &["cat"]) });
    let mut input = host.open(Op::Stdin(redoma_guest::proto::Stdin { id: "e".into(), close: true }));
    let sent = bytes.clone();
    let writer = std::thread::spawn(move || {
        for chunk in sent.chunks(100_000) {
            input.send(redoma_guest::frame::STDIN, chunk).unwrap();
        }
        input.send(redoma_guest::frame::END, &[]).unwrap();
        input.reply()
    });
    let outcome = call.collect();
    assert_eq!(writer.join().unwrap(), Kind::Done(Default::default()));
    assert!(outcome.stdout == bytes);
}

#[test]
fn an_idle_guest_does_nothing() {
    let mut host = Host::start();
    let mut call =
        host.start_exec(redoma_guest::proto::Exec { stdin: true, ..shell("e", "sleep 0.1; head -c 300000 | wc -c; sleep 30") });
    assert_eq!(stdin(&mut host, "e", &[7; 300_000], false), Kind::Done(Default::default()));
    call.until("300000");
    let time = |host: &mut Host, id| {
        let text = host.shell(id, "cut -d' ' -f14,15 /proc/1/stat").text();
        text.split_whitespace().map(|ticks| ticks.parse::<u32>().unwrap()).sum::<u32>()
    };
    let before = time(&mut host, "a");
    std::thread::sleep(Duration::from_millis(500));
    assert!(time(&mut host, "b") - before < 10, "it spins");
}

#[test]
fn input_for_who_does_not_read_is_gone_when_it_ends() {
    let mut host = Host::start();
    let mut call = host.start_exec(redoma_guest::proto::Exec { stdin: true, ..shell("e", "sleep 0.3") });
    assert_eq!(error_code(stdin(&mut host, "e", &[7; 400_000], true)).0, Code::Gone);
    assert_eq!(call.collect().exited.code, 0);
}

#[test]
fn a_terminal_has_the_size_given_and_takes_another() {
    let mut host = Host::start();
    let pty = Pty { cols: 80, rows: 24, term: "xterm".into() };
    let exec = redoma_guest::proto::Exec {
        pty: Some(pty),
        ..shell("e", "trap 'stty size; exit' WINCH; tty >&2; stty size; echo $TERM; while :; do sleep 0.05; done")
    };
    let mut call = host.start_exec(exec);
    let text = String::from_utf8(call.until("xterm")).unwrap();
    assert!(text.contains("/dev/pts/") && text.contains("24 80"), "{text}");
    call.input(exec_input::Kind::Resize(Pty { cols: 0, rows: 0, term: String::new() }));
    call.input(exec_input::Kind::Resize(Pty { cols: 132, rows: 50, term: String::new() }));
    call.until("50 132");
}

#[test]
fn a_terminal_gives_all_output_and_takes_input_and_its_end() {
    let mut host = Host::start();
    let pty = Some(Pty { cols: 80, rows: 24, term: String::new() });
    let expected: String = (1..=100_000).map(|i| format!("{i}\r\n")).collect();
    let all = host.run(redoma_guest::proto::Exec { pty: pty.clone(), ..exec("a", &["seq", "1", "100000"]) });
    assert!(all.text() == expected, "{} bytes", all.stdout.len());
    let mut call = host.start_exec(redoma_guest::proto::Exec { pty, ..exec("b", &["cat"]) });
    assert_eq!(stdin(&mut host, "b", b"hi\nyo", true), Kind::Done(Default::default()));
    let outcome = call.collect();
    assert_eq!((outcome.text().as_str(), outcome.exited.code), ("hi\r\nyohi\r\nyo", 0));
}

#[test]
fn a_tree_is_killed_whole_and_only_once() {
    let mut host = Host::start();
    let mut call = host.start_exec(shell("e", "(sleep 301 & sleep 302 & wait) & sleep 303 & echo up; wait"));
    call.until("up");
    std::thread::sleep(Duration::from_millis(50));
    let kill = || Op::Signal(Signal { id: "e".into(), signal: 9, tree: true });
    assert_eq!(host.ask(kill()), delivered(true));
    let mut outcome = Outcome::default();
    call.collect_from(3, &mut outcome);
    assert_eq!(outcome.exited.signal, 9);
    // Told to die, and dead when the kernel gets to it.
    let gone = "n=0; while ps -e -o args= | grep -q '^sleep 30[123]'; do n=$((n+1)); [ $n -lt 600 ] || exit 1; sleep 0.05; done; echo gone";
    assert_eq!(host.shell("p", gone).text(), "gone\n");
    assert_eq!(host.ask(kill()), delivered(false));
}

#[test]
fn the_child_waits_until_the_host_says_go() {
    let mut host = Host::start();
    let mut call = host.start_exec(redoma_guest::proto::Exec { wait_for_host: true, ..shell("e", "echo went") });
    let mut child = host.child_of("e");
    call.stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    assert!(std::io::Read::read(&mut call.stream, &mut [0; 1]).is_err(), "it went without go");
    call.stream.set_read_timeout(Some(PATIENCE)).unwrap();
    child.control(&Request { op: Some(Op::Go(Default::default())) });
    assert_eq!(child.frame(), None);
    assert_eq!(call.collect().text(), "went\n");
}

#[test]
fn a_child_that_is_not_let_go_ends_with_125() {
    let mut host = Host::start();
    let mut call = host.start_exec(redoma_guest::proto::Exec { wait_for_host: true, ..shell("e", "echo went") });
    drop(host.child_of("e"));
    let outcome = call.collect();
    assert_eq!((outcome.exited.code, outcome.text().as_str()), (125, ""));
}

#[test]
fn ids_are_taken_once_until_they_are_forgotten() {
    let mut host = Host::start();
    let mut call = host.start_exec(shell("e", "sleep 0.2"));
    assert_eq!(error_code(host.ask(Op::Exec(shell("e", "true")))).0, Code::Exists);
    assert_eq!(error_code(host.ask(Op::Forget(Forget { id: "e".into() }))).0, Code::Busy);
    call.input(exec_input::Kind::Forget(true));
    assert_eq!(call.collect().exited.code, 0);
    assert_eq!(call.frame(), None);
    assert_eq!(host.shell("e", "echo again").text(), "again\n");
}

#[test]
fn the_connection_of_an_exec_that_is_over_serves_the_next_operation() {
    let mut host = Host::start();
    let mut call = host.start_exec(shell("e", "echo once"));
    assert_eq!(call.collect().text(), "once\n");
    call.input(exec_input::Kind::Forget(true));
    call.control(&Request { op: Some(Op::Exec(shell("e", "echo twice"))) });
    assert!(matches!(call.reply(), Kind::Started(_)));
    assert_eq!(call.collect().text(), "twice\n");
}

#[test]
fn one_who_broke_the_framing_is_cut_off_alone() {
    let mut host = Host::start();
    let mut call = Call { stream: host.spare() };
    std::io::Write::write_all(&mut call.stream, &[0, 0xff, 0xff, 0xff]).unwrap();
    assert_eq!(call.frame(), None);
    let mut call = Call { stream: host.spare() };
    call.send(STDOUT, b"what").unwrap();
    assert_eq!(call.frame(), None);
    assert_eq!(host.ask(Op::Ping(Ping {})), Kind::Done(Default::default()));
}

#[test]
fn orphans_are_reaped() {
    let mut host = Host::start();
    let mut call = host.start_exec(shell("e", "(sleep 0.1 & exec 1>&- 2>&-) & exit 0"));
    call.until_exit();
    let reaped = "sleep 0.3; n=0; while ps -e -o stat= | grep -q Z; do n=$((n+1)); [ $n -lt 600 ] || exit 1; sleep 0.05; done; echo reaped";
    assert_eq!(host.shell("z", reaped).text(), "reaped\n");
}

#[test]
fn nothing_of_pid_1_can_be_read_and_its_environment_is_empty() {
    let mut host = Host::start();
    let outcome =
        host.shell("e", "cat /proc/1/environ | tr -d '\\0'; env | grep CANARY; readlink /proc/self/ns/pid > /dev/null; echo $?");
    assert_eq!(outcome.text(), "0\n");
}
