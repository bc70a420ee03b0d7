//! Where a page is found in a collection of passages: at each of its words the longest match, and of those the best.
//!
//! A word is a number here, from 0, and is called a letter. Matches can be many: two pages that repeat one word n times
//! have n of them, one for each diagonal, and n² pairs of places. So they are never listed. A suffix automaton of the
//! passages tells, as the page is read through it, how long the longest match is that ends at each word and where it
//! first occurs; the longest match around a place is one of these, since it ends at some word, too.
//!
//! Linear in the words of passages and page, plus the sort of the matches that cannot be extended, at most one a word.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::text::slots::Multiply;

const ROOT: u32 = 0;
const NONE: u32 = u32::MAX;

/// A run of equal words: where it begins in the page, where in the passages, and how many words it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    pub begin: u32,
    pub place: u32,
    pub words: u32,
}

/// A set of word sequences that end at the same places of the passages.
#[derive(Clone, Copy)]
struct State {
    /// Words of its longest sequence.
    length: u32,
    /// The state of the longest suffix that ends at more places.
    link: u32,
    /// The first place where its sequences end.
    first: u32,
    /// The letter that leads on, and the state it leads to: nearly all states have one such letter. Further ones are a
    /// chain of edges.
    letter: u32,
    target: u32,
    more: u32,
}

#[derive(Clone, Copy)]
struct Edge {
    letter: u32,
    target: u32,
    next: u32,
}

/// The suffix automaton of passages, added one after the other.
pub struct MatchIndex {
    states: Vec<State>,
    edges: Vec<Edge>,
    /// Edges by state and letter.
    found: HashMap<(u32, u32), u32, BuildHasherDefault<Multiply>>,
    /// Where each letter leads from the root, which has one for nearly all of them.
    from_root: Vec<u32>,
    last: u32,
    places: u32,
}

impl Default for MatchIndex {
    fn default() -> Self {
        let mut index = Self {
            states: Vec::new(),
            edges: Vec::new(),
            found: HashMap::default(),
            from_root: Vec::new(),
            last: ROOT,
            places: 0,
        };
        index.clear();
        index
    }
}

impl MatchIndex {
    const KEPT: usize = 1 << 14;

    pub fn clear(&mut self) {
        self.states.clear();
        self.edges.clear();
        // Clearing costs by capacity: after one large page, every later one would pay for it.
        if self.found.capacity() > Self::KEPT {
            self.found = HashMap::default();
        } else {
            self.found.clear();
        }
        self.from_root.clear();
        self.states.push(State { length: 0, link: NONE, first: 0, letter: NONE, target: NONE, more: NONE });
        (self.last, self.places) = (ROOT, 0);
    }

    /// Begins a new passage: no match runs on from the one before.
    pub fn part(&mut self) {
        self.last = ROOT;
    }

    /// Adds the next word of the passage.
    pub fn push(&mut self, letter: u32) {
        let place = self.places;
        self.places += 1;
        let length = self.states[self.last as usize].length + 1;
        let known = self.follow(self.last, letter);
        if known != NONE {
            self.last = self.shortened(self.last, letter, known);
            return;
        }
        let new = self.states.len() as u32;
        self.states.push(State { length, link: ROOT, first: place, letter: NONE, target: NONE, more: NONE });
        let mut state = self.last;
        self.last = new;
        while state != NONE {
            let known = self.follow(state, letter);
            if known != NONE {
                self.states[new as usize].link = self.shortened(state, letter, known);
                return;
            }
            self.lead(state, letter, new);
            state = self.states[state as usize].link;
        }
    }

    /// The state of those sequences of `target` that are no longer than the longest of `state` with `letter` behind it;
    /// splits them off if `target` has longer ones.
    fn shortened(&mut self, state: u32, letter: u32, target: u32) -> u32 {
        let length = self.states[state as usize].length + 1;
        if self.states[target as usize].length == length {
            return target;
        }
        let copy = self.states.len() as u32;
        let State { letter: only, target: whither, more, .. } = self.states[target as usize];
        self.states.push(State { length, letter: NONE, target: NONE, more: NONE, ..self.states[target as usize] });
        if only != NONE {
            self.lead(copy, only, whither);
        }
        let mut next = more;
        while next != NONE {
            let edge = self.edges[next as usize];
            self.lead(copy, edge.letter, edge.target);
            next = edge.next;
        }
        self.states[target as usize].link = copy;
        let mut state = state;
        while state != NONE && self.follow(state, letter) == target {
            self.lead(state, letter, copy);
            state = self.states[state as usize].link;
        }
        copy
    }

    #[inline]
    fn follow(&self, state: u32, letter: u32) -> u32 {
        if state == ROOT {
            return self.from_root.get(letter as usize).copied().unwrap_or(NONE);
        }
        let found = &self.states[state as usize];
        if found.letter == letter {
            found.target
        } else if found.more == NONE {
            NONE
        } else {
            self.found.get(&(state, letter)).map_or(NONE, |&edge| self.edges[edge as usize].target)
        }
    }

    /// From `state`, `letter` leads to `target` from now on.
    fn lead(&mut self, state: u32, letter: u32, target: u32) {
        if state == ROOT {
            if letter as usize >= self.from_root.len() {
                self.from_root.resize(letter as usize + 1, NONE);
            }
            self.from_root[letter as usize] = target;
            return;
        }
        let from = &mut self.states[state as usize];
        if from.letter == letter || from.letter == NONE {
            (from.letter, from.target) = (letter, target);
            return;
        }
        let edge = *self.found.entry((state, letter)).or_insert(self.edges.len() as u32);
        if edge as usize == self.edges.len() {
            self.edges.push(Edge { letter, target, next: from.more });
            from.more = edge;
        } else {
            self.edges[edge as usize].target = target;
        }
    }

