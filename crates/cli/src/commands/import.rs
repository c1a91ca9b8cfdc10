//! `plimsoll import`: turns other tools' output into run files, figure by figure.

mod called;

use std::path::{Path, PathBuf};

use import::{Import, Trouble, together};
use jiff::civil::Date;
use record::{ObservedMachine, Origin, PRINTED_AT, ReportedPart, Run};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::arguments::{Format, ImportArguments, typed};
use session::failure::Failure;
use session::inputs::{Reader, files_in, is_run_file, tell};
use session::named_input::{NamedInput, PRINTED, is_folder};
use session::output;
use session::place::{Place, short};

/// What was read from other tools' outputs.
#[derive(Serialize, JsonSchema)]
pub(super) struct ImportDocument<'i> {
    /// Version that read.
    plimsoll_version: &'static str,
    /// Each input.
    files: Vec<FileRow<'i>>,
}

/// An input.
#[derive(Serialize, JsonSchema)]
struct FileRow<'i> {
    /// Name of the input.
    file: &'i str,
    /// Why nothing was read from it.
    error: Option<&'i str>,
    /// What the user should know about the figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<&'i [String]>,
    /// Places that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    troubles: Option<&'i [Trouble]>,
    /// Each result.
    runs: Vec<ResultRow<'i>>,
}

/// A result of another tool.
#[derive(Serialize, JsonSchema)]
struct ResultRow<'i> {
    /// Path of the run file.
    run_file: String,
    /// The tool and its format.
    tool: &'i str,
    /// What the tool's output lacks.
    lacks: &'i [String],
    /// What is to be known of the run.
    notes: Vec<&'i str>,
    /// Start of the run: milliseconds since 1970, UTC; 0 if the output does not say.
    started_unix_ms: u64,
    /// Figures as they were printed.
    #[schemars(with = "Vec<Map<String, Value>>")]
    reported: &'i [ReportedPart],
    /// Series that were printed; their values are in the run file.
    observed: Option<ObservedRow<'i>>,
}

/// Series that another tool printed.
#[derive(Serialize, JsonSchema)]
struct ObservedRow<'i> {
    /// Number of intervals.
    intervals: usize,
    /// Each device.
    devices: Vec<DeviceRow<'i>>,
    /// Metrics of the CPU.
    cpu: Vec<&'static str>,
}

/// A device of which series were printed.
#[derive(Serialize, JsonSchema)]
struct DeviceRow<'i> {
    /// Name of the device.
    device: &'i str,
    /// Metrics of the device.
    metrics: Vec<&'static str>,
}

/// An input and its result.
struct Source {
    name: String,
    outcome: Result<Import, ImportFailure>,
    /// The run files written, one for each run.
    written: Vec<PathBuf>,
}

/// Why an input gave no result.
enum ImportFailure {
    /// The input could not be opened: wrong usage.
    Closed(String),
    /// The input was read and holds no result.
    Empty(String),
}

impl ImportFailure {
    fn message(&self) -> &str {
        let (ImportFailure::Closed(message) | ImportFailure::Empty(message)) = self;
        message
    }
}

/// Reads every input, writes a run file for each result, and prints the results. Returns 0 if any input could be read.
pub fn run(arguments: &ImportArguments) -> Result<u8, Failure> {
    let reader = Reader::of(typed());
    let files = named(&arguments.files)?;
    let mut sources: Vec<Source> = files.iter().map(|file| source(file, &reader)).collect();
    join_logs(&mut sources);
    for source in &mut sources {
        store(source, arguments.out.as_deref())?;
    }
    match arguments.format {
        Format::Text => output::result(&text(&sources))?,
        Format::Json => output::result(&document(&sources))?,
    }
    sources.iter().for_each(troubles);
    Ok(code(&sources))
}

/// Returns the files that are named, and those in named folders.
fn named(paths: &[PathBuf]) -> Result<Vec<NamedInput>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        match is_folder(path) {
            false => files.push(NamedInput::typed(path, PRINTED)),
            true => {
                let there = files_in(path)?;
                if there.is_empty() {
                    let text = format!("{}: there is no file in this folder to read", path.display());
                    return Err(Failure::refused(text));
                }
                files.extend(there.iter().map(|file| NamedInput::plain(file, PRINTED)));
            }
        }
    }
    Ok(files)
}

fn source(input: &NamedInput, reader: &Reader) -> Source {
    let file = input.path();
    let name = if file == Path::new("-") { "stdin".to_owned() } else { file.display().to_string() };
    let outcome = match input.bytes() {
        Err(error) => {
            Err(ImportFailure::Closed(format!("cannot be read: {error}; name a file, or - for stdin")))
        }
        Ok(bytes) if is_run_file(&bytes) => Err(ImportFailure::Empty(
            "is a run file of plimsoll, with nothing to import; draw it with plimsoll report".to_owned(),
        )),
        Ok(bytes) => {
            let read = reader.printed(&name, &bytes);
            read.map_err(|error| ImportFailure::Empty(format!("nothing read: {error}")))
        }
    };
    Source { name, outcome, written: Vec::new() }
}

/// Merges logs into the runs that they belong to.
fn join_logs(sources: &mut [Source]) {
    let runs =
        |source: &Source| source.outcome.as_ref().map_or_else(|_| Vec::new(), |import| import.runs.clone());
    let joined = together(sources.iter().map(|source| (source.name.clone(), runs(source))).collect());
    for (source, (_, runs)) in sources.iter_mut().zip(joined) {
        if let Ok(import) = &mut source.outcome {
            if runs.is_empty() {
                import.notes.push("its values went to the run of the same job".to_owned());
            }
            import.runs = runs;
        }
    }
}

