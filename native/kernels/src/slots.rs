//! Where the search for a fingerprint begins in an open-addressing table.
//!
//! Plain fingerprints are no secret, so a page can be written whose grams all have the same leading bits. In a table that
//! goes by these, each of its grams would be looked for past all others: 100,000 of them in seconds, not milliseconds.
//! So they are mixed with numbers that nobody knows, other ones in each process; no result depends on them.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use crate::fingerprint::fold_multiply;

type Secret = (u64, u64);

static SECRET: OnceLock<Secret> = OnceLock::new();

/// The first slot to look at, of `slots`, which is a power of two and at least two.
#[inline]
pub fn home(fingerprint: u64, slots: usize) -> usize {
    let secret = SECRET.get_or_init(|| (RandomState::new().hash_one(0), RandomState::new().hash_one(1) | 1));
    mixed_home(fingerprint, slots, *secret)
}

#[inline]
fn mixed_home(fingerprint: u64, slots: usize, (mask, factor): Secret) -> usize {
    (fold_multiply(fingerprint ^ mask, factor) >> (64 - slots.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_spread_whatever_they_have_in_common() {
        const COUNT: u64 = 1 << 16;
        const SLOTS: usize = 1 << 17;
        const SECRET: Secret = (0x0123_4567_89ab_cdef, 0x9e37_79b9_7f4a_7c15);
        let shapes: [fn(u64) -> u64; 5] = [|i| i, |i| i << 20, |i| i << 47 | 12345, |i| 0xabcd_ef00_0000_0000 | i << 8, |i| i * i];
        for same in shapes {
            let mut slots = vec![0; SLOTS];
            let mut steps = 0;
            for value in (1..=COUNT).map(same) {
                let mut slot = mixed_home(value, SLOTS, SECRET);
                while slots[slot % SLOTS] != 0 {
                    slot += 1;
                    steps += 1;
                }
                slots[slot % SLOTS] = value;
            }
            assert!(steps <= COUNT, "{steps} steps");
        }
    }
}
