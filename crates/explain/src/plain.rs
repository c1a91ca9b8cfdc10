//! One thing that was found, put into words.

use std::cell::{Cell, RefCell};
use std::io;

use super::fio_words::Fio;
use super::native::{self, Native, Runs};
use super::pasted::{Found, Kind};
use super::risk::{Level, Risk, When, every};
use super::tool::Tool;
use super::word::{Piece, Repair, quoted};
use super::{about_diskspd, about_fio, about_ioping, dd, iostat, risks_fio};
use diskspd::{self, DiskSpdError};

/// What is known of the world while things are explained.
pub struct Around<'a> {
    /// The text of a job file.
    pub read: &'a dyn Fn(&str) -> io::Result<String>,
}

/// What was found, in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Whose words they are.
    pub tool: Tool,
    /// The line where it begins.
    pub line: usize,
    /// What was put right to understand it.
    pub repairs: Vec<Repair>,
    /// The line where a job file begins that stands in the same text and is told with this command.
    pub told_with: Option<usize>,
    /// It as it can be run; of a job file its text.
    pub command: String,
    /// Whether `command` is the text of a job file.
    pub is_job_file: bool,
    /// The job file that a command names, as it was read.
    pub job_file: Option<String>,
    /// What could not be understood, or is not known, with its place.
    pub gaps: Vec<String>,
    /// What it asks for.
    pub asks: Vec<String>,
    /// Each word, and what it means.
    pub words: Vec<(String, String)>,
    /// What is risky or misleading.
    pub risks: Vec<Told>,
    /// Why it should be changed, and the changed command.
    pub corrected: Option<(String, String)>,
    /// What plimsoll has instead.
    pub native: Vec<Native>,
}

/// A risk that holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Its name.
    pub id: &'static str,
    /// How much it matters.
    pub level: Level,
    /// Its words.
    pub text: String,
    /// Where that can be read.
    pub source: &'static str,
}

/// Why a thing cannot be explained: the word, where it stands, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {}{why}", in_quotes(word))]
pub struct ExplainError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The word; empty where it is the whole.
    pub word: String,
    /// Why, and what to do.
    pub why: String,
}

fn in_quotes(word: &str) -> String {
    if word.is_empty() { String::new() } else { format!("{word}: ") }
}

/// Puts `found` into words; `other` is what else the text held, where it is a job file that may be the one that is named.
///
/// # Errors
/// [`ExplainError`] names the first word that is not understood.
pub fn explain(
    found: &Found,
    other: Option<&Found>,
    around: &Around<'_>,
) -> Result<Explanation, ExplainError> {
    let mut explanation = match &found.kind {
        Kind::JobFile(text) => job_file(text, found)?,
        Kind::Command(Tool::Fio, words) => fio_command(words, other, around)?,
        Kind::Command(Tool::DiskSpd, words) => diskspd_command(words, around)?,
        Kind::Command(Tool::Ioping, words) => ioping_command(words)?,
        Kind::Command(Tool::Iostat, words) => iostat_command(words)?,
        Kind::Command(Tool::Dd, words) => dd_command(words)?,
    };
    explanation.line = found.line;
    explanation.repairs.clone_from(&found.repairs);
    explanation.risks.sort_by_key(|told| told.level);
    Ok(explanation)
}

/// Everything that was found in a text: what could be put into words, and what could not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explained {
    /// In the order of the text.
    pub told: Vec<Explanation>,
    /// The first word that is not understood of each of the others.
    pub not_understood: Vec<ExplainError>,
}

/// So many commands and job files are told at once: more than a page has.
const TOLD_MOST: usize = 200;

