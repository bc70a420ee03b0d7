//! Greedy set cover with weights, the lazy way.
//!
//! An element is a set of grams that have the same candidate sources; its weight is how many they are. Each round takes
//! the candidate that covers the most uncovered weight; ties go to the larger total weight, then to the lower document.
//! The first picks cover the most, so they are made by looking at everything, which needs no preparation. For the rest,
//! gains only fall, so a heap of upper bounds suffices: the top is taken if its bound still holds, else put back with
//! the gain that it has left. Every (element, candidate) pair is touched once when the element is covered, and lowers a
//! bound at most once: O((pairs + candidates) · log candidates), for a million candidates too.
//!
//! Candidates come in tiers: one of a later tier is picked only when none of an earlier one covers enough. In `phrases` the
//! first two are foreign documents, of which some may be preferred, and the others those on the document's own site, in `quilts` those that are stitched together themselves, and the third
//! lists of pages of their own site. Of these, the one with the most would stand for several pieces that were put together
//! there, too. So `quilts` may ask for *witnesses* of single pieces ([`Cover::greedy_with_witnesses`]): of the heaviest
//! element the candidate with the least weight in all.
//!
//! More elements can be added after a cover was found, for the next one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::hash::BuildHasherDefault;

use crate::text::slots::Multiply;

/// Which candidates are picked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    First,
    Second,
    Third,
    Fourth,
}

impl Tier {
    const ALL: [Self; 4] = [Self::First, Self::Second, Self::Third, Self::Fourth];
}

/// Whether it is foreign.
impl From<bool> for Tier {
    fn from(foreign: bool) -> Self {
        if foreign {
            Self::First
        } else {
            Self::Second
        }
    }
}

/// A source picked for the cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    pub source: u32,
    /// Weight that no earlier pick covers.
    pub new: u64,
    /// Weight of all elements it is a candidate for.
    pub all: u64,
    pub tier: Tier,
}

impl Pick {
    /// Whether it is of the first tier: in `quilts`, not stitched together itself.
    pub fn is_first(&self) -> bool {
        self.tier == Tier::First
    }
}

/// Elements to cover and their candidates.
#[derive(Default)]
pub struct Cover {
    weights: Vec<u64>,
    /// Candidates of element e, by number: `members[ends[e - 1]..ends[e]]`.
    members: Vec<u32>,
    ends: Vec<usize>,
    numbers: HashMap<u32, u32, BuildHasherDefault<Multiply>>,
    /// Of each candidate: its document, its tier, and the weight of its elements.
    sources: Vec<u32>,
    tiers: Vec<Tier>,
    all: Vec<u64>,
}

/// What no pick covers yet: by candidate the weight that it would cover, and the elements.
struct Uncovered {
    gains: Vec<u64>,
    open: Vec<u32>,
}

impl Cover {
    const KEPT: usize = 1 << 12;
    /// How many picks are made by looking at all candidates, before a heap is built. Tried on the medium Debian corpus
    /// with k = 3: 4 and 12 take about as long as 8, and 40 takes longer.
    const SCANS: usize = 8;

    pub fn clear(&mut self) {
        self.weights.clear();
        self.members.clear();
        self.ends.clear();
        self.sources.clear();
        self.tiers.clear();
        self.all.clear();
        // Clearing costs by capacity: after a page with a million candidates, every later page would pay for it.
        if self.numbers.capacity() > Self::KEPT {
            self.numbers = HashMap::default();
        } else {
            self.numbers.clear();
        }
    }

