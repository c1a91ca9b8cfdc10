//! Which files a clone works on, and which part of them.

use std::path::{Path, PathBuf};

use super::asked::FioJob;
use super::error::{FioError, Unsized};
use super::options::JobOptions;
use super::value::Amount;

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnDisk {
    /// Its length; of a directory 0.
    pub bytes: u64,
    /// What it is.
    pub kind: OnDiskKind,
    /// Whether plimsoll has laid it out and nobody has changed it since.
    pub laid_out: bool,
}

/// Kinds of what is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnDiskKind {
    /// A regular file.
    File,
    /// A block device, and what holds it (a mount point, a device on top), where something does.
    Device {
        /// What holds it.
        held_by: Option<String>,
    },
    /// A directory.
    Directory,
}

/// What a job may write that goes on until no space is left, in bytes: offsets beyond 2^63 are none.
const NO_END: u64 = 1 << 60;

/// Looks at a path; `None` where nothing is.
pub type Look<'l> = &'l dyn Fn(&Path) -> Option<OnDisk>;

/// The part of each file that a clone works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Files; none where the engine needs none.
    pub paths: Vec<PathBuf>,
    /// First byte in each file.
    pub offset: u64,
    /// Bytes in each file.
    pub bytes: u64,
}

impl Region {
    /// Bytes over all files.
    pub fn total(&self) -> u64 {
        self.bytes.saturating_mul(self.paths.len().max(1) as u64)
    }

    /// Length that each file must have.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.bytes)
    }
}

/// Files of a clone: those that are named, or those that its name and numbers make.
pub fn paths(job: &FioJob) -> Vec<PathBuf> {
    let options = &job.options;
    let directories = options.directory.as_deref().map(split_list).unwrap_or_default();
    let names = match &options.filename {
        Some(list) => split_list(list),
        None => (0..options.nrfiles).map(|number| made_name(job, number)).collect(),
    };
    // fio puts the directory in front of an absolute name too.
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
        .replace("$jobname", &job.name)
        .replace("$jobnum", &job.clone.to_string())
        .replace("$filenum", &number.to_string())
        .replace("$clientuid", "")
}

/// Splits at colons; `\:` is a colon in a name.
pub fn split_list(list: &str) -> Vec<String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let mut letters = list.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some(':') => part.push(':'),
                Some(other) => part.extend([letter, other]),
                None => {}
            },
            ':' => parts.push(std::mem::take(&mut part)),
            other => part.push(other),
        }
    }
    parts.push(part);
    parts.retain(|part: &String| !part.is_empty());
    parts
}

/// The region of a job without files: only its size counts.
pub fn region_of_nothing(options: &JobOptions) -> Option<Region> {
    match options.size {
        _ if options.filesize > 0 => {
            let bytes = options.filesize.saturating_mul(u64::from(options.nrfiles));
            Some(Region { paths: Vec::new(), offset: 0, bytes })
        }
        Some(Amount::Bytes(bytes)) if bytes > 0 => Some(Region { paths: Vec::new(), offset: 0, bytes }),
        _ => None,
    }
}

/// The error of a job whose region has no length; the command line is put in later.
pub fn needs_size(job: &FioJob, path: Option<PathBuf>) -> FioError {
    let lacking = Unsized { number: job.number as usize, name: job.name.clone(), path };
    FioError::NeedSize { jobs: vec![lacking], corrected: String::new() }
}

/// The region of a job with files, given what is there or will be by the time it starts.
///
/// # Errors
/// Where nothing says how long it is, or it starts behind the end.
pub fn region(job: &FioJob, paths: Vec<PathBuf>, there: &[Option<OnDisk>]) -> Result<Region, FioError> {
    let options = &job.options;
    let shortest = there.iter().map(|found| found.as_ref().map_or(0, |on_disk| on_disk.bytes)).min();
    let there_bytes = shortest.unwrap_or(0);
    let offset = start(job, there_bytes);
    let missing = paths.iter().zip(there).find(|(_, found)| found.is_none()).map(|(path, _)| path.clone());
    let needs_size = || needs_size(job, missing.or_else(|| paths.first().cloned()));
    let Some(asked) = length(job, paths.len().max(1) as u64, (there_bytes, offset))? else {
        return Err(needs_size());
    };
    let rest = there_bytes.saturating_sub(offset);
    let on_device =
        |found: &Option<OnDisk>| matches!(found, Some(OnDisk { kind: OnDiskKind::Device { .. }, .. }));
    let bytes = if there.iter().any(on_device) { asked.min(rest) } else { asked };
    if bytes < options.shortest_block() {
        return Err(FioError::BlockAboveRange { size: bytes, block: options.shortest_block() });
    }
    Ok(Region { paths, offset, bytes })
}

/// Bytes of each of `files` files from `offset` on, where the shortest has `there`; `None` where nothing says how many.
/// `filesize` is where a file ends, whatever it holds and wherever the clone begins; `size` is what all files share.
fn length(job: &FioJob, files: u64, (there, offset): (u64, u64)) -> Result<Option<u64>, FioError> {
    let options = &job.options;
    let pattern = options.pattern;
    // Places of a random job must be known before, and data to be read must be there.
    let fills = options.fill_device && pattern.writes && !pattern.reads && !pattern.random;
    let end = match (options.filesize, options.size) {
        (0, Some(Amount::Bytes(bytes))) if bytes > 0 => return Ok(Some(bytes / files)),
        (0, None | Some(Amount::Bytes(_))) if fills => return Ok(Some(NO_END / files)),
        (0, _) => there,
        (filesize, _) => filesize,
    };
    if end == 0 {
        return Ok(None);
    }
    if offset >= end {
        return Err(FioError::Offset { job: job.name.clone(), there: end });
    }
    let rest = end - offset;
    let block = options.shortest_block();
    Ok(Some(match options.size {
        Some(Amount::Percent(percent)) if percent < 100 => share(end, percent).min(rest) / block * block,
        _ => rest,
    }))
}

/// The offset of this clone in bytes; one in percent is rounded up to a block, or to what it is to be aligned to. What is
/// appended begins at the end of what is there, whatever offset is given.
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

/// `percent` of `bytes`, rounded down, without overflow.
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
