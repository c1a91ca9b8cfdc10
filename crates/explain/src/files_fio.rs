//! Sentences on the files or devices that a job of fio uses, and on the part of each.

use std::path::PathBuf;

use super::about_fio::{sends_commands, stage};
use super::figures::bytes;
use super::load::PlannedJob;
use fio::{Amount, JobOptions, Stage};
use workload::Spread;

/// Most file names that are printed.
const FEW: usize = 3;

/// Whether `path` is a device, not a file.
pub fn is_device(path: &str) -> bool {
    let is_of_windows = path.trim_start_matches('\\').starts_with(".\\PhysicalDrive");
    let is_disk = path.starts_with("/dev/") && !path.starts_with("/dev/shm") && !path.contains(' ');
    is_disk && !stores_nothing(path) || is_of_windows
}

/// Whether `name` has no path, and is what Linux calls a disk: `sda`, `vdb1`, `nvme0n1`.
pub fn is_named_like_a_device(name: &str) -> bool {
    let disk = ["sd", "vd", "xvd", "hd"].iter().find_map(|kind| name.strip_prefix(kind));
    let is_disk = disk.is_some_and(|rest| {
        let rest = rest.trim_end_matches(|c: char| c.is_ascii_digit());
        (1..=2).contains(&rest.len()) && rest.bytes().all(|byte| byte.is_ascii_lowercase())
    });
    let nvme = name.strip_prefix("nvme").and_then(|rest| rest.split_once('n'));
    is_disk
        || nvme.is_some_and(|(of, rest)| {
            of.parse::<u32>().is_ok() && rest.starts_with(|c: char| c.is_ascii_digit())
        })
}

/// Whether only words that are missing say where a job works.
pub fn lacks_a_place(job: &PlannedJob) -> bool {
    job.lacks_words && job.options().filename.is_none()
}

/// A path with a drive of Windows, whose colon ends the name for fio.
pub fn on_a_drive(job: &PlannedJob) -> Option<&str> {
    let is_drive = |path: &&str| {
        path.as_bytes().get(1) == Some(&b':') && path.starts_with(|letter: char| letter.is_ascii_alphabetic())
    };
    ["filename", "directory"].iter().find_map(|name| job.typed(name).filter(is_drive))
}

/// Whether the job's files can lie on, or its devices be, a volume of EBS, of which none has zones.
pub fn is_of_ebs(job: &PlannedJob) -> bool {
    if job.options().zoned_device {
        return false;
    }
    let disk = |path: &str| ["/dev/sd", "/dev/xvd", "/dev/nvme"].iter().any(|kind| path.starts_with(kind));
    job.files().0.iter().filter_map(|path| path.to_str()).all(|path| !path.starts_with("/dev/") || disk(path))
}

/// Whether `path` is a device that stores nothing.
pub fn stores_nothing(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/zero" | "/dev/full" | "/dev/random" | "/dev/urandom")
}

/// Whether the job uses files that no device stands for.
pub fn on_files_only(options: &JobOptions) -> bool {
    let is_here = stage(options) == Stage::Here && options.engine.is_real();
    is_here && !options.filename.as_deref().is_some_and(is_device) && !sends_commands(options)
}

/// Whether each copy has its own files.
pub fn own_files(options: &JobOptions) -> bool {
    options.filename.is_none() && options.opendir.is_none()
}

