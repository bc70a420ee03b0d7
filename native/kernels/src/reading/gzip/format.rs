//! What stands around the data of a member: its header and its trailer.

use memchr::memchr;
use zlib_rs::crc32::crc32;

pub const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
const CHECKED: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAMES: [u8; 2] = [1 << 3, 1 << 4];
const RESERVED: u8 = 0xe0;

/// The longest file name or comment of a header: as long as a path can be.
const NAME: usize = 1 << 12;
/// The longest header.
pub const HEADER: usize = 10 + 2 + 0xffff + 2 * NAME + 2;

/// The length of the header that these bytes begin with, None if they end before it does, or why it is none.
pub fn header(bytes: &[u8]) -> Result<Option<usize>, &'static str> {
    let Some(Span { end, checked }) = span(bytes)? else { return Ok(None) };
    if checked && bytes[end - 2..end] != (crc32(0, &bytes[..end - 2]) as u16).to_le_bytes() {
        return Err("checksum of a gzip header does not match");
    }
    Ok(Some(end))
}

/// How long a header is, and whether it has a checksum, which has not been looked at.
pub struct Span {
    pub end: usize,
    pub checked: bool,
}

/// The same without the checksum of the header, which costs more than the rest.
pub fn span(bytes: &[u8]) -> Result<Option<Span>, &'static str> {
    if bytes.iter().zip(MAGIC).any(|(&byte, magic)| byte != magic) {
        return Err("no gzip header");
    }
    let Some(&flags) = bytes.get(3) else { return Ok(None) };
    if flags & RESERVED != 0 {
        return Err("unknown flags in a gzip header");
    }
    let mut end = 10;
    if flags & EXTRA != 0 {
        let Some(&[low, high]) = bytes.get(end..end + 2) else { return Ok(None) };
        end += 2 + usize::from(u16::from_le_bytes([low, high]));
    }
    for _ in NAMES.iter().filter(|&&flag| flags & flag != 0) {
        let Some(rest) = bytes.get(end..) else { return Ok(None) };
        match memchr(0, &rest[..rest.len().min(NAME)]) {
            Some(length) => end += length + 1,
            None if rest.len() < NAME => return Ok(None),
            None => return Err("name or comment of a gzip header too long"),
        }
    }
    let checked = flags & CHECKED != 0;
    end += if checked { 2 } else { 0 };
    Ok((end <= bytes.len()).then_some(Span { end, checked }))
}

/// The sum of what was decoded, as the trailer of a member has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    pub crc: u32,
    pub length: u32,
}

impl Sum {
    pub fn add(&mut self, bytes: &[u8]) {
        self.crc = crc32(self.crc, bytes);
        self.length = self.length.wrapping_add(bytes.len() as u32);
    }

    /// What is wrong with a trailer, if anything.
    pub fn mismatch(&self, trailer: &[u8; 8]) -> Option<&'static str> {
        if trailer[..4] != self.crc.to_le_bytes() {
            return Some("checksum does not match");
        }
        (trailer[4..] != self.length.to_le_bytes()).then_some("length does not match")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIXED: [u8; 9] = [0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 0];

    fn with(flags: u8, fields: &[u8]) -> Vec<u8> {
        let mut bytes = FIXED.to_vec();
        bytes[3] = flags;
        bytes.push(3);
        bytes.extend_from_slice(fields);
        bytes
    }

    #[test]
    fn headers() {
        let mut checked = with(CHECKED | EXTRA, b"\x03\0abc");
        let crc = crc32(0, &checked) as u16;
        checked.extend_from_slice(&crc.to_le_bytes());
        let whole = [with(0, b""), with(EXTRA, b"\0\0"), with(8, b"name\0"), with(24, b"\0comment\0"), checked];
        for header in &whole {
            for end in 0..header.len() {
                assert_eq!(super::header(&header[..end]), Ok(None));
            }
            assert_eq!(super::header(&[header, &b"data"[..]].concat()), Ok(Some(header.len())));
        }
    }

    #[test]
    fn no_headers() {
        for bytes in [b"x".to_vec(), vec![0x1f, 0x8b, 7], with(0x20, b""), with(CHECKED, b"\0\0"), with(8, &[1; NAME])]
        {
            assert!(header(&bytes).is_err());
        }
        assert_eq!(header(&with(8, &[1; NAME - 1])), Ok(None));
    }

    #[test]
    fn trailers() {
        let mut sum = Sum::default();
        sum.add(b"one ");
        sum.add(b"two");
        let mut trailer = [0; 8];
        trailer[..4].copy_from_slice(&crc32(0, b"one two").to_le_bytes());
        trailer[4] = 7;
        assert_eq!(sum.mismatch(&trailer), None);
        trailer[7] = 1;
        assert_eq!(sum.mismatch(&trailer), Some("length does not match"));
        trailer[0] ^= 1;
        assert_eq!(sum.mismatch(&trailer), Some("checksum does not match"));
    }
}
