//! The banner that fio prints before a run: one line for each job, the version, and a line on what is being started.

use super::asked::{FioJob, FioRequest};
use super::commands::VERSION;
use super::number::KbBase;
use super::present::figures::{Suffix, scaled};

/// fio's remark on `iodepth` for an engine that waits for each I/O.
pub const CAPPED_DEPTH: &str =
    "both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1";

/// Returns the banner of the normal format, from the job lines to the line on what is being started.
pub fn opening(asked: &FioRequest) -> String {
    let mut text = asked.presentation.debug.clone();
    for job in asked.jobs.iter().filter(|job| job.clone == 0) {
        text.push_str(&job_line(job));
        if job.options.numjobs > 1 {
            text.push_str("...\n");
        }
    }
    text.push_str(&format!("{VERSION}\n{}\n", starting(asked)));
    text
}

/// Returns a line for each clone whose depth is capped. These lines follow those about layouts.
pub fn capped_depths(asked: &FioRequest) -> String {
    asked
        .jobs
        .iter()
        .filter(|job| job.options.engine.is_synchronous() && job.options.iodepth > 1)
        .map(|_| format!("note: {CAPPED_DEPTH}\n"))
        .collect()
}

fn job_line(job: &FioJob) -> String {
    let options = &job.options;
    let binary = options.kb_base == KbBase::Binary;
    let range = |at: usize| {
        let lengths = options.lengths(at);
        let [least, most] =
            [lengths.shortest(), lengths.longest()].map(|length| scaled(length.0, 4, binary, Suffix::Byte));
        format!("{least}-{most}")
    };
    let [read, write, trim] = [range(0), range(1), range(2)];
    format!(
        "{}: (g={}): rw={}, bs=(R) {read}, (W) {write}, (T) {trim}, ioengine={}, iodepth={}\n",
        job.name,
        job.group,
        options.pattern.word(),
        options.engine.name,
        options.iodepth,
    )
}

fn starting(asked: &FioRequest) -> String {
    let threads = asked.jobs.iter().filter(|job| job.options.thread).count();
    let processes = asked.jobs.len() - threads;
    let counted = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        more => Some(format!("{more} {many}")),
    };
    let parts: Vec<String> =
        [counted(threads, "thread", "threads"), counted(processes, "process", "processes")]
            .into_iter()
            .flatten()
            .collect();
    format!("Starting {}", parts.join(" and "))
}
