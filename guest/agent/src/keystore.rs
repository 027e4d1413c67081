// SPDX-License-Identifier: Apache-2.0
//! Java's keystore of authorities in its plain form, JKS: entries one after the other, and behind them a digest over a password, which everybody knows, and all that stands before.

use crate::sha1::sha1;

const MAGIC: &[u8] = &[0xfe, 0xed, 0xfe, 0xed];
const PASSWORD: &str = "changeit";
const WHITENER: &[u8] = b"Mighty Aphrodite";
const VERSION: u32 = 2;
const DIGEST: usize = 20;
const TRUSTED: u32 = 2;
const KEY: u32 = 1;
const MOST_ENTRIES: u32 = 10_000;

pub struct Entry<'a> {
    pub alias: &'a [u8],
    whole: &'a [u8],
}

/// As the tool of Debian calls what it finds beside the bundle, so that it takes the same for the same: the sandbox's own authority, then what the operator adds.
pub fn alias(number: usize) -> String {
    if number == 0 { "debian:redoma.pem".into() } else { format!("debian:redoma-{number}.pem") }
}

/// Whether it was placed by us.
pub fn placed(alias: &[u8]) -> bool {
    let number = |rest: &[u8]| !rest.is_empty() && rest.iter().all(u8::is_ascii_digit);
    alias == b"debian:redoma.pem"
        || alias.strip_prefix(b"redoma-root-").is_some_and(number)
        || alias.strip_prefix(b"debian:redoma-").and_then(|rest| rest.strip_suffix(b".pem")).is_some_and(number)
}

/// Its entries; none where it is in another form, broken, or under another password.
pub fn entries(store: &[u8]) -> Option<Vec<Entry<'_>>> {
    let body = store.get(..store.len().checked_sub(DIGEST)?)?;
    if !body.starts_with(MAGIC) || digest(body) != store[body.len()..] {
        return None;
    }
    let mut at = Reader { bytes: body, at: MAGIC.len() };
    if at.u32()? != VERSION {
        return None;
    }
    let count = at.u32().filter(|count| *count <= MOST_ENTRIES)?;
    let mut found = Vec::new();
    for _ in 0..count {
        let begin = at.at;
        let tag = at.u32()?;
        let alias = at.text()?;
        at.take(8)?;
        let chain = match tag {
            TRUSTED => 1,
            KEY => {
                at.block()?;
                at.u32().filter(|chain| *chain <= MOST_ENTRIES)?
            }
            _ => return None,
        };
        for _ in 0..chain {
            at.text()?;
            at.block()?;
        }
        found.push(Entry { alias, whole: &body[begin..at.at] });
    }
    (at.at == body.len()).then_some(found)
}

/// Of these entries as they are, and authorities more by their aliases.
pub fn store(kept: &[Entry<'_>], more: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut body = MAGIC.to_vec();
    body.extend(VERSION.to_be_bytes());
    body.extend(u32::try_from(kept.len() + more.len()).unwrap_or(u32::MAX).to_be_bytes());
    for entry in kept {
        body.extend(entry.whole);
    }
    for (alias, certificate) in more {
        body.extend(TRUSTED.to_be_bytes());
        text(&mut body, alias);
        body.extend(0u64.to_be_bytes());
        text(&mut body, "X.509");
        body.extend(u32::try_from(certificate.len()).unwrap_or(u32::MAX).to_be_bytes());
        body.extend(certificate);
    }
    let sum = digest(&body);
    body.extend(sum);
    body
}

fn text(body: &mut Vec<u8>, text: &str) {
    body.extend(u16::try_from(text.len()).unwrap_or(u16::MAX).to_be_bytes());
    body.extend(text.as_bytes());
}

fn digest(body: &[u8]) -> [u8; DIGEST] {
    let mut all: Vec<u8> = PASSWORD.bytes().flat_map(|c| [0, c]).collect();
    all.extend(WHITENER);
    all.extend(body);
    sha1(&all)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = self.take(2)?.try_into().ok().map(u16::from_be_bytes)?;
        self.take(usize::from(length))
    }

    fn block(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()?;
        self.take(usize::try_from(length).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::{alias, entries, placed, store};

    #[test]
    fn what_is_written_is_read_and_entries_stay_as_they_are() {
        let first = store(&[], &[("a".into(), b"ONE".to_vec()), ("b".into(), b"TWO".to_vec())]);
        let read = entries(&first).expect("it is one");
        assert_eq!(read.iter().map(|e| e.alias).collect::<Vec<_>>(), [b"a", b"b"]);
        assert_eq!(store(&read, &[]), first);
        let fewer = store(&read[1..], &[("c".into(), b"THREE".to_vec())]);
        assert_eq!(entries(&fewer).expect("so is this").iter().map(|e| e.alias).collect::<Vec<_>>(), [b"b", b"c"]);
    }

    #[test]
    fn what_is_broken_or_of_another_form_is_none() {
        let whole = store(&[], &[("a".into(), b"ONE".to_vec())]);
        for cut in 0..whole.len() {
            assert!(entries(&whole[..cut]).is_none());
        }
        let mut other = whole.clone();
        other[20] ^= 1;
        assert!(entries(&other).is_none());
        assert!(entries(b"0\x82 PKCS12").is_none());
    }

    #[test]
    fn what_was_placed_is_known_by_its_alias() {
        assert!(["debian:redoma.pem", "debian:redoma-1.pem", "redoma-root-140"].iter().all(|a| placed(a.as_bytes())));
        assert!(["debian:other.pem", "debian:redoma-mine.pem", "redoma-root-", "debian:redoma-.pem"].iter().all(|a| !placed(a.as_bytes())));
        assert_eq!([alias(0), alias(2)], ["debian:redoma.pem", "debian:redoma-2.pem"]);
    }

    /// As a JDK's keytool writes it.
    #[test]
    fn the_digest_is_javas() {
        let empty = [0xfe, 0xed, 0xfe, 0xed, 0, 0, 0, 2, 0, 0, 0, 0];
        let mut java = empty.to_vec();
        java.extend(EMPTY);
        assert_eq!(store(&[], &[]), java);
    }

    const EMPTY: [u8; 20] =
        [0xe2, 0x68, 0x6e, 0x45, 0xfb, 0x43, 0xdf, 0xa4, 0xd9, 0x92, 0xdd, 0x41, 0xce, 0xb6, 0xb2, 0x1c, 0x63, 0x30, 0xd7, 0x92];
}
