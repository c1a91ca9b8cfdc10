//! Whether a run goes on while its file is read: its process holds a mark on the file, which ends with the process
//! in any case.

use std::path::Path;

use record::Run;
use workload::{Ending, Nanos};

use crate::output;
use crate::place::short;

/// Records in `run`, which was read from `path`, that it still goes on if it does. A copy, a run that was killed,
/// and a file system without locks count as not going on.
pub(crate) fn note(path: &Path, run: &mut Run) {
    if run.complete || !kernel::is_alive(path) {
        return;
    }
    run.still_running = Some(seen_until(run));
    not_cut(run);
}

/// Tells people that a run goes on, if its output has no place to say so.
pub fn tell(path: &Path, run: &Run) {
    if let Some(words) = report::running_words(run) {
        output::people(report::wrap("plimsoll: ", &format!("{}: {words}", short(path))).trim_end());
    }
}

/// Marks the running step as not cut off: it is as long as recorded so far.
pub(crate) fn not_cut(run: &mut Run) {
    if let Some(last) = run.steps.last_mut().filter(|last| last.ending == Ending::Interrupted) {
        last.ending = Ending::Time;
    }
}

/// Returns the last time that is recorded, on the run's clock.
fn seen_until(run: &Run) -> Nanos {
    let steps = run.steps.iter().map(|step| step.ended.max(step.started));
    let sample = run.samples.last().map(|sample| sample.at);
    steps.chain(sample).max().unwrap_or_default()
}
