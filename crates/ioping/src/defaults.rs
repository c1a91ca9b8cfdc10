//! What is asked if nothing is typed: the defaults that the rows state.

use super::asked::Asked;
use super::commandline::given;
use super::rows::ROWS;

impl Asked {
    /// What is asked if nothing is typed: the default of each row, except those that depend on other options.
    pub fn untyped() -> Asked {
        let mut asked = Asked::default();
        for row in ROWS.iter().filter(|row| !row.default.is_empty()) {
            // Every default can be read; a test holds that.
            if let Ok(given) = given(row, Some(row.default.to_owned())) {
                (row.apply)(&mut asked, &given);
            }
        }
        Asked { interval: None, size: None, work_size: None, clock_format: None, ..asked }
    }
}
