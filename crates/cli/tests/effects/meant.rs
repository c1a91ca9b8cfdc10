//! Differences from the real fio that are meant, each with the place where users read of it.

use crate::effect::Effect;
use crate::line::Line;

/// Why a difference is meant; `None` where it is not.
pub fn meant(line: &Line, real: &Effect, ours: &Effect) -> Option<&'static str> {
    let _ = (line, real, ours);
    None
}