/// Puts everything that was found into words. A job file that a command of the same text runs is told with it; what is
/// not understood does no harm to what stands around it.
///
/// # Errors
/// [`ExplainError`] names the first word that is not understood where nothing is.
pub fn explain_all(found: &[Found], around: &Around<'_>) -> Result<Explained, ExplainError> {
    let mut explained = Explained::default();
    let is_job_file = |found: &&Found| matches!(found.kind, Kind::JobFile(_));
    // The job file that stands before a command is likelier its own than one that stands behind.
    let mut before = None;
    let mut behind = found.iter().filter(is_job_file).peekable();
    for one in found.iter().take(TOLD_MOST) {
        behind.next_if(|job_file| std::ptr::eq(*job_file, one));
        match explain(one, before.or(behind.peek().copied()), around) {
            Ok(told) => explained.told.push(told),
            Err(error) => explained.not_understood.push(error),
        }
        before = Some(one).filter(is_job_file).or(before);
    }
    explained.not_understood.extend(found.get(TOLD_MOST).map(|one| ExplainError {
        line: one.line,
        column: 1,
        word: String::new(),
        why: format!(
            "{TOLD_MOST} are told at once, and {} more begin here; give these by themselves",
            found.len() - TOLD_MOST
        ),
    }));
    let with: Vec<usize> = explained.told.iter().filter_map(|one| one.told_with).collect();
    explained.told.retain(|one| !(one.is_job_file && with.contains(&one.line)));
    match explained.not_understood.first() {
        Some(error) if explained.told.is_empty() => Err(error.clone()),
        _ => Ok(explained),
    }
}

fn blank(tool: Tool, words: &[Piece], meaning: fn(&str) -> String) -> Explanation {
    let command = words.iter().map(|piece| quoted(&piece.text)).collect::<Vec<_>>().join(" ");
    Explanation {
        tool,
        line: 1,
        repairs: Vec::new(),
        told_with: None,
        command: format!("{} {command}", tool.name()).trim_end().to_owned(),
        is_job_file: false,
        job_file: None,
        gaps: Vec::new(),
        asks: Vec::new(),
        words: meanings(tool, words, meaning),
        risks: Vec::new(),
        corrected: None,
        native: Vec::new(),
    }
}

fn meanings(tool: Tool, words: &[Piece], meaning: fn(&str) -> String) -> Vec<(String, String)> {
    let mut told = Vec::new();
    for (at, piece) in words.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).map(|piece| piece.text.as_str());
        let owner = before.filter(|before| takes_next(tool, before) && !piece.text.starts_with('-'));
        let meaning = match owner {
            Some(owner) => format!("The value of {owner}."),
            None if piece.text.starts_with('$') => "Known to the shell alone.".to_owned(),
            None => meaning(&piece.text),
        };
        told.push((piece.text.clone(), meaning));
    }
    told
}

/// Whether the word behind `option` is its value.
fn takes_next(tool: Tool, option: &str) -> bool {
    let bare = option.trim_start_matches('-');
    if !option.starts_with('-') || bare.contains('=') {
        return false;
    }
    match tool {
        Tool::Fio => {
            fio::ROWS.iter().any(|row| row.takes.needs_value() && row.names().any(|name| name == bare))
        }
        Tool::Ioping => ioping::ROWS.iter().any(|row| {
            let takes = !matches!(row.takes, ioping::Takes::Nothing | ioping::Takes::MaybeText);
            takes && (row.name == bare || (bare.len() == 1 && bare.starts_with(row.own.short)))
        }),
        Tool::Iostat => option == "-o",
        Tool::DiskSpd | Tool::Dd => false,
    }
}

pub(super) fn texts(words: &[Piece]) -> Vec<String> {
    words.iter().map(|piece| piece.text.clone()).collect()
}

