//! One timeline over all steps: what each load got while the queue was kept full, and when that became another.

mod levels;
mod moves;
mod spells;

pub(crate) use levels::{Levels, Stretch};
pub(crate) use moves::{Move, by_bytes, moves};
pub(crate) use spells::{Spell, spells};
