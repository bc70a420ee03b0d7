//! A gzip file, member by member, that survives broken bytes.
//!
//! A web crawl is a file of a million members, one a record; a broken byte must cost one of them. So a member ends at
//! its first bad byte, after everything that could be decoded, and the next one is looked for: bytes that look like a
//! header and whose data inflate.
//!
//! [`Gunzip::checkpoint`] is what zlib's example `zran` keeps to begin again in the middle of a member: where between
//! two blocks, and the window of 32 KiB before. It has the running checksum too, so that a part that begins inside a
//! member still finds out whether the whole of it is sound. [`index`] makes checkpoints all over a file.
//!
//! **Cost.** Memory: buffers of 1 MiB, whatever the file. Time is linear in the file and in what is decoded, for hostile
//! files too: a trial is bounded (`TRIAL_IN`), and bytes are decoded again only while the file as a whole has paid for
//! it (`PATIENCE`).

mod format;
mod index;
mod input;

use std::io;
use std::path::Path;

use memchr::memmem;

use self::format::{header, Sum, HEADER, MAGIC};
use self::index::Checkpoint;
pub use self::index::{index, Index};
use self::input::Input;
use crate::inflate::{Inflate, State};

const BLOCK: usize = 1 << 20;
/// A header in a search is believed if this many bytes can be decoded after it (or all there are, with their checksum).
/// Random bits fail within a few dozen: the first match refers to before the beginning, or a code is incomplete.
const TRIAL_OUT: usize = 1 << 10;
/// Deflate hardly needs more input than output, but for empty blocks; who writes that many of them is not believed.
const TRIAL_IN: usize = 4 * TRIAL_OUT;
const AHEAD: usize = HEADER + TRIAL_IN;
/// A search may go back into what a broken member seemed to be, and so decode the same bytes again. In honest files
/// that is a few kilobytes; in all it may be as much as the file up to here and these, then searches go forward only.
const PATIENCE: u64 = 16 << 20;

const CORRUPT: &str = "corrupt gzip";
const TRUNCATED: &str = "truncated gzip";
const INSIDE: &str = "the file ends inside a gzip member";

/// Why a member ended before its time: a stable phrase, and the particulars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub reason: &'static str,
    pub detail: String,
}

/// Reads the members of a gzip file one after the other.
pub struct Gunzip {
    input: Input,
    inflate: Inflate,
    member: u64,
    sum: Sum,
    /// Where the member ended, well or not; None while it has not.
    end: Option<u64>,
    /// Its data and trailer were read to their end, though the trailer may not match.
    closed: bool,
    fault: Option<Fault>,
    skipped: Option<(u64, u64)>,
    /// How far the file has been decoded, and how many bytes before that more than once.
    frontier: u64,
    repeated: u64,
}

impl Gunzip {
    fn at(path: &Path, member: u64) -> io::Result<Self> {
        Ok(Self {
            input: Input::open(path)?,
            inflate: Inflate::new(),
            member,
            sum: Sum::default(),
            end: None,
            closed: false,
            fault: None,
            skipped: None,
            frontier: member,
            repeated: 0,
        })
    }

    /// Opens a file at a member that begins at this byte; if none does, that is its fault.
    pub fn open(path: &Path, begin: u64) -> io::Result<Self> {
        let mut this = Self::at(path, begin)?;
        this.enter(begin)?;
        Ok(this)
    }

    /// Opens a file at a checkpoint that was made of it.
    pub fn resume(path: &Path, checkpoint: &[u8]) -> io::Result<Self> {
        let point = Checkpoint::unpack(checkpoint)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a checkpoint of a gzip file"))?;
        let mut this = Self::at(path, point.member)?;
        (this.sum, this.frontier, this.repeated) = (point.sum, point.frontier, point.repeated);
        this.input.seek(point.position - 1)?;
        let byte = this.input.ahead(1)?.first().copied().unwrap_or(0);
        this.input.seek(point.position)?;
        this.inflate.resume(&point.window, point.bits, byte);
        Ok(this)
    }

    /// Where the current member begins in the file.
    pub fn member(&self) -> u64 {
        self.member
    }

