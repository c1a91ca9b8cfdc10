//! Which risks can apply to a job of fio, by its engine.

use super::about_fio::{sends_commands, stage};
use super::files_fio::stores_nothing;
use fio::{JobOptions, Stage};

/// Names of the risks that also apply to engines that move no data.
pub const WITHOUT_DATA: &[&str] =
    &["starts-a-command", "overwrites-file", "removes-files", "not-storage", "no-size", "one-at-a-time"];
/// Risks that apply only to files and devices of this machine.
const OF_FILES: &[&str] = &[
    "destroys-device",
    "overwrites-file",
    "no-size",
    "buffered-libaio",
    "no-direct",
    "unwritten-reads",
    "unwritten-writes",
    "other-caches",
    "flush-figures",
    "parts-of-a-sector",
    "parts-of-a-page",
    "copies-in-step",
    "false-alarms",
    "flushes-of-a-reader",
    "trims-a-file",
    "stores-nothing",
    "colon-in-a-path",
];

/// Risks that an option may take away whose value is not known.
pub const OF_MISSING_VALUES: &[&str] = &[
    "without-effect",
    "latency-of-the-queue",
    "shorter-than-a-burst",
    "iops-of-depth-one",
    "same-data",
    "not-flushed",
];

/// Risks of words that are missing.
pub const OF_MISSING_WORDS: &[&str] = &[
    "no-size",
    "no-direct",
    "runtime-is-a-cap",
    "no-set-time",
    "each-by-itself",
    "same-places",
    "iops-of-depth-one",
    "one-at-a-time",
    "no-latency",
    "cached",
    "same-data",
    "not-flushed",
    "cached-read",
    "short-blocks",
    "no-end",
    "latency-of-the-queue",
    "shorter-than-a-burst",
    "without-effect",
];

/// Risks that also apply if no block of storage is read or written.
const OF_ANYTHING: &[&str] =
    &["starts-a-command", "each-by-itself", "trailing-comma", "not-storage", "no-latency"];

/// Risks of files that are made and found by their names.
const OF_FOUND_FILES: &[&str] =
    &["overwrites-file", "no-size", "unwritten-reads", "unwritten-writes", "trims-a-file"];

/// Risks of a job whose files store nothing.
const OF_NOTHING_STORED: &[&str] =
    &["stores-nothing", "starts-a-command", "trailing-comma", "one-at-a-time", "without-effect"];

/// Whether the risk `id` can apply to a job with these options.
pub fn concerns(id: &str, options: &JobOptions) -> bool {
    let names = options.filename.as_deref().map(fio::split_list).unwrap_or_default();
    if !names.is_empty() && names.iter().all(|name| stores_nothing(name)) {
        return OF_NOTHING_STORED.contains(&id);
    }
    match stage(options) {
        Stage::Here if options.engine.name == "null" => !OF_FILES.contains(&id),
        Stage::Here if sends_commands(options) => !OF_FOUND_FILES.contains(&id),
        Stage::Here => true,
        Stage::Elsewhere => !OF_FILES.contains(&id),
        Stage::Nowhere => OF_ANYTHING.contains(&id),
    }
}
