//! Raw deflate data, decoded piece by piece.
//!
//! Safe functions around the C interface of zlib-rs: its Rust interface cannot stop between blocks, show its window or
//! begin in the middle of a byte, which is what a checkpoint needs.

use std::ffi::{c_int, CStr};

use libz_rs_sys as zlib;

/// How far back deflate data may refer.
pub const WINDOW: usize = 1 << 15;

// What `data_type` says after a call: unused bits of the last byte, in the last block, between blocks.
const BITS: c_int = 63;
const LAST: c_int = 64;
const BETWEEN: c_int = 128;

/// A decoder of raw deflate data.
pub struct Inflate {
    /// Boxed, since the decoder may keep its address.
    stream: Box<zlib::z_stream>,
}

// SAFETY: the stream owns its memory, and nothing can be done with it through a shared reference.
unsafe impl Send for Inflate {}
unsafe impl Sync for Inflate {}

/// What one call did: bytes read and written, and how things stand.
pub struct Progress {
    pub taken: usize,
    pub made: usize,
    pub state: Inflating,
}

pub enum Inflating {
    /// There may be more to come.
    More,
    /// The last block has ended.
    End,
    /// The data are broken here; everything before has been written.
    Bad(String),
}

impl Inflate {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        let mut stream = Box::new(zlib::z_stream::default());
        let (version, size) = (zlib::zlibVersion(), size_of::<zlib::z_stream>() as c_int);
        // SAFETY: the stream is made by its own default, with an allocator.
        let code = unsafe { zlib::inflateInit2_(&mut *stream, -15, version, size) };
        assert_eq!(code, zlib::Z_OK, "no memory for a decoder");
        stream.data_type = BETWEEN;
        Self { stream }
    }

    /// Forgets everything: what comes next is the beginning of a first block.
    pub fn reset(&mut self) {
        // SAFETY: the stream was initialised by `new`.
        unsafe { zlib::inflateReset(&mut *self.stream) };
        self.stream.data_type = BETWEEN;
    }

    /// Begins between two blocks, after these `window` bytes, with `bits` bits of `byte` still to be read.
    pub fn resume(&mut self, window: &[u8], bits: u8, byte: u8) {
        self.reset();
        let value = c_int::from(byte) >> (8 - bits);
        // SAFETY: the stream was initialised by `new`; the window is read, not kept.
        unsafe {
            zlib::inflatePrime(&mut *self.stream, c_int::from(bits), value);
            zlib::inflateSetDictionary(&mut *self.stream, window.as_ptr(), window.len() as u32);
        }
        self.stream.data_type |= c_int::from(bits);
    }

    /// Decodes until the input is used up, the output full or the data at their end; or `between` two blocks.
    pub fn decode(&mut self, input: &[u8], output: &mut [u8], between: bool) -> Progress {
        let stream = &mut *self.stream;
        let (most_in, most_out) = (input.len().min(1 << 30), output.len().min(1 << 30));
        (stream.next_in, stream.avail_in) = (input.as_ptr(), most_in as u32);
        (stream.next_out, stream.avail_out) = (output.as_mut_ptr(), most_out as u32);
        // SAFETY: the stream was initialised by `new`, and points to two slices of the lengths it says.
        let code = unsafe { zlib::inflate(stream, if between { zlib::Z_BLOCK } else { zlib::Z_NO_FLUSH }) };
        let state = match code {
            zlib::Z_OK | zlib::Z_BUF_ERROR => Inflating::More,
            zlib::Z_STREAM_END => Inflating::End,
            // SAFETY: a message is a constant of the library.
            _ if !stream.msg.is_null() => {
                Inflating::Bad(unsafe { CStr::from_ptr(stream.msg) }.to_string_lossy().into())
            }
            _ => Inflating::Bad("broken deflate data".into()),
        };
        Progress { taken: most_in - stream.avail_in as usize, made: most_out - stream.avail_out as usize, state }
    }

    /// Between two blocks, the number of bits that were taken but not used yet; not after the last block.
    pub fn unused_bits(&self) -> Option<u8> {
        let state = self.stream.data_type;
        (state & BETWEEN != 0 && state & LAST == 0).then_some((state & BITS) as u8)
    }

    /// The last bytes that were decoded, as many as later data may refer to.
    pub fn window(&self) -> Vec<u8> {
        let (mut window, mut length) = (vec![0; WINDOW], 0);
        // SAFETY: the stream was initialised by `new`, and a window has at most `WINDOW` bytes.
        unsafe { zlib::inflateGetDictionary(&*self.stream, window.as_mut_ptr(), &mut length) };
        window.truncate(length as usize);
        window
    }
}

