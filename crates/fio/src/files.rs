//! The files that a clone uses, and the part of each.

use std::path::{Path, PathBuf};

use super::asked::FioJob;
use super::error::{FioError, JobWithoutSize};
use super::value::Amount;

/// The file, device or directory at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnDisk {
    /// Length in bytes; 0 for a directory.
    pub bytes: u64,
    /// Type of the file, device or directory.
    pub kind: OnDiskKind,
    /// Whether plimsoll laid it out and nobody has changed it since.
    pub laid_out: bool,
}

/// Types of files, devices and directories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnDiskKind {
    /// A regular file.
    File,
    /// A block device.
    Device {
        /// What uses the device, if anything: a mount point, or a device on top of it.
        held_by: Option<String>,
    },
    /// A directory.
    Directory,
}

/// Length in bytes of the region of a job that writes until no space is left; offsets end at 2^63.
const NO_END: u64 = 1 << 60;

/// Looks up a path; `None` if it does not exist.
pub type Look<'l> = &'l dyn Fn(&Path) -> Option<OnDisk>;

/// The part of each file that a clone uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Region {
    /// The files; none if the engine needs none.
    pub paths: Vec<PathBuf>,
    /// First byte in each file.
    pub offset: u64,
    /// Bytes in each file; if the files differ, bytes in the longest.
    pub bytes: u64,
    /// Bytes in each file if they differ, otherwise empty.
    pub each: Vec<u64>,
    /// Length of the shortest of the files, now or once it is laid out.
    pub file_bytes: u64,
}

impl Region {
    /// Bytes of all files.
    pub fn total(&self) -> u64 {
        self.lengths().fold(0, u64::saturating_add)
    }

    /// Bytes in each file, in order; without files, bytes of the region.
    pub fn lengths(&self) -> impl Iterator<Item = u64> + '_ {
        let of = |number| self.each.get(number).copied().unwrap_or(self.bytes);
        (0..self.paths.len().max(1)).map(of)
    }

    /// Each file with the length that it must have.
    pub fn files(&self) -> impl Iterator<Item = (&PathBuf, u64)> {
        self.paths.iter().zip(self.lengths().map(|bytes| self.offset.saturating_add(bytes)))
    }

    /// The region of a job that only uses the names of its files: one block for each.
    pub fn of_names(self, block: u64) -> Region {
        Region { offset: 0, bytes: block, each: Vec::new(), file_bytes: block, ..self }
    }

    /// The part of `paths` from `offset` on, with `lengths` bytes in each file. Files with less than `block` bytes are
    /// left out; `None` if no file remains.
    fn of(paths: Vec<PathBuf>, offset: u64, (lengths, block): (&[u64], u64)) -> Option<Region> {
        let fits = |(_, bytes): &(PathBuf, u64)| *bytes >= block;
        let (paths, each): (Vec<PathBuf>, Vec<u64>) =
            paths.into_iter().zip(lengths.iter().copied()).filter(fits).unzip();
        let bytes = each.iter().copied().max()?;
        let each = if each.iter().all(|other| *other == bytes) { Vec::new() } else { each };
        Some(Region { paths, offset, bytes, each, file_bytes: offset.saturating_add(bytes) })
    }
}

/// Files of a clone: the named ones, or names made from the clone's name and numbers.
pub fn paths(job: &FioJob) -> Vec<PathBuf> {
    let options = &job.options;
    let directories = options.directory.as_deref().map(split_list).unwrap_or_default();
    if !options.found.is_empty() {
        return options.found.clone();
    }
    if let Some(list) = &options.filename {
        return split_list(list).into_iter().map(PathBuf::from).collect();
    }
    let names: Vec<String> = (0..options.nrfiles).map(|number| made_name(job, number)).collect();
    // fio prepends the directory even to an absolute name.
    names
        .iter()
        .map(|name| match directories.len() {
            0 => PathBuf::from(name),
            many => Path::new(&directories[job.clone as usize % many]).join(name.trim_start_matches('/')),
        })
        .collect()
}

fn made_name(job: &FioJob, number: u32) -> String {
    job.options
        .filename_format
        .replace("$jobname", &job.section)
        .replace("$jobnum", &job.clone.to_string())
        .replace("$filenum", &number.to_string())
        .replace("$clientuid", "")
}

/// Splits a list at colons; `\:` is a colon within a name.
pub fn split_list(list: &str) -> Vec<String> {
    typed_names(list).filter(|name| !name.is_empty()).map(|name| name.replace("\\:", ":")).collect()
}

/// The names of a list as typed, with the backslashes before colons within a name.
pub(super) fn typed_names(list: &str) -> impl Iterator<Item = &str> {
    let mut escaped = false;
    list.split(move |letter| {
        let ends = letter == ':' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    })
}

/// The region of a job without files; its length is the requested size.
///
/// # Errors
/// If no option gives the length, or the region starts past the end.
pub fn region_of_nothing(job: &FioJob) -> Result<Region, FioError> {
    let options = &job.options;
    let (long, files) = match options.size {
        _ if options.filesize > 0 => (options.filesize, u64::from(options.nrfiles)),
        Some(Amount::Bytes(bytes)) => (bytes, 1),
        _ => (0, 1),
    };
    let offset = start(job, long);
    match lengths(job, &[0], offset)? {
        Some(lengths) if long > 0 => {
            let bytes = lengths[0].saturating_mul(files);
            Ok(Region { offset, bytes, file_bytes: offset.saturating_add(bytes), ..Region::default() })
        }
        _ => Err(needs_size(job, None)),
    }
}