/// Writes a run file for each run of a source.
fn store(source: &mut Source, out: Option<&Path>) -> Result<(), Failure> {
    let Ok(import) = &source.outcome else { return Ok(()) };
    for run in &import.runs {
        let place = Place::of_result(out, &called::stem(&source.name, run), day(run))?;
        let written = runfile::write(|bytes| place.bear(bytes), run).map_err(Failure::failed)?;
        source.written.push(written);
    }
    Ok(())
}

/// Returns the day that the result states, or today if it states none.
fn day(run: &Run) -> Date {
    let printed = || {
        let said = run.reported.iter().flat_map(|part| &part.said);
        said.filter(|(name, _)| name == PRINTED_AT).find_map(|(_, time)| day_of(time))
    };
    let started = i64::try_from(run.started_unix_ms).ok().filter(|&time| time > 0);
    let started = started.and_then(|time| jiff::Timestamp::from_millisecond(time).ok());
    let local = |time: jiff::Timestamp| time.to_zoned(jiff::tz::TimeZone::system()).date();
    // The printed date, in the time zone of the machine that printed it, is preferred to a time counted from 1970.
    printed().or_else(|| started.map(local)).unwrap_or_else(|| jiff::Zoned::now().date())
}

/// Reads the day in `Fri Apr 20 17:14:19 2018` or `2018/04/20 17:14:19`.
fn day_of(time: &str) -> Option<Date> {
    if let Some(Ok(day)) = time.get(..10).map(|day| day.replace('/', "-").parse()) {
        return Some(day);
    }
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let words: Vec<&str> = time.split_whitespace().collect();
    let [_, month, day, _, year] = words.as_slice() else { return None };
    let month = MONTHS.iter().position(|known| known == month)? + 1;
    Date::new(year.parse().ok()?, i8::try_from(month).ok()?, day.parse().ok()?).ok()
}

/// Returns the tables of all runs, each with its run file, and a summary at the end if there are several inputs.
fn text(sources: &[Source]) -> String {
    let blocks = sources.iter().flat_map(|source| {
        let runs = source.outcome.as_ref().map_or(&[][..], |import| &import.runs);
        let several = runs.len() > 1;
        runs.iter().zip(&source.written).enumerate().map(move |(index, (run, file))| {
            let which =
                if several { format!(", result {} of {}", index + 1, runs.len()) } else { String::new() };
            format!("{}{which}\n{}  run     {}\n", source.name, report::imported(run), short(file))
        })
    });
    let tables = blocks.collect::<Vec<String>>().join("\n");
    match sources.len() {
        0 | 1 => tables,
        _ => format!("{tables}\n{}\n", summary(sources)),
    }
}

/// Summarises several inputs: `8 results of 6 files; 2 files hold none`.
fn summary(sources: &[Source]) -> String {
    let results: usize = sources.iter().map(|source| source.written.len()).sum();
    let unread = sources.iter().filter(|source| source.outcome.is_err()).count();
    let counted = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    let read = format!("{} of {}", counted(results, "result"), counted(sources.len() - unread, "file"));
    match unread {
        0 => read,
        _ => format!("{read}; nothing was read of {} more", counted(unread, "file")),
    }
}

/// Returns everything as one JSON document.
fn document(sources: &[Source]) -> String {
    let (plimsoll_version, files) = (env!("CARGO_PKG_VERSION"), sources.iter().map(file_row).collect());
    report::document_json("import", &ImportDocument { plimsoll_version, files })
}

fn file_row(source: &Source) -> FileRow<'_> {
    let file = source.name.as_str();
    match &source.outcome {
        Err(unread) => {
            FileRow { file, error: Some(unread.message()), notes: None, troubles: None, runs: Vec::new() }
        }
        Ok(import) => FileRow {
            file,
            error: None,
            notes: Some(&import.notes),
            troubles: Some(&import.troubles),
            runs: import.runs.iter().zip(&source.written).map(|(run, file)| result_row(run, file)).collect(),
        },
    }
}

fn result_row<'i>(run: &'i Run, file: &Path) -> ResultRow<'i> {
    let (tool, lacks) = match &run.origin {
        Origin::Imported { tool, lacks } => (tool.as_str(), lacks.as_slice()),
        Origin::Measured => ("", &[][..]),
    };
    ResultRow {
        run_file: file.display().to_string(),
        tool,
        lacks,
        notes: run.events.iter().map(|event| event.text.as_str()).collect(),
        started_unix_ms: run.started_unix_ms,
        reported: &run.reported,
        observed: run.observed.as_ref().map(observed_row),
    }
}

/// Lists the recorded series; their values are in the run file, where `plimsoll report --csv` and `--series` read them.
fn observed_row(observed: &ObservedMachine) -> ObservedRow<'_> {
    let devices = observed.devices.iter().map(|device| DeviceRow {
        device: &device.name,
        metrics: device.metrics.iter().map(|(metric, _)| metric.column()).collect(),
    });
    ObservedRow {
        intervals: observed.intervals.len(),
        devices: devices.collect(),
        cpu: observed.cpu.iter().map(|(metric, _)| metric.column()).collect(),
    }
}

/// Reports on stderr the parts that could not be read, and caveats about the figures.
fn troubles(source: &Source) {
    match &source.outcome {
        Err(unread) => {
            let words = format!("{}: {}", source.name, unread.message());
            output::people(report::wrap("plimsoll: ", &words).trim_end());
        }
        Ok(import) => tell(&source.name, import),
    }
}

/// Returns 0 if anything was read, 2 if no input could even be opened, else 1.
fn code(sources: &[Source]) -> u8 {
    if sources.iter().any(|source| source.outcome.is_ok()) {
        return 0;
    }
    let closed = sources.iter().all(|source| matches!(source.outcome, Err(ImportFailure::Closed(_))));
    if closed { 2 } else { 1 }
}
