//! Makes sets of labels that need not fit into memory.
//!
//! Hashes are sorted as rows are, within a budget, and with spill files (see sorter.rs). Each part of the set is then
//! written out, sorted and without repetitions, and the file is put together from these: what [`pack`] would make, byte
//! for byte. Only the filter is made in memory, by a library that wants all keys there: [`FILTER_BYTES`] for each.
//!
//! [`pack`]: crate::store::labels::pack

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::flow::kernel::{Done, GroupKernel, Output, Rows};
use crate::flow::rows::{Spread, Writer};
use crate::flow::sorter::Sorter;
use crate::store::checksums::Summing;
use crate::store::labels::{leading, Hash, Labels, LabelsFilter, FORMAT, WITH_ORIGINS};
use crate::store::origins::{LabelOrigin, PageName, PageNames, VALUE};
use crate::store::sections::lead;
use crate::store::sorted_map;

/// Memory that a key takes while the filter is made: itself, and what the library holds.
pub const FILTER_BYTES: usize = 33;
const PARTS: usize = 3;
/// Behind the parts come the rows that say where labels are from.
const ORIGINS: usize = PARTS;
const BUFFER: usize = 1 << 18;

/// Hashes of chunks (0), files (1) and stop chunks (2), in any order and as often as they come.
pub struct HashGathering {
    sorter: Sorter<Vec<u8>>,
    folder: PathBuf,
    waiting: [Writer; PARTS + 1],
    pages: PageNames,
}

impl HashGathering {
    /// `budget` in bytes is for sorting; files go to `folder`, which must exist.
    pub fn new(budget: usize, folder: &Path) -> Self {
        let waiting = [(); PARTS + 1].map(|()| Writer::new(Spread::hashes(1)));
        Self { sorter: Sorter::new(budget, folder), folder: folder.to_owned(), waiting, pages: PageNames::default() }
    }

    /// Adds a page, and where labels stand on it: each chunk at its first place, and its file.
    pub fn add_page(
        &mut self,
        page: &PageName<'_>,
        places: impl IntoIterator<Item = (Hash, LabelOrigin)>,
    ) -> io::Result<()> {
        let number = u32::try_from(self.pages.count()).map_err(|_| io::Error::other("there are too many pages"))?;
        self.pages.add(page);
        places.into_iter().try_for_each(|(hash, origin)| self.add_origin(&hash, LabelOrigin { page: number, ..origin }))
    }

    /// Adds what another set knows of where its labels are from, with or without files.
    pub fn add_origins<B: AsRef<[u8]>>(&mut self, set: &Labels<B>, files: bool) -> io::Result<()> {
        let damaged = || io::Error::other("a set of labels is damaged");
        let Some(origins) = set.origins() else { return Ok(()) };
        let first = u32::try_from(self.pages.count()).map_err(|_| io::Error::other("there are too many pages"))?;
        for page in 0..origins.pages() {
            self.pages.add(&origins.page(page).ok_or_else(damaged)?);
        }
        for (hash, origin) in origins.all().ok_or_else(damaged)?.filter(|(_, origin)| files || !origin.is_file()) {
            let page = first.checked_add(origin.page).ok_or_else(|| io::Error::other("there are too many pages"))?;
            self.add_origin(&hash, LabelOrigin { page, ..origin })?;
        }
        Ok(())
    }

    fn add_origin(&mut self, hash: &Hash, origin: LabelOrigin) -> io::Result<()> {
        let mut tail = [0; 12 + VALUE];
        tail[..12].copy_from_slice(&hash[8..]);
        tail[12..].copy_from_slice(&origin.pack());
        self.waiting[ORIGINS].row(leading(hash), &tail);
        if self.waiting[ORIGINS].bytes() > BUFFER {
            self.pass_on(ORIGINS)?;
        }
        Ok(())
    }

    pub fn add(&mut self, part: usize, hashes: impl IntoIterator<Item = Hash>) -> io::Result<()> {
        for hash in hashes {
            self.waiting[part].row(leading(&hash), &hash[8..]);
            if self.waiting[part].bytes() > BUFFER {
                self.pass_on(part)?;
            }
        }
        Ok(())
    }

    fn pass_on(&mut self, part: usize) -> io::Result<()> {
        let Self { sorter, waiting, .. } = self;
        waiting[part].drain(|_, block| sorter.push(part as u8, block.to_vec()))
    }

