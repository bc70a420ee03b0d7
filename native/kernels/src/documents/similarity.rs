//! How alike the documents of a cluster are: the Jaccard coefficients of their sets of circular k-grams, exactly; on
//! request also the cosine of their sets of words, those that I-Match looks at.
//!
//! Documents are compared with the one that is kept for them and, on request, with those that an edge ties them to. Who
//! is to be compared with whom is a table ([`Comparisons`]); [`GramSets`] sends the set of each document to those it is
//! compared with, 8 bytes a gram; [`Jaccard`] compares them; [`SimilaritySpread`] gives the least and the median of a
//! cluster.

use std::num::NonZeroUsize;

use crate::documents::copies::KeptFor;
use crate::documents::keeping::{Member, Members, Similar};
use crate::flow::columns::{Along, Numbers, Texts};
use crate::flow::contract::{Port, Side, WrongParameter};
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::sketches::lexicon::Terms;
use crate::sketches::spots::{Primary, Spots};
use crate::text::fingerprint::Fingerprinter;
use crate::text::grams::Grams;
use crate::{columns, contract, parameters, row};

/// Why two documents are compared: one is kept for the other, or an edge ties them together.
const KEPT: u64 = 1;
const EDGE: u64 = 2;

row! {
    /// Of a document: another that it is compared with, and why, in bits.
    pub struct Comparison { other: u64, reasons: u64 }
}

/// The comparison as a row of the document, with the reason; and a row of the other document that names itself, without
/// a reason: so its own grams are sent to it, too.
fn ask(port: &Port<Comparison>, doc: u64, other: u64, reasons: u64, out: &mut Output) {
    out.row(port, doc, Comparison { other, reasons });
    out.row(port, other, Comparison { other, reasons: 0 });
}

/// Map of edges: the documents that each ties together are compared.
pub struct Comparisons;

contract! {
    map Comparisons = "comparisons";
    new() = Ok(Self);
    reads KeptFor<'a>;
    const COMPARISONS: Port<Comparison> = Port::documents(0, "comparisons");
}

impl Map for Comparisons {
    fn batch<'a>(&mut self, pairs: KeptFor<'a>, (): (), out: &mut Output) -> Done {
        for row in 0..pairs.doc.len() {
            ask(&Self::COMPARISONS, pairs.doc.at(row), pairs.other.at(row), EDGE, out);
        }
        Ok(())
    }
}

/// Map of the documents of clusters: each is compared with the one that is kept. If comparisons stand beside them, those
/// are not made again.
pub struct KeptComparisons;

contract! {
    map KeptComparisons = "comparisons with kept";
    new() = Ok(Self);
    reads Members<'a>, beside Option<Overlaps<'a>>;
    const COMPARISONS: Port<Comparison> = Port::documents(0, "comparisons");
    const KNOWN: Port<ToKept> = Port::documents(1, "known");
}

impl Map for KeptComparisons {
    fn batch<'a>(&mut self, members: Members<'a>, overlaps: Option<Overlaps<'a>>, out: &mut Output) -> Done {
        let mut along = overlaps.map(|overlaps| (Along::new(overlaps.doc), overlaps));
        for row in 0..members.doc.len() {
            let (doc, kept) = (members.doc.at(row), members.kept.at(row));
            let known = along.as_mut().and_then(|(along, overlaps)| {
                let mut rows = along.rows(doc);
                rows.find(|&row| overlaps.other.at(row) == kept).map(|row| overlaps.at(row))
            });
            match known {
                Some(overlap) => out.row(&Self::KNOWN, kept, ToKept { jaccard: overlap.jaccard(), cosine: None }),
                None if doc != kept => ask(&Self::COMPARISONS, doc, kept, KEPT, out),
                None => {}
            }
        }
        Ok(())
    }
}

/// Group by document: each of the others it is compared with once, for all reasons.
#[derive(Default)]
pub struct Compared {
    others: Vec<Comparison>,
}

contract! {
    group Compared = "compared";
    new() = Ok(Self::default());
    key Doc of [Comparison] and more;
    keeps "a row for each of its edges, and two";
    const COMPARED: Port<Comparison> = Port::documents(0, "compared");
}

