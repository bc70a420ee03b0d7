//! Where the copy of a cut is itself cut, it stands elsewhere: cuts are followed to the copies that stay.

use super::Cut;
use crate::flow::columns::Numbers;
use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::{columns, contract, row};

columns! {
    pub struct CutColumns<'a> {
        doc: Numbers<'a>,
        begin: Numbers<'a>,
        end: Numbers<'a>,
        copy: Numbers<'a>,
        copy_begin: Numbers<'a>,
    }
}

row! {
    /// Of a document: its units from `begin` on are the copy of units [owner_begin, owner_end) of another.
    pub struct Pointer { begin: u64, owner: u64, owner_begin: u64, owner_end: u64 }
}

/// Map of cuts: each to its own document, and to that of its copy.
pub struct Pointers;

contract! {
    map Pointers = "repeat pointers";
    new() = Ok(Self);
    reads CutColumns<'a>;
    const CUTS: Port<Cut> = Port::documents(0, "cuts");
    const POINTERS: Port<Pointer> = Port::documents(1, "pointers");
}

impl Map for Pointers {
    fn batch<'a>(&mut self, cuts: CutColumns<'a>, (): (), out: &mut Output) -> Done {
        for row in 0..cuts.doc.len() {
            let (doc, begin, end) = (cuts.doc.at(row), cuts.begin.at(row), cuts.end.at(row));
            let (copy, copy_begin) = (cuts.copy.at(row), cuts.copy_begin.at(row));
            out.row(&Self::CUTS, doc, Cut { begin, end, copy, copy_begin });
            let pointer = Pointer { begin: copy_begin, owner: doc, owner_begin: begin, owner_end: end };
            out.row(&Self::POINTERS, copy, pointer);
        }
        Ok(())
    }
}

/// Group by document, of its cuts and of what points to it: the same cuts, those parts that point to units that are cut
/// now pointing to the copies of these.
#[derive(Default)]
pub struct Settled {
    cuts: Vec<Cut>,
    changed: u64,
}

contract! {
    group Settled = "repeat settled";
    new() = Ok(Self::default());
    key Doc of [Cut, Pointer];
    keeps "the cuts of one document";
    const CUTS: Port<Cut> = Port::documents(0, "cuts");
}

impl Group for Settled {
    fn key(&mut self, doc: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.cuts.clear();
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                self.cuts.push(Cut::take(tail)?);
                continue;
            }
            let Pointer { begin, owner, owner_begin, owner_end } = Pointer::take(tail)?;
            let (mut at, end) = (begin, begin + (owner_end - owner_begin));
            let first = self.cuts.partition_point(|cut| cut.end <= at);
            let mut emit = |from: u64, to: u64, copy: u64, copy_begin: u64| {
                let (begin, end) = (owner_begin + (from - begin), owner_begin + (to - begin));
                out.row(&Self::CUTS, owner, Cut { begin, end, copy, copy_begin });
            };
            for cut in self.cuts[first..].iter().take_while(|cut| cut.begin < end) {
                if at < cut.begin {
                    emit(at, cut.begin, doc, at);
                    at = cut.begin;
                }
                let to = cut.end.min(end);
                emit(at, to, cut.copy, cut.copy_begin + (at - cut.begin));
                self.changed += 1;
                at = to;
            }
            if at < end {
                emit(at, end, doc, at);
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("changed", std::mem::take(&mut self.changed));
    }
}
