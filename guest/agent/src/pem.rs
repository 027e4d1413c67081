// SPDX-License-Identifier: Apache-2.0
//! Certificates in PEM.

const BEGIN: &[u8] = b"-----BEGIN CERTIFICATE-----";
const END: &[u8] = b"-----END CERTIFICATE-----";

/// What is between the marks, in order; a block that is none is left out.
pub fn certificates(text: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(begin) = position(rest, BEGIN) {
        rest = &rest[begin + BEGIN.len()..];
        let Some(end) = position(rest, END) else { break };
        found.extend(decoded(&rest[..end]));
        rest = &rest[end + END.len()..];
    }
    found
}

/// The same with their marks, each to the end of its line.
pub fn blocks(text: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(begin) = position(rest, BEGIN) {
        rest = &rest[begin..];
        let Some(end) = position(rest, END) else { break };
        let end = end + END.len() + usize::from(rest.get(end + END.len()) == Some(&b'\n'));
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

pub fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut held = 0u32;
    let mut bits = 0;
    for &c in text.iter().filter(|c| !c.is_ascii_whitespace() && **c != b'=') {
        let six = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = (held << 6 | u32::from(six)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xff) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::certificates;

    #[test]
    fn blocks_are_read_and_what_is_none_is_left_out() {
        let text = b"# x\n-----BEGIN CERTIFICATE-----\nTWFu\nTWE=\n-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\nTQ==\n-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\nTQ";
        assert_eq!(certificates(text), [b"ManMa".to_vec(), b"M".to_vec()]);
        assert!(certificates(b"").is_empty());
    }
}
