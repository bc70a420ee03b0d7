//! Zstd files: how a frame is decoded, and where it ends although its data are broken. See [`crate::reading::members`].
//!
//! A frame is a header, blocks that each say how long they are, and perhaps a checksum. We walk from block to block and
//! hand them to libzstd one by one: so all data before a bad block come out, and where the frame ends is known without
//! decoding the rest of it. That end is believed if another frame begins there, or nothing.
//!
//! A file of web pages may begin with a dictionary for all its frames, in a frame to be skipped of kind 13 (as IIPC's
//! specification for `.warc.zst` has it). Other such frames are passed over.
//!
//! Memory: the window that a frame asks for, at most 128 MiB, as far as its data fill it.

mod format;

use std::io;

use zstd_safe::{get_error_name, DCtx, DParameter, InBuffer, OutBuffer, ResetDirective};

use self::format::{frame, skippable, Frame, BLOCK_HEADER, CHECKSUM, HEADER, LARGEST, MAGIC};
use crate::reading::members::{Codec, Input, State, Trial, Unpacked, AHEAD};

const WINDOW_LOG: u32 = 27;
const WINDOW: u64 = 1 << WINDOW_LOG;
/// The kind of skippable frame in which a dictionary may be.
const DICTIONARY: u8 = 13;
/// A frame in a search is believed if one of its first blocks can be decoded, and is not empty.
const TRIAL_BLOCKS: usize = 4;
const _: () = assert!(HEADER + BLOCK_HEADER + LARGEST as usize <= AHEAD);

const INSIDE: &str = "the file ends inside a zstd frame";

pub type Unzstd = Unpacked<Zstd>;

/// Decodes the frames of a zstd file.
pub struct Zstd {
    context: DCtx<'static>,
    /// The frame that was entered; None if there is none.
    frame: Option<Frame>,
    part: Part,
    /// How many bytes of the file that part still has.
    left: usize,
    /// Whether decoded bytes may be waiting for room.
    waiting: bool,
    /// Room for the data of a trial.
    trial: Vec<u8>,
}

/// The parts of a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Block { last: bool },
    Checksum,
}

impl Zstd {
    /// The part that comes next; a state if there is none, or it is broken.
    fn part_here(&self, input: &mut Input) -> io::Result<Result<(Part, usize), State>> {
        let Some(frame) = self.frame else { return Ok(Err(State::Corrupt("no zstd header".into()))) };
        if let Part::Block { last: true } | Part::Checksum = self.part {
            let more = self.part != Part::Checksum && frame.checked;
            return Ok(if more { Ok((Part::Checksum, CHECKSUM)) } else { Err(State::End) });
        }
        Ok(match frame.block(input.ahead(BLOCK_HEADER)?) {
            Ok(Some(block)) => Ok((Part::Block { last: block.last }, block.stored)),
            Ok(None) => Err(State::Truncated(INSIDE)),
            Err(why) => Err(State::Corrupt(why.into())),
        })
    }

    /// Decodes some of the current part: how many bytes of it were taken and how many made, and whether the frame has
    /// ended; or what is wrong.
    fn decode(&mut self, bytes: &[u8], out: &mut [u8]) -> Result<(usize, usize, bool), String> {
        let (mut input, mut output) = (InBuffer::around(bytes), OutBuffer::around(out));
        match self.context.decompress_stream(&mut output, &mut input) {
            Ok(hint) => Ok((input.pos(), output.pos(), hint == 0)),
            Err(_) if self.part == Part::Checksum => Err("checksum does not match".into()),
            Err(code) => Err(get_error_name(code).to_lowercase()),
        }
    }

    /// A frame whose first blocks can be decoded and begin with `prefix`, as far as they go.
    fn try_frame(&mut self, input: &mut Input, prefix: &[u8]) -> io::Result<Trial> {
        let begin = input.position;
        let mut out = std::mem::take(&mut self.trial);
        out.resize(LARGEST as usize, 0);
        let (mut made, mut state, mut blocks) = (0, self.enter(input)?, 0);
        while matches!(state, State::More) && made == 0 && blocks < TRIAL_BLOCKS {
            (made, state) = self.step(input, &mut out)?;
            blocks += 1;
        }
        let failed = matches!(state, State::Corrupt(_) | State::Mismatch(_) | State::Truncated(_));
        let believed = !failed && (made > 0 || matches!(state, State::End)) && out[..made].starts_with(prefix);
        let reach = input.position + self.left as u64;
        // What was done in vain before an error is not known.
        let cost = reach - begin + if failed { LARGEST } else { made as u64 };
        self.trial = out;
        input.seek(begin)?;
        Ok(Trial { believed, cost, reach })
    }
}

/// Goes past frames to be skipped, as long as another frame follows, or nothing.
fn pass_skippable(input: &mut Input) -> io::Result<()> {
    while let Some((_, length)) = skippable(input.ahead(8)?) {
        let (next, size) = (input.position + length, input.size()?);
        let mut there = [0; 8];
        let seen = input.peek(next, &mut there)?;
        let follows = frame(&there[..seen]).is_ok() || skippable(&there[..seen]).is_some();
        if next > size || !follows {
            break;
        }
        input.seek(next)?;
    }
    Ok(())
}

