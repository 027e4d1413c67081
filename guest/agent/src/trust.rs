// SPDX-License-Identifier: Apache-2.0
//! Whom the programs in it trust beside those of the template (its authority, and what the operator adds), in the places where programs look.

use crate::answer::{At, Failure, Outcome};
use crate::configure::put;
use crate::keystore;
use crate::pem;
use crate::proto::{error::Code, Trust};
use crate::users::read_regular;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Where distributions take local authorities from when they make their bundles anew.
const LOCAL: &str = "/usr/local/share/ca-certificates";
const FILE: &str = "/usr/local/share/ca-certificates/redoma.crt";
const DIRECTORY: &str = "/etc/ssl/certs";
const BUNDLE: &str = "/etc/ssl/certs/ca-certificates.crt";
const BUNDLES: [&str; 5] =
    [BUNDLE, "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"];
/// How lines begin that are written around authorities.
const MARK: &[u8] = b"# Redoma: ";
const BUNDLE_LIMIT: usize = 8 << 20;
const AUTHORITY_LIMIT: usize = 512 << 10;
/// Where distributions keep what their Java trusts.
const JAVA: &str = "/etc/ssl/certs/java";
const KEYSTORE: &str = "/etc/ssl/certs/java/cacerts";

/// Without any authority: what was placed before goes.
pub fn place(it: &Trust) -> Outcome<()> {
    if it.authority.len() > AUTHORITY_LIMIT || it.subject_hash.len() != 8 || !it.subject_hash.bytes().all(|c| c.is_ascii_hexdigit()) {
        return Err(Failure::new(Code::Invalid, "authorities are certificates in PEM and the eight hex digits of its subject"));
    }
    let before = read_regular(Path::new(FILE), AUTHORITY_LIMIT).unwrap_or_default();
    if it.authority.is_empty() {
        return take_away(it, &before);
    }
    for directory in [LOCAL, DIRECTORY, JAVA] {
        fs::create_dir_all(directory).at(directory.as_bytes())?;
    }
    in_bundles(&before, &it.authority)?;
    // As those who make the bundles anew leave them: a certificate where local ones are, links to it, and a link by its subject.
    set(FILE, &it.authority, 0o644)?;
    link(FILE, &format!("{DIRECTORY}/redoma.pem"))?;
    link("redoma.pem", &by_hash(it))?;
    for file in &it.files {
        if let Some(directory) = Path::new(&file.path).parent().filter(|_| file.directory) {
            fs::create_dir_all(directory).at(directory.as_os_str().as_encoded_bytes())?;
        }
        if !file.link.is_empty() {
            link(&file.link, &file.path)?;
        } else if Path::new(&file.path).parent().is_some_and(Path::is_dir) {
            set(&file.path, &file.content, file.mode)?;
        }
    }
    in_keystore(&it.authority)
}

fn take_away(it: &Trust, before: &[u8]) -> Outcome<()> {
    in_bundles(before, &[])?;
    in_keystore(&[])?;
    let placed = [by_hash(it), format!("{DIRECTORY}/redoma.pem"), FILE.into()];
    for path in it.files.iter().map(|file| &file.path).chain(&placed) {
        let _ = fs::remove_file(path);
    }
    Ok(())
}

fn by_hash(it: &Trust) -> String {
    format!("{DIRECTORY}/{}.0", it.subject_hash)
}

fn in_bundles(before: &[u8], authority: &[u8]) -> Outcome<()> {
    for bundle in bundles() {
        let old = match read_regular(&bundle, BUNDLE_LIMIT + 1) {
            Ok(bytes) if bytes.len() > BUNDLE_LIMIT => {
                return Err(Failure::new(Code::Invalid, "a bundle of certificates inside is larger than 8 MiB"));
            }
            Ok(bytes) => bytes,
            Err(_) => Vec::new(),
        };
        let new = with(&old, before, authority);
        if new.is_empty() && !old.is_empty() {
            fs::remove_file(&bundle).at(bundle.as_os_str().as_encoded_bytes())?;
        } else if new != old {
            set(&bundle.to_string_lossy(), &new, 0o644)?;
        }
    }
    Ok(())
}

