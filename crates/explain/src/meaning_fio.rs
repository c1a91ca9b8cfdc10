//! Meaning of a word of a fio command line, or of a line of a job file.

use fio::{COMMANDS, Kind, ROWS, Row, Shape, engine_way};

/// Meaning of a word with its value.
pub fn meaning(word: &str) -> String {
    if let Some(file) = word.strip_prefix("include ") {
        return format!("The lines of {} stand here.", file.trim());
    }
    if word.starts_with('[') {
        return match word.starts_with("[global") {
            true => "What stands below holds for all jobs.".to_owned(),
            false => "A job begins.".to_owned(),
        };
    }
    let bare = word.trim_start_matches('-');
    let (name, value) = match bare.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (bare.trim(), None),
    };
    let by_row = ROWS.iter().find(|row| row.names().any(|known| known == name));
    let by_prefix =
        || ROWS.iter().find(|row| !name.is_empty() && row.names().any(|known| known.starts_with(name)));
    let command = COMMANDS.iter().find(|row| row.name == name);
    match (by_row, command, word.starts_with('-') || word.contains('=')) {
        (Some(row), ..) => of_row(row, value),
        (None, Some(row), _) => row.help.to_owned(),
        (None, None, true) => by_prefix().map_or_else(|| "Not known.".to_owned(), |row| of_row(row, value)),
        (None, None, false) => "A job file, or the value of the word before it.".to_owned(),
    }
}

/// Help of the row as far as it concerns `value`; without a value, all of it.
fn of_row(row: &Row, value: Option<&str>) -> String {
    let help = fios_own(row);
    let Some(value) = value else { return help.to_owned() };
    if row.name == "ioengine"
        && let Some(way) = engine_way(value)
    {
        return format!("How I/O is done: {}.", way.by);
    }
    if let Kind::Shape(Shape::Direction(words)) = row.takes
        && let Some((_, meaning)) = words.iter().find(|(word, _)| *word == value)
    {
        return format!("{meaning}.");
    }
    let help = shortened(help, value);
    match OFF.iter().find(|(name, _)| *name == row.name).filter(|_| is_off(row, value)) {
        Some((_, off)) => sentence(off),
        None if is_off(row, value) => format!("Off: {}", beginning(help)),
        None => format!("{}.", help.trim_end_matches('.')),
    }
}

/// Options whose help describes plimsoll because fio does something else.
const FIOS_OWN: &[(&str, &str)] = &[("thread", "Copies are threads of one process instead of processes.")];

/// What fio does with the option, if the help of the row describes plimsoll instead.
pub fn fios_own(row: &Row) -> &'static str {
    FIOS_OWN.iter().find(|(own, _)| *own == row.name).map_or(row.help, |(_, help)| help)
}

/// What applies if these options are switched off.
const OFF: &[(&str, &str)] = &[
    ("randrepeat", "what is drawn by chance, such as random places, differs from run to run"),
    ("invalidate", "what the page cache holds of the files stays there"),
    ("do_verify", "what was written is not read back"),
    ("direct", "through the page cache"),
    ("buffered", "past the page cache"),
    ("allow_file_create", "no file is made"),
    ("per_job_logs", "all clones that share a prefix write one log file"),
    ("create_serialize", "each job lays its own files out, beside the others"),
    ("create_fsync", "files that were laid out are not flushed before the job begins"),
];

/// What applies if `value` switches `row` off, as a text after a colon.
pub fn off(row: &Row, value: &str) -> Option<&'static str> {
    let known = OFF.iter().find(|(name, _)| *name == row.name);
    known.filter(|_| is_off(row, value)).map(|(_, off)| *off)
}

/// Whether `value` switches `row` off.
pub fn is_off(row: &Row, value: &str) -> bool {
    let can_be = match row.takes {
        Kind::Bool | Kind::Flag => true,
        Kind::Choice(_) => row.default == "0" || row.harmless.contains(&"0"),
        _ => false,
    };
    can_be && value == "0"
}

/// Beginnings of the last part of a help text, if that part does not concern a single value other than zero.
const OF_OTHERS: [&str; 7] = [
    "0: ",
    "one for ",
    "on the command line",
    "several",
    "behind a colon",
    "without a prefix",
    "the least where",
];

/// The first sentence, without what is said of other values.
pub fn shortened(help: &'static str, value: &str) -> &'static str {
    if value.contains([',', ':']) || value == "0" {
        return help;
    }
    let first = first_sentence(help);
    match first.split_once("; ") {
        Some((said, rest)) if OF_OTHERS.iter().any(|other| rest.starts_with(other)) => said,
        _ => first,
    }
}

/// The text up to the first full stop.
pub fn first_sentence(help: &str) -> &str {
    help.find(". ").map_or(help, |end| &help[..=end])
}

/// The text with a small first letter, to follow a colon; acronyms (CPU, I/O) stay as they are.
pub fn beginning(help: &str) -> String {
    let mut letters = help.chars();
    let first = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
    let is_acronym = help.chars().nth(1).is_some_and(|second| second.is_uppercase() || second == '/');
    if is_acronym { help.to_owned() } else { first + letters.as_str() }
}

fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
