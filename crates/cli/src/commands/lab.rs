//! `plimsoll lab`: volumes that this kernel throttles.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use record::PATIENCE;
use schemars::JsonSchema;
use serde::Serialize;
use volumes::lab::{
    LabEntry, LabVolume, Lifetime, MakeOptions, Owner, Removal, default_dir, down, down_own, in_words, keep,
    lift_leftovers, list,
};
use workload::{Bytes, PolicyName};

use crate::arguments::{Format, LabAction, LabArguments};
use crate::commands::own;
use session::command::Running;
use session::failure::Failure;
use session::output;
use session::run;
use session::signals::StopFlag;

/// Environment variable that holds the device for a command.
const DEVICE: &str = "PLIMSOLL_DEVICE";

/// Lab volumes.
#[derive(Serialize, JsonSchema)]
pub(super) struct LabDocument<'v> {
    /// Each lab volume.
    volumes: Vec<VolumeRow<'v>>,
}

/// A lab volume.
#[derive(Serialize, JsonSchema)]
struct VolumeRow<'v> {
    /// Path of the device.
    device: String,
    /// Size of the volume, bytes.
    size: Bytes,
    /// Policy with its parameters.
    policy: &'v str,
    /// Limits that the kernel has now, in words.
    in_force: String,
    /// Share of credits that is left (0 to 1); `null` if there is no bucket.
    credits_share: Option<f64>,
}

/// Makes, lists or removes lab volumes.
pub fn run(arguments: &LabArguments) -> Result<u8, Failure> {
    match &arguments.action {
        LabAction::Up { policy, size, speed } => up(&named(policy, speed.as_deref())?, size),
        LabAction::Run { policy, size, speed, command } => {
            run_on(&named(policy, speed.as_deref())?, size, command)
        }
        LabAction::Keep { device, policy } => kept(device, policy),
        LabAction::Down { device: Some(device) } => one_down(device),
        LabAction::Down { device: None } => own_down(),
        LabAction::List { format } => {
            let lifted = lift_leftovers();
            if lifted > 0 {
                output::people(&format!(
                    "took limits and queue settings that had been left off {lifted} loop device(s)"
                ));
            }
            output::result(&match format {
                Format::Text => table(&list()),
                Format::Json => document(&list()),
            })?;
            Ok(0)
        }
    }
}

/// Makes a volume that lasts; only the device goes to stdout, so that a script can read it.
fn up(name: &PolicyName, size: &str) -> Result<u8, Failure> {
    let size = workload::size(size).map_err(Failure::refused)?;
    let making = MakeOptions { lifetime: Lifetime::UntilDown, stop: StopFlag::on_signals(PATIENCE).shared() };
    let volume = LabVolume::make(name, (size, &default_dir(size)), &making);
    let volume = volume.map_err(|error| run::no_lab(&error))?;
    if volume.speed().is_some() {
        // The keeper starts before the volume is made permanent, so that a kill leaves no volume without a keeper.
        start_keeper(volume.device(), name)?;
    }
    let volume = volume.stay().map_err(|error| run::no_lab(&error))?;
    tell(&volume);
    output::result(&format!("{}\n", volume.device().display()))?;
    Ok(0)
}

/// Prints a description of the volume, and notes about it.
fn tell(volume: &LabVolume) {
    output::people(report::wrap("", &volume.describe()).trim_end());
    for note in volume.notes() {
        output::people(report::wrap("  ", note).trim_end());
    }
}

/// Makes a volume, runs the command on it, and takes it down; returns the command's exit code.
fn run_on(name: &PolicyName, size: &str, command: &[OsString]) -> Result<u8, Failure> {
    let size = workload::size(size).map_err(Failure::refused)?;
    let stop = StopFlag::before_a_command(PATIENCE);
    let making = MakeOptions { lifetime: Lifetime::ThisRun, stop: stop.shared() };
    let volume = LabVolume::make(name, (size, &default_dir(size)), &making);
    let volume = volume.map_err(|error| run::no_lab(&error))?;
    tell(&volume);
    let device = volume.device().as_os_str();
    let words: Vec<OsString> = command.iter().map(|word| with_device(word, device)).collect();
    let running = Running::start(&words, &[(DEVICE, device.to_owned())])?;
    let code = running.wait(&|| ())?;
    drop(volume);
    Ok(u8::try_from(code).unwrap_or(u8::MAX))
}

/// Replaces each `{}` in the word by the device.
fn with_device(word: &OsStr, device: &OsStr) -> OsString {
    let parts: Vec<&[u8]> = split_at_braces(word.as_bytes());
    OsString::from_vec(parts.join(device.as_bytes()))
}

