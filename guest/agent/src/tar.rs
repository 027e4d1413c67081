// SPDX-License-Identifier: Apache-2.0
//! Headers of tar archives: ustar with pax records, and the older ways to say long names when reading.

pub const BLOCK: usize = 512;

/// Kinds of members that we know.
pub const FILE: u8 = b'0';
pub const HARD_LINK: u8 = b'1';
pub const SYMLINK: u8 = b'2';
pub const DIRECTORY: u8 = b'5';
pub const FIFO: u8 = b'6';
pub const PAX: u8 = b'x';
pub const PAX_GLOBAL: u8 = b'g';
pub const LONG_NAME: u8 = b'L';
pub const LONG_LINK: u8 = b'K';

pub const XATTR_PREFIX: &[u8] = b"SCHILY.xattr.";

/// Widest number that a field of so many octal digits holds.
const MAX_ID: u64 = 0o7_777_777;
const MAX_SIZE: u64 = 0o77_777_777_777;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    pub kind: u8,
    pub path: Vec<u8>,
    pub link: Vec<u8>,
    pub mode: u32,
    pub uid: u64,
    pub gid: u64,
    pub size: u64,
    pub mtime: (i64, i64),
    pub xattrs: Vec<(String, Vec<u8>)>,
}

/// Why a header cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub enum Bad {
    Checksum,
    Number,
    Record,
}

/// None for a block of zeroes, which ends an archive.
pub fn parse(block: &[u8; BLOCK]) -> Result<Option<Header>, Bad> {
    if block.iter().all(|&byte| byte == 0) {
        return Ok(None);
    }
    if number(&block[148..156])? != checksum(block) {
        return Err(Bad::Checksum);
    }
    let mut path = text(&block[..100]).to_vec();
    let prefix = text(&block[345..500]);
    if &block[257..263] == b"ustar\0" && !prefix.is_empty() {
        path = [prefix, b"/", &path].concat();
    }
    Ok(Some(Header {
        kind: block[156],
        path,
        link: text(&block[157..257]).to_vec(),
        mode: number(&block[100..108])? as u32 & 0o7777,
        uid: number(&block[108..116])?,
        gid: number(&block[116..124])?,
        size: number(&block[124..136])?,
        mtime: (number(&block[136..148])? as i64, 0),
        xattrs: Vec::new(),
    }))
}

fn text(field: &[u8]) -> &[u8] {
    field.split(|&byte| byte == 0).next().unwrap_or(&[])
}

/// Octal digits, or (first bit set) a big-endian binary number.
fn number(field: &[u8]) -> Result<u64, Bad> {
    if field[0] & 0x80 != 0 {
        return field[1..].iter().try_fold(u64::from(field[0] & 0x7f), |value, &byte| {
            value.checked_mul(256).and_then(|value| value.checked_add(byte.into())).ok_or(Bad::Number)
        });
    }
    let digits = text(field).trim_ascii_spaces();
    digits.iter().try_fold(0u64, |value, &digit| match digit {
        b'0'..=b'7' => value.checked_mul(8).map(|value| value + u64::from(digit - b'0')).ok_or(Bad::Number),
        _ => Err(Bad::Number),
    })
}

trait Trim {
    fn trim_ascii_spaces(&self) -> &[u8];
}

impl Trim for [u8] {
    fn trim_ascii_spaces(&self) -> &[u8] {
        let start = self.iter().position(|&c| c != b' ').unwrap_or(self.len());
        let end = self.iter().rposition(|&c| c != b' ').map_or(start, |at| at + 1);
        &self[start..end]
    }
}

fn checksum(block: &[u8; BLOCK]) -> u64 {
    let sum = |range: &[u8]| range.iter().map(|&byte| u64::from(byte)).sum::<u64>();
    sum(&block[..148]) + 8 * u64::from(b' ') + sum(&block[156..])
}

/// Applies pax records (`length key=value\n`) to the header that follows them.
pub fn apply_pax(header: &mut Header, mut records: &[u8]) -> Result<(), Bad> {
    while !records.is_empty() {
        let space = records.iter().position(|&c| c == b' ').ok_or(Bad::Record)?;
        let length: usize = decimal(&records[..space])?;
        let record = records.get(space + 1..length).and_then(|record| record.strip_suffix(b"\n")).ok_or(Bad::Record)?;
        let equals = record.iter().position(|&c| c == b'=').ok_or(Bad::Record)?;
        apply(header, &record[..equals], &record[equals + 1..])?;
        records = &records[length..];
    }
    Ok(())
}

fn apply(header: &mut Header, key: &[u8], value: &[u8]) -> Result<(), Bad> {
    match key {
        b"path" => header.path = value.to_vec(),
        b"linkpath" => header.link = value.to_vec(),
        b"size" => header.size = decimal(value)?,
        b"uid" => header.uid = decimal(value)?,
        b"gid" => header.gid = decimal(value)?,
        b"mtime" => header.mtime = time(value)?,
        _ if key.starts_with(b"GNU.sparse") => return Err(Bad::Record),
        _ => {
            if let Some(name) = key.strip_prefix(XATTR_PREFIX).filter(|name| name.starts_with(b"user.")) {
                let name = std::str::from_utf8(name).map_err(|_| Bad::Record)?;
                header.xattrs.push((name.to_string(), value.to_vec()));
            }
        }
    }
    Ok(())
}

fn decimal<T: std::str::FromStr>(digits: &[u8]) -> Result<T, Bad> {
    let text = std::str::from_utf8(digits).map_err(|_| Bad::Number)?;
    text.parse().map_err(|_| Bad::Number)
}

