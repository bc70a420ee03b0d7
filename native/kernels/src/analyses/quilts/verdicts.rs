//! Which documents are quilts, and what keeps the others from being one.

use crate::analyses::quilts::covers::Judged;
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::{row, told};

told! {
    /// Documents are left out if the sections of sites add more than this share of what is covered, if less than this
    /// share is sewn in, or if linked sources cover more than this share of the patch grams.
    pub struct LateLimits { max_sections: f64, min_sewn: f64, max_attributed: f64 }
}

row! {
    /// Of a document with sources, as far as it is known: the share of what is covered that sections add, the share that
    /// is sewn in, and the share of its patch grams that linked sources cover.
    pub struct Late { sections: Option<f64>, sewn: Option<f64>, attributed: Option<f64> }
}

row! {
    /// Of any document: what was counted, whether it is a quilt, and if not, which limits it fails.
    pub struct Verdict<'a> {
        words: u64, grams: u64, patch_grams: u64, patchfrac: f64, covered: f64, sources: u64, largest: f64,
        own: f64, sections: f64, sewn: Option<f64>, attributed: f64, evidence: f64, quilt: bool, why: Option<&'a [u8]>,
    }
}

row! {
    /// Of a quilt: what was counted.
    pub struct Quilt {
        words: u64, grams: u64, patch_grams: u64, patchfrac: f64, covered: f64, sources: u64, largest: f64,
        own: f64, sections: f64, sewn: Option<f64>, attributed: f64, evidence: f64,
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
    ("max_own", "above_max_own"),
    ("max_sections", "above_max_sections"),
    ("min_sewn", "below_min_sewn"),
    ("max_attributed", "too_attributed"),
];

/// Group by document, of what was counted and, if it has sources, how much of it are sections of sites, how much is sewn
/// in and how much is attributed: the verdict.
pub struct Verdicts {
    told: LateLimits,
    counts: [u64; COUNTERS.len()],
}

impl Verdicts {
    const VERDICTS: Port<Verdict<'static>> = Port::documents(0, "verdicts");
    const QUILTS: Port<Quilt> = Port::documents(1, "quilts");

    fn judge(&mut self, doc: u64, judged: Judged<'_>, late: &Late, out: &mut Output) {
        let Judged { words, grams, patch_grams, patchfrac, covered, sources, largest, own, failed } = judged;
        let (sections, sewn, attributed) = (late.sections.unwrap_or(0.0), late.sewn, late.attributed.unwrap_or(0.0));
        let mut why = failed.to_vec();
        for (fails, limit) in [
            (sections > self.told.max_sections, "max_sections"),
            (sewn.is_some_and(|sewn| sewn < self.told.min_sewn), "min_sewn"),
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
        // What its own site has, too, may be its own: many sources of such text are no sign that it was stitched together.
        let evidence = sources as f64 * covered * (1.0 - own);
        let why = (!quilt).then_some(&why[..]);
        let verdict = Verdict {
            words,
            grams,
            patch_grams,
            patchfrac,
            covered,
            sources,
            largest,
            own,
            sections,
            sewn,
            attributed,
            evidence,
            quilt,
            why,
        };
        out.row(&Self::VERDICTS, doc, verdict);
        if quilt {
            let row = Quilt {
                words,
                grams,
                patch_grams,
                patchfrac,
                covered,
                sources,
                largest,
                own,
                sections,
                sewn,
                attributed,
                evidence,
            };
            out.row(&Self::QUILTS, doc, row);
        }
    }
}

impl Group for Verdicts {
    const NAME: &'static str = "verdicts";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<Judged<'static>>(), shape::<Late>()];
    const REPEATED: bool = true;
    const PORTS: &'static [PortInfo] = &[Self::VERDICTS.info(), Self::QUILTS.info()];
    const KEEPS: &'static str = "one row";
    type Told = LateLimits;

    fn new(told: LateLimits, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { told, counts: [0; COUNTERS.len()] })
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut counted = Vec::new();
        let mut late = Late { sections: None, sewn: None, attributed: None };
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                counted.extend_from_slice(tail);
            } else {
                let Late { sections, sewn, attributed } = Late::take(tail)?;
                late.sections = late.sections.or(sections);
                late.sewn = late.sewn.or(sewn);
                late.attributed = late.attributed.or(attributed);
            }
        }
        self.judge(key, Judged::take(&counted)?, &late, out);
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        for ((_, counter), &count) in COUNTERS.iter().zip(&self.counts) {
            out.count(counter, count);
        }
    }
}
