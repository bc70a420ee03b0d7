//! What a kernel says of itself: its name, what it reads, its parameters, what it emits, and how much of a key it
//! keeps.
//!
//! A kernel states this once, beside its struct, by [`contract!`](crate::contract). [`Contract`] is the same as data: the
//! binding hands it to Python, where plans that do not fit are refused before they run.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::sync::Arc;

use memmap2::Mmap;

use crate::flow::columns::Reads;
use crate::flow::fields::{Field, Row, Tail};
use crate::text::fingerprint::Fingerprinter;

/// What the keys of rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Any 64 bits.
    Hash,
    /// A document: a dense number below the size of the corpus.
    Doc,
}

impl Key {
    /// As Python says it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hash => "hash",
            Self::Doc => "doc",
        }
    }
}

/// The fields of rows that come in or go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Exactly these fields.
    Fields(&'static [Field]),
    /// Coming in: any fields. The kernel does not look at them.
    Any,
    /// Coming in: any fields, then these.
    EndingIn(&'static [Field]),
    /// Going out: the columns that the kernel was asked to read, without the first, which is the key.
    Selected,
    /// Going out: the fields of these incoming tables, those of one table behind those of the other.
    OfTables(&'static [usize]),
}

/// The shape of a row type.
pub const fn shape<T: Tail>() -> Shape {
    Shape::Fields(<T::At<'static> as Row>::FIELDS)
}

/// A port: where rows of one type leave a kernel.
pub struct Port<T> {
    info: PortInfo,
    rows: PhantomData<T>,
}

/// What is known of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortInfo {
    /// Its place among the ports that exist with the given parameters; ports that exclude each other may share one.
    pub number: usize,
    pub name: &'static str,
    pub key: Key,
    pub shape: Shape,
    /// The condition under which the port exists; without one it always does.
    pub when: Option<When>,
}

/// A condition on a parameter: that it has this value or, unless `equal`, another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    pub parameter: &'static str,
    pub value: &'static str,
    pub equal: bool,
}

impl<T: Tail> Port<T> {
    const fn new(number: usize, name: &'static str, key: Key) -> Self {
        Self { info: PortInfo { number, name, key, shape: shape::<T>(), when: None }, rows: PhantomData }
    }

    /// Port `number`, whose rows are keyed by fingerprints.
    pub const fn hashes(number: usize, name: &'static str) -> Self {
        Self::new(number, name, Key::Hash)
    }

    /// Port `number`, whose rows are keyed by documents.
    pub const fn documents(number: usize, name: &'static str) -> Self {
        Self::new(number, name, Key::Doc)
    }

    /// Makes the port exist only if the parameter has this value ("true" or "false" for a flag).
    #[must_use]
    pub const fn when(mut self, parameter: &'static str, value: &'static str) -> Self {
        self.info.when = Some(When { parameter, value, equal: true });
        self
    }

    /// Makes the port exist only if the parameter has another value.
    #[must_use]
    pub const fn when_not(mut self, parameter: &'static str, value: &'static str) -> Self {
        self.info.when = Some(When { parameter, value, equal: false });
        self
    }

    /// Gives the rows another shape: one that depends on what comes in.
    #[must_use]
    pub const fn shaped(mut self, shape: Shape) -> Self {
        self.info.shape = shape;
        self
    }

    #[inline]
    pub const fn info(&self) -> PortInfo {
        self.info
    }
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    Flag,
    Number,
    /// At least 1.
    Positive,
    /// Below 256.
    Small,
    Real,
    Numbers,
    Reals,
    /// Any text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Sixteen bytes, or none.
    Key,
    /// A file, mapped into memory.
    Side,
}

impl ParameterKind {
    /// As Python says it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Number => "number",
            Self::Positive => "positive",
            Self::Small => "small",
            Self::Real => "real",
            Self::Numbers => "numbers",
            Self::Reals => "reals",
            Self::Text => "text",
            Self::Choice(_) => "choice",
            Self::Key => "key",
            Self::Side => "side",
        }
    }
}

/// A parameter's name, and what it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub name: &'static str,
    pub kind: ParameterKind,
}

/// The bytes of a file that is mapped into memory: shared, and never written to.
#[derive(Clone)]
pub struct Side(Arc<Mmap>);

impl Side {
    pub fn new(mapped: Mmap) -> Self {
        Self(Arc::new(mapped))
    }
}

impl AsRef<[u8]> for Side {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// The value of a parameter.
#[derive(Clone)]
pub enum Value {
    Flag(bool),
    Number(u64),
    Positive(u64),
    Small(u64),
    Real(f64),
    Numbers(Vec<u64>),
    Reals(Vec<f64>),
    Text(String),
    Choice(String),
    Key(Option<[u8; 16]>),
    Side(Side),
}

/// The values of parameters, by name.
pub type Given = BTreeMap<&'static str, Value>;

/// A parameter that is missing or not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongParameter(pub String);

impl std::fmt::Display for WrongParameter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongParameter {}

/// A type that a parameter can have.
pub trait ParameterValue: Sized {
    const KIND: ParameterKind;

