//! A compressed file, member by member, that survives broken bytes. A member is what decodes on its own: of a gzip file
//! what gzip calls so, of a zstd file a frame.
//!
//! A web crawl is a file of a million members, one a record; a broken byte must cost one of them. So a member ends at
//! its first bad byte, after everything that could be decoded, and the next one is looked for: bytes that look like a
//! header and whose data decode.
//!
//! **Cost.** Memory: buffers of 1 MiB and what the decoder needs, whatever the file. Time is linear in the file and in
//! what is decoded, for hostile files too: a trial is bounded, and so is how many bytes are decoded again (`PATIENCE`).

mod input;

use std::io;
use std::path::Path;

use memchr::memmem;

pub use self::input::{Bytes, Input, AHEAD, BLOCK};

/// After a fault, a search may go back into the broken member, and so decode the same bytes again. In ordinary files
/// that is a few kilobytes. In all it may be as many bytes as the file has up to here, and these; once a file has used
/// them up, searches go forward only.
const PATIENCE: u64 = 16 << 20;
/// Of a prefix that a search asks for, this much at most is compared.
pub const PREFIX: usize = 1 << 10;

/// Why a member ended before its time: a stable phrase, and the particulars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub reason: &'static str,
    pub detail: String,
}

/// How a member stands after some of it was decoded.
pub enum State {
    /// There may be more to come.
    More,
    /// It has ended, and is sound.
    End,
    /// It has ended where it says, but is not what it should be.
    Mismatch(String),
    /// It is broken here; everything before has been written.
    Corrupt(String),
    /// The file ends here, and should not.
    Truncated(&'static str),
}

/// What a search finds out about a place.
pub struct Trial {
    pub believed: bool,
    /// How many bytes were read and written to find out, if that may be many.
    pub cost: u64,
    /// How far into the file it looked. A search that may not go back goes on from there.
    pub reach: u64,
}

impl Trial {
    /// A trial that read and wrote only a few bytes.
    pub fn of(believed: bool, input: &Input) -> Self {
        Self { believed, cost: 0, reach: input.position }
    }
}

/// A compression: how a member begins, is decoded and ends. The input is where the last call left it.
pub trait Codec: Sized + Send + Sync {
    /// What a member begins with.
    const MAGIC: &'static [u8];
    const CORRUPT: &'static str;
    const TRUNCATED: &'static str;

    /// A decoder for the members of a file.
    fn open(input: &mut Input) -> io::Result<Self>;

    /// Goes past what may stand before the first member.
    fn pass_preamble(_input: &mut Input) -> io::Result<()> {
        Ok(())
    }

    /// Goes past what may stand between members; says whether that is padding that belongs there.
    fn pass_padding(input: &mut Input) -> io::Result<bool>;

    /// Whether a member begins here, where one is expected.
    fn begins(input: &mut Input) -> io::Result<bool>;

    /// Whether one begins here, where the one before ends, but was broken. The decoder must be free.
    fn follows(&mut self, input: &mut Input, prefix: &[u8]) -> io::Result<bool>;

    /// Whether one begins here, where a search came by: whether its data can be decoded and begin with `prefix`. The
    /// decoder must be free; the input stays where it is.
    fn promises(&mut self, input: &mut Input, prefix: &[u8]) -> io::Result<Trial>;

    /// Begins with the member that is here.
    fn enter(&mut self, input: &mut Input) -> io::Result<State>;

    /// Decodes some of the member, unless there is no room for it.
    fn step(&mut self, input: &mut Input, out: &mut [u8]) -> io::Result<(usize, State)>;

    /// Goes to the end of the member, if that can be told without decoding it all; None if not.
    fn leap(&mut self, input: &mut Input) -> io::Result<Option<State>>;
}

/// What can be done with a compressed file, whatever its compression.
pub trait Members: Send + Sync {
    /// Where the current member begins in the file.
    fn member(&self) -> u64;

    /// Just after what has been decoded; once a member has ended well, just after it. After a fault, give or take a byte.
    fn consumed(&self) -> u64;

    /// Why the member ended before its time.
    fn fault(&self) -> Option<&Fault>;

    /// What the last search passed over and belongs to no member; after a fault, from where decoding failed.
    fn skipped(&self) -> Option<(u64, u64)>;

    /// Decodes until `out` is full or the member ends; 0 bytes once it has.
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize>;

