//! What stands around the data of a frame: its header, and those of its blocks. See RFC 8878, section 3.1.

pub const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The longest header of a frame.
pub const HEADER: usize = 4 + 1 + 1 + 4 + 8;
pub const BLOCK_HEADER: usize = 3;
pub const CHECKSUM: usize = 4;
/// No block holds more, decoded or not.
pub const LARGEST: u64 = 128 << 10;

const SINGLE: u8 = 1 << 5;
const RESERVED: u8 = 1 << 3;
const CHECKED: u8 = 1 << 2;

/// A frame, as its header has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Of the header.
    pub length: usize,
    /// How far back its data may refer.
    pub window: u64,
    /// Whether a checksum follows its blocks.
    pub checked: bool,
}

/// A block, as its header has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub last: bool,
    /// How many bytes of the file it takes, with its header.
    pub stored: usize,
}

/// The header that these bytes begin with, None if they end before it does, or why it is none.
pub fn frame(bytes: &[u8]) -> Result<Option<Frame>, &'static str> {
    if bytes.iter().zip(MAGIC).any(|(&byte, magic)| byte != magic) {
        return Err("no zstd header");
    }
    let Some(&flags) = bytes.get(4) else { return Ok(None) };
    if flags & RESERVED != 0 {
        return Err("unknown flags in a zstd header");
    }
    let single = flags & SINGLE != 0;
    let dictionary = [0, 1, 2, 4][usize::from(flags & 3)];
    let content = [usize::from(single), 2, 4, 8][usize::from(flags >> 6)];
    let at = 5 + usize::from(!single) + dictionary;
    let length = at + content;
    if bytes.len() < length {
        return Ok(None);
    }
    let window = if single {
        let mut size = [0; 8];
        size[..content].copy_from_slice(&bytes[at..length]);
        u64::from_le_bytes(size) + if content == 2 { 256 } else { 0 }
    } else {
        let base = 1_u64 << (10 + (bytes[5] >> 3));
        base + base / 8 * u64::from(bytes[5] & 7)
    };
    Ok(Some(Frame { length, window, checked: flags & CHECKED != 0 }))
}

impl Frame {
    /// The block whose header these bytes begin with, None if they end before it does, or why it is none.
    pub fn block(&self, bytes: &[u8]) -> Result<Option<Block>, &'static str> {
        let Some(&[low, middle, high]) = bytes.first_chunk() else { return Ok(None) };
        let header = u32::from_le_bytes([low, middle, high, 0]);
        let size = header >> 3;
        if u64::from(size) > self.window.min(LARGEST) {
            return Err("a zstd block that is too large");
        }
        let data = match header >> 1 & 3 {
            1 => 1,
            3 => return Err("a zstd block of no known type"),
            _ => size as usize,
        };
        Ok(Some(Block { last: header & 1 != 0, stored: BLOCK_HEADER + data }))
    }
}

/// Of a frame to be skipped, which kind of it (0 to 15) and its length, if these bytes begin with its header.
pub fn skippable(bytes: &[u8]) -> Option<(u8, u64)> {
    let &[kind, 0x2a, 0x4d, 0x18, a, b, c, d] = bytes.first_chunk()? else { return None };
    (kind >> 4 == 5).then(|| (kind & 15, 8 + u64::from(u32::from_le_bytes([a, b, c, d]))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use zstd_safe::{CCtx, CParameter};

    fn headers(bytes: &[u8]) -> (Frame, Vec<Block>, usize) {
        let header = frame(bytes).expect("a header").expect("all of it");
        let (mut blocks, mut at) = (Vec::new(), header.length);
        loop {
            let block = header.block(&bytes[at..]).expect("a block").expect("all of it");
            blocks.push(block);
            at += block.stored;
            if block.last {
                return (header, blocks, at + if header.checked { CHECKSUM } else { 0 });
            }
        }
    }

    #[test]
    fn frames_of_libzstd_are_walked_to_their_end() {
        for size in [0, 1, 255, 256, 300, 70_000, 1_000_000] {
            for (checked, sized) in [(false, false), (false, true), (true, false), (true, true)] {
                let mut context = CCtx::create();
                context.set_parameter(CParameter::ChecksumFlag(checked)).expect("a parameter");
                context.set_parameter(CParameter::ContentSizeFlag(sized)).expect("a parameter");
                for text in [vec![7; size], (0..size).map(|i| ((i * i) >> 7) as u8).collect()] {
                    let mut packed = vec![0; zstd_safe::compress_bound(size)];
                    let length = context.compress2(&mut packed[..], &text).expect("room enough");
                    let (header, blocks, end) = headers(&packed[..length]);
                    assert_eq!((header.checked, end), (checked, length));
                    assert_eq!(blocks.len(), size.div_ceil(LARGEST as usize).max(1));
                    assert!(header.window >= size.min(1 << 17) as u64);
                    for cut in 0..header.length {
                        assert_eq!(frame(&packed[..cut]), Ok(None));
                    }
                }
            }
        }
    }

    #[test]
    fn no_headers() {
        assert!(frame(b"\x28\xb5\x2f\xfc").is_err());
        assert!(frame(b"\x28\xb5\x2f\xfd\x08\0").is_err());
        let header = frame(b"\x28\xb5\x2f\xfd\x20\x05").expect("a header").expect("all of it");
        assert_eq!(header, Frame { length: 6, window: 5, checked: false });
        assert_eq!(header.block(&[0x29, 0]), Ok(None));
        assert_eq!(header.block(&[0x29, 0, 0]), Ok(Some(Block { last: true, stored: 8 })));
        assert_eq!(header.block(&[0x2a, 0, 0]), Ok(Some(Block { last: false, stored: 4 })));
        assert!(header.block(&[0x31, 0, 0]).is_err());
        assert!(header.block(&[0x2f, 0, 0]).is_err());
    }

    #[test]
    fn skippable_frames() {
        assert_eq!(skippable(b"\x5d\x2a\x4d\x18\x03\0\0\x80abc"), Some((13, 8 + 3 + (1 << 31))));
        for bytes in [&b"\x60\x2a\x4d\x18\0\0\0\0"[..], b"\x50\x2a\x4d\x18\0\0\0", b"\x28\xb5\x2f\xfd\0\0\0\0"] {
            assert_eq!(skippable(bytes), None);
        }
    }
}
