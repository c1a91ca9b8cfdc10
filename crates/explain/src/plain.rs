//! Explains the contents of a pasted text: one command line or job file, or all of them.

use std::io;

use super::explanation::{
    ApplicableRisk, Around, Correction, ExplainError, ExplainedText, ExplainedWord, Explanation, Form,
    Missing, Taken,
};
use super::files_fio::{enumerated, names_of};
use super::fio_words::Fio;
use super::load::{PlannedJob, planned};
use super::native::{self, Runs};
use super::pasted::{Kind, PastedCommand, command_line};
use super::risk::{Level, Risk, When};
use super::tool::Tool;
use super::unknown::{hidden, known, knows, of_computed, without_guesses};
use super::word::{Piece, quoted, texts};
use super::words::{diskspd_row, explained, of_job_file as explained_lines};
use super::{
    about_diskspd, about_fio, about_ioping, about_iostat, concerns, dd, risks_figures, risks_fio, risks_other,
};
use workload::Act;

/// Explains `found`; `other` is a job file in the same text, which may be the one that a command names.
///
/// # Errors
/// [`ExplainError`], which names the first word that is not understood.
fn explain(
    found: &PastedCommand,
    other: Option<&PastedCommand>,
    around: &Around<'_>,
) -> Result<Explanation, ExplainError> {
    let mut explanation = match &found.kind {
        Kind::JobFile(text) => job_file(text, found)?,
        Kind::Command(Tool::Fio, words) => fio_command(words, found, (other, around))?,
        Kind::Command(Tool::DiskSpd, words) => diskspd_command(words, around)?,
        Kind::Command(Tool::Ioping, words) => ioping_command(words)?,
        Kind::Command(Tool::Iostat, words) => iostat_command(words)?,
        Kind::Command(Tool::Dd, words) => dd_command(words)?,
    };
    if let Kind::Command(_, words) = &found.kind {
        without_guesses(words, &mut explanation);
    }
    explanation.gaps.splice(0..0, of_computed(&found.computed));
    explanation.line = found.line;
    explanation.taken =
        found.standing.map(|standing| Taken { words: found.text(), until: found.last_line(), standing });
    explanation.repairs.clone_from(&found.repairs);
    explanation.risks.sort_by_key(|told| told.level);
    Ok(explanation)
}

/// The risk that names options without effect.
pub(super) const WITHOUT_EFFECT: &str = "without-effect";

/// Most commands and job files that are explained at once: more than a page contains.
const TOLD_MOST: usize = 200;

