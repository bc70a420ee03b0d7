//! What a kernel is: a small machine that turns columns or sorted rows into rows.
//!
//! Kernels start no threads, read no clock and touch no file; what they keep between calls is bounded by what each
//! says of itself. Engines give them a batch or a partition and move the blocks that come out.
//!
//! A kernel states its [`Contract`] with [`contract!`](crate::contract), and implements [`Map`] or [`Group`]; all of it
//! is typed. [`MapKernel`] and [`GroupKernel`] are the same behind one interface: whoever runs kernels knows nothing but
//! their names.

use std::collections::BTreeMap;
use std::io;

use crate::flow::columns::{Batch, Columns, NoColumn};
use crate::flow::contract::{
    Contract, Given, KernelInput, Key, Parameters, Port, PortInfo, Shape, When, WrongParameter,
};
use crate::flow::fields::{Damaged, Row, Tail};
use crate::flow::rows::{Spread, Writer};

/// Why a kernel gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelFault {
    Damaged(Damaged),
    NoColumn(NoColumn),
}

impl From<Damaged> for KernelFault {
    fn from(fault: Damaged) -> Self {
        Self::Damaged(fault)
    }
}

impl From<NoColumn> for KernelFault {
    fn from(fault: NoColumn) -> Self {
        Self::NoColumn(fault)
    }
}

impl KernelFault {
    /// As an error that names the kernel, for whoever ran it.
    pub fn of(self, kernel: &'static str) -> io::Error {
        io::Error::other(FaultIn { kernel, fault: self })
    }
}

/// Which kernel gave up, and why.
#[derive(Debug)]
pub struct FaultIn {
    kernel: &'static str,
    fault: KernelFault,
}

impl std::fmt::Display for FaultIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kernel, fault } = self;
        match fault {
            KernelFault::Damaged(damaged) => write!(f, "kernel {kernel}: {damaged}"),
            KernelFault::NoColumn(missing) => write!(f, "kernel {kernel}: {missing}"),
        }
    }
}

impl std::error::Error for FaultIn {}

/// How a call of a kernel ends.
pub type Done = Result<(), KernelFault>;

/// What a [`Map`] states of itself; see [`contract!`](crate::contract).
pub trait MapContract: Sized + Send {
    const NAME: &'static str;
    const PORTS: &'static [PortInfo];
    /// How much of a key, or of a batch, it holds in memory: for people to read, not checked.
    const KEEPS: &'static str = "nothing";
    type Parameters: Parameters;
    /// The columns of the batch. If there is a table beside it, the first holds the numbers of the documents.
    type Reads<'a>: Columns<'a>;
    /// The columns of the table beside; of its rows, a call sees those whose first column lies between the first and
    /// the last document of the batch.
    type Beside<'a>: Columns<'a>;
    /// Which columns of the batch are read under a condition only; they are `Option`s there.
    const ONLY: &'static [(&'static str, When)] = &[];

    fn new(parameters: Self::Parameters) -> Result<Self, WrongParameter>;
}

/// A kernel that turns a batch of a table, and the rows of a kept table beside it (those of the same documents), into
/// rows.
pub trait Map: MapContract {
    fn batch<'a>(&mut self, reads: Self::Reads<'a>, beside: Self::Beside<'a>, out: &mut Output) -> Done;
}

/// What a [`Group`] states of itself; see [`contract!`](crate::contract).
pub trait GroupContract: Sized + Send {
    const NAME: &'static str;
    /// What the keys of its rows are.
    const KEY: Key;
    const PORTS: &'static [PortInfo];
    /// How much of a key, or of a batch, it holds in memory: for people to read, not checked.
    const KEEPS: &'static str = "nothing";
    /// What the rows of each table look like.
    const TABLES: &'static [Shape];
    /// Whether there may be more tables like the last.
    const REPEATED: bool = false;
    type Parameters: Parameters;

    /// `room` is how many bytes a kernel that gathers may hold.
    fn new(parameters: Self::Parameters, room: usize) -> Result<Self, WrongParameter>;
}

/// A kernel that turns rows that share a key into other rows.
pub trait Group: GroupContract {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done;

    /// After the last key of the partition.
    fn finish(&mut self, _out: &mut Output) {}
}

