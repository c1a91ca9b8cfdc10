//! The verification that a job asks for, and remarks on it.

use std::path::{Path, PathBuf};

use workload::{
    Acknowledgement, Bytes, GiveBack, OnMismatch, ReadBack, StateFile, TrimmedContent, Verification, Verify,
};

use super::asked::FioJob;
use super::engine_ways::{Stage, engine_way};
use super::options::JobOptions;

impl FioJob {
    /// Path of the state file, which records how far the job came. The name is fio's; the directory is that of
    /// `--aux-path`, or the working directory.
    pub fn state_path(&self) -> PathBuf {
        let folder = self.options.verify.state_folder.as_deref().unwrap_or_default();
        Path::new(folder).join(format!("local-{}-{}-verify.state", self.name.replace('/', "."), self.number))
    }
}

/// Most writes of a pass after which that pass is read back: such writes are kept in memory, 16 bytes each. With longer
/// passes, all data is read back at the end.
const WRITES_OF_A_PASS_MAX: u64 = 1 << 22;

/// Returns the verification of `job`; `pass` is the number of writes in each pass, if there are several.
pub fn verify(job: &FioJob, pass: Option<u64>) -> Verify {
    let (options, run) = (&job.options, job.run);
    let asked = &options.verify;
    let Some(proof) = asked.proof() else { return Verify::Off };
    let writes = options.pattern.writes;
    let when = match asked.backlog {
        _ if !writes => ReadBack::WhatIsRead,
        _ if asked.only => ReadBack::WithoutWriting,
        // Reads of a mix are checked only if their contents are known, and such blocks are read back anyway.
        _ if !asked.reads_back => ReadBack::NotAtAll,
        // Each pass is read back before the next pass overwrites it.
        0 => match pass.filter(|writes| *writes <= WRITES_OF_A_PASS_MAX) {
            Some(writes) => ReadBack::Every { writes: writes as u32, batch: writes as u32 },
            None => ReadBack::AtTheEnd,
        },
        writes => ReadBack::Every { writes, batch: if asked.batch == 0 { writes } else { asked.batch } },
    };
    let known = writes && !asked.only;
    Verify::On(Verification {
        proof,
        checksum: asked.checksum(),
        interval: (asked.interval > 0).then_some(Bytes(asked.interval)),
        pattern_each: Bytes(asked.pattern_interval),
        header_at: Bytes(asked.offset),
        when,
        on_failure: match options.time.passes_over_mismatch() && !asked.fatal {
            true => OnMismatch::GoOn,
            false => OnMismatch::Stop,
        },
        // 0: unknown.
        run: if known { run | 1 } else { 0 },
        state: (asked.state_save && known).then(|| {
            Box::new(StateFile {
                path: job.state_path(),
                job: job.name.clone(),
                index: u64::from(job.number),
                when: if asked.flushed { Acknowledgement::Flushed } else { Acknowledgement::Ended },
            })
        }),
        known: None,
        gives_back: gives_back(options),
        // The empty path is the working directory.
        dump: asked.dump.then(PathBuf::new),
    })
}

/// Trims of data written earlier, read back or not.
fn gives_back(options: &JobOptions) -> Option<GiveBack> {
    let asked = &options.verify;
    (options.pattern.writes && asked.trim_percentage > 0 && asked.trim_backlog > 0).then_some(GiveBack {
        percent: asked.trim_percentage,
        writes: asked.trim_backlog,
        batch: asked.trim_batch,
        then: if asked.trim_zero { TrimmedContent::Zeros } else { TrimmedContent::Anything },
    })
}

/// Remark on requested trims that never happen.
pub fn trims_remark(options: &JobOptions) -> Option<&'static str> {
    let asked = &options.verify;
    let asks = asked.trim_percentage > 0 || asked.trim_backlog > 0;
    let done = asked.is_on() && gives_back(options).is_some();
    (asks && !done).then_some(
        "no block is trimmed, in fio neither: trim_percentage needs trim_backlog, and a job that writes and verifies",
    )
}

/// Remark on the verification that `options` ask for.
pub fn remark(options: &JobOptions) -> Option<&'static str> {
    let asked = &options.verify;
    if !asked.is_on() || (options.pattern.writes && !asked.reads_back) {
        return None;
    }
    let is_here = engine_way(&options.engine.name).is_none_or(|way| way.stage == Stage::Here);
    let is_cached = !options.direct || options.engine.maps_files();
    if is_cached && is_here && options.engine.is_real() {
        return Some(
            "what is verified through the page cache may never have come from the volume; direct=1 with an engine other than mmap makes sure",
        );
    }
    let late = options.ends_by_time() && options.pattern.writes && asked.backlog == 0;
    late.then_some(
        "plimsoll reads back what was written when the run time is over, which takes time of its own",
    )
}
