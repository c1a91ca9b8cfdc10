//! The options of a job for which no option is typed: the defaults of the rows.

use std::sync::LazyLock;

use super::options::JobOptions;
use super::reader::Reader;
use super::rows::ROWS;

static UNTYPED: LazyLock<JobOptions> = LazyLock::new(|| {
    let mut options = JobOptions::default();
    let mut reader = Reader::default();
    for row in ROWS.iter().filter(|row| !row.default.is_empty()) {
        // Every default is valid; a test checks that.
        if let Ok(value) = reader.read(row.takes, row.default) {
            (row.apply)(&mut options, &value);
        }
    }
    options.rwmix_typed = false;
    options.randseed_typed = false;
    options
});

impl JobOptions {
    /// Returns the options of a job for which no option is typed: the default of each row, in the order of the rows.
    pub fn untyped() -> JobOptions {
        UNTYPED.clone()
    }
}
