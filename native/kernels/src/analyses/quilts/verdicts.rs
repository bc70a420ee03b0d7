//! What documents are: quilts, stitched in part, originals that others took from, or none of these, and why.

use std::collections::HashSet;

use crate::analyses::quilts::covers::first::MOST_OF_SUSPECTS;
use crate::analyses::quilts::covers::suspicions::{Suspect, Suspected};
use crate::analyses::quilts::covers::{share, Judged, OwnSite};
use crate::flow::contract::{Port, WrongParameter};
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::flow::rows::take_doc;
use crate::{contract, parameters, row};

row! {
    /// Of a document with sources, as far as it is known: see the columns of the table `verdicts`.
    pub struct Late {
        sections: Option<f64>, attributed: Option<f64>, spanned: Option<f64>, sewn: Option<f64>,
        sewn_words: Option<u64>, sewn_sources: Option<u64>, in_order: Option<u64>, out_of_order: Option<u64>,
        reads_on: Option<f64>, joined_words: Option<u64>, joined_sources: Option<u64>, resumes: Option<f64>, borders_on: Option<f64>,
    }
}

impl Late {
    pub const UNKNOWN: Self = Self {
        sections: None,
        attributed: None,
        spanned: None,
        sewn: None,
        sewn_words: None,
        sewn_sources: None,
        in_order: None,
        out_of_order: None,
        reads_on: None,
        joined_words: None,
        joined_sources: None,
        resumes: None,
        borders_on: None,
    };
}

/// The rows that have the numbers of a document, in the order of the columns of `verdicts`.
macro_rules! numbered {
    ($($field:ident: $type:ty),* $(,)?) => {
        row! {
            /// Of any document: what was counted, and a word if it has no sources. What pages of its own site have, and
            /// the evidence, come last.
            pub struct CountedNumbers<'a> {
                $($field: $type,)* covered_grams: u64, by_suspects: f64, doubled: f64, published: Option<u64>, why: &'a [u8],
            }
        }

        row! {
            /// Of any document: what was counted, what it is, and if it is no quilt, which limits it fails.
            pub struct Verdict<'a> {
                $($field: $type,)* verdict: &'a [u8], quilt: bool, why: Option<&'a [u8]>, published: Option<u64>,
            }
        }

        row! {
            /// Of a quilt: what was counted, and whether it is one in part.
            pub struct Quilt<'a> { $($field: $type,)* verdict: &'a [u8] }
        }

        impl CountedNumbers<'_> {
            fn verdict<'a>(&self, verdict: &'a [u8], why: Option<&'a [u8]>) -> Verdict<'a> {
                let CountedNumbers { $($field,)* published, .. } = *self;
                Verdict { $($field,)* verdict, quilt: why.is_none(), why, published }
            }

            fn quilt<'a>(&self, verdict: &'a [u8]) -> Quilt<'a> {
                let CountedNumbers { $($field,)* .. } = *self;
                Quilt { $($field,)* verdict }
            }
        }
    };
}

numbered! {
    words: u64,
    grams: u64,
    patch_grams: u64,
    patchfrac: f64,
    covered: f64,
    spanned: Option<f64>,
    sources: u64,
    largest: f64,
    own: Option<f64>,
    sections: Option<f64>,
    sewn: Option<f64>,
    sewn_words: Option<u64>,
    sewn_sources: Option<u64>,
    joined_words: Option<u64>,
    joined_sources: Option<u64>,
    reads_on: Option<f64>,
    resumes: Option<f64>,
    borders_on: Option<f64>,
    in_order: Option<f64>,
    stitched: f64,
    from_pool: bool,
    attributed: Option<f64>,
    evidence: f64,
    reworded: Option<u64>,
}

parameters! {
    /// The limits, one a line, in the order in which they are named: its name, the column it is held against, whether less
    /// (`<`) or more (`>`) fails it, and its value (`analyses/limits.py` has the table). And from how many sources how many
    /// words have to be sewn in for a document to be a quilt in part, if passages span enough of it and it jumps; of 0 words, never.
    /// And whether pages of a site that are stitched together themselves are no home of its text.
    pub struct Judging { limits: String, c: u64, min_part: u64, homes: bool }
}

