//! How alike the documents of a cluster are: the Jaccard coefficients of their sets of circular k-grams, exactly.
//!
//! Documents are compared with the one that is kept for them and, on request, with those that an edge ties them to. Who
//! is to be compared with whom is a table ([`Comparisons`]); [`GramSets`] sends the set of each document to those it is
//! compared with, 8 bytes a gram; [`Jaccard`] compares them; [`SimilaritySpread`] gives the least and the median of a
//! cluster.

use crate::analyses::postings::Gramming;
use crate::documents::standing::KeptFor;
use crate::flow::columns::{Along, Numbers, Texts};
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Beginning, Done, Group, Map, Output, Rows, Stretches};
use crate::text::grams::Grams;
use crate::{columns, row, told};

/// Why two documents are compared: one is kept for the other, or an edge ties them together.
const KEPT: u64 = 1;
const EDGE: u64 = 2;

told! {
    /// Whether the rows are edges; else they say which document is kept.
    pub struct Reason { edges: bool }
}

row! {
    /// Of a document: another that it is compared with, and why, in bits.
    pub struct Comparison { other: u64, reasons: u64 }
}

/// Map: the comparison as a row of the document, with the reason; and a row of the other document that names itself,
/// without a reason: so its own grams are sent to it, too.
pub struct Comparisons(Reason);

impl Comparisons {
    const COMPARISONS: Port<Comparison> = Port::documents(0, "comparisons");
}

impl Map for Comparisons {
    const NAME: &'static str = "comparisons";
    const PORTS: &'static [PortInfo] = &[Self::COMPARISONS.info()];
    const KEEPS: &'static str = "nothing";
    type Told = Reason;
    type Reads<'a> = KeptFor<'a>;
    type Beside<'a> = ();

    fn new(told: Reason) -> Result<Self, WrongParameter> {
        Ok(Self(told))
    }

    fn batch<'a>(&mut self, pairs: KeptFor<'a>, (): (), out: &mut Output) -> Done {
        let reasons = if self.0.edges { EDGE } else { KEPT };
        for row in 0..pairs.doc.len() {
            let other = pairs.other.at(row);
            out.row(&Self::COMPARISONS, pairs.doc.at(row), Comparison { other, reasons });
            out.row(&Self::COMPARISONS, other, Comparison { other, reasons: 0 });
        }
        Ok(())
    }
}

/// Group by document: each of the others it is compared with once, for all reasons. The first table names one other
/// document, the one that is kept, which is the lowest: so if the second table names it, too, the two rows follow each
/// other.
pub struct Compared;

impl Compared {
    const COMPARED: Port<Comparison> = Port::documents(0, "compared");
}

impl Group for Compared {
    const NAME: &'static str = "compared";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<Comparison>()];
    const REPEATED: bool = true;
    const PORTS: &'static [PortInfo] = &[Self::COMPARED.info()];
    const KEEPS: &'static str = "one row";
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut others = Stretches::new(rows, Beginning::First(8));
        while others.begin() {
            let mut all: Option<Comparison> = None;
            while let Some(tail) = others.tail() {
                let Comparison { other, reasons } = Comparison::take(tail)?;
                all = Some(Comparison { other, reasons: reasons | all.map_or(0, |all| all.reasons) });
            }
            if let Some(all) = all {
                out.row(&Self::COMPARED, key, all);
            }
        }
        Ok(())
    }
}

columns! {
    /// The comparisons of documents.
    pub struct ComparedWith<'a> { doc: Numbers<'a>, other: Numbers<'a>, reasons: Numbers<'a> }
}

row! {
    /// Of a document: the grams of one that is compared with it, ascending; its own come first, with `foreign` 0.
    pub struct GramSet<'a> { foreign: u8, doc: u64, reasons: u8, grams: Rest<'a> }
}

/// Map, beside the comparisons of documents: to each other document the grams of this one.
pub struct GramSets(Gramming);

impl GramSets {
    const SETS: Port<GramSet<'static>> = Port::documents(0, "sets");
}

impl Map for GramSets {
    const NAME: &'static str = "gram sets";
    const PORTS: &'static [PortInfo] = &[Self::SETS.info()];
    const KEEPS: &'static str = "the grams of one document";
    type Told = Gramming;
    type Reads<'a> = Texts<'a>;
    type Beside<'a> = ComparedWith<'a>;

    fn new(told: Gramming) -> Result<Self, WrongParameter> {
        Ok(Self(told))
    }

