//! What is asked if nothing is typed: the defaults that the rows state.

use super::asked::IopingRequest;
use super::commandline::given;
use super::rows::ROWS;

impl IopingRequest {
    /// What is asked if nothing is typed: the default of each row, except those that depend on other options.
    pub fn untyped() -> IopingRequest {
        let mut asked = IopingRequest::default();
        for row in ROWS.iter().filter(|row| !row.default.is_empty()) {
            // Every default can be read; a test holds that.
            if let Ok(given) = given(row, Some(row.default.to_owned())) {
                (row.apply)(&mut asked, &given);
            }
        }
        IopingRequest { interval: None, size: None, work_size: None, clock_format: None, ..asked }
    }
}
