//! Neighbourhoods: all documents under one URL prefix, and how much of them is labelled.
//!
//! Shares are whole numbers in units of 2⁻³⁰, rounded down, so that they add up to the same in any order.

use std::collections::HashMap;

use url::{Host, Url};

use crate::analyses::reuse::histograms::Tally;
use crate::flow::columns::{Numbers, Strings};
use crate::flow::contract::Port;
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Beginning, Done, Group, Map, Output, Rows, Stretches};
use crate::{choice, columns, contract, parameters, row};

/// One, as shares are counted.
pub const SCALE: u64 = 1 << 30;
/// Bars of a histogram of shares, beside the one for 0.
const BINS: u64 = 20;
/// Bytes of the longest prefix that is a neighbourhood: a URL may have a megabyte of them.
const LONGEST: usize = 2000;

/// The share of some among all, rounded down; 0 of none.
#[inline]
pub fn scaled(some: u64, all: u64) -> u64 {
    (u128::from(some) * u128::from(SCALE)).checked_div(u128::from(all)).unwrap_or(0) as u64
}

/// The bar of a share: 0 for 0, and n for what is above (n-1)/20 and at most n/20.
pub fn bin(share: u64) -> u64 {
    (share * BINS).div_ceil(SCALE)
}

/// Calls `each` with the neighbourhoods that a URL belongs to, and their levels: 1 for the site, one more for each
/// folder. A URL is read as browsers do (WHATWG): host in lower case and punycode, the port if it is not the usual one,
/// no scheme, user or query; `..` is resolved, percent-escapes stay, empty components do not count. What follows the
/// last slash is no folder. Prefixes of more than 2,000 bytes, and URLs without a host, have no neighbourhood.
pub fn each_prefix(url: &str, mut each: impl FnMut(u64, &str)) {
    let Ok(url) = Url::parse(url) else { return };
    let mut prefix = match url.host() {
        Some(Host::Ipv6(address)) => format!("[{address}]"),
        Some(host) => host.to_string().to_lowercase(),
        None => return,
    };
    if prefix.is_empty() {
        return;
    }
    if let Some(port) = url.port() {
        prefix.push_str(&format!(":{port}"));
    }
    prefix.push('/');
    let folders = url.path().rsplit_once('/').map_or("", |(folders, _)| folders);
    let folders = folders.split('/').filter(|folder| !folder.is_empty());
    let mut level = 1;
    for folder in folders {
        if prefix.len() > LONGEST {
            return;
        }
        each(level, &prefix);
        prefix.push_str(folder);
        prefix.push('/');
        level += 1;
    }
    if prefix.len() <= LONGEST {
        each(level, &prefix);
    }
}

choice! {
    /// What is held against the threshold: the mean share of the documents, or the share of all chunks.
    pub enum BadBy { Badness = "badness", Ratio = "ratio" }
}

parameters! {
    /// What makes a neighbourhood bad.
    pub struct Measuring { bad_by: BadBy }
}

parameters! {
    /// The same, and the greatest share, in units of 1 / [`SCALE`], that is not yet bad.
    pub struct JudgedBy { threshold: u64, bad_by: BadBy }
}

/// Documents, their chunks, the labelled ones of these, and the sum of the documents' shares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub documents: u64,
    pub chunks: u64,
    pub matched: u64,
    pub contained: u64,
}

impl Share {
    pub fn of(documents: u64, chunks: u64, matched: u64, contained: u64) -> Self {
        Self { documents, chunks, matched, contained }
    }

    pub fn add(&mut self, other: &Self) {
        self.documents += other.documents;
        self.chunks += other.chunks;
        self.matched += other.matched;
        self.contained += other.contained;
    }

    /// The mean share of its documents.
    pub fn mean(&self) -> u64 {
        self.contained.checked_div(self.documents).unwrap_or(0)
    }

    /// What is held against the threshold.
    pub fn measure(&self, by: BadBy) -> u64 {
        match by {
            BadBy::Badness => self.mean(),
            BadBy::Ratio => scaled(self.matched, self.chunks),
        }
    }