    fn batch<'a>(&mut self, pages: Texts<'a>, compared: ComparedWith<'a>, out: &mut Output) -> Done {
        let mut along = Along::new(compared.doc);
        let mut grams = Grams::new(&self.0.key, self.0.k.get());
        let (mut sorted, mut set) = (Vec::new(), Vec::new());
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            let with = along.rows(doc);
            if with.is_empty() {
                continue;
            }
            sorted.clear();
            sorted.extend_from_slice(grams.circular(&pages.text.at(row)).1);
            sorted.sort_unstable();
            set.clear();
            sorted.iter().for_each(|gram| set.extend_from_slice(&gram.to_le_bytes()));
            for row in with {
                let other = compared.other.at(row);
                let (foreign, reasons) = (u8::from(doc != other), compared.reasons.at(row) as u8);
                out.row(&Self::SETS, other, GramSet { foreign, doc, reasons, grams: Rest(&set) });
            }
        }
        Ok(())
    }
}

row! {
    /// Of a document: another that an edge ties it to, and how similar they are.
    pub struct Pair { other: u64, jaccard: f64 }
}

row! {
    /// Of a kept document: how similar another of its cluster is to it.
    pub struct ToKept { jaccard: f64 }
}

/// Group by document, of its own grams and those of documents compared with it: each pair that an edge ties together
/// with its Jaccard coefficient; and to the document that is kept, those of the ones it stands for.
#[derive(Default)]
pub struct Jaccard {
    own: Vec<u64>,
}

impl Jaccard {
    const PAIRS: Port<Pair> = Port::documents(0, "pairs");
    const TO_KEPT: Port<ToKept> = Port::documents(1, "to_kept");
}

impl Group for Jaccard {
    const NAME: &'static str = "jaccard";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<GramSet<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::PAIRS.info(), Self::TO_KEPT.info()];
    const KEEPS: &'static str = "the grams of one document";
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self::default())
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.own.clear();
        while let Some((_, tail)) = rows.next() {
            let GramSet { foreign, doc, reasons, grams } = GramSet::take(tail)?;
            let (grams, []) = grams.0.as_chunks() else { return Err(Damaged("GramSet").into()) };
            let grams = grams.iter().map(|gram| u64::from_le_bytes(*gram));
            if foreign == 0 {
                self.own.extend(grams);
                continue;
            }
            let jaccard = jaccard(&self.own, grams);
            if u64::from(reasons) & EDGE != 0 {
                out.row(&Self::PAIRS, doc, Pair { other: key, jaccard });
            }
            if u64::from(reasons) & KEPT != 0 {
                out.row(&Self::TO_KEPT, key, ToKept { jaccard });
            }
        }
        Ok(())
    }
}

/// |A ∩ B| / |A ∪ B| of two ascending sets.
fn jaccard(own: &[u64], others: impl Iterator<Item = u64>) -> f64 {
    let (mut common, mut count, mut at) = (0_usize, 0_usize, 0);
    for gram in others {
        count += 1;
        while own.get(at).is_some_and(|&own| own < gram) {
            at += 1;
        }
        common += usize::from(own.get(at) == Some(&gram));
    }
    common as f64 / (own.len() + count - common).max(1) as f64
}

row! {
    /// Of a kept document: how many documents its cluster has, and how similar the others are to it.
    pub struct Similarity { documents: u64, least: f64, median: f64 }
}

/// Group by kept document, of the similarities of the others to it: the least and the median.
#[derive(Default)]
pub struct SimilaritySpread {
    found: Vec<f64>,
}

impl SimilaritySpread {
    const SIMILARITY: Port<Similarity> = Port::documents(0, "similarity");
}

impl Group for SimilaritySpread {
    const NAME: &'static str = "spread";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<ToKept>()];
    const PORTS: &'static [PortInfo] = &[Self::SIMILARITY.info()];
    const KEEPS: &'static str = "8 bytes a document of one cluster";
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self::default())
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.found.clear();
        while let Some((_, tail)) = rows.next() {
            self.found.push(ToKept::take(tail)?.jaccard); // ascending: from 0 on, numbers sort as their bits do
        }
        let Some(&least) = self.found.first() else { return Ok(()) };
        let middle = |half: usize| self.found[half.min(self.found.len() - 1)];
        let median = (middle((self.found.len() - 1) / 2) + middle(self.found.len() / 2)) / 2.0;
        out.row(&Self::SIMILARITY, key, Similarity { documents: self.found.len() as u64 + 1, least, median });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::jaccard;

    #[test]
    fn coefficients() {
        assert!((jaccard(&[], std::iter::empty()) - 0.0).abs() < f64::EPSILON);
        assert!((jaccard(&[1, 2, 3], [2, 3, 4].into_iter()) - 0.5).abs() < f64::EPSILON);
        assert!((jaccard(&[1, 2], [1, 2].into_iter()) - 1.0).abs() < f64::EPSILON);
        assert!((jaccard(&[1, 2], [3, 4].into_iter()) - 0.0).abs() < f64::EPSILON);
        assert!((jaccard(&[5], [1, 2, 3, 5].into_iter()) - 0.25).abs() < f64::EPSILON);
    }
}
