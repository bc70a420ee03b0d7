//! Whether passages were sewn into a page: whether there are seams between them.
//!
//! Where somebody put a passage of one page behind a passage of another, the words across the seam are nowhere else: the
//! patches of the two sources end there. Where the patch of one source runs on into that of another, no one cut: the
//! text was there first, and each of the others took a part of it, or all are versions of the same text. And scraps,
//! headings and titles of a few words, are no passages. So a patch is *sewn in* if it has a least length, and shares no
//! two words in a row with the patch of another source. (One word is often chance: many sentences begin alike.)

/// A patch: its source, and where it begins and ends in the page, in words.
#[derive(Clone, Copy)]
pub struct PatchSpan {
    pub source: u64,
    pub begin: u32,
    pub end: u32,
}

/// Words that the patches of two sources may have in common at a seam.
const BY_CHANCE: u32 = 1;

/// Counts how much of what the patches of a page cover is sewn in. Patches come in the order of the page; as none lies
/// within another, they end in that order, too, so that only the nearest of other sources matter.
pub struct Seams {
    k: u32,
    least: u64,
    /// The patches of one source, one behind the other, whose right neighbour is not known yet.
    last: Vec<PatchSpan>,
    /// Where the last patch before these ends, which is of another source.
    before: u32,
    all: u64,
    sewn: u64,
}

impl Seams {
    pub fn new(k: u32, least: u64) -> Self {
        Self { k, least, last: Vec::new(), before: 0, all: 0, sewn: 0 }
    }

    pub fn add(&mut self, patch: PatchSpan) {
        if self.last.last().is_some_and(|last| last.source != patch.source) {
            self.close(patch.begin);
        }
        self.last.push(patch);
    }

    /// The share of the grams in patches that is in patches that are sewn in.
    pub fn sewn(mut self) -> f64 {
        self.close(u32::MAX);
        if self.all == 0 {
            0.0
        } else {
            self.sewn as f64 / self.all as f64
        }
    }

    /// Counts the patches of the last source: that of another begins at `next`.
    fn close(&mut self, next: u32) {
        let before = self.before;
        for PatchSpan { begin, end, .. } in self.last.drain(..) {
            let grams = u64::from(end - begin + 1 - self.k);
            let has_seams = before <= begin + BY_CHANCE && end <= next.saturating_add(BY_CHANCE);
            self.all += grams;
            self.sewn += if has_seams && u64::from(end - begin) >= self.least { grams } else { 0 };
            self.before = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sewn(patches: &[(u64, u32, u32)], least: u64) -> f64 {
        let mut seams = Seams::new(1, least);
        patches.iter().for_each(|&(source, begin, end)| seams.add(PatchSpan { source, begin, end }));
        seams.sewn()
    }

    #[test]
    fn patches_that_run_into_each_other_are_not_sewn_in() {
        assert_eq!(sewn(&[], 1), 0.0);
        assert_eq!(sewn(&[(1, 0, 10)], 1), 1.0);
        assert_eq!(sewn(&[(1, 0, 10)], 11), 0.0);
        assert_eq!(sewn(&[(1, 0, 10), (2, 10, 30), (3, 29, 39)], 1), 1.0, "one word may be chance");
        assert_eq!(sewn(&[(1, 0, 10), (2, 10, 30), (3, 28, 38)], 1), 0.25);
        assert_eq!(sewn(&[(1, 0, 10), (1, 8, 30), (2, 30, 40), (1, 38, 46)], 1), 32.0 / 50.0, "of one source");
        assert_eq!(sewn(&[(1, 0, 10), (2, 5, 15), (2, 10, 20), (3, 16, 26)], 1), 0.0, "the last but one, too");
    }
}
