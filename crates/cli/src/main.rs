//! plimsoll: how much load a volume really bears, which limit stops it, and whether that will last.

mod arguments;
mod build;
mod commands;
mod manual;
mod pictures;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use arguments::{Arguments, Command};
use record::PATIENCE;
use session::failure::Failure;
use session::{output, progress, signals};
use workload::Nanos;

fn main() -> ExitCode {
    signals::survive_file_limit();
    let words: Vec<OsString> = std::env::args_os().collect();
    let code = match called_as(&words).as_deref().and_then(dialect) {
        Some(speak) => speak(&words[1..], PATIENCE),
        None => plimsoll(words),
    };
    ExitCode::from(code)
}

/// A function that runs another tool's command line, with the patience granted to a silent device; returns that
/// tool's exit code.
type Speak = fn(&[OsString], Nanos) -> u8;

/// Returns the name by which this binary was called.
fn called_as(words: &[OsString]) -> Option<String> {
    Some(Path::new(words.first()?).file_name()?.to_string_lossy().into_owned())
}

/// Returns the function that runs command lines of the tool with this name.
fn dialect(tool: &str) -> Option<Speak> {
    // Packages install a link for each tool under the name `plimsoll-TOOL`.
    match tool.strip_prefix("plimsoll-").unwrap_or(tool) {
        "fio" => Some(commands::fio::run),
        "diskspd" | "diskspd.exe" => Some(commands::diskspd::run),
        "ioping" => Some(commands::ioping::run),
        "iostat" => Some(|words, _| commands::iostat::run(words)),
        _ => None,
    }
}

fn plimsoll(words: Vec<OsString>) -> u8 {
    // Command lines of other tools are taken out before clap sees them.
    let (patience, rest) = match before_tool(&words) {
        Ok(found) => found,
        Err(failure) => return told(&failure),
    };
    if let Some(speak) = rest.first().and_then(|word| dialect(word.to_str()?)) {
        return speak(&rest[1..], patience);
    }
    let renamed = words.get(1).and_then(|word| arguments::renamed(word.to_str()?));
    let arguments = match Arguments::read(words) {
        Ok(arguments) => arguments,
        Err(failure) => return told(&failure),
    };
    output::fit_terminal();
    renamed.iter().for_each(|note| output::people(note));
    if let Err(failure) = progress::begin(&arguments.command.progress()) {
        return told(&failure);
    }
    let code = commanded(&arguments.command).unwrap_or_else(|failure| told(&failure));
    progress::ended(code);
    code
}

/// Runs one of plimsoll's own commands.
fn commanded(command: &Command) -> Result<u8, Failure> {
    match command {
        Command::Check(check) => commands::check::run(check),
        Command::Headroom(headroom) => commands::headroom::run(headroom),
        Command::Map(map) => commands::map::run(map),
        Command::Burst(burst) => commands::burst::run(burst),
        Command::Compare(compare) => commands::compare::run(compare),
        Command::Trend(trend) => commands::trend::run(trend),
        Command::Merge(merge) => commands::merge::run(merge),
        Command::Fleet(fleet) => commands::fleet::run(fleet),
        Command::Run(run) => commands::run::run(run),
        Command::Watch(watch) => commands::watch::run(watch),
        Command::Where(places) => commands::places::run(places),
        Command::Size(size) => commands::size::run(size),
        Command::Stream(stream) => commands::quick::run(stream),
        Command::Profile(profile) => commands::profile::run(profile),
        Command::Import(import) => commands::import::run(import),
        Command::Report(report) => commands::report::run(report),
        Command::List(list) => commands::list::run(list),
        Command::Serve(serve) => commands::serve::run(serve),
        Command::Ticket(ticket) => commands::ticket::run(ticket.run.as_slice(), ticket.out.as_deref()),
        Command::Doctor(doctor) => commands::doctor::run(doctor),
        Command::Lab(lab) => commands::lab::run(lab),
        Command::Policy(policy) => commands::policy::run(policy),
        Command::Tutorial(tutorial) => commands::tutorial::run(tutorial),
        Command::Export(export) => commands::export::run(export.run.as_slice(), &export.parquet),
        Command::Schema(schema) => commands::schema::run(schema),
        Command::Man(man) => commands::man::run(man),
        Command::Completions(completions) => commands::man::completions(completions),
        Command::Explain(explain) => commands::explain::run(explain),
        Command::Fio(fio) => Ok(commands::fio::run(&fio.words, PATIENCE)),
        Command::Diskspd(diskspd) => Ok(commands::diskspd::run(&diskspd.words, PATIENCE)),
        Command::Ioping(ioping) => Ok(commands::ioping::run(&ioping.words, PATIENCE)),
        Command::Iostat(iostat) => Ok(commands::iostat::run(&iostat.words)),
    }
}

/// Reads `--give-up TIME` and `--start-at TIME` before the name of another tool, because all words after that name are
/// the tool's. Returns the patience, and the words from the name on; other words are left as they are.
fn before_tool(words: &[OsString]) -> Result<(Nanos, &[OsString]), Failure> {
    let untouched = words.get(1..).unwrap_or_default();
    let (mut patience, mut start_at, mut rest) = (PATIENCE, None, untouched);
    while let Some((name, value, behind)) = own_option(rest) {
        let wrong = |why: String| Failure::refused(format!("{name} {value}: {why}"));
        match name {
            "--give-up" => patience = arguments::patience(value).map_err(wrong)?,
            _ => start_at = Some(arguments::start_at(value).map_err(wrong)?),
        }
        rest = behind;
    }
    let tool = rest.first().and_then(|tool| tool.to_str()).filter(|tool| is_tool(tool));
    match (tool, start_at) {
        (None, _) => return Ok((PATIENCE, untouched)),
        (Some(tool), Some(_)) if !runs_steps(tool) => {
            return Err(Failure::refused(format!("--start-at has no meaning for {tool}; leave it out")));
        }
        (Some(_), at) => at.into_iter().for_each(session::begin_at),
    }
    Ok((patience, rest))
}

/// Returns the name and the value of an option that may stand before a tool's name, and the words after it.
fn own_option(words: &[OsString]) -> Option<(&str, &str, &[OsString])> {
    let first = words.first()?.to_str()?;
    let (name, value) = first.split_once('=').map_or((first, None), |(name, value)| (name, Some(value)));
    if !["--give-up", "--start-at"].contains(&name) {
        return None;
    }
    match value {
        Some(value) => Some((name, value, &words[1..])),
        None => Some((name, words.get(1)?.to_str()?, &words[2..])),
    }
}

/// Whether this tool's load runs in steps, which can begin at a given time.
fn runs_steps(tool: &str) -> bool {
    matches!(tool.strip_prefix("plimsoll-").unwrap_or(tool), "fio" | "diskspd" | "diskspd.exe")
}

fn is_tool(word: &str) -> bool {
    dialect(word).is_some()
}

/// Reports on stderr why there is no result; returns the exit code.
fn told(failure: &Failure) -> u8 {
    output::people(report::wrap("plimsoll: ", &failure.message).trim_end());
    failure.code as u8
}
