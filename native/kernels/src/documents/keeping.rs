//! Which documents are preferred, which of a cluster is kept, and what that means for every document of the corpus.
//!
//! [`Preferences`] ranks documents by a rule; of equal ones, and without a rule, the lower is preferred. The lowest
//! document of a cluster gives the cluster its number; which one is preferred is another question, which [`Contenders`]
//! and [`Choice`] answer. [`Kept`] answers for all documents, also those of no cluster.

use crate::documents::copies::{ClusterRow, KeptFor};
use crate::flow::columns::{Along, Numbers, Strings};
use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::{choice, columns, contract, parameters, row};

choice! {
    /// Which document of a cluster is kept; of several that are equal, the lowest.
    pub enum Rule {
        Longest = "longest",
        Shortest = "shortest",
        /// A document without a URL comes last.
        ShortestUrl = "shortest-url",
    }
}

parameters! {
    pub struct Keeping { by: Rule }
}

columns! {
    /// What documents are ranked by.
    pub struct Measured<'a> { doc: Numbers<'a>, words: Numbers<'a>, url: Strings<'a> }
}

columns! {
    /// The ranks of documents: the least is preferred, of equal ones the least within.
    pub struct Preferred<'a> { doc: Numbers<'a>, rank: Numbers<'a>, within: Numbers<'a> }
}

row! {
    /// Of a document: its rank, and its place among documents of that rank.
    pub struct Preference { rank: u64, within: u64 }
}

/// The ranks of documents, read along with a batch in the order of documents; all are equal without the table.
pub struct Ranks<'a>(Option<(Along<'a>, Preferred<'a>)>);

impl<'a> Ranks<'a> {
    pub fn new(preferred: Option<Preferred<'a>>) -> Self {
        Self(preferred.map(|preferred| (Along::new(preferred.doc), preferred)))
    }

    /// Ask in ascending order, once for each document.
    pub fn of(&mut self, doc: u64) -> (u64, u64) {
        let Some((along, preferred)) = &mut self.0 else { return (0, 0) };
        let row = along.rows(doc).next();
        row.map_or((u64::MAX, 0), |row| (preferred.rank.at(row), preferred.within.at(row)))
    }
}

/// Map: each document with its rank by a rule.
pub struct Preferences(Rule);

contract! {
    map Preferences = "preferences";
    new(Keeping { by }) = Ok(Self(by));
    reads Measured<'a>;
    const RANKS: Port<Preference> = Port::documents(0, "ranks");
}

impl Preferences {
    /// Ranks are columns of signed numbers.
    const LAST: u64 = i64::MAX as u64;
}

impl Map for Preferences {
    fn batch<'a>(&mut self, pages: Measured<'a>, (): (), out: &mut Output) -> Done {
        for row in 0..pages.doc.len() {
            let rank = match self.0 {
                Rule::Longest => Self::LAST - pages.words.at(row),
                Rule::Shortest => pages.words.at(row),
                Rule::ShortestUrl => pages.url.bytes(row).map_or(Self::LAST, page_length),
            };
            out.row(&Self::RANKS, pages.doc.at(row), Preference { rank, within: 0 });
        }
        Ok(())
    }
}

/// The length of a URL up to its fragment: what follows `#` is a place on the same page.
fn page_length(url: &[u8]) -> u64 {
    url.iter().position(|&byte| byte == b'#').unwrap_or(url.len()) as u64
}

columns! {
    /// The documents of clusters.
    pub struct Members<'a> { doc: Numbers<'a>, cluster: Numbers<'a>, kept: Numbers<'a> }
}

row! {
    /// Of a document: its cluster, and the document that is kept of it.
    pub struct Member { cluster: u64, kept: u64 }
}

row! {
    /// Of a cluster: one of its documents; the least rank is kept.
    pub struct Contender { rank: u64, within: u64, doc: u64 }
}

/// Map of pairs (document, least of its component): both are members of the cluster of the least, which is kept. So the
/// least has a row for each of the others, all the same.
pub struct Gathering;

contract! {
    map Gathering = "members";
    new() = Ok(Self);
    reads KeptFor<'a>;
    const MEMBERS: Port<Member> = Port::documents(0, "members");
}

impl Map for Gathering {
    fn batch<'a>(&mut self, pairs: KeptFor<'a>, (): (), out: &mut Output) -> Done {
        for row in 0..pairs.doc.len() {
            let cluster = pairs.other.at(row);
            for member in [pairs.doc.at(row), cluster] {
                out.row(&Self::MEMBERS, member, Member { cluster, kept: cluster });
            }
        }
        Ok(())
    }
}

/// Map of ranks, among the documents of clusters: each to its cluster, with its rank.
pub struct Contenders;

