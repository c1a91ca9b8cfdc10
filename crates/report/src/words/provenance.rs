//! Where a picture that stands alone comes from: what was measured, when, against what, by which command, on which
//! machine.

use record::{Origin, Run};

use super::started::started;
use super::terminal::kind_words;
use super::ticket::{command, machine};
use super::wrap::clean;

/// Returns the provenance in short pieces, what was measured first; leaves out what is unknown.
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
