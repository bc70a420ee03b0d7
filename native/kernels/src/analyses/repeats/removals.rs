//! From units to texts: what is taken out of each document, where it begins and ends, and where its copy stands.

use sha1::{Digest, Sha1};

use super::settling::CutColumns;
use super::units::{units, RepeatUnit, UnitPlace};
use crate::flow::columns::{Along, Binary, Numbers, Strings};
use crate::flow::contract::Port;
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::text::fingerprint::Fingerprinter;
use crate::text::points::count_points;
use crate::text::unicode::append_folded;
use crate::text::words::words;
use crate::{columns, contract, parameters, row};

/// What is asked of a document: units that are cut, the copy of such units, a unit of menus.
const OWN: u64 = 0;
const COPY: u64 = 1;
const MENU: u64 = 2;
/// A heading has a second line at most: of so many units of menus in a row, all can be headings.
const HEADINGS: usize = 2;
/// A paragraph of so many words is not a heading.
const LONG: usize = 15;
/// Fewer words than this are nothing worth reading.
const LEAST_LEFT: usize = 10;

row! {
    /// Of a document: units [begin, end) of it that matter, why, and the cut for which they do.
    pub struct TextRequest { begin: u64, end: u64, side: u64, cut: u64 }
}

/// A number of its own for each cut, spread over all numbers.
fn number(doc: u64, begin: u64) -> u64 {
    (doc << 32 | begin).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Map of cuts: what is asked of their documents, and of those of their copies.
pub struct CutRequests;

contract! {
    map CutRequests = "repeat requests";
    new() = Ok(Self);
    reads CutColumns<'a>;
    const REQUESTS: Port<TextRequest> = Port::documents(0, "requests");
}

impl Map for CutRequests {
    fn batch<'a>(&mut self, cuts: CutColumns<'a>, (): (), out: &mut Output) -> Done {
        for row in 0..cuts.doc.len() {
            let (doc, begin, end) = (cuts.doc.at(row), cuts.begin.at(row), cuts.end.at(row));
            let (copy, from, cut) = (cuts.copy.at(row), cuts.copy_begin.at(row), number(doc, begin));
            out.row(&Self::REQUESTS, doc, TextRequest { begin, end, side: OWN, cut });
            out.row(&Self::REQUESTS, copy, TextRequest { begin: from, end: from + (end - begin), side: COPY, cut });
        }
        Ok(())
    }
}

columns! {
    pub struct MenuColumns<'a> { doc: Numbers<'a>, begin: Numbers<'a> }
}

/// Map of units of menus: the same for these.
pub struct MenuRequests;

contract! {
    map MenuRequests = "menu requests";
    new() = Ok(Self);
    reads MenuColumns<'a>;
    const REQUESTS: Port<TextRequest> = Port::documents(0, "requests");
}

impl Map for MenuRequests {
    fn batch<'a>(&mut self, menus: MenuColumns<'a>, (): (), out: &mut Output) -> Done {
        for row in 0..menus.doc.len() {
            let (doc, begin) = (menus.doc.at(row), menus.begin.at(row));
            out.row(&Self::REQUESTS, doc, TextRequest { begin, end: begin + 1, side: MENU, cut: number(doc, begin) });
        }
        Ok(())
    }
}

/// Where units begin, in code points.
fn count_begins(text: &str, places: &[UnitPlace]) -> Vec<u64> {
    let (mut byte, mut point) = (0, 0);
    let next = |place: &UnitPlace| {
        point += count_points(&text.as_bytes()[byte..place.begin]) as u64;
        byte = place.begin;
        point
    };
    places.iter().map(next).collect()
}

parameters! {
    pub struct Removing { unit: RepeatUnit }
}

columns! {
    pub struct UnitTexts<'a> { doc: Numbers<'a>, text: Strings<'a>, chunks: Binary<'a> }
}

columns! {
    pub struct RequestColumns<'a> {
        doc: Numbers<'a>,
        begin: Numbers<'a>,
        end: Numbers<'a>,
        side: Numbers<'a>,
        cut: Numbers<'a>,
    }
}

