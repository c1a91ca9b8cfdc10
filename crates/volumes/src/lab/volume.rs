//! One lab volume: making, describing and undoing it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kernel::{DeviceNumber, Direct};
use workload::{Bytes, PolicyName, grouped};

use super::backing::{Backing, is_memory, may_be_swapped, swap_in_use};
use super::cleanup::{Cleanup, Step};
use super::controller::{Control, Controller};
use super::group::{self, Inside, ThrottleGuard, check, enter};
use super::headroom::Headroom;
use super::stack::{Stack, request_file, whole_request};
use super::throttle_plan::ThrottlePlan;
use super::{InForce, LabError};

/// Smallest size of a volume.
const SIZE_MIN: Bytes = Bytes::mib(16);
/// Block of which sizes are multiples.
const BLOCK: Bytes = Bytes::kib(4);

/// The lifetime of a lab volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// As long as the value lives; the kernel removes devices and data even after `kill -9`.
    ThisRun,
    /// Until [`super::down`] or the next boot.
    UntilDown,
}

/// Options for making a lab volume.
#[derive(Clone, Debug)]
pub struct MakeOptions {
    /// The lifetime of the volume.
    pub lifetime: Lifetime,
    /// Raised to abandon the volume while it is made.
    pub stop: Arc<AtomicBool>,
}

/// A volume that this kernel throttles to a policy.
#[derive(Debug)]
pub struct LabVolume {
    device: PathBuf,
    size: Bytes,
    backing: PathBuf,
    plan: ThrottlePlan,
    notes: Vec<String>,
    /// Parts that drop undoes; `None` if the volume stays.
    parts: Option<Parts>,
}

/// The parts of a volume, in the order in which they are undone: the controller ends before limits are
/// lifted, and the process leaves the group before the group is removed.
#[derive(Debug)]
struct Parts {
    /// Held only to end with the volume.
    _controller: Option<Controller>,
    inside: Option<Inside>,
    throttled: ThrottleGuard,
    stack: Stack,
    backing: Backing,
    cleanup: Cleanup,
}

fn without_cleanup(source: std::io::Error) -> LabError {
    LabError::Cleanup { source }
}

/// Returns the steps to take after the death of this process for the lower device with `number`.
fn cleanup_steps(number: DeviceNumber, lifetime: Lifetime) -> Result<Vec<Step>, LabError> {
    let mut steps = vec![Step::Write(whole_request(), request_file(number))];
    steps.extend(group::cleanup_steps(number, lifetime)?);
    Ok(steps)
}

/// Returns the controller that changes the throttle of this process's volume as its credits drain.
fn controller(
    plan: &ThrottlePlan,
    throttled: &ThrottleGuard,
    number: DeviceNumber,
) -> Result<Option<Controller>, LabError> {
    let Some(credits) = &plan.credits else { return Ok(None) };
    let place = (throttled.folder(), number);
    let control = Control::new(credits.governor.clone(), place, plan.in_force)?;
    Ok(Some(Controller::start(control)))
}

impl LabVolume {
    /// Makes a volume of `size` that is throttled to the policy `name`, with real data in a file in `dir`
    /// ([`super::default_dir`] returns a good one). The load runs on [`LabVolume::device`], in this process or one
    /// started by it. If anything fails, nothing is left behind.
    ///
    /// Parameters in addition to the policy's own: `rate=baseline` (default) or `rate=burst`, the rate to which the
    /// volume is throttled; or `speed=N`, with which its credits drain and refill N times faster than under the policy,
    /// beginning with `credits=`. A volume [`Lifetime::UntilDown`] then needs a process that calls [`super::keep`].
    ///
    /// # Errors
    /// [`LabError`] for a wrong policy, or without root, a loop driver, a controller or space.
    pub fn up(name: &PolicyName, size: Bytes, dir: &Path, lifetime: Lifetime) -> Result<LabVolume, LabError> {
        let volume = LabVolume::make(name, (size, dir), &MakeOptions { lifetime, stop: Arc::default() })?;
        if lifetime == Lifetime::UntilDown { volume.stay() } else { Ok(volume) }
    }

