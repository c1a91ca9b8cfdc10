//! Sentences on targets, before and after they are measured: why one cannot be measured, why its figures may be
//! misleading, and why it failed.

use record::StepRecord;

use super::profile::{Cache, Profile, Target};

/// Share of a target in the page cache from which the cache is mentioned.
const NOTABLE: f64 = 0.01;

/// Access to properties of paths that is needed before any target is opened.
pub struct Paths<'a> {
    /// Whether a path exists.
    pub exists: &'a dyn Fn(&str) -> bool,
    /// Whether a path is, or would be, on a file server.
    pub is_remote: &'a dyn Fn(&str) -> bool,
}

/// Refuses targets that Linux or plimsoll does not support.
///
/// # Errors
/// The reason why the first such target cannot be measured.
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

/// The object that `path` names on Windows; `None` if `path` does not look like a Windows name.
fn of_windows(path: &str) -> Option<&'static str> {
    let letter = path.starts_with(|c: char| c.is_ascii_alphabetic());
    let drive =
        path.strip_prefix('#').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    match path.get(1..) {
        _ if drive => Some("a physical drive"),
        // A share (\\server\share\file) or a device (\\.\PhysicalDrive1), of whose two backslashes a shell may take one.
        Some(rest) if path.starts_with('\\') && rest.trim_start_matches('\\').contains('\\') => {
            Some("a share or device")
        }
        Some(":") if letter => Some("a partition"),
        Some(rest) if letter && rest.strip_prefix(':').is_some_and(|path| path.starts_with(['\\', '/'])) => {
            Some("a path")
        }
        _ => None,
    }
}

/// Observations on a target that affect its figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TargetObservations {
    /// Share of the target in the page cache, from 0 to 1, if it is read through the cache.
    pub cached: f64,
    /// Share of the target that was never written, in words, if the target is read and the share is worth mentioning.
    pub unwritten: Option<String>,
    /// Whether the kernel adds a flush to each stable write; false if there are no such writes.
    pub flushes: bool,
}

/// Doubts about the figures of a target: reads through the cache measure memory, reads of unwritten data measure nothing, and
/// stable writes are limited by the flush that the kernel may have to send after each.
pub fn doubts(target: &Target, seen: &TargetObservations) -> Vec<String> {
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

/// The reason why a timespan failed.
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

/// Part of a sentence on the timespans that did not run after a failed one: as in DiskSpd, a failure ends the run.
pub fn not_run(spans: usize) -> String {
    match spans {
        0 => String::new(),
        1 => "; the timespan after it was not run".to_owned(),
        many => format!("; the {many} timespans after it were not run"),
    }
}
