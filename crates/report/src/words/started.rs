//! When a run started.

use record::Run;

use super::imported::origin;
use super::numbers;

/// Returns when the run started, in UTC, so that the same record gives the same page anywhere.
pub(crate) fn started(run: &Run) -> String {
    if run.started_unix_ms == 0 && origin(run).is_some() {
        return match printed_at(run) {
            Some(when) => format!("printed at {when}"),
            None => "at a time that is not said".to_owned(),
        };
    }
    let milliseconds = i64::try_from(run.started_unix_ms).unwrap_or(i64::MAX);
    match jiff::Timestamp::from_millisecond(milliseconds) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        Err(_) => numbers::UNKNOWN.to_owned(),
    }
}

/// Returns when the output was printed, as the output itself says.
fn printed_at(run: &Run) -> Option<&str> {
    let said = run.reported.iter().flat_map(|part| &part.said);
    said.filter(|(name, _)| name == record::PRINTED_AT).map(|(_, when)| when.as_str()).next()
}
