// SPDX-License-Identifier: Apache-2.0
//! Protobuf's wire format, as far as `guest.proto` needs it.

/// The bytes are no message.
#[derive(Debug, PartialEq, Eq)]
pub struct Malformed;

/// A field's value as it stands on the wire.
#[derive(Clone, Copy)]
pub enum Value<'a> {
    Varint(u64),
    Bytes(&'a [u8]),
    /// A fixed-width value: no field of ours has one, so it is skipped.
    Fixed,
}

/// A record that can be written and read. Unknown fields are skipped.
pub trait Message: Default {
    fn encode(&self, out: &mut Vec<u8>);

    fn merge(&mut self, number: u32, value: Value<'_>) -> Result<(), Malformed>;

    fn decode(mut bytes: &[u8]) -> Result<Self, Malformed> {
        let mut message = Self::default();
        while !bytes.is_empty() {
            let (number, value) = take_field(&mut bytes)?;
            message.merge(number, value)?;
        }
        Ok(message)
    }
}

fn take_field<'a>(bytes: &mut &'a [u8]) -> Result<(u32, Value<'a>), Malformed> {
    let key = take_varint(bytes)?;
    let number = u32::try_from(key >> 3).map_err(|_| Malformed)?;
    let value = match key & 7 {
        0 => Value::Varint(take_varint(bytes)?),
        1 => take(bytes, 8).map(|_| Value::Fixed)?,
        2 => {
            let length = usize::try_from(take_varint(bytes)?).map_err(|_| Malformed)?;
            Value::Bytes(take(bytes, length)?)
        }
        5 => take(bytes, 4).map(|_| Value::Fixed)?,
        _ => return Err(Malformed),
    };
    Ok((number, value))
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Result<&'a [u8], Malformed> {
    if length > bytes.len() {
        return Err(Malformed);
    }
    let (head, tail) = bytes.split_at(length);
    *bytes = tail;
    Ok(head)
}

fn take_varint(bytes: &mut &[u8]) -> Result<u64, Malformed> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = take(bytes, 1)?[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(Malformed)
}

fn varint(mut value: u64) -> ([u8; 10], usize) {
    let mut bytes = [0; 10];
    let mut length = 0;
    loop {
        bytes[length] = (value & 0x7f) as u8 | if value > 0x7f { 0x80 } else { 0 };
        length += 1;
        value >>= 7;
        if value == 0 {
            return (bytes, length);
        }
    }
}

fn put_varint(out: &mut Vec<u8>, value: u64) {
    let (bytes, length) = varint(value);
    out.extend_from_slice(&bytes[..length]);
}

fn put_number(out: &mut Vec<u8>, number: u32, value: u64) {
    put_varint(out, u64::from(number) << 3);
    put_varint(out, value);
}

pub fn put_u32(out: &mut Vec<u8>, number: u32, value: &u32) {
    put_number(out, number, u64::from(*value));
}

pub fn put_u64(out: &mut Vec<u8>, number: u32, value: &u64) {
    put_number(out, number, *value);
}

pub fn put_i32(out: &mut Vec<u8>, number: u32, value: &i32) {
    put_i64(out, number, &i64::from(*value));
}

pub fn put_i64(out: &mut Vec<u8>, number: u32, value: &i64) {
    put_number(out, number, ((value << 1) ^ (value >> 63)) as u64);
}

pub fn put_bool(out: &mut Vec<u8>, number: u32, value: &bool) {
    put_number(out, number, u64::from(*value));
}

pub fn put_string(out: &mut Vec<u8>, number: u32, value: &str) {
    put_bytes(out, number, value.as_bytes());
}

