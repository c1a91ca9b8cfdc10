//! `plimsoll lab`: volumes that this kernel throttles.

use std::path::Path;

use record::PATIENCE;
use volumes::lab::{
    LabEntry, LabVolume, Lifetime, MakeOptions, Owner, Removal, default_dir, down, down_own, in_words,
    lift_leftovers, list,
};
use workload::PolicyName;

use crate::arguments::{LabAction, LabArguments};
use session::failure::Failure;
use session::output;
use session::run;
use session::signals::StopFlag;

/// Makes, lists or removes lab volumes.
pub fn run(arguments: &LabArguments) -> Result<u8, Failure> {
    match &arguments.action {
        LabAction::Up { policy, size } => up(policy, size),
        LabAction::Down { device: Some(device) } => one_down(device),
        LabAction::Down { device: None } => own_down(),
        LabAction::List => {
            let lifted = lift_leftovers();
            if lifted > 0 {
                output::people(&format!(
                    "took limits and queue settings that had been left off {lifted} loop device(s)"
                ));
            }
            output::result(&table(&list()))?;
            Ok(0)
        }
    }
}

/// The device alone goes to stdout, so that a script can take it from there.
fn up(policy: &str, size: &str) -> Result<u8, Failure> {
    let name = PolicyName::parse(policy).map_err(Failure::refused)?;
    let size = workload::size(size).map_err(Failure::refused)?;
    let making = MakeOptions { lifetime: Lifetime::UntilDown, stop: StopFlag::on_signals(PATIENCE).shared() };
    let volume = LabVolume::make(&name, (size, &default_dir(size)), &making);
    let volume = volume.map_err(|error| run::no_lab(&error))?;
    output::people(report::wrap("", &volume.describe()).trim_end());
    for note in volume.notes() {
        output::people(report::wrap("  ", note).trim_end());
    }
    output::result(&format!("{}\n", volume.device().display()))?;
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

fn table(entries: &[LabEntry]) -> String {
    if entries.is_empty() {
        return "no lab volume is there; make one with: plimsoll lab up POLICY\n".to_owned();
    }
    let line = |entry: &LabEntry| {
        let limits = in_words(&entry.in_force);
        format!(
            "{:<14} {:>9}  {}  ({limits})\n",
            entry.device.display().to_string(),
            entry.size.to_string(),
            entry.policy
        )
    };
    entries.iter().map(line).collect()
}
