//! What a fio job asks for beyond the main sentences: every option that changes what fio does must be described, even if
//! plimsoll's fio refuses it.

use super::about_fio::stage;
use super::files_fio::own_files;
use super::meaning_fio::{beginning, fios_own, first_sentence, is_off, off, shortened};
use fio::{FioJob, FioRequest, Kind, ROWS, Row, Stage, TimeUnit};

/// Options that the main sentences describe.
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
    "number_ios",
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
    "offset_increment",
    "read_iolog",
];

/// Options that need no sentence, because they change nothing.
pub const SILENT: &[(&str, &str)] = &[
    ("unique_filename", "it is meant for clients on several hosts"),
    ("softrandommap", "no map is kept"),
    ("log_entries", "rows are written as they come"),
    ("verify_state_save", "it leaves a file behind and changes nothing of the load"),
    ("error_dump", "it concerns how errors are printed"),
];

/// A sentence for each option of `job` that no other sentence describes.
pub fn besides(asked: &FioRequest, job: &FioJob) -> Vec<String> {
    let own = |name: &str| job.echo.iter().any(|(known, _)| known == name);
    let inherited = asked.globals.iter().filter(|(name, _)| !own(name));
    // The number of files the job names itself is described with the files.
    let told_with_files = own_files(&job.options) && stage(&job.options) != Stage::Elsewhere;
    let apart = |(name, _): &&(String, String)| name != "nrfiles" || !told_with_files;
    let options = inherited.chain(&job.echo).filter(apart);
    options.filter_map(|(name, value)| sentence(name, value)).collect()
}

fn sentence(name: &str, value: &str) -> Option<String> {
    let row = ROWS.iter().find(|row| row.name == name)?;
    let asks_nothing = row.default == value && !value.is_empty() || row.harmless.contains(&value);
    let is_silent = SILENT.iter().any(|(silent, _)| *silent == name) || asks_nothing;
    if is_silent || TOLD.contains(&name) {
        return None;
    }
    let typed =
        if value.is_empty() { name.to_owned() } else { format!("{name}={value}{}", unit(row, value)) };
    let help = shortened(first_sentence(fios_own(row)), value);
    if let Some(off) = off(row, value) {
        return Some(format!("With {typed}: {off}."));
    }
    if is_off(row, value) {
        return Some(format!("{typed} switches this off: {}", beginning(help)));
    }
    Some(match chosen(row, value) {
        Some(word) => {
            format!("With {typed}: {} ({}).", beginning(help).trim_end_matches('.'), beginning(word))
        }
        None => format!("With {typed}: {}.", beginning(help).trim_end_matches('.')),
    })
}

/// Unit of a number without one, if the option is a time.
fn unit(row: &Row, value: &str) -> &'static str {
    let is_bare = value.bytes().all(|byte| byte.is_ascii_digit());
    match row.takes {
        Kind::Time(TimeUnit::Seconds) if is_bare => " (seconds)",
        Kind::Time(TimeUnit::Milliseconds) if is_bare => " (milliseconds)",
        Kind::Time(TimeUnit::Microseconds) if is_bare => " (microseconds)",
        _ => "",
    }
}

/// Meaning of the word that was chosen.
fn chosen(row: &Row, value: &str) -> Option<&'static str> {
    let Kind::Choice(words) = row.takes else { return None };
    let meaning = words.iter().find(|(word, _)| *word == value).map(|(_, meaning)| *meaning);
    meaning.filter(|meaning| !meaning.is_empty())
}