/// Passages span at least this part of σ in a quilt in part: in threads of a forum that quote other sites, they span less.
const PART_OF_SIGMA: f64 = 0.6;
/// Where one source holds most, passages with this share of the words that are sewn in stand side by side.
const NEARLY_ALL: f64 = 0.9;
/// Whoever quotes goes on behind the quotation with what they wrote before it: their own words on both sides have this much
/// in common at least, beside what the sources have in common at borders.
const MOST_RESUMED: f64 = 0.33;
/// How much evidence falls as a page reads on: it counts in full where `reads_on` is -0.02 or less, half at 0, and not at
/// all from 0.02 on.
const DOUBT: f64 = 25.0;

/// How much less evidence text is that only pages have which are stitched together themselves.
const POOR_WITNESSES: f64 = 0.75;

impl CountedNumbers<'_> {
    /// The evidence that it is a quilt. What its own site has, too, may be its own: many sources of such text are no sign
    /// that it was stitched together. So may sections of one other site: whole pages of it. And pages that are stitched
    /// together themselves are poor witnesses.
    fn weigh(&self) -> f64 {
        let elsewhere = (1.0 - self.own.unwrap_or(0.0)) * (1.0 - self.sections.unwrap_or(0.0));
        let believed = self.reads_on.map_or(1.0, |reads_on| (0.5 - DOUBT * reads_on).clamp(0.0, 1.0));
        self.sources as f64 * self.covered * elsewhere * believed * (1.0 - POOR_WITNESSES * self.by_suspects)
    }
}

/// An original reads on at more than this share of its borders.
const HALF: f64 = 0.5;
/// Chance makes a page read on by at most so many times the limit.
const CHANCE: f64 = 2.0;
/// Of a page of a farm, its own site has no more than this share on pages that are not stitched together.
const LITTLE_OWN: f64 = 0.3;

impl CountedNumbers<'_> {
    /// Whether its own site draws on a pool again and again, and has hardly any of it on pages of its own.
    fn is_farmed(&self) -> bool {
        self.from_pool && self.own.unwrap_or(0.0) <= LITTLE_OWN
    }

    /// Whether it reads on a little, but not at most of its borders.
    fn reads_on_by_chance(&self, limit: f64) -> bool {
        let little = self.reads_on.is_some_and(|reads_on| reads_on <= CHANCE * limit);
        little && self.borders_on.is_some_and(|share| share <= HALF)
    }
}

/// If more than this share of what is covered is only in pages that are stitched together themselves, the limit on how much
/// better a page may read on than they do is stricter.
const MOSTLY_STITCHED: f64 = 0.5;
/// How much stricter limits are for pages of which others may be stitched together as they are.
const STRICTER: f64 = 4.0;

/// Fewer pairs of passages in the same order are chance.
const FEWEST_PAIRS: u64 = 3;

/// How much more often pairs of passages follow each other in their source than not; nothing of fewer than
/// [`FEWEST_PAIRS`].
fn weigh_order(in_order: u64, out_of_order: u64) -> f64 {
    let pairs = in_order + out_of_order;
    if pairs < FEWEST_PAIRS {
        0.0
    } else {
        share(in_order.saturating_sub(out_of_order), pairs)
    }
}

/// A limit of quilts.
struct Limit {
    name: String,
    column: Column,
    most: bool,
    value: f64,
}

