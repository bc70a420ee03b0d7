//! Which grams each source is asked for.

use crate::analyses::postings::lists::ListGrams;
use crate::analyses::quilts::covers::last::Asking;
use crate::flow::contract::Port;
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Beginning, Done, Group, Output, Rows, Stretches};
use crate::flow::rows::take_doc;
use crate::{contract, row};

row! {
    /// Of a source: a quilt, the source's rank there, and grams that both have.
    pub struct Request<'a> { quilt: u32, rank: u32, grams: Rest<'a> }
}

/// Group by list, of the quilts that ask and of its grams: the grams go to each source that a quilt has in the list.
#[derive(Default)]
pub struct Requests {
    asked: Vec<[u32; 3]>,
}

contract! {
    group Requests = "requests";
    new() = Ok(Self::default());
    key Hash of [Asking<'static>, ListGrams<'static>];
    keeps "what quilts ask: at most m² pairs";
    const REQUESTS: Port<Request<'static>> = Port::documents(0, "requests");
}

impl Group for Requests {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.asked.clear();
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                let Asking { quilt, sources: Rest(mut sources) } = Asking::take(tail)?;
                while let (Some(source), Some(rank)) = (take_doc(&mut sources), take_doc(&mut sources)) {
                    self.asked.push([source, quilt, rank]);
                }
                continue;
            }
            let ListGrams { grams } = ListGrams::take(tail)?;
            for &[source, quilt, rank] in &self.asked {
                out.row(&Self::REQUESTS, u64::from(source), Request { quilt, rank, grams });
            }
        }
        Ok(())
    }
}

row! {
    /// Of a source: a quilt, the source's rank there, and all grams that the quilt asks for, sorted.
    pub struct PackedRequest<'a> { quilt: u64, rank: u64, grams: &'a [u8] }
}

/// Group by source: one row for each quilt.
#[derive(Default)]
pub struct Asked {
    grams: Vec<[u8; 8]>,
}

contract! {
    group Asked = "asked";
    new() = Ok(Self::default());
    key Doc of [Request<'static>];
    keeps "the grams of one quilt";
    const ASKED: Port<PackedRequest<'static>> = Port::documents(0, "asked");
}

impl Group for Asked {
    fn key(&mut self, source: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut quilts = Stretches::new(rows, Beginning::First(8));
        while quilts.begin() {
            self.grams.clear();
            while let Some(tail) = quilts.tail() {
                let (grams, []) = Request::take(tail)?.grams.0.as_chunks() else {
                    return Err(Damaged("Request").into());
                };
                self.grams.extend_from_slice(grams);
            }
            let Request { quilt, rank, .. } = Request::take(quilts.beginning())?;
            self.grams.sort_unstable();
            self.grams.dedup();
            let grams = self.grams.as_flattened();
            out.row(&Self::ASKED, source, PackedRequest { quilt: quilt.into(), rank: rank.into(), grams });
        }
        Ok(())
    }
}