/// The files or devices of a group of jobs that do the same, and the part of them that each uses.
pub fn target(job: &PlannedJob, group: &[&PlannedJob]) -> String {
    let options = job.options();
    let part = part(job);
    if let Some(place) = &options.opendir {
        return format!("On all files below {place}: {}.", part.as_deref().unwrap_or("as long as each is"));
    }
    if lacks_a_place(job) {
        return "Where and how much of it may stand in what is missing.".to_owned();
    }
    let (first, last) = job.files();
    if first.is_empty() {
        let own = format!("{} of its own", number(options.nrfiles as usize));
        let all =
            options.nrfiles.max(1) as u64 * if own_files(options) { u64::from(options.numjobs) } else { 1 };
        let long = job.room().map_or(String::new(), |each| {
            format!(": {} of each, {} in all", bytes(each), bytes(each.saturating_mul(all)))
        });
        return format!("On {}{long}.", options.filename.as_deref().unwrap_or(&own));
    }
    let mut named: Vec<String> = group.iter().map(|job| names_of_all(job)).collect();
    named.dedup();
    let of_each = if named.len() > 1 && last.is_none() { " (one for each job)" } else { "" };
    let named = enumerated(&named) + of_each;
    let which = match last {
        Some(_) => format!("{} for each copy ({named})", number(first.len())),
        None if apart(options) => format!("{named}, for all copies"),
        None if options.numjobs > 1 => format!("{named}, the same for all copies"),
        None => named,
    };
    let all_devices = first.iter().all(|path| path.to_str().is_some_and(is_device));
    match part {
        Some(part) => format!("On {which}: {part}{}.", in_all(job)),
        None if job.fills_the_volume() => format!("On {which}, from the start on and beyond what is there."),
        None if job.lacks_words => format!("On {which}."),
        None if own_files(options) && options.size.is_none() => format!("On {which}; no size is given."),
        None if all_devices => format!("On {which}: {}.", whole(first.len(), "device")),
        None if options.size.is_some() => format!("On {which}, as long as it is."),
        None => format!("On {which}, as long as it is; no size is given."),
    }
}

/// Number of the files that are named, or made, for each copy.
pub fn number_of_files(options: &JobOptions) -> usize {
    options.filename.as_deref().map_or(options.nrfiles as usize, |names| fio::split_list(names).len())
}

/// Says which of its files a job of several never leaves.
pub fn kept_to(options: &JobOptions) -> Option<String> {
    let all = number_of_files(options);
    let kept = options.keeps_to().filter(|kept| *kept < all && options.opendir.is_none())?;
    let by = if options.openfiles > 0 { "openfiles" } else { "file_service_type" };
    let first = if kept == 1 { "the first".to_owned() } else { format!("the first {kept}") };
    Some(format!("Of its {all} files it never leaves {first} ({by}): at random places none is ever done."))
}

/// All that the copies do once, if the command sets no amount in bytes: whole files or devices, or a share of each.
pub fn whole_part(job: &PlannedJob) -> Option<String> {
    let options = job.options();
    let names = job.files().0;
    let kind = if names.iter().all(|path| path.to_str().is_some_and(is_device)) { "device" } else { "file" };
    match options.size {
        _ if options.opendir.is_some() || job.extent().0 != Some(0) => None,
        Some(size @ Amount::Percent(..100)) => {
            Some(format!("{} {}", share(size).trim_end_matches(" it"), each(names.len(), kind)))
        }
        _ if apart(options) => None,
        // Zones are passed again until the amount is done.
        _ if is_strided(options) => Some(format!("as much as {} holds", whole(names.len(), kind))),
        _ => Some(whole(names.len(), kind)),
    }
}

/// Whether the job goes zone by zone.
pub fn is_strided(options: &JobOptions) -> bool {
    options.strided && options.zonesize > 0
}

fn each(number: usize, kind: &str) -> String {
    if number > 1 { format!("each {kind}") } else { format!("the {kind}") }
}

/// Whether a job that uses all of its files or devices writes to every block of them.
pub fn covers_all(job: &PlannedJob) -> bool {
    let options = job.options();
    let amounts = [options.number_ios, options.runtime.0, options.zonesize, options.rw_number.unsigned_abs()];
    let by_chance = options.pattern.random
        && (options.has_no_map()
            || options.spread != Spread::Uniform
            || options.percentage_random.iter().any(|percent| *percent < 100)
            || options.bssplit.iter().chain(&options.bsrange).any(Option::is_some)
            || job.is_mixed());
    let mixed = options.pattern.reads && options.pattern.writes;
    !mixed && !by_chance && options.io_size.is_none() && amounts.iter().all(|amount| *amount == 0)
}

/// The part of files or devices that a job uses by default.
fn whole(number: usize, kind: &str) -> String {
    if number > 1 { format!("each whole {kind}") } else { format!("the whole {kind}") }
}