row! {
    /// Of a cut: one of its sides, where it is, how many words it has, and a digest of these.
    pub struct CutSide<'a> { side: u64, doc: u64, begin: u64, end: u64, words: u64, digest: &'a [u8; 20] }
}

row! {
    /// Of a document of which nothing worth reading is left: why, and how many words it had.
    pub struct Gone<'a> { why: &'a [u8], words: u64, left: u64 }
}

/// Map of documents of which something is asked: each piece of text.
pub struct Removals {
    unit: RepeatUnit,
    print: Fingerprinter,
}

contract! {
    map Removals = "repeat removals";
    new(Removing { unit }) = Ok(Self { unit, print: Fingerprinter::plain() });
    reads UnitTexts<'a>, beside RequestColumns<'a>;
    keeps "the units of one document";
    const SIDES: Port<CutSide<'static>> = Port::hashes(0, "sides");
    const GONE: Port<Gone<'static>> = Port::documents(1, "gone");
}

impl Removals {
    /// Which paragraphs stay though they are cut, or part of menus: of a run of short ones, the headings of a paragraph
    /// behind it that stays.
    fn choose_headings(places: &[UnitPlace], cut: &[bool], menu: &[bool]) -> Vec<bool> {
        let mut stays = vec![false; places.len()];
        let short = |i: usize| menu[i] || (cut[i] && places[i].words < LONG);
        let mut at = 0;
        while at < places.len() {
            if !short(at) {
                at += 1;
                continue;
            }
            let end = (at..places.len()).find(|&i| !short(i)).unwrap_or(places.len());
            let heads = end < places.len() && !cut[end] && places[end].words > 0;
            let headings = match end - at {
                _ if !heads => 0,
                few if few <= HEADINGS => few,
                _ => 1,
            };
            stays[end - headings..end].fill(true);
            at = end;
        }
        stays
    }

    fn digest(&self, text: &str) -> (u64, [u8; 20]) {
        let (mut folded, mut count) = (Vec::new(), 0);
        words(text, &self.print, |begin, end, _| {
            count += 1;
            append_folded(&mut folded, &text[begin..end]);
            folded.push(b' ');
        });
        (count, Sha1::digest(&folded).into())
    }

    /// Where a piece of text ends that goes: what separates it from the next unit goes with it. Behind words, that is
    /// punctuation, and blanks if there are some before it.
    fn reach(&self, text: &str, places: &[UnitPlace], begin: usize, end: usize, joined: bool) -> usize {
        let next = places.get(end).map_or(text.len(), |place| place.begin);
        if self.unit != RepeatUnit::Word || joined {
            return next;
        }
        let last = places[end - 1].end;
        let marks = text[last..next].find(char::is_whitespace).map_or(next, |at| last + at);
        // An opening quote or bracket belongs to the word behind it.
        let marks = if marks == next { last } else { marks };
        let after_blank = text[..places[begin].begin].chars().next_back().is_none_or(char::is_whitespace);
        match after_blank {
            true => marks + text[marks..next].len() - text[marks..next].trim_start_matches([' ', '\t']).len(),
            false => marks,
        }
    }
}

