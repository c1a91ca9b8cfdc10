//! `plimsoll diskspd`, and plimsoll under the name diskspd: reads DiskSpd's command line and prints DiskSpd's output.

mod spans;
mod targets;

use std::ffi::OsString;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use diskspd::{
    DiskSpdError, DiskSpdReport, DiskSpdRequest, Format, Request, Show, SpanResult, Surroundings, System,
    parse, profile_text, profile_xml, results_text, results_xml, system_text, system_xml, usage,
};

use workload::Nanos;

use session::named_input::{JOB_FILE, NamedInput};
use session::output;
use session::signals::StopFlag;

/// Exit code of a run that failed.
const FAILED: u8 = 1;

/// The sentence with which DiskSpd ends a failed run.
const NO_RESULT: &str = "Error generating I/O requests";

/// Runs DiskSpd's command line; returns DiskSpd's exit code.
pub fn run(words: &[OsString], patience: Nanos) -> u8 {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    // DiskSpd's -h turns caches off, and alone it has nothing to load: whoever types it wants help.
    if let [word] = words.as_slice()
        && ["-h", "--help"].contains(&word.as_str())
    {
        return out(&usage("diskspd"));
    }
    let around = Surroundings { read: &|path| read_text(path), tick: tick() };
    match parse(&words, &around) {
        Ok(Request::Usage(code)) => out(&usage("diskspd")).max(code),
        Ok(Request::Do(asked)) => obey(&asked, patience),
        Err(error) => refused(&error),
    }
}

fn refused(error: &DiskSpdError) -> u8 {
    output::people(&error.to_string());
    DiskSpdError::EXIT_CODE
}

fn obey(asked: &DiskSpdRequest, patience: Nanos) -> u8 {
    for warning in &asked.warnings {
        output::people(&format!("WARNING: {warning}"));
    }
    for note in &asked.notes {
        output::people(report::wrap("note: ", note).trim_end());
    }
    let line = format!("diskspd {}", asked.words);
    let xml = asked.profile.format == Format::Xml;
    match asked.show {
        Show::Profile if xml => out(&profile_xml(&asked.profile)),
        Show::Profile => out(&profile_text(asked, line.trim_end())),
        Show::System if xml => out(&system_xml(&system())),
        Show::System => out(&system_text(&system(), asked.compat)),
        _ => load(asked, line.trim_end(), patience),
    }
}

fn load(asked: &DiskSpdRequest, command_line: &str, patience: Nanos) -> u8 {
    if let Err(reason) = targets::possible(&asked.profile) {
        output::people(report::wrap("ERROR: ", &reason).trim_end());
        return DiskSpdError::EXIT_CODE;
    }
    let machine = system();
    let stop = StopFlag::on_signals(patience);
    match spans::run(asked, &stop) {
        Ok(spans) => present(asked, command_line, (&machine, &spans)),
        Err(reason) => {
            output::people(report::wrap("ERROR: ", &reason).trim_end());
            output::people(NO_RESULT);
            stop.code().map_or(FAILED, |code| code as u8)
        }
    }
}

fn present(asked: &DiskSpdRequest, command_line: &str, (system, spans): (&System, &[SpanResult])) -> u8 {
    let presented = DiskSpdReport { asked, command_line, system, spans };
    out(&match asked.profile.format {
        Format::Xml => results_xml(&presented),
        Format::Text => results_text(&presented),
    })
}

/// Writes to stdout; returns the exit code, 1 if that failed.
fn out(text: &str) -> u8 {
    let written = output::result(text);
    if let Err(failure) = &written {
        output::people(&format!("diskspd: {failure}"));
    }
    u8::from(written.is_err())
}

/// Describes this machine, with a run that begins now.
fn system() -> System {
    let root = sampler::Root::real();
    let computer = root.text("proc/sys/kernel/hostname").unwrap_or_default();
    let system = System::new(computer, sampler::cpu_governor(&root), &sampler::cpus(&root));
    System { started: since_1970().as_secs() as i64, ..system }
}

/// Returns the seed that a bare `-z` takes: milliseconds, which differ with every run.
fn tick() -> u32 {
    since_1970().as_millis() as u32
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Reads a profile as text: UTF-8, or UTF-16 with its byte order mark, as PowerShell writes it.
fn read_text(path: &str) -> std::io::Result<String> {
    let bytes = NamedInput::typed(path, JOB_FILE).bytes()?;
    let words = |order: fn([u8; 2]) -> u16| -> Vec<u16> {
        bytes[2..].chunks_exact(2).map(|pair| order([pair[0], pair[1]])).collect()
    };
    let text = match bytes.as_slice() {
        [0xff, 0xfe, ..] => String::from_utf16(&words(u16::from_le_bytes)).ok(),
        [0xfe, 0xff, ..] => String::from_utf16(&words(u16::from_be_bytes)).ok(),
        _ => String::from_utf8(bytes).ok(),
    };
    let invalid = || std::io::Error::new(std::io::ErrorKind::InvalidData, "it is neither UTF-8 nor UTF-16");
    text.ok_or_else(invalid)
}
