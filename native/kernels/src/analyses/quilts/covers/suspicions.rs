//! Who is told that a document seems to be stitched together: those that have text of it.

use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::row;

row! {
    /// Of a document: it seems to be stitched together; by how many sources, and whether of pages of its own site.
    pub struct Suspect { sources: u64, is_list: bool }
}

row! {
    /// Of a document: another one that wants to know whether it is a suspect.
    pub struct Doubt { asker: u32 }
}

row! {
    /// Of a document: another one, with text of it, that is a suspect; whether it is a list of pages of its own site.
    pub struct Suspected { document: u32, is_list: bool }
}

/// Group by document, of whether it is a suspect, and of those who doubt it: to each of these, that it is one.
pub struct Suspicions;

impl Suspicions {
    const SUSPECTED: Port<Suspected> = Port::documents(0, "suspected");
}

impl Group for Suspicions {
    const NAME: &'static str = "suspicions";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<Suspect>(), shape::<Doubt>()];
    const PORTS: &'static [PortInfo] = &[Self::SUSPECTED.info()];
    const KEEPS: &'static str = "nothing";
    type Parameters = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut suspect = None;
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                suspect = Some(Suspect::take(tail)?);
            } else if let Some(Suspect { is_list, .. }) = suspect {
                let suspected = Suspected { document: key as u32, is_list };
                out.row(&Self::SUSPECTED, Doubt::take(tail)?.asker.into(), suspected);
            }
        }
        Ok(())
    }
}
