//! Columns of a table, as a map kernel reads them: found by name, each of a known kind.

use std::borrow::Cow;

use crate::flow::fields::{Field, Kind};

/// A column of a batch of table rows.
#[derive(Clone, Copy)]
pub enum Column<'a> {
    Numbers(&'a [i64]),
    /// Strings or bytes: the offsets of all values and one past the last, the data, and a bit mask of non-null values.
    Bytes {
        offsets: &'a [i64],
        data: &'a [u8],
        valid: Option<&'a [u8]>,
    },
}

impl<'a> Column<'a> {
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Bytes { offsets, .. } => offsets.len().saturating_sub(1),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes at `row`, none for null or in a column of numbers.
    pub fn bytes(&self, row: usize) -> Option<&'a [u8]> {
        match *self {
            Self::Numbers(_) => None,
            Self::Bytes { offsets, data, valid } => {
                let there = valid.is_none_or(|bits| bits[row / 8] >> (row % 8) & 1 == 1);
                there.then(|| &data[offsets[row] as usize..offsets[row + 1] as usize])
            }
        }
    }

    /// The text at `row`, empty for null. Arrow promises UTF-8; bytes that are not become replacement characters, which
    /// end a word, and nothing else is lost.
    pub fn text(&self, row: usize) -> Cow<'a, str> {
        let bytes = self.bytes(row).unwrap_or_default();
        simdutf8::basic::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
    }
}

/// Some rows of a table, by the names of their columns.
#[derive(Clone, Default)]
pub struct Batch<'a> {
    pub columns: Vec<(&'a str, Column<'a>)>,
}

impl<'a> Batch<'a> {
    fn find(&self, name: &'static str) -> Result<Column<'a>, NoColumn> {
        let found = self.columns.iter().find(|(there, _)| *there == name);
        found.map(|(_, column)| *column).ok_or(NoColumn { name, kind: None })
    }
}

/// A column that a kernel reads, and that a batch does not have, or has of another kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoColumn {
    name: &'static str,
    kind: Option<&'static str>,
}

impl NoColumn {
    /// There is no first column of numbers to take keys from.
    pub const NO_KEY: Self = Self { name: "of keys", kind: None };
}

impl std::fmt::Display for NoColumn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind {
            None => write!(f, "there is no column {}", self.name),
            Some(kind) => write!(f, "column {} does not hold {kind}", self.name),
        }
    }
}

impl std::error::Error for NoColumn {}

/// A column of a known kind.
pub trait Typed<'a>: Sized {
    const KIND: Kind;

    fn find(batch: &Batch<'a>, name: &'static str) -> Result<Self, NoColumn>;
}

/// A column of whole numbers.
#[derive(Clone, Copy)]
pub struct Numbers<'a>(&'a [i64]);

impl Numbers<'_> {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub fn at(&self, row: usize) -> u64 {
        self.0[row] as u64
    }

    /// The rows in runs of equal numbers: each number, and where its run begins and ends.
    pub fn runs(&self) -> impl Iterator<Item = (u64, std::ops::Range<usize>)> + '_ {
        let mut begin = 0;
        self.0.chunk_by(|a, b| a == b).map(move |same| {
            let end = begin + same.len();
            (same[0] as u64, std::mem::replace(&mut begin, end)..end)
        })
    }
}

impl<'a> Typed<'a> for Numbers<'a> {
    const KIND: Kind = Kind::Number;

    fn find(batch: &Batch<'a>, name: &'static str) -> Result<Self, NoColumn> {
        match batch.find(name)? {
            Column::Numbers(values) => Ok(Self(values)),
            Column::Bytes { .. } => Err(NoColumn { name, kind: Some("numbers") }),
        }
    }
}

/// A column of bytes or strings, some of which may be null; with `LINES`, of lists of strings, each list as the lines
/// of one string.
#[derive(Clone, Copy)]
pub struct Strings<'a, const LINES: bool = false>(Column<'a>);

/// A column of lists of strings.
pub type Lines<'a> = Strings<'a, true>;

impl<'a, const LINES: bool> Strings<'a, LINES> {
    /// The text at `row`, empty for null.
    #[inline]
    pub fn at(&self, row: usize) -> Cow<'a, str> {
        self.0.text(row)
    }

    /// Its bytes, none for null.
    #[inline]
    pub fn bytes(&self, row: usize) -> Option<&'a [u8]> {
        self.0.bytes(row)
    }
}

impl<'a, const LINES: bool> Typed<'a> for Strings<'a, LINES> {
    const KIND: Kind = Kind::Text { lines: LINES };

    fn find(batch: &Batch<'a>, name: &'static str) -> Result<Self, NoColumn> {
        match batch.find(name)? {
            Column::Numbers(_) => Err(NoColumn { name, kind: Some("strings") }),
            column => Ok(Self(column)),
        }
    }
}

/// A column of bytes.
#[derive(Clone, Copy)]
pub struct Binary<'a>(Column<'a>);

impl<'a> Binary<'a> {
    /// The bytes at `row`, empty for null.
    #[inline]
    pub fn at(&self, row: usize) -> &'a [u8] {
        self.0.bytes(row).unwrap_or_default()
    }
}

impl<'a> Typed<'a> for Binary<'a> {
    const KIND: Kind = Kind::Bytes { nullable: true };

    fn find(batch: &Batch<'a>, name: &'static str) -> Result<Self, NoColumn> {
        Strings::<false>::find(batch, name).map(|strings| Self(strings.0))
    }
}

