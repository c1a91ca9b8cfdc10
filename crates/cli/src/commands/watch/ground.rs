//! The ground of a watch: the devices it samples and, with load cycles, the load with the setup it runs on.

use experiments::{Layout, WatchLoad, Writes};
use record::{DeviceFacts, DeviceNode, Run, TargetDoubt, TargetKind};
use sampler::Root;
use session::{Setup, Wish, check_phases, set_up_watch};
use workload::{Bytes, Target};

use super::arguments::WatchArguments;
use super::asked::{Asked, AskedLoad};
use super::devices::{self, Chosen};
use super::job_files;
use super::load::{self, Loaded};
use session::failure::Failure;
use session::run;
use session::signals::StopFlag;
use session::vigil;

/// Least bytes that a measurement's region holds.
const REGION_LEAST: u64 = 64 << 20;

/// Everything that a watch looks at.
pub struct Ground {
    /// The devices that are sampled.
    pub devices: Chosen,
    /// Every device of the machine with what it stands on.
    tree: Vec<DeviceNode>,
    /// What is to be said of devices that do not answer.
    doubts: Vec<TargetDoubt>,
    /// The load, and where it runs.
    pub cycles: Option<(WatchLoad, Setup)>,
    /// Bytes that must be laid out in the job's own files before the first phase.
    pub lacking: u64,
}

impl Ground {
    /// Finds the devices and, with load cycles, opens what is loaded. A policy that is the load is the contract too, where
    /// nothing else was said.
    pub fn find(asked: &mut Asked, arguments: &WatchArguments, stop: &StopFlag) -> Result<Ground, Failure> {
        let root = Root::real();
        let Some(cycles) = asked.load() else {
            let devices = devices::choose(&root, arguments, &[])?;
            let (tree, doubts) = sampler::device_tree_and_doubts(&root);
            let tree = devices::described(tree, &arguments.describe)?;
            return Ok(Ground { devices, tree, doubts, cycles: None, lacking: 0 });
        };
        let loaded = load::find(cycles)?;
        let open = || setup(cycles, &loaded, arguments, stop);
        let setup = match &cycles.on {
            // A lab volume takes its time to be made.
            Some((_, Target::Lab(_) | Target::Sim(_))) => open()?,
            _ => vigil::over("opening what is loaded", stop, open)?,
        };
        let under: Vec<String> = setup.facts.devices.iter().map(|device| device.name.clone()).collect();
        let (devices, (tree, doubts)) = match setup.is_virtual() {
            true => (Chosen::only(under), (made_up(&setup.facts.devices), Vec::new())),
            false => (devices::choose(&root, arguments, &under)?, sampler::device_tree_and_doubts(&root)),
        };
        let tree = devices::described(tree, &arguments.describe)?;
        let lacking = loaded.lacking();
        let Loaded { mut load, limits, .. } = loaded;
        load.fit(region(&setup));
        if [TargetKind::BlockDevice, TargetKind::File, TargetKind::Lab].contains(&setup.facts.kind) {
            load.go_past_the_cache();
        }
        check_phases(&cycles.phases, &load, setup.runner.as_ref())
            .map_err(|error| Failure::refused(format!("--load {}: {error}", cycles.word)))?;
        asked.contract.fall_back_on(limits);
        Ok(Ground { devices, tree, doubts, cycles: Some((load, setup)), lacking })
    }

    /// What names the run file.
    pub fn title(&self) -> String {
        match &self.cycles {
            Some((_, setup)) => format!("{}-watch", runfile::stem_of(&setup.facts.words)),
            None => "watch".to_owned(),
        }
    }

    /// The devices under the load; none without one.
    pub fn loaded_devices(&self) -> &[DeviceFacts] {
        self.cycles.as_ref().map_or(&[], |(_, setup)| &setup.facts.devices)
    }

