//! Who is told that a document seems to be stitched together: those that have text of it.

use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::{contract, row};

row! {
    /// Of a document: it seems to be stitched together; by how many sources, whether of pages of its own site, and whether
    /// only if its versions are left aside.
    pub struct Suspect { sources: u64, is_list: bool, is_double: bool }
}

row! {
    /// Of a document: another one that wants to know whether it is a suspect.
    pub struct Doubt { asker: u32 }
}

row! {
    /// Of a document: another one, with text of it, that is a suspect; whether it is a list of pages of its own site, or a
    /// suspect only if its versions are left aside.
    pub struct Suspected { document: u32, is_list: bool, is_double: bool }
}

/// Group by document, of whether it is a suspect, and of those who doubt it (it may itself): to each of these, that it is one.
pub struct Suspicions;

contract! {
    group Suspicions = "suspicions";
    new() = Ok(Self);
    key Doc of [Suspect, Doubt];
    keeps "nothing";
    const SUSPECTED: Port<Suspected> = Port::documents(0, "suspected");
}

impl Group for Suspicions {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut suspect = None;
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                suspect = Some(Suspect::take(tail)?);
            } else if let Some(Suspect { is_list, is_double, .. }) = suspect {
                let suspected = Suspected { document: key as u32, is_list, is_double };
                out.row(&Self::SUSPECTED, Doubt::take(tail)?.asker.into(), suspected);
            }
        }
        Ok(())
    }
}
