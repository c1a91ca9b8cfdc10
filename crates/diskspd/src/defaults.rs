//! The timespan and the target of an empty command line: the defaults of the rows.

use std::sync::LazyLock;

use super::draft::Draft;
use super::profile::{Target, TimeSpan};
use super::rows::ROWS;

static UNTYPED: LazyLock<(TimeSpan, Target)> = LazyLock::new(|| {
    let mut draft = Draft::default();
    for row in ROWS.iter().filter(|row| !row.default.is_empty()) {
        // A default in words (the block, all CPUs) sets nothing. A test checks the outcome.
        let _ = (row.apply)(&mut draft, row.default);
    }
    let Draft { span, target, duration, warm_up, .. } = draft;
    let (duration, warm_up) = (duration.unwrap_or(0), warm_up.unwrap_or(0));
    // Intervals have a length even if they are not reported; weights occur in profiles only.
    (TimeSpan { duration, warm_up, iops: false, ..span }, Target { weight: 1, ..target })
});

impl TimeSpan {
    /// Returns the timespan of an empty command line.
    pub fn untyped() -> TimeSpan {
        UNTYPED.0.clone()
    }
}

impl Target {
    /// Returns the target of an empty command line.
    pub fn untyped() -> Target {
        UNTYPED.1.clone()
    }
}