/// A column that is there under a condition only (see `ONLY` of [`Map`](crate::flow::kernel::Map)).
impl<'a, T: Typed<'a>> Typed<'a> for Option<T> {
    const KIND: Kind = T::KIND;

    fn find(batch: &Batch<'a>, name: &'static str) -> Result<Self, NoColumn> {
        batch.find(name).ok().map(|_| T::find(batch, name)).transpose()
    }
}

/// The columns that a kernel reads from its table, or from the table beside it.
pub trait Columns<'a>: Sized {
    const READS: Reads;

    fn find(batch: Option<&Batch<'a>>) -> Result<Self, NoColumn>;
}

/// Which columns a kernel reads from a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// None: the kernel takes no such table.
    Nothing,
    /// These, and the table must be given.
    Fields(&'static [Field]),
    /// These, and the table may be left out.
    Optional(&'static [Field]),
    /// Those that the analysis names; the first holds numbers, which become keys.
    Any,
}

impl Columns<'_> for () {
    const READS: Reads = Reads::Nothing;

    fn find(_: Option<&Batch<'_>>) -> Result<Self, NoColumn> {
        Ok(())
    }
}

impl<'a, C: Columns<'a>> Columns<'a> for Option<C> {
    const READS: Reads = match C::READS {
        Reads::Fields(fields) => Reads::Optional(fields),
        other => other,
    };

    fn find(batch: Option<&Batch<'a>>) -> Result<Self, NoColumn> {
        batch.map(|batch| C::find(Some(batch))).transpose()
    }
}

/// All columns of the batch, which are those that the analysis named.
impl<'a> Columns<'a> for Batch<'a> {
    const READS: Reads = Reads::Any;

    fn find(batch: Option<&Batch<'a>>) -> Result<Self, NoColumn> {
        Ok(batch.cloned().unwrap_or_default())
    }
}

/// Declares the columns that a kernel reads, by name.
#[macro_export]
macro_rules! columns {
    ($(#[$meta:meta])* $vis:vis struct $name:ident<$life:lifetime> {
        $($(#[$note:meta])* $field:ident: $type:ty),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        $vis struct $name<$life> { $($(#[$note])* pub $field: $type),* }
        impl<$life> $crate::flow::columns::Columns<$life> for $name<$life> {
            const READS: $crate::flow::columns::Reads =
                $crate::flow::columns::Reads::Fields(&[$($crate::flow::fields::Field {
                    name: stringify!($field),
                    kind: <$type as $crate::flow::columns::Typed>::KIND,
                }),*]);

            fn find(
                batch: Option<&$crate::flow::columns::Batch<$life>>,
            ) -> Result<Self, $crate::flow::columns::NoColumn> {
                let nothing = $crate::flow::columns::Batch::default();
                let batch = batch.unwrap_or(&nothing);
                $(let $field = <$type as $crate::flow::columns::Typed>::find(batch, stringify!($field))?;)*
                Ok(Self { $($field),* })
            }
        }
    };
}

/// Finds the rows of the table beside a batch, while one goes through the documents of the batch in ascending order.
pub struct Along<'a> {
    documents: Numbers<'a>,
    at: usize,
}

impl<'a> Along<'a> {
    /// `documents` is the first column of the table beside, in ascending order.
    pub fn new(documents: Numbers<'a>) -> Self {
        Self { documents, at: 0 }
    }

    /// The rows of `doc`. To be asked in ascending order, and once for each document: a second time there are none.
    pub fn rows(&mut self, doc: u64) -> std::ops::Range<usize> {
        while self.at < self.documents.len() && self.documents.at(self.at) < doc {
            self.at += 1;
        }
        let begin = self.at;
        while self.at < self.documents.len() && self.documents.at(self.at) == doc {
            self.at += 1;
        }
        begin..self.at
    }
}

columns! {
    /// Documents and their texts: what most kernels that map read.
    pub struct Texts<'a> { doc: Numbers<'a>, text: Strings<'a> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name_and_kind() {
        let (numbers, offsets) = ([4, 7], [0, 1, 3]);
        let text = Column::Bytes { offsets: &offsets, data: b"abc", valid: None };
        let doc = Column::Numbers(&numbers);
        let batch = Batch { columns: vec![("other", doc), ("text", text), ("doc", doc)] };
        let found = Texts::find(Some(&batch)).unwrap();
        assert_eq!((found.doc.at(1), found.text.at(1).as_ref()), (7, "bc"));
        let batch = |columns: &[(&'static str, Column<'static>)]| Batch { columns: columns.to_vec() };
        let fault = |batch: Batch<'_>| Texts::find(Some(&batch)).err().map(|fault| fault.to_string());
        let (short, long) = (Column::Numbers(&[]), Column::Bytes { offsets: &[0], data: b"", valid: None });
        assert_eq!(fault(batch(&[("doc", short)])), Some("there is no column text".to_owned()));
        let swapped = batch(&[("doc", long), ("text", short)]);
        assert_eq!(fault(swapped), Some("column doc does not hold numbers".to_owned()));
    }

    #[test]
    fn what_stands_beside_is_read_along() {
        let mut along = Along::new(Numbers(&[1, 1, 4, 9]));
        assert_eq!([0, 1, 2, 4, 9, 10].map(|doc| along.rows(doc)), [0..0, 0..2, 2..2, 2..3, 3..4, 4..4]);
    }

    #[test]
    fn runs_of_numbers() {
        let found: Vec<_> = Numbers(&[3, 3, 5, 3]).runs().collect();
        assert_eq!(found, [(3, 0..2), (5, 2..3), (3, 3..4)]);
    }
}
