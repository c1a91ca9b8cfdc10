//! Options of the command line that belong to no job: formats, files, help.

use std::path::PathBuf;

use options::{Table, help};
use workload::Nanos;

use super::asked::{Eta, Format, IdleCpus, LaysOut, Presentation, TerseVersion};
use super::error::{FioError, RefusedOption};
use super::number::{TimeUnit, time};
use super::reader::Reading;
use super::{reference, rows};

/// The version that the output states: programs that read fio's output branch on it.
pub const VERSION: &str = "fio-3.42";

/// Whether an option of the command line takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// No value.
    None,
    /// A value, after `=` or as the next word.
    Required,
    /// A value after `=`, or none.
    Optional,
    /// A value after `=` or as the next word, unless that is an option; or none.
    Word,
}

/// Everything on the command line except the jobs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Commands {
    /// How the result is presented.
    pub presentation: Presentation,
    /// Whether jobs that write are refused.
    pub readonly: bool,
    /// Sections of job files to run; empty: all.
    pub sections: Vec<String>,
    /// Text to print instead of running anything.
    pub say: Option<String>,
    /// Whether words are read as the user means them or as fio reads them.
    pub reading: Reading,
    /// Whether to print the command line of the jobs instead of running them.
    pub show_command: bool,
    /// Whether a remark counts as an error.
    pub notes_are_fatal: bool,
    /// Remarks on words of the command line that are not options of a job.
    pub notes: Vec<String>,
    /// Directory of the verification state files; `None`: the working directory.
    pub state_folder: Option<String>,
    /// Program of the real fio to compare with on a shortened copy; `None`: the jobs are run.
    pub check_against: Option<String>,
    /// Topics of the debug log.
    pub debug: Vec<String>,
}

impl Commands {
    /// Which files are laid out for jobs that only read.
    pub fn lays_out(&self) -> LaysOut {
        match (self.readonly, self.reading) {
            (true, _) => LaysOut::Nothing,
            (false, Reading::Exact) => LaysOut::Anything,
            (false, _) => LaysOut::Ours,
        }
    }
}

/// The table of options of the command line; `own` is an option's short name.
#[derive(Clone, Copy, Debug)]
pub struct CommandTable;

impl Table for CommandTable {
    type Takes = Argument;
    type Effect = fn(&mut Commands, &str) -> Result<(), FioError>;
    type Own = Option<char>;
    const NOTHING: Self::Effect = |_, _| Ok(());
    const PLAIN: Option<char> = None;
}

/// One option of the command line.
pub type CommandRow = options::Row<CommandTable>;

const fn takes(name: &'static str, argument: Argument, help: &'static str) -> CommandRow {
    CommandRow::new(name, argument).does(help, CommandTable::NOTHING)
}

const fn refused(
    name: &'static str,
    argument: Argument,
    reason: &'static str,
    help: &'static str,
) -> CommandRow {
    CommandRow::new(name, argument).refused(reason, help)
}

/// Topics of fio's debug log.
#[rustfmt::skip]
const DEBUG: &[&str] = &[
    "process", "file", "io", "mem", "blktrace", "verify", "random", "parse", "diskutil", "job", "mutex", "profile", "time", "net",
    "rate", "compress", "steadystate", "helperthread", "zbd", "sprandom", "all",
];
const NO_LOG: &str = "of that log only bounds of steadystate (parse) and seeds (random) are printed; the run is the same without, its notes tell what was decided, and strace shows each call";
/// Shortest interval between two live lines.
const LEAST: Nanos = Nanos::from_millis(250);
const REMOTE: &str = "load on other machines is not supported yet";
const TRIGGER: &str = "nothing is started while jobs run; start the command beside this one, with timeout or a shell's &, or give exec_postrun";

