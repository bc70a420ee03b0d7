//! Near-duplicates by shingles: documents that share two of six super-fingerprints (Broder et al.; Fetterly, Manasse, Najork).
//!
//! A document lies in the fifteen buckets of its pairs of super-fingerprints: two documents share two of six if and only
//! if they meet in a bucket.

use crate::sketches::minwise::SUPERS;
use crate::text::fingerprint::Fingerprinter;

/// The buckets of a document: a fingerprint for each pair of super-fingerprints and of their places among the six.
pub fn pairs(supers: &[u64; SUPERS]) -> impl Iterator<Item = u64> + '_ {
    let print = Fingerprinter::plain();
    let places = (0..SUPERS).flat_map(|first| (first + 1..SUPERS).map(move |second| (first, second)));
    places.map(move |(first, second)| {
        let mut bytes = [0; 17];
        bytes[0] = (first * SUPERS + second) as u8;
        bytes[1..9].copy_from_slice(&supers[first].to_le_bytes());
        bytes[9..].copy_from_slice(&supers[second].to_le_bytes());
        print.bytes(&bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn two_of_six_is_one_bucket() {
        let buckets = |supers: [u64; SUPERS]| pairs(&supers).collect::<HashSet<_>>();
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