/// Where there is none it is made of what the system trusts, for Java that is told to look there. One in another form, or under a password of its own, is left alone.
fn in_keystore(authority: &[u8]) -> Outcome<()> {
    let old = match read_regular(Path::new(KEYSTORE), BUNDLE_LIMIT) {
        Ok(old) => old,
        Err(_) if authority.is_empty() || fs::symlink_metadata(KEYSTORE).is_ok() => return Ok(()),
        Err(_) => keystore::store(&[], &[]),
    };
    let Some(entries) = keystore::entries(&old) else { return Ok(()) };
    let mine = entries.iter().all(|entry| keystore::placed(entry.alias));
    let mut more = Vec::new();
    if mine && !authority.is_empty() {
        let roots = read_regular(Path::new(BUNDLE), BUNDLE_LIMIT).unwrap_or_default();
        more.extend(pem::certificates(&with(&roots, authority, &[])).into_iter().enumerate().map(|(i, root)| (format!("redoma-root-{i}"), root)));
    }
    more.extend(pem::certificates(authority).into_iter().enumerate().map(|(i, one)| (keystore::alias(i), one)));
    let kept: Vec<_> = entries.into_iter().filter(|entry| !keystore::placed(entry.alias)).collect();
    if mine && more.is_empty() {
        return fs::remove_file(KEYSTORE).at(KEYSTORE.as_bytes());
    }
    let new = keystore::store(&kept, &more);
    if new == old {
        return Ok(());
    }
    set(KEYSTORE, &new, 0o644)
}

/// In the place of whatever is there, but for a directory with something in it.
fn set(path: &str, content: &[u8], mode: u32) -> Outcome<()> {
    let _ = fs::remove_dir(path);
    put(path, content, mode)
}

fn link(to: &str, path: &str) -> Outcome<()> {
    if fs::read_link(path).is_ok_and(|there| there == Path::new(to)) {
        return Ok(());
    }
    let _ = fs::remove_file(path).or_else(|_| fs::remove_dir(path));
    symlink(to, path).at(path.as_bytes())
}

/// Those that are there, each once; else the one that most look for.
fn bundles() -> BTreeSet<PathBuf> {
    let there: BTreeSet<PathBuf> =
        BUNDLES.iter().filter_map(|path| fs::canonicalize(path).ok()).filter(|path| path.is_file()).collect();
    if there.is_empty() {
        BTreeSet::from([PathBuf::from(BUNDLE)])
    } else {
        there
    }
}

/// The old bundle without the authorities of before and what was written around them, also where others have put them into another order; then the new ones.
fn with(old: &[u8], before: &[u8], authority: &[u8]) -> Vec<u8> {
    let mut kept = old.to_vec();
    for block in pem::blocks(before).into_iter().chain(pem::blocks(authority)) {
        kept = without(&kept, block);
    }
    kept = kept.split_inclusive(|c| *c == b'\n').filter(|line| !line.starts_with(MARK)).flatten().copied().collect();
    if !kept.is_empty() && !kept.ends_with(b"\n") && !authority.is_empty() {
        kept.push(b'\n');
    }
    kept.extend(authority);
    kept
}

fn without(text: &[u8], part: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = pem::position(rest, part) {
        kept.extend(&rest[..at]);
        rest = &rest[at + part.len()..];
    }
    kept.extend(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::with;

    fn of(names: &str) -> Vec<u8> {
        names.chars().map(|c| if c == '#' { "# Redoma: a mark\n".into() } else { format!("-----BEGIN CERTIFICATE-----\n{c}\n-----END CERTIFICATE-----\n") }).collect::<String>().into_bytes()
    }

    #[test]
    fn an_authority_takes_the_place_of_the_one_before_and_others_stay() {
        let first = with(&of("R"), b"", &of("1"));
        assert_eq!(first, of("R1"));
        assert_eq!(with(&first, &of("1"), &of("1")), first);
        assert_eq!(with(&of("R1M"), &of("1"), &of("2")), of("RM2"));
        assert_eq!(with(&of("RO1M"), &of("1#O#"), &of("2#O#")), of("RM2#O#"));
        assert_eq!(with(&of("R1#O#"), &of("1#O#"), b""), of("R"));
        assert_eq!(with(b"", b"", &of("1")), of("1"));
        assert_eq!(with(b"# no end", b"", &of("1")), [b"# no end\n".to_vec(), of("1")].concat());
    }
}
