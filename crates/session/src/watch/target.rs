//! Scope of a watch: the devices that are sampled and, with load cycles, the load and its target.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use experiments::{Layout, PlannedPhase, WatchLoad, Writes};
use kernel::PathKind;
use record::{DeviceFacts, DeviceNode, Run, TargetDoubt, TargetFacts, TargetKind};
use sampler::Root;
use workload::{Bytes, Nanos, Target};

use super::devices::{DeviceWish, WatchedDevices, choose, described};
use crate::failure::Failure;
use crate::opening::{Wish, WriteTarget, leave_to_write};
use crate::output;
use crate::phases::check_phases;
use crate::run;
use crate::runner::Runner;
use crate::setup::{Setup, set_up_watch};
use crate::signals::StopFlag;
use crate::watchdog;

/// Least size of a region for a measurement, in bytes.
const REGION_LEAST: u64 = 64 << 20;

/// A load that the user requests, and its target.
pub struct LoadWish<'a> {
    /// The load, as typed.
    pub words: &'a str,
    /// The load.
    pub load: WatchLoad,
    /// Load and idle phases.
    pub phases: &'a [PlannedPhase],
    /// Time between two samples.
    pub every: Nanos,
    /// Target of the load.
    pub on: LoadTarget<'a>,
    /// Bytes to lay out and load, if the user gave a size.
    pub size: Option<Bytes>,
    /// Highest offset that the jobs reach, if they state one.
    pub reach: Option<Bytes>,
    /// The block device that may be destroyed.
    pub allow_destroy: Option<&'a Path>,
}

/// Target of a load.
pub enum LoadTarget<'a> {
    /// A target as typed, and as read.
    Named(&'a str, &'a Target),
    /// The files that the jobs of the load name.
    Own {
        /// Returns a runner of steps on these files, given the devices that hold them.
        runner: &'a dyn Fn(Vec<String>) -> Box<dyn Runner>,
        /// Bytes that must be laid out in these files.
        lacking: Bytes,
    },
}

/// A load on its open target.
pub struct OpenLoad {
    /// The load.
    pub load: WatchLoad,
    /// The opened target and its runner.
    pub setup: Setup,
    /// Bytes that must be laid out in the job's own files before the first phase.
    pub lacking: Bytes,
}

/// Everything that a watch observes.
pub struct WatchScope {
    /// The devices that are sampled.
    pub devices: WatchedDevices,
    /// Every device of the machine, with the devices below it.
    tree: Vec<DeviceNode>,
    /// Doubts about devices that do not answer.
    doubts: Vec<TargetDoubt>,
    /// The load, if there is one.
    pub load: Option<OpenLoad>,
}

impl WatchScope {
    /// Chooses the devices to watch on a machine without starting a load. If `command` is to be run, these include the
    /// devices on which the working folder lies and everything that the command's arguments name.
    ///
    /// # Errors
    /// A device does not exist.
    pub fn machine(wish: &DeviceWish, command: &[OsString]) -> Result<WatchScope, Failure> {
        let root = Root::real();
        let here = (!command.is_empty()).then(|| OsString::from("."));
        let mut always = under(here.iter().chain(command));
        if wish.named.is_empty() {
            // A limit that this machine sets is a reason to wait, whatever kind of device it is set on.
            let known = sampler::known_devices(&root);
            let limited = sampler::local_limits(&root).into_iter().map(|limit| limit.device);
            always.extend(limited.filter(|device| known.contains(device)));
        }
        let devices = choose(&root, wish, &always)?;
        let (tree, doubts) = sampler::device_tree_and_doubts(&root);
        Ok(WatchScope { devices, tree: described(tree, &wish.described)?, doubts, load: None })
    }

