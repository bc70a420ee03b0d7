//! From windows to seeds: the places at which two documents have the same windows.

use super::{WindowPlace, IN_A, IN_B};
use crate::documents::servers::foreign;
use crate::flow::contract::Port;
use crate::flow::fields::{Damaged, FieldCodec, Rest};
use crate::flow::kernel::{Beginning, Done, Group, Output, Rows, Stretches};
use crate::flow::rows::{put_varint, take_bytes, take_varint};
use crate::text::fingerprint::Fingerprinter;
use crate::{contract, parameters, row};

/// Of a window that repeats itself in a document, so many places are seeds, unless all diagonals are wanted.
pub const MOST_TIMES: usize = 16;

parameters! {
    /// Windows in more documents are passed over; of one that repeats itself, all places count, or some.
    pub struct Sharing { max_df: usize, all_diagonals: bool }
}

parameters! {
    /// Whether each place of a window in one document is paired with each in the other.
    pub struct Pairing { all_diagonals: bool }
}

row! {
    /// Of a list: the documents that have a window and where, the places of all relative to the first; and the first.
    pub struct ListedWindow<'a> { list: Rest<'a>, first: u32 }
}

/// Group by window: the list of its places, relative to the first of them. Windows one behind the other that the same
/// documents have have the same list.
pub struct WindowLists {
    max_df: usize,
    most_times: usize,
    list: Vec<u8>,
    print: Fingerprinter,
    shared: u64,
    common: u64,
}

contract! {
    group WindowLists = "window lists";
    new(Sharing { max_df, all_diagonals }) = {
        let most_times = most_times(all_diagonals);
        Ok(Self { max_df, most_times, list: Vec::new(), print: Fingerprinter::plain(), shared: 0, common: 0 })
    };
    key Hash of [WindowPlace<'static>];
    keeps "the places of a window in max_df documents";
    const LISTS: Port<ListedWindow<'static>> = Port::hashes(0, "lists");
}

impl WindowLists {
    /// Puts the list together; returns the number of documents, as far as it was counted, and the first place.
    fn read(&mut self, rows: &mut dyn Rows) -> Result<(usize, u32), Damaged> {
        self.list.clear();
        let (mut documents, mut times, mut last, mut first) = (0, 0, None, 0);
        while let Some((_, tail)) = rows.next() {
            let place = WindowPlace::take(tail)?;
            if last.replace(place.doc) == Some(place.doc) {
                times += 1;
            } else {
                (documents, times) = (documents + 1, 1);
            }
            if documents > self.max_df {
                break;
            }
            if times > self.most_times {
                continue;
            }
            if self.list.is_empty() {
                first = place.unit;
            }
            pack_place(&mut self.list, &place, first);
        }
        Ok((documents, first))
    }
}

impl Group for WindowLists {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        if rows.left() == Some(1) {
            return Ok(());
        }
        let (documents, first) = self.read(rows)?;
        self.common += u64::from(documents > self.max_df);
        if (2..=self.max_df).contains(&documents) {
            self.shared += 1;
            out.row(&Self::LISTS, self.print.bytes(&self.list), ListedWindow { list: Rest(&self.list), first });
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("shared_windows", self.shared);
        out.count("common_windows", self.common);
    }
}

row! {
    /// Of a pair of documents: how many windows in a row they share, from which unit of each on, and how many documents
    /// share these windows.
    pub struct WindowSeed { a: u32, b: u32, i: u32, j: u32, windows: u32, documents: u32 }
}

/// A document of a list, and its places there.
pub struct Listed<'a> {
    pub doc: u32,
    pub side: u8,
    pub servers: &'a [u8],
    pub places: Vec<i64>,
}

impl<'a> Listed<'a> {
    /// Two documents in the order of their pair; none if they are not to be compared.
    pub fn pair<'b>(&'b self, other: &'b Listed<'a>) -> Option<(&'b Listed<'a>, &'b Listed<'a>)> {
        let in_order = comes_first((self.side, self.servers), (other.side, other.servers))?;
        Some(if in_order { (self, other) } else { (other, self) })
    }
}

/// Whether the first of two documents (their collections and servers) comes first in a pair; none if they are not to be
/// compared. The first is that of collection A, or the lower one. A document of A alone and one of B alone are foreign by
/// being on the two sides, whatever their servers: whoever names two hosts of one domain wants to see what they share.
pub fn comes_first(one: (u8, &[u8]), other: (u8, &[u8])) -> Option<bool> {
    let in_both = |a: u8, b: u8| a & IN_A != 0 && b & IN_B != 0;
    let in_order = in_both(one.0, other.0);
    let on_two_sides = one.0 | other.0 == IN_A | IN_B && one.0 & other.0 == 0;
    let compared = (in_order || in_both(other.0, one.0)) && (on_two_sides || foreign(one.1, other.1));
    compared.then_some(in_order)
}

