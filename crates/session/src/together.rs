//! Several targets as one: each opened and guarded as if alone, all loaded at the same time by one runner.

use experiments::{Layout, Writes};
use kernel::guard::Destruction;
use record::{DeviceFacts, TargetFacts, TargetKind};
use volumes::SimulatedGroup;
use volumes::lab::LabVolume;
use workload::{Bytes, PolicyName, Target};

use crate::failure::Failure;
use crate::opening::{OpenTarget, Wish, open_path};
use crate::run::not_set;
use crate::runner::{RealRunner, RealVolume, VirtualRunner};
use crate::setup::{Setup, SetupError, make_lab};
use crate::signals::StopFlag;
use crate::watchdog;

/// A target among several.
#[derive(Clone, Debug)]
pub struct Volume {
    /// Label, which is the name of the jobs that load this volume.
    pub label: String,
    /// The target.
    pub target: Target,
    /// The target as typed.
    pub words: String,
    /// The user's options for the target.
    pub wish: Wish,
}

/// Several targets, ready.
pub struct Together {
    /// All of them as one; writes are measured if every one of them may be written.
    pub setup: Setup,
    /// Layout of each target before reads are measured.
    pub layouts: Vec<Layout>,
    /// Data that will be destroyed.
    pub destructions: Vec<Destruction>,
    /// Devices below each target, topmost first.
    pub devices: Vec<Vec<String>>,
}

/// Opens all of `volumes`, each by the rules that apply to it alone.
///
/// # Errors
/// A target cannot be measured, or simulated targets are mixed with real ones.
pub fn set_up_together(volumes: &[Volume], stop: &StopFlag) -> Result<Together, Failure> {
    if let Some(null) = volumes.iter().find(|volume| volume.target == Target::Null) {
        let words = &null.words;
        return Err(Failure::refused(format!(
            "{words} has no limit, so there is nothing to share; leave it out"
        )));
    }
    let simulated = |volume: &&Volume| matches!(volume.target, Target::Sim(_));
    let made_up = volumes.iter().find(simulated);
    let real = volumes.iter().find(|volume| !simulated(volume));
    match (made_up, real) {
        (Some(one), Some(other)) => {
            let mixed = SetupError::Mixed { simulated: one.words.clone(), real: other.words.clone() };
            Err(not_set(&mixed))
        }
        (Some(_), None) => in_virtual_time(volumes).map_err(|error| not_set(&error)),
        _ => on_this_machine(volumes, stop),
    }
}

fn in_virtual_time(volumes: &[Volume]) -> Result<Together, SetupError> {
    if let Some(volume) = volumes.iter().find(|volume| volume.wish.allow_destroy.is_some()) {
        return Err(SetupError::Option { option: "--allow-destroy", target: volume.words.clone() });
    }
    let names: Vec<PolicyName> = volumes.iter().filter_map(|volume| simulated_name(&volume.target)).collect();
    let labels: Vec<String> = volumes.iter().map(|volume| volume.label.clone()).collect();
    let group = SimulatedGroup::new(&names)?;
    let facts = TargetFacts::made_up(&all_words(volumes), TargetKind::Simulated, group.size());
    let setup = Setup::of_runner(Box::new(VirtualRunner::on(group, &labels)), facts);
    let none = vec![Layout::None; volumes.len()];
    Ok(Together { setup, layouts: none, destructions: Vec::new(), devices: vec![Vec::new(); volumes.len()] })
}

fn simulated_name(target: &Target) -> Option<PolicyName> {
    match target {
        Target::Sim(name) => Some(name.clone()),
        Target::Path(_) | Target::Lab(_) | Target::Null => None,
    }
}

