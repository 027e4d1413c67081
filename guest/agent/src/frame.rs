// SPDX-License-Identifier: Apache-2.0
//! Frames of the channel: a 4-byte big-endian word, kind << 24 | length, then the bytes.

use crate::wire::Message;
use std::ops::Range;

pub const CONTROL: u8 = 0;
pub const STDIN: u8 = 1;
pub const STDOUT: u8 = 2;
pub const STDERR: u8 = 3;
pub const DATA: u8 = 4;
pub const END: u8 = 5;

pub const CONTROL_LIMIT: usize = 1 << 20;
pub const DATA_LIMIT: usize = 256 << 10;

/// The peer broke the framing.
#[derive(Debug, PartialEq, Eq)]
pub struct Broken;

pub fn header(kind: u8, length: usize) -> [u8; 4] {
    (u32::from(kind) << 24 | length as u32).to_be_bytes()
}

/// Kind and length, if they are allowed.
pub fn parse_header(bytes: [u8; 4]) -> Result<(u8, usize), Broken> {
    let word = u32::from_be_bytes(bytes);
    let (kind, length) = ((word >> 24) as u8, (word & 0xff_ffff) as usize);
    let limit = match kind {
        CONTROL => CONTROL_LIMIT,
        STDIN | STDOUT | STDERR | DATA => DATA_LIMIT,
        END => 0,
        _ => return Err(Broken),
    };
    if length > limit {
        return Err(Broken);
    }
    Ok((kind, length))
}

/// Appends a message as one CONTROL frame.
pub fn put_control<M: Message>(out: &mut Vec<u8>, message: &M) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    message.encode(out);
    let length = out.len() - start - 4;
    out[start..start + 4].copy_from_slice(&header(CONTROL, length));
}

/// What `Inbound::take` found; ranges are of `Inbound::bytes`.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// A whole control message.
    Control(Range<usize>),
    /// Some bytes of a data frame of this kind (frames may come in several parts).
    Bytes(u8, Range<usize>),
    End,
}

/// Bytes that came and were not yet used.
#[derive(Default)]
pub struct Inbound {
    bytes: Vec<u8>,
    at: usize,
    /// Of the data frame we are in: kind and bytes still to come.
    rest: Option<(u8, usize)>,
}

impl Inbound {
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.at == self.bytes.len() {
            self.bytes.clear();
            self.at = 0;
        } else if self.at > 0 {
            self.bytes.drain(..self.at);
            self.at = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    pub fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[range]
    }

    /// Undoes the taking of the last `count` bytes of the part just given.
    pub fn give_back(&mut self, kind: u8, count: usize) {
        self.at -= count;
        let rest = self.rest.map_or(0, |(_, rest)| rest);
        self.rest = Some((kind, rest + count));
    }

    /// True between two frames, with nothing of the next one here.
    pub fn is_empty(&self) -> bool {
        self.rest.is_none() && self.at == self.bytes.len()
    }

    /// The next whole control message or piece of data, None if more must come.
    pub fn take(&mut self) -> Result<Option<Part>, Broken> {
        let there = self.bytes.len() - self.at;
        if let Some((kind, rest)) = self.rest {
            let take = rest.min(there);
            if take == 0 {
                return Ok(None);
            }
            self.rest = (rest > take).then_some((kind, rest - take));
            self.at += take;
            return Ok(Some(Part::Bytes(kind, self.at - take..self.at)));
        }
        let Some(head) = self.bytes[self.at..].first_chunk_of_four() else { return Ok(None) };
        let (kind, length) = parse_header(head)?;
        match kind {
            CONTROL if there < 4 + length => Ok(None),
            CONTROL => {
                self.at += 4 + length;
                Ok(Some(Part::Control(self.at - length..self.at)))
            }
            END => {
                self.at += 4;
                Ok(Some(Part::End))
            }
            _ => {
                self.at += 4;
                self.rest = (length > 0).then_some((kind, length));
                self.take()
            }
        }
    }

    /// What is left, for somebody else to read on from (never called inside a data frame).
    pub fn into_rest(mut self) -> Vec<u8> {
        self.bytes.drain(..self.at);
        self.bytes
    }
}

trait FirstFour {
    fn first_chunk_of_four(&self) -> Option<[u8; 4]>;
}

impl FirstFour for [u8] {
    fn first_chunk_of_four(&self) -> Option<[u8; 4]> {
        self.get(..4)?.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_out_however_they_were_cut() {
        let mut stream = header(CONTROL, 3).to_vec();
        stream.extend(b"abc");
        stream.extend(header(STDIN, 4));
        stream.extend(b"1234");
        stream.extend(header(END, 0));
        for cut in 1..stream.len() {
            let mut inbound = Inbound::default();
            let (mut control, mut data, mut ends) = (vec![], vec![], 0);
            for piece in stream.chunks(cut) {
                inbound.feed(piece);
                while let Some(part) = inbound.take().unwrap() {
                    match part {
                        Part::Control(range) => control.extend_from_slice(inbound.bytes(range)),
                        Part::Bytes(kind, range) => {
                            assert_eq!(kind, STDIN);
                            data.extend_from_slice(inbound.bytes(range));
                        }
                        Part::End => ends += 1,
                    }
                }
            }
            assert_eq!((control.as_slice(), data.as_slice(), ends), (&b"abc"[..], &b"1234"[..], 1));
        }
    }

    #[test]
    fn bytes_given_back_come_again() {
        let mut inbound = Inbound::default();
        inbound.feed(&header(STDIN, 4));
        inbound.feed(b"1234");
        assert_eq!(inbound.take(), Ok(Some(Part::Bytes(STDIN, 4..8))));
        inbound.give_back(STDIN, 3);
        let Ok(Some(Part::Bytes(STDIN, range))) = inbound.take() else { panic!("no bytes") };
        assert_eq!(inbound.bytes(range), b"234");
        assert_eq!(inbound.take(), Ok(None));
    }

    #[test]
    fn unknown_kinds_and_overlong_frames_are_refused() {
        assert_eq!(parse_header([9, 0, 0, 0]), Err(Broken));
        assert_eq!(parse_header(header(DATA, DATA_LIMIT + 1)), Err(Broken));
        assert_eq!(parse_header(header(CONTROL, CONTROL_LIMIT + 1)), Err(Broken));
        assert_eq!(parse_header(header(END, 1)), Err(Broken));
    }
}
