//! The chunked transfer coding of HTTP, undone.
//!
//! A body of 64 MB may come in as many chunks as there are bytes, so a chunk must cost no more than its
//! bytes. Time is linear in the body, memory the bodies before and after.

use memchr::memchr;

/// A chunk whose size has more digits is taken for no chunk.
const MOST_DIGITS: usize = 15;

/// The chunks of a body put together, as far as they are sound, and whether they are all there: up to the last one,
/// which is empty. None if the body does not begin like a chunk.
pub fn join_chunks(body: &[u8]) -> Option<(Vec<u8>, bool)> {
    let (mut begin, mut size) = chunk_head(body, 0)?;
    let mut joined = Vec::with_capacity(body.len()); // more than enough, and what is not used is never touched
    while size > 0 {
        let end = begin.saturating_add(size);
        joined.extend_from_slice(&body[begin..end.min(body.len())]);
        match line_end(body, end).and_then(|next| chunk_head(body, next)) {
            Some(next) => (begin, size) = next,
            None => return Some((joined, false)),
        }
    }
    Some((joined, true))
}

/// Where the chunk begins whose line is at `at`, and its size: hexadecimal digits, white space around them, and what may
/// follow a semicolon.
fn chunk_head(body: &[u8], at: usize) -> Option<(usize, usize)> {
    let first = skip_blanks(body, at);
    let digits = body[first..].iter().take(MOST_DIGITS + 1).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let size = body[first..first + digits]
        .iter()
        .filter_map(|&byte| char::from(byte).to_digit(16))
        .fold(0_u64, |size, digit| size << 4 | u64::from(digit));
    let mut end = skip_blanks(body, first + digits);
    if digits == 0 || digits > MOST_DIGITS {
        return None;
    }
    if body.get(end) == Some(&b';') {
        end += memchr(b'\n', &body[end..])?;
    }
    Some((line_end(body, end)?, usize::try_from(size).unwrap_or(usize::MAX)))
}

fn skip_blanks(body: &[u8], at: usize) -> usize {
    at + body[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Behind the line end at `at`, if there is one.
fn line_end(body: &[u8], at: usize) -> Option<usize> {
    match body.get(at..)? {
        [b'\n', ..] => Some(at + 1),
        [b'\r', b'\n', ..] => Some(at + 2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases() {
        for (body, expected) in [
            (&b""[..], None),
            (b"<p>", None),
            (b"3", None),
            (b"3 x\nabc", None),
            (b"0\n", Some((&b""[..], true))),
            (b"3\r\nabc\r\n0\r\n\r\n", Some((b"abc", true))),
            (b" 0003 \t; a=b;\r\nabc\n2\nde\n0;x\n", Some((b"abcde", true))),
            (b"A\n0123456789\n00\r\nrest", Some((b"0123456789", true))),
            (b"3\nabc", Some((b"abc", false))),
            (b"3\nabcd\n0\n", Some((b"abc", false))),
            (b"3\nabc\n\n0\n", Some((b"abc", false))),
            (b"3\nabc\n3;never ends", Some((b"abc", false))),
            (b"7\nabc\n0\n", Some((b"abc\n0\n", false))),
            (b"3\n", Some((b"", false))),
            (b"fffffffffffffff\nabc", Some((b"abc", false))),
            (b"0000000000000003\nabc", None),
        ] {
            let found = join_chunks(body);
            assert_eq!(found.as_ref().map(|(joined, whole)| (&joined[..], *whole)), expected, "{body:?}");
        }
    }
}
