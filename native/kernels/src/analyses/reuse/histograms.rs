//! Group: how often each number came up, of each kind of thing that was counted.

use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Beginning, Done, Group, Output, Rows, Stretches};
use crate::row;

row! {
    /// Of a number: what had it, and how often.
    pub struct Tally<'a> { what: &'a [u8], count: u64 }
}

pub struct Histograms;

impl Histograms {
    const COUNTS: Port<Tally<'static>> = Port::hashes(0, "counts");
}

impl Group for Histograms {
    const NAME: &'static str = "histograms";
    const KEY: Key = Key::Hash;
    const TABLES: &'static [Shape] = &[shape::<Tally<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::COUNTS.info()];
    const KEEPS: &'static str = "one row";
    const REPEATED: bool = true;
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut kinds = Stretches::new(rows, Beginning::AllBut(8));
        while kinds.begin() {
            let mut count = 0;
            while let Some(tail) = kinds.tail() {
                count += Tally::take(tail)?.count;
            }
            let what = kinds.beginning().get(4..).ok_or(Damaged("Tally"))?;
            out.row(&Self::COUNTS, key, Tally { what, count });
        }
        Ok(())
    }
}