impl Map for Removals {
    fn batch<'a>(&mut self, pages: UnitTexts<'a>, asked: RequestColumns<'a>, out: &mut Output) -> Done {
        let mut along = Along::new(asked.doc);
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            let rows = along.rows(doc);
            if rows.is_empty() {
                continue;
            }
            let (text, mut places) = (pages.text.at(row), Vec::new());
            if !units(&text, pages.chunks.at(row), self.unit, &self.print, |place| places.push(place)) {
                return Err(Damaged("chunks").into());
            }
            let (mut cut, mut menu, mut is_copy) = (vec![false; places.len()], vec![false; places.len()], false);
            let mut stay = vec![false; places.len()];
            for row in rows.clone() {
                let (begin, end) = (asked.begin.at(row) as usize, asked.end.at(row) as usize);
                if begin >= end || end > places.len() {
                    return Err(Damaged("repeats").into());
                }
                match asked.side.at(row) {
                    OWN => cut[begin..end].fill(true),
                    MENU => menu[begin] = true,
                    _ => is_copy = true,
                }
            }
            if self.unit == RepeatUnit::Paragraph {
                let headings = Self::choose_headings(&places, &cut, &menu);
                let cut_or_menu = cut.iter_mut().zip(&mut menu).zip(&headings);
                cut_or_menu.filter(|(_, &stays)| stays).for_each(|((cut, menu), _)| (*cut, *menu) = (false, false));
                stay = headings;
            }
            let points = count_begins(&text, &places);
            let point = |unit: usize, byte: usize| {
                points[unit] + count_points(&text.as_bytes()[places[unit].begin..byte]) as u64
            };
            for row in rows {
                let (begin, end) = (asked.begin.at(row) as usize, asked.end.at(row) as usize);
                let side = asked.side.at(row);
                if side != COPY && stay[begin] {
                    continue;
                }
                let (from, last) = (places[begin].begin, places[end - 1].end);
                let (words, digest) = self.digest(&text[from..last]);
                let joined = cut.get(end).is_some_and(|&cut| cut);
                let to = if side == COPY { last } else { self.reach(&text, &places, begin, end, joined) };
                let side = CutSide { side, doc, begin: points[begin], end: point(end - 1, to), words, digest: &digest };
                out.row(&Self::SIDES, asked.cut.at(row), side);
            }
            let all: usize = places.iter().map(|place| place.words).sum();
            // Headings say nothing by themselves.
            let stays = |i: usize| !cut[i] && !menu[i] && !stay[i];
            let left: usize = (0..places.len()).filter(|&i| stays(i)).map(|i| places[i].words).sum();
            let something = cut.iter().chain(&menu).any(|&there| there);
            let least = if self.unit == RepeatUnit::Paragraph { LEAST_LEFT } else { 1 };
            if something && !is_copy && left < least {
                let copied: usize = (0..places.len()).filter(|&i| cut[i]).map(|i| places[i].words).sum();
                let had_nothing = menu.contains(&true) && left + copied < LEAST_LEFT;
                let why: &[u8] = if had_nothing { b"navigation" } else { b"copies" };
                out.row(&Self::GONE, doc, Gone { why, words: all as u64, left: left as u64 });
                out.count("gone", 1);
            }
            out.relieve();
        }
        Ok(())
    }
}

row! {
    /// Of a document: text that is taken out, why, how many words it has, and where its copy stands.
    pub struct Removed<'a> {
        begin: u64,
        end: u64,
        why: &'a [u8],
        words: u64,
        copy: Option<u64>,
        copy_begin: Option<u64>,
        copy_end: Option<u64>,
    }
}

/// Group by cut, of its sides: what is taken out. Sides with other words than their copy, which only have the same
/// fingerprints, stay.
pub struct VerifiedCuts;

contract! {
    group VerifiedCuts = "repeats verified";
    new() = Ok(Self);
    key Hash of [CutSide<'static>];
    keeps "one row";
    const REMOVED: Port<Removed<'static>> = Port::documents(0, "removed");
}

impl Group for VerifiedCuts {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut own: Option<(u64, u64, u64, u64, [u8; 20])> = None;
        while let Some((_, tail)) = rows.next() {
            let CutSide { side, doc, begin, end, words, digest } = CutSide::take(tail)?;
            let (copy, copy_begin, copy_end) = (None, None, None);
            match (side, own) {
                (MENU, _) => {
                    let why = b"menu";
                    out.row(&Self::REMOVED, doc, Removed { begin, end, why, words, copy, copy_begin, copy_end });
                    out.count("menu_words", words);
                }
                (OWN, _) => own = Some((doc, begin, end, words, *digest)),
                (_, Some((page, from, to, number, same))) if same == *digest => {
                    let (copy, copy_begin, copy_end, why) = (Some(doc), Some(begin), Some(end), b"copy");
                    let row = Removed { begin: from, end: to, why, words: number, copy, copy_begin, copy_end };
                    out.row(&Self::REMOVED, page, row);
                    out.count("copied_words", number);
                }
                // The copy of a heading that stays, or of other words with the same fingerprints.
                _ => {}
            }
        }
        Ok(())
    }
}
