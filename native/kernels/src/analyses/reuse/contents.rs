//! Maps: how much of each document is labelled, and which documents are targets.

use std::collections::HashMap;

use crate::analyses::reuse::chunks::{ComparedBy, Cutter, Sameness, COMPARED};
use crate::analyses::reuse::excluded::ExcludedSites;
use crate::analyses::reuse::histograms::Tally;
use crate::analyses::reuse::neighbourhoods::{bin, each_prefix, scaled, BadBy, Share, Summed, SCALE};
use crate::analyses::reuse::origins::OurPages;
use crate::analyses::reuse::places::{is_page, is_textless, open, ObjectPlace, PlaceCounts, Site, MISPLACED, SPOILED};
use crate::flow::columns::{Binary, Numbers, Strings};
use crate::flow::contract::{Port, Side};
use crate::flow::kernel::{Done, Map, Output};
use crate::store::labels::{Hash, Labels, Meaning};
use crate::text::points::spans;
use crate::{choice, columns, contract, parameters, row};

choice! {
    /// What stop chunks are taken out of: of all documents, or only where neighbourhoods are judged.
    pub enum StopOf { All = "all", Neighbourhoods = "neighbourhoods" }
}

parameters! {
    /// How chunks are cut and compared, and with which labels.
    pub struct Detecting {
        by: Sameness, min_length: usize, trivial_stop: bool, stop_of: StopOf, site: Site, labels: Side, occurrences: bool,
        excluded: Side,
    }
}

columns! {
    /// Documents with their chunks, and where they are.
    pub struct DetectedPages<'a> {
        doc: Numbers<'a>,
        text: Option<Strings<'a>>,
        chunks: Binary<'a>,
        trivial_chunks: Binary<'a>,
        chunk_sha1: Option<Binary<'a>>,
        raw_chunk_sha1: Option<Binary<'a>>,
        raw_sha1: Binary<'a>,
        host: Strings<'a>,
        domain: Strings<'a>,
        media: Strings<'a>,
        url: Strings<'a>,
        path: Numbers<'a>,
        recursive: Numbers<'a>,
    }
}

row! {
    /// Of a document: its chunks without stop chunks, these, how many of the others are labelled, their share,
    /// whether all of it is a labelled file, and the page of ours that most of it is from, with how many of its chunks.
    pub struct PageContent<'a> {
        chunks: u64,
        stop_chunks: u64,
        matched: u64,
        share: u64,
        file: bool,
        ours: Option<&'a [u8]>,
        ours_matched: u64,
    }
}

row! {
    /// Of a document: a labelled chunk in it, and where.
    pub struct Occurrence<'a> { begin: u64, end: u64, sha1: &'a [u8; 20] }
}

/// Map: what each document contains, and what that adds to its neighbourhoods.
pub struct Contents {
    cutter: Cutter,
    trivial_stop: bool,
    stop_of: StopOf,
    site: Site,
    labels: Labels<Side>,
    occurrences: bool,
    found: PlaceCounts,
    excluded: ExcludedSites,
    ours: OurPages,
}

contract! {
    map Contents = "contents";
    new(Detecting { min_length, trivial_stop, stop_of, site, labels, occurrences, excluded, .. }) = Ok(Self {
        cutter: Cutter::new(min_length),
        trivial_stop,
        stop_of,
        site,
        labels: open(labels)?,
        occurrences,
        found: PlaceCounts::default(),
        excluded: ExcludedSites::new(excluded.as_ref()),
        ours: OurPages::default(),
    });
    reads DetectedPages<'a>;
    only COMPARED;
    keeps "the neighbourhoods and the labelled chunks of a batch";
    const CONTENTS: Port<PageContent<'static>> = Port::documents(0, "contents");
    const PREFIXES: Port<Summed<'static>> = Port::hashes(1, "prefixes");
    const CHUNKS: Port<ObjectPlace<'static>> = Port::hashes(2, "chunks");
    const FILES: Port<ObjectPlace<'static>> = Port::hashes(3, "files");
    const PATHS: Port<Tally<'static>> = Port::hashes(4, "paths");
    const OCCURRENCES: Port<Occurrence<'static>> = Port::documents(5, "occurrences").when("occurrences", "true");
}

