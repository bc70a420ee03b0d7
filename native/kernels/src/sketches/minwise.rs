//! Sketches of documents by min-wise hashing: 84 minima over the circular k-grams, and six fingerprints of 14 each, or
//! other numbers of them.
//!
//! Under a random order of all grams, the first grams of two documents are the same one with a probability of J, the
//! Jaccard coefficient of their sets. Each shingle is the first under another order, so a super-fingerprint, of 14
//! shingles, agrees with probability q = J^14, and at least two of six with 1-(1-q)^6-6q(1-q)^5.
//!
//! Two families of orders. The published one takes Rabin fingerprints throughout: words by p_A, runs of k words by p_B,
//! these by p_1 … p_84: 168 carry-less multiplications a gram, by far the most of the time. The fast one mixes 32 bits
//! of our own gram fingerprint with multiply, xor-shift, multiply, eight grams to a register. Multiplying once would
//! pass the same tests, since gram fingerprints are as good as random; the second round is for sets that are not. With
//! 32 bits, different grams of two documents of n grams pass for the same minimum with a probability of n/2^33: nothing
//! to a comparison of documents, but too often to tell phrases by.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::choice;
use crate::sketches::rabin::{self, primitives, splitmix, Rabin};
use crate::text::fingerprint::{self, Fingerprinter};
use crate::text::grams::circle;
use crate::text::unicode::append_folded;

/// How many shingles a document has, as published.
pub const SHINGLES: usize = 84;

/// Grams that wait for their minima: they and what a function needs stay in the first-level cache.
const BLOCK: usize = 1024;
/// Grams that are mixed side by side: four registers of AVX2, as compilers like to unroll the loop.
const LANES: usize = 32;

choice! {
    /// Where the orders of grams come from.
    pub enum Family {
        /// A mixer of 32 bits over our own fingerprints.
        Fast = "fast",
        /// Rabin fingerprints of Rabin fingerprints, as published. A key changes nothing here: the seed may be the secret.
        Rabin = "rabin",
    }
}

/// Makes sketches, document after document; keeps its buffers. Cheap to make.
pub struct Sketcher {
    print: Fingerprinter,
    k: usize,
    functions: Functions,
    head: Vec<u64>,
    least: Vec<u64>,
}

enum Functions {
    Fast(Minima),
    Rabin { published: Arc<Published>, slide: Box<rabin::Slide>, folded: Vec<u8>, grams: Vec<u64> },
}

impl Sketcher {
    pub fn new(family: Family, seed: u64, k: usize, print: Fingerprinter, functions: usize) -> Self {
        let functions = match family {
            Family::Fast => Functions::Fast(Minima::new(seed, k, print.clone(), functions)),
            Family::Rabin => {
                let published = Published::of(seed, functions);
                let slide = Box::new(rabin::Slide::new(published.gram.clone(), k));
                Functions::Rabin { published, slide, folded: Vec::new(), grams: Vec::with_capacity(BLOCK) }
            }
        };
        Self { print, k, functions, head: Vec::new(), least: Vec::new() }
    }

    /// The least fingerprint of any circular k-gram by each function; none for a text without words.
    pub fn shingles(&mut self, text: &str) -> Option<&[u64]> {
        let Self { print, k, functions, head, least } = self;
        least.clear();
        match functions {
            Functions::Fast(minima) => least.extend(minima.of(text)?.iter().copied().map(u64::from)),
            Functions::Rabin { published, slide, folded, grams } => {
                slide.clear();
                least.resize(published.shingles.len(), u64::MAX);
                let mut lower = |grams: &mut Vec<u64>| {
                    published.shingles.iter().zip(&mut *least).for_each(|(by, least)| by.lower(least, grams));
                    grams.clear();
                };
                let token = |begin, end, _| {
                    folded.clear();
                    append_folded(folded, &text[begin..end]);
                    published.word.fingerprint(folded)
                };
                let emit = |gram| {
                    grams.push(gram);
                    if grams.len() == BLOCK {
                        lower(grams);
                    }
                };
                let words = circle(text, print, *k, head, token, |word| slide.push(word), emit);
                lower(grams);
                if words == 0 {
                    return None;
                }
            }
        }
        Some(least)
    }