    /// Counts it as one of many, of whose shares one wants to know mean and deviation. A square takes more bits than a
    /// counter has, so it is counted in two parts.
    pub fn count(&self, by: BadBy, out: &mut Output) {
        let share = self.measure(by);
        let square = share * share;
        out.count("number", 1);
        out.count("sum", share);
        out.count("squares", square / SCALE);
        out.count("squares_rest", square % SCALE);
        out.count("chunks", self.chunks);
        out.count("matched", self.matched);
    }
}

row! {
    /// Of a prefix: the prefix, its level, the first document under it, and sums over some of its documents.
    pub struct Summed<'a> {
        prefix: &'a [u8],
        level: u64,
        first: u64,
        documents: u64,
        chunks: u64,
        matched: u64,
        contained: u64,
    }
}

row! {
    /// Of the first document under it: a neighbourhood.
    pub struct PrefixSum<'a> {
        level: u64,
        prefix: &'a [u8],
        documents: u64,
        chunks: u64,
        matched: u64,
        contained: u64,
    }
}

/// Group: what was found under a prefix, added up.
pub struct PrefixSums {
    bad_by: BadBy,
}

contract! {
    group PrefixSums = "neighbourhood sums";
    new(Measuring { bad_by }) = Ok(Self { bad_by });
    key Hash of [Summed<'static>];
    keeps "one prefix";
    const SUMS: Port<PrefixSum<'static>> = Port::documents(0, "sums");
}

impl PrefixSums {
    /// The bytes of a row behind the prefix.
    const NUMBERS: usize = 48;
}

impl Group for PrefixSums {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        // Two prefixes may have the same fingerprint.
        let mut prefixes = Stretches::new(rows, Beginning::AllBut(Self::NUMBERS));
        while prefixes.begin() {
            let mut sum = Share::default();
            let (mut lowest, mut depth) = (u64::MAX, 0);
            while let Some(tail) = prefixes.tail() {
                let Summed { level, first, documents, chunks, matched, contained, .. } = Summed::take(tail)?;
                sum.add(&Share::of(documents, chunks, matched, contained));
                (lowest, depth) = (lowest.min(first), level);
            }
            let prefix = prefixes.beginning().get(4..).ok_or(Damaged("Summed"))?;
            sum.count(self.bad_by, out);
            let Share { documents, chunks, matched, contained } = sum;
            out.row(&Self::SUMS, lowest, PrefixSum { level: depth, prefix, documents, chunks, matched, contained });
        }
        Ok(())
    }
}

columns! {
    /// Neighbourhoods.
    pub struct SumColumns<'a> {
        first: Numbers<'a>,
        level: Numbers<'a>,
        prefix: Strings<'a>,
        documents: Numbers<'a>,
        chunks: Numbers<'a>,
        matched: Numbers<'a>,
        contained: Numbers<'a>,
    }
}

row! {
    /// Of the first document under it: a neighbourhood, and whether it is bad.
    pub struct Neighbourhood<'a> {
        level: u64,
        prefix: &'a [u8],
        documents: u64,
        chunks: u64,
        matched: u64,
        contained: u64,
        badness: f64,
        ratio: f64,
        bad: bool,
        excess: f64,
    }
}

/// How many documents' worth of labelled content (or, by ratio, documents times the ratio) there is beyond what so many
/// documents at the threshold would have.
fn exceed(contained: u64, documents: u64, threshold: u64) -> f64 {
    let beyond = i128::from(contained) - i128::from(documents) * i128::from(threshold);
    beyond as f64 / SCALE as f64
}

/// Map: how bad each neighbourhood is, and how many there are of each badness.
pub struct Judgements {
    threshold: u64,
    bad_by: BadBy,
}

contract! {
    map Judgements = "neighbourhoods";
    new(JudgedBy { threshold, bad_by }) = Ok(Self { threshold, bad_by });
    reads SumColumns<'a>;
    const NEIGHBOURHOODS: Port<Neighbourhood<'static>> = Port::documents(0, "neighbourhoods");
    const SHARES: Port<Tally<'static>> = Port::hashes(1, "shares");
}

