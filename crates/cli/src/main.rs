//! plimsoll: how much load a volume really bears, which limit stops it, and whether that will last.

mod arguments;
mod commands;
mod failure;
mod inputs;
mod output;
mod pictures;
mod place;
mod real_data;
mod scribe;
mod session;
mod signals;
mod unwritten;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use arguments::{Arguments, Command};
use failure::Failure;

fn main() -> ExitCode {
    signals::survive_file_limit();
    let words: Vec<OsString> = std::env::args_os().collect();
    let code = match called_as(&words).as_deref().and_then(dialect) {
        Some(speak) => speak(&words[1..]),
        None => plimsoll(words),
    };
    ExitCode::from(code)
}

/// The name this binary was called by.
fn called_as(words: &[OsString]) -> Option<String> {
    Some(Path::new(words.first()?).file_name()?.to_string_lossy().into_owned())
}

/// What runs the command lines of the tool of this name.
fn dialect(tool: &str) -> Option<fn(&[OsString]) -> u8> {
    match tool {
        "fio" => Some(commands::fio::run),
        "diskspd" | "diskspd.exe" => Some(commands::diskspd::run),
        "ioping" => Some(commands::ioping::run),
        "iostat" => Some(commands::iostat::run),
        _ => None,
    }
}

fn plimsoll(words: Vec<OsString>) -> u8 {
    // The words of other tools are not clap's: they are taken before it sees them.
    if let Some(speak) = words.get(1).and_then(|word| dialect(word.to_str()?)) {
        return speak(&words[2..]);
    }
    let arguments = match Arguments::read(words) {
        Ok(arguments) => arguments,
        Err(failure) => return told(&failure),
    };
    let ended = match &arguments.command {
        Command::Check(check) => commands::check::run(check),
        Command::Compare(compare) => commands::compare::run(compare),
        Command::Run(run) => commands::run::run(run),
        Command::Watch(watch) => commands::watch::run(watch),
        Command::Quick(quick) => commands::quick::run(quick),
        Command::Profile(profile) => commands::profile::run(profile),
        Command::Import(import) => commands::import::run(import),
        Command::Report(report) => commands::report::run(report),
        Command::Lab(lab) => commands::lab::run(lab),
        Command::Policy(policy) => commands::policy::run(policy),
        Command::Explain(explain) => commands::explain::run(explain),
        Command::Fio(fio) => Ok(commands::fio::run(&fio.words)),
        Command::Diskspd(diskspd) => Ok(commands::diskspd::run(&diskspd.words)),
        Command::Ioping(ioping) => Ok(commands::ioping::run(&ioping.words)),
        Command::Iostat(iostat) => Ok(commands::iostat::run(&iostat.words)),
    };
    ended.unwrap_or_else(|failure| told(&failure))
}

/// Says on stderr why there is no result.
fn told(failure: &Failure) -> u8 {
    output::people(report::wrap("plimsoll: ", &failure.message).trim_end());
    failure.code as u8
}
