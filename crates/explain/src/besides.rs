//! What a fio job asks for beside what the sentences about it tell: every option that changes what fio does must be told
//! of, also where plimsoll's fio refuses it.

use fio::{Asked, FioJob, Kind, ROWS, Row};

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
    "read_iolog",
];

/// Options that need no word, as nothing changes with them.
pub const SILENT: &[(&str, &str)] = &[
    ("unique_filename", "it is meant for clients on several hosts"),
    ("create_serialize", "files are always laid out one after the other"),
    ("create_fsync", "files that were laid out are always flushed"),
    ("softrandommap", "no map is kept"),
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
    let asks_nothing = row.default == value && !value.is_empty() || row.harmless.contains(&value);
    let is_silent = SILENT.iter().any(|(silent, _)| *silent == name) || asks_nothing;
    // Behind a colon stands where an I/O goes after another.
    let is_told = TOLD.contains(&name) && !(name == "rw" && value.contains(':'));
    if is_silent || is_told {
        return None;
    }
    let typed = if value.is_empty() { name.to_owned() } else { format!("{name}={value}") };
    let help = FIOS_OWN.iter().find(|(own, _)| *own == name).map_or(row.help, |(_, help)| help);
    // What stands behind a colon is told in the further sentences.
    let help = if name == "rw" { help } else { first_sentence(help) };
    if is_off(row, value) {
        return Some(format!("{typed} switches this off: {}", beginning(help)));
    }
    Some(match chosen(row, value) {
        Some(word) => {
            format!("With {typed}: {} ({}).", beginning(help).trim_end_matches('.'), beginning(word))
        }
        None => format!("With {typed}: {}", beginning(help)),
    })
}

/// Options whose help speaks of plimsoll where fio does something else.
const FIOS_OWN: &[(&str, &str)] = &[("thread", "Copies are threads of one process instead of processes.")];

fn is_off(row: &Row, value: &str) -> bool {
    matches!(row.takes, Kind::Bool | Kind::Flag) && value == "0"
}

/// What the word that was chosen means.
fn chosen(row: &Row, value: &str) -> Option<&'static str> {
    let Kind::Choice(words) = row.takes else { return None };
    let meaning = words.iter().find(|(word, _)| *word == value).map(|(_, meaning)| *meaning);
    meaning.filter(|meaning| !meaning.is_empty())
}

fn first_sentence(help: &str) -> &str {
    help.find(". ").map_or(help, |end| &help[..=end])
}

/// The same as what follows a colon; acronyms (CPU, I/O) stay as they are.
fn beginning(help: &str) -> String {
    let mut letters = help.chars();
    let first = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
    let is_acronym = help.chars().nth(1).is_some_and(|second| second.is_uppercase() || second == '/');
    if is_acronym { help.to_owned() } else { first + letters.as_str() }
}
