//! The provenance of a picture on its own: what was measured, when, against which claims, by which command, on
//! which machine.

use record::{Origin, Run};

use super::imported::origin;
use super::numbers;
use super::terminal::kind_words;
use super::ticket::{command, machine};
use super::wrap::clean;

/// Returns the provenance in short pieces, the subject of the measurement first; omits what is unknown.
pub(crate) fn provenance(run: &Run) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    pieces.extend(
        run.target
            .as_ref()
            .map(|target| clean(&format!("{}: {}", target.words.trim_end_matches(':'), kind_words(target)))),
    );
    if let Origin::Imported { tool, .. } = &run.origin {
        pieces.push(format!("printed by {}", clean(tool)));
    }
    pieces.push(started(run));
    pieces.extend(run.policy.as_ref().map(|policy| format!("against {}", clean(policy))));
    pieces.extend(run.expectation.as_ref().map(|words| format!("expecting \"{}\"", clean(words))));
    pieces.push(clean(&command(&run.words)));
    pieces.push(format!("plimsoll {}", clean(&run.version)));
    pieces.extend(run.host.as_ref().map(machine));
    pieces.retain(|piece| !piece.trim().is_empty());
    pieces
}

/// Returns the start of the run in UTC, so that the same record gives the same page anywhere.
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

/// Returns the time at which the output was printed, as given in the output.
fn printed_at(run: &Run) -> Option<&str> {
    let said = run.reported.iter().flat_map(|part| &part.said);
    said.filter(|(name, _)| name == record::PRINTED_AT).map(|(_, when)| when.as_str()).next()
}