pub fn put_bytes(out: &mut Vec<u8>, number: u32, value: &[u8]) {
    put_varint(out, u64::from(number) << 3 | 2);
    put_varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

pub fn put_message<M: Message>(out: &mut Vec<u8>, number: u32, value: &M) {
    put_nested(out, number, |out| value.encode(out));
}

pub fn put_entry(out: &mut Vec<u8>, number: u32, (key, value): &(String, Vec<u8>)) {
    put_nested(out, number, |out| {
        put_string(out, 1, key);
        put_bytes(out, 2, value);
    });
}

fn put_nested(out: &mut Vec<u8>, number: u32, write: impl FnOnce(&mut Vec<u8>)) {
    put_varint(out, u64::from(number) << 3 | 2);
    let start = out.len();
    write(out);
    let (bytes, length) = varint((out.len() - start) as u64);
    out.splice(start..start, bytes[..length].iter().copied());
}

pub fn get_u64(value: Value<'_>) -> Result<u64, Malformed> {
    match value {
        Value::Varint(number) => Ok(number),
        _ => Err(Malformed),
    }
}

pub fn get_u32(value: Value<'_>) -> Result<u32, Malformed> {
    get_u64(value).map(|number| number as u32)
}

pub fn get_i64(value: Value<'_>) -> Result<i64, Malformed> {
    get_u64(value).map(|number| (number >> 1) as i64 ^ -((number & 1) as i64))
}

pub fn get_i32(value: Value<'_>) -> Result<i32, Malformed> {
    get_i64(value).map(|number| number as i32)
}

pub fn get_bool(value: Value<'_>) -> Result<bool, Malformed> {
    get_u64(value).map(|number| number != 0)
}

pub fn get_bytes(value: Value<'_>) -> Result<Vec<u8>, Malformed> {
    slice(value).map(<[u8]>::to_vec)
}

pub fn get_string(value: Value<'_>) -> Result<String, Malformed> {
    String::from_utf8(get_bytes(value)?).map_err(|_| Malformed)
}

pub fn get_message<M: Message>(value: Value<'_>) -> Result<M, Malformed> {
    M::decode(slice(value)?)
}

pub fn get_entry(value: Value<'_>) -> Result<(String, Vec<u8>), Malformed> {
    let mut bytes = slice(value)?;
    let mut entry = (String::new(), Vec::new());
    while !bytes.is_empty() {
        match take_field(&mut bytes)? {
            (1, value) => entry.0 = get_string(value)?,
            (2, value) => entry.1 = get_bytes(value)?,
            _ => {}
        }
    }
    Ok(entry)
}

fn slice(value: Value<'_>) -> Result<&[u8], Malformed> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        _ => Err(Malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{request, Exec, Exited, FileInfo, Pty, Reply, Request, SetAttr};

    #[test]
    fn a_record_comes_back_as_it_was() {
        let exec = Exec {
            id: "x".repeat(300),
            argv: vec![b"sh".to_vec(), vec![0xff, 0]],
            pty: Some(Pty { cols: 80, rows: 24, term: String::new() }),
            ..Exec::default()
        };
        let request = Request { op: Some(request::Op::Exec(exec)) };
        let mut bytes = Vec::new();
        request.encode(&mut bytes);
        assert_eq!(Request::decode(&bytes), Ok(request));
    }

    #[test]
    fn presence_signs_and_maps_are_kept() {
        let attr = SetAttr { mode: Some(0), mtime_ns: Some(-5), ..SetAttr::default() };
        let info = FileInfo { xattrs: vec![("user.a".into(), vec![1, 2])], mtime_ns: i64::MIN, ..FileInfo::default() };
        let exited = Exited { code: -1, ..Exited::default() };
        let (mut a, mut b, mut c) = (Vec::new(), Vec::new(), Vec::new());
        attr.encode(&mut a);
        info.encode(&mut b);
        exited.encode(&mut c);
        assert_eq!(SetAttr::decode(&a), Ok(attr));
        assert_eq!(FileInfo::decode(&b), Ok(info));
        assert_eq!(Exited::decode(&c), Ok(exited));
    }

    #[test]
    fn cut_or_overlong_bytes_are_malformed() {
        assert_eq!(Reply::decode(&[0x0a, 0x05, 1]), Err(Malformed));
        assert_eq!(Reply::decode(&[0x80; 11]), Err(Malformed));
        assert_eq!(Reply::decode(&[0x0b]), Err(Malformed));
    }
}