impl Drop for Inflate {
    fn drop(&mut self) {
        // SAFETY: the stream was initialised by `new`, and is not used again.
        unsafe { zlib::inflateEnd(&mut *self.stream) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zlib_rs::{Deflate, DeflateFlush};

    /// Text in many blocks, which end anywhere in a byte.
    fn sample() -> (Vec<u8>, Vec<u8>) {
        let text: Vec<u8> =
            (0..200_000_u32).flat_map(|i| (i.wrapping_mul(0x9e37_79b9) >> 20).to_string().into_bytes()).collect();
        let (mut packed, mut deflate) = (vec![0; text.len()], Deflate::new(6, false, 15));
        for part in text.chunks(10_000) {
            let done = deflate.total_out() as usize;
            deflate.compress(part, &mut packed[done..], DeflateFlush::Block).expect("room enough");
        }
        let done = deflate.total_out() as usize;
        deflate.compress(&[], &mut packed[done..], DeflateFlush::Finish).expect("room enough");
        packed.truncate(deflate.total_out() as usize);
        (text, packed)
    }

    fn rest(inflate: &mut Inflate, packed: &[u8]) -> Vec<u8> {
        let mut out = vec![0; 2_000_000];
        let done = inflate.decode(packed, &mut out, false);
        assert!(matches!(done.state, Inflating::End));
        out.truncate(done.made);
        out
    }

    #[test]
    fn decoding_resumes_between_any_two_blocks() {
        let (text, packed) = sample();
        let (mut inflate, mut taken, mut made, mut odd) = (Inflate::new(), 0, 0, 0);
        let mut out = vec![0; text.len()];
        loop {
            let bits = inflate.unused_bits();
            if let Some(bits) = bits {
                let mut other = Inflate::new();
                other.resume(&inflate.window(), bits, if taken > 0 { packed[taken - 1] } else { 0 });
                assert_eq!(other.unused_bits(), Some(bits));
                assert_eq!(rest(&mut other, &packed[taken..]), text[made..]);
                odd += u32::from(bits > 0);
            }
            let done = inflate.decode(&packed[taken..], &mut out[made..], true);
            (taken, made) = (taken + done.taken, made + done.made);
            if matches!(done.state, Inflating::End) {
                break;
            }
        }
        assert_eq!((made, taken), (text.len(), packed.len()));
        assert!(odd > 10);
    }

    #[test]
    fn everything_before_a_bad_byte_is_decoded() {
        let (text, mut packed) = sample();
        let (mut inflate, mut out) = (Inflate::new(), vec![0; text.len()]);
        let Progress { taken, made, .. } = inflate.decode(&packed, &mut out, true);
        let bits = inflate.unused_bits().expect("between two blocks");
        packed[taken - 1] |= !(0xff_u8 >> bits);
        packed[taken] = 0xff; // a block of no known type
        inflate.reset();
        let done = inflate.decode(&packed, &mut out, false);
        assert!(matches!(done.state, Inflating::Bad(_)));
        assert_eq!(out[..done.made], text[..made]);
        inflate.reset();
        assert_eq!(rest(&mut inflate, &sample().1), text);
    }
}
