//! Groups: which runs of units stand elsewhere, and which units of each document they cover.

use std::collections::HashSet;

use super::windows::{Details, RunPlace};
use super::Cut;
use crate::analyses::reuse::objects::is_template;
use crate::flow::contract::Port;
use crate::flow::fields::Rest;
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::{contract, parameters, row};

parameters! {
    /// With `keep_one` the first place of a run stays. Runs on fewer than `min_sites` sites, or that stand in fewer than
    /// `min_times` places, stay. `menus` is how many characters a unit needs for each doubling of the documents that
    /// have it, or it is part of menus; 0 for none.
    pub struct Repeating { keep_one: bool, min_sites: usize, min_times: usize, menus: u64 }
}

row! {
    /// Of a document: so many runs, the first of which begins at this unit and each further one a unit behind, and the
    /// document and unit where the first stands too; so the others stand behind it there.
    pub struct Repeated { at: u32, runs: u32, copy: u32, copy_at: u32 }
}

row! {
    /// Of a document: a unit that is part of menus, and in how many documents it stands.
    pub struct MenuUnit { begin: u64, documents: u64 }
}

/// Group by run: its places but the first, each with the first.
pub struct RunCopies {
    wanted: Repeating,
    places: Vec<(u32, u32)>,
    sites: HashSet<u64>,
}

contract! {
    group RunCopies = "repeat copies";
    new(wanted: Repeating) = Ok(Self { wanted, places: Vec::new(), sites: HashSet::new() });
    key Hash of [RunPlace<'static>];
    keeps "8 bytes for each place of one run, and its sites";
    const COPIES: Port<Repeated> = Port::documents(0, "copies");
    const MENUS: Port<MenuUnit> = Port::documents(1, "menus");
}

impl Group for RunCopies {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        if rows.left() == Some(1) {
            return Ok(());
        }
        let Repeating { keep_one, min_sites, min_times, menus } = self.wanted;
        self.places.clear();
        self.sites.clear();
        let (mut documents, mut last, mut first_length) = (0, None, None);
        while let Some((_, tail)) = rows.next() {
            let RunPlace { doc, at, details: Rest(told), .. } = RunPlace::take(tail)?;
            documents += u64::from(last.replace(doc) != Some(doc));
            self.places.push((doc, at));
            if told.is_empty() {
                continue;
            }
            let Details { site, length } = Details::take(told)?;
            first_length.get_or_insert(length);
            if self.sites.len() < min_sites {
                self.sites.insert(site);
            }
        }
        if self.places.len() < min_times.max(2) || (min_sites > 1 && self.sites.len() < min_sites) {
            return Ok(());
        }
        if is_template(first_length.unwrap_or_default().into(), documents, menus) {
            for &(doc, at) in &self.places {
                out.row(&Self::MENUS, doc.into(), MenuUnit { begin: at.into(), documents });
            }
            return Ok(());
        }
        let first = self.places[0];
        if !keep_one {
            let (doc, at) = first;
            let (copy, copy_at) = self.places[1];
            out.row(&Self::COPIES, doc.into(), Repeated { at, runs: 1, copy, copy_at });
        }
        for &(doc, at) in &self.places[1..] {
            out.row(&Self::COPIES, doc.into(), Repeated { at, runs: 1, copy: first.0, copy_at: first.1 });
        }
        Ok(())
    }
}

parameters! {
    /// How many units a run has. Cuts of single units stay apart: each goes, or stays as a heading, by itself.
    pub struct Merging { n: u64 }
}

/// Group by document, of its runs, in one table or two: the units that these cover. A unit that several runs cover counts to the first of them;
/// units in a row whose copies stand in a row are one cut.
pub struct Cuts {
    n: u64,
    /// The rows of the first table. Both tables are in the order of places, and so are their rows together.
    first: Vec<Repeated>,
}

contract! {
    group Cuts = "repeat cuts";
    new(Merging { n }) = Ok(Self { n, first: Vec::new() });
    key Doc of [Repeated] and more;
    keeps "16 bytes for each row of one document in the first table";
    const CUTS: Port<Cut> = Port::documents(0, "cuts");
}

/// The cut that may still grow.
struct Growing {
    n: u64,
    doc: u64,
    open: Option<Cut>,
}

impl Growing {
    fn add(&mut self, repeated: Repeated, out: &mut Output) {
        let Repeated { at, runs, copy, copy_at } = repeated;
        let [at, runs, copy, copy_at] = [at, runs, copy, copy_at].map(u64::from);
        let end = at + runs - 1 + self.n;
        let begin = self.open.as_ref().map_or(at, |cut| cut.end.max(at));
        if begin >= end {
            return;
        }
        let copy_begin = copy_at + (begin - at);
        match &mut self.open {
            Some(cut)
                if self.n > 1
                    && cut.end == begin
                    && cut.copy == copy
                    && cut.copy_begin + (begin - cut.begin) == copy_begin =>
            {
                cut.end = end;
            }
            _ => {
                self.send(out);
                self.open = Some(Cut { begin, end, copy, copy_begin });
            }
        }
    }

    fn send(&mut self, out: &mut Output) {
        if let Some(done) = self.open.take() {
            out.row(&Cuts::CUTS, self.doc, done);
        }
    }
}

impl Group for Cuts {
    fn key(&mut self, doc: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.first.clear();
        let mut growing = Growing { n: self.n, doc, open: None };
        let mut next = 0;
        while let Some((table, tail)) = rows.next() {
            let row = Repeated::take(tail)?;
            if table == 0 {
                self.first.push(row);
                continue;
            }
            while let Some(earlier) = self.first.get(next).filter(|earlier| earlier.at < row.at) {
                growing.add(*earlier, out);
                next += 1;
            }
            growing.add(row, out);
        }
        self.first[next..].iter().for_each(|row| growing.add(*row, out));
        growing.send(out);
        Ok(())
    }
}
