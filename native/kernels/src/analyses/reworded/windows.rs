//! The stems of the words around a window, small enough to travel with its keys.
//!
//! Documents that share a key are many, and few of them have a passage in common. Those are told apart where the key
//! brings them together, by what their windows share besides: two bytes of each stem say enough for that.

use crate::alignment::fit::fixed;
use crate::alignment::rules::AlignmentRules;

/// A stem of a window: the first 13 bits of its fingerprint, and what it weighs in half nats, less one. Of two windows of
/// 25 stems each, one pair in twenty or so seems to share one more than it does.
pub type NotedStem = u16;
/// One that weighs too little to be noted.
pub const NO_STEM: NotedStem = 0;

const WEIGHT_BITS: u32 = 3;
const WEIGHT: NotedStem = (1 << WEIGHT_BITS) - 1;
/// In units of 2^-16 nats.
const HALF_NAT: i64 = 1 << 15;

/// Notes a stem of this weight, in units of 2^-16 nats.
#[inline]
pub fn note(stem: u64, weight: i64) -> NotedStem {
    if weight < fixed(AlignmentRules::DEFAULT.least_weight) {
        return NO_STEM;
    }
    let halves = (weight + HALF_NAT / 2) / HALF_NAT; // from 2 to 8
    (stem >> (48 + WEIGHT_BITS) << WEIGHT_BITS) as NotedStem | (halves - 1) as NotedStem
}

/// A set of stems: a bit for each that there can be, 8 KiB in all, so that it stays in the first-level cache.
struct StemSet(Box<[u64; 1 << (NotedStem::BITS - 6)]>);

impl Default for StemSet {
    fn default() -> Self {
        Self(Box::new([0; _]))
    }
}

impl StemSet {
    #[inline]
    fn has(&self, stem: NotedStem) -> bool {
        self.0[usize::from(stem / 64)] >> (stem % 64) & 1 != 0
    }

    #[inline]
    fn add(&mut self, stem: NotedStem) {
        self.0[usize::from(stem / 64)] |= 1 << (stem % 64);
    }

    /// Leaves an empty set, if it has these stems only.
    fn clear(&mut self, stems: impl Iterator<Item = NotedStem>) {
        stems.for_each(|stem| self.0[usize::from(stem / 64)] = 0);
    }
}

/// Packs the stems of windows; keeps its buffers.
#[derive(Default)]
pub struct WindowPacker {
    seen: StemSet,
    bytes: Vec<u8>,
}

impl WindowPacker {
    /// The stems of a window, each once, in the order in which they come.
    pub fn pack(&mut self, words: &[NotedStem]) -> &[u8] {
        let Self { seen, bytes } = self;
        bytes.resize(2 * words.len(), 0);
        let mut end = 0;
        seen.add(NO_STEM);
        for &stem in words {
            bytes[end..end + 2].copy_from_slice(&stem.to_be_bytes());
            end += 2 * usize::from(!seen.has(stem)); // in place of a branch that no processor foretells
            seen.add(stem);
        }
        seen.clear(words.iter().copied().chain([NO_STEM]));
        &bytes[..end]
    }
}

/// Compares a window with others; keeps its buffer.
#[derive(Default)]
pub struct WindowComparer {
    stems: StemSet,
}

impl WindowComparer {
    /// Calls `compare(shared)`, which may ask for any other window what the stems weigh that this one shares with it, in
    /// units of 2^-16 nats.
    pub fn with<T>(&mut self, window: &[u8], compare: impl FnOnce(&dyn Fn(&[u8]) -> u64) -> T) -> T {
        unpack(window).for_each(|stem| self.stems.add(stem));
        let weight = |stem: NotedStem| u64::from(self.stems.has(stem)) * (u64::from(stem & WEIGHT) + 1);
        let found = compare(&|other| unpack(other).map(weight).sum::<u64>() * HALF_NAT as u64);
        self.stems.clear(unpack(window));
        found
    }
}

fn unpack(bytes: &[u8]) -> impl Iterator<Item = NotedStem> + '_ {
    bytes.as_chunks().0.iter().map(|&stem| NotedStem::from_be_bytes(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_stems_count_for_what_they_weigh() {
        let stem = |bits: u64, nats: f64| note(bits << 51, fixed(nats));
        let mut packer = WindowPacker::default();
        let mut packed = |words: &[NotedStem]| packer.pack(words).to_vec();
        let one = packed(&[stem(9, 4.0), stem(3, 1.0), stem(9, 4.0), stem(8191, 2.3), stem(5, 0.9)]);
        assert_eq!(one.len(), 2 * 3);
        let other = packed(&[stem(8191, 2.3), stem(9, 4.0), stem(4, 1.0), stem(5, 0.9)]);
        let nothing = packed(&[]);
        let mut comparer = WindowComparer::default();
        let mut compare = |one: &[u8]| {
            let shared = comparer.with(one, |shared| [one, &other, &nothing].map(shared));
            shared.map(|units| units as f64 / f64::from(1 << 16))
        };
        assert_eq!(compare(&one), [7.5, 6.5, 0.0]);
        assert_eq!(compare(&nothing), [0.0; 3]);
        assert_eq!(compare(&packed(&[stem(4, 1.0)])), [1.0, 1.0, 0.0]);
    }
}
