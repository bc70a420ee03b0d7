//! Fields: what the tails of rows, the columns of tables and the parameters of kernels are made of, each declared once.
//!
//! Three kinds of struct are declared by macros, which note the name and the kind of every field beside the code that
//! reads and writes it:
//!
//! * [`row!`](crate::row) a tail, with its one codec: fields in the order in which they are declared, numbers
//!   big-endian, so that tails sort as their fields do (bytes by their length first, and reals only from 0 on);
//! * [`columns!`](crate::columns) the columns that a map kernel reads, found by name;
//! * [`parameters!`](crate::parameters) the parameters of a kernel.
//!
//! The notes are what [`contract`](crate::flow::contract) hands on to whoever puts kernels together.

use crate::flow::rows::{take_bytes, take_doc, take_u64};

/// What a field is, whether it stands in a tail or in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number, never negative: eight bytes.
    Number,
    /// A document: a whole number in four bytes.
    Doc,
    /// A small number: one byte.
    Small,
    /// A floating-point number, as its bits: eight bytes.
    Real,
    /// A whole number, or null: a byte that says which, and eight.
    NumberOrNull,
    /// A floating-point number, or null, in the same way.
    RealOrNull,
    /// Any bytes: a four-byte length and the bytes, or a length that stands for null.
    Bytes { nullable: bool },
    /// Always this many bytes, without a length before them.
    Fixed(usize),
    /// The bytes that the other fields of a tail leave over. A tail has at most one such field.
    Rest,
    /// Text, in columns only: a string or, with `lines`, a list of strings as the lines of one.
    Text { lines: bool },
}

impl Kind {
    /// As Python says it.
    pub fn name(self) -> String {
        match self {
            Self::Number => "number".to_owned(),
            Self::Doc => "doc".to_owned(),
            Self::Small => "small".to_owned(),
            Self::Real => "real".to_owned(),
            Self::NumberOrNull => "number or null".to_owned(),
            Self::RealOrNull => "real or null".to_owned(),
            Self::Bytes { nullable: false } => "bytes".to_owned(),
            Self::Bytes { nullable: true } => "bytes or null".to_owned(),
            Self::Fixed(width) => format!("{width} bytes"),
            Self::Rest => "rest".to_owned(),
            Self::Text { lines: false } => "text".to_owned(),
            Self::Text { lines: true } => "lines".to_owned(),
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        let kinds = [
            Self::Number,
            Self::Doc,
            Self::Small,
            Self::Real,
            Self::NumberOrNull,
            Self::RealOrNull,
            Self::Bytes { nullable: false },
            Self::Bytes { nullable: true },
            Self::Rest,
            Self::Text { lines: false },
            Self::Text { lines: true },
        ];
        let fixed = || name.strip_suffix(" bytes").and_then(|width| width.parse().ok()).map(Self::Fixed);
        kinds.into_iter().find(|kind| kind.name() == name).or_else(fixed)
    }
}

/// A field's name and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
}

/// A tail that cannot be decoded as a row of the type that is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged(pub &'static str);

impl std::fmt::Display for Damaged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a row of {} is damaged", self.0)
    }
}

impl std::error::Error for Damaged {}

/// How a field of a tail is written and read.
pub trait FieldCodec<'a>: Sized {
    const KIND: Kind;
    /// The number of bytes that it takes; 0 if that varies.
    const WIDTH: usize;

    fn put(&self, to: &mut Vec<u8>);

    /// Takes it off the front of a tail in which `after` bytes belong to fields behind it.
    fn take(from: &mut &'a [u8], after: usize) -> Option<Self>;
}

impl FieldCodec<'_> for u64 {
    const KIND: Kind = Kind::Number;
    const WIDTH: usize = 8;

    #[inline]
    fn put(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.to_be_bytes());
    }

    #[inline]
    fn take(from: &mut &[u8], _: usize) -> Option<Self> {
        take_u64(from)
    }
}

impl FieldCodec<'_> for u32 {
    const KIND: Kind = Kind::Doc;
    const WIDTH: usize = 4;

    #[inline]
    fn put(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.to_be_bytes());
    }

    #[inline]
    fn take(from: &mut &[u8], _: usize) -> Option<Self> {
        take_doc(from)
    }
}

impl FieldCodec<'_> for u8 {
    const KIND: Kind = Kind::Small;
    const WIDTH: usize = 1;

    #[inline]
    fn put(&self, to: &mut Vec<u8>) {
        to.push(*self);
    }

    #[inline]
    fn take(from: &mut &[u8], _: usize) -> Option<Self> {
        let (&first, rest) = from.split_first()?;
        *from = rest;
        Some(first)
    }
}

/// Stored as a [`Kind::Number`], from which a table makes a column of true and false.
impl FieldCodec<'_> for bool {
    const KIND: Kind = Kind::Number;
    const WIDTH: usize = 8;

    #[inline]
    fn put(&self, to: &mut Vec<u8>) {
        u64::from(*self).put(to);
    }

    #[inline]
    fn take(from: &mut &[u8], _: usize) -> Option<Self> {
        take_u64(from).map(|value| value != 0)
    }
}

