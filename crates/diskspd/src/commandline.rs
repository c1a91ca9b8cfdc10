//! The command line: words become a request, in two passes, as DiskSpd reads them.

use std::io;

use options::Support;

use super::checks::{CheckOutcome, check};
use super::draft::{Compat, Draft, Show};
use super::error::{DiskSpdError, Fault};
use super::profile::{Profile, Target, TimeSpan};

use super::row::{Beside, Row, note, value_in};
use super::rows::ROWS;
use super::xml_profile;

/// Access to everything outside the command line that parsing depends on.
pub struct Surroundings<'a> {
    /// Reads a profile.
    pub read: &'a dyn Fn(&str) -> io::Result<String>,
    /// Value of a bare `-z`: milliseconds since the machine started, or any other changing number.
    pub tick: u32,
}

/// The outcome of parsing a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Print the help, and exit with this code.
    Usage(u8),
    /// Run a profile, or show information about it.
    Do(Box<DiskSpdRequest>),
}

/// A run, or a request for information about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskSpdRequest {
    /// The words separated by blanks, without the program's name.
    pub words: String,
    /// The profile to run.
    pub profile: Profile,
    /// Information to show instead of running.
    pub show: Show,
    /// The DiskSpd version that the layout of the text result follows.
    pub compat: Compat,
    /// Whether only io_uring may be used (`-u`).
    pub ring: bool,
    /// DiskSpd's warnings, one sentence each.
    pub warnings: Vec<String>,
    /// Differences from DiskSpd on Windows, and values parsed leniently; one sentence each.
    pub notes: Vec<String>,
}

/// Reads the words after the program's name.
///
/// # Errors
/// [`DiskSpdError`], with the word, its place, and the remedy. The exit code is 3.
pub fn parse(words: &[String], around: &Surroundings<'_>) -> Result<Request, DiskSpdError> {
    if words.is_empty() {
        return Ok(Request::Usage(DiskSpdError::EXIT_CODE));
    }
    let SortedWords { compat, options, targets } = sort(words)?;
    let (span, target) = (TimeSpan::untyped(), Target::untyped());
    let mut draft = Draft { compat, tick: around.tick, span, target, ..Draft::default() };
    first_pass(&mut draft, &options)?;
    for &(number, word) in &options {
        take(&mut draft, number, word)?;
        if draft.show == Show::Usage {
            return Ok(Request::Usage(0));
        }
    }
    let profile = match draft.profile_path.clone() {
        Some(path) => from_file(&mut draft, &path, &targets, around)?,
        None => from_line(&draft, &targets)?,
    };
    finish(words, draft, profile)
}

/// Options with their numbers, and targets. A leading `/` begins a path: as a switch character, as in DiskSpd, it would
/// turn every absolute path into an option.
#[derive(Default)]
struct SortedWords<'w> {
    compat: Compat,
    options: Vec<(usize, &'w str)>,
    targets: Vec<&'w str>,
}

fn sort(words: &[String]) -> Result<SortedWords<'_>, DiskSpdError> {
    let mut sorted = SortedWords::default();
    for (index, word) in words.iter().enumerate() {
        let number = index + 1;
        if let Some(version) = word.strip_prefix("--compat=") {
            sorted.compat = look_of(version).ok_or_else(|| unknown(number, word))?;
        } else if word == "/?" {
            sorted.options.push((number, "-?"));
        } else if word.starts_with('-') {
            if let Some(target) = sorted.targets.first() {
                let (word, target) = (word.clone(), (*target).to_owned());
                return Err(DiskSpdError::AfterTarget { word, number, target });
            }
            sorted.options.push((number, word.as_str()));
        } else if let Some(rest) =
            word.strip_prefix(['\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}'])
        {
            return Err(DiskSpdError::Word {
                word: word.clone(),
                number,
                character: 1,
                why: "this is a typographic dash, which text programs make of the plain one".to_owned(),
                instead: Some(format!("-{rest}")),
            });
        } else {
            sorted.targets.push(word);
        }
    }
    Ok(sorted)
}

fn look_of(version: &str) -> Option<Compat> {
    match version {
        "2.0" => Some(Compat::V20),
        "2.1" => Some(Compat::V21),
        "2.2" => Some(Compat::V22),
        _ => None,
    }
}

/// Reads the block first, because other sizes may count blocks, and refuses options that exclude a profile.
fn first_pass(draft: &mut Draft, options: &[(usize, &str)]) -> Result<(), DiskSpdError> {
    let profile = options.iter().find(|(_, word)| word.starts_with("-X"));
    for &(number, word) in options {
        let row = row_of(number, word)?;
        if let Some((_, other)) = profile
            && row.own.beside == Beside::NoProfile
            && row.name != "?"
        {
            let why = format!(
                "this cannot stand beside a profile ({other}), which says it itself; take one of the two"
            );
            let word = word.to_owned();
            return Err(DiskSpdError::Word { word, number, character: 1, why, instead: None });
        }
        if row.name == "b" {
            take(draft, number, word)?;
        }
    }
    Ok(())
}

/// The row of the option `word`.
fn row_of(number: usize, word: &str) -> Result<&'static Row, DiskSpdError> {
    let fitting = ROWS.iter().find(|row| value_in(row, word).is_some());
    fitting.ok_or_else(|| unknown(number, word))
}