    fn from_value(value: &Value) -> Option<Self>;
}

macro_rules! parameter_value {
    ($type:ty, $kind:ident, $value:ident => $made:expr) => {
        impl ParameterValue for $type {
            const KIND: ParameterKind = ParameterKind::$kind;

            fn from_value(value: &Value) -> Option<Self> {
                match value {
                    Value::$kind($value) => $made,
                    _ => None,
                }
            }
        }
    };
}

parameter_value!(bool, Flag, value => Some(*value));
parameter_value!(u64, Number, value => Some(*value));
parameter_value!(usize, Number, value => usize::try_from(*value).ok());
parameter_value!(NonZeroUsize, Positive, value => usize::try_from(*value).ok().and_then(NonZeroUsize::new));
parameter_value!(u8, Small, value => u8::try_from(*value).ok());
parameter_value!(f64, Real, value => Some(*value));
parameter_value!(Vec<u64>, Numbers, value => Some(value.clone()));
parameter_value!(Vec<f64>, Reals, value => Some(value.clone()));
parameter_value!(String, Text, value => Some(value.clone()));
parameter_value!(Side, Side, value => Some(value.clone()));
parameter_value!(Fingerprinter, Key, key => Some(key.map_or_else(Fingerprinter::plain, |key| Fingerprinter::keyed(&key))));

/// All parameters of a kernel, as one struct (see [`parameters!`](crate::parameters)).
pub trait Parameters: Sized {
    const PARAMETERS: &'static [Parameter];

    fn from_given(given: &Given) -> Result<Self, WrongParameter>;
}

impl Parameters for () {
    const PARAMETERS: &'static [Parameter] = &[];

    fn from_given(_: &Given) -> Result<Self, WrongParameter> {
        Ok(())
    }
}

/// Declares the parameters of a kernel.
#[macro_export]
macro_rules! parameters {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$note:meta])* $field:ident: $type:ty),* $(,)? }) => {
        $(#[$meta])*
        $vis struct $name { $($(#[$note])* pub $field: $type),* }
        impl $crate::flow::contract::Parameters for $name {
            const PARAMETERS: &'static [$crate::flow::contract::Parameter] = &[$($crate::flow::contract::Parameter {
                name: stringify!($field),
                kind: <$type as $crate::flow::contract::ParameterValue>::KIND,
            }),*];

            fn from_given(
                given: &$crate::flow::contract::Given,
            ) -> Result<Self, $crate::flow::contract::WrongParameter> {
                $(let $field = $crate::flow::contract::find(given, stringify!($field))?;)*
                Ok(Self { $($field),* })
            }
        }
    };
}

/// The value of a parameter, as the type that is wanted.
pub fn find<T: ParameterValue>(given: &Given, name: &'static str) -> Result<T, WrongParameter> {
    let value = given.get(name).ok_or_else(|| WrongParameter(format!("parameter {name} is missing")))?;
    T::from_value(value).ok_or_else(|| WrongParameter(format!("parameter {name} is no {} it could be", T::KIND.name())))
}

/// Declares a parameter that is one of a few words, as an enum with a variant for each word.
#[macro_export]
macro_rules! choice {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$note:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $($(#[$note])* $variant),* }
        impl $crate::flow::contract::ParameterValue for $name {
            const KIND: $crate::flow::contract::ParameterKind =
                $crate::flow::contract::ParameterKind::Choice(&[$($word),*]);

            fn from_value(value: &$crate::flow::contract::Value) -> Option<Self> {
                match value {
                    $crate::flow::contract::Value::Choice(word) => match word.as_str() {
                        $($word => Some(Self::$variant),)*
                        _ => None,
                    },
                    _ => None,
                }
            }
        }
    };
}

/// What a kernel reads: the columns of a table, or sorted rows of some tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelInput {
    Columns {
        reads: Reads,
        beside: Reads,
        /// Columns that are read only if a parameter has some value.
        only: &'static [(&'static str, When)],
    },
    /// Rows of as many tables as there are shapes; with `repeated`, any number of tables like the last may follow.
    Tables { key: Key, shapes: &'static [Shape], repeated: bool },
}

/// A kernel, described.
#[derive(Clone, Copy, Debug)]
pub struct Contract {
    pub name: &'static str,
    pub input: KernelInput,
    pub parameters: &'static [Parameter],
    pub ports: &'static [PortInfo],
    /// How much of a key, or of a batch, it holds in memory: for people to read, not checked.
    pub keeps: &'static str,
}
