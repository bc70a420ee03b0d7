//! Neighbouring stems that two intervals share: stems alone may be those of a common subject.

use crate::alignment::fit::Rectangle;
use crate::alignment::pair::TextPair;

/// Counts them; keeps its buffers.
#[derive(Default)]
pub struct SharedSequences {
    a: Vec<(u32, u32)>,
    b: Vec<(u32, u32)>,
    /// How often each stem stands in both intervals.
    inside: Vec<u32>,
}

impl SharedSequences {
    /// How many different pairs of neighbouring stems both intervals have, of which one stem at least stands elsewhere in
    /// the two texts no more than `elsewhere` times.
    pub fn count(&mut self, pair: &TextPair, at: Rectangle, elsewhere: u32) -> usize {
        let Self { a, b, inside } = self;
        let (words_a, words_b) = (pair.a.shared_in(at.a), pair.b.shared_in(at.b));
        inside.clear();
        inside.resize(pair.shared, 0);
        for (words, into) in [(words_a, &mut *a), (words_b, &mut *b)] {
            words.iter().for_each(|word| inside[word.stem as usize] += 1);
            into.clear();
            let neighbours = words.windows(2).filter(|two| two[0].at + 1 == two[1].at);
            into.extend(neighbours.map(|two| (two[0].stem, two[1].stem)));
            into.sort_unstable();
            into.dedup();
        }
        let outside = |stem: u32| pair.stems[stem as usize].counts.iter().sum::<u32>() - inside[stem as usize];
        let rare = |&&(one, other): &&(u32, u32)| outside(one).min(outside(other)) <= elsewhere;
        a.iter().filter(|two| b.binary_search(two).is_ok()).filter(rare).count()
    }
}