    /// Sorts them, without those that are in the same part of one of the sets `gone`; stop chunks are never gone.
    pub fn sort<B: AsRef<[u8]> + Send + Sync>(mut self, gone: &[&Labels<B>]) -> io::Result<GatheredHashes> {
        (0..=PARTS).try_for_each(|part| self.pass_on(part))?;
        let mut kernel =
            Sifting { gone, parts: Vec::new(), origins: SortedPart::new(&self.folder, ORIGINS)?, fault: Ok(()) };
        for part in 0..PARTS {
            kernel.parts.push(SortedPart::new(&self.folder, part)?);
        }
        self.sorter.feed(&mut kernel, &mut Output::none())?;
        kernel.fault?;
        kernel.parts.iter_mut().try_for_each(|part| part.file.flush())?;
        kernel.origins.file.flush()?;
        Ok(GatheredHashes { parts: kernel.parts, origins: kernel.origins, pages: self.pages })
    }
}

/// A part as it is written out: hashes, or hashes with origins.
struct SortedPart<E = Hash> {
    file: BufWriter<File>,
    path: PathBuf,
    count: usize,
    last: Option<E>,
}

/// The hash of a label, and where it is from.
type HashOrigin = (Hash, [u8; VALUE]);

impl<E> SortedPart<E> {
    fn new(folder: &Path, part: usize) -> io::Result<Self> {
        let path = folder.join(format!("part-{part}.sorted"));
        let file = BufWriter::with_capacity(BUFFER, File::create(&path)?);
        Ok(Self { file, path, count: 0, last: None })
    }

    fn read<const WIDTH: usize>(&self) -> io::Result<impl Iterator<Item = io::Result<[u8; WIDTH]>>> {
        let mut file = BufReader::with_capacity(BUFFER, File::open(&self.path)?);
        Ok((0..self.count).map(move |_| {
            let mut entry = [0; WIDTH];
            file.read_exact(&mut entry).map(|()| entry)
        }))
    }
}

impl SortedPart {
    fn hashes(&self) -> io::Result<impl Iterator<Item = io::Result<Hash>>> {
        self.read()
    }
}

impl SortedPart<HashOrigin> {
    fn entries(&self) -> io::Result<impl Iterator<Item = io::Result<HashOrigin>>> {
        Ok(self.read::<{ 20 + VALUE }>()?.map(|entry| {
            let (mut hash, mut value) = (Hash::default(), [0; VALUE]);
            entry.map(|entry| {
                hash.copy_from_slice(&entry[..20]);
                value.copy_from_slice(&entry[20..]);
                (hash, value)
            })
        }))
    }
}

/// Group, rows of one table for each part: writes each hash once.
struct Sifting<'a, B> {
    gone: &'a [&'a Labels<B>],
    parts: Vec<SortedPart>,
    origins: SortedPart<HashOrigin>,
    fault: io::Result<()>,
}

impl<B: AsRef<[u8]>> Sifting<'_, B> {
    fn write(&mut self, part: usize, hash: Hash) -> io::Result<()> {
        let into = &mut self.parts[part];
        if into.last.replace(hash) == Some(hash) {
            return Ok(());
        }
        if part < 2 && is_gone(self.gone, part, &hash)? {
            return Ok(());
        }
        into.count += 1;
        into.file.write_all(&hash)
    }

    /// Writes where a label is from: of a chunk that a page has several times, the first place.
    fn write_origin(&mut self, hash: Hash, value: [u8; VALUE]) -> io::Result<()> {
        let origin = LabelOrigin::unpack(&value);
        let again = self.origins.last.is_some_and(|(before, last)| {
            let last = LabelOrigin::unpack(&last);
            before == hash && last.page == origin.page && last.is_file() == origin.is_file()
        });
        if again || is_gone(self.gone, usize::from(origin.is_file()), &hash)? {
            return Ok(());
        }
        self.origins.last = Some((hash, value));
        self.origins.count += 1;
        self.origins.file.write_all(&hash)?;
        self.origins.file.write_all(&value)
    }
}

fn is_gone<B: AsRef<[u8]>>(gone: &[&Labels<B>], part: usize, hash: &Hash) -> io::Result<bool> {
    for set in gone {
        if set.has(part, hash).map_err(|_| io::Error::other("a set of labels is damaged"))? {
            return Ok(true);
        }
    }
    Ok(false)
}