contract! {
    map Contenders = "contenders";
    new() = Ok(Self);
    reads Preferred<'a>, beside Members<'a>;
    const CONTENDERS: Port<Contender> = Port::documents(0, "contenders");
}

impl Map for Contenders {
    fn batch<'a>(&mut self, preferred: Preferred<'a>, members: Members<'a>, out: &mut Output) -> Done {
        let mut along = Along::new(members.doc);
        for row in 0..preferred.doc.len() {
            let (doc, rank, within) = (preferred.doc.at(row), preferred.rank.at(row), preferred.within.at(row));
            for at in along.rows(doc) {
                out.row(&Self::CONTENDERS, members.cluster.at(at), Contender { rank, within, doc });
            }
        }
        Ok(())
    }
}

/// Group by cluster: the first of its documents is kept for all of them.
pub struct Choice;

contract! {
    group Choice = "choice";
    new() = Ok(Self);
    key Doc of [Contender];
    keeps "one row";
    const MEMBERS: Port<Member> = Port::documents(0, "members");
}

impl Group for Choice {
    fn key(&mut self, cluster: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut first = None;
        while let Some((_, tail)) = rows.next() {
            let Contender { doc, .. } = Contender::take(tail)?;
            let kept = *first.get_or_insert(doc);
            out.row(&Self::MEMBERS, doc, Member { cluster, kept });
        }
        Ok(())
    }
}

columns! {
    /// Documents, and for each the one that is kept in its stead, or itself.
    pub struct InFavour<'a> { doc: Numbers<'a>, kept: Numbers<'a> }
}

/// Map of the documents of clusters: each with its cluster, and whether it is kept. If documents that are dropped stand
/// beside them, all others are kept; else one of each cluster is.
pub struct Marked;

contract! {
    map Marked = "marked";
    new() = Ok(Self);
    reads Members<'a>, beside Option<InFavour<'a>>;
    const CLUSTERS: Port<ClusterRow> = Port::documents(0, "clusters");
}

impl Map for Marked {
    fn batch<'a>(&mut self, members: Members<'a>, dropped: Option<InFavour<'a>>, out: &mut Output) -> Done {
        let mut along = dropped.map(|dropped| Along::new(dropped.doc));
        for row in 0..members.doc.len() {
            let doc = members.doc.at(row);
            let keep = match &mut along {
                Some(along) => along.rows(doc).is_empty(),
                None => doc == members.kept.at(row),
            };
            out.row(&Self::CLUSTERS, doc, ClusterRow { cluster: members.cluster.at(row), keep });
        }
        Ok(())
    }
}

columns! {
    /// Documents, by their numbers alone.
    pub struct Numbered<'a> { doc: Numbers<'a> }
}

row! {
    /// Of a document: whether it is kept; if not, in favour of which, and how similar it is to that one, if known.
    pub struct KeptRow { keep: bool, kept_instead: Option<u64>, similarity: Option<f64> }
}

/// Map of all documents, beside those of clusters, or those that are dropped: whether each is kept.
pub struct Kept;

contract! {
    map Kept = "kept";
    new() = Ok(Self);
    reads Numbered<'a>, beside InFavour<'a>;
    const KEPT: Port<KeptRow> = Port::documents(0, "kept");
}

impl Map for Kept {
    fn batch<'a>(&mut self, pages: Numbered<'a>, others: InFavour<'a>, out: &mut Output) -> Done {
        let mut along = Along::new(others.doc);
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            let kept_instead = along.rows(doc).next().map(|at| others.kept.at(at)).filter(|&kept| kept != doc);
            let similarity = None;
            out.row(&Self::KEPT, doc, KeptRow { keep: kept_instead.is_none(), kept_instead, similarity });
        }
        Ok(())
    }
}

row! {
    /// Of a document that is not kept: how similar it is to the one that is.
    pub struct Similar { jaccard: f64 }
}

/// Group by document: the same rows, those of documents that are not kept with their similarity.
pub struct KeptSimilar;

contract! {
    group KeptSimilar = "kept similar";
    new() = Ok(Self);
    key Doc of [KeptRow, Similar];
    keeps "one row";
    const KEPT: Port<KeptRow> = Port::documents(0, "kept");
}

impl Group for KeptSimilar {
    fn key(&mut self, doc: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut found: Option<KeptRow> = None;
        while let Some((table, tail)) = rows.next() {
            match (table, &mut found) {
                (0, _) => found = Some(KeptRow::take(tail)?),
                (_, Some(row)) => row.similarity = Some(Similar::take(tail)?.jaccard),
                (_, None) => {}
            }
        }
        if let Some(row) = found {
            out.row(&Self::KEPT, doc, row);
        }
        Ok(())
    }
}
