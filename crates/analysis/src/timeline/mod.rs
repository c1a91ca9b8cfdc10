//! One timeline over all steps: what each load got while the queue was kept full, and when that changed.

pub(crate) mod earned;
pub(crate) mod flow;
pub(crate) mod level_change;
pub(crate) mod levels;
pub(crate) mod moves;
pub(crate) mod parted;
pub(crate) mod place;
pub(crate) mod sensitivity;
pub(crate) mod spells;
