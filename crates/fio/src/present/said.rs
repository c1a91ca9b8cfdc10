//! The engine's notes on a step, in fio's words if fio has any.

use record::{Damage, Mismatch, Note, StepRecord};

/// Returns a sentence for each mismatch in `step`, in fio's words.
pub(super) fn mismatches(step: &StepRecord) -> impl Iterator<Item = String> + '_ {
    step.notes.iter().filter_map(|note| match note {
        Note::Mismatch(mismatch) => Some(of_mismatch(mismatch)),
        _ => None,
    })
}

/// Returns `note` as a sentence.
pub(super) fn of_note(note: &Note) -> String {
    match note {
        Note::Features { words, .. } | Note::Other { words } => words.clone(),
        Note::Silence(silence) => silence.to_string(),
        Note::Held(held) => held.to_string(),
        Note::Mismatch(mismatch) => of_mismatch(mismatch),
        Note::Crossed(crossed) => crossed.to_string(),
        Note::Steered(steered) => steered.to_string(),
        Note::CutOff => "the run was cut off in this step".to_owned(),
    }
}

fn of_mismatch(mismatch: &Mismatch) -> String {
    let Mismatch { what, path, offset, io_offset, io_bytes } = mismatch;
    let place =
        format!("at file {path} offset {offset} (requested block: offset={io_offset}, length={io_bytes})");
    match what {
        Damage::NoHeader { .. } => format!("verify: {what} {place}"),
        _ => format!("verify: verify failed {place}: {what}"),
    }
}