/// Explains all commands and job files. A job file that a command of the same text runs is explained with it; an error
/// in one of them does not affect the others.
///
/// # Errors
/// [`ExplainError`], which names the first word that is not understood, if nothing could be explained.
pub fn explain_all(found: &[PastedCommand], around: &Around<'_>) -> Result<ExplainedText, ExplainError> {
    let mut explained = ExplainedText::default();
    let is_job_file = |found: &&PastedCommand| matches!(found.kind, Kind::JobFile(_));
    // A job file before a command more likely belongs to it than one after it.
    let mut before = None;
    let mut behind = found.iter().filter(is_job_file).peekable();
    for one in found.iter().take(TOLD_MOST) {
        behind.next_if(|job_file| std::ptr::eq(*job_file, one));
        let of_below = behind.peek().copied();
        let is_below =
            matches!(&one.kind, Kind::Command(_, words) if words.last().is_some_and(|last| last.text == "-"));
        let file = if is_below { of_below.or(before) } else { before.or(of_below) };
        match explain(one, file, around) {
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
    explained.told.retain(|one| !(one.kind == Form::JobFile && with.contains(&one.line)));
    match explained.not_understood.first() {
        Some(error) if explained.told.is_empty() => Err(error.clone()),
        _ => Ok(explained),
    }
}

/// All rows of risks.
pub fn every() -> impl Iterator<Item = &'static Risk> {
    risks_fio::ROWS.iter().chain(risks_figures::ROWS).chain(risks_other::ROWS)
}

/// The risks whose condition is met.
fn holding(holds: impl Fn(When) -> Option<String>) -> impl Iterator<Item = ApplicableRisk> {
    let told = move |risk: &Risk| {
        let text = holds(risk.when)?;
        Some(ApplicableRisk { id: risk.id, level: risk.level, text, source: risk.source })
    };
    every().filter_map(told)
}

/// Returns an explanation that is complete except for the load, and the words whose values are known.
fn begun(tool: Tool, words: &[Piece]) -> (Explanation, Vec<Piece>) {
    let mut explanation = Explanation::of(tool, &command_line(tool, words));
    explanation.words = explained(tool, words);
    if hidden(tool, words).next().is_some() {
        explanation.missing = Missing::Words;
    }
    let words = known(words, &mut explanation);
    (explanation, words)
}

/// Joins words so that a shell splits them again.
fn joined(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn fio_command(
    words: &[Piece],
    found: &PastedCommand,
    (other, around): (Option<&PastedCommand>, &Around<'_>),
) -> Result<Explanation, ExplainError> {
    let changed = found.computed.iter().find(|one| one.is_the_command).map(|one| one.name.clone());
    let typed = words;
    let missing = hidden(Tool::Fio, words).next().map(|piece| piece.text.clone()).or(changed);
    let (mut explanation, words) = begun(Tool::Fio, words);
    let mut fio = Fio::new(words, other, around);
    fio.hidden.clone_from(&missing);
    let asked = fio.asked()?;
    explanation.told_with = fio.told_with.get();
    explanation.gaps.append(&mut fio.gaps);
    explanation.job_file = fio.files.borrow().first().map(|(_, text)| text.clone());
    if let Some(text) = &explanation.job_file {
        explanation.words.extend(explained_lines(text));
    }
    if missing.is_some() {
        explanation.missing = Missing::Words;
    }
    let mut makes_files = false;
    let jobs = asked.iter().flat_map(|asked| &asked.jobs);
    let places: Vec<String> = jobs.filter_map(|job| job.options.filename.clone()).collect();
    match (asked, &missing) {
        (Some(asked), missing) if missing.is_none() || asked.jobs.iter().all(says_what_it_does) => {
            of_asked(&asked, &fio, &mut explanation);
            makes_files = asked.lays_out != fio::LaysOut::Nothing
                && asked.jobs.iter().all(|job| job.options.allow_file_create);
        }
        (_, Some(_)) => explanation.asks.push(NOT_DESCRIBED.to_owned()),
        _ => explanation.asks.push(ELSEWHERE.to_owned()),
    }
    explanation.risks.extend(missing.and_then(|missing| may_write(&missing, places, &explanation)));
    match &explanation.job_file {
        Some(text) => explanation.risks.extend(of_job_file(text)),
        // A size makes no file where none may be made.
        None if makes_files
            && explanation.missing != Missing::Words
            && !typed.iter().any(|piece| stands_for_another(piece, &fio.words))
            && explanation.risks.iter().any(|told| told.id == "no-size") =>
        {
            correct(&mut explanation, &fio.words);
        }
        None => {}
    }
    Ok(explanation)
}

/// The danger of words that are missing, unless what the others do is one or only reads.
fn may_write(missing: &str, mut places: Vec<String>, explanation: &Explanation) -> Option<ApplicableRisk> {
    places.dedup();
    let on = if places.is_empty() { String::new() } else { format!(" on {}", enumerated(&places)) };
    let is_told = explanation.risks.iter().any(|told| told.level == Level::Danger);
    let only_reads =
        !explanation.loads.is_empty() && explanation.loads.iter().all(|load| !load.writes && !load.trims);
    (!is_told && !only_reads).then(|| ApplicableRisk {
        id: "missing-words",
        level: Level::Danger,
        text: format!(
            "With what {missing} stands for it may write, and data{on} may be lost: look before you run it."
        ),
        source: "",
    })
}

/// Whether another word is read instead of one whose value is not known.
fn stands_for_another(typed: &Piece, words: &[Piece]) -> bool {
    knows(&typed.text).is_some() && words.iter().all(|word| word.text != typed.text)
}

/// Whether the words that are here say what a job reads or writes.
fn says_what_it_does(job: &fio::FioJob) -> bool {
    job.options.typed.iter().any(|(name, _)| *name == "rw")
}

/// Printed if the jobs are in a file that cannot be read here.
const ELSEWHERE: &str = "The load stands in what is not here; what each word here does is told with --all.";
/// Printed if words are missing that may say what is read and written.
const NOT_DESCRIBED: &str = "What it reads or writes, where and how much may stand in what is missing: the load is not described. What \
                             each word here does is told with --all.";

/// Adds a size to the command.
fn correct(explanation: &mut Explanation, words: &[Piece]) {
    explanation.corrected = with_size(words);
    if let (Some(Correction { command, .. }), Some(same)) =
        (&explanation.corrected, explanation.native.first_mut())
        && same.runs == Runs::TheSameWords
    {
        same.command = format!("plimsoll {command}");
        "The corrected words, run by plimsoll, with fio's output.".clone_into(&mut same.says);
    }
}

fn job_file(text: &str, found: &PastedCommand) -> Result<Explanation, ExplainError> {
    const NAME: &str = "jobs.fio";
    let mut explanation = Explanation {
        kind: Form::JobFile,
        words: explained_lines(text).collect(),
        ..Explanation::of(Tool::Fio, text)
    };
    let name = Piece { text: NAME.to_owned(), line: found.line, column: 1 };
    let nothing = Around { read: &|_| Err(io::ErrorKind::NotFound.into()) };
    let mut fio = Fio::new(vec![name], Some(found), &nothing);
    fio.told_with.set(Some(found.line));
    fio.files.borrow_mut().push((NAME.to_owned(), text.to_owned()));
    if found.computed.iter().any(|one| one.is_the_command) {
        explanation.missing = Missing::Words;
    }
    let asked = fio.asked()?;
    explanation.gaps.append(&mut fio.gaps);
    match asked {
        Some(asked) => of_asked(&asked, &fio, &mut explanation),
        None => explanation.asks.push(ELSEWHERE.to_owned()),
    }
    explanation.risks.extend(of_job_file(text));
    without_guesses(&[], &mut explanation);
    Ok(explanation)
}

fn of_asked(asked: &fio::FioRequest, fio: &Fio<'_>, explanation: &mut Explanation) {
    let mut jobs = planned(asked);
    jobs.iter_mut().for_each(|job| job.lacks_words = explanation.missing == Missing::Words);
    explanation.asks = about_fio::asks(&jobs, &fio.of_engines);
    explanation.loads = jobs.iter().map(PlannedJob::figures).collect();
    explanation.apart.clone_from(&fio.refusals);
    name_engines_own(explanation, fio);
    let noted = |about: fio::About| {
        asked.notes.iter().filter(move |remark| remark.about == about).map(|remark| remark.words.as_str())
    };
    explanation.apart.extend(noted(fio::About::Difference).map(sentence));
    explanation.apart.extend(jobs.iter().filter_map(about_fio::differs));
    let risks = risks_of(&jobs).into_iter().map(|told| as_typed(told, &explanation.words));
    let risks: Vec<ApplicableRisk> = risks.collect();
    explanation.risks.extend(risks);
    explanation.risks.extend(noted(fio::About::Other).map(|words| ApplicableRisk {
        id: "note-of-fio",
        level: Level::Note,
        text: sentence(words),
        source: "plimsoll fio",
    }));
    let command = if explanation.kind == Form::JobFile { "fio JOBFILE" } else { &explanation.command };
    let is_whole =
        fio.refusals.is_empty() && explanation.gaps.is_empty() && explanation.missing == Missing::Nothing;
    explanation.native = native::of_fio(&jobs, Some(command).filter(|_| is_whole));
    explanation.native.extend(native::of_latency(&jobs));
}

/// The options without effect by the names that were typed, where they have several.
fn as_typed(told: ApplicableRisk, words: &[ExplainedWord]) -> ApplicableRisk {
    if told.id != WITHOUT_EFFECT {
        return told;
    }
    let typed = |name: &str| {
        let row = fio::ROWS.iter().find(|row| row.name == name)?;
        let mut bare = words.iter().map(|meant| bare_name(&meant.word));
        bare.find(|bare| row.names().any(|known| known == *bare))
    };
    let text: Vec<&str> = told.text.split(' ').map(|word| typed(word).unwrap_or(word)).collect();
    ApplicableRisk { text: text.join(" "), ..told }
}

/// The name in a word that sets an option.
fn bare_name(word: &str) -> &str {
    let bare = word.trim_start_matches('-');
    bare.split('=').next().unwrap_or(bare).trim()
}

/// Marks options that only their engine knows.
fn name_engines_own(explanation: &mut Explanation, fio: &Fio<'_>) {
    let own: Vec<&str> = fio.of_engines.iter().map(|option| bare_name(option)).collect();
    for meant in explanation.words.iter_mut().filter(|meant| !meant.is_value) {
        if own.contains(&bare_name(&meant.word)) {
            "An option that only the engine knows.".clone_into(&mut meant.meaning);
        }
    }
}

fn of_job_file(text: &str) -> impl Iterator<Item = ApplicableRisk> {
    holding(move |when| match when {
        When::JobFile(when) => when(text),
        _ => None,
    })
}

/// Risks of the jobs without duplicates; a risk that does not apply to all jobs names those to which it does.
fn risks_of(jobs: &[PlannedJob]) -> Vec<ApplicableRisk> {
    let mut found: Vec<(ApplicableRisk, Vec<&PlannedJob>)> = Vec::new();
    let bare = |text: &str, job: &PlannedJob| about(text, &names_of(job), "");
    for job in jobs {
        let options = job.options();
        let replays = options.trace.read.is_some();
        if job.does_nothing() {
            continue;
        }
        let own = holding(|when| match when {
            When::Fio(when) if !replays => when(job, options),
            When::Replay(when) if replays => when(job, options),
            _ => None,
        });
        // Few of the risks of data apply to engines that move no data.
        let moves = options.engine.act() == Act::Move;
        let meant = |told: &ApplicableRisk| match moves {
            true => concerns::concerns(told.id, options),
            false => concerns::WITHOUT_DATA.contains(&told.id),
        };
        for told in own.filter(meant) {
            let own = bare(&told.text, job);
            let is_it = |known: &ApplicableRisk, first: &PlannedJob| {
                known.text == told.text || known.id == told.id && bare(&known.text, first) == own
            };
            match found.iter_mut().find(|(known, alike)| is_it(known, alike[0])) {
                Some((_, alike)) => alike.push(job),
                None => found.push((told, vec![job])),
            }
        }
    }
    let all = jobs.len();
    let named = |(told, alike): (ApplicableRisk, Vec<&PlannedJob>)| {
        let mut files: Vec<String> = alike.iter().filter_map(|job| names_of(job)).collect();
        files.dedup();
        let those = if told.id == "overwrites-file" { "any of" } else { "each of" };
        let text = match files.len() {
            2.. => about(&told.text, &files.first().cloned(), &format!("{those} {}", enumerated(&files))),
            _ => told.text,
        };
        let names: Vec<&str> = alike.iter().map(|job| job.job.name.as_str()).collect();
        let text = if names.len() < all { format!("{}: {text}", names.join(", ")) } else { text };
        ApplicableRisk { text, ..told }
    };
    found.into_iter().map(named).collect()
}

/// The text of a risk, about other files than those of the job.
fn about(text: &str, names: &Option<String>, others: &str) -> String {
    let Some(names) = names else { return text.to_owned() };
    let is_whole = |at: usize| {
        text[..at].ends_with(' ') && text[at + names.len()..].starts_with([' ', ',', '.', ';', ':'])
    };
    let at = text.match_indices(names.as_str()).map(|(at, _)| at).find(|&at| is_whole(at));
    at.map_or(text.to_owned(), |at| format!("{}{others}{}", &text[..at], &text[at + names.len()..]))
}

/// The command with a size, and with `time_based` if a time was given.
fn with_size(words: &[Piece]) -> Option<Correction> {
    let mut corrected = texts(words);
    let named = |name: &'static str| {
        move |word: &String| word.trim_start_matches('-').split('=').next() == Some(name)
    };
    // A size that is a share of the file is not added to.
    if corrected.iter().any(named("size")) {
        return None;
    }
    let at =
        corrected.iter().position(named("filename")).or_else(|| corrected.iter().position(named("name")))?;
    let has_its_value = corrected[at].contains('=');
    corrected.insert(at + if has_its_value { 1 } else { 2 }, "--size=4G".to_owned());
    // A directory has an effect only on the names behind it.
    let of_one = corrected.iter().filter(|word| named("name")(word)).count() < 2;
    let place =
        |name: &'static str| corrected.iter().position(move |word| named(name)(word)).filter(|_| of_one);
    if let (Some(file), Some(folder)) = (place("filename"), place("directory"))
        && file < folder
        && corrected[folder].contains('=')
    {
        let folder = corrected.remove(folder);
        corrected.insert(file, folder);
    }
    let timed = corrected.iter().any(named("runtime")) && !corrected.iter().any(named("time_based"));
    let mut why =
        "With a size the file is made where it is missing (4 GiB here; take more than the caches hold), and by fio also over one \
         that is shorter, whatever it holds"
            .to_owned();
    if timed {
        corrected.push("--time_based".to_owned());
        why.push_str(", and with time_based the run lasts as long as runtime says");
    }
    Some(Correction { why: format!("{why}:"), command: format!("fio {}", joined(&corrected)) })
}

fn diskspd_command(words: &[Piece], around: &Around<'_>) -> Result<Explanation, ExplainError> {
    let (mut explanation, words) = begun(Tool::DiskSpd, words);
    let surroundings = diskspd::Surroundings { read: around.read, tick: 0 };
    let words = without_refused(words, &mut explanation);
    let request = diskspd::parse(&texts(&words), &surroundings)
        .map_err(|error| ExplainError::of_word(&words, error.word(), error.to_string()))?;
    let diskspd::Request::Do(asked) = request else { return Ok(explanation.that("Prints its help.")) };
    explanation.asks = about_diskspd::asks(&asked);
    let is_of_profile = |piece: &Piece| diskspd_row(&piece.text).is_some_and(|row| row.name == "X");
    if words.iter().any(is_of_profile) {
        explanation.job_file = Some(diskspd::profile_text(&asked, &explanation.command));
    }
    // No path is looked up: each counts as missing, to notice Windows names, and as remote, to let `-Sr` pass.
    let paths = diskspd::Paths { exists: &|_| false, is_remote: &|_| true };
    let impossible = diskspd::possible(&asked.profile, &paths).err();
    explanation
        .apart
        .extend(impossible.iter().map(|why| sentence(&format!("plimsoll diskspd refuses it: {why}"))));
    let is_whole = explanation.apart.is_empty();
    explanation.apart.extend(asked.notes.iter().map(|note| sentence(note)));
    explanation.risks.extend(asked.warnings.iter().map(|warning| ApplicableRisk {
        id: "warning-of-diskspd",
        level: Level::Misleading,
        text: sentence(warning),
        source: "DiskSpd",
    }));
    for span in &asked.profile.time_spans {
        explanation.risks.extend(holding(|when| match when {
            When::DiskSpd(when) => when(span),
            _ => None,
        }));
    }
    let path = asked.profile.time_spans.iter().flat_map(|span| &span.targets).next();
    let path = path.map_or(String::new(), |target| target.path.clone());
    explanation.native = native::of_diskspd(Some(explanation.command.as_str()).filter(|_| is_whole), &path);
    Ok(explanation)
}

/// Removes the words that plimsoll's diskspd refuses; they are reported separately.
fn without_refused(words: Vec<Piece>, explanation: &mut Explanation) -> Vec<Piece> {
    let refused = |piece: &Piece| {
        let row = diskspd_row(&piece.text)?;
        if let diskspd::Support::Refused(reason) = row.support { Some(reason) } else { None }
    };
    let (kept, left): (Vec<Piece>, Vec<Piece>) =
        words.into_iter().partition(|piece| refused(piece).is_none());
    explanation.apart.extend(left.iter().filter_map(|piece| {
        let place = format!("line {}, column {}", piece.line, piece.column);
        Some(format!("{place}: plimsoll diskspd does not take {}: {}.", piece.text, refused(piece)?))
    }));
    kept
}

/// A remark as a sentence.
fn sentence(words: &str) -> String {
    format!("{}.", words.trim_end_matches('.'))
}

fn ioping_command(words: &[Piece]) -> Result<Explanation, ExplainError> {
    let (mut explanation, words) = begun(Tool::Ioping, words);
    let request = ioping::parse(&texts(&words)).map_err(|error| {
        let why = error.hint().map_or_else(|| error.to_string(), |hint| format!("{error}; {hint}"));
        let at = words.iter().position(|piece| Some(piece.text.as_str()) == error.typed());
        ExplainError::of_word(&words, at, why)
    })?;
    let ioping::Request::Run(asked) = request else {
        return Ok(explanation.that("Prints its help or its version."));
    };
    explanation.asks = about_ioping::asks(&asked);
    explanation.risks.extend(holding(|when| match when {
        When::Ioping(when) => when(&asked),
        _ => None,
    }));
    explanation.native = native::of_ioping(&explanation.command, &asked.target);
    Ok(explanation)
}

fn iostat_command(typed: &[Piece]) -> Result<Explanation, ExplainError> {
    let (mut explanation, words) = begun(Tool::Iostat, typed);
    let request = iostat::parse(&texts(&words), iostat::Units::default())
        .map_err(|error| ExplainError::of_word(&words, error.word(), error.to_string()))?;
    let iostat::Request::Watch(asked) = request else {
        return Ok(explanation.that("Prints its help or its version."));
    };
    explanation.asks = about_iostat::asks(&asked, typed.last().filter(|last| Some(*last) != words.last()));
    explanation.risks.extend(holding(|when| match when {
        When::Iostat(when) => when(&asked),
        _ => None,
    }));
    explanation.native = native::of_iostat(&explanation.command);
    Ok(explanation)
}

fn dd_command(words: &[Piece]) -> Result<Explanation, ExplainError> {
    let (mut explanation, words) = begun(Tool::Dd, words);
    let dd =
        dd::Dd::parse(&texts(&words)).map_err(|(at, why)| ExplainError::of_word(&words, Some(at), why))?;
    explanation.asks = dd.asks();
    explanation.risks.extend(holding(|when| match when {
        When::Dd(when) => when(&dd),
        _ => None,
    }));
    explanation.native = native::of_dd(&dd);
    Ok(explanation)
}
