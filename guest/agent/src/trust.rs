// SPDX-License-Identifier: Apache-2.0
//! Whom the programs in it trust beside those of the template (its authority, and what the operator adds), in the places where programs look.

use crate::answer::{At, Failure, Outcome};
use crate::configure::put;
use crate::proto::{error::Code, Trust};
use crate::users::read_regular;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where distributions take local authorities from when they make their bundles anew.
const LOCAL: &str = "/usr/local/share/ca-certificates";
const FILE: &str = "/usr/local/share/ca-certificates/redoma.crt";
const DIRECTORY: &str = "/etc/ssl/certs";
const BUNDLE: &str = "/etc/ssl/certs/ca-certificates.crt";
const BUNDLES: [&str; 5] =
    [BUNDLE, "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"];
const BUNDLE_LIMIT: usize = 8 << 20;
const AUTHORITY_LIMIT: usize = 512 << 10;

pub fn place(it: &Trust) -> Outcome<()> {
    if it.authority.len() > AUTHORITY_LIMIT || it.subject_hash.len() != 8 || !it.subject_hash.bytes().all(|c| c.is_ascii_hexdigit()) {
        return Err(Failure::new(Code::Invalid, "authorities are certificates in PEM and the eight hex digits of its subject"));
    }
    let before = read_regular(Path::new(FILE), AUTHORITY_LIMIT).unwrap_or_default();
    for directory in [LOCAL, DIRECTORY] {
        fs::create_dir_all(directory).at(directory.as_bytes())?;
    }
    for bundle in bundles() {
        let old = match read_regular(&bundle, BUNDLE_LIMIT + 1) {
            Ok(bytes) if bytes.len() > BUNDLE_LIMIT => {
                return Err(Failure::new(Code::Invalid, "a bundle of certificates inside is larger than 8 MiB"));
            }
            Ok(bytes) => bytes,
            Err(_) => Vec::new(),
        };
        let new = with(&old, &before, &it.authority);
        if new != old {
            put(&bundle.to_string_lossy(), &new, 0o644)?;
        }
    }
    for name in [format!("{DIRECTORY}/redoma.pem"), format!("{DIRECTORY}/{}.0", it.subject_hash), FILE.into()] {
        put(&name, &it.authority, 0o644)?;
    }
    for file in &it.files {
        if Path::new(&file.path).parent().is_some_and(Path::is_dir) {
            put(&file.path, &file.content, file.mode)?;
        }
    }
    Ok(())
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

/// The old bundle without the authority of before, then the new one.
fn with(old: &[u8], before: &[u8], authority: &[u8]) -> Vec<u8> {
    let mut kept = without(&without(old, before), authority);
    if !kept.is_empty() && !kept.ends_with(b"\n") {
        kept.push(b'\n');
    }
    kept.extend(authority);
    kept
}

fn without(text: &[u8], part: &[u8]) -> Vec<u8> {
    if part.is_empty() {
        return text.to_vec();
    }
    let mut kept = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(part) {
            at += part.len();
        } else {
            kept.push(text[at]);
            at += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::with;

    #[test]
    fn an_authority_takes_the_place_of_the_one_before_and_others_stay() {
        let first = with(b"ROOT\n", b"", b"ONE\n");
        assert_eq!(first, b"ROOT\nONE\n");
        assert_eq!(with(&first, b"ONE\n", b"ONE\n"), first);
        assert_eq!(with(b"ROOT\nONE\nMINE\n", b"ONE\n", b"TWO\n"), b"ROOT\nMINE\nTWO\n");
        assert_eq!(with(b"", b"", b"ONE\n"), b"ONE\n");
        assert_eq!(with(b"ROOT", b"", b"ONE\n"), b"ROOT\nONE\n");
    }
}
