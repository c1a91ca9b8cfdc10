//! Reads of unwritten blocks: detected before a load, and reported after it with the number that the device served.

use std::path::{Path, PathBuf};

use kernel::{Direct, FileKind};
use record::StepRecord;
use sampler::Root;
use workload::{Bytes, Direction, FilePlan, StepPlan, WorkerPlan};

/// Smallest unwritten share of a file that is reported.
pub const NOTABLE: f64 = 0.01;

/// Returns the share (0 to 1) of a region of the file at `path` that was never written; `None` for a device, and
/// if the file system does not say.
pub fn share(path: &Path, offset: Bytes, size: Bytes) -> Option<f64> {
    use std::os::fd::AsFd;
    let file = kernel::open_for_read(path, Direct::No).ok()?;
    if file.kind() == FileKind::BlockDevice {
        return None;
    }
    let extents = kernel::extents(file.as_fd(), offset.0, size).ok()??;
    Some(extents.unwritten_or_hole_share())
}

/// The files of a step that are read and partly unwritten, and the device that would serve their reads.
pub struct UnwrittenFiles {
    files: Vec<(PathBuf, f64)>,
    device: Option<InclusionDevice>,
}

/// A device whose counters include all reads of a step, because all bypass the page cache and go to it.
struct InclusionDevice {
    name: String,
    reads: u64,
}

impl UnwrittenFiles {
    /// Checks the regions that `plan` reads and measures. Workers that verify their reads are left out: for them an
    /// unwritten block is an error, which is reported with its position.
    pub fn of(plan: &StepPlan) -> UnwrittenFiles {
        let measures = |worker: &&WorkerPlan| {
            let reads = worker.access.mix.issues(Direction::Read) && !worker.terms.calls.act.is_of_names();
            reads && worker.verify.on().is_none()
        };
        let readers: Vec<&WorkerPlan> = plan.workers.iter().filter(measures).collect();
        let mut files: Vec<(PathBuf, f64)> = Vec::new();
        for FilePlan { path, offset, size } in readers.iter().flat_map(|worker| &worker.files) {
            let notable = share(path, *offset, *size).filter(|share| *share >= NOTABLE);
            match (files.iter_mut().find(|(known, _)| known == path), notable) {
                (Some((_, known)), Some(share)) => *known = known.max(share),
                (None, Some(share)) => files.push((path.clone(), share)),
                _ => {}
            }
        }
        let device = if files.is_empty() { None } else { InclusionDevice::of(&readers) };
        UnwrittenFiles { files, device }
    }

    /// Returns the warnings before the load, one line for each file.
    pub fn before(&self) -> impl Iterator<Item = String> {
        self.files.iter().map(|(path, share)| {
            format!(
                "{} of {} was never written: reads there end in the file system and tell nothing of the volume. A file that does not \
                 exist yet is laid out with data: name another, or remove this one",
                percent(*share),
                path.display()
            )
        })
    }

    /// Returns the note after the load: how many of its reads the device can have served, if that was not all.
    pub fn behind(&self, record: &StepRecord) -> Option<String> {
        let device = self.device.as_ref()?;
        let served = reads_of(&device.name)?.checked_sub(device.reads)?;
        let made = record.tally(Direction::Read).ops;
        let count = |number: u64| report::numbers::count(number as f64);
        // Other programs may have read too, so the counter is an upper bound.
        let most = if served == 0 { "" } else { "at most " };
        (served < made).then(|| {
            format!("the device {} served {most}{} of {} reads", device.name, count(served), count(made))
        })
    }
}

impl InclusionDevice {
    /// Returns `None` if reads go through the page cache, to several devices, or to an unknown one.
    fn of(readers: &[&WorkerPlan]) -> Option<InclusionDevice> {
        let mut paths = readers.iter().flat_map(|worker| &worker.files).map(|file| &file.path);
        let name = device_of(paths.next()?)?;
        let is_one = readers.iter().all(|worker| worker.direct)
            && paths.all(|path| device_of(path).as_ref() == Some(&name));
        let reads = reads_of(&name)?;
        is_one.then_some(InclusionDevice { name, reads })
    }
}

fn device_of(path: &Path) -> Option<String> {
    kernel::target_facts(path).ok()?.devices.first().map(|device| device.name.clone())
}

/// Returns the reads that a device has completed, including those that were merged into others.
fn reads_of(device: &str) -> Option<u64> {
    let counters = sampler::disk(&Root::real(), device)?.counters;
    Some(counters.reads.saturating_add(counters.reads_merged))
}

/// Formats a share: `93 %`, and `100 %` only for the whole.
pub fn percent(share: f64) -> String {
    let rounded = (share * 100.0).round();
    let shown = if share < 1.0 { rounded.min(99.0) } else { rounded };
    format!("{shown:.0} %")
}
