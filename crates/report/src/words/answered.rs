//! The answers of procedures in words: calls the module of each kind of answer.

use analysis::{Analysis, Answered};

use workload::CheckPlan;

use crate::words::answer::VerdictWords;
use crate::words::wrap::wrap;
use crate::words::{drained, mapped, places, soaked, sought, together};

/// Returns the answer in a sentence or two; `None` for a check, whose claims are its verdict.
pub(crate) fn verdict(analysis: &Analysis) -> Option<VerdictWords> {
    of_one(analysis.answered.as_ref()?, analysis)
}

fn of_one(answered: &Answered, analysis: &Analysis) -> Option<VerdictWords> {
    Some(match answered {
        // The verdict of a check is on its claims. A burst check that claims nothing takes the verdict of its only
        // part.
        Answered::Check(check) => match check.parts.as_slice() {
            [one] if check.plan == CheckPlan::Burst && analysis.verdict.rows.is_empty() => {
                return of_one(one, analysis);
            }
            _ => return None,
        },
        Answered::Soak(answer) => soaked::verdict(answer),
        Answered::Burst(answer) => drained::verdict(answer),
        Answered::Headroom(answer) => sought::verdict(answer),
        Answered::Map(_) => return None,
        Answered::Places(answer) => places::verdict(answer),
        Answered::Together(answer) => together::verdict(answer),
    })
}

/// Returns what stands below the verdict in a terminal.
pub(crate) fn text(answered: &Answered) -> String {
    match answered {
        Answered::Check(check) => {
            let sections: Vec<String> = check.parts.iter().map(of_part).collect();
            sections.join("\n")
        }
        Answered::Soak(answer) => soaked::text(answer),
        Answered::Burst(answer) => drained::text(answer),
        Answered::Headroom(answer) => sought::text(answer),
        Answered::Map(answer) => mapped::text(answer),
        Answered::Places(answer) => places::text(answer),
        Answered::Together(answer) => together::text(answer),
    }
}

/// Returns a part of a check: its answer in a sentence, and its table.
fn of_part(part: &Answered) -> String {
    let (name, words) = match part {
        Answered::Burst(answer) => ("burst", drained::verdict(answer)),
        Answered::Headroom(answer) => ("headroom", sought::verdict(answer)),
        Answered::Places(answer) => ("where", places::verdict(answer)),
        Answered::Soak(answer) => ("soak", soaked::verdict(answer)),
        Answered::Map(_) | Answered::Check(_) | Answered::Together(_) => return text(part),
    };
    let said = format!("{name}: {} {}", words.sentence(), words.stops);
    wrap("", said.trim_end()) + &text(part)
}
