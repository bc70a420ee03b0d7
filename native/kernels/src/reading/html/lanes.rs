//! Finds bytes by looking at eight at a time, without a call and without a branch for each byte: for bytes that are
//! mostly found soon.
//!
//! A marked lane has its highest bit set. Only the first mark of a word is reliable: a subtraction there may borrow
//! from the lanes behind it, and mark them wrongly.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The eight bytes from `at` on, if there are so many.
#[inline]
pub fn load(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

/// Marks the lanes that hold less than `bound`, which is at most 128.
#[inline]
pub fn below(lanes: u64, bound: u8) -> u64 {
    lanes.wrapping_sub(ONES * u64::from(bound)) & !lanes & HIGHS
}

/// Marks the lanes that hold this byte.
#[inline]
pub fn equal(lanes: u64, byte: u8) -> u64 {
    below(lanes ^ (ONES * u64::from(byte)), 1)
}

/// Marks the lanes that hold this byte, or one that differs from it in the bits of `ignored` only.
#[inline]
pub fn similar(lanes: u64, byte: u8, ignored: u8) -> u64 {
    equal(lanes & !(ONES * u64::from(ignored)), byte & !ignored)
}

/// Marks the lanes that are not ASCII.
#[inline]
pub fn beyond_ascii(lanes: u64) -> u64 {
    lanes & HIGHS
}

/// The number of the first marked lane; 8 if there is none.
#[inline]
pub fn first(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

/// Where `byte` is found first, from `at` on.
#[inline(always)]
pub fn find(byte: u8, bytes: &[u8], mut at: usize) -> Option<usize> {
    for _ in 0..4 {
        let Some(lanes) = load(bytes, at) else { break };
        let found = first(equal(lanes, byte));
        if found < 8 {
            return Some(at + found);
        }
        at += 8;
    }
    memchr::memchr(byte, &bytes[at..]).map(|length| at + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_wherever_they_are() {
        for length in 0..60 {
            for place in 0..length {
                let mut bytes = vec![b'<' ^ 1; length];
                bytes[place] = b'<';
                assert_eq!(find(b'<', &bytes, 0), Some(place));
                assert_eq!(find(b'<', &bytes, place), Some(place));
                assert_eq!(find(b'<', &bytes, place + 1), None);
            }
        }
    }

    #[test]
    fn the_first_mark_is_right() {
        let word = |byte: u8, place: usize| (ONES * 0x7f) ^ (u64::from(byte ^ 0x7f) << (8 * place));
        for byte in 0..=255 {
            for place in 0..8 {
                let at = |marked| if marked { place } else { 8 };
                let lanes = word(byte, place);
                assert_eq!(first(below(lanes, 0x20)), at(byte < 0x20), "{byte}");
                assert_eq!(first(equal(lanes, b'&')), at(byte == b'&'), "{byte}");
                assert_eq!(first(similar(lanes, b'<', 3)), at(matches!(byte, b'<'..=b'?')), "{byte}");
                assert_eq!(first(beyond_ascii(lanes)), at(byte >= 0x80), "{byte}");
            }
        }
    }
}
