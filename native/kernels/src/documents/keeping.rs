//! Which document of a cluster is kept, and what that means for every document of the corpus.
//!
//! The lowest document of a cluster gives the cluster its number. Which one is kept is another question: [`Contenders`]
//! ranks the documents of a cluster by a rule, [`Choice`] takes the first of them. [`Kept`] then answers for all
//! documents, also those of no cluster.

use crate::documents::standing::{ClusterRow, KeptFor};
use crate::flow::columns::{Along, Numbers, Strings};
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::{choice, columns, row, told};

choice! {
    /// Which document of a cluster is kept; of several that are equal, the lowest.
    pub enum Rule {
        Longest = "longest",
        Shortest = "shortest",
        /// A document without a URL comes last.
        ShortestUrl = "shortest-url",
    }
}

told! {
    pub struct Keeping { by: Rule }
}

columns! {
    /// What documents are ranked by.
    pub struct Measured<'a> { doc: Numbers<'a>, words: Numbers<'a>, url: Strings<'a> }
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
    pub struct Contender { rank: u64, doc: u64 }
}

/// Map of pairs (document, least of its component): both are members of the cluster of the least, which is kept. So the
/// least has a row for each of the others, all the same.
pub struct Gathering;

impl Gathering {
    const MEMBERS: Port<Member> = Port::documents(0, "members");
}

impl Map for Gathering {
    const NAME: &'static str = "members";
    const PORTS: &'static [PortInfo] = &[Self::MEMBERS.info()];
    const KEEPS: &'static str = "nothing";
    type Told = ();
    type Reads<'a> = KeptFor<'a>;
    type Beside<'a> = ();

    fn new((): ()) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

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

/// Map, among the documents of clusters: each to its cluster, with its rank.
pub struct Contenders(Rule);

impl Contenders {
    const CONTENDERS: Port<Contender> = Port::documents(0, "contenders");
}

impl Map for Contenders {
    const NAME: &'static str = "contenders";
    const PORTS: &'static [PortInfo] = &[Self::CONTENDERS.info()];
    const KEEPS: &'static str = "nothing";
    type Told = Keeping;
    type Reads<'a> = Measured<'a>;
    type Beside<'a> = Members<'a>;

    fn new(Keeping { by }: Keeping) -> Result<Self, WrongParameter> {
        Ok(Self(by))
    }

    fn batch<'a>(&mut self, pages: Measured<'a>, members: Members<'a>, out: &mut Output) -> Done {
        let mut along = Along::new(members.doc);
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            let rank = match self.0 {
                Rule::Longest => u64::MAX - pages.words.at(row),
                Rule::Shortest => pages.words.at(row),
                Rule::ShortestUrl => pages.url.bytes(row).map_or(u64::MAX, |url| url.len() as u64),
            };
            for at in along.rows(doc) {
                out.row(&Self::CONTENDERS, members.cluster.at(at), Contender { rank, doc });
            }
        }
        Ok(())
    }
}

/// Group by cluster: the first of its documents is kept for all of them.
pub struct Choice;

impl Choice {
    const MEMBERS: Port<Member> = Port::documents(0, "members");
}

impl Group for Choice {
    const NAME: &'static str = "choice";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<Contender>()];
    const PORTS: &'static [PortInfo] = &[Self::MEMBERS.info()];
    const KEEPS: &'static str = "one row";
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

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

/// Map of the documents of clusters: each with its cluster, and whether it is kept.
pub struct Marked;

impl Marked {
    const CLUSTERS: Port<ClusterRow> = Port::documents(0, "clusters");
}

impl Map for Marked {
    const NAME: &'static str = "marked";
    const PORTS: &'static [PortInfo] = &[Self::CLUSTERS.info()];
    const KEEPS: &'static str = "nothing";
    type Told = ();
    type Reads<'a> = Members<'a>;
    type Beside<'a> = ();

    fn new((): ()) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

    fn batch<'a>(&mut self, members: Members<'a>, (): (), out: &mut Output) -> Done {
        for row in 0..members.doc.len() {
            let doc = members.doc.at(row);
            let keep = doc == members.kept.at(row);
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

/// Map of all documents, beside those of clusters: whether each is kept.
pub struct Kept;

impl Kept {
    const KEPT: Port<KeptRow> = Port::documents(0, "kept");
}

impl Map for Kept {
    const NAME: &'static str = "kept";
    const PORTS: &'static [PortInfo] = &[Self::KEPT.info()];
    const KEEPS: &'static str = "nothing";
    type Told = ();
    type Reads<'a> = Numbered<'a>;
    type Beside<'a> = Members<'a>;

    fn new((): ()) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

    fn batch<'a>(&mut self, pages: Numbered<'a>, members: Members<'a>, out: &mut Output) -> Done {
        let mut along = Along::new(members.doc);
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            let kept_instead = along.rows(doc).next().map(|at| members.kept.at(at)).filter(|&kept| kept != doc);
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

impl KeptSimilar {
    const KEPT: Port<KeptRow> = Port::documents(0, "kept");
}

impl Group for KeptSimilar {
    const NAME: &'static str = "kept similar";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<KeptRow>(), shape::<Similar>()];
    const PORTS: &'static [PortInfo] = &[Self::KEPT.info()];
    const KEEPS: &'static str = "one row";
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

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
