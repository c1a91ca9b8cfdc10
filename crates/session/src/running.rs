//! Whether a run goes on while its file is read: its process holds a mark on the file, which ends with it however it ends.

use std::path::Path;

use record::Run;
use workload::{Ending, Nanos};

use crate::output;
use crate::place::short;

/// Lets `run`, which was read from `path`, say that it goes on where it does. Of a copy, of a run that was killed and where a file
/// system knows no locks it does not.
pub(crate) fn note(path: &Path, run: &mut Run) {
    if run.complete || !kernel::is_alive(path) {
        return;
    }
    run.still_running = Some(seen_until(run));
    not_cut(run);
}

/// Says that a run goes on where what is made of it has no place for that.
pub fn tell(path: &Path, run: &Run) {
    if let Some(words) = report::running_words(run) {
        output::people(report::wrap("plimsoll: ", &format!("{}: {words}", short(path))).trim_end());
    }
}

/// The step that runs was not cut off: it is as long as it is by now.
pub(crate) fn not_cut(run: &mut Run) {
    if let Some(last) = run.steps.last_mut().filter(|last| last.ending == Ending::Interrupted) {
        last.ending = Ending::Time;
    }
}

/// The last moment that is recorded, on the run's clock.
fn seen_until(run: &Run) -> Nanos {
    let steps = run.steps.iter().map(|step| step.ended.max(step.started));
    let sample = run.samples.last().map(|sample| sample.at);
    steps.chain(sample).max().unwrap_or_default()
}