/// States the contract of a kernel: its name, how it is made from its parameters, what it reads, how much it keeps in
/// memory (nothing, if that is not said), and its ports.
///
/// ```text
/// contract! {
///     map Scan = "scan";                                     a kernel that reads tables
///     new(parameters: Gramming) = Ok(Self(parameters));      or `new()`, or `new(Gramming { k, key })`
///     reads Texts<'a>, beside Option<CopyColumns<'a>>;       columns of the table, and of the one beside it
///     only CONDITIONAL;                                      columns that are read under a condition
///     keeps "the grams of one document";
///     const GRAMS: Port<Posting<'static>> = Port::hashes(0, "grams");
/// }
///
/// contract! {
///     group Lists = "lists";                                 a kernel that reads rows that share a key
///     new(Listing { most }, room) = Ok(Self { most, room }); `room` may be left out
///     key Hash of [Posting<'static>] and more;               tables of rows, and more like the last
///     const LISTS: Port<List> = Port::hashes(0, "lists");
/// }
/// ```
///
/// Where rows of a table can be of any kind, `of shapes [Shape::Any, shape::<Size>()]` says so.
#[macro_export]
macro_rules! contract {
    (
        map $kernel:ident = $name:expr;
        new($($given:tt)*) = $made:expr;
        reads $reads:ty $(, beside $beside:ty)?;
        $(only $only:expr;)?
        $(keeps $keeps:expr;)?
        $($(#[$note:meta])* const $port:ident: $row:ty = $info:expr;)*
    ) => {
        impl $kernel {
            $($(#[$note])* const $port: $row = $info;)*
        }

        impl $crate::flow::kernel::MapContract for $kernel {
            const NAME: &'static str = $name;
            const PORTS: &'static [$crate::flow::contract::PortInfo] = &[$(Self::$port.info()),*];
            $(const KEEPS: &'static str = $keeps;)?
            type Reads<'a> = $reads;
            type Beside<'a> = $crate::unless_given!((), $($beside)?);
            $(const ONLY: &'static [(&'static str, $crate::flow::contract::When)] = $only;)?
            $crate::made_from!(map, $made; $($given)*);
        }
    };
    (
        group $kernel:ident = $name:expr;
        new($($given:tt)*) = $made:expr;
        key $key:ident of [$($table:ty),+] $(and $more:ident)?;
        $($rest:tt)*
    ) => {
        $crate::contract! {
            group $kernel = $name;
            new($($given)*) = $made;
            key $key of shapes [$($crate::flow::contract::shape::<$table>()),+] $(and $more)?;
            $($rest)*
        }
    };
    (
        group $kernel:ident = $name:expr;
        new($($given:tt)*) = $made:expr;
        key $key:ident of shapes [$($shape:expr),+] $(and $more:ident)?;
        $(keeps $keeps:expr;)?
        $($(#[$note:meta])* const $port:ident: $row:ty = $info:expr;)*
    ) => {
        impl $kernel {
            $($(#[$note])* const $port: $row = $info;)*
        }

        impl $crate::flow::kernel::GroupContract for $kernel {
            const NAME: &'static str = $name;
            const KEY: $crate::flow::contract::Key = $crate::flow::contract::Key::$key;
            const PORTS: &'static [$crate::flow::contract::PortInfo] = &[$(Self::$port.info()),*];
            $(const KEEPS: &'static str = $keeps;)?
            const TABLES: &'static [$crate::flow::contract::Shape] = &[$($shape),+];
            const REPEATED: bool = !stringify!($($more)?).is_empty();
            $crate::made_from!(group, $made; $($given)*);
        }
    };
}

/// The type in a clause of a [`contract!`], or another one if the clause is left out.
#[macro_export]
macro_rules! unless_given {
    ($usual:ty,) => {
        $usual
    };
    ($usual:ty, $given:ty) => {
        $given
    };
}

/// The clause `new` of a [`contract!`]: the parameters of the kernel, and how it begins.
#[macro_export]
macro_rules! made_from {
    ($verb:ident, $made:expr;) => { $crate::made_from!($verb, $made; _none: ()); };
    ($verb:ident, $made:expr; $type:ident { $($field:tt)* } $(, $room:ident)?) => {
        $crate::made_from!($verb, { let $type { $($field)* } = parameters; $made }; parameters: $type $(, $room)?);
    };
    (map, $made:expr; $given:ident: $parameters:ty) => {
        type Parameters = $parameters;

        fn new($given: $parameters) -> Result<Self, $crate::flow::contract::WrongParameter> {
            $made
        }
    };
    (group, $made:expr; $given:ident: $parameters:ty) => {
        $crate::made_from!(group, $made; $given: $parameters, _room);
    };
    (group, $made:expr; $given:ident: $parameters:ty, $room:ident) => {
        type Parameters = $parameters;

        fn new($given: $parameters, $room: usize) -> Result<Self, $crate::flow::contract::WrongParameter> {
            $made
        }
    };
}

/// Any map kernel, its types hidden.
pub trait MapKernel: Send {
    fn name(&self) -> &'static str;
    fn batch(&mut self, reads: &Batch<'_>, beside: Option<&Batch<'_>>, out: &mut Output) -> Done;
}

impl<K: Map> MapKernel for K {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn batch(&mut self, reads: &Batch<'_>, beside: Option<&Batch<'_>>, out: &mut Output) -> Done {
        Map::batch(self, K::Reads::find(Some(reads))?, K::Beside::find(beside)?, out)
    }
}

/// Any group kernel, its types hidden.
pub trait GroupKernel: Send {
    fn name(&self) -> &'static str;
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done;
    fn finish(&mut self, out: &mut Output);
}

impl<K: Group> GroupKernel for K {
    fn name(&self) -> &'static str {
        K::NAME
    }

    #[inline]
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        Group::key(self, key, rows, out)
    }

    fn finish(&mut self, out: &mut Output) {
        Group::finish(self, out);
    }
}

/// How kernels of one name are described and made.
#[derive(Clone, Copy)]
pub struct Entry {
    pub contract: Contract,
    pub make: Make,
}

/// A new kernel, or the parameter that is wrong.
type Made<K> = Result<Box<K>, WrongParameter>;

#[derive(Clone, Copy)]
pub enum Make {
    Map(fn(&Given) -> Made<dyn MapKernel>),
    Group(fn(&Given, usize) -> Made<dyn GroupKernel>),
}

impl Entry {
    pub const fn map<K: Map + 'static>() -> Self {
        let contract = Contract {
            name: K::NAME,
            input: KernelInput::Columns {
                reads: <K::Reads<'static> as Columns<'static>>::READS,
                beside: <K::Beside<'static> as Columns<'static>>::READS,
                only: K::ONLY,
            },
            parameters: K::Parameters::PARAMETERS,
            ports: K::PORTS,
            keeps: K::KEEPS,
        };
        Self { contract, make: Make::Map(|given| Ok(Box::new(K::new(K::Parameters::from_given(given)?)?))) }
    }

    pub const fn group<K: Group + 'static>() -> Self {
        let contract = Contract {
            name: K::NAME,
            input: KernelInput::Tables { key: K::KEY, shapes: K::TABLES, repeated: K::REPEATED },
            parameters: K::Parameters::PARAMETERS,
            ports: K::PORTS,
            keeps: K::KEEPS,
        };
        Self {
            contract,
            make: Make::Group(|given, room| Ok(Box::new(K::new(K::Parameters::from_given(given)?, room)?))),
        }
    }
}

/// The rows of one key, in the order of (table, tail).
pub trait Rows {
    fn next(&mut self) -> Option<(u8, &[u8])>;

    /// The row that comes next, without taking it.
    fn peek(&mut self) -> Option<(u8, &[u8])>;

    /// How many rows are left, if that is known without reading them.
    fn left(&self) -> Option<usize> {
        None
    }
}

/// How many bytes of a tail are its beginning: the first so many, or all but the last so many.
#[derive(Clone, Copy, Debug)]
pub enum Beginning {
    First(usize),
    AllBut(usize),
}

impl Beginning {
    #[inline]
    fn of(self, tail: &[u8]) -> &[u8] {
        match self {
            Self::First(bytes) => &tail[..bytes.min(tail.len())],
            Self::AllBut(bytes) => &tail[..tail.len().saturating_sub(bytes)],
        }
    }
}

/// The rows of a key in stretches whose tails begin alike: they are sorted, so such rows stand together. Of several
/// tables, one comes after the other: rows that begin alike but are of different tables are one stretch only if they
/// follow each other.
///
/// ```text
/// let mut lists = Stretches::new(rows, Beginning::AllBut(8));
/// while lists.begin() {
///     while let Some(tail) = lists.tail() { … }
///     … lists.beginning() …
/// }
/// ```
pub struct Stretches<'a> {
    rows: &'a mut dyn Rows,
    by: Beginning,
    beginning: Vec<u8>,
    begun: bool,
}

impl<'a> Stretches<'a> {
    pub fn new(rows: &'a mut dyn Rows, by: Beginning) -> Self {
        Self { rows, by, beginning: Vec::new(), begun: false }
    }

    /// Moves on to the next stretch, passing over what is left of this one; false if there is none.
    pub fn begin(&mut self) -> bool {
        while self.begun && self.tail().is_some() {}
        let Some((_, tail)) = self.rows.peek() else { return false };
        self.begun = true;
        self.beginning.clear();
        self.beginning.extend_from_slice(self.by.of(tail));
        true
    }

    /// What the tails of this stretch begin with.
    pub fn beginning(&self) -> &[u8] {
        &self.beginning
    }

    /// The whole tail of the next row of this stretch.
    #[inline]
    pub fn tail(&mut self) -> Option<&[u8]> {
        let (_, tail) = self.rows.peek()?;
        if self.by.of(tail) != self.beginning {
            return None;
        }
        self.rows.next().map(|(_, tail)| tail)
    }
}

/// Is called with the port, the partition and the bytes of each block that leaves an [`Output`].
pub type Sink<'a> = &'a mut dyn FnMut(usize, usize, &[u8]) -> io::Result<()>;

/// What a kernel emits: rows on its ports, and counters that add up over all tasks.
pub struct Output<'a> {
    ports: Vec<Writer>,
    tail: Vec<u8>,
    counters: BTreeMap<&'static str, Counter>,
    sink: Option<Sink<'a>>,
    full: usize,
    fault: Option<io::Error>,
}

/// An integer that folds over all tasks, in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    Sum(u64),
    Greatest(u64),
}

impl<'a> Output<'a> {
    /// A port that holds more than `full` bytes passes its blocks on.
    pub fn new(ports: &[Spread], full: usize, sink: Sink<'a>) -> Self {
        let ports = ports.iter().map(|&spread| Writer::new(spread)).collect();
        Self { ports, tail: Vec::new(), counters: BTreeMap::new(), sink: Some(sink), full, fault: None }
    }

    /// For kernels that emit nothing.
    pub fn none() -> Self {
        Self { ports: Vec::new(), tail: Vec::new(), counters: BTreeMap::new(), sink: None, full: 0, fault: None }
    }

    /// Emits one row.
    #[inline]
    pub fn row<T: Tail>(&mut self, port: &Port<T>, key: u64, row: T::At<'_>) {
        self.tail.clear();
        row.put(&mut self.tail);
        self.ports[port.info().number].row(key, &self.tail);
    }

    /// Emits a row for each key, all with the same tail.
    #[inline]
    pub fn run<T: Tail>(&mut self, port: &Port<T>, keys: &[u64], row: T::At<'_>) {
        self.tail.clear();
        row.put(&mut self.tail);
        self.ports[port.info().number].run(keys, &self.tail);
    }

    #[inline]
    pub fn count(&mut self, name: &'static str, by: u64) {
        if let Counter::Sum(sum) = self.counters.entry(name).or_insert(Counter::Sum(0)) {
            *sum += by;
        }
    }

    pub fn greatest(&mut self, name: &'static str, value: u64) {
        if let Counter::Greatest(greatest) = self.counters.entry(name).or_insert(Counter::Greatest(0)) {
            *greatest = value.max(*greatest);
        }
    }

    /// Hands on the blocks of ports that are full.
    #[inline]
    pub fn flush(&mut self) -> io::Result<()> {
        if self.ports.iter().any(|port| port.bytes() > self.full) {
            self.drain(self.full)?;
        }
        Ok(())
    }

    /// The same in the middle of a batch; if it fails, [`close`](Self::close) returns the error.
    pub fn relieve(&mut self) {
        if self.fault.is_none() {
            self.fault = self.flush().err();
        }
    }

    /// Hands on all blocks and returns the counters.
    pub fn close(mut self) -> io::Result<BTreeMap<&'static str, Counter>> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        self.drain(0)?;
        Ok(self.counters)
    }

    fn drain(&mut self, above: usize) -> io::Result<()> {
        let Some(sink) = self.sink.as_mut() else { return Ok(()) };
        for (number, port) in self.ports.iter_mut().enumerate().filter(|(_, port)| port.bytes() > above) {
            port.drain(|partition, block| sink(number, partition, block))?;
        }
        Ok(())
    }
}