/// Adds a place to a list, relative to the first.
pub fn pack_place(list: &mut Vec<u8>, place: &WindowPlace<'_>, first: u32) {
    let WindowPlace { doc, unit, side, servers } = place;
    let difference = i64::from(*unit) - i64::from(first);
    doc.put(list);
    put_varint(list, ((difference << 1) ^ (difference >> 63)) as u64);
    list.push(*side);
    put_varint(list, servers.0.len() as u64);
    list.extend_from_slice(servers.0);
}

/// The documents of a list, with their places.
pub fn unpack(mut list: &[u8]) -> Option<Vec<Listed<'_>>> {
    let mut found: Vec<Listed<'_>> = Vec::new();
    while !list.is_empty() {
        let doc = u32::take(&mut list, 0)?;
        let packed = take_varint(&mut list)?;
        let place = (packed >> 1) as i64 ^ -((packed & 1) as i64);
        let side = u8::take(&mut list, 0)?;
        let length = take_varint(&mut list)?;
        let servers = take_bytes(&mut list, length as usize)?;
        match found.last_mut() {
            Some(last) if last.doc == doc => last.places.push(place),
            _ => found.push(Listed { doc, side, servers, places: vec![place] }),
        }
    }
    Some(found)
}

/// The key at which the seeds of two documents meet.
pub fn pair_key(print: &Fingerprinter, a: u32, b: u32) -> u64 {
    print.bytes(&(u64::from(a) << 32 | u64::from(b)).to_be_bytes())
}

/// How many places of a window in one document count.
pub fn most_times(all_diagonals: bool) -> usize {
    if all_diagonals {
        usize::MAX
    } else {
        MOST_TIMES
    }
}

/// Which places of two documents go together: each with each if all diagonals are wanted; else the first with the first,
/// the second with the second, and where one has fewer, these are taken again from the first on.
pub fn pair_places<'b>(a: &'b Listed<'_>, b: &'b Listed<'_>, all: bool) -> impl Iterator<Item = (i64, i64)> + 'b {
    let (one, other) = (a.places.len(), b.places.len());
    let times = if all { one * other } else { one.max(other) };
    (0..times).map(move |time| {
        let again = if all { time / one } else { time };
        (a.places[time % one], b.places[again % other])
    })
}

/// Group by list: to each pair of its documents, the windows that they share.
pub struct WindowSeeds {
    print: Fingerprinter,
    all_diagonals: bool,
    lists: u64,
    squares: u64,
}

contract! {
    group WindowSeeds = "seeds";
    new(Pairing { all_diagonals }) = Ok(Self {
        print: Fingerprinter::plain(), all_diagonals, lists: 0, squares: 0,
    });
    key Hash of [ListedWindow<'static>];
    keeps "one list and its windows";
    const SEEDS: Port<WindowSeed> = Port::hashes(0, "seeds");
}

impl WindowSeeds {
    fn send(&self, documents: &[Listed<'_>], stretches: &[(i64, u32)], out: &mut Output) {
        let count = documents.len() as u32;
        for (at, one) in documents.iter().enumerate() {
            for other in &documents[at + 1..] {
                let Some((a, b)) = one.pair(other) else { continue };
                let key = pair_key(&self.print, a.doc, b.doc);
                for (i, j) in pair_places(a, b, self.all_diagonals) {
                    for &(first, windows) in stretches {
                        let (i, j) = ((first + i) as u32, (first + j) as u32);
                        out.row(&Self::SEEDS, key, WindowSeed { a: a.doc, b: b.doc, i, j, windows, documents: count });
                    }
                }
            }
            out.relieve();
        }
    }
}

impl Group for WindowSeeds {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut lists = Stretches::new(rows, Beginning::AllBut(4));
        while lists.begin() {
            let mut stretches: Vec<(i64, u32)> = Vec::new();
            while let Some(tail) = lists.tail() {
                let first = i64::from(ListedWindow::take(tail)?.first);
                match stretches.last_mut() {
                    Some((begin, windows)) if *begin + i64::from(*windows) == first => *windows += 1,
                    _ => stretches.push((first, 1)),
                }
            }
            let documents = unpack(lists.beginning()).ok_or(Damaged("ListedWindow"))?;
            self.send(&documents, &stretches, out);
            self.lists += 1;
            self.squares += (documents.len() * documents.len()) as u64;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("window_lists", self.lists);
        out.count("window_list_squares", self.squares);
    }
}