/// The words whose values are known. What the shell would put in, or what was lost, is left out and named.
fn known(words: &[Piece], explanation: &mut Explanation) -> Vec<Piece> {
    let mut kept = Vec::new();
    for piece in words {
        let value = piece.text.split_once('=').map_or(piece.text.as_str(), |(_, value)| value);
        let place = format!("line {}, column {}", piece.line, piece.column);
        if value.starts_with('$') && value.len() > 1 {
            let option = piece.text.split_once('=').map(|(option, _)| option);
            let stand_in = (option == Some("--runtime")).then_some("--runtime=60s");
            explanation.gaps.push(format!(
                "{place}: {} is known to the shell alone; {} below.",
                piece.text,
                if stand_in.is_some() { "60 s stand for it" } else { "it is left out" }
            ));
            kept.extend(stand_in.map(|text| Piece { text: text.to_owned(), ..piece.clone() }));
        } else if value.is_empty() && piece.text.starts_with('-') {
            let (example, stand_in) = lost(&piece.text);
            explanation
                .gaps
                .push(format!("{place}: {} has lost its value; write for example {example}.", piece.text));
            if let Some(text) = stand_in {
                explanation.command = explanation.command.replacen(&piece.text, text, 1);
                kept.push(Piece { text: text.to_owned(), ..piece.clone() });
            }
        } else {
            kept.push(piece.clone());
        }
    }
    kept
}

/// For an option that lost its value: one as an example, and what stands for it meanwhile.
fn lost(word: &str) -> (String, Option<&'static str>) {
    let name = word.trim_start_matches('-').trim_end_matches('=');
    match name {
        "filename" => {
            ("--filename=/mnt/volume/fio.test; it is called FILE below".to_owned(), Some("--filename=FILE"))
        }
        "directory" => {
            ("--directory=/mnt/volume; it is called DIR below".to_owned(), Some("--directory=DIR"))
        }
        _ => (format!("--{name}=VALUE; it is left out below"), None),
    }
}

fn fio_command(
    words: &[Piece],
    other: Option<&Found>,
    around: &Around<'_>,
) -> Result<Explanation, ExplainError> {
    let mut explanation = blank(Tool::Fio, words, about_fio::meaning);
    let words = known(words, &mut explanation);
    let (files, told_with) = (RefCell::default(), Cell::default());
    let mut fio = Fio { words, files, told_with, other, around, gaps: Vec::new(), refused: false };
    let asked = fio.asked()?;
    explanation.told_with = fio.told_with.get();
    explanation.gaps.append(&mut fio.gaps);
    explanation.job_file = fio.files.borrow().first().map(|(_, text)| text.clone());
    if let Some(text) = explanation.job_file.clone() {
        explanation.words.extend(lines_of(&text));
    }
    let whole = !fio.refused && explanation.gaps.is_empty();
    match asked {
        Some(asked) => of_asked(&asked, &mut explanation, whole),
        None => explanation
            .asks
            .push("What each word asks for stands below; the load itself is described elsewhere.".to_owned()),
    }
    if explanation.risks.iter().any(|told| told.id == "no-size") && explanation.job_file.is_none() {
        explanation.corrected = with_size(&fio.words);
        if let (Some((_, command)), Some(same)) = (&explanation.corrected, explanation.native.first_mut())
            && same.runs == Runs::TheSameWords
        {
            same.command = format!("plimsoll {command}");
        }
    }
    Ok(explanation)
}

fn lines_of(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with([';', '#']));
    lines.map(|line| (line.to_owned(), about_fio::meaning(line))).collect()
}

fn job_file(text: &str, found: &Found) -> Result<Explanation, ExplainError> {
    const NAME: &str = "jobs.fio";
    let mut explanation = blank(Tool::Fio, &[], about_fio::meaning);
    explanation.command = text.to_owned();
    explanation.is_job_file = true;
    explanation.words = lines_of(text);
    let name = Piece { text: NAME.to_owned(), line: 1, column: 1 };
    let nothing = Around { read: &|_| Err(io::ErrorKind::NotFound.into()) };
    let files = RefCell::new(vec![(NAME.to_owned(), text.to_owned())]);
    let (words, told_with) = (vec![name], Cell::new(Some(found.line)));
    let (other, around) = (Some(found), &nothing);
    let mut fio = Fio { words, files, told_with, other, around, gaps: Vec::new(), refused: false };
    let asked = fio.asked()?;
    explanation.gaps = fio.gaps;
    if let Some(asked) = asked {
        of_asked(&asked, &mut explanation, !fio.refused);
    }
    for risk in risks_fio::ROWS {
        if let When::JobFile(when) = risk.when {
            explanation.risks.extend(when(text).map(|text| told(risk, text)));
        }
    }
    Ok(explanation)
}