/// A number that limits are held against; none where it is not known.
type Column = fn(&CountedNumbers<'_>) -> Option<f64>;

fn find_column(name: &str) -> Option<Column> {
    Some(match name {
        "patchfrac" => |counted| Some(counted.patchfrac),
        "covered" => |counted| Some(counted.covered),
        // Where passages were not looked for, they span what sources cover.
        "spanned" => |counted| counted.spanned.or(Some(counted.covered)),
        "sources" => |counted| Some(counted.sources as f64),
        "largest" => |counted| Some(counted.largest),
        "own" => |counted| counted.own,
        "sections" => |counted| counted.sections,
        "sewn" => |counted| counted.sewn,
        "reads_on" => |counted| counted.reads_on,
        "in_order" => |counted| counted.in_order,
        "attributed" => |counted| counted.attributed,
        _ => return None,
    })
}

/// The limits of quilts, and what documents are by them: the one place that decides it.
pub struct Limits {
    limits: Vec<Limit>,
    c: u64,
    min_part: u64,
}

impl Limits {
    fn new(told: &Judging) -> Result<Self, WrongParameter> {
        let read = |line: &str| {
            let [name, column, sign, value] = line.split(' ').collect::<Vec<_>>()[..] else { return None };
            let most = match sign {
                "<" => false,
                ">" => true,
                _ => return None,
            };
            Some(Limit { name: name.into(), column: find_column(column)?, most, value: value.parse().ok()? })
        };
        let limits = told
            .limits
            .lines()
            .map(|line| read(line).ok_or_else(|| WrongParameter(format!("no limit is written like {line}"))));
        Ok(Self { limits: limits.collect::<Result<_, _>>()?, c: told.c, min_part: told.min_part })
    }

    /// Where nothing tells who took from whom, seams have to: passages of c sources are sewn in.
    fn lies_apart(&self, counted: &CountedNumbers<'_>) -> bool {
        self.c > 1 && self.jump(counted.reads_on) == Some(false) && counted.sewn_sources.unwrap_or(0) < self.c
    }

    /// The value of a limit; 0 of one that is not asked for.
    fn value(&self, name: &str) -> f64 {
        self.limits.iter().find(|limit| limit.name == name).map_or(0.0, |limit| limit.value)
    }

    /// Whether a page jumps at the borders of its passages, if that is known.
    fn jump(&self, reads_on: Option<f64>) -> Option<bool> {
        reads_on.map(|reads_on| reads_on <= -self.value("max_reads_on"))
    }

    /// A version that is stitched together as it is explains nothing, if the page jumps, and its own site has hardly any of
    /// the text; else it is the largest source.
    fn count_doubles(&self, counted: &mut CountedNumbers<'_>) {
        let has_own = counted.own.is_some_and(|own| own > self.value("max_own") / STRICTER);
        if has_own || self.jump(counted.reads_on) != Some(true) {
            counted.largest = counted.largest.max(counted.doubled);
        }
    }

    /// The names of the limits that a document fails, and what it is. What is not known fails nothing. Unless it is `strict`,
    /// it does not ask who has the text.
    fn judge<'a>(&'a self, counted: &'a CountedNumbers<'_>, strict: bool) -> (Vec<&'a str>, &'static str) {
        if counted.sources == 0 {
            return (vec![std::str::from_utf8(counted.why).unwrap_or_default()], "none");
        }
        let mut failed = Vec::new();
        for Limit { name, column, most, value } in &self.limits {
            // What only stitched pages have, too, they may have from here. A limit of 1 is none.
            let is_witness = strict && name == "max_reads_on" && counted.stitched > MOSTLY_STITCHED && *value < 1.0;
            let value = if is_witness { value.min(value / STRICTER) } else { *value };
            let fails = |number: f64| if *most { number > value } else { number < value };
            let is_farmed = strict && counted.is_farmed();
            let excused = name == "max_reads_on" && is_farmed && counted.reads_on_by_chance(self.value("max_reads_on"));
            let also = strict && name == "min_sewn" && value > 0.0 && !is_farmed && self.lies_apart(counted);
            if also || (!excused && column(counted).is_some_and(fails)) {
                failed.push(&name[..]);
            }
        }
        match &failed[..] {
            [] => (failed, "quilt"),
            [one @ ("sigma" | "max_largest")] if self.is_in_part(counted, one) => (Vec::new(), "in part"),
            names if names.contains(&"max_reads_on") => (failed, "original"),
            _ => (failed, "none"),
        }
    }

    /// Whether a document that fails one limit, σ or that on its largest source, is a quilt in part: it jumps, and has enough
    /// words of enough sources in passages. These stand side by side; or they span much of it, and it jumps twice as far;
    /// or they are more, and the words around them do not go on behind them. Words that its own site has, too, do not count,
    /// and where one source holds most, only those of others, twice.
    fn is_in_part(&self, counted: &CountedNumbers<'_>, failed: &str) -> bool {
        let jumps =
            |times: f64| counted.reads_on.is_none_or(|reads_on| reads_on <= -times * self.value("max_reads_on"));
        let not_own = 1.0 - counted.own.unwrap_or(0.0);
        let of_others = (2.0 * (1.0 - counted.largest)).min(1.0);
        let enough = |words: Option<u64>, sources: Option<u64>, least: f64| {
            sources.unwrap_or(0) >= self.c && words.unwrap_or(0) as f64 * not_own * of_others >= least
        };
        let least = self.min_part as f64;
        let sewn_in = |least: f64| enough(counted.sewn_words, counted.sewn_sources, least);
        let much = counted.spanned.unwrap_or(0.0) >= self.value("sigma") * PART_OF_SIGMA && jumps(2.0);
        let scattered = counted.resumes.is_some_and(|resumes| resumes <= MOST_RESUMED);
        let of_sigma = failed == "sigma" && ((much && sewn_in(least)) || (scattered && sewn_in(least / PART_OF_SIGMA)));
        let nearly_all =
            counted.joined_words.unwrap_or(0) as f64 >= NEARLY_ALL * counted.sewn_words.unwrap_or(0) as f64;
        let side_by_side =
            enough(counted.joined_words, counted.joined_sources, least) && (failed == "sigma" || nearly_all);
        self.min_part > 0 && jumps(1.0) && counted.largest <= MOST_OF_SUSPECTS && (side_by_side || of_sigma)
    }
}

