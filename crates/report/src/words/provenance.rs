//! Where a picture comes from, for one that stands alone: what was measured, when, against what, by which command, where.

use record::{Origin, Run};

use super::started::started;
use super::terminal::kind_words;
use super::ticket::{command, machine};
use super::wrap::clean;

/// Short pieces, the first what was measured; nothing that is not known.
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