impl Map for Contents {
    fn batch<'a>(&mut self, pages: DetectedPages<'a>, (): (), out: &mut Output) -> Done {
        let mut neighbourhoods: HashMap<Box<[u8]>, (u64, u64, Share)> = HashMap::new();
        let mut paths: HashMap<(u64, bool), u64> = HashMap::new();
        for row in 0..pages.doc.len() {
            let (number, flagged) = (pages.doc.at(row), pages.recursive.at(row) != 0);
            let host = pages.host.bytes(row);
            if self.excluded.have(host, pages.domain.bytes(row), pages.url.bytes(row)) {
                out.count("excluded", 1);
                continue;
            }
            out.count("pages", u64::from(is_page(pages.media.bytes(row))));
            if host.is_some() {
                *paths.entry((pages.path.at(row), flagged)).or_default() += 1;
            }
            if flagged {
                out.count("recursive", 1);
                continue;
            }
            out.count("without_url", u64::from(host.is_none()));
            let (doc, site) = (number as u32, self.site.of(host, pages.domain.bytes(row), number));
            let text = pages.text.map(|text| text.at(row)).unwrap_or_default();
            let compared = ComparedBy::by(pages.chunk_sha1, pages.raw_chunk_sha1, row, &text);
            let (mut chunks, mut matched, mut stopped, mut spoiled) = (0, 0, 0, false);
            let places = spans(pages.chunks.at(row));
            let trivial = if self.trivial_stop { pages.trivial_chunks.at(row) } else { &[] };
            let rest = self.cutter.cut(places, trivial, compared, |chunk| match self.labels.chunk(&chunk.hash) {
                Ok(Meaning::Stop) => stopped += 1,
                Ok(Meaning::Nothing) => chunks += 1,
                Ok(Meaning::Label) => {
                    (chunks, matched) = (chunks + 1, matched + 1);
                    self.found.add(&chunk, site, doc);
                    spoiled |= self.ours.add(&self.labels, &chunk.hash, chunk.length()).is_err();
                    if self.occurrences {
                        let (begin, end) = (chunk.begin as u64, chunk.end as u64);
                        out.row(&Self::OCCURRENCES, number, Occurrence { begin, end, sha1: &chunk.hash });
                    }
                }
                Err(_) => spoiled = true,
            });
            let page = rest.ok_or(MISPLACED)?;
            let stop_chunks = stopped + page.passed;
            let hash: &Hash = pages.raw_sha1.at(row).try_into().map_err(|_| MISPLACED)?;
            let says = !page.trivial || !self.trivial_stop || is_textless(pages.media.bytes(row));
            let file = says && self.labels.file(hash).map_err(|_| SPOILED)?;
            if spoiled {
                return Err(SPOILED.into());
            }
            if file {
                let (key, row) = ObjectPlace::file(hash, site, doc, &page);
                out.row(&Self::FILES, key, row);
            }
            let all = if self.stop_of == StopOf::All { chunks } else { chunks + stop_chunks };
            let (share, cleaned) = (scaled(matched, all), scaled(matched, chunks));
            let ours = self.ours.choose(&self.labels, file.then_some(hash), matched)?;
            let (ours, ours_matched) = ours.map_or((None, 0), |(name, chunks)| (Some(name), chunks));
            let content = PageContent { chunks, stop_chunks, matched, share, file, ours, ours_matched };
            out.row(&Self::CONTENTS, number, content);
            Share::of(1, chunks, matched, share).count(BadBy::Badness, out);
            if let Some(url) = pages.url.bytes(row) {
                each_prefix(&String::from_utf8_lossy(url), |level, prefix| {
                    let place = neighbourhoods.entry(prefix.as_bytes().into());
                    let (_, first, sum) = place.or_insert((level, number, Share::default()));
                    *first = number.min(*first);
                    sum.add(&Share::of(1, chunks, matched, cleaned));
                });
            }
            out.relieve();
        }
        self.found.emit(&Self::CHUNKS, out);
        let print = crate::text::fingerprint::Fingerprinter::plain();
        for (prefix, (level, first, sum)) in &neighbourhoods {
            let Share { documents, chunks, matched, contained } = *sum;
            let row = Summed { prefix, level: *level, first: *first, documents, chunks, matched, contained };
            out.row(&Self::PREFIXES, print.bytes(prefix), row);
        }
        for ((components, flagged), count) in paths {
            let what: &[u8] = if flagged { b"dropped" } else { b"kept" };
            out.row(&Self::PATHS, components, Tally { what, count });
        }
        Ok(())
    }
}

parameters! {
    /// The greatest share, in units of 1 / [`SCALE`], that is not yet a target's or a bad neighbourhood's.
    pub struct Above { threshold: u64 }
}

columns! {
    /// What documents contain.
    pub struct Contained<'a> {
        doc: Numbers<'a>,
        id: Strings<'a>,
        url: Strings<'a>,
        chunks: Numbers<'a>,
        stop_chunks: Numbers<'a>,
        matched: Numbers<'a>,
        share: Numbers<'a>,
        file: Numbers<'a>,
        ours: Strings<'a>,
        ours_matched: Numbers<'a>,
    }
}

row! {
    /// Of a document that is a target: what it contains, and why it is one.
    pub struct Target<'a> {
        id: &'a [u8],
        url: Option<&'a [u8]>,
        chunks: u64,
        stop_chunks: u64,
        matched: u64,
        contains: f64,
        file: bool,
        partial: bool,
        ours: Option<&'a [u8]>,
        ours_matched: u64,
    }
}

/// Map: the targets among documents, and how many documents there are of each share.
pub struct Targets {
    threshold: u64,
}

contract! {
    map Targets = "targets";
    new(Above { threshold }) = Ok(Self { threshold });
    reads Contained<'a>;
    const TARGETS: Port<Target<'static>> = Port::documents(0, "targets");
    const SHARES: Port<Tally<'static>> = Port::hashes(1, "shares");
}

impl Map for Targets {
    fn batch<'a>(&mut self, pages: Contained<'a>, (): (), out: &mut Output) -> Done {
        let mut bins: HashMap<u64, u64> = HashMap::new();
        for row in 0..pages.doc.len() {
            let (chunks, stop_chunks, matched) =
                (pages.chunks.at(row), pages.stop_chunks.at(row), pages.matched.at(row));
            let (share, file) = (pages.share.at(row), pages.file.at(row) != 0);
            *bins.entry(bin(share)).or_default() += 1;
            let partial = share > self.threshold;
            if file || partial {
                out.count("file_targets", u64::from(file));
                out.count("partial_targets", u64::from(partial));
                let contains = share as f64 / SCALE as f64;
                let (id, url) = (pages.id.bytes(row).unwrap_or_default(), pages.url.bytes(row));
                let (ours, ours_matched) = (pages.ours.bytes(row), pages.ours_matched.at(row));
                let target =
                    Target { id, url, chunks, stop_chunks, matched, contains, file, partial, ours, ours_matched };
                out.row(&Self::TARGETS, pages.doc.at(row), target);
            }
        }
        for (bin, count) in bins {
            out.row(&Self::SHARES, bin, Tally { what: b"documents", count });
        }
        Ok(())
    }
}