fn take(draft: &mut Draft, number: usize, word: &str) -> Result<(), DiskSpdError> {
    let row = row_of(number, word)?;
    if let Support::Refused(reason) = row.support {
        return Err(DiskSpdError::Unknown { word: word.to_owned(), number, hint: reason.to_owned() });
    }
    let value = value_in(row, word).unwrap_or_default();
    (row.apply)(draft, value).map_err(|fault| placed(fault, row, (number, word)))?;
    if let Some(note) = note(row) {
        draft.note(note);
    }
    Ok(())
}

fn placed(fault: Fault, row: &Row, (number, word): (usize, &str)) -> DiskSpdError {
    let head = word.len() - value_in(row, word).map_or(0, str::len);
    let at = (head + fault.at).min(word.len());
    // An offset within a character means the next character.
    let character = word.char_indices().take_while(|&(place, _)| place < at).count() + 1;
    DiskSpdError::Word {
        word: word.to_owned(),
        number,
        character,
        why: fault.why,
        instead: fault.instead.map(|value| format!("-{}{value}", row.name)),
    }
}

fn unknown(number: usize, word: &str) -> DiskSpdError {
    let letter = word.chars().nth(1);
    let other_case = letter.map(|letter| match letter.is_lowercase() {
        true => letter.to_uppercase().to_string(),
        false => letter.to_lowercase().to_string(),
    });
    let near = other_case.and_then(|name| ROWS.iter().find(|row| row.name == name));
    let hint = match (letter, near) {
        (None, _) => "a letter must follow the dash; -? lists all options".to_owned(),
        (Some('-'), _) if word.starts_with("--compat") => {
            "the versions are --compat=2.0, 2.1 and 2.2".to_owned()
        }
        (Some('-'), _) => "options have one dash and one letter; -? lists them".to_owned(),
        (_, Some(row)) => {
            format!("letters are case sensitive; -{}{} does: {}", row.name, row.takes, row.help)
        }
        _ => "there is no such option; -? lists all of them".to_owned(),
    };
    DiskSpdError::Unknown { word: word.to_owned(), number, hint }
}

/// The profile of a command line: one timespan with equal targets.
fn from_line(draft: &Draft, targets: &[&str]) -> Result<Profile, DiskSpdError> {
    if targets.is_empty() && draft.show != Show::System {
        return Err(DiskSpdError::NoTarget);
    }
    let model = Target {
        cache: draft.cache.unwrap_or_default(),
        write_through: draft.write_through,
        mapped: draft.mapped,
        mapped_flush: draft.mapped_flush,
        ..draft.target.clone()
    };
    let target = |path: &&str| Target { path: (*path).to_owned(), ..model.clone() };
    let mut span = TimeSpan { targets: targets.iter().map(target).collect(), ..draft.span.clone() };
    overlay(draft, &mut span);
    let mut profile = draft.profile.clone();
    profile.format = draft.format.unwrap_or_default();
    profile.time_spans = vec![span];
    Ok(profile)
}

/// Adds notes on values that behave differently here, for options that are otherwise honoured.
fn note_values(draft: &mut Draft, profile: &Profile) {
    let spans = || profile.time_spans.iter();
    if spans().flat_map(|span| &span.affinity).any(|cpu| cpu.group > 0) {
        draft.note("-ag: there are no groups of CPUs here; CPU c of group g is CPU 64 * g + c");
    }
    if spans().flat_map(|span| &span.targets).any(|target| !target.write_source.is_empty()) {
        draft.note("-Z: each write carries the start of the source, not a part from anywhere in it");
    }
}

/// Changes a timespan of a profile by the options that may be combined with it.
fn overlay(draft: &Draft, span: &mut TimeSpan) {
    span.duration = draft.duration.unwrap_or(span.duration);
    span.warm_up = draft.warm_up.unwrap_or(span.warm_up);
    span.cool_down = draft.cool_down.unwrap_or(span.cool_down);
    span.seed = draft.seed.unwrap_or(span.seed);
}

fn from_file(
    draft: &mut Draft,
    path: &str,
    targets: &[&str],
    around: &Surroundings<'_>,
) -> Result<Profile, DiskSpdError> {
    let failed = |place, why| DiskSpdError::Profile { path: path.to_owned(), place, why };
    let text = (around.read)(path)
        .map_err(|error| failed(None, format!("it cannot be read: {error}; check the path given with -X")))?;
    let mut profile = xml_profile::read(&text).map_err(|error| failed(error.place, error.why))?;
    xml_profile::substitute(&mut profile, targets).map_err(|why| failed(None, why))?;
    profile.time_spans.iter_mut().for_each(|span| overlay(draft, span));
    profile.format = draft.format.unwrap_or(profile.format);
    profile.verbose |= draft.profile.verbose;
    profile.verbose_stats |= draft.profile.verbose_stats;
    profile.experiments |= draft.profile.experiments;
    for note in ROWS.iter().filter(|row| (row.own.used_in)(&profile)).filter_map(note) {
        draft.note(note);
    }
    Ok(profile)
}

fn finish(words: &[String], mut draft: Draft, profile: Profile) -> Result<Request, DiskSpdError> {
    note_values(&mut draft, &profile);
    let checked = match draft.show {
        Show::System => CheckOutcome::default(),
        show => check(&profile, draft.profile_path.is_none(), show),
    };
    if !checked.errors.is_empty() {
        return Err(DiskSpdError::Contradictions(checked.errors));
    }
    Ok(Request::Do(Box::new(DiskSpdRequest {
        words: words.join(" "),
        profile,
        show: draft.show,
        compat: draft.compat,
        ring: draft.ring,
        warnings: checked.warnings,
        notes: draft.notes,
    })))
}
