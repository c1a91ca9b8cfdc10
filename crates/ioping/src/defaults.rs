//! The options of an empty command line: the defaults of the rows.

use super::asked::IopingRequest;
use super::commandline::given;
use super::rows::ROWS;

impl IopingRequest {
    /// Returns the options of an empty command line: the rows' defaults, except those that depend on other options.
    pub fn untyped() -> IopingRequest {
        let mut asked = IopingRequest::default();
        for row in ROWS.iter().filter(|row| !row.default.is_empty()) {
            // Every default is valid; a test checks that.
            if let Ok(given) = given(row, Some(row.default.to_owned())) {
                (row.apply)(&mut asked, &given);
            }
        }
        IopingRequest { interval: None, size: None, work_size: None, clock_format: None, ..asked }
    }
}
