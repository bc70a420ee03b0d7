//! Near-duplicates by shingles: documents that share two of six super-fingerprints (Broder et al.; Fetterly, Manasse,
//! Najork), or any other number of any other.
//!
//! A document lies in the bucket of each combination of so many of its super-fingerprints: in fifteen, for two of six.
//! Two documents share so many if and only if they meet in a bucket.

use crate::text::fingerprint::Fingerprinter;

/// Calls `each` with the buckets of a document: a fingerprint for each combination of `agree` super-fingerprints, and of
/// their places among all.
pub fn combine(supers: &[u64], agree: usize, mut each: impl FnMut(u64)) {
    let print = Fingerprinter::plain();
    let mut places: Vec<usize> = (0..agree).collect();
    let mut bytes = Vec::with_capacity(8 * (agree + 1));
    while agree > 0 && agree <= supers.len() {
        // The number of the combination, in as few bytes as it needs: one, for two of six.
        let number =
            places.iter().fold(0_u64, |number, &place| number.wrapping_mul(supers.len() as u64) + place as u64);
        let needed = (8 - number.leading_zeros() as usize / 8).max(1);
        bytes.clear();
        bytes.extend_from_slice(&number.to_le_bytes()[..needed]);
        places.iter().for_each(|&place| bytes.extend_from_slice(&supers[place].to_le_bytes()));
        each(print.bytes(&bytes));
        let Some(next) = (0..agree).rev().find(|&at| places[at] + (agree - at) < supers.len()) else { return };
        places[next] += 1;
        (next + 1..agree).for_each(|at| places[at] = places[at - 1] + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn buckets(supers: &[u64], agree: usize) -> HashSet<u64> {
        let mut found = HashSet::new();
        combine(supers, agree, |bucket| assert!(found.insert(bucket)));
        found
    }

    #[test]
    fn any_number_of_any_other() {
        let supers: Vec<u64> = (1..=9).collect();
        for (agree, combinations) in [(0, 0), (1, 9), (2, 36), (3, 84), (8, 9), (9, 1), (10, 0)] {
            assert_eq!(buckets(&supers, agree).len(), combinations, "{agree}");
        }
        let (one, other) = (buckets(&supers, 3), buckets(&[1, 0, 3, 4, 0, 0, 0, 0, 0], 3));
        assert_eq!(one.intersection(&other).count(), 1);
    }

    #[test]
    fn two_of_six_is_one_bucket() {
        let buckets = |supers: [u64; 6]| buckets(&supers, 2);
        let one = buckets([1, 2, 3, 4, 5, 6]);
        assert_eq!(one.len(), 15);
        for (other, common) in [
            ([1, 2, 3, 4, 5, 6], 15),
            ([1, 2, 3, 0, 0, 0], 3),
            ([0, 2, 0, 0, 5, 0], 1),
            ([0, 0, 3, 0, 0, 0], 0),
            ([2, 1, 4, 3, 6, 5], 0), // the same values, in other places
        ] {
            assert_eq!(one.intersection(&buckets(other)).count(), common, "{other:?}");
        }
    }
}