    /// So many super-fingerprints, each of as many shingles, in order; the number of functions is a multiple of theirs.
    pub fn supers(&mut self, text: &str, supers: usize) -> Option<Vec<u64>> {
        let shingles = self.shingles(text)?;
        let print = Fingerprinter::plain();
        let mut bytes = Vec::new();
        let runs = shingles.chunks_exact((shingles.len() / supers.max(1)).max(1));
        let of_run = |run: &[u64]| {
            bytes.clear();
            run.iter().for_each(|shingle| bytes.extend_from_slice(&shingle.to_le_bytes()));
            print.bytes(&bytes)
        };
        Some(runs.map(of_run).collect())
    }
}

/// Makes sketches of any number of minima by the fast family, document after document; keeps its buffers. Cheap to make.
pub struct Minima {
    print: Fingerprinter,
    k: usize,
    mixers: Vec<Mixer>,
    grams: Vec<u32>,
    head: Vec<u64>,
    least: Vec<u32>,
}

impl Minima {
    pub fn new(seed: u64, k: usize, print: Fingerprinter, functions: usize) -> Self {
        let (mixers, grams) = (draw_mixers(seed, functions), Vec::with_capacity(BLOCK));
        Self { print, k, mixers, grams, head: Vec::new(), least: Vec::new() }
    }

    /// The least number that each function makes of any circular k-gram; none for a text without words.
    pub fn of(&mut self, text: &str) -> Option<&[u32]> {
        let Self { print, k, mixers, grams, head, least } = self;
        let mut slide = fingerprint::Slide::new(print, *k);
        least.clear();
        least.resize(mixers.len(), u32::MAX);
        let emit = |gram| {
            grams.push(gram as u32);
            if grams.len() == BLOCK {
                lower(mixers, grams, least);
                grams.clear();
            }
        };
        let words = circle(text, print, *k, head, |_, _, word| word, |word| slide.push(word), emit);
        if let Some(&last) = grams.last() {
            // To repeat a gram changes no minimum.
            grams.resize(grams.len().next_multiple_of(LANES), last);
            lower(mixers, grams, least);
            grams.clear();
        }
        (words > 0).then_some(&**least)
    }

    /// The least number that each function makes of any of these elements; none if there are none.
    pub fn of_elements(&mut self, elements: &[u64]) -> Option<&[u32]> {
        let Self { mixers, grams, least, .. } = self;
        least.clear();
        least.resize(mixers.len(), u32::MAX);
        let last = *elements.last()?;
        for block in elements.chunks(BLOCK) {
            grams.clear();
            grams.extend(block.iter().map(|&element| element as u32));
            grams.resize(grams.len().next_multiple_of(LANES), last as u32);
            lower(mixers, grams, least);
        }
        grams.clear();
        Some(least)
    }
}

/// The circular k-gram that each of 84 functions puts first: a sample of the phrases of a document that changes little
/// when the document does. A phrase is told by the whole fingerprint of its gram, by either family.
pub enum Sampler {
    Fast(FastSampler),
    Rabin(RabinSampler),
}

impl Sampler {
    pub fn new(family: Family, seed: u64, k: usize, print: Fingerprinter) -> Self {
        match family {
            Family::Fast => Self::Fast(FastSampler::new(seed, k, print)),
            Family::Rabin => Self::Rabin(RabinSampler::new(seed, k, print)),
        }
    }

    /// The number of words of a text and its sample; none for a text without words.
    pub fn sample(&mut self, text: &str) -> (u64, Option<[u64; SHINGLES]>) {
        match self {
            Self::Fast(sampler) => sampler.sample(text),
            Self::Rabin(sampler) => sampler.sample(text),
        }
    }
}

/// The published functions map 64 bits to 64 bits one to one, so different grams never pass for the same minimum.
pub struct RabinSampler {
    print: Fingerprinter,
    k: usize,
    published: Arc<Published>,
    slide: Box<rabin::Slide>,
    folded: Vec<u8>,
    head: Vec<u64>,
    /// Of each gram of the document, in their order: our own fingerprint, and the published one.
    grams: Vec<u64>,
    published_grams: Vec<u64>,
}

impl RabinSampler {
    fn new(seed: u64, k: usize, print: Fingerprinter) -> Self {
        let published = Published::of(seed, SHINGLES);
        let slide = Box::new(rabin::Slide::new(published.gram.clone(), k));
        let [head, grams, published_grams] = [const { Vec::new() }; 3];
        Self { print, k, published, slide, folded: Vec::new(), head, grams, published_grams }
    }