    /// Opens the target of `load`, and chooses the devices to watch.
    ///
    /// # Errors
    /// The target cannot take such a load, or a device does not exist.
    pub fn under_load(wish: &DeviceWish, load: LoadWish<'_>, stop: &StopFlag) -> Result<WatchScope, Failure> {
        let open = || load.open(stop);
        let setup = match &load.on {
            // Without the watchdog: making a lab volume takes long.
            LoadTarget::Named(_, Target::Lab(_) | Target::Sim(_)) => open()?,
            _ => watchdog::over("opening what is loaded", stop, open)?,
        };
        let under: Vec<String> = setup.facts.devices.iter().map(|device| device.name.clone()).collect();
        let root = Root::real();
        let (devices, (tree, doubts)) = match setup.is_virtual() {
            true => (WatchedDevices::only(under), (made_up(&setup.facts.devices), Vec::new())),
            false => (choose(&root, wish, &under)?, sampler::device_tree_and_doubts(&root)),
        };
        let tree = described(tree, &wish.described)?;
        let load = load.fitted(setup)?;
        Ok(WatchScope { devices, tree, doubts, load: Some(load) })
    }

    /// Target as typed, from which the name of the run file is made; empty without a load.
    pub fn target_words(&self) -> &str {
        self.setup().map_or("", |setup| &setup.facts.words)
    }

    /// The opened target of the load, if there is one.
    pub(super) fn setup(&self) -> Option<&Setup> {
        self.load.as_ref().map(|open| &open.setup)
    }

    /// The devices under the load; empty without one.
    pub fn loaded_devices(&self) -> &[DeviceFacts] {
        self.setup().map_or(&[], |setup| &setup.facts.devices)
    }

    /// Waits until the target of a load is idle, and refuses one that others are using.
    ///
    /// # Errors
    /// The target is in use, or a stop was requested.
    pub fn wait_for_idle(&mut self, stop: &StopFlag) -> Result<(), Failure> {
        match &mut self.load {
            Some(open) => run::idle_gate(&mut open.setup, "a load", stop),
            None => Ok(()),
        }
    }

    /// Returns the run of this watch, still empty.
    pub(super) fn header(&self) -> Run {
        let root = Root::real();
        let mut run = match self.setup() {
            Some(setup) => run::header(setup),
            None => run::begun(sampler::host_facts(&root)),
        };
        run.devices = self.tree.clone();
        run.limits = if self.is_virtual() { Vec::new() } else { sampler::local_limits(&root) };
        run
    }

    /// Doubts about devices that do not answer.
    pub(super) fn doubts(&self) -> &[TargetDoubt] {
        &self.doubts
    }

    pub(super) fn is_virtual(&self) -> bool {
        self.setup().is_some_and(Setup::is_virtual)
    }
}

impl LoadWish<'_> {
    /// Opens the target of the load.
    fn open(&self, stop: &StopFlag) -> Result<Setup, Failure> {
        let (typed, target) = match &self.on {
            LoadTarget::Own { runner, .. } => return on_own_files(&self.load, self.allow_destroy, runner),
            LoadTarget::Named(typed, target) => (*typed, *target),
        };
        if self.size.is_some() && matches!(target, Target::Sim(_) | Target::Null) {
            return Err(Failure::refused(format!(
                "--size has no meaning for {typed}, where nothing is laid out; leave it out"
            )));
        }
        let size = self.size.or(self.region_on(target));
        let wish = Wish {
            size,
            allow_destroy: self.allow_destroy.map(PathBuf::from),
            stop: stop.shared(),
            ..Wish::default()
        };
        let setup = set_up_watch(target, &run::absolute(target, typed), &wish, self.every);
        let setup = setup.map_err(|error| run::not_set(&error))?;
        if setup.writes == Writes::LeftOut && self.load.writes() {
            return Err(Failure::refused(format!(
                "--load {}: it writes, and {typed} is only read; name a directory with --on, or a device that may be destroyed \
                 with --on and --allow-destroy",
                self.words
            )));
        }
        Ok(setup)
    }

    /// Returns the size of the region for the load: as far as its jobs reach, on a block device at most its size.
    /// `None` for a plain file, which is loaded over its whole length, and for simulated and null targets.
    fn region_on(&self, target: &Target) -> Option<Bytes> {
        let most = match target {
            Target::Path(path) if path.is_dir() => Some(Bytes(u64::MAX)),
            Target::Path(path) => size_of_device(path),
            Target::Lab(_) => Some(Bytes(u64::MAX)),
            Target::Sim(_) | Target::Null => None,
        };
        self.reach.zip(most).map(|(reach, most)| Bytes(reach.0.max(REGION_LEAST).min(most.0)))
    }

    /// Fits the load to its opened target, and checks that every phase is possible.
    fn fitted(self, setup: Setup) -> Result<OpenLoad, Failure> {
        let LoadWish { words, mut load, phases, on, .. } = self;
        // The size that will be laid out, or else that of the existing data.
        load.fit(match setup.layout {
            Layout::Write(size) => size,
            Layout::None => setup.facts.available,
        });
        if [TargetKind::BlockDevice, TargetKind::File, TargetKind::Lab].contains(&setup.facts.kind) {
            load.go_past_the_cache();
        }
        check_phases(phases, &load, setup.runner.as_ref())
            .map_err(|error| Failure::refused(format!("--load {words}: {error}")))?;
        let lacking = match on {
            LoadTarget::Own { lacking, .. } => lacking,
            LoadTarget::Named(..) => Bytes(0),
        };
        Ok(OpenLoad { load, setup, lacking })
    }
}