/// The error of a job whose region has no length; the caller adds the command line later.
pub fn needs_size(job: &FioJob, path: Option<PathBuf>) -> FioError {
    let lacking = JobWithoutSize { number: job.number as usize, name: job.name.clone(), path };
    FioError::NeedSize { jobs: vec![lacking], corrected: String::new() }
}

/// The region of a job with files; `there` lists the files as they are, or will be when the job starts.
///
/// # Errors
/// If nothing determines the length, or the region starts past the end.
pub fn region(job: &FioJob, paths: Vec<PathBuf>, there: &[Option<OnDisk>]) -> Result<Region, FioError> {
    let options = &job.options;
    let lengths_there = || there.iter().map(|found| found.as_ref().map_or(0, |on_disk| on_disk.bytes));
    let shortest = lengths_there().min().unwrap_or(0);
    let offset = start(job, shortest);
    let missing = paths.iter().zip(there).find(|(_, found)| found.is_none()).map(|(path, _)| path.clone());
    let lacking = || needs_size(job, missing.or_else(|| paths.first().cloned()));
    let files: Vec<u64> = lengths_there().collect();
    let Some(mut lengths) = lengths(job, &files, offset)? else {
        return Err(lacking());
    };
    for (asked, found) in lengths.iter_mut().zip(there) {
        if let Some(OnDisk { kind: OnDiskKind::Device { .. }, bytes, .. }) = found {
            *asked = (*asked).min(bytes.saturating_sub(offset));
        }
    }
    let block = options.shortest_block();
    let size = lengths.iter().copied().min().unwrap_or(0);
    let region = Region::of(paths, offset, (&lengths, block));
    let region = region.ok_or(FioError::BlockAboveRange { size, block })?;
    let file_bytes = region.file_bytes.max(shortest);
    Ok(Region { file_bytes, ..region })
}

/// Bytes of each file from `offset` on, given the lengths `there`; `None` if nothing determines them. `filesize` sets
/// where a file ends, whatever its contents and wherever the clone begins; all files share `size`.
fn lengths(job: &FioJob, there: &[u64], offset: u64) -> Result<Option<Vec<u64>>, FioError> {
    let options = &job.options;
    let pattern = options.pattern;
    let files = there.len().max(1) as u64;
    // Random offsets need a known length, and reads need existing data.
    let fills = options.fill_device && pattern.writes && !pattern.reads && !pattern.random;
    match (options.filesize, options.size) {
        (0, Some(Amount::Bytes(bytes))) if bytes > 0 => return Ok(Some(vec![bytes / files; there.len()])),
        (0, None | Some(Amount::Bytes(_))) if fills => return Ok(Some(vec![NO_END / files; there.len()])),
        _ => {}
    }
    let ends: Vec<u64> = there.iter().zip(0..).map(|(&there, number)| end(job, there, number)).collect();
    if ends.contains(&0) && options.filesize == 0 && options.found.is_empty() {
        return Ok(None);
    }
    let furthest = ends.iter().copied().max().unwrap_or(0);
    if offset >= furthest {
        return Err(FioError::Offset { job: job.name.clone(), there: furthest });
    }
    let block = options.shortest_block();
    let length = |end: u64| match options.size {
        Some(Amount::Percent(percent)) if percent < 100 => {
            share(end, percent).min(end.saturating_sub(offset)) / block * block
        }
        _ => end.saturating_sub(offset),
    };
    Ok(Some(ends.into_iter().map(length).collect()))
}

/// End of the file with this number, which is now `there` bytes long.
fn end(job: &FioJob, there: u64, number: u64) -> u64 {
    let (least, most) = (job.options.filesize_least, job.options.filesize);
    match most {
        0 => there,
        _ if least == most || (least..=most).contains(&there) && there > 0 => most.min(there.max(least)),
        _ => {
            let drawn = least + drawn(job.seed, number) % (most - least + 1);
            let block = job.options.shortest_block().max(1);
            // A file that is too short for a block would get no I/O.
            (drawn - drawn % block).max(block.min(most))
        }
    }
}

/// A number that depends on `seed` and `number` alone, evenly spread over pairs: the finalizer of SplitMix64.
fn drawn(seed: u64, number: u64) -> u64 {
    let mut mixed = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

/// Offset of this clone in bytes. A percentage is rounded up to a block, or to `offset_align`. With `file_append`, the
/// offset is the end of the file, whatever was typed.
fn start(job: &FioJob, there_bytes: u64) -> u64 {
    if job.options.file_append {
        return there_bytes;
    }
    let block = job.options.shortest_block();
    let unit = if job.options.offset_align > 0 { job.options.offset_align } else { block };
    let resolve = |amount: Amount| match amount {
        Amount::Bytes(bytes) => bytes,
        Amount::Percent(percent) => share(there_bytes, percent).next_multiple_of(unit),
    };
    let step = resolve(job.options.offset_increment).saturating_mul(u64::from(job.clone));
    resolve(job.options.offset).saturating_add(step)
}

/// `percent` of `bytes`, rounded down; cannot overflow.
pub fn share(bytes: u64, percent: u8) -> u64 {
    (u128::from(bytes) * u128::from(percent) / 100) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_split_at_colons_that_are_not_escaped() {
        assert_eq!(split_list("/a:/b"), ["/a", "/b"]);
        assert_eq!(split_list(r"/dev/disk\:1:x"), ["/dev/disk:1", "x"]);
        assert_eq!(split_list(r"a\b"), [r"a\b"]);
        assert_eq!(split_list(""), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn a_share_is_never_more_than_the_whole(bytes: u64, percent in 0u8..=100) {
            prop_assert!(share(bytes, percent) <= bytes);
        }

        #[test]
        fn any_list_splits(list in "\\PC{0,20}") {
            prop_assert!(split_list(&list).iter().all(|part| !part.is_empty()));
        }
    }
}