impl Map for Judgements {
    fn batch<'a>(&mut self, sums: SumColumns<'a>, (): (), out: &mut Output) -> Done {
        let mut bins: HashMap<u64, u64> = HashMap::new();
        for row in 0..sums.first.len() {
            let [documents, chunks, matched, contained] =
                [sums.documents, sums.chunks, sums.matched, sums.contained].map(|column| column.at(row));
            let share = Share::of(documents, chunks, matched, contained);
            let measured = share.measure(self.bad_by);
            *bins.entry(bin(measured)).or_default() += 1;
            let bad = measured > self.threshold;
            let held = if self.bad_by == BadBy::Badness { contained } else { documents * measured };
            out.count("bad_neighbourhoods", u64::from(bad));
            let neighbourhood = Neighbourhood {
                level: sums.level.at(row),
                prefix: sums.prefix.bytes(row).unwrap_or_default(),
                documents,
                chunks,
                matched,
                contained,
                badness: share.mean() as f64 / SCALE as f64,
                ratio: scaled(matched, chunks) as f64 / SCALE as f64,
                bad,
                excess: exceed(held, documents, self.threshold),
            };
            out.row(&Self::NEIGHBOURHOODS, sums.first.at(row), neighbourhood);
        }
        for (bin, count) in bins {
            out.row(&Self::SHARES, bin, Tally { what: b"neighbourhoods", count });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefixes(url: &str) -> Vec<String> {
        let mut found = Vec::new();
        each_prefix(url, |level, prefix| {
            found.push(prefix.to_owned());
            assert_eq!(level as usize, found.len());
        });
        found
    }

    #[test]
    fn every_url_has_one_neighbourhood_at_each_level() {
        let cases: [(&str, &[&str]); 13] = [
            (
                "http://arxiv.example/archive/physics/",
                &["arxiv.example/", "arxiv.example/archive/", "arxiv.example/archive/physics/"],
            ),
            ("https://Example.COM:443/a/b.html?c/d#e/f", &["example.com/", "example.com/a/"]),
            ("http://u:p@bücher.example:8080/x", &["xn--bcher-kva.example:8080/"]),
            ("http://127.0.0.1/a/../b/./c/d", &["127.0.0.1/", "127.0.0.1/b/", "127.0.0.1/b/c/"]),
            ("http://[2001:DB8::1]:81/x/", &["[2001:db8::1]:81/", "[2001:db8::1]:81/x/"]),
            ("http://h.example?q", &["h.example/"]),
            ("http://h.example//a///b//c", &["h.example/", "h.example/a/", "h.example/a/b/"]),
            ("http://h.example/%7Ea/%2e%2e/b/c", &["h.example/", "h.example/b/"]),
            ("http://h.example/a%2Fb/c", &["h.example/", "h.example/a%2Fb/"]),
            ("gopher://Hole.Example/1/2", &["hole.example/", "hole.example/1/"]),
            ("mailto:a@h.example", &[]),
            ("file:///a/b", &[]),
            ("no url", &[]),
        ];
        for (url, expected) in cases {
            assert_eq!(prefixes(url), expected, "{url}");
        }
        let long = format!("http://h.example/a/{}/b/c", "x".repeat(1 << 20));
        assert_eq!(prefixes(&long), ["h.example/", "h.example/a/"]);
    }

    #[test]
    fn what_is_beyond_the_threshold() {
        assert_eq!(exceed(3 * SCALE, 4, SCALE / 2), 1.0);
        assert_eq!(exceed(SCALE, 4, SCALE / 2), -1.0);
    }

    #[test]
    fn bars_of_shares() {
        assert_eq!((scaled(0, 0), scaled(3, 3), scaled(1, 3)), (0, SCALE, SCALE / 3));
        assert_eq!(
            [(0, 9), (1, 1000), (1, 20), (2, 20), (19, 20), (20, 20)].map(|(a, b)| bin(scaled(a, b))),
            [0, 1, 1, 2, 19, 20]
        );
    }
}
