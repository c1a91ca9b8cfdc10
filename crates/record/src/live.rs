//! How news leaves a running step: whoever stores, shows or decides is told at interval edges, never an I/O.

use crate::{Interval, Sample};

/// Is told of everything that has become final while a step runs.
pub trait Watcher {
    /// An interval of one job is final: every worker has passed its end.
    fn interval(&mut self, interval: &Interval);

    /// The machine's counters were read.
    fn sample(&mut self, _sample: &Sample) {}

    /// Asked several times a second; true ends the step at once.
    fn interrupted(&self) -> bool {
        false
    }
}