fn split_at_braces(word: &[u8]) -> Vec<&[u8]> {
    match word.windows(2).position(|pair| pair == b"{}") {
        None => vec![word],
        Some(at) => [vec![&word[..at]], split_at_braces(&word[at + 2..])].concat(),
    }
}

/// Reads the policy, and the speed at which its credits drain.
fn named(policy: &str, speed: Option<&str>) -> Result<PolicyName, Failure> {
    let mut name = own::policy(policy)?;
    name.parameters.extend(speed.map(|speed| ("speed".to_owned(), speed.to_owned())));
    Ok(name)
}

/// Line that the keeper prints once it has begun.
const BEGUN: &str = "begun";

/// Starts the process that controls the volume on `device` from now on, in a separate process group, so that Ctrl-C
/// in this terminal does not reach it.
fn start_keeper(device: &Path, name: &PolicyName) -> Result<(), Failure> {
    let failed = |why: String| Failure::failed(format!("the credits of the volume cannot be kept: {why}"));
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new(program);
    command.args(["lab", "keep"]).arg(device).arg(name.to_string());
    command.process_group(0).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut keeper = command.spawn().map_err(|error| failed(error.to_string()))?;
    let mut said = String::new();
    let heard = keeper.stdout.take().map(|words| BufReader::new(words).read_line(&mut said));
    if heard.is_some_and(|heard| heard.is_ok()) && said.trim() == BEGUN {
        return Ok(());
    }
    let ended = keeper.wait_with_output().map_err(|error| failed(error.to_string()))?;
    Err(failed(String::from_utf8_lossy(&ended.stderr).trim().to_owned()))
}

/// Runs the keeper itself.
fn kept(device: &Path, policy: &str) -> Result<u8, Failure> {
    let name = own::policy(policy)?;
    // The process that started the keeper may be gone by then; an error is ignored.
    let begun = || drop(output::result(&format!("{BEGUN}\n")));
    keep(device, &name, begun).map_err(Failure::refused)?;
    Ok(0)
}

fn one_down(device: &Path) -> Result<u8, Failure> {
    let removal = down(device).map_err(Failure::refused)?;
    output::people(&format!("{} {}", device.display(), words(removal)));
    Ok(0)
}

fn own_down() -> Result<u8, Failure> {
    let gone = down_own().map_err(Failure::refused)?;
    for entry in list().iter().filter(|entry| entry.lifetime == Lifetime::UntilDown) {
        if let Owner::Other(user) = entry.owner {
            let device = entry.device.display();
            output::people(&format!(
                "{device} stays: user {user} has made it; plimsoll lab down {device} takes it down"
            ));
        }
    }
    if gone.is_empty() {
        output::people("no lab volume of yours is there");
    }
    for (entry, removal) in gone {
        output::people(&format!("{} {}", entry.device.display(), words(removal)));
    }
    Ok(0)
}

fn words(removal: Removal) -> &'static str {
    match removal {
        Removal::Complete => "is gone, with its data",
        Removal::WhenClosed => "goes when the process that has it open closes it",
    }
}

/// Returns the volumes as one JSON document.
fn document(entries: &[LabEntry]) -> String {
    let volumes = entries.iter().map(|entry| VolumeRow {
        device: entry.device.display().to_string(),
        size: entry.size,
        policy: &entry.policy,
        in_force: in_words(&entry.in_force),
        credits_share: entry.credits.map(|left| f64::from(left) / 1000.0),
    });
    report::document_json("lab", &LabDocument { volumes: volumes.collect() })
}

fn table(entries: &[LabEntry]) -> String {
    if entries.is_empty() {
        return "no lab volume is there; make one with: plimsoll lab up POLICY\n".to_owned();
    }
    let line = |entry: &LabEntry| {
        let credits =
            entry.credits.map(|left| format!("; {:.1} % of its credits left", f64::from(left) / 10.0));
        let limits = in_words(&entry.in_force) + &credits.unwrap_or_default();
        format!(
            "{:<14} {:>9}  {}  ({limits})\n",
            entry.device.display().to_string(),
            entry.size.to_string(),
            entry.policy
        )
    };
    entries.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_stands_for_each_pair_of_braces() {
        for (word, said) in [
            ("if={}", "if=/dev/loop1"),
            ("{},{}", "/dev/loop1,/dev/loop1"),
            ("{ }", "{ }"),
            ("", ""),
            ("{{}}", "{/dev/loop1}"),
        ] {
            assert_eq!(with_device(OsStr::new(word), OsStr::new("/dev/loop1")), said, "{word}");
        }
    }
}