    /// As `Sampler::sample`. Takes 16 bytes a word.
    fn sample(&mut self, text: &str) -> (u64, Option<[u64; SHINGLES]>) {
        let Self { print, k, published, slide, folded, head, grams, published_grams } = self;
        grams.clear();
        published_grams.clear();
        slide.clear();
        let mut own = fingerprint::Slide::new(print, *k);
        let words = circle(text, print, *k, head, |_, _, word| word, |word| own.push(word), |gram| grams.push(gram));
        let token = |begin, end, _| {
            folded.clear();
            append_folded(folded, &text[begin..end]);
            published.word.fingerprint(folded)
        };
        circle(text, print, *k, head, token, |word| slide.push(word), |gram| published_grams.push(gram));
        let mut sample = [0; SHINGLES];
        for (by, found) in published.shingles.iter().zip(&mut sample) {
            let mut least = u64::MAX;
            for (block, own) in published_grams.chunks(BLOCK).zip(grams.chunks(BLOCK)) {
                let before = least;
                by.lower(&mut least, block);
                if least < before {
                    // A minimum falls in few blocks; only these are looked through for the gram that it is of.
                    let place = block.iter().position(|&gram| by.extend_token(by.empty(), gram) == least);
                    *found = place.and_then(|place| own.get(place)).copied().unwrap_or_default();
                }
            }
        }
        (words, (words > 0).then_some(sample))
    }
}

/// The 32 bits of a minimum do for comparing documents; to tell phrases apart, this finds the whole fingerprint behind
/// each. Of two grams that agree in the 32 bits, the lesser is taken.
pub struct FastSampler {
    print: Fingerprinter,
    k: usize,
    mixers: Vec<Mixer>,
    head: Vec<u64>,
    /// All grams of the document, in their order, and the 32 bits of each.
    grams: Vec<u64>,
    low: Vec<u32>,
}

impl FastSampler {
    fn new(seed: u64, k: usize, print: Fingerprinter) -> Self {
        Self { print, k, mixers: draw_mixers(seed, SHINGLES), head: Vec::new(), grams: Vec::new(), low: Vec::new() }
    }

    /// As `Sampler::sample`. Takes 12 bytes a word.
    fn sample(&mut self, text: &str) -> (u64, Option<[u64; SHINGLES]>) {
        let Self { print, k, mixers, head, grams, low } = self;
        grams.clear();
        low.clear();
        let mut slide = fingerprint::Slide::new(print, *k);
        let words = circle(text, print, *k, head, |_, _, word| word, |word| slide.push(word), |gram| grams.push(gram));
        low.extend(grams.iter().map(|&gram| gram as u32));
        let Some(&last) = low.last() else { return (words, None) };
        low.resize(low.len().next_multiple_of(LANES), last); // to repeat a gram changes no minimum
        let mut least = [u32::MAX; SHINGLES];
        low.chunks(BLOCK).for_each(|block| lower(mixers, block, &mut least));

        let mut wanted: Vec<(u32, u64)> =
            mixers.iter().zip(least).map(|(by, least)| (by.unmix(least), u64::MAX)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut there = [0_u64; 1 << 10]; // 2^16 bits: nearly all grams are parameters at once that they are not wanted
        wanted.iter().for_each(|&(bits, _)| there[bits as usize >> 22] |= 1 << (bits >> 16 & 63));
        for &gram in grams.iter() {
            let bits = gram as u32;
            if there[bits as usize >> 22] >> (bits >> 16 & 63) & 1 == 1 {
                if let Ok(place) = wanted.binary_search_by_key(&bits, |&(bits, _)| bits) {
                    wanted[place].1 = wanted[place].1.min(gram);
                }
            }
        }
        let mut sample = [0; SHINGLES];
        for ((by, least), found) in mixers.iter().zip(least).zip(&mut sample) {
            if let Ok(place) = wanted.binary_search_by_key(&by.unmix(least), |&(bits, _)| bits) {
                *found = wanted[place].1;
            }
        }
        (words, Some(sample))
    }
}

/// One function of the fast family: a permutation of 32-bit numbers.
#[derive(Clone, Copy)]
struct Mixer {
    first: u32,
    plus: u32,
    second: u32,
}

impl Mixer {
    #[inline(always)]
    fn mix(self, x: u32) -> u32 {
        let x = x.wrapping_mul(self.first).wrapping_add(self.plus);
        (x ^ x >> 15).wrapping_mul(self.second)
    }