impl FieldCodec<'_> for f64 {
    const KIND: Kind = Kind::Real;
    const WIDTH: usize = 8;

    #[inline]
    fn put(&self, to: &mut Vec<u8>) {
        self.to_bits().put(to);
    }

    #[inline]
    fn take(from: &mut &[u8], _: usize) -> Option<Self> {
        take_u64(from).map(f64::from_bits)
    }
}

/// Null comes before all numbers.
impl FieldCodec<'_> for Option<u64> {
    const KIND: Kind = Kind::NumberOrNull;
    const WIDTH: usize = 9;

    #[inline]
    fn put(&self, to: &mut Vec<u8>) {
        u8::from(self.is_some()).put(to);
        self.unwrap_or_default().put(to);
    }

    #[inline]
    fn take(from: &mut &[u8], after: usize) -> Option<Self> {
        let there = u8::take(from, after)? != 0;
        take_u64(from).map(|value| there.then_some(value))
    }
}

impl FieldCodec<'_> for Option<f64> {
    const KIND: Kind = Kind::RealOrNull;
    const WIDTH: usize = 9;

    #[inline]
    fn put(&self, to: &mut Vec<u8>) {
        self.map(f64::to_bits).put(to);
    }

    #[inline]
    fn take(from: &mut &[u8], after: usize) -> Option<Self> {
        <Option<u64> as FieldCodec>::take(from, after).map(|bits| bits.map(f64::from_bits))
    }
}

impl<'a, const N: usize> FieldCodec<'a> for &'a [u8; N] {
    const KIND: Kind = Kind::Fixed(N);
    const WIDTH: usize = N;

    #[inline]
    fn put(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(*self);
    }

    #[inline]
    fn take(from: &mut &'a [u8], _: usize) -> Option<Self> {
        let (taken, rest) = from.split_first_chunk()?;
        *from = rest;
        Some(taken)
    }
}

/// The length that stands for null.
const NULL: u32 = u32::MAX;

impl<'a> FieldCodec<'a> for Option<&'a [u8]> {
    const KIND: Kind = Kind::Bytes { nullable: true };
    const WIDTH: usize = 0;

    #[inline]
    fn put(&self, to: &mut Vec<u8>) {
        self.map_or(NULL, |bytes| bytes.len() as u32).put(to);
        to.extend_from_slice(self.unwrap_or_default());
    }

    #[inline]
    fn take(from: &mut &'a [u8], _: usize) -> Option<Self> {
        match take_doc(from)? {
            NULL => Some(None),
            length => take_bytes(from, length as usize).map(Some),
        }
    }
}

impl<'a> FieldCodec<'a> for &'a [u8] {
    const KIND: Kind = Kind::Bytes { nullable: false };
    const WIDTH: usize = 0;

    #[inline]
    fn put(&self, to: &mut Vec<u8>) {
        Some(*self).put(to);
    }

    #[inline]
    fn take(from: &mut &'a [u8], after: usize) -> Option<Self> {
        <Option<&[u8]> as FieldCodec>::take(from, after)?
    }
}

/// The bytes of a tail that its other fields leave over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest<'a>(pub &'a [u8]);

impl<'a> FieldCodec<'a> for Rest<'a> {
    const KIND: Kind = Kind::Rest;
    const WIDTH: usize = 0;

    #[inline]
    fn put(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.0);
    }

    #[inline]
    fn take(from: &mut &'a [u8], after: usize) -> Option<Self> {
        let length = from.len().checked_sub(after)?;
        take_bytes(from, length).map(Rest)
    }
}

/// A row that can be written.
pub trait Row {
    const FIELDS: &'static [Field];

    /// Appends its fields.
    fn put(&self, to: &mut Vec<u8>);
}

/// A type of row, without the lifetime of the bytes that it borrows from.
pub trait Tail {
    /// The row type that borrows from bytes of this lifetime.
    type At<'a>: Row;
}