/// Opens the volumes, which exist on this machine, and makes a runner that loads them together.
fn on_this_machine(volumes: &[Volume], stop: &StopFlag) -> Result<Together, Failure> {
    let mut opened = Vec::new();
    let mut labs = Vec::new();
    for volume in volumes {
        let (target, lab) = open(volume, stop)?;
        opened.push(target);
        labs.extend(lab);
    }
    let layouts = opened.iter().map(|target| target.layout).collect();
    let devices: Vec<Vec<String>> = opened.iter().map(|target| names(&target.facts.devices)).collect();
    let facts = as_one(volumes, &opened);
    let any_read_only = opened.iter().any(|target| target.writes == Writes::LeftOut);
    let destructions = opened.iter_mut().filter_map(|target| target.destruction.take()).collect();
    let device_names = names(&facts.devices);
    let real = volumes.iter().zip(opened).map(|(volume, target)| RealVolume {
        label: volume.label.clone(),
        path: shown_as(volume, &labs),
        size: target.size,
        file: target.file,
    });
    let mut setup = Setup::of_runner(Box::new(RealRunner::on(real.collect(), &device_names)), facts);
    setup.writes = if any_read_only { Writes::LeftOut } else { Writes::Measured };
    setup.labs = labs.into_iter().map(|(_, lab)| lab).collect();
    Ok(Together { setup, layouts, destructions, devices })
}

/// Returns the path by which plans name a volume, unique among the volumes.
fn shown_as(volume: &Volume, labs: &[(String, LabVolume)]) -> std::path::PathBuf {
    let lab = labs.iter().find(|(label, _)| *label == volume.label).map(|(_, lab)| lab.device().to_owned());
    match &volume.target {
        Target::Path(path) => path.clone(),
        Target::Lab(_) | Target::Sim(_) | Target::Null => lab.unwrap_or_default(),
    }
}

/// A target that was opened, and the lab volume that was made for it, with its label.
type TogetherTarget = (OpenTarget, Option<(String, LabVolume)>);

fn open(volume: &Volume, stop: &StopFlag) -> Result<TogetherTarget, Failure> {
    let wish = Wish { stop: stop.shared(), ..volume.wish.clone() };
    if wish.allow_destroy.is_some() && !matches!(volume.target, Target::Path(_)) {
        return Err(not_set(&SetupError::Option { option: "--allow-destroy", target: volume.words.clone() }));
    }
    match &volume.target {
        Target::Path(path) => {
            let open = || open_path(path, &volume.words, &wish).map_err(|error| not_set(&error.into()));
            let opened = watchdog::over(&format!("opening {}", path.display()), stop, open)?;
            Ok((opened, None))
        }
        Target::Lab(name) => {
            let (opened, lab) = make_lab(name, &volume.words, &wish).map_err(|error| not_set(&error))?;
            Ok((opened, Some((volume.label.clone(), lab))))
        }
        Target::Sim(_) | Target::Null => Err(not_set(&SetupError::Null)),
    }
}

fn names(devices: &[DeviceFacts]) -> Vec<String> {
    devices.iter().map(|device| device.name.clone()).collect()
}

/// Combines the facts of all as if they were one target.
fn as_one(volumes: &[Volume], opened: &[OpenTarget]) -> TargetFacts {
    let mut facts: Vec<TargetFacts> = opened.iter().map(|target| target.facts.clone()).collect();
    let mut one = facts.remove(0);
    one.words = all_words(volumes);
    for other in facts {
        let new = |device: &DeviceFacts| !one.devices.iter().any(|known| known.name == device.name);
        let devices: Vec<DeviceFacts> = other.devices.iter().filter(|device| new(device)).cloned().collect();
        one.devices.extend(devices);
        one.available = Bytes(one.available.0 + other.available.0);
        one.direct_alignment = one.direct_alignment.max(other.direct_alignment);
        one.reads_only |= other.reads_only;
        let doubts: Vec<_> = other.doubts.into_iter().filter(|doubt| !one.doubts.contains(doubt)).collect();
        one.doubts.extend(doubts);
    }
    one
}

/// Lists the targets as typed, each after its label.
fn all_words(volumes: &[Volume]) -> String {
    let words: Vec<String> =
        volumes.iter().map(|volume| format!("{}: {}", volume.label, volume.words)).collect();
    words.join(", ")
}
