// SPDX-License-Identifier: Apache-2.0
//! What a command printed and the host has not yet said it holds: a ring of bytes with the stream that each came by.

use crate::sys;
use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::RawFd;

/// More changes of stream than this at once, and reading pauses: bookkeeping must stay small too.
const SEGMENTS: usize = 4096;
const FIRST_CAPACITY: usize = 4096;

struct Segment {
    end: u64,
    stream: u8,
}

/// Offsets count the bytes of both streams in the order in which they were read.
pub struct Output {
    ring: Vec<u8>,
    window: usize,
    acked: u64,
    produced: u64,
    segments: VecDeque<Segment>,
}

impl Output {
    pub fn new(window: usize) -> Self {
        Output { ring: Vec::new(), window, acked: 0, produced: 0, segments: VecDeque::new() }
    }

    pub fn acked(&self) -> u64 {
        self.acked
    }

    pub fn produced(&self) -> u64 {
        self.produced
    }

    fn held(&self) -> usize {
        (self.produced - self.acked) as usize
    }

    pub fn is_full(&self) -> bool {
        self.held() >= self.window || self.segments.len() >= SEGMENTS
    }

    /// Reads once from a pipe into the free part; 0 is end of file. Must not be full.
    pub fn read_from(&mut self, fd: RawFd, stream: u8, wanted: usize) -> io::Result<usize> {
        self.make_room(wanted);
        let (free, capacity) = (self.ring.len() - self.held(), self.ring.len());
        let start = self.index(self.produced);
        let first = free.min(capacity - start);
        let (head, tail) = self.ring.split_at_mut(start);
        let mut slices = [IoSliceMut::new(&mut tail[..first]), IoSliceMut::new(&mut head[..free - first])];
        let read = sys::read_into(fd, &mut slices)?;
        if read > 0 {
            self.produced += read as u64;
            match self.segments.back_mut() {
                Some(last) if last.stream == stream => last.end = self.produced,
                _ => self.segments.push_back(Segment { end: self.produced, stream }),
            }
        }
        Ok(read)
    }

    /// Where an offset lies in the ring (whose size is 0 or a power of two times the first, or the window).
    fn index(&self, offset: u64) -> usize {
        (offset % self.ring.len().max(1) as u64) as usize
    }

    fn make_room(&mut self, wanted: usize) {
        let needed = (self.held() + wanted.max(1)).min(self.window);
        if needed <= self.ring.len() {
            return;
        }
        let mut size = self.ring.len().max(FIRST_CAPACITY.min(self.window));
        while size < needed {
            size = (size * 2).min(self.window);
        }
        let mut grown = vec![0; size];
        let mut offset = self.acked;
        for piece in self.slices(self.acked, self.held()) {
            for part in piece.chunks(size) {
                // The piece may wrap in the new ring as well.
                let at = (offset % size as u64) as usize;
                let first = part.len().min(size - at);
                grown[at..at + first].copy_from_slice(&part[..first]);
                grown[..part.len() - first].copy_from_slice(&part[first..]);
                offset += part.len() as u64;
            }
        }
        self.ring = grown;
    }

    fn slices(&self, from: u64, length: usize) -> [&[u8]; 2] {
        let start = self.index(from);
        let first = length.min(self.ring.len() - start);
        [&self.ring[start..start + first], &self.ring[..length - first]]
    }

    /// Stream of the byte at `from` and how many bytes of it follow in a row.
    pub fn run(&self, from: u64) -> Option<(u8, usize)> {
        let at = self.segments.partition_point(|segment| segment.end <= from);
        self.segments.get(at).map(|segment| (segment.stream, (segment.end - from) as usize))
    }

    /// The bytes [from, from + length), which must be held, as up to two slices.
    pub fn bytes(&self, from: u64, length: usize) -> [IoSlice<'_>; 2] {
        let [first, second] = self.slices(from, length);
        [IoSlice::new(first), IoSlice::new(second)]
    }

    /// Everything below this offset is safe on the host.
    pub fn ack(&mut self, offset: u64) {
        self.acked = offset.clamp(self.acked, self.produced);
        while self.segments.front().is_some_and(|segment| segment.end <= self.acked) {
            self.segments.pop_front();
        }
    }

    /// Gives memory back when nothing is held.
    pub fn shrink(&mut self) {
        if self.held() == 0 {
            self.ring = Vec::new();
            self.segments = VecDeque::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{STDERR, STDOUT};
    use std::os::fd::AsRawFd;

    fn feed(output: &mut Output, stream: u8, bytes: &[u8]) -> usize {
        let (reader, writer) = sys::pipe().unwrap();
        sys::write(writer.as_raw_fd(), bytes).unwrap();
        output.read_from(reader.as_raw_fd(), stream, bytes.len()).unwrap()
    }

    fn text(output: &Output, from: u64, length: usize) -> Vec<u8> {
        output.bytes(from, length).iter().flat_map(|slice| slice.to_vec()).collect()
    }

    #[test]
    fn what_is_not_acknowledged_stays_while_the_ring_grows_and_wraps() {
        let mut output = Output::new(10_000);
        let source: Vec<u8> = (0..60_000u32).map(|i| (i % 251) as u8).collect();
        let mut fed = 0;
        while fed < source.len() {
            let end = (fed + 3000).min(source.len());
            fed += feed(&mut output, STDOUT, &source[fed..end]);
            let held = (output.produced() - output.acked()) as usize;
            let from = output.acked() as usize;
            assert_eq!(text(&output, from as u64, held), source[from..from + held]);
            if held > 7000 {
                output.ack(output.acked() + 4321);
            }
        }
    }

    #[test]
    fn a_window_that_is_full_takes_no_more() {
        let mut output = Output::new(100);
        assert_eq!(feed(&mut output, STDOUT, &[7; 150]), 100);
        assert!(output.is_full());
        output.ack(1);
        assert_eq!(feed(&mut output, STDERR, &[8; 150]), 1);
    }

    #[test]
    fn streams_are_told_apart_and_joined_in_runs() {
        let mut output = Output::new(100);
        feed(&mut output, STDOUT, b"ab");
        feed(&mut output, STDOUT, b"cd");
        feed(&mut output, STDERR, b"e");
        assert_eq!(output.run(1), Some((STDOUT, 3)));
        assert_eq!(output.run(4), Some((STDERR, 1)));
        assert_eq!(output.run(5), None);
        output.ack(4);
        assert_eq!(output.run(4), Some((STDERR, 1)));
    }
}