/// Declares a row: a struct whose fields are those of a tail, with `take` to read one and `put` to write one. The
/// comment of a row says first what its key is: "Of a gram: a document that has it" stands for rows keyed by gram, with
/// the document in the tail.
///
/// ```
/// unquilt_kernels::row! {
///     /// A gram's document and the code of its servers.
///     pub struct Posting<'a> { doc: u32, servers: unquilt_kernels::flow::fields::Rest<'a> }
/// }
/// # use unquilt_kernels::flow::fields::{Rest, Row};
/// let mut tail = Vec::new();
/// Posting { doc: 7, servers: Rest(b"ab") }.put(&mut tail);
/// assert_eq!(tail, b"\0\0\0\x07ab");
/// assert_eq!(Posting::take(&tail).unwrap().doc, 7);
/// assert!(Posting::take(b"\0").is_err());
/// ```
#[macro_export]
macro_rules! row {
    ($(#[$meta:meta])* $vis:vis struct $name:ident<$life:lifetime> {
        $($(#[$note:meta])* $field:ident: $type:ty),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        $vis struct $name<$life> { $($(#[$note])* pub $field: $type),* }
        $crate::row!(@codec $name, $life, [<$life>], [<'static>], $($field: $type),*);
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$note:meta])* $field:ident: $type:ty),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        $vis struct $name { $($(#[$note])* pub $field: $type),* }
        $crate::row!(@codec $name, 'a, [], [], $($field: $type),*);
    };
    (@codec $name:ident, $life:lifetime, [$($own:tt)*], [$($long:tt)*], $($field:ident: $type:ty),*) => {
        impl<$life> $name $($own)* {
            #[inline]
            #[allow(dead_code)]
            pub fn take(tail: &$life [u8]) -> Result<Self, $crate::flow::fields::Damaged> {
                #[inline]
                #[allow(unused_mut)]
                fn fields<$life>(mut from: &$life [u8]) -> Option<$name $($own)*> {
                    $crate::row!(@take from; $($field: $type),*);
                    from.is_empty().then_some($name { $($field),* })
                }
                fields(tail).ok_or($crate::flow::fields::Damaged(stringify!($name)))
            }
        }
        impl<$life> $crate::flow::fields::Row for $name $($own)* {
            const FIELDS: &'static [$crate::flow::fields::Field] = &[$($crate::flow::fields::Field {
                name: stringify!($field),
                kind: <$type as $crate::flow::fields::FieldCodec>::KIND,
            }),*];

            #[inline]
            #[allow(unused_variables)]
            fn put(&self, to: &mut Vec<u8>) {
                $($crate::flow::fields::FieldCodec::put(&self.$field, to);)*
            }
        }
        impl $crate::flow::fields::Tail for $name $($long)* {
            type At<$life> = $name $($own)*;
        }
    };
    (@take $from:ident;) => {};
    (@take $from:ident; $field:ident: $type:ty $(, $later:ident: $other:ty)*) => {
        let after = 0 $(+ <$other as $crate::flow::fields::FieldCodec>::WIDTH)*;
        let $field = <$type as $crate::flow::fields::FieldCodec>::take(&mut $from, after)?;
        $crate::row!(@take $from; $($later: $other),*);
    };
}

/// A tail that a kernel passes on without looking into it.
#[derive(Clone, Copy, Debug)]
pub struct Raw<'a>(pub &'a [u8]);

impl Row for Raw<'_> {
    const FIELDS: &'static [Field] = &[];

    #[inline]
    fn put(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.0);
    }
}

impl Tail for Raw<'static> {
    type At<'a> = Raw<'a>;
}

#[cfg(test)]
mod tests {
    use super::*;

    row! {
        struct Mixed<'a> { number: u64, name: Option<&'a [u8]>, doc: u32, others: Rest<'a>, share: f64, last: &'a [u8; 2], kept: bool }
    }
    row! {
        struct Empty {}
    }
    row! {
        struct Nullable { number: Option<u64>, share: Option<f64>, doc: u32 }
    }

    #[test]
    fn null_is_not_zero() {
        for (number, share) in [(None, Some(0.5)), (Some(0), None), (Some(u64::MAX), Some(0.0)), (None, None)] {
            let (row, mut tail) = (Nullable { number, share, doc: 3 }, Vec::new());
            row.put(&mut tail);
            assert_eq!(Nullable::take(&tail), Ok(row));
            assert_eq!(Nullable::take(&tail[1..]), Err(Damaged("Nullable")));
        }
        for field in Nullable::FIELDS {
            assert_eq!(Kind::named(&field.kind.name()), Some(field.kind));
        }
    }

    #[test]
    fn what_is_put_is_taken() {
        for (name, others) in [(None, &b""[..]), (Some(&b"ab"[..]), b"xyz"), (Some(b""), b"\xff")] {
            let row =
                Mixed { number: 1 << 40, name, doc: 9, others: Rest(others), share: 0.25, last: b"!?", kept: true };
            let mut tail = Vec::new();
            row.put(&mut tail);
            assert_eq!(Mixed::take(&tail), Ok(row));
            for short in 0..tail.len().min(34) {
                assert_eq!(Mixed::take(&tail[..short]), Err(Damaged("Mixed")), "{short}");
            }
        }
        assert_eq!(Empty::take(&[]), Ok(Empty {}));
        assert_eq!(Empty::take(&[1]), Err(Damaged("Empty")));
    }

    #[test]
    fn tails_sort_as_their_fields() {
        row! {
            struct Pair { first: u64, second: u32 }
        }
        let tail = |first, second| {
            let mut tail = Vec::new();
            Pair { first, second }.put(&mut tail);
            tail
        };
        assert!(tail(1, 9) < tail(256, 0));
        assert!(tail(256, 1) < tail(256, 1 << 20));
    }

    #[test]
    fn kinds_go_by_their_names() {
        for field in Mixed::FIELDS {
            assert_eq!(Kind::named(&field.kind.name()), Some(field.kind));
        }
        let names: Vec<_> = Mixed::FIELDS.iter().map(|field| field.name).collect();
        assert_eq!(names, ["number", "name", "doc", "others", "share", "last", "kept"]);
        assert_eq!(Kind::named("bits"), None);
    }
}
