//! Which documents are quilts, and what keeps the others from being one.

use crate::analyses::quilts::attribution::Attributed;
use crate::analyses::quilts::covers::Judged;
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::row;

use super::attribution::MostAttributed;

row! {
    /// Of any document: what was counted, whether it is a quilt, and if not, which limits it fails.
    pub struct Verdict<'a> {
        words: u64, grams: u64, patch_grams: u64, patchfrac: f64, covered: f64, sources: u64, largest: f64,
        attributed: f64, quilt: bool, why: Option<&'a [u8]>,
    }
}

row! {
    /// Of a quilt: what was counted.
    pub struct Quilt {
        words: u64, grams: u64, patch_grams: u64, patchfrac: f64, covered: f64, sources: u64, largest: f64,
        attributed: f64,
    }
}

/// What documents are counted under by the first limit that they fail.
const COUNTERS: &[(&str, &str)] = &[
    ("short", "too_short"),
    ("nothing shared", "nothing_shared"),
    ("own site", "own_site_only"),
    ("min_share", "below_min_share"),
    ("sigma", "below_sigma"),
    ("max_largest", "above_max_largest"),
    ("c", "below_c"),
    ("max_attributed", "too_attributed"),
];

/// Group by document, of what was counted and, if it has sources, how much of it is attributed: the verdict.
pub struct Verdicts {
    most: f64,
    counts: [u64; COUNTERS.len()],
}

impl Verdicts {
    const VERDICTS: Port<Verdict<'static>> = Port::documents(0, "verdicts");
    const QUILTS: Port<Quilt> = Port::documents(1, "quilts");

    fn judge(&mut self, doc: u64, judged: Judged<'_>, attributed: f64, out: &mut Output) {
        let Judged { words, grams, patch_grams, patchfrac, covered, sources, largest, failed } = judged;
        let mut why = failed.to_vec();
        if attributed > self.most {
            why.extend_from_slice(if why.is_empty() { b"" } else { b", " });
            why.extend_from_slice(b"max_attributed");
        }
        let quilt = why.is_empty();
        let first = why.split(|&byte| byte == b',').next().unwrap_or_default();
        if let Some(place) = COUNTERS.iter().position(|(word, _)| word.as_bytes() == first) {
            self.counts[place] += 1;
        }
        let why = (!quilt).then_some(&why[..]);
        let verdict =
            Verdict { words, grams, patch_grams, patchfrac, covered, sources, largest, attributed, quilt, why };
        out.row(&Self::VERDICTS, doc, verdict);
        if quilt {
            let row = Quilt { words, grams, patch_grams, patchfrac, covered, sources, largest, attributed };
            out.row(&Self::QUILTS, doc, row);
        }
    }
}

impl Group for Verdicts {
    const NAME: &'static str = "verdicts";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<Attributed>(), shape::<Judged<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::VERDICTS.info(), Self::QUILTS.info()];
    const KEEPS: &'static str = "one row";
    type Told = MostAttributed;

    fn new(MostAttributed { most }: MostAttributed, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { most, counts: [0; COUNTERS.len()] })
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut attributed = 0.0;
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                attributed = Attributed::take(tail)?.attributed;
            } else {
                self.judge(key, Judged::take(tail)?, attributed, out);
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        for ((_, counter), &count) in COUNTERS.iter().zip(&self.counts) {
            out.count(counter, count);
        }
    }
}