    /// Makes a volume as [`LabVolume::up`] does, but gives up if `options.stop` is raised meanwhile. A lasting volume
    /// is permanent only from [`LabVolume::stay`] on; before that it ends with the value or the process like any other.
    ///
    /// # Errors
    /// The errors of [`LabVolume::up`], and [`LabError::Interrupted`].
    pub fn make(
        name: &PolicyName,
        (size, dir): (Bytes, &Path),
        options: &MakeOptions,
    ) -> Result<LabVolume, LabError> {
        let plan = ThrottlePlan::new(name)?;
        super::lift_leftovers();
        if size < SIZE_MIN || size != size.round_down(BLOCK) {
            return Err(LabError::Size { size });
        }
        check(options.lifetime)?;
        LabVolume::made(plan, (size, dir), options).inspect_err(|_| group::remove_if_unused())
    }

    fn made(
        plan: ThrottlePlan,
        (size, dir): (Bytes, &Path),
        options: &MakeOptions,
    ) -> Result<LabVolume, LabError> {
        let lifetime = options.lifetime;
        let mut cleanup = Cleanup::new().map_err(without_cleanup)?;
        let mut backing = Backing::create(dir, size, &plan.name)?;
        match lifetime {
            Lifetime::ThisRun => backing.unname()?,
            Lifetime::UntilDown => {
                cleanup.note(&Step::Remove(backing.path().to_owned())).map_err(without_cleanup)?
            }
        }
        backing.fill(size, &options.stop)?;
        let stack = {
            let _lock = super::register::while_nobody_attaches();
            Stack::attach(backing.permit())?
        };
        let below = stack.below.number();
        for step in [stack.until_kept()].into_iter().chain(cleanup_steps(below, lifetime)?) {
            cleanup.note(&step).map_err(without_cleanup)?;
        }
        stack.split_at(plan.unit)?;
        let headroom = Headroom::measure(stack.above.path());
        // Done first: while the group is empty, another run may remove it with its limits.
        let inside = if lifetime == Lifetime::ThisRun { Some(enter()?) } else { None };
        let throttled = ThrottleGuard::new(below, plan.in_force, lifetime)?;
        let controller = match lifetime {
            Lifetime::ThisRun => controller(&plan, &throttled, below)?,
            Lifetime::UntilDown => None,
        };
        let parts = Parts { _controller: controller, inside, throttled, stack, backing, cleanup };
        let slow = headroom.and_then(|headroom| headroom.note(&plan.in_force));
        let notes = plan.notes.iter().cloned().chain(parts.notes()).chain(slow).collect();
        Ok(LabVolume {
            device: parts.stack.above.path().to_owned(),
            size,
            backing: parts.backing.path().to_owned(),
            plan,
            notes,
            parts: Some(parts),
        })
    }

    /// Makes a volume [`Lifetime::UntilDown`] outlive value and process, in one step: a killed process leaves all of it
    /// or nothing.
    ///
    /// # Errors
    /// [`LabError::Loop`]; then nothing is left.
    pub fn stay(mut self) -> Result<LabVolume, LabError> {
        self.parts.take().map_or(Ok(()), Parts::keep)?;
        Ok(self)
    }

    /// Returns the device for the load.
    pub fn device(&self) -> &Path {
        &self.device
    }

    /// Returns the size.
    pub fn size(&self) -> Bytes {
        self.size
    }

    /// Returns the policy as typed.
    pub fn policy(&self) -> &PolicyName {
        &self.plan.name
    }

    /// Returns the limits of the policy.
    pub fn limits(&self) -> &policy::Limits {
        &self.plan.limits
    }

    /// Returns whether the volume is throttled to the baseline or to the burst rate.
    pub fn level(&self) -> policy::Level {
        self.plan.level
    }