/// Every command line option.
#[rustfmt::skip]
pub static COMMANDS: &[CommandRow] = &[
    CommandRow::new("debug", Argument::Required).nearly(NO_LOG, "Enables fio's own log.", debug),
    takes("parse-only", Argument::None, "Only checks the options.").sets(|c, _| { c.presentation.parse_only = true; Ok(()) }),
    refused("merge-blktrace-only", Argument::None, "traces are not merged; blkparse -d merges those of one device", "Only merges traces."),
    takes("output", Argument::Required, "Writes the result to this file.")
        .sets(|c, value| { c.presentation.output = Some(PathBuf::from(value)); Ok(()) }),
    takes("bandwidth-log", Argument::None, "Writes logs of the bandwidth of all jobs together: agg-read_bw.log and so on.")
        .sets(|c, _| { c.presentation.bandwidth_log = true; Ok(()) }),
    takes("minimal", Argument::None, "Prints the terse format and nothing else.").sets(|c, _| output_format(c, "terse")),
    takes("output-format", Argument::Required, "Formats of the result: normal, terse, json, json+; several separated by commas.").sets(output_format),
    takes("append-terse", Argument::None, "Adds the terse format.").sets(|c, _| { add(&mut c.presentation.formats, Format::Terse); Ok(()) }),
    takes("terse-version", Argument::Required, "Version of the terse format: 2, 3, 4 or 5.").sets(terse_version),
    takes("version", Argument::None, "Prints the version.").with(Some('v')).sets(|c, _| say(c, || format!("{VERSION}\n"))),
    takes("help", Argument::None, "Prints this page.").with(Some('h')).sets(|c, _| say(c, usage)),
    refused("cpuclock-test", Argument::None, "the kernel's monotonic clock serves always", "Tests the CPU's clock."),
    refused("crctest", Argument::Optional, "openssl speed times checksums; verify= uses those that fio knows", "Times checksums."),
    takes("cmdhelp", Argument::Optional, "Explains an option, or lists all.").sets(|c, value| say(c, || reference::command_help(value))),
    takes("enghelp", Argument::Optional, "Lists the engines, or the options of one.").sets(|c, value| { let text = reference::engine_help(value)?; say(c, || text) }),
    takes("showcmd", Argument::None, "Turns job files into command lines.").sets(|c, _| { c.show_command = true; Ok(()) }),
    takes("eta", Argument::Required, "When the live line is shown: always, never or auto.").sets(eta),
    takes("eta-newline", Argument::Required, "Time after which the live line goes on below.")
        .sets(|c, value| { c.presentation.eta_newline = Some(seconds("eta-newline", value)?.max(LEAST)); Ok(()) }),
    takes("eta-interval", Argument::Required, "Time between two live lines.")
        .sets(|c, value| { c.presentation.eta_interval = seconds("eta-interval", value)?.max(LEAST); Ok(()) }),
    takes("status-interval", Argument::Required, "Time between two whole results, each of everything so far.")
        .sets(|c, value| { c.presentation.status_interval = Some(seconds("status-interval", value)?).filter(|time| time.0 > 0); Ok(()) }),
    takes("readonly", Argument::None, "Refuses to write, and to make, extend or remove a file.").sets(|c, _| { c.readonly = true; Ok(()) }),
    takes("section", Argument::Required, "Runs only this section; several may be given.").sets(section),
    takes("alloc-size", Argument::Required, "Size of fio's memory pool; no effect: plimsoll has no such pool."),
    takes("warnings-fatal", Argument::None, "Takes every note on what was asked for an error.")
        .sets(|c, _| { c.notes_are_fatal = true; Ok(()) }),
    takes("max-jobs", Argument::Required, "Most jobs; no effect, as in fio."),
    refused("server", Argument::Optional, REMOTE, "Waits for load from elsewhere."),
    refused("daemonize", Argument::Required, REMOTE, "Waits in the background."),
    refused("client", Argument::Required, REMOTE, "Loads other machines."),
    refused("remote-config", Argument::Required, REMOTE, "Job file on the other machine."),
    takes("idle-prof", Argument::Required, "Tells how idle the CPUs were: system, percpu or none, by /proc/stat.").sets(idle),
    refused("inflate-log", Argument::Required, "logs are plain text here, PREFIX_KIND.N.log, so that there is nothing to unpack; unpack one that fio packed with fio", "Unpacks a log."),
    refused("trigger-file", Argument::Required, TRIGGER, "File that sets off a command."),
    refused("trigger-timeout", Argument::Required, TRIGGER, "Time that sets off a command."),
    refused("trigger", Argument::Required, TRIGGER, "Command that is set off."),
    refused("trigger-remote", Argument::Required, TRIGGER, "Command that is set off elsewhere."),
    takes("aux-path", Argument::Required, "Directory of the states that verify_state_save and verify_state_load name.")
        .sets(|c, value| { c.state_folder = Some(value.to_owned()); Ok(()) }),
    refused("latency-log", Argument::Optional, "give write_lat_log to the job", "Old name of write_lat_log; fio ends with an error."),
    takes(EXACT, Argument::None, "plimsoll's own: as fio does in silence, misreads words, replaces files that are too short, hides stalls.")
        .sets(|c, _| { c.reading = Reading::Exact; c.presentation.stalls = false; Ok(()) }),
    takes(CHECK, Argument::Required, "plimsoll's own: prints where a shortened copy, on files of its own, differs from the fio at this path.")
        .sets(|c, value| { c.check_against = Some(value.to_owned()); Ok(()) }),
];

/// The option that makes every word be read exactly as fio reads it.
pub const EXACT: &str = "fio-exact";
/// The option that compares with the real fio.
const CHECK: &str = "check-against";
/// The options that the real fio lacks; they are not abbreviated, so that fio's own abbreviations keep their meaning.
pub const OWN: [&str; 2] = [EXACT, CHECK];

fn say(commands: &mut Commands, text: impl FnOnce() -> String) -> Result<(), FioError> {
    if commands.say.is_none() {
        commands.say = Some(text());
    }
    Ok(())
}