fn of_asked(asked: &fio::Asked, explanation: &mut Explanation, whole: bool) {
    explanation.asks = about_fio::asks(asked);
    explanation.risks.extend(risks_of(asked));
    if let Some(text) = &explanation.job_file {
        for risk in risks_fio::ROWS {
            if let When::JobFile(when) = risk.when {
                explanation.risks.extend(when(text).map(|text| told(risk, text)));
            }
        }
    }
    let command = if explanation.is_job_file { "fio JOBFILE" } else { &explanation.command };
    explanation.native = native::of_fio(asked, Some(command).filter(|_| whole));
}

/// What holds for the jobs, once each; where it does not hold for all of them, with their names.
fn risks_of(asked: &fio::Asked) -> Vec<Told> {
    let jobs: Vec<&fio::FioJob> = asked.jobs.iter().filter(|job| job.clone == 0).collect();
    let mut found: Vec<(Told, Vec<String>)> = Vec::new();
    for job in &jobs {
        let mut job = (*job).clone();
        // What was typed for all jobs was typed for this one.
        job.echo.extend(asked.globals.iter().cloned());
        for (risk, text) in risks_fio::of_job(&job) {
            match found.iter_mut().find(|(told, _)| told.text == text) {
                Some((_, names)) => names.push(job.name.clone()),
                None => found.push((told(risk, text), vec![job.name.clone()])),
            }
        }
    }
    let all = jobs.len();
    let named = |(told, names): (Told, Vec<String>)| match names.len() {
        some if some < all => Told { text: format!("{}: {}", names.join(", "), told.text), ..told },
        _ => told,
    };
    found.into_iter().map(named).collect()
}

fn told(risk: &'static Risk, text: String) -> Told {
    Told { id: risk.id, level: risk.level, text, source: risk.source }
}

/// The command with a size, and with `time_based` where a time was given.
fn with_size(words: &[Piece]) -> Option<(String, String)> {
    let mut corrected = texts(words);
    let named = |name: &'static str| {
        move |word: &String| word.trim_start_matches('-').split('=').next() == Some(name)
    };
    let at =
        corrected.iter().position(named("filename")).or_else(|| corrected.iter().position(named("name")))?;
    corrected.insert(at + 1, "--size=4G".to_owned());
    let timed = corrected.iter().any(named("runtime")) && !corrected.iter().any(named("time_based"));
    let mut why =
        "With a size the file is made where it is missing (4 GiB here; take more than the caches hold)"
            .to_owned();
    if timed {
        corrected.push("--time_based".to_owned());
        why.push_str(", and with time_based the run lasts as long as runtime says");
    }
    let line = corrected.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    Some((format!("{why}:"), format!("fio {line}")))
}

fn diskspd_command(words: &[Piece], around: &Around<'_>) -> Result<Explanation, ExplainError> {
    let mut explanation = blank(Tool::DiskSpd, words, about_diskspd::meaning);
    let words = known(words, &mut explanation);
    let surroundings = diskspd::Surroundings { read: around.read, tick: 0 };
    let asked = match diskspd::parse(&texts(&words), &surroundings) {
        Ok(diskspd::Request::Do(asked)) => asked,
        Ok(diskspd::Request::Usage(_)) => {
            explanation.asks.push("Prints its help.".to_owned());
            return Ok(explanation);
        }
        Err(error) => return Err(of_diskspd_error(&error, &words)),
    };
    explanation.asks = about_diskspd::asks(&asked);
    explanation.gaps.extend(asked.warnings.iter().chain(&asked.notes).cloned());
    for span in &asked.profile.time_spans {
        let rows = every().filter_map(|risk| match risk.when {
            When::DiskSpd(when) => when(span).map(|text| told(risk, text)),
            _ => None,
        });
        explanation.risks.extend(rows);
    }
    let path = asked.profile.time_spans.iter().flat_map(|span| &span.targets).next();
    let path = path.map_or(String::new(), |target| target.path.clone());
    explanation.native = native::of_diskspd(&explanation.command, &path);
    Ok(explanation)
}

