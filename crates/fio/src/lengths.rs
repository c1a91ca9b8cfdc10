//! Regions of jobs without a size on files that earlier jobs make longer: their lengths are known once those jobs have ended.

use workload::{Bytes, Job, Verify};

use super::asked::FioJob;
use super::files::{OnDisk, OnDiskKind, paths, region};
use super::steps::work;
use super::value::Amount;

/// Whether the lengths of its files decide which region `job` uses.
pub(super) fn decide_for(job: &FioJob) -> bool {
    let options = &job.options;
    let fills = options.fill_device && !options.pattern.reads && !options.pattern.random;
    options.filesize == 0 && !fills && !matches!(options.size, Some(Amount::Bytes(1..)))
}

/// Returns `planned` with the region that the files of `job` have now. Without one, the region is empty, which the planner
/// of the step refuses.
pub(super) fn now(job: &FioJob, planned: &Job) -> Job {
    let look = |path: &std::path::PathBuf| {
        let bytes = std::fs::metadata(path).ok()?.len();
        Some(OnDisk { bytes, kind: OnDiskKind::File, laid_out: false })
    };
    let paths = paths(job);
    let there: Vec<Option<OnDisk>> = paths.iter().map(look).collect();
    let Ok(mut now) = region(job, paths, &there).and_then(|region| work(job, &region)) else {
        return Job { size: Some(Bytes(0)), sizes: Vec::new(), ..planned.clone() };
    };
    if let (Verify::On(now), Verify::On(planned)) = (&mut now.verify, &planned.verify) {
        now.known = planned.known;
    }
    Job {
        files: now.files,
        offset: now.offset,
        size: now.size,
        sizes: now.sizes,
        forget_each: now.forget_each,
        verify: now.verify,
        stop: now.stop,
        ..planned.clone()
    }
}