    /// Returns the speed of the credits relative to the policy; `None` if they neither drain nor refill.
    pub fn speed(&self) -> Option<f64> {
        self.plan.credits.as_ref().map(|credits| credits.speed)
    }

    /// Returns the limits that the kernel enforces at first.
    pub fn in_force(&self) -> InForce {
        self.plan.in_force
    }

    /// Returns the file behind the volume; with [`Lifetime::ThisRun`], its former name.
    pub fn backing(&self) -> &Path {
        &self.backing
    }

    /// Returns notes on approximated limits and on the place of the data, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns a description in one line.
    pub fn describe(&self) -> String {
        format!(
            "lab:{}: {} on {}, throttled by this kernel to {}",
            self.plan.name,
            self.size,
            self.device.display(),
            in_words(&self.plan.in_force)
        )
    }
}

impl Parts {
    fn notes(&self) -> Vec<String> {
        let dir = self.backing.path().parent().unwrap_or(Path::new("/"));
        let medium = if is_memory(dir) { "memory" } else { "a file system" };
        let mut notes = vec![format!("The data lies in {medium} ({}).", dir.display())];
        if let Some(swap) = swap_in_use().filter(|_| may_be_swapped(dir)) {
            notes.push(format!(
                "This machine swaps ({swap}) and may swap that out while memory is short: then the swap is measured. \
                 swapoff -a prevents it."
            ));
        }
        if self.throttled.counts_flushes() {
            notes.push(
                "Each flush counts as one more write here, since the limits hold in the control group on top of all \
                 others; a provider does not charge it."
                    .to_owned(),
            );
        }
        if self.stack.below.direct() == Direct::No {
            notes.push("That file system has no direct I/O: reads may come from the page cache.".to_owned());
        }
        let group = self.throttled.folder();
        notes.push(format!(
            "Throttled are the processes of the control group {}; for another process: echo PID > {}/cgroup.procs.",
            group.display(),
            group.display()
        ));
        notes
    }

    /// Leaves all parts in place.
    fn keep(self) -> Result<(), LabError> {
        assert!(self.inside.is_none(), "a volume of this run alone was to outlive it");
        // From here on the volume is complete, and stays even if this process is killed now.
        self.stack.keep()?;
        self.throttled.keep();
        self.backing.keep();
        drop(self.cleanup);
        Ok(())
    }
}

/// Returns limits in words: `5,000 IOPS and 200 MiB/s in each direction`.
pub fn in_words(limits: &InForce) -> String {
    let side = |iops: Option<u64>, bps: Option<u64>| {
        let iops = iops.map(|iops| format!("{} IOPS", grouped(iops)));
        let bps = bps.map(|bps| format!("{}/s", Bytes(bps)));
        let words: Vec<String> = iops.into_iter().chain(bps).collect();
        if words.is_empty() { "no limit".to_owned() } else { words.join(" and ") }
    };
    let read = side(limits.read_iops, limits.read_bps);
    let write = side(limits.write_iops, limits.write_bps);
    if read == write {
        format!("{read} in each direction")
    } else {
        format!("reads: {read}, writes: {write}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_read_as_people_write_them() {
        let each = InForce {
            read_iops: Some(5000),
            write_iops: Some(5000),
            read_bps: Some(200 << 20),
            write_bps: Some(200 << 20),
        };
        assert_eq!(in_words(&each), "5,000 IOPS and 200 MiB/s in each direction");
        let reads = InForce { read_iops: Some(700), ..InForce::default() };
        assert_eq!(in_words(&reads), "reads: 700 IOPS, writes: no limit");
    }

    #[test]
    fn odd_and_tiny_sizes_are_refused_before_anything_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let name = PolicyName::parse("do-volumes-pre-burst").unwrap();
        for size in [Bytes(0), Bytes::mib(1), Bytes(Bytes::GIB.0 + 512)] {
            let error = LabVolume::up(&name, size, dir.path(), Lifetime::ThisRun).unwrap_err();
            assert!(error.to_string().contains("16 MiB"), "{error}");
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
