//! What targets are loaded with in turns: a profile, built in or the user's own.

use std::path::Path;

use experiments::{Profile, Step};
use session::failure::Failure;
use workload::{Bytes, Nanos, StopRule};

use crate::arguments::TurnsArguments;

/// What is run unless something else is named.
const USUAL: &str = "side-by-side";

/// A load that can be run once a block.
pub struct Load {
    /// What errors call it.
    pub name: String,
    /// Bytes to measure on, where a region is made.
    pub size: Option<Bytes>,
    /// Never empty.
    pub steps: Vec<Step>,
}

/// The load that `word` names.
pub fn load(word: Option<&str>, arguments: &TurnsArguments) -> Result<Load, Failure> {
    let word = word.unwrap_or(USUAL);
    let profile = if is_profile_file(word) {
        let text = std::fs::read_to_string(word).map_err(|error| {
            Failure::refused(format!("{word}: cannot be read: {error}; name a profile written in TOML"))
        })?;
        Profile::read(word, &text).map_err(Failure::refused)?
    } else {
        Profile::builtin(word).map_err(Failure::refused)?
    };
    let steps = profile.steps.iter().map(experiments::ProfileStep::step).collect();
    let load = Load { name: profile.name.clone(), size: profile.size, steps };
    let turn = arguments.turn.as_deref().map(workload::duration).transpose().map_err(Failure::refused)?;
    match turn {
        Some(Nanos(0)) => Err(Failure::refused("--turn 0 measures nothing; give each turn a second or more")),
        Some(turn) => Ok(lasting(load, turn)),
        None => Ok(load),
    }
}

fn is_profile_file(word: &str) -> bool {
    word.contains('/') || Path::new(word).extension().is_some_and(|end| end == "toml")
}

fn lasting(mut load: Load, turn: Nanos) -> Load {
    load.steps.iter_mut().for_each(|step| step.workload.stop = vec![StopRule::Time(turn)]);
    load
}