fn output_format(commands: &mut Commands, value: &str) -> Result<(), FioError> {
    let mut formats = Vec::new();
    for word in value.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let format = match word {
            "normal" => Format::Normal,
            "json" => Format::Json,
            "json+" => Format::JsonPlus,
            "terse" | "minimal" => Format::Terse,
            _ => return Err(FioError::OutputFormat(word.to_owned())),
        };
        add(&mut formats, format);
    }
    if formats.is_empty() {
        return Err(FioError::OutputFormat(value.to_owned()));
    }
    commands.presentation.formats = formats;
    Ok(())
}

fn section(commands: &mut Commands, value: &str) -> Result<(), FioError> {
    if value.starts_with("global") {
        return Err(FioError::GlobalSection);
    }
    commands.sections.push(value.to_owned());
    Ok(())
}

fn idle(commands: &mut Commands, value: &str) -> Result<(), FioError> {
    commands.presentation.idle = match value {
        "none" => None,
        "system" => Some(IdleCpus::Together),
        "percpu" => Some(IdleCpus::Each),
        "calibrate" => {
            return Err(FioError::refused(
                "idle-prof=calibrate",
                "idle time is counted, so there is no unit of work to time",
            ));
        }
        _ => return Err(unread(format!("idle-prof={value}"), "write none, system or percpu".to_owned())),
    };
    Ok(())
}

/// Sets the topics of fio's debug log. fio ignores an unknown topic, with a message; here it is refused.
fn debug(commands: &mut Commands, value: &str) -> Result<(), FioError> {
    let kinds = value.split(',').map(|kind| kind.split(':').next().unwrap_or_default().trim());
    if let Some(other) = kinds.clone().find(|kind| !DEBUG.contains(kind) && *kind != "?" && *kind != "help") {
        let near = options::near::nearest(other, DEBUG.iter().copied());
        let meant = near.map_or_else(String::new, |near| format!("did you mean --debug={near}? "));
        return Err(unread(format!("debug={value}"), format!("{meant}fio knows {}", DEBUG.join(", "))));
    }
    commands.debug = kinds.map(str::to_owned).collect();
    commands.notes.push(format!("--debug={value}: {NO_LOG}"));
    Ok(())
}

/// Sets when the live line is shown. fio silently ignores any unknown word.
fn eta(commands: &mut Commands, value: &str) -> Result<(), FioError> {
    commands.presentation.eta = match value {
        "always" => Eta::Always,
        "never" => Eta::Never,
        "auto" => Eta::Auto,
        _ if commands.reading == Reading::Exact => Eta::Auto,
        _ => return Err(unread(format!("eta={value}"), "write always, never or auto".to_owned())),
    };
    Ok(())
}

fn terse_version(commands: &mut Commands, value: &str) -> Result<(), FioError> {
    commands.presentation.terse = match value.trim() {
        "2" => TerseVersion::V2,
        "3" => TerseVersion::V3,
        "4" => TerseVersion::V4,
        "5" => TerseVersion::V5,
        _ => return Err(FioError::TerseVersion),
    };
    Ok(())
}

fn add(formats: &mut Vec<Format>, format: Format) {
    if !formats.contains(&format) {
        formats.push(format);
    }
}

fn seconds(option: &str, value: &str) -> Result<Nanos, FioError> {
    time(value, TimeUnit::Seconds).map_err(|error| unread(format!("{option}={value}"), error.to_string()))
}

fn unread(text: String, meant: String) -> FioError {
    let typed = Box::new(RefusedOption { text, within: None });
    FioError::Parsing { typed, detail: String::new(), words: &[], meant }
}

/// The page that `--help` prints.
pub fn usage() -> String {
    let mut text = format!("{VERSION}\nfio [options] [job options] <job file(s)>\n");
    for row in COMMANDS.iter().filter(|row| !row.is_refused()) {
        let value = match row.takes {
            Argument::None => "",
            Argument::Required => "=value",
            Argument::Optional | Argument::Word => "[=value]",
        };
        help::line(&mut text, (&format!("  --{}{value}", row.name), 28), row.help);
    }
    text.push_str(&format!(
        "\n{} job options; --cmdhelp=all lists them with what plimsoll makes of each.\n",
        rows::ROWS.len()
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_a_set_and_unknown_ones_are_named() {
        let mut commands = Commands::default();
        output_format(&mut commands, "json,normal,json").unwrap();
        assert_eq!(commands.presentation.formats, [Format::Json, Format::Normal]);
        let error = output_format(&mut commands, "xml").unwrap_err();
        assert_eq!(error.to_string(), "fio: invalid output format xml\nfio: failed parsing output-format");
        output_format(&mut commands, "minimal,terse").unwrap();
        assert_eq!(commands.presentation.formats, [Format::Terse]);
        assert_eq!(terse_version(&mut commands, "7"), Err(FioError::TerseVersion));
    }

    #[test]
    fn the_help_page_fits_the_terminal() {
        for line in usage().lines() {
            assert!(line.chars().count() <= 132, "{line}");
        }
    }
}