fn number(files: usize) -> String {
    if files == 1 { "a file".to_owned() } else { format!("{files} files") }
}

/// The names of all files of all copies with their directories, if there are few.
pub fn names_of(job: &PlannedJob) -> Option<String> {
    let (first, others) = job.files();
    (others.is_none() && (1..=FEW).contains(&first.len())).then(|| names(first, first))
}

/// The names of all files of a job, or the first and the last of them.
fn names_of_all(job: &PlannedJob) -> String {
    let (first, last) = job.files();
    names(first, last.unwrap_or(first))
}

/// Names as a list of a sentence.
pub fn enumerated(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The names of up to three files, otherwise the first and the last name.
fn names(first: &[PathBuf], last: &[PathBuf]) -> String {
    let name = |path: Option<&PathBuf>| path.map_or(String::new(), |path| path.display().to_string());
    match first == last && first.len() <= FEW {
        true => first.iter().map(|path| name(Some(path))).collect::<Vec<_>>().join(" and "),
        false => format!("{} to {}", name(first.first()), name(last.last())),
    }
}

/// The part of each file that the job uses, if its words specify one; copies may be set apart.
pub fn part(job: &PlannedJob) -> Option<String> {
    let options = job.options();
    let of_each = if job.files().0.len() > 1 { " of each" } else { "" };
    let (from, length) = job.extent();
    let start = match from {
        _ if options.file_append => " after its end".to_owned(),
        Some(0) => String::new(),
        Some(from) => format!(" from {} on", bytes(from)),
        None => format!(" from {} on", share(options.offset)),
    };
    let is_start = start.is_empty() && !apart(options);
    let (least, most) = (options.filesize_least, options.filesize);
    // The zones go on to the end of the file, and from its start again.
    if is_strided(options) {
        let on = if start.is_empty() { " from the start on" } else { &start };
        let end = if of_each.is_empty() { "its end" } else { "the end of each" };
        let ours = if options.size.is_some() { " (fio; plimsoll stays within size)" } else { "" };
        return Some(format!("zone by zone{on} to {end}, and round again{ours}"));
    }
    let part = match (length, options.size) {
        _ if most > least => {
            format!("of each a length drawn between {} and {}", bytes(least), bytes(most))
        }
        (Some(length), _) if is_start => format!("the first {}{of_each}", bytes(length)),
        (Some(length), _) => format!("{}{of_each}", bytes(length)),
        (None, Some(Amount::Percent(size @ ..100))) if !of_each.is_empty() => format!("{size} %{of_each}"),
        (None, Some(size @ Amount::Percent(..100))) => share(size),
        (None, _) if is_start => return None,
        (None, _) if most > 0 => format!("up to {}{of_each}", bytes(most)),
        (None, _) => format!("all{of_each}"),
    };
    let further = match (apart(options), job.end()) {
        (false, _) => String::new(),
        (true, None) => {
            format!(", each further copy {} after the one before", share(options.offset_increment))
        }
        (true, Some(end)) => format!(
            ", each further copy {} after the one before, up to {}",
            share(options.offset_increment),
            bytes(end)
        ),
    };
    Some(format!("{part}{start}{further}"))
}

/// Whether `offset_increment` gives each copy its own offset.
pub fn apart(options: &JobOptions) -> bool {
    options.numjobs > 1 && !matches!(options.offset_increment, Amount::Bytes(0) | Amount::Percent(0))
}

/// Bytes, or a share of a length that is not known here.
pub fn share(amount: Amount) -> String {
    match amount {
        Amount::Bytes(amount) => bytes(amount),
        Amount::Percent(share) => format!("{share} % of it"),
    }
}

/// Bytes of all files of all copies, if there is more than one file.
fn in_all(job: &PlannedJob) -> String {
    let (files, others) = job.files();
    let copies = if others.is_some() { u64::from(job.options().numjobs) } else { 1 };
    let number = copies.saturating_mul(files.len() as u64);
    match job.extent().1.filter(|_| number > 1 && job.copies_are_alike()) {
        Some(length) => format!(", {} in all", bytes(length.saturating_mul(number))),
        None => String::new(),
    }
}