    /// What `mix` made `y` of.
    fn unmix(self, y: u32) -> u32 {
        let x = y.wrapping_mul(inverse(self.second));
        (x ^ x >> 15 ^ x >> 30).wrapping_sub(self.plus).wrapping_mul(inverse(self.first))
    }
}

/// What an odd number has to be multiplied by to make 1, modulo 2^32.
fn inverse(odd: u32) -> u32 {
    // Newton's method: each round doubles the number of right bits, of which the first guess has three.
    (0..4).fold(odd, |guess, _| guess.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(guess))))
}

fn draw_mixers(seed: u64, functions: usize) -> Vec<Mixer> {
    let mut drawn = splitmix(seed);
    let mut pair = || drawn.next().map_or((0, 0), |v| (v as u32, (v >> 32) as u32));
    (0..functions)
        .map(|_| {
            let ((first, second), (plus, _)) = (pair(), pair());
            Mixer { first: first | 1, plus, second: second | 1 }
        })
        .collect()
}

/// Lowers each of `least` to the least that its function makes of any gram; their number is a multiple of `LANES`.
fn lower(mixers: &[Mixer], grams: &[u32], least: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { lower_avx2(mixers, grams, least) };
    }
    lower_anywhere(mixers, grams, least);
}

/// The same loop, compiled for AVX2, which nearly all processors have: it multiplies eight numbers at once, and takes
/// minima of unsigned ones.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn lower_avx2(mixers: &[Mixer], grams: &[u32], least: &mut [u32]) {
    lower_anywhere(mixers, grams, least);
}

#[inline(always)]
fn lower_anywhere(mixers: &[Mixer], grams: &[u32], least: &mut [u32]) {
    // Tells the compiler that the length is a multiple of LANES, so that it makes no loop for a remainder.
    let grams = grams.as_chunks::<LANES>().0.as_flattened();
    for (mixer, least) in mixers.iter().zip(least) {
        *least = grams.iter().fold(*least, |least, &gram| least.min(mixer.mix(gram)));
    }
}

/// The published functions of one seed.
struct Published {
    word: Rabin,
    gram: Rabin,
    shingles: Vec<Rabin>,
}

/// Published functions by seed and number.
type BySeed = HashMap<(u64, usize), Arc<Published>>;

/// Those that this process has used: kernels are made for each batch, and to find 86 polynomials takes longer than most
/// batches should wait.
static MADE: Mutex<Option<BySeed>> = Mutex::new(None);
/// Seeds that are remembered; with tables, each has 1.4 MB.
const REMEMBERED: usize = 16;

impl Published {
    fn of(seed: u64, functions: usize) -> Arc<Self> {
        let mut guard = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let made = guard.get_or_insert_default();
        if made.len() >= REMEMBERED && !made.contains_key(&(seed, functions)) {
            made.clear();
        }
        Arc::clone(made.entry((seed, functions)).or_insert_with(|| Arc::new(Self::new(seed, functions, Rabin::new))))
    }