    /// Of each gram of `page` (k words in a row) that occurs in the passages, the longest match around it; of several
    /// the one that occurs first, then the one that begins first. Each once, in the order of the page.
    pub fn longest(&self, page: &[u32], k: usize) -> Vec<Match> {
        let mut matches = self.matches(page, k);
        matches.sort_unstable_by_key(|found| (Reverse(found.words), found.place, found.begin));
        // For each gram, the next one, from itself on, that is not covered by a match taken so far.
        let mut next: Vec<u32> = (0..=page.len() as u32).collect();
        matches.retain(|found| {
            let mut gram = follow_up(&mut next, found.begin);
            let end = found.begin + found.words - k as u32 + 1;
            let wanted = gram < end;
            while gram < end {
                next[gram as usize] = gram + 1;
                gram = follow_up(&mut next, gram);
            }
            wanted
        });
        matches.sort_unstable_by_key(|found| found.begin);
        matches
    }

    /// The longest match that ends at each word of `page`, if it has at least k words and does not go on with the next
    /// word.
    fn matches(&self, page: &[u32], k: usize) -> Vec<Match> {
        let mut found = Vec::new();
        let mut close = |end: usize, state: u32, words: u32| {
            if words as usize >= k {
                let place = self.states[state as usize].first + 1 - words;
                found.push(Match { begin: end as u32 - words, place, words });
            }
        };
        let (mut state, mut length) = (ROOT, 0_u32);
        for (at, &letter) in page.iter().enumerate() {
            let (before, ended) = (length, state);
            let mut on = self.follow(state, letter);
            while on == NONE && state != ROOT {
                state = self.states[state as usize].link;
                length = self.states[state as usize].length;
                on = self.follow(state, letter);
            }
            (state, length) = if on == NONE { (ROOT, 0) } else { (on, length + 1) };
            if length <= before {
                close(at, ended, before);
            }
        }
        close(page.len(), state, length);
        found
    }
}

/// The first gram from `gram` on that is not covered; shortens the way there for the next time.
fn follow_up(next: &mut [u32], mut gram: u32) -> u32 {
    while next[gram as usize] != gram {
        next[gram as usize] = next[next[gram as usize] as usize];
        gram = next[gram as usize];
    }
    gram
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest(passages: &[&[u32]], page: &[u32], k: usize) -> Vec<(u32, u32, u32)> {
        let mut index = MatchIndex::default();
        for passage in passages {
            index.part();
            passage.iter().for_each(|&letter| index.push(letter));
        }
        index.longest(page, k).iter().map(|found| (found.begin, found.place, found.words)).collect()
    }

    /// All runs that can be extended on neither side, best first; those that cover a gram not covered before.
    fn by_definition(passages: &[&[u32]], page: &[u32], k: usize) -> Vec<(u32, u32, u32)> {
        let mut runs = Vec::new();
        let mut base = 0;
        for passage in passages {
            for i in 0..page.len() {
                for j in 0..passage.len() {
                    if i > 0 && j > 0 && page[i - 1] == passage[j - 1] {
                        continue;
                    }
                    let equal = page[i..].iter().zip(&passage[j..]).take_while(|(a, b)| a == b).count();
                    if equal >= k {
                        runs.push((i as u32, (base + j) as u32, equal as u32));
                    }
                }
            }
            base += passage.len();
        }
        runs.sort_unstable_by_key(|&(i, j, words)| (Reverse(words), j, i));
        let mut covered = vec![false; page.len()];
        runs.retain(|&(i, _, words)| {
            let grams = &mut covered[i as usize..i as usize + words as usize + 1 - k];
            let wanted = grams.iter().any(|&covered| !covered);
            grams.fill(true);
            wanted
        });
        runs.sort_unstable();
        runs
    }

    #[test]
    fn random_pages() {
        let mut seed = 7_u64;
        let mut draw = |bound: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % bound
        };
        for round in 0..20_000 {
            let letters = 1 + draw(4);
            let mut text = |most: usize| -> Vec<u32> { (0..draw(most + 1)).map(|_| draw(letters) as u32).collect() };
            let passages = [text(12), text(8), text(8)];
            let passages = passages.each_ref().map(Vec::as_slice);
            let page = text(16);
            for k in 1..4 {
                assert_eq!(
                    longest(&passages, &page, k),
                    by_definition(&passages, &page, k),
                    "{round} {passages:?} {page:?}"
                );
            }
        }
    }

    #[test]
    fn no_number_of_diagonals_hurts() {
        let n = 300_000;
        let one = vec![0; n];
        let two: Vec<u32> = (0..n as u32).map(|i| i % 2).collect();
        assert_eq!(longest(&[&one], &one, 5), [(0, 0, n as u32)]);
        assert_eq!(longest(&[&two], &two, 5), [(0, 0, n as u32)]);
        assert_eq!(longest(&[&one, &one[..n / 2]], &one[..n / 2], 5), [(0, 0, n as u32 / 2)]);
        assert_eq!(longest(&[&two[..1000]], &two, 5).len(), (n - 1000) / 2 + 1);
        // A word with as many followers as there are places.
        let fan: Vec<u32> = (1..n as u32).flat_map(|i| [0, i]).collect();
        let other: Vec<u32> = (1..n as u32).rev().flat_map(|i| [0, i]).collect();
        assert_eq!(longest(&[&fan], &other, 2).len(), n - 1);
    }
}
