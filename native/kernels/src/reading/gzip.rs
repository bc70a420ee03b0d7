//! Gzip files: how a member is decoded and checked, and entered in the middle. See [`crate::reading::members`].
//!
//! [`Gunzip::resume`] begins in the middle of a member, at a checkpoint as zlib's example `zran` makes them: a place
//! between two blocks, and the 32 KiB of data before it. Ours have the running checksum too, so that whoever begins
//! inside a member still finds out at its end whether all of it is sound. [`index`] makes checkpoints all over a file.

mod format;
mod index;

use std::io;
use std::path::Path;

use self::format::{header, span, Span, Sum, HEADER, MAGIC};
use self::index::Checkpoint;
pub use self::index::{index, Index};
use crate::reading::inflate::{self, Inflate, Progress};
use crate::reading::members::{Codec, Input, State, Trial, Unpacked, AHEAD, PREFIX};

/// A header in a search is believed if this many bytes can be decoded after it (or all there are, with their checksum).
/// Random bits fail within a few dozen: the first match refers to before the beginning, or a code is incomplete.
const TRIAL_OUT: usize = PREFIX;
/// Deflate data are hardly ever longer than what they decode to, unless there are many empty blocks, which nobody
/// writes.
const TRIAL_IN: usize = 4 * TRIAL_OUT;
const _: () = assert!(HEADER + TRIAL_IN <= AHEAD);
/// Tapes and block devices fill up their last block with zeros. Zeros anywhere else are a hole where something was.
const PADDED: u64 = 512;

const INSIDE: &str = "the file ends inside a gzip member";

pub type Gunzip = Unpacked<Gzip>;

/// Decodes the members of a gzip file.
pub struct Gzip {
    inflate: Inflate,
    sum: Sum,
    /// Whether to stop between blocks.
    between: bool,
}

impl Gunzip {
    /// Opens a file at a checkpoint that was made of it.
    pub fn resume(path: &Path, checkpoint: &[u8]) -> io::Result<Self> {
        let point = Checkpoint::unpack(checkpoint)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a checkpoint of a gzip file"))?;
        let mut this = Self::at(Input::open(path)?, point.member)?;
        (this.codec.sum, this.frontier, this.repeated) = (point.sum, point.frontier, point.repeated);
        this.input.seek(point.position - 1)?;
        let byte = this.input.ahead(1)?.first().copied().unwrap_or(0);
        this.input.seek(point.position)?;
        this.codec.inflate.resume(&point.window, point.bits, byte);
        Ok(this)
    }

    /// Where to begin again, if this is between two blocks.
    fn checkpoint(&self) -> Option<Vec<u8>> {
        let bits = self.codec.inflate.unused_bits().filter(|_| self.end.is_none())?;
        let point = Checkpoint {
            member: self.member,
            position: self.input.position - u64::from(bits / 8),
            bits: bits % 8,
            sum: self.codec.sum,
            frontier: self.frontier,
            repeated: self.repeated,
            window: self.codec.inflate.window(),
        };
        Some(point.pack())
    }
}

impl Gzip {
    fn close(&mut self, input: &mut Input) -> io::Result<State> {
        let Some(trailer) = input.ahead(8)?.first_chunk::<8>() else { return Ok(State::Truncated(INSIDE)) };
        let mismatch = self.sum.mismatch(trailer);
        input.skip(8);
        Ok(mismatch.map_or(State::End, |why| State::Mismatch(why.into())))
    }

    /// Whether a member begins here, as far as a short trial can tell.
    fn try_here(&mut self, input: &mut Input, prefix: &[u8]) -> io::Result<bool> {
        let bytes = input.ahead(HEADER + TRIAL_IN)?;
        let Ok(Some(length)) = header(bytes) else { return Ok(false) };
        let data = &bytes[length..];
        let (mut taken, mut out, mut made) = (0, [0; TRIAL_OUT], 0);
        self.inflate.reset();
        let ended = loop {
            let done = self.inflate.decode(&data[taken..data.len().min(TRIAL_IN)], &mut out[made..], false);
            (taken, made) = (taken + done.taken, made + done.made);
            match done.state {
                inflate::Inflating::Bad(_) => return Ok(false),
                inflate::Inflating::End => break true,
                inflate::Inflating::More if made == out.len() => break false,
                inflate::Inflating::More if done.taken == 0 && done.made == 0 => return Ok(false),
                inflate::Inflating::More => {}
            }
        };
        let mut sum = Sum::default();
        sum.add(&out[..made]);
        let sound = !ended || data[taken..].first_chunk().is_some_and(|trailer| sum.mismatch(trailer).is_none());
        Ok(sound && out[..made].starts_with(prefix))
    }
}

impl Codec for Gzip {
    const MAGIC: &'static [u8] = &MAGIC;
    const CORRUPT: &'static str = "corrupt gzip";
    const TRUNCATED: &'static str = "truncated gzip";

    fn open(_input: &mut Input) -> io::Result<Self> {
        Ok(Self { inflate: Inflate::new(), sum: Sum::default(), between: false })
    }

    /// Goes past zeros.
    fn pass_padding(input: &mut Input) -> io::Result<bool> {
        let begin = input.position;
        loop {
            let bytes = input.ahead(1)?;
            let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
            let more = zeros == bytes.len() && zeros > 0;
            input.skip(zeros);
            if !more {
                break;
            }
        }
        let end = input.position;
        Ok(begin == end || end.is_multiple_of(PADDED) && input.ahead(1)?.is_empty())
    }

    fn begins(input: &mut Input) -> io::Result<bool> {
        Ok(header(input.ahead(HEADER)?).is_ok())
    }

    fn follows(&mut self, input: &mut Input, prefix: &[u8]) -> io::Result<bool> {
        self.try_here(input, prefix)
    }

    fn promises(&mut self, input: &mut Input, prefix: &[u8]) -> io::Result<Trial> {
        let length = match span(input.ahead(HEADER + TRIAL_IN)?) {
            Ok(Some(Span { end, checked: true })) => end as u64,
            _ => 0,
        };
        Ok(Trial { believed: self.try_here(input, prefix)?, cost: length, reach: input.position + length })
    }

    fn enter(&mut self, input: &mut Input) -> io::Result<State> {
        self.inflate.reset();
        self.sum = Sum::default();
        Ok(match header(input.ahead(HEADER)?) {
            Ok(Some(length)) => {
                input.skip(length);
                State::More
            }
            Ok(None) => State::Truncated("the file ends inside a gzip header"),
            Err(why) => State::Corrupt(why.into()),
        })
    }

    fn step(&mut self, input: &mut Input, out: &mut [u8]) -> io::Result<(usize, State)> {
        let bytes = input.ahead(1)?;
        let exhausted = bytes.is_empty();
        let Progress { taken, made, state } = self.inflate.decode(bytes, out, self.between);
        input.skip(taken);
        self.sum.add(&out[..made]);
        let state = match state {
            inflate::Inflating::More if exhausted && made == 0 => State::Truncated(INSIDE),
            inflate::Inflating::More => State::More,
            inflate::Inflating::Bad(why) => State::Corrupt(why),
            inflate::Inflating::End => self.close(input)?,
        };
        Ok((made, state))
    }

    /// Only its data tell where a member ends.
    fn leap(&mut self, _input: &mut Input) -> io::Result<Option<State>> {
        Ok(None)
    }
}