fn of_diskspd_error(error: &DiskSpdError, words: &[Piece]) -> ExplainError {
    match error.word() {
        Some(at) => at_word(words, at, error.to_string()),
        None => of_the_whole(words, error.to_string()),
    }
}

fn ioping_command(words: &[Piece]) -> Result<Explanation, ExplainError> {
    let mut explanation = blank(Tool::Ioping, words, about_ioping::meaning);
    let words = known(words, &mut explanation);
    let asked = match ioping::parse(&texts(&words)) {
        Ok(ioping::Request::Run(asked)) => asked,
        Ok(ioping::Request::Say(..)) => {
            explanation.asks.push("Prints its help or its version.".to_owned());
            return Ok(explanation);
        }
        Err(error) => {
            let why = match error.hint() {
                Some(hint) => format!("{error}; {hint}"),
                None => error.to_string(),
            };
            let at = words.iter().position(|piece| Some(piece.text.as_str()) == error.typed());
            return Err(match at {
                Some(at) => at_word(&words, at, why),
                None => of_the_whole(&words, why),
            });
        }
    };
    explanation.asks = about_ioping::asks(&asked);
    let rows = every().filter_map(|risk| match risk.when {
        When::Ioping(when) => when(&asked).map(|text| told(risk, text)),
        _ => None,
    });
    explanation.risks.extend(rows);
    explanation.native = native::of_ioping(&explanation.command, &asked.target);
    Ok(explanation)
}

fn iostat_command(words: &[Piece]) -> Result<Explanation, ExplainError> {
    let mut explanation = blank(Tool::Iostat, words, iostat::meaning);
    let words = known(words, &mut explanation);
    let mut iostat = iostat::Iostat::parse(&texts(&words)).map_err(|(at, why)| at_word(&words, at, why))?;
    iostat.count_of_the_shell = iostat.interval.is_some() && !explanation.gaps.is_empty();
    explanation.asks = iostat.asks();
    let rows = every().filter_map(|risk| match risk.when {
        When::Iostat(when) => when(&iostat).map(|text| told(risk, text)),
        _ => None,
    });
    explanation.risks.extend(rows);
    explanation.native = native::of_iostat(&explanation.command);
    Ok(explanation)
}

fn dd_command(words: &[Piece]) -> Result<Explanation, ExplainError> {
    let mut explanation = blank(Tool::Dd, words, dd::meaning);
    let words = known(words, &mut explanation);
    let dd = dd::Dd::parse(&texts(&words)).map_err(|(at, why)| at_word(&words, at, why))?;
    explanation.asks = dd.asks();
    let rows = every().filter_map(|risk| match risk.when {
        When::Dd(when) => when(&dd).map(|text| told(risk, text)),
        _ => None,
    });
    explanation.risks.extend(rows);
    explanation.native = native::of_dd(&dd);
    Ok(explanation)
}

/// What is wrong with no single word stands where the words begin.
fn of_the_whole(words: &[Piece], why: String) -> ExplainError {
    let (line, column) = words.first().map_or((1, 1), |piece| (piece.line, piece.column));
    ExplainError { line, column, word: String::new(), why }
}

fn at_word(words: &[Piece], at: usize, why: String) -> ExplainError {
    let piece = words.get(at);
    ExplainError {
        line: piece.map_or(1, |piece| piece.line),
        column: piece.map_or(1, |piece| piece.column),
        word: piece.map_or(String::new(), |piece| piece.text.clone()),
        why,
    }
}