/// Seconds with a fraction.
fn time(text: &[u8]) -> Result<(i64, i64), Bad> {
    let mut parts = text.splitn(2, |&c| c == b'.');
    let seconds: i64 = decimal(parts.next().unwrap_or(&[]))?;
    let mut nanos = 0i64;
    let fraction = parts.next().unwrap_or(&[]);
    for place in 0..9 {
        let digit = fraction.get(place).copied().unwrap_or(b'0');
        if !digit.is_ascii_digit() {
            return Err(Bad::Number);
        }
        nanos = nanos * 10 + i64::from(digit - b'0');
    }
    Ok(if text.first() == Some(&b'-') && nanos > 0 { (seconds - 1, 1_000_000_000 - nanos) } else { (seconds, nanos) })
}

/// Appends the header, after its pax records where the plain one cannot say it all.
pub fn put(out: &mut Vec<u8>, header: &Header) {
    let records = pax(header);
    if !records.is_empty() {
        let name = Header { kind: PAX, path: b"pax".to_vec(), mode: 0o644, size: records.len() as u64, ..Header::default() };
        put_plain(out, &name);
        out.extend_from_slice(&records);
        pad(out, records.len() as u64);
    }
    put_plain(out, header);
}

/// Zeroes up to a whole block after so many bytes.
pub fn pad(out: &mut Vec<u8>, length: u64) {
    out.resize(out.len() + padding(length), 0);
}

pub fn padding(length: u64) -> usize {
    (BLOCK - (length % BLOCK as u64) as usize) % BLOCK
}

fn pax(header: &Header) -> Vec<u8> {
    let mut records = Vec::new();
    if header.path.len() > 100 || !header.path.is_ascii() {
        record(&mut records, b"path", &header.path);
    }
    if header.link.len() > 100 || !header.link.is_ascii() {
        record(&mut records, b"linkpath", &header.link);
    }
    for (key, value, limit) in [("size", header.size, MAX_SIZE), ("uid", header.uid, MAX_ID), ("gid", header.gid, MAX_ID)] {
        if value > limit {
            record(&mut records, key.as_bytes(), value.to_string().as_bytes());
        }
    }
    let (seconds, nanos) = header.mtime;
    if seconds < 0 {
        // Before 1970 whole seconds must do: a fraction would count the other way.
        record(&mut records, b"mtime", seconds.to_string().as_bytes());
    } else if nanos != 0 || seconds as u64 > MAX_SIZE {
        record(&mut records, b"mtime", format!("{seconds}.{nanos:09}").as_bytes());
    }
    for (name, value) in &header.xattrs {
        record(&mut records, &[XATTR_PREFIX, name.as_bytes()].concat(), value);
    }
    records
}

/// The length of a record counts its own digits.
fn record(out: &mut Vec<u8>, key: &[u8], value: &[u8]) {
    let rest = key.len() + value.len() + 3;
    let mut length = rest + 1;
    while length != rest + length.to_string().len() {
        length = rest + length.to_string().len();
    }
    out.extend_from_slice(length.to_string().as_bytes());
    out.extend_from_slice(&[b" ", key, b"=", value, b"\n"].concat());
}

fn put_plain(out: &mut Vec<u8>, header: &Header) {
    let mut block = [0u8; BLOCK];
    let mut set = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    set(0, &header.path[..header.path.len().min(100)]);
    set(100, format!("{:07o}", header.mode).as_bytes());
    set(108, format!("{:07o}", header.uid.min(MAX_ID)).as_bytes());
    set(116, format!("{:07o}", header.gid.min(MAX_ID)).as_bytes());
    set(124, format!("{:011o}", header.size.min(MAX_SIZE)).as_bytes());
    set(136, format!("{:011o}", (header.mtime.0.max(0) as u64).min(MAX_SIZE)).as_bytes());
    set(156, &[header.kind]);
    set(157, &header.link[..header.link.len().min(100)]);
    set(257, b"ustar\x0000");
    let sum = checksum(&block);
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out.extend_from_slice(&block);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(bytes: &[u8]) -> Header {
        let block = |at: usize| <&[u8; BLOCK]>::try_from(&bytes[at..at + BLOCK]).unwrap();
        let first = parse(block(0)).unwrap().unwrap();
        if first.kind != PAX {
            return first;
        }
        let end = BLOCK + first.size as usize;
        let mut header = parse(block(end + padding(first.size))).unwrap().unwrap();
        apply_pax(&mut header, &bytes[BLOCK..end]).unwrap();
        header
    }

    #[test]
    fn what_was_put_is_read_back() {
        let plain =
            Header { kind: FILE, path: b"a/b".to_vec(), mode: 0o4755, size: 7, mtime: (981_173_106, 0), ..Header::default() };
        let rich = Header {
            path: "ü/".repeat(90).into_bytes(),
            link: vec![b'l'; 300],
            uid: 1 << 30,
            gid: 5,
            size: 1 << 40,
            mtime: (1, 500),
            xattrs: vec![("user.x".into(), vec![0, 10, 255])],
            ..plain.clone()
        };
        for header in [plain, rich] {
            let mut out = Vec::new();
            put(&mut out, &header);
            assert_eq!(read_back(&out), header);
        }
    }

    #[test]
    fn broken_headers_are_told() {
        let mut out = Vec::new();
        put(&mut out, &Header { kind: FILE, path: b"x".to_vec(), ..Header::default() });
        out[0] = b'y';
        assert_eq!(parse(out[..].try_into().unwrap()), Err(Bad::Checksum));
        for records in [&b"5 a=b"[..], b"99 path=x\n", b"x path=x\n", b"7 path\n", b"0 =\n", b"22 GNU.sparse.major=1\n"] {
            assert!(apply_pax(&mut Header::default(), records).is_err(), "{records:?}");
        }
    }
}
