//! What a fio job asks for beside what the sentences about it tell: every option that is done must be told of.

use fio::{Asked, FioJob, ROWS, Support};

/// Options that the sentences tell.
const TOLD: &[&str] = &[
    "name",
    "rw",
    "bs",
    "direct",
    "buffered",
    "iodepth",
    "ioengine",
    "size",
    "io_size",
    "loops",
    "filename",
    "directory",
    "offset",
    "filesize",
    "runtime",
    "time_based",
    "ramp_time",
    "rate",
    "rate_iops",
    "fsync",
    "fdatasync",
    "end_fsync",
    "numjobs",
    "group_reporting",
    "rwmixread",
    "rwmixwrite",
    "percentage_random",
    "stonewall",
    "read_iolog",
];

/// Options that need no word, as nothing changes with them.
pub const SILENT: &[(&str, &str)] = &[
    ("unique_filename", "it is meant for clients on several hosts"),
    ("create_serialize", "files are always laid out one after the other"),
    ("create_fsync", "files that were laid out are always flushed"),
    ("softrandommap", "no map is kept"),
    ("rate_cycle", "it concerns least rates"),
    ("log_entries", "rows are written as they come"),
    ("verify_state_save", "no such file is left behind"),
    ("error_dump", "it concerns how errors are printed"),
];

/// A sentence for each option of `job` that no other sentence tells.
pub fn besides(asked: &Asked, job: &FioJob) -> Vec<String> {
    let own = |name: &str| job.echo.iter().any(|(known, _)| known == name);
    let inherited = asked.globals.iter().filter(|(name, _)| !own(name));
    inherited.chain(&job.echo).filter_map(|(name, value)| sentence(name, value)).collect()
}

fn sentence(name: &str, value: &str) -> Option<String> {
    let row = ROWS.iter().find(|row| row.name == name)?;
    let is_done = matches!(row.support, Support::Honoured | Support::Approximated(_));
    let is_silent =
        SILENT.iter().any(|(silent, _)| *silent == name) || row.default == value && !value.is_empty();
    // Behind a colon stands where an I/O goes after another.
    let is_told = TOLD.contains(&name) && !(name == "rw" && value.contains(':'));
    if !is_done || is_silent || is_told {
        return None;
    }
    let typed = if value.is_empty() { name.to_owned() } else { format!("{name}={value}") };
    Some(format!("With {typed}: {}", beginning(row.help)))
}

/// The same as what follows a colon.
fn beginning(help: &str) -> String {
    let mut letters = help.chars();
    let first = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
    let is_acronym = help
        .split([' ', '.', '/'])
        .next()
        .is_some_and(|word| word.len() > 1 && word.to_uppercase() == word || word == "I");
    if is_acronym { help.to_owned() } else { first + letters.as_str() }
}
