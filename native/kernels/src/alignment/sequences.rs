//! Neighbouring stems that two intervals share: stems alone may be those of a common subject.

use hashbrown::{hash_table, HashTable};

use crate::alignment::fit::Rectangle;
use crate::alignment::pair::TextPair;
use crate::text::slots::mixed;

/// Counts them; keeps its buffers.
#[derive(Default)]
pub struct SharedSequences {
    a: Vec<(u32, u32)>,
    b: Vec<(u32, u32)>,
    inside: HashTable<(u32, u32)>,
}

impl SharedSequences {
    /// How many different pairs of neighbouring stems both intervals have, of which one stem at least stands elsewhere in
    /// the two texts no more than `elsewhere` times.
    pub fn count(&mut self, pair: &TextPair, at: Rectangle, elsewhere: u32) -> usize {
        let Self { a, b, inside } = self;
        let (words_a, words_b) = (&pair.a.words[at.a.0..at.a.1], &pair.b.words[at.b.0..at.b.1]);
        for (words, into) in [(words_a, &mut *a), (words_b, &mut *b)] {
            into.clear();
            into.extend(words.windows(2).map(|two| (two[0], two[1])));
            into.sort_unstable();
            into.dedup();
        }
        inside.clear();
        for &stem in words_a.iter().chain(words_b) {
            match inside.entry(mixed(stem.into()), |known| known.0 == stem, |known| mixed(known.0.into())) {
                hash_table::Entry::Occupied(mut known) => known.get_mut().1 += 1,
                hash_table::Entry::Vacant(place) => drop(place.insert((stem, 1))),
            }
        }
        let outside = |stem: u32| {
            let here = inside.find(mixed(stem.into()), |known| known.0 == stem).map_or(0, |known| known.1);
            pair.stems[stem as usize].counts.iter().sum::<u32>() - here
        };
        let rare = |&&(one, other): &&(u32, u32)| outside(one).min(outside(other)) <= elsewhere;
        a.iter().filter(|two| b.binary_search(two).is_ok()).filter(rare).count()
    }
}
