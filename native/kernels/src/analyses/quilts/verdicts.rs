//! Which documents are quilts, and what keeps the others from being one.

use crate::analyses::quilts::attribution::Attributed;
use crate::analyses::quilts::covers::Judged;
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::row;

use super::attribution::LateLimits;

row! {
    /// Of any document: what was counted, whether it is a quilt, and if not, which limits it fails.
    pub struct Verdict<'a> {
        words: u64, grams: u64, patch_grams: u64, patchfrac: f64, covered: f64, sources: u64, largest: f64,
        sections: f64, attributed: f64, quilt: bool, why: Option<&'a [u8]>,
    }
}

row! {
    /// Of a quilt: what was counted.
    pub struct Quilt {
        words: u64, grams: u64, patch_grams: u64, patchfrac: f64, covered: f64, sources: u64, largest: f64,
        sections: f64, attributed: f64,
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
    ("max_sections", "above_max_sections"),
    ("max_attributed", "too_attributed"),
];

/// Group by document, of what was counted and, if it has sources, how much of it are sections of one site and how much
/// is attributed: the verdict.
pub struct Verdicts {
    told: LateLimits,
    counts: [u64; COUNTERS.len()],
}

impl Verdicts {
    const VERDICTS: Port<Verdict<'static>> = Port::documents(0, "verdicts");
    const QUILTS: Port<Quilt> = Port::documents(1, "quilts");

    fn judge(&mut self, doc: u64, judged: Judged<'_>, late: Attributed, out: &mut Output) {
        let Judged { words, grams, patch_grams, patchfrac, covered, sources, largest, failed } = judged;
        let Attributed { sections, attributed } = late;
        let mut why = failed.to_vec();
        for (fails, limit) in [
            (sections > self.told.max_sections, "max_sections"),
            (attributed > self.told.max_attributed, "max_attributed"),
        ] {
            if fails {
                why.extend_from_slice(if why.is_empty() { b"" } else { b", " });
                why.extend_from_slice(limit.as_bytes());
            }
        }
        let quilt = why.is_empty();
        let first = why.split(|&byte| byte == b',').next().unwrap_or_default();
        if let Some(place) = COUNTERS.iter().position(|(word, _)| word.as_bytes() == first) {
            self.counts[place] += 1;
        }
        let why = (!quilt).then_some(&why[..]);
        let verdict = Verdict {
            words,
            grams,
            patch_grams,
            patchfrac,
            covered,
            sources,
            largest,
            sections,
            attributed,
            quilt,
            why,
        };
        out.row(&Self::VERDICTS, doc, verdict);
        if quilt {
            let row = Quilt { words, grams, patch_grams, patchfrac, covered, sources, largest, sections, attributed };
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
    type Told = LateLimits;

    fn new(told: LateLimits, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { told, counts: [0; COUNTERS.len()] })
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut late = Attributed { sections: 0.0, attributed: 0.0 };
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                late = Attributed::take(tail)?;
            } else {
                self.judge(key, Judged::take(tail)?, late, out);
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