/// The dictionary at the beginning of a file, which may be compressed itself.
fn dictionary(input: &mut Input) -> io::Result<Option<Vec<u8>>> {
    let Some((DICTIONARY, length)) = skippable(input.ahead(8)?) else { return Ok(None) };
    if length > WINDOW || length > input.size()? {
        return Ok(None);
    }
    let mut stored = vec![0; length as usize];
    let seen = input.peek(0, &mut stored)?;
    let data = &stored[8..seen.max(8)];
    if !data.starts_with(&MAGIC) {
        return Ok(Some(data.to_vec()));
    }
    let (mut context, mut input, mut dictionary) = (DCtx::create(), InBuffer::around(data), Vec::new());
    loop {
        let mut block = vec![0; LARGEST as usize];
        let mut output = OutBuffer::around(&mut block[..]);
        let hint = context.decompress_stream(&mut output, &mut input);
        let made = output.pos();
        dictionary.extend_from_slice(&block[..made]);
        match hint {
            Ok(0) => return Ok(Some(dictionary)),
            Ok(_) if (made > 0 || input.pos() < data.len()) && (dictionary.len() as u64) < WINDOW => {}
            _ => return Ok(None),
        }
    }
}

impl Codec for Zstd {
    const MAGIC: &'static [u8] = &MAGIC;
    const CORRUPT: &'static str = "corrupt zstd";
    const TRUNCATED: &'static str = "truncated zstd";

    fn open(input: &mut Input) -> io::Result<Self> {
        let mut context = DCtx::create();
        context
            .set_parameter(DParameter::WindowLogMax(WINDOW_LOG))
            .map_err(|code| io::Error::other(get_error_name(code)))?;
        if let Some(dictionary) = dictionary(input)? {
            // If it is broken, the frames that need it will say so themselves.
            context.load_dictionary(&dictionary).ok();
        }
        Ok(Self { context, frame: None, part: Part::Checksum, left: 0, waiting: false, trial: Vec::new() })
    }

    fn pass_preamble(input: &mut Input) -> io::Result<()> {
        pass_skippable(input)
    }

    fn pass_padding(input: &mut Input) -> io::Result<bool> {
        pass_skippable(input)?;
        Ok(true)
    }

    fn begins(input: &mut Input) -> io::Result<bool> {
        Ok(frame(input.ahead(HEADER)?).is_ok())
    }

    /// The lengths of blocks have led here, and here are 32 bits that are right.
    fn follows(&mut self, input: &mut Input, _prefix: &[u8]) -> io::Result<bool> {
        Self::begins(input)
    }

    fn promises(&mut self, input: &mut Input, prefix: &[u8]) -> io::Result<Trial> {
        let bytes = input.ahead(HEADER + BLOCK_HEADER + LARGEST as usize)?;
        let begins = match frame(bytes) {
            Ok(Some(header)) => header.window <= WINDOW && matches!(header.block(&bytes[header.length..]), Ok(Some(_))),
            _ => false,
        };
        if begins {
            self.try_frame(input, prefix)
        } else {
            Ok(Trial::of(false, input))
        }
    }

    fn enter(&mut self, input: &mut Input) -> io::Result<State> {
        (self.frame, self.part, self.left, self.waiting) = (None, Part::Block { last: false }, 0, false);
        // A session can always be ended.
        self.context.reset(ResetDirective::SessionOnly).ok();
        let bytes = input.ahead(HEADER)?;
        let header = match frame(bytes) {
            Ok(Some(header)) => header,
            Ok(None) => return Ok(State::Truncated("the file ends inside a zstd header")),
            Err(why) => return Ok(State::Corrupt(why.into())),
        };
        self.frame = Some(header);
        let length = header.length;
        let begun = if header.window > WINDOW {
            Err(format!("asks for a window of {} bytes, more than {WINDOW}", header.window))
        } else {
            self.decode(&bytes[..length], &mut [])
        };
        input.skip(length);
        Ok(begun.map_or_else(State::Corrupt, |_| State::More))
    }

    fn step(&mut self, input: &mut Input, out: &mut [u8]) -> io::Result<(usize, State)> {
        if self.left == 0 && !self.waiting {
            match self.part_here(input)? {
                Ok((part, stored)) => (self.part, self.left) = (part, stored),
                Err(state) => return Ok((0, state)),
            }
        }
        let bytes = input.ahead(self.left)?;
        let bytes = &bytes[..bytes.len().min(self.left)];
        let short = bytes.len() < self.left;
        let (taken, made, ended) = match self.decode(bytes, out) {
            Ok(done) => done,
            Err(why) if self.part == Part::Checksum => {
                input.skip(self.left);
                self.left = 0;
                return Ok((0, State::Mismatch(why)));
            }
            // The library's own words depend on what it has decoded before.
            Err(_) => return Ok((0, State::Corrupt("broken zstd data".into()))),
        };
        input.skip(taken);
        self.left -= taken;
        self.waiting = made == out.len();
        let state = if ended {
            State::End
        } else if short && made == 0 {
            State::Truncated(INSIDE)
        } else {
            State::More
        };
        Ok((made, state))
    }

    /// From block to block.
    fn leap(&mut self, input: &mut Input) -> io::Result<Option<State>> {
        if self.frame.is_none() {
            return Ok(None);
        }
        loop {
            input.seek(input.position + self.left as u64)?;
            self.left = 0;
            let state = match self.part_here(input)? {
                Ok((part, stored)) => {
                    (self.part, self.left) = (part, stored);
                    continue;
                }
                Err(state) => state,
            };
            let size = input.size()?;
            if input.position <= size {
                return Ok(Some(state));
            }
            input.seek(size)?;
            return Ok(Some(State::Truncated(INSIDE)));
        }
    }
}