impl<B: AsRef<[u8]> + Send + Sync> GroupKernel for Sifting<'_, B> {
    fn name(&self) -> &'static str {
        "sifting"
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, _: &mut Output) -> Done {
        while let Some((part, tail)) = rows.next() {
            let mut hash = Hash::default();
            let (eight, twelve) = hash.split_at_mut(8);
            eight.copy_from_slice(&key.to_be_bytes());
            let (rest, value) = tail.split_at(twelve.len());
            twelve.copy_from_slice(rest);
            if self.fault.is_ok() {
                self.fault = match value.first_chunk() {
                    Some(value) => self.write_origin(hash, *value),
                    None => self.write(usize::from(part), hash),
                };
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut Output) {}
}

/// What was gathered, sorted, each hash once.
pub struct GatheredHashes {
    parts: Vec<SortedPart>,
    origins: SortedPart<HashOrigin>,
    pages: PageNames,
}

impl GatheredHashes {
    /// How many chunks, files and stop chunks there are.
    pub fn counts(&self) -> Vec<usize> {
        self.parts.iter().map(|part| part.count).collect()
    }

    /// Writes the set into a file that is empty.
    pub fn write(&self, header: &[u8], file: &mut File) -> io::Result<()> {
        let format = if self.pages.count() > 0 { WITH_ORIGINS } else { FORMAT };
        file.write_all(&vec![0; format.lead()])?;
        let mut out = Summing::new(BufWriter::with_capacity(BUFFER, &*file));
        let (mut lengths, mut before) = (Vec::new(), 0);
        let mut end_section =
            |out: &Summing<_>| lengths.push(out.written() - std::mem::replace(&mut before, out.written()));
        out.write_all(header)?;
        end_section(&out);
        for part in &self.parts {
            let entries = || Ok(part.hashes()?.map(|hash| hash.map(|hash| (hash, []))));
            sorted_map::write(&mut out, part.count, entries)?;
            end_section(&out);
        }
        self.make_filter()?.write(&mut out)?;
        end_section(&out);
        if self.pages.count() > 0 {
            sorted_map::write(&mut out, self.origins.count, || self.origins.entries())?;
            end_section(&out);
            self.pages.write(&mut out)?;
            end_section(&out);
        }
        let root = out.finish()?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&lead(format, &lengths, root))
    }

    fn make_filter(&self) -> io::Result<LabelsFilter> {
        let mut keys = Vec::with_capacity(self.parts[0].count + self.parts[2].count);
        for part in [&self.parts[0], &self.parts[2]] {
            for hash in part.hashes()? {
                keys.push(leading(&hash?));
            }
        }
        LabelsFilter::new(keys).ok_or_else(|| io::Error::other("there are too many labels for one set"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::labels::pack;
    use sha1::{Digest, Sha1};

    fn hashes(numbers: impl Iterator<Item = u32>) -> Vec<Hash> {
        numbers.map(|number| Sha1::digest(number.to_le_bytes()).into()).collect()
    }

    fn gather(folder: &Path, budget: usize, parts: &[Vec<Hash>; 3], gone: &[&Labels<Vec<u8>>]) -> Vec<u8> {
        let mut gathering = HashGathering::new(budget, folder);
        for some in 0..3 {
            for (part, hashes) in parts.iter().enumerate() {
                gathering.add(part, hashes.iter().skip(some).step_by(3).copied()).unwrap();
            }
        }
        let path = folder.join("set");
        let mut file = File::options().create(true).truncate(true).read(true).write(true).open(&path).unwrap();
        gathering.sort(gone).unwrap().write(b"{}", &mut file).unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn what_is_gathered_is_what_is_packed() {
        let folder = std::env::temp_dir().join(format!("gathering-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for count in [0, 1, 7, 300, 40_000] {
            let some = |from: u32, step: usize| hashes((from..count).rev().step_by(step));
            let twice = [some(0, 1), some(0, 3)].concat();
            let parts = [twice, some(0, 2), some(3, 5)];
            let expected = pack(b"{}", parts.clone()).unwrap();
            for budget in [usize::MAX, 100_000] {
                assert!(gather(&folder, budget, &parts, &[]) == expected, "{count} {budget}");
            }
            let gone = Labels::new(pack(b"", [some(1, 7), some(0, 4), some(0, 1)]).unwrap()).map_err(|_| ()).unwrap();
            let without = |from: &[Hash], part| {
                from.iter().copied().filter(|hash| !gone.has(part, hash).unwrap()).collect::<Vec<_>>()
            };
            let rest = pack(b"{}", [without(&parts[0], 0), without(&parts[1], 1), parts[2].clone()]).unwrap();
            assert!(gather(&folder, 100_000, &parts, &[&gone]) == rest, "{count}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
