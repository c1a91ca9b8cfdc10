//! Which files or devices a job of fio works on, in words.

use super::figures::bytes;
use fio::{Amount, FioJob, JobOptions};

/// How fio names files by default.
const NAMES: &str = "$jobname.$jobnum.$filenum";

/// Whether `path` is a device, not a file.
pub fn is_device(path: &str) -> bool {
    path.starts_with("/dev/") && !path.starts_with("/dev/shm")
}

/// Whether each copy has files of its own.
pub fn own_files(options: &JobOptions) -> bool {
    options.filename.is_none() && options.opendir.is_none()
}

/// The files or devices, and the part of them that is used.
pub fn target(job: &FioJob) -> String {
    let options = &job.options;
    let first = match (&options.opendir, &options.filename) {
        (Some(place), _) => below(place, options),
        (None, Some(names)) => named(names, options),
        (None, None) => own(job),
    };
    match further_copies(options) {
        Some(step) => format!("{first} Each further copy begins {step} behind the one before."),
        None => first,
    }
}

/// Distance between the starts of two copies, if there are several.
pub fn further_copies(options: &JobOptions) -> Option<String> {
    increment(options).filter(|_| options.numjobs > 1)
}

/// Value of `offset_increment`, whether or not there are several copies.
pub fn increment(options: &JobOptions) -> Option<String> {
    match options.offset_increment {
        Amount::Bytes(0) | Amount::Percent(0) => None,
        Amount::Bytes(step) => Some(bytes(step)),
        Amount::Percent(share) => Some(format!("{share} % of it")),
    }
}

fn length(options: &JobOptions) -> Option<String> {
    match options.size? {
        Amount::Bytes(size) => Some(bytes(size)),
        Amount::Percent(share) => Some(format!("{share} % of what is there")),
    }
}

fn below(place: &str, options: &JobOptions) -> String {
    let each = part(options)
        .or_else(|| length(options).map(|length| format!("{length} over all of them")))
        .unwrap_or_else(|| "as long as each is".to_owned());
    format!("On all files below {place}: {each}.")
}

fn named(names: &str, options: &JobOptions) -> String {
    let name = match &options.directory {
        Some(directory) if !names.starts_with('/') => format!("{directory}/{names}"),
        _ => names.to_owned(),
    };
    let of_several = name.contains(':');
    let apart = further_copies(options).is_some();
    let shared = match (options.numjobs, apart) {
        (1, _) => "",
        (_, false) => ", the same for all copies",
        (_, true) => ", for all copies",
    };
    let what = match (part(options), length(options)) {
        (Some(part), _) if of_several => format!("{part}, of each"),
        (Some(part), _) => part,
        (None, Some(length)) if of_several => format!("{length} over all of them"),
        (None, None) if of_several => "as long as each is".to_owned(),
        (None, Some(length)) if apart => format!("{length} for each, the first from its start"),
        (None, Some(length)) => format!("its first {length}"),
        (None, None) if is_device(&name) => "the whole device".to_owned(),
        (None, None) => return format!("On {name}{shared}, as long as it is; no size is given."),
    };
    format!("On {}{shared}: {what}.", several(&name))
}

/// Files that the job names itself.
fn own(job: &FioJob) -> String {
    let options = &job.options;
    let (copies, files) = (u64::from(options.numjobs), u64::from(options.nrfiles.max(1)));
    let place = options.directory.as_deref().map_or("the current directory".to_owned(), several);
    let count = if files == 1 { "a file".to_owned() } else { format!("{files} files") };
    let each = if copies > 1 { " for each copy" } else { "" };
    let names = own_names(job);
    if let Some(part) = part(options) {
        let each_file = if files > 1 { ", of each" } else { "" };
        return format!("On {count}{each} in {place}, {names}{each_file}: {part}.");
    }
    let Some(length) = length(options) else {
        return format!("On {count}{each} in {place} ({names}); no size is given.");
    };
    let of = match (files, options.size) {
        (1, _) => format!(" of {length}"),
        (_, Some(Amount::Bytes(size))) => format!(" of {}", bytes(size / files)),
        _ => format!(", {length} over all of them,"),
    };
    match options.size {
        Some(Amount::Bytes(size)) if copies * files > 1 => {
            format!(
                "On {count}{of}{each} in {place} ({names}), {} in all.",
                bytes(size.saturating_mul(copies))
            )
        }
        _ => format!("On {count}{of}{each} in {place}: {names}."),
    }
}

/// Names of the files: `a.0.0`, or the first and the last.
fn own_names(job: &FioJob) -> String {
    let options = &job.options;
    if options.filename_format != NAMES {
        return format!("named by {}", options.filename_format);
    }
    let (copies, files) = (options.numjobs.max(1), options.nrfiles.max(1));
    match (copies, files) {
        (1, 1) => format!("{}.0.0", job.name),
        _ => format!("{0}.0.0 to {0}.{1}.{2}", job.name, copies - 1, files - 1),
    }
}

/// Files or devices separated by colons, in words.
fn several(names: &str) -> String {
    names.replace(':', " and ")
}

/// The part of a file or device that is used, if its start or its end is given.
pub fn part(options: &JobOptions) -> Option<String> {
    let at = |amount: Amount| match amount {
        Amount::Bytes(at) => bytes(at),
        Amount::Percent(share) => format!("{share} % of it"),
    };
    let starts = !matches!(options.offset, Amount::Bytes(0));
    let from = if starts { format!(" from {} on", at(options.offset)) } else { String::new() };
    let (least, most) = (options.filesize_least, options.filesize);
    let end = (most > 0).then(|| match least == most {
        true => bytes(most),
        false => format!("an end drawn for each file between {} and {}", bytes(least), bytes(most)),
    });
    match (end, options.size) {
        (Some(end), Some(Amount::Bytes(size))) if size == most && least == most && !starts => {
            Some(format!("its first {end}"))
        }
        (Some(end), Some(size)) => Some(format!("{} of I/O{from}, up to {end}", at(size))),
        (Some(end), None) => Some(format!("what lies{from} before {end}")),
        (None, Some(size)) if starts => Some(format!("{}{from}", at(size))),
        (None, None) if starts => Some(format!("all{from}")),
        _ => None,
    }
}