/// Returns the devices on which paths lie, with those below them. A word may name its path after `=`, and a path may not
/// exist yet if its folder does.
fn under<'w>(words: impl Iterator<Item = &'w OsString>) -> Vec<String> {
    let facts = words.filter_map(|word| {
        let path = match word.to_str().and_then(|word| word.split_once('=')) {
            Some((_, path)) => Path::new(path),
            None => Path::new(word),
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        kernel::target_facts(path).ok().or_else(|| kernel::target_facts(folder?).ok())
    });
    facts.flat_map(|facts| facts.devices).map(|device| device.name).collect()
}

/// Returns the devices of a simulated machine.
fn made_up(devices: &[DeviceFacts]) -> Vec<DeviceNode> {
    let node =
        |facts: &DeviceFacts| DeviceNode { facts: facts.clone(), timed: true, ..DeviceNode::default() };
    devices.iter().map(node).collect()
}

/// Sets up `load` on the files of its jobs. A device is written only if `allowed` names it, and stderr then lists
/// what is destroyed.
fn on_own_files(
    load: &WatchLoad,
    allowed: Option<&Path>,
    runner: &dyn Fn(Vec<String>) -> Box<dyn Runner>,
) -> Result<Setup, Failure> {
    let files = load.files();
    let devices: Vec<&Path> = files.iter().filter(|path| size_of_device(path).is_some()).copied().collect();
    for path in devices.iter().filter(|path| load.writes_to(path)) {
        let permit = leave_to_write(WriteTarget::Device { path, allowed }).map_err(Failure::refused)?;
        permit.destruction().iter().for_each(|lost| output::people(&run::destruction_words(lost)));
    }
    if let Some(allowed) = allowed.filter(|_| devices.is_empty()) {
        let text = "no file of the job is a block device, so there is nothing to allow; leave it out";
        return Err(Failure::refused(format!("--allow-destroy {}: {text}", allowed.display())));
    }
    let facts = facts_of(&files)?;
    let below = facts.devices.iter().map(|device| device.name.clone()).collect();
    Ok(Setup::of_runner(runner(below), facts))
}

/// Returns facts about the first of `files`, or about the folder in which it will be created.
fn facts_of(files: &[&Path]) -> Result<TargetFacts, Failure> {
    let Some(first) = files.first() else {
        return Ok(TargetFacts::made_up("no file", TargetKind::Null, Bytes(0)));
    };
    let whole = std::path::absolute(first).unwrap_or_else(|_| first.to_path_buf());
    let there = whole.ancestors().find(|path| path.exists()).unwrap_or(&whole);
    sampler::target_facts(&Root::real(), there, &whole.display().to_string()).map_err(Failure::refused)
}

/// Returns the size of the block device at `path`; `None` if `path` is no block device.
fn size_of_device(path: &Path) -> Option<Bytes> {
    let facts = kernel::target_facts(path).ok()?;
    (facts.kind == PathKind::BlockDevice).then_some(facts.size)
}
