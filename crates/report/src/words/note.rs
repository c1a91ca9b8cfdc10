//! What the engine reports about a step, in words.

use record::{Mismatch, Note};

/// Returns `note` as a sentence. Strings from the machine are inserted unchanged.
pub fn note(note: &Note) -> String {
    match note {
        Note::Features { words, .. } | Note::Other { words } => words.clone(),
        Note::Silence(silence) => silence.to_string(),
        Note::Held(held) => held.to_string(),
        Note::Mismatch(mismatch) => mismatch_words(mismatch),
        Note::Crossed(crossed) => crossed.to_string(),
        Note::Steered(steered) => steered.to_string(),
        Note::CutOff => {
            "The run was cut off in this step: its totals are merged from the intervals that were stored."
                .to_owned()
        }
    }
}

fn mismatch_words(mismatch: &Mismatch) -> String {
    let Mismatch { what, path, offset, io_offset, io_bytes } = mismatch;
    format!(
        "verify: {what} at file {path} offset {offset} (requested block: offset={io_offset}, length={io_bytes})"
    )
}
