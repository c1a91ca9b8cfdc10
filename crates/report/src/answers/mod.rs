//! The answers of procedures: a folder for each, with its words, tiles, tables and charts.
//!
//! Each answer becomes a [`Sheet`], from which terminal, ticket and page take what they show.

pub(crate) mod burst;
pub(crate) mod headroom;
pub(crate) mod map;
mod merged;
pub(crate) mod places;
pub(crate) mod sheet;
pub(crate) mod size;
pub(crate) mod soak;
pub(crate) mod together;
pub(crate) mod trend;
pub(crate) mod turns;

use analysis::{Analysis, ProcedureAnswer};
use workload::CheckPlan;

use crate::words::wrap::wrap;
use sheet::{Sheet, VerdictWords};

/// Returns a sheet for each procedure that answers, in the order in which they ran.
pub(crate) fn sheets(answered: &ProcedureAnswer) -> Vec<Sheet> {
    answered.each().iter().filter_map(sheet).collect()
}

/// Returns the sheet of one answer; `None` for a check, whose parts have sheets of their own.
fn sheet(answered: &ProcedureAnswer) -> Option<Sheet> {
    Some(match answered {
        ProcedureAnswer::Check(_) => return None,
        ProcedureAnswer::Burst(answer) => burst::sheet(answer),
        ProcedureAnswer::Headroom(answer) => headroom::sheet(answer),
        ProcedureAnswer::Map(answer) => map::sheet(answer),
        ProcedureAnswer::Places(answer) => places::sheet(answer),
        ProcedureAnswer::Soak(answer) => soak::sheet(answer),
        ProcedureAnswer::Together(answer) => together::sheet(answer),
        ProcedureAnswer::Merged(answer) => merged::sheet(answer),
    })
}

/// Returns the verdict of a procedure in a sentence or two. `None` for a check, whose verdict is on its claims,
/// unless it claims nothing and a drain is its only part.
pub(crate) fn verdict(analysis: &Analysis) -> Option<VerdictWords> {
    match analysis.answered.as_ref()? {
        ProcedureAnswer::Check(check) => match check.parts.as_slice() {
            [one] if check.plan == CheckPlan::Burst && analysis.verdict.rows.is_empty() => {
                sheet(one)?.verdict
            }
            _ => None,
        },
        one => sheet(one)?.verdict,
    }
}

/// Returns the text below the verdict in a terminal; each part of a check begins with its own verdict.
pub(crate) fn text(analysis: &Analysis, answered: &ProcedureAnswer) -> String {
    let is_check = matches!(answered, ProcedureAnswer::Check(_)) && verdict(analysis).is_none();
    let of_sheet = |sheet: &Sheet| match &sheet.verdict {
        Some(words) if is_check => {
            let said = format!("{}: {} {}", sheet.command, words.sentence(), words.stops);
            wrap("", said.trim_end()) + &sheet.text()
        }
        _ => sheet.text(),
    };
    sheets(answered).iter().map(of_sheet).collect::<Vec<_>>().join("\n")
}
