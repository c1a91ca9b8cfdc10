//! What is said of targets before and after they are measured: what cannot be, what makes figures those of something else,
//! and what failed.

use record::StepRecord;

use super::profile::{Cache, Profile, Target};

/// Share of a target in the page cache from which on it is worth a word.
const NOTABLE: f64 = 0.01;

/// What is known of a path before anything is touched.
pub struct Paths<'a> {
    /// Whether something is there.
    pub exists: &'a dyn Fn(&str) -> bool,
    /// Whether it is, or would be, on a file server.
    pub is_remote: &'a dyn Fn(&str) -> bool,
}

/// Refuses what Linux or plimsoll has not.
///
/// # Errors
/// Why the first target cannot be measured.
pub fn possible(profile: &Profile, paths: &Paths) -> Result<(), String> {
    for target in profile.time_spans.iter().flat_map(|span| &span.targets) {
        let path = &target.path;
        if let Some(what) = of_windows(path).filter(|_| !(paths.exists)(path)) {
            return Err(format!(
                "'{path}' is {what} of Windows; name a file, or a block device such as /dev/sdb"
            ));
        }
        if target.mapped {
            return Err("-Sm (memory mapped I/O) is not offered: plimsoll measures calls, and a mapping has none; use -Sb for \
                        I/O through the page cache"
                .to_owned());
        }
        if target.cache == Cache::RemoteOnly && !(paths.is_remote)(path) {
            return Err(format!(
                "-Sr leaves the cache of a file server on, and '{path}' is on a local file system; use -Su"
            ));
        }
    }
    Ok(())
}

/// What `path` names on Windows.
fn of_windows(path: &str) -> Option<&'static str> {
    let letter = path.starts_with(|c: char| c.is_ascii_alphabetic());
    let drive =
        path.strip_prefix('#').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    match path.get(1..) {
        _ if drive => Some("a physical drive"),
        Some(":") if letter => Some("a partition"),
        Some(rest) if letter && rest.starts_with(":\\") => Some("a path"),
        _ => None,
    }
}

/// What was seen of a target that matters to what is done to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Share (0 to 1) of it in the page cache, where it is read through that.
    pub cached: f64,
    /// Share of it that was never written, in words, where it is read and that is worth a word.
    pub unwritten: Option<String>,
    /// Whether the kernel follows each stable write to it by a flush, where there are any.
    pub flushes: bool,
}

/// Reads through a cache measure memory, reads of what was never written nothing, and where the kernel must send a flush
/// for each stable write, that is what limits them.
pub fn doubts(target: &Target, seen: &Seen) -> Vec<String> {
    let path = &target.path;
    let mut doubts = Vec::new();
    if seen.cached >= NOTABLE {
        doubts.push(format!(
            "{:.0} % of '{path}' lies in the page cache, so reads measure memory too; -Su goes past it",
            100.0 * seen.cached
        ));
    }
    if let Some(share) = &seen.unwritten {
        doubts.push(format!(
            "{share} of '{path}' was never written, so reads there do not reach the volume; -c<size> makes it anew with data"
        ));
    }
    if seen.flushes {
        doubts.push(format!(
            "the volume of '{path}' has a write cache that may lose data and no other way around it, so a flush follows each \
             write (-Sw); a limit on I/O counts flushes too"
        ));
    }
    doubts
}

/// Why a timespan failed.
pub fn failure(record: &StepRecord) -> String {
    match record.failures.first() {
        Some(failure) => format!(
            "{} of {} bytes at byte {} of '{}' failed: {}",
            failure.direction.name(),
            failure.bytes,
            failure.offset,
            failure.path,
            std::io::Error::from_raw_os_error(failure.errno)
        ),
        None => "an I/O failed".to_owned(),
    }
}

/// A failure ends the run, as DiskSpd's does: what comes behind it is not passed over in silence.
pub fn not_run(spans: usize) -> String {
    match spans {
        0 => String::new(),
        1 => "; the timespan behind it was not run".to_owned(),
        many => format!("; the {many} timespans behind it were not run"),
    }
}
