//! Where the search for a fingerprint begins in an open-addressing table.
//!
//! Plain fingerprints are no secret, so a page can be written whose grams all have the same leading bits. In a table that
//! goes by these, each of its grams would be looked for past all others: 100,000 of them in seconds, not milliseconds.
//! So the leading bits are those of a product with a number that nobody knows, another one in each process; no result
//! depends on it.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

static SECRET: OnceLock<u64> = OnceLock::new();

/// The first slot to look at, of `slots`, which is a power of two and at least two.
#[inline]
pub fn home(fingerprint: u64, slots: usize) -> usize {
    home_by(*SECRET.get_or_init(|| RandomState::new().hash_one(0) | 1), fingerprint, slots)
}

#[inline]
fn home_by(secret: u64, fingerprint: u64, slots: usize) -> usize {
    (fingerprint.wrapping_mul(secret) >> (64 - slots.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_spread_whatever_they_have_in_common() {
        const COUNT: u64 = 1 << 16;
        const SLOTS: usize = 1 << 17;
        let shapes: [fn(u64) -> u64; 5] =
            [|i| i, |i| i << 20, |i| i << 47 | 12345, |i| 0xabcd_ef00_0000_0000 | i << 8, |i| i * i];
        for shape in shapes {
            let mut slots = vec![0; SLOTS];
            let mut steps = 0;
            for value in (1..=COUNT).map(shape) {
                let mut slot = home_by(0x2545_f491_4f6c_dd1d, value, SLOTS);
                while slots[slot % SLOTS] != 0 {
                    slot += 1;
                    steps += 1;
                }
                slots[slot % SLOTS] = value;
            }
            assert!(steps <= 32 * COUNT, "{steps} steps");
        }
    }
}
