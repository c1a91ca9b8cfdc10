//! The scene of a run: the target opened and guarded, the facts about it and the machine, and the stage it runs on.

use std::path::Path;
use std::sync::Arc;

use kernel::guard::Destruction;
use record::{HostFacts, TargetFacts, TargetKind};
use volumes::SimulatedVolume;
use volumes::lab::{LabError, LabVolume, Lifetime, Making, default_dir};
use workload::{Bytes, Nanos, PolicyName, Target};

use crate::check::{Layout, Writes};
use crate::conductor::Stage;
use crate::stage::{NullStage, RealStage, VirtualStage};
use crate::target::{OpenTarget, OpenTargetError, Wish, open_own_device, open_path};
use crate::watch::SampledStage;

/// Size of a lab volume that is made for one run.
const LAB_SIZE: Bytes = Bytes::GIB;
/// Region of offsets on null; nothing is stored.
const NULL_SIZE: Bytes = Bytes::GIB;

/// Everything a run needs, ready.
pub struct Scene {
    /// The machine.
    pub host: HostFacts,
    /// The target.
    pub facts: TargetFacts,
    /// Whether writes are measured.
    pub writes: Writes,
    /// What is written before reads are measured.
    pub layout: Layout,
    /// What will be destroyed.
    pub destruction: Option<Destruction>,
    /// Where steps run.
    pub stage: Box<dyn Stage>,
    /// A lab volume that goes with the scene, after the stage has closed it.
    _lab: Option<LabVolume>,
}

impl Scene {
    /// A scene of a stage that was set elsewhere, on the target with these facts; nothing is laid out by a step.
    pub fn of_stage(stage: Box<dyn Stage>, facts: TargetFacts) -> Scene {
        let writes = if facts.reads_only { Writes::LeftOut } else { Writes::Measured };
        Scene { host: host(), facts, writes, layout: Layout::None, destruction: None, stage, _lab: None }
    }

    /// Whether time is virtual here.
    pub fn is_virtual(&self) -> bool {
        self.facts.kind == TargetKind::Simulated
    }
}

/// Why a scene could not be set.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// The target cannot be measured.
    #[error(transparent)]
    Target(#[from] OpenTargetError),
    /// The simulated volume cannot be made.
    #[error(transparent)]
    Simulation(#[from] volumes::SimError),
    /// The lab volume cannot be made.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// There is nothing to measure on.
    #[error(
        "null: has no latency and no limit, so there is nothing to check; measure it with: plimsoll fio --ioengine=null"
    )]
    Null,
    /// Options that this kind of target does not know.
    #[error("{option} has no meaning for {target}; leave it out")]
    Option {
        /// The option.
        option: &'static str,
        /// The target.
        target: String,
    },
}

/// Opens `target`, typed as `words`, and makes everything ready; a lab volume is made here.
///
/// # Errors
/// [`SceneError`]; nothing is left behind.
pub fn set_scene(target: &Target, words: &str, wish: &Wish) -> Result<Scene, SceneError> {
    if wish.allow_destroy.is_some() && !matches!(target, Target::Path(_)) {
        return Err(SceneError::Option { option: "--allow-destroy", target: words.to_owned() });
    }
    match target {
        Target::Path(path) => Ok(real(open_path(path, words, wish)?, path, None)),
        Target::Lab(name) => lab(name, words, wish),
        Target::Sim(name) => simulated(name, words),
        Target::Null => Err(SceneError::Null),
    }
}

/// As [`set_scene`], for a watch with samples `every` so much time: a simulated volume then counts what it does, and is
/// sampled in virtual time as the one device of its machine.
///
/// # Errors
/// [`SceneError`]; nothing is left behind.
pub fn set_watch_scene(target: &Target, words: &str, wish: &Wish, every: Nanos) -> Result<Scene, SceneError> {
    let mut scene = set_scene(target, words, wish)?;
    if let Target::Sim(name) = target {
        let volume = SimulatedVolume::new(name)?;
        scene.facts.devices = vec![SampledStage::device(volume.size())];
        scene.stage = Box::new(SampledStage::new(volume, every));
    }
    Ok(scene)
}

/// A scene with nothing behind it: what the generator itself can do.
pub fn null_scene() -> Scene {
    Scene {
        host: host(),
        facts: TargetFacts::made_up("null:", TargetKind::Null, NULL_SIZE),
        writes: Writes::Measured,
        layout: Layout::None,
        destruction: None,
        stage: Box::new(NullStage::new(NULL_SIZE)),
        _lab: None,
    }
}

fn host() -> HostFacts {
    sampler::host_facts(&sampler::Root::real())
}

fn real(opened: OpenTarget, path: &Path, lab: Option<LabVolume>) -> Scene {
    let OpenTarget { facts, file, size, writes, layout, destruction } = opened;
    let devices: Vec<String> = facts.devices.iter().map(|device| device.name.clone()).collect();
    let stage = RealStage::new(file, path.to_owned(), size, &devices);
    Scene { host: host(), facts, writes, layout, destruction, stage: Box::new(stage), _lab: lab }
}

fn lab(name: &PolicyName, words: &str, wish: &Wish) -> Result<Scene, SceneError> {
    let size = wish.size.unwrap_or(LAB_SIZE);
    let making = Making { lifetime: Lifetime::ThisRun, stop: Arc::clone(&wish.stop) };
    let volume = LabVolume::make(name, (size, &default_dir(size)), &making)?;
    let path = volume.device().to_owned();
    let mut opened = open_own_device(&path, words, wish.size)?;
    // What lies below the stack is the lab's own affair: its doubts are notes here.
    opened.facts.doubts.clear();
    Ok(real(opened, &path, Some(volume)))
}

fn simulated(name: &PolicyName, words: &str) -> Result<Scene, SceneError> {
    let volume = SimulatedVolume::new(name)?;
    let facts = TargetFacts::made_up(words, TargetKind::Simulated, volume.size());
    Ok(Scene {
        host: host(),
        facts,
        writes: Writes::Measured,
        layout: Layout::None,
        destruction: None,
        stage: Box::new(VirtualStage::new(volume)),
        _lab: None,
    })
}