impl Group for Compared {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.others.clear();
        while let Some((_, tail)) = rows.next() {
            let Comparison { other, reasons } = Comparison::take(tail)?;
            // Rows of one table are sorted, so most repeat the one before.
            match self.others.iter_mut().rev().find(|known| known.other == other) {
                Some(known) => known.reasons |= reasons,
                None => self.others.push(Comparison { other, reasons }),
            }
        }
        self.others.iter().for_each(|&other| out.row(&Self::COMPARED, key, other));
        Ok(())
    }
}

columns! {
    /// The comparisons of documents.
    pub struct ComparedWith<'a> { doc: Numbers<'a>, other: Numbers<'a>, reasons: Numbers<'a> }
}

parameters! {
    /// Which grams are compared, and whether words are, too.
    pub struct Comparing { k: NonZeroUsize, key: Fingerprinter, cosine: bool }
}

row! {
    /// Of a document: the words and grams of one that is compared with it, ascending; its own come first, with
    /// `foreign` 0. Words are there only if they are compared.
    pub struct GramSet<'a> { foreign: u8, doc: u64, reasons: u8, terms: &'a [u8], grams: Rest<'a> }
}

/// Map, beside the comparisons of documents: to each other document the grams of this one.
pub struct GramSets(Comparing);

contract! {
    map GramSets = "gram sets";
    new(told: Comparing) = Ok(Self(told));
    reads Texts<'a>, beside ComparedWith<'a>;
    keeps "the grams of one document";
    const SETS: Port<GramSet<'static>> = Port::documents(0, "sets");
}

impl Map for GramSets {
    fn batch<'a>(&mut self, pages: Texts<'a>, compared: ComparedWith<'a>, out: &mut Output) -> Done {
        let mut along = Along::new(compared.doc);
        let mut grams = Grams::new(&self.0.key, self.0.k.get());
        let mut words = Terms::default();
        let (mut sorted, mut set, mut terms) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            let with = along.rows(doc);
            if with.is_empty() {
                continue;
            }
            let text = pages.text.at(row);
            terms.clear();
            if self.0.cosine {
                sorted.clear();
                words.distinct(&text, |fingerprint, _| sorted.push(fingerprint));
                pack(&mut sorted, &mut terms);
            }
            sorted.clear();
            sorted.extend_from_slice(grams.circular(&text).1);
            pack(&mut sorted, &mut set);
            for row in with {
                let other = compared.other.at(row);
                let (foreign, reasons) = (u8::from(doc != other), compared.reasons.at(row) as u8);
                out.row(&Self::SETS, other, GramSet { foreign, doc, reasons, terms: &terms, grams: Rest(&set) });
            }
        }
        Ok(())
    }
}

parameters! {
    /// Which spot signatures are compared; see [`Spots`].
    pub struct SpotComparing { lexicon: Side, chain: NonZeroUsize, distance: NonZeroUsize }
}

/// The same as [`GramSets`], of spot signatures in place of grams.
pub struct SpotSets(Spots<Side>);

contract! {
    map SpotSets = "spot sets";
    new(SpotComparing { lexicon, chain, distance }) = {
        let spots = Spots::new(lexicon, Primary::Antecedents, chain, distance);
        spots.map(Self).map_err(|fault| WrongParameter(fault.to_string()))
    };
    reads Texts<'a>, beside ComparedWith<'a>;
    keeps "the signatures of one document";
    const SETS: Port<GramSet<'static>> = Port::documents(0, "sets");
}

impl Map for SpotSets {
    fn batch<'a>(&mut self, pages: Texts<'a>, compared: ComparedWith<'a>, out: &mut Output) -> Done {
        let (mut along, mut set) = (Along::new(compared.doc), Vec::new());
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            let with = along.rows(doc);
            if with.is_empty() {
                continue;
            }
            set.clear();
            let counted = self.0.counted(&pages.text.at(row)).iter();
            counted.for_each(|signature| set.extend_from_slice(&signature.to_le_bytes()));
            for row in with {
                let other = compared.other.at(row);
                let (foreign, reasons) = (u8::from(doc != other), compared.reasons.at(row) as u8);
                out.row(&Self::SETS, other, GramSet { foreign, doc, reasons, terms: &[], grams: Rest(&set) });
            }
        }
        Ok(())
    }
}

/// The set, ascending, as bytes.
fn pack(set: &mut [u64], bytes: &mut Vec<u8>) {
    set.sort_unstable();
    bytes.clear();
    set.iter().for_each(|one| bytes.extend_from_slice(&one.to_le_bytes()));
}