/// Group by document, of what was counted in either round and, if it has sources, what became known of it since: all of it
/// in one row; and whether it seems to be stitched together, by all limits but those on its own site; a page of a farm that draws more than
/// usual from one source is no home of text, either.
pub struct DocumentCounts {
    limits: Limits,
    homes: bool,
}

contract! {
    group DocumentCounts = "counts";
    new(told: Judging) = Ok(Self { limits: Limits::new(&told)?, homes: told.homes });
    key Doc of [Judged<'static>, Judged<'static>, Late] and more;
    keeps "one row";
    const COUNTED: Port<CountedNumbers<'static>> = Port::documents(0, "counted");
    const STITCHED: Port<Suspect> = Port::documents(1, "stitched");
}

impl Group for DocumentCounts {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut judged = Vec::new();
        let mut late = Late::UNKNOWN;
        while let Some((table, tail)) = rows.next() {
            if table < 2 {
                judged.extend_from_slice(tail);
            } else {
                let more = Late::take(tail)?;
                late = Late {
                    sections: late.sections.or(more.sections),
                    attributed: late.attributed.or(more.attributed),
                    spanned: late.spanned.or(more.spanned),
                    sewn: late.sewn.or(more.sewn),
                    sewn_words: late.sewn_words.or(more.sewn_words),
                    sewn_sources: late.sewn_sources.or(more.sewn_sources),
                    in_order: late.in_order.or(more.in_order),
                    out_of_order: late.out_of_order.or(more.out_of_order),
                    reads_on: late.reads_on.or(more.reads_on),
                    joined_words: late.joined_words.or(more.joined_words),
                    joined_sources: late.joined_sources.or(more.joined_sources),
                    resumes: late.resumes.or(more.resumes),
                    borders_on: late.borders_on.or(more.borders_on),
                };
            }
        }
        let Judged {
            words,
            grams,
            patch_grams,
            covered,
            by_suspects,
            from_pool,
            sources,
            largest,
            doubled,
            reworded,
            published,
            why,
        } = Judged::take(&judged)?;
        let Late {
            sections,
            attributed,
            spanned,
            sewn,
            sewn_words,
            sewn_sources,
            in_order,
            out_of_order,
            reads_on,
            joined_words,
            joined_sources,
            resumes,
            borders_on,
        } = late;
        let doubled = doubled.min(covered);
        let mut counted = CountedNumbers {
            words,
            grams,
            patch_grams,
            patchfrac: share(patch_grams, grams),
            covered: share(covered, grams),
            spanned,
            sources,
            largest: share(largest, covered),
            own: None,
            sections,
            sewn,
            sewn_words,
            sewn_sources,
            joined_words,
            joined_sources,
            reads_on,
            resumes,
            borders_on,
            in_order: in_order
                .zip(out_of_order)
                .map(|(in_order, out_of_order)| weigh_order(in_order, out_of_order) * share(by_suspects, covered)),
            stitched: if from_pool { 0.0 } else { share(by_suspects, covered) },
            from_pool,
            attributed,
            evidence: 0.0,
            reworded,
            covered_grams: covered,
            by_suspects: share(by_suspects.max(doubled), covered),
            doubled: share(doubled, covered),
            published,
            why,
        };
        self.limits.count_doubles(&mut counted);
        let failed = self.limits.judge(&counted, false).0;
        let draws_most_from_one = failed == ["max_largest"] && counted.largest <= MOST_OF_SUSPECTS;
        if self.homes && (failed.is_empty() || draws_most_from_one) {
            out.row(&Self::STITCHED, key, Suspect { sources, is_list: false, is_double: false });
        }
        out.row(&Self::COUNTED, key, counted);
        Ok(())
    }
}

