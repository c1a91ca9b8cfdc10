//! Sets up everything that a run needs: opens and guards the target, reads facts about it and the machine, and makes
//! the runner.

use std::path::Path;
use std::sync::Arc;

use experiments::{Layout, Writes};
use kernel::guard::Destruction;
use record::{HostFacts, TargetFacts, TargetKind};
use volumes::SimulatedVolume;
use volumes::lab::{LabError, LabVolume, Lifetime, MakeOptions, default_dir};
use workload::{Bytes, Nanos, PolicyName, Target};

use crate::opening::{OpenTarget, OpenTargetError, Wish, open_own_device, open_path};
use crate::runner::{NullRunner, RealRunner, Runner, VirtualRunner};

/// Size of a lab volume that is made for one run.
const LAB_SIZE: Bytes = Bytes::GIB;
/// Region of offsets on the null target; nothing is stored.
const NULL_SIZE: Bytes = Bytes::GIB;

/// Everything a run needs, ready.
pub struct Setup {
    /// Facts about the machine.
    pub host: HostFacts,
    /// Facts about the target.
    pub facts: TargetFacts,
    /// Whether writes are measured.
    pub writes: Writes,
    /// Data to be written before reads are measured.
    pub layout: Layout,
    /// Data that will be destroyed.
    pub destruction: Option<Destruction>,
    /// Runner of the steps.
    pub runner: Box<dyn Runner>,
    /// Lab volumes to be taken down with the setup, after the runner has closed them.
    pub(crate) labs: Vec<LabVolume>,
}

impl Setup {
    /// Returns what its lab volumes are not like those of the provider.
    pub fn lab_notes(&self) -> impl Iterator<Item = &str> {
        self.labs.iter().flat_map(LabVolume::notes).map(String::as_str)
    }

    /// Returns a setup for an existing runner on the target with these facts; no step lays anything out.
    pub fn of_runner(runner: Box<dyn Runner>, facts: TargetFacts) -> Setup {
        let writes = if facts.reads_only { Writes::LeftOut } else { Writes::Measured };
        Setup {
            host: host(),
            facts,
            writes,
            layout: Layout::None,
            destruction: None,
            runner,
            labs: Vec::new(),
        }
    }

    /// Whether the target runs in virtual time.
    pub fn is_virtual(&self) -> bool {
        self.facts.kind == TargetKind::Simulated
    }
}

/// Why a setup could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The target cannot be measured.
    #[error(transparent)]
    Target(#[from] OpenTargetError),
    /// The simulated volume cannot be made.
    #[error(transparent)]
    Simulation(#[from] volumes::SimError),
    /// The lab volume cannot be made.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// Simulated and real volumes are mixed, although virtual and real time cannot be combined.
    #[error(
        "{simulated} runs in virtual time and {real} in real time, so they cannot be loaded together; name simulated volumes \
         alone, or none"
    )]
    Mixed {
        /// A simulated one.
        simulated: String,
        /// A real one.
        real: String,
    },
    /// There is nothing to measure on.
    #[error(
        "null: has no latency and no limit, so there is nothing to check; measure it with: plimsoll fio --ioengine=null"
    )]
    Null,
    /// An option has no meaning for this kind of target.
    #[error("{option} has no meaning for {target}; leave it out")]
    Option {
        /// The option.
        option: &'static str,
        /// The target.
        target: String,
    },
}

/// Opens `target`, typed as `words`, and prepares everything; a lab volume is made here.
///
/// # Errors
/// [`SetupError`]; no file and no volume is left behind.
pub fn set_up(target: &Target, words: &str, wish: &Wish) -> Result<Setup, SetupError> {
    if wish.allow_destroy.is_some() && !matches!(target, Target::Path(_)) {
        return Err(SetupError::Option { option: "--allow-destroy", target: words.to_owned() });
    }
    match target {
        Target::Path(path) => Ok(real(open_path(path, words, wish)?, path, None)),
        Target::Lab(name) => lab(name, words, wish),
        Target::Sim(name) => simulated(name, words),
        Target::Null => Err(SetupError::Null),
    }
}

/// Sets up like [`set_up`], for a watch with a sample every `every`: a simulated volume then keeps counters, and is
/// sampled in virtual time as the only device of its machine.
///
/// # Errors
/// [`SetupError`]; no file and no volume is left behind.
pub fn set_up_watch(target: &Target, words: &str, wish: &Wish, every: Nanos) -> Result<Setup, SetupError> {
    let mut setup = set_up(target, words, wish)?;
    if let Target::Sim(name) = target {
        let volume = SimulatedVolume::new(name)?;
        setup.facts.devices = vec![VirtualRunner::device(volume.size())];
        setup.runner = Box::new(VirtualRunner::sampled(volume, every));
    }
    Ok(setup)
}

/// Returns a setup on the null target, which shows the speed of the generator itself.
pub fn null_setup() -> Setup {
    Setup {
        host: host(),
        facts: TargetFacts::made_up("null:", TargetKind::Null, NULL_SIZE),
        writes: Writes::Measured,
        layout: Layout::None,
        destruction: None,
        runner: Box::new(NullRunner::new(NULL_SIZE)),
        labs: Vec::new(),
    }
}

pub(crate) fn host() -> HostFacts {
    sampler::host_facts(&sampler::Root::real())
}

fn real(opened: OpenTarget, path: &Path, lab: Option<LabVolume>) -> Setup {
    let OpenTarget { facts, file, size, writes, layout, destruction } = opened;
    let devices: Vec<String> = facts.devices.iter().map(|device| device.name.clone()).collect();
    let runner = RealRunner::new(file, path.to_owned(), size, &devices);
    Setup {
        host: host(),
        facts,
        writes,
        layout,
        destruction,
        runner: Box::new(runner),
        labs: lab.into_iter().collect(),
    }
}

fn lab(name: &PolicyName, words: &str, wish: &Wish) -> Result<Setup, SetupError> {
    let (opened, volume) = make_lab(name, words, wish)?;
    let path = volume.device().to_owned();
    Ok(real(opened, &path, Some(volume)))
}

/// Makes the lab volume of this name and opens it.
pub(crate) fn make_lab(
    name: &PolicyName,
    words: &str,
    wish: &Wish,
) -> Result<(OpenTarget, LabVolume), SetupError> {
    let size = wish.size.unwrap_or(LAB_SIZE);
    let making = MakeOptions { lifetime: Lifetime::ThisRun, stop: Arc::clone(&wish.stop) };
    let volume = LabVolume::make(name, (size, &default_dir(size)), &making)?;
    let mut opened = open_own_device(volume.device(), words, wish.size)?;
    // The layers below a lab volume are part of the lab, so doubts about them are dropped.
    opened.facts.doubts.clear();
    // The volume was filled before its credits began to count; laying it out again would spend some.
    opened.layout = Layout::None;
    Ok((opened, volume))
}

fn simulated(name: &PolicyName, words: &str) -> Result<Setup, SetupError> {
    let volume = SimulatedVolume::new(name)?;
    let facts = TargetFacts::made_up(words, TargetKind::Simulated, volume.size());
    Ok(Setup {
        host: host(),
        facts,
        writes: Writes::Measured,
        layout: Layout::None,
        destruction: None,
        runner: Box::new(VirtualRunner::new(volume)),
        labs: Vec::new(),
    })
}
