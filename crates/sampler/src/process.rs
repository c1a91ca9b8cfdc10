//! The kernel's facts about this process.

use crate::Root;

/// Whether this process is in the terminal's foreground group (fields 5 and 8 of /proc/self/stat, proc(5)).
pub fn in_foreground(root: &Root) -> bool {
    let text = root.text("proc/self/stat").unwrap_or_default();
    // The name in parentheses may hold blanks and parentheses.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    matches!((fields.get(2), fields.get(5)), (Some(own), Some(front)) if own == front)
}
