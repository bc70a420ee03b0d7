//! Files mapped into memory, read-only: what is asked of a large file costs the pages that are touched, and all
//! processes of a machine share them.

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;

use crate::flow::contract::Side;

/// Maps a file. Nobody may change it as long as it is mapped: whoever makes such files writes them aside and renames
/// them.
pub fn map_file(path: &Path) -> io::Result<Side> {
    let file = File::open(path)?;
    // SAFETY: the file is ours, and complete before it is mapped; a file that shrinks all the same ends the process.
    let mapped = unsafe { Mmap::map(&file)? };
    Ok(Side::new(mapped))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_mapped() {
        let path = std::env::temp_dir().join(format!("unquilt-mapped-{}", std::process::id()));
        for content in [&b""[..], b"some bytes"] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(map_file(&path).unwrap().as_ref(), content);
        }
        std::fs::remove_file(&path).unwrap();
        assert!(map_file(&path).is_err());
    }
}
