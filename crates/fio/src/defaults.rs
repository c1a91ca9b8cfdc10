//! The options of a job for which nothing is typed: the defaults that the rows state.

use std::sync::LazyLock;

use super::options::JobOptions;
use super::reader::Reader;
use super::rows::ROWS;

static UNTYPED: LazyLock<JobOptions> = LazyLock::new(|| {
    let mut options = JobOptions::default();
    let mut reader = Reader::default();
    for row in ROWS.iter().filter(|row| !row.default.is_empty()) {
        // Every default can be read; a test holds that.
        if let Ok(value) = reader.read(row.takes, row.default) {
            (row.apply)(&mut options, &value);
        }
    }
    options.rwmix_typed = false;
    options.randseed_typed = false;
    options
});

impl JobOptions {
    /// Options of a job for which nothing is typed: the default of each row, in the order of the rows.
    pub fn untyped() -> JobOptions {
        UNTYPED.clone()
    }
}