/// What documents are counted under by the first limit that they fail; and those of them that are quilts as published.
/// These share something.
const COUNTERS: &[(&str, &str, &str)] = &[
    ("short", "too_short", ""),
    ("nothing shared", "nothing_shared", ""),
    ("own site", "own_site_only", "published_own_site_only"),
    ("min_share", "below_min_share", "published_below_min_share"),
    ("sigma", "below_sigma", "published_below_sigma"),
    ("max_largest", "above_max_largest", "published_above_max_largest"),
    ("c", "below_c", "published_below_c"),
    ("max_own", "above_max_own", "published_above_max_own"),
    ("max_sections", "above_max_sections", "published_above_max_sections"),
    ("min_sewn", "below_min_sewn", "published_below_min_sewn"),
    ("max_reads_on", "above_max_reads_on", "published_above_max_reads_on"),
    ("max_in_order", "above_max_in_order", "published_above_max_in_order"),
    ("max_attributed", "too_attributed", "published_too_attributed"),
];

/// Group by document, of what was counted, of the documents of its own site that have the same text, and of those among
/// them that are stitched together themselves: the verdict.
pub struct Verdicts {
    limits: Limits,
    counts: [[u64; 2]; COUNTERS.len()],
    in_part: u64,
    /// How many are quilts as published, and whether that is known.
    published: Option<u64>,
}

contract! {
    group Verdicts = "verdicts";
    new(told: Judging) = Ok(Self {
        limits: Limits::new(&told)?, counts: [[0; 2]; COUNTERS.len()], in_part: 0, published: None,
    });
    key Doc of [CountedNumbers<'static>, OwnSite<'static>, Suspected];
    keeps "one row, and the documents of its own site with the same text";
    const VERDICTS: Port<Verdict<'static>> = Port::documents(0, "verdicts");
    const QUILTS: Port<Quilt<'static>> = Port::documents(1, "quilts");
}

impl Verdicts {
    fn judge(&mut self, doc: u64, counted: &CountedNumbers<'_>, out: &mut Output) {
        let (failed, verdict) = self.limits.judge(counted, true);
        if let Some(place) = failed.first().and_then(|first| COUNTERS.iter().position(|(word, ..)| word == first)) {
            self.counts[place][0] += 1;
            self.counts[place][1] += counted.published.unwrap_or(0);
        }
        if let Some(published) = counted.published {
            *self.published.get_or_insert(0) += published;
        }
        self.in_part += u64::from(verdict == "in part");
        let why = failed.join(", ");
        let why = (!failed.is_empty()).then_some(why.as_bytes());
        out.row(&Self::VERDICTS, doc, counted.verdict(verdict.as_bytes(), why));
        if why.is_none() {
            out.row(&Self::QUILTS, doc, counted.quilt(verdict.as_bytes()));
        }
    }
}

impl Group for Verdicts {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut counted = Vec::new();
        let mut own_site: Vec<(u64, Vec<u32>)> = Vec::new();
        let mut stitched = HashSet::new();
        while let Some((table, tail)) = rows.next() {
            match table {
                0 => counted.extend_from_slice(tail),
                1 => {
                    let OwnSite { weight, documents } = OwnSite::take(tail)?;
                    let mut left = documents.0;
                    own_site.push((weight, std::iter::from_fn(|| take_doc(&mut left)).collect()));
                }
                _ => _ = stitched.insert(Suspected::take(tail)?.document),
            }
        }
        if counted.is_empty() {
            return Err(Damaged("CountedNumbers").into());
        }
        let mut counted = CountedNumbers::take(&counted)?;
        let is_home = |document: &u32| !stitched.contains(document);
        let at_home = own_site.iter().filter(|(_, documents)| documents.iter().any(is_home));
        let own = at_home.map(|&(weight, _)| weight).sum();
        // Only of documents that were looked at is it known which documents of their own site have the same text.
        counted.own = (counted.sewn.is_some() || !own_site.is_empty()).then(|| share(own, counted.covered_grams));
        counted.evidence = counted.weigh();
        self.limits.count_doubles(&mut counted);
        self.judge(key, &counted, out);
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        for ((_, counter, _), &[count, _]) in COUNTERS.iter().zip(&self.counts) {
            out.count(counter, count);
        }
        out.count("in_part", self.in_part);
        if let Some(published) = self.published {
            out.count("published", published);
            for ((_, _, counter), &[_, count]) in
                COUNTERS.iter().zip(&self.counts).filter(|((.., name), _)| !name.is_empty())
            {
                out.count(counter, count);
            }
        }
    }
}