    /// Goes to the next member; what is left of the current one is passed over.
    ///
    /// After a good member that is the one that follows at once, or after padding. Where none does, and after a fault, it
    /// is the next place, before `stop`, whose bytes look like a header and whose data decode and begin with `prefix`
    /// (the first KiB of it). After a fault this is looked for from the beginning of the broken member on: where the
    /// middle of a file was lost, the next header lies in what seemed to be its data.
    fn next_member(&mut self, prefix: &[u8], stop: u64) -> io::Result<bool>;

    /// Goes to the first member that begins at `begin` or after it, but before `stop`, found as after a fault. The
    /// current one is given up.
    fn find_member(&mut self, begin: u64, prefix: &[u8], stop: u64) -> io::Result<bool>;
}

/// Reads the members of a file one after the other.
pub struct Unpacked<C> {
    pub(crate) input: Input,
    pub(crate) codec: C,
    pub(crate) member: u64,
    /// Where the member ended, well or not; None while it has not.
    pub(crate) end: Option<u64>,
    /// It ended where it says, though it may not be what it should be.
    closed: bool,
    pub(crate) fault: Option<Fault>,
    pub(crate) skipped: Option<(u64, u64)>,
    /// How far the file has been decoded, and how many bytes before that more than once.
    pub(crate) frontier: u64,
    pub(crate) repeated: u64,
}

impl<C: Codec> Unpacked<C> {
    /// Opens a file at a member that begins at this byte; if none does, that is its fault.
    pub fn open(path: &Path, begin: u64) -> io::Result<Self> {
        Self::over(Input::open(path)?, begin)
    }

    /// The same of an input.
    pub fn over(input: Input, begin: u64) -> io::Result<Self> {
        let mut this = Self::at(input, begin)?;
        this.input.seek(begin)?;
        C::pass_preamble(&mut this.input)?;
        let first = this.input.position;
        if first > begin && this.input.ahead(1)?.is_empty() {
            (this.end, this.closed) = (Some(first), true);
        } else {
            this.enter(first)?;
        }
        Ok(this)
    }

    /// Opens a file in the middle of a member, where the caller has to go.
    pub(crate) fn at(mut input: Input, member: u64) -> io::Result<Self> {
        Ok(Self {
            codec: C::open(&mut input)?,
            input,
            member,
            end: None,
            closed: false,
            fault: None,
            skipped: None,
            frontier: member,
            repeated: 0,
        })
    }

    /// One call of the decoder.
    pub(crate) fn step(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let (made, state) = self.codec.step(&mut self.input, out)?;
        self.note(state)?;
        Ok(made)
    }

    fn enter(&mut self, member: u64) -> io::Result<()> {
        self.input.seek(member)?;
        self.member = member;
        (self.end, self.closed, self.fault) = (None, false, None);
        let state = self.codec.enter(&mut self.input)?;
        self.note(state)
    }

    fn note(&mut self, state: State) -> io::Result<()> {
        let (reason, detail) = match state {
            State::More => return Ok(()),
            State::End => {
                self.leave(true);
                return Ok(());
            }
            State::Mismatch(detail) => {
                self.fault = Some(Fault { reason: C::CORRUPT, detail });
                self.leave(true);
                return Ok(());
            }
            State::Corrupt(detail) => (C::CORRUPT, detail),
            State::Truncated(detail) => (C::TRUNCATED, detail.into()),
        };
        self.fault = Some(Fault { reason, detail });
        let closed = reason == C::CORRUPT && self.leap_out()?;
        self.leave(closed);
        Ok(())
    }

    /// Where data are broken, the end of the member may be known all the same. Goes there.
    fn leap_out(&mut self) -> io::Result<bool> {
        if !self.is_patient() {
            return Ok(false);
        }
        let bad = self.input.position;
        if matches!(self.codec.leap(&mut self.input)?, Some(State::End)) {
            return Ok(true);
        }
        self.repeated += self.input.position - bad;
        self.input.seek(bad)?;
        Ok(false)
    }

    fn leave(&mut self, closed: bool) {
        let end = self.input.position;
        (self.end, self.closed) = (Some(end), closed);
        self.repeated += self.frontier.min(end).saturating_sub(self.member);
        self.frontier = self.frontier.max(end);
    }

    fn is_patient(&self) -> bool {
        self.repeated <= self.frontier + PATIENCE
    }

    /// Decodes up to the end of the member and drops what it decodes; returns where the end is.
    fn pass_over(&mut self) -> io::Result<u64> {
        if self.end.is_none() {
            if let Some(state) = self.codec.leap(&mut self.input)? {
                self.note(state)?;
            }
        }
        let mut nowhere = vec![0; if self.end.is_none() { BLOCK } else { 0 }];
        loop {
            match self.end {
                Some(end) => return Ok(end),
                None => self.step(&mut nowhere)?,
            };
        }
    }

