//! Where chunks and code points lie in the bytes of a text.

/// Begin and end of chunks as the corpus has them: 32-bit integers, two of them for each chunk.
pub fn spans(packed: &[u8]) -> impl Iterator<Item = (usize, usize)> + '_ {
    packed.as_chunks::<8>().0.iter().map(|pair| {
        let number = u64::from_le_bytes(*pair);
        ((number & 0xffff_ffff) as usize, (number >> 32) as usize)
    })
}

/// How many code points these bytes of UTF-8 begin.
#[inline]
pub fn count_points(utf8: &[u8]) -> usize {
    utf8.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

/// Bytes that are counted together.
const BLOCK: usize = 64;

/// Where code points are in the bytes of a text, asked for in ascending order.
pub struct PointPlaces<'a> {
    text: &'a str,
    even: bool,
    point: usize,
    byte: usize,
}

impl<'a> PointPlaces<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, even: text.is_ascii(), point: 0, byte: 0 }
    }

    /// The byte at which the code point of this number begins. None beyond the end, and for a place that was passed.
    pub fn find(&mut self, point: usize) -> Option<usize> {
        if self.even {
            return (point <= self.text.len()).then_some(point);
        }
        let mut more = point.checked_sub(self.point)?;
        let mut rest = &self.text.as_bytes()[self.byte..];
        // Blocks that begin no more points than are left are passed over as a whole.
        while let Some((block, behind)) = rest.split_first_chunk::<BLOCK>() {
            let begun = count_points(block);
            if begun > more {
                break;
            }
            (more, rest) = (more - begun, behind);
        }
        let mut begins = (0..rest.len()).filter(|&at| rest[at] & 0xc0 != 0x80);
        let at = begins.nth(more).or_else(|| (count_points(rest) == more).then_some(rest.len()))?;
        (self.point, self.byte) = (point, self.text.len() - rest.len() + at);
        Some(self.byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_characters() {
        let unit = "aé二😀 plain words of some length, so that there are blocks of one byte a point; ";
        let text = unit.repeat(20) + "é";
        let all: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        for step in [1, 2, 7, 63, 64, 65, 130] {
            let mut places = PointPlaces::new(&text);
            for point in (0..all.len()).step_by(step) {
                assert_eq!(places.find(point), Some(all[point]), "{point} by {step}");
                assert_eq!(places.find(point), Some(all[point]));
            }
            assert_eq!(places.find(all.len() - 1), Some(text.len()));
            assert_eq!(places.find(all.len()), None);
            assert_eq!(places.find(0), None);
        }
        assert_eq!(PointPlaces::new("").find(0), Some(0));
        assert_eq!(PointPlaces::new("é").find(2), None);
    }
}
