// SPDX-License-Identifier: Apache-2.0
//! Checks of the merged root before anything is mounted over it. Nothing of the sandbox runs yet, so what is seen stays so.

use crate::fail::Fail;
use crate::sys;

const MUST_BE_DIRECTORIES: [&str; 5] = ["dev", "etc", "proc", "run", "sys"];

/// Makes what is missing of the way to a volume's place. A link or a file on it, which may have been left there on purpose, is refused: the
/// runtime would follow the link, and mount over what keeps the sandbox in.
pub fn place(root: &str, place: &str, base: u32) -> Result<(), Fail> {
    let flags = libc::O_PATH | libc::O_DIRECTORY;
    let mut here = sys::open(root, flags)?;
    for part in place.split('/').filter(|part| !part.is_empty()) {
        if part == "." || part == ".." {
            return Err(Fail::usage("a place with a dot in its way"));
        }
        here = match sys::open_in(&here, part, flags) {
            Err(fail) if fail.errno() == Some(libc::ENOENT) => {
                sys::mkdir_in(&here, part, 0o755, base)?;
                sys::open_in(&here, part, flags)?
            }
            Err(fail) if matches!(fail.errno(), Some(libc::ELOOP | libc::ENOTDIR)) => {
                return Err(Fail::usage(&format!("refused: '{part}' on the way to the volume at {place} is not a directory")));
            }
            other => other?,
        };
    }
    Ok(())
}

/// A sandbox that was stopped may have left a link where the runtime mounts; a template may lack the directory.
pub fn check(root: &str, base: u32) -> Result<(), Fail> {
    for name in MUST_BE_DIRECTORIES {
        let path = format!("{root}/{name}");
        if !directory_or_absent(&path)? {
            return Err(Fail::usage(&format!("refused: /{name} of the sandbox is not a directory")));
        }
    }
    temporary(&format!("{root}/tmp"), base)
}

fn directory_or_absent(path: &str) -> Result<bool, Fail> {
    let name = sys::c(path)?;
    // SAFETY: stat is plain data, and a valid place to write; the string outlives the call.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    let result = unsafe { libc::lstat(name.as_ptr(), &mut stat) };
    match sys::check(result, || format!("lstat {path}")) {
        Ok(()) => Ok(stat.st_mode & libc::S_IFMT == libc::S_IFDIR),
        Err(fail) if fail.errno() == Some(libc::ENOENT) => Ok(true),
        Err(fail) => Err(fail),
    }
}

/// Makes `/tmp` where there is none; whatever is there stays.
fn temporary(path: &str, base: u32) -> Result<(), Fail> {
    match sys::mkdir(path, 0o1777) {
        Ok(()) => {
            let name = sys::c(path)?;
            // SAFETY: the string outlives the call.
            sys::check(unsafe { libc::lchown(name.as_ptr(), base, base) }, || format!("chown {path}"))
        }
        Err(fail) if fail.errno() == Some(libc::EEXIST) => Ok(()),
        Err(fail) => Err(fail),
    }
}