    fn new(seed: u64, functions: usize, make: impl Fn(u64) -> Rabin) -> Self {
        let mut drawn = primitives(seed).map(make);
        // The polynomials never end.
        let mut one = || drawn.next().unwrap_or_else(|| Rabin::new(1));
        Self { word: one(), gram: one(), shingles: (0..functions).map(|_| one()).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILIES: [Family; 2] = [Family::Fast, Family::Rabin];

    fn sketcher(family: Family, seed: u64, k: usize) -> Sketcher {
        Sketcher::new(family, seed, k, Fingerprinter::plain(), SHINGLES)
    }

    fn shingles(sketcher: &mut Sketcher, text: &str) -> Option<Vec<u64>> {
        sketcher.shingles(text).map(<[u64]>::to_vec)
    }

    fn text(words: usize) -> String {
        splitmix(words as u64).take(words).map(|v| format!("w{} ", v % 1000)).collect()
    }

    #[test]
    fn nothing_has_no_sketch() {
        for family in FAMILIES {
            let mut sketcher = sketcher(family, 0, 5);
            assert_eq!(sketcher.shingles(""), None);
            assert_eq!(sketcher.supers(" ?! ", 6), None);
            assert!(sketcher.supers("a", 6).is_some());
        }
    }

    #[test]
    fn grams_are_circular() {
        for family in FAMILIES {
            let mut sketcher = sketcher(family, 1, 5);
            let whole = shingles(&mut sketcher, "a b c d e f g");
            assert_eq!(shingles(&mut sketcher, "D e f g. A b C"), whole);
            assert_eq!(shingles(&mut sketcher, "a b c d e f g a b c d e f g"), whole);
            assert_eq!(shingles(&mut sketcher, "a"), shingles(&mut sketcher, "a a a a a a"));
            assert_eq!(shingles(&mut sketcher, "a b"), shingles(&mut sketcher, "a b a b a b a b"));
            assert_ne!(shingles(&mut sketcher, "a b"), whole);
        }
    }

    #[test]
    fn the_shingles_of_two_texts_are_the_lesser_of_each() {
        // With k = 1 the grams are the words, so those of a concatenation are those of both.
        for family in FAMILIES {
            let mut sketcher = sketcher(family, 2, 1);
            for words in [1, 15, 16, 17, BLOCK - 1, BLOCK, BLOCK + 1, 5000] {
                let (a, b) = (text(words), text(words / 2 + 1));
                let both = shingles(&mut sketcher, &format!("{a} {b}")).unwrap();
                let (a, b) = (shingles(&mut sketcher, &a).unwrap(), shingles(&mut sketcher, &b).unwrap());
                assert!((0..SHINGLES).all(|i| both[i] == a[i].min(b[i])), "{words}");
            }
        }
    }

    #[test]
    fn a_sample_is_of_the_grams_behind_the_minima() {
        for (seed, words, k) in [(0, 1, 5), (1, 3, 5), (2, 40, 1), (3, 700, 3), (4, BLOCK + 5, 5)] {
            let text = text(words);
            let (counted, sample) = Sampler::new(Family::Fast, seed, k, Fingerprinter::plain()).sample(&text);
            assert_eq!(counted, words as u64);
            let minima = shingles(&mut sketcher(Family::Fast, seed, k), &text).unwrap();
            let print = Fingerprinter::plain();
            let grams = crate::text::grams::Grams::new(&print, k).circular(&text).1.to_vec();
            for ((mixer, gram), least) in draw_mixers(seed, SHINGLES).iter().zip(sample.unwrap()).zip(minima) {
                assert!(grams.contains(&gram));
                assert_eq!(u64::from(mixer.mix(gram as u32)), least);
                assert_eq!(mixer.unmix(mixer.mix(gram as u32)), gram as u32);
            }
        }
        assert_eq!(Sampler::new(Family::Fast, 0, 5, Fingerprinter::plain()).sample("…"), (0, None));
    }

    #[test]
    fn seeds_and_families_differ() {
        let text = text(300);
        let mut all = Vec::new();
        for (family, seed) in FAMILIES.into_iter().flat_map(|family| [(family, 0), (family, 1), (family, 1 << 40)]) {
            let made = sketcher(family, seed, 5).supers(&text, 6).unwrap();
            assert_eq!(sketcher(family, seed, 5).supers(&text, 6).unwrap(), made);
            all.extend(made);
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn a_key_changes_the_fast_family_alone() {
        let text = text(50);
        let keyed = |family| Sketcher::new(family, 0, 5, Fingerprinter::keyed(&[1; 16]), SHINGLES).supers(&text, 6);
        assert_ne!(keyed(Family::Fast), sketcher(Family::Fast, 0, 5).supers(&text, 6));
        assert_eq!(keyed(Family::Rabin), sketcher(Family::Rabin, 0, 5).supers(&text, 6));
    }

    #[test]
    fn every_way_of_computing_gives_the_same() {
        let grams: Vec<u32> = splitmix(3).take(10 * LANES).map(|v| v as u32).collect();
        let mixers = draw_mixers(5, SHINGLES);
        let (mut chosen, mut anywhere) = (vec![u32::MAX; SHINGLES], vec![u32::MAX; SHINGLES]);
        lower(&mixers, &grams, &mut chosen);
        lower_anywhere(&mixers, &grams, &mut anywhere);
        assert_eq!(chosen, anywhere);
        for (mixer, least) in mixers.iter().zip(chosen) {
            assert_eq!(grams.iter().map(|&gram| mixer.mix(gram)).min(), Some(least));
        }

        let (text, mut tables) = (text(2000), sketcher(Family::Rabin, 7, 5));
        let hardware = shingles(&mut tables, &text);
        let published = Arc::new(Published::new(7, SHINGLES, Rabin::with_tables));
        let slide = Box::new(rabin::Slide::new(published.gram.clone(), 5));
        tables.functions = Functions::Rabin { published, slide, folded: Vec::new(), grams: Vec::new() };
        assert_eq!(shingles(&mut tables, &text), hardware);
    }
}