    /// Adds an element of this weight with these candidates, each named once, and the tier of each, which is the same in
    /// all elements.
    pub fn add<T: Into<Tier>>(&mut self, weight: u64, candidates: impl IntoIterator<Item = (u32, T)>) {
        let before = self.members.len();
        for (source, tier) in candidates {
            let number = *self.numbers.entry(source).or_insert_with(|| {
                self.sources.push(source);
                self.tiers.push(tier.into());
                self.all.push(0);
                self.sources.len() as u32 - 1
            });
            self.members.push(number);
            self.all[number as usize] += weight;
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

    /// How many grams each set of several picks, by rank from 1 on, has in common.
    pub fn shared(&self, picks: &[Pick]) -> BTreeMap<Vec<u32>, u64> {
        let mut sets = BTreeMap::new();
        if picks.len() < 2 {
            return sets;
        }
        let mut ranks = vec![0; self.sources.len()];
        for (rank, pick) in (1..).zip(picks) {
            if let Some(&number) = self.numbers.get(&pick.source) {
                ranks[number as usize] = rank;
            }
        }
        let mut set = Vec::new();
        for (element, &weight) in self.weights.iter().enumerate() {
            set.clear();
            set.extend(self.candidates(element).iter().map(|&candidate| ranks[candidate as usize]).filter(|&r| r > 0));
            if set.len() > 1 {
                set.sort_unstable();
                match sets.get_mut(&set) {
                    Some(sum) => *sum += weight,
                    None => _ = sets.insert(set.clone(), weight),
                }
            }
        }
        sets
    }

    fn candidates(&self, element: usize) -> &[u32] {
        let begin = element.checked_sub(1).map_or(0, |previous| self.ends[previous]);
        &self.members[begin..self.ends[element]]
    }

    /// The picks in order, as long as each newly covers at least the share `least` of `total`.
    pub fn greedy(&self, least: f64, total: u64) -> Vec<Pick> {
        self.greedy_from(least, total, 1)
    }

    /// The same, where each newly covers at least so many, too.
    pub fn greedy_from(&self, least: f64, total: u64, fewest: u64) -> Vec<Pick> {
        let worth = |gain: u64| gain >= fewest.max(1) && gain as f64 / total as f64 >= least;
        let mut left = self.nothing_covered();
        let mut picks = Vec::new();
        self.pick_greedily(&Tier::ALL, &mut left, worth, usize::MAX, &mut picks);
        picks
    }

    /// The same for the first tier. Then, as long as an element is worth it, of the heaviest element that is not covered
    /// the candidate of a later tier with the least weight in all; among equals the lower document. Then greedily what is
    /// left.
    pub fn greedy_with_witnesses(&self, least: f64, total: u64, fewest: u64) -> Vec<Pick> {
        let worth = |gain: u64| gain >= fewest.max(1) && gain as f64 / total as f64 >= least;
        let mut left = self.nothing_covered();
        let mut picks = Vec::new();
        self.pick_greedily(&Tier::ALL[..1], &mut left, worth, usize::MAX, &mut picks);
        if self.tiers.iter().all(|&tier| tier == Tier::First) {
            return picks;
        }
        let witness = |&element: &u32| {
            let is_later = |&&candidate: &&u32| self.tiers[candidate as usize] != Tier::First;
            let later = self.candidates(element as usize).iter().filter(is_later);
            let found =
                later.min_by_key(|&&candidate| (self.all[candidate as usize], self.sources[candidate as usize]))?;
            let weight = self.weights[element as usize];
            worth(weight).then_some((
                Reverse(weight),
                self.all[*found as usize],
                self.sources[*found as usize],
                *found,
                element,
            ))
        };
        let mut pieces: Vec<_> = left.open.iter().filter_map(witness).collect();
        pieces.sort_unstable();
        let (elements_of, ends) = self.elements_by_candidate(&left.open);
        let mut covered = vec![false; self.weights.len()];
        for (.., candidate, element) in pieces {
            if covered[element as usize] {
                continue;
            }
            let candidate = candidate as usize;
            picks.push(self.pick(candidate, left.gains[candidate]));
            for &element in &elements_of[ends[candidate]..ends[candidate + 1]] {
                if !std::mem::replace(&mut covered[element as usize], true) {
                    self.lower(&mut left.gains, element as usize);
                }
            }
        }
        left.open.retain(|&element| !covered[element as usize]);
        self.pick_greedily(&Tier::ALL, &mut left, worth, usize::MAX, &mut picks);
        picks
    }

    /// Whether a cover by candidates of whatever tier that ends only where nothing is left has at least so many picks.
    pub fn takes(&mut self, picks: usize) -> bool {
        let mut found = Vec::new();
        if picks <= self.most_picks() {
            let tiers = std::mem::replace(&mut self.tiers, vec![Tier::First; self.sources.len()]);
            self.pick_greedily(&Tier::ALL[..1], &mut self.nothing_covered(), |gain| gain > 0, picks, &mut found);
            self.tiers = tiers;
        }
        found.len() >= picks
    }

    fn nothing_covered(&self) -> Uncovered {
        Uncovered { gains: self.all.clone(), open: (0..self.weights.len() as u32).collect() }
    }

    /// Picks at most so many candidates of these tiers as long as one is worth it: one of a later tier only when none of an
    /// earlier is.
    fn pick_greedily(
        &self,
        tiers: &[Tier],
        left: &mut Uncovered,
        worth: impl Fn(u64) -> bool + Copy,
        most: usize,
        picks: &mut Vec<Pick>,
    ) {
        for _ in 0..Self::SCANS.min(most) {
            let Some(candidate) = tiers.iter().find_map(|&tier| self.best(&left.gains, tier, worth)) else {
                return;
            };
            picks.push(self.pick(candidate, left.gains[candidate]));
            let Uncovered { gains, open } = left;
            open.retain(|&element| {
                let covered = self.candidates(element as usize).contains(&(candidate as u32));
                if covered {
                    self.lower(gains, element as usize);
                }
                !covered
            });
        }
        if most > Self::SCANS {
            self.finish(tiers, left, worth, most - Self::SCANS, picks);
        }
    }

    /// The candidate of one tier that gains the most, if that is worth it.
    fn best(&self, gains: &[u64], tier: Tier, worth: impl Fn(u64) -> bool) -> Option<usize> {
        let of_tier = || gains.iter().zip(&self.tiers).enumerate().filter(|(_, (_, &other))| other == tier);
        let most = of_tier().map(|(_, (&gain, _))| gain).max().filter(|&most| worth(most))?;
        let equal = of_tier().filter(|(_, (&gain, _))| gain == most).map(|(candidate, _)| candidate);
        equal.max_by_key(|&candidate| self.rank(candidate, most))
    }

    /// Goes on with the elements that are not covered yet, by a heap.
    fn finish(
        &self,
        tiers: &[Tier],
        left: &mut Uncovered,
        worth: impl Fn(u64) -> bool,
        most: usize,
        picks: &mut Vec<Pick>,
    ) {
        let most = picks.len().saturating_add(most);
        let Uncovered { gains, open } = left;
        let (elements_of, ends) = self.elements_by_candidate(open);
        let mut covered = vec![false; self.weights.len()];
        let in_tiers = |candidate: &usize| gains[*candidate] > 0 && tiers.contains(&self.tiers[*candidate]);
        let useful = (0..gains.len()).filter(in_tiers);
        let mut heap: BinaryHeap<_> = useful.map(|candidate| self.rank(candidate, gains[candidate])).collect();
        let mut uncovered = open.len();
        while let Some((_, bound, _, _, candidate)) = heap.pop().filter(|_| uncovered > 0 && picks.len() < most) {
            let (gain, candidate) = (gains[candidate as usize], candidate as usize);
            if gain == 0 {
                continue;
            }
            if gain < bound {
                heap.push(self.rank(candidate, gain));
                continue;
            }
            if !worth(gain) {
                continue; // a candidate of the other tier may be worth it
            }
            picks.push(self.pick(candidate, gain));
            for &element in &elements_of[ends[candidate]..ends[candidate + 1]] {
                if !std::mem::replace(&mut covered[element as usize], true) {
                    uncovered -= 1;
                    self.lower(gains, element as usize);
                }
            }
        }
        open.retain(|&element| !covered[element as usize]);
    }

    /// What decides between candidates: the greater is picked.
    fn rank(&self, candidate: usize, gain: u64) -> (Reverse<Tier>, u64, u64, Reverse<u32>, u32) {
        (Reverse(self.tiers[candidate]), gain, self.all[candidate], Reverse(self.sources[candidate]), candidate as u32)
    }

    fn pick(&self, candidate: usize, gain: u64) -> Pick {
        Pick { source: self.sources[candidate], new: gain, all: self.all[candidate], tier: self.tiers[candidate] }
    }

    /// Lowers the gains of all candidates of an element, which is covered now.
    fn lower(&self, gains: &mut [u64], element: usize) {
        let weight = self.weights[element];
        self.candidates(element).iter().for_each(|&candidate| gains[candidate as usize] -= weight);
    }

    /// Which of these elements each candidate covers, candidate after candidate, and where those of each candidate
    /// begin.
    fn elements_by_candidate(&self, elements: &[u32]) -> (Vec<u32>, Vec<usize>) {
        let mut places = vec![0; self.sources.len() + 1];
        for &element in elements {
            self.candidates(element as usize).iter().for_each(|&candidate| places[candidate as usize + 1] += 1);
        }
        for candidate in 1..places.len() {
            places[candidate] += places[candidate - 1];
        }
        let ends = places.clone();
        let mut found = vec![0; places[places.len() - 1]];
        for &element in elements {
            for &candidate in self.candidates(element as usize) {
                found[places[candidate as usize]] = element;
                places[candidate as usize] += 1;
            }
        }
        (found, ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foreign(candidates: &[u32]) -> impl Iterator<Item = (u32, bool)> + '_ {
        candidates.iter().map(|&candidate| (candidate, true))
    }

    fn picks(elements: &[(u64, &[u32])], least: f64) -> Vec<(u32, u64, u64)> {
        let mut cover = Cover::default();
        elements.iter().for_each(|(weight, candidates)| cover.add(*weight, foreign(candidates)));
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
        cover.add(7, foreign(&[1]));
        assert_eq!(cover.greedy(0.07, 100).len(), 1); // 7 of 100 is 0.07, though 0.07 * 100 is above 7
    }

    #[test]
    fn what_is_added_later_is_covered_too() {
        let mut cover = Cover::default();
        cover.add(2, foreign(&[1, 2]));
        assert_eq!(cover.greedy(0.0, 2).len(), 1);
        cover.add(1, foreign(&[3]));
        cover.add(1, foreign(&[2]));
        let picks = cover.greedy(0.0, 4);
        assert_eq!(
            picks,
            [
                Pick { source: 2, new: 3, all: 3, tier: Tier::First },
                Pick { source: 3, new: 1, all: 1, tier: Tier::First }
            ]
        );
        assert_eq!(cover.most_picks(), 3);
    }

    #[test]
    fn picks_by_looking_and_by_heap_are_the_same() {
        // Every candidate shares an element with the best one, so that all bounds are wrong after the first pick.
        let shared: Vec<u32> = (0..500).collect();
        let mut elements = vec![(100_u64, &shared[..])];
        let own: Vec<[u32; 1]> = (0..500).map(|source| [source]).collect();
        elements.extend(own.iter().map(|one| (u64::from(one[0] % 7), &one[..])));
        let found = picks(&elements, 0.0);
        let mut expected: Vec<(u32, u64, u64)> =
            (0..500).map(|s| (s, u64::from(s % 7), 100 + u64::from(s % 7))).collect();
        expected.sort_by_key(|&(source, new, _)| (std::cmp::Reverse(new), source));
        expected[0].1 += 100;
        expected.retain(|pick| pick.1 > 0);
        assert_eq!(found, expected);
    }

    /// As `phrases` wants it: same-site candidates only when no foreign one covers anything more, by looking and by
    /// heap.
    #[test]
    fn foreign_candidates_come_first() {
        for others in [0, 40] {
            let mut cover = Cover::default();
            cover.add(50, [(1, true), (2, false)]);
            cover.add(3, [(2, false), (3, false)]);
            cover.add(1, [(2, false), (4, true)]);
            cover.add(2, [(3, false)]);
            (0..others).for_each(|other| cover.add(5, [(100 + other, true), (2, false)]));
            let picks = cover.greedy(0.0, 1);
            let sources: Vec<u32> = picks.iter().map(|pick| pick.source).collect();
            let mut expected = vec![1];
            expected.extend((0..others).map(|other| 100 + other));
            expected.extend([4, 3]);
            assert_eq!(sources, expected);
            assert_eq!(picks.iter().filter(|pick| !pick.is_first()).count(), 1);
        }
    }

    #[test]
    fn whether_a_cover_takes_so_many_picks() {
        for sources in [0, 3, 7, 8, 9, 40] {
            let mut cover = Cover::default();
            (0..sources).for_each(|source| cover.add(2, foreign(&[source, source + 1])));
            (0..sources).for_each(|source| cover.add(1, foreign(&[source])));
            let found = cover.greedy(0.0, 1).len();
            assert_eq!(found, sources as usize);
            (0..50).for_each(|picks| assert_eq!(cover.takes(picks), picks <= found, "{picks} of {found}"));
        }
    }

    #[test]
    fn a_million_candidates() {
        let mut cover = Cover::default();
        (0..1_000_000).for_each(|source| cover.add(1, foreign(&[source, (source + 1) % 1_000_000])));
        assert!(cover.greedy(0.0, 1).len() >= 500_000);
        cover.clear();
        assert!(cover.numbers.capacity() <= Cover::KEPT);
    }
}
