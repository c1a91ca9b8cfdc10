//! One timeline over all steps: what each load got while the queue was kept full, and when that changed.

mod earned;
mod flow;
mod levels;
mod moves;
mod place;
mod spells;

pub(crate) use earned::{Burst, Moves, without_earned};
pub(crate) use flow::flows;
pub(crate) use levels::{Levels, Stretch};
pub(crate) use moves::{Move, moves};
pub(crate) use spells::{Spell, spells};