fn unpack(bytes: &[u8]) -> Result<impl Iterator<Item = u64> + '_, Damaged> {
    match bytes.as_chunks() {
        (whole, []) => Ok(whole.iter().map(|one| u64::from_le_bytes(*one))),
        _ => Err(Damaged("GramSet")),
    }
}

row! {
    /// Of a document: another that an edge ties it to, and how similar they are.
    pub struct Pair { other: u64, jaccard: f64, cosine: Option<f64> }
}

row! {
    /// Of a document: another that an edge ties it to, and how many grams both have, and each.
    pub struct Overlap { other: u64, common: u64, grams: u64, other_grams: u64 }
}

impl Overlap {
    /// |A ∩ B| / |A ∪ B|.
    pub fn jaccard(&self) -> f64 {
        self.common as f64 / (self.grams + self.other_grams - self.common).max(1) as f64
    }

    /// |A ∩ B| / |A|: how much of the document is in the other.
    pub fn containment(&self) -> f64 {
        self.common as f64 / self.grams.max(1) as f64
    }
}

columns! {
    /// The same as a table.
    pub struct Overlaps<'a> {
        doc: Numbers<'a>,
        other: Numbers<'a>,
        common: Numbers<'a>,
        grams: Numbers<'a>,
        other_grams: Numbers<'a>,
    }
}

impl Overlaps<'_> {
    pub fn at(&self, row: usize) -> Overlap {
        let Self { other, common, grams, other_grams, .. } = self;
        Overlap { other: other.at(row), common: common.at(row), grams: grams.at(row), other_grams: other_grams.at(row) }
    }
}

row! {
    /// Of a kept document: how similar another of its cluster is to it.
    pub struct ToKept { jaccard: f64, cosine: Option<f64> }
}

parameters! {
    /// Whether words are compared, too.
    pub struct Coefficients { cosine: bool }
}

/// Group by document, of its own grams and those of documents compared with it: each pair that an edge ties together
/// with its coefficients, or with its counts; and of the documents it is kept for, how similar each is to it, said to both.
pub struct Jaccard {
    cosine: bool,
    grams: Vec<u64>,
    terms: Vec<u64>,
}

contract! {
    group Jaccard = "jaccard";
    new(Coefficients { cosine }) = Ok(Self { cosine, grams: Vec::new(), terms: Vec::new() });
    key Doc of [GramSet<'static>];
    keeps "the grams of one document";
    const PAIRS: Port<Pair> = Port::documents(0, "pairs");
    const TO_KEPT: Port<ToKept> = Port::documents(1, "to_kept");
    const SIMILAR: Port<Similar> = Port::documents(2, "similar");
    const OVERLAPS: Port<Overlap> = Port::documents(3, "overlaps");
}

impl Group for Jaccard {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.grams.clear();
        self.terms.clear();
        while let Some((_, tail)) = rows.next() {
            let GramSet { foreign, doc, reasons, terms, grams } = GramSet::take(tail)?;
            let (terms, grams) = (unpack(terms)?, unpack(grams.0)?);
            if foreign == 0 {
                self.grams.extend(grams);
                self.terms.extend(terms);
                continue;
            }
            let (common, count) = meet(&self.grams, grams);
            let overlap = Overlap {
                other: key,
                common: common as u64,
                grams: count as u64,
                other_grams: self.grams.len() as u64,
            };
            let jaccard = overlap.jaccard();
            let cosine = self.cosine.then(|| cosine(&self.terms, terms));
            if u64::from(reasons) & EDGE != 0 {
                out.row(&Self::PAIRS, doc, Pair { other: key, jaccard, cosine });
                out.row(&Self::OVERLAPS, doc, overlap);
            }
            if u64::from(reasons) & KEPT != 0 {
                out.row(&Self::TO_KEPT, key, ToKept { jaccard, cosine });
                out.row(&Self::SIMILAR, doc, Similar { jaccard });
            }
        }
        Ok(())
    }
}

/// |A ∩ B| and |B| of two ascending sets.
fn meet(own: &[u64], others: impl Iterator<Item = u64>) -> (usize, usize) {
    let (mut common, mut count, mut at) = (0, 0, 0);
    for one in others {
        count += 1;
        while own.get(at).is_some_and(|&own| own < one) {
            at += 1;
        }
        common += usize::from(own.get(at) == Some(&one));
    }
    (common, count)
}