    /// Refuses a target that others are using, unless that was allowed.
    pub fn wait_for_idle(&mut self, arguments: &WatchArguments, stop: &StopFlag) -> Result<(), Failure> {
        match &mut self.cycles {
            Some((_, setup)) if !arguments.busy => run::idle_gate(setup, "a load", stop),
            _ => Ok(()),
        }
    }

    /// A run of this watch, in which nothing has happened yet.
    pub fn header(&self, asked: &Asked) -> Run {
        let mut run = match &self.cycles {
            Some((_, setup)) => run::header(setup),
            None => run::begun(sampler::host_facts(&Root::real())),
        };
        run.policy = asked.contract.policy.as_ref().map(ToString::to_string);
        run.expectation = asked.contract.expectation.as_ref().map(ToString::to_string);
        run.devices = self.tree.clone();
        run.limits = if self.is_virtual() { Vec::new() } else { sampler::local_limits(&Root::real()) };
        run
    }

    /// What is to be said of devices that do not answer.
    pub fn doubts(&self) -> &[TargetDoubt] {
        &self.doubts
    }

    fn is_virtual(&self) -> bool {
        self.cycles.as_ref().is_some_and(|(_, setup)| setup.is_virtual())
    }
}

/// The devices of a simulated machine.
fn made_up(devices: &[DeviceFacts]) -> Vec<DeviceNode> {
    let node =
        |facts: &DeviceFacts| DeviceNode { facts: facts.clone(), timed: true, ..DeviceNode::default() };
    devices.iter().map(node).collect()
}

/// Bytes that the load can reach: what is laid out for it, or what is there.
fn region(setup: &Setup) -> Bytes {
    match setup.layout {
        Layout::Write(size) => size,
        Layout::None => setup.facts.available,
    }
}

/// Opens what the load runs on.
fn setup(
    cycles: &AskedLoad,
    loaded: &Loaded,
    arguments: &WatchArguments,
    stop: &StopFlag,
) -> Result<Setup, Failure> {
    let here = (".".to_owned(), Target::Path(".".into()));
    let own = match &cycles.on {
        None => job_files::setup(loaded, arguments.allow_destroy.as_deref(), stop)?,
        Some(_) => None,
    };
    if let Some(setup) = own {
        return Ok(setup);
    }
    let (words, target) = cycles.on.as_ref().unwrap_or(&here);
    if cycles.size.is_some() && matches!(target, Target::Sim(_) | Target::Null) {
        return Err(Failure::refused(format!(
            "--size has no meaning for {words}, where nothing is laid out; leave it out"
        )));
    }
    let wish = Wish { stop: stop.shared(), ..wish(cycles, loaded, arguments, target) };
    let every = super::asked::every(arguments)?;
    let setup = set_up_watch(target, &run::absolute(target, words), &wish, every);
    let setup = setup.map_err(|error| run::not_set(&error))?;
    if setup.writes == Writes::LeftOut && loaded.load.writes() {
        return Err(Failure::refused(format!(
            "--load {}: it writes, and {words} is only read; name a directory with --on, or a device that may be destroyed \
             with --on and --allow-destroy",
            cycles.word
        )));
    }
    Ok(setup)
}

/// A region that is made for the load is as long as its jobs reach, and of a device that is written no more is laid out; a
/// file is loaded as far as it goes.
fn wish(cycles: &AskedLoad, loaded: &Loaded, arguments: &WatchArguments, target: &Target) -> Wish {
    let most = match target {
        Target::Path(path) if path.is_dir() => Some(Bytes(u64::MAX)),
        Target::Path(path) => job_files::size_of_device(path),
        Target::Lab(_) => Some(Bytes(u64::MAX)),
        _ => None,
    };
    let reach = loaded.reach.zip(most).map(|(reach, most)| Bytes(reach.0.max(REGION_LEAST).min(most.0)));
    Wish { size: cycles.size.or(reach), allow_destroy: arguments.allow_destroy.clone(), ..Wish::default() }
}
