//! Greedy set cover with weights, the lazy way.
//!
//! Elements are classes of grams with the same candidate sources, weighted by how many they are. Each round takes the
//! candidate that covers the most uncovered weight; ties go to the larger total weight, then to the lower document.
//! Gains only fall, so a heap of upper bounds suffices: the top is taken if its bound still holds, else put back with
//! what is left of it. Every (element, candidate) pair is touched once when the element is covered, and lowers a bound
//! at most once: O((pairs + candidates) · log candidates), for a million candidates too.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// A source picked for the cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    pub source: u32,
    /// Weight that no earlier pick covers.
    pub new: u64,
    /// Weight of all elements it is a candidate for.
    pub all: u64,
}

/// Elements to cover and their candidates.
#[derive(Default)]
pub struct Cover {
    weights: Vec<u64>,
    /// Candidates of element e, by number: `members[ends[e - 1]..ends[e]]`.
    members: Vec<u32>,
    ends: Vec<usize>,
    numbers: HashMap<u32, u32, BuildHasherDefault<Multiply>>,
    sources: Vec<u32>,
}

impl Cover {
    const KEPT: usize = 1 << 12;

    pub fn clear(&mut self) {
        self.weights.clear();
        self.members.clear();
        self.ends.clear();
        self.sources.clear();
        // Clearing costs by capacity: after a page with a million candidates, every later page would pay for it.
        if self.numbers.capacity() > Self::KEPT {
            self.numbers = HashMap::default();
        } else {
            self.numbers.clear();
        }
    }

    /// Adds an element of this weight with these candidates, each named once.
    pub fn add(&mut self, weight: u64, candidates: impl IntoIterator<Item = u32>) {
        let before = self.members.len();
        for source in candidates {
            let number = *self.numbers.entry(source).or_insert_with(|| {
                self.sources.push(source);
                self.sources.len() as u32 - 1
            });
            self.members.push(number);
        }
        if self.members.len() > before {
            self.weights.push(weight);
            self.ends.push(self.members.len());
        }
    }

    /// No cover has more picks: each newly covers an element, and none is picked twice.
    pub fn most_picks(&self) -> usize {
        self.weights.len().min(self.sources.len())
    }

    fn candidates(&self, element: usize) -> &[u32] {
        let begin = element.checked_sub(1).map_or(0, |previous| self.ends[previous]);
        &self.members[begin..self.ends[element]]
    }

    /// The picks in order, as long as each newly covers at least the share `least` of `total`.
    pub fn greedy(&self, least: f64, total: u64) -> Vec<Pick> {
        let (elements_of, ends) = self.elements_by_candidate();
        let mut all = vec![0_u64; self.sources.len()];
        for (element, &weight) in self.weights.iter().enumerate() {
            self.candidates(element).iter().for_each(|&candidate| all[candidate as usize] += weight);
        }
        let mut gains = all.clone();
        let mut covered = vec![false; self.weights.len()];
        let rank = |candidate: usize, gain: u64| (gain, all[candidate], Reverse(self.sources[candidate]), candidate);
        let mut heap: BinaryHeap<_> = (0..all.len()).map(|candidate| rank(candidate, all[candidate])).collect();
        let mut picks = Vec::new();
        while let Some((bound, _, _, candidate)) = heap.pop() {
            let gain = gains[candidate];
            if gain == 0 {
                continue;
            }
            if gain < bound {
                heap.push(rank(candidate, gain));
                continue;
            }
            if (gain as f64 / total as f64) < least {
                break;
            }
            picks.push(Pick { source: self.sources[candidate], new: gain, all: all[candidate] });
            for &element in &elements_of[ends[candidate]..ends[candidate + 1]] {
                let element = element as usize;
                if !std::mem::replace(&mut covered[element], true) {
                    let weight = self.weights[element];
                    self.candidates(element).iter().for_each(|&other| gains[other as usize] -= weight);
                }
            }
        }
        picks
    }

    /// The elements of each candidate, one after the other, and where each candidate's begin.
    fn elements_by_candidate(&self) -> (Vec<u32>, Vec<usize>) {
        let mut places = vec![0; self.sources.len() + 1];
        self.members.iter().for_each(|&candidate| places[candidate as usize + 1] += 1);
        for candidate in 1..places.len() {
            places[candidate] += places[candidate - 1];
        }
        let ends = places.clone();
        let mut elements = vec![0; self.members.len()];
        for element in 0..self.weights.len() {
            for &candidate in self.candidates(element) {
                elements[places[candidate as usize]] = element as u32;
                places[candidate as usize] += 1;
            }
        }
        (elements, ends)
    }
}

/// Hash of numbers that are ours, such as documents, or of fingerprints: one multiplication each.
#[derive(Default)]
pub struct Multiply(u64);

impl Hasher for Multiply {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(u32::from(byte)));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picks(elements: &[(u64, &[u32])], least: f64) -> Vec<(u32, u64, u64)> {
        let mut cover = Cover::default();
        elements.iter().for_each(|(weight, candidates)| cover.add(*weight, candidates.iter().copied()));
        cover.greedy(least, 10).iter().map(|pick| (pick.source, pick.new, pick.all)).collect()
    }

    #[test]
    fn greedy_order_and_ties() {
        assert_eq!(picks(&[], 0.0), []);
        assert_eq!(picks(&[(3, &[])], 0.0), []);
        assert_eq!(picks(&[(1, &[9, 4])], 0.0), [(4, 1, 1)]);
        assert_eq!(picks(&[(2, &[1]), (3, &[2]), (1, &[1, 2])], 0.0), [(2, 4, 4), (1, 2, 3)]);
        // After 7 took the first element, 1 and 2 both add two; 2 has more in all.
        assert_eq!(picks(&[(9, &[7, 2]), (2, &[1]), (2, &[2]), (5, &[7])], 0.0), [(7, 14, 14), (2, 2, 11), (1, 2, 2)]);
    }

    #[test]
    fn least_ends_the_cover() {
        assert_eq!(picks(&[(5, &[1]), (2, &[2]), (1, &[3])], 0.2), [(1, 5, 5), (2, 2, 2)]);
        let mut cover = Cover::default();
        cover.add(7, [1]);
        assert_eq!(cover.greedy(0.07, 100).len(), 1); // 7 of 100 is 0.07, though 0.07 * 100 is above 7
    }

    #[test]
    fn a_million_candidates() {
        let mut cover = Cover::default();
        (0..1_000_000).for_each(|source| cover.add(1, [source, (source + 1) % 1_000_000]));
        assert!(cover.greedy(0.0, 1).len() >= 500_000);
        cover.clear();
        assert!(cover.numbers.capacity() <= Cover::KEPT);
    }
}