    /// Damage can also hide the end of a member, so that it seems to go on through the next ones and to end where one of
    /// them does, at `end`; or before the last zeros of that one's trailer, which then seem to be padding before `next`.
    /// Goes to the first of those. What is merely stored inside a member ends before that one does.
    fn find_swallowed(&mut self, from: u64, end: u64, next: u64, prefix: &[u8], stop: u64) -> io::Result<bool> {
        let broken = (self.member, self.end, self.closed, self.fault.clone());
        let mut from = from;
        while self.is_patient() {
            let Some(first) = self.look_for(from, prefix, end.min(stop))? else { break };
            let mut reached = first;
            while reached < end {
                self.enter(reached)?;
                reached = self.pass_over()?;
                if self.fault.is_some() {
                    break;
                }
            }
            if self.fault.is_none() && (reached == end || reached == next) {
                self.enter(first)?;
                return Ok(true);
            }
            from = first + 1;
        }
        (self.member, self.end, self.closed, self.fault) = broken;
        Ok(false)
    }

    fn search(&mut self, from: u64, prefix: &[u8], stop: u64, bad: u64) -> io::Result<bool> {
        let found = self.look_for(from, prefix, stop)?;
        let edge = match found {
            Some(member) => member,
            None => self.input.size()?.min(stop),
        };
        self.skipped = (bad < edge).then_some((bad, edge));
        if let Some(member) = found {
            self.enter(member)?;
        }
        Ok(found.is_some())
    }

    fn look_for(&mut self, from: u64, prefix: &[u8], stop: u64) -> io::Result<Option<u64>> {
        let prefix = &prefix[..prefix.len().min(PREFIX)];
        self.input.seek(from)?;
        while self.input.position < stop {
            let bytes = self.input.ahead(C::MAGIC.len())?;
            let Some(distance) = memmem::find(bytes, C::MAGIC) else {
                let kept = bytes.len().min(C::MAGIC.len() - 1);
                let passed = bytes.len() - kept;
                if passed == 0 {
                    break;
                }
                self.input.skip(passed);
                continue;
            };
            self.input.skip(distance);
            let candidate = self.input.position;
            if candidate >= stop {
                break;
            }
            let trial = self.codec.promises(&mut self.input, prefix)?;
            if trial.believed {
                return Ok(Some(candidate));
            }
            self.repeated += trial.cost;
            self.input.seek(if self.is_patient() { candidate + 1 } else { trial.reach.max(candidate + 1) })?;
        }
        Ok(None)
    }
}

impl<C: Codec> Members for Unpacked<C> {
    fn member(&self) -> u64 {
        self.member
    }

    fn consumed(&self) -> u64 {
        self.end.unwrap_or(self.input.position)
    }

    fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    fn skipped(&self) -> Option<(u64, u64)> {
        self.skipped
    }

    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < out.len() && self.end.is_none() {
            filled += self.step(&mut out[filled..])?;
        }
        Ok(filled)
    }

    fn next_member(&mut self, prefix: &[u8], stop: u64) -> io::Result<bool> {
        let end = self.pass_over()?;
        let failed = self.fault.is_some();
        let mut from = if self.is_patient() { self.member + 1 } else { self.frontier.max(self.member + 1) };
        self.skipped = None;
        if self.closed {
            self.input.seek(end)?;
            let padded = C::pass_padding(&mut self.input)?;
            let next = self.input.position;
            let last = self.input.ahead(1)?.is_empty();
            // After a mere checksum that does not match, the order of members is most likely intact: what is stored
            // inside this one is none. But damage can also make a false end, so this needs more than a look.
            let follows = match failed {
                false => last || C::begins(&mut self.input)?,
                true => last && next == end || self.codec.follows(&mut self.input, prefix)?,
            };
            if follows {
                if failed && self.find_swallowed(from, end, next, prefix, stop)? {
                    return Ok(true);
                }
                self.skipped = (!padded).then_some((end, next));
                if last || next >= stop {
                    return Ok(false);
                }
                self.enter(next)?;
                return Ok(true);
            }
            if !failed {
                from = if padded { next } else { end };
            }
        }
        let bad = if failed { end } else { from };
        self.search(from, prefix, stop, bad)
    }

    fn find_member(&mut self, begin: u64, prefix: &[u8], stop: u64) -> io::Result<bool> {
        self.end.get_or_insert(self.input.position);
        self.search(begin, prefix, stop, begin)
    }
}
