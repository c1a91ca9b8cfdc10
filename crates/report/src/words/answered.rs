//! The answers of procedures in words: calls the module of each kind of answer.

use analysis::{Analysis, ProcedureAnswer};

use workload::CheckPlan;

use crate::words::answer::VerdictWords;
use crate::words::wrap::wrap;
use crate::words::{drained, mapped, places, soaked, sought, together};

/// Returns the answer in a sentence or two; `None` for a check, whose claims are its verdict.
pub(crate) fn verdict(analysis: &Analysis) -> Option<VerdictWords> {
    of_one(analysis.answered.as_ref()?, analysis)
}

fn of_one(answered: &ProcedureAnswer, analysis: &Analysis) -> Option<VerdictWords> {
    Some(match answered {
        // The verdict of a check is on its claims. A burst check that claims nothing takes the verdict of its only
        // part.
        ProcedureAnswer::Check(check) => match check.parts.as_slice() {
            [one] if check.plan == CheckPlan::Burst && analysis.verdict.rows.is_empty() => {
                return of_one(one, analysis);
            }
            _ => return None,
        },
        ProcedureAnswer::Soak(answer) => soaked::verdict(answer),
        ProcedureAnswer::Burst(answer) => drained::verdict(answer),
        ProcedureAnswer::Headroom(answer) => sought::verdict(answer),
        ProcedureAnswer::Map(_) => return None,
        ProcedureAnswer::Places(answer) => places::verdict(answer),
        ProcedureAnswer::Together(answer) => together::verdict(answer),
    })
}

/// Returns what stands below the verdict in a terminal.
pub(crate) fn text(answered: &ProcedureAnswer) -> String {
    match answered {
        ProcedureAnswer::Check(check) => {
            let sections: Vec<String> = check.parts.iter().map(of_part).collect();
            sections.join("\n")
        }
        ProcedureAnswer::Soak(answer) => soaked::text(answer),
        ProcedureAnswer::Burst(answer) => drained::text(answer),
        ProcedureAnswer::Headroom(answer) => sought::text(answer),
        ProcedureAnswer::Map(answer) => mapped::text(answer),
        ProcedureAnswer::Places(answer) => places::text(answer),
        ProcedureAnswer::Together(answer) => together::text(answer),
    }
}

/// Returns a part of a check: its answer in a sentence, and its table.
fn of_part(part: &ProcedureAnswer) -> String {
    let (name, words) = match part {
        ProcedureAnswer::Burst(answer) => ("burst", drained::verdict(answer)),
        ProcedureAnswer::Headroom(answer) => ("headroom", sought::verdict(answer)),
        ProcedureAnswer::Places(answer) => ("where", places::verdict(answer)),
        ProcedureAnswer::Soak(answer) => ("soak", soaked::verdict(answer)),
        ProcedureAnswer::Map(_) | ProcedureAnswer::Check(_) | ProcedureAnswer::Together(_) => {
            return text(part);
        }
    };
    let said = format!("{name}: {} {}", words.sentence(), words.stops);
    wrap("", said.trim_end()) + &text(part)
}