    /// Just after what has been decoded; once a member has ended well, just after it. After a fault, give or take a byte.
    pub fn consumed(&self) -> u64 {
        self.end.unwrap_or(self.input.position)
    }

    /// Why the member ended before its time.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// What the last search passed over and belongs to no member; after a fault, from where decoding failed.
    pub fn skipped(&self) -> Option<(u64, u64)> {
        self.skipped
    }

    /// Decodes until `out` is full or the member ends; 0 bytes once it has.
    pub fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < out.len() && self.end.is_none() {
            filled += self.step(&mut out[filled..], false)?;
        }
        Ok(filled)
    }

    /// Goes to the next member; what is left of the current one is passed over.
    ///
    /// After a good member that is the one that follows at once, or after zeros. Where none does, and after a fault, it
    /// is the next place, before `stop`, whose bytes look like a header and whose data inflate and begin with `prefix`
    /// (the first KiB of it). After a fault this is looked for from the beginning of the broken member on: where the
    /// middle of a file was lost, the next header lies in what seemed to be its data.
    pub fn next_member(&mut self, prefix: &[u8], stop: u64) -> io::Result<bool> {
        let end = self.pass_over()?;
        let failed = self.fault.is_some();
        let patient = self.repeated <= self.frontier + PATIENCE;
        let mut from = if patient { self.member + 1 } else { self.frontier.max(self.member + 1) };
        self.skipped = None;
        if self.closed {
            self.skip_zeros(end)?;
            let next = self.input.position;
            if !failed && (next >= stop || self.input.ahead(1)?.is_empty()) {
                return Ok(false);
            }
            // After a mere checksum that does not match, the order of members is most likely intact: what is stored
            // inside this one is none. But damage can also make a false end, so this needs a trial.
            let follows = if failed { self.promises(prefix)? } else { header(self.input.ahead(HEADER)?).is_ok() };
            if follows {
                if failed && self.find_swallowed(from, end, next, prefix, stop)? {
                    return Ok(true);
                }
                if next < stop {
                    self.enter(next)?;
                }
                return Ok(next < stop);
            }
            if !failed {
                from = next;
            }
        }
        let bad = if failed { end } else { from };
        self.search(from, prefix, stop, bad)
    }

    /// Goes to the first member that begins at `begin` or after it, but before `stop`, found as after a fault. The current
    /// one is given up.
    pub fn find_member(&mut self, begin: u64, prefix: &[u8], stop: u64) -> io::Result<bool> {
        self.end.get_or_insert(self.input.position);
        self.search(begin, prefix, stop, begin)
    }

    /// Damage can also hide the end of a member, so that it seems to go on through the next ones and to end where one of
    /// them does, at `end`; or before the last zeros of that one's trailer, which then seem to be padding before `next`.
    /// Goes to the first of those. What is merely stored inside a member ends before that one's trailer.
    fn find_swallowed(&mut self, from: u64, end: u64, next: u64, prefix: &[u8], stop: u64) -> io::Result<bool> {
        let mut from = from;
        while self.repeated <= self.frontier + PATIENCE {
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
        Ok(false)
    }

    /// Where to begin again, if this is between two blocks.
    fn checkpoint(&self) -> Option<Vec<u8>> {
        let bits = self.inflate.unused_bits().filter(|_| self.end.is_none())?;
        let point = Checkpoint {
            member: self.member,
            position: self.input.position - u64::from(bits / 8),
            bits: bits % 8,
            sum: self.sum,
            frontier: self.frontier,
            repeated: self.repeated,
            window: self.inflate.window(),
        };
        Some(point.pack())
    }

    fn enter(&mut self, member: u64) -> io::Result<()> {
        self.input.seek(member)?;
        self.inflate.reset();
        self.member = member;
        self.sum = Sum::default();
        (self.end, self.closed, self.fault) = (None, false, None);
        match header(self.input.ahead(HEADER)?) {
            Ok(Some(length)) => self.input.skip(length),
            Ok(None) => self.fail(TRUNCATED, "the file ends inside a gzip header".into()),
            Err(why) => self.fail(CORRUPT, why.into()),
        }
        Ok(())
    }

    /// One call of the decoder; a member that ends is checked.
    fn step(&mut self, out: &mut [u8], between: bool) -> io::Result<usize> {
        let input = self.input.ahead(1)?;
        let exhausted = input.is_empty();
        let done = self.inflate.decode(input, out, between);
        self.input.skip(done.taken);
        self.sum.add(&out[..done.made]);
        match done.state {
            State::More if exhausted && done.made == 0 => {
                self.fail(TRUNCATED, INSIDE.into());
            }
            State::More => {}
            State::Bad(why) => self.fail(CORRUPT, why),
            State::End => self.close()?,
        }
        Ok(done.made)
    }

    fn close(&mut self) -> io::Result<()> {
        let Some(trailer) = self.input.ahead(8)?.first_chunk::<8>() else {
            self.fail(TRUNCATED, INSIDE.into());
            return Ok(());
        };
        let mismatch = self.sum.mismatch(trailer);
        self.input.skip(8);
        self.closed = true;
        match mismatch {
            Some(why) => self.fail(CORRUPT, why.into()),
            None => self.leave(),
        }
        Ok(())
    }

    fn fail(&mut self, reason: &'static str, detail: String) {
        self.fault = Some(Fault { reason, detail });
        self.leave();
    }

    fn leave(&mut self) {
        let end = self.input.position;
        self.end = Some(end);
        self.repeated += self.frontier.min(end).saturating_sub(self.member);
        self.frontier = self.frontier.max(end);
    }

    /// Decodes the rest of the member for nobody; returns where it ended.
    fn pass_over(&mut self) -> io::Result<u64> {
        let mut nowhere = vec![0; if self.end.is_none() { BLOCK } else { 0 }];
        loop {
            match self.end {
                Some(end) => return Ok(end),
                None => self.step(&mut nowhere, false)?,
            };
        }
    }

    /// Goes past the zeros that tapes and block devices leave after a member.
    fn skip_zeros(&mut self, from: u64) -> io::Result<()> {
        self.input.seek(from)?;
        loop {
            let bytes = self.input.ahead(1)?;
            let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
            let more = zeros == bytes.len() && zeros > 0;
            self.input.skip(zeros);
            if !more {
                return Ok(());
            }
        }
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
        self.input.seek(from)?;
        while self.input.position < stop {
            let bytes = self.input.ahead(MAGIC.len())?;
            let Some(distance) = memmem::find(bytes, &MAGIC) else {
                let kept = bytes.len().min(MAGIC.len() - 1);
                let passed = bytes.len() - kept;
                if passed == 0 {
                    break;
                }
                self.input.skip(passed);
                continue;
            };
            self.input.skip(distance);
            let candidate = self.input.position;
            if candidate < stop && self.promises(prefix)? {
                return Ok(Some(candidate));
            }
            self.input.skip(1);
        }
        Ok(None)
    }

    /// Whether a member begins here, as far as a short trial can tell. The decoder must be free.
    fn promises(&mut self, prefix: &[u8]) -> io::Result<bool> {
        let bytes = self.input.ahead(AHEAD)?;
        let Ok(Some(length)) = header(bytes) else { return Ok(false) };
        let data = &bytes[length..];
        let (mut taken, mut out, mut made) = (0, [0; TRIAL_OUT], 0);
        self.inflate.reset();
        let ended = loop {
            let done = self.inflate.decode(&data[taken..data.len().min(TRIAL_IN)], &mut out[made..], false);
            (taken, made) = (taken + done.taken, made + done.made);
            match done.state {
                State::Bad(_) => return Ok(false),
                State::End => break true,
                State::More if made == out.len() => break false,
                State::More if done.taken == 0 && done.made == 0 => return Ok(false),
                State::More => {}
            }
        };
        let mut sum = Sum::default();
        sum.add(&out[..made]);
        let sound = !ended || data[taken..].first_chunk().is_some_and(|trailer| sum.mismatch(trailer).is_none());
        Ok(sound && out[..made].starts_with(&prefix[..prefix.len().min(TRIAL_OUT)]))
    }
}