/// |A ∩ B| / √(|A|·|B|).
fn cosine(own: &[u64], others: impl Iterator<Item = u64>) -> f64 {
    let (common, count) = meet(own, others);
    common as f64 / ((own.len() * count).max(1) as f64).sqrt()
}

row! {
    /// Of a cluster: how many documents it has, how similar the others are to the one that is kept, and which that is.
    pub struct Similarity {
        documents: u64,
        least: f64,
        median: f64,
        kept: u64,
        least_cosine: Option<f64>,
        median_cosine: Option<f64>,
    }
}

/// Group by kept document, of its cluster and the similarities of the others to it: the least and the median.
#[derive(Default)]
pub struct SimilaritySpread {
    jaccards: Vec<f64>,
    cosines: Vec<f64>,
}

contract! {
    group SimilaritySpread = "spread";
    new() = Ok(Self::default());
    key Doc of [Member, ToKept] and more;
    keeps "16 bytes a document of one cluster";
    const SIMILARITY: Port<Similarity> = Port::documents(0, "similarity");
}

impl Group for SimilaritySpread {
    fn key(&mut self, kept: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.jaccards.clear();
        self.cosines.clear();
        let mut cluster = kept;
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                cluster = Member::take(tail)?.cluster;
                continue;
            }
            let ToKept { jaccard, cosine } = ToKept::take(tail)?;
            self.jaccards.push(jaccard);
            self.cosines.extend(cosine);
        }
        self.jaccards.sort_unstable_by(f64::total_cmp);
        self.cosines.sort_unstable_by(f64::total_cmp);
        let Some((least, median)) = spread(&self.jaccards) else { return Ok(()) };
        let documents = self.jaccards.len() as u64 + 1;
        let (least_cosine, median_cosine) = spread(&self.cosines).unzip();
        let row = Similarity { documents, least, median, kept, least_cosine, median_cosine };
        out.row(&Self::SIMILARITY, cluster, row);
        Ok(())
    }
}

/// The least and the median of ascending numbers, if there are any.
fn spread(ascending: &[f64]) -> Option<(f64, f64)> {
    let count = ascending.len();
    let middle = |at: usize| ascending.get(at).copied();
    Some((middle(0)?, f64::midpoint(middle((count - 1) / 2)?, middle(count / 2)?)))
}

#[cfg(test)]
mod tests {
    use super::{cosine, meet, spread, Overlap};

    #[test]
    fn coefficients() {
        let overlap = |own: &[u64], others: &[u64]| {
            let (common, count) = meet(own, others.iter().copied());
            let (common, grams, other_grams) = (common as u64, count as u64, own.len() as u64);
            Overlap { other: 0, common, grams, other_grams }
        };
        assert!((overlap(&[], &[]).jaccard() - 0.0).abs() < f64::EPSILON);
        assert!((overlap(&[1, 2, 3], &[2, 3, 4]).jaccard() - 0.5).abs() < f64::EPSILON);
        assert!((overlap(&[1, 2], &[1, 2]).jaccard() - 1.0).abs() < f64::EPSILON);
        assert!((overlap(&[1, 2], &[3, 4]).jaccard() - 0.0).abs() < f64::EPSILON);
        assert!((overlap(&[5], &[1, 2, 3, 5]).jaccard() - 0.25).abs() < f64::EPSILON);
        assert!((overlap(&[5], &[1, 2, 3, 5]).containment() - 0.25).abs() < f64::EPSILON);
        assert!((overlap(&[1, 2, 3, 5], &[5]).containment() - 1.0).abs() < f64::EPSILON);
        assert!((cosine(&[], std::iter::empty()) - 0.0).abs() < f64::EPSILON);
        assert!((cosine(&[5], [1, 2, 3, 5].into_iter()) - 0.5).abs() < f64::EPSILON);
    }

    #[test]
    fn spreads() {
        assert_eq!(spread(&[]), None);
        assert_eq!(spread(&[0.5]), Some((0.5, 0.5)));
        assert_eq!(spread(&[0.25, 0.5]), Some((0.25, 0.375)));
        assert_eq!(spread(&[0.0, 0.25, 1.0]), Some((0.0, 0.25)));
    }
}
