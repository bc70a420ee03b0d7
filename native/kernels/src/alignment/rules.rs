//! The constants by which texts are aligned: all of them, in one place.
//!
//! They were chosen on one half of the PAN 2013 training corpus, several at a time for all kinds of obfuscation, and
//! tried on the other half (docs/reworded.md). Numbers are round on purpose: none is tuned to single pairs.

/// How texts are aligned.
#[derive(Clone, Copy, Debug)]
pub struct AlignmentRules {
    /// Words of a window that is looked for in the other text, and how far one begins behind the other.
    pub window: usize,
    pub step: usize,
    /// Least score of a pair of windows, in nats.
    pub seed: f64,
    /// Stems that weigh less are passed over, in nats.
    pub least_weight: f64,
    /// Pairs of windows that are tried in vain, and one more for each so many windows of both texts.
    pub tries: usize,
    pub windows_a_try: usize,
    /// Pairs of windows that fail one after the other before it ends, as the best come first; one more for each passage that
    /// was found.
    pub failures: usize,
    /// Sum of products of windows that share a stem: rarer stems go first, and it ends with what exceeds this.
    pub products: usize,
    pub products_a_window: usize,
    /// Most rounds of a fit; in the last ones it no longer grows.
    pub rounds: usize,
    pub last_rounds: usize,
    /// Words around an interval in which its new ends are looked for: so many, or in a summary, or its own length.
    pub reach: usize,
    pub reach_in_summary: usize,
    pub reach_share: f64,
    /// Words by which the other interval is extended while it grows.
    pub margin: usize,
    /// What counts as growth: more than this share, and more than so many words.
    pub growth: f64,
    /// Rate at which words are taken over: at first, and the least and greatest estimates.
    pub rate: f64,
    pub least_rate: f64,
    pub greatest_rate: f64,
    /// Least rate of the longer side of a summary.
    pub summary_rate: f64,
    /// The greatest score of a word, in nats.
    pub word: f64,
    /// Words that are added to the length of a text outside an interval.
    pub prior: f64,
    /// Weight of how often a word stands in its own text elsewhere; in a summary's first rounds.
    pub own: f64,
    pub own_in_summary: f64,
    /// Least score of a passage, in nats: that of both sides.
    pub score: f64,
    /// What a plain fit must have scored at some time for a summary to be looked for.
    pub hopeful: f64,
    /// Where it has more words than this on both sides, none is looked for: summaries take sentences, not paragraphs.
    pub copied: usize,
    /// Neighbouring stems that both intervals share, at least, one of them standing elsewhere so many times at most, and once
    /// more for each so many words of both texts.
    pub sequences: usize,
    pub elsewhere: usize,
    pub words_elsewhere: usize,
    /// Least score if each of them adds so much.
    pub evidence: f64,
    pub sequence: f64,
    /// A summary's source is so many times as long, and the fit of a summary is so many times that of the other.
    pub ratio: f64,
    pub wider: f64,
    /// Where a summary's source covers this share of its text, it is a summary of all of it.
    pub whole: f64,
    /// Passages at most so many words apart in both texts are one.
    pub gap_a: usize,
    pub gap_b: usize,
    /// The second gap is allowed where words are taken over at a lower rate than this.
    pub loose: f64,
    /// Words by which an end may move to that of a sentence.
    pub snap: usize,
    /// Least length of a passage on both sides, in characters; or in words, which are characters where nothing stands
    /// between them.
    pub characters: usize,
    pub words: usize,
}

impl AlignmentRules {
    pub const DEFAULT: Self = Self {
        window: 60,
        step: 30,
        seed: 16.0,
        least_weight: 1.0,
        tries: 40,
        windows_a_try: 16,
        failures: 3,
        products: 1 << 20,
        products_a_window: 256,
        rounds: 12,
        last_rounds: 3,
        reach: 150,
        reach_in_summary: 400,
        reach_share: 1.0,
        margin: 30,
        growth: 0.02,
        rate: 0.5,
        least_rate: 0.3,
        greatest_rate: 0.95,
        summary_rate: 0.1,
        word: 4.0,
        prior: 400.0,
        own: 0.6,
        own_in_summary: 0.0,
        score: 20.0,
        hopeful: 8.0,
        copied: 100,
        sequences: 3,
        elsewhere: 3,
        words_elsewhere: 20_000,
        evidence: 30.0,
        sequence: 1.0,
        ratio: 3.0,
        wider: 1.2,
        whole: 0.15,
        gap_a: 40,
        gap_b: 300,
        loose: 0.7,
        snap: 7,
        characters: 150,
        words: 50,
    };
}

impl Default for AlignmentRules {
    fn default() -> Self {
        Self::DEFAULT
    }
}
