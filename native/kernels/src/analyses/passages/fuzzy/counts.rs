//! In how many documents each stem is, and how often it occurs.

use hashbrown::{hash_table, HashTable};

use crate::alignment::stems::each_stem;
use crate::documents::standing::{Stand, Standing};
use crate::flow::columns::Texts;
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::row;
use crate::text::fingerprint::Fingerprinter;
use crate::text::slots::mixed;

row! {
    /// Of a stem: in how many documents it is, and how often.
    pub struct StemCount { df: u64, times: u64 }
}

/// What is known of a stem of the batch: its fingerprint, the counts, and the last document that has it.
struct Counted {
    stem: u64,
    df: u64,
    times: u64,
    last: u32,
}

/// Map: the counts of the stems of a batch, of documents that are kept.
pub struct StemCounts;

impl StemCounts {
    const COUNTS: Port<StemCount> = Port::hashes(0, "counts");
}

impl Map for StemCounts {
    const NAME: &'static str = "stem counts";
    const PORTS: &'static [PortInfo] = &[Self::COUNTS.info()];
    const KEEPS: &'static str = "the distinct stems of a batch";
    type Told = ();
    type Reads<'a> = Texts<'a>;
    type Beside<'a> = Option<Stand<'a>>;

    fn new((): ()) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

    fn batch<'a>(&mut self, pages: Texts<'a>, beside: Option<Stand<'a>>, out: &mut Output) -> Done {
        let mut standing = Standing::new(beside);
        let print = Fingerprinter::plain();
        let mut counts: HashTable<Counted> = HashTable::new();
        let mut words = 0;
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row) as u32;
            if standing.code(doc).is_none() {
                continue;
            }
            each_stem(&pages.text.at(row), &print, |_, _, stem| {
                words += 1;
                match counts.entry(mixed(stem), |known| known.stem == stem, |known| mixed(known.stem)) {
                    hash_table::Entry::Occupied(mut known) => {
                        let known = known.get_mut();
                        known.times += 1;
                        known.df += u64::from(known.last != doc);
                        known.last = doc;
                    }
                    hash_table::Entry::Vacant(place) => {
                        place.insert(Counted { stem, df: 1, times: 1, last: doc });
                    }
                }
            });
        }
        for &Counted { stem, df, times, .. } in &counts {
            out.row(&Self::COUNTS, stem, StemCount { df, times });
        }
        out.count("stemmed_words", words);
        Ok(())
    }
}

/// Group by stem: its counts in all, if it is in two documents at least.
#[derive(Default)]
pub struct StemSums {
    single: u64,
    shared: u64,
}

impl StemSums {
    const SUMS: Port<StemCount> = Port::hashes(0, "sums");
}

impl Group for StemSums {
    const NAME: &'static str = "stem sums";
    const KEY: Key = Key::Hash;
    const TABLES: &'static [Shape] = &[shape::<StemCount>()];
    const PORTS: &'static [PortInfo] = &[Self::SUMS.info()];
    const KEEPS: &'static str = "one stem";
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self::default())
    }

    fn key(&mut self, stem: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut sum = StemCount { df: 0, times: 0 };
        while let Some((_, tail)) = rows.next() {
            let StemCount { df, times } = StemCount::take(tail)?;
            sum = StemCount { df: sum.df + df, times: sum.times + times };
        }
        self.single += u64::from(sum.df == 1);
        if sum.df > 1 {
            self.shared += 1;
            out.row(&Self::SUMS, stem, sum);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("single_stems", self.single);
        out.count("shared_stems", self.shared);
    }
}
