// SPDX-License-Identifier: Apache-2.0
//! The places in the launcher's own mount namespace: `/run` holds what the runtime needs, `/dev` fresh nodes.

use crate::fail::Fail;
use crate::plan::{Bind, Plan};
use crate::{idmap, sys};
use std::os::fd::{AsRawFd, OwnedFd};

const RUN_FLAGS: libc::c_ulong = libc::MS_NOSUID | libc::MS_NODEV;

/// Mounts taken from the host's namespace but attached nowhere yet.
pub struct Trees {
    /// The sandbox's user namespace.
    user: OwnedFd,
    lowers: Vec<OwnedFd>,
    disk: OwnedFd,
    binds: Vec<OwnedFd>,
    volumes: Vec<OwnedFd>,
}

/// Takes them while the host's mounts are still in sight (the clean namespace does not hold the pool).
pub fn take(plan: &Plan) -> Result<Trees, Fail> {
    let mut maps: Vec<(u32, OwnedFd)> = vec![(0, idmap::namespace(0, plan.base)?)];
    let mut lowers = Vec::new();
    for lower in &plan.lowers {
        if !maps.iter().any(|(base, _)| *base == lower.base) {
            maps.push((lower.base, idmap::namespace(lower.base, plan.base)?));
        }
        let map = maps.iter().find(|(base, _)| *base == lower.base).map(|(_, fd)| fd);
        let tree = sys::detach(&lower.dir)?;
        sys::restrict(&tree, true, map)?;
        lowers.push(tree);
    }
    let (_, user) = maps.swap_remove(0);
    let mut volumes = Vec::new();
    for volume in &plan.volumes {
        let tree = sys::detach(&volume.dir)?;
        sys::volume(&tree, !volume.writable, &user)?;
        volumes.push(tree);
    }
    let disk = sys::detach(&plan.disk)?;
    sys::restrict(&disk, false, None)?;
    let binds = plan.binds.iter().map(take_bind).collect::<Result<_, _>>()?;
    Ok(Trees { user, lowers, disk, binds, volumes })
}

fn take_bind(bind: &Bind) -> Result<OwnedFd, Fail> {
    let tree = sys::detach(&bind.source)?;
    sys::restrict(&tree, !bind.writable, None)?;
    Ok(tree)
}

/// Attaches them under a fresh `/run`, and mounts the overlay at `/run/root`.
pub fn build(plan: &Plan, trees: &Trees) -> Result<(), Fail> {
    sys::mount("run", "/run", "tmpfs", RUN_FLAGS, "mode=0755,size=4m")?;
    sys::chdir("/run")?;
    for (i, tree) in trees.lowers.iter().enumerate() {
        place(tree, &format!("l{i}"), true)?;
    }
    place(&trees.disk, "disk", true)?;
    for (bind, tree) in plan.binds.iter().zip(&trees.binds) {
        place(tree, &bind.name, is_directory(tree)?)?;
    }
    for (i, tree) in trees.volumes.iter().enumerate() {
        place(tree, &format!("v{i}"), true)?;
    }
    // Bound again read-only by the runtime over /proc/sys, by which it would lose the flags that the runtime gives it.
    sys::seal("b/boot_id")?;
    sys::open("user", libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL)?;
    sys::mount(&format!("/proc/self/fd/{}", trees.user.as_raw_fd()), "user", "", libc::MS_BIND, "")?;
    sys::mkdir("state", 0o700)?;
    sys::mkdir("root", 0o755)?;
    overlay(plan)
}

/// Names are relative: the sandbox can read these options in its mountinfo.
fn overlay(plan: &Plan) -> Result<(), Fail> {
    let lowers: Vec<String> = (0..plan.lowers.len()).map(|i| format!("l{i}")).collect();
    let options = format!(
        "lowerdir={},upperdir=disk/{},workdir=disk/{},redirect_dir=off,metacopy=off,index=off",
        lowers.join(":"),
        plan.upper,
        plan.work
    );
    // The overlay belongs to the initial user namespace: device nodes in an image would be live without nodev.
    let flags = libc::MS_NODEV | if plan.nosuid { libc::MS_NOSUID } else { 0 };
    sys::mount("overlay", "root", "overlay", flags, &options)
}

fn place(tree: &OwnedFd, name: &str, directory: bool) -> Result<(), Fail> {
    if directory {
        sys::mkdir(name, 0o755)?;
    } else {
        sys::open(name, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL)?;
    }
    sys::attach(tree, name)
}

pub fn is_directory(fd: &OwnedFd) -> Result<bool, Fail> {
    // SAFETY: stat is plain data, and a valid place to write.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    sys::check(unsafe { libc::fstat(fd.as_raw_fd(), &mut stat) }, || "fstat".to_string())?;
    Ok(stat.st_mode & libc::S_IFMT == libc::S_IFDIR)
}

/// Nodes of our own: the runtime binds them into the sandbox and chowns what it gets as standard streams, and neither may touch
/// the host's.
pub fn devices() -> Result<(), Fail> {
    const NODES: [(&str, u32, u32); 8] = [
        ("null", 1, 3),
        ("zero", 1, 5),
        ("full", 1, 7),
        ("random", 1, 8),
        ("urandom", 1, 9),
        ("tty", 5, 0),
        ("console", 5, 1),
        ("ptmx", 5, 2),
    ];
    sys::mount("dev", "/dev", "tmpfs", libc::MS_NOSUID | libc::MS_NOEXEC, "mode=0755,size=64k")?;
    for (name, major, minor) in NODES {
        let path = sys::c(&format!("/dev/{name}"))?;
        // SAFETY: the string outlives the call. (The umask is 0 here.)
        let made = unsafe { libc::mknod(path.as_ptr(), libc::S_IFCHR | 0o666, libc::makedev(major, minor)) };
        sys::check(made, || format!("mknod {name}"))?;
    }
    Ok(())
}

/// runc refuses to mount there itself. Called by it in the sandbox's mount namespace, before the root is changed.
pub fn boot_id() -> Result<(), Fail> {
    sys::mount("/run/b/boot_id", "/run/root/proc/sys/kernel/random/boot_id", "", libc::MS_BIND, "")
}
